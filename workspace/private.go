package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pathrule/internal/atomicfile"
	"pathrule/internal/filelock"
)

// privateRoot is one line of <home>/roots.json: a project whose store lies
// below the home, so that nothing is written into the project.
type privateRoot struct {
	// Root is the real path of the project root.
	Root string `json:"root"`
	// Git is the real path of the git common dir, "" outside git; every worktree
	// of the repository finds the store by it.
	Git string `json:"git,omitempty"`
	// Sub is where Root lies below its checkout (slash path, "" for the top).
	Sub string `json:"sub,omitempty"`
	// Store is a slash path below the home.
	Store string `json:"store"`
}

// rootsFile is the whole file.
type rootsFile struct {
	// Version 1: as above.
	Version int           `json:"version"`
	Roots   []privateRoot `json:"roots"`
}

const maxRootsFile = 4 << 20 // bytes

func rootsPath(dirs Dirs) string { return join(dirs.Home, "roots.json") }

// readRoots never fails: a broken table is the doctor's business (LoadRoots),
// and means no private workspace for a hook.
func readRoots(dirs Dirs) []privateRoot {
	f, _ := loadRoots(dirs)
	return f.Roots
}

func loadRoots(dirs Dirs) (rootsFile, error) {
	path := rootsPath(dirs)
	st, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return rootsFile{Version: 1}, nil
	}
	if err != nil {
		return rootsFile{}, err
	}
	if st.Size() > maxRootsFile {
		return rootsFile{}, fmt.Errorf("%s is larger than 4 MiB; move it away and run \"pathrule init --private\" again", path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return rootsFile{}, err
	}
	var f rootsFile
	if err := json.Unmarshal(b, &f); err != nil {
		return rootsFile{}, fmt.Errorf("%s is not valid JSON (%v); mend it or move it away and run \"pathrule init --private\" again", path, err)
	}
	if f.Version > 1 {
		return rootsFile{}, fmt.Errorf("%s was written by a newer pathrule (version %d); update this program", path, f.Version)
	}
	return f, nil
}

// CheckRoots says what is wrong with <home>/roots.json, for doctor; nil when it
// is fine or not there.
func CheckRoots(dirs Dirs) error {
	if dirs.Home == "" {
		return nil
	}
	f, err := loadRoots(dirs)
	if err != nil {
		return err
	}
	for _, r := range f.Roots {
		if _, err := privateStore(dirs, r.Store); err != nil {
			return fmt.Errorf("%s: entry for %s: %w", rootsPath(dirs), r.Root, err)
		}
	}
	return nil
}

// privateStore checks an entry's folder: below the home, links resolved.
func privateStore(dirs Dirs, store string) (string, error) {
	if store == "" || !filepath.IsLocal(filepath.FromSlash(store)) {
		return "", fmt.Errorf("store %q is no folder below the pathrule home", store)
	}
	p := filepath.Join(dirs.Home, filepath.FromSlash(store))
	real, ok := realPath(p)
	if !ok || !inside(dirs.Home, real) {
		return "", fmt.Errorf("store %s leaves the pathrule home", p)
	}
	return p, nil
}

// private finds the private store whose root is the level: by its path, or for
// any checkout of the same repository by the git common dir.
func (f *finder) private(l level) string {
	if len(f.roots) == 0 {
		return ""
	}
	var sub string
	inTree := false
	if l.tree != nil {
		sub, inTree = within(l.tree.root, l.dir)
	}
	for _, r := range f.roots {
		if r.Root != l.dir && !(inTree && r.Git != "" && r.Git == l.tree.common && r.Sub == sub) {
			continue
		}
		if s, err := privateStore(f.dirs, r.Store); err == nil {
			if st, err := os.Stat(s); err == nil && st.IsDir() {
				return s
			}
		}
	}
	return ""
}

// Private returns the store folder registered for a project root in
// <home>/roots.json; ok is false when there is none.
func Private(root string, dirs Dirs) (store string, ok bool) {
	real, ok := realPath(root)
	if !ok {
		return "", false
	}
	for _, r := range readRoots(dirs) {
		if r.Root == real {
			s, err := privateStore(dirs, r.Store)
			return s, err == nil
		}
	}
	return "", false
}

// RegisterPrivate records that root keeps its knowledge below the home and
// returns the store's folder, which it does not make. Registering again gives
// the same folder.
func RegisterPrivate(root string, dirs Dirs) (store string, err error) {
	real, ok := realPath(root)
	if !ok {
		return "", fmt.Errorf("register private workspace: %s cannot be resolved", root)
	}
	err = changeRoots(dirs, func(f *rootsFile) bool {
		for _, r := range f.Roots {
			if r.Root == real {
				store, err = privateStore(dirs, r.Store)
				return false
			}
		}
		entry := privateRoot{Root: real, Store: "private/" + idOf(real)}
		if common, top := CommonDir(real); common != "" {
			entry.Git = common
			entry.Sub, _ = within(top, real)
		}
		store = filepath.Join(dirs.Home, filepath.FromSlash(entry.Store))
		f.Roots = append(f.Roots, entry)
		return true
	})
	if err != nil {
		return "", fmt.Errorf("register private workspace: %w", err)
	}
	return store, nil
}

// UnregisterPrivate takes the record of root back; the store stays where it is.
func UnregisterPrivate(root string, dirs Dirs) error {
	real, ok := realPath(root)
	if !ok {
		return fmt.Errorf("unregister private workspace: %s cannot be resolved", root)
	}
	return changeRoots(dirs, func(f *rootsFile) bool {
		n := len(f.Roots)
		f.Roots = slices.DeleteFunc(f.Roots, func(r privateRoot) bool { return r.Root == real })
		return len(f.Roots) != n
	})
}

func changeRoots(dirs Dirs, change func(*rootsFile) bool) error {
	if dirs.Home == "" {
		return errors.New("the home folder is unknown; set PATHRULE_HOME to an absolute path")
	}
	lock, err := filelock.Acquire(LockPath(dirs, "roots"), 5*time.Second)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	f, err := loadRoots(dirs)
	if err != nil {
		return err
	}
	if !change(&f) {
		return nil
	}
	f.Version = 1
	slices.SortFunc(f.Roots, func(a, b privateRoot) int { return strings.Compare(a.Root, b.Root) })
	b, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(rootsPath(dirs), append(b, '\n'), 0o600, 0o700)
}

// LockPath is the file of a short lock among pathrule's processes, below the
// state folder; "" when that is unknown.
func LockPath(dirs Dirs, name string) string {
	return join(dirs.State, "locks", name+".lock")
}
