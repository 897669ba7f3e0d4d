package doctor

import (
	"encoding/json"

	"pathrule/host"
)

// sampleEvent is a small event as a client sends it. file is the touched file
// of a tool event.
func sampleEvent(event, session, cwd, file string) []byte {
	m := map[string]any{
		"session_id": session, "cwd": cwd, "hook_event_name": event, "transcript_path": "",
	}
	switch host.EventName(event) {
	case host.SessionStart:
		m["source"] = "startup"
	case host.UserPromptSubmit:
		m["prompt"] = "change the greeting in " + file
	case host.PreToolUse, host.PostToolUse, host.PostToolUseFailure:
		m["tool_name"], m["tool_use_id"] = "Edit", session
		m["tool_input"] = map[string]string{"file_path": file, "old_string": "a", "new_string": "b"}
	case host.SubagentStart, host.SubagentStop:
		m["agent_id"], m["agent_type"] = session, "general"
	}
	b, _ := json.Marshal(m)
	return b
}
