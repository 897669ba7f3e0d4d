package core

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pathrule/index/catalog"
	"pathrule/internal/linetree"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// The manifest says how the files stood when a generation was made: what the
// next refresh compares the disk with. Folders and files are trees of lines,
// so that an event in a large store reads the folders and a window of files.

const (
	manifestName  = "manifest"
	manifestMagic = "pathrule-manifest 1"
	trailerBytes  = 64

	// plainMark stands in the line of a plain file.
	plainMark = '='

	// racy is how long before a check a file's last change must lie for its
	// size and time to prove anything: clocks of file systems are coarse.
	racy = 2 * time.Second
)

// fileState is one entry's file.
type fileState struct {
	root int
	file string // slash path below the store, as the disk spells it
	kind knowledge.Kind
	id   string // with PersonalPrefix in the personal store

	size    int64
	mtime   int64 // ns
	inode   uint64
	hash    string
	checked int64 // ms: when the hash was last taken from the disk

	indexed bool // this file is the entry that the index holds
	// plain: the file is an entry, its whole reading has nothing to report, and
	// nothing in it waits for a person (a block, a check, a rule to look at). A
	// listing need not read it.
	plain   bool
	lengths lengths
	problem *workspace.Problem
}

func (f *fileState) key() string { return string(f.kind) + ":" + f.id }

// same reports that the stat proves the content unchanged.
func (f *fileState) same(st fileStat) bool {
	return f.size == st.size && f.mtime == st.mtime && f.inode == st.inode && !f.racy()
}

func (f *fileState) racy() bool { return f.mtime/1e6 > f.checked-racy.Milliseconds() }

// dirState is one folder that was read.
type dirState struct {
	root  int
	dir   string // slash path below the store, "" for the store
	mtime int64  // ns
	read  int64  // ms: when it was listed
	// skill: a skill's own folder. What happens in it shows in its SKILL.md, so
	// that an event need not look at thousands of them.
	skill bool
}

func (d *dirState) racy() bool { return d.mtime/1e6 > d.read-racy.Milliseconds() }

// manifest in memory.
type manifest struct {
	roots    []catalog.Root
	files    map[fileID]*fileState
	dirs     []dirState
	problems []workspace.Problem // of the walk: refused, misplaced
	project  projectState
}

type fileID struct {
	root int
	file string
}

func newManifest(roots []catalog.Root) *manifest {
	return &manifest{roots: roots, files: map[fileID]*fileState{}}
}

// sorted are the files in the order of the tree.
func (m *manifest) sorted() []*fileState {
	type keyed struct {
		key string
		f   *fileState
	}
	all := make([]keyed, 0, len(m.files))
	for _, f := range m.files {
		all = append(all, keyed{fileKey(f.root, f.file), f})
	}
	slices.SortFunc(all, func(a, b keyed) int { return strings.Compare(a.key, b.key) })
	out := make([]*fileState, len(all))
	for i := range all {
		out[i] = all[i].f
	}
	return out
}

// staleDirs reports that the folders' lines could be better than they are: a
// folder changed without any entry changing, or its racy moment is over.
func (r *manifestReader) staleDirs(now []dirState) bool {
	if len(now) != r.nDirs {
		return true
	}
	at := make(map[string]dirState, len(now))
	for _, d := range now {
		at[d.key()] = d
	}
	stale := false
	err := r.eachDir(func(d dirState) bool {
		n, ok := at[d.key()]
		stale = !ok || n.mtime != d.mtime && !n.racy() || d.racy() && !n.racy()
		return !stale
	})
	return err == nil && stale
}

// fileKey sorts the files of one folder next to each other.
func fileKey(root int, file string) string {
	dir, base := path.Split(file)
	return linetree.Key(strconv.Itoa(root) + ":" + strings.TrimSuffix(dir, "/") + "\x01" + base)
}

func dirKey(root int, dir string) string {
	return linetree.Key(strconv.Itoa(root) + ":" + dir)
}

// skillMark begins the keys of skills' own folders. They stand behind all other
// folders, so that an event which looks at those need not read past them.
const skillMark = "s"

func (d *dirState) key() string {
	if d.skill {
		return skillMark + dirKey(d.root, d.dir)
	}
	return dirKey(d.root, d.dir)
}

func (m *manifest) write(w io.Writer) error {
	h := manifestHead{roots: m.roots, problems: m.problems, project: m.project, filed: map[string]workspace.Problem{}}
	return writeManifest(w, &h, m.dirs, func(add func(key string, line []byte) error) error {
		var line []byte
		for _, f := range m.sorted() {
			key := fileKey(f.root, f.file)
			if f.problem != nil {
				h.filed[key] = *f.problem
			}
			line = f.append(append(line[:0], key...))
			if err := add(key, line); err != nil {
				return err
			}
		}
		return nil
	})
}

// manifestHead is what stands beside the two trees.
type manifestHead struct {
	roots    []catalog.Root
	problems []workspace.Problem          // of the walk
	filed    map[string]workspace.Problem // of single files, by fileKey
	project  projectState
	over     *overHead // of an upper file
}

// all are the problems in the order in which people are told them.
func (h *manifestHead) all() []workspace.Problem {
	out := slices.Clone(h.problems)
	for _, k := range slices.Sorted(maps.Keys(h.filed)) {
		out = append(out, h.filed[k])
	}
	return out
}

func writeManifest(w io.Writer, h *manifestHead, dirs []dirState, files func(add func(key string, line []byte) error) error) error {
	buf := bufio.NewWriterSize(w, 64<<10)
	out := &linetree.CountWriter{W: buf}
	fmt.Fprintln(out, manifestMagic)
	keys := make([]string, len(dirs))
	at := make(map[string]dirState, len(dirs))
	for i, d := range dirs {
		keys[i] = d.key()
		at[keys[i]] = d
	}
	slices.Sort(keys)
	tw := linetree.NewWriter(out)
	var line []byte
	for _, key := range slices.Compact(keys) {
		line = append(append(line[:0], key...), '\t')
		line = strconv.AppendInt(line, at[key].mtime, 10)
		line = append(line, '\t')
		line = strconv.AppendInt(line, at[key].read, 10)
		if _, err := tw.Add(key, line); err != nil {
			return err
		}
	}
	dirTree, err := tw.Close()
	if err != nil {
		return err
	}
	tw = linetree.NewWriter(out)
	n := 0
	err = files(func(key string, line []byte) error {
		n++
		_, err := tw.Add(key, line)
		return err
	})
	if err != nil {
		return err
	}
	fileTree, err := tw.Close()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	nDirs := len(at)
	if h.over != nil {
		nDirs, n = h.over.nDirs, h.over.nFiles
	}
	fmt.Fprintf(&b, "dirs %s\nfiles %s\ncount %d %d\n", dirTree, fileTree, nDirs, n)
	if h.over != nil {
		fmt.Fprintf(&b, "base %s\n", h.over.base)
		for _, k := range h.over.gone {
			fmt.Fprintf(&b, "gone %s\n", k)
		}
	}
	for _, r := range h.roots {
		b.Write(append(linetree.AppendList([]byte("root "), []string{r.Owner, r.Prefix, r.Store}), '\n'))
	}
	for _, p := range h.problems {
		b.Write(append(appendProblem([]byte("problem "), &p), '\n'))
	}
	for _, k := range slices.Sorted(maps.Keys(h.filed)) {
		p := h.filed[k]
		b.Write(append(appendProblem(append([]byte("filed "+k), '\t'), &p), '\n'))
	}
	b.Write(append(h.project.append([]byte("project ")), '\n'))
	if b.Len() > linetree.MaxBlock {
		return fmt.Errorf("write manifest: %d problems are too many", len(h.filed)+len(h.problems))
	}
	block := linetree.Block{Off: out.Off, N: b.Len(), Sum: linetree.Sum32(b.Bytes())}
	if _, err := out.Write(b.Bytes()); err != nil {
		return err
	}
	t := fmt.Sprintf("manifest %d %d %08x", block.Off, block.N, block.Sum)
	if _, err := fmt.Fprintf(out, "%-*s\n", trailerBytes-1, t); err != nil {
		return err
	}
	return buf.Flush()
}

func (f *fileState) append(line []byte) []byte {
	for _, n := range [...]int64{f.size, f.mtime, int64(f.inode), f.checked} {
		line = append(line, '\t')
		line = strconv.AppendInt(line, n, 10)
	}
	line = append(line, '\t')
	line = append(line, f.hash...)
	line = append(line, '\t')
	if f.plain {
		line = append(line, plainMark)
	}
	line = append(line, '\t')
	if f.indexed {
		for i, n := range f.lengths {
			if i > 0 {
				line = append(line, ' ')
			}
			line = strconv.AppendInt(line, int64(n), 10)
		}
	}
	line = append(line, '\t')
	if f.problem != nil {
		line = appendProblem(line, f.problem)
	}
	return line
}

func appendProblem(line []byte, p *workspace.Problem) []byte {
	return linetree.AppendList(line, []string{p.File, strconv.Itoa(p.Line), p.Msg, p.Remedy})
}

func parseProblem(s string) (workspace.Problem, bool) {
	l := linetree.SplitList(s)
	if len(l) != 4 {
		return workspace.Problem{}, false
	}
	n, err := strconv.Atoi(l[1])
	return workspace.Problem{File: l[0], Line: n, Msg: l[2], Remedy: l[3]}, err == nil
}

// manifestReader reads a manifest piece by piece.
type manifestReader struct {
	manifestHead
	f      *os.File
	tree   linetree.Reader
	dirs   linetree.Tree
	files  linetree.Tree
	nDirs  int
	nFiles int
	end    string // of the file, which names it
	upper  *overlay
}

func openManifest(gen string) (*manifestReader, error) {
	f, err := os.Open(filepath.Join(gen, manifestName))
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil {
		var r *manifestReader
		if r, err = newManifestReader(f, st.Size()); err == nil {
			if err = r.openOverlay(filepath.Join(gen, deltaName)); err == nil {
				r.f = f
				return r, nil
			}
		}
	}
	f.Close()
	return nil, err
}

func newManifestReader(ra io.ReaderAt, size int64) (*manifestReader, error) {
	r := &manifestReader{
		manifestHead: manifestHead{filed: map[string]workspace.Problem{}},
		tree:         linetree.Reader{R: ra, Size: size},
	}
	t, err := r.tree.Raw(size-trailerBytes, trailerBytes)
	if err != nil {
		return nil, err
	}
	f := strings.Fields(string(t))
	if len(f) != 4 || f[0] != "manifest" {
		return nil, linetree.ErrCorrupt
	}
	b, err := linetree.ParseBlock(f[1], f[2], f[3])
	if err != nil {
		return nil, err
	}
	head, err := r.tree.Block(b)
	if err != nil {
		return nil, err
	}
	r.end = strings.Join(f, " ")
	over := overHead{}
	for line := range strings.Lines(head) {
		word, arg, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		ok := true
		switch word {
		case "dirs":
			r.dirs, err = linetree.ParseTree(arg)
		case "files":
			r.files, err = linetree.ParseTree(arg)
		case "count":
			a, b, _ := strings.Cut(arg, " ")
			if r.nDirs, err = strconv.Atoi(a); err == nil {
				r.nFiles, err = strconv.Atoi(b)
			}
		case "root":
			l := linetree.SplitList(arg)
			if ok = len(l) == 3; ok {
				r.roots = append(r.roots, catalog.Root{Owner: l[0], Prefix: l[1], Store: l[2]})
			}
		case "problem":
			var p workspace.Problem
			if p, ok = parseProblem(arg); ok {
				r.problems = append(r.problems, p)
			}
		case "filed":
			k, arg := linetree.Cut(arg)
			r.filed[k], ok = parseProblem(arg)
		case "project":
			ok = r.project.parse(arg)
		case "base":
			over.base = arg
		case "gone":
			over.gone = append(over.gone, arg)
		}
		if err != nil || !ok {
			return nil, linetree.ErrCorrupt
		}
	}
	if over.base != "" {
		over.nDirs, over.nFiles = r.nDirs, r.nFiles
		r.over = &over
	}
	return r, nil
}

func (r *manifestReader) close() {
	if r.f != nil {
		r.f.Close()
	}
}

// heads are all files, parsed as far as a stat needs.
func (r *manifestReader) heads() (oldFiles, error) {
	old := make(oldFiles, r.nFiles)
	var bad error
	err := r.scanFiles("", func(line string) bool {
		var h fileHead
		if h, bad = parseHead(line, len(r.roots)); bad != nil {
			return false
		}
		old[fileID{h.root, h.rel}] = h
		return true
	})
	if err == nil {
		err = bad
	}
	return old, err
}

// state is one file; nil when the manifest does not know it.
func (r *manifestReader) state(id fileID) (f *fileState, err error) {
	line, err := r.fileLine(fileKey(id.root, id.file))
	if err != nil || line == "" {
		return nil, err
	}
	return parseFile(line, r.roots)
}

// amendment is what the next manifest has otherwise than this one.
type amendment struct {
	put     map[fileID]*fileState
	gone    map[fileID]bool
	project projectState
	// dirs replaces all folders when it is not nil, else dirFix single ones;
	// problems of the walk come with dirs.
	dirs     []dirState
	dirFix   []dirState
	problems []workspace.Problem
}

// amend writes the next manifest: the old lines as they are, save what changed.
func (r *manifestReader) amend(w io.Writer, a *amendment) (*manifestHead, error) {
	h := r.manifestHead
	h.project, h.filed, h.over = a.project, maps.Clone(r.filed), nil
	dirs := a.dirs
	if dirs != nil {
		h.problems = a.problems
	} else {
		if err := r.eachDir(func(d dirState) bool { dirs = append(dirs, d); return true }); err != nil {
			return nil, err
		}
		dirs = append(dirs, a.dirFix...) // the later of two counts
	}
	type line struct {
		key string
		f   *fileState
	}
	puts := make([]line, 0, len(a.put))
	skip := make(map[string]bool, len(a.put)+len(a.gone))
	for id, f := range a.put {
		k := fileKey(id.root, id.file)
		skip[k] = true
		delete(h.filed, k)
		if f.problem != nil {
			h.filed[k] = *f.problem
		}
		puts = append(puts, line{k, f})
	}
	for id := range a.gone {
		k := fileKey(id.root, id.file)
		if !skip[k] {
			delete(h.filed, k)
		}
		skip[k] = true
	}
	slices.SortFunc(puts, func(a, b line) int { return strings.Compare(a.key, b.key) })
	err := writeManifest(w, &h, dirs, func(add func(string, []byte) error) error {
		var buf []byte
		next := func(below string, all bool) error {
			for len(puts) > 0 && (all || puts[0].key < below) {
				buf = puts[0].f.append(append(buf[:0], puts[0].key...))
				if err := add(puts[0].key, buf); err != nil {
					return err
				}
				puts = puts[1:]
			}
			return nil
		}
		var bad error
		err := r.scanFiles("", func(s string) bool {
			key, _ := linetree.Cut(s)
			if bad = next(key, false); bad != nil || skip[key] {
				return bad == nil
			}
			buf = append(buf[:0], s...)
			bad = add(key, buf)
			return bad == nil
		})
		if err == nil {
			err = bad
		}
		if err == nil {
			err = next("", true)
		}
		return err
	})
	return &h, err
}

func (r *manifestReader) eachDir(yield func(dirState) bool) error { return r.dirsFrom("", yield) }

// dirsFrom yields the folders from a key on.
func (r *manifestReader) dirsFrom(from string, yield func(dirState) bool) error {
	var bad error
	err := r.scanDirs(from, func(line string) bool {
		var d dirState
		if d, bad = parseDir(line, len(r.roots)); bad != nil {
			return false
		}
		return yield(d)
	})
	if err == nil {
		err = bad
	}
	return err
}

// eachFile yields the files from a key on.
func (r *manifestReader) eachFile(from string, yield func(*fileState) bool) error {
	var bad error
	err := r.scanFiles(from, func(line string) bool {
		var f *fileState
		if f, bad = parseFile(line, r.roots); bad != nil {
			return false
		}
		return yield(f)
	})
	if err == nil {
		err = bad
	}
	return err
}

func cutRoot(key string, roots int) (root int, rest string, ok bool) {
	n, rest, ok := strings.Cut(key, ":")
	if !ok {
		return 0, "", false
	}
	root, err := strconv.Atoi(n)
	return root, rest, err == nil && root >= 0 && root < roots
}

func parseDir(line string, roots int) (d dirState, err error) {
	key, line := linetree.Cut(line)
	key, d.skill = strings.CutPrefix(key, skillMark)
	var ok bool
	if d.root, d.dir, ok = cutRoot(linetree.Unescape(key), roots); !ok {
		return d, linetree.ErrCorrupt
	}
	m, read := linetree.Cut(line)
	var e1, e2 error
	d.mtime, e1 = strconv.ParseInt(m, 10, 64)
	d.read, e2 = strconv.ParseInt(read, 10, 64)
	if e1 != nil || e2 != nil {
		return d, linetree.ErrCorrupt
	}
	return d, nil
}

// fileHead is the part of a file's line that a stat is compared with.
type fileHead struct {
	key  string // as in the tree
	root int
	rel  string // slash path below the store
	rest string // of the line

	size, mtime int64
	inode       uint64
	checked     int64
}

func (h *fileHead) same(st fileStat) bool {
	f := fileState{size: h.size, mtime: h.mtime, inode: h.inode, checked: h.checked}
	return f.same(st)
}

func parseHead(line string, roots int) (h fileHead, err error) {
	h.key, line = linetree.Cut(line)
	root, rest, ok := cutRoot(linetree.Unescape(h.key), roots)
	dir, base, ok2 := strings.Cut(rest, "\x01")
	if !ok || !ok2 || base == "" {
		return h, linetree.ErrCorrupt
	}
	h.root, h.rel = root, base
	if dir != "" {
		h.rel = dir + "/" + base
	}
	var nums [4]int64
	for i := range nums {
		var s string
		s, line = linetree.Cut(line)
		if nums[i], err = strconv.ParseInt(s, 10, 64); err != nil {
			return h, linetree.ErrCorrupt
		}
	}
	h.size, h.mtime, h.inode, h.checked, h.rest = nums[0], nums[1], uint64(nums[2]), nums[3], line
	return h, nil
}

func parseFile(line string, roots []catalog.Root) (*fileState, error) {
	h, err := parseHead(line, len(roots))
	if err != nil {
		return nil, err
	}
	return h.state(roots)
}

// state parses the rest.
func (h *fileHead) state(roots []catalog.Root) (*fileState, error) {
	f := &fileState{root: h.root, file: h.rel, size: h.size, mtime: h.mtime, inode: h.inode, checked: h.checked}
	line := h.rest
	var err error
	var ok bool
	if f.kind, f.id, ok = knowledge.Ident(f.file); !ok {
		return nil, linetree.ErrCorrupt
	}
	if roots[f.root].Owner == catalog.Personal {
		f.id = knowledge.PersonalPrefix + f.id
	}
	var s string
	f.hash, line = linetree.Cut(line)
	s, line = linetree.Cut(line)
	f.plain = s == string(plainMark)
	s, line = linetree.Cut(line)
	if s != "" {
		f.indexed = true
		for i := range f.lengths {
			var n string
			n, s, _ = strings.Cut(s, " ")
			if f.lengths[i], err = strconv.Atoi(n); err != nil {
				return nil, linetree.ErrCorrupt
			}
		}
	}
	if line != "" {
		p, ok := parseProblem(line)
		if !ok {
			return nil, linetree.ErrCorrupt
		}
		f.problem = &p
	}
	return f, nil
}
