// Package index keeps one bleve index per workspace: immutable generations of
// entries and of the project map, published together with the flat catalogue
// by one rename. It is derived and deletable; the Markdown files are the truth.
//
// What needs neither scorch nor YAML lives in index/core; this package adds
// the engine that writes.
package index

import (
	"context"

	"pathrule/index/core"
	"pathrule/internal/sysenv"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// The words of core, for those who need not know of it.
type (
	// State says how an index stands against the files.
	State = core.State
	// Limits bound a refresh.
	Limits = core.Limits
	// Report is what a build or refresh did.
	Report = core.Report
	// Index is an open generation; it is a catalog.Source with a text door.
	Index = core.Index
)

// The states a person may read.
const (
	Fresh           = core.Fresh
	Stale           = core.Stale
	Missing         = core.Missing
	VersionMismatch = core.VersionMismatch
)

// Build makes a new generation from nothing and publishes it.
func Build(ctx context.Context, ws *workspace.Workspace, env sysenv.Env) (Report, error) {
	return core.Build(ctx, ws, env, engine{})
}

// Refresh compares the files with the manifest, applies what changed within
// limits, publishes, and builds whole when there is no usable generation. With
// zero Limits it is complete: what was written before the call is seen by every
// process after it (CLI and MCP writes end with it).
func Refresh(ctx context.Context, ws *workspace.Workspace, env sysenv.Env, l Limits) (Report, error) {
	return core.Refresh(ctx, ws, env, l, engine{})
}

// RefreshFiles is Refresh for a caller that knows what it just wrote or removed:
// files are absolute paths of entry files, and nothing else is compared, so that
// a write in a store of ten thousand entries does not walk it. It is complete
// for those files.
func RefreshFiles(ctx context.Context, ws *workspace.Workspace, env sysenv.Env, files ...string) (Report, error) {
	return core.RefreshFiles(ctx, ws, env, files, engine{})
}

// Survey is one look at every file, held against what the index read.
type Survey = core.Survey

// Look walks and stats every file of the workspace's stores and changes nothing:
// a listing need only read what is not as the index knows it.
func Look(ws *workspace.Workspace, env sysenv.Env) (*Survey, error) { return core.Look(ws, env) }

// Asker lets a store look at its files through the index of ws, anew each time.
func Asker(ws *workspace.Workspace, env sysenv.Env) func(dir string, within []string) knowledge.Look {
	return func(dir string, within []string) knowledge.Look {
		s, err := core.Look(ws, env)
		if err != nil {
			return nil
		}
		return s.Store(dir, within)
	}
}

// Status reads the state without changing anything.
func Status(ws *workspace.Workspace, env sysenv.Env) (Report, error) { return core.Status(ws, env) }

// Open opens the current generation: no lock, no wait, one more look when the
// generation vanished meanwhile. The caller closes it.
func Open(ws *workspace.Workspace, env sysenv.Env) (*Index, error) { return core.Open(ws, env) }
