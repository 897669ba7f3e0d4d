package setup

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pathrule/host"
	"pathrule/internal/sysenv"
	"pathrule/setup/jsonedit"
	"pathrule/setup/tomledit"
	"pathrule/workspace"
)

func planUnsetup(hosts []host.Host, root string, o Options, env sysenv.Env) (Plan, error) {
	scope, err := scopeOf(o, root)
	if err != nil {
		return Plan{}, err
	}
	progs := bare
	if scope != host.Project {
		// A program that cannot be located leaves everything to the records.
		progs, _ = findPrograms(o, env)
	}
	p := planner{scope: scope, root: root, o: o, progs: progs, env: env, home: workspace.DirsOf(env).Home, files: map[string]file{}}
	var plan Plan
	var left []string
	for _, h := range hosts {
		edits := p.unown(h)
		for _, t := range targets(h, scope, root, env) {
			h := t.in(h)
			if e, ok := p.unset(h, t, hosts); ok {
				edits = append(edits, e)
			}
		}
		gone := slices.ContainsFunc(edits, func(e Edit) bool { return e.Action == Update || e.Action == Remove })
		plan.Edits = append(plan.Edits, edits...)
		if gone && h.Wiring().Reload != "" {
			left = append(left, h.Title())
		}
	}
	if len(left) > 0 {
		plan.Next = append(plan.Next, "Running sessions of "+strings.TrimSpace(listed(left, "", ""))+" keep what they have loaded until they end.")
	}
	return plan, nil
}

// unset plans what is taken out of one shared file; ok is false when nothing
// of ours is there.
func (p *planner) unset(h host.Host, t target, going []host.Host) (Edit, bool) {
	f := p.read(t.cfg.Path)
	e := Edit{Host: h.ID(), Scope: p.scope, Path: t.cfg.Path, Surface: t.surface(), Before: f.data, After: f.data, unsets: true}
	if !f.exists || f.data != nil && !bytes.Contains(f.data, []byte(server)) {
		return e, false
	}
	if t.mcp && !t.hooks {
		if o := p.stillUsed(h, t, f, going); o != nil {
			e.Action, e.Summary = Keep, fmt.Sprintf("the MCP server stays: %s uses it too", o.Title())
			return e, count(h, t, f.data) > 0
		}
	}
	switch err := e.unmerge(h, t, f, p.home); {
	case err != nil:
		e.refuse(err, h, p.scope, p.env)
	case e.After == nil:
		e.Action = Remove
	case bytes.Equal(e.Before, e.After):
		return e, false
	default:
		e.Action = Update
	}
	p.plan(f, e)
	return e, true
}

// stillUsed is a client that stays and reads its servers from the same file.
func (p *planner) stillUsed(h host.Host, t target, f file, going []host.Host) host.Host {
	rec := loadRecord(p.home, f.real)
	for _, o := range sharers(h, p.scope, p.root, t.cfg.Path, p.env) {
		if slices.ContainsFunc(going, func(g host.Host) bool { return g.ID() == o.ID() }) {
			continue
		}
		if rec != nil && len(rec.Hosts) > 0 && rec.uses(o.ID()) || hasHooks(o) && wired(o, p.scope, p.root, p.home, p.progs, p.env) {
			return o
		}
	}
	return nil
}

// hasHooks: the client has hooks of ours at all, so that its use of a shared
// file shows in another one.
func hasHooks(h host.Host) bool { return len(host.Standing(h.Registrations())) > 0 }

// unmerge computes e.After for unsetup: the original bytes when nobody touched
// the file since, else the file less our entries.
func (e *Edit) unmerge(h host.Host, t target, f file, home string) error {
	if f.data == nil {
		return errors.New(f.why)
	}
	rec := loadRecord(home, f.real)
	prune := func(string) bool { return true }
	if rec != nil && !rec.MadeUnknown {
		prune = func(path string) bool {
			for _, m := range rec.Made {
				if m == path {
					return true
				}
			}
			return false
		}
	}
	w := h.Wiring()
	n, server := 0, tally{}
	var after []byte
	var empty bool
	if t.cfg.Format == "toml" {
		d, err := tomledit.Parse(f.data)
		if err != nil {
			return err
		}
		ok, err := dropTOML(d, w.MCPTable)
		if err != nil {
			return err
		}
		if ok {
			server.removed++
		}
		after, empty = d.Bytes(), len(d.Value()) == 0 && len(d.Comments()) == 0
		if err := verifyTOML(f.data, after, w.MCPTable); err != nil {
			return err
		}
	} else {
		d, err := jsonedit.Parse(f.data)
		if err != nil {
			return err
		}
		if t.hooks {
			gone := ownHooks(d.Root().Value(), h.Shape())
			n += len(gone)
			if err := dropHooks(d, h.Shape(), gone, prune); err != nil {
				return err
			}
		}
		if t.mcp {
			ok, err := dropMCP(d, w.MCPTable, prune)
			if err != nil {
				return err
			}
			if ok {
				server.removed++
			}
		}
		if h.Shape().Version > 0 && n > 0 && rec != nil && prune("version") && len(d.Root().Keys()) == 1 {
			if err := d.Remove("version"); err != nil {
				return err
			}
		}
		after, empty = d.Bytes(), len(d.Root().Keys()) == 0 && len(d.Comments()) == 0
		if err := verifyJSON(f.data, after, h, t); err != nil {
			return err
		}
	}
	if n+server.removed == 0 {
		return nil
	}
	if f.why != "" {
		return errors.New(f.why)
	}
	var gone []string
	for _, s := range []string{summary("hook", "hooks", tally{removed: n}), summary("MCP server", "MCP servers", server)} {
		if s != "" {
			gone = append(gone, strings.Replace(s, " (stale or double)", "", 1))
		}
	}
	e.Summary = strings.Join(gone, ", ")
	if rec != nil && rec.Exact && rec.Result == sum(f.data) {
		orig, err := rec.original(home)
		if err == nil {
			e.After = orig
			return nil
		}
		// Without the copy the entries can still be taken out.
	}
	if rec != nil && rec.Created && empty {
		e.After = nil
		return nil
	}
	e.After = after
	return nil
}
