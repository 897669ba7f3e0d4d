package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pathrule/index"
	"pathrule/internal/cli"
	"pathrule/internal/person"
	"pathrule/knowledge"
	"pathrule/knowledge/inbox"
	"pathrule/knowledge/store"
	"pathrule/workspace"
)

func newInboxCommand(a *app) *cobra.Command {
	long := `With the setting "writes: review" what an assistant writes becomes a proposal. It
waits below the pathrule home until a person accepts or discards it; until then no
assistant is told of it.`
	c := group("inbox", "look through what assistants propose to write", long,
		"  pathrule inbox\n  pathrule inbox accept 3f2a91c05d7e\n  pathrule inbox discard 3f2a91c05d7e",
		newInboxListCommand(a), newInboxShowCommand(a), newInboxAcceptCommand(a), newInboxDiscardCommand(a))
	bare := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return bare(c, args)
		}
		return runInboxList(a)
	}
	return c
}

func newInboxListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "list what waits",
		Long:    "Lists the proposals for this workspace and for your own store, oldest first. \"pathrule inbox\" alone does the same.",
		Example: "  pathrule inbox list\n  pathrule inbox list --json",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return runInboxList(a) },
	}
}

func newInboxShowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "show ID",
		Short:             "show what is proposed",
		Long:              "Shows the proposed text and everything else that \"accept\" would write. The beginning of an ID is enough.",
		Example:           "  pathrule inbox show 3f2a",
		Args:              cobra.ExactArgs(1),
		RunE:              func(_ *cobra.Command, args []string) error { return runInboxShow(a, args[0]) },
		ValidArgsFunction: a.completeProposals,
	}
}

func newInboxAcceptCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "accept ID",
		Short: "do what is proposed",
		Long: `Writes, changes, removes or restores the entry exactly as proposed, and takes the
proposal out of the inbox. A change of an entry that is no longer as the assistant
read it is refused.

Only a person at a terminal can accept; it is refused inside an AI client.`,
		Example:           "  pathrule inbox accept 3f2a91c05d7e",
		Args:              cobra.ExactArgs(1),
		RunE:              func(c *cobra.Command, args []string) error { return runInboxAccept(c.Context(), a, args[0]) },
		ValidArgsFunction: a.completeProposals,
	}
}

func newInboxDiscardCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "discard ID",
		Short: "throw a proposal away",
		Long: `Takes the proposal out of the inbox; nothing else changes.

Only a person at a terminal can discard; it is refused inside an AI client.`,
		Example:           "  pathrule inbox discard 3f2a91c05d7e",
		Args:              cobra.ExactArgs(1),
		RunE:              func(_ *cobra.Command, args []string) error { return runInboxDiscard(a, args[0]) },
		ValidArgsFunction: a.completeProposals,
	}
}

// proposed is one proposal in JSON.
type proposed struct {
	ID     string         `json:"id"`
	Action string         `json:"action"`
	Kind   knowledge.Kind `json:"kind"`
	Entry  string         `json:"entry"` // "" for a new one that is named by its title
	Title  string         `json:"title"`
	Scope  string         `json:"scope"` // workspace, personal
	// Workspace is the folder it is for, where that is not the one asked about.
	Workspace string   `json:"workspace,omitempty"`
	Paths     []string `json:"paths"`
	By        string   `json:"by"`
	At        string   `json:"at"`
	File      string   `json:"file"`
}

func (a *app) proposedOf(ws *workspace.Workspace, p inbox.Proposal) proposed {
	out := proposed{ID: p.ID, Action: p.Action, Kind: p.Kind, Entry: p.Entry, Scope: "workspace", Paths: []string{}, By: p.By,
		At: p.At.UTC().Format(time.RFC3339), File: a.dirs().Below(strings.Split(inbox.Rel(ws.ID, p.ID), "/")...)}
	if p.Personal {
		out.Scope = "personal"
	}
	switch {
	case p.Draft != nil:
		out.Title, out.Paths = p.Draft.Title, some(p.Draft.Paths)
	case p.Patch != nil && p.Patch.Title != nil:
		out.Title = *p.Patch.Title
	}
	if p.Patch != nil && p.Patch.Paths != nil {
		out.Paths = some(*p.Patch.Paths)
	}
	if p.Action == inbox.Restore {
		if s, err := a.proposalStore(ws, p); err == nil {
			trash, _ := s.Trash()
			for _, t := range slices.Backward(trash) { // newest first
				if t.Kind == p.Kind && t.ID == p.Entry {
					out.Title = t.Title
				}
			}
		}
	} else if p.Draft == nil {
		// An entry that went since has no title to show.
		if s, err := a.proposalStore(ws, p); err == nil {
			if e, _, err := s.Read(p.Kind, p.Entry); err == nil {
				if out.Title == "" {
					out.Title = e.Title
				}
				if p.Patch == nil || p.Patch.Paths == nil {
					out.Paths = some(e.Paths)
				}
			}
		}
	}
	return out
}

func (a *app) proposalStore(ws *workspace.Workspace, p inbox.Proposal) (*store.Store, error) {
	if p.Personal {
		return store.OpenPersonal(a.dirs(), a.env)
	}
	s, err := store.Open(ws, a.dirs(), a.env)
	if err != nil {
		return nil, err
	}
	return s.Knowing(index.Asker(ws, a.env)), nil
}

// waiting is one proposal and the workspace whose inbox holds it.
type waiting struct {
	ws *workspace.Workspace
	p  inbox.Proposal
}

// waits lists what waits for ws and, as a session and its entries do, for the
// workspaces around it; the inner ones first, each oldest first.
func (a *app) waits(ws *workspace.Workspace) (all []waiting, problems []workspace.Problem) {
	for ; ws != nil; ws = ws.Outer {
		list, ps := inbox.List(a.dirs(), ws.ID)
		problems = append(problems, ps...)
		for _, p := range list {
			all = append(all, waiting{ws, p})
		}
	}
	return all, problems
}

// proposedAll is what waits as JSON, seen from ws.
func (a *app) proposedAll(ws *workspace.Workspace, all []waiting) []proposed {
	items := []proposed{}
	for _, w := range all {
		it := a.proposedOf(w.ws, w.p)
		if w.ws != ws && !w.p.Personal {
			it.Workspace = a.shown(w.ws.Root)
		}
		items = append(items, it)
	}
	return items
}

func runInboxList(a *app) error {
	ws, err := a.workspace()
	if err != nil {
		return err
	}
	all, problems := a.waits(ws)
	items := a.proposedAll(ws, all)
	for _, p := range problems {
		a.warnProblem(p)
	}
	return a.answer(map[string]any{"items": items, "warnings": a.out.Warnings()}, func() {
		printWaiting(a, items, "pathrule inbox show ID, then accept ID or discard ID")
	})
}

func printWaiting(a *app, items []proposed, next string) {
	if len(items) == 0 {
		a.out.Println("nothing waits")
		return
	}
	t := &cli.Table{Head: []string{"ID", "ACTION", "KIND", "TITLE", "SCOPE", "PATHS", "BY", "WHEN"}, Flex: 3}
	t.Style = []func(string) string{a.out.Accent, nil, nil, nil, nil, a.out.Dim, a.out.Dim, a.out.Dim}
	for _, it := range items {
		title := it.Title
		if title == "" {
			title = it.Entry
		}
		scope := it.Scope
		if it.Workspace != "" {
			scope = it.Workspace
		}
		t.Row(it.ID, it.Action, string(it.Kind), title, scope, pathsShown(it.Paths), it.By, localTime(it.At))
	}
	a.out.Print(t)
	a.out.Hint("%s", next)
}

// proposal finds one by its id, or by the beginning of it.
func (a *app) proposal(ref string) (*workspace.Workspace, inbox.Proposal, error) {
	ws, err := a.workspace()
	if err != nil {
		return nil, inbox.Proposal{}, err
	}
	all, _ := a.waits(ws)
	var hits []waiting
	for _, w := range all {
		if w.p.ID == ref {
			return w.ws, w.p, nil
		}
		if len(ref) >= 4 && strings.HasPrefix(w.p.ID, ref) {
			hits = append(hits, w)
		}
	}
	const see = "see \"pathrule inbox\""
	switch len(hits) {
	case 1:
		return hits[0].ws, hits[0].p, nil
	case 0:
		return nil, inbox.Proposal{}, cli.Fail("not_found", "no proposal \""+cli.OneLine(ref)+"\" waits", see)
	}
	return nil, inbox.Proposal{}, cli.Fail("ambiguous", "more than one proposal begins with \""+cli.OneLine(ref)+"\"", see)
}

func runInboxShow(a *app, ref string) error {
	ws, p, err := a.proposal(ref)
	if err != nil {
		return err
	}
	it := a.proposedOf(ws, p)
	return a.answer(map[string]any{"item": it, "proposal": p}, func() { printProposal(a, ws, it, p) })
}

// decider refuses what only a person may decide.
func (a *app) decider(what, command string) error {
	if err := person.Check(a.env); err != nil {
		return &cli.Failure{Code: "refused", Msg: "not " + what + ": " + err.Error(), Err: err,
			Hints: []string{"run \"" + command + "\" yourself in a terminal"}}
	}
	return nil
}

func runInboxAccept(ctx context.Context, a *app, ref string) error {
	ws, p, err := a.proposal(ref)
	if err != nil {
		return err
	}
	if err := a.decider("accepted", "pathrule inbox accept "+p.ID); err != nil {
		return err
	}
	return acceptProposal(ctx, a, ws, p)
}

// acceptProposal does what p asks for and takes it out of the inbox. The caller
// has made sure that a person wants it.
func acceptProposal(ctx context.Context, a *app, ws *workspace.Workspace, p inbox.Proposal) error {
	s, err := a.proposalStore(ws, p)
	if err != nil {
		return err
	}
	var e knowledge.Entry
	err = a.hooking(ctx, ws, ofProposal(p), func() (string, error) {
		e, err = inbox.Apply(p, s, reviewWriter+", "+p.By)
		return e.ID, err
	})
	if err != nil {
		f := failureOf(err)
		f.Hints = append(f.Hints, "the proposal is kept; to throw it away: pathrule review --reject "+p.ID)
		return f
	}
	if err := inbox.Remove(a.dirs(), ws.ID, p.ID); err != nil && !errors.Is(err, inbox.ErrNotFound) {
		a.out.Warn("done, but the proposal could not be taken out: %v", err)
	}
	a.published(ctx, &home{s, ws, p.Personal}, s.Path(e))
	data := map[string]any{"action": p.Action, "kind": e.Kind, "id": e.ID, "version": e.Version, "waiting": e.Waits(), "warnings": a.out.Warnings()}
	return a.answer(data, func() {
		a.out.Printf("accepted: %s of %s %s\n", p.Action, e.Kind, a.out.Accent(e.ID))
		if e.Waits() {
			a.out.Println(a.out.Mild(waitingText), a.out.Accent(e.MakeStrict()))
		}
	})
}

func runInboxDiscard(a *app, ref string) error {
	ws, p, err := a.proposal(ref)
	if err != nil {
		return err
	}
	if err := a.decider("discarded", "pathrule inbox discard "+p.ID); err != nil {
		return err
	}
	if err := inbox.Remove(a.dirs(), ws.ID, p.ID); err != nil {
		return err
	}
	return a.answer(map[string]any{"id": p.ID}, func() { a.out.Println("discarded", p.ID) })
}

// completeProposals offers what waits to the shell.
func (a *app) completeProposals(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
	var out []string
	if ws, err := a.maybeWorkspace(); err == nil && ws != nil {
		all, _ := a.waits(ws)
		for _, w := range all {
			if strings.HasPrefix(w.p.ID, prefix) {
				out = append(out, w.p.ID)
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
