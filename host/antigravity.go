package host

import (
	"errors"

	"pathrule/internal/rawjson"
	"pathrule/internal/sysenv"
)

// antigravity is Antigravity CLI (agy), which took Gemini CLI's place for
// consumers and shares nothing of its hooks. One event brings text to the model:
// PreInvocation, before every single request, with no prompt and no path in it.
// So a conversation gets what a session's start brings, and paths come by
// compiled files and MCP. Tool events exist in the documentation, did not load
// on 1.2.7, cannot inject, and an empty answer to the one before a tool was
// measured as a refusal: none is registered. Sources: reports by others on
// releases 1.1.25 and 1.2.7; it was not driven by us.
type antigravity struct{ base }

func (antigravity) ID() string        { return "antigravity" }
func (antigravity) Aliases() []string { return []string{"agy"} }
func (antigravity) Title() string     { return "Antigravity CLI" }

var errNoConversation = errors.New("payload has no conversationId")

// Decode tells events by their members, since no payload names its own:
// PostInvocation would look like PreInvocation and PostToolUse like PreToolUse.
func (a antigravity) Decode(payload []byte, env sysenv.Env) (Event, error) {
	return a.DecodeNamed("", payload, env)
}

// DecodeNamed reads the payload of a registration that names its event. The
// first request of a conversation is its start, each other one goes on with it.
func (a antigravity) DecodeNamed(event string, payload []byte, env sysenv.Env) (Event, error) {
	ev := Event{Host: a.ID(), RawName: event}
	v, err := rawjson.Parse(payload)
	if err != nil || v.Kind() != '{' {
		return ev, ErrPayload
	}
	var number, steps, call, ended rawjson.Value
	for name, m := range v.Members {
		switch name {
		case "conversationId":
			ev.Session = m.Text()
		case "workspacePaths":
			for r := range m.Elements {
				ev.Roots = appendSet(ev.Roots, r.Text())
			}
		case "invocationNum":
			number = m
		case "initialNumSteps":
			steps = m
		case "toolCall":
			call = m
		case "executionNum":
			ended = m
		}
	}
	if event == "" {
		switch {
		case call.Kind() == '{':
			ev.RawName = "PreToolUse"
		case len(ended) > 0:
			ev.RawName = "Stop"
		case len(number) > 0:
			ev.RawName = "PreInvocation"
		case ev.Session != "":
			ev.RawName = "SessionStart"
		default:
			return ev, errNoConversation
		}
	}
	switch ev.RawName {
	case "PreInvocation":
		ev.Name, ev.Source = SessionStart, GoesOn
		// The person's message is the only step before the first request.
		if string(number) == "0" && (string(steps) == "0" || string(steps) == "1") {
			ev.Source = "startup"
		}
	case "PreToolUse", "PostToolUse":
		ev.Name, ev.Tool = EventName(ev.RawName), call.Get("name").Text()
		ev.Touches = antigravityTouches(ev.Tool, call.Get("args"), shellOf(env))
	case "Stop":
		ev.Name = Stop
	}
	return ev, nil // its own SessionStart brings nothing to the model
}

// Encode: one step with one message. Whether the conversation keeps it is not
// known.
func (antigravity) Encode(ev Event, r Reply) []byte {
	if ev.Name != SessionStart || r.Context == "" {
		return nil
	}
	b := []byte(`{"injectSteps":[{"ephemeralMessage":`)
	b = rawjson.AppendQuoted(b, r.Context)
	return append(b, "}]}\n"...)
}

func (antigravity) Refuse(ev Event, reason string) (Output, bool) {
	if ev.Name == UserPromptSubmit {
		return Output{}, false // it has no such event
	}
	return refuseTop(ev.Name, "deny", "continue", reason)
}

// Registrations: the time-out is a whole number of seconds, a fraction would
// lose the file.
func (antigravity) Registrations() []Registration {
	return []Registration{
		{Event: "PreInvocation", Name: SessionStart, NameEvent: true, Program: "pathrule-hook", Timeout: 10, Speaks: true},
	}
}

// Shape: a file is a map of named bundles; the bundle "pathrule" is ours and
// maps events to handlers, without groups.
func (antigravity) Shape() HookShape {
	return HookShape{Key: "pathrule", Type: "command", Timeout: "timeout"}
}

// Wiring: the file is strict JSON. A bundle of the same name in the user's file
// wins over the project's.
func (antigravity) Wiring() Wiring {
	return Wiring{
		ProjectTail: " 2>/dev/null; exit 0",
		UserTail:    "; exit 0",
		Plain:       true,
		TrustNote:   "Antigravity reads .agents/hooks.json only in a folder that is opened as a workspace (or passed with --add-dir), and tells its hooks the project only there.",
		MCPTable:    "mcpServers",
		Compile:     "agents",
		Loads:       []string{"gemini", "agents"},
		Reload:      `Start a new Antigravity session to load the hooks and the MCP server (agy -p "/hooks" --output-format json lists what loaded).`,
	}
}

func (antigravity) HookFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	if scope == Project {
		return jsonFile(root, ".agents", "hooks.json")
	}
	return jsonFile(antigravityHome(env), "hooks.json")
}

func (antigravity) MCPFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	if scope == Project {
		return jsonFile(root, ".agents", "mcp_config.json")
	}
	return jsonFile(antigravityHome(env), "mcp_config.json")
}

func (antigravity) Detect(env sysenv.Env) (string, bool) {
	return detect(env, "agy", under(env.UserHome, ".gemini", "antigravity-cli"))
}

func antigravityHome(env sysenv.Env) string { return under(env.UserHome, ".gemini", "config") }

func (antigravity) Sample(_ Registration, session, cwd, _ string) []byte {
	b := []byte(`{"conversationId":`)
	b = rawjson.AppendQuoted(b, session)
	b = append(b, `,"workspacePaths":[`...)
	b = rawjson.AppendQuoted(b, cwd)
	return append(b, `],"invocationNum":0,"initialNumSteps":1}`...)
}

func (antigravity) Facts() Facts {
	return Facts{
		Version: "1.2.7",
		Moments: []Moment{
			{"session", "PreInvocation", "an ephemeral message in the conversation's first request; no prompt and no path is known there"},
		},
		Deny: "`decision: deny` before a tool, `decision: continue` at Stop",
		Left: []Left{
			{PreToolUse, "the events around a tool did not load on 1.2.7, and an empty answer before a tool was seen to refuse it"},
			{PostToolUse, "the events around a tool did not load on 1.2.7, and an empty answer before a tool was seen to refuse it"},
			{UserPromptSubmit, "there is no event for a prompt"},
			{Stop, "what an empty answer means there is not known"},
		},
	}
}

func antigravityTouches(tool string, in rawjson.Value, sh shell) []Touch {
	switch tool {
	case "view_file":
		return one(first(in, "AbsolutePath", "TargetFile"), Read)
	case "write_to_file":
		return one(first(in, "TargetFile", "AbsolutePath"), Create)
	case "replace_file_content":
		return one(first(in, "TargetFile", "AbsolutePath"), Edit)
	case "run_command":
		return belowDir(in.Get("Cwd").Text(), shellTouches(in.Get("CommandLine").Text(), sh))
	}
	return argTouches(in)
}
