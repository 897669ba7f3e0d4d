package store

import (
	"path/filepath"
	"strings"

	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
)

func (s *store) adopt(list []Whole, by string) ([]error, error) {
	unlock, err := s.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	all := s.scan(nil)
	errs := make([]error, len(list))
	var done []change
	for i := range list {
		c, err := s.adoptOne(all, &list[i], by)
		if errs[i] = err; err == nil && c.Before != c.After {
			done = append(done, c)
		}
	}
	return errs, s.recordAll(done)
}

// adoptOne writes one file under the lock; all learns of it.
func (s *store) adoptOne(all map[string]*seen, w *Whole, by string) (change, error) {
	id := s.bare(w.ID)
	ref := knowledge.FileRef{Kind: w.Kind, ID: id, File: knowledge.FileOf(w.Kind, id)}
	c := change{Action: "create", By: by, Kind: w.Kind, After: state{id, knowledge.Version(w.Raw)}}
	if w.Kind.Dir() == "" {
		return c, invalid("kind", "unknown kind \""+string(w.Kind)+"\"", "memory, rule or skill")
	}
	e, problems, err := frontmatter.Parse(w.Raw, w.Kind, id, s.show(ref.File))
	if err != nil {
		return c, err
	}
	for _, p := range problems {
		if !p.Warning {
			return c, &knowledge.ParseError{Path: s.show(ref.File), Line: p.Line, Msg: p.Msg, Remedy: p.Remedy}
		}
	}
	if strings.TrimSpace(e.Body) == "" {
		return c, &knowledge.ParseError{Path: s.show(ref.File), Msg: "entry has no text", Remedy: "write what the team should know"}
	}
	if err := checkFiles(Draft{Kind: w.Kind, Files: w.Files}); err != nil {
		return c, err
	}
	if w.Expected != "" {
		f, old, err := s.current(w.Kind, id, w.Expected)
		if err != nil {
			return c, err
		}
		c.Action, c.Before = "edit", state{f.ID, knowledge.Version(old)}
		if err := s.putFiles(f.File, w); err != nil {
			return c, err
		}
		return c, s.shift(f, f, old, w.Raw, "edit", by)
	}
	if err := s.newID(id); err != nil {
		return c, err
	}
	if err := s.free(all, w.Kind, id, ""); err != nil {
		return c, err
	}
	if err := s.putFiles(ref.File, w); err != nil {
		return c, err
	}
	if err := s.put(ref.File, w.Raw); err != nil {
		return c, err
	}
	e.ID = id
	all[ref.File] = &seen{Entry: e, title: titleKey(&e)}
	return c, nil
}

func (s *store) putFiles(file string, w *Whole) error {
	for _, name := range sortedKeys(w.Files) {
		perm := s.perm
		if w.Programs[name] {
			perm |= s.dirPerm & 0o111
		}
		if err := s.putAs(filepath.ToSlash(filepath.Dir(file))+"/"+name, w.Files[name], perm); err != nil {
			return err
		}
	}
	return nil
}
