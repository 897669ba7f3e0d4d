package core

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"pathrule/index/catalog"
	"pathrule/internal/linetree"
	"pathrule/internal/sysenv"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// Survey is one look at every file of a workspace's stores, held against what
// the published generation read. Nothing is changed, and nothing stays open.
type Survey struct {
	// Report is what Status says.
	Report Report

	ptr    catalog.Pointer
	dir    string // of the generation
	stores []surveyed
}

// surveyed is what was found in one store.
type surveyed struct {
	root     catalog.Root
	within   []string
	files    []knowledge.FileRef
	problems []workspace.Problem
	// hash is that of a plain file, "" for any other.
	hash []string
}

// Look walks and stats every file and reads those whose stat proves nothing. A
// Survey without a usable generation remembers nothing.
func Look(ws *workspace.Workspace, env sysenv.Env) (*Survey, error) {
	w := newWriter(context.Background(), ws, env, Limits{}, nil)
	s := &Survey{}
	err := s.look(w)
	s.Report = w.report()
	return s, err
}

func (s *Survey) look(w *writer) error {
	p, m, err := w.current()
	switch {
	case errors.Is(err, catalog.ErrVersion):
		w.rep.State = VersionMismatch
		return nil
	case errors.Is(err, catalog.ErrMissing) || missing(err):
		w.rep.State = Missing
		return nil
	case err != nil:
		return err
	}
	defer m.close()
	w.rep.Generation, w.rep.Entries, w.rep.Files = p.Gen, p.Entries, p.Files
	old, err := m.heads()
	if err != nil || !w.sound(p) {
		w.rep.State = Missing
		return nil
	}
	sc := w.scanner()
	sc.walked = func(root int, refs []knowledge.FileRef, problems []workspace.Problem) {
		s.stores = append(s.stores, surveyed{root: w.roots[root], within: within(w.ws, root), files: refs, problems: problems})
	}
	c := sc.all(old)
	s.ptr, s.dir = p, filepath.Join(w.cache, p.Gen)
	for i := range s.stores {
		s.stores[i].remember(i, old, c)
	}
	w.rep.State = Fresh
	if c.moved() || p.Partial || w.projectMoved(m) {
		w.rep.State = Stale
	}
	w.rep.Changed = len(c.changes)
	h := m.manifestHead
	h.problems = c.problems
	w.rep.Problems = h.all()
	return nil
}

// remember takes over what the manifest says of the files that stand as they
// were.
func (s *surveyed) remember(root int, old oldFiles, c comparison) {
	s.hash = make([]string, len(s.files))
	for i, f := range s.files {
		id := fileID{root, f.File}
		h, ok := old[id]
		if !ok || c.changes[id] != nil {
			continue
		}
		hash, rest := linetree.Cut(h.rest)
		if mark, _ := linetree.Cut(rest); mark == string(plainMark) {
			s.hash[i] = hash
		}
	}
}

// Store is what was found in the store below dir, links being followed into the
// folders within; nil when it was not looked at.
func (s *Survey) Store(dir string, within []string) knowledge.Look {
	for i := range s.stores {
		st := &s.stores[i]
		if st.root.Store != dir {
			continue
		}
		if !slices.Equal(st.within, within) {
			st = st.again(within)
		}
		return &storeLook{surveyed: st, ptr: s.ptr, dir: s.dir}
	}
	return nil
}

// again walks the store with other rules about links. What it finds besides is
// not known.
func (s *surveyed) again(within []string) *surveyed {
	at := make(map[string]string, len(s.files))
	for i, f := range s.files {
		at[f.File] = s.hash[i]
	}
	n := &surveyed{root: s.root, within: within}
	n.files, _, n.problems = knowledge.Walk(s.root.Store, within...)
	n.hash = make([]string, len(n.files))
	for i, f := range n.files {
		n.hash[i] = at[f.File]
	}
	return n
}

// storeLook is one store of a survey.
type storeLook struct {
	*surveyed
	ptr catalog.Pointer
	dir string
}

func (l *storeLook) Files() ([]knowledge.FileRef, []workspace.Problem) { return l.files, l.problems }
func (l *storeLook) Plain(i int) bool                                  { return l.hash[i] != "" }
func (l *storeLook) Version(i int) string                              { return l.hash[i] }

// rel is a record's file below the store; "" for one of another store.
func (l *storeLook) rel(r *catalog.Record) string {
	if r.Owner != l.root.Owner {
		return ""
	}
	rel, ok := strings.CutPrefix(r.File, l.root.Store+string(filepath.Separator))
	if !ok {
		return ""
	}
	return filepath.ToSlash(rel)
}

func (l *storeLook) Outlines(yield func(i int, e knowledge.Entry)) error {
	cat, err := catalog.OpenDir(l.dir)
	if err != nil {
		return err
	}
	defer cat.Close()
	at := make(map[string]int, len(l.files))
	for i, f := range l.files {
		if l.hash[i] != "" {
			at[f.File] = i
		}
	}
	return cat.All(func(r catalog.Record) bool {
		i, ok := at[l.rel(&r)]
		if ok && l.hash[i] == r.Hash {
			yield(i, knowledge.Entry{
				Kind: r.Kind, ID: l.files[i].ID, Title: r.Title, Description: r.Description,
				Paths: r.Paths, Tags: r.Tags, Related: r.Related, Priority: r.Priority, Enforcement: r.Enforcement,
				BodyOffset: r.BodyOffset, File: l.files[i].File, Version: r.Hash,
			})
		}
		return true
	})
}

func (l *storeLook) Alike(text string, n int) ([]string, error) {
	x, err := openGeneration(l.dir, l.ptr)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	recs, err := x.alike(text, n)
	if err != nil {
		return nil, err
	}
	var out []string
	for i := range recs {
		if rel := l.rel(&recs[i]); rel != "" {
			out = append(out, rel)
		}
	}
	return out, nil
}
