package hookrunner_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/hookrunner/activity"
)

// worked is what the activity log holds, without times and its first line.
func (w *world) worked() []string {
	w.t.Helper()
	recs, err := activity.Of(w.dirs().State, w.ws().ID).Read()
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, r := range recs {
		if r.Kind != activity.Since {
			out = append(out, string(r.Kind)+" "+r.Host+" "+r.Session+" "+r.Op+" "+r.What)
		}
	}
	return out
}

// P23: hooks record what was touched and told, and nothing that anybody typed.
func TestHooksKeepALogOfPathsAndEntries(t *testing.T) {
	w := newWorld(t)
	w.live = true
	w.start("startup")
	w.prompt("Fix the bug: SECRETWORD wrong rounding of invoice totals in src/billing/invoice.go")
	w.read("src/billing/invoice.go")
	w.ask("PreToolUse", "tool_name", "Edit", "tool_input", map[string]any{"file_path": w.path("src/billing/tax.go"), "old_string": "SECRETWORD", "new_string": "SECRETWORD2"})
	w.ask("PreToolUse", "tool_name", "Read", "tool_input", map[string]any{"file_path": "/etc/SECRETWORD"})
	id := w.ws().ID
	want := []string{
		"d claude-code s1 body " + id + "/memory:rounding",
		"d claude-code s1 body " + id + "/rule:money",
		"t claude-code s1 read src/billing/invoice.go",
		"t claude-code s1 edit src/billing/tax.go",
		"a claude-code s1 prompt bug",
	}
	got := w.worked()
	for _, ln := range want {
		if !slices.Contains(got, ln) {
			t.Errorf("the log lacks %q; it is\n%s", ln, strings.Join(got, "\n"))
		}
	}
	b, err := os.ReadFile(activity.Of(w.dirs().State, id).Path)
	if err != nil || strings.Contains(string(b), "SECRETWORD") {
		t.Errorf("%v; the log holds what was typed:\n%s", err, b)
	}
}

func TestTheLogCanBeSwitchedOff(t *testing.T) {
	w := newWorld(t)
	w.config("activity: off\n")
	w.start("startup")
	w.read("src/billing/invoice.go")
	if d := cmp.Diff([]string(nil), w.worked()); d != "" {
		t.Error(d)
	}
}

// P56, P57: what one session did, the next is told of when it asks.
func TestTheNextSessionIsToldOfTheOneBefore(t *testing.T) {
	w := newWorld(t)
	w.live = true
	w.start("startup")
	w.read("src/billing/invoice.go")
	w.ask("PreToolUse", "tool_name", "Edit", "tool_input", map[string]any{"file_path": w.path("src/billing/tax.go"), "old_string": "a", "new_string": "b"})
	has(t, w.prompt("++handoff"), "This session edited src/billing/tax.go; read src/billing/invoice.go.")

	next := w.ask("UserPromptSubmit", "session_id", "s2", "prompt", "++history")
	has(t, next, "Earlier work here")
	has(t, next, "- edited src/billing/tax.go; read src/billing/invoice.go")
	has(t, w.ask("UserPromptSubmit", "session_id", "s3", "prompt", "++handoff"), "The session before edited src/billing/tax.go")

	w.config("activity: off\n")
	hasNot(t, w.ask("UserPromptSubmit", "session_id", "s4", "prompt", "++history"), "Earlier work here")
}
