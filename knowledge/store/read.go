package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"

	"golang.org/x/text/unicode/norm"

	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
	"pathrule/workspace"
)

func nfc(s string) string { return norm.NFC.String(s) }

func (s *store) walk() ([]knowledge.FileRef, []workspace.Problem) {
	files, _, problems := knowledge.Walk(s.dir, s.within...)
	return files, problems
}

func wanted(k knowledge.Kind, kinds []knowledge.Kind) bool {
	if len(kinds) == 0 {
		return true
	}
	for _, w := range kinds {
		if w == k {
			return true
		}
	}
	return false
}

// readFile reads at most a little more than an entry may have, so that the
// parser can say that it is too large.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, errors.New("is no regular file")
	}
	buf := make([]byte, min(st.Size(), knowledge.MaxFile+1)+1)
	n := 0
	for n < len(buf) {
		m, err := f.Read(buf[n:])
		n += m
		if err != nil || m == 0 {
			break
		}
		if n == len(buf) && n <= knowledge.MaxFile {
			buf = append(buf, make([]byte, min(n, knowledge.MaxFile+1-n))...)
		}
	}
	return buf[:n], nil
}

// asProblem turns an error about one file into a line of a listing.
func asProblem(file string, err error) workspace.Problem {
	var pe *knowledge.ParseError
	if errors.As(err, &pe) {
		return workspace.Problem{File: pe.Path, Line: pe.Line, Msg: pe.Msg, Remedy: pe.Remedy}
	}
	remedy := "look at the file"
	if errors.Is(err, fs.ErrPermission) {
		remedy = "mend its rights"
	}
	return workspace.Problem{File: file, Msg: "cannot be read: " + rootCause(err).Error(), Remedy: remedy}
}

// find is the file of an entry: where a new one would lie, else wherever the
// disk spells it another way.
func (s *store) find(kind knowledge.Kind, id string) (knowledge.FileRef, error) {
	ref := knowledge.FileRef{Kind: kind, ID: id, File: knowledge.FileOf(kind, id)}
	if kind.Dir() == "" {
		return ref, &knowledge.InvalidError{Field: "kind", Msg: "unknown kind \"" + string(kind) + "\"", Remedy: "memory, rule or skill"}
	}
	if knowledge.CheckID(id) == nil && s.exact(ref.File) {
		if err := s.safe(ref.File); err != nil {
			return ref, err
		}
		return ref, nil
	}
	files, problems := s.walk()
	for _, f := range files {
		if f.Kind == kind && f.ID == id {
			return f, nil
		}
	}
	for _, p := range problems {
		if p.File == ref.File && !p.Warning {
			return ref, &knowledge.RefusedError{Path: s.show(p.File), Msg: p.Msg, Remedy: p.Remedy}
		}
	}
	return ref, &knowledge.NotFoundError{Ref: s.prefix + id, Nearest: s.nearest(files, kind, id)}
}

// exact reports that the file stands there under exactly this name: on a file
// system that folds case or Unicode forms one entry must not have two ids.
func (s *store) exact(file string) bool {
	st, err := os.Lstat(s.path(file))
	if err != nil || st.IsDir() {
		return false
	}
	return runtime.GOOS == "linux" || s.spelled(file)
}

// spelled looks every segment up in its folder's listing.
func (s *store) spelled(file string) bool {
	dir := s.dir
	for _, seg := range strings.Split(file, "/") {
		f, err := os.Open(dir)
		if err != nil {
			return false
		}
		names, err := f.Readdirnames(-1)
		f.Close()
		if err != nil || !slices.Contains(names, seg) {
			return false
		}
		dir = filepath.Join(dir, seg)
	}
	return true
}

// safe refuses a file whose real place leaves the store and the workspace. It
// may not exist yet.
func (s *store) safe(file string) error {
	if !filepath.IsLocal(filepath.FromSlash(file)) {
		return &knowledge.RefusedError{Path: file, Msg: "leaves the store", Remedy: "name a place inside the store"}
	}
	var allowed []string
	for _, dir := range append([]string{s.dir}, s.within...) {
		if r, err := filepath.EvalSymlinks(dir); err == nil {
			allowed = append(allowed, r)
		}
	}
	if len(allowed) == 0 {
		return nil // nothing stands there yet
	}
	for p := s.path(file); ; p = filepath.Dir(p) {
		real, err := filepath.EvalSymlinks(p)
		if err == nil {
			if !knowledge.Inside(real, allowed...) && !(len(p) < len(s.dir)) {
				return &knowledge.RefusedError{Path: s.show(file), Msg: "the link leaves the workspace: " + real, Remedy: "copy the file into the store, or link to a place inside the workspace"}
			}
			return nil
		}
		if st, e := os.Lstat(p); e == nil && st.Mode()&os.ModeSymlink != 0 {
			return &knowledge.RefusedError{Path: s.show(file), Msg: "the link leads nowhere", Remedy: "mend the link or take it out"}
		}
		if len(p) <= len(s.dir) {
			return nil
		}
	}
}

func (s *store) read(kind knowledge.Kind, id string) (knowledge.Entry, []byte, error) {
	f, err := s.find(kind, s.bare(id))
	if err != nil {
		return knowledge.Entry{}, nil, err
	}
	return s.readRef(f)
}

func (s *store) readRef(f knowledge.FileRef) (knowledge.Entry, []byte, error) {
	raw, err := readFile(s.path(f.File))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return knowledge.Entry{}, nil, &knowledge.NotFoundError{Ref: s.prefix + f.ID}
		}
		return knowledge.Entry{}, nil, err
	}
	e, err := s.parse(raw, f)
	return e, raw, err
}

// parse reads an entry as callers see it: the id with its prefix, the error
// with a path that can be opened.
func (s *store) parse(raw []byte, f knowledge.FileRef) (knowledge.Entry, error) {
	e, _, err := frontmatter.Parse(raw, f.Kind, f.ID, f.File)
	e.ID = s.prefix + e.ID
	var pe *knowledge.ParseError
	if errors.As(err, &pe) {
		pe.Path = s.show(f.File)
	}
	return e, err
}

func (s *store) check(raw []byte, kind knowledge.Kind, path string) []workspace.Problem {
	id := strings.TrimSuffix(filepath.Base(path), ".md")
	rel := filepath.ToSlash(path)
	for _, dir := range []string{filepath.ToSlash(s.dir), filepath.ToSlash(s.show("."))} {
		rel = strings.TrimPrefix(rel, dir+"/")
	}
	if k, i, ok := knowledge.Ident(rel); ok && k == kind {
		id = i
	}
	_, problems, err := frontmatter.Parse(raw, kind, id, path)
	if err != nil {
		problems = append(problems, asProblem(path, err))
	} else {
		problems = append(problems, secrets(raw, path)...)
	}
	sort.SliceStable(problems, func(i, j int) bool { return problems[i].Line < problems[j].Line })
	return problems
}
