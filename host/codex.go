package host

import "pathrule/internal/sysenv"

// codex is the OpenAI Codex CLI. Event names and envelope are Claude Code's,
// but one unknown or unsupported key makes it drop the whole answer. Sources:
// the schemas inside release 0.171.0 and that release driven against a
// scripted model.
type codex struct{ base }

func (codex) ID() string        { return "codex" }
func (codex) Aliases() []string { return nil }
func (codex) Title() string     { return "Codex" }

// Decode: cwd of a shell call is that call's own folder. There is no variable
// with the project's folder.
func (c codex) Decode(payload []byte, env sysenv.Env) (Event, error) {
	return decodeNested(c.ID(), payload, env)
}

// Encode writes the two keys that every speaking event's schema has, and no
// suppressOutput, which fails PreToolUse and PostToolUse.
func (codex) Encode(ev Event, r Reply) []byte {
	switch ev.Name {
	case SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, SubagentStart:
		return encodeNested(ev.Name, r)
	}
	return nil
}

// Cap: 10,000 bytes (2,500 tokens of four bytes) pass whole.
func (codex) Cap(EventName) Cap { return Cap{Max: 2_400, Unit: Token4} }

// Tool: Codex turns every character of a server name but letters, digits and
// "_" into "_"; ours has none of those.
func (codex) Tool(tool string) string { return "mcp__pathrule__" + tool }

// Registrations: reads are shell commands, edits are apply_patch. Its matchers
// are exact names joined by "|"; Edit and Write are aliases of apply_patch and
// would start us twice. SessionEnd is clamped to 3 s with a warning above it.
func (codex) Registrations() []Registration {
	return []Registration{
		{Event: "SessionStart", Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "UserPromptSubmit", Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "PreToolUse", Matcher: "Bash|apply_patch|view_image", Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "SubagentStart", Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "PreCompact", Program: "pathrule-hook", Timeout: 10},
		{Event: "SessionEnd", Program: "pathrule-hook", Timeout: 3},
		{Event: "PostToolUse", Matcher: "Bash|apply_patch", Program: "pathrule-hook", Timeout: 10, Speaks: true, Check: true},
		{Event: "Stop", Program: "pathrule-hook", Timeout: 10, Check: true},
		{Event: "SubagentStop", Program: "pathrule-hook", Timeout: 10, Hook: true},
		{Event: "PostCompact", Program: "pathrule-hook", Timeout: 10, Hook: true},
		{Event: "PermissionRequest", Program: "pathrule-hook", Timeout: 10, Hook: true},
	}
}

func (codex) Shape() HookShape {
	return HookShape{Key: "hooks", Grouped: true, Type: "command", Timeout: "timeout", Windows: "commandWindows"}
}

func (codex) HookFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	if scope == Project {
		return jsonFile(root, ".codex", "hooks.json")
	}
	return jsonFile(codexHome(env), "hooks.json")
}

func (codex) MCPFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	dir := codexHome(env)
	if scope == Project {
		dir = under(root, ".codex")
	}
	if dir == "" {
		return ConfigFile{}, false
	}
	return ConfigFile{Path: under(dir, "config.toml"), Format: "toml"}, true
}

func (codex) Detect(env sysenv.Env) (string, bool) { return detect(env, "codex", codexHome(env)) }

func codexHome(env sysenv.Env) string {
	if dir := absVar(env, "CODEX_HOME"); dir != "" {
		return dir
	}
	return under(env.UserHome, ".codex")
}

// Refuse: both shapes were seen to hold on the release above.
func (codex) Refuse(ev Event, reason string) (Output, bool) { return refuseNested(ev.Name, reason) }

func (codex) Facts() Facts {
	return Facts{
		Version: "0.171.0",
		Seen:    true,
		Moments: []Moment{
			{"session", "SessionStart", "a developer message before the prompt"},
			{"prompt", "UserPromptSubmit", "a developer message **after** the prompt"},
			{"tool", "PreToolUse", "a developer message between the call and its output"},
			{"subagent", "SubagentStart", "the subagent's own request; twice where it inherits its parent's conversation, of which the event says nothing"},
		},
		Since: []Since{{"PreToolUse", "a release after 0.124"}},
		Deny:  "`permissionDecision: deny` before a tool, `decision: block` at Stop",
		Left: []Left{
			{PostToolUseFailure, "a command that failed comes as PostToolUse without its exit code, and nothing comes after a failed patch"},
		},
	}
}
