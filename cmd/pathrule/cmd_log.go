package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pathrule/hookrunner/activity"
	"pathrule/hookrunner/ledger"
	"pathrule/internal/cli"
	"pathrule/workspace"
)

type logOptions struct {
	since string
	limit int
	prune bool
	// told: what each session was told instead of stretches of work.
	told bool
}

func newLogCommand(a *app) *cobra.Command {
	var o logOptions
	c := &cobra.Command{
		Use:   "log",
		Short: "show what assistants worked on here",
		Long: `Lists stretches of work, newest first: what was done to which side of the project,
which paths sessions changed and read, which entries they were told and wrote. Hooks
take it down by themselves, on this machine alone: paths, operations, times, sessions,
entries, and whether a prompt asked for a bug, a look, a refactoring or the like; never
its words, a tool's text or its output. A stretch ends after half an hour, and where
another prompt works on something else. Assistants
are reminded of it on ++history and ++handoff, and where a task lies in the same place.

--told lists instead what each session was told, from the records that keep hooks from
telling it twice: entry, form and the hash of the version, never a text. They are kept
for 7 days.

"pathrule config set activity off" stops the log; --prune forgets what is older than
--since, or everything.`,
		Example: "  pathrule log\n  pathrule log --since 7d --json\n  pathrule log --told --since 1d\n  pathrule log --prune --since 30d",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return runLog(a, o) },
	}
	c.Flags().StringVar(&o.since, "since", "", "from `WHEN` on: 90m, 12h, 7d, 2w or a date like 2026-01-31")
	c.Flags().IntVar(&o.limit, "limit", 20, "at most `N` stretches; 0: all")
	c.Flags().BoolVar(&o.told, "told", false, "what each session was told: ids, forms and hashes, newest first")
	c.Flags().BoolVar(&o.prune, "prune", false, "forget what is older than --since, or everything")
	return c
}

// since reads a length of time before now, or a date; "" is the zero time.
func sinceWhen(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return t, nil
	}
	unit := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}[text[len(text)-1]]
	n, err := strconv.Atoi(text[:len(text)-1])
	if err != nil || unit == 0 || n < 0 || n > 100_000 {
		return time.Time{}, cli.Usage("--since "+cli.OneLine(text)+" is no time", "write it like 90m, 12h, 7d, 2w or 2026-01-31")
	}
	return now.Add(-time.Duration(n) * unit), nil
}

func runLog(a *app, o logOptions) error {
	since, err := sinceWhen(o.since, a.env.Now())
	if err != nil {
		return err
	}
	ws, err := a.workspace()
	if err != nil {
		return err
	}
	if o.told {
		if o.prune {
			return cli.Usage("--told shows, --prune forgets: one at a time")
		}
		return runTold(a, ws, since, o.limit)
	}
	log := activity.Of(a.dirs().State, ledger.Root(ws))
	if o.prune {
		before := since
		if before.IsZero() {
			before = a.env.Now().Add(time.Second)
		}
		n, err := log.Prune(before)
		if err != nil {
			return err
		}
		return a.answer(map[string]any{"pruned": n}, func() { a.out.Println("forgot", countOf(n, "record", "records")) })
	}
	recs, err := log.Read()
	if err != nil {
		return err
	}
	all := activity.Episodes(recs)
	items := []activity.Episode{}
	for i := len(all) - 1; i >= 0; i-- {
		if (o.limit <= 0 || len(items) < o.limit) && all[i].End >= since.Unix() {
			items = append(items, all[i])
		}
	}
	return a.answer(map[string]any{"items": items}, func() { printLog(a, items) })
}

func printLog(a *app, items []activity.Episode) {
	if len(items) == 0 {
		a.out.Println("no work is recorded")
		return
	}
	for _, e := range items {
		a.out.Println(a.out.Bold(time.Unix(e.Start, 0).In(a.env.Now().Location()).Format("2006-01-02 15:04")), string(e.Action), cli.OneLine(e.Title),
			a.out.Dim("("+labels(e)+strings.Join(e.Hosts, ", ")+", "+countOf(e.Touches, "touch", "touches")+")"))
		for _, part := range []struct {
			name  string
			paths []string
		}{{"edited", e.Edited}, {"read", e.Read}, {"told", e.Entries}, {"wrote", e.Wrote}} {
			if len(part.paths) > 0 {
				a.out.Println("  "+part.name, cli.OneLine(strings.Join(part.paths, ", ")))
			}
		}
	}
}

// labels say which side of the project a stretch was about, and what in it.
func labels(e activity.Episode) string {
	out := ""
	if e.Domain != activity.General {
		out += string(e.Domain) + ", "
	}
	if e.Scope != activity.Project {
		out += string(e.Scope) + ", "
	}
	return out
}

// toldData is one thing that a session was told, in JSON.
type toldData struct {
	At      string `json:"at"`
	Host    string `json:"host"`
	Session string `json:"session"`
	Agent   string `json:"agent,omitempty"`
	Key     string `json:"key"`
	Form    string `json:"form"`
	Hash    string `json:"hash"`
}

func runTold(a *app, ws *workspace.Workspace, since time.Time, limit int) error {
	all := ledger.Store{Dir: a.dirs().State, Now: a.env.Now}.Deliveries(ledger.Root(ws), since)
	items := []toldData{}
	for i := len(all) - 1; i >= 0 && (limit <= 0 || len(items) < limit); i-- {
		r := all[i]
		items = append(items, toldData{r.At.UTC().Format(time.RFC3339), r.Host, r.Session, r.Agent, r.Key, r.Form.String(), r.Hash})
	}
	return a.answer(map[string]any{"items": items, "total": len(all)}, func() {
		if len(items) == 0 {
			a.out.Println("no session was told anything that is still recorded")
			return
		}
		t := cli.Table{Head: []string{"WHEN", "CLIENT", "SESSION", "FORM", "WHAT", "HASH"}, Flex: 4}
		for i, r := range items {
			who := r.Session
			if r.Agent != "" {
				who += " " + r.Agent
			}
			t.Row(all[len(all)-1-i].At.In(a.env.Now().Location()).Format("2006-01-02 15:04:05"), r.Host, who, r.Form, r.Key, r.Hash)
		}
		a.out.Print(&t)
		if n := len(all) - len(items); n > 0 {
			a.out.Println(a.out.Dim(itoa(n) + " more: --limit 0"))
		}
	})
}
