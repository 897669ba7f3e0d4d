package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"pathrule/internal/sysenv"
)

// level is one folder on the way up from where the search began.
type level struct {
	dir   string // real
	store string // its own store, "" for none
	// tree is the linked git worktree that holds dir, nil in a main checkout or
	// outside git; filled in only when it matters.
	tree *worktree
}

func find(dir string, env sysenv.Env) (*Workspace, error) {
	if !filepath.IsAbs(dir) {
		if !filepath.IsAbs(env.Cwd) {
			return nil, fmt.Errorf("find workspace: %q is not absolute and the working directory is unknown", dir)
		}
		dir = env.Cwd + string(filepath.Separator) + dir
	}
	real, ok := realPath(dir)
	if !ok {
		return nil, fmt.Errorf("find workspace: %s goes through a link that cannot be followed", dir)
	}
	f := newFinder(env, real)
	levels, err := f.levels(real)
	if err != nil {
		return nil, err
	}
	if f.needsGit(levels) {
		findTrees(levels)
	}
	return f.chain(levels)
}

// finder holds what every level is compared with. A hook runs it for every
// event and a system call costs more than anything else here, so each is made
// only when its answer can matter.
type finder struct {
	dirs     Dirs
	userHome string // as the environment spells it
	realHome string // real path of the user's home, "" when unknown
	roots    []privateRoot
}

func newFinder(env sysenv.Env, start string) *finder {
	f := &finder{dirs: Dirs{Home: homeDir(env)}, userHome: env.UserHome}
	if _, ok := within(filepath.Clean(env.UserHome), start); ok {
		// A real path that begins with it vouches for it.
		f.realHome = filepath.Clean(env.UserHome)
	} else if env.UserHome != "" {
		f.realHome, _ = realPath(env.UserHome)
	}
	if f.dirs.Home != "" {
		f.roots = readRoots(f.dirs)
	}
	return f
}

// levels lists the folders from start up to the file-system root, or up to and
// without the user's home.
func (f *finder) levels(start string) ([]level, error) {
	var out []level
	for dir := start; dir != f.realHome; {
		store, err := f.store(dir, dir)
		if err != nil {
			return nil, err
		}
		// The home under another name, a bind mount for instance.
		if store != "" && f.isUserHome(dir) {
			break
		}
		out = append(out, level{dir: dir, store: store})
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return out, nil
}

func (f *finder) isUserHome(dir string) bool {
	if f.userHome == "" {
		return false
	}
	st, err := os.Stat(f.userHome)
	return err == nil && sameFile(st, dir)
}

// needsGit reports that worktrees can change the answer: there is no store, or
// more than one, or a private one, or a checkout begins below the only store.
func (f *finder) needsGit(levels []level) bool {
	only, n := 0, 0
	for i, l := range levels {
		if l.store != "" {
			only, n = i, n+1
		}
	}
	if n != 1 || len(f.roots) > 0 {
		return true
	}
	for _, l := range levels[:only] {
		if _, err := os.Lstat(filepath.Join(l.dir, ".git")); err == nil {
			return true
		}
	}
	return false
}

// findTrees tells each level its worktree.
func findTrees(levels []level) {
	from := 0 // first level of the checkout whose top is found next
	for i := range levels {
		t, top := readGit(levels[i].dir)
		if !top {
			continue
		}
		// t is nil at the top of a main checkout or a submodule.
		for j := from; j <= i; j++ {
			levels[j].tree = t
		}
		from = i + 1
	}
}

// chain turns the levels into workspaces, innermost first.
func (f *finder) chain(levels []level) (*Workspace, error) {
	var first, last *Workspace
	for i, l := range levels {
		if mainOf(levels[:i], l.dir) {
			// A worktree that lies inside its main checkout is another copy of the
			// same project, not a part of it.
			continue
		}
		ws, err := f.at(l, levels)
		if err != nil {
			return nil, err
		}
		if ws == nil {
			continue
		}
		if first == nil {
			first = ws
		} else {
			last.Outer = ws
		}
		last = ws
	}
	if first == nil {
		return nil, ErrNone
	}
	return first, nil
}

// mainOf reports that dir lies in the main checkout of a worktree that the walk
// already went through.
func mainOf(below []level, dir string) bool {
	for _, l := range below {
		if l.tree == nil || l.tree.main == "" {
			continue
		}
		if _, ok := within(l.tree.root, dir); ok {
			continue
		}
		if _, ok := within(l.tree.main, dir); ok {
			return true
		}
	}
	return false
}

// at gives the workspace whose root is the level, nil if it is none. The order:
// a store of its own, a private store, and in a linked worktree without any
// store of its own the main checkout's.
func (f *finder) at(l level, levels []level) (*Workspace, error) {
	ws := &Workspace{Root: l.dir, Store: l.store, ID: idOf(l.dir)}
	if l.store != "" {
		return ws, nil
	}
	if ws.Store = f.private(l); ws.Store != "" {
		ws.Private = true
		return ws, nil
	}
	if l.tree == nil || l.tree.main == "" || ownStore(l.tree, levels) {
		return nil, nil
	}
	sub, ok := within(l.tree.root, l.dir)
	if !ok {
		return nil, nil
	}
	var err error
	ws.Store, err = f.store(filepath.Join(l.tree.main, filepath.FromSlash(sub)), l.tree.main)
	if ws.Store == "" || err != nil {
		return nil, err
	}
	return ws, nil
}

// ownStore reports that some level inside the worktree has a store of its own.
func ownStore(t *worktree, levels []level) bool {
	for _, l := range levels {
		if l.tree == t && l.store != "" {
			return true
		}
	}
	return false
}

// store returns dir/.pathrule when it is a store, "" when there is none, and an
// error when its real path leaves root.
func (f *finder) store(dir, root string) (string, error) {
	marker := filepath.Join(dir, Marker)
	lst, err := os.Lstat(marker)
	if err != nil {
		return "", nil
	}
	st := lst
	if lst.Mode()&os.ModeSymlink != 0 {
		if st, err = os.Stat(marker); err != nil {
			return "", nil
		}
	}
	// The home is told by identity, whatever its name: a project below it must
	// never resolve to it.
	if !st.IsDir() || sameFile(st, f.dirs.Home) || looksLikeHome(marker) {
		return "", nil
	}
	// A level is a real path already, so only a link can lead out of it.
	if lst == st && dir == root {
		return marker, nil
	}
	if real, ok := realPath(marker); !ok || !inside(root, real) {
		return "", fmt.Errorf("refused %s: its real path %s leaves the workspace; move the folder into the project or use \"pathrule init --private\"", marker, real)
	}
	return marker, nil
}

// inside reports that the real path lies below the root, which need not be real.
func inside(root, real string) bool {
	if rel, ok := within(root, real); ok {
		return rel != ""
	}
	r, ok := realPath(root)
	if !ok {
		return false
	}
	rel, ok := within(r, real)
	return ok && rel != ""
}

// looksLikeHome: a folder with state/ or cache/ is some pathrule home, perhaps
// another user's or one of an earlier setting.
func looksLikeHome(marker string) bool {
	for _, name := range []string{"state", "cache"} {
		if st, err := os.Stat(filepath.Join(marker, name)); err == nil && st.IsDir() {
			return true
		}
	}
	return false
}

// IDOf is the id of the workspace whose real root path is root.
func IDOf(root string) string { return idOf(root) }

// idOf is the first 16 hex digits of SHA-256 of the real root path.
func idOf(root string) string {
	sum := sha256.Sum256([]byte(root))
	return hex.EncodeToString(sum[:8])
}
