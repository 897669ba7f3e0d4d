package hookrunner

import (
	"errors"
	"os"
	"path/filepath"

	"pathrule/hookrunner/ledger"
	"pathrule/workspace"
)

// place is where an event happens.
type place struct {
	// dir is the folder that relative paths of the payload start at.
	dir string
	ws  *workspace.Workspace
	// base is the outermost workspace's root, key its id: one session has one
	// record however deep in nested workspaces it works.
	base string
	key  string
}

// place finds the session's workspace. The project folder is the first that
// exists of: the payload's cwd, its workspace roots, the host's environment
// variable, our own working directory. A cwd outside any workspace does not end
// the search before the roots: a host's shell may have left the project.
func (r *runner) place() (place, bool) {
	var first string
	for _, dir := range append([]string{r.ev.Cwd}, r.ev.Roots...) {
		if dir == "" || !isDir(dir) {
			continue
		}
		if first == "" {
			first = dir
		}
		if ws := r.find(dir); ws != nil {
			return newPlace(first, ws), true
		}
	}
	if first == "" && r.env.Cwd != "" {
		if ws := r.find(r.env.Cwd); ws != nil {
			return newPlace(r.env.Cwd, ws), true
		}
	}
	return place{}, false
}

// holding is the place of a tool's event: p, unless the client works in several
// folders and the touched paths lie in another one that has a workspace of its
// own. Only folders that the client itself named count.
func (r *runner) holding(p place) place {
	var others []string
	for _, dir := range r.ev.Roots {
		if len(r.ev.Touches) == 0 || dir == p.dir || dir == p.base {
			continue // nearly always
		}
		if _, inside := workspace.Rel(p.base, p.dir, dir); !inside && isDir(dir) {
			others = append(others, dir)
		}
	}
	if len(others) == 0 || len(r.touched(p)) > 0 {
		return p
	}
	for _, dir := range others {
		ws := r.find(dir)
		if ws == nil || ws.Base() == p.base {
			continue
		}
		if q := newPlace(dir, ws); len(r.touched(q)) > 0 {
			return q
		}
	}
	return p
}

func (r *runner) find(dir string) *workspace.Workspace {
	ws, err := workspace.Find(dir, r.env)
	if err != nil && !errors.Is(err, workspace.ErrNone) {
		r.log(err.Error())
	}
	return ws
}

func newPlace(dir string, ws *workspace.Workspace) place {
	return place{dir: dir, ws: ws, base: ws.Base(), key: ledger.Root(ws)}
}

func isDir(dir string) bool {
	st, err := os.Stat(dir)
	return err == nil && st.IsDir() && filepath.IsAbs(dir)
}
