package setup

import (
	"strings"
	"testing"
	"time"

	"pathrule/guard/approval"
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

func mustHost(t *testing.T, id string) host.Host {
	t.Helper()
	h, ok := host.ByName(id)
	if !ok {
		t.Fatal(id)
	}
	return h
}
