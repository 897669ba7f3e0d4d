package health

import (
	"context"

	"pathrule/hookrunner/activity"
	"pathrule/hookrunner/ledger"
	"pathrule/internal/sysenv"
	"pathrule/knowledge"
	"pathrule/knowledge/store"
	"pathrule/workspace"
)

// Look checks a workspace's own store, and of the user's own what needs no
// project.
func Look(ctx context.Context, ws *workspace.Workspace, env sysenv.Env) ([]Finding, error) {
	dirs := workspace.DirsOf(env)
	s, err := store.Open(ws, dirs, env)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	list := func(s *store.Store) []knowledge.Entry {
		entries, _ := s.List()
		for i := range entries {
			known[name(&entries[i])] = true
		}
		return entries
	}
	entries := list(s)
	for w := ws.Outer; w != nil; w = w.Outer {
		if outer, err := store.Open(w, dirs, env); err == nil {
			list(outer)
		}
	}
	var own []knowledge.Entry
	personal, err := store.OpenPersonal(dirs, env)
	if err == nil {
		own = list(personal)
	}
	recs, err := activity.Of(dirs.State, ledger.Root(ws)).Read()
	if err != nil {
		return nil, err
	}
	told, since := activity.LastTold(recs)
	now := env.Now().Unix()
	out := Check(ctx, Input{Entries: entries, File: s.Path, Known: known, Owner: s.Owner(), Project: ProjectFiles(ctx, ws.Root), Told: told, Since: since, Now: now})
	if len(own) > 0 {
		// What one project never asked for may be for another: no record is looked at.
		out = append(out, Check(ctx, Input{Entries: own, File: personal.Path, Known: known, Owner: personal.Owner(), Now: now})...)
	}
	return out, nil
}
