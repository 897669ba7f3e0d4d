package host

import (
	"errors"
	"strings"

	"pathrule/internal/rawjson"
	"pathrule/internal/sysenv"
)

// cursor is Cursor: its editor and its command line, which share files and
// payloads. Sources: its published hooks and MCP pages (2026-08), a reading of
// editor 3.20.17 and of command line 2026.09.18 by others, and payloads that
// others recorded on 3.18.25. Nothing here was driven by us.
type cursor struct{ base }

// The two programs. The version in the payload tells them apart: the command
// line has a date there.
const (
	cursorEditor = "editor"
	cursorCLI    = "cli"
)

func (cursor) ID() string        { return "cursor" }
func (cursor) Aliases() []string { return []string{"cursor-cli"} }
func (cursor) Title() string     { return "Cursor" }

// Decode: tool calls of a subagent come under a conversation of their own.
// The same tool_use_id may come twice, and may hold a line end.
func (c cursor) Decode(payload []byte, env sysenv.Env) (Event, error) {
	ev := Event{Host: c.ID()}
	v, err := rawjson.Parse(payload)
	if err != nil || v.Kind() != '{' {
		return ev, ErrPayload
	}
	var prompt, input, source, command, file, server rawjson.Value
	var conversation, version string
	for name, m := range v.Members {
		switch name {
		case "hook_event_name":
			ev.RawName = m.Text()
		case "session_id":
			ev.Session = m.Text()
		case "conversation_id":
			conversation = m.Text()
		case "generation_id":
			ev.TurnID = m.Text()
		case "cursor_version":
			version = m.Text()
		case "workspace_roots":
			for r := range m.Elements {
				ev.Roots = appendSet(ev.Roots, drivePath(r.Text()))
			}
		case "cwd":
			ev.Cwd = drivePath(m.Text())
		case "prompt":
			prompt = m
		case "tool_name":
			ev.Tool = m.Text()
		case "tool_input":
			input = m
		case "tool_use_id":
			ev.ToolUseID = m.Text()
		case "subagent_id":
			ev.Agent = m.Text()
		case "subagent_type":
			ev.AgentType = m.Text()
		case "trigger", "reason", "source":
			source = m
		case "command":
			command = m
		case "file_path":
			file = m
		case "mcp_server_name":
			server = m
		case "loop_count":
			// Our own held stops come back as further turns.
			ev.StopActive = m.Kind() == '0' && string(m) != "0"
		}
	}
	if ev.RawName == "" {
		return ev, errors.New("payload has no hook_event_name")
	}
	if ev.Session == "" {
		ev.Session = conversation
	}
	ev.Dialect = cursorEditor
	if i := strings.IndexByte(version, '.'); i == 4 && digits(version[:i]) {
		ev.Dialect = cursorCLI
	}
	ev.Roots = appendSet(ev.Roots, drivePath(env.Get("CURSOR_PROJECT_DIR")))
	ev.Roots = appendSet(ev.Roots, drivePath(env.Get("CLAUDE_PROJECT_DIR")))
	ev.Name = cursorEvent(ev.RawName)
	switch ev.Name {
	case SessionStart:
		// It names no source, and does not fire on resume or compaction.
		if ev.Source = source.Text(); ev.Source == "" {
			ev.Source = "startup"
		}
	case PreCompact, SessionEnd:
		ev.Source = source.Text()
	case UserPromptSubmit:
		ev.Prompt, ev.UserTurn = userPrompt(promptText(prompt))
	case PreToolUse, PostToolUse, PostToolUseFailure:
		if input.Kind() == '"' { // MCP events hold the arguments as JSON in a string
			if in, err := rawjson.Parse([]byte(input.Text())); err == nil {
				input = in
			}
		}
		switch ev.RawName {
		case "beforeShellExecution":
			ev.Tool, ev.Touches = "Shell", shellTouches(command.Text(), shellOf(env))
		case "beforeReadFile", "beforeTabFileRead":
			ev.Tool, ev.Touches = "Read", one(file.Text(), Read)
		case "beforeMCPExecution":
			ev.Tool = "MCP:" + ev.Tool
			if server.Text() != "pathrule" {
				ev.Touches = argTouches(input)
			}
		default:
			if dir := drivePath(input.Get("cwd").Text()); ev.Tool == "Shell" && dir != "" {
				ev.Cwd = dir
			}
			ev.Touches = cursorTouches(ev.Tool, input, env)
		}
	}
	return ev, nil
}

// cursorEvent is the canonical event of Cursor's own name, or of Claude Code's,
// which a hook taken over from there may be told.
func cursorEvent(raw string) EventName {
	switch raw {
	case "beforeSubmitPrompt":
		return UserPromptSubmit
	case "beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "beforeTabFileRead":
		return PreToolUse
	}
	return canonicalCamel(raw)
}

func cursorTouches(tool string, in rawjson.Value, env sysenv.Env) []Touch {
	path := first(in, "file_path", "path", "targetFile", "target_file")
	switch tool {
	case "Read", "ReadFile", "TabRead":
		return one(path, Read)
	case "Write", "TabWrite", "Edit", "StrReplace", "MultiEdit":
		return one(path, Edit)
	case "Delete":
		return one(path, Delete)
	case "Grep", "Glob", "LS":
		if dir := first(in, "targetDirectory", "target_directory"); path == "" {
			path = dir
		}
		if path == "" {
			path = globFolder(first(in, "globPattern", "glob_pattern"))
		}
		return one(path, Search)
	case "Shell", "Bash":
		return commandTouches(in, shellOf(env), true)
	case "Task":
		return nil
	}
	if name, ok := strings.CutPrefix(tool, "MCP:"); ok && ownTool(name) {
		return nil // what our own server delivers, it delivers itself
	}
	return toolTouches(tool, in, shellOf(env))
}

// ownTool reports whether a name is one of our server's, for clients that do not
// say which server a tool belongs to.
func ownTool(name string) bool {
	switch name {
	case "get_context", "search_knowledge", "get_tree", "read_memory", "read_rule", "read_skill":
		return true
	}
	return false
}

// drivePath is a Windows folder spelled "/c:/Users/dev" as the system spells it.
func drivePath(s string) string {
	if len(s) > 3 && s[0] == '/' && s[2] == ':' && (s[3] == '/' || s[3] == '\\') && (s[1]|0x20) >= 'a' && (s[1]|0x20) <= 'z' {
		return s[1:]
	}
	return s
}

// Encode: additional_context at the top level. preToolUse takes it too, but
// whether it reaches the model is disputed, and a shape it does not know blocks
// the tool. A failed tool's context is taken by the command line alone.
func (cursor) Encode(ev Event, r Reply) []byte {
	switch ev.Name {
	case PostToolUseFailure:
		if ev.Dialect == cursorEditor {
			return nil
		}
	case SessionStart, UserPromptSubmit, PostToolUse:
	default:
		return nil
	}
	return encodeMember("additional_context", r.Context)
}

// encodeMember is {"MEMBER":TEXT} for hosts that take one member at the top and
// show no notice to the person; nil for no text.
func encodeMember(member, text string) []byte {
	if text == "" {
		return nil
	}
	b := make([]byte, 0, len(text)+len(text)/16+len(member)+16)
	b = append(b, '{')
	b = rawjson.AppendQuoted(b, member)
	b = append(b, ':')
	b = rawjson.AppendQuoted(b, text)
	return append(b, "}\n"...)
}

// Refuse: a tool is denied by "permission", and only with a denial does
// agent_message reach the model; the events for reading a file know the person's
// message alone, as that for a prompt does. A stop cannot be held: its text is a further turn.
func (cursor) Refuse(ev Event, reason string) (Output, bool) {
	var b []byte
	switch ev.Name {
	case PreToolUse:
		b = append(b, `{"permission":"deny","user_message":`...)
		b = rawjson.AppendQuoted(b, reason)
		if ev.RawName != "beforeReadFile" && ev.RawName != "beforeTabFileRead" {
			b = append(b, `,"agent_message":`...)
			b = rawjson.AppendQuoted(b, reason)
		}
		b = append(b, "}\n"...)
	case UserPromptSubmit:
		b = append(b, `{"continue":false,"user_message":`...)
		b = rawjson.AppendQuoted(b, reason)
		b = append(b, "}\n"...)
	case Stop:
		b = encodeMember("followup_message", reason)
	default:
		return Output{}, false
	}
	return Output{Stdout: b}, true
}

// Cap: over 10,000 characters the command line drops the text and the editor
// puts it into a file.
func (cursor) Cap(EventName) Cap { return Cap{Max: 9_500, Unit: UTF16} }

// Registrations: event names that both programs know, since one unknown name
// makes the command line drop the whole file. Matchers are regular expressions
// that may match anywhere in a tool's name.
func (cursor) Registrations() []Registration {
	const tools = "^(Read|Write|Grep|Glob|Shell|Delete)$"
	// A shell command has an event of its own, where a request to ask the person
	// counts, which the general one takes and forgets; every other tool has that
	// one alone.
	const others, notShell = "^(Read|Write|Grep|Glob|Delete)$", "^(?!Shell$)"
	return []Registration{
		{Event: "sessionStart", Name: SessionStart, Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "beforeSubmitPrompt", Name: UserPromptSubmit, Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "postToolUse", Name: PostToolUse, Matcher: tools, Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "postToolUseFailure", Name: PostToolUseFailure, Matcher: tools, Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "preToolUse", Name: PreToolUse, Matcher: others, Every: notShell, Program: "pathrule-hook", Timeout: 10, Guard: true},
		{Event: "beforeShellExecution", Name: PreToolUse, Program: "pathrule-hook", Timeout: 10, Guard: true, Shell: true},
		{Event: "preCompact", Name: PreCompact, Program: "pathrule-hook", Timeout: 10},
		{Event: "sessionEnd", Name: SessionEnd, Program: "pathrule-hook", Timeout: 5},
		{Event: "subagentStart", Name: SubagentStart, Program: "pathrule-hook", Timeout: 10, Hook: true},
		{Event: "subagentStop", Name: SubagentStop, Program: "pathrule-hook", Timeout: 10, Hook: true},
		{Event: "stop", Name: Stop, Program: "pathrule-hook", Timeout: 10, Hook: true},
	}
}

// Shape: on Windows the line runs in PowerShell.
func (cursor) Shape() HookShape {
	return HookShape{Key: "hooks", Timeout: "timeout", WindowsCall: true, Version: 1}
}

// Wiring: project hooks count in a trusted folder only. The line's tail is read
// alike by sh and by PowerShell, since one file serves both.
func (cursor) Wiring() Wiring {
	return Wiring{
		ProjectTail:        "; exit 0",
		ProjectTailWindows: "; exit 0",
		// The CLI loads no hook of a file with an event that it does not know.
		Events: []string{
			"sessionStart", "sessionEnd", "beforeSubmitPrompt", "preToolUse", "postToolUse", "postToolUseFailure",
			"subagentStart", "subagentStop", "beforeShellExecution", "afterShellExecution", "beforeMCPExecution", "afterMCPExecution",
			"beforeReadFile", "afterFileEdit", "beforeTabFileRead", "afterTabFileEdit", "afterAgentResponse", "afterAgentThought",
			"stop", "preCompact", "workspaceOpen",
		},
		MCPTable:   "mcpServers",
		AsksMCP:    true,
		Reload:     "Cursor takes changed hooks up by itself; open a new chat to see the MCP server.",
		Compile:    "cursor",
		Loads:      []string{"cursor", "agents", "cursor-skills", "skills", "claude-skills"},
		LoadsPaths: []string{"cursor", "agents"},
	}
}

func (cursor) HookFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	if scope == Project {
		return jsonFile(root, ".cursor", "hooks.json")
	}
	return jsonFile(under(env.UserHome, ".cursor"), "hooks.json")
}

// MCPFile: CURSOR_CONFIG_DIR moves neither this file nor the hooks.
func (cursor) MCPFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	if scope == Project {
		return jsonFile(root, ".cursor", "mcp.json")
	}
	return jsonFile(under(env.UserHome, ".cursor"), "mcp.json")
}

func (cursor) Detect(env sysenv.Env) (string, bool) {
	if onPath(env, "cursor-agent") {
		return "cursor-agent on PATH", true
	}
	return detect(env, "cursor", under(env.UserHome, ".cursor"))
}

func (cursor) Sample(r Registration, session, cwd, file string) []byte {
	b := []byte(`{"conversation_id":`)
	b = rawjson.AppendQuoted(b, session)
	b = append(b, `,"session_id":`...)
	b = rawjson.AppendQuoted(b, session)
	b = append(b, `,"cursor_version":"2026.09.18-0","workspace_roots":[`...)
	b = rawjson.AppendQuoted(b, cwd)
	b = append(b, `],"hook_event_name":`...)
	b = rawjson.AppendQuoted(b, r.Event)
	switch r.Canonical() {
	case UserPromptSubmit:
		b = append(b, `,"prompt":`...)
		b = rawjson.AppendQuoted(b, "change the greeting in "+file)
	case PreToolUse, PostToolUse, PostToolUseFailure:
		if r.Event == "beforeShellExecution" {
			b = rawjson.AppendQuoted(append(b, `,"command":`...), "cat "+file)
			break
		}
		b = append(b, `,"tool_use_id":`...)
		b = rawjson.AppendQuoted(b, session)
		b = append(b, `,"tool_name":"Write","tool_input":{"file_path":`...)
		b = rawjson.AppendQuoted(b, file)
		b = append(b, `,"content":"b"}`...)
	}
	return append(b, '}')
}

func (cursor) Facts() Facts {
	return Facts{
		Version: "editor 3.20, command line 2026.09.18",
		Moments: []Moment{
			{"session", "sessionStart", "kept with the conversation and sent with every request"},
			{"prompt", "beforeSubmitPrompt", "a reminder beside the prompt (not in `-p`)"},
			{"tool", "postToolUse", "after the tool's result"},
			{"tool", "postToolUseFailure", "after the tool's result, in the command line only"},
		},
		Since: []Since{{"beforeSubmitPrompt", "editor 3.9.16, command line 2026.09.18"}},
		Deny:  "`permission: deny` before a tool; a stop cannot be held, its text is a further turn",
		Left: []Left{
			{StopFailure, "an error comes as the status of stop"},
		},
		Runs: []string{"claude-code"},
		Off:  "Cursor Settings > Agents > Third-Party Imports > Include Third-Party Plugins, Skills, and Other Configs",
	}
}
