// Package compile writes rule files for clients that have no hooks: one
// always-on protocol file plus path files by the client's own means, within
// its size limits, with provenance, never touching a byte that is not ours.
//
// Knowledge becomes outputs (outputs.go, agents.go), outputs meet the disk and
// the manifest in Plan, and Apply writes what Plan found. Only the entries of
// the workspace's own store are compiled: inherited ones are compiled where
// they live, because every client here also reads the rules of the folders
// above, and personal ones never leave the home.
package compile

import (
	"pathrule/index/catalog"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// The actions of a Change.
const (
	Add    = "add"
	Update = "update"
	Remove = "remove"
	Keep   = "keep"
	Refuse = "refuse"
)

// Change is one file that a compile makes, rewrites or removes.
type Change struct {
	Path   string // slash path relative to the root
	Action string // Add, Update, Remove, Keep, Refuse
	Why    string // for Refuse: what stands in the way and the remedy
	// Before and After are the whole file; nil: it does not exist.
	Before []byte
	After  []byte

	// record is what the manifest will say of the file; nil: nothing.
	record *Managed
}

// Options of one compile.
type Options struct {
	Target string // one of Targets
	// Force overwrites output of ours that was edited by hand.
	Force bool
	// AllowDouble lets two targets stand that one client reads; it would load
	// every note twice.
	AllowDouble bool
	// Remove plans the removal of everything the target has written, and gives a
	// shared file back its own bytes.
	Remove bool
}

// Plan computes what would change for one target; it writes nothing. Same
// knowledge, same bytes. The changes are sorted by path; one whose Action is
// not Keep is a finding for --check. An error says that nothing could be
// planned: unknown target, unreadable manifest, an index that is not current.
func Plan(ws *workspace.Workspace, src catalog.Source, o Options, env sysenv.Env) ([]Change, error) {
	return plan(ws, src, o, env)
}

// Apply writes a plan and the manifest managed.json in the store; what the plan
// refuses stays as it is. It stops at the first file that changed since the
// plan was made.
func Apply(ws *workspace.Workspace, changes []Change, o Options, env sysenv.Env) error {
	return apply(ws, changes, o, env)
}

// Targets are the names that Options.Target takes, in documentation order.
func Targets() []string { return targets() }
