package health

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pathrule/hookrunner/activity"
	"pathrule/hookrunner/ledger"
	githistory "pathrule/index/history"
	"pathrule/internal/sysenv"
	"pathrule/knowledge"
	"pathrule/knowledge/store"
	"pathrule/workspace"
)

// Given is what a caller has read already; nil fields are read here.
type Given struct {
	// Entries are all of the workspace's own store, Personal the user's own.
	Entries, Personal []knowledge.Entry
}

// Look checks a workspace's own store, and of the user's own what needs no
// project.
func Look(ctx context.Context, ws *workspace.Workspace, env sysenv.Env, g Given) ([]Finding, error) {
	dirs := workspace.DirsOf(env)
	s, err := store.Open(ws, dirs, env)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	note := func(entries []knowledge.Entry) []knowledge.Entry {
		for i := range entries {
			known[name(&entries[i])] = true
		}
		return entries
	}
	if g.Entries == nil {
		g.Entries, _ = s.List()
	}
	entries := note(g.Entries)
	var inherited []Inherited
	for w := ws.Outer; w != nil; w = w.Outer {
		outer, err := store.Open(w, dirs, env)
		if err != nil {
			continue
		}
		below, err := filepath.Rel(w.Root, ws.Root)
		if err != nil {
			continue
		}
		list, _ := outer.List()
		for _, e := range note(list) {
			inherited = append(inherited, Inherited{e, w.Root, filepath.ToSlash(below)})
		}
	}
	var own []knowledge.Entry
	personal, err := store.OpenPersonal(dirs, env)
	if err == nil {
		if g.Personal == nil {
			g.Personal, _ = personal.List()
		}
		own = note(g.Personal)
		for _, e := range own {
			if e.InWorkspace(ws, env.UserHome) {
				inherited = append(inherited, Inherited{e, "your own store", ""})
			}
		}
	}
	recs, err := activity.Of(dirs.State, ledger.Root(ws)).Read()
	if err != nil {
		return nil, err
	}
	told, since := activity.LastTold(recs)
	now := env.Now().Unix()
	project := ProjectFiles(ctx, ws.Root)
	past, done := pastOf(ws, dirs)
	defer done()
	out := Check(ctx, Input{Entries: entries, File: s.Path, Known: known, Owner: s.Owner(), Project: project, Told: told, Since: since, Now: now,
		Inherited: inherited, Loaded: LoadedFiles(ws, project), Held: heldBy(ws), Past: past})
	if len(own) > 0 {
		// What one project never asked for may be for another: no record is looked at.
		out = append(out, Check(ctx, Input{Entries: own, File: personal.Path, Known: known, Owner: personal.Owner(), Now: now})...)
	}
	return TasksOf(dirs.State, ws.ID, env.Now).Apply(out, slices.Concat(entries, own), func(e knowledge.Entry) string {
		if strings.HasPrefix(e.ID, knowledge.PersonalPrefix) {
			return personal.Path(e)
		}
		return s.Path(e)
	})
}

// pastOf answers Input.Past from the history beside the index; nil where there
// is none yet.
func pastOf(ws *workspace.Workspace, dirs workspace.Dirs) (past func(string) (float64, []string), done func()) {
	r, err := githistory.Open(dirs.Cache(ws.ID))
	if err != nil {
		return nil, func() {}
	}
	below, err := filepath.Rel(ws.Base(), ws.Root)
	if err != nil {
		return nil, func() { r.Close() }
	}
	below = filepath.ToSlash(below)
	return func(rel string) (float64, []string) {
		info, ok, err := r.Path(path.Join(below, rel)) // the history is in base coordinates
		if err != nil || !ok {
			return 0, nil
		}
		var with []string
		for _, l := range info.With {
			if p, in := strings.CutPrefix(l.Path, strings.TrimPrefix(below+"/", "./")); in {
				with = append(with, p)
			}
		}
		return info.Heat, with
	}, func() { r.Close() }
}
