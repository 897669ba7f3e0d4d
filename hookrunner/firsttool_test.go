package hookrunner_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pathrule/host"
)

// clineTool is a call of the extension on a file, "" for a tool without one.
func (w *world) clineTool(task, file string) string {
	w.t.Helper()
	w.seq++
	return w.clineEvent(map[string]any{"hookName": "PreToolUse", "taskId": task, "preToolUse": map[string]any{"toolName": "read_files", "parameters": map[string]any{"files": `[{"path":"` + file + `"}]`}}})
}

func (w *world) clineEvent(m map[string]any) string {
	w.t.Helper()
	m["workspaceRoots"], m["timestamp"] = []string{w.root}, fmt.Sprint(w.seq)
	b, err := json.Marshal(m)
	if err != nil {
		w.t.Fatal(err)
	}
	out, errs := w.raw(string(b))
	if errs != "" {
		w.t.Errorf("stderr %q", errs)
	}
	if out == "" {
		return ""
	}
	return replyOf(out).Context
}

// cline/cline#13554, #13822: nothing that a start or a prompt says arrives, so
// nothing may count as told by them, and the first tool brings the session's
// text, once.
func TestTheFirstToolBringsTheSessionWhereNothingElseDoes(t *testing.T) {
	w := newWorld(t)
	w.host = "cline"
	for _, m := range []map[string]any{
		{"hookName": "TaskStart", "taskId": "t1", "taskStart": map[string]any{"taskMetadata": map[string]any{"initialTask": invoicePrompt}}},
		{"hookName": "UserPromptSubmit", "taskId": "t1", "userPromptSubmit": map[string]any{"prompt": invoicePrompt}},
	} {
		if got := w.clineEvent(m); got != "" {
			t.Errorf("%s says %q, which nobody hears", m["hookName"], got)
		}
	}
	first := w.clineTool("t1", "src/billing/invoice.go")
	has(t, first, "Workspace shop")
	has(t, first, "We ship on Tuesdays")
	has(t, first, "Commits name the ticket")
	has(t, first, "rounded half up per line")
	if strings.Index(first, "Workspace shop") > strings.Index(first, "rounded half up") {
		t.Errorf("the session's text comes in front:\n%s", first)
	}
	second := w.clineTool("t1", "src/api/server.go")
	has(t, second, "Handlers return problem documents")
	hasNot(t, second, "Workspace shop")
	hasNot(t, second, "Commits name the ticket")
	if again := w.clineTool("t1", "src/billing/invoice.go"); again != "" {
		t.Errorf("again: %s", again)
	}

	// A tool that touches nothing of ours brings it too, and a subagent's own first.
	none := w.clineTool("t2", "/somewhere/else.go")
	has(t, none, "Workspace shop")
	hasNot(t, none, "Invoice totals")
	if again := w.clineTool("t2", "/somewhere/else.go"); again != "" {
		t.Errorf("again: %s", again)
	}
	sub := w.clineEvent(map[string]any{"hookName": "tool_call", "taskId": "t1", "agent_id": "b", "parent_agent_id": "a",
		"tool_call": map[string]any{"id": "c9", "name": "read_files", "input": map[string]any{"files": []any{map[string]any{"path": w.path("web/cart.ts")}}}}})
	has(t, sub, "Workspace shop")
	if log := w.log(); log != "" {
		t.Error(log)
	}
}

func TestTheFirstToolKeepsToTheMode(t *testing.T) {
	w := newWorld(t)
	w.host = "cline"
	for mode, want := range map[string][2]bool{"auto": {true, true}, "always": {true, true}, "startup": {true, false}, "manual": {}, "off": {}} {
		w.config("mode: " + mode + "\n")
		w.seq++
		got := w.clineTool("task-"+mode, "src/billing/invoice.go")
		if has := [2]bool{strings.Contains(got, "Workspace shop"), strings.Contains(got, "rounded half up")}; has != want {
			t.Errorf("mode %s: session and file %v, want %v:\n%s", mode, has, want, got)
		}
		if got := w.clineTool("task-"+mode, "src/billing/invoice.go"); got != "" {
			t.Errorf("mode %s again: %s", mode, got)
		}
	}
}

// Claude Code and the others whose start or prompt is heard keep their tools
// free of it.
func TestOtherClientsToolsDoNotBringTheSession(t *testing.T) {
	w := newWorld(t)
	for _, h := range registered(t) {
		r, ok := toolEvent(h)
		if !ok || h.ID() == "cline" {
			continue
		}
		got := w.tell(h, r, sample(h, r, w, "sess-"+h.ID(), "src/api/server.go"))
		has(t, got, "Handlers return problem documents")
		hasNot(t, got, "Workspace shop")
	}
}

// One task, one event, two registrations (the user's folder and the project's):
// one answer.
func TestTwoClineScriptsAnswerOnce(t *testing.T) {
	w := newWorld(t)
	w.host = "cline"
	w.seq = 7
	a := w.clineEvent(map[string]any{"hookName": "tool_call", "taskId": "t", "tool_call": map[string]any{"id": "c1", "name": "editor", "input": map[string]any{"path": "src/billing/tax.go", "old_text": "x"}}})
	b := w.clineEvent(map[string]any{"hookName": "tool_call", "taskId": "t", "tool_call": map[string]any{"id": "c1", "name": "editor", "input": map[string]any{"path": "src/billing/tax.go", "old_text": "x"}}})
	has(t, a, "Tax rates")
	if b != "" {
		t.Errorf("the second says %s", b)
	}
}

// Kiro shows a start and prompts only, in two spellings. What a tool would say
// goes nowhere, so it is not said, and still comes with the prompt.
func TestKiroHearsStartsAndPromptsOnly(t *testing.T) {
	for dialect, ev := range map[string]map[host.EventName]string{
		"V2": {host.SessionStart: "agentSpawn", host.UserPromptSubmit: "userPromptSubmit", host.PreToolUse: "preToolUse"},
		"V3": {host.SessionStart: "SessionStart", host.UserPromptSubmit: "UserPromptSubmit", host.PreToolUse: "PreToolUse"},
	} {
		w := newWorld(t)
		w.host = "kiro"
		ask := func(name host.EventName, pairs ...any) string {
			t.Helper()
			out, errs := w.raw(w.event(ev[name], pairs...))
			if errs != "" {
				t.Errorf("stderr %q", errs)
			}
			return out
		}
		tool := []any{"tool_name", "fs_read", "tool_input", map[string]any{"operations": []any{map[string]any{"mode": "Line", "path": "src/billing/invoice.go"}}}}
		if got := ask(host.PreToolUse, tool...); got != "" {
			t.Errorf("%s: a tool says %q", dialect, got)
		}
		if got := ask(host.UserPromptSubmit, "prompt", ""); got != "" {
			t.Errorf("%s: an empty prompt is answered with %q", dialect, got)
		}
		// IDE 1.1.14: no start in a new chat of an open window.
		prompt := ask(host.UserPromptSubmit, "prompt", invoicePrompt)
		has(t, prompt, "Workspace shop")
		has(t, prompt, "Invoice totals")
		if strings.HasPrefix(prompt, "{") || strings.HasSuffix(prompt, "\n") {
			t.Errorf("%s: wants plain text, has %q", dialect, prompt)
		}
		start := func(session string) string {
			return ask(host.SessionStart, "session_id", session)
		}
		has(t, start("s2"), "Workspace shop")
		hasNot(t, ask(host.UserPromptSubmit, "session_id", "s2", "prompt", invoicePrompt), "Workspace shop")
		if log := w.log(); log != "" {
			t.Error(log)
		}
	}
}

// Windsurf shows its model nothing; its hooks exist for refusals and for a
// person's own hooks.
func TestWindsurfIsToldNothing(t *testing.T) {
	w := newWorld(t)
	h, _ := host.ByName("windsurf")
	if len(host.Standing(h.Registrations())) != 0 {
		t.Error("something is registered without an approved block")
	}
	for _, r := range h.Registrations() {
		if got := w.tell(h, r, sample(h, r, w, "s", "src/billing/invoice.go")); got != "" {
			t.Errorf("%s: %s", r.Event, got)
		}
		out, ok := h.Refuse(host.Event{Name: r.Canonical(), RawName: r.Event}, "Use cents.")
		if after := r.Canonical() == host.PostToolUse; after {
			if ok {
				t.Errorf("%s: refuses what has happened", r.Event)
			}
			continue
		}
		if !ok || out.Exit != 2 || string(out.Stderr) != "Use cents.\n" || out.Stdout != nil {
			t.Errorf("%s: %+v", r.Event, out)
		}
	}
}
