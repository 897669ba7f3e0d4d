package main

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"pathrule/guard/hookfile"
	"pathrule/internal/cli"
	"pathrule/internal/person"
	"pathrule/workspace"
)

type trustOptions struct{ parent, revoke bool }

func newTrustCommand(a *app) *cobra.Command {
	var o trustOptions
	c := &cobra.Command{
		Use:   "trust",
		Short: "say that you have looked at this workspace's knowledge",
		Long: `Knowledge that came with a repository and was never looked at on this machine is
delivered with a note that says so, and little of it. After "trust" it counts like
your own. With --parent that holds for every workspace below this folder.

When the project brings hooks of its own (.pathrule/hooks.json), they are shown in full,
with every file of the project that their commands run, and you are asked whether they
may run. What you say yes to is that exact content: any edit of the file or of what it
runs switches them off until you trust again.

Only a person at a terminal can trust; it is refused inside an AI client.`,
		Example: "  pathrule trust\n  cd ~/work && pathrule trust --parent\n  pathrule trust --revoke",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return runTrust(a, o) },
	}
	c.Flags().BoolVar(&o.parent, "parent", false, "every workspace below this folder")
	c.Flags().BoolVar(&o.revoke, "revoke", false, "take it back")
	return c
}

func runTrust(a *app, o trustOptions) error {
	ws, err := a.workspace()
	if errors.Is(err, workspace.ErrNone) && o.parent {
		// A folder that holds many projects is no workspace itself.
		ws, err = &workspace.Workspace{Root: a.start()}, nil
	}
	if err != nil {
		return err
	}
	data := func(trusted bool) map[string]any {
		return map[string]any{"root": ws.Root, "trusted": trusted, "parent": o.parent}
	}
	if o.revoke {
		if err := workspace.Disown(ws, a.dirs()); err != nil {
			return err
		}
		if !o.parent && ws.ID != "" {
			if _, err := hookfile.Revoke(a.dirs(), ws.Root); err != nil {
				return err
			}
		}
		still := ws.ID != "" && workspace.Owned(ws, a.dirs())
		return a.answer(data(still), func() {
			a.out.Println("no longer trusted:", a.shown(ws.Root))
			if still {
				a.out.Hint("a folder above it is trusted with --parent, so it still counts as yours")
			}
		})
	}
	hooked := slices.ContainsFunc(hookfile.Find(ws, a.dirs()), func(f hookfile.File) bool { return f.Origin == hookfile.Project && f.Root == ws.Root })
	if !o.parent && !hooked && workspace.Owned(ws, a.dirs()) {
		return a.answer(data(true), func() { a.out.Println("trusted already:", a.shown(ws.Root)) })
	}
	if err := person.Check(a.env); err != nil {
		return &cli.Failure{Code: "refused", Msg: "not trusted: " + err.Error(), Err: err,
			Hints: []string{"run \"pathrule trust\" yourself in a terminal"}}
	}
	if err := workspace.Own(ws, a.dirs(), o.parent, a.env); err != nil {
		return err
	}
	answer := data(true)
	if !o.parent {
		state, err := a.trustHooks(ws)
		if err != nil {
			return err
		}
		if state != "" {
			answer["hooks"] = state
		}
	}
	return a.answer(answer, func() {
		if o.parent {
			a.out.Println("trusted: every workspace below", a.shown(ws.Root))
		} else {
			a.out.Println("trusted:", a.shown(ws.Root))
		}
	})
}
