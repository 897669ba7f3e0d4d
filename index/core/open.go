package core

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"pathrule/index/catalog"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// Open opens the current generation: no lock, no wait, one more look when the
// generation vanished meanwhile. The error is catalog.ErrMissing when none is
// usable. The caller closes it.
func Open(ws *workspace.Workspace, env sysenv.Env) (*Index, error) {
	cache := workspace.DirsOf(env).Cache(ws.ID)
	var last error
	gen := ""
	for range 3 {
		p, err := catalog.ReadPointer(cache, catalog.Versions())
		if errors.Is(err, catalog.ErrVersion) {
			return nil, fmt.Errorf("%w: %w", catalog.ErrMissing, err)
		}
		if err != nil {
			return nil, err
		}
		if p.Gen == gen {
			break
		}
		gen = p.Gen
		x, err := openGeneration(filepath.Join(cache, p.Gen), p)
		if err == nil {
			return x, nil
		}
		last = err
	}
	return nil, fmt.Errorf("%w: %w", catalog.ErrMissing, last)
}

func openGeneration(dir string, p catalog.Pointer) (*Index, error) {
	cat, err := catalog.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	snap, err := openSnapshot(dir)
	if err != nil {
		cat.Close()
		return nil, err
	}
	x := &Index{ptr: p, cat: cat, snap: snap, cache: filepath.Dir(dir)}
	if snap.live != p.Docs || cat.Len() != p.Entries {
		x.Close()
		return nil, fmt.Errorf("%s holds %d documents and %d entries, not %d and %d", p.Gen, snap.live, cat.Len(), p.Docs, p.Entries)
	}
	return x, nil
}

// Status reads the state without changing anything.
func Status(ws *workspace.Workspace, env sysenv.Env) (Report, error) {
	w := newWriter(context.Background(), ws, env, Limits{}, nil)
	p, m, err := w.current()
	switch {
	case errors.Is(err, catalog.ErrVersion):
		w.rep.State = VersionMismatch
		return w.report(), nil
	case errors.Is(err, catalog.ErrMissing) || missing(err):
		w.rep.State = Missing
		return w.report(), nil
	case err != nil:
		return w.report(), err
	}
	defer m.close()
	w.rep.Generation, w.rep.Entries, w.rep.Files = p.Gen, p.Entries, p.Files
	old, err := m.heads()
	if err != nil {
		w.rep.State = Missing
		return w.report(), nil
	}
	if !w.sound(p) {
		w.rep.State = Missing
		return w.report(), nil
	}
	c := w.scanner().all(old)
	w.rep.State = Fresh
	if c.moved() || p.Partial || w.projectMoved(m) {
		w.rep.State = Stale
	}
	w.rep.Changed = len(c.changes)
	h := m.manifestHead
	h.problems = c.problems
	w.rep.Problems = h.all()
	return w.report(), nil
}
