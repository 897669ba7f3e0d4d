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

// P26: a budget bounds advice, never a constraint: each of many approved blocks
// on one path decides, also the last one, with its own remedy; what is told of
// them stays few.
func TestNoCapSwitchesABlockOff(t *testing.T) {
	const many = 60
	files := map[string]string{"src/a.js": "x\n"}
	for i := range many {
		files[fmt.Sprintf(".pathrule/rules/r%02d.md", i)] = fmt.Sprintf("---\ntitle: Constraint %02d on call%02d\npaths: [src]\nblock: [{pattern: 'call%02d\\(', message: Use safe%02d.}]\n---\nNever call%02d here.\n", i, i, i, i, i)
	}
	w := newWorld(t, files)
	for i := range many {
		w.approve(fmt.Sprintf("r%02d", i))
	}
	for _, i := range []int{0, 7, 8, 31, many - 1} {
		why := w.decide("tool_name", "Write", "tool_input", input("file_path", w.path("src/n.js"), "content", fmt.Sprintf("call%02d(1)\n", i)))
		if !strings.Contains(why, fmt.Sprintf("Use safe%02d.", i)) {
			t.Errorf("block %d of %d: %q", i, many, why)
		}
	}
	if why := w.decide("tool_name", "Write", "tool_input", input("file_path", w.path("src/n.js"), "content", "call99(1)\n")); why != "" {
		t.Errorf("denied for nothing: %s", why)
	}
	// Inferred and proposed are no authority: a changed rule decides nothing.
	w.write(".pathrule/rules/r31.md", strings.Replace(files[".pathrule/rules/r31.md"], "Never", "Do never", 1))
	if why := w.decide("tool_name", "Write", "tool_input", input("file_path", w.path("src/n.js"), "content", "call31(1)\n")); why != "" {
		t.Errorf("what nobody approved decides: %s", why)
	}
	if n := strings.Count(w.read("src/a.js"), "Never call"); n > many/4 {
		t.Errorf("%d pieces of advice at once", n)
	}
}

// T18: worktrees of one repository are apart: each is told what its own checkout
// holds, in English, Russian, Chinese and Japanese, and what one session was told
// does not count for the other.
func TestWorktreesAreToldTheirOwnKnowledge(t *testing.T) {
	notes := func(branch string) map[string]string {
		return map[string]string{
			"src/pay/a.go":                      "package pay\n",
			".pathrule/memories/en.md":          "---\ntitle: Stripe retries\n---\nStripe webhooks are retried in the " + branch + " queue, three times with jitter.\n",
			".pathrule/memories/ru.md":          "---\ntitle: Округление счетов\n---\nСуммы счетов округляются построчно, ветка " + branch + ".\n",
			".pathrule/memories/zh.md":          "---\ntitle: 优惠券叠加\n---\n一个订单只能使用一张优惠券，分支 " + branch + "。\n",
			".pathrule/memories/ja.md":          "---\ntitle: 夜間バッチの連絡先\n---\n夜間バッチが終わらないときは当番に電話する。ブランチ " + branch + "。\n",
			".pathrule/memories/own.md":         "---\ntitle: Only on " + branch + "\n---\nThe " + branch + " checkout alone has the turnstile experiment of " + branch + ".\n",
			".pathrule/rules/" + branch + ".md": "---\ntitle: Rule of " + branch + "\npaths: [src/pay]\n---\nOnly here.\n",
		}
	}
	w := newWorld(t, notes("main"))
	w.live = true
	for rel, text := range map[string]string{".git/worktrees/feature/commondir": "../..\n", ".git/worktrees/feature/gitdir": w.path("../feature") + "/.git\n",
		".git/objects/x": "", "../feature/.git": "gitdir: " + w.path(".git/worktrees/feature") + "\n"} {
		w.write(rel, text)
	}
	for rel, text := range notes("feature") {
		w.write("../feature/"+rel, text)
	}
	main, feature := w.root, w.path("../feature")
	in := func(root string) {
		w.root = root
		w.own()
		w.index()
	}
	for _, prompt := range []string{
		"How often are the Stripe webhooks retried?", "Как округляются суммы счетов?", "一个订单可以用几张优惠券？", "夜間バッチが終わらないときは誰に連絡しますか",
	} {
		for root, want := range map[string][2]string{main: {"main", "feature"}, feature: {"feature", "main"}} {
			in(root)
			got := w.ask("UserPromptSubmit", "prompt", prompt, "session_id", "t"+prompt)
			if !strings.Contains(got, want[0]) || strings.Contains(got, want[1]) {
				t.Errorf("%s in %s: %s", prompt, want[0], got)
			}
		}
	}
	for root, other := range map[string]string{main: "feature", feature: "main"} {
		in(root)
		if got := w.ask("UserPromptSubmit", "prompt", "write a haiku about autumn", "session_id", "none"); strings.Contains(got, "turnstile") || strings.Contains(got, "experiment") {
			t.Errorf("told something for nothing: %s", got)
		}
		hasNot(t, w.read("src/pay/a.go"), "Rule of "+other)
	}
}
