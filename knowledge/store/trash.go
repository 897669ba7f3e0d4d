package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"pathrule/internal/percent"
	"pathrule/knowledge"
	"pathrule/workspace"
)

const (
	trashDir   = "trash"
	trashStamp = "20060102T150405Z"
)

// A deleted entry lies in a folder of its own that keeps its place:
//
//	trash/20260301T101112Z-001-cli/memories/billing/retries.md
//	trash/20260301T101112Z-002-cli/skills/deploy/SKILL.md (and the skill's files)
type batch struct {
	name string
	at   time.Time
	by   string
}

func (s *store) batches() ([]batch, error) {
	list, err := os.ReadDir(filepath.Join(s.dir, trashDir))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	var out []batch
	for _, d := range list {
		part := strings.SplitN(d.Name(), "-", 3)
		if len(part) != 3 || !d.IsDir() {
			continue
		}
		if at, err := time.Parse(trashStamp, part[0]); err == nil {
			out = append(out, batch{d.Name(), at, percent.Decode(part[2])})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].name > out[j].name })
	return out, nil
}

func (s *store) trash() ([]Trashed, error) {
	list, err := s.batches()
	if err != nil {
		return nil, err
	}
	var out []Trashed
	for _, b := range list {
		dir := filepath.Join(s.dir, trashDir, b.name)
		files, _, _ := knowledge.Walk(dir, append(s.within, s.dir)...)
		for _, f := range files {
			t := Trashed{Kind: f.Kind, ID: s.prefix + f.ID, At: b.at, By: b.by, Path: filepath.Join(dir, filepath.FromSlash(f.File))}
			if raw, err := readFile(t.Path); err == nil {
				e, _ := s.parse(raw, f)
				t.Title = e.Title
			}
			out = append(out, t)
		}
	}
	return out, nil
}

func (s *store) remove(kind knowledge.Kind, id, expected, by string) (string, error) {
	unlock, err := s.lock()
	if err != nil {
		return "", err
	}
	defer unlock()
	f, raw, err := s.current(kind, id, expected)
	if err != nil {
		return "", err
	}
	where, err := s.discard(f, raw, "rm", by)
	if err != nil {
		return "", err
	}
	s.purge()
	err = s.record(change{Action: "rm", By: by, Kind: kind, Before: state{f.ID, knowledge.Version(raw)}, Trash: where})
	return filepath.Join(s.dir, trashDir, where, filepath.FromSlash(f.File)), err
}

// discard moves an entry to a new folder of the trash and returns its name. The
// text goes into the history too, which lasts longer.
func (s *store) discard(f knowledge.FileRef, raw []byte, action, by string) (string, error) {
	if err := s.keep(f.Kind, f.ID, raw, action, by); err != nil {
		return "", err
	}
	name, err := s.newBatch(by)
	if err != nil {
		return "", err
	}
	return name, s.toss(f, name)
}

// toss moves an entry to a folder of the trash.
func (s *store) toss(f knowledge.FileRef, name string) error {
	from := f.File
	if f.Kind == knowledge.Skill {
		from = filepath.ToSlash(filepath.Dir(from))
	}
	root := filepath.Join(s.dir, trashDir)
	dest := filepath.Join(root, name, filepath.FromSlash(from))
	if err := os.MkdirAll(filepath.Dir(dest), s.dirPerm); err != nil {
		return writeError(s.dir, err)
	}
	if err := os.Rename(s.path(from), dest); err != nil {
		removeEmpty(filepath.Dir(dest), root)
		return writeError(s.dir, err)
	}
	removeEmpty(filepath.Dir(s.path(from)), filepath.Join(s.dir, f.Kind.Dir()))
	return nil
}

// newBatch makes sure that there is a trash, which git ignores, and names a
// folder in it.
func (s *store) newBatch(by string) (string, error) {
	if s.perm != 0o600 {
		// The store may never have been made by init, and git must not take
		// deleted entries in.
		if err := workspace.IgnoreTrash(s.dir, s.perm); err != nil {
			return "", writeError(s.dir, err)
		}
	}
	if err := os.MkdirAll(filepath.Join(s.dir, trashDir), s.dirPerm); err != nil {
		return "", writeError(s.dir, err)
	}
	at := s.time().Format(trashStamp)
	// Numbers go on from the highest of this second, so that names sort by time.
	n := 1
	list, err := s.batches()
	if err != nil {
		return "", err
	}
	for _, b := range list {
		var m int
		if strings.HasPrefix(b.name, at+"-") {
			if _, err := fmt.Sscanf(b.name[len(at)+1:], "%d-", &m); err == nil && m >= n {
				n = m + 1
			}
		}
	}
	return fmt.Sprintf("%s-%03d-%s", at, n, escape(by)), nil
}

// purge empties what lies in the trash for longer than 30 days and counts it.
func (s *store) purge() (removed int) {
	list, err := s.batches()
	if err != nil {
		return 0
	}
	for _, b := range list {
		if s.time().Sub(b.at) > trashFor && os.RemoveAll(filepath.Join(s.dir, trashDir, b.name)) == nil {
			removed++
		}
	}
	return removed
}

// trashed finds the newest deleted entry, or the one in the folder named.
func (s *store) trashed(kind knowledge.Kind, id, name string) (string, knowledge.FileRef, error) {
	list, err := s.batches()
	if err != nil {
		return "", knowledge.FileRef{}, err
	}
	var all []knowledge.FileRef
	for _, b := range list {
		if name != "" && b.name != name {
			continue
		}
		files, _, _ := knowledge.Walk(filepath.Join(s.dir, trashDir, b.name), append(s.within, s.dir)...)
		for _, f := range files {
			if f.Kind == kind && f.ID == id {
				return b.name, f, nil
			}
			all = append(all, f)
		}
	}
	return "", knowledge.FileRef{}, &knowledge.NotFoundError{Ref: s.prefix + id, Nearest: s.nearest(all, kind, id)}
}

func (s *store) restore(kind knowledge.Kind, id, by string) (knowledge.Entry, error) {
	unlock, err := s.lock()
	if err != nil {
		return knowledge.Entry{}, err
	}
	defer unlock()
	name, f, err := s.trashed(kind, s.bare(id), "")
	if err != nil {
		return knowledge.Entry{}, err
	}
	e, err := s.recover(s.names(), name, f)
	if err != nil {
		return e, err
	}
	return e, s.record(change{Action: "restore", By: by, Kind: kind, After: state{f.ID, e.Version}})
}

// recover moves an entry back from a folder of the trash; all is what the store
// holds now.
func (s *store) recover(all *names, name string, f knowledge.FileRef) (knowledge.Entry, error) {
	if err := s.free(all, f.Kind, f.ID, ""); err != nil {
		return knowledge.Entry{}, err
	}
	from := f.File
	if f.Kind == knowledge.Skill {
		from = filepath.ToSlash(filepath.Dir(from))
	}
	if err := s.safe(from); err != nil {
		return knowledge.Entry{}, err
	}
	if _, err := os.Lstat(s.path(from)); err == nil {
		// For a skill the folder may have stayed with files that came later.
		return knowledge.Entry{}, &knowledge.RefusedError{Path: s.show(from), Msg: "something stands there already", Remedy: "move it away first"}
	}
	if err := os.MkdirAll(filepath.Dir(s.path(from)), s.dirPerm); err != nil {
		return knowledge.Entry{}, writeError(s.dir, err)
	}
	src := filepath.Join(s.dir, trashDir, name, filepath.FromSlash(from))
	if err := os.Rename(src, s.path(from)); err != nil {
		return knowledge.Entry{}, writeError(s.dir, err)
	}
	removeEmpty(filepath.Dir(src), filepath.Join(s.dir, trashDir))
	e, raw, err := s.readRef(f)
	if e.Version == "" {
		e.Version = knowledge.Version(raw)
	}
	var pe *knowledge.ParseError
	if errors.As(err, &pe) { // it came back as it was
		err = nil
	}
	return e, err
}

func (s *store) restoreVersion(kind knowledge.Kind, id, version, by string) (knowledge.Entry, error) {
	id = s.bare(id)
	if err := knowledge.CheckID(id); err != nil {
		return knowledge.Entry{}, &knowledge.NotFoundError{Ref: s.prefix + id}
	}
	unlock, err := s.lock()
	if err != nil {
		return knowledge.Entry{}, err
	}
	defer unlock()
	full, err := s.fullVersion(kind, id, version)
	if err != nil {
		return knowledge.Entry{}, err
	}
	raw, err := s.bytesOf(kind, id, full)
	if err != nil {
		return knowledge.Entry{}, err
	}
	f, old, err := s.current(kind, id, "")
	switch {
	case err == nil:
		return s.change(f, f, old, raw, "restore", by)
	case !errors.Is(err, knowledge.ErrNotFound):
		return knowledge.Entry{}, err
	}
	// A deleted skill has more than its text.
	if name, t, e := s.trashed(kind, id, ""); e == nil && kind == knowledge.Skill {
		if _, err := s.recover(s.names(), name, t); err != nil {
			return knowledge.Entry{}, err
		}
	} else if err := s.free(s.names(), kind, id, ""); err != nil {
		return knowledge.Entry{}, err
	}
	if err := s.put(f.File, raw); err != nil {
		return knowledge.Entry{}, err
	}
	e, err := s.parse(raw, f)
	if err != nil {
		return e, err
	}
	return e, s.record(change{Action: "restore", By: by, Kind: kind, After: state{id, e.Version}})
}

// fullVersion completes a version that a person typed in part.
func (s *store) fullVersion(kind knowledge.Kind, id, version string) (string, error) {
	list, err := s.old(kind, id)
	if err != nil {
		return "", err
	}
	version = strings.ToLower(strings.TrimSpace(version))
	found := ""
	for _, o := range list {
		if o.Version == version || len(version) >= 4 && strings.HasPrefix(o.Version, version) {
			if found != "" && found != o.Version {
				return "", invalid("version", "\""+version+"\" begins more than one version", "write more of it")
			}
			found = o.Version
		}
	}
	if found == "" {
		return "", &knowledge.NotFoundError{Ref: string(kind) + ":" + s.prefix + id + "@" + version}
	}
	return found, nil
}
