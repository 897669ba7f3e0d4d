package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pathrule/internal/cli"
	"pathrule/knowledge"
)

type restoreOptions struct {
	kind     knowledge.Kind
	ref      string
	version  string
	personal bool
}

func newRestoreCommand(a *app, kind knowledge.Kind) *cobra.Command {
	o := restoreOptions{kind: kind}
	k := string(kind)
	c := &cobra.Command{
		Use:   "restore [ID]",
		Short: "bring a removed " + k + ", or an old version, back",
		Long: "Without ID lists what lies in the trash. With ID brings the removed " + k + " back;\n" +
			"with --version puts a version of its history in place (what stands now goes into\n" +
			"the history).",
		Example: "  pathrule " + k + " restore\n  pathrule " + k + " restore stripe-retries\n  pathrule " + k + " restore stripe-retries --version 3f2a",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.ref = args[0]
			}
			return runRestore(c.Context(), a, o)
		},
	}
	c.Flags().StringVar(&o.version, "version", "", "the `VERSION` to put in place (see history)")
	c.Flags().BoolVar(&o.personal, "personal", false, "in your own store")
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		h, err := a.storeFor("", o.personal)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		trash, _ := h.Trash()
		var ids []string
		for _, t := range trash {
			if t.Kind == kind {
				ids = append(ids, t.ID)
			}
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
	return c
}

func runRestore(ctx context.Context, a *app, o restoreOptions) error {
	if o.ref == "" {
		if o.version != "" {
			return cli.Usage("--version needs an ID")
		}
		return listTrash(a, o)
	}
	h, err := a.storeFor(o.ref, o.personal)
	if err != nil {
		return err
	}
	id := strings.TrimPrefix(o.ref, string(o.kind)+":")
	var e knowledge.Entry
	if o.version == "" {
		err = a.hooking(ctx, h.ws, h.memory("restore", o.kind, id), func() (string, error) {
			e, err = h.Restore(o.kind, id, writer)
			return e.ID, err
		})
		if errors.Is(err, knowledge.ErrNotFound) {
			f := failureOf(err)
			f.Msg = "no removed " + string(o.kind) + " \"" + cli.OneLine(id) + "\" in the trash"
			f.Hints = []string{"see what can be restored: pathrule " + string(o.kind) + " restore",
				"an older version of it: pathrule " + string(o.kind) + " history " + id}
			return f
		}
	} else {
		var old knowledge.OldVersion
		if old, err = oldVersion(h.Store, o.kind, id, o.version); err == nil {
			err = a.hooking(ctx, h.ws, h.memory("restore", o.kind, id), func() (string, error) {
				e, err = h.RestoreVersion(o.kind, id, old.Version, writer)
				return e.ID, err
			})
		}
	}
	if err != nil {
		return err
	}
	a.published(ctx, h, h.Path(e))
	return a.answer(added{itemOf(e), h.Path(e), []nearBy{}, a.out.Warnings()}, func() {
		a.out.Printf("restored %s %s  %s\n", e.Kind, a.out.Accent(e.ID), a.out.Dim(a.shown(h.Path(e))))
	})
}

// trashItem is one removed entry in JSON.
type trashItem struct {
	Kind  knowledge.Kind `json:"kind"`
	ID    string         `json:"id"`
	Title string         `json:"title"`
	At    string         `json:"at"`
	By    string         `json:"by"`
}

func listTrash(a *app, o restoreOptions) error {
	h, err := a.storeFor("", o.personal)
	if err != nil {
		return err
	}
	trash, err := h.Trash()
	if err != nil {
		return err
	}
	items := []trashItem{}
	for _, t := range trash {
		if t.Kind == o.kind {
			items = append(items, trashItem{t.Kind, t.ID, t.Title, t.At.UTC().Format(time.RFC3339), t.By})
		}
	}
	return a.answer(map[string]any{"items": items}, func() {
		if len(items) == 0 {
			a.out.Println("no removed " + o.kind.Dir())
			return
		}
		t := &cli.Table{Head: []string{"ID", "TITLE", "REMOVED", "BY"}, Flex: 1, Style: []func(string) string{a.out.Accent}}
		for _, it := range items {
			t.Row(it.ID, it.Title, localTime(it.At), it.By)
		}
		a.out.Print(t)
	})
}

// localTime shows an RFC 3339 time the way a person reads it.
func localTime(s string) string {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return s
	}
	return t.Local().Format("2006-01-02 15:04")
}

type historyOptions struct {
	kind     knowledge.Kind
	ref      string
	personal bool
}

func newHistoryCommand(a *app, kind knowledge.Kind) *cobra.Command {
	o := historyOptions{kind: kind}
	k := string(kind)
	c := &cobra.Command{
		Use:               "history ID",
		Short:             "list the kept versions of a " + k,
		Long:              "Lists the versions that stood before, newest first: at most twenty, for 90 days.",
		Example:           "  pathrule " + k + " history stripe-retries\n  pathrule " + k + " restore stripe-retries --version 3f2a",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeIDs(kind),
		RunE: func(_ *cobra.Command, args []string) error {
			o.ref = args[0]
			return runHistory(a, o)
		},
	}
	c.Flags().BoolVar(&o.personal, "personal", false, "in your own store")
	return c
}

// versionItem is one kept version in JSON.
type versionItem struct {
	Version string `json:"version"`
	At      string `json:"at"`
	Action  string `json:"action"`
	By      string `json:"by"`
	File    string `json:"file"`
}

func runHistory(a *app, o historyOptions) error {
	h, id, err := a.find(o.ref, o.kind, o.personal, true)
	gone := errors.Is(err, knowledge.ErrNotFound)
	if err != nil && !gone {
		return err
	}
	current := ""
	if gone {
		if h, err = a.storeFor(o.ref, o.personal); err != nil {
			return err
		}
		id = strings.TrimPrefix(o.ref, string(o.kind)+":")
	} else if _, raw, rerr := h.Read(o.kind, id); raw != nil || rerr == nil {
		current = knowledge.Version(raw)
	}
	old, err := h.History(o.kind, id)
	if err != nil {
		return err
	}
	if gone && len(old) == 0 {
		_, _, err := h.Resolve(o.ref, o.kind)
		return err
	}
	by, how, at, known := h.LastWrite(o.kind, id)
	written := ""
	if known {
		written = at.UTC().Format(time.RFC3339)
	}
	items := []versionItem{}
	for _, v := range old {
		items = append(items, versionItem{v.Version, v.At.UTC().Format(time.RFC3339), v.Action, v.Source, v.File})
	}
	return a.answer(map[string]any{"kind": o.kind, "id": id, "current": current, "by": by, "action": how, "at": written, "items": items}, func() {
		if current != "" {
			now := "now"
			if known {
				now += ", " + how + " by " + cli.OneLine(by) + ", " + localTime(written)
			}
			a.out.Println(a.out.Bold(current), now)
		}
		if len(items) == 0 {
			a.out.Println("no older version is kept")
			return
		}
		t := &cli.Table{Head: []string{"VERSION", "REPLACED", "BY", "HOW"}, Flex: 9, Style: []func(string) string{a.out.Accent}}
		for _, v := range items {
			t.Row(v.Version, localTime(v.At), v.By, v.Action)
		}
		a.out.Print(t)
	})
}
