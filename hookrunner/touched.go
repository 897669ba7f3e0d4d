package hookrunner

import (
	"os"
	"path/filepath"

	"pathrule/host"
	"pathrule/workspace"
)

const (
	// maxPaths is how many touched paths of one event count, maxStats how many
	// operands may be looked up on the disk to find them.
	maxPaths = 16
	maxStats = 20
)

// group is the touched paths that one workspace governs, in base coordinates.
type group struct {
	ws    *workspace.Workspace
	paths []string
}

// touched places the event's paths: below the session's outermost workspace,
// links resolved, each with the nearest workspace above it. A path outside is
// nothing to us. Operands and arguments count only where they exist.
func (r *runner) touched(p place) []group {
	var groups []group
	seen := map[string]bool{}
	found := map[string]*workspace.Workspace{}
	stats := 0
	for _, t := range r.ev.Touches {
		if len(seen) == maxPaths {
			break
		}
		if t.Op == host.Shell || t.Op == host.Arg {
			if stats == maxStats {
				continue
			}
			stats++
			if !r.exists(p.dir, t.Path) {
				continue
			}
		}
		rel, ok := workspace.Rel(p.base, p.dir, t.Path)
		// The root itself is no place of its own: what is true of all the project
		// was told at the session's start.
		if !ok || rel == "" || seen[rel] {
			continue
		}
		seen[rel] = true
		ws := r.governing(p, rel, found)
		if ws == nil {
			continue
		}
		at := -1
		for i := range groups {
			if groups[i].ws.ID == ws.ID {
				at = i
			}
		}
		if at < 0 {
			groups = append(groups, group{ws: ws})
			at = len(groups) - 1
		}
		groups[at].paths = append(groups[at].paths, rel)
		if r.ops == nil {
			r.ops = map[string]host.Op{}
		}
		r.ops[rel] = t.Op
	}
	return groups
}

// governing is the workspace of a path in base coordinates; nil when it belongs
// to a store that was refused.
func (r *runner) governing(p place, rel string, found map[string]*workspace.Workspace) *workspace.Workspace {
	dir := filepath.Dir(filepath.FromSlash(rel))
	if ws, ok := found[dir]; ok {
		return ws
	}
	ws, err := workspace.FindForPath(filepath.Join(p.base, filepath.FromSlash(rel)), r.env)
	if err != nil || ws.Base() != p.base {
		if err != nil {
			r.log(err.Error())
		}
		ws = nil
	}
	found[dir] = ws
	return ws
}

func (r *runner) exists(dir, path string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	_, err := os.Lstat(path)
	return err == nil
}
