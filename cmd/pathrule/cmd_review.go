package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pathrule/internal/cli"
	"pathrule/internal/health"
	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
	"pathrule/knowledge/inbox"
	"pathrule/knowledge/store"
	"pathrule/workspace"
)

type reviewOptions struct {
	accept, reject string
	edit           bool
	kinds          []string
	// What becomes of a finding.
	claim, release, dismiss string
	flag, as, reason, by    string
	all                     bool
}

func newReviewCommand(a *app) *cobra.Command {
	var o reviewOptions
	c := &cobra.Command{
		Use:   "review",
		Short: "decide what becomes knowledge",
		Long: `Goes through what waits: what assistants proposed ("writes: review") and what
"pathrule observe" took down from sessions. On a terminal it shows one after the
other and asks; without one, or with --json, it lists them.

Then it names knowledge that no longer fits the project, each with the command that
mends it: entries whose paths cover no file, whose related entries or mentioned paths
are gone (with the new name where git knows it), entries that say nearly the same,
rules for one path that contradict each other, entries that an inherited one hides or
makes useless, entries that stand in a file which clients load by themselves as well,
entries whose files changed much since they were written, entries that no session was
told in 30 days, much-changed places without any entry (with the entry about what
changes together with them), and clients that are told too much in every session.
Without git it leaves out what only git knows.

It exits with 3 when something waits or was found, and changes nothing by itself.

A finding has an id. --claim says that somebody is at work on it (for a day, so that two
assistants do not mend the same), --dismiss that it is fine as it is, until the entry is
changed; mended or removed, it is found no more. --flag asks for an entry to be looked
at, which whoever doubts one may do without knowing better. All of it stays on this
machine.

Only a person at a terminal can accept, reject or dismiss; it is refused inside an AI
client.`,
		Example: "  pathrule review\n  pathrule review --json\n  pathrule review --kind mention --kind scope\n  pathrule review --accept 3f2a --edit\n  pathrule review --reject 3f2a\n  pathrule review --claim 5e0c --by claude-code\n  pathrule review --flag memory:stripe-retries --as contradicts-code --reason \"the client retries five times\"",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return runReview(c.Context(), a, o) },
	}
	f := c.Flags()
	f.StringVar(&o.accept, "accept", "", "do what the proposal `ID` asks for")
	f.StringVar(&o.reject, "reject", "", "throw the proposal `ID` away")
	f.BoolVar(&o.edit, "edit", false, "with --accept: open the new entry in your editor first")
	f.StringSliceVar(&o.kinds, "kind", nil, "only findings of this `KIND`: "+strings.Join(reviewKinds(), ", ")+" (repeatable)")
	f.BoolVar(&o.all, "all", false, "also findings that were dismissed")
	f.StringVar(&o.claim, "claim", "", "take the finding `ID` on")
	f.StringVar(&o.release, "release", "", "give the finding `ID` back, or find a dismissed one again")
	f.StringVar(&o.dismiss, "dismiss", "", "the finding `ID` is fine as it is")
	f.StringVar(&o.flag, "flag", "", "ask for the entry `ID` to be looked at")
	f.StringVar(&o.as, "as", "unclear", "with --flag: `WHY`: "+strings.Join(health.Reasons, ", "))
	f.StringVar(&o.reason, "reason", "", "with --flag: what is wrong, in a sentence")
	f.StringVar(&o.by, "by", "", "with --claim and --flag: `WHO` it is")
	for _, name := range []string{"accept", "reject"} {
		_ = c.RegisterFlagCompletionFunc(name, a.completeProposals)
	}
	exclusive(c, "accept", "reject")
	exclusive(c, "reject", "edit")
	for _, pair := range [][2]string{{"claim", "release"}, {"claim", "dismiss"}, {"claim", "flag"}, {"release", "dismiss"}, {"release", "flag"}, {"dismiss", "flag"}} {
		exclusive(c, pair[0], pair[1])
	}
	return c
}

func runReview(ctx context.Context, a *app, o reviewOptions) error {
	switch {
	case o.accept != "":
		return reviewAccept(ctx, a, o)
	case o.reject != "":
		return runInboxDiscard(a, o.reject)
	case o.edit:
		return cli.Usage("--edit goes with --accept ID")
	}
	if err := checkKinds(o.kinds); err != nil {
		return err
	}
	ws, err := a.workspace()
	if err != nil {
		return err
	}
	if o.claim+o.release+o.dismiss+o.flag != "" {
		return runTask(ctx, a, ws, o)
	}
	var all []waiting
	asked := false
	if len(o.kinds) == 0 {
		var problems []workspace.Problem
		all, problems = a.waits(ws)
		for _, p := range problems {
			a.warnProblem(p)
		}
	}
	if len(all) > 0 && a.out.CanAsk() {
		if err := a.decider("reviewed", "pathrule review"); err != nil {
			return err
		}
		if err := reviewEach(ctx, a, ws, all); err != nil {
			return err
		}
		all, asked = nil, true
	}
	found, err := lookThrough(ctx, a, ws, o.kinds, o.all)
	if err != nil {
		return err
	}
	items := a.proposedAll(ws, all)
	err = a.answer(map[string]any{"items": items, "findings": found.Findings, "cost": found.Cost, "dismissed": found.Dismissed, "warnings": a.out.Warnings()}, func() {
		switch {
		case asked: // what was decided stands above
		case len(items) > 0 || len(o.kinds) == 0 && len(found.Findings) == 0:
			printWaiting(a, items, "pathrule review in a terminal asks for each; or review --accept ID, --reject ID")
		case len(found.Findings) == 0:
			a.out.Println(a.out.Good("nothing to mend"))
		}
		printReview(a, found)
	})
	if n := len(items) + len(found.Findings); err == nil && n > 0 {
		return cli.Findings{N: n}
	}
	return err
}

func reviewAccept(ctx context.Context, a *app, o reviewOptions) error {
	if !o.edit {
		return runInboxAccept(ctx, a, o.accept)
	}
	ws, p, err := a.proposal(o.accept)
	if err != nil {
		return err
	}
	if err := a.decider("accepted", "pathrule review --accept "+p.ID+" --edit"); err != nil {
		return err
	}
	if p, err = editProposal(a, p); err != nil {
		return err
	}
	return acceptProposal(ctx, a, ws, p)
}

// reviewEach asks for one proposal after the other. Nothing is decided by an
// empty answer.
func reviewEach(ctx context.Context, a *app, ws *workspace.Workspace, all []waiting) error {
	accepted, rejected, kept := 0, 0, 0
	items := a.proposedAll(ws, all)
	for i, w := range all {
		p := w.p
		a.out.Printf("%s\n\n", a.out.Dim(fmt.Sprintf("%d of %d: %s", i+1, len(all), p.ID)))
		printProposal(a, w.ws, items[i], p)
		a.out.Println()
		choices := []string{"accept", "reject", "skip", "quit"}
		if p.Draft != nil {
			choices = slices.Insert(choices, 1, "edit")
		}
		var err error
		word := a.out.Choose("Accept it?", choices, "skip")
		switch word {
		case "accept":
			err = acceptProposal(ctx, a, w.ws, p)
		case "edit":
			if p, err = editProposal(a, p); err == nil {
				err = acceptProposal(ctx, a, w.ws, p)
			}
		case "reject":
			if err = inbox.Remove(a.dirs(), w.ws.ID, p.ID); err == nil {
				a.out.Println("rejected", p.ID)
			}
		}
		switch {
		case err != nil:
			// One that cannot be decided does not hold up the others.
			a.out.Fail(a.name, failureOf(err))
			kept++
		case word == "accept" || word == "edit":
			accepted++
		case word == "reject":
			rejected++
		case word == "quit":
			kept += len(all) - i
		default:
			kept++
		}
		a.out.Println()
		if word == "quit" {
			break
		}
	}
	a.out.Printf("%d accepted, %d rejected, %d left\n", accepted, rejected, kept)
	return nil
}

// editProposal opens a new entry in the person's editor and puts what was saved
// into the proposal.
func editProposal(a *app, p inbox.Proposal) (inbox.Proposal, error) {
	if p.Draft == nil {
		return p, cli.Fail("invalid", "only a new entry can be edited before it is accepted", "accept it, then edit the entry")
	}
	d := *p.Draft
	e := knowledge.Entry{Kind: d.Kind, ID: d.ID, Title: d.Title, Description: d.Description, Paths: d.Paths, Tags: d.Tags, Related: d.Related,
		Priority: d.Priority, Enforcement: d.Enforcement, Block: d.Block, Check: d.Check, Source: d.Source, Workspaces: d.Workspaces,
		Body: "\n" + strings.Trim(strings.ReplaceAll(d.Body, "\r\n", "\n"), "\n") + "\n"}
	text, file, err := cli.Edit(a.env, "proposal.md", frontmatter.Render(e))
	if err != nil {
		return p, err
	}
	got, problems, err := frontmatter.Parse(text, d.Kind, "proposal", "proposal.md")
	if err != nil {
		return p, keepEdit(a, file, err)
	}
	for _, pr := range problems {
		if !pr.Warning {
			return p, keepEdit(a, file, &knowledge.ParseError{Path: file, Line: pr.Line, Msg: pr.Msg, Remedy: pr.Remedy})
		}
	}
	cli.DropEdit(file)
	n := store.Draft{Kind: d.Kind, ID: d.ID, Title: got.Title, Description: got.Description, Body: got.Body, Paths: got.Paths, Tags: got.Tags, Related: got.Related,
		Priority: got.Priority, Enforcement: got.Enforcement, Block: got.Block, Check: got.Check, Source: d.Source, Workspaces: got.Workspaces,
		Head: frontmatter.Foreign(text, d.Kind), Files: d.Files, Programs: d.Programs}
	p.Draft = &n
	return p, nil
}
