// Package workspace knows where a project's knowledge lies and which paths it
// speaks about: the root and its store, path scopes and globs, the state
// folders outside the repository, settings, and whose knowledge it is.
//
// One coordinate system runs through all of pathrule: a path is slash-separated
// and relative to the workspace's BASE, the root of its outermost enclosing
// workspace. For a workspace that is not nested, base and root are the same.
package workspace

import (
	"errors"

	"pathrule/internal/sysenv"
)

// ErrNone says that no workspace governs a folder. A hook answers it with
// silence, the CLI with the hint to run "pathrule init".
var ErrNone = errors.New("no pathrule workspace here or above")

// Marker is the folder that makes its parent a workspace.
const Marker = ".pathrule"

// Workspace is one project root with its store of knowledge.
type Workspace struct {
	// Root is the absolute real path of the project root.
	Root string
	// Store is the absolute folder that holds memories/, rules/ and skills/:
	// Root/.pathrule, the main checkout's for a git worktree without one, or a
	// folder below the pathrule home for a private workspace.
	Store string
	// ID is the first 16 hex digits of SHA-256 of Root.
	ID string
	// Private: the store lies below the pathrule home, not in the project.
	Private bool
	// Outer is the next enclosing workspace, nil for the outermost. Its entries
	// are inherited.
	Outer *Workspace
}

// Base is the absolute root of the outermost enclosing workspace.
func (w *Workspace) Base() string {
	for w.Outer != nil {
		w = w.Outer
	}
	return w.Root
}

// Find returns the workspace that governs dir (absolute or relative to
// env.Cwd): the nearest folder upward, symlinks resolved, that holds a store.
// The walk stops at the file-system root and at the user's home; the pathrule
// home and any folder that holds state/ or cache/ is never a marker. The error
// is ErrNone when there is none, or says which store was refused and why (its
// real path leaves the workspace).
func Find(dir string, env sysenv.Env) (*Workspace, error) { return find(dir, env) }

// FindForPath returns the workspace that governs a touched path (absolute or
// relative to env.Cwd; it need not exist): the nearest one above the file after
// symlinks are resolved. For a path in a workspace nested below the session's
// own, that is the nested one, with the session's among its Outer chain.
func FindForPath(path string, env sysenv.Env) (*Workspace, error) {
	abs, ok := touched(env.Cwd, path)
	if !ok {
		return nil, ErrNone
	}
	return find(abs, env)
}
