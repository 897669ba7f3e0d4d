package host

import (
	"errors"
	"strings"

	"pathrule/internal/rawjson"
	"pathrule/internal/sysenv"
)

// cline is Cline: the VS Code extension and the CLI, which send two dialects of
// one event. A hook is a file named after its event. Only tool events bring
// text to the model in every release (TaskStart and UserPromptSubmit lose it in
// the CLI and in extensions before the fix of 2026-09, whose first release is
// not known), so the first tool of a session brings the session's text too.
// Sources: the source at 21cb8d25, CLI 3.0.65 driven against a scripted model.
type cline struct{ base }

func (cline) ID() string        { return "cline" }
func (cline) Aliases() []string { return nil }
func (cline) Title() string     { return "Cline" }

// Decode: the extension's payload is made from proto3, which leaves defaults
// out, so that a tool without "success" failed; its parameters are texts, a
// list among them JSON in a text. The CLI has the call with its real types
// beside that. The conversation is the session: what was told is in it.
func (c cline) Decode(payload []byte, env sysenv.Env) (Event, error) {
	ev := Event{Host: c.ID()}
	v, err := rawjson.Parse(payload)
	if err != nil || v.Kind() != '{' {
		return ev, ErrPayload
	}
	var agent, parent string
	var pre, post, call, result, prompt rawjson.Value
	for name, m := range v.Members {
		switch name {
		case "hookName":
			ev.RawName = m.Text()
		case "taskId":
			ev.Session = m.Text()
		case "agent_id":
			agent = m.Text()
		case "parent_agent_id":
			parent = m.Text()
		case "workspaceRoots":
			for r := range m.Elements {
				ev.Roots = appendSet(ev.Roots, r.Text())
			}
		case "preToolUse":
			pre = m
		case "postToolUse":
			post = m
		case "tool_call":
			call = m
		case "tool_result":
			result = m
		case "userPromptSubmit":
			prompt = m.Get("prompt")
		}
	}
	if ev.RawName == "" {
		return ev, errors.New("payload has no hookName")
	}
	if ev.Session == "" {
		ev.Session = v.Get("sessionContext").Get("rootSessionId").Text()
	}
	if parent != "" {
		ev.Agent = agent
	}
	switch ev.RawName {
	case "TaskStart", "agent_start":
		ev.Name, ev.Source = SessionStart, "startup"
		if ev.Agent != "" {
			ev.Name, ev.Source = SubagentStart, ""
		}
	case "TaskResume", "agent_resume":
		ev.Name, ev.Source = SessionStart, "resume"
	case "UserPromptSubmit", "prompt_submit":
		ev.Name = UserPromptSubmit
		ev.Prompt, ev.UserTurn = userPrompt(prompt.Text())
		ev.UserTurn = ev.UserTurn && ev.Agent == ""
	case "PreToolUse", "tool_call":
		ev.Name = PreToolUse
		c.tool(&ev, call, pre, env)
	case "PostToolUse", "tool_result":
		ev.Name = PostToolUse
		if !post.Get("success").True() || result.Get("error").Kind() == '"' {
			ev.Name = PostToolUseFailure
		}
		c.tool(&ev, result, post, env)
	case "TaskComplete", "TaskCancel", "agent_end", "agent_abort":
		ev.Name = Stop
		if ev.Agent != "" {
			ev.Name = SubagentStop
		}
	case "PreCompact":
		ev.Name = PreCompact
	case "SessionShutdown", "session_shutdown":
		ev.Name, ev.Source = SessionEnd, v.Get("reason").Text()
	}
	return ev, nil
}

// tool takes the typed call where there is one, else the map of texts.
func (cline) tool(ev *Event, typed, texts rawjson.Value, env sysenv.Env) {
	ev.Tool, ev.ToolUseID = typed.Get("name").Text(), typed.Get("id").Text()
	in := typed.Get("input")
	if ev.Tool == "" {
		ev.Tool, in = texts.Get("toolName").Text(), texts.Get("parameters")
	}
	ev.Touches = clineTouches(ev.Tool, in, shellOf(env))
}

func clineTouches(tool string, in rawjson.Value, sh shell) []Touch {
	switch tool {
	case "read_files", "read_file":
		list := one(in.Get("path").Text(), Read)
		for _, name := range [...]string{"files", "file_paths", "paths"} {
			for f := range listOf(in.Get(name)).Elements {
				path := f.Text()
				if f.Kind() == '{' {
					path = f.Get("path").Text()
				}
				list = addTouch(list, path, Read)
			}
		}
		return list
	case "editor":
		// Without a text to replace and a place to insert the file is written whole.
		op := Edit
		if in.Get("old_text").Kind() == 0 && in.Get("insert_line").Kind() == 0 {
			op = Create
		}
		return one(in.Get("path").Text(), op)
	case "write_to_file", "new_file":
		return one(in.Get("path").Text(), Create)
	case "replace_in_file":
		return one(in.Get("path").Text(), Edit)
	case "apply_patch":
		return patchTouches(first(in, "input", "patch"), "")
	case "run_commands", "execute_command":
		list := shellTouches(in.Get("command").Text(), sh)
		for c := range listOf(in.Get("commands")).Elements {
			line := c.Text()
			if c.Kind() == '{' {
				line = c.Get("command").Text()
			}
			for _, t := range shellTouches(line, sh) {
				list = addTouch(list, t.Path, t.Op)
			}
		}
		return list
	case "list_files", "search_files", "list_code_definition_names":
		return one(in.Get("path").Text(), Search)
	case "search_codebase", "fetch_web_content", "web_fetch", "skills", "use_skill", "ask_question", "ask_followup_question", "attempt_completion":
		return nil
	case "use_mcp_tool", "access_mcp_resource":
		if in.Get("server_name").Text() == "pathrule" {
			return nil // what our own server delivers, it delivers itself
		}
		if args := listOf(in.Get("arguments")); args.Kind() == '{' {
			in = args
		}
	}
	if strings.HasPrefix(tool, "pathrule") {
		return nil
	}
	return argTouches(in)
}

// listOf is a value that may stand as JSON in a text.
func listOf(v rawjson.Value) rawjson.Value {
	if v.Kind() != '"' {
		return v
	}
	inner, err := rawjson.Parse([]byte(v.Text()))
	if err != nil {
		return v
	}
	return inner
}

// Encode is the whole published shape. The context stands behind the tool's
// result, whichever of the two events brought it.
func (cline) Encode(ev Event, r Reply) []byte {
	switch ev.Name {
	case PreToolUse, PostToolUse, PostToolUseFailure:
	default:
		return nil
	}
	if r.Context == "" {
		return nil
	}
	b := make([]byte, 0, len(r.Context)+len(r.Context)/16+96)
	b = append(b, `{"cancel":false,"contextModification":`...)
	b = rawjson.AppendQuoted(b, r.Context)
	return append(b, `,"errorMessage":""}`+"\n"...)
}

// Refuse: there is no way to say no. "cancel" ends the whole run without
// telling the model why, which is no answer to one tool call.
func (cline) Refuse(Event, string) (Output, bool) { return Output{}, false }

// Tool is the CLI's spelling.
func (cline) Tool(tool string) string { return "pathrule__" + tool }

// Cap: more is cut with a mark.
func (cline) Cap(EventName) Cap { return Cap{Max: 50_000, Unit: UTF16} }

// Registrations: what PreToolUse and PostToolUse bring arrives together, behind
// the result, so that one process a tool call is enough.
func (cline) Registrations() []Registration {
	return []Registration{
		{Event: "PreToolUse", Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "PostToolUse", Program: "pathrule-hook", Timeout: 10, Speaks: true, Hook: true, Brings: []EventName{PostToolUse, PostToolUseFailure}},
	}
}

func (cline) Sample(r Registration, session, cwd, file string) []byte {
	b := rawjson.AppendQuoted([]byte(`{"clineVersion":"","hookName":`), r.Event)
	b = rawjson.AppendQuoted(append(b, `,"taskId":`...), session)
	b = rawjson.AppendQuoted(append(b, `,"workspaceRoots":[`...), cwd)
	member, done := "preToolUse", ""
	if r.Canonical() == PostToolUse {
		member, done = "postToolUse", `,"success":true`
	}
	b = append(b, `],"`+member+`":{"toolName":"editor","parameters":{"path":`...)
	b = rawjson.AppendQuoted(b, file)
	return append(b, `,"old_text":"a","new_text":"b"}`+done+`}}`...)
}

// MCPFile: one for both products; there is no project file.
func (cline) MCPFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	if scope == Project {
		return ConfigFile{}, false
	}
	if path := absVar(env, "CLINE_MCP_SETTINGS_PATH"); path != "" {
		return ConfigFile{Path: path, Format: "json"}, true
	}
	return jsonFile(env.UserHome, ".cline", "data", "settings", "cline_mcp_settings.json")
}

// OwnFiles is one script in the folder that both products read. A project
// whose .clinerules is a file has no such folder there; the CLI alone reads
// the other one.
func (c cline) OwnFiles(scope Scope, root string, argv []string, env sysenv.Env) []OwnFile {
	return c.OwnFilesFor(Standing(c.Registrations()), scope, root, argv, env)
}

// OwnFilesFor: the script after a tool is there while a person's own hooks want
// it.
func (cline) OwnFilesFor(regs []Registration, scope Scope, root string, argv []string, env sysenv.Env) []OwnFile {
	dir := under(env.UserHome, "Documents", "Cline", "Hooks")
	if scope == Project {
		dir = under(root, ".clinerules", "hooks")
		if isFile(under(root, ".clinerules")) {
			dir = under(root, ".cline", "hooks")
		}
	}
	if dir == "" || len(argv) == 0 {
		return nil
	}
	var out []OwnFile
	for _, r := range regs {
		if env.GOOS == "windows" {
			out = append(out, OwnFile{Path: under(dir, r.Event+".ps1"), Data: clinePowerShell(argv)})
			continue
		}
		out = append(out, OwnFile{Path: under(dir, r.Event), Data: clineScript(argv, scope), Exec: true})
	}
	return out
}

const clineMaker = `# Written by "pathrule setup"; "pathrule unsetup" removes it. Edits are lost.
# Cline starts this file at the event that it is named after.
`

// clineScript always ends with 0: any other code shows as a failed hook. An
// editor started from a desktop may have a short PATH.
func clineScript(argv []string, scope Scope) []byte {
	words := make([]string, len(argv))
	for i, w := range argv {
		words[i] = shWord(w)
	}
	var b strings.Builder
	b.WriteString("#!/bin/sh\n" + clineMaker)
	if scope == Project {
		b.WriteString(`PATH="$PATH:${PATHRULE_HOME:-$HOME/.pathrule}/bin"` + "\n")
	}
	b.WriteString("command -v " + words[0] + " >/dev/null 2>&1 || exit 0\n")
	b.WriteString("exec " + strings.Join(words, " ") + "\n")
	return []byte(b.String())
}

// clinePowerShell hands stdin on as UTF-8, which Windows PowerShell does not do
// by itself.
func clinePowerShell(argv []string) []byte {
	words := make([]string, len(argv))
	for i, w := range argv {
		words[i] = psWord(w)
	}
	return []byte(clineMaker + `try {
  if (-not (Get-Command ` + words[0] + ` -ErrorAction SilentlyContinue)) { exit 0 }
  $utf8 = New-Object System.Text.UTF8Encoding $false
  $OutputEncoding = $utf8
  try { [Console]::OutputEncoding = $utf8 } catch {}
  $in = New-Object System.IO.StreamReader([Console]::OpenStandardInput(), $utf8)
  $in.ReadToEnd() | & ` + strings.Join(words, " ") + `
} catch {}
exit 0
`)
}

func (cline) Detect(env sysenv.Env) (string, bool) {
	if how, ok := detect(env, "cline", under(env.UserHome, ".cline")); ok {
		return how, true
	}
	return detect(env, "cline", under(env.UserHome, "Documents", "Cline"))
}

func (cline) Wiring() Wiring {
	return Wiring{
		MCPTable:     "mcpServers",
		MCPExtra:     []Member{{"disabled", false}},
		Reload:       "Cline takes the hook up with the next tool; it shows the MCP server once its list of servers is reloaded.",
		NoProjectMCP: "Cline has no project file for MCP servers; use the user scope.",
		Compile:      "cline",
		Loads:        []string{"cline", "agents", "cline-skills"},
		LoadsPaths:   []string{"cline"},
	}
}

func (cline) Facts() Facts {
	return Facts{
		Version: "CLI 3.0.65; the extension 4.1.13 from its source",
		Seen:    true,
		Left: []Left{
			{SessionStart, "TaskStart is started detached by the CLI, and older extensions throw its answer away"},
			{UserPromptSubmit, "it is started detached by the CLI, and older extensions throw its answer away"},
			{Stop, "TaskComplete ends the task, not a turn, and cannot be held"},
			{SessionEnd, "the extension does not fire it"},
		},
		Moments: []Moment{
			{"session", "PreToolUse", "in front of what the session's first tool brings; nothing reaches the model before"},
			{"tool", "PreToolUse", "a message after the tool's result"},
		},
		Note: "The hook is a script, `~/Documents/Cline/Hooks/PreToolUse` or `.clinerules/hooks/PreToolUse` (`PreToolUse.ps1` on Windows), which the extension and the CLI both read. " +
			"Prompts bring nothing: the CLI starts those hooks detached, and extensions before the fix of 2026-09 throw their text away. " +
			"There is no refusal: `cancel` would end the whole run without telling the model why. Hooks never fire where a provider runs the tools itself (Claude Code, Codex).",
	}
}
