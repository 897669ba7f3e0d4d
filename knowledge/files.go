package knowledge

import (
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"golang.org/x/text/unicode/norm"

	"pathrule/workspace"
)

const (
	ext       = ".md"
	skillFile = "SKILL.md"
)

// FileOf is the slash path, relative to its store, at which a new entry is
// written. An existing one may lie at a differently normalised name: its
// Entry.File tells.
func FileOf(kind Kind, id string) string {
	if kind == Skill {
		return path.Join(kind.Dir(), id, skillFile)
	}
	return path.Join(kind.Dir(), id+ext)
}

// Ident says which entry the file at the slash path rel (relative to a store)
// is. ok is false for anything that is none: other folders, other extensions,
// editors' temporary files, ids that are not allowed.
func Ident(rel string) (Kind, string, bool) {
	dir, rest, _ := strings.Cut(rel, "/")
	for _, k := range Kinds {
		if k.Dir() != dir {
			continue
		}
		var id string
		var ok bool
		if k == Skill {
			id, ok = strings.CutSuffix(rest, "/"+skillFile)
		} else {
			id, ok = strings.CutSuffix(rest, ext)
		}
		id = norm.NFC.String(id)
		if !ok || CheckID(id) != nil {
			return "", "", false
		}
		return k, id, true
	}
	return "", "", false
}

// FileRef is one entry's file in a store.
type FileRef struct {
	Kind Kind
	ID   string // without PersonalPrefix
	File string // slash path relative to the store, as the disk spells it
}

type walker struct {
	store  string
	within []string // real paths
	files  []FileRef
	dirs   []string
	probs  []workspace.Problem
	// linked are the real paths of the folder links on the way down.
	linked map[string]bool
}

// Walk finds every entry's file below the absolute folder store, sorted by
// kind, then id. Links are followed as long as they stay inside the store or
// one of the absolute folders within; what is refused or looks like a mistake
// is a Problem, and a missing store is empty. dirs are the folders that were
// read, as slash paths relative to the store ("" is the store), sorted.
func Walk(store string, within ...string) (files []FileRef, dirs []string, problems []workspace.Problem) {
	w := &walker{store: store, linked: map[string]bool{}}
	if _, err := os.Stat(store); err != nil {
		if !os.IsNotExist(err) {
			w.problem("", "folder cannot be read: "+cause(err), "mend its rights")
		}
		return nil, nil, w.probs
	}
	for _, dir := range append([]string{store}, within...) {
		if r, err := filepath.EvalSymlinks(dir); err == nil {
			w.within = append(w.within, r)
		}
	}
	w.dirs = append(w.dirs, "")
	for _, k := range Kinds {
		w.enter(k, k.Dir())
	}
	sort.Slice(w.files, func(i, j int) bool {
		a, b := &w.files[i], &w.files[j]
		if a.Kind != b.Kind {
			return kindOrder(a.Kind) < kindOrder(b.Kind)
		}
		if a.ID != b.ID {
			return a.ID < b.ID
		}
		return a.File < b.File
	})
	w.twins()
	sort.Strings(w.dirs)
	return w.files, w.dirs, w.probs
}

func kindOrder(k Kind) int {
	for i, o := range Kinds {
		if o == k {
			return i
		}
	}
	return len(Kinds)
}

func (w *walker) problem(rel, msg, remedy string) {
	w.probs = append(w.probs, workspace.Problem{File: rel, Msg: msg, Remedy: remedy})
}

func (w *walker) warn(rel, msg, remedy string) {
	w.probs = append(w.probs, workspace.Problem{File: rel, Msg: msg, Remedy: remedy, Warning: true})
}

// enter reads the folder rel, which may be a link.
func (w *walker) enter(kind Kind, rel string) {
	abs := filepath.Join(w.store, filepath.FromSlash(rel))
	st, err := os.Lstat(abs)
	if err != nil {
		if !os.IsNotExist(err) {
			w.problem(rel, "folder cannot be read: "+cause(err), "mend its rights")
		}
		return
	}
	isDir, link := st.IsDir(), st.Mode()&os.ModeSymlink != 0
	if link {
		var ok bool
		if isDir, ok = w.follow(rel, abs); !ok {
			return
		}
	}
	if !isDir {
		w.problem(rel, "is a file where a folder belongs", "move it away")
		return
	}
	w.down(kind, rel, abs, link)
}

// down goes into a folder, but never in circles: a link to a folder that
// encloses it, or that was followed on the way here.
func (w *walker) down(kind Kind, rel, abs string, link bool) {
	if link {
		real, err := filepath.EvalSymlinks(abs)
		parent, err2 := filepath.EvalSymlinks(filepath.Dir(abs))
		if err != nil || err2 != nil || w.linked[real] || Inside(parent, real) {
			w.problem(rel, "refused: the link goes in a circle", "take it out")
			return
		}
		w.linked[real] = true
		defer delete(w.linked, real)
	}
	w.dir(kind, rel, abs)
}

// follow resolves a link; ok is false when it may not be used.
func (w *walker) follow(rel, abs string) (dir, ok bool) {
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		w.problem(rel, "link leads nowhere", "mend the link or take it out")
		return false, false
	}
	if !Inside(real, w.within...) {
		w.problem(rel, "refused: the link leaves the workspace", "copy the file into the store, or link to a place inside the workspace")
		return false, false
	}
	st, err := os.Stat(real)
	if err != nil {
		w.problem(rel, "cannot be read: "+cause(err), "mend its rights")
		return false, false
	}
	if !st.IsDir() && !st.Mode().IsRegular() {
		w.problem(rel, "the link leads to what is no regular file", "take it out")
		return false, false
	}
	return st.IsDir(), true
}

func (w *walker) dir(kind Kind, rel, abs string) {
	list, err := os.ReadDir(abs)
	if err != nil {
		w.problem(rel, "folder cannot be read: "+cause(err), "mend its rights")
		return
	}
	w.dirs = append(w.dirs, rel)
	if kind == Skill && rel != kind.Dir() {
		for _, d := range list {
			if d.Name() == skillFile {
				// What else lies in a skill's folder belongs to the skill.
				w.file(rel+"/"+skillFile, abs, d)
				return
			}
		}
	}
	for _, d := range list {
		name := d.Name()
		if name[0] == '.' || Temporary(name) {
			continue
		}
		child := rel + "/" + name
		isDir, link := d.IsDir(), d.Type()&os.ModeSymlink != 0
		if link {
			var ok bool
			if isDir, ok = w.follow(child, filepath.Join(abs, name)); !ok {
				continue
			}
		}
		if isDir {
			w.down(kind, child, filepath.Join(abs, name), link)
			continue
		}
		w.file(child, abs, d)
	}
}

func (w *walker) file(rel, dir string, d os.DirEntry) {
	name := d.Name()
	if d.Type()&os.ModeSymlink != 0 {
		// Seen by follow already, but not for a SKILL.md.
		if isDir, ok := w.follow(rel, filepath.Join(dir, name)); !ok || isDir {
			return
		}
	} else if !d.Type().IsRegular() {
		if strings.HasSuffix(name, ext) {
			w.problem(rel, "is no regular file", "take it out")
		}
		return
	}
	kind, id, ok := Ident(rel)
	if ok {
		w.files = append(w.files, FileRef{kind, id, rel})
		return
	}
	base := strings.ToLower(name)
	first, _, _ := strings.Cut(rel, "/")
	switch {
	case first == Skill.Dir() && base == strings.ToLower(skillFile) && strings.Count(rel, "/") > 1 && name != skillFile:
		w.warn(rel, "is no entry: a skill's file is named SKILL.md", "rename it to SKILL.md")
	case first == Skill.Dir() && strings.Count(rel, "/") == 1 && strings.HasSuffix(base, ext):
		w.warn(rel, "is no entry: a skill is a folder", "move it to "+first+"/"+strings.TrimSuffix(name, path.Ext(name))+"/SKILL.md")
	case first == Skill.Dir() && name != skillFile:
		// Loose files between skills are nobody's business.
	case strings.HasSuffix(name, ext):
		id := norm.NFC.String(strings.TrimSuffix(strings.TrimPrefix(rel, first+"/"), ext))
		remedy := "rename it"
		if s := Slug(strings.TrimSuffix(name, ext)); s != "" {
			remedy = "rename it to " + s + ext
		}
		if err := CheckID(id); err != nil {
			w.warn(rel, "is no entry: "+err.Error(), remedy)
		}
	case base == "readme" || strings.HasSuffix(base, ".mdc") || strings.HasSuffix(base, ".markdown") || strings.HasSuffix(base, ext) || strings.HasSuffix(base, ".txt"):
		w.warn(rel, "is no entry: entries end in .md", "rename it to "+strings.TrimSuffix(name, path.Ext(name))+ext)
	}
}

// twins keeps the first of several files with one id and names those that some
// file systems cannot hold beside each other.
func (w *walker) twins() {
	keep := w.files[:0]
	folded := map[string]string{}
	for _, f := range w.files {
		if n := len(keep); n > 0 && keep[n-1].Kind == f.Kind && keep[n-1].ID == f.ID {
			w.problem(f.File, "has the same id as "+keep[n-1].File, "rename one of the two")
			continue
		}
		fold := string(f.Kind) + ":" + strings.ToLower(f.ID)
		if other, twice := folded[fold]; twice {
			w.warn(f.File, "differs from "+other+" only by upper and lower case, which macOS and Windows cannot hold", "rename one of the two")
		} else {
			folded[fold] = f.File
		}
		keep = append(keep, f)
	}
	w.files = keep
}

// Temporary reports names that editors give to files of the moment.
func Temporary(name string) bool {
	return strings.HasSuffix(name, "~") || strings.HasSuffix(name, ".swp") || strings.HasSuffix(name, ".tmp") || name == "4913"
}

// Inside reports whether the real path p is one of the real folders or lies
// below one.
func Inside(p string, folders ...string) bool {
	for _, f := range folders {
		if p == f {
			return true
		}
		if rel, err := filepath.Rel(f, p); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// cause is an error without the path that the message names already.
func cause(err error) string {
	for {
		u, ok := err.(interface{ Unwrap() error })
		if !ok || u.Unwrap() == nil {
			return err.Error()
		}
		err = u.Unwrap()
	}
}

// InWorkspace reports whether an entry of the personal store joins ws: it names
// no workspace, or its id, its root folder (absolute, or below home as "~/…",
// globs allowed), or the base name of that folder.
func (e *Entry) InWorkspace(ws *workspace.Workspace, home string) bool {
	if len(e.Workspaces) == 0 {
		return true
	}
	if ws == nil {
		return false
	}
	root := filepath.ToSlash(ws.Root)
	for _, w := range e.Workspaces {
		if w == ws.ID || w == path.Base(root) {
			return true
		}
		w = filepath.ToSlash(w)
		if rest, ok := strings.CutPrefix(w, "~/"); ok && home != "" {
			w = strings.TrimSuffix(filepath.ToSlash(home), "/") + "/" + rest
		}
		if w == root {
			return true
		}
		if !path.IsAbs(w) && !filepath.IsAbs(w) {
			continue
		}
		if sc, err := workspace.ParseScope([]string{strings.TrimPrefix(w, "/")}); err == nil && !sc.Whole() && sc.Covers(strings.TrimPrefix(root, "/")) {
			return true
		}
	}
	return false
}
