package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pathrule/internal/atomicfile"
	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
)

func (s *store) create(d Draft, o CreateOptions) (knowledge.Entry, []Near, error) {
	e, raw, err := s.entry(d)
	if err != nil {
		return knowledge.Entry{}, nil, err
	}
	// The long look happens before the lock; under it there is another only when
	// somebody wrote meanwhile.
	mark := s.mark()
	all := s.scan(nil)
	near := s.near(all, e.Title, e.Body, "")
	unlock, err := s.lock()
	if err != nil {
		return knowledge.Entry{}, near, err
	}
	defer unlock()
	if s.mark() != mark {
		all = s.scan(all)
	}
	if twin := all.duplicate(&e, ""); twin != nil && !o.AllowDuplicate {
		return knowledge.Entry{}, near, &knowledge.DuplicateError{Kind: twin.Kind, ID: s.prefix + twin.ID, What: "title"}
	}
	id, err := s.choose(all.names, e.Kind, s.bare(d.ID), e.Title)
	if err != nil {
		return knowledge.Entry{}, near, err
	}
	ref := knowledge.FileRef{Kind: e.Kind, ID: id, File: knowledge.FileOf(e.Kind, id)}
	for _, name := range sortedKeys(d.Files) {
		perm := s.perm
		if d.Programs[name] {
			perm |= s.dirPerm & 0o111
		}
		if err := s.putAs(filepath.ToSlash(filepath.Dir(ref.File))+"/"+name, d.Files[name], perm); err != nil {
			return knowledge.Entry{}, near, err
		}
	}
	if err := s.put(ref.File, raw); err != nil {
		return knowledge.Entry{}, near, err
	}
	out, err := s.parse(raw, ref)
	if err == nil {
		err = s.record(change{Action: "create", By: o.By, Kind: e.Kind, After: state{id, out.Version}})
	}
	return out, near, err
}

// choose takes the wanted id, or makes a free one from the title.
func (s *store) choose(all *names, kind knowledge.Kind, want, title string) (string, error) {
	if want != "" {
		if err := s.newID(want); err != nil {
			return "", err
		}
		if err := s.free(all, kind, want, ""); err != nil {
			return want, err
		}
		// An editor may have put it there while we looked.
		if s.exact(knowledge.FileOf(kind, want)) {
			return want, &knowledge.DuplicateError{Kind: kind, ID: s.prefix + want, What: "id"}
		}
		return want, nil
	}
	base := knowledge.Slug(title)
	if base == "" {
		base = string(kind)
	}
	id := base
	for n := 2; ; n++ {
		err := s.free(all, kind, id, "")
		if err == nil {
			// A folder or file in the way that is no entry counts as well.
			if _, e := os.Lstat(s.path(knowledge.FileOf(kind, id))); e != nil {
				return id, nil
			}
		}
		if n > 10000 {
			return "", err
		}
		id = fmt.Sprintf("%s-%d", base, n)
	}
}

func (s *store) newID(id string) error {
	if err := knowledge.CheckNewID(id); err != nil {
		return invalid("id", err.Error(), "such as \"stripe-retries\" or \"billing/stripe-retries\"")
	}
	if s.prefix == "" && strings.HasPrefix(id, knowledge.PersonalPrefix) {
		return invalid("id", "ids that begin with \"personal/\" belong to the user's own store", "take another id, or write to the personal store")
	}
	return nil
}

// tempFor is how long a temp file may belong to a write that still runs.
const tempFor = time.Hour

// sweep removes what killed writes left anywhere in the store's own folders.
func (s *store) sweep() (removed int) {
	old := s.time().Add(-tempFor)
	for _, k := range knowledge.Kinds {
		_ = filepath.WalkDir(filepath.Join(s.dir, k.Dir()), func(p string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				removed += atomicfile.Sweep(p, old)
			}
			return nil
		})
	}
	return removed
}

// put writes one file of the store.
func (s *store) put(file string, data []byte) error { return s.putAs(file, data, s.perm) }

func (s *store) putAs(file string, data []byte, perm os.FileMode) error {
	if err := s.safe(file); err != nil {
		return err
	}
	err := atomicfile.Write(s.path(file), data, perm, s.dirPerm)
	if err == nil {
		atomicfile.Sweep(filepath.Dir(s.path(file)), s.time().Add(-tempFor))
	}
	return writeError(s.dir, err)
}

// current reads the entry that is about to change and holds it against the
// version that the caller knows.
func (s *store) current(kind knowledge.Kind, id, expected string) (knowledge.FileRef, []byte, error) {
	f, err := s.find(kind, s.bare(id))
	if err != nil {
		if expected != "" && errors.Is(err, knowledge.ErrNotFound) && s.wasThere(kind, s.bare(id)) {
			err = &knowledge.ConflictError{Kind: kind, ID: id}
		}
		return f, nil, err
	}
	raw, err := readFile(s.path(f.File))
	if err != nil {
		return f, nil, err
	}
	if v := knowledge.Version(raw); expected != "" && expected != v {
		return f, nil, &knowledge.ConflictError{Kind: kind, ID: s.prefix + f.ID, Current: v}
	}
	return f, raw, nil
}

// wasThere reports that the trash holds the entry.
func (s *store) wasThere(kind knowledge.Kind, id string) bool {
	list, _ := s.trash()
	return slices.ContainsFunc(list, func(t Trashed) bool { return t.Kind == kind && t.ID == s.prefix+id })
}

func (s *store) update(kind knowledge.Kind, id string, p Patch, expected, by string) (knowledge.Entry, error) {
	var all *scanned
	mark := s.mark()
	if p.Title != nil || p.Paths != nil || p.MoveTo != nil {
		all = s.scan(nil)
	}
	unlock, err := s.lock()
	if err != nil {
		return knowledge.Entry{}, err
	}
	defer unlock()
	f, old, err := s.current(kind, id, expected)
	if err != nil {
		return knowledge.Entry{}, err
	}
	raw, err := s.patched(f, old, p)
	if err != nil {
		return knowledge.Entry{}, err
	}
	to := f
	if all != nil {
		if s.mark() != mark {
			all = s.scan(all)
		}
		e, err := s.parse(raw, f)
		if err != nil {
			return knowledge.Entry{}, err
		}
		if twin := all.duplicate(&e, f.File); twin != nil && !p.AllowDuplicate && (p.Title != nil || p.Paths != nil) {
			if before := all.at[f.File]; before == nil || before.key() != titleKey(&e) {
				return knowledge.Entry{}, &knowledge.DuplicateError{Kind: twin.Kind, ID: s.prefix + twin.ID, What: "title"}
			}
		}
		if p.MoveTo != nil && s.bare(*p.MoveTo) != f.ID {
			to.ID = s.bare(*p.MoveTo)
			to.File = knowledge.FileOf(kind, to.ID)
			if err := s.newID(to.ID); err != nil {
				return knowledge.Entry{}, err
			}
			if err := s.free(all.names, kind, to.ID, f.File); err != nil {
				return knowledge.Entry{}, err
			}
		}
	}
	return s.change(f, to, old, raw, "edit", by)
}

// change puts raw in the place of old, under another id when to differs from
// f, and writes it down.
func (s *store) change(f, to knowledge.FileRef, old, raw []byte, action, by string) (knowledge.Entry, error) {
	c := change{Action: action, By: by, Kind: f.Kind, Before: state{f.ID, knowledge.Version(old)}, After: state{to.ID, knowledge.Version(raw)}}
	if c.Before == c.After {
		return s.parse(raw, f)
	}
	if err := s.shift(f, to, old, raw, action, by); err != nil {
		return knowledge.Entry{}, err
	}
	if f.ID != to.ID && action == "edit" {
		c.Action = "move"
	}
	if err := s.record(c); err != nil {
		return knowledge.Entry{}, err
	}
	return s.parse(raw, to)
}

// shift does what change does without writing it down.
func (s *store) shift(f, to knowledge.FileRef, old, raw []byte, action, by string) error {
	if string(old) != string(raw) {
		if err := s.keep(f.Kind, f.ID, old, action, by); err != nil {
			return err
		}
	}
	return s.place(f, to, old, raw)
}

// place is shift for a text that the history has.
func (s *store) place(f, to knowledge.FileRef, old, raw []byte) error {
	if f.ID != to.ID {
		if err := s.move(f, to); err != nil {
			return err
		}
	}
	if string(old) != string(raw) {
		return s.put(to.File, raw)
	}
	return nil
}

// move renames an entry, a skill with its folder.
func (s *store) move(f, to knowledge.FileRef) error {
	from, dest := f.File, to.File
	if f.Kind == knowledge.Skill {
		from, dest = filepath.ToSlash(filepath.Dir(from)), filepath.ToSlash(filepath.Dir(dest))
	}
	if err := s.safe(from); err != nil {
		return err
	}
	if err := s.safe(dest); err != nil {
		return err
	}
	// Only the case may change: then the file system may say that it exists.
	if _, err := os.Lstat(s.path(dest)); err == nil && !strings.EqualFold(from, dest) {
		return &knowledge.RefusedError{Path: s.show(dest), Msg: "something stands there already", Remedy: "move it away or take another id"}
	}
	if err := os.MkdirAll(filepath.Dir(s.path(dest)), s.dirPerm); err != nil {
		return writeError(s.dir, err)
	}
	if err := os.Rename(s.path(from), s.path(dest)); err != nil {
		return writeError(s.dir, err)
	}
	removeEmpty(filepath.Dir(s.path(from)), filepath.Join(s.dir, f.Kind.Dir()))
	s.moveHistory(f.Kind, f.ID, to.ID)
	return nil
}

func (s *store) replace(kind knowledge.Kind, id string, raw []byte, expected, by string) (knowledge.Entry, error) {
	unlock, err := s.lock()
	if err != nil {
		return knowledge.Entry{}, err
	}
	defer unlock()
	f, old, err := s.current(kind, id, expected)
	if err != nil {
		return knowledge.Entry{}, err
	}
	if err := s.sound(raw, f); err != nil {
		return knowledge.Entry{}, err
	}
	return s.change(f, f, old, raw, "edit", by)
}

// sound says what keeps a file from being an entry.
func (s *store) sound(raw []byte, f knowledge.FileRef) error {
	e, problems, err := frontmatter.Parse(raw, f.Kind, f.ID, s.show(f.File))
	if err != nil {
		return err
	}
	for _, p := range problems {
		if !p.Warning {
			return &knowledge.ParseError{Path: s.show(f.File), Line: p.Line, Msg: p.Msg, Remedy: p.Remedy}
		}
	}
	if strings.TrimSpace(e.Body) == "" {
		return &knowledge.ParseError{Path: s.show(f.File), Msg: "entry has no text", Remedy: "write what the team should know, or delete the entry"}
	}
	return nil
}
