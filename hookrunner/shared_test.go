package hookrunner_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pathrule/host"
)

// hookOf is one hook of ours: whose file it stands in and the variables that
// its client sets.
type hookOf struct {
	host string
	vars map[string]string
}

var (
	cursorVars  = map[string]string{"CURSOR_VERSION": "3.18.25", "CURSOR_PROJECT_DIR": "", "CLAUDE_PROJECT_DIR": ""}
	copilotVars = map[string]string{"COPILOT_CLI": "1"}
	devinVars   = map[string]string{"DEVIN_PROJECT_DIR": ""}
)

func (w *world) fire(hook hookOf, pairs ...any) string {
	w.t.Helper()
	m := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		w.t.Fatal(err)
	}
	h, ok := host.ByName(hook.host)
	if !ok {
		w.t.Fatalf("no client %s", hook.host)
	}
	env := w.env()
	for k, v := range hook.vars {
		if v == "" {
			v = w.root
		}
		env = env.With(k, v)
	}
	return w.tellEnv(env, h, host.Registration{}, string(b))
}

// A12, A14, T8, F45, F47: a client that runs Claude Code's hooks beside its own
// is told once; what comes more than ten seconds later is another event.
func TestAClientWithTwoOfOurHooksIsToldOnce(t *testing.T) {
	for name, c := range map[string]struct {
		own, other           hookOf
		ownEvent, otherEvent []any
	}{
		"Cursor, the payload says so": {
			hookOf{"cursor", cursorVars}, hookOf{"claude-code", cursorVars},
			[]any{"hook_event_name", "sessionStart", "session_id", "c1", "cursor_version", "3.18.25", "source", "compact"},
			[]any{"hook_event_name", "SessionStart", "session_id", "c1", "cursor_version", "3.18.25", "source", "compact", "cwd", ""},
		},
		"Cursor, the environment says so": {
			hookOf{"cursor", cursorVars}, hookOf{"claude-code", cursorVars},
			[]any{"hook_event_name", "sessionStart", "session_id", "c1", "cursor_version", "3.18.25", "source", "compact"},
			[]any{"hook_event_name", "SessionStart", "session_id", "c1", "source", "compact"},
		},
		"a payload that looks like Claude Code's in Cursor's environment": {
			hookOf{"cursor", cursorVars}, hookOf{"claude-code", cursorVars},
			[]any{"hook_event_name", "sessionStart", "session_id", "c1", "cursor_version", "3.18.25", "source", "compact"},
			[]any{"hook_event_name", "SessionStart", "session_id", "c1", "source", "compact", "transcript_path", "/home/dev/.claude/x.jsonl"},
		},
		"Copilot": {
			hookOf{"copilot", copilotVars}, hookOf{"claude-code", copilotVars},
			[]any{"sessionId", "c1", "timestamp", 1, "source", "compact", "initialPrompt", "x"},
			[]any{"hook_event_name", "SessionStart", "session_id", "c1", "timestamp", "2026-11-30T10:04:56.257Z", "source", "compact"},
		},
		"Devin": {
			hookOf{"devin-local", devinVars}, hookOf{"claude-code", devinVars},
			[]any{"hook_event_name", "SessionStart", "session_id", "brisk-otter", "source", "compact"},
			[]any{"hook_event_name", "SessionStart", "session_id", "brisk-otter", "source", "compact", "prompt_id", "p1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if _, known := host.ByName(c.own.host); !known {
				t.Skip("not in the table of clients")
			}
			for order, swap := range map[string]bool{"its own first": false, "Claude Code's first": true} {
				w := newWorld(t)
				first, second, e1, e2 := c.own, c.other, c.ownEvent, c.otherEvent
				if swap {
					first, second, e1, e2 = second, first, e2, e1
				}
				// Cursor's copy of an event may name the folder in another way.
				e1, e2 = append(e1, "cwd", w.root), append(e2, "cwd", w.root, "workspace_roots", []string{w.root})
				has(t, w.fire(first, e1...), "Workspace shop")
				w.now = w.now.Add(9900 * time.Millisecond)
				if got := w.fire(second, e2...); got != "" {
					t.Errorf("%s: told again after 9.9 s: %q", order, got)
				}
				w.now = w.now.Add(200 * time.Millisecond)
				if got := w.fire(second, e2...); got == "" {
					t.Errorf("%s: another compaction 10.1 s later is not told", order)
				}
			}
		})
	}
}

// The twin of a prompt and of a tool call, by the ids that both know.
// Rows: A15.
func TestATwinOfAPromptOrAToolIsSilent(t *testing.T) {
	w := newWorld(t)
	w.live = true
	own, other := hookOf{"cursor", cursorVars}, hookOf{"claude-code", cursorVars}
	// To the second hook it looks like Claude Code, so that the two have
	// different records and only the event's own ids stop it.
	claude := func(event string, pairs ...any) []any {
		return append([]any{"hook_event_name", event, "session_id", "c1", "cwd", w.root, "transcript_path", "/home/dev/.claude/x.jsonl"}, pairs...)
	}
	cursor := func(event string, pairs ...any) []any {
		return append([]any{"hook_event_name", event, "session_id", "c1", "cwd", w.root, "cursor_version", "3.18.25", "generation_id", "g1"}, pairs...)
	}
	has(t, w.fire(own, cursor("beforeSubmitPrompt", "prompt", invoicePrompt)...), "rounded half up")
	if got := w.fire(other, claude("UserPromptSubmit", "prompt", invoicePrompt, "prompt_id", "p1")...); got != "" {
		t.Errorf("the prompt is answered twice: %q", got)
	}
	if got := w.fire(other, claude("UserPromptSubmit", "prompt", "Change how src/api/server.go answers errors", "prompt_id", "p2")...); got == "" {
		t.Error("another prompt is taken for the same")
	}
	input := map[string]any{"file_path": w.path("src/billing/tax.go")}
	tool := []any{"tool_name", "Read", "tool_input", input, "tool_use_id", "call_1\nfc_1"}
	has(t, w.fire(own, cursor("postToolUse", tool...)...), "Tax rates")
	if got := w.fire(other, claude("PostToolUse", tool...)...); got != "" {
		t.Errorf("the tool is answered twice: %q", got)
	}
	tool[5] = "call_2"
	if got := w.fire(other, claude("PostToolUse", tool...)...); got == "" {
		t.Error("another call is taken for the same")
	}
}

// A13: without a variable that names another client, and under Claude Code's
// own session, nothing of this is read: a mark that lies there changes nothing.
func TestPlainClaudeCodeReadsNoMark(t *testing.T) {
	for name, vars := range map[string]map[string]string{
		"plain":                      {"CLAUDECODE": "1", "CLAUDE_PROJECT_DIR": "", "CLAUDE_CODE_SESSION_ID": "c1"},
		"without a variable":         {},
		"in Cursor's own terminal":   {"CURSOR_VERSION": "3.18.25", "CLAUDE_CODE_SESSION_ID": "c1"},
		"Codex in the same terminal": {"CURSOR_VERSION": "3.18.25"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.live = true
			hook := hookOf{"claude-code", vars}
			if strings.HasPrefix(name, "Codex") {
				hook.host = "codex"
			}
			for _, p := range [][]any{
				{"hook_event_name", "sessionStart", "session_id", "c1", "cwd", w.root, "cursor_version", "3", "source", "clear"},
				{"hook_event_name", "beforeSubmitPrompt", "session_id", "c1", "cwd", w.root, "cursor_version", "3", "prompt", invoicePrompt},
			} {
				if w.fire(hookOf{"cursor", cursorVars}, p...) == "" {
					t.Fatal("Cursor is told nothing")
				}
			}
			before := claims(t, w)
			if got := w.fire(hook, "hook_event_name", "SessionStart", "session_id", "c1", "cwd", w.root, "source", "clear", "transcript_path", "/home/dev/.claude/x.jsonl"); got == "" {
				t.Error("its start is taken for Cursor's")
			}
			started := claims(t, w)
			if started != before+1 {
				t.Errorf("%d claims before its start, %d after it", before, started)
			}
			if got := w.fire(hook, "hook_event_name", "UserPromptSubmit", "session_id", "c1", "cwd", w.root, "prompt", invoicePrompt, "prompt_id", "p1", "transcript_path", "/home/dev/.claude/x.jsonl"); got == "" {
				t.Error("its prompt is taken for Cursor's")
			}
			w.fire(hook, "hook_event_name", "PreToolUse", "session_id", "c1", "cwd", w.root, "tool_name", "Read", "tool_use_id", "t1",
				"tool_input", map[string]any{"file_path": w.path("src/api/server.go")}, "transcript_path", "/home/dev/.claude/x.jsonl")
			if n := claims(t, w); n != started {
				t.Errorf("a prompt and a tool left %d marks", n-started)
			}
		})
	}
}

func claims(t *testing.T, w *world) int {
	t.Helper()
	list, err := os.ReadDir(filepath.Join(w.dirs().State, "claims"))
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// Claude Code's hooks, run by Cursor with nothing of our own registered there.
// F47: an empty cwd, workspace roots, a byte order mark.
func TestCursorRunsAHookOfClaudeCode(t *testing.T) {
	w := newWorld(t)
	w.live = true
	h, _ := host.ByName("claude-code")
	env := w.env().With("CURSOR_VERSION", "3.9.16")
	payload := func(m map[string]any) string {
		m["session_id"], m["conversation_id"], m["cursor_version"], m["cwd"], m["workspace_roots"] = "c1", "c1", "3.9.16", "", []string{w.root}
		b, _ := json.Marshal(m)
		return "\xEF\xBB\xBF" + string(b)
	}
	fire := func(m map[string]any) (string, string) {
		t.Helper()
		p := payload(m)
		out, errs := w.rawEnv(env, p)
		if errs != "" {
			t.Errorf("stderr %q", errs)
		}
		return w.envelope(env, h, "", strings.TrimPrefix(p, "\xEF\xBB\xBF"), out), out
	}
	got, raw := fire(map[string]any{"hook_event_name": "sessionStart"})
	has(t, got, "Workspace shop")
	has(t, raw, `{"additional_context":`)
	got, _ = fire(map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": invoicePrompt})
	has(t, got, "rounded half up")
	// Before the tool it may never reach the model, so it is not told, nor noted
	// as told.
	file := map[string]any{"file_path": w.path("src/api/server.go")}
	if got, _ := fire(map[string]any{"hook_event_name": "preToolUse", "tool_name": "Read", "tool_input": file, "tool_use_id": "t1"}); got != "" {
		t.Errorf("before a tool: %q", got)
	}
	got, _ = fire(map[string]any{"hook_event_name": "postToolUse", "tool_name": "Read", "tool_input": file, "tool_use_id": "t1"})
	has(t, got, "Handlers return problem documents")
}

// Trap 3: Copilot's command line runs them under PascalCase names and takes the
// context at the top level alone.
func TestCopilotRunsAHookOfClaudeCode(t *testing.T) {
	w := newWorld(t)
	w.live = true
	hook := hookOf{"claude-code", copilotVars}
	stamp := []any{"timestamp", "2026-11-30T10:04:56.257Z", "session_id", "c1", "cwd", w.root}
	has(t, w.fire(hook, append(stamp, "hook_event_name", "SessionStart", "source", "new")...), "Workspace shop")
	has(t, w.fire(hook, append(stamp, "hook_event_name", "UserPromptSubmit", "prompt", invoicePrompt)...), "rounded half up")
	read := []any{"tool_name", "Read", "tool_input", map[string]any{"path": w.path("src/api/server.go")}}
	has(t, w.fire(hook, append(append(stamp, "hook_event_name", "PreToolUse"), read...)...), "Handlers return problem documents")
	// What its own hook would bring after the tool was told before it.
	own := hookOf{"copilot", copilotVars}
	if got := w.fire(own, "sessionId", "c1", "timestamp", 1, "cwd", w.root, "toolName", "view", "toolArgs", map[string]any{"path": w.path("src/api/server.go")}, "toolResult", map[string]any{}); got != "" {
		t.Errorf("told again after the tool: %q", got)
	}
}
