package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"pathrule/index/terms"
	"pathrule/internal/atomicfile"
	"pathrule/internal/linetree"
)

// Layout is the version of everything below a cache folder: the pointer, the
// manifest, the fields of the bleve index. Another one is rebuilt, never read.
//
//	1: first
//	2: segments are listed for readers; skills' folders are marked
//	3: files with nothing to report are marked; skills' folders stand behind the others
//	4: the list of segments says where names begin to ascend
//	5: a file with an unresolved merge conflict is no entry
const Layout = 5

// Names below the cache folder of a workspace.
const (
	PointerName = "current" // the pointer file
	LockName    = "lock"    // the writer lock
	GenPrefix   = "gen-"    // generation folders
	FileName    = "catalog" // the catalogue in a generation
)

// Pointer names the current generation and what a reader must find in it. One
// rename of its file publishes a generation.
type Pointer struct {
	// Versions are Layout, Format of the catalogue and the version of the
	// analyser, joined by "."; see Versions.
	Versions string
	Gen      string // folder name
	Docs     int    // documents in the bleve index
	Entries  int    // entries among them
	Files    int    // project-map files among them
	Partial  bool   // the build ran out of time; the next refresh goes on
	// Lengths are the total analysed words of all entries per text field, from
	// which BM25 takes the average length.
	Lengths map[string]int64
}

// ErrVersion: the published generation was made by another version.
var ErrVersion = errors.New("index was made by another version")

// ReadPointer reads the pointer below a cache folder. The error is ErrMissing
// when there is none or it cannot be understood, ErrVersion when it speaks of
// another version; the Pointer then holds what could be read.
func ReadPointer(cache, versions string) (Pointer, error) {
	data, err := os.ReadFile(filepath.Join(cache, PointerName))
	if errors.Is(err, fs.ErrNotExist) {
		return Pointer{}, ErrMissing
	}
	if err != nil {
		return Pointer{}, err
	}
	return parsePointer(string(data), versions)
}

func parsePointer(s, versions string) (Pointer, error) {
	var p Pointer
	if !strings.HasSuffix(s, "end\n") {
		return p, ErrMissing
	}
	for line := range strings.Lines(s) {
		line = strings.TrimSuffix(line, "\n")
		word, arg, _ := strings.Cut(line, " ")
		var err error
		switch word {
		case "pathrule-index":
			p.Versions = arg
		case "gen":
			p.Gen = arg
		case "docs":
			p.Docs, err = strconv.Atoi(arg)
		case "entries":
			p.Entries, err = strconv.Atoi(arg)
		case "files":
			p.Files, err = strconv.Atoi(arg)
		case "partial":
			p.Partial = true
		case "length":
			f, n, _ := strings.Cut(arg, " ")
			var v int64
			v, err = strconv.ParseInt(n, 10, 64)
			if p.Lengths == nil {
				p.Lengths = map[string]int64{}
			}
			p.Lengths[f] = v
		}
		if err != nil {
			return p, ErrMissing
		}
	}
	if p.Versions == "" || !strings.HasPrefix(p.Gen, GenPrefix) || strings.ContainsAny(p.Gen, `/\`) {
		return p, ErrMissing
	}
	if p.Versions != versions {
		return p, ErrVersion
	}
	return p, nil
}

// Write publishes p: the pointer is replaced by one rename.
func (p Pointer) Write(cache string, fields []string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "pathrule-index %s\ngen %s\ndocs %d\nentries %d\nfiles %d\n",
		p.Versions, p.Gen, p.Docs, p.Entries, p.Files)
	if p.Partial {
		b.WriteString("partial\n")
	}
	for _, f := range fields {
		fmt.Fprintf(&b, "length %s %d\n", f, p.Lengths[f])
	}
	b.WriteString("end\n")
	return atomicfile.Write(filepath.Join(cache, PointerName), []byte(b.String()), 0o600, 0o700)
}

// Versions joins the versions that must all agree.
func Versions() string { return fmt.Sprintf("%d.%d.%d", Layout, Format, terms.AnalyserVersion) }

// OpenCurrent opens the catalogue of the current generation below a cache
// folder. The pointer is read twice on purpose: between reading it and opening
// the file a writer may have replaced and swept both.
func OpenCurrent(cache string) (*Reader, error) {
	var last error
	gen := ""
	for range 3 {
		p, err := ReadPointer(cache, Versions())
		if err != nil {
			if errors.Is(err, ErrVersion) {
				return nil, fmt.Errorf("%w: %w", ErrMissing, err)
			}
			return nil, err
		}
		if p.Gen == gen {
			break
		}
		gen = p.Gen
		r, err := OpenDir(filepath.Join(cache, p.Gen))
		if err == nil {
			if r.Len() != p.Entries {
				r.Close()
				return nil, fmt.Errorf("%w: the catalogue holds %d entries, not %d", ErrMissing, r.Len(), p.Entries)
			}
			return r, nil
		}
		last = err
	}
	if errors.Is(last, linetree.ErrCorrupt) || errors.Is(last, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %w", ErrMissing, last)
	}
	return nil, last
}
