package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pathrule/hookrunner/activity"
	"pathrule/hookrunner/ledger"
	"pathrule/index"
	"pathrule/index/history"
	"pathrule/internal/cli"
	"pathrule/knowledge/store"
	"pathrule/workspace"
)

func newStatsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "stats",
		Short: "show how delivery does here",
		Long: `Sums up what hooks noted on this machine: sessions, what they were told and what that
cost (tokens are estimated, without asking anybody), and the files named to be opened first ("Open … before searching."): how often one was named
and how often it was opened. Sessions with and without one are shown side by side. Then
the paths that were touched most in a week, and of the entries told most: in how many
sessions, in how many of them something that the entry is about was changed afterwards,
and in how many that change was committed. Nothing of it leaves the machine.`,
		Example: "  pathrule stats\n  pathrule stats --json",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return runStats(a) },
	}
}

// statsPart is a sum over sessions.
type statsPart struct {
	Sessions int     `json:"sessions"`
	Tools    int     `json:"tools"`
	Items    int     `json:"items"`
	Tokens   int     `json:"tokens"`
	Minutes  float64 `json:"minutes"`
}

func (p *statsPart) add(s ledger.Summary) {
	p.Sessions++
	p.Tools += s.Tools
	p.Items += s.Items
	p.Tokens += s.Tokens
	p.Minutes += float64(s.Seconds) / 60
}

// mean is a sum per session, 0 without any.
func (p statsPart) mean(sum float64) float64 {
	if p.Sessions == 0 {
		return 0
	}
	return sum / float64(p.Sessions)
}

type statsData struct {
	All    statsPart `json:"all"`
	Routes struct {
		Told     int `json:"told"`
		Followed int `json:"followed"`
		// Rate is followed/told, 0 when none was told.
		Rate float64 `json:"rate"`
	} `json:"routes"`
	WithRoute    statsPart `json:"with_route"`
	WithoutRoute statsPart `json:"without_route"`
	Activity     struct {
		Touches  int `json:"touches"`
		Episodes int `json:"episodes"`
		Told     int `json:"told"`    // tellings of entries
		Entries  int `json:"entries"` // different ones
		// Hot are the paths touched most within a week.
		Hot []string `json:"hot"`
	} `json:"activity"`
	// Outcomes are what came of telling the entries, most told first.
	Outcomes []activity.Outcome `json:"outcomes"`
}

// shownOutcomes is how many entries a person is shown; JSON has all.
const shownOutcomes = 5

func runStats(a *app) error {
	ws, err := a.workspace()
	if err != nil {
		return err
	}
	dirs, key := a.dirs(), ledger.Root(ws)
	var d statsData
	add := func(s ledger.Summary) {
		d.All.add(s)
		d.Routes.Told += s.Routes
		d.Routes.Followed += min(s.Followed, s.Routes)
		if s.Routes > 0 {
			d.WithRoute.add(s)
		} else {
			d.WithoutRoute.add(s)
		}
	}
	for _, name := range []string{"navigation.jsonl.1", "navigation.jsonl"} {
		b, err := os.ReadFile(filepath.Join(dirs.State, "usage", name))
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		for ln := range bytes.Lines(b) {
			var s struct {
				Workspace                                       string
				Tools, Routes, Followed, Items, Tokens, Seconds int
			}
			if json.Unmarshal(ln, &s) == nil && s.Workspace == key {
				add(ledger.Summary{Tools: s.Tools, Routes: s.Routes, Followed: s.Followed, Items: s.Items, Tokens: s.Tokens, Seconds: int64(s.Seconds)})
			}
		}
	}
	for _, s := range (ledger.Store{Dir: dirs.State, Now: a.env.Now}).Sessions(key) {
		add(s.Summary)
	}
	if d.Routes.Told > 0 {
		d.Routes.Rate = float64(d.Routes.Followed) / float64(d.Routes.Told)
	}
	recs, err := activity.Of(dirs.State, key).Read()
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, r := range recs {
		switch r.Kind {
		case activity.Touched:
			d.Activity.Touches++
		case activity.Told:
			d.Activity.Told++
			seen[r.What] = true
		}
	}
	d.Activity.Entries, d.Activity.Episodes = len(seen), len(activity.Episodes(recs))
	d.Activity.Hot = activity.Hot(recs, a.env.Now())
	d.Outcomes = a.outcomes(ws, recs)
	return a.answer(d, func() { printStats(a, d) })
}

func printStats(a *app, d statsData) {
	o := a.out
	if d.All.Sessions == 0 && d.Activity.Touches == 0 {
		o.Println("no session is recorded here")
		return
	}
	o.Println(countOf(d.All.Sessions, "session", "sessions")+",", countOf(d.All.Items, "item told", "items told")+",", countOf(d.All.Tools, "tool call", "tool calls"))
	if n := d.All.Tokens; n > 0 {
		mean := d.All.mean(float64(n))
		o.Println(fmt.Sprintf("%d tokens told, %.0f in a session: %.2f %% of a context of 200,000", n, mean, mean/2000))
	}
	if d.Routes.Told > 0 {
		o.Println(countOf(d.Routes.Told, "file named to open first", "files named to open first")+",", itoa(d.Routes.Followed), "opened",
			fmt.Sprintf("(%.0f %%)", 100*d.Routes.Rate))
		for _, p := range []struct {
			name string
			part statsPart
		}{{"with one", d.WithRoute}, {"without", d.WithoutRoute}} {
			o.Println(o.Dim(fmt.Sprintf("  sessions %s: %d, %.1f tool calls and %.1f minutes each", p.name, p.part.Sessions,
				p.part.mean(float64(p.part.Tools)), p.part.mean(p.part.Minutes))))
		}
	}
	o.Println(countOf(d.Activity.Touches, "path touched", "paths touched")+",", countOf(d.Activity.Episodes, "stretch of work", "stretches of work")+",",
		countOf(d.Activity.Entries, "entry told", "entries told"))
	if len(d.Activity.Hot) > 0 {
		o.Println("most touched this week:", cli.OneLine(strings.Join(d.Activity.Hot, ", ")))
	}
	if len(d.Outcomes) > 0 {
		o.Println("told most, and what came of it:")
	}
	for _, c := range d.Outcomes[:min(shownOutcomes, len(d.Outcomes))] {
		_, entry, _ := strings.Cut(c.Entry, "/")
		o.Println(o.Dim(fmt.Sprintf("  %s: told in %s, its files changed in %d, committed in %d", cli.OneLine(entry), countOf(c.Told, "session", "sessions"), c.Used, c.Committed)))
	}
}

// outcomes looks up what the entries told are about, and which changes were
// committed, as far as the index has read git's history.
func (a *app) outcomes(ws *workspace.Workspace, recs []activity.Record) []activity.Outcome {
	dirs := a.dirs()
	scopes := map[string]workspace.Scope{}
	told := map[string]bool{}
	for _, r := range recs {
		if r.Kind == activity.Told {
			told[r.What] = true
		}
	}
	if len(told) == 0 {
		return []activity.Outcome{}
	}
	var known store.Asker
	if survey, err := index.Look(ws, a.env); err == nil {
		known = survey.Store
	}
	add := func(s *store.Store, prefix string) {
		entries, _ := s.Knowing(known).Outline()
		for i := range entries {
			if !told[s.Owner()+"/"+entries[i].Key()] {
				continue
			}
			if sc, err := entries[i].Scope(prefix); err == nil {
				scopes[s.Owner()+"/"+entries[i].Key()] = sc
			}
		}
	}
	for w := ws; w != nil; w = w.Outer {
		prefix, err := filepath.Rel(ws.Base(), w.Root)
		if s, e := store.Open(w, dirs, a.env); e == nil && err == nil {
			add(s, strings.TrimPrefix(filepath.ToSlash(prefix), "."))
		}
	}
	if s, err := store.OpenPersonal(dirs, a.env); err == nil {
		add(s, "")
	}
	var commits func(string) []int64
	if r, err := history.Open(dirs.Cache(ws.ID)); err == nil {
		defer r.Close()
		if list, err := r.Commits(); err == nil {
			when := map[string][]int64{}
			for _, c := range list {
				for _, f := range c.Files {
					when[f] = append(when[f], c.At)
				}
			}
			commits = func(path string) []int64 { return when[path] }
		}
	}
	all := activity.Outcomes(recs, func(entry, path string) bool {
		sc, ok := scopes[entry]
		return ok && sc.Covers(path)
	}, commits)
	// What was removed meanwhile has nothing to say any more.
	return slices.DeleteFunc(all, func(o activity.Outcome) bool { _, ok := scopes[o.Entry]; return !ok })
}
