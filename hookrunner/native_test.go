package hookrunner_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"pathrule/compile"
	"pathrule/index/catalog"
)

// compile writes a target's files as the command does.
func (w *world) compile(target string, more ...func(*compile.Options)) {
	w.t.Helper()
	// Files get the real time: on a busy machine that is past the world's.
	defer func() {
		if now := time.Now(); now.After(w.now) {
			w.now = now
		}
	}()
	src, err := catalog.Open(w.ws(), w.dirs())
	if err != nil {
		w.t.Fatal(err)
	}
	defer src.Close()
	o := compile.Options{Target: target, AllowDouble: true}
	for _, f := range more {
		f(&o)
	}
	changes, err := compile.Plan(w.ws(), src, o, w.env())
	if err != nil {
		w.t.Fatal(err)
	}
	if err := compile.Apply(w.ws(), changes, o, w.env()); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) edit(rel string) string {
	w.t.Helper()
	return w.ask("PreToolUse", "tool_name", "Edit", "tool_input", map[string]any{"file_path": w.path(rel), "old_string": "a", "new_string": "b"})
}

func (w *world) loads(rel string) {
	w.t.Helper()
	if got := w.ask("InstructionsLoaded", "file_path", w.path(rel), "memory_type", "Project", "load_reason", "path_glob_match"); got != "" {
		w.t.Errorf("InstructionsLoaded is answered with %q", got)
	}
}

const rounding = "rounded half up per line"

// What Claude Code loads with the file that it reads is not told again by the
// hook; an edited rule file is no such file.
func TestAReadBringsNoEntryThatTheClientLoadsByItself(t *testing.T) {
	for name, c := range map[string]struct {
		break_ func(w *world)
		want   bool
	}{
		"an unmodified file":       {func(*world) {}, false},
		"edited by hand":           {func(w *world) { w.append(".claude/rules/pathrule/rounding.md", "and more\n") }, true},
		"deleted":                  {func(w *world) { os.Remove(w.path(".claude/rules/pathrule/rounding.md")) }, true},
		"no manifest":              {func(w *world) { os.Remove(w.path(".pathrule/managed.json")) }, true},
		"a manifest of one line":   {func(w *world) { w.squeeze(".pathrule/managed.json") }, true},
		"line ends of Windows":     {func(w *world) { w.crlf(".claude/rules/pathrule/rounding.md") }, false},
		"the entry says more now":  {func(w *world) { w.append(".pathrule/memories/rounding.md", "Since May.\n"); w.index() }, true},
		"changed since the index":  {func(w *world) { w.append(".pathrule/memories/rounding.md", "Since May.\n") }, true},
		"a target of other hosts'": {func(w *world) { w.retarget("windsurf") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.compile("claude-rules")
			c.break_(w)
			if got := w.read("src/billing/invoice.go"); strings.Contains(got, rounding) != c.want {
				t.Errorf("told: %v, want %v\n%s", !c.want, c.want, got)
			}
		})
	}
}

func (w *world) append(rel, text string) { w.write(rel, w.text(rel)+text) }

func (w *world) text(rel string) string {
	w.t.Helper()
	b, err := os.ReadFile(w.path(rel))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

func (w *world) squeeze(rel string) { w.write(rel, strings.ReplaceAll(w.text(rel), "\n", " ")) }
func (w *world) crlf(rel string)    { w.write(rel, strings.ReplaceAll(w.text(rel), "\n", "\r\n")) }
func (w *world) retarget(to string) {
	w.write(".pathrule/managed.json", strings.ReplaceAll(w.text(".pathrule/managed.json"), `"claude-rules"`, `"`+to+`"`))
}

// Claude Code loads a rule with a path of it that is read, not with one that is
// written; and what it loaded once needs no telling at a later edit.
func TestAnEditOfAnUnreadFileStillGetsTheHooksText(t *testing.T) {
	for _, setting := range []string{"hook", "native"} {
		w := newWorld(t)
		w.config("hooks:\n  path_rules: " + setting + "\n")
		w.compile("claude-rules")
		if got := w.edit("src/billing/invoice.go"); !strings.Contains(got, rounding) {
			t.Errorf("%s: an edit of an unread file: %q", setting, got)
		}
		w.later()
		if got := w.read("src/billing/invoice.go"); strings.Contains(got, rounding) {
			t.Errorf("%s: a read: %q", setting, got)
		}
		if got := w.edit("src/billing/invoice.go"); strings.Contains(got, rounding) {
			t.Errorf("%s: an edit after the read: %q", setting, got)
		}
	}
}

// E24, C2: InstructionsLoaded marks the entries of the file as delivered.
func TestInstructionsLoadedMarksDelivery(t *testing.T) {
	w := newWorld(t)
	w.config("hooks:\n  path_rules: both\n")
	w.compile("claude-rules")
	w.start("startup")
	w.loads(".claude/rules/pathrule/rounding.md")
	if got := w.edit("src/billing/invoice.go"); strings.Contains(got, rounding) {
		t.Errorf("told again: %q", got)
	}

	// A file that was edited, and one of somebody else, mark nothing.
	w.later()
	w.append(".claude/rules/pathrule/rounding.md", "x\n")
	w.write(".claude/rules/own.md", "own\n")
	w.loads(".claude/rules/pathrule/rounding.md")
	w.loads(".claude/rules/own.md")
	w.loads("../elsewhere/CLAUDE.md")
	if got := w.edit("src/billing/invoice.go"); !strings.Contains(got, rounding) {
		t.Errorf("an edited rule file hides the entry: %q", got)
	}
}

// With both, what the client was expected to load and did not say it loaded
// comes by the hook (F35).
func TestWithBothTheHookDeliversWhatTheClientDidNotLoad(t *testing.T) {
	w := newWorld(t)
	w.config("hooks:\n  path_rules: both\n")
	w.compile("claude-rules")
	w.start("startup")
	if got := w.read("src/billing/invoice.go"); strings.Contains(got, rounding) {
		t.Errorf("the first read: %q", got)
	}
	if got := w.read("src/billing/invoice.go"); !strings.Contains(got, rounding) {
		t.Errorf("the client loaded nothing: %q", got)
	}
	w.later()
	w.start("startup")
	w.read("src/billing/invoice.go")
	w.loads(".claude/rules/pathrule/rounding.md")
	if got := w.read("src/billing/invoice.go"); strings.Contains(got, rounding) {
		t.Errorf("the client loaded it: %q", got)
	}
}

func TestAPromptNamesWhatTheClientWillLoad(t *testing.T) {
	w := newWorld(t)
	const prompt = "invoice totals are wrong by a cent, see src/billing/invoice.go"
	if got := w.prompt(prompt); !strings.Contains(got, rounding+", never on the sum. The auditor") {
		t.Fatalf("without rule files: %q", got)
	}
	w.later()
	w.compile("claude-rules")
	got := w.prompt(prompt)
	if !strings.Contains(got, "rounding") || strings.Contains(got, "```") && strings.Contains(got, "The auditor compares lines.\n") {
		t.Errorf("with rule files: %q", got)
	}
	if _, plan, _ := strings.Cut(got, "rounding"); strings.Contains(plan, "The auditor compares lines.") {
		t.Errorf("the body stands there: %q", got)
	}
}

// What stands whole in a file of every request is not told at all; but a file
// that was compiled after the session began is not in its context yet.
func TestWhatStandsInEveryRequestIsNotTold(t *testing.T) {
	w := newWorld(t, shop, map[string]string{
		".pathrule/rules/secrets.md": "---\ntitle: Secrets never enter the log\npriority: high\n---\nMask every token before it is logged.\n",
	})
	const prompt = "log the token of the secrets service"
	w.start("startup")
	if got := w.prompt(prompt); !strings.Contains(got, "Mask every token") {
		t.Fatalf("without files: %q", got)
	}
	w.later()
	w.start("startup")
	time.Sleep(10 * time.Millisecond)
	w.compile("claude")
	future := w.now.Add(time.Hour)
	if err := os.Chtimes(w.path("CLAUDE.md"), future, future); err != nil {
		t.Fatal(err)
	}
	if got := w.prompt(prompt); !strings.Contains(got, "Mask every token") {
		t.Errorf("compiled in mid-session: %q", got)
	}
	w.later()
	w.start("startup")
	if got := w.prompt(prompt); strings.Contains(got, "Mask every token") {
		t.Errorf("told although CLAUDE.md holds it: %q", got)
	}
	// Codex does not read CLAUDE.md.
	w.later()
	w.host = "codex"
	w.start("startup")
	if got := w.prompt(prompt); !strings.Contains(got, "Mask every token") {
		t.Errorf("codex: %q", got)
	}
}

// A folder's AGENTS.md is read by Codex when it is started below that folder,
// and never later.
func TestAFoldersFileCountsWhereTheSessionBegan(t *testing.T) {
	w := newWorld(t)
	w.host = "codex"
	w.compile("agents")
	if !strings.Contains(w.text("src/billing/AGENTS.md"), rounding) {
		t.Fatal(w.text("src/billing/AGENTS.md"))
	}
	patch := map[string]any{"command": "*** Begin Patch\n*** Update File: " + w.path("src/billing/invoice.go") + "\n@@\n-a\n+b\n*** End Patch"}
	if got := w.ask("PreToolUse", "tool_name", "apply_patch", "tool_input", patch); !strings.Contains(got, rounding) {
		t.Errorf("started in the root: %q", got)
	}
	w.later()
	if got := w.ask("PreToolUse", "cwd", w.path("src/billing"), "tool_name", "apply_patch", "tool_input", patch); strings.Contains(got, rounding) {
		t.Errorf("started below: %q", got)
	}
}
