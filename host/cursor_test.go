package host

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/internal/sysenv"
)

func cursorEventOf(t *testing.T, payload string, vars map[string]string) Event {
	t.Helper()
	ev, err := cursor{}.Decode([]byte(payload), env(vars))
	if err != nil {
		t.Fatal(err)
	}
	return ev
}

// The command line's version is a date, the editor's a number; only the former
// shows the model what belongs to a failed tool.
func TestCursorsTwoProgramsAreToldApart(t *testing.T) {
	for version, want := range map[string]string{
		"2026.09.18-9a7762b": cursorCLI, "3.18.25": cursorEditor, "": cursorEditor, "12345.1": cursorEditor, "abcd.1": cursorEditor, "3": cursorEditor,
	} {
		ev := cursorEventOf(t, `{"hook_event_name":"postToolUseFailure","session_id":"s","cursor_version":"`+version+`"}`, nil)
		if ev.Dialect != want {
			t.Errorf("%q is the %s", version, ev.Dialect)
		}
		if spoken := (cursor{}).Encode(ev, Reply{Context: "x"}) != nil; spoken != (want == cursorCLI) {
			t.Errorf("%q: a failed tool is answered: %t", version, spoken)
		}
		ev.Name = PostToolUse
		if got := string((cursor{}).Encode(ev, Reply{Context: "x"})); got != `{"additional_context":"x"}`+"\n" {
			t.Errorf("%q: %s", version, got)
		}
	}
}

func TestCursorsFolders(t *testing.T) {
	vars := map[string]string{"CURSOR_PROJECT_DIR": "/c:/Users/dev/env", "CLAUDE_PROJECT_DIR": "/alias"}
	for name, c := range map[string]struct {
		payload string
		cwd     string
		roots   []string
	}{
		"roots of Windows":            {`"workspace_roots":["/c:/Users/dev/shop","/D:\\x"]`, "", []string{"c:/Users/dev/shop", `D:\x`, "c:/Users/dev/env", "/alias"}},
		"the agents window":           {`"workspace_roots":[]`, "", []string{"c:/Users/dev/env", "/alias"}},
		"an empty folder":             {`"cwd":"","workspace_roots":["/r"]`, "", []string{"/r", "c:/Users/dev/env", "/alias"}},
		"a shell call's own folder":   {`"cwd":"/r","tool_name":"Shell","tool_input":{"command":"ls","cwd":"/r/web"}`, "/r/web", []string{"c:/Users/dev/env", "/alias"}},
		"a shell call without folder": {`"cwd":"/r","tool_name":"Shell","tool_input":{"command":"ls","cwd":""}`, "/r", []string{"c:/Users/dev/env", "/alias"}},
		"a path that looks odd":       {`"cwd":"/c:"`, "/c:", []string{"c:/Users/dev/env", "/alias"}},
	} {
		ev := cursorEventOf(t, `{"hook_event_name":"postToolUse","session_id":"s",`+c.payload+`}`, vars)
		if d := cmp.Diff(c.roots, ev.Roots); d != "" || ev.Cwd != c.cwd {
			t.Errorf("%s: cwd %q, roots -want +got:\n%s", name, ev.Cwd, d)
		}
	}
}

func TestPathsOfCursorsTools(t *testing.T) {
	for name, c := range map[string]struct {
		tool, input string
		want        []Touch
	}{
		"a read":                       {"Read", `{"file_path":"/r/a.ts"}`, []Touch{{"/r/a.ts", Read}}},
		"a read of another build":      {"Read", `{"path":"/r/a.ts","offset":1}`, []Touch{{"/r/a.ts", Read}}},
		"a write":                      {"Write", `{"path":"/r/a.ts","content":""}`, []Touch{{"/r/a.ts", Edit}}},
		"a deletion":                   {"Delete", `{"file_path":"/r/a.ts"}`, []Touch{{"/r/a.ts", Delete}}},
		"grep in a folder":             {"Grep", `{"pattern":"x","file_path":"/r/src"}`, []Touch{{"/r/src", Search}}},
		"grep everywhere":              {"Grep", `{"pattern":"x"}`, nil},
		"glob in a folder":             {"Glob", `{"globPattern":"**/*.go","targetDirectory":"/r/src"}`, []Touch{{"/r/src", Search}}},
		"glob with a fixed part":       {"Glob", `{"globPattern":"src/api/*.go"}`, []Touch{{"src/api", Search}}},
		"a shell line":                 {"Shell", `{"command":"cat src/a.ts"}`, []Touch{{"src/a.ts", Shell}}},
		"another server's tool":        {"MCP:lookup", `{"path":"src/a.ts"}`, []Touch{{"src/a.ts", Arg}}},
		"arguments as text":            {"MCP:lookup", `"{\"path\":\"src/a.ts\"}"`, []Touch{{"src/a.ts", Arg}}},
		"our own server's tool":        {"MCP:get_context", `{"paths":["src/a.ts"]}`, nil},
		"a subagent":                   {"Task", `{"path":"src/a.ts"}`, nil},
		"input that is no object":      {"Read", `7`, nil},
		"text that is no JSON at all":  {"Read", `"src/a.ts"`, nil},
		"a Windows path":               {"Read", `{"file_path":"C:\\r\\a.ts"}`, []Touch{{`C:\r\a.ts`, Read}}},
		"a hook told by Claude's name": {"Bash", `{"command":"cat src/a.ts"}`, []Touch{{"src/a.ts", Shell}}},
	} {
		ev := cursorEventOf(t, `{"hook_event_name":"postToolUse","session_id":"s","tool_name":"`+c.tool+`","tool_input":`+c.input+`}`, nil)
		if d := cmp.Diff(c.want, ev.Touches); d != "" {
			t.Errorf("%s -want +got:\n%s", name, d)
		}
	}
}

func TestCursorsSessionIsTheConversation(t *testing.T) {
	if ev := cursorEventOf(t, `{"hook_event_name":"stop","conversation_id":"c"}`, nil); ev.Session != "c" {
		t.Errorf("session %q", ev.Session)
	}
	if ev := cursorEventOf(t, `{"hook_event_name":"stop","conversation_id":"c","session_id":"s","loop_count":0}`, nil); ev.Session != "s" || ev.StopActive {
		t.Errorf("session %q, active %t", ev.Session, ev.StopActive)
	}
	// The further turn that our own held stop began.
	if ev := cursorEventOf(t, `{"hook_event_name":"stop","conversation_id":"c","loop_count":2}`, nil); !ev.StopActive {
		t.Error("a second stop is not known as one")
	}
	// Claude Code's names reach hooks taken over from its files.
	if ev := cursorEventOf(t, `{"hook_event_name":"SessionStart","session_id":"s","source":"compact"}`, nil); ev.Name != SessionStart || ev.Source != "compact" {
		t.Errorf("%+v", ev)
	}
	if ev := cursorEventOf(t, `{"hook_event_name":"sessionStart","session_id":"s"}`, nil); ev.Source != "startup" {
		t.Errorf("source %q", ev.Source)
	}
}

// A permission hook's answer in a shape that Cursor does not know blocks the
// action, so each member counts.
func TestCursorsDenialPerEvent(t *testing.T) {
	for raw, want := range map[string]string{
		"preToolUse":           `{"permission":"deny","user_message":"no","agent_message":"no"}`,
		"beforeShellExecution": `{"permission":"deny","user_message":"no","agent_message":"no"}`,
		"beforeMCPExecution":   `{"permission":"deny","user_message":"no","agent_message":"no"}`,
		"beforeReadFile":       `{"permission":"deny","user_message":"no"}`,
		"stop":                 `{"followup_message":"no"}`,
		"beforeSubmitPrompt":   `{"continue":false,"user_message":"no"}`,
		"postToolUse":          "", "sessionStart": "", "afterFileEdit": "",
	} {
		ev := cursorEventOf(t, `{"hook_event_name":"`+raw+`","session_id":"s","tool_name":"Write"}`, nil)
		out, ok := cursor{}.Refuse(ev, "no")
		if ok != (want != "") || ok && string(out.Stdout) != want+"\n" || out.Exit != 0 || len(out.Stderr) > 0 {
			t.Errorf("%s: %t %d %q %q", raw, ok, out.Exit, out.Stdout, out.Stderr)
		}
		// What may stop a tool is silent unless it refuses.
		if ev.Name == PreToolUse && (cursor{}).Encode(ev, Reply{Context: "x", Notice: "y"}) != nil {
			t.Errorf("%s speaks", raw)
		}
	}
}

func TestCursorsFiles(t *testing.T) {
	plain := sysenv.Env{UserHome: "/home/dev", GOOS: "linux"}
	// CURSOR_CONFIG_DIR moves other files than these.
	moved := env(map[string]string{"CURSOR_CONFIG_DIR": "/cfg"})
	for _, c := range []struct {
		scope      Scope
		env        sysenv.Env
		hooks, mcp string
	}{
		{Project, plain, "/r/.cursor/hooks.json", "/r/.cursor/mcp.json"},
		{User, plain, "/home/dev/.cursor/hooks.json", "/home/dev/.cursor/mcp.json"},
		{User, moved, "/home/dev/.cursor/hooks.json", "/home/dev/.cursor/mcp.json"},
		{User, sysenv.Env{}, "", ""},
	} {
		h, ok := cursor{}.HookFile(c.scope, "/r", c.env)
		m, _ := cursor{}.MCPFile(c.scope, "/r", c.env)
		if filepath.ToSlash(h.Path) != c.hooks || filepath.ToSlash(m.Path) != c.mcp || ok != (c.hooks != "") {
			t.Errorf("%s: %q, %q", c.scope, h.Path, m.Path)
		}
	}
}

// One event name that the command line does not know loses the whole file.
func TestCursorIsToldNothingButEventsThatItKnows(t *testing.T) {
	known := map[string]bool{}
	for _, n := range []string{"beforeShellExecution", "beforeMCPExecution", "afterShellExecution", "afterMCPExecution", "beforeReadFile", "afterFileEdit",
		"stop", "beforeSubmitPrompt", "afterAgentResponse", "afterAgentThought", "sessionStart", "sessionEnd", "preCompact", "subagentStart",
		"subagentStop", "preToolUse", "postToolUse", "postToolUseFailure"} {
		known[n] = true
	}
	for _, r := range (cursor{}).Registrations() {
		if !known[r.Event] {
			t.Errorf("registers %s", r.Event)
		}
		if r.Canonical() == PreToolUse && !r.Guard {
			t.Errorf("%s is registered without a block that needs it", r.Event)
		}
		var v map[string]any
		sample := cursor{}.Sample(r, "s", "/r", "/r/a.txt")
		if err := json.Unmarshal(sample, &v); err != nil {
			t.Errorf("%s: %v in %s", r.Event, err, sample)
		}
	}
	if sh := (cursor{}).Shape(); sh.Version != 1 || !sh.WindowsCall || sh.Grouped || sh.Exec {
		t.Errorf("%+v", sh)
	}
}
