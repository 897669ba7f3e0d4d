package main

import (
	"context"
	"os"

	"pathrule/guard/hookfile"
	"pathrule/hookrunner/activity"
	"pathrule/hookrunner/ledger"
	"pathrule/index/catalog"
	"pathrule/internal/cli"
	"pathrule/knowledge"
	"pathrule/knowledge/inbox"
	"pathrule/knowledge/store"
	"pathrule/workspace"
)

// hooking runs a write between the person's own hooks for it, as the MCP server
// does: those before may refuse it or want a yes, those after hear that it is done
// and of which entry. What such hooks say has nobody to hear it.
func (a *app) hooking(ctx context.Context, ws *workspace.Workspace, m hookfile.Memory, write func() (id string, err error)) error {
	if ws == nil {
		ws, _ = a.maybeWorkspace()
	}
	files := []hookfile.File(nil)
	if a.env.Get(hookfile.Running) == "" && !a.dirs().Killed(a.env) {
		files = hookfile.Find(ws, a.dirs())
	}
	ask := func(event string) (out hookfile.Outcome) {
		for i := range files {
			if !files[i].Wanted(a.dirs(), []string{event}) {
				continue
			}
			out = hooksOf(a.env)(ctx, files, hookfile.Request{Events: []string{event}, Cwd: a.start(), Workspace: ws,
				Tool: hookfile.MemoryTool(m.Operation, m.Kind), Source: m.Operation, Memory: &m})
			for _, e := range out.Errors {
				a.out.Warn("%s", e)
			}
			return out
		}
		return out
	}
	switch out := ask("BeforeMemoryWrite"); out.Decision {
	case hookfile.Deny:
		return cli.Fail("refused", "a hook of yours refused this: "+cli.OneLine(out.Reason), "see \"pathrule hooks list\"")
	case hookfile.Ask:
		if !a.out.CanAsk() {
			return cli.Fail("refused", "a hook of yours wants a person's yes: "+cli.OneLine(out.Reason), "run it yourself in a terminal")
		}
		a.out.Println("A hook of yours asks:", exact(out.Reason))
		if !a.out.Confirm("Go on?", false) {
			return cli.Fail("cancelled", "nothing was written")
		}
	}
	id, err := write()
	if err != nil {
		return err
	}
	if id != "" {
		m.ID = id
	}
	a.noteWritten(ws, m)
	ask("AfterMemoryWrite")
	return nil
}

// noteWritten adds a new or changed entry to the log of work: it belongs to what
// sessions are doing just then.
func (a *app) noteWritten(ws *workspace.Workspace, m hookfile.Memory) {
	if ws == nil || m.ID == "" || m.Operation != "create" && m.Operation != "update" {
		return
	}
	dirs := a.dirs()
	if s, _, _ := workspace.LoadSettings(ws, dirs, a.env); s.Activity == "off" {
		return
	}
	owner := ws.ID
	if m.Scope == "personal" {
		owner = catalog.Personal
	}
	log := activity.Of(dirs.State, ledger.Root(ws))
	if _, err := os.Stat(log.Path); err != nil {
		return // hooks begin it: since then it knows what was told
	}
	// A record that cannot be written is lost, and no reason to say anything.
	_ = log.Append([]activity.Record{{Kind: activity.Wrote, At: a.env.Now().Unix(), Host: "cli", Op: m.Operation, What: owner + "/" + m.Kind + ":" + m.ID}})
}

// scopeOf is a store's scope as the MCP tools name it.
func scopeOf(personal bool) string {
	if personal {
		return "personal"
	}
	return "workspace"
}

func (h *home) memory(operation string, kind knowledge.Kind, id string) hookfile.Memory {
	return hookfile.Memory{Operation: operation, Kind: string(kind), ID: id, Scope: scopeOf(h.personal)}
}

// ofDraft and ofPatch add what goes in.
func ofDraft(m hookfile.Memory, d store.Draft) hookfile.Memory {
	m.Title, m.Text, m.Paths = d.Title, d.Body, d.Paths
	return m
}

func ofPatch(m hookfile.Memory, p store.Patch) hookfile.Memory {
	if p.Title != nil {
		m.Title = *p.Title
	}
	switch {
	case p.Body != nil:
		m.Text = *p.Body
	case p.Content != nil:
		m.Text = p.Content.Text
	}
	if p.Paths != nil {
		m.Paths = *p.Paths
	}
	return m
}

// ofProposal is a proposal that a person accepts.
func ofProposal(p inbox.Proposal) hookfile.Memory {
	m := hookfile.Memory{Operation: p.Action, Kind: string(p.Kind), ID: p.Entry, Scope: scopeOf(p.Personal)}
	if p.Draft != nil {
		return ofDraft(m, *p.Draft)
	}
	if p.Patch != nil {
		return ofPatch(m, *p.Patch)
	}
	return m
}

// update, replace and their kin are the store's, between hooks.
func (a *app) update(ctx context.Context, h *home, kind knowledge.Kind, id string, p store.Patch, version string) (e knowledge.Entry, err error) {
	err = a.hooking(ctx, h.ws, ofPatch(h.memory("update", kind, id), p), func() (string, error) {
		e, err = h.Update(kind, id, p, version, writer)
		return e.ID, err
	})
	return e, err
}

func (a *app) replace(ctx context.Context, h *home, kind knowledge.Kind, id string, text []byte, version string) (e knowledge.Entry, err error) {
	m := h.memory("update", kind, id)
	m.Text = string(text)
	err = a.hooking(ctx, h.ws, m, func() (string, error) {
		e, err = h.Replace(kind, id, text, version, writer)
		return e.ID, err
	})
	return e, err
}
