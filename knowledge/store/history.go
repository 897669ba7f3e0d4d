package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"pathrule/internal/atomicfile"
	"pathrule/internal/percent"
	"pathrule/knowledge"
)

const (
	keepVersions = 20
	keepFor      = 90 * 24 * time.Hour
	trashFor     = 30 * 24 * time.Hour

	// versionsDir begins with a dot, which no segment of an id does.
	versionsDir = ".versions"
	stamp       = "20060102T150405.000000000Z"
)

// An old version is one file, whose name says all there is to know of it:
//
//	<history>/memories/billing/retries/.versions/000007-20260301T101112.000000000Z-0123456789abcdef-edit-cli.md
type oldFile struct {
	seq  int
	name string
	knowledge.OldVersion
}

func (s *store) versions(kind knowledge.Kind, id string) string {
	dir := kind.Dir()
	if kind == FileKind {
		dir = "files"
	}
	return filepath.Join(s.hist, dir, filepath.FromSlash(id), versionsDir)
}

// old lists the kept versions of an entry, oldest first.
func (s *store) old(kind knowledge.Kind, id string) ([]oldFile, error) {
	dir := s.versions(kind, id)
	list, err := os.ReadDir(dir) // sorted by name, so by seq
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	var out []oldFile
	for _, d := range list {
		f, ok := parseOld(d.Name())
		if !ok {
			continue
		}
		f.File = filepath.Join(dir, f.name)
		out = append(out, f)
	}
	return out, nil
}

func parseOld(name string) (oldFile, bool) {
	part := strings.SplitN(strings.TrimSuffix(name, ".md"), "-", 5)
	if len(part) != 5 || !strings.HasSuffix(name, ".md") {
		return oldFile{}, false
	}
	seq, err := strconv.Atoi(part[0])
	at, err2 := time.Parse(stamp, part[1])
	if err != nil || err2 != nil {
		return oldFile{}, false
	}
	return oldFile{seq, name, knowledge.OldVersion{At: at, Version: part[2], Action: part[3], Source: percent.Decode(part[4])}}, true
}

// keep puts bytes that are about to be replaced into the history and lets go of
// what is too old or too many.
func (s *store) keep(kind knowledge.Kind, id string, raw []byte, action, by string) error {
	list, err := s.old(kind, id)
	if err != nil {
		return err
	}
	seq := 1
	if n := len(list); n > 0 {
		seq = list[n-1].seq + 1
	}
	now := s.time()
	name := fmt.Sprintf("%06d-%s-%s-%s-%s.md", seq, now.Format(stamp), knowledge.Version(raw), action, escape(by))
	if err := atomicfile.Write(filepath.Join(s.versions(kind, id), name), raw, 0o600, 0o700); err != nil {
		return writeError(s.hist, err)
	}
	for i, f := range list {
		if i < len(list)+1-keepVersions || now.Sub(f.At) > keepFor {
			_ = os.Remove(f.File)
		}
	}
	return nil
}

func (s *store) history(kind knowledge.Kind, id string) ([]knowledge.OldVersion, error) {
	if s.hist == "" {
		return nil, nil
	}
	id = s.bare(id)
	if err := knowledge.CheckID(id); err != nil {
		return nil, &knowledge.NotFoundError{Ref: id}
	}
	list, err := s.old(kind, id)
	if err != nil {
		return nil, err
	}
	now := s.time()
	var out []knowledge.OldVersion
	for i := len(list) - 1; i >= 0 && len(out) < keepVersions; i-- {
		if now.Sub(list[i].At) <= keepFor {
			out = append(out, list[i].OldVersion)
		}
	}
	if len(out) == 0 {
		if _, err := s.find(kind, id); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// bytesOf is the kept text of a version.
func (s *store) bytesOf(kind knowledge.Kind, id, version string) ([]byte, error) {
	list, err := s.old(kind, id)
	if err != nil {
		return nil, err
	}
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Version != version {
			continue
		}
		raw, err := os.ReadFile(list[i].File)
		if err != nil {
			return nil, err
		}
		if knowledge.Version(raw) != version {
			return nil, &knowledge.RefusedError{Path: list[i].File, Msg: "the kept text is damaged", Remedy: "take another version"}
		}
		return raw, nil
	}
	return nil, &knowledge.NotFoundError{Ref: string(kind) + ":" + id + "@" + version}
}

func (s *store) gc() (int, error) {
	if s.hist == "" {
		return 0, nil
	}
	unlock, err := s.lock()
	if err != nil {
		return 0, err
	}
	defer unlock()
	removed := s.purge() + s.sweep()
	now := s.time()
	err = filepath.WalkDir(s.hist, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(filepath.Dir(p)) != versionsDir {
			return nil
		}
		if f, ok := parseOld(d.Name()); ok && now.Sub(f.At) > keepFor && os.Remove(p) == nil {
			removed++
			removeEmpty(filepath.Dir(p), s.hist)
		}
		return nil
	})
	return removed, err
}

// moveHistory takes the versions of an entry along to its new id.
func (s *store) moveHistory(kind knowledge.Kind, from, to string) {
	list, err := s.old(kind, from)
	if err != nil || len(list) == 0 {
		return
	}
	have, err := s.old(kind, to)
	if err != nil {
		return
	}
	seq := 0
	if n := len(have); n > 0 {
		seq = have[n-1].seq
	}
	dir := s.versions(kind, to)
	if os.MkdirAll(dir, 0o700) != nil {
		return
	}
	for _, f := range list {
		seq++
		_, rest, _ := strings.Cut(f.name, "-")
		_ = os.Rename(f.File, filepath.Join(dir, fmt.Sprintf("%06d-%s", seq, rest)))
	}
	removeEmpty(s.versions(kind, from), s.hist)
}

// removeEmpty removes dir and its parents below stop as long as they are empty.
func removeEmpty(dir, stop string) {
	for len(dir) > len(stop) && os.Remove(dir) == nil {
		dir = filepath.Dir(dir)
	}
}

// escape makes a writer's name fit for a file name.
func escape(by string) string {
	if by == "" {
		by = "unknown"
	}
	first := true
	b := percent.Append(nil, by, func(c byte) bool {
		dot := c == '.' && !first
		first = false
		return dot || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
	})
	if len(b) > 60 { // never inside an escape
		b = b[:60]
		if i := bytes.LastIndexByte(b, '%'); i > 57 {
			b = b[:i]
		}
	}
	return string(b)
}
