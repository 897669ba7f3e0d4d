package core

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pathrule/index/catalog"
)

const (
	// storeName is the bleve part of a generation, laid out as bleve lays it out.
	storeName = "store"
	segExt    = ".zap"
	tmpPrefix = "tmp-"

	// keepGens before the current one, and everything younger than keepAge, stay
	// for readers that opened them.
	keepGens = 2
	keepAge  = time.Minute
)

// generation is a folder being made. It is nobody's until publish.
type generation struct {
	cache string
	dir   string // tmp-...
	num   int
}

// newGeneration makes an empty folder. The writer lock is held.
func newGeneration(cache string) (*generation, error) {
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return nil, fmt.Errorf("make index folder: %w", err)
	}
	sweepTemp(cache)
	num := 0
	entries, err := os.ReadDir(cache)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		num = max(num, genNumber(e.Name()))
	}
	var r [4]byte
	if _, err := rand.Read(r[:]); err != nil {
		return nil, err
	}
	g := &generation{cache: cache, num: num + 1, dir: filepath.Join(cache, tmpPrefix+hex.EncodeToString(r[:]))}
	if err := os.Mkdir(g.dir, 0o700); err != nil {
		return nil, err
	}
	return g, os.Mkdir(g.store(), 0o700)
}

func (g *generation) store() string { return filepath.Join(g.dir, storeName) }

// discard removes an unfinished generation.
func (g *generation) discard() {
	if g.dir != "" {
		os.RemoveAll(g.dir)
		g.dir = ""
	}
}

// publish gives the folder its name and moves the pointer to it.
func (g *generation) publish(p catalog.Pointer) (catalog.Pointer, error) {
	p.Versions = catalog.Versions()
	var r [2]byte
	if _, err := rand.Read(r[:]); err != nil {
		return p, err
	}
	p.Gen = fmt.Sprintf("%s%08d-%x", catalog.GenPrefix, g.num, r)
	dir := filepath.Join(g.cache, p.Gen)
	if err := os.Rename(g.dir, dir); err != nil {
		return p, fmt.Errorf("publish index: %w", err)
	}
	g.dir = dir
	if err := p.Write(g.cache, fieldNames[:]); err != nil {
		return p, fmt.Errorf("publish index: %w", err)
	}
	g.dir = ""
	return p, nil
}

// genNumber is the number in a generation's name, 0 for other names.
func genNumber(name string) int {
	s, ok := strings.CutPrefix(name, catalog.GenPrefix)
	if !ok {
		return 0
	}
	s, _, _ = strings.Cut(s, "-")
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// sweepTemp removes what killed writers left. The lock is held, so every
// unfinished folder is one.
func sweepTemp(cache string) {
	entries, _ := os.ReadDir(cache)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tmpPrefix) {
			os.RemoveAll(filepath.Join(cache, e.Name()))
		}
	}
}

// sweep removes old generations. The lock is held. A folder that a reader holds
// open may refuse (Windows); the next writer tries again.
func sweep(cache, current string, now time.Time) {
	entries, _ := os.ReadDir(cache)
	var old []string
	for _, e := range entries {
		if n := e.Name(); n != current && genNumber(n) > 0 {
			old = append(old, n)
		}
	}
	slices.SortFunc(old, func(a, b string) int { return genNumber(b) - genNumber(a) })
	kept := 0
	for _, name := range old {
		// A number above the current one was never published: its writer died
		// between the two renames.
		if genNumber(name) < genNumber(current) && kept < keepGens {
			kept++
			continue
		}
		dir := filepath.Join(cache, name)
		if st, err := os.Stat(dir); err == nil && now.Sub(st.ModTime()) < keepAge {
			continue
		}
		os.RemoveAll(dir)
	}
}

// cloneStore links the segments of a published store, which never change, and
// copies the rest, which the writer will.
func cloneStore(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		src, dst := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		put := copyFile
		if filepath.Ext(e.Name()) == segExt {
			put = linkOrCopy
		}
		if err := put(src, dst); err != nil {
			return err
		}
	}
	return nil
}

// linkFile is os.Link; a test replaces it to see the copy work.
var linkFile = os.Link

// linkOrCopy gives a file that never changes a second name.
func linkOrCopy(src, dst string) error {
	if linkFile(src, dst) == nil {
		return nil
	}
	return copyFile(src, dst)
}

func copyFile(src, dst string) error {
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(dst, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if e := out.Close(); err == nil {
		err = e
	}
	return err
}

func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
