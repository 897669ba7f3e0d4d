package core

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"pathrule/internal/linetree"
	"pathrule/internal/regular"
	"pathrule/workspace"
)

const (
	// maxFiles bounds the project map.
	maxFiles = 300_000
	// filesName holds the paths of the map, one a line, sorted.
	filesName = "files"
	// A map made by walking has no file whose time would tell that it is old: it
	// is walked again after this long, in a hook only when it is small.
	walkAge  = time.Minute
	walkHook = 5000
)

// projectState says what the project map was made of.
type projectState struct {
	source string // "git", "walk", "" when there is no map yet
	size   int64  // git: of the index file
	mtime  int64  // ns
	inode  uint64
	made   int64  // ms
	count  int    // files
	sum    uint64 // of the sorted list
}

func (p *projectState) append(b []byte) []byte {
	return fmt.Appendf(b, "%q %d %d %d %d %d %016x", p.source, p.size, p.mtime, p.inode, p.made, p.count, p.sum)
}

func (p *projectState) parse(s string) bool {
	n, err := fmt.Sscanf(s, "%q %d %d %d %d %d %x", &p.source, &p.size, &p.mtime, &p.inode, &p.made, &p.count, &p.sum)
	return err == nil && n == 7
}

// projectMap is the list of a project's files in base coordinates.
type projectMap struct {
	state projectState
	paths []string // sorted
}

// projectChanged asks cheaply whether the map has to be made anew.
func projectChanged(base string, old projectState, now time.Time, hook bool) bool {
	if repo, ok := findRepo(base); ok {
		if st, err := stat(repo.indexFile()); err == nil {
			// A split or odd index is walked, but still told by its time.
			return old.source == "" || old.size != st.size || old.mtime != st.mtime || old.inode != st.inode
		}
	}
	if old.source == "" || old.mtime != 0 {
		return true
	}
	return now.UnixMilli()-old.made > walkAge.Milliseconds() && (!hook || old.count <= walkHook)
}

// readProject makes the map. deadline zero: none; done is false when it passed.
func readProject(base string, now time.Time, deadline time.Time) (pm projectMap, done bool) {
	pm.state = projectState{source: "walk", made: now.UnixMilli()}
	late := func() bool { return !deadline.IsZero() && time.Now().After(deadline) }
	if repo, ok := findRepo(base); ok {
		file := repo.indexFile()
		if st, err := stat(file); err == nil && st.size <= maxGitIndex {
			pm.state.size, pm.state.mtime, pm.state.inode = st.size, st.mtime, st.inode
			if data, err := regular.Read(file); err == nil {
				prefix := ""
				if rel, err := filepath.Rel(repo.top, base); err == nil && rel != "." {
					prefix = filepath.ToSlash(rel) + "/"
				}
				n := 0
				err = parseGitIndex(data, repo.hashLen(), func(p string) bool {
					if n++; n%4096 == 0 && late() {
						return false
					}
					if rel, ok := strings.CutPrefix(p, prefix); ok && !inStore(rel) {
						pm.paths = append(pm.paths, rel)
					}
					return len(pm.paths) < maxFiles
				})
				if late() {
					return pm, false
				}
				if err == nil {
					pm.state.source = "git"
				} else {
					pm.paths = nil
				}
			}
		}
	}
	if pm.state.source == "walk" {
		var ok bool
		if pm.paths, ok = walkProject(base, maxFiles, late); !ok {
			return pm, false
		}
	}
	slices.Sort(pm.paths)
	pm.paths = slices.Compact(pm.paths)
	h := xxhash.New()
	for _, p := range pm.paths {
		h.WriteString(p)
		h.WriteString("\n")
	}
	pm.state.count, pm.state.sum = len(pm.paths), h.Sum64()
	return pm, true
}

// inStore reports a file of a store: it is knowledge and not the project, and
// nobody is to be sent there.
func inStore(rel string) bool {
	return strings.HasPrefix(rel, workspace.Marker+"/") || strings.Contains(rel, "/"+workspace.Marker+"/")
}

// writeFiles keeps the list for the next refresh to compare with.
func writeFiles(path string, paths []string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 64<<10)
	var line []byte
	for _, p := range paths {
		line = append(linetree.AppendField(line[:0], p), '\n')
		if _, err := w.Write(line); err != nil {
			f.Close()
			return err
		}
	}
	fmt.Fprintf(w, "\t%d\n", len(paths))
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// readFiles reads it back; a list without its last line is damaged.
func readFiles(path string) ([]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []string
	s := string(data)
	for s != "" {
		line, rest, ok := strings.Cut(s, "\n")
		if !ok {
			return nil, io.ErrUnexpectedEOF
		}
		if n, last := strings.CutPrefix(line, "\t"); last {
			if c, err := strconv.Atoi(n); err != nil || c != len(out) {
				return nil, io.ErrUnexpectedEOF
			}
			return out, nil
		}
		out = append(out, linetree.Unescape(line))
		s = rest
	}
	return nil, io.ErrUnexpectedEOF
}

// diffSorted calls the functions for what only the old list holds, only the new
// one, and both, in order.
func diffSorted(old, now []string, gone, added, kept func(string)) {
	i, j := 0, 0
	for i < len(old) || j < len(now) {
		switch {
		case j == len(now) || (i < len(old) && old[i] < now[j]):
			gone(old[i])
			i++
		case i == len(old) || now[j] < old[i]:
			added(now[j])
			j++
		default:
			kept(now[j])
			i++
			j++
		}
	}
}
