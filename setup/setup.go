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
	SessionEnd bool       // also register the SessionEnd queue hook; one that is there stays
	// Force allows a second scope, and replaces a file of ours that somebody
	// edited (its bytes are kept for unsetup). Refresh allows the second scope
	// alone: what is set up already is brought up to date.
	Force, Refresh bool
	// Pathrule and Hook are the absolute paths of the two programs, "" to look
	// beside env.Executable (a stable path on PATH is preferred when it leads to
	// the same file). Without a pathrule-hook every event is registered as
	// "pathrule hook". Not used in project scope, which names them bare.
	Pathrule, Hook string

	root string // the project that is planned for, "" for none
}

// The surfaces of a client.
const (
	Hooks = "hooks"
	MCP   = "mcp"
)

// The actions of an edit.
const (
	Create = "create"
	Update = "update"
	Remove = "remove" // the file goes: setup had made it
	Keep   = "keep"   // nothing to change
	Refuse = "refuse" // left as it is; Why says what stands in the way
)

// Edit is one file that would change.
type Edit struct {
	Host    string
	Scope   host.Scope
	Path    string // absolute, as the client names it (a link stays a link)
	Surface string // "hooks", "mcp", or "hooks+mcp" for one file with both
	Action  string // "create", "update", "remove", "keep", "refuse"
	Summary string // "6 hooks added, 1 stale hook removed"
	Why     string // for refuse: file, line, remedy
	Before  []byte // nil: the file does not exist
	After   []byte // nil: the file is removed

	made   []string // members that setup adds, for unsetup to prune
	ours   bool     // Before holds entries of ours
	unsets bool     // takes out what setup wrote
	own    bool     // every byte is ours
	exec   bool     // gets the executable bits
}

// Plan is what setup or unsetup of some hosts would do.
type Plan struct {
	Edits []Edit
	// Next are lines the person must read: the trust step in Codex, what to
	// restart, a client that cannot read the file as it is, ...
	Next []string
}

// Changes reports whether Apply would write anything.
func (p Plan) Changes() bool {
	for _, e := range p.Edits {
		if e.Action == Create || e.Action == Update || e.Action == Remove {
			return true
		}
	}
	return false
}

// Refused are the edits that cannot be made.
func (p Plan) Refused() []Edit {
	var out []Edit
	for _, e := range p.Edits {
		if e.Action == Refuse {
			out = append(out, e)
		}
	}
	return out
}

// PlanSetup computes the edits that wire hosts for the project root ("": user
// scope outside a project). It reads only. The error is for what no plan can
// answer (no program, project scope without a project); trouble with one file
// is an edit with the action "refuse".
func PlanSetup(hosts []host.Host, root string, o Options, env sysenv.Env) (Plan, error) {
	o.root = root
	return planSetup(hosts, root, o, env)
}

// PlanUnsetup computes the edits that take our entries out again.
func PlanUnsetup(hosts []host.Host, root string, o Options, env sysenv.Env) (Plan, error) {
	return planUnsetup(hosts, root, o, env)
}

// Apply writes a plan, file by file, atomically, keeping what unsetup needs to
// give the bytes back. Refused edits are passed over. A file that changed
// since the plan is refused before anything is written, unless it already
// holds what the plan wants (a second setup at the same time).
func Apply(p Plan, env sysenv.Env) error { return apply(p, env) }

// Print is what setup would write for one client, as text to paste by hand.
func Print(h host.Host, root string, o Options, env sysenv.Env) (string, error) {
	o.root = root
	return printed(h, root, o, env)
}

// Installed is one registration of ours found in a client's file, or one that
// is missing there (Command is then empty).
type Installed struct {
	Host    string
	Scope   host.Scope
	Surface string // "hooks" or "mcp"
	Path    string // file
	Line    int    // 1-based, 0 for a missing one
	Event   string // hooks: the event
	Matcher string
	Command string   // as written, with its arguments
	Argv    []string // program and arguments as the client starts them; for a shell line the words of it
	Shell   bool     // the client hands Command to a shell
	Env     []string // "NAME=value" that the entry sets
	Timeout int      // in the client's unit
	Own     bool     // the file is wholly ours, and Event is empty: it serves them all
	Folder  string   // mcp: the entry counts in this folder alone
	Twice   bool     // registered in the user's files as well as in the project's
	Problem string   // "" when sound: wrong timeout, missing program, duplicate, ...
	Note    string   // true and worth knowing, but nothing to mend in the file
}

// Inspect lists every registration of ours in the files of all known hosts for
// root, with what is wrong with each. It reads only.
func Inspect(root string, env sysenv.Env) ([]Installed, error) { return inspect(root, env) }
