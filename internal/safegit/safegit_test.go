package safegit

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A repository whose configuration names a program for everything that git lets
// it name: none of them starts.
func TestNothingThatARepositoryNamesStarts(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	if filepath.Separator == '\\' {
		t.Skip("the traps are shell scripts")
	}
	dir := t.TempDir()
	mark, trap := filepath.Join(dir, "mark"), filepath.Join(dir, "trap.sh")
	if err := os.WriteFile(trap, []byte("#!/bin/sh\necho \"$0 $*\" >> '"+mark+"'\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "repo")
	plain := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	plain("init", "-q", root)
	for name, text := range map[string]string{"a.md": "text\n", ".gitattributes": "*.md filter=trap diff=trap\n"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	plain("-C", root, "add", ".")
	plain("-C", root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one")
	for _, kv := range [][2]string{
		{"core.fsmonitor", trap}, {"core.pager", trap}, {"pager.log", trap}, {"core.sshCommand", trap}, {"core.askPass", trap}, {"core.editor", trap},
		{"diff.external", trap}, {"diff.trap.command", trap}, {"diff.trap.textconv", trap}, {"filter.trap.clean", trap}, {"filter.trap.smudge", trap},
		{"log.showSignature", "true"}, {"gpg.program", trap}, {"core.hooksPath", dir}, {"credential.helper", trap}, {"alias.log", "!" + trap}, {"core.gitProxy", trap},
	} {
		plain("-C", root, "config", kv[0], kv[1])
	}
	os.Remove(mark) // the configuring itself may have started the monitor
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for _, args := range [][]string{
		{"log", "-1", "--no-ext-diff", "--no-textconv", "--format=%an", "--", "a.md"},
		{"log", "-n", "3000", "-M", "--diff-filter=RD", "--name-status", "-z", "--format=", "--relative", "--no-color"},
		{"ls-files", "-z", "--cached", "--others", "--exclude-standard"},
		{"rev-parse", "HEAD:./a.md"},
		{"check-ignore", "-q", "--", "b.md"},
	} {
		if out, err := Command(ctx, root, args...).CombinedOutput(); err != nil && args[0] != "check-ignore" {
			t.Errorf("git %v: %v\n%s", args, err, out)
		}
		if text, err := os.ReadFile(mark); err == nil {
			t.Fatalf("git %v starts %s", args, text)
		}
	}
}
