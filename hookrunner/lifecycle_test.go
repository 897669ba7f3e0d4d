package hookrunner_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const invoicePrompt = "Fix the rounding of invoice totals in src/billing/invoice.go"

// T5, E5, E11-E14, P5, P82: what a session is told, once.
// Rows: F43.
func TestNothingIsToldTwice(t *testing.T) {
	for name, live := range map[string]bool{"with an index": true, "from the catalogue": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.live = live
			has(t, w.start("startup"), "Workspace shop")
			first := w.prompt(invoicePrompt)
			has(t, first, "Invoice totals are rounded half up per line")
			has(t, first, "Money is integer cents")
			if got := w.prompt(invoicePrompt); got != "" {
				t.Errorf("a quiet turn says %q", got)
			}
			if got := w.read("src/billing/invoice.go"); strings.Contains(got, "rounding") || strings.Contains(got, "Money is integer cents") {
				t.Errorf("the tool is told again: %q", got)
			}
			// A new body is news.
			w.write(".pathrule/memories/rounding.md", "---\ntitle: Invoice totals round half even\npaths: [src/billing/invoice.go]\n---\nInvoice totals are rounded half even since May.\n")
			has(t, w.prompt(invoicePrompt), "rounded half even since May")
			if got := w.prompt(invoicePrompt); got != "" {
				t.Errorf("a quiet turn after the edit says %q", got)
			}
		})
	}
}

func TestAPromptAboutNothingKnownIsSilent(t *testing.T) {
	w := newWorld(t)
	w.live = true
	w.start("startup")
	for _, p := range []string{"Write a poem about the moon", "thanks", "👍"} {
		if got := w.prompt(p); got != "" {
			t.Errorf("%q is answered with %q", p, got)
		}
	}
}

// C1, E14, F44, F100: which start begins anew. Each source is replayed after a
// session that was told something.
// Rows: F43.
func TestSourcesOfAStart(t *testing.T) {
	for source, c := range map[string]struct {
		speaks bool // the start itself says something
		again  bool // the next prompt brings the body again
	}{
		"startup": {false, false}, // of a running session: a resume
		"resume":  {false, false},
		"clear":   {true, true},
		"compact": {true, true},
		"fork":    {true, true},
		"beamed":  {true, true}, // nobody knows it: as a startup
		"":        {true, true},
	} {
		t.Run("source "+source, func(t *testing.T) {
			w := newWorld(t)
			w.live = true
			w.start("startup")
			has(t, w.prompt(invoicePrompt), "rounded half up")
			w.now = w.now.Add(time.Minute)
			if got := w.start(source); (got != "") != c.speaks {
				t.Errorf("the start says %q", got)
			}
			got := w.prompt(invoicePrompt)
			if strings.Contains(got, "rounded half up") != c.again {
				t.Errorf("the next prompt says %q", got)
			}
		})
	}
}

func TestAResumeWithoutARecordIsAStart(t *testing.T) {
	for _, source := range []string{"resume", "startup"} {
		w := newWorld(t)
		has(t, w.start(source), "Workspace shop")
	}
	w := newWorld(t)
	w.start("startup")
	w.prompt(invoicePrompt)
	w.now = w.now.Add(8 * 24 * time.Hour)
	has(t, w.start("resume"), "Workspace shop")
	has(t, w.prompt(invoicePrompt), "rounded half up")
}

func TestAStartupHalfADayLaterIsOne(t *testing.T) {
	w := newWorld(t)
	w.start("startup")
	w.prompt(invoicePrompt)
	w.now = w.now.Add(12*time.Hour + time.Minute)
	has(t, w.start("startup"), "Workspace shop")
	has(t, w.prompt(invoicePrompt), "rounded half up")
}

func TestResumeResetsWhenThePersonWantsIt(t *testing.T) {
	w := newWorld(t)
	w.config("delta:\n  reset_on_resume: true\n")
	w.start("startup")
	w.prompt(invoicePrompt)
	has(t, w.start("resume"), "Workspace shop")
	has(t, w.prompt(invoicePrompt), "rounded half up")
}

// F18, A25: PreCompact itself says nothing, the start after it names what was
// lost, and bodies return with the next prompt, even when the host drops that
// start.
func TestCompaction(t *testing.T) {
	for name, dropped := range map[string]bool{"with its start": false, "whose start is lost": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.live = true
			w.start("startup")
			w.prompt(invoicePrompt)
			if got := w.ask("PreCompact", "trigger", "auto", "custom_instructions", nil); got != "" {
				t.Errorf("PreCompact says %q", got)
			}
			if !dropped {
				got := w.start("compact")
				has(t, got, "memory:rounding")
				hasNot(t, got, "rounded half up per line")
			}
			got := w.prompt(invoicePrompt)
			has(t, got, "rounded half up per line")
			if strings.Contains(got, "Workspace shop") != dropped {
				t.Errorf("the protocol belongs to the prompt only when no start brought it:\n%s", got)
			}
		})
	}
}

// F21, F22: hosts that never fire a start, or fire one with every prompt.
func TestASessionThatNeverStarted(t *testing.T) {
	w := newWorld(t)
	w.live = true
	got := w.prompt(invoicePrompt)
	has(t, got, "Workspace shop")
	has(t, got, "rounded half up")
	if strings.Index(got, "Workspace shop") > strings.Index(got, "rounded half up") {
		t.Errorf("the protocol comes last:\n%s", got)
	}
	if got := w.prompt(invoicePrompt); got != "" {
		t.Errorf("the second prompt says %q", got)
	}
	if got := w.start("startup"); got != "" {
		t.Errorf("a start that comes late says %q", got)
	}
}

func TestAStartWithEveryPromptTellsOnce(t *testing.T) {
	w := newWorld(t)
	has(t, w.start("startup"), "Workspace shop")
	for range 3 {
		w.now = w.now.Add(time.Minute)
		if got := w.start("startup"); got != "" {
			t.Errorf("a further start says %q", got)
		}
		w.prompt(invoicePrompt)
	}
}

func TestATwinOfAStartStaysSilent(t *testing.T) {
	w := newWorld(t)
	payload := w.event("SessionStart", "source", "clear")
	first, _ := w.raw(payload)
	second, _ := w.raw(payload)
	if first == "" || second != "" {
		t.Errorf("first %.60q, second %.60q", first, second)
	}
	w.now = w.now.Add(11 * time.Second)
	if third, _ := w.raw(payload); third == "" {
		t.Error("the same source 11 s later is another start")
	}
}

// Prompt events that are no person's turn.
func TestMachineMadePromptsGetNothing(t *testing.T) {
	w := newWorld(t)
	w.start("startup")
	for _, pairs := range [][]any{
		{"prompt", "<task-notification>\n<summary>src/billing/invoice.go rounding done</summary></task-notification>"},
		{"prompt", invoicePrompt, "source", "schedule_wakeup"},
		{"prompt", ""},
		{"prompt", "  \n"},
		{"prompt", nil},
		{},
	} {
		if got := w.ask("UserPromptSubmit", pairs...); got != "" {
			t.Errorf("%v is answered with %q", pairs, got)
		}
	}
	has(t, w.ask("UserPromptSubmit", "prompt", []any{map[string]any{"type": "text", "text": invoicePrompt}}), "rounded half up")
}

func TestBookKeepingEventsSayNothing(t *testing.T) {
	w := newWorld(t)
	w.start("startup")
	for _, ev := range []string{"PreCompact", "SessionEnd", "SubagentStop", "Stop", "PostCompact", "Notification", "PermissionRequest", "InstructionsLoaded", "WorktreeCreate", "Whatever"} {
		if out, errs := w.raw(w.event(ev, "trigger", "auto", "reason", "other", "stop_hook_active", false)); out != "" || errs != "" {
			t.Errorf("%s: stdout %q, stderr %q", ev, out, errs)
		}
	}
	for range 5 { // F55
		if out, _ := w.raw(w.event("Stop", "stop_hook_active", true)); out != "" {
			t.Errorf("Stop: %q", out)
		}
	}
}

// E36-E40, F25, F62: subagents.
func TestSubagents(t *testing.T) {
	w := newWorld(t)
	w.live = true
	w.start("startup")
	w.prompt(invoicePrompt)
	sub := []any{"agent_id", "a1", "agent_type", "Explore"}
	got := w.ask("SubagentStart", sub...)
	has(t, got, "Workspace shop")
	has(t, got, "rounded half up per line") // what the parent works with
	read := func(rel string, more ...any) string {
		return w.ask("PreToolUse", append([]any{"tool_name", "Read", "tool_input", map[string]any{"file_path": w.path(rel)}}, more...)...)
	}
	if got := read("src/billing/invoice.go", sub...); strings.Contains(got, "rounding") {
		t.Errorf("the agent is told again: %q", got)
	}
	has(t, read("src/api/server.go", sub...), "problem+json")
	if got := read("src/api/server.go", sub...); got != "" {
		t.Errorf("the agent is told twice: %q", got)
	}
	has(t, read("src/api/server.go"), "problem+json") // the parent never was
	if got := w.ask("SubagentStop", sub...); got != "" {
		t.Errorf("SubagentStop says %q", got)
	}
	// A second agent has a record of its own.
	has(t, w.ask("SubagentStart", "agent_id", "a2", "agent_type", "Explore"), "rounded half up per line")
	// An agent's compaction is its own.
	w.ask("PreCompact", append([]any{"trigger", "auto"}, sub...)...)
	has(t, read("src/api/server.go", sub...), "problem+json")
	if got := read("src/api/server.go"); got != "" {
		t.Errorf("the parent is told again: %q", got)
	}
}

// P69: one line per session; records of subagents go, the session's own stays
// for a resume, but not after a clear.
func TestTheEndOfASession(t *testing.T) {
	for reason, kept := range map[string]bool{"other": true, "clear": false} {
		t.Run(reason, func(t *testing.T) {
			w := newWorld(t)
			w.start("startup")
			w.prompt(invoicePrompt)
			w.read("src/billing/tax.go")
			w.ask("SubagentStart", "agent_id", "a1")
			w.now = w.now.Add(90 * time.Second)
			w.read("src/api/server.go")
			if got := w.ask("SessionEnd", "reason", reason); got != "" {
				t.Errorf("says %q", got)
			}
			usage, err := os.ReadFile(filepath.Join(w.dirs().State, "usage", "navigation.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(string(usage)), "\n")
			if len(lines) != 1 {
				t.Fatalf("%d lines: %s", len(lines), usage)
			}
			has(t, lines[0], `"host":"claude-code"`)
			has(t, lines[0], `"tools":2,"routes":0,"followed":0,`)
			has(t, lines[0], `"seconds":90}`)
			hasNot(t, lines[0], "s1")
			records, _ := os.ReadDir(filepath.Join(w.dirs().State, "sessions"))
			if (len(records) == 1) != kept || len(records) > 1 {
				t.Errorf("records %v", records)
			}
			if got := w.start("resume"); (got == "") != kept {
				t.Errorf("a resume says %q", got)
			}
		})
	}
}
