package main

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"pathrule/index"
	"pathrule/index/history"
	"pathrule/internal/cli"
	"pathrule/internal/health"
	"pathrule/knowledge/store"
	"pathrule/workspace"
)

type indexOptions struct{ rebuild, status bool }

func newIndexCommand(a *app) *cobra.Command {
	var o indexOptions
	c := &cobra.Command{
		Use:   "index",
		Short: "bring the index up to date, or build it anew",
		Long: `The index is derived from the Markdown files and can be deleted at any time. Hooks,
the server and every command keep it up to date by themselves; this is for the
impatient and for a look at its state.`,
		Example: "  pathrule index\n  pathrule index --rebuild\n  pathrule index --status --json",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return runIndex(c.Context(), a, o) },
	}
	c.Flags().BoolVar(&o.rebuild, "rebuild", false, "build from nothing")
	c.Flags().BoolVar(&o.status, "status", false, "only tell its state")
	exclusive(c, "rebuild", "status")
	return c
}

// indexData is the answer of index in JSON.
type indexData struct {
	State      index.State   `json:"state"`
	Generation string        `json:"generation"`
	Entries    int           `json:"entries"`
	Files      int           `json:"files"`
	Changed    int           `json:"changed"`
	Built      bool          `json:"built"`
	TookMS     float64       `json:"took_ms"`
	Problems   []problemData `json:"problems"`
	// Commits of the project's history that are known; 0 without git.
	Commits int `json:"commits"`
}

// problemData is one thing wrong with a file in JSON.
type problemData struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Message string `json:"message"`
	Remedy  string `json:"remedy"`
	Warning bool   `json:"warning"`
}

func problemsData(ps []workspace.Problem) []problemData {
	out := []problemData{}
	for _, p := range ps {
		out = append(out, problemData{p.File, p.Line, p.Msg, p.Remedy, p.Warning})
	}
	return out
}

func runIndex(ctx context.Context, a *app, o indexOptions) error {
	ws, err := a.workspace()
	if err != nil {
		return err
	}
	var rep index.Report
	done := a.out.Progress("indexing")
	switch {
	case o.status:
		rep, err = index.Status(ws, a.env)
	case o.rebuild:
		// From nothing: what review and doctor kept beside it goes too.
		_ = os.Remove(filepath.Join(a.dirs().Cache(ws.ID), health.FactsFile))
		rep, err = index.Build(ctx, ws, a.env)
	default:
		rep, err = index.Refresh(ctx, ws, a.env, index.Limits{})
	}
	commits := 0
	if err == nil {
		commits = a.readHistory(ctx, ws, o.status, time.Minute)
	}
	done()
	if err != nil {
		return err
	}
	rep.Problems = a.filed(ws, rep.Problems)
	data := indexData{rep.State, rep.Generation, rep.Entries, rep.Files, rep.Changed, rep.Built,
		float64(rep.Took) / float64(time.Millisecond), problemsData(rep.Problems), commits}
	for _, p := range rep.Problems {
		a.warnProblem(p)
	}
	return a.answer(data, func() { printIndex(a.out, rep, commits, o.status) })
}

// filed adds to what the index could not take what is odd about files that it
// took: it keeps no word of those, and a person who mends files asks again.
func (a *app) filed(ws *workspace.Workspace, taken []workspace.Problem) []workspace.Problem {
	var out []workspace.Problem
	var known store.Asker
	if survey, err := index.Look(ws, a.env); err == nil {
		known = survey.Store
	}
	look := func(s *store.Store, err error) {
		if err == nil {
			_, _, ps := s.Knowing(known).Tally()
			out = append(out, ps...)
		}
	}
	for w := ws; w != nil; w = w.Outer {
		look(store.Open(w, a.dirs(), a.env))
	}
	look(store.OpenPersonal(a.dirs(), a.env))
	for _, p := range taken {
		same := func(q workspace.Problem) bool {
			return q.Line == p.Line && q.Msg == p.Msg && path.Base(filepath.ToSlash(q.File)) == path.Base(filepath.ToSlash(p.File))
		}
		if !slices.ContainsFunc(out, same) {
			out = append(out, p)
		}
	}
	return out
}

// readHistory brings what git tells of the project up to date, or only looks,
// and answers with how many commits are known. It is no reason to fail.
func (a *app) readHistory(ctx context.Context, ws *workspace.Workspace, look bool, d time.Duration) int {
	if look {
		r, err := history.Open(a.dirs().Cache(ws.ID))
		if err != nil {
			return 0
		}
		defer r.Close()
		return r.Len()
	}
	rep, err := index.ReadHistory(ctx, ws, a.env, d)
	if err != nil {
		a.out.Warn("%v", err)
	}
	return rep.Commits
}

func printIndex(o *cli.Out, rep index.Report, commits int, statusOnly bool) {
	what := "updated"
	switch {
	case statusOnly:
		what = string(rep.State)
	case rep.Built:
		what = "built"
	case rep.Changed == 0:
		what = "up to date"
	}
	o.Printf("index %s: %s, %s of the project", o.Bold(what), countOf(rep.Entries, "entry", "entries"), countOf(rep.Files, "file", "files"))
	if commits > 0 {
		o.Printf(", %s of its history", countOf(commits, "commit", "commits"))
	}
	if rep.Changed > 0 {
		o.Printf(", %d changed", rep.Changed)
	}
	if !statusOnly {
		o.Printf(" %s", o.Dim(fmt.Sprintf("(%.0f ms)", float64(rep.Took)/float64(time.Millisecond))))
	}
	o.Println()
	if statusOnly && rep.State != index.Fresh {
		o.Hint("run \"pathrule index\"")
	}
}
