package approval

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"pathrule/internal/atomicfile"
	"pathrule/internal/filelock"
	"pathrule/workspace"
)

// maxVersions is how many hashes of one rule stand; the oldest go.
const maxVersions = 32

const lockWait = 2 * time.Second

var errNoHome = errors.New("the home folder is unknown; set PATHRULE_HOME to an absolute path")

// Approve adds pins; one that stands already is left as it is. A damaged file is
// replaced: it granted nothing.
func Approve(dirs workspace.Dirs, at Place, add ...Pin) error {
	return change(dirs, at, func(pins []Pin) []Pin {
		for _, p := range add {
			if slices.ContainsFunc(pins, func(q Pin) bool { return q.Same(&p) }) {
				continue
			}
			pins = append(pins, p)
			have := 0
			for i := len(pins) - 1; i >= 0; i-- {
				if pins[i].ID != p.ID {
					continue
				}
				if have++; have > maxVersions {
					pins = slices.Delete(pins, i, i+1)
				}
			}
		}
		return pins
	})
}

// Revoke takes every pin of the rules back and says how many there were.
func Revoke(dirs workspace.Dirs, at Place, ids ...string) (n int, err error) {
	err = change(dirs, at, func(pins []Pin) []Pin {
		before := len(pins)
		pins = slices.DeleteFunc(pins, func(p Pin) bool { return slices.Contains(ids, p.ID) })
		n = before - len(pins)
		return pins
	})
	return n, err
}

func change(dirs workspace.Dirs, at Place, edit func([]Pin) []Pin) error {
	if dirs.Home == "" {
		return fmt.Errorf("record approval: %w", errNoHome)
	}
	name := fileOf(dirs, at)
	lock, err := filelock.Acquire(filepath.Join(filepath.Dir(name), "."+at.Owner+".lock"), lockWait)
	if err != nil {
		return fmt.Errorf("record approval: %w", err)
	}
	defer lock.Unlock()
	pins, err := Read(dirs, at)
	if err != nil && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) {
		return fmt.Errorf("record approval: %w", err)
	}
	if err := atomicfile.Write(name, encode(at, edit(pins)), 0o600, 0o700); err != nil {
		return fmt.Errorf("record approval: %w", err)
	}
	return nil
}
