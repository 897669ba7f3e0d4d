package health

import (
	"pathrule/index"
	"pathrule/internal/sysenv"
	"pathrule/knowledge"
	"pathrule/knowledge/store"
	"pathrule/workspace"
)

// Listing is one store as it was read.
type Listing struct {
	// Store is nil where there is none to read.
	Store *store.Store
	// Entries have no text where they stand as a reading before found them; Text
	// has it. Facts go with them by number.
	Entries  []knowledge.Entry
	Facts    []*Facts
	Problems []workspace.Problem
}

// Text is an entry's text.
func (l *Listing) Text(e *knowledge.Entry) string {
	if e.Body != "" || l.Store == nil {
		return e.Body
	}
	got, _, err := l.Store.Read(e.Kind, e.ID)
	if err != nil {
		return ""
	}
	return got.Body
}

// Reading is one reading of every store that speaks in a workspace. What stands
// as the index read it is taken from what an earlier reading kept beside the
// index, by file and version; without an index every file is read.
type Reading struct {
	// Survey is the look at the files, nil with SurveyErr.
	Survey    *index.Survey
	SurveyErr error
	// Own is the workspace's store, Personal the user's own.
	Own, Personal Listing

	outer []Listing
	roots []*workspace.Workspace // of outer
}

// Read reads the stores.
func Read(ws *workspace.Workspace, env sysenv.Env) (*Reading, error) {
	dirs := workspace.DirsOf(env)
	s, err := store.Open(ws, dirs, env)
	if err != nil {
		return nil, err
	}
	r := &Reading{}
	if r.Survey, r.SurveyErr = index.Look(ws, env); r.SurveyErr != nil {
		r.Survey = nil
	}
	indexed := r.Survey != nil && (r.Survey.Report.State == index.Fresh || r.Survey.Report.State == index.Stale)
	notes := &kept{at: map[string]*note{}}
	if indexed {
		notes = openKept(dirs.Cache(ws.ID))
	}
	list := func(s *store.Store) Listing {
		if indexed {
			s = s.Knowing(r.Survey.Store)
		}
		l := Listing{Store: s}
		l.Entries, l.Problems = s.ListKnown(notes.entry)
		l.Facts = notes.of(l.Entries)
		return l
	}
	r.Own = list(s)
	for w := ws.Outer; w != nil; w = w.Outer {
		if s, err := store.Open(w, dirs, env); err == nil {
			r.outer, r.roots = append(r.outer, list(s)), append(r.roots, w)
		}
	}
	if s, err := store.OpenPersonal(dirs, env); err == nil {
		r.Personal = list(s)
	}
	if indexed {
		notes.save()
	}
	return r, nil
}
