package safegit

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"pathrule/internal/safegit/traprepo"
)

// T12: a repository whose configuration names a program for everything that git
// lets it name: none of them starts. These are the commands that pathrule runs;
// the packages that run them hold it again for what they do as a whole.
func TestNothingThatARepositoryNamesStarts(t *testing.T) {
	root, fired := traprepo.New(t)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for _, args := range [][]string{
		{"log", "-1", "--no-ext-diff", "--no-textconv", "--format=%an", "--", "a.md"},
		{"log", "-n", "3000", "-M", "--diff-filter=RD", "--name-status", "-z", "--format=", "--relative", "--no-color"},
		{"log", "-n", "3000", "--since=1", "--no-merges", "--no-renames", "--name-only", "-z", "--format=%x01%ct%x02", "--relative", "--no-color"},
		{"log", "-n", "9", "-M", "--name-status", "-z", "--relative", "--no-color", "--no-notes", "--format=%H"},
		{"ls-files", "-z", "--cached", "--others", "--exclude-standard"},
		{"rev-parse", "--verify", "--quiet", "HEAD^{commit}"},
		{"rev-parse", "--show-prefix"},
		{"rev-parse", "HEAD:./a.md"},
		{"rev-list", "--no-merges", "-n", "5", "HEAD", "--", "."},
		{"check-ignore", "-q", "--", "b.md"},
	} {
		// That the contents are missing may end a command, and starts nothing.
		_ = Command(ctx, root, args...).Run()
		if text := fired(); text != "" {
			t.Fatalf("git %v starts %s", args, text)
		}
	}
}

// The trap is one: without our flags it is sprung, so that the tests that use it
// can fail.
func TestTheTrapIsSprungByAPlainGit(t *testing.T) {
	for name, args := range map[string][]string{
		"the file-system monitor":      {"ls-files", "-z", "--others", "--exclude-standard"},
		"the fetch of what is missing": {"-c", "core.fsmonitor=false", "log", "-M", "--name-status", "--format="},
	} {
		t.Run(name, func(t *testing.T) {
			root, fired := traprepo.New(t)
			cmd := exec.Command("git", append([]string{"--no-pager"}, args...)...)
			cmd.Dir, cmd.Env = root, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
			_ = cmd.Run()
			if fired() == "" {
				t.Error("nothing started")
			}
		})
	}
}
