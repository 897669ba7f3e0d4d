// Package traprepo makes the repository that git must be run in with care, for
// the tests of whoever runs git.
package traprepo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// New is a repository with two commits whose configuration names a program for
// everything that git lets it name. It is a partial clone as well, and lacks the
// contents of one file, so that a git which is not held back would fetch it
// through a program. fired tells what was started.
func New(t testing.TB) (root string, fired func() string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	if filepath.Separator == '\\' {
		t.Skip("the traps are shell scripts")
	}
	dir := t.TempDir()
	mark, trap := filepath.Join(dir, "mark"), filepath.Join(dir, "trap.sh")
	write := func(path, text string, mode os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write(trap, "#!/bin/sh\necho \"$0 $*\" >> '"+mark+"'\nexit 1\n", 0o755)
	root = filepath.Join(dir, "repo")
	plain := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	plain("init", "-q", "-b", "main", root)
	in := func(args ...string) string { return plain(append([]string{"-C", root}, args...)...) }
	write(filepath.Join(root, "a.md"), "text\n", 0o644)
	write(filepath.Join(root, "old", "b.go"), strings.Repeat("line of some length\n", 20), 0o644)
	write(filepath.Join(root, ".gitattributes"), "*.md filter=trap diff=trap merge=trap\n*.go filter=trap diff=trap\n", 0o644)
	in("add", ".")
	in("commit", "-qm", "one")
	in("mv", "old", "new")
	write(filepath.Join(root, "new", "b.go"), strings.Repeat("line of some length\n", 21), 0o644)
	in("add", ".")
	in("commit", "-qm", "two")
	// What tells a rename is gone, and promised by somebody.
	blob := in("rev-parse", "HEAD~1:old/b.go")
	if err := os.Remove(filepath.Join(root, ".git", "objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	for _, hook := range []string{"post-checkout", "pre-commit", "reference-transaction", "post-index-change"} {
		write(filepath.Join(root, ".git", "hooks", hook), "#!/bin/sh\nexec '"+trap+"' hook\n", 0o755)
	}
	for _, kv := range [][2]string{
		{"core.fsmonitor", trap}, {"core.pager", trap}, {"pager.log", trap}, {"pager.diff", trap}, {"core.sshCommand", trap}, {"core.askPass", trap}, {"core.editor", trap},
		{"diff.external", trap}, {"diff.trap.command", trap}, {"diff.trap.textconv", trap}, {"filter.trap.clean", trap}, {"filter.trap.smudge", trap}, {"filter.trap.process", trap},
		{"merge.trap.driver", trap}, {"log.showSignature", "true"}, {"gpg.program", trap}, {"gpg.ssh.program", trap}, {"core.hooksPath", filepath.Join(root, ".git", "hooks")},
		{"credential.helper", trap}, {"alias.log", "!" + trap}, {"alias.rev-list", "!" + trap}, {"alias.ls-files", "!" + trap}, {"core.gitProxy", trap},
		{"core.alternateRefsCommand", trap}, {"uploadpack.packObjectsHook", trap},
		// Whoever promised the missing contents is reached through a program.
		{"core.repositoryFormatVersion", "1"}, {"extensions.partialClone", "origin"}, {"remote.origin.promisor", "true"}, {"remote.origin.partialCloneFilter", "blob:none"},
		{"remote.origin.url", "ext::" + trap + " fetch"}, {"remote.origin.uploadpack", trap}, {"protocol.allow", "always"}, {"protocol.ext.allow", "always"}, {"protocol.file.allow", "always"},
	} {
		in("config", kv[0], kv[1])
	}
	_ = os.Remove(mark) // the configuring itself may have started the monitor
	return root, func() string {
		b, _ := os.ReadFile(mark)
		return string(b)
	}
}
