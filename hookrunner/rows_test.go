package hookrunner_test

import (
	"fmt"
	"strings"
	"testing"
)

// P7: only a block that a person approved decides, whatever else a rule says of
// itself, and whoever wrote it.
func TestOnlyAnApprovedBlockDecides(t *testing.T) {
	bad := func(w *world) []any {
		return []any{"tool_name", "Write", "tool_input", input("file_path", w.path("src/n.js"), "content", "eval(1)\n")}
	}
	for name, text := range map[string]string{
		"a strict rule without a block": "---\ntitle: Never eval\nenforcement: strict\npriority: high\npaths: [src]\n---\nNever write eval( here.\n",
		"a block that waits":            noEval,
		"an assistant's strict block":   strings.Replace(noEval, "paths: [src]", "paths: [src]\nenforcement: strict\nsource: mcp:robot", 1),
	} {
		w := newWorld(t, shop, map[string]string{".pathrule/rules/no-eval.md": text})
		if got := w.decide(bad(w)...); got != "" {
			t.Errorf("%s denies: %s", name, got)
		}
	}
	// The same assistant's text decides once a person approved it.
	w := newWorld(t, shop, map[string]string{".pathrule/rules/no-eval.md": strings.Replace(noEval, "paths: [src]", "paths: [src]\nsource: mcp:robot", 1)})
	w.approve("no-eval")
	if w.decide(bad(w)...) == "" {
		t.Error("an approved block decides nothing")
	}
}

// P8, A46: a turn is held for nothing but an approved check.
func TestACheckThatNobodyApprovedHoldsNothing(t *testing.T) {
	for _, host := range []string{"claude-code", "codex"} {
		w := newWorld(t, shop, map[string]string{".pathrule/rules/tests.md": testsRule, ".pathrule/rules/no-eval.md": noEval})
		w.host = host
		w.approve("no-eval") // something else is
		w.did("apply_patch", input("command", "*** Begin Patch\n*** Update File: src/api/server.go\n@@\n+x\n*** End Patch"), "PostToolUse", "Success.")
		w.edited("src/api/server.go")
		if got := w.end(); got != "" {
			t.Errorf("%s is held: %s", host, got)
		}
	}
}

// P68: what a subagent edits holds the turn of the session that it works for,
// and its own end is never held: it could not know the rest of the work.
func TestASubagentsEditHoldsTheTurnOfItsSession(t *testing.T) {
	w := checked(t)
	w.write("src/api/server.go", "package api // new\n")
	w.tested(w.event("PostToolUse", "agent_id", "a1", "agent_type", "default", "tool_name", "Edit", "tool_input", input("file_path", w.path("src/api/server.go"), "old_string", "a", "new_string", "b"), "tool_response", input()))
	for _, event := range []string{"SubagentStop", "Stop"} {
		if out := w.tested(w.event(event, "agent_id", "a1", "agent_type", "default")); out != "" {
			t.Errorf("%s of the subagent is answered: %s", event, out)
		}
	}
	has(t, w.end(), "src/api/server.go")
}

// P102: what blocks is never budgeted: the last of many rules counts like the
// first, with the smallest budgets there are, and with every session told all.
func TestBlocksAreNeverBudgeted(t *testing.T) {
	const many = 120
	files := map[string]string{}
	for i := range many {
		files[fmt.Sprintf(".pathrule/rules/r%03d.md", i)] = fmt.Sprintf("---\ntitle: Rule %d\nblock: [{pattern: 'word%03d\\b', message: Never write that word here.}]\n---\n%s\n", i, i, strings.Repeat("Text. ", 200))
	}
	w := newWorld(t, shop, files)
	w.config("budget:\n  tool: 1\n  minimal: 1\n  focused: 1\n  deep: 1\nload.max_tokens: 1000\n")
	for i := range many {
		w.approve(fmt.Sprintf("r%03d", i))
	}
	for _, i := range []int{0, 1, many / 2, many - 1} {
		got := w.decide("tool_name", "Write", "tool_input", input("file_path", w.path("web/x.ts"), "content", fmt.Sprintf("a word%03d b\n", i)))
		has(t, got, fmt.Sprintf("rule:r%03d", i))
	}
	if got := w.decide("tool_name", "Write", "tool_input", input("file_path", w.path("web/x.ts"), "content", "a word999 b\n")); got != "" {
		t.Errorf("denied: %s", got)
	}
	// An answer names a few of those that it does not pass, and stays short.
	var all strings.Builder
	for i := range many {
		fmt.Fprintf(&all, "word%03d\n", i)
	}
	got := w.decide("tool_name", "Write", "tool_input", input("file_path", w.path("web/x.ts"), "content", all.String()))
	if n := strings.Count(got, "rule:r"); n != 3 || len(got) > 2_000 {
		t.Errorf("%d rules in %d bytes: %s", n, len(got), got)
	}
}

// A34: "inside the project" is asked of the git root above the call's own
// folder, also in a clone that lies below the workspace.
func TestInsideIsAskedOfTheCallsOwnRepository(t *testing.T) {
	w := newWorld(t)
	w.config("guards.outside: true\n")
	w.write(".git/HEAD", "ref: refs/heads/main\n")
	w.write("vendor/lib/.git/HEAD", "ref: refs/heads/main\n")
	w.write("vendor/lib/a.go", "package a\n")
	w.start("startup")
	write := func(cwd, rel string) string {
		return w.ask("PreToolUse", "cwd", w.path(cwd), "tool_name", "Write", "tool_input", input("file_path", w.path(rel), "content", "x"))
	}
	hasNot(t, write(".", "web/new.ts"), "lies outside this project")
	hasNot(t, write("vendor/lib", "vendor/lib/b.go"), "lies outside this project")
	has(t, write("vendor/lib", "web/new2.ts"), "lies outside this project")
}
