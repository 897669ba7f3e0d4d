package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"pathrule/internal/cli"
	"pathrule/knowledge"
	"pathrule/knowledge/store"
)

type undoOptions struct{ personal, redo, skip, dryRun bool }

func newUndoCommand(a *app) *cobra.Command {
	var o undoOptions
	c := &cobra.Command{
		Use:   "undo",
		Short: "take the last change of knowledge back",
		Long: `Takes back the last change made through pathrule (by you on the command line, or
by an assistant over MCP): an added entry goes to the trash, a removed one comes
back, an edit is reversed. What one command wrote (an import, "rm" of several
entries) is taken back as a whole. Run it again for the change before that, and with
--redo to take the last undo back.

What was changed with an editor or by git since is never overwritten: undo then
refuses, names it, and changes nothing; with --skip-changed it leaves that alone and
takes back the rest.`,
		Example: "  pathrule undo --dry-run       # what it would take back\n  pathrule undo\n  pathrule undo --redo\n  pathrule undo --personal",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return runUndo(c.Context(), a, o) },
	}
	c.Flags().BoolVar(&o.personal, "personal", false, "in your own store")
	c.Flags().BoolVar(&o.redo, "redo", false, "take the last undo back")
	c.Flags().BoolVar(&o.skip, "skip-changed", false, "leave alone what was changed by hand since, and take back the rest")
	c.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "say what would be taken back, change nothing")
	return c
}

// steppedItem is one change of an undo in JSON.
type steppedItem struct {
	Kind knowledge.Kind `json:"kind"`
	ID   string         `json:"id"`
	What string         `json:"what"`
}

// leftItem is a change that undo passed over.
type leftItem struct {
	Kind knowledge.Kind `json:"kind"`
	ID   string         `json:"id"`
	Why  string         `json:"why"`
}

func runUndo(ctx context.Context, a *app, o undoOptions) error {
	h, err := a.storeFor("", o.personal)
	if err != nil {
		return err
	}
	key, op := "undone", "undo"
	if o.redo {
		key, op = "redone", "redo"
	}
	do := func(s *store.Store, dry bool) (store.Step, error) {
		so := store.StepOptions{By: writer, SkipChanged: o.skip, DryRun: dry}
		if o.redo {
			return s.Redo(so)
		}
		return s.Undo(so)
	}
	// An import may have written to both stores. Both are looked at before one is
	// touched.
	st, err := do(h.Store, true)
	if err != nil {
		return undoFailed(err, o, key)
	}
	var twin *store.Store
	if st.Run != "" {
		if twin, err = a.otherStore(h); err != nil {
			return err
		}
	}
	var too store.Step
	if twin != nil {
		if too, err = do(twin, true); too.Run != st.Run {
			twin = nil
		} else if err != nil {
			return undoFailed(err, o, key)
		}
	}
	if !o.dryRun {
		err = a.hooking(ctx, h.ws, h.memory(op, "", ""), func() (_ string, err error) {
			done := a.out.Progress("working")
			defer done()
			run := st.Run
			st, err = do(h.Store, false)
			if st.Run != run {
				twin = nil // somebody wrote meanwhile, and that was taken back
			}
			if err == nil && twin != nil {
				too, err = do(twin, false)
			}
			return "", err
		})
		if err != nil {
			return undoFailed(err, o, key)
		}
		a.published(ctx, h)
	}
	if twin != nil {
		st = st.With(too)
	}
	items, left := []steppedItem{}, []leftItem{}
	for _, it := range st.Items {
		items = append(items, steppedItem(it))
	}
	for _, l := range st.Left {
		left = append(left, leftItem(l))
	}
	data := map[string]any{key: st.What, "by": st.By, "at": st.At.UTC().Format(time.RFC3339), "items": items, "left": left,
		"applied": !o.dryRun, "warnings": a.out.Warnings()}
	return a.answer(data, func() { a.printStep(st, o, key) })
}

// otherStore is the store that a command may have written to beside h's: the
// personal one, else the workspace's. nil when there is none.
func (a *app) otherStore(h *home) (*store.Store, error) {
	if !h.personal {
		return store.OpenPersonal(a.dirs(), a.env)
	}
	if h.ws == nil {
		return nil, nil
	}
	return store.Open(h.ws, a.dirs(), a.env)
}

// mostSteps bounds the changes that a person is shown; JSON has all.
const mostSteps = 20

func (a *app) printStep(st store.Step, o undoOptions, key string) {
	head := key + ": " + st.What
	if o.dryRun {
		head = "would be " + head
	}
	if len(st.Items) == 0 {
		head = "nothing was " + key + " of " + st.What
	}
	if st.By != writer {
		head += a.out.Dim("  (by " + cli.OneLine(st.By) + ", " + localTime(st.At.UTC().Format(time.RFC3339)) + ")")
	}
	a.out.Println(head)
	if len(st.Items)+len(st.Left) > 1 {
		for _, it := range st.Items[:min(mostSteps, len(st.Items))] {
			a.out.Println("  " + cli.OneLine(it.What))
		}
		if n := len(st.Items) - mostSteps; n > 0 {
			a.out.Println(a.out.Dim("  and " + itoa(n) + " more (--json names all)"))
		}
	}
	for _, l := range st.Left {
		a.out.Println("  " + a.out.Mild("left alone: "+nameOf(l)+" "+l.Why))
	}
	if o.dryRun {
		a.out.Println("nothing was changed (--dry-run)")
	}
}

func nameOf(b store.Blocked) string {
	if b.Kind == store.FileKind {
		return cli.OneLine(b.ID)
	}
	return string(b.Kind) + ":" + cli.OneLine(b.ID)
}

func undoFailed(err error, o undoOptions, key string) error {
	var blocked *store.BlockedError
	if errors.As(err, &blocked) {
		f := &cli.Failure{Code: "conflict", Exit: cli.ExitFailed, Err: err}
		first := blocked.Entries[0]
		f.Msg = "not " + key + ": " + nameOf(first) + " " + first.Why
		if n := len(blocked.Entries) - 1; n > 0 {
			f.Msg = "not " + key + ", the " + blocked.What + ":"
			for i, b := range blocked.Entries {
				if i == mostSteps {
					f.Msg += "\n  and " + itoa(n+1-i) + " more"
					break
				}
				f.Msg += "\n  " + nameOf(b) + " " + b.Why
			}
		}
		if first.Kind != store.FileKind {
			f.Hints = append(f.Hints, "what stood before: pathrule "+string(first.Kind)+" history "+first.ID)
		}
		again := "pathrule undo --skip-changed"
		if o.redo {
			again += " --redo"
		}
		if o.personal {
			again += " --personal"
		}
		f.Hints = append(f.Hints, "to leave it as it is, and go on with the rest: "+again)
		return f
	}
	if o.redo && errors.Is(err, knowledge.ErrNothing) {
		return cli.Fail("nothing_to_redo", "nothing to redo", "only an undo that nothing came after can be taken back")
	}
	if errors.Is(err, knowledge.ErrNothing) && !o.personal {
		return cli.Fail("nothing_to_undo", "nothing to undo", "changes of your own store: pathrule undo --personal; what an editor changed is for git to take back")
	}
	return err
}
