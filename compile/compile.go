// Package compile writes rule files for clients that have no hooks: one
// always-on protocol file plus path files by the client's own means, within
// its size limits, with provenance, never touching a byte that is not ours.
package compile

import (
	"pathrule/index/catalog"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// Change is one file that a compile makes, rewrites or removes.
type Change struct {
	Path   string // slash path relative to the root
	Action string // "add", "update", "remove", "keep", "refuse"
	Why    string // for refuse: what stands in the way and the remedy
	Before []byte
	After  []byte
}

// Options of one compile.
type Options struct {
	Target string // "windsurf", "devin-local", "agents"
	Force  bool   // overwrite hand-edited output of ours
}

// Plan computes what would change for one target; it writes nothing. Same
// knowledge, same bytes.
func Plan(ws *workspace.Workspace, src catalog.Source, o Options, env sysenv.Env) ([]Change, error) {
	return plan(ws, src, o, env)
}

// Apply writes a plan and the manifest .pathrule/managed.json.
func Apply(ws *workspace.Workspace, changes []Change, o Options, env sysenv.Env) error {
	return apply(ws, changes, o, env)
}

// Targets are the names that Options.Target takes, in documentation order.
func Targets() []string { return targets() }
