package host

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/internal/sysenv"
)

// One event in each of the three dialects, and what each takes as an answer:
// anything else is ignored there.
// Rows: F20.
func TestCopilotsDialects(t *testing.T) {
	const vscode = `,"session_id":"s","transcript_path":"/home/dev/Code/GitHub.copilot-chat/transcripts/s.jsonl"`
	top := `{"additionalContext":"x"}` + "\n"
	nested := func(name string) string {
		return `{"hookSpecificOutput":{"hookEventName":"` + name + `","additionalContext":"x"}}` + "\n"
	}
	deny := `{"permissionDecision":"deny","permissionDecisionReason":"no"}` + "\n"
	for name, c := range map[string]struct {
		payload string
		dialect string
		context string
		refusal string
	}{
		"camelCase start":       {`{"sessionId":"s","source":"new"}`, copilotCamel, top, ""},
		"camelCase prompt":      {`{"sessionId":"s","prompt":"x"}`, copilotCamel, top, ""},
		"camelCase result":      {`{"sessionId":"s","toolName":"view","toolResult":{}}`, copilotCamel, top, ""},
		"camelCase failure":     {`{"sessionId":"s","toolName":"view","error":"x"}`, copilotCamel, top, ""},
		"camelCase tool":        {`{"sessionId":"s","toolName":"view"}`, copilotCamel, "", deny},
		"camelCase subagent":    {`{"sessionId":"s","agentName":"x","agentId":"a"}`, copilotCamel, top, ""},
		"camelCase stop":        {`{"sessionId":"s","stopReason":"end_turn","stop_hook_active":false}`, copilotCamel, "", `{"decision":"block","reason":"no"}` + "\n"},
		"PascalCase start":      {`{"hook_event_name":"SessionStart","session_id":"s"}`, copilotPascal, top, ""},
		"PascalCase prompt":     {`{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"x"}`, copilotPascal, top, ""},
		"PascalCase tool":       {`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Read"}`, copilotPascal, top, deny},
		"PascalCase result":     {`{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"Read","tool_result":{}}`, copilotPascal, top, ""},
		"PascalCase stop":       {`{"hook_event_name":"Stop","session_id":"s","transcript_path":"/h/.copilot/session-state/s/events.jsonl"}`, copilotPascal, "", `{"decision":"block","reason":"no"}` + "\n"},
		"VS Code's start":       {`{"hook_event_name":"SessionStart"` + vscode + `}`, copilotVSCode, nested("SessionStart"), ""},
		"VS Code's prompt":      {`{"hook_event_name":"UserPromptSubmit","prompt":"x"` + vscode + `}`, copilotVSCode, nested("UserPromptSubmit"), `{"decision":"block","reason":"no"}` + "\n"},
		"VS Code's tool":        {`{"hook_event_name":"PreToolUse","tool_name":"read_file"` + vscode + `}`, copilotVSCode, nested("PreToolUse"), `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}` + "\n"},
		"VS Code's result":      {`{"hook_event_name":"PostToolUse","tool_name":"read_file","tool_response":"x","session_id":"s"}`, copilotVSCode, nested("PostToolUse"), ""},
		"VS Code's subagent":    {`{"hook_event_name":"SubagentStart","agent_id":"a"` + vscode + `}`, copilotVSCode, nested("SubagentStart"), ""},
		"VS Code's compaction":  {`{"hook_event_name":"PreCompact","trigger":"auto"` + vscode + `}`, copilotVSCode, "", ""},
		"camelCase compaction":  {`{"sessionId":"s","trigger":"auto","customInstructions":""}`, copilotCamel, "", ""},
		"camelCase end":         {`{"sessionId":"s","reason":"complete"}`, copilotCamel, "", ""},
		"camelCase error":       {`{"sessionId":"s","error":{"message":"x"}}`, copilotCamel, "", ""},
		"camelCase transformed": {`{"sessionId":"s","prompt":"x","transformedPrompt":"y"}`, copilotCamel, "", ""},
	} {
		ev, err := copilot{}.Decode([]byte(c.payload), env(nil))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if ev.Dialect != c.dialect || ev.Session != "s" {
			t.Errorf("%s: dialect %s, session %q", name, ev.Dialect, ev.Session)
		}
		if got := string((copilot{}).Encode(ev, Reply{Context: "x"})); got != c.context {
			t.Errorf("%s is answered with %s, want %s", name, got, c.context)
		}
		out, ok := copilot{}.Refuse(ev, "no")
		if ok != (c.refusal != "") || string(out.Stdout) != c.refusal || out.Exit != 0 {
			t.Errorf("%s is refused with %d %s, want %s", name, out.Exit, out.Stdout, c.refusal)
		}
	}
}

// The name in the command counts where the payload has none, and nowhere else.
func TestAnEventNamedByItsCommand(t *testing.T) {
	for name, c := range map[string]struct {
		event, payload string
		want           EventName
		dialect        string
	}{
		"a shape that says nothing":   {"sessionStart", `{"sessionId":"s","cwd":"/r"}`, SessionStart, copilotCamel},
		"a shape of another event":    {"postToolUse", `{"sessionId":"s","toolName":"view"}`, PostToolUse, copilotCamel},
		"VS Code running our command": {"postToolUse", `{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"read_file","tool_response":""}`, PostToolUse, copilotVSCode},
		"a name in the payload":       {"sessionStart", `{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"x"}`, UserPromptSubmit, copilotPascal},
		"a subagent under PascalCase": {"", `{"sessionId":"s","agentName":"x","agent_id":"a","parent_agent_id":"s"}`, SubagentStart, copilotCamel},
	} {
		ev, err := copilot{}.DecodeNamed(c.event, []byte(c.payload), env(nil))
		if err != nil || ev.Name != c.want || ev.Dialect != c.dialect {
			t.Errorf("%s: %s in %s, %v", name, ev.Name, ev.Dialect, err)
		}
	}
	if ev, err := (copilot{}).Decode([]byte(`{"sessionId":"s","cwd":"/r"}`), env(nil)); err == nil {
		t.Errorf("nothing says what it is, taken for %s", ev.Name)
	}
}

// A subagent has its own id as session; its record is one of the root session.
func TestCopilotsSubagentsBelongToTheirSession(t *testing.T) {
	for _, payload := range []string{
		`{"sessionId":"sub","agentId":"sub","parentAgentId":"root","toolName":"view","toolResult":{}}`,
		`{"hook_event_name":"PostToolUse","session_id":"sub","agent_id":"sub","parent_agent_id":"root","tool_name":"Read","tool_result":{}}`,
		`{"sessionId":"root","agentId":"sub","parentAgentId":"root","agentName":"x"}`,
		`{"sessionId":"sub","agentId":"sub","parentAgentId":"root","prompt":"find callers"}`,
	} {
		ev, err := copilot{}.Decode([]byte(payload), env(nil))
		if err != nil || ev.Session != "root" || ev.Agent != "sub" || ev.UserTurn {
			t.Errorf("%s: session %q, agent %q, user turn %t, %v", payload, ev.Session, ev.Agent, ev.UserTurn, err)
		}
	}
}

func TestPathsOfCopilotsTools(t *testing.T) {
	for name, c := range map[string]struct {
		tool, input string
		want        []Touch
	}{
		"view":                      {"view", `{"path":"/r/a.ts","view_range":[1,2]}`, []Touch{{"/r/a.ts", Read}}},
		"edit":                      {"edit", `{"path":"/r/a.ts","old_str":"a"}`, []Touch{{"/r/a.ts", Edit}}},
		"create":                    {"create", `{"path":"/r/a.ts","file_text":""}`, []Touch{{"/r/a.ts", Create}}},
		"bash":                      {"bash", `{"command":"cat src/a.ts"}`, []Touch{{"src/a.ts", Shell}}},
		"powershell":                {"powershell", `{"command":"Get-Content src\\a.ts"}`, []Touch{{`src\a.ts`, Shell}}},
		"grep":                      {"grep", `{"pattern":"x","path":"/r/src"}`, []Touch{{"/r/src", Search}}},
		"glob":                      {"glob", `{"pattern":"src/api/*.ts"}`, []Touch{{"src/api", Search}}},
		"a patch":                   {"apply_patch", `{"input":"*** Begin Patch\n*** Update File: src/a.ts\n*** End Patch"}`, []Touch{{"src/a.ts", Edit}}},
		"a bare patch":              {"apply_patch", `"*** Begin Patch\n*** Add File: src/b.ts\n*** End Patch"`, []Touch{{"src/b.ts", Create}}},
		"a task":                    {"task", `{"path":"/r/a.ts"}`, nil},
		"our server":                {"pathrule-get_context", `{"paths":["src/a.ts"]}`, nil},
		"our server in VS Code":     {"mcp_pathrule_get_context", `{"paths":["src/a.ts"]}`, nil},
		"another server":            {"files-read", `{"path":"src/a.ts"}`, []Touch{{"src/a.ts", Arg}}},
		"arguments as text":         {"view", `"{\"path\":\"/r/a.ts\"}"`, []Touch{{"/r/a.ts", Read}}},
		"VS Code reads":             {"read_file", `{"filePath":"/r/a.ts"}`, []Touch{{"/r/a.ts", Read}}},
		"VS Code creates":           {"create_file", `{"filePath":"/r/a.ts","content":""}`, []Touch{{"/r/a.ts", Create}}},
		"VS Code replaces":          {"replace_string_in_file", `{"filePath":"/r/a.ts"}`, []Touch{{"/r/a.ts", Edit}}},
		"VS Code replaces in two":   {"multi_replace_string_in_file", `{"replacements":[{"filePath":"/r/a.ts"},{"filePath":"/r/b.ts"},{"filePath":"/r/a.ts"}]}`, []Touch{{"/r/a.ts", Edit}, {"/r/b.ts", Edit}}},
		"VS Code makes a folder":    {"create_directory", `{"dirPath":"/r/x"}`, []Touch{{"/r/x", Create}}},
		"VS Code searches":          {"grep_search", `{"query":"x","includePattern":"src/api/**"}`, []Touch{{"src/api", Search}}},
		"VS Code finds":             {"file_search", `{"query":"src/api/**"}`, []Touch{{"src/api", Search}}},
		"VS Code looks for faults":  {"get_errors", `{"filePaths":["/r/a.ts","/r/b.ts"]}`, []Touch{{"/r/a.ts", Read}, {"/r/b.ts", Read}}},
		"VS Code's terminal":        {"run_in_terminal", `{"command":"cat src/a.ts"}`, []Touch{{"src/a.ts", Shell}}},
		"PascalCase keeps the path": {"Read", `{"path":"/r/a.ts"}`, []Touch{{"/r/a.ts", Read}}},
	} {
		ev, err := copilot{}.Decode([]byte(`{"sessionId":"s","toolResult":{},"toolName":"`+c.tool+`","toolArgs":`+c.input+`}`), env(nil))
		if d := cmp.Diff(c.want, ev.Touches); d != "" || err != nil {
			t.Errorf("%s: %v, -want +got:\n%s", name, err, d)
		}
	}
}

func TestCopilotsFiles(t *testing.T) {
	plain := sysenv.Env{UserHome: "/home/dev", GOOS: "linux"}
	for _, c := range []struct {
		scope      Scope
		env        sysenv.Env
		hooks, mcp string
	}{
		{Project, plain, "/r/.github/hooks/pathrule.json", "/r/.mcp.json"},
		{User, plain, "/home/dev/.copilot/hooks/pathrule.json", "/home/dev/.copilot/mcp-config.json"},
		{User, env(map[string]string{"COPILOT_HOME": "/cfg"}), "/cfg/hooks/pathrule.json", "/cfg/mcp-config.json"},
		{User, env(map[string]string{"COPILOT_HOME": "cfg"}), "/home/dev/.copilot/hooks/pathrule.json", "/home/dev/.copilot/mcp-config.json"},
		{User, sysenv.Env{}, "", ""},
	} {
		h, ok := copilot{}.HookFile(c.scope, "/r", c.env)
		m, _ := copilot{}.MCPFile(c.scope, "/r", c.env)
		if filepath.ToSlash(h.Path) != c.hooks || filepath.ToSlash(m.Path) != c.mcp || ok != (c.hooks != "") {
			t.Errorf("%s: %q, %q", c.scope, h.Path, m.Path)
		}
	}
	w := copilot{}.Wiring()
	if w.MCPType != "local" || len(w.MCPExtra) != 1 || w.MCPExtra[0].Key != "tools" {
		t.Errorf("server entry: %+v", w)
	}
	if got := (copilot{}).Cap(PostToolUse); got.Max > 10_240 || got.Max == 0 || got.Unit != Bytes {
		t.Errorf("the room behind a tool's result: %+v", got)
	}
}

// A hook that fails before a tool stops the tool, so none stands there; every
// line has a form for PowerShell; a camelCase payload does not name its event.
func TestWhatCopilotRegisters(t *testing.T) {
	for _, r := range (copilot{}).Registrations() {
		if r.Canonical() == PreToolUse && !r.Guard {
			t.Errorf("%s is registered without a block that needs it", r.Event)
		}
		if !r.NameEvent {
			t.Errorf("%s is not named in the command", r.Event)
		}
		var v map[string]any
		sample := copilot{}.Sample(r, "s", "/r", "/r/a.txt")
		if err := json.Unmarshal(sample, &v); err != nil {
			t.Errorf("%s: %v in %s", r.Event, err, sample)
		}
		if ev, err := (copilot{}).Decode(sample, env(nil)); err != nil || ev.RawName != r.Event {
			t.Errorf("%s: its sample is taken for %s, %v", r.Event, ev.RawName, err)
		}
	}
	if sh := (copilot{}).Shape(); sh.Command != "bash" || sh.Windows != "powershell" || !sh.WindowsCall || sh.Version != 1 || sh.Timeout != "timeoutSec" {
		t.Errorf("%+v", sh)
	}
}
