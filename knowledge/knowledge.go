// Package knowledge holds what a team knows: memories (facts), rules
// (constraints) and skills (procedures), each one Markdown file tied to
// workspace paths. The files are the only source of truth.
//
// This package has the types, the names of files and entries, the versions and
// the line reader that the hook uses. Full YAML frontmatter lives in
// knowledge/frontmatter and everything that writes in knowledge/store, so that
// the hook links neither.
package knowledge

import (
	"fmt"

	"pathrule/workspace"
)

// Kind is one of the three kinds of knowledge.
type Kind string

// The kinds, in the order in which listings show them.
const (
	Memory Kind = "memory"
	Rule   Kind = "rule"
	Skill  Kind = "skill"
)

// Kinds are all kinds in listing order.
var Kinds = []Kind{Memory, Rule, Skill}

// Dir is the folder of the kind inside a store: "memories", "rules", "skills".
func (k Kind) Dir() string {
	switch k {
	case Memory:
		return "memories"
	case Rule:
		return "rules"
	case Skill:
		return "skills"
	}
	return ""
}

// Priority orders rules. Memories and skills have Medium.
type Priority string

// The priorities of a rule; an empty one reads as Medium.
const (
	High   Priority = "high"
	Medium Priority = "medium"
	Low    Priority = "low"
)

// PersonalPrefix begins the id of an entry in the user's own store.
const PersonalPrefix = "personal/"

// Block is a pattern that a rule forbids once a person approved it.
type Block struct {
	Pattern string   `json:"pattern"`         // RE2
	Paths   []string `json:"paths,omitempty"` // as Entry.Paths; empty: the rule's own
	On      string   `json:"on,omitempty"`    // edit, shell, both; "" reads as edit
	Message string   `json:"message"`
}

// Check is a command that must pass after edits in its paths.
type Check struct {
	Command string   `json:"command"`
	Paths   []string `json:"paths,omitempty"`
	Message string   `json:"message"`
}

// Entry is one memory, rule or skill as its file says it.
type Entry struct {
	Kind Kind
	// ID is the path below the kind's folder without extension, NFC; a skill's
	// is its folder. Entries of the personal store carry PersonalPrefix.
	ID string
	// Title is "title" ("name" for a skill), else the first "# " heading, else
	// the last segment of the ID.
	Title       string
	Description string // skills; read for the other kinds too when it is there
	Paths       []string
	Tags        []string
	Related     []string
	Priority    Priority
	Enforcement string // advisory, strict; rules
	Block       []Block
	Check       *Check
	Source      string
	Created     string
	Updated     string // read, never written
	// Workspaces limits an entry of the personal store to some workspaces; empty
	// means all. See InWorkspace.
	Workspaces []string

	// Body is the text after the frontmatter, byte for byte.
	Body string
	// BodyOffset is where Body begins in the file, in bytes.
	BodyOffset int
	// File is the slash path of the file relative to the store.
	File string
	// Version is xxhash64 of the file's bytes, 16 hex digits.
	Version string
}

// Scope compiles the entry's paths for a store whose workspace root lies at
// prefix below the base ("" when not nested).
func (e *Entry) Scope(prefix string) (workspace.Scope, error) {
	return workspace.ParseScopeAt(e.Paths, prefix)
}

// Key is "kind:id".
func (e *Entry) Key() string { return string(e.Kind) + ":" + e.ID }

// ParseError says what is wrong with a file, where, and what to do.
type ParseError struct {
	Path   string // as the user would open it
	Line   int    // 1-based; 0: the file as a whole
	Msg    string // lower case, no full stop
	Remedy string
}

func (e *ParseError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Msg)
	}
	return fmt.Sprintf("%s: %s", e.Path, e.Msg)
}
