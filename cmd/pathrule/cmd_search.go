package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pathrule/index"
	"pathrule/index/catalog"
	"pathrule/internal/cli"
	"pathrule/knowledge"
	"pathrule/workspace"
)

type searchOptions struct {
	text  string
	kinds []string
	path  string
	limit int
}

func newSearchCommand(a *app) *cobra.Command {
	var o searchOptions
	c := &cobra.Command{
		Use:   "search TEXT...",
		Short: "find entries by what they say",
		Long: `Finds entries by words of their title, tags and text, best first, in any language.
No hit is an answer too: exit code 0.`,
		Example: `  pathrule search retry limit
  pathrule search "timeout" --kind rule --path src/billing
  pathrule search リトライ --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.text = strings.Join(args, " ")
			return runSearch(c.Context(), a, o)
		},
	}
	f := c.Flags()
	f.StringArrayVar(&o.kinds, "kind", nil, "only `memory|rule|skill` (repeatable)")
	f.StringVar(&o.path, "path", "", "only what covers this `PATH`")
	f.IntVar(&o.limit, "limit", 20, "at most `N` hits")
	fixed(c, "kind", "memory", "rule", "skill")
	return c
}

// found is one hit in JSON.
type found struct {
	item
	Score float64 `json:"score"`
	Line  string  `json:"line"`
	File  string  `json:"file"`
}

func runSearch(ctx context.Context, a *app, o searchOptions) error {
	if strings.TrimSpace(o.text) == "" {
		return cli.Usage("nothing to search for", "give words: pathrule search retry limit")
	}
	if o.limit < 1 {
		return cli.Usage("--limit must be at least 1")
	}
	var kinds []knowledge.Kind
	for _, k := range commaList(o.kinds) {
		if err := oneOf("--kind", k, "memory", "rule", "skill"); err != nil {
			return err
		}
		kinds = append(kinds, knowledge.Kind(k))
	}
	ws, err := a.workspace()
	if err != nil {
		return err
	}
	x, err := a.openIndex(ctx, ws)
	if err != nil {
		return err
	}
	defer x.Close()
	q := catalog.Query{Text: o.text, Kinds: kinds, Limit: o.limit}
	rel, inside := "", true
	if o.path != "" {
		// The scope filter drops hits, so more are asked for than shown.
		rel, inside = workspace.Rel(ws.Base(), a.env.Cwd, o.path)
		q.Limit = max(200, o.limit*5)
	}
	items := []found{}
	if inside {
		res, err := x.Search(q)
		if err != nil {
			return err
		}
		for _, c := range res.Candidates {
			if len(items) == o.limit {
				break
			}
			if c.Text <= 0 {
				continue
			}
			if o.path != "" {
				if sc, err := c.Record.Scope(); err != nil || !sc.Covers(rel) {
					continue
				}
			}
			items = append(items, found{recordItem(c.Record), c.Text, c.Record.Line, c.Record.File})
		}
	} else {
		a.out.Warn("%s lies outside the workspace %s", o.path, a.shown(ws.Base()))
	}
	return a.answer(map[string]any{"items": items, "warnings": a.out.Warnings()}, func() {
		if len(items) == 0 {
			a.out.Println("no entry says anything like that")
			return
		}
		for _, it := range items {
			a.out.Printf("%s  %s\n", a.out.Accent(string(it.Kind)+":"+it.ID), a.out.Bold(cli.OneLine(it.Title)))
			if line := cli.OneLine(it.Line); line != "" && line != it.Title {
				a.out.Println("   ", cli.Cut(line, max(0, a.out.Width-4)))
			}
			a.out.Println("   ", a.out.Dim(pathsShown(it.Paths)))
		}
	})
}

func recordItem(r catalog.Record) item {
	p := r.Priority
	if p == "" {
		p = knowledge.Medium
	}
	return item{Kind: r.Kind, ID: r.ID, Title: r.Title, Paths: some(r.Paths), Priority: p, Version: r.Hash}
}

// openIndex brings the index up to date and opens it.
func (a *app) openIndex(ctx context.Context, ws *workspace.Workspace) (*index.Index, error) {
	done := a.out.Progress("indexing")
	rep, err := index.Refresh(ctx, ws, a.env, index.Limits{})
	done()
	x, oerr := index.Open(ws, a.env)
	if oerr != nil {
		if err != nil {
			return nil, err
		}
		return nil, oerr
	}
	if err != nil {
		a.out.Warn("the index could not be brought up to date: %v", err)
	}
	if n := unreadable(rep.Problems); n > 0 {
		a.out.Warn("%s cannot be read and %s left out; see \"pathrule doctor\"", countOf(n, "entry", "entries"), isAre(n))
	}
	return x, nil
}

func unreadable(ps []workspace.Problem) int {
	n := 0
	for _, p := range ps {
		if !p.Warning {
			n++
		}
	}
	return n
}

// itIs ends "was left as ".
func itIs(n int) string {
	if n == 1 {
		return "it is"
	}
	return "they are"
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// allRecords is the whole catalogue in listing order.
func allRecords(src catalog.Source) ([]catalog.Record, error) {
	var out []catalog.Record
	err := src.All(func(r catalog.Record) bool { out = append(out, r); return true })
	slices.SortStableFunc(out, func(x, y catalog.Record) int {
		return slices.Index(knowledge.Kinds, x.Kind) - slices.Index(knowledge.Kinds, y.Kind)
	})
	return out, err
}
