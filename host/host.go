// Package host knows AI clients: for each, which events it sends and in what
// shape, which of them bring text to the model and in which envelope, caps in
// the host's own unit, where its configuration lies and how an entry of ours
// looks there. One table drives installer, runner, compiler, doctor, docs and
// tests; adding a client is one file.
package host

import (
	"pathrule/internal/sysenv"
)

// EventName is the canonical (Claude Code) name of an event.
type EventName string

// The canonical events. Speaking events may bring context to the model,
// book-keeping events always answer empty.
const (
	SessionStart       EventName = "SessionStart"
	UserPromptSubmit   EventName = "UserPromptSubmit"
	PreToolUse         EventName = "PreToolUse"
	PostToolUse        EventName = "PostToolUse"
	PostToolUseFailure EventName = "PostToolUseFailure"
	SubagentStart      EventName = "SubagentStart"
	PreCompact         EventName = "PreCompact"
	SubagentStop       EventName = "SubagentStop"
	Stop               EventName = "Stop"
	SessionEnd         EventName = "SessionEnd"
	Other              EventName = "" // known to the host, nothing to us
)

// Op is what a tool does to a path.
type Op string

// The operations.
const (
	Read   Op = "read"
	Edit   Op = "edit"
	Create Op = "create"
	Delete Op = "delete"
	Search Op = "search" // Grep/Glob folder
	Shell  Op = "shell"  // operand of a shell command, only if it exists
	Arg    Op = "arg"    // path-like argument of another tool, only if it exists
)

// Touch is one path that a tool names, as the payload spells it (an operand
// after `cd DIR &&` is joined to DIR); relative paths start at Event.Cwd.
type Touch struct {
	Path string
	Op   Op
}

// Event is one host event in canonical form.
type Event struct {
	Host      string
	Name      EventName
	RawName   string // as the host spells it
	Session   string // "" when the payload has none
	Agent     string // subagent id
	AgentType string
	// Cwd is the payload's own folder, "" when it names none. Roots are further
	// folders to take the project from when Cwd is no use: the payload's
	// workspace roots, then the host's environment variable.
	Cwd    string
	Roots  []string
	Prompt string
	// UserTurn is false for prompt events that are no user's turn (task
	// notifications, empty continuations): they deliver nothing.
	UserTurn bool
	// Source of SessionStart: startup, resume, clear, compact, fork, ...; of
	// PreCompact its trigger, of SessionEnd its reason.
	Source    string
	Tool      string // as the host names it
	ToolUseID string
	PromptID  string
	TurnID    string
	Touches   []Touch
	// StopActive: the host says that a stop hook already held this turn.
	StopActive bool
}

// Reply is what we answer; an empty one answers nothing at all.
type Reply struct {
	// Context is for the model.
	Context string
	// Notice is one line for the person at the keyboard, where the host shows one.
	Notice string
}

// Unit is how a host counts its cap.
type Unit string

// The units.
const (
	UTF16  Unit = "utf16"  // UTF-16 code units (JavaScript string length)
	Token4 Unit = "token4" // ceil(UTF-8 bytes / 4)
)

// Cap is the room for one context.
type Cap struct {
	Max  int
	Unit Unit
}

// Registration is one event that setup registers.
type Registration struct {
	Event   string // as the host spells it
	Matcher string // "" when the event takes none
	// Program is "pathrule-hook", which hands session and prompt events on to
	// the program beside it that has the index; that is quicker than starting
	// "pathrule hook", which answers every event too (scripts/bench-hook).
	Program string
	Timeout int // in the host's unit
	// Speaks: the event's output reaches the model (else it is book-keeping).
	Speaks bool
}

// HookShape says how a client's hook file writes a registration. The file is
// {"hooks": {EVENT: [...]}}.
type HookShape struct {
	// Grouped: the event's list holds {"matcher": M, "hooks": [HANDLER]}; else
	// the handlers stand in the list themselves, with "matcher" inside.
	Grouped bool
	// Exec: "command" is one program and "args" its arguments, no shell between;
	// else "command" is a line for a shell.
	Exec bool
	// Type is written as "type" in each handler, "" for none.
	Type string
	// Timeout is the name of the handler's time-out member, "" when the client
	// has none.
	Timeout string
	// Windows is the member that holds the command line for Windows; "" when
	// the client has no separate one.
	Windows string
	// Version is written as "version" at the top of a file we make; 0: none.
	Version int
}

// Scope is where a client's configuration applies.
type Scope string

// The scopes.
const (
	User    Scope = "user"
	Project Scope = "project"
)

// ConfigFile is one configuration file of a client.
type ConfigFile struct {
	Path   string // absolute
	Format string // "json" (JSONC accepted) or "toml"
}

// Host is one AI client.
type Host interface {
	ID() string        // "claude-code"
	Aliases() []string // "claude"
	Title() string     // "Claude Code"
	// Decode reads one payload (one JSON value, already cleaned). The error is
	// for the log; the runner then stays silent.
	Decode(payload []byte, env sysenv.Env) (Event, error)
	// Encode renders a reply in the exact envelope of the event; nil means an
	// empty stdout. An event whose output does not reach the model gives nil.
	Encode(ev Event, r Reply) []byte
	// Cap is the room for one context of this event.
	Cap(ev EventName) Cap
	// Tool is the name under which the host shows a tool of our MCP server.
	Tool(tool string) string
	// Registrations are the events setup registers, in order; empty for a client
	// without hooks that reach the model.
	Registrations() []Registration
	// Shape is how those are written.
	Shape() HookShape
	// Wiring is what else setup and doctor need to know.
	Wiring() Wiring
	// HookFile and MCPFile are the client's files for a scope; ok is false when
	// it has none there. root is the project root.
	HookFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool)
	MCPFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool)
	// Detect says whether the client is installed and how that was seen
	// ("claude on PATH", "~/.claude exists").
	Detect(env sysenv.Env) (string, bool)
}
