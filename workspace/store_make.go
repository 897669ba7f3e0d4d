package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"pathrule/internal/atomicfile"
	"pathrule/internal/regular"
	"pathrule/internal/sysenv"
)

// MakeStore makes the folders of a store for the project at root and returns
// the workspace: root/.pathrule (0755, files 0644), or with private a folder
// below the pathrule home (0700, 0600) that roots.json points to, with nothing
// written into the project. What exists stays; making it twice is no error. It
// refuses the user's home, the pathrule home and what lies in it, and a
// .pathrule that leaves the project.
func MakeStore(root string, private bool, dirs Dirs, env sysenv.Env) (*Workspace, error) {
	if !filepath.IsAbs(root) {
		root = filepath.Join(env.Cwd, root)
	}
	real, ok := realPath(root)
	if !ok {
		return nil, fmt.Errorf("make workspace: %s cannot be resolved", root)
	}
	if st, err := os.Stat(real); err != nil {
		return nil, fmt.Errorf("make workspace: %w", err)
	} else if !st.IsDir() {
		return nil, fmt.Errorf("make workspace: %s is not a folder", real)
	}
	if err := refuseRoot(real, dirs, env); err != nil {
		return nil, err
	}
	store := filepath.Join(real, Marker)
	dirPerm, perm := os.FileMode(0o755), os.FileMode(0o644)
	if private {
		if _, err := os.Lstat(store); err == nil {
			return nil, fmt.Errorf("make private workspace: %s exists already; move it away first, or use it without --private", store)
		}
		p, err := RegisterPrivate(real, dirs)
		if err != nil {
			return nil, err
		}
		store, dirPerm, perm = p, 0o700, 0o600
	} else if _, ok := Private(real, dirs); ok {
		return nil, fmt.Errorf("make workspace: %s keeps its knowledge privately; export it first (\"pathrule export\"), or go on with --private", real)
	} else if r, ok := realPath(store); !ok || !inside(real, r) {
		return nil, fmt.Errorf("make workspace: %s leaves the project; remove the link first", store)
	}
	for _, kind := range []string{"memories", "rules", "skills"} {
		if err := os.MkdirAll(filepath.Join(store, kind), dirPerm); err != nil {
			return nil, fmt.Errorf("make workspace: %w", err)
		}
	}
	if err := ignoreTrash(filepath.Join(store, ".gitignore"), perm); err != nil {
		return nil, fmt.Errorf("make workspace: %w", err)
	}
	ws, err := find(real, env)
	if err != nil {
		return nil, err
	}
	if ws.Root != real {
		return nil, fmt.Errorf("make workspace: %s is not taken for a store; a folder with state/ or cache/ in it is a pathrule home", store)
	}
	return ws, nil
}

// refuseRoot names the folders that may never be a workspace.
func refuseRoot(real string, dirs Dirs, env sysenv.Env) error {
	st, err := os.Stat(real)
	if err != nil {
		return fmt.Errorf("make workspace: %w", err)
	}
	if sameFile(st, env.UserHome) {
		return errors.New("make workspace: the home folder is never a workspace; change into a project first")
	}
	if filepath.Dir(real) == real {
		return errors.New("make workspace: the file-system root is never made a workspace; change into a project first")
	}
	if dirs.Home != "" {
		home, ok := realPath(dirs.Home)
		if _, in := within(home, real); ok && in {
			return fmt.Errorf("make workspace: %s lies in pathrule's own home; change into a project first", real)
		}
	}
	return nil
}

// IgnoreTrash makes sure that git ignores the soft-deleted entries of a store
// that was not made by MakeStore; new files get perm.
func IgnoreTrash(store string, perm os.FileMode) error {
	return ignoreTrash(filepath.Join(store, ".gitignore"), perm)
}

// ignoreTrash makes sure that git ignores soft-deleted entries; other lines of
// an existing file stay byte for byte.
func ignoreTrash(file string, perm os.FileMode) error {
	old, err := regular.Read(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for line := range bytes.Lines(old) {
		switch string(bytes.TrimSpace(line)) {
		case "trash/", "/trash/", "trash", "/trash":
			return nil
		}
	}
	eol := "\n"
	if bytes.Contains(old, []byte("\r\n")) {
		eol = "\r\n"
	}
	out := bytes.Clone(old)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, eol...)
	}
	return atomicfile.Write(file, append(out, "trash/"+eol...), perm, 0)
}
