package mcpserver

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"pathrule/index/catalog"
	"pathrule/workspace"
)

// maxPaths is how many paths one call may name.
const maxPaths = 100

// place is where a call looks: the workspace that governs it and the touched
// paths in base coordinates.
type place struct {
	ws       *workspace.Workspace
	cwd      string
	paths    []string
	settings workspace.Settings
	own      bool // the user's own knowledge, or reviewed by the user
}

// ground is where calls start without a cwd, best first, and the folders they
// may not leave: the named workspace, else the client's roots, else the folder
// we were started in, which fences nothing.
func (c *core) ground(ctx context.Context) (starts, fence []string) {
	if c.o.Workspace != "" {
		dir := c.o.Workspace
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(c.env.Cwd, dir)
		}
		fence = []string{dir}
		if ws, err := workspace.Find(dir, c.env); err == nil {
			fence = []string{ws.Base()}
		}
		return []string{dir}, fence
	}
	if dirs := c.roots.known(ctx); len(dirs) > 0 {
		return dirs, dirs
	}
	return []string{c.env.Cwd}, nil
}

// place finds the workspace for a call's cwd and paths.
func (c *core) place(ctx context.Context, cwd string, paths []string) (*place, *fault) {
	if len(paths) > maxPaths {
		return nil, invalid("%d paths are too many, at most %d", len(paths), maxPaths).then("Name the files that matter most, or their folder.")
	}
	starts, fence := c.ground(ctx)
	start := starts[0]
	if cwd != "" {
		if !filepath.IsAbs(cwd) {
			cwd = filepath.Join(start, cwd)
		}
		if st, err := os.Stat(cwd); err == nil && !st.IsDir() {
			cwd = filepath.Dir(cwd)
		}
		if fence != nil && !inside(fence, start, cwd) {
			return nil, outside("cwd", cwd)
		}
		starts = []string{cwd}
	} else if len(paths) > 0 && filepath.IsAbs(paths[0]) && fence != nil && inside(fence, start, paths[0]) {
		// With several roots an absolute path says which one is meant.
		starts = append([]string{filepath.Dir(paths[0])}, starts...)
	}
	p := &place{}
	for _, dir := range starts {
		ws, err := workspace.Find(dir, c.env)
		if err == nil {
			p.ws, p.cwd = ws, dir
			break
		}
		if !errors.Is(err, workspace.ErrNone) {
			return nil, newFault(codeRefused, "%v", err).then("Ask the user to run \"pathrule doctor\".")
		}
	}
	if p.ws == nil {
		return nil, newFault(codeNoSpace, "no pathrule workspace in this folder or above").
			then("Pass cwd with a folder of the project, or ask the user to run \"pathrule init\" there.")
	}
	for _, raw := range paths {
		rel, ok := p.rel(raw)
		if !ok || fence != nil && !inside(fence, p.cwd, filepath.Join(p.ws.Base(), filepath.FromSlash(rel))) {
			return nil, outside("path", raw)
		}
		p.paths = append(p.paths, rel)
	}
	p.deepen(c)
	p.settings, _, _ = workspace.LoadSettings(p.ws, c.dirs, c.env)
	p.own = true
	for w := p.ws; w != nil; w = w.Outer {
		p.own = p.own && workspace.Owned(w, c.dirs)
	}
	return p, nil
}

// rel puts a path into base coordinates. Models name paths from the project's
// root as often as from the cwd: what exists wins, the cwd first.
func (p *place) rel(raw string) (string, bool) {
	base := p.ws.Base()
	rel, ok := workspace.Rel(base, p.cwd, raw)
	if filepath.IsAbs(raw) || ok && exists(base, rel) {
		return rel, ok
	}
	for _, root := range []string{p.ws.Root, base} {
		if other, ok := workspace.Rel(base, root, raw); ok && exists(base, other) {
			return other, true
		}
	}
	return rel, ok
}

// cwdRel is the cwd in base coordinates.
func (p *place) cwdRel() string {
	rel, _ := workspace.Rel(p.ws.Base(), p.cwd, p.cwd)
	return rel
}

// deepen moves to the nested workspace that governs the first path: it inherits
// the outer one's entries, not the other way round.
func (p *place) deepen(c *core) {
	if len(p.paths) == 0 {
		return
	}
	path := filepath.Join(p.ws.Base(), filepath.FromSlash(p.paths[0]))
	if ws, err := workspace.FindForPath(path, c.env); err == nil && ws.Base() == p.ws.Base() {
		p.ws = ws
	}
}

func exists(base, rel string) bool {
	_, err := os.Lstat(filepath.Join(base, filepath.FromSlash(rel)))
	return err == nil
}

func outside(what, raw string) *fault {
	return newFault(codeRefused, "%s %q lies outside the folders that this server may look at", what, raw).
		then("Use a path inside the opened project.")
}

// needReads refuses read tools that the user turned off.
func (p *place) needReads(c *core) *fault {
	if p.settings.Mode == "off" {
		return newFault(codeDisabled, "pathrule is turned off for this workspace (mode off)").
			then("Go on without it; the user can run \"pathrule mode auto\".")
	}
	return nil
}

// seen reports that the user knows the knowledge of this owner: it is the user's
// own, or was reviewed.
func (p *place) seen(owner string) bool { return p.own || owner == catalog.Personal }

// withheld: the user wants to look at this repository's knowledge first.
func (p *place) withheld(owner string) bool {
	return !p.seen(owner) && p.settings.TrustKnowledge == "ask"
}

func needTrust() *fault {
	return newFault(codeDenied, "the knowledge in this repository was not reviewed on this machine").
		then("Go on without it; the user can run \"pathrule trust\".")
}
