package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pathrule/guard/approval"
	"pathrule/hookrunner"
	"pathrule/hookrunner/ledger"
	"pathrule/hookrunner/queue"
	"pathrule/host"
	"pathrule/index"
	"pathrule/internal/cli"
	"pathrule/knowledge"
	"pathrule/knowledge/inbox"
	"pathrule/knowledge/store"
	"pathrule/setup"
	"pathrule/workspace"
)

func newStatusCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "show the workspace at a glance",
		Long:  "Shows the workspace, what it knows, the state of the index and which clients are wired. It changes nothing.",
		Example: `  pathrule status
  pathrule status --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runStatus(c.Context(), a) },
	}
}

// statusData is the answer of status in JSON.
type statusData struct {
	Workspace struct {
		Root    string   `json:"root"`
		Store   string   `json:"store"`
		ID      string   `json:"id"`
		Private bool     `json:"private"`
		Trusted bool     `json:"trusted"`
		Outer   []string `json:"outer"`
	} `json:"workspace"`
	Entries  map[knowledge.Kind]int `json:"entries"`
	Personal map[knowledge.Kind]int `json:"personal"`
	Index    struct {
		State      index.State `json:"state"`
		Generation string      `json:"generation"`
		Entries    int         `json:"entries"`
		Files      int         `json:"files"`
	} `json:"index"`
	// Waiting are the strict rules that wait for a person, by id.
	Waiting []string `json:"waiting"`
	// Approvals are the rules with a block or a check by state, by id.
	Approvals struct {
		Approved []string `json:"approved"`
		Changed  []string `json:"changed"` // edited since: they decide nothing
		Waiting  []string `json:"waiting"`
	} `json:"approvals"`
	// Inbox is what an assistant proposed and nobody has decided on.
	Inbox struct {
		Proposals int    `json:"proposals"`
		Dir       string `json:"dir"`
	} `json:"inbox"`
	// Ended are the sessions that "observe --queue" has not looked at.
	Ended int `json:"ended_sessions"`
	// Gone is how many entries are about a path that is not there, as far as a
	// bounded look says.
	Gone         int            `json:"gone"`
	Mode         string         `json:"mode"`
	Proof        string         `json:"proof"`
	HooksStopped bool           `json:"hooks_stopped"`
	Clients      []clientStatus `json:"clients"`
	// Found are clients that are on this machine and not set up.
	Found    []foundClient `json:"found"`
	Problems []problemData `json:"problems"`
	Next     string        `json:"next"`
}

type clientStatus struct {
	Host      string   `json:"host"`
	Installed []string `json:"installed"` // "hooks (user)", "mcp (user)"
	Problems  []string `json:"problems"`
}

// foundClient is a client that was seen, and by what.
type foundClient struct {
	Host string `json:"host"`
	How  string `json:"how"`
}

// foundClients are the clients on this machine without those that are set up.
func (a *app) foundClients(up []clientStatus) []foundClient {
	out := []foundClient{}
	for _, h := range host.All() {
		if slices.ContainsFunc(up, func(c clientStatus) bool { return c.Host == h.ID() }) {
			continue
		}
		if how, ok := h.Detect(a.env); ok {
			out = append(out, foundClient{h.ID(), how})
		}
	}
	return out
}

func runStatus(ctx context.Context, a *app) error {
	ws, err := a.workspace()
	if err != nil {
		return err
	}
	dirs := a.dirs()
	var d statusData
	d.Workspace.Root, d.Workspace.Store, d.Workspace.ID = ws.Root, ws.Store, ws.ID
	d.Workspace.Private, d.Workspace.Trusted, d.Workspace.Outer = ws.Private, workspace.Owned(ws, dirs), []string{}
	for w := ws.Outer; w != nil; w = w.Outer {
		d.Workspace.Outer = append(d.Workspace.Outer, w.Root)
	}
	settings, _, problems := workspace.LoadSettings(ws, dirs, a.env)
	d.Waiting = []string{}
	d.Mode, d.Proof, d.HooksStopped = settings.Mode, settings.Proof, dirs.Killed(a.env)
	done := a.out.Progress("looking")
	defer done()
	survey, err := index.Look(ws, a.env)
	if err != nil {
		return err
	}
	count := func(s *store.Store) map[knowledge.Kind]int {
		n, entries, ps := s.Knowing(survey.Store).Tally()
		for _, k := range knowledge.Kinds {
			n[k] += 0 // each has its number
		}
		for _, e := range entries {
			if e.Waits() {
				d.Waiting = append(d.Waiting, e.ID)
			}
		}
		problems = append(problems, ps...)
		return n
	}
	s, err := store.Open(ws, dirs, a.env)
	if err != nil {
		return err
	}
	d.Entries = count(s)
	if p, err := store.OpenPersonal(dirs, a.env); err == nil {
		d.Personal = count(p)
	}
	d.Approvals.Approved, d.Approvals.Changed, d.Approvals.Waiting = []string{}, []string{}, []string{}
	decisive, err := a.guardedBy(survey.Store)
	if err != nil {
		return err
	}
	for _, g := range decisive {
		switch g.state {
		case approval.Approved:
			d.Approvals.Approved = append(d.Approvals.Approved, g.entry.ID)
		case approval.Changed:
			d.Approvals.Changed = append(d.Approvals.Changed, g.entry.ID)
		case stateWaiting:
			d.Approvals.Waiting = append(d.Approvals.Waiting, g.entry.ID)
		}
	}
	proposals, broken := a.waits(ws)
	d.Inbox.Proposals, d.Inbox.Dir = len(proposals), inbox.Dir(dirs, ws.ID)
	if ended, err := queue.Read(dirs.State, ledger.Root(ws)); err == nil {
		d.Ended = len(ended)
	}
	d.Gone = hookrunner.Gone(ws, a.env)
	problems = append(problems, broken...)
	rep := survey.Report
	d.Index.State, d.Index.Generation, d.Index.Entries, d.Index.Files = rep.State, rep.Generation, rep.Entries, rep.Files
	d.Problems = problemsData(problems)
	found, err := setup.Inspect(ws.Root, a.env)
	if err != nil {
		return err
	}
	d.Clients = clientsOf(found)
	d.Found = a.foundClients(d.Clients)
	d.Next = nextOf(d)
	if d.Next == nextFirst {
		if files, _, _, err := a.offerImport(ctx, ws, false); err == nil && len(files) > 0 {
			d.Next = "pathrule import"
		}
	}
	done()
	return a.answer(d, func() { printStatus(a, d, problems) })
}

// clientsOf groups registrations by client.
func clientsOf(found []setup.Installed) []clientStatus {
	out := []clientStatus{}
	for _, h := range host.All() {
		c := clientStatus{Host: h.ID(), Installed: []string{}, Problems: []string{}}
		for _, i := range found {
			if i.Host != h.ID() {
				continue
			}
			if what := i.Surface + " (" + string(i.Scope) + ")"; !slices.Contains(c.Installed, what) {
				c.Installed = append(c.Installed, what)
			}
			if i.Problem != "" && !slices.Contains(c.Problems, i.Problem) {
				c.Problems = append(c.Problems, i.Problem)
			}
		}
		if len(c.Installed) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// nextFirst is the next step of a workspace without an entry.
const nextFirst = "pathrule memory add --help"

// nextOf is the one command that helps most now.
func nextOf(d statusData) string {
	broken := slices.ContainsFunc(d.Problems, func(p problemData) bool { return !p.Warning })
	switch {
	case !d.Workspace.Trusted:
		return "pathrule trust"
	case broken:
		return "pathrule doctor"
	case len(d.Approvals.Changed) > 0:
		return "pathrule approve " + d.Approvals.Changed[0]
	case d.Entries[knowledge.Memory]+d.Entries[knowledge.Rule]+d.Entries[knowledge.Skill] == 0:
		return nextFirst
	case len(d.Clients) == 0:
		return "pathrule setup"
	case d.Index.State != index.Fresh:
		return "pathrule index"
	case d.Gone > 0:
		return "pathrule review"
	}
	return "pathrule doctor"
}

func printStatus(a *app, d statusData, problems []workspace.Problem) {
	o := a.out
	line := func(name, value string) { o.Println(o.Dim(cli.Pad(name, 10)), value) }
	where := a.shown(d.Workspace.Root)
	if d.Workspace.Private {
		where += " (private)"
	}
	line("workspace", o.Bold(where))
	for _, w := range d.Workspace.Outer {
		line("inside", a.shown(w))
	}
	if d.Workspace.Trusted {
		line("trust", "yours")
	} else {
		line("trust", o.Mild("not reviewed on this machine"))
	}
	var counts []string
	for _, k := range knowledge.Kinds {
		counts = append(counts, kindCount(d.Entries[k], k))
	}
	line("knowledge", strings.Join(counts, ", "))
	if n := d.Personal[knowledge.Memory] + d.Personal[knowledge.Rule] + d.Personal[knowledge.Skill]; n > 0 {
		line("personal", countOf(n, "entry", "entries"))
	}
	if n := len(d.Approvals.Approved); n > 0 {
		line("approved", countOf(n, "rule decides", "rules decide")+": "+cli.OneLine(strings.Join(d.Approvals.Approved, ", ")))
	}
	for i, id := range d.Approvals.Changed {
		name := ""
		if i == 0 {
			name = "changed"
		}
		line(name, o.Mild(id+": edited since it was approved, so it decides nothing:")+" "+o.Accent("pathrule approve "+id))
	}
	if n := len(d.Approvals.Waiting); n > 0 {
		line("unapproved", countOf(n, "rule has a block or a check", "rules have a block or a check")+" that nobody approved here, so it decides nothing: "+o.Accent("pathrule approve"))
	}
	for i, id := range d.Waiting {
		name := ""
		if i == 0 {
			name = "waiting"
		}
		line(name, o.Mild(id+": "+waitingText)+" "+makeStrict(id))
	}
	if n := d.Inbox.Proposals; n > 0 {
		line("inbox", o.Mild(countOf(n, "proposal waits", "proposals wait"))+": "+o.Accent("pathrule review"))
	}
	if d.Ended > 0 {
		line("sessions", countOf(d.Ended, "ended session waits", "ended sessions wait")+": "+o.Accent("pathrule observe --queue"))
	}
	if d.Gone > 0 {
		line("gone", o.Mild(countOf(d.Gone, "entry is about a path that is", "entries are about paths that are")+" not there")+": "+o.Accent("pathrule review"))
	}
	state := o.Good(string(d.Index.State))
	has := ", " + countOf(d.Index.Entries, "entry", "entries") + ", " + countOf(d.Index.Files, "file", "files")
	switch d.Index.State {
	case index.Fresh:
	case index.Missing:
		state, has = o.Mild("not built yet"), "; the next session builds it"
	case index.VersionMismatch:
		state, has = o.Mild("of another version of pathrule"), "; the next session builds it anew"
	default:
		state = o.Mild(string(d.Index.State))
	}
	line("index", state+has)
	line("mode", d.Mode+", proof "+d.Proof)
	if d.HooksStopped {
		line("hooks", o.Mild("stopped by the kill switch"))
	}
	if len(d.Clients) == 0 {
		line("clients", "none is set up")
	}
	for i, c := range d.Clients {
		name := ""
		if i == 0 {
			name = "clients"
		}
		line(name, c.Host+": "+strings.Join(c.Installed, ", "))
		for _, p := range c.Problems {
			line("", o.Mild("  "+p))
		}
	}
	for i, f := range d.Found {
		name := ""
		if i == 0 {
			name = "also here"
		}
		line(name, f.Host+": not set up "+o.Dim("("+f.How+")"))
	}
	for _, p := range problems {
		a.warnProblem(p)
	}
	o.Println(o.Dim(cli.Pad("next", 10)), o.Accent(d.Next))
}
