package host

import (
	"path/filepath"

	"pathrule/internal/sysenv"
)

// claude is Claude Code. Its event names, envelopes and keys are the canonical
// ones. Sources: its published hooks reference, the type declarations of the
// agent SDK 0.3.332, and release 2.1.332 driven against a scripted model.
type claude struct{ base }

func (claude) ID() string        { return "claude-code" }
func (claude) Aliases() []string { return []string{"claude"} }
func (claude) Title() string     { return "Claude Code" }

func (c claude) Decode(payload []byte, env sysenv.Env) (Event, error) {
	ev, err := decodeNested(c.ID(), payload, env)
	if err != nil {
		return ev, err
	}
	// The session's id stands in the environment too, for payloads that lost it.
	if ev.Session == "" {
		ev.Session = env.Get("CLAUDE_CODE_SESSION_ID")
	}
	ev.Roots = appendSet(ev.Roots, env.Get("CLAUDE_PROJECT_DIR"))
	return ev, nil
}

// Encode: additionalContext counts only inside hookSpecificOutput, beside the
// right hookEventName; at the top level it is ignored silently. Stop's context
// would make the turn go on, so Stop has no channel here.
func (claude) Encode(ev Event, r Reply) []byte {
	switch ev.Name {
	case SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, PostToolUseFailure, SubagentStart:
		return encodeNested(ev.Name, r)
	}
	return nil
}

// Cap: each output over 10,000 UTF-16 units goes to a file and the model sees
// 2 KB of it.
func (claude) Cap(EventName) Cap { return Cap{Max: 9_500, Unit: UTF16} }

func (claude) Tool(tool string) string { return "mcp__pathrule__" + tool }

// Registrations: PreToolUse context and PostToolUse context reach the model in
// the same message, after the tool's result, so one process per tool call is
// enough; a route that was followed is seen before the tool as well as after. A
// command that failed is worth one of its own.
func (claude) Registrations() []Registration {
	return []Registration{
		{Event: "SessionStart", Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "UserPromptSubmit", Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "PreToolUse", Matcher: "Read|Edit|Write|MultiEdit|NotebookEdit|Grep|Glob|Bash|PowerShell|AskUserQuestion", Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "SubagentStart", Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "PreCompact", Program: "pathrule-hook", Timeout: 10},
		{Event: "SessionEnd", Program: "pathrule-hook", Timeout: 5},
		{Event: "PostToolUse", Matcher: "Edit|Write|MultiEdit|NotebookEdit|Bash|PowerShell", Program: "pathrule-hook", Timeout: 10, Speaks: true, Check: true},
		{Event: "PostToolUseFailure", Matcher: "Bash|PowerShell", Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "Stop", Program: "pathrule-hook", Timeout: 10, Check: true},
		// Rule files that we compiled, loaded for a path or again after compaction.
		{Event: "InstructionsLoaded", Matcher: "path_glob_match|compact", Program: "pathrule-hook", Timeout: 10, Native: true},
		{Event: "SubagentStop", Program: "pathrule-hook", Timeout: 10, Hook: true},
		{Event: "PostCompact", Program: "pathrule-hook", Timeout: 10, Hook: true},
		{Event: "StopFailure", Program: "pathrule-hook", Timeout: 10, Hook: true},
		{Event: "PermissionRequest", Program: "pathrule-hook", Timeout: 10, Hook: true},
	}
}

func (claude) Shape() HookShape {
	return HookShape{Key: "hooks", Grouped: true, Exec: true, Type: "command", Timeout: "timeout"}
}

func (claude) HookFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	if scope == Project {
		return jsonFile(root, ".claude", "settings.json")
	}
	return jsonFile(claudeHome(env), "settings.json")
}

// MCPFile: the user's servers stand in ~/.claude.json, which moves into
// CLAUDE_CONFIG_DIR when that is set.
func (claude) MCPFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	if scope == Project {
		return jsonFile(root, ".mcp.json")
	}
	if dir := absVar(env, "CLAUDE_CONFIG_DIR"); dir != "" {
		return jsonFile(dir, ".claude.json")
	}
	return jsonFile(env.UserHome, ".claude.json")
}

func (claude) Detect(env sysenv.Env) (string, bool) {
	return detect(env, "claude", claudeHome(env))
}

func claudeHome(env sysenv.Env) string {
	if dir := absVar(env, "CLAUDE_CONFIG_DIR"); dir != "" {
		return dir
	}
	return under(env.UserHome, ".claude")
}

func under(dir string, parts ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, parts...)...)
}

// Refuse: the reason reaches the model as the tool's result; a held stop is a
// further turn. Of a blocked prompt the model sees nothing, the reason is shown
// to the person.
func (claude) Refuse(ev Event, reason string) (Output, bool) { return refuseNested(ev.Name, reason) }

func (claude) Facts() Facts {
	return Facts{
		Version: "2.1.332",
		Seen:    true,
		Moments: []Moment{
			{"session", "SessionStart", "a reminder before the first message; kept over compaction by firing again"},
			{"prompt", "UserPromptSubmit", "a reminder beside the prompt"},
			{"tool", "PreToolUse", "with the tool's result, in the same message"},
			{"tool", "PostToolUseFailure", "after the error of a shell command, in the same message"},
			{"subagent", "SubagentStart", "the subagent's own first message"},
		},
		Deny: "`permissionDecision: deny` before a tool, `decision: block` at Stop",
	}
}
