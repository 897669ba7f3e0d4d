package workspace

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"pathrule/internal/regular"
)

// worktree is a linked git worktree, a second checkout of one repository.
type worktree struct {
	root   string // real path of the checkout
	common string // real path of the git common dir
	main   string // real path of the main checkout, "" for a bare repository
}

// readGit looks at dir/.git. git reports that a checkout begins here; t is set
// when it is a linked worktree. Git itself is not asked: it may be missing, and
// a hook starts no process.
func readGit(dir string) (t *worktree, git bool) {
	dot := filepath.Join(dir, ".git")
	st, err := os.Lstat(dot)
	if err != nil {
		return nil, false
	}
	if !st.Mode().IsRegular() {
		return nil, true
	}
	gitdir := pointer(dot, "gitdir:", dir)
	if gitdir == "" {
		return nil, true
	}
	// A submodule has a gitdir too, but no common dir.
	common := pointer(filepath.Join(gitdir, "commondir"), "", gitdir)
	if common == "" {
		return nil, true
	}
	// The repository must know the worktree as well: a .git file that merely
	// points at someone else's repository would borrow its knowledge.
	back := pointer(filepath.Join(gitdir, "gitdir"), "", gitdir)
	if back == "" || !sameFile(st, back) {
		return nil, true
	}
	t = &worktree{root: dir, common: common}
	if filepath.Base(common) == ".git" {
		t.main = filepath.Dir(common)
	}
	return t, true
}

// pointer reads a one-line file that names a path, relative to base, and gives
// the real path; "" when anything is amiss.
func pointer(file, label, base string) string {
	f, err := regular.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 16<<10))
	if err != nil {
		return ""
	}
	line, ok := strings.CutPrefix(string(b), label)
	if !ok {
		return ""
	}
	if line = strings.TrimSpace(line); line == "" || strings.ContainsAny(line, "\n\x00") {
		return ""
	}
	p := filepath.FromSlash(line)
	if !filepath.IsAbs(p) {
		p = filepath.Join(base, p)
	}
	real, _ := realPath(p)
	return real
}

// CommonDir is the real path of the git common dir of the checkout that holds
// dir, and top its root; both "" outside git. All worktrees of one repository
// share the common dir.
func CommonDir(dir string) (common, top string) {
	real, ok := realPath(dir)
	if !ok {
		return "", ""
	}
	for {
		switch t, git := readGit(real); {
		case t != nil:
			return t.common, real
		case git:
			dot := filepath.Join(real, ".git")
			if gitdir := pointer(dot, "gitdir:", real); gitdir != "" {
				return gitdir, real
			}
			c, _ := realPath(dot)
			return c, real
		}
		up := filepath.Dir(real)
		if up == real {
			return "", ""
		}
		real = up
	}
}

// MainRoot is the folder of the main checkout that lies where Root lies in its
// linked git worktree, "" when Root lies in none: the same project, checked out
// twice by its owner.
func (w *Workspace) MainRoot() string { return w.mainRoot() }

// mainRoot is the folder of the main checkout that lies where Root lies in its
// linked worktree, "" when Root lies in none.
func (w *Workspace) mainRoot() string {
	for dir := w.Root; ; {
		t, top := readGit(dir)
		if t != nil && t.main != "" {
			sub, _ := within(dir, w.Root)
			return filepath.Join(t.main, filepath.FromSlash(sub))
		}
		up := filepath.Dir(dir)
		if top || up == dir {
			return ""
		}
		dir = up
	}
}
