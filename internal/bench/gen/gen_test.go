package gen

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/knowledge"
)

func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTheSameOptionsGiveTheSameBytes(t *testing.T) {
	a, b, c := t.TempDir(), t.TempDir(), t.TempDir()
	o := Options{Entries: 60, Files: 40, Seed: 7}
	entries, err := Make(a, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Make(b, o); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(files(t, a), files(t, b)); d != "" {
		t.Errorf("-first +second\n%s", d)
	}
	o.Seed++
	if _, err := Make(c, o); err != nil {
		t.Fatal(err)
	}
	if cmp.Equal(files(t, a), files(t, c)) {
		t.Error("another seed gives the same bytes")
	}
	if len(entries) != 60 {
		t.Errorf("%d entries", len(entries))
	}
	refs, _, problems := knowledge.Walk(filepath.Join(a, ".pathrule"))
	if len(refs) != 60 || len(problems) != 0 {
		t.Fatalf("%d entries found, problems %v", len(refs), problems)
	}
	for _, r := range refs {
		data, err := os.ReadFile(filepath.Join(a, ".pathrule", filepath.FromSlash(r.File)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := knowledge.ParseLines(data, r.Kind, r.ID, r.File); err != nil {
			t.Errorf("%s: %v", r.File, err)
		}
	}
}
