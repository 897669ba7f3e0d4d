package host

import (
	"strings"

	"pathrule/internal/rawjson"
	"pathrule/internal/sysenv"
)

// Sender is the host that really sent a payload to a hook registered for
// another. Cursor, Copilot and Devin run the hooks in Claude Code's files, and
// a person may have copied such an entry into any client's own; each of them
// names its events, and takes its answers, in its own way.
//
// The payload's own members decide; a variable of the environment counts only
// beside them, the most specific first, since terminals hand variables on from
// one client to another. A hook registered for another client than Claude Code
// is that client's: nobody runs its files but itself.
func Sender(registered Host, payload []byte, env sysenv.Env) Host {
	if registered.ID() != "claude-code" {
		return registered
	}
	id := sender(payload, env)
	if id == "" {
		return registered
	}
	if h, ok := ByName(id); ok {
		return h
	}
	return registered
}

func sender(payload []byte, env sysenv.Env) string {
	v, err := rawjson.Parse(payload)
	if err != nil || v.Kind() != '{' {
		return ""
	}
	var session, transcript, event string
	var cursorMember, camel, cwd, stamp, mode, generation, call bool
	for name, m := range v.Members {
		switch name {
		case "cursor_version", "conversation_id":
			cursorMember = cursorMember || m.Text() != ""
		case "sessionId":
			camel = m.Text() != ""
		case "session_id":
			session = m.Text()
		case "transcript_path":
			transcript = m.Text()
		case "hook_event_name":
			event = m.Text()
		case "cwd":
			cwd = m.Text() != ""
		case "timestamp":
			stamp = m.Kind() == '"'
		case "permission_mode":
			mode = true
		case "generation_id":
			generation = m.Text() != ""
		case "tool_use_id":
			call = true
		}
	}
	set := func(names ...string) bool {
		for _, n := range names {
			if env.Get(n) != "" {
				return true
			}
		}
		return false
	}
	in := func(folder string) bool { return strings.Contains(transcript, folder) }
	switch {
	case cursorMember:
		return "cursor"
	case camel && session == "":
		return "copilot"
	// Claude Code tells its hooks the session in the environment too.
	case session != "" && session == env.Get("CLAUDE_CODE_SESSION_ID"):
		return ""
	case in(claudeFolder(env)):
		return ""
	case set("DEVIN_PROJECT_DIR") && !cwd && transcript == "":
		return "devin-local"
	case set("CODEBUDDY_PROJECT_DIR") && (generation || !stamp && in("odebuddy")):
		return "codebuddy"
	// CURSOR_VERSION is set for hooks alone; a payload with a mode, which Cursor
	// never sends, is not its.
	case set("CURSOR_VERSION") && !mode && !stamp:
		return "cursor"
	// Qwen Code sets Gemini CLI's variables as well.
	case stamp && set("QWEN_PROJECT_DIR", "QWEN_CODE_SESSION_ID"), stamp && in(".qwen"):
		return "qwen-code"
	case geminiOnly(event), stamp && (in(".gemini") || set("GEMINI_PROJECT_DIR", "GEMINI_SESSION_ID") && !call):
		return "gemini-cli"
	// Copilot's command line names no transcript but at the end of a turn, VS
	// Code names its extension's folder.
	case stamp && !mode && (in("opilot") || transcript == "" && !call && set("COPILOT_CLI", "COPILOT_PROJECT_DIR", "COPILOT_HOOK_DIR")):
		return "copilot"
	}
	return ""
}

// claudeFolder is where Claude Code keeps its transcripts.
func claudeFolder(env sysenv.Env) string {
	if dir := absVar(env, "CLAUDE_CONFIG_DIR"); dir != "" {
		return dir
	}
	return ".claude"
}

// geminiOnly are event names that no other client has.
func geminiOnly(event string) bool {
	switch event {
	case "BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool", "BeforeModel", "AfterModel", "BeforeToolSelection", "PreCompress":
		return true
	}
	return false
}

// Shared reports whether the event of this hook may come to a second hook of
// ours as well, by a client that runs another's files: only then do the two
// agree on who answers, by the event's own ids. sender is what Sender said.
// Without a variable that names such a client, and under a session that Claude
// Code itself claims, Claude Code's hooks never look.
func Shared(registered, sender Host, ev Event, env sysenv.Env) bool {
	switch registered.ID() {
	case "cursor", "copilot", "devin-local":
		return true
	case "claude-code":
	default:
		return false
	}
	if sender.ID() != registered.ID() {
		return true
	}
	if ev.Session != "" && ev.Session == env.Get("CLAUDE_CODE_SESSION_ID") {
		return false
	}
	for _, n := range [...]string{"CURSOR_VERSION", "CURSOR_PROJECT_DIR", "DEVIN_PROJECT_DIR", "COPILOT_CLI", "COPILOT_PROJECT_DIR"} {
		if env.Get(n) != "" {
			return true
		}
	}
	return false
}
