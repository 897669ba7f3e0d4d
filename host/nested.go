package host

import (
	"errors"
	"strings"

	"pathrule/internal/rawjson"
	"pathrule/internal/sysenv"
)

// ErrPayload: stdin was not one JSON object.
var ErrPayload = errors.New("payload is not a JSON object")

// nested is a payload of the Claude family with the members whose meaning
// depends on the event still unread.
type nested struct {
	ev                        Event
	prompt, submitted, source rawjson.Value
	input, response, file     rawjson.Value
	failed                    rawjson.Value
	mcpServer                 string
}

// readNested reads the payload family that Claude Code began and others follow:
// snake-case keys, hook_event_name, tool_name, tool_input. The caller names the
// event.
func readNested(id string, payload []byte) (nested, error) {
	n := nested{ev: Event{Host: id}}
	ev := &n.ev
	v, err := rawjson.Parse(payload)
	if err != nil || v.Kind() != '{' {
		return n, ErrPayload
	}
	for name, m := range v.Members {
		switch name {
		case "hook_event_name":
			ev.RawName = m.Text()
		case "session_id":
			ev.Session = m.Text()
		case "agent_id":
			ev.Agent = m.Text()
		case "agent_type":
			ev.AgentType = m.Text()
		case "cwd":
			ev.Cwd = m.Text()
		case "workspace_roots":
			for r := range m.Elements {
				ev.Roots = appendSet(ev.Roots, r.Text())
			}
		case "prompt":
			n.prompt = m
		case "submitted_prompt":
			n.submitted = m
		case "source", "trigger", "reason", "load_reason":
			n.source = m
		case "error":
			n.failed = m
		case "file_path":
			n.file = m
		case "tool_name":
			ev.Tool = m.Text()
		case "tool_input":
			n.input = m
		case "tool_response":
			n.response = m
		case "mcp_context":
			n.mcpServer = m.Get("server_name").Text()
		case "tool_use_id":
			ev.ToolUseID = m.Text()
		case "prompt_id":
			ev.PromptID = m.Text()
		case "turn_id":
			ev.TurnID = m.Text()
		case "stop_hook_active":
			ev.StopActive = m.True()
		}
	}
	if ev.RawName == "" {
		return n, errors.New("payload has no hook_event_name")
	}
	return n, nil
}

// decodeNested reads a payload under Claude Code's own event and tool names.
func decodeNested(id string, payload []byte, env sysenv.Env) (Event, error) {
	n, err := readNested(id, payload)
	ev := n.ev
	if err != nil {
		return ev, err
	}
	ev.Name = canonical(ev.RawName)
	switch ev.Name {
	case SessionStart, PreCompact, PostCompact, SessionEnd:
		ev.Source = n.source.Text()
	case StopFailure:
		ev.Source = n.failed.Text()
	case InstructionsLoaded:
		ev.Source = n.source.Text()
		if path := n.file.Text(); path != "" {
			ev.Touches = []Touch{{Path: path, Op: Read}}
		}
	case UserPromptSubmit:
		ev.Prompt, ev.UserTurn = userPrompt(promptText(n.prompt))
		// Wake-ups, schedules and polls are the host's own; "user" and "sdk" are
		// people. A subagent's prompt is its parent's doing.
		if s := n.source.Text(); s != "" && s != "user" && s != "sdk" || ev.Agent != "" {
			ev.UserTurn = false
		}
	case PreToolUse, PostToolUse, PostToolUseFailure, PermissionRequest:
		ev.Touches = toolTouches(ev.Tool, n.input, shellOf(env))
	}
	return ev, nil
}

// canonical is the event of a Claude-style name.
func canonical(raw string) EventName {
	switch n := EventName(raw); n {
	case SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, PostToolUseFailure,
		SubagentStart, PreCompact, SubagentStop, Stop, SessionEnd, InstructionsLoaded,
		PostCompact, StopFailure, PermissionRequest:
		return n
	}
	return Other
}

// canonicalCamel is canonical for clients that begin their names in lower case as
// well ("preToolUse").
func canonicalCamel(raw string) EventName {
	if raw != "" && raw[0] >= 'a' && raw[0] <= 'z' {
		raw = string(raw[0]-'a'+'A') + raw[1:]
	}
	return canonical(raw)
}

// encodeNested is {"hookSpecificOutput":{"hookEventName":E,"additionalContext":T}}
// and nothing else, but for a notice: {"systemMessage":N,...}, which both hosts
// show to the person and not to the model.
func encodeNested(ev EventName, r Reply) []byte {
	if r.Context == "" && r.Notice == "" {
		return nil
	}
	b := make([]byte, 0, len(r.Context)+len(r.Context)/16+len(r.Notice)+128)
	b = append(b, '{')
	if r.Notice != "" {
		b = append(b, `"systemMessage":`...)
		b = rawjson.AppendQuoted(b, r.Notice)
	}
	if r.Context != "" {
		if r.Notice != "" {
			b = append(b, ',')
		}
		b = append(b, `"hookSpecificOutput":{"hookEventName":`...)
		b = rawjson.AppendQuoted(b, string(ev))
		b = append(b, `,"additionalContext":`...)
		b = rawjson.AppendQuoted(b, r.Context)
		b = append(b, '}')
	}
	return append(b, "}\n"...)
}

// sampleNested is a small payload of this family; tool edits file.
func sampleNested(r Registration, session, cwd, tool, file string) []byte {
	b := []byte(`{"session_id":`)
	b = rawjson.AppendQuoted(b, session)
	b = append(b, `,"cwd":`...)
	b = rawjson.AppendQuoted(b, cwd)
	b = append(b, `,"hook_event_name":`...)
	b = rawjson.AppendQuoted(b, r.Event)
	switch r.Canonical() {
	case SessionStart:
		b = append(b, `,"source":"startup"`...)
	case UserPromptSubmit:
		b = append(b, `,"prompt":`...)
		b = rawjson.AppendQuoted(b, "change the greeting in "+file)
	case PreToolUse, PostToolUse, PostToolUseFailure, PermissionRequest:
		b = append(b, `,"tool_use_id":`...)
		b = rawjson.AppendQuoted(b, session)
		b = append(b, `,"tool_name":`...)
		b = rawjson.AppendQuoted(b, tool)
		b = append(b, `,"tool_input":{"file_path":`...)
		b = rawjson.AppendQuoted(b, file)
		b = append(b, `,"old_string":"a","new_string":"b"}`...)
	case SubagentStart, SubagentStop:
		b = append(b, `,"agent_id":`...)
		b = rawjson.AppendQuoted(b, session)
		b = append(b, `,"agent_type":"general"`...)
	}
	return append(b, '}')
}

// promptText is a prompt as text; some hosts and SDK users send the message's
// content blocks instead of a string.
func promptText(v rawjson.Value) string {
	switch v.Kind() {
	case '"':
		return v.Text()
	case '{':
		return v.Get("text").Text()
	case '[':
		var parts []string
		for e := range v.Elements {
			if t := promptText(e); t != "" {
				parts = append(parts, t)
			}
		}
		return strings.Join(parts, "\n")
	}
	return ""
}

// userPrompt tells a person's prompt from one the host made: an empty
// continuation, or the notice that a background task ended. Of a typed command
// ("/review src/api") the slash goes, so that its name is a word and no path.
func userPrompt(s string) (prompt string, user bool) {
	t := strings.TrimSpace(s)
	if t == "" || strings.HasPrefix(t, "<task-notification>") {
		return "", false
	}
	if t[0] == '/' {
		name := t[1:]
		if i := strings.IndexAny(name, " \t\r\n"); i >= 0 {
			name = name[:i]
		}
		if name != "" && !strings.ContainsAny(name, `/.\`) {
			return t[1:], true
		}
	}
	return s, true
}

// refuseTop is a refusal as a decision at the top level, in the host's own word
// for a tool or a prompt and for a stop.
func refuseTop(ev EventName, tool, stop, reason string) (Output, bool) {
	word := tool
	switch ev {
	case PreToolUse, UserPromptSubmit:
	case Stop:
		word = stop
	default:
		return Output{}, false
	}
	b := append([]byte(`{"decision":"`), word...)
	b = append(b, `","reason":`...)
	b = rawjson.AppendQuoted(b, reason)
	return Output{Stdout: append(b, "}\n"...)}, true
}

func appendSet(list []string, s string) []string {
	if s == "" {
		return list
	}
	return append(list, s)
}

// refuseNested is the "no" of the Claude family: a tool or a permission is denied
// inside hookSpecificOutput, a stop held and a prompt kept back by a top-level
// decision.
func refuseNested(ev EventName, reason string) (Output, bool) {
	var b []byte
	switch ev {
	case PreToolUse:
		b = append(b, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":`...)
		b = rawjson.AppendQuoted(b, reason)
		b = append(b, "}}\n"...)
	case PermissionRequest:
		b = append(b, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":`...)
		b = rawjson.AppendQuoted(b, reason)
		b = append(b, "}}}\n"...)
	case Stop, UserPromptSubmit:
		b = append(b, `{"decision":"block","reason":`...)
		b = rawjson.AppendQuoted(b, reason)
		b = append(b, "}\n"...)
	default:
		return Output{}, false
	}
	return Output{Stdout: b}, true
}
