package hookrunner_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pathrule/host"
	"pathrule/internal/sysenv"
)

// The traps of Gemini CLI, Antigravity, Qwen Code, CodeBuddy and Devin Local, each
// as a short session.

// play sends one payload of a client and gives the text that reaches its model.
func (w *world) play(id, event string, env sysenv.Env, pairs ...any) string {
	w.t.Helper()
	w.now = w.now.Add(20 * time.Second)
	h, _ := host.ByName(id)
	m := map[string]any{}
	if id != "antigravity" {
		m["hook_event_name"], m["session_id"] = event, "s1"
	}
	if id != "devin-local" && id != "antigravity" {
		m["cwd"], m["timestamp"] = w.root, w.now.UTC().Format(time.RFC3339Nano)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		w.t.Fatal(err)
	}
	r := host.Registration{Event: event, NameEvent: id == "antigravity"}
	return w.tellEnv(env, h, r, string(b))
}

// Gemini CLI fires PreCompress before nearly every request: nothing is forgotten.
func TestGeminisPreCompressForgetsNothing(t *testing.T) {
	w := newWorld(t)
	w.live = true
	has(t, w.play("gemini-cli", "BeforeAgent", w.env(), "prompt", invoicePrompt), "rounded half up per line")
	if got := w.play("gemini-cli", "PreCompress", w.env(), "trigger", "auto"); got != "" {
		t.Errorf("PreCompress is answered with %q", got)
	}
	if got := w.play("gemini-cli", "BeforeAgent", w.env(), "prompt", invoicePrompt); got != "" {
		t.Errorf("after PreCompress the prompt brings %q", got)
	}
}

// F28: BeforeAgent comes again with an empty prompt, and its prompt may begin
// with what our own start event said.
func TestGeminisPromptsThatNobodyTyped(t *testing.T) {
	w := newWorld(t)
	w.live = true
	start := w.play("gemini-cli", "SessionStart", w.env(), "source", "startup")
	has(t, start, "Workspace shop")
	for _, prompt := range []string{"", "  \n", "<hook_context>" + invoicePrompt + "</hook_context>\n\n"} {
		if got := w.play("gemini-cli", "BeforeAgent", w.env(), "prompt", prompt); got != "" {
			t.Errorf("%q is no turn, and brings %q", prompt, got)
		}
	}
	// The words of the block are not the person's.
	got := w.play("gemini-cli", "BeforeAgent", w.env(), "prompt", "<hook_context>"+invoicePrompt+"</hook_context>\n\nThanks, that is all.")
	hasNot(t, got, "rounded half up")
	got = w.play("gemini-cli", "BeforeAgent", w.env(), "prompt", "<hook_context>one</hook_context>\n<hook_context>two</hook_context>\n\n"+invoicePrompt)
	has(t, got, "rounded half up per line")
}

// What a start after /clear says is thrown away: the next prompt brings it.
func TestGeminisStartAfterClear(t *testing.T) {
	w := newWorld(t)
	w.live = true
	w.play("gemini-cli", "SessionStart", w.env(), "source", "startup")
	first := w.play("gemini-cli", "BeforeAgent", w.env(), "prompt", invoicePrompt)
	hasNot(t, first, "Workspace shop")
	if got := w.play("gemini-cli", "SessionStart", w.env(), "source", "clear"); got != "" {
		t.Errorf("nobody hears %q", got)
	}
	again := w.play("gemini-cli", "BeforeAgent", w.env(), "prompt", invoicePrompt)
	has(t, again, "Workspace shop")
	has(t, again, "rounded half up per line")
}

// E27: text comes after the tool, for relative paths too; after a tool that
// failed nobody hears it, so it is not counted as told.
func TestGeminisToolsAreToldAfterTheySucceeded(t *testing.T) {
	w := newWorld(t)
	in := map[string]any{"file_path": "src/api/server.go"}
	if got := w.play("gemini-cli", "BeforeTool", w.env(), "tool_name", "read_file", "tool_input", in); got != "" {
		t.Errorf("before the tool nobody hears %q", got)
	}
	failed := map[string]any{"llmContent": "x", "error": map[string]any{"message": "no such file"}}
	if got := w.play("gemini-cli", "AfterTool", w.env(), "tool_name", "read_file", "tool_input", in, "tool_response", failed); got != "" {
		t.Errorf("after a failure nobody hears %q", got)
	}
	got := w.play("gemini-cli", "AfterTool", w.env(), "tool_name", "read_file", "tool_input", in, "tool_response", map[string]any{"llmContent": "x"})
	has(t, got, "Handlers return problem documents")
	got = w.play("gemini-cli", "AfterTool", w.env(), "tool_name", "run_shell_command",
		"tool_input", map[string]any{"command": "cat tax.go", "dir_path": "src/billing"}, "tool_response", map[string]any{"llmContent": "x"})
	has(t, got, "Money is integer cents")
}

// The hook's folder of a Gemini session in a subfolder is that subfolder; the
// workspace above it counts (F98).
func TestGeminiStartedBelowTheRoot(t *testing.T) {
	w := newWorld(t)
	env := w.env()
	env.Cwd = w.path("src/billing")
	got := w.play("gemini-cli", "AfterTool", env, "cwd", w.path("src/billing"), "tool_name", "read_many_files",
		"tool_input", map[string]any{"include": []string{"invoice.go", "../api/*.go"}}, "tool_response", map[string]any{"llmContent": "x"})
	has(t, got, "Invoice totals round half up")
	has(t, got, "Handlers return problem documents")
}

// F31: Gemini CLI and Qwen Code escape angle brackets in context. Nothing we say
// rests on them.
func TestTheTextReadsTheSameWithAngleBracketsEscaped(t *testing.T) {
	w := newWorld(t)
	w.live = true
	for _, id := range []string{"gemini-cli", "qwen-code"} {
		event := map[string]string{"gemini-cli": "BeforeAgent", "qwen-code": "UserPromptSubmit"}[id]
		got := w.play(id, event, w.env(), "prompt", invoicePrompt)
		has(t, got, "rounded half up per line")
		if strings.ContainsAny(got, "<>") {
			t.Errorf("%s: frames made of angle brackets:\n%s", id, got)
		}
	}
}

// Qwen Code fires the prompt event again, with an empty prompt and the same id,
// before each request with tool results; what the person typed stands apart.
func TestQwensPromptEventAfterEachTool(t *testing.T) {
	w := newWorld(t)
	w.live = true
	ask := func(pairs ...any) string {
		return w.play("qwen-code", "UserPromptSubmit", w.env(), append([]any{"prompt_id", "s1########0"}, pairs...)...)
	}
	if got := ask("prompt", ""); got != "" {
		t.Errorf("a continuation brings %q", got)
	}
	if got := ask("prompt", "<system-reminder>"+invoicePrompt+"</system-reminder>", "submitted_prompt", "thanks"); strings.Contains(got, "rounded half up") {
		t.Errorf("others' words count as the person's: %q", got)
	}
	has(t, ask("prompt", "<system-reminder>x</system-reminder>", "submitted_prompt", invoicePrompt), "rounded half up per line")
	if got := ask("prompt", ""); got != "" {
		t.Errorf("a continuation brings %q", got)
	}
	w.later()
	has(t, ask("prompt", invoicePrompt), "rounded half up per line") // Vim mode sends no submitted_prompt
	if got := ask("prompt", invoicePrompt, "submitted_prompt", ""); got != "" {
		t.Errorf("nothing was typed, and it brings %q", got)
	}
}

// Qwen Code keeps the start's text in the system instruction, which a resumed
// session builds anew, and the rest in the history.
func TestQwenIsToldTheStartAgainOnResume(t *testing.T) {
	w := newWorld(t)
	w.live = true
	first := w.play("qwen-code", "SessionStart", w.env(), "source", "startup")
	has(t, first, "Workspace shop")
	has(t, w.play("qwen-code", "UserPromptSubmit", w.env(), "prompt", invoicePrompt, "prompt_id", "p1"), "rounded half up per line")
	if again := w.play("qwen-code", "SessionStart", w.env(), "source", "resume"); again != first {
		t.Errorf("resumed:\n%s\nwant the start's text", again)
	}
	if got := w.play("qwen-code", "UserPromptSubmit", w.env(), "prompt", invoicePrompt, "prompt_id", "p2"); got != "" {
		t.Errorf("the history still holds %q", got)
	}
}

// What a subagent's start says is never shown by Qwen Code, and not counted as
// told; its tools are told for themselves.
func TestQwensSubagents(t *testing.T) {
	w := newWorld(t)
	if got := w.play("qwen-code", "SubagentStart", w.env(), "agent_id", "a1", "agent_type", "Explorer"); got != "" {
		t.Errorf("nobody hears %q", got)
	}
	for _, agent := range []string{"a1", ""} {
		pairs := []any{"tool_name", "read_file", "tool_input", map[string]any{"file_path": w.path("src/api/server.go")}, "tool_use_id", "t" + agent}
		if agent != "" {
			pairs = append(pairs, "agent_id", agent)
		}
		has(t, w.play("qwen-code", "PostToolUse", w.env(), pairs...), "Handlers return problem documents")
	}
	has(t, w.play("qwen-code", "PostToolUseFailure", w.env(), "tool_name", "edit", "tool_use_id", "t9",
		"tool_input", map[string]any{"file_path": w.path("src/billing/tax.go")}), "Money is integer cents")
}

// The IDE of CodeBuddy sends its own installation folder as cwd; relative paths
// start at the project that the environment names.
func TestCodeBuddysIDESendsItsOwnFolder(t *testing.T) {
	w := newWorld(t)
	w.live = true
	ide := filepath.Join(w.home, "opt", "codebuddy-ide")
	if err := os.MkdirAll(ide, 0o755); err != nil {
		t.Fatal(err)
	}
	env := w.env().With("CODEBUDDY_PROJECT_DIR", w.root)
	env.Cwd = ide
	has(t, w.play("codebuddy", "SessionStart", env, "cwd", ide, "source", "startup"), "Workspace shop")
	for tool, in := range map[string]map[string]any{
		"execute_command": {"command": "cat src/api/server.go"},
		"read_file":       {"filePath": "src/api/server.go"},
		"replace_in_file": {"path": "src/api/server.go"},
		"write_to_file":   {"target_file": "src/api/server.go"},
		"Read":            {"file_path": w.path("src/api/server.go")},
	} {
		got := w.play("codebuddy", "PostToolUse", env, "session_id", tool, "cwd", ide, "tool_name", tool, "tool_input", in)
		has(t, got, "Handlers return problem documents")
	}
	// The command line's cwd below the project is its own.
	got := w.play("codebuddy", "PostToolUse", env, "session_id", "cli", "cwd", w.path("src"), "tool_name", "Bash", "tool_input", map[string]any{"command": "cat api/server.go"})
	has(t, got, "Handlers return problem documents")
}

// A18: no payload of Devin names a folder, its tools are in lower case, and what
// its compaction took away comes again.
func TestDevinsProjectIsTheEnvironments(t *testing.T) {
	w := newWorld(t)
	w.live = true
	env := w.env().With("DEVIN_PROJECT_DIR", w.root)
	has(t, w.play("devin-local", "SessionStart", env, "source", "startup"), "Workspace shop")
	has(t, w.play("devin-local", "UserPromptSubmit", env, "prompt", invoicePrompt, "prompt_id", "p1"), "rounded half up per line")
	ok := map[string]any{"success": true, "output": "x", "error": nil}
	got := w.play("devin-local", "PostToolUse", env, "tool_name", "exec", "tool_input", map[string]any{"command": "cat server.go", "workdir": w.path("src/api")}, "tool_use_id", "exec:1#a", "tool_response", ok)
	has(t, got, "Handlers return problem documents")
	if got := w.play("devin-local", "PreToolUse", env, "tool_name", "edit", "tool_input", map[string]any{"file_path": w.path("src/billing/tax.go")}, "tool_use_id", "edit:1#a"); got != "" {
		t.Errorf("nobody is known to hear %q", got)
	}
	if got := w.play("devin-local", "UserPromptSubmit", env, "prompt", invoicePrompt, "prompt_id", "p2"); got != "" {
		t.Errorf("the same prompt again brings %q", got)
	}
	if got := w.play("devin-local", "PostCompaction", env, "summary", nil); got != "" {
		t.Errorf("PostCompaction is answered with %q", got)
	}
	has(t, w.play("devin-local", "UserPromptSubmit", env, "prompt", invoicePrompt, "prompt_id", "p3"), "rounded half up per line")
	// Without the variable our own folder counts.
	here := w.env()
	here.Cwd = w.root
	has(t, w.play("devin-local", "SessionStart", here, "session_id", "other", "source", "startup"), "Workspace shop")
}

// Antigravity fires PreInvocation before every request; a conversation is told
// once, whatever the settings say of resumed sessions, and nothing is answered to
// its events that cannot carry text.
func TestAntigravityIsToldOncePerConversation(t *testing.T) {
	w := newWorld(t)
	w.live = true
	w.config("delta:\n  reset_on_resume: true\n")
	call := func(conversation, event string, pairs ...any) string {
		return w.play("antigravity", event, w.env(), append([]any{"conversationId", conversation, "workspacePaths", []string{w.root}}, pairs...)...)
	}
	has(t, call("c1", "PreInvocation", "invocationNum", 0, "initialNumSteps", 1), "Workspace shop")
	for n := 1; n < 5; n++ {
		if got := call("c1", "PreInvocation", "invocationNum", n, "initialNumSteps", 2*n); got != "" {
			t.Errorf("request %d brings %q", n, got)
		}
	}
	// A later turn, counted anew; and days later.
	if got := call("c1", "PreInvocation", "invocationNum", 0, "initialNumSteps", 12); got != "" {
		t.Errorf("the next turn brings %q", got)
	}
	// A conversation that went on before we were there.
	has(t, call("c2", "PreInvocation", "invocationNum", 3, "initialNumSteps", 9), "Workspace shop")
	for event, pairs := range map[string][]any{
		"PostInvocation": {"invocationNum", 0, "initialNumSteps", 1},
		"SessionStart":   nil,
		"Stop":           {"executionNum", 1},
		"PostToolUse":    {"toolCall", map[string]any{"name": "view_file", "args": map[string]any{"AbsolutePath": w.path("src/api/server.go")}}},
	} {
		if got := call("c3", event, pairs...); got != "" {
			t.Errorf("%s is answered with %q", event, got)
		}
	}
	// Print mode names no workspace, and its hooks run in the folder of hooks.json.
	if got := w.play("antigravity", "PreInvocation", w.env(), "conversationId", "c4", "workspacePaths", []string{}, "invocationNum", 0, "initialNumSteps", 1); got != "" {
		t.Errorf("without a folder it brings %q", got)
	}
}
