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
	dir string
	// tree is the linked git worktree that holds dir, nil in a main checkout or
	// outside git.
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
	f := newFinder(env)
	return f.chain(f.levels(real))
}

// finder holds what every level is compared with.
type finder struct {
	dirs     Dirs
	userHome os.FileInfo // nil when unknown
	homeInfo os.FileInfo // pathrule's home, nil when it does not exist
	roots    []privateRoot
}

func newFinder(env sysenv.Env) *finder {
	f := &finder{dirs: dirsOf(env)}
	if env.UserHome != "" {
		f.userHome, _ = os.Stat(env.UserHome)
	}
	if f.dirs.Home != "" {
		f.homeInfo, _ = os.Stat(f.dirs.Home)
	}
	if f.homeInfo != nil {
		f.roots = readRoots(f.dirs)
	}
	return f
}

// levels lists the folders from start up to the file-system root, or up to and
// without the user's home.
func (f *finder) levels(start string) []level {
	var out []level
	var tree *worktree
	from := 0 // first level that the next worktree root found covers
	for dir := start; ; {
		if f.userHome != nil && sameFile(f.userHome, dir) {
			break
		}
		out = append(out, level{dir: dir})
		switch t, git := readGit(dir); {
		case t != nil:
			tree = t
			for i := from; i < len(out); i++ {
				out[i].tree = tree
			}
			from = len(out)
		case git:
			// A main checkout or a submodule: the levels below belong to it.
			from = len(out)
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return out
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
	store, err := f.store(l.dir, l.dir)
	if err != nil {
		return nil, err
	}
	ws := &Workspace{Root: l.dir, Store: store, ID: idOf(l.dir)}
	if l.tree != nil {
		ws.main = l.tree.main
	}
	if store != "" {
		return ws, nil
	}
	if store = f.private(l); store != "" {
		ws.Store, ws.Private = store, true
		return ws, nil
	}
	if l.tree == nil || l.tree.main == "" || f.ownStore(l.tree, levels) {
		return nil, nil
	}
	sub, ok := within(l.tree.root, l.dir)
	if !ok {
		return nil, nil
	}
	ws.Store, err = f.store(filepath.Join(l.tree.main, filepath.FromSlash(sub)), l.tree.main)
	if ws.Store == "" || err != nil {
		return nil, err
	}
	return ws, nil
}

// ownStore reports that some level inside the worktree has a store of its own.
func (f *finder) ownStore(t *worktree, levels []level) bool {
	for _, l := range levels {
		if l.tree == t {
			if s, err := f.store(l.dir, l.dir); s != "" || err != nil {
				return true
			}
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
	if !st.IsDir() || f.homeInfo != nil && os.SameFile(st, f.homeInfo) || looksLikeHome(marker) {
		return "", nil
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

// idOf is the first 16 hex digits of SHA-256 of the real root path.
func idOf(root string) string {
	sum := sha256.Sum256([]byte(root))
	return hex.EncodeToString(sum[:8])
}
