// Package importer turns the instruction files that a project already has for
// its AI clients (CLAUDE.md, AGENTS.md, .cursor/rules, Copilot instructions,
// Kiro steering, SKILL.md folders, …) into entries of a pathrule store, and an
// export of a store back into one.
//
// Plan reads and decides; it writes nothing. Every file that it looked at has
// one line in the Report: imported, merged with another, or skipped with the
// reason. Apply writes what was planned. The source files are never touched.
//
//	walk -> read -> follow @imports -> merge same text -> split, kind, scope,
//	title, id -> compare with what the store holds -> report
//
// Text is kept byte for byte; only where an entry counts, its title, its kind
// and its id are derived, and the report says from what.
package importer

import (
	"pathrule/knowledge"
)

// Options; the zero value imports everything that a client would read.
type Options struct {
	// Paths are files and folders below the root (slash paths, relative to it)
	// to which the import is limited. What was named is imported although it
	// would otherwise be left out, such as commands or files below examples/.
	Paths []string
	// All also takes Markdown files that no client reads where they lie:
	// libraries of rules, files below tests and examples.
	All bool
	// Split makes one entry of each section instead of one of each file.
	Split bool
	// Kind forces the kind of every entry; "" decides by form and words.
	Kind knowledge.Kind
	// Overwrite replaces entries that were edited by hand since their import.
	Overwrite bool
	// Existing and Personal are the entries that the stores hold.
	Existing, Personal []Existing
	// Before are plans that will be carried out first: their ids are taken.
	Before []*Report
	// Workspace names this workspace in entries of the personal store; ""
	// leaves personal files out.
	Workspace string
}

// Existing is an entry that stands already, with its file's bytes.
type Existing struct {
	Entry knowledge.Entry
	Raw   []byte
}

// What happens to a file.
const (
	Imported = "imported" // its text stands in entries of its own
	Merged   = "merged"   // its text stands in an entry made from another file
	Part     = "part"     // it goes along with a skill
	Skipped  = "skipped"
)

// What happens to an entry.
const (
	Create    = "create"
	Update    = "update"    // its source changed, the entry was not touched since
	Unchanged = "unchanged" // it stands as it would be written
	Edited    = "edited"    // its source changed, but so did the entry: left alone
)

// File is the result of one file.
type File struct {
	// Path is its slash path below the root.
	Path   string `json:"path"`
	Client string `json:"client,omitempty"`
	Result string `json:"result"`
	// Entries are the keys ("kind:id") that hold its text.
	Entries []string `json:"entries,omitempty"`
	// Why says why it was skipped or merged.
	Why string `json:"why,omitempty"`
	// Notes say what a person should know: what was widened, what the client
	// itself does not read, lines that look like a secret.
	Notes []string `json:"notes,omitempty"`
}

// Unit is one entry that the import makes.
type Unit struct {
	Action   string         `json:"action"`
	Kind     knowledge.Kind `json:"kind"`
	ID       string         `json:"id"`
	Title    string         `json:"title"`
	Paths    []string       `json:"paths"`
	Personal bool           `json:"personal,omitempty"`
	// From are the files that its text and its scope come from, the first one
	// first.
	From []string `json:"from"`
	// Section is the heading when the file was split.
	Section string `json:"section,omitempty"`
	// KindWhy and ScopeWhy explain the two decisions.
	KindWhy  string `json:"kind_why"`
	ScopeWhy string `json:"scope_why"`
	Bytes    int    `json:"bytes"`
	// Files is how many further files a skill brings along.
	Files int `json:"files,omitempty"`

	raw      []byte
	version  string // of the entry that is updated
	files    map[string][]byte
	programs map[string]bool
	src      *source
	placed   []placed
	body     string
}

// Key is "kind:id" as the person's stores name it.
func (u *Unit) Key() string {
	id := u.ID
	if u.Personal {
		id = knowledge.PersonalPrefix + id
	}
	return string(u.Kind) + ":" + id
}

// Splittable is a guide of several sections.
type Splittable struct {
	Path     string `json:"path"`
	Sections int    `json:"sections"`
}

// Report says what was found and what becomes of it; both lists are sorted.
type Report struct {
	Files []File `json:"files"`
	Units []Unit `json:"units"`
	// Gone are entries of an earlier import whose source is no more.
	Gone []string `json:"gone,omitempty"`
	// Splittable are guides that become one entry for the whole workspace, although
	// Options.Split would make several of them.
	Splittable []Splittable `json:"splittable,omitempty"`
	// Next are hints for the person, most useful first.
	Next []string `json:"next,omitempty"`

	sources []*source
	root    string // of the project, absolute
	team    string // to be written as team.md
}

// Counts are the entries to make by kind, and of all files those skipped and
// those with notes.
func (r *Report) Counts() (entries map[knowledge.Kind]int, skipped, noted int) {
	entries = map[knowledge.Kind]int{}
	for i := range r.Units {
		entries[r.Units[i].Kind]++
	}
	for _, f := range r.Files {
		if f.Result == Skipped {
			skipped++
		}
		if len(f.Notes) > 0 {
			noted++
		}
	}
	return entries, skipped, noted
}

// Changes is how many entries Apply would write.
func (r *Report) Changes() int {
	n := 0
	for i := range r.Units {
		if a := r.Units[i].Action; a == Create || a == Update {
			n++
		}
	}
	if r.team != "" {
		n++
	}
	return n
}

// Add puts another report behind this one.
func (r *Report) Add(o *Report) {
	r.Files = append(r.Files, o.Files...)
	r.Units = append(r.Units, o.Units...)
	r.Gone = append(r.Gone, o.Gone...)
	r.Splittable = append(r.Splittable, o.Splittable...)
	r.Next = append(r.Next, o.Next...)
	r.sources = append(r.sources, o.sources...)
	r.root, r.team = either(r.root, o.root), either(r.team, o.team)
}
