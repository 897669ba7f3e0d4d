package hookrunner_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pathrule/guard/approval"
	"pathrule/guard/match"
	"pathrule/hookrunner"
	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
	"pathrule/workspace"
)

const noEval = "---\ntitle: No eval\npaths: [src]\nblock:\n  - {pattern: '\\beval\\(', message: Parse the value with the schema instead of eval.}\n" +
	"  - {pattern: '^rm -rf', on: shell, message: Use the trash instead of rm -rf.}\n---\nWe do not evaluate text.\n"

// approve does what the command does once a person said yes.
func (w *world) approve(id string) {
	w.t.Helper()
	raw, err := os.ReadFile(w.path(".pathrule/rules/" + id + ".md"))
	if err != nil {
		w.t.Fatal(err)
	}
	e, _, err := frontmatter.Parse(raw, knowledge.Rule, id, "rules/"+id+".md")
	if err != nil {
		w.t.Fatal(err)
	}
	if err := approval.Approve(w.dirs(), approval.PlaceOf(w.ws()), approval.PinOf(e, raw, w.now)); err != nil {
		w.t.Fatal(err)
	}
}

// decide runs a tool event in a program that can test patterns and gives the
// reason of the denial, "" for none.
func (w *world) decide(pairs ...any) string {
	w.t.Helper()
	return w.decideOn("PreToolUse", pairs...)
}

func (w *world) decideOn(event string, pairs ...any) string {
	w.t.Helper()
	out := w.tested(w.event(event, pairs...))
	var v struct {
		HookSpecificOutput struct {
			PermissionDecision, PermissionDecisionReason string
		}
	}
	if out != "" {
		if err := json.Unmarshal([]byte(out), &v); err != nil {
			w.t.Fatalf("%v: %q", err, out)
		}
	}
	if d := v.HookSpecificOutput; (d.PermissionDecision == "deny") != (d.PermissionDecisionReason != "") {
		w.t.Errorf("a denial without a reason, or the other way round: %s", out)
	}
	return v.HookSpecificOutput.PermissionDecisionReason
}

// tested runs one event in a program that can test patterns.
func (w *world) tested(stdin string) string {
	w.t.Helper()
	var out, errs strings.Builder
	env := w.env()
	env.Stdin, env.Stdout, env.Stderr = strings.NewReader(stdin), &out, &errs
	hookrunner.Main(hookrunner.Options{Host: w.host, Test: match.Find}, env)
	return out.String()
}

func guarded(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, shop, map[string]string{
		".pathrule/rules/no-eval.md": noEval,
		"src/old.js":                 "a = eval(b)\nkeep()\n",
	})
	w.approve("no-eval")
	return w
}

func input(pairs ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

// P103: what is added counts, in every edit tool; what is removed or stood there
// does not.
func TestApprovedBlockDeniesWhatAnEditAdds(t *testing.T) {
	w := guarded(t)
	f := w.path("src/old.js")
	tests := map[string]struct {
		tool  string
		in    map[string]any
		event string
		deny  bool
	}{
		"an edit that adds it":                              {tool: "Edit", in: input("file_path", f, "old_string", "keep()", "new_string", "eval(c)"), deny: true},
		"an edit of another line":                           {tool: "Edit", in: input("file_path", f, "old_string", "keep()", "new_string", "other()")},
		"an edit that takes it out":                         {tool: "Edit", in: input("file_path", f, "old_string", "a = eval(b)\n", "new_string", "")},
		"an edit that keeps it beside what changes":         {tool: "Edit", in: input("file_path", f, "old_string", "a = eval(b)\nkeep()", "new_string", "a = eval(b)\nother()")},
		"an edit of another part of its line":               {tool: "Edit", in: input("file_path", f, "old_string", "a =", "new_string", "c =")},
		"an edit that makes it whole":                       {tool: "Edit", in: input("file_path", f, "old_string", "keep(", "new_string", "eval("), deny: true},
		"a write of the file as it stands":                  {tool: "Write", in: input("file_path", f, "content", "a = eval(b)\nkeep()\nmore()\n")},
		"a write that adds a second one":                    {tool: "Write", in: input("file_path", f, "content", "a = eval(b)\nkeep()\na = eval(b)\n"), deny: true},
		"a write of a new file":                             {tool: "Write", in: input("file_path", w.path("src/new.js"), "content", "eval(1)\n"), deny: true},
		"a file outside the rule's paths":                   {tool: "Write", in: input("file_path", w.path("web/new.js"), "content", "eval(1)\n")},
		"a sibling folder with a longer name":               {tool: "Write", in: input("file_path", w.path("src-old/new.js"), "content", "eval(1)\n")},
		"the second of several edits":                       {tool: "MultiEdit", in: input("file_path", f, "edits", []any{input("old_string", "keep()", "new_string", "one()"), input("old_string", "one()", "new_string", "eval(2)")}), deny: true},
		"a notebook's cell":                                 {tool: "NotebookEdit", in: input("notebook_path", w.path("src/n.ipynb"), "cell_id", "c1", "new_source", "eval('1')"), deny: true},
		"a path with a link of .. in it":                    {tool: "Write", in: input("file_path", w.path("web/../src/new.js"), "content", "eval(1)\n"), deny: true},
		"added lines of a patch":                            {tool: "apply_patch", in: input("command", "*** Begin Patch\n*** Update File: web/cart.ts\n@@\n+eval(0)\n*** Update File: src/old.js\n@@\n keep()\n+eval(3)\n*** End Patch"), deny: true},
		"removed and context lines of a patch":              {tool: "apply_patch", in: input("command", "*** Begin Patch\n*** Update File: src/old.js\n@@\n-a = eval(b)\n keep()\n eval(9)\n+plain()\n*** End Patch")},
		"a patch that moves the file into the rule's paths": {tool: "apply_patch", in: input("command", "*** Begin Patch\n*** Update File: web/cart.ts\n*** Move to: src/cart.ts\n@@\n+eval(3)\n*** End Patch"), deny: true},
		"a patch typed into the shell":                      {tool: "Bash", in: input("command", "cd src && apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: x.js\n+eval(3)\n*** End Patch\nEOF"), deny: true},
		"a command that the block is for":                   {tool: "Bash", in: input("command", "rm -rf src/old.js"), deny: true},
		"the second line of a command":                      {tool: "Bash", in: input("command", "ls src/old.js\nrm -rf src"), deny: true},
		"a command that has nothing to do with the paths":   {tool: "Bash", in: input("command", "rm -rf web")},
		"a block for edits says nothing about commands":     {tool: "Bash", in: input("command", "node -e 'eval(1)' src/old.js")},
		"a block for commands says nothing about edits":     {tool: "Write", in: input("file_path", w.path("src/clean.sh"), "content", "rm -rf x\n")},
		"reading":                     {tool: "Read", in: input("file_path", f)},
		"searching for the very text": {tool: "Grep", in: input("path", w.path("src"), "pattern", "eval(")},
		"after the tool, on a client that can deny beforehand": {event: "PostToolUse", tool: "Write", in: input("file_path", w.path("src/new.js"), "content", "eval(1)\n")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			event := tt.event
			if event == "" {
				event = "PreToolUse"
			}
			reason := w.decideOn(event, "tool_name", tt.tool, "tool_input", tt.in)
			if (reason != "") != tt.deny {
				t.Errorf("denied = %v, want %v: %s", reason != "", tt.deny, reason)
			}
		})
	}
	if l := w.log(); l != "" {
		t.Errorf("log: %s", l)
	}
}

func TestDenialSaysRuleMessageRemedyAndLine(t *testing.T) {
	w := guarded(t)
	got := w.decide("tool_name", "Write", "tool_input", input("file_path", w.path("src/n.js"), "content", "ok()\nx = eval(1) // \u202egnp\u200b\n"))
	for _, want := range []string{"rule:no-eval", "No eval", "Parse the value with the schema instead of eval.", "src/n.js", "x = eval(1) // gnp", "tell the user"} {
		has(t, got, want)
	}
	long := w.decide("tool_name", "Write", "tool_input", input("file_path", w.path("src/n.js"), "content", strings.Repeat("x", 1<<20)+" eval("+strings.Repeat("y", 1<<20)))
	if len(long) > 2_000 || !strings.Contains(long, "eval(") {
		t.Errorf("a long line is shown in %d bytes: %.300s", len(long), long)
	}
}

// P101: one byte more is another rule, which nobody approved; the person is told.
func TestEditOfAnApprovedRuleRevokesIt(t *testing.T) {
	w := guarded(t)
	bad := []any{"tool_name", "Write", "tool_input", input("file_path", w.path("src/n.js"), "content", "eval(1)\n")}
	if w.decide(bad...) == "" {
		t.Fatal("not denied")
	}
	w.write(".pathrule/rules/no-eval.md", noEval+" ")
	if got := w.decide(bad...); got != "" {
		t.Errorf("one byte more, and still denied: %s", got)
	}
	out := w.tested(w.event("UserPromptSubmit", "prompt", "hello there"))
	has(t, out, "no-eval was edited since it was approved")
	if again := w.tested(w.event("UserPromptSubmit", "prompt", "hello again")); strings.Contains(again, "was edited since") {
		t.Errorf("said twice: %s", again)
	}
	// Each new session begins with it, a resumed one does not.
	for _, session := range []string{"n1", "n2"} {
		has(t, w.tested(w.event("SessionStart", "session_id", session, "source", "startup")), "rule no-eval was edited since it was approved: it decides nothing")
		hasNot(t, w.tested(w.event("UserPromptSubmit", "session_id", session, "prompt", "hello")), "was edited since")
	}
	hasNot(t, w.tested(w.event("SessionStart", "session_id", "n2", "source", "resume")), "was edited since")
	w.approve("no-eval")
	if w.decide(bad...) == "" {
		t.Error("approved again, and not denied")
	}
	// The first version, as on another branch, still stands.
	w.write(".pathrule/rules/no-eval.md", noEval)
	if w.decide(bad...) == "" {
		t.Error("the version of the other branch does not count any more")
	}
	if err := os.Remove(w.path(".pathrule/rules/no-eval.md")); err != nil {
		t.Fatal(err)
	}
	if got := w.decide(bad...); got != "" {
		t.Errorf("a rule that is gone denies: %s", got)
	}
}

func TestApprovalOfOneWorkspaceNeverCountsInAnother(t *testing.T) {
	w := guarded(t)
	other := filepath.Join(w.home, "other")
	for name, text := range map[string]string{".pathrule/rules/no-eval.md": noEval, "src/a.js": "x\n"} {
		p := filepath.Join(other, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	bad := []any{"cwd", other, "tool_name", "Write", "tool_input", input("file_path", filepath.Join(other, "src/n.js"), "content", "eval(1)\n")}
	if got := w.decide(bad...); got != "" {
		t.Errorf("denied: %s", got)
	}
	// Not even when its file is put in the other one's place.
	ws, err := workspace.Find(other, w.env())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(w.dirs().Home, approval.Dir, w.ws().ID))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dirs().Home, approval.Dir, ws.ID), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := w.decide(bad...); got != "" {
		t.Errorf("denied by a copied file of approvals: %s", got)
	}
	has(t, w.log(), "made for another workspace")
}

// Rows: A11.
func TestNothingDeniesWithoutApproval(t *testing.T) {
	w := newWorld(t, shop, map[string]string{".pathrule/rules/no-eval.md": strings.Replace(noEval, "paths: [src]", "paths: [src]\nenforcement: strict", 1)})
	if got := w.decide("tool_name", "Write", "tool_input", input("file_path", w.path("src/n.js"), "content", "eval(1)\n")); got != "" {
		t.Errorf("denied: %s", got)
	}
	if _, err := os.Stat(filepath.Join(w.dirs().Home, approval.Dir)); !os.IsNotExist(err) {
		t.Errorf("a hook made the folder of approvals: %v", err)
	}
}

func TestModeOffAloneSilencesRules(t *testing.T) {
	w := guarded(t)
	bad := []any{"tool_name", "Write", "tool_input", input("file_path", w.path("src/n.js"), "content", "eval(1)\n")}
	for mode, deny := range map[string]bool{"auto": true, "always": true, "startup": true, "manual": true, "off": false} {
		w.config("mode: " + mode + "\n")
		if got := w.decide(bad...); (got != "") != deny {
			t.Errorf("mode %s: denied %v", mode, got != "")
		}
	}
}

// Two registrations of one event both deny: a host that takes the first answer
// alone must not take a silent one.
func TestDenialIsNotClaimed(t *testing.T) {
	w := guarded(t)
	e := w.event("PreToolUse", "tool_name", "Write", "tool_input", input("file_path", w.path("src/n.js"), "content", "eval(1)\n"))
	if a, b := w.tested(e), w.tested(e); a == "" || a != b {
		t.Errorf("first %q, second %q", a, b)
	}
}

// P105: time grows with the text alone, and is bounded.
func TestPathologicalPatternsEndInTime(t *testing.T) {
	w := newWorld(t, shop, map[string]string{
		".pathrule/rules/slow.md": "---\ntitle: Slow\nblock: [{pattern: '(x+x+)+y', message: Do not write rows of x.}]\n---\nText.\n",
		".pathrule/rules/huge.md": "---\ntitle: Huge\nblock: [{pattern: '([a-z]{900}!|[a-y]{900}!)', message: Do not write long words.}]\n---\nText.\n",
	})
	w.approve("slow")
	w.approve("huge")
	begun := time.Now()
	got := w.decide("tool_name", "Write", "tool_input", input("file_path", w.path("src/n.js"), "content", strings.Repeat("x", 1<<20)+"\n"))
	if got != "" {
		t.Errorf("denied: %s", got)
	}
	if d := time.Since(begun); d > 60*time.Second {
		t.Errorf("took %s", d)
	}
	// The second one is refused by its size, which is our trouble and stops nobody.
	has(t, w.log(), "repeats too much")
}

// Size changes nothing up to what a payload may hold; beyond it nobody is stopped,
// and the log says why.
func TestLargeEditsAreTestedWhole(t *testing.T) {
	w := guarded(t)
	for name, c := range map[string]struct {
		text string
		deny bool
		log  string
	}{
		"7 MB of lines, the last is forbidden":   {text: strings.Repeat("keep(x)\n", 900_000) + "eval(1)\n", deny: true},
		"one line of 7 MB, forbidden at its end": {text: strings.Repeat("keep(x);", 900_000) + " eval(1)", deny: true},
		"7 MB of nothing forbidden":              {text: strings.Repeat("retrieval (x)\n", 500_000)},
		"10 MB":                                  {text: strings.Repeat("keep(x)\n", 1_250_000) + "eval(1)\n", log: "payload is larger than 8 MiB"},
	} {
		begun := time.Now()
		if got := w.decide("tool_name", "Write", "tool_input", input("file_path", w.path("src/n.js"), "content", c.text)); (got != "") != c.deny {
			t.Errorf("%s: denied = %v, want %v", name, got != "", c.deny)
		}
		if d := time.Since(begun); d > 60*time.Second {
			t.Errorf("%s took %s", name, d)
		}
		has(t, w.log(), c.log)
	}
	// A file that is too large to compare with is no reason to stop either.
	if err := os.WriteFile(w.path("src/huge.js"), make([]byte, 9<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := w.decide("tool_name", "Write", "tool_input", input("file_path", w.path("src/huge.js"), "content", "eval(1)")); got != "" {
		t.Errorf("denied: %s", got)
	}
	// An edit says what it takes the place of.
	for text, deny := range map[string]bool{"eval(1)": true, "x = eval(2)\ny": false} {
		if got := w.decide("tool_name", "Edit", "tool_input", input("file_path", w.path("src/huge.js"), "old_string", "x = eval(2)", "new_string", text)); (got != "") != deny {
			t.Errorf("%q: denied = %v, want %v", text, got != "", deny)
		}
	}
	has(t, w.log(), "too large to tell what an edit adds")
}

// pin is the newest pin of a rule.
func (w *world) pin(id string) approval.Pin {
	w.t.Helper()
	pins, err := approval.Read(w.dirs(), approval.PlaceOf(w.ws()))
	if err != nil {
		w.t.Fatal(err)
	}
	for i := len(pins) - 1; i >= 0; i-- {
		if pins[i].ID == id {
			return pins[i]
		}
	}
	w.t.Fatalf("%s is not approved", id)
	return approval.Pin{}
}
