package catalog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pathrule/knowledge"
)

func TestLoadDeliversWhatStandsOnDisk(t *testing.T) {
	const before = "---\ntitle: Before\npaths: [src/api]\n---\nThe old body.\n"
	dir := t.TempDir()
	file := filepath.Join(dir, "memories", "m.md")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(before)
	e, err := knowledge.ParseLines([]byte(before), knowledge.Memory, "m", "memories/m.md")
	if err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	rec := Record{
		Kind: knowledge.Memory, ID: "m", Owner: "o", Title: e.Title, Paths: e.Paths, File: file, Hash: knowledge.Version([]byte(before)),
		Size: st.Size(), ModTime: st.ModTime().UnixNano(), BodyOffset: e.BodyOffset,
	}
	for name, c := range map[string]struct {
		text string
		want Doc
		err  error
	}{
		"unchanged":                     {before, Doc{Title: "Before", Body: "The old body.\n"}, nil},
		"a new body":                    {strings.Replace(before, "old body", "new and longer body", 1), Doc{Title: "Before", Body: "The new and longer body.\n"}, nil},
		"another body of the same size": {strings.Replace(before, "old", "new", 1), Doc{Title: "Before", Body: "The new body.\n"}, nil},
		"a new title":                   {strings.Replace(before, "Before", "After all", 1), Doc{Title: "After all", Body: "The old body.\n"}, nil},
		"another scope":                 {strings.Replace(before, "src/api", "src/web", 1), Doc{}, ErrWithheld},
		"a head beyond the line reader": {"---\ntitle: &a Before\npaths: [src/api]\nx: *a\nblock:\n  - pattern: |\n      y\n---\nbody\n", Doc{}, ErrWithheld},
		"a file that is no text":        {"---\ntitle: x\n---\n\x00\x00", Doc{}, ErrWithheld},
		"larger than any entry":         {before + strings.Repeat("x", knowledge.MaxFile), Doc{}, ErrWithheld},
	} {
		put(c.text)
		// The time stands still, as it does on coarse file systems.
		if err := os.Chtimes(file, time.Now(), st.ModTime()); err != nil {
			t.Fatal(err)
		}
		got, err := LoadRecord(rec)
		if !errors.Is(err, c.err) || (c.err == nil && err != nil) {
			t.Errorf("%s: error %v, want %v", name, err, c.err)
			continue
		}
		if c.err == nil {
			c.want.Hash = knowledge.Version([]byte(c.text))
			if got != c.want {
				t.Errorf("%s: %+v, want %+v", name, got, c.want)
			}
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadRecord(rec); !errors.Is(err, ErrGone) {
		t.Errorf("a deleted file: %v", err)
	}
	if err := os.RemoveAll(filepath.Dir(file)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Dir(file), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadRecord(rec); !errors.Is(err, ErrGone) {
		t.Errorf("a file where its folder was: %v", err)
	}
}

func TestLoadDoesNotFollowANewLinkOut(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.md")
	store := filepath.Join(dir, "store")
	if err := os.MkdirAll(store, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, []byte("---\ntitle: S\n---\nprivate\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(store, "m.md")
	if err := os.Symlink(secret, file); err != nil {
		t.Skipf("no links here: %v", err)
	}
	rec := Record{Kind: knowledge.Memory, ID: "m", File: file, Hash: "0000000000000000"}
	if doc, err := LoadRecord(rec); !errors.Is(err, ErrWithheld) {
		t.Errorf("a link that appeared after indexing gave %q, %v", doc.Body, err)
	}
}
