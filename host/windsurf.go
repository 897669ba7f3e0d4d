package host

import (
	"errors"

	"pathrule/internal/rawjson"
	"pathrule/internal/sysenv"
)

// windsurf is Windsurf's Cascade. Its hooks have no way to bring text to the
// model (only stderr with exit 2, at the price of the action), so nothing is
// answered, and two events are registered only while an approved block needs
// them; knowledge comes by compiled rule files.
// Source: the published Cascade hooks and MCP pages.
type windsurf struct{ base }

func (windsurf) ID() string        { return "windsurf" }
func (windsurf) Aliases() []string { return []string{"cascade"} }
func (windsurf) Title() string     { return "Windsurf" }

// Decode reads Cascade's own names: the trajectory is the session, tool_info
// holds the arguments. There is no session-start event and no turn id.
func (w windsurf) Decode(payload []byte, env sysenv.Env) (Event, error) {
	ev := Event{Host: w.ID()}
	v, err := rawjson.Parse(payload)
	if err != nil || v.Kind() != '{' {
		return ev, ErrPayload
	}
	var info rawjson.Value
	for name, m := range v.Members {
		switch name {
		case "agent_action_name":
			ev.RawName = m.Text()
		case "trajectory_id":
			ev.Session = m.Text()
		case "execution_id":
			ev.TurnID = m.Text()
		case "tool_info":
			info = m
		}
	}
	if ev.RawName == "" {
		return ev, errors.New("payload has no agent_action_name")
	}
	ev.Cwd = info.Get("cwd").Text()
	switch ev.RawName {
	case "pre_user_prompt":
		ev.Name = UserPromptSubmit
		ev.Prompt, ev.UserTurn = userPrompt(promptText(info.Get("user_prompt")))
	case "pre_read_code", "post_read_code":
		ev.Tool, ev.Touches = "read_code", one(info.Get("file_path").Text(), Read)
	case "pre_write_code", "post_write_code":
		ev.Tool, ev.Touches = "write_code", one(info.Get("file_path").Text(), Edit)
	case "pre_run_command", "post_run_command":
		ev.Tool, ev.Touches = "run_command", shellTouches(info.Get("command_line").Text(), shellOf(env))
	case "pre_mcp_tool_use", "post_mcp_tool_use":
		ev.Tool = info.Get("mcp_tool_name").Text()
		if info.Get("mcp_server_name").Text() != "pathrule" {
			ev.Touches = argTouches(info.Get("mcp_tool_arguments"))
		}
	default:
		return ev, nil
	}
	if ev.Tool != "" {
		ev.Name = PreToolUse
		if ev.RawName[:4] == "post" {
			ev.Name = PostToolUse
		}
	}
	return ev, nil
}

func (windsurf) Encode(Event, Reply) []byte { return nil }
func (windsurf) Cap(EventName) Cap          { return Cap{} }

// Tool: Cascade shows a tool under its own name.
func (windsurf) Tool(tool string) string { return tool }

// Registrations: Cascade has no matcher and no time-out.
func (windsurf) Registrations() []Registration {
	return []Registration{
		{Event: "pre_write_code", Name: PreToolUse, Program: "pathrule-hook", Guard: true},
		{Event: "pre_run_command", Name: PreToolUse, Program: "pathrule-hook", Guard: true, Shell: true},
		{Event: "pre_user_prompt", Name: UserPromptSubmit, Program: "pathrule-hook", Hook: true},
		{Event: "post_write_code", Name: PostToolUse, Program: "pathrule-hook", Hook: true},
		{Event: "post_run_command", Name: PostToolUse, Program: "pathrule-hook", Hook: true, Shell: true},
	}
}

func (windsurf) Sample(r Registration, session, cwd, file string) []byte {
	b := rawjson.AppendQuoted([]byte(`{"agent_action_name":`), r.Event)
	b = rawjson.AppendQuoted(append(b, `,"trajectory_id":`...), session)
	b = append(b, `,"tool_info":{`...)
	switch r.Event {
	case "pre_user_prompt":
		b = rawjson.AppendQuoted(append(b, `"user_prompt":`...), "change the greeting in "+file)
	case "pre_run_command", "post_run_command":
		b = rawjson.AppendQuoted(append(b, `"command_line":`...), "cat "+file)
		b = rawjson.AppendQuoted(append(b, `,"cwd":`...), cwd)
	default:
		b = rawjson.AppendQuoted(append(b, `"file_path":`...), file)
		b = append(b, `,"edits":[{"old_string":"a","new_string":"b"}]`...)
	}
	return append(b, "}}"...)
}

// Refuse: exit 2 before an action, a prompt too, blocks it, and stderr is shown to
// the agent.
func (windsurf) Refuse(ev Event, reason string) (Output, bool) {
	if ev.Name != PreToolUse && ev.Name != UserPromptSubmit {
		return Output{}, false
	}
	return Output{Stderr: []byte(reason + "\n"), Exit: 2}, true
}

func (windsurf) Shape() HookShape { return HookShape{Key: "hooks", Windows: "powershell"} }

func (windsurf) HookFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	if scope == Project {
		return jsonFile(root, ".windsurf", "hooks.json")
	}
	return jsonFile(under(env.UserHome, ".codeium", "windsurf"), "hooks.json")
}

// MCPFile: no project file is documented.
func (windsurf) MCPFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	if scope == Project {
		return ConfigFile{}, false
	}
	return jsonFile(under(env.UserHome, ".codeium", "windsurf"), "mcp_config.json")
}

func (windsurf) Detect(env sysenv.Env) (string, bool) {
	return detect(env, "windsurf", under(env.UserHome, ".codeium", "windsurf"))
}

func (windsurf) Facts() Facts {
	return Facts{
		Version: "documentation of 2026-09",
		Moments: []Moment{{"tool", "", "no hook: rule files (`pathrule compile windsurf`)"}},
		Deny:    "exit 2 before a write or a command (`pre_write_code`, `pre_run_command`), the reason on stderr; registered only while an approved block needs it",
	}
}
