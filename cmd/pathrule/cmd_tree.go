package main

import (
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"pathrule/internal/cli"
	"pathrule/knowledge"
	"pathrule/workspace"
)

type treeOptions struct {
	path  string
	kinds []string
}

func newTreeCommand(a *app) *cobra.Command {
	var o treeOptions
	c := &cobra.Command{
		Use:     "tree [PATH]",
		Short:   "show which folders know what",
		Long:    "Shows entries under the folders that their paths speak about. With PATH: that folder and below.",
		Example: "  pathrule tree\n  pathrule tree src/billing\n  pathrule tree --kind rule --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.path = args[0]
			}
			return runTree(c.Context(), a, o)
		},
	}
	c.Flags().StringArrayVar(&o.kinds, "kind", nil, "only `memory|rule|skill` (repeatable)")
	fixed(c, "kind", "memory", "rule", "skill")
	return c
}

// treeFolder is one folder with the entries that speak about it.
type treeFolder struct {
	Path  string `json:"path"` // "" is the whole workspace
	Items []item `json:"items"`
}

func runTree(ctx context.Context, a *app, o treeOptions) error {
	kinds := commaList(o.kinds)
	for _, k := range kinds {
		if err := oneOf("--kind", k, "memory", "rule", "skill"); err != nil {
			return err
		}
	}
	ws, err := a.workspace()
	if err != nil {
		return err
	}
	below := ""
	if o.path != "" {
		rel, ok := workspace.Rel(ws.Base(), a.env.Cwd, o.path)
		if !ok {
			return cli.Fail("outside", o.path+" lies outside the workspace "+a.shown(ws.Base()), "name a folder below it")
		}
		below = rel
	}
	x, err := a.openIndex(ctx, ws)
	if err != nil {
		return err
	}
	defer x.Close()
	recs, err := allRecords(x)
	if err != nil {
		return err
	}
	byFolder := map[string][]item{}
	for _, r := range recs {
		if len(kinds) > 0 && !slices.Contains(kinds, string(r.Kind)) {
			continue
		}
		for _, f := range foldersOf(r.Paths, r.Prefix) {
			if below == "" || f == below || strings.HasPrefix(f, below+"/") {
				byFolder[f] = append(byFolder[f], recordItem(r))
			}
		}
	}
	folders := []treeFolder{}
	for f, items := range byFolder {
		folders = append(folders, treeFolder{f, items})
	}
	// Slashes sort before everything else, so that a folder stands right above
	// what lies in it.
	sort.Slice(folders, func(i, j int) bool {
		return strings.ReplaceAll(folders[i].Path, "/", "\x00") < strings.ReplaceAll(folders[j].Path, "/", "\x00")
	})
	return a.answer(map[string]any{"folders": folders, "warnings": a.out.Warnings()}, func() { drawTree(a, folders, len(recs) > 0) })
}

// foldersOf are the folders (or files) that patterns speak about: the part of
// each before its first wildcard.
func foldersOf(patterns []string, prefix string) []string {
	var out []string
	add := func(f string) {
		if prefix != "" {
			f = strings.TrimSuffix(prefix+"/"+f, "/")
		}
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	for _, p := range patterns {
		if strings.HasPrefix(p, "!") {
			continue
		}
		var segs []string
		for _, s := range strings.Split(strings.Trim(p, "/"), "/") {
			if strings.ContainsAny(s, `*?[{\`) {
				break
			}
			if s != "" && s != "." {
				segs = append(segs, s)
			}
		}
		add(strings.Join(segs, "/"))
	}
	if len(out) == 0 {
		add("")
	}
	return out
}

func drawTree(a *app, folders []treeFolder, some bool) {
	o := a.out
	if len(folders) == 0 && some {
		o.Println("no entries that speak about that alone")
		o.Hint("what covers a path: pathrule explain --path PATH; everything: pathrule tree")
		return
	}
	if len(folders) == 0 {
		o.Println("no entries")
		o.Hint("add the first: pathrule memory add --help")
		return
	}
	var stack []string
	for _, f := range folders {
		name, depth := "(whole workspace)", 0
		if f.Path != "" {
			for len(stack) > 0 && f.Path != stack[len(stack)-1] && !strings.HasPrefix(f.Path, stack[len(stack)-1]+"/") {
				stack = stack[:len(stack)-1]
			}
			depth, name = len(stack), f.Path
			if depth > 0 {
				name = strings.TrimPrefix(f.Path, stack[depth-1]+"/")
			}
			stack = append(stack, f.Path)
		}
		indent := strings.Repeat("  ", depth)
		n := map[knowledge.Kind]int{}
		for _, it := range f.Items {
			n[it.Kind]++
		}
		var counts []string
		for _, k := range knowledge.Kinds {
			if n[k] > 0 {
				counts = append(counts, kindCount(n[k], k))
			}
		}
		o.Println(indent+o.Bold(name), o.Dim(strings.Join(counts, ", ")))
		for _, it := range f.Items {
			o.Printf("%s  %s  %s\n", indent, o.Accent(string(it.Kind)+":"+it.ID), cli.OneLine(it.Title))
		}
	}
}
