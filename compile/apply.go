package compile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"pathrule/internal/atomicfile"
	"pathrule/internal/filelock"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

func apply(ws *workspace.Workspace, changes []Change, o Options, env sysenv.Env) error {
	t, err := targetOf(o.Target)
	if err != nil {
		return err
	}
	// Without a state folder the files are still whole, only not ours alone.
	lock, err := filelock.Acquire(workspace.LockPath(workspace.DirsOf(env), "compile-"+ws.ID), 5*time.Second)
	if err == nil {
		defer lock.Unlock()
	} else if errors.Is(err, filelock.ErrTimeout) {
		return fmt.Errorf("compile %s: %w", t.name, err)
	}
	file, private := manifestPath(ws), ws.Private
	if o.Personal {
		file, private = personalManifest(ws, env), true
	}
	m, err := readManifest(file)
	if err != nil {
		return err
	}
	// What was written is recorded even when a later file fails: without its
	// hash it would pass for somebody else's.
	failed := write(ws, t, &m, changes)
	if err := m.write(file, private); err != nil {
		return errors.Join(failed, fmt.Errorf("compile %s: write %s: %w", t.name, manifestName, err))
	}
	return failed
}

func write(ws *workspace.Workspace, t *target, m *manifest, changes []Change) error {
	p := planner{ws: ws, t: t, m: m}
	planned := map[string]bool{}
	for _, c := range changes {
		if c.Action == Skip {
			continue
		}
		planned[c.Path] = true
		if !t.owns(c.Path) {
			return fmt.Errorf("compile %s: %s is no file of this target", t.name, c.Path)
		}
		if c.Action != Refuse && c.Action != Keep {
			if err := p.change(c); err != nil {
				return fmt.Errorf("compile %s: %w", t.name, err)
			}
		}
		m.Files = slices.DeleteFunc(m.Files, func(f Managed) bool { return f.Path == c.Path })
		if c.record != nil {
			m.Files = append(m.Files, *c.record)
		}
	}
	// Files that the plan no longer speaks of are gone from disk already.
	m.Files = slices.DeleteFunc(m.Files, func(f Managed) bool { return f.Target == t.name && !planned[f.Path] })
	return nil
}

// change writes or removes one file, unless it changed since the plan.
func (p *planner) change(c Change) error {
	now, refused := p.read(c.Path)
	if refused != "" {
		return fmt.Errorf("%s: %s", c.Path, refused)
	}
	if (now == nil) != (c.Before == nil) || !bytes.Equal(now, c.Before) {
		return fmt.Errorf("%s changed while compiling; run the command again", c.Path)
	}
	abs := filepath.Join(p.ws.Root, filepath.FromSlash(c.Path))
	if c.Action == Remove {
		if err := os.Remove(abs); err != nil {
			return fmt.Errorf("remove %s: %w", c.Path, err)
		}
		// Folders that only we filled go with their last file; os.Remove takes
		// no folder that holds anything.
		for dir := path.Dir(c.Path); p.t.dir != "" && dir != "."; dir = path.Dir(dir) {
			if os.Remove(filepath.Join(p.ws.Root, filepath.FromSlash(dir))) != nil {
				break
			}
		}
		return nil
	}
	dirPerm := os.FileMode(0o755)
	if p.t.dir == "" {
		dirPerm = 0
	}
	perm := os.FileMode(0o644)
	if c.exec {
		perm = 0o755
	}
	return atomicfile.Write(abs, c.After, perm, dirPerm)
}
