package host

import (
	"errors"
	"strings"

	"pathrule/internal/rawjson"
	"pathrule/internal/sysenv"
)

// copilot is GitHub Copilot: its command line, its cloud agent and the Local
// agent of VS Code, which read the same hook files and send three kinds of
// payload. Sources: command line 1.0.102 driven against a scripted model with
// both spellings of event names; GitHub's and VS Code's documentation and VS
// Code's source of 2026-09 for the rest.
type copilot struct{ base }

// The dialects. A name in camelCase makes the command line send camelCase
// without the event's name; a PascalCase name, or any hook taken over from
// Claude Code's files, makes it send snake_case. VS Code sends snake_case.
const (
	copilotCamel  = "camelCase"
	copilotPascal = "PascalCase"
	copilotVSCode = "vscode"
)

func (copilot) ID() string        { return "copilot" }
func (copilot) Aliases() []string { return []string{"copilot-cli"} }
func (copilot) Title() string     { return "GitHub Copilot" }

func (c copilot) Decode(payload []byte, env sysenv.Env) (Event, error) {
	return c.DecodeNamed("", payload, env)
}

// DecodeNamed: without a name in the payload or from the registration the event
// is known by its members. A subagent's events come under its own id as session,
// with the root session as parent; they belong to that session's record.
func (c copilot) DecodeNamed(event string, payload []byte, env sysenv.Env) (Event, error) {
	ev := Event{Host: c.ID()}
	v, err := rawjson.Parse(payload)
	if err != nil || v.Kind() != '{' {
		return ev, ErrPayload
	}
	var seen copilotMembers
	var prompt, source, input rawjson.Value
	var parent, transcript string
	for name, m := range v.Members {
		switch name {
		case "hook_event_name", "hookName":
			ev.RawName = m.Text()
		case "sessionId":
			ev.Session, seen.camel = m.Text(), true
		case "session_id":
			ev.Session = m.Text()
		case "agentId", "agent_id":
			ev.Agent = m.Text()
		case "agentType", "agent_type":
			ev.AgentType = m.Text()
		case "parentAgentId", "parent_agent_id":
			parent = m.Text()
		case "agentName", "agent_name":
			seen.agentName = true
		case "cwd":
			ev.Cwd = m.Text()
		case "transcriptPath", "transcript_path":
			transcript = m.Text()
		case "prompt":
			prompt, seen.prompt = m, true
		case "transformedPrompt":
			seen.transformed = true
		case "source", "initialPrompt", "initial_prompt":
			seen.start = true
			if name == "source" {
				source = m
			}
		case "trigger", "customInstructions":
			seen.compact = true
			if name == "trigger" {
				source = m
			}
		case "reason":
			source, seen.reason = m, true
		case "toolName", "tool_name":
			ev.Tool = m.Text()
		case "toolArgs", "tool_input", "toolInput":
			input = m
		case "toolResult", "tool_result":
			seen.result = true
		case "tool_response":
			seen.result, seen.vscode = true, true
		case "tool_use_id":
			ev.ToolUseID, seen.vscode = m.Text(), true
		case "error":
			seen.failed = true
		case "stopReason", "stop_reason", "response":
			seen.stopped = true
		case "stop_hook_active":
			ev.StopActive = m.True()
		}
	}
	if ev.RawName == "" {
		ev.RawName = event
	}
	if ev.RawName == "" && seen.camel {
		ev.RawName = seen.event(ev)
	}
	if ev.RawName == "" {
		return ev, errors.New("payload does not say which event it is")
	}
	switch {
	case seen.vscode, transcript != "" && !seen.camel && !strings.Contains(transcript, "session-state"):
		ev.Dialect = copilotVSCode
	case seen.camel && event != "" || seen.camel && ev.RawName[0] >= 'a':
		ev.Dialect = copilotCamel
	default:
		ev.Dialect = copilotPascal
	}
	if parent != "" && ev.Agent != "" {
		ev.Session = parent
	}
	ev.Roots = appendSet(ev.Roots, env.Get("COPILOT_PROJECT_DIR"))
	ev.Roots = appendSet(ev.Roots, env.Get("CLAUDE_PROJECT_DIR"))
	switch ev.Name = copilotEvent(ev.RawName); ev.Name {
	case SessionStart:
		if ev.Source = source.Text(); ev.Source == "new" || ev.Source == "" {
			ev.Source = "startup"
		}
		// A resumed session's requests do not hold it. Some releases fire a new start
		// with every message (F21), so only the word counts.
		ev.StartLost = ev.Source == "resume"
	case PreCompact, SessionEnd:
		ev.Source = source.Text()
	case UserPromptSubmit:
		ev.Prompt, ev.UserTurn = userPrompt(promptText(prompt))
		if ev.Agent != "" {
			ev.UserTurn = false // what its parent asks of it
		}
	case PreToolUse, PostToolUse, PostToolUseFailure, PermissionRequest:
		if input.Kind() == '"' { // as older releases send arguments
			if in, err := rawjson.Parse([]byte(input.Text())); err == nil {
				input = in
			}
		}
		ev.Touches = copilotTouches(ev.Tool, input, env)
	}
	return ev, nil
}

// copilotMembers are the members that tell one nameless event from another.
type copilotMembers struct {
	camel, vscode                                               bool
	prompt, transformed, start, compact, reason, result, failed bool
	stopped, agentName                                          bool
}

// event is the name that a camelCase payload does not carry, "" for none of
// those we know.
func (s copilotMembers) event(ev Event) string {
	switch {
	case ev.Tool != "" && s.failed:
		return "postToolUseFailure"
	case ev.Tool != "" && s.result:
		return "postToolUse"
	case ev.Tool != "":
		return "preToolUse"
	case s.transformed:
		return "userPromptTransformed"
	case s.prompt:
		return "userPromptSubmitted"
	case s.agentName && s.stopped:
		return "subagentStop"
	case s.agentName:
		return "subagentStart"
	case s.stopped:
		return "agentStop"
	case s.compact:
		return "preCompact"
	case s.start:
		return "sessionStart"
	case s.failed:
		return "errorOccurred"
	case s.reason:
		return "sessionEnd"
	}
	return ""
}

// copilotEvent is the canonical event of either spelling.
func copilotEvent(raw string) EventName {
	switch raw {
	case "userPromptSubmitted", "UserPromptSubmitted":
		return UserPromptSubmit
	case "agentStop":
		return Stop
	}
	return canonicalCamel(raw)
}

// copilotTouches knows the command line's tools, whose arguments keep their
// names under either spelling of the tool, and VS Code's.
func copilotTouches(tool string, in rawjson.Value, env sysenv.Env) []Touch {
	path := first(in, "path", "filePath", "file_path", "dirPath")
	switch tool {
	case "view", "Read", "read_file", "view_image", "list_dir":
		return one(path, Read)
	case "edit", "Edit", "MultiEdit", "replace_string_in_file", "insert_edit_into_file", "edit_notebook_file", "str_replace_editor":
		return one(path, Edit)
	case "create", "Write", "create_file", "create_directory":
		return one(path, Create)
	case "multi_replace_string_in_file":
		var list []Touch
		for e := range in.Get("replacements").Elements {
			list = addTouch(list, e.Get("filePath").Text(), Edit)
		}
		return list
	case "grep", "Grep":
		return one(path, Search)
	case "grep_search":
		return one(globFolder(in.Get("includePattern").Text()), Search)
	case "glob":
		return toolTouches("Glob", in, shellOf(env))
	case "file_search":
		return one(globFolder(in.Get("query").Text()), Search)
	case "get_errors":
		var list []Touch
		for _, p := range texts(in.Get("filePaths")) {
			list = addTouch(list, p, Read)
		}
		return list
	case "bash", "Bash":
		return commandTouches(in, posix, false)
	case "powershell", "PowerShell":
		return commandTouches(in, powershell, true)
	case "run_in_terminal":
		return commandTouches(in, shellOf(env), true)
	case "task":
		return nil
	}
	if strings.HasPrefix(tool, "pathrule-") || strings.HasPrefix(tool, "pathrule/") || strings.HasPrefix(tool, "mcp_pathrule_") {
		return nil // what our own server delivers, it delivers itself
	}
	return toolTouches(tool, in, shellOf(env))
}

// Encode: the command line takes additionalContext at the top level alone, on
// every event; VS Code takes it inside hookSpecificOutput, beside the right
// hookEventName. A camelCase preToolUse is registered for refusals alone, since
// it stops the tool when it fails.
func (copilot) Encode(ev Event, r Reply) []byte {
	switch ev.Name {
	case PreToolUse:
		if ev.Dialect != copilotPascal && ev.Dialect != copilotVSCode {
			return nil
		}
	case PostToolUseFailure:
		if ev.Dialect == copilotVSCode {
			return nil // it has no such event
		}
	case SessionStart, UserPromptSubmit, PostToolUse, SubagentStart:
	default:
		return nil
	}
	if ev.Dialect == copilotVSCode {
		return encodeNested(ev.Name, r)
	}
	return encodeMember("additionalContext", r.Context)
}

// Refuse: the command line takes a denial at the top level under either
// spelling, VS Code inside hookSpecificOutput. A stop is held alike. VS Code alone
// keeps a prompt back, and has no event for permissions.
func (copilot) Refuse(ev Event, reason string) (Output, bool) {
	var b []byte
	switch {
	case ev.Name == PermissionRequest && ev.Dialect != copilotVSCode:
		b = append(b, `{"behavior":"deny","message":`...)
	case ev.Name == PermissionRequest, ev.Name == UserPromptSubmit && ev.Dialect != copilotVSCode:
		return Output{}, false
	case ev.Name != PreToolUse || ev.Dialect == copilotVSCode:
		return refuseNested(ev.Name, reason)
	default:
		b = append(b, `{"permissionDecision":"deny","permissionDecisionReason":`...)
	}
	b = rawjson.AppendQuoted(b, reason)
	return Output{Stdout: append(b, "}\n"...)}, true
}

// Cap: text behind a tool's result is cut at 10,240 without a mark, of which it
// is not known whether it counts bytes; on other events 60,000 characters passed.
func (copilot) Cap(ev EventName) Cap {
	if ev == PostToolUse {
		return Cap{Max: 10_000, Unit: Bytes}
	}
	return Cap{}
}

// Tool is the command line's spelling.
func (copilot) Tool(tool string) string { return "pathrule-" + tool }

// Registrations: camelCase names, which the command line, the cloud agent and VS
// Code all take. The command line anchors a matcher, VS Code ignores it. There
// is no start after a compaction: the next prompt brings back what was lost.
func (copilot) Registrations() []Registration {
	const tools = "view|create|edit|apply_patch|bash|powershell|grep|glob"
	return []Registration{
		{Event: "sessionStart", Name: SessionStart, NameEvent: true, Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "userPromptSubmitted", Name: UserPromptSubmit, NameEvent: true, Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "postToolUse", Name: PostToolUse, NameEvent: true, Matcher: tools, Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "postToolUseFailure", Name: PostToolUseFailure, NameEvent: true, Matcher: tools, Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "subagentStart", Name: SubagentStart, NameEvent: true, Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "preToolUse", Name: PreToolUse, NameEvent: true, Matcher: tools, Program: "pathrule-hook", Timeout: 10, Guard: true},
		{Event: "preCompact", Name: PreCompact, NameEvent: true, Program: "pathrule-hook", Timeout: 10},
		{Event: "sessionEnd", Name: SessionEnd, NameEvent: true, Program: "pathrule-hook", Timeout: 5},
		{Event: "agentStop", Name: Stop, NameEvent: true, Program: "pathrule-hook", Timeout: 10, Hook: true},
		{Event: "subagentStop", Name: SubagentStop, NameEvent: true, Program: "pathrule-hook", Timeout: 10, Hook: true},
		{Event: "permissionRequest", Name: PermissionRequest, NameEvent: true, Program: "pathrule-hook", Timeout: 10, Hook: true},
	}
}

func (copilot) Shape() HookShape {
	return HookShape{Key: "hooks", Type: "command", Command: "bash", Windows: "powershell", WindowsCall: true, Timeout: "timeoutSec", Version: 1}
}

// Wiring: a project's hooks and servers count in a trusted folder only; the
// user's always do.
func (copilot) Wiring() Wiring {
	return Wiring{
		ProjectTail:        "; exit 0",
		ProjectTailWindows: "; exit 0",
		Off:                []Switch{{"hooks", []string{"disableAllHooks"}, true}, {"../settings.json", []string{"disableAllHooks"}, true}, {"../copilot/settings.json", []string{"disableAllHooks"}, true}},
		MCPTable:           "mcpServers",
		MCPType:            "local",
		MCPExtra:           []Member{{Key: "tools", Val: []string{"*"}}},
		AsksMCP:            true,
		Reload:             "Start a new Copilot session to load the hooks and the MCP server.",
		Compile:            "copilot",
		Loads:              []string{"copilot", "agents", "claude", "gemini", "claude-rules", "skills", "claude-skills"},
		LoadsPaths:         []string{"copilot", "claude-rules", "agents"},
		LoadsEdits:         true,
	}
}

// HookFile: every *.json file of these folders is read, so ours is a file of
// its own.
func (copilot) HookFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	if scope == Project {
		return jsonFile(root, ".github", "hooks", "pathrule.json")
	}
	return jsonFile(copilotHome(env), "hooks", "pathrule.json")
}

// MCPFile: VS Code's own agent has a file of its own; its Copilot agent reads
// these.
func (copilot) MCPFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	if scope == Project {
		return jsonFile(root, ".mcp.json")
	}
	return jsonFile(copilotHome(env), "mcp-config.json")
}

func (copilot) Detect(env sysenv.Env) (string, bool) { return detect(env, "copilot", copilotHome(env)) }

func copilotHome(env sysenv.Env) string {
	if dir := absVar(env, "COPILOT_HOME"); dir != "" {
		return dir
	}
	return under(env.UserHome, ".copilot")
}

func (copilot) Sample(r Registration, session, cwd, file string) []byte {
	b := []byte(`{"sessionId":`)
	b = rawjson.AppendQuoted(b, session)
	b = append(b, `,"timestamp":0,"cwd":`...)
	b = rawjson.AppendQuoted(b, cwd)
	switch r.Canonical() {
	case SessionStart:
		b = append(b, `,"source":"new"`...)
	case UserPromptSubmit:
		b = append(b, `,"prompt":`...)
		b = rawjson.AppendQuoted(b, "change the greeting in "+file)
	case PreToolUse, PostToolUse, PostToolUseFailure:
		b = append(b, `,"toolName":"edit","toolArgs":{"path":`...)
		b = rawjson.AppendQuoted(b, file)
		b = append(b, `,"old_str":"a","new_str":"b"}`...)
		switch r.Canonical() {
		case PostToolUse:
			b = append(b, `,"toolResult":{"resultType":"success","textResultForLlm":"ok"}`...)
		case PostToolUseFailure:
			b = append(b, `,"error":"no such text"`...)
		}
	case SubagentStart:
		b = append(b, `,"agentName":"general","agentType":"general","agentId":"sub","parentAgentId":`...)
		b = rawjson.AppendQuoted(b, session)
	case PreCompact:
		b = append(b, `,"trigger":"auto"`...)
	case Stop:
		b = append(b, `,"stopReason":"end_turn","stop_hook_active":false`...)
	case SubagentStop:
		b = append(b, `,"agentName":"general","agentType":"general","agentId":"sub","stopReason":"end_turn","parentAgentId":`...)
		b = rawjson.AppendQuoted(b, session)
	case PermissionRequest:
		b = append(b, `,"hookName":"permissionRequest","toolName":"edit","toolInput":{"file_path":`...)
		b = rawjson.AppendQuoted(b, file)
		b = append(b, '}')
	case SessionEnd:
		b = append(b, `,"reason":"complete"`...)
	}
	return append(b, '}')
}

func (copilot) Facts() Facts {
	return Facts{
		Version: "command line 1.0.102; VS Code 2026-09 from its source",
		Seen:    true,
		Moments: []Moment{
			{"session", "sessionStart", "a message of its own before the prompt, told anew when a session is resumed, which keeps the rest but not this"},
			{"prompt", "userPromptSubmitted", "a reminder behind the prompt"},
			{"tool", "postToolUse", "the end of the tool's result"},
			{"tool", "postToolUseFailure", "a message of its own after the result"},
			{"subagent", "subagentStart", "before the subagent's prompt"},
		},
		// From its change log; before, each of them was typed and dropped.
		Since: []Since{{"sessionStart", "1.0.11"}, {"postToolUse", "1.0.51"}, {"userPromptSubmitted", "1.0.65"}},
		Deny:  "`permissionDecision: deny` before a tool, where every failing hook denies too; `decision: block` at agentStop",
		Left: []Left{
			{StopFailure, "errorOccurred also tells of errors that the turn survives"},
		},
		Runs:        []string{"claude-code"},
		RunsProject: true,
		Off:         "none; it reads a project's .claude alone, so set Claude Code up with `--scope user`",
	}
}
