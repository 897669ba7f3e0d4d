package host

import (
	"pathrule/internal/sysenv"
)

// qwen is Qwen Code: Claude Code's event names and envelopes, Gemini CLI's
// tools. Sources: its hook types and the documentation inside release 0.24.4,
// and that release driven against a scripted model.
type qwen struct{ base }

func (qwen) ID() string        { return "qwen-code" }
func (qwen) Aliases() []string { return []string{"qwen"} }
func (qwen) Title() string     { return "Qwen Code" }

// Decode: the prompt event comes again, with an empty prompt, before each
// request that carries tool results. What the person typed stands in
// submitted_prompt, since prompt may hold text that others put before it; some
// inputs (Vim mode, edited history) lack it. A subagent has the parent's session
// and an agent_id.
func (q qwen) Decode(payload []byte, env sysenv.Env) (Event, error) {
	in, err := readNested(q.ID(), payload)
	ev := in.ev
	if err != nil {
		return ev, err
	}
	ev.Name = canonical(ev.RawName)
	switch ev.Name {
	case SessionStart, PreCompact, PostCompact, SessionEnd:
		ev.Source = in.source.Text()
		// The start's text lies in the system instruction, which a resumed session
		// builds anew.
		ev.StartLost = ev.Name == SessionStart && ev.Source == "resume"
	case StopFailure:
		ev.Source = in.failed.Text()
	case InstructionsLoaded:
		ev.Source = in.source.Text()
		ev.Touches = one(in.file.Text(), Read)
	case UserPromptSubmit:
		typed := in.prompt
		if in.submitted.Kind() == '"' {
			typed = in.submitted
		}
		ev.Prompt, ev.UserTurn = userPrompt(promptText(typed))
		ev.UserTurn = ev.UserTurn && ev.Agent == ""
	case PreToolUse, PostToolUse, PostToolUseFailure, PermissionRequest:
		ev.Touches = geminiTouches(ev.Tool, in.input, shellOf(env))
	}
	ev.Roots = appendSet(ev.Roots, env.Get("QWEN_PROJECT_DIR"))
	return ev, nil
}

// Encode: additionalContext counts only inside hookSpecificOutput. PreToolUse
// and SubagentStart have the field in the documentation and were never seen to
// bring it to the model.
func (qwen) Encode(ev Event, r Reply) []byte {
	switch ev.Name {
	case SessionStart, UserPromptSubmit, PostToolUse, PostToolUseFailure:
		return encodeNested(ev.Name, r)
	}
	return nil
}

// Refuse: context beside a denial is lost; a decision after a tool is inert.
func (qwen) Refuse(ev Event, reason string) (Output, bool) { return refuseNested(ev.Name, reason) }

func (qwen) Tool(tool string) string { return "mcp__pathrule__" + tool }

// Registrations: releases before 0.23.4 read time-outs as milliseconds, later
// ones as seconds but from 1,000 on as milliseconds too, so all agree on these.
// A matcher that begins with "^" is one regular expression in every release; a
// bare list would also take Claude's names, and "edit" any name that holds it.
// The prompt event takes no matcher.
func (qwen) Registrations() []Registration {
	const tools = "^(read_file|write_file|edit|notebook_edit|run_shell_command|grep_search|glob|list_directory)$"
	return []Registration{
		{Event: "SessionStart", Program: "pathrule-hook", Timeout: 10_000, Speaks: true},
		{Event: "UserPromptSubmit", Program: "pathrule-hook", Timeout: 10_000, Speaks: true},
		{Event: "PostToolUse", Matcher: tools, Program: "pathrule-hook", Timeout: 10_000, Speaks: true},
		{Event: "PostToolUseFailure", Matcher: tools, Program: "pathrule-hook", Timeout: 10_000, Speaks: true},
		{Event: "PreCompact", Program: "pathrule-hook", Timeout: 10_000},
		{Event: "SessionEnd", Program: "pathrule-hook", Timeout: 5_000},
		{Event: "PreToolUse", Matcher: "^(write_file|edit|notebook_edit|run_shell_command)$", Program: "pathrule-hook", Timeout: 10_000, Guard: true},
		{Event: "Stop", Program: "pathrule-hook", Timeout: 10_000, Hook: true},
		{Event: "StopFailure", Program: "pathrule-hook", Timeout: 10_000, Hook: true},
		{Event: "SubagentStart", Program: "pathrule-hook", Timeout: 10_000, Hook: true},
		{Event: "SubagentStop", Program: "pathrule-hook", Timeout: 10_000, Hook: true},
		{Event: "PostCompact", Program: "pathrule-hook", Timeout: 10_000, Hook: true},
		{Event: "PermissionRequest", Program: "pathrule-hook", Timeout: 10_000, Hook: true},
		{Event: "InstructionsLoaded", Program: "pathrule-hook", Timeout: 10_000, Hook: true},
	}
}

// Shape: Windows would run the line in cmd.exe, which takes no program behind
// forward slashes; the user's own file asks for PowerShell there.
func (qwen) Shape() HookShape {
	return HookShape{Key: "hooks", Grouped: true, Type: "command", Timeout: "timeout", Millis: true, WindowsCall: true,
		Extra: []Member{{"name", "pathrule"}}, WindowsExtra: []Member{{"shell", "powershell"}}}
}

// Wiring: a missing program is no refusal (only exit 2 is), but what a shell
// prints about it would be shown. The committed line is for sh; on Windows
// cmd.exe answers it with 1, which blocks nothing.
func (qwen) Wiring() Wiring {
	return Wiring{
		ProjectTail: " 2>/dev/null || true",
		RootOnly:    true,
		TrustNote:   "With folder trust switched on, Qwen Code skips a project's hooks and MCP servers until the folder is trusted.",
		Off:         []Switch{{"hooks", []string{"disableAllHooks"}, true}},
		MCPTable:    "mcpServers",
		Loads:       []string{"qwen", "agents", "qwen-skills", "skills"},
		LoadsPaths:  []string{"qwen"},
		LoadsEdits:  true,
		Follows:     []string{"qwen"},
		Reload:      "Start a new Qwen Code session to load the hooks and the MCP server.",
	}
}

func (qwen) HookFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	if scope == Project {
		return jsonFile(root, ".qwen", "settings.json")
	}
	return jsonFile(qwenHome(env), "settings.json")
}

// MCPFile is the same file; servers of .mcp.json are started too.
func (q qwen) MCPFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	return q.HookFile(scope, root, env)
}

func (qwen) Detect(env sysenv.Env) (string, bool) { return detect(env, "qwen", qwenHome(env)) }

// qwenHome: QWEN_HOME stands for ~/.qwen itself.
func qwenHome(env sysenv.Env) string {
	if dir := absVar(env, "QWEN_HOME"); dir != "" {
		return dir
	}
	return under(env.UserHome, ".qwen")
}

func (qwen) Sample(r Registration, session, cwd, file string) []byte {
	return sampleNested(r, session, cwd, "edit", file)
}

func (qwen) Facts() Facts {
	return Facts{
		Version: "0.24.4",
		Seen:    true,
		Moments: []Moment{
			{"session", "SessionStart", "the end of the system message; told again on resume, which builds that anew"},
			{"prompt", "UserPromptSubmit", "a part of the message before the prompt"},
			{"tool", "PostToolUse", "at the end of the tool's result"},
			{"tool", "PostToolUseFailure", "at the end of the tool's error"},
		},
		Deny: "`permissionDecision: deny` before a tool, `decision: block` at Stop",
	}
}
