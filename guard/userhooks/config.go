// Package userhooks reads hooks.json as strictly as it can, chooses the hooks
// that an event is for, and runs them: commands, tools of our own MCP server,
// entries to tell. What a hook may decide, and how long it may take, is settled
// here; how a client is told stands in hookrunner.
//
// Strict, because the lenient way is dangerous: a misspelt "decision" or
// "on_error" that silently permits is a guard that nobody knows to be off.
package userhooks

import (
	"regexp"
	"time"

	"pathrule/workspace"
)

// The bounds.
const (
	// Total is the time for all hooks of one event together.
	Total = 8 * time.Second
	// DefaultTimeout is the time of one action that names none.
	DefaultTimeout = 5 * time.Second
	// DefaultOutput and maxOutput bound what is kept of one command's stdout, in
	// bytes; the same again of its stderr.
	DefaultOutput = 64 << 10
	maxOutput     = 1 << 20
	maxSections   = 16
	maxHooks      = 200
	maxActions    = 20
)

// OnError is what an action's failure means.
type OnError string

// The values of on_error.
const (
	Ignore OnError = "ignore" // noted, the next action runs
	Fail   OnError = "fail"   // noted, no further action of the event runs
	Block  OnError = "block"  // counts as deny
)

// Config is one file of hooks, whole and right.
type Config struct {
	Enabled bool
	// Env are the variables of the file, sorted by name.
	Env   []Var
	Hooks []Hook
}

// Var is one environment variable.
type Var struct{ Name, Value string }

// Hook is one hook.
type Hook struct {
	Name string // "" in the file becomes "hook N"
	// Event is the canonical event, Written the name in the file, Shell set for
	// the aliases that mean shell commands alone.
	Event, Written string
	Shell          bool
	Matcher        *regexp.Regexp // nil: any
	Paths          []string       // conditions.paths, as written
	scope          workspace.Scope
	Priority       int
	Enabled        bool
	Actions        []Action
	Line           int
	matcherGiven   bool
}

// Action is one action of a hook.
type Action struct {
	Type string // command, tool, inject
	// Command is a line for the shell, Argv a program without one; one of both.
	Command string
	Argv    []string
	WorkDir string // slash path inside the project, "" for none
	Tool    string
	Input   string // JSON object for the tool
	// Tell: the tool's answer is a text for the model.
	Tell    bool
	Entries []string // references of the entries to tell
	// Optional: of retention, for an inject action.
	Optional bool
	Timeout  time.Duration
	// TimeoutSet and OnErrorSet: the file says so, here or in its defaults.
	TimeoutSet, OnErrorSet bool
	OnError                OnError
	MaxOutput              int // bytes
	Line                   int
}

// Problem is what is wrong with a file, and where.
type Problem struct {
	Line, Col int    // 1-based
	Msg       string // lower case, no full stop
	Remedy    string
}
