package index

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
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
	all := make([]*fileState, 0, len(m.files))
	for _, f := range m.files {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b *fileState) int { return strings.Compare(fileKey(a.root, a.file), fileKey(b.root, b.file)) })
	return all
}

// allProblems are those of the walk and those of single files.
func (m *manifest) allProblems() []workspace.Problem {
	out := slices.Clone(m.problems)
	for _, f := range m.sorted() {
		if f.problem != nil {
			out = append(out, *f.problem)
		}
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
		at[dirKey(d.root, d.dir)] = d
	}
	stale := false
	err := r.eachDir(func(d dirState) bool {
		n, ok := at[dirKey(d.root, d.dir)]
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

func (m *manifest) write(w io.Writer) error {
	buf := bufio.NewWriterSize(w, 64<<10)
	out := &linetree.CountWriter{W: buf}
	fmt.Fprintln(out, manifestMagic)
	slices.SortFunc(m.dirs, func(a, b dirState) int { return strings.Compare(dirKey(a.root, a.dir), dirKey(b.root, b.dir)) })
	tw := linetree.NewWriter(out)
	var line []byte
	for _, d := range m.dirs {
		key := dirKey(d.root, d.dir)
		line = append(append(line[:0], key...), '\t')
		line = strconv.AppendInt(line, d.mtime, 10)
		line = append(line, '\t')
		line = strconv.AppendInt(line, d.read, 10)
		if _, err := tw.Add(key, line); err != nil {
			return err
		}
	}
	dirs, err := tw.Close()
	if err != nil {
		return err
	}
	tw = linetree.NewWriter(out)
	for _, f := range m.sorted() {
		key := fileKey(f.root, f.file)
		line = f.append(append(line[:0], key...))
		if _, err := tw.Add(key, line); err != nil {
			return err
		}
	}
	files, err := tw.Close()
	if err != nil {
		return err
	}
	var h bytes.Buffer
	fmt.Fprintf(&h, "dirs %s\nfiles %s\ncount %d %d\n", dirs, files, len(m.dirs), len(m.files))
	for _, r := range m.roots {
		h.Write(append(linetree.AppendList([]byte("root "), []string{r.Owner, r.Prefix, r.Store}), '\n'))
	}
	for _, p := range m.problems {
		h.Write(append(appendProblem([]byte("problem "), &p), '\n'))
	}
	for _, p := range m.allProblems() {
		h.Write(append(appendProblem([]byte("listed "), &p), '\n'))
	}
	h.Write(append(m.project.append([]byte("project ")), '\n'))
	at := linetree.Block{Off: out.Off, N: h.Len(), Sum: linetree.Sum32(h.Bytes())}
	if _, err := out.Write(h.Bytes()); err != nil {
		return err
	}
	t := fmt.Sprintf("manifest %d %d %08x", at.Off, at.N, at.Sum)
	fmt.Fprintf(out, "%-*s\n", trailerBytes-1, t)
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
	f      *os.File
	tree   linetree.Reader
	dirs   linetree.Tree
	files  linetree.Tree
	nDirs  int
	nFiles int
	m      *manifest // roots, problems and project; no files and dirs
	listed []workspace.Problem
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
			r.f = f
			return r, nil
		}
	}
	f.Close()
	return nil, err
}

func newManifestReader(ra io.ReaderAt, size int64) (*manifestReader, error) {
	r := &manifestReader{tree: linetree.Reader{R: ra, Size: size}, m: newManifest(nil)}
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
				r.m.roots = append(r.m.roots, catalog.Root{Owner: l[0], Prefix: l[1], Store: l[2]})
			}
		case "problem":
			var p workspace.Problem
			if p, ok = parseProblem(arg); ok {
				r.m.problems = append(r.m.problems, p)
			}
		case "listed":
			var p workspace.Problem
			if p, ok = parseProblem(arg); ok {
				r.listed = append(r.listed, p)
			}
		case "project":
			ok = r.m.project.parse(arg)
		}
		if err != nil || !ok {
			return nil, linetree.ErrCorrupt
		}
	}
	return r, nil
}

func (r *manifestReader) close() {
	if r.f != nil {
		r.f.Close()
	}
}

// load reads everything.
func (r *manifestReader) load() (*manifest, error) {
	m := r.m
	m.files = make(map[fileID]*fileState, r.nFiles)
	if err := r.eachDir(func(d dirState) bool { m.dirs = append(m.dirs, d); return true }); err != nil {
		return nil, err
	}
	err := r.eachFile("", func(f *fileState) bool { m.files[fileID{f.root, f.file}] = f; return true })
	return m, err
}

func (r *manifestReader) eachDir(yield func(dirState) bool) error {
	var bad error
	err := r.tree.Scan(r.dirs, "", func(line string) bool {
		var d dirState
		if d, bad = parseDir(line, len(r.m.roots)); bad != nil {
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
	err := r.tree.Scan(r.files, from, func(line string) bool {
		var f *fileState
		if f, bad = parseFile(line, r.m.roots); bad != nil {
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

func parseFile(line string, roots []catalog.Root) (*fileState, error) {
	f := &fileState{}
	key, line := linetree.Cut(line)
	root, rest, ok := cutRoot(linetree.Unescape(key), len(roots))
	dir, base, ok2 := strings.Cut(rest, "\x01")
	if !ok || !ok2 {
		return nil, linetree.ErrCorrupt
	}
	f.root, f.file = root, path.Join(dir, base)
	if f.kind, f.id, ok = knowledge.Ident(f.file); !ok {
		return nil, linetree.ErrCorrupt
	}
	if roots[root].Owner == catalog.Personal {
		f.id = knowledge.PersonalPrefix + f.id
	}
	var nums [4]int64
	var s string
	var err error
	for i := range nums {
		s, line = linetree.Cut(line)
		if nums[i], err = strconv.ParseInt(s, 10, 64); err != nil {
			return nil, linetree.ErrCorrupt
		}
	}
	f.size, f.mtime, f.inode, f.checked = nums[0], nums[1], uint64(nums[2]), nums[3]
	f.hash, line = linetree.Cut(line)
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
