package setup

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pathrule/guard/approval"
	"pathrule/guard/hookfile"
	"pathrule/host"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// Events for refusals and checks are registered while something approved needs
// them, and taken out afterwards.
func TestEventsForGuardrailsComeAndGoWithApprovals(t *testing.T) {
	w := newWorld(t)
	dirs := workspace.DirsOf(w.env)
	at := approval.Place{Owner: "0123456789abcdef", Root: w.root}
	events := func(id string) string {
		t.Helper()
		w.setup(Options{}, id)
		list, err := Inspect(w.root, w.env)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, i := range list {
			if i.Problem != "" && i.Host == id {
				t.Errorf("%s %s: %s", i.Host, i.Event, i.Problem)
			}
			if i.Host == id && i.Surface == Hooks {
				out = append(out, i.Event)
			}
		}
		return strings.Join(out, " ")
	}
	block := approval.Pin{ID: "b", Sum: approval.Sum(nil), File: "rules/b.md", At: time.Unix(1, 0), Blocks: []knowledge.Block{{Pattern: "abc"}}}
	check := approval.Pin{ID: "c", Sum: approval.Sum(nil), File: "rules/c.md", At: time.Unix(1, 0), Check: &knowledge.Check{Command: "npm test"}}
	before := events("claude-code")
	if strings.Contains(before, "Stop") || strings.Contains(events("gemini-cli"), "BeforeTool") {
		t.Fatalf("registered without need: %s", before)
	}
	if err := approval.Approve(dirs, at, block); err != nil {
		t.Fatal(err)
	}
	if got := events("gemini-cli"); !strings.Contains(got, "BeforeTool") {
		t.Errorf("Gemini with an approved block: %s", got)
	}
	if got := events("windsurf"); !strings.Contains(got, "pre_write_code") {
		t.Errorf("Windsurf with an approved block: %s", got)
	}
	if got := events("claude-code"); got != before {
		t.Errorf("Claude Code with an approved block: %s", got)
	}
	if err := approval.Approve(dirs, at, check); err != nil {
		t.Fatal(err)
	}
	if got := events("claude-code"); !strings.HasPrefix(got, before) || !strings.Contains(got, "Stop") || !strings.Contains(got, "PostToolUse") {
		t.Errorf("Claude Code with an approved check: %s", got)
	}
	for _, o := range ownFiles(mustHost(t, "kiro"), host.User, w.root, programs{hook: "/bin/pathrule-hook"}, w.env) {
		if !strings.Contains(string(o.Data), "PreToolUse") {
			t.Errorf("Kiro's file has no event before a tool:\n%s", o.Data)
		}
	}
	if _, err := approval.Revoke(dirs, at, "b", "c"); err != nil {
		t.Fatal(err)
	}
	if got := events("claude-code"); got != before {
		t.Errorf("Claude Code after all: %s", got)
	}
	if got := events("gemini-cli"); strings.Contains(got, "BeforeTool") {
		t.Errorf("Gemini after all: %s", got)
	}
	if got := events("windsurf"); strings.Contains(got, "pre_") {
		t.Errorf("Windsurf after all: %s", got)
	}
}

// Events that a person's own hooks are for come and go with what was trusted, for
// every tool where a hook wants that.
func TestEventsForHooksComeAndGoWithTrust(t *testing.T) {
	w := newWorld(t)
	dirs := workspace.DirsOf(w.env)
	events := func(id string) string {
		t.Helper()
		w.setup(Options{}, id)
		list, err := Inspect(w.root, w.env)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, i := range list {
			if i.Problem != "" && i.Host == id {
				t.Errorf("%s %s: %s", i.Host, i.Event, i.Problem)
			}
			if i.Host == id && i.Surface == Hooks {
				out = append(out, strings.TrimSuffix(i.Event+" "+i.Matcher, " "))
			}
		}
		return strings.Join(out, "\n") + "\n"
	}
	hook := func(event, matcher string) string {
		return `{"version":1,"hooks":[{"event":"` + event + `","matcher":"` + matcher + `","actions":[{"type":"inject","entries":["x"]}]}]}`
	}
	trust := func(text string) {
		t.Helper()
		if _, err := hookfile.Revoke(dirs, w.root); err != nil {
			t.Fatal(err)
		}
		raw := []byte(text)
		if err := hookfile.Trust(dirs, w.root, hookfile.Pin{Sum: hookfile.Sum(raw), At: time.Unix(1, 0), Events: hookfile.Wants(raw, host.Tools())}); err != nil {
			t.Fatal(err)
		}
	}
	const claudes = "PreToolUse Read|Edit|Write|MultiEdit|NotebookEdit|Grep|Glob|Bash|PowerShell|AskUserQuestion\n"
	before, gemini := events("claude-code"), events("gemini-cli")
	if strings.Contains(before, "PermissionRequest") || !strings.Contains(before, claudes) {
		t.Fatalf("registered without need:\n%s", before)
	}
	trust(hook("PermissionRequest", ""))
	if got := events("claude-code"); got != before+"PermissionRequest\n" {
		t.Errorf("a hook for permissions:\n%s", got)
	}
	// Listed tools need nothing more; any other needs every tool.
	trust(hook("PreToolUse", "^(Edit|Write)$"))
	if got := events("claude-code"); got != before {
		t.Errorf("a hook for edits:\n%s", got)
	}
	for _, m := range []string{"", "*", "^mcp__", "Edit|Write", "^(Edit|WebFetch)$", "^Edit|Write$"} {
		trust(hook("PreToolUse", m))
		if got := events("claude-code"); strings.Contains(got, claudes) || !strings.Contains(got, "PreToolUse\n") {
			t.Errorf("a hook for %q:\n%s", m, got)
		}
	}
	if got := events("gemini-cli"); !strings.Contains(got, "BeforeTool\n") {
		t.Errorf("Gemini with a hook for every tool:\n%s", got)
	}
	if got := events("cursor"); !strings.Contains(got, "preToolUse ^(?!Shell$)\n") || !strings.Contains(got, "beforeShellExecution\n") {
		t.Errorf("Cursor with a hook for every tool:\n%s", got)
	}
	trust(hook("InstructionsLoaded", ""))
	if got := events("claude-code"); got != before+"InstructionsLoaded\n" {
		t.Errorf("a hook for loaded files:\n%s", got)
	}
	trust(hook("AfterFileWrite", ""))
	for _, o := range ownFiles(mustHost(t, "cline"), host.User, w.root, programs{hook: "/bin/pathrule-hook"}, w.env) {
		if name := filepath.Base(o.Path); name != "PreToolUse" && name != "PostToolUse" {
			t.Errorf("Cline: %s", name)
		}
	}
	if n := len(ownFiles(mustHost(t, "cline"), host.User, w.root, programs{hook: "/bin/pathrule-hook"}, w.env)); n != 2 {
		t.Errorf("Cline has %d files", n)
	}
	// Switched off is not there.
	trust(`{"version":1,"hooks":[{"event":"Stop","enabled":false,"actions":[{"type":"inject","entries":["x"]}]}]}`)
	if got := events("claude-code"); got != before {
		t.Errorf("a hook that is off:\n%s", got)
	}
	if _, err := hookfile.Revoke(dirs, w.root); err != nil {
		t.Fatal(err)
	}
	if got := events("claude-code") + events("gemini-cli"); got != before+gemini {
		t.Errorf("after all:\n%s", got)
	}
}

func mustHost(t *testing.T, id string) host.Host {
	t.Helper()
	h, ok := host.ByName(id)
	if !ok {
		t.Fatal(id)
	}
	return h
}
