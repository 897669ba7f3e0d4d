package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"pathrule/internal/cli"
	"pathrule/knowledge"
	"pathrule/knowledge/store"
)

type rmOptions struct {
	kind     knowledge.Kind
	refs     []string
	personal bool
	expect   string
	yes      bool
}

func newRmCommand(a *app, kind knowledge.Kind) *cobra.Command {
	o := rmOptions{kind: kind}
	k := string(kind)
	c := &cobra.Command{
		Use:     "rm ID...",
		Aliases: []string{"remove", "delete"},
		Short:   "remove a " + k + " (it can be restored)",
		Long:    "Moves entries to the trash, where they stay for 30 days. Asks on a terminal; elsewhere it needs --yes.",
		Example: "  pathrule " + k + " rm stripe-retries\n  pathrule " + k + " rm stripe-retries --yes",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.refs = args
			return runRm(c.Context(), a, o)
		},
		ValidArgsFunction: a.completeIDs(kind),
	}
	c.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	c.Flags().StringVar(&o.expect, "expect", "", "refuse unless this `VERSION` stands now")
	c.Flags().BoolVar(&o.personal, "personal", false, "from your own store")
	return c
}

func runRm(ctx context.Context, a *app, o rmOptions) error {
	type target struct {
		h *home
		e knowledge.Entry
		v string
	}
	// All are found before the first goes: a typing error removes nothing.
	var targets []target
	var names []string
	for _, ref := range o.refs {
		h, id, err := a.find(ref, o.kind, o.personal, false)
		if err != nil {
			return err
		}
		e, raw, err := h.Read(o.kind, id)
		if err != nil && raw == nil {
			return err
		}
		e.Kind, e.ID = o.kind, id
		version := knowledge.Version(raw)
		if o.expect != "" && o.expect != version {
			return &knowledge.ConflictError{Kind: o.kind, ID: id, Current: version}
		}
		targets = append(targets, target{h, e, version})
		names = append(names, id)
	}
	if !o.yes {
		if !a.out.CanAsk() {
			return cli.Usage("removing "+strings.Join(names, ", ")+" needs --yes where nobody can be asked",
				"add --yes; a removed entry can be restored for 30 days")
		}
		for _, t := range targets {
			a.out.Printf("%s %s  %s\n", o.kind, a.out.Accent(t.e.ID), cli.OneLine(t.e.Title))
		}
		if !a.out.Confirm("Remove "+countOf(len(targets), "entry", "entries")+"?", false) {
			return cli.Fail("cancelled", "nothing was removed")
		}
	}
	if len(targets) > 1 { // one undo brings all of them back
		run := store.NewRun()
		for i := range targets {
			h := *targets[i].h
			h.Store = h.OneRun(run, "rm")
			targets[i].h = &h
		}
	}
	type gone struct {
		item
		Trash string `json:"trash"`
	}
	done := []gone{}
	var files []string // of one store, not published yet
	for i, t := range targets {
		trash := ""
		m := t.h.memory("delete", o.kind, t.e.ID)
		m.Title, m.Paths = t.e.Title, t.e.Paths
		err := a.hooking(ctx, t.h.ws, m, func() (_ string, err error) {
			trash, err = t.h.Delete(o.kind, t.e.ID, t.v, writer)
			return "", err
		})
		if err != nil {
			if i > 0 {
				a.published(ctx, targets[i-1].h, files...)
			}
			return err
		}
		done = append(done, gone{itemOf(t.e), trash})
		files = append(files, t.h.Path(t.e))
		if last := i == len(targets)-1; last || targets[i+1].h.Dir() != t.h.Dir() {
			a.published(ctx, t.h, files...)
			files = nil
		}
	}
	return a.answer(map[string]any{"items": done, "warnings": a.out.Warnings()}, func() {
		for _, g := range done {
			a.out.Printf("removed %s %s  %s\n", g.Kind, a.out.Accent(g.ID), a.out.Dim("bring it back: pathrule "+string(g.Kind)+" restore "+g.ID))
		}
	})
}
