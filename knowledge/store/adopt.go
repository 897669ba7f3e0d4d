package store

import (
	"errors"
	"io/fs"
	"path/filepath"

	"pathrule/internal/regular"
	"pathrule/knowledge"
)

func (s *store) adopt(list []Whole, by string) ([]error, error) {
	unlock, err := s.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	all := s.names()
	errs := make([]error, len(list))
	var done []change
	for i := range list {
		c, files, err := s.adoptOne(all, &list[i], by)
		done = append(done, files...)
		if errs[i] = err; err == nil && c.Before != c.After {
			done = append(done, c)
		}
	}
	return errs, s.recordAll(done)
}

// adoptOne writes one file under the lock; all learns of it. files are the changes
// of further files of a skill that stood before.
func (s *store) adoptOne(all *names, w *Whole, by string) (c change, files []change, err error) {
	id := s.bare(w.ID)
	ref := knowledge.FileRef{Kind: w.Kind, ID: id, File: knowledge.FileOf(w.Kind, id)}
	c = change{Action: "create", By: by, Kind: w.Kind, After: state{id, knowledge.Version(w.Raw)}}
	if w.Kind.Dir() == "" {
		return c, files, invalid("kind", "unknown kind \""+string(w.Kind)+"\"", "memory, rule or skill")
	}
	if err := s.sound(w.Raw, ref); err != nil {
		return c, files, err
	}
	if err := checkFiles(Draft{Kind: w.Kind, Files: w.Files}); err != nil {
		return c, files, err
	}
	if w.Expected != "" {
		f, old, err := s.current(w.Kind, id, w.Expected)
		if err != nil {
			return c, files, err
		}
		c.Action, c.Before = "edit", state{f.ID, knowledge.Version(old)}
		if files, err = s.replaceFiles(f.File, w, by); err != nil {
			return c, files, err
		}
		return c, files, s.shift(f, f, old, w.Raw, "edit", by)
	}
	if err := s.newID(id); err != nil {
		return c, files, err
	}
	if err := s.free(all, w.Kind, id, ""); err != nil {
		return c, files, err
	}
	if err := s.putFiles(ref.File, w); err != nil {
		return c, files, err
	}
	if err := s.put(ref.File, w.Raw); err != nil {
		return c, files, err
	}
	all.add(ref)
	return c, files, nil
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

// replaceFiles is putFiles for a skill that stands already: what its files held
// goes into the history.
func (s *store) replaceFiles(file string, w *Whole, by string) (done []change, err error) {
	dir := filepath.ToSlash(filepath.Dir(file))
	for _, name := range sortedKeys(w.Files) {
		c, err := s.replaceFile(dir+"/"+name, w.Files[name], by, w.Programs[name])
		if err != nil {
			return done, err
		}
		if c.Before != c.After {
			done = append(done, c)
		}
	}
	return done, nil
}

// replaceFile writes a file that is no entry, under the lock.
func (s *store) replaceFile(file string, data []byte, by string, program bool) (change, error) {
	c := change{Action: "create", By: by, Kind: FileKind, After: state{file, knowledge.Version(data)}, Program: program}
	old, err := regular.Read(s.path(file))
	if err == nil {
		c.Action, c.Before = "edit", state{file, knowledge.Version(old)}
		if string(old) != string(data) {
			err = s.keep(FileKind, file, old, "edit", by)
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return c, err
	}
	perm := s.perm
	if program {
		perm |= s.dirPerm & 0o111
	}
	return c, s.putAs(file, data, perm)
}

func (s *store) writeFile(file string, data []byte, by string) error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	c, err := s.replaceFile(file, data, by, false)
	if err != nil || c.Before == c.After {
		return err
	}
	return s.record(c)
}
