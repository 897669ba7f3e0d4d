package hookrunner_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"pathrule/guard/pending"
	"pathrule/hookrunner/ledger"
)

const testsRule = "---\ntitle: Tests pass\npaths: [src]\ncheck: {command: npm test, message: The shop's tests must pass.}\n---\nRun the tests.\n"

func checked(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, shop, map[string]string{".pathrule/rules/tests.md": testsRule})
	w.approve("tests")
	return w
}

// did runs a whole tool call: the event before it and the one after.
func (w *world) did(tool string, in map[string]any, after string, response any) {
	w.t.Helper()
	w.seq++
	id := "call-" + w.t.Name() + "-" + time.Duration(w.seq).String()
	w.tested(w.event("PreToolUse", "tool_name", tool, "tool_input", in, "tool_use_id", id))
	w.tested(w.event(after, "tool_name", tool, "tool_input", in, "tool_use_id", id, "tool_response", response))
}

func (w *world) edited(rel string) {
	w.t.Helper()
	w.write(rel, time.Duration(w.seq).String()+"\n")
	w.did("Edit", input("file_path", w.path(rel), "old_string", "a", "new_string", "b"), "PostToolUse", input("filePath", rel))
}

// shell runs a command that ends well, or with after PostToolUseFailure badly.
func (w *world) shell(command, after string) {
	w.t.Helper()
	w.did("Bash", input("command", command), after, input("stdout", "", "stderr", "", "interrupted", false))
}

// end ends a turn and gives the reason for which it is held, "" when it may end.
func (w *world) end(pairs ...any) string {
	w.t.Helper()
	out := w.tested(w.event("Stop", pairs...))
	var v struct{ Decision, Reason string }
	if out != "" {
		if err := json.Unmarshal([]byte(out), &v); err != nil {
			w.t.Fatalf("%v: %q", err, out)
		}
		if v.Decision != "block" || v.Reason == "" {
			w.t.Errorf("held without a decision or a reason: %s", out)
		}
	}
	return v.Reason
}

// P8, P68, P108: pending by an edit in its paths, cleared by a run that passed.
func TestAnEditHoldsTheTurnUntilTheCheckPassed(t *testing.T) {
	w := checked(t)
	if got := w.end(); got != "" {
		t.Fatalf("held before any edit: %s", got)
	}
	w.edited("web/cart.ts")
	if got := w.end(); got != "" {
		t.Fatalf("held for an edit outside the check's paths: %s", got)
	}
	w.edited("src/billing/tax.go")
	got := w.end()
	for _, want := range []string{"rule:tests", "`npm test`", "The shop's tests must pass.", "src/billing/tax.go", "check run tests"} {
		has(t, got, want)
	}
	w.shell("npm test 2>&1 > out.txt", "PostToolUse")
	if got := w.end(); got != "" {
		t.Fatalf("held after the check passed: %s", got)
	}
	w.edited("src/api/server.go")
	has(t, w.end(), "src/api/server.go")
	if l := w.log(); l != "" {
		t.Error(l)
	}
}

// P108, A46: bounded, and never when the client says that a hook holds it already.
func TestTheTurnIsHeldAtMostThreeTimesAndNeverTwiceInARow(t *testing.T) {
	w := checked(t)
	w.edited("src/api/server.go")
	if got := w.end("stop_hook_active", true); got != "" {
		t.Errorf("held although a hook held it already: %s", got)
	}
	for i := range 5 {
		if got := w.end(); (got != "") != (i < 3) {
			t.Errorf("end %d: %q", i, got)
		} else if (i == 2) != strings.Contains(got, "the last time") {
			t.Errorf("end %d: %s", i, got)
		}
	}
	// Another session has its own count, and its own edits.
	if got := w.end("session_id", "s2"); got != "" {
		t.Errorf("held for another session's edit: %s", got)
	}
}

// P107, P108: and the next hold says which part kept it from counting.
func TestRunsThatDoNotClear(t *testing.T) {
	for command, why := range map[string]string{
		"npm test | tail -3":         "a pipe hides",
		"npm test || true":           "hides its exit code",
		"npm test; echo done":        "another command",
		"npm test -- --watch":        "watches",
		"npm test && npm run lint":   "several verifications",
		"npm test -w web":            "other targets",
		"npm run test:unit":          "other targets",
		"cd web && npm test":         "another folder",
		"npm test $EXTRA":            "depends on a variable",
		"npm test &":                 "background",
		"go test ./... && make lint": "",
	} {
		w := checked(t)
		w.edited("src/api/server.go")
		w.shell(command, "PostToolUse")
		got := w.end()
		if got == "" {
			t.Errorf("%q clears the check", command)
		} else if strings.Contains(got, "does not count") != (why != "") || !strings.Contains(got, why) {
			t.Errorf("%q: want %q in: %s", command, why, got)
		}
	}
}

// P107: the last result wins.
func TestTheLastResultWins(t *testing.T) {
	w := checked(t)
	w.edited("src/api/server.go")
	w.shell("npm test", "PostToolUseFailure")
	has(t, w.end(), "it failed")
	w.shell("npm test", "PostToolUse")
	if got := w.end(); got != "" {
		t.Errorf("held after it passed: %s", got)
	}
	w.shell("npm test", "PostToolUseFailure")
	has(t, w.end(), "it failed")
}

// P109: what a client does not say is not taken for good.
func TestUnknownOutcomesDoNotClear(t *testing.T) {
	for name, c := range map[string]struct {
		in       map[string]any
		response any
		why      string
	}{
		"interrupted":       {input("command", "npm test"), input("stdout", "", "interrupted", true), "interrupted"},
		"in the background": {input("command", "npm test", "run_in_background", true), input("stdout", "", "interrupted", false), "background"},
		"moved there":       {input("command", "npm test"), input("stdout", "", "interrupted", false, "backgroundTaskId", "b1"), "background"},
		"no result":         {input("command", "npm test"), "Exit code: 0", "exit code is not known"},
	} {
		w := checked(t)
		w.edited("src/api/server.go")
		w.did("Bash", c.in, "PostToolUse", c.response)
		if got := w.end(); !strings.Contains(got, c.why) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// An edit made while the check ran was not seen by it for certain.
func TestAnEditDuringTheRunStaysPending(t *testing.T) {
	w := checked(t)
	w.edited("src/api/server.go")
	call := input("command", "npm test")
	w.tested(w.event("PreToolUse", "tool_name", "Bash", "tool_input", call, "tool_use_id", "run"))
	w.edited("src/billing/tax.go")
	w.tested(w.event("PostToolUse", "tool_name", "Bash", "tool_input", call, "tool_use_id", "run", "tool_response", input("stdout", "", "interrupted", false)))
	got := w.end()
	has(t, got, "src/billing/tax.go")
	hasNot(t, got, "src/api/server.go")
}

// The event after "cd web && ..." names the folder that it led to; a run there
// is none of the root.
func TestTheFolderIsThatBeforeTheCommand(t *testing.T) {
	w := checked(t)
	w.edited("src/api/server.go")
	call := input("command", "cd .. && npm test")
	w.tested(w.event("PreToolUse", "tool_name", "Bash", "tool_input", call, "tool_use_id", "run", "cwd", w.path("web")))
	w.tested(w.event("PostToolUse", "tool_name", "Bash", "tool_input", call, "tool_use_id", "run", "tool_response", input("stdout", "", "interrupted", false)))
	if got := w.end(); got != "" {
		t.Errorf("held: %s", got)
	}
}

// Codex's login shell may not know the PATH that its hooks have.
func TestTheNamedCommandIsFoundByTheClientsShell(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("login shells are those of Unix")
	}
	for host, want := range map[string]string{
		"claude-code": "(or `pathrule check run tests`)",
		"codex":       "run `\"BIN/pathrule\" check run tests`, which",
	} {
		w := checked(t)
		w.host = host
		w.write("../my bin/pathrule", "")
		w.vars["PATH"] = w.path("../my bin") + ":/usr/bin"
		w.write("src/api/server.go", "package api // new\n")
		if host == "codex" {
			w.did("apply_patch", input("command", "*** Begin Patch\n*** Update File: src/api/server.go\n@@\n+x\n*** End Patch"), "PostToolUse", "Success.")
		} else {
			w.edited("src/api/server.go")
		}
		has(t, w.end(), strings.ReplaceAll(want, "BIN", w.path("../my bin")))
	}
}

func TestCodexIsHeldUntilCheckRunPassed(t *testing.T) {
	w := checked(t)
	w.host = "codex"
	w.write("src/api/server.go", "package api // new\n")
	w.did("apply_patch", input("command", "*** Begin Patch\n*** Update File: src/api/server.go\n@@\n+x\n*** End Patch"), "PostToolUse", "Success.")
	w.did("Bash", input("command", "npm test"), "PostToolUse", "ok 1 - all\nExit code: 0")
	got := w.end()
	has(t, got, "check run tests`, which runs npm test")
	has(t, got, "its exit code is not known")
	key := ledger.Root(w.ws())
	sum := w.pin("tests").Sum
	check := pending.Check{Owner: w.ws().ID, ID: "tests"}
	run := func(exit int, files ...string) {
		t.Helper()
		r := pending.Result{In: key, Check: check, Sum: sum, Exit: exit, At: w.now, Files: map[string]string{}}
		for _, f := range files {
			r.Files[f] = pending.StateOf(w.path(f))
		}
		if err := r.Save(w.dirs().State); err != nil {
			t.Fatal(err)
		}
	}
	run(1, "src/api/server.go")
	if w.end() == "" {
		t.Error("a failed run clears the check")
	}
	run(0, "src/api/server.go")
	w.write("src/api/server.go", "package api // newer\n")
	if w.end() == "" {
		t.Error("a run before the last change clears the check")
	}
	w.write("src/api/server.go", "package api // new\n")
	if got := w.end(); got != "" {
		t.Errorf("held (the fourth time?): %s", got)
	}
}

// P109: in Codex's sandbox "check run" can keep no result; its hook runs outside
// and takes it from what the run puts out.
func TestCodexIsReleasedByTheReceiptOfASandboxedRun(t *testing.T) {
	w := checked(t)
	w.host = "codex"
	edit := func(text string) {
		w.write("src/api/server.go", text)
		w.did("apply_patch", input("command", "*** Begin Patch\n*** Update File: src/api/server.go\n@@\n+x\n*** End Patch"), "PostToolUse", "Success.")
	}
	receipt := func(exit int) string {
		t.Helper()
		w.now = w.now.Add(time.Minute)
		r := pending.Result{In: ledger.Root(w.ws()), Check: pending.Check{Owner: w.ws().ID, ID: "tests"}, Sum: w.pin("tests").Sum, Exit: exit, At: w.now.UTC().Truncate(time.Second),
			Files: map[string]string{"src/api/server.go": pending.StateOf(w.path("src/api/server.go"))}}
		line, err := r.Receipt(w.dirs().State)
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	if err := pending.KeepKey(w.dirs().State, []byte(strings.Repeat("k", 32))); err != nil {
		t.Fatal(err)
	}
	run := func(output string) {
		w.did("Bash", input("command", "pathrule check run tests"), "PostToolUse", output)
	}
	edit("package api // new\n")
	run("FAIL\n" + receipt(1) + "\n")
	has(t, w.end(), "it failed")
	run("ok\n" + strings.Replace(receipt(1), " 1 ", " 0 ", 1) + "\n")
	has(t, w.end(), "files changed after it began")
	line := receipt(0)
	edit("package api // newer\n")
	run("ok\n" + line + "\n")
	if got := w.end(); got == "" {
		t.Error("a run before the last change clears the check")
	}
	w.later() // another session; holds count anew
	w.write("src/api/server.go", "package api // newest\n")
	old := w.event("PostToolUse", "session_id", "s2", "tool_name", "apply_patch", "tool_input", input("command", "*** Begin Patch\n*** Update File: src/api/server.go\n@@\n+x\n*** End Patch"), "tool_response", "Success.")
	w.tested(old)
	if w.end("session_id", "s2") == "" {
		t.Fatal("not held")
	}
	// A run that outlived its call: the line stands in the conversation alone.
	talk := filepath.Join(w.home, "rollout.jsonl")
	text, _ := json.Marshal(map[string]any{"payload": map[string]any{"output": "ok\n" + receipt(0) + "\npassed: rule:tests\n"}})
	if err := os.WriteFile(talk, append([]byte(strings.Repeat("{}\n", 200_000)), text...), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := w.end("session_id", "s2", "transcript_path", talk); got != "" {
		t.Errorf("held after it passed: %s", got)
	}
	if l := w.log(); l != "" {
		t.Error(l)
	}
}

func TestAPatchTypedIntoCodexsShellCounts(t *testing.T) {
	w := checked(t)
	w.host = "codex"
	w.tested(w.event("PreToolUse", "tool_name", "Bash", "tool_input", input("command", "apply_patch <<'E'\n*** Begin Patch\n*** Add File: src/x.js\n+x\n*** End Patch\nE")))
	has(t, w.end(), "src/x.js")
}

func TestARuleThatIsNotApprovedAnyMoreHoldsNothing(t *testing.T) {
	w := checked(t)
	w.edited("src/api/server.go")
	w.write(".pathrule/rules/tests.md", testsRule+"\n")
	if got := w.end(); got != "" {
		t.Errorf("held: %s", got)
	}
	w.write(".pathrule/rules/tests.md", testsRule)
	if w.end() == "" {
		t.Error("not held by what is approved again")
	}
	w.config("mode: off\n")
	if got := w.end(); got != "" {
		t.Errorf("held with mode off: %s", got)
	}
}

// Where a turn cannot be held the session is told once.
func TestOtherClientsAreReminded(t *testing.T) {
	w := checked(t)
	w.host = "qwen-code"
	edit := func() string {
		return w.tested(w.event("PostToolUse", "tool_name", "edit", "tool_input", input("file_path", w.path("src/api-old.js"), "old_string", "a", "new_string", "b"), "tool_response", input()))
	}
	var all string
	for range 4 {
		all += edit()
	}
	if n := strings.Count(all, "Before you finish"); n != 1 || !strings.Contains(all, "npm test") {
		t.Errorf("reminded %d times: %s", n, all)
	}
	if out := w.tested(w.event("Stop")); out != "" {
		t.Errorf("a turn is held: %s", out)
	}
}

func TestNoCommandOrOutputIsKept(t *testing.T) {
	w := checked(t)
	w.edited("src/api/server.go")
	w.shell("TOKEN=hunter2 npm test -- --grep secret-name", "PostToolUse")
	w.end()
	err := filepath.WalkDir(w.dirs().State, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		for _, bad := range []string{"hunter2", "secret-name", "npm test"} {
			if strings.Contains(string(b), bad) {
				t.Errorf("%s holds %q", p, bad)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
