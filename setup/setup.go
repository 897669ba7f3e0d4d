// Package setup plans and applies edits to AI clients' configuration files:
// hooks and MCP entries, project and user scope. Merges are lossless (comments,
// order, BOM, line ends), ownership is by exact match, unsetup gives back the
// bytes that were there, and a file we cannot rewrite without loss is refused.
package setup

import (
	"pathrule/host"
	"pathrule/internal/sysenv"
)

// Options of a setup or unsetup.
type Options struct {
	Scope      host.Scope // "" is user
	SessionEnd bool       // also register the SessionEnd queue hook
	Force      bool       // allow a second scope
	// Pathrule and Hook are the absolute paths of the two programs, "" to look
	// beside env.Executable.
	Pathrule, Hook string
}

// Edit is one file that would change.
type Edit struct {
	Host    string
	Path    string // absolute
	Surface string // "hooks" or "mcp"
	Action  string // "create", "update", "remove", "keep", "refuse"
	Why     string // for refuse: file, line, remedy
	Before  []byte // nil: the file does not exist
	After   []byte // nil: the file is removed
}

// Plan is what setup or unsetup of some hosts would do.
type Plan struct {
	Edits []Edit
	// Next are lines the person must read: the trust step in Codex, the switch
	// that stops a double import, ...
	Next []string
}

// PlanSetup computes the edits that wire hosts for the project root ("": user
// scope outside a project). It reads only.
func PlanSetup(hosts []host.Host, root string, o Options, env sysenv.Env) (Plan, error) {
	return planSetup(hosts, root, o, env)
}

// PlanUnsetup computes the edits that take our entries out again.
func PlanUnsetup(hosts []host.Host, root string, o Options, env sysenv.Env) (Plan, error) {
	return planUnsetup(hosts, root, o, env)
}

// Apply writes a plan, file by file, atomically, keeping what unsetup needs to
// give the bytes back. A file that changed since the plan is refused.
func Apply(p Plan, env sysenv.Env) error { return apply(p, env) }

// Installed is one registration of ours found in a client's file.
type Installed struct {
	Host    string
	Scope   host.Scope
	Surface string // "hooks" or "mcp"
	Path    string // file
	Event   string // hooks: the event
	Command string // as written
	Timeout int
	Problem string // "" when sound: wrong timeout, missing program, duplicate, ...
}

// Inspect lists every registration of ours in the files of all known hosts for
// root, with what is wrong with each. It reads only.
func Inspect(root string, env sysenv.Env) ([]Installed, error) { return inspect(root, env) }
