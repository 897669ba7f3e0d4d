package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pathrule/internal/atomicfile"
	"pathrule/internal/filelock"
	"pathrule/internal/rawjson"
)

// privateRoot is one line of <home>/roots.json: a project whose store lies
// below the home, so that nothing is written into the project.
type privateRoot struct {
	// Root ("root") is the real path of the project root.
	Root string
	// Git ("git") is the real path of the git common dir, "" outside git; every
	// worktree of the repository finds the store by it.
	Git string
	// Sub ("sub") is where Root lies below its checkout (slash path, "" for the
	// top).
	Sub string
	// Store ("store") is a slash path below the home.
	Store string
}

// rootsVersion counts the formats of roots.json.
// 1: {"version": 1, "roots": [{root, git, sub, store}, …]}, one root a line.
const rootsVersion = 1

const maxRootsFile = 4 << 20 // bytes

func rootsPath(dirs Dirs) string { return join(dirs.Home, "roots.json") }

// readRoots never fails: a broken table is the doctor's business (CheckRoots),
// and means no private workspace for a hook.
func readRoots(dirs Dirs) []privateRoot {
	roots, _ := loadRoots(dirs)
	return roots
}

func loadRoots(dirs Dirs) ([]privateRoot, error) {
	path := rootsPath(dirs)
	st, err := os.Stat(path)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if st.Size() > maxRootsFile {
		return nil, fmt.Errorf("%s is larger than 4 MiB; move it away and run \"pathrule init --private\" again", path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file, err := rawjson.Parse(b)
	if err != nil || file.Kind() != '{' {
		return nil, fmt.Errorf("%s is not valid JSON; mend it or move it away and run \"pathrule init --private\" again", path)
	}
	if v, err := strconv.Atoi(string(file.Get("version"))); err != nil || v > rootsVersion {
		return nil, fmt.Errorf("%s was written by a newer pathrule (version %s); update this program", path, file.Get("version"))
	}
	var out []privateRoot
	for r := range file.Get("roots").Elements {
		out = append(out, privateRoot{Root: r.Get("root").Text(), Git: r.Get("git").Text(), Sub: r.Get("sub").Text(), Store: r.Get("store").Text()})
	}
	return out, nil
}

// encodeRoots is the file of these roots, sorted.
func encodeRoots(roots []privateRoot) []byte {
	slices.SortFunc(roots, func(a, b privateRoot) int { return strings.Compare(a.Root, b.Root) })
	b := append([]byte(`{"version": `), strconv.Itoa(rootsVersion)...)
	b = append(b, ", \"roots\": ["...)
	for i, r := range roots {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, "\n{"...)
		for j, m := range [...][2]string{{"root", r.Root}, {"git", r.Git}, {"sub", r.Sub}, {"store", r.Store}} {
			if m[1] == "" && j > 0 {
				continue
			}
			if j > 0 {
				b = append(b, ", "...)
			}
			b = append(rawjson.AppendQuoted(b, m[0]), ": "...)
			b = rawjson.AppendQuoted(b, m[1])
		}
		b = append(b, '}')
	}
	return append(b, "\n]}\n"...)
}

// CheckRoots says what is wrong with <home>/roots.json, for doctor; nil when it
// is fine or not there.
func CheckRoots(dirs Dirs) error {
	if dirs.Home == "" {
		return nil
	}
	roots, err := loadRoots(dirs)
	if err != nil {
		return err
	}
	for _, r := range roots {
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
	var broken error
	err = changeRoots(dirs, func(roots []privateRoot) []privateRoot {
		for _, r := range roots {
			if r.Root == real {
				store, broken = privateStore(dirs, r.Store)
				return nil
			}
		}
		entry := privateRoot{Root: real, Store: "private/" + idOf(real)}
		if common, top := CommonDir(real); common != "" {
			entry.Git = common
			entry.Sub, _ = within(top, real)
		}
		store = filepath.Join(dirs.Home, filepath.FromSlash(entry.Store))
		return append(roots, entry)
	})
	if err = errors.Join(err, broken); err != nil {
		return "", fmt.Errorf("register private workspace: %w", err)
	}
	return store, nil
}

// changeRoots rewrites the table under its lock; nil leaves it as it is.
func changeRoots(dirs Dirs, change func([]privateRoot) []privateRoot) error {
	if dirs.Home == "" {
		return errors.New("the home folder is unknown; set PATHRULE_HOME to an absolute path")
	}
	lock, err := filelock.Acquire(LockPath(dirs, "roots"), 5*time.Second)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	roots, err := loadRoots(dirs)
	if err != nil {
		return err
	}
	if roots = change(roots); roots == nil {
		return nil
	}
	return atomicfile.Write(rootsPath(dirs), encodeRoots(roots), 0o600, 0o700)
}

// LockPath is the file of a short lock among pathrule's processes, below the
// state folder.
func LockPath(dirs Dirs, name string) string {
	return join(dirs.State, "locks", name+".lock")
}
