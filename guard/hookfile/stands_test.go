package hookfile

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"pathrule/workspace"
)

func TestWhatStandsChangesWithEveryFileThatRuns(t *testing.T) {
	dirs, root := workspace.Dirs{Home: t.TempDir()}, t.TempDir()
	script := filepath.Join(root, "guard.sh")
	write := func(text string, at time.Time) {
		t.Helper()
		if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(script, at, at); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Unix(1_800_000_000, 0)
	write("one", began)
	f := File{Origin: Project, Root: root, Raw: []byte(`{"version":1}`)}
	if err := Trust(dirs, root, Pin{Sum: Sum(f.Raw), At: began, Files: []Sealed{{Path: "guard.sh", Sum: Sum([]byte("one"))}}}); err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, step := range []struct {
		name   string
		change func()
		new    bool
	}{
		{"as trusted", func() {}, true},
		{"looked at again", func() {}, false},
		{"edited in place, the same length", func() { write("two", began.Add(time.Second)) }, true},
		{"another length at the same time", func() { write("three", began.Add(time.Second)) }, true},
		{"gone", func() { os.Remove(script) }, true},
		{"other hooks", func() { f.Raw = []byte(`{"version":1,"hooks":[]}`) }, true},
	} {
		step.change()
		now := f.Stands(dirs)
		if before, known := seen[now]; known == step.new {
			t.Errorf("%s: known %t (as %q)", step.name, known, before)
		}
		seen[now] = step.name
	}
}
