package core

import (
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
	s, err := Look(ws, env)
	return s.Report, err
}
