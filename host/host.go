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
	// InstructionsLoaded: the host took a rule file into its context; the file is
	// the event's one Touch, Source says why it was loaded.
	InstructionsLoaded EventName = "InstructionsLoaded"
	// The rest is nothing to us, and a person's own hooks may be for it.
	// PermissionRequest comes when the host is about to ask the person; whoever
	// says nothing leaves it at that.
	PostCompact       EventName = "PostCompact"
	StopFailure       EventName = "StopFailure"
	PermissionRequest EventName = "PermissionRequest"
	Other             EventName = "" // known to the host, nothing to us
)

// GoesOn is the Source of a start event that a client sends before every request
// to the model and not only at a session's beginning: a start only for a session
// that had none.
const GoesOn = "goes-on"

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
	Host    string
	Name    EventName
	RawName string // as the host spells it
	// AsHook is the event that a person's own hooks see, where it is another than
	// Name: what we take for one thing may be another to them. "" for Name.
	AsHook EventName
	// Dialect tells apart the shapes in which one host sends its events and takes
	// its answers, by words of the host's own file; "" where there is one.
	Dialect   string
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
	// PreCompact and PostCompact the trigger, of SessionEnd its reason, of
	// StopFailure the kind of error.
	Source string
	// StartLost: the client builds the text of a session's start anew instead of
	// keeping it with the conversation, so that a resumed session has lost it.
	StartLost bool
	Tool      string // as the host names it
	ToolUseID string
	PromptID  string
	TurnID    string
	Touches   []Touch
	// Slot: the event can renew the one block of the system prompt that is ours,
	// on a host that sends it along with every request; Held is the id of the
	// text that stands there now, "" for none.
	Slot bool
	Held string
	// StopActive: the host says that a stop hook already held this turn.
	StopActive bool
}

// Reply is what we answer; an empty one answers nothing at all.
type Reply struct {
	// Context is for the model.
	Context string
	// Notice is one line for the person at the keyboard, where the host shows one.
	Notice string
	// Slot is what becomes of the block in the system prompt (Event.Slot).
	Slot Slot
	// Guard: approved blocks or checks exist here, so that a plugin of ours is to
	// ask before each tool. Only hosts with such a plugin tell it on.
	Guard bool
}

// Slot is a change of the text that stands in the system prompt. A change
// costs the model server's cache, so the same text is never sent twice.
type Slot struct {
	Action SlotAction
	ID     string // names Text, and comes back as Event.Held
	Text   string
}

// SlotAction is what becomes of a slot.
type SlotAction string

// The actions. Retain is the zero value: an event without an answer, and one
// that failed, leave the slot as it is.
const (
	Retain  SlotAction = ""
	Replace SlotAction = "replace"
	Clear   SlotAction = "clear"
)

// Output is what a hook process leaves behind: the bytes of both streams and
// the exit code. Only a refusal may have an exit code other than 0, and only on
// hosts that know no other way to say no.
type Output struct {
	Stdout, Stderr []byte
	Exit           int
}

// Unit is how a host counts its cap.
type Unit string

// The units.
const (
	UTF16  Unit = "utf16"  // UTF-16 code units (JavaScript string length)
	Token4 Unit = "token4" // ceil(UTF-8 bytes / 4)
	Bytes  Unit = "bytes"  // UTF-8 bytes
)

// Cap is the room for one context.
type Cap struct {
	Max  int
	Unit Unit
}

// Registration is one event that setup registers.
type Registration struct {
	Event string // as the host spells it
	// Name is the canonical event behind Event; "" where both are spelled alike.
	Name EventName
	// NameEvent: the payload does not say which event it is, so the command does
	// ("--event NAME").
	NameEvent bool
	Matcher   string // "" when the event takes none
	// Program is "pathrule-hook", which hands session and prompt events on to
	// the program beside it that has the index; that is quicker than starting
	// "pathrule hook", which answers every event too (scripts/bench-hook).
	Program string
	Timeout int // in the host's unit, see HookShape.Timeout
	// Speaks: the event's output reaches the model (else it is book-keeping).
	Speaks bool
	// Guard: the event is for refusals alone and is registered only while a block
	// is approved on this machine, since a hook that fails
	// there may stop the tool, and one that says nothing costs a process per
	// call. Setup leaves it out otherwise (Standing).
	Guard bool
	// Check: the event is for required checks alone (what was edited, what was run,
	// whether the turn may end) and is registered only while an approved check
	// needs it.
	Check bool
	// Native: the event tells what the client loaded by itself, and is registered
	// only while the setting hooks.path_rules is native or both.
	Native bool
	// Hook: the event is for a person's own hooks alone, and is registered only
	// while one of them is for it.
	Hook bool
	// Brings are the events that a person's own hooks see of it, where that is not
	// Canonical alone.
	Brings []EventName
	// Shell: it comes with shell commands alone, and no other event of the same
	// canonical name does.
	Shell bool
	// Every is the matcher under which all tools count, "" for none at all; for
	// hooks that are for other tools than Matcher names.
	Every string
}

// Hooked are the events that a person's own hooks see of a registration.
func (r Registration) Hooked() []EventName {
	if r.Brings != nil {
		return r.Brings
	}
	return []EventName{r.Canonical()}
}

// Hooked is the event that a person's own hooks see.
func (ev Event) Hooked() EventName {
	if ev.AsHook != "" {
		return ev.AsHook
	}
	return ev.Name
}

// Named is a host that sends payloads without the name of their event.
type Named interface {
	// DecodeNamed is Decode for a registration that named its event, as the host
	// spells it; a name in the payload itself counts more.
	DecodeNamed(event string, payload []byte, env sysenv.Env) (Event, error)
}

// Registering is a host whose own files hold its registrations.
type Registering interface {
	// OwnFilesFor is OwnFiles for these of its registrations.
	OwnFilesFor(regs []Registration, scope Scope, root string, argv []string, env sysenv.Env) []OwnFile
}

// Standing are the registrations that setup always writes: those that are not
// for refusals, checks or a person's own hooks alone, and need no setting.
func Standing(list []Registration) []Registration {
	var out []Registration
	for _, r := range list {
		if !r.Guard && !r.Check && !r.Native && !r.Hook {
			out = append(out, r)
		}
	}
	return out
}

// Canonical is the event behind the registration's own name.
func (r Registration) Canonical() EventName {
	if r.Name != "" {
		return r.Name
	}
	return EventName(r.Event)
}

// HookShape says how a client's hook file writes a registration. Most files are
// {"hooks": {EVENT: [...]}}.
type HookShape struct {
	// Key is the member that holds the map of events, "hooks" for most; "" when
	// the file itself is that map.
	Key string
	// Grouped: the event's list holds {"matcher": M, "hooks": [HANDLER]}; else
	// the handlers stand in the list themselves, with "matcher" inside.
	Grouped bool
	// Exec: "command" is one program and "args" its arguments, no shell between;
	// else Command is a line for a shell.
	Exec bool
	// Command is the member that holds the shell line, "" for "command".
	Command string
	// Type is written as "type" in each handler, "" for none.
	Type string
	// Timeout is the name of the handler's time-out member, "" when the client
	// has none.
	Timeout string
	// Millis: time-outs are written in milliseconds, else in seconds.
	Millis bool
	// Windows is the member that holds the command line for Windows; "" when
	// the client has no separate one. WindowsCall: that line runs in PowerShell
	// and a quoted program needs the call operator "&" in front.
	Windows     string
	WindowsCall bool
	// WindowsExtra are further members of each handler in the user's own file on
	// Windows, for a client that must be told its shell.
	WindowsExtra []Member
	// Version is written as "version" at the top of a file we make; 0: none.
	Version int
	// Extra are further members of each handler, in order.
	Extra []Member
}

// Member is one JSON member; Val is a string, bool, int, []string or []Member.
type Member struct {
	Key string
	Val any
}

// OwnFile is a file of which every byte is ours, for a client whose hook is a
// file of its own (a plugin, a script named after its event) and no entry in a
// shared one. Data depends on nothing but its inputs and begins, behind what the
// format puts first, with a line that names pathrule as its maker.
type OwnFile struct {
	Path string // absolute
	Data []byte
	Exec bool // gets the executable bits
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
	// Key is HookShape.Key of this file where it differs from the client's other
	// ones; "" where it does not.
	Key string
}

// In is the shape as a file has it.
func (s HookShape) In(f ConfigFile) HookShape {
	if f.Key != "" {
		s.Key = f.Key
	}
	return s
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
	// Refuse renders the host's own "no" for an event with a reason for the model:
	// a tool denied (PreToolUse), a stop held (Stop), a prompt not sent on
	// (UserPromptSubmit), a permission denied before the person is asked
	// (PermissionRequest). ok is false where the host has no such channel. Only
	// approved rules, checks and a person's own hooks may use it.
	Refuse(ev Event, reason string) (out Output, ok bool)
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
	// Sample is a small payload of one of the registered events, for doctor to
	// try a command with: session and folder in the client's own members, and
	// file (an absolute path) where the event names one.
	Sample(r Registration, session, cwd, file string) []byte
	// OwnFiles are the files that are wholly ours for a scope, argv being the
	// words of the hook command with its --host and --env flags. nil for a client
	// whose hooks are entries in HookFile.
	OwnFiles(scope Scope, root string, argv []string, env sysenv.Env) []OwnFile
	// Facts are what the documentation says of the client beside its table.
	Facts() Facts
	// Detect says whether the client is installed and how that was seen
	// ("claude on PATH", "~/.claude exists").
	Detect(env sysenv.Env) (string, bool)
}
