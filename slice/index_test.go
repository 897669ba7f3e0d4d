package slice_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pathrule/index"
	"pathrule/index/catalog"
	"pathrule/internal/sysenv"
	"pathrule/slice"
	"pathrule/workspace"
)

// opened is one of the invented workspaces on disk, indexed.
type opened struct {
	root string
	ws   *workspace.Workspace
	dirs workspace.Dirs
	x    *index.Index
}

func open(t testing.TB, name string) *opened {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o := &opened{root: filepath.Join(dir, "home", "dev", name)}
	home := filepath.Join(dir, "home")
	vars := map[string]string{"HOME": home, "USERPROFILE": home, "PATHRULE_HOME": filepath.Join(home, ".pathrule")}
	env := sysenv.Env{Vars: func(n string) string { return vars[n] }, Cwd: o.root, UserHome: home, Now: time.Now}
	for file, text := range slice.EvalFiles(t, name) {
		p := filepath.Join(o.root, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if o.ws, err = workspace.Find(o.root, env); err != nil {
		t.Fatal(err)
	}
	o.dirs = workspace.DirsOf(env)
	rep, err := index.Build(context.Background(), o.ws, env)
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Problems) > 0 {
		t.Fatal(rep.Problems)
	}
	if o.x, err = index.Open(o.ws, env); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.x.Close() })
	return o
}

func (o *opened) exists(rel string) bool {
	_, err := os.Lstat(filepath.Join(o.root, filepath.FromSlash(rel)))
	return err == nil
}

// The same floors against bleve and its real project map.
func TestDeliveryQualityWithTheRealIndex(t *testing.T) {
	h, o := open(t, "harbor"), open(t, "orchard")
	slice.Evaluate(t, map[string]catalog.Source{"harbor": h.x, "orchard": o.x},
		map[string]func(string) bool{"harbor": h.exists, "orchard": o.exists}, 93, 0, 3, 0)
}

// Both doors give the same answer for a path: the catalogue that the tool
// events read, and the index.
func TestToolAnswersAreTheSameFromBothDoors(t *testing.T) {
	o := open(t, "harbor")
	cat, err := catalog.Open(o.ws, o.dirs)
	if err != nil {
		t.Fatal(err)
	}
	defer cat.Close()
	for _, p := range []string{"services/booking/handler.go", "web/portal/src/theme.css", "db/migrations/0050_new.sql", "README.md", "", "services"} {
		answer := func(s catalog.Source) string {
			plan, err := slice.Make(slice.In{Channel: slice.Tool, Workspace: o.ws, Source: s, Paths: []string{p}})
			if err != nil {
				t.Fatal(err)
			}
			js, err := json.Marshal(slice.Explain(plan))
			if err != nil {
				t.Fatal(err)
			}
			return string(js)
		}
		if a, b := answer(o.x), answer(cat); a != b {
			t.Errorf("%s:\nindex     %s\ncatalogue %s", p, a, b)
		}
	}
}

func BenchmarkMake(b *testing.B) {
	o := open(b, "harbor")
	cat, err := catalog.Open(o.ws, o.dirs)
	if err != nil {
		b.Fatal(err)
	}
	defer cat.Close()
	for name, in := range map[string]slice.In{
		"prompt":  {Channel: slice.Prompt, Source: o.x, Prompt: "a rounding mistake in an invoice line: do I update the ledger entry or add a reversing one?"},
		"tool":    {Channel: slice.Tool, Source: cat, Paths: []string{"services/booking/handler.go"}},
		"session": {Channel: slice.Session, Source: o.x},
	} {
		in.Workspace, in.Exists = o.ws, o.exists
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := slice.Make(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
