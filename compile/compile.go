// Package compile writes rule files that clients load by themselves: one
// always-on protocol file plus path files by the client's own means, within
// its size limits, with provenance, never touching a byte that is not ours.
//
// Knowledge becomes outputs (outputs.go, agents.go, single.go, skills.go) in the
// client's dialect (dialect.go), outputs meet the disk and the manifest in Plan,
// and Apply writes what Plan found. Only the entries of the workspace's own store
// are compiled: inherited ones are compiled where they live, because the clients
// also read the rules of the folders above, and personal ones leave the home
// only for files that git ignores.
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
	Skip   = "skip" // a skill's file that is not exported; Why says so
)

// Change is one file that a compile makes, rewrites or removes.
type Change struct {
	Path   string // slash path relative to the root
	Action string // Add, Update, Remove, Keep, Refuse, Skip
	Why    string // for Refuse: what stands in the way and the remedy
	// Forcible: of what is refused, Options.Force would write it all the same.
	Forcible bool
	// Before and After are the whole file; nil: it does not exist.
	Before []byte
	After  []byte

	// record is what the manifest will say of the file; nil: nothing.
	record *Managed
	exec   bool
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
	// Beside are further targets of the same run.
	Beside []string
	// Hooked: a hook of the target's own client delivers here, so that only a
	// short note remains, and only in files that are ours already.
	Hooked bool
	// PathFiles: files for some paths stay although a hook delivers.
	PathFiles bool
	// Personal also writes the user's own entries, for a target whose files git
	// ignores; Ignored reports whether it does, nil for "nothing is". Such files
	// have a manifest of their own, in the home.
	Personal bool
	Ignored  func(path string) bool
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

// Recorded are the options with which a target was compiled last, as far as its
// files tell: so a check says the same on every machine, whatever hooks are set
// up there. ok is false when it has no files.
func Recorded(target string, files []Managed) (o Options, ok bool) {
	o = Options{Target: target, Hooked: true}
	for _, f := range files {
		if f.Target != target {
			continue
		}
		ok = true
		if len(f.For) > 0 {
			o.PathFiles = true
		} else if !f.Note {
			o.Hooked = false
		}
	}
	return o, ok
}

// Targets are the names that Options.Target takes, in documentation order.
func Targets() []string { return targets() }

// Target describes one target.
type Target struct {
	Name  string
	About string
	// Host is the id of the client whose hook makes the files needless, "" where
	// many clients read them.
	Host string
	// Files are where the output lies, as a person would write it.
	Files []string
	// Readers are the clients that load them.
	Readers []Reader
	// Limit is the room in one file, "" for none.
	Limit string
	// Skills: the target holds skills and nothing else.
	Skills bool
}

// Describe tells of all targets, in documentation order.
func Describe() []Target { return describe() }
