package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What each client puts into the environment of a hook, as recorded or as its
// documentation says.
var hookVars = map[string]map[string]string{
	"claude-code": {"CLAUDE_PROJECT_DIR": "/home/dev/shop", "CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "sdk-cli"},
	"codex":       {},
	"cursor":      {"CURSOR_VERSION": "3.18.25", "CURSOR_PROJECT_DIR": "/home/dev/shop", "CLAUDE_PROJECT_DIR": "/home/dev/shop"},
	"copilot":     {"COPILOT_CLI": "1", "COPILOT_PROJECT_DIR": "/home/dev/shop", "CLAUDE_PROJECT_DIR": "/home/dev/shop", "COPILOT_HOOK_DIR": "/home/dev/shop"},
	"gemini-cli":  {"GEMINI_PROJECT_DIR": "/home/dev/shop", "GEMINI_SESSION_ID": "g1", "CLAUDE_PROJECT_DIR": "/home/dev/shop"},
	"qwen-code":   {"QWEN_PROJECT_DIR": "/home/dev/shop", "GEMINI_PROJECT_DIR": "/home/dev/shop", "CLAUDE_PROJECT_DIR": "/home/dev/shop", "QWEN_CODE_SESSION_ID": "q1"},
	"devin-local": {"DEVIN_PROJECT_DIR": "/home/dev/shop"},
	"codebuddy":   {"CODEBUDDY_PROJECT_DIR": "/home/dev/shop", "CLAUDE_PROJECT_DIR": "/home/dev/shop"},
}

func payloadFiles(t *testing.T, id string) []string {
	t.Helper()
	files, _ := filepath.Glob("testdata/payloads/" + id + "/*.json")
	captured, _ := filepath.Glob("testdata/captured/" + id + "*/*.json")
	if files = append(files, captured...); len(files) == 0 {
		t.Fatalf("no payloads of %s", id)
	}
	return files
}

// Every payload of every client that runs Claude Code's hooks, or into whose
// file such an entry may be copied, through a hook registered for Claude Code.
// Rows: P144.
func TestAHookOfClaudeCodeKnowsWhoRunsIt(t *testing.T) {
	registered, _ := ByName("claude-code")
	for id, vars := range hookVars {
		if _, known := ByName(id); !known || id == "codex" {
			continue
		}
		for _, f := range payloadFiles(t, id) {
			raw, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if got := Sender(registered, raw, env(vars)); got.ID() != id {
				t.Errorf("%s is taken for %s", f, got.ID())
			}
			// A payload that says who sent it needs no variable.
			if id == "cursor" || strings.Contains(f, "vscode-") && strings.Contains(string(raw), "transcript_path") {
				if got := Sender(registered, raw, env(nil)); got.ID() != id {
					t.Errorf("%s without variables is taken for %s", f, got.ID())
				}
			}
		}
	}
}

// Terminals hand variables on: a client that was started by another's shell
// tool has them all, and stays what it is.
func TestStrayVariablesMakeNoOtherClient(t *testing.T) {
	stray := map[string]string{}
	for _, vars := range hookVars {
		for k, v := range vars {
			stray[k] = v
		}
	}
	// Of another session: Claude Code was the outer one.
	stray["CLAUDE_CODE_SESSION_ID"] = "another"
	for _, id := range []string{"claude-code", "codex", "copilot", "cursor"} {
		registered, _ := ByName(id)
		for _, f := range payloadFiles(t, id) {
			raw, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, vars := range []map[string]string{nil, stray} {
				if got := Sender(registered, raw, env(vars)); got.ID() != id {
					t.Errorf("%s with %d variables is taken for %s", f, len(vars), got.ID())
				}
			}
		}
	}
}

func TestWhoSentIt(t *testing.T) {
	for name, c := range map[string]struct {
		payload string
		vars    map[string]string
		want    string
	}{
		"Claude Code's own": {`{"hook_event_name":"Stop","session_id":"s","cwd":"/r","transcript_path":"/home/dev/.claude/p/s.jsonl"}`, nil, "claude-code"},
		"Claude Code with a moved folder": {`{"hook_event_name":"SessionStart","session_id":"s","cwd":"/r","transcript_path":"/cfg/p/s.jsonl"}`,
			map[string]string{"CLAUDE_CONFIG_DIR": "/cfg", "CURSOR_VERSION": "3"}, "claude-code"},
		"Claude Code, by its session in the environment": {`{"hook_event_name":"SessionStart","session_id":"s","cwd":"/r","transcript_path":"/x/s.jsonl"}`,
			map[string]string{"CLAUDE_CODE_SESSION_ID": "s", "CURSOR_VERSION": "3"}, "claude-code"},
		"little, and no variable":              {`{"hook_event_name":"Stop","session_id":"s"}`, nil, "claude-code"},
		"Cursor, by the version":               {`{"hook_event_name":"SessionStart","session_id":"s","cwd":"","cursor_version":"3.9.16"}`, nil, "cursor"},
		"Cursor, by the conversation":          {`{"hook_event_name":"SessionStart","conversation_id":"s","workspace_roots":["/r"]}`, nil, "cursor"},
		"Cursor, by its variable":              {`{"hook_event_name":"SessionStart","session_id":"s","cwd":"/r"}`, map[string]string{"CURSOR_VERSION": "3"}, "cursor"},
		"Cursor with an empty version":         {`{"hook_event_name":"SessionStart","session_id":"s","cwd":"/r","cursor_version":""}`, nil, "claude-code"},
		"Copilot in camelCase":                 {`{"sessionId":"s","timestamp":1,"cwd":"/r","prompt":"x"}`, nil, "copilot"},
		"Copilot in PascalCase":                {`{"hook_event_name":"UserPromptSubmit","session_id":"s","timestamp":"2026-11-30T09:00:00.000Z","cwd":"/r","prompt":"x"}`, map[string]string{"COPILOT_CLI": "1"}, "copilot"},
		"the same without a variable":          {`{"hook_event_name":"UserPromptSubmit","session_id":"s","timestamp":"2026-11-30T09:00:00.000Z","cwd":"/r","prompt":"x"}`, nil, "claude-code"},
		"Claude Code in Copilot's terminal":    {`{"hook_event_name":"UserPromptSubmit","session_id":"s","cwd":"/r","prompt":"x"}`, map[string]string{"COPILOT_CLI": "1"}, "claude-code"},
		"no JSON":                              {`{`, map[string]string{"CURSOR_VERSION": "3"}, "claude-code"},
		"a text that only speaks of a version": {`{"hook_event_name":"UserPromptSubmit","session_id":"s","cwd":"/r","prompt":"\"cursor_version\":\"3\""}`, nil, "claude-code"},
	} {
		registered, _ := ByName("claude-code")
		if got := Sender(registered, []byte(c.payload), env(c.vars)); got.ID() != c.want {
			t.Errorf("%s: %s, want %s", name, got.ID(), c.want)
		}
	}
}

func TestWhoSharesAnEventWithAnotherHook(t *testing.T) {
	for name, c := range map[string]struct {
		registered, sender string
		vars               map[string]string
		want               bool
	}{
		"plain Claude Code":                              {"claude-code", "claude-code", nil, false},
		"plain Claude Code with its own variables":       {"claude-code", "claude-code", hookVars["claude-code"], false},
		"Claude Code's own session in Cursor's terminal": {"claude-code", "claude-code", map[string]string{"CURSOR_VERSION": "3", "CLAUDE_CODE_SESSION_ID": "s"}, false},
		"unclear, and Cursor's variable":                 {"claude-code", "claude-code", map[string]string{"CURSOR_VERSION": "3"}, true},
		"unclear, and Cursor's folder":                   {"claude-code", "claude-code", map[string]string{"CURSOR_PROJECT_DIR": "/r"}, true},
		"unclear, and Devin's folder":                    {"claude-code", "claude-code", map[string]string{"DEVIN_PROJECT_DIR": "/r"}, true},
		"run by Cursor":                                  {"claude-code", "cursor", nil, true},
		"Cursor's own":                                   {"cursor", "cursor", nil, true},
		"Copilot's own":                                  {"copilot", "copilot", nil, true},
		"Codex with Cursor's variable":                   {"codex", "codex", map[string]string{"CURSOR_VERSION": "3"}, false},
		"Windsurf":                                       {"windsurf", "windsurf", map[string]string{"CURSOR_VERSION": "3"}, false},
	} {
		r, _ := ByName(c.registered)
		s, _ := ByName(c.sender)
		if got := Shared(r, s, Event{Session: "s"}, env(c.vars)); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
