package setup

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pathrule/host"
	"pathrule/internal/atomicfile"
	"pathrule/internal/filelock"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

func apply(p Plan, env sysenv.Env) error {
	if !p.Changes() {
		return nil
	}
	dirs := workspace.DirsOf(env)
	if dirs.Home == "" {
		return errors.New("the home folder is unknown; set PATHRULE_HOME")
	}
	lock, err := filelock.Acquire(filepath.Join(dirs.Home, "backups", ".lock"), 10*time.Second)
	if err != nil {
		return fmt.Errorf("lock the folder of backups in %s: %w", dirs.Home, err)
	}
	defer lock.Unlock()

	// Look at all files before touching one: half a plan helps nobody.
	var todo []Edit
	for _, c := range chains(p.Edits) {
		e := c.whole
		f := readFile(e.Path)
		switch {
		case f.why != "":
			return fmt.Errorf("%s %s", e.Path, f.why)
		case f.exists == (e.Before != nil) && bytes.Equal(f.data, e.Before):
			todo = append(todo, e)
		case f.exists == (e.After != nil) && bytes.Equal(f.data, e.After):
			// Another setup with the same plan was here first.
		default:
			return fmt.Errorf("%s changed while the plan was shown; nothing was written, run it again", e.Path)
		}
	}
	if slices.ContainsFunc(todo, func(e Edit) bool { return !e.unsets }) {
		if err := workspace.RecordState(dirs); err != nil {
			return fmt.Errorf("record where state lies: %w", err)
		}
	}
	// Each file remembers all folders that were missing, not only those still
	// missing when its turn came: the one that goes last takes them along.
	made := map[string][]string{}
	for _, e := range todo {
		if e.Before == nil {
			real := readFile(e.Path).real
			made[e.Path] = append(madeBefore(dirs.Home, real), missingDirs(filepath.Dir(real))...)
		}
	}
	for _, e := range todo {
		if e.unsets {
			err = takeOut(e, dirs.Home)
		} else {
			err = putIn(e, dirs.Home, made[e.Path])
		}
		if err != nil {
			return err
		}
	}
	for _, e := range p.Edits {
		if err := claim(e, dirs.Home); err != nil {
			return err
		}
	}
	return Link(env)
}

// chain are the edits of one file, one client's after the other's, as one.
type chain struct {
	real  string
	whole Edit
}

func chains(edits []Edit) []chain {
	var out []chain
	for _, e := range edits {
		if e.Action != Create && e.Action != Update && e.Action != Remove {
			continue
		}
		real := readFile(e.Path).real
		i := slices.IndexFunc(out, func(c chain) bool { return c.real == real })
		if i < 0 {
			out = append(out, chain{real, e})
			continue
		}
		w := &out[i].whole
		w.After = e.After
		w.made = append(slices.Clip(w.made), e.made...)
	}
	return out
}

// claim takes down that a client uses a file which another one's setup made
// right already, or that it does not use it any more.
func claim(e Edit, home string) error {
	if e.Action == Refuse {
		return nil
	}
	f := readFile(e.Path)
	rec := loadRecord(home, f.real)
	if rec == nil {
		return nil
	}
	before := len(rec.Hosts)
	switch {
	case e.unsets:
		rec.Hosts = slices.DeleteFunc(rec.Hosts, func(id string) bool { return id == e.Host })
		if len(rec.Hosts) == 0 {
			return nil // an empty list stands for all
		}
	case e.Action == Keep && !e.ours || slices.Contains(rec.Hosts, e.Host):
		return nil
	default:
		rec.Hosts = append(rec.Hosts, e.Host)
		slices.Sort(rec.Hosts)
	}
	if len(rec.Hosts) == before {
		return nil
	}
	return rec.save(home, nil)
}

// putIn writes one file of a setup, its record first.
func putIn(e Edit, home string, dirs []string) error {
	f := readFile(e.Path)
	rec := loadRecord(home, f.real)
	var original []byte
	switch {
	case rec != nil && rec.Result == sum(e.Before) && e.Before != nil:
		// Untouched since our last write: the first original still stands.
	case rec != nil && e.ours:
		rec.Exact = false
	case e.ours:
		rec = &record{Version: 1, Path: f.real, MadeUnknown: true}
	default:
		// Nothing of ours in it, so this is what unsetup gives back, whatever an
		// older record says.
		rec = &record{Version: 1, Path: f.real, Created: e.Before == nil, Exact: true}
		original = e.Before
	}
	if e.Before == nil {
		rec.Dirs = dirs
	}
	rec.Result, rec.Own, rec.Scope = sum(e.After), e.own, e.Scope
	for _, m := range e.made {
		if !slices.Contains(rec.Made, m) {
			rec.Made = append(rec.Made, m)
		}
	}
	if err := rec.save(home, original); err != nil {
		return err
	}
	perm, dirPerm := os.FileMode(0o600), os.FileMode(0o700)
	if e.Scope == host.Project {
		perm, dirPerm = 0o644, 0o755
	}
	if e.exec {
		perm |= perm >> 2 & 0o111
	}
	if err := atomicfile.Write(e.Path, e.After, perm, dirPerm); err != nil || !e.exec {
		return err
	}
	return makeExecutable(f.real)
}

// makeExecutable lets everybody run a file who may read it; an existing file
// kept its mode when it was written.
func makeExecutable(path string) error {
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	mode := st.Mode().Perm()
	return os.Chmod(path, mode|mode>>2&0o111)
}

// takeOut writes or removes one file of an unsetup and forgets its record.
func takeOut(e Edit, home string) error {
	f := readFile(e.Path)
	rec := loadRecord(home, f.real)
	if e.After == nil {
		if err := os.Remove(f.real); err != nil {
			return fmt.Errorf("remove %s: %w", e.Path, err)
		}
		if rec != nil {
			// Only empty folders go; the innermost is the last.
			for _, dir := range slices.Backward(rec.Dirs) {
				if os.Remove(dir) != nil {
					break
				}
			}
		}
	} else if err := atomicfile.Write(e.Path, e.After, 0o600, 0); err != nil {
		return err
	}
	if rec != nil {
		return rec.drop(home)
	}
	return nil
}

// madeBefore are the folders around a path that an earlier setup made for other
// files: they may go before it does.
func madeBefore(home, path string) []string {
	var out []string
	for _, r := range records(home) {
		for _, dir := range r.Dirs {
			if strings.HasPrefix(path, dir+string(filepath.Separator)) && !slices.Contains(out, dir) {
				if _, err := os.Lstat(dir); err == nil {
					out = append(out, dir)
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b string) int { return len(a) - len(b) })
	return out
}

// missingDirs are the folders that writing into dir would make, outermost
// first.
func missingDirs(dir string) []string {
	var out []string
	for {
		if _, err := os.Lstat(dir); err == nil {
			return out
		}
		out = append([]string{dir}, out...)
		parent := filepath.Dir(dir)
		if parent == dir {
			return out
		}
		dir = parent
	}
}
