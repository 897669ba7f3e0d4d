package core

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pathrule/index/catalog"
	"pathrule/internal/regular"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// rootsOf are the stores an index of ws holds, closest first: its own, those
// of the workspaces around it, the user's own. At equal kind and id an earlier
// one hides a later one; personal ids never collide.
func rootsOf(ws *workspace.Workspace, dirs workspace.Dirs) []catalog.Root {
	base := ws.Base()
	var roots []catalog.Root
	for w := ws; w != nil; w = w.Outer {
		prefix := ""
		if rel, err := filepath.Rel(base, w.Root); err == nil && rel != "." {
			prefix = filepath.ToSlash(rel)
		}
		roots = append(roots, catalog.Root{Owner: w.ID, Prefix: prefix, Store: w.Store})
	}
	return append(roots, catalog.Root{Owner: catalog.Personal, Store: dirs.Personal()})
}

// within are the folders into which a store's links may lead.
func within(ws *workspace.Workspace, root int) []string {
	for ; ws != nil; ws = ws.Outer {
		if root == 0 {
			return []string{ws.Root}
		}
		root--
	}
	return nil
}

// change is one file that is not as the manifest says.
type change struct {
	now  *fileState // nil: removed
	data []byte     // its bytes, when they were read
}

// comparison is what a look at the disk found.
type comparison struct {
	// changes by file. When whole is set, files not seen are removed.
	changes map[fileID]*change
	// settled are files and folders that only need another line in the
	// manifest: touched, or checked again after their racy moment.
	settled  map[fileID]*fileState
	dirs     []dirState // the folders, when they were all read
	dirFix   []dirState // folders read again one by one
	problems []workspace.Problem
	whole    bool
	late     bool // the deadline passed before everything was looked at
}

func (c *comparison) moved() bool { return len(c.changes) > 0 }

// scanner compares the disk with a manifest.
type scanner struct {
	ws       *workspace.Workspace
	roots    []catalog.Root
	now      func() time.Time
	deadline time.Time // zero: none
	// lazy leaves the reading of files that are new to whoever parses them.
	lazy bool
	// walked, when it is not nil, takes what was found in each store.
	walked func(root int, refs []knowledge.FileRef, problems []workspace.Problem)
	c      comparison
}

func (s *scanner) late() bool {
	if !s.c.late && !s.deadline.IsZero() && time.Now().After(s.deadline) {
		s.c.late = true
	}
	return s.c.late
}

func (s *scanner) path(root int, file string) string {
	return filepath.Join(s.roots[root].Store, filepath.FromSlash(file))
}

// oldFiles are the lines of a manifest by file, parsed as far as a stat needs.
type oldFiles map[fileID]fileHead

// all walks every store and compares every file; old may be nil.
func (s *scanner) all(old oldFiles) comparison {
	s.reset()
	s.c.whole = true
	seen := make(map[fileID]bool, len(old))
	for i, r := range s.roots {
		listed := s.now().UnixMilli()
		refs, dirs, problems := knowledge.Walk(r.Store, within(s.ws, i)...)
		if s.walked != nil {
			s.walked(i, refs, problems)
		}
		for _, p := range problems {
			p.File = s.show(i, p.File)
			s.c.problems = append(s.c.problems, p)
		}
		root, err := openStatRoot(r.Store)
		if err != nil {
			continue // there is no such store
		}
		skills := map[string]bool{}
		for _, ref := range refs {
			if ref.Kind == knowledge.Skill {
				skills[path.Dir(ref.File)] = true
			}
		}
		for _, d := range dirs {
			if st, err := root.stat(d); err == nil {
				s.c.dirs = append(s.c.dirs, dirState{root: i, dir: d, mtime: st.mtime, read: listed, skill: skills[d]})
			}
		}
		suspects := differ(root, i, refs, old)
		root.close()
		for _, ref := range refs {
			seen[fileID{i, ref.File}] = true
		}
		for _, n := range suspects {
			if s.late() {
				// What was not looked at is not gone.
				s.c.whole = false
				return s.c
			}
			ref := refs[n]
			id := fileID{i, ref.File}
			var f *fileState
			if h, ok := old[id]; ok {
				// A line that cannot be read proves nothing about its file.
				f, _ = h.state(s.roots)
			}
			s.file(id, ref.Kind, ref.ID, f)
		}
	}
	for id := range old {
		if !seen[id] {
			s.c.changes[id] = &change{}
		}
	}
	return s.c
}

// differ stats files on every core and returns those, by number and in order,
// that are not as old says.
func differ(root statRoot, n int, refs []knowledge.FileRef, old oldFiles) []int {
	const chunk = 512
	parts := make([][]int, (len(refs)+chunk-1)/chunk)
	var next atomic.Int64
	work := func() {
		for {
			p := int(next.Add(1)) - 1
			if p >= len(parts) {
				return
			}
			for i := p * chunk; i < min((p+1)*chunk, len(refs)); i++ {
				h, ok := old[fileID{n, refs[i].File}]
				if ok {
					if st, err := root.stat(refs[i].File); err == nil && st.plain && h.same(st) {
						continue
					}
				}
				parts[p] = append(parts[p], i)
			}
		}
	}
	var wg sync.WaitGroup
	for range min(len(parts), runtime.GOMAXPROCS(0)) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	return slices.Concat(parts...)
}

func (s *scanner) reset() {
	s.c = comparison{changes: map[fileID]*change{}, settled: map[fileID]*fileState{}}
}

// file compares one file.
func (s *scanner) file(id fileID, kind knowledge.Kind, name string, old *fileState) {
	st, err := stat(s.path(id.root, id.file))
	if err != nil || !st.plain {
		if old != nil && (err == nil || errors.Is(err, fs.ErrNotExist)) {
			s.c.changes[id] = &change{}
		}
		return
	}
	if old != nil && old.same(st) {
		return
	}
	// A file that is too large is not read, so its stat has to do.
	if old != nil && st.size > knowledge.MaxFile && old.size == st.size && old.mtime == st.mtime && old.inode == st.inode {
		return
	}
	if old == nil && s.lazy {
		s.c.changes[id] = &change{now: s.state(id, kind, name, st)}
		return
	}
	checked := s.now().UnixMilli()
	var data []byte
	if st.size <= knowledge.MaxFile {
		if data, err = regular.Read(s.path(id.root, id.file)); err != nil {
			if errors.Is(err, fs.ErrNotExist) && old != nil {
				s.c.changes[id] = &change{}
			}
			return
		}
	}
	hash := knowledge.Version(data)
	if old != nil && old.hash == hash && st.size <= knowledge.MaxFile {
		f := *old
		f.size, f.mtime, f.inode, f.checked = st.size, st.mtime, st.inode, checked
		s.c.settled[id] = &f
		return
	}
	f := s.state(id, kind, name, st)
	f.hash, f.checked = hash, checked
	s.c.changes[id] = &change{now: f, data: data}
}

func (s *scanner) state(id fileID, kind knowledge.Kind, name string, st fileStat) *fileState {
	if s.roots[id.root].Owner == catalog.Personal {
		name = knowledge.PersonalPrefix + name
	}
	return &fileState{
		root: id.root, file: id.file, kind: kind, id: name,
		size: st.size, mtime: st.mtime, inode: st.inode,
	}
}

// show is a file as a person would open it: relative to the workspace's root
// where it lies below it.
func (s *scanner) show(root int, file string) string {
	if !filepath.IsAbs(filepath.FromSlash(file)) {
		file = s.path(root, file)
	}
	if rel, err := filepath.Rel(s.ws.Root, file); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(rel)
	}
	return file
}

// only compares the given files, absolute paths, and nothing else. ok is false
// when one of them is no entry of these stores, or the manifest cannot be read:
// then everything has to be looked at.
func (s *scanner) only(m *manifestReader, files []string) (c comparison, ok bool) {
	s.reset()
	for _, file := range files {
		known := false
		for i, r := range s.roots {
			rel, err := filepath.Rel(r.Store, file)
			if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
				continue
			}
			rel = filepath.ToSlash(rel)
			kind, name, ok := knowledge.Ident(rel)
			if !ok {
				continue
			}
			id := fileID{i, rel}
			old, err := m.state(id)
			if err != nil {
				return s.c, false
			}
			s.file(id, kind, name, old)
			known = true
			break
		}
		if !known {
			return s.c, false
		}
	}
	return s.c, true
}

// window compares all folders and the next files of a rotating window; what
// moved in a folder shows in its time. ok is false when only a whole walk can
// tell. Folders and files are statted side by side.
func (s *scanner) window(m *manifestReader, n int, cursor string) (c comparison, next string, ok bool) {
	s.reset()
	stats := make([]statRoot, len(s.roots))
	opened := make([]bool, len(s.roots))
	for i, r := range s.roots {
		var err error
		if stats[i], err = openStatRoot(r.Store); err == nil {
			opened[i] = true
			defer stats[i].close()
		}
	}
	look := func(root int, rel string) (fileStat, error) {
		if !opened[root] {
			return fileStat{}, fs.ErrNotExist
		}
		return stats[root].stat(rel)
	}
	// Only what differs is parsed; late is asked of a clock, not of s, which
	// belongs to one goroutine.
	late := func() bool { return !s.deadline.IsZero() && time.Now().After(s.deadline) }
	var moved []dirState
	var dirErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		n := 0
		dirErr = m.eachDir(func(d dirState) bool {
			if d.skill {
				return false // so are all that follow
			}
			n++
			st, err := look(d.root, d.dir)
			if err != nil || !st.dir || st.mtime != d.mtime || d.racy() {
				moved = append(moved, d)
			}
			return n%64 != 63 || !late()
		})
	}()
	var suspects []string // lines
	looked := 0
	var bad error
	one := func(line string) bool {
		if looked == n || (looked%64 == 63 && late()) {
			return false
		}
		looked++
		var h fileHead
		if h, bad = parseHead(line, len(s.roots)); bad != nil {
			return false
		}
		next = h.key + "\x02"
		if st, err := look(h.root, h.rel); err != nil || !st.plain || !h.same(st) {
			suspects = append(suspects, line)
		}
		return true
	}
	next = cursor
	err := m.scanFiles(cursor, one)
	if err == nil && bad == nil && looked < n && looked < m.nFiles {
		err = m.scanFiles("", one)
	}
	<-done
	if err != nil || bad != nil || dirErr != nil {
		return s.c, cursor, false
	}
	s.late()
	known := map[string]bool{}
	for _, d := range moved {
		known[dirKey(d.root, d.dir)] = true
	}
	for _, d := range moved {
		if !s.folder(m, d, known) {
			return s.c, cursor, false
		}
	}
	for _, line := range suspects {
		f, err := parseFile(line, m.roots)
		if err != nil {
			return s.c, cursor, false
		}
		id := fileID{f.root, f.file}
		if s.c.changes[id] == nil && s.c.settled[id] == nil {
			s.file(id, f.kind, strings.TrimPrefix(f.id, knowledge.PersonalPrefix), f)
		}
	}
	return s.c, next, true
}

// folder reads one folder again and compares it with its lines in the manifest.
func (s *scanner) folder(m *manifestReader, d dirState, known map[string]bool) bool {
	old := map[string]*fileState{}
	from := fileKey(d.root, path.Join(d.dir, "x"))
	from = from[:len(from)-1]
	err := m.eachFile(from, func(f *fileState) bool {
		if f.root != d.root || strings.TrimSuffix(dirOf(f.file), "/") != d.dir {
			return false
		}
		old[f.file] = f
		return true
	})
	if err != nil {
		return false
	}
	listed := s.now().UnixMilli()
	st, err := stat(s.path(d.root, d.dir))
	var entries []os.DirEntry
	if err == nil && st.dir {
		if entries, err = os.ReadDir(s.path(d.root, d.dir)); err != nil {
			return false
		}
	} else {
		// The folder is gone, and what it held shows in folders of its own.
		for file := range old {
			s.c.changes[fileID{d.root, file}] = &change{}
		}
		return d.dir != "" && s.goneBelow(m, d, nil)
	}
	s.c.dirFix = append(s.c.dirFix, dirState{root: d.root, dir: d.dir, mtime: st.mtime, read: listed, skill: d.skill})
	below := map[string]bool{}
	for _, e := range entries {
		rel := path.Join(d.dir, e.Name())
		switch {
		case e.IsDir():
			below[rel] = true
			if !s.knownDir(m, d.root, rel, known) {
				return false
			}
		case e.Type().IsRegular():
			kind, id, ok := knowledge.Ident(rel)
			if !ok {
				continue
			}
			s.file(fileID{d.root, rel}, kind, id, old[rel])
			delete(old, rel)
		default:
			if _, _, ok := knowledge.Ident(rel); ok || e.Type()&fs.ModeSymlink != 0 {
				return false
			}
		}
	}
	for file := range old {
		s.c.changes[fileID{d.root, file}] = &change{}
	}
	return s.goneBelow(m, d, below)
}

// goneBelow finds the skills' folders directly below d that are no longer
// there: they are not looked at one by one. Other folders are.
func (s *scanner) goneBelow(m *manifestReader, d dirState, there map[string]bool) bool {
	prefix := d.dir + "/"
	var bad error
	err := m.dirsFrom(skillMark+dirKey(d.root, prefix), func(c dirState) bool {
		if c.root != d.root || !strings.HasPrefix(c.dir, prefix) {
			return false
		}
		if !strings.Contains(c.dir[len(prefix):], "/") && !there[c.dir] {
			id := fileID{c.root, c.dir + "/SKILL.md"}
			var f *fileState
			// The line of a folder stays for a while after its skill is gone.
			if f, bad = m.state(id); f != nil {
				s.c.changes[id] = &change{}
			}
		}
		return bad == nil
	})
	return err == nil && bad == nil
}

// knownDir reports whether a subfolder is one the manifest knows, or one that
// no entry lives in. A new one needs the whole walk, which knows what to make
// of links, odd names and twins.
func (s *scanner) knownDir(m *manifestReader, root int, dir string, known map[string]bool) bool {
	key := dirKey(root, dir)
	if known[key] {
		return true
	}
	top, _, _ := strings.Cut(dir, "/")
	if !slices.ContainsFunc(knowledge.Kinds, func(k knowledge.Kind) bool { return k.Dir() == top }) {
		return true
	}
	for _, key := range [...]string{key, skillMark + key} {
		if line, err := m.dirLine(key); err != nil || line != "" {
			return err == nil
		}
	}
	return false
}

func dirOf(file string) string {
	dir, _ := path.Split(file)
	return dir
}
