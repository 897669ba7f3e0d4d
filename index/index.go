// Package index keeps one bleve index per workspace: immutable generations of
// entries and of the project map, published together with the flat catalogue
// by one rename. It is derived and deletable; the Markdown files are the truth.
package index

import (
	"context"
	"time"

	"pathrule/index/catalog"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// State says how an index stands against the files.
type State string

// The states a person may read.
const (
	Fresh           State = "fresh"
	Stale           State = "stale"
	Missing         State = "missing"
	VersionMismatch State = "version-mismatch"
)

// Limits bound a refresh.
type Limits struct {
	// Files is the most changed files applied at once; 0: no limit.
	Files int
	// Time bounds the whole refresh, waiting for the writer lock included; 0: no
	// limit. What does not fit waits for the next event.
	Time time.Duration
	// Window is how many files are compared beyond all folders; 0: all files.
	Window int
}

// Report is what a build or refresh did.
type Report struct {
	State      State               // after it
	Generation string              // published generation, "" when none was
	Entries    int                 // entries in the index
	Files      int                 // files in the project map
	Changed    int                 // entry files added, changed or removed
	Built      bool                // built whole, not updated
	Problems   []workspace.Problem // unreadable entries: file, line, remedy
	Took       time.Duration
}

// Build makes a new generation from nothing and publishes it.
func Build(ctx context.Context, ws *workspace.Workspace, env sysenv.Env) (Report, error) {
	return build(ctx, ws, env)
}

// Refresh compares the files with the manifest, applies what changed within
// limits, publishes, and builds whole when there is no usable generation. With
// zero Limits it is complete: what was written before the call is seen by every
// process after it (CLI and MCP writes end with it).
func Refresh(ctx context.Context, ws *workspace.Workspace, env sysenv.Env, l Limits) (Report, error) {
	return refresh(ctx, ws, env, l)
}

// RefreshFiles is Refresh for a caller that knows what it just wrote or removed:
// files are absolute paths of entry files, and nothing else is compared, so that
// a write in a store of ten thousand entries does not walk it. It is complete
// for those files.
func RefreshFiles(ctx context.Context, ws *workspace.Workspace, env sysenv.Env, files ...string) (Report, error) {
	return refreshFiles(ctx, ws, env, files)
}

// Status reads the state without changing anything.
func Status(ws *workspace.Workspace, env sysenv.Env) (Report, error) { return status(ws, env) }

// Open opens the current generation read-only: no lock, a bounded wait, one
// more look when the generation vanished meanwhile. The caller closes it.
func Open(ws *workspace.Workspace, env sysenv.Env) (*Index, error) { return open(ws, env) }

// Index is an open generation; it is a catalog.Source with a text door.
type Index struct{ index }

var _ catalog.Source = (*Index)(nil)
