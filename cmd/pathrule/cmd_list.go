package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pathrule/index"
	"pathrule/knowledge"
	"pathrule/knowledge/store"
	"pathrule/workspace"
)

type listOptions struct {
	kind     knowledge.Kind
	personal bool
	all      bool
	path     string
	tags     []string
	priority string
}

func newListCommand(a *app, kind knowledge.Kind) *cobra.Command {
	o := listOptions{kind: kind}
	k := string(kind)
	c := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "list " + kind.Dir(),
		Long: "Lists the " + kind.Dir() + " of this workspace. Files that cannot be read are named on stderr.\n" +
			"With --json the answer is data.items[{kind,id,title,paths,priority,version}].",
		Example: "  pathrule " + k + " list\n  pathrule " + k + " list --path src/billing/client.go\n  pathrule " + k + " list --all --json",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return runList(a, o) },
	}
	f := c.Flags()
	f.BoolVar(&o.personal, "personal", false, "your own "+kind.Dir()+", in every workspace")
	f.BoolVar(&o.all, "all", false, "also inherited from enclosing workspaces, and personal ones")
	f.StringVar(&o.path, "path", "", "only what covers this `PATH`")
	f.StringArrayVar(&o.tags, "tag", nil, "only what carries this `TAG` (repeatable: all of them)")
	if kind == knowledge.Rule {
		f.StringVar(&o.priority, "priority", "", "only rules of this priority: `high|medium|low`")
		fixed(c, "priority", "high", "medium", "low")
	}
	return c
}

// listed is one store in a listing with the prefix of its root below the base.
type listed struct {
	s      *store.Store
	root   string
	prefix string
}

func runList(a *app, o listOptions) error {
	if err := oneOf("--priority", o.priority, "high", "medium", "low"); err != nil {
		return err
	}
	var stores []listed
	ws, err := a.workspace()
	if err != nil && !o.personal {
		return err
	}
	base := a.env.Cwd
	if ws != nil {
		base = ws.Base()
	}
	if !o.personal {
		for w := ws; w != nil; w = w.Outer {
			s, err := store.Open(w, a.dirs(), a.env)
			if err != nil {
				return err
			}
			prefix, _ := workspace.Rel(base, base, w.Root)
			stores = append(stores, listed{s, w.Root, prefix})
			if !o.all {
				break
			}
		}
	}
	if o.personal || o.all {
		s, err := store.OpenPersonal(a.dirs(), a.env)
		if err != nil {
			return err
		}
		stores = append(stores, listed{s, "", ""})
	}
	rel, inside := "", false
	if o.path != "" {
		rel, inside = workspace.Rel(base, a.env.Cwd, o.path)
		if !inside {
			a.out.Warn("%s lies outside the workspace %s", o.path, a.shown(base))
		}
	}
	done := a.out.Progress("looking")
	var look store.Asker
	if ws != nil {
		if survey, err := index.Look(ws, a.env); err == nil {
			look = survey.Store
		}
	}
	items, unreadable := []item{}, 0
	for _, l := range stores {
		entries, problems := l.s.Knowing(look).Outline(o.kind)
		for _, e := range entries {
			if o.priority != "" && itemOf(e).Priority != knowledge.Priority(o.priority) || !hasAll(e.Tags, o.tags) {
				continue
			}
			if o.path != "" {
				sc, err := e.Scope(l.prefix)
				if err != nil || !inside || !sc.Covers(rel) {
					continue
				}
			}
			items = append(items, itemOf(e))
		}
		for _, p := range problems {
			if !p.Warning {
				unreadable++
			}
			if p.File != "" && !filepath.IsAbs(p.File) {
				p.File = filepath.Join(l.root, filepath.FromSlash(p.File))
			}
			a.warnProblem(p)
		}
	}
	done()
	return a.answer(map[string]any{"items": items, "warnings": a.out.Warnings()}, func() {
		if len(items) == 0 {
			a.out.Println("no " + o.kind.Dir())
			if unreadable == 0 && o.path == "" && len(o.tags) == 0 {
				a.out.Hint("add the first: pathrule %s add --help", o.kind)
			}
			return
		}
		printItems(a.out, items)
	})
}

func hasAll(have, want []string) bool {
	for _, w := range want {
		if !slices.ContainsFunc(have, func(h string) bool { return strings.EqualFold(h, w) }) {
			return false
		}
	}
	return true
}
