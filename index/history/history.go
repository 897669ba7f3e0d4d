// Package history keeps what a project's git history tells of its files: which
// words of commit subjects go with which files, which files change together,
// and how lately each was changed. One file beside the index's generations,
// derived and deletable like them; reading one word of it costs a few small
// blocks, however long the history is.
//
// Everything is a function of the commits alone: older ones count less by their
// distance from the newest one, never by the clock.
package history

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"pathrule/index/terms"
	"pathrule/internal/linetree"
)

const (
	// FileName is the file's name in a workspace's cache folder.
	FileName = "history"

	// format is the version of the file.
	format  = 1
	maxHead = 1 << 10
	idWidth = 4 // base 36
)

// ErrMissing: there is no history that this program can read.
var ErrMissing = errors.New("no history is recorded")

// Commit is one commit as far as it is kept.
type Commit struct {
	Hash string
	At   int64 // unix seconds, the committer's
	// Words are the subject's analysed terms, each once.
	Words []string
	// Files are the paths it changed or made, in base coordinates under the names
	// they had then; empty when there were too many to mean anything.
	Files []string
	// Moved are pairs of an old path and its new one.
	Moved [][2]string
}

// Link is a file that something goes with.
type Link struct {
	Path string
	// Share is how much of it goes with the file, 0 to 1: of the commits whose
	// subject holds a word, those that changed the file, beyond what any commit
	// would; or of the changes to one file, those that changed the other too.
	Share float64
}

// Info is what a history says of one file.
type Info struct {
	// Heat is the share of all changes, recent ones counting more, in which the
	// file was changed.
	Heat float64
	// With are the files that change together with it, the closest first.
	With []Link
}

// Reader reads one file. It is safe for concurrent use.
type Reader struct {
	f    *os.File
	r    *linetree.Reader
	tip  string
	n    int
	tree [4]linetree.Tree
}

// The trees of the file.
const (
	treeCommits = iota // what was read from git, newest first
	treeIDs            // numbers of paths
	treePaths          // paths, their heat and companions
	treeWords          // words and the files they go with
)

var treeNames = [...]string{"commits", "ids", "paths", "words"}

// Open opens the history in a cache folder. The error is ErrMissing when there
// is none of this version. The caller closes it.
func Open(cache string) (*Reader, error) {
	f, err := os.Open(filepath.Join(cache, FileName))
	if err != nil {
		return nil, ErrMissing
	}
	r, err := read(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%w: %w", ErrMissing, err)
	}
	return r, nil
}

func read(f *os.File) (*Reader, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	r := &Reader{f: f, r: &linetree.Reader{R: f, Size: st.Size()}}
	// The head stands at the end, where the trees' places are known.
	n := min(st.Size(), maxHead)
	raw, err := r.r.Raw(st.Size()-n, int(n))
	if err != nil {
		return nil, err
	}
	at := strings.LastIndex(string(raw), "\nhistory ")
	if at < 0 {
		return nil, linetree.ErrCorrupt
	}
	text, err := linetree.CheckSum([]byte(strings.TrimSuffix(string(raw[at+1:]), "\n")))
	if err != nil {
		return nil, err
	}
	lines := strings.Split(text, "\n")
	var version, analyser int
	if _, err := fmt.Sscanf(lines[0], "history %d %d %d %s", &version, &analyser, &r.n, &r.tip); err != nil {
		return nil, linetree.ErrCorrupt
	}
	if version != format || analyser != terms.AnalyserVersion {
		return nil, errors.New("made by another version")
	}
	if len(lines) != 1+len(treeNames) {
		return nil, linetree.ErrCorrupt
	}
	for i, name := range treeNames {
		rest, ok := strings.CutPrefix(lines[1+i], name+" ")
		if !ok {
			return nil, linetree.ErrCorrupt
		}
		if r.tree[i], err = linetree.ParseTree(rest); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Close releases the file.
func (r *Reader) Close() error { return r.f.Close() }

// Tip is the hash of the commit that history was read up to.
func (r *Reader) Tip() string { return r.tip }

// Len is how many commits were read.
func (r *Reader) Len() int { return r.n }

// BytesRead is how much was read from the file.
func (r *Reader) BytesRead() int64 { return r.r.BytesRead() }

// Word is in how many subjects an analysed term stands, and which files it goes
// with, closest first. Nothing is no error.
func (r *Reader) Word(term string) (docs int, links []Link, err error) {
	var line string
	err = r.r.Find(r.tree[treeWords], linetree.Key(term), func(ln string) bool { line = ln; return false })
	if err != nil || line == "" {
		return 0, nil, err
	}
	_, rest := linetree.Cut(line)
	n, rest := linetree.Cut(rest)
	if docs, err = strconv.Atoi(n); err != nil {
		return 0, nil, linetree.ErrCorrupt
	}
	links, err = r.links(rest)
	return docs, links, err
}

// Path is what is known of a file; ok is false for one that no commit changed.
func (r *Reader) Path(path string) (info Info, ok bool, err error) {
	var line string
	err = r.r.Find(r.tree[treePaths], linetree.Key(path), func(ln string) bool { line = ln; return false })
	if err != nil || line == "" {
		return Info{}, false, err
	}
	_, rest := linetree.Cut(line)
	heat, rest := linetree.Cut(rest)
	n, err := strconv.Atoi(heat)
	if err != nil {
		return Info{}, false, linetree.ErrCorrupt
	}
	info.Heat = float64(n) / heatScale
	info.With, err = r.links(rest)
	return info, err == nil, err
}

// links reads "id:share id:share ...".
func (r *Reader) links(s string) ([]Link, error) {
	var out []Link
	for f := range strings.FieldsSeq(s) {
		id, share, ok := strings.Cut(f, ":")
		n, err := strconv.Atoi(share)
		if !ok || err != nil || len(id) != idWidth {
			return nil, linetree.ErrCorrupt
		}
		var line string
		if err := r.r.Find(r.tree[treeIDs], id, func(ln string) bool { line = ln; return false }); err != nil {
			return nil, err
		}
		if line == "" {
			return nil, linetree.ErrCorrupt
		}
		_, p := linetree.Cut(line)
		out = append(out, Link{linetree.Unescape(p), float64(n) / scale})
	}
	return out, nil
}

// Commits gives back what was read from git, newest first.
func (r *Reader) Commits() ([]Commit, error) {
	out := make([]Commit, 0, r.n)
	bad := false
	err := r.r.Bulk(r.tree[treeCommits], "", func(line string) bool {
		f := strings.Split(line, "\t")
		if bad = len(f) != 6; bad {
			return false
		}
		at, err := strconv.ParseInt(f[2], 10, 64)
		moved := linetree.SplitList(f[5])
		if bad = err != nil || len(moved)%2 != 0; bad {
			return false
		}
		c := Commit{Hash: f[1], At: at, Words: linetree.SplitList(f[3]), Files: linetree.SplitList(f[4])}
		for i := 0; i < len(moved); i += 2 {
			c.Moved = append(c.Moved, [2]string{moved[i], moved[i+1]})
		}
		out = append(out, c)
		return true
	})
	if err == nil && (bad || len(out) != r.n) {
		err = linetree.ErrCorrupt
	}
	return out, err
}
