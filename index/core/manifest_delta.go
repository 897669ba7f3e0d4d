package core

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pathrule/internal/atomicfile"
	"pathrule/internal/linetree"
)

// A manifest is one file with all entries' files and, after small changes, a
// second one laid over it, as the catalogue is: what changed and what is gone.
// So one edit in a store of a hundred thousand writes a few kilobytes.

const (
	// deltaName is the upper file.
	deltaName = manifestName + ".delta"
	// maxManifestDelta is how many lines it may have: every look reads it whole.
	maxManifestDelta = 128
)

// overHead is what the head of an upper file says besides.
type overHead struct {
	base   string   // the end of the file below, which names it
	gone   []string // keys of files that are no longer there
	nDirs  int      // of both files together
	nFiles int
}

// overlay is an upper file in memory.
type overlay struct {
	files, dirs level
	gone        []string
}

// level are lines in the order of their keys, and the keys that hide what lies
// below.
type level struct {
	lines []string
	hides map[string]bool
}

func keyOf(line string) string { key, _ := linetree.Cut(line); return key }

// openOverlay lays the upper file over r, when there is one and it is r's.
func (r *manifestReader) openOverlay(name string) error {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	top, err := newManifestReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	if top.over == nil {
		return linetree.ErrCorrupt
	}
	if top.over.base != r.end {
		return nil // left from before the file below was written anew
	}
	o := &overlay{gone: top.over.gone}
	for _, l := range []struct {
		to   *level
		tree linetree.Tree
	}{{&o.files, top.files}, {&o.dirs, top.dirs}} {
		l.to.hides = map[string]bool{}
		if err := top.tree.Bulk(l.tree, "", func(line string) bool {
			l.to.lines = append(l.to.lines, line)
			l.to.hides[keyOf(line)] = true
			return true
		}); err != nil {
			return err
		}
	}
	for _, k := range o.gone {
		o.files.hides[k] = true
	}
	r.manifestHead, r.nDirs, r.nFiles, r.upper = top.manifestHead, top.over.nDirs, top.over.nFiles, o
	r.over = nil
	return nil
}

// scanFiles and scanDirs call yield for the lines of both files from a key on.
func (r *manifestReader) scanFiles(from string, yield func(line string) bool) error {
	if r.upper == nil {
		return r.tree.Bulk(r.files, from, yield)
	}
	return r.scan(r.files, &r.upper.files, from, yield)
}

func (r *manifestReader) scanDirs(from string, yield func(line string) bool) error {
	if r.upper == nil {
		return r.tree.Bulk(r.dirs, from, yield)
	}
	return r.scan(r.dirs, &r.upper.dirs, from, yield)
}

func (r *manifestReader) scan(t linetree.Tree, l *level, from string, yield func(string) bool) error {
	at, _ := slices.BinarySearchFunc(l.lines, from, func(line, from string) int { return strings.Compare(keyOf(line), from) })
	up, stopped := l.lines[at:], false
	before := func(key string, all bool) bool {
		for len(up) > 0 && (all || keyOf(up[0]) < key) {
			if stopped = !yield(up[0]); stopped {
				return false
			}
			up = up[1:]
		}
		return true
	}
	err := r.tree.Bulk(t, from, func(line string) bool {
		key := keyOf(line)
		if !before(key, false) {
			return false
		}
		if l.hides[key] {
			return true
		}
		stopped = !yield(line)
		return !stopped
	})
	if err == nil && !stopped {
		before("", true)
	}
	return err
}

// findLine gives one line, "" when there is none.
func (r *manifestReader) findLine(t linetree.Tree, l *level, key string) (line string, err error) {
	if l != nil && l.hides[key] {
		at, ok := slices.BinarySearchFunc(l.lines, key, func(line, key string) int { return strings.Compare(keyOf(line), key) })
		if ok {
			line = l.lines[at]
		}
		return line, nil
	}
	err = r.tree.Find(t, key, func(s string) bool { line = s; return false })
	return line, err
}

func (r *manifestReader) fileLine(key string) (string, error) {
	if r.upper == nil {
		return r.findLine(r.files, nil, key)
	}
	return r.findLine(r.files, &r.upper.files, key)
}

func (r *manifestReader) dirLine(key string) (string, error) {
	if r.upper == nil {
		return r.findLine(r.dirs, nil, key)
	}
	return r.findLine(r.dirs, &r.upper.dirs, key)
}

// delta makes the upper file of the next manifest; ok is false when too much
// changed, and the whole has to be written.
func (r *manifestReader) delta(a *amendment) (data []byte, h *manifestHead, ok bool, err error) {
	if a.dirs != nil {
		return nil, nil, false, nil
	}
	files, gone := map[string][]byte{}, map[string]bool{}
	var dirs []dirState
	if o := r.upper; o != nil {
		for _, line := range o.files.lines {
			files[keyOf(line)] = []byte(line)
		}
		for _, k := range o.gone {
			gone[k] = true
		}
		for _, line := range o.dirs.lines {
			d, err := parseDir(line, len(r.roots))
			if err != nil {
				return nil, nil, false, err
			}
			dirs = append(dirs, d)
		}
	}
	if len(files)+len(gone)+len(dirs)+len(a.put)+len(a.gone)+len(a.dirFix) > maxManifestDelta {
		return nil, nil, false, nil
	}
	head := r.manifestHead
	head.project, head.filed = a.project, maps.Clone(r.filed)
	head.over = &overHead{base: r.end, nDirs: r.nDirs, nFiles: r.nFiles}
	for id, f := range a.put {
		k := fileKey(id.root, id.file)
		old, err := r.fileLine(k)
		if err != nil {
			return nil, nil, false, err
		}
		if old == "" {
			head.over.nFiles++
		}
		delete(gone, k)
		delete(head.filed, k)
		if f.problem != nil {
			head.filed[k] = *f.problem
		}
		files[k] = f.append([]byte(k))
	}
	for id := range a.gone {
		if a.put[id] != nil {
			continue
		}
		k := fileKey(id.root, id.file)
		old, err := r.fileLine(k)
		if err != nil {
			return nil, nil, false, err
		}
		if old != "" {
			head.over.nFiles--
		}
		delete(files, k)
		delete(head.filed, k)
		gone[k] = true
	}
	for _, d := range a.dirFix {
		old, err := r.dirLine(d.key())
		if err != nil {
			return nil, nil, false, err
		}
		if old == "" && !slices.ContainsFunc(dirs, func(x dirState) bool { return x.key() == d.key() }) {
			head.over.nDirs++
		}
		dirs = append(dirs, d) // the later of two counts
	}
	head.over.gone = slices.Sorted(maps.Keys(gone))
	var b bytes.Buffer
	err = writeManifest(&b, &head, dirs, func(add func(string, []byte) error) error {
		for _, k := range slices.Sorted(maps.Keys(files)) {
			if err := add(k, files[k]); err != nil {
				return err
			}
		}
		return nil
	})
	return b.Bytes(), &head, err == nil, err
}

// writeNext writes the manifest of the next generation into dir; r is that of
// the one in oldDir.
func (r *manifestReader) writeNext(dir, oldDir string, a *amendment) (*manifestHead, error) {
	data, h, ok, err := r.delta(a)
	if err != nil {
		return nil, err
	}
	if !ok {
		err = atomicfile.New(filepath.Join(dir, manifestName), func(f io.Writer) error {
			var err error
			h, err = r.amend(f, a)
			return err
		})
		return h, err
	}
	if err := linkOrCopy(filepath.Join(oldDir, manifestName), filepath.Join(dir, manifestName)); err != nil {
		return nil, err
	}
	return h, atomicfile.New(filepath.Join(dir, deltaName), func(f io.Writer) error {
		_, err := f.Write(data)
		return err
	})
}

// rewrite replaces the manifest of a published generation: the next reader sees
// the old one or the new one. An upper file names the one that it lies over, so
// that one which outlives it for a moment counts for nothing.
func (r *manifestReader) rewrite(dir string, a *amendment) (*manifestHead, error) {
	data, h, ok, err := r.delta(a)
	if err != nil {
		return nil, err
	}
	if ok {
		return h, atomicfile.Write(filepath.Join(dir, deltaName), data, 0o600, 0)
	}
	var b bytes.Buffer
	if h, err = r.amend(&b, a); err != nil {
		return nil, err
	}
	if err := atomicfile.Write(filepath.Join(dir, manifestName), b.Bytes(), 0o600, 0); err != nil {
		return nil, err
	}
	if err := os.Remove(filepath.Join(dir, deltaName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return h, nil
}
