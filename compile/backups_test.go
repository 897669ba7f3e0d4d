package compile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// P122: a copy that the older product left goes back where nothing stands, goes
// where the same text stands, and waits for a person everywhere else. A settings
// file or a git hook, which would run commands, never goes back by itself.
func TestCopiesOfTheOlderProductAreSettled(t *testing.T) {
	p := newProject(t)
	copies := map[string]string{
		"AGENTS.md":             "our rules\n",
		"CLAUDE.md":             "same\n",
		"src/CLAUDE.md":         "mine\n",
		"gone/AGENTS.md":        "x\n",
		".claude/settings.json": "{}\n",
		".git/hooks/pre-commit": "#!/bin/sh\n",
		".git/CLAUDE.md":        "x\n",
		".cursor/rules/own.mdc": "x\n",
	}
	for name, text := range copies {
		p.write(".pathrule/backups/"+name, text)
	}
	p.write("CLAUDE.md", "same\n")
	p.write("src/CLAUDE.md", "theirs\n")
	for _, dir := range []string{".git/hooks", ".claude", ".cursor/rules"} {
		if err := os.MkdirAll(filepath.Join(p.ws.Root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	list := Backups(p.ws)
	got := map[string]string{}
	for _, b := range list {
		got[b.Path] = b.Action
		if b.Why == "" {
			t.Errorf("%s: no reason", b.Path)
		}
	}
	want := map[string]string{
		"AGENTS.md": Restore, ".cursor/rules/own.mdc": Restore, "CLAUDE.md": Discard,
		"src/CLAUDE.md": Choose, "gone/AGENTS.md": Choose, ".claude/settings.json": Choose, ".git/hooks/pre-commit": Choose, ".git/CLAUDE.md": Choose,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	if err := Settle(p.ws, list); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"AGENTS.md": "our rules\n", "CLAUDE.md": "same\n", "src/CLAUDE.md": "theirs\n", ".cursor/rules/own.mdc": "x\n"} {
		if got := p.read(name); got != text {
			t.Errorf("%s holds %q", name, got)
		}
	}
	for _, name := range []string{"gone", ".claude/settings.json", ".git/hooks/pre-commit", ".git/CLAUDE.md", ".pathrule/backups/AGENTS.md", ".pathrule/backups/CLAUDE.md", ".pathrule/backups/.cursor"} {
		if _, err := os.Lstat(filepath.Join(p.ws.Root, filepath.FromSlash(name))); err == nil {
			t.Errorf("%s is there", name)
		}
	}
	if left := Backups(p.ws); len(left) != 5 {
		t.Errorf("%d copies wait, not 5", len(left))
	}
}

// What changed since somebody looked is not overwritten; the last copy takes
// its folder along.
func TestACopyWhosePlaceWasTakenMeanwhileStays(t *testing.T) {
	p := newProject(t)
	p.write(".pathrule/backups/AGENTS.md", "old\n")
	list := Backups(p.ws)
	p.write("AGENTS.md", "new\n")
	if err := Settle(p.ws, list); err == nil {
		t.Error("overwritten without a word")
	}
	if p.read("AGENTS.md") != "new\n" || p.read(".pathrule/backups/AGENTS.md") != "old\n" {
		t.Error("something was written")
	}
	p.write("AGENTS.md", "old\n")
	if err := Settle(p.ws, Backups(p.ws)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(p.ws.Store, "backups")); err == nil {
		t.Error("an empty folder of backups stays")
	}
}
