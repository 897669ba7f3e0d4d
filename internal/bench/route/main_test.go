package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestSubjectsAreHeldAgainstWhatTheyChanged(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is missing")
	}
	root := t.TempDir()
	commit := func(subject string, files ...string) {
		t.Helper()
		for _, f := range files {
			p := filepath.Join(root, filepath.FromSlash(f))
			os.MkdirAll(filepath.Dir(p), 0o755)
			old, _ := os.ReadFile(p)
			if err := os.WriteFile(p, append(old, 'x'), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, args := range [][]string{{"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "commit", "-q", "-m", subject}} {
			if out, err := exec.Command("git", append([]string{"-C", root}, args...)...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
	}
	if out, err := exec.Command("git", "-C", root, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	commit("begin", "src/retry.go", "src/billing/invoice.go", "web/cart.ts", "docs/a.md")
	commit("fix the crash in src/retry.go", "src/retry.go") // named, and right
	commit("fix the crash in web/cart.ts", "docs/a.md")     // named, and wrong
	commit("more", "docs/a.md")                             // nothing to go by
	commit("add a file", "src/new.go")                      // it was not there
	got, err := measure(t.Context(), root, 4, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := (result{Asked: 3, Spoke: 2, Top1: 1, Top3: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if _, err := measure(t.Context(), root, 50, 0, nil); err == nil {
		t.Error("a history that is shorter is no measurement")
	}
}
