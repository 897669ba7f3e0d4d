package userhooks

import (
	"fmt"
	"path/filepath"
	"slices"

	"pathrule/guard/hookfile"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// State says whether the hooks of a file may run.
type State string

// The states.
const (
	Active  State = "active"
	Waiting State = "waiting" // a project's file that nobody trusted here
	Changed State = "changed" // edited, or a file that it runs was, since it was trusted
	Invalid State = "invalid" // cannot be read or understood
	Off     State = "off"     // enabled is false
)

// Source is one file with what is in it.
type Source struct {
	hookfile.File
	State    State
	Config   *Config // nil when invalid
	Problems []Problem
	// Sealed are the workspace's files that it runs, as they are now.
	Sealed []hookfile.Sealed
	// Differs are those that are not what was trusted.
	Differs []string
	// Why says in a sentence what keeps it from running, "" when nothing does.
	Why string
}

// Load reads files and says whether they count. dirs are folders in which an
// event may run their commands.
func Load(files []hookfile.File, home workspace.Dirs, env sysenv.Env, dirs ...string) []Source {
	var out []Source
	for _, f := range files {
		out = append(out, load(f, home, env, dirs))
	}
	return out
}

func load(f hookfile.File, home workspace.Dirs, env sysenv.Env, dirs []string) Source {
	s := Source{File: f}
	if f.Err != nil {
		s.State, s.Why = Invalid, f.Err.Error()
		return s
	}
	if s.Config, s.Problems = Parse(f.Raw); s.Config == nil {
		s.State, s.Why = Invalid, fmt.Sprintf("line %d:%d: %s", s.Problems[0].Line, s.Problems[0].Col, s.Problems[0].Msg)
		return s
	}
	if s.State = Active; !s.Config.Enabled {
		s.State, s.Why = Off, "enabled is false"
	}
	if f.Origin == hookfile.User {
		return s
	}
	var err error
	if s.Sealed, err = Seal(s.Config, f.Root, env, inside(f.Root, dirs)...); err != nil {
		s.State, s.Why = Invalid, err.Error()
		return s
	}
	pins, err := hookfile.Pins(home, f.Root)
	if err != nil {
		s.State, s.Why = Waiting, err.Error()
		return s
	}
	sum := hookfile.Sum(f.Raw)
	for _, p := range pins {
		if p.Sum != sum {
			continue
		}
		differs := differing(p.Files, s.Sealed)
		if len(differs) == 0 {
			s.Differs = nil
			return s // as it was trusted
		}
		s.Differs = differs
	}
	switch {
	case len(pins) == 0:
		s.State, s.Why = Waiting, "nobody trusted it on this machine"
	case s.Differs != nil:
		s.State, s.Why = Changed, "what it runs is not what was trusted: "+s.Differs[0]
	default:
		s.State, s.Why = Changed, "it was edited since it was trusted"
	}
	return s
}

// differing names the files that were changed, or that a word resolves to now
// and did not then. One that is gone is no danger; the command will say so.
func differing(was, now []hookfile.Sealed) []string {
	var out []string
	for _, n := range now {
		if !slices.Contains(was, n) {
			out = append(out, n.Path)
		}
	}
	return out
}

func inside(root string, dirs []string) []string {
	var out []string
	for _, d := range dirs {
		if _, ok := workspace.Rel(root, root, d); ok && filepath.IsAbs(d) {
			out = append(out, d)
		}
	}
	return out
}
