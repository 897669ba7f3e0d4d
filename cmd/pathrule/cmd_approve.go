package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pathrule/guard/approval"
	"pathrule/guard/match"
	"pathrule/internal/cli"
	"pathrule/internal/person"
	"pathrule/knowledge"
)

func newApproveCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "approve [RULE...]",
		Short: "let a rule's block or check take effect on this machine",
		Long: `A rule may carry a block (a pattern that no edit may add) or a check (a command that
must pass before the assistant ends its turn). Whoever wrote them, they do nothing
until a person approved them here. Shows exactly what would take effect, the file it
stands in and who changed it last, then asks. Without a RULE it goes through all that
wait.

What is approved is this content of the file, for this workspace, on this machine:
any edit of the file revokes it, and several versions (of branches) may stand.

Only a person at a terminal can approve; it is refused inside an AI client.`,
		Example: `  pathrule approve
  pathrule approve no-floats
  pathrule approve list
  pathrule approve revoke no-floats`,
		RunE:              func(c *cobra.Command, args []string) error { return runApprove(c.Context(), a, args) },
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: a.completeIDs(knowledge.Rule),
	}
	list := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "list blocks and checks and whether they take effect",
		Long: `Lists every rule here that has a block or a check, with its state: approved, changed
(edited since it was approved: nothing of it counts), waiting, or gone (approved once,
and its file is no longer there).`,
		Example: "  pathrule approve list\n  pathrule approve list --json",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return runApproveList(a) },
	}
	revoke := &cobra.Command{
		Use:               "revoke RULE...",
		Short:             "take an approval back",
		Long:              "Takes every approval of the rules back, in all their versions. Their blocks and checks do nothing from now on.",
		Example:           "  pathrule approve revoke no-floats",
		Args:              cobra.MinimumNArgs(1),
		RunE:              func(c *cobra.Command, args []string) error { return runApproveRevoke(a, args) },
		ValidArgsFunction: a.completeIDs(knowledge.Rule),
	}
	c.AddCommand(list, revoke)
	return c
}

func runApprove(ctx context.Context, a *app, refs []string) error {
	refused := func(err error) error {
		return &cli.Failure{Code: "refused", Msg: "nothing approved: " + err.Error(), Err: err,
			Hints: []string{"run \"" + strings.TrimSpace("pathrule approve "+strings.Join(refs, " ")) + "\" yourself in a terminal"}}
	}
	if err := person.Check(a.env); err != nil {
		return refused(err)
	}
	if !a.out.CanAsk() {
		return refused(errors.New("with --json nobody can be asked"))
	}
	all, err := a.guarded()
	if err != nil {
		return err
	}
	pick, err := a.picked(all, refs)
	if err != nil {
		return err
	}
	if len(pick) == 0 {
		a.out.Println("Nothing waits for approval.")
		return nil
	}
	done := 0
	for i, g := range pick {
		if i > 0 {
			a.out.Println()
		}
		if g.state == approval.Approved {
			a.out.Println(a.out.Bold(g.entry.Key()), "is approved already.")
			continue
		}
		if err := g.usable(); err != nil {
			if len(refs) > 0 {
				return err
			}
			a.out.Warn("%s", err.Error())
			continue
		}
		a.printGuarded(ctx, g)
		if !a.out.Confirm("Approve this for "+a.shown(g.at.Root)+"?", false) {
			a.out.Println("left as it is")
			continue
		}
		if err := approval.Approve(a.dirs(), g.at, approval.PinOf(g.entry, g.raw, a.env.Now())); err != nil {
			return err
		}
		if g.entry.Check != nil {
			a.keepKey()
		}
		a.out.Println(a.out.Good("approved:"), g.entry.Key())
		done++
	}
	if done > 0 {
		a.refreshGuards()
	}
	return nil
}

// usable refuses what could never take effect, before a person reads on.
func (g *guarded) usable() error {
	for _, b := range g.entry.Block {
		if _, err := match.Compile(b.Pattern); err != nil {
			return cli.Fail("invalid", fmt.Sprintf("%s: pattern %q cannot be used: %v", g.entry.Key(), b.Pattern, err),
				"mend it: pathrule rule edit "+g.entry.ID)
		}
	}
	if g.broken != "" {
		return cli.Fail("invalid", g.entry.Key()+" has a block or check that cannot be read: "+g.broken, "mend it: pathrule rule edit "+g.entry.ID)
	}
	return nil
}

// picked are the rules that refs name, or without any all that wait.
func (a *app) picked(all []*guarded, refs []string) ([]*guarded, error) {
	var out []*guarded
	if len(refs) == 0 {
		for _, g := range all {
			if g.state == stateWaiting || g.state == approval.Changed {
				out = append(out, g)
			}
		}
		return out, nil
	}
	for _, ref := range refs {
		h, id, err := a.find(ref, knowledge.Rule, false, true)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(all, func(g *guarded) bool { return g.entry.ID == id && g.owner == h.Owner() && g.state != approval.Gone })
		if i < 0 {
			return nil, cli.Fail("invalid", "rule "+id+" has no block and no check: there is nothing to approve",
				"give it one in its file: pathrule rule edit "+id)
		}
		if !slices.Contains(out, all[i]) {
			out = append(out, all[i])
		}
	}
	return out, nil
}

func runApproveRevoke(a *app, refs []string) error {
	all, err := a.guarded()
	if err != nil {
		return err
	}
	revoked := []string{}
	for _, ref := range refs {
		id := strings.TrimPrefix(ref, string(knowledge.Rule)+":")
		if _, found, err := a.find(ref, knowledge.Rule, false, true); err == nil {
			id = found
		}
		n := 0
		for _, g := range all {
			if g.entry.ID != id || len(g.pins) == 0 {
				continue
			}
			k, err := approval.Revoke(a.dirs(), g.at, id)
			if err != nil {
				return err
			}
			n += k
		}
		if n == 0 {
			return cli.Fail("not_found", "rule "+id+" is not approved here", "see \"pathrule approve list\"")
		}
		revoked = append(revoked, id)
	}
	return a.answer(map[string]any{"revoked": revoked}, func() {
		for _, id := range revoked {
			a.out.Println("no longer approved: rule:" + id)
		}
		a.refreshGuards()
	})
}
