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
	"pathrule/workspace"
)

// Look checks a workspace's own store, and of the user's own what needs no
// project.
func Look(ctx context.Context, ws *workspace.Workspace, env sysenv.Env, r *Reading) ([]Finding, error) {
	dirs := workspace.DirsOf(env)
	known := map[string]bool{}
	note := func(entries []knowledge.Entry) {
		for i := range entries {
			known[name(&entries[i])] = true
		}
	}
	note(r.Own.Entries)
	var inherited []Inherited
	for i := range r.outer {
		l := &r.outer[i]
		note(l.Entries)
		below, err := filepath.Rel(r.roots[i].Root, ws.Root)
		if err != nil {
			continue
		}
		for j, e := range l.Entries {
			inherited = append(inherited, Inherited{e, r.roots[i].Root, filepath.ToSlash(below), l.Facts[j]})
		}
	}
	note(r.Personal.Entries)
	for j, e := range r.Personal.Entries {
		if e.InWorkspace(ws, env.UserHome) {
			inherited = append(inherited, Inherited{e, "your own store", "", r.Personal.Facts[j]})
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
	s, personal := r.Own.Store, r.Personal.Store
	out := Check(ctx, Input{Entries: r.Own.Entries, Facts: r.Own.Facts, Text: r.Own.Text, File: s.Path, Known: known, Owner: s.Owner(), Project: project, Told: told, Since: since, Now: now,
		Inherited: inherited, Loaded: LoadedFiles(ws, project), Held: heldBy(ws, &r.Own), Imported: importedFiles(ws), Past: past})
	if len(r.Personal.Entries) > 0 {
		// What one project never asked for may be for another: no record is looked at.
		out = append(out, Check(ctx, Input{Entries: r.Personal.Entries, Facts: r.Personal.Facts, Text: r.Personal.Text, File: personal.Path, Known: known, Owner: personal.Owner(), Now: now})...)
	}
	return TasksOf(dirs.State, ws.ID, env.Now).Apply(out, slices.Concat(r.Own.Entries, r.Personal.Entries), func(e knowledge.Entry) string {
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
