package corpus

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"pathrule/importer"
	"pathrule/knowledge"
)

func TestConvertWritesAWorkspaceOnce(t *testing.T) {
	src, dst := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"a/rules/x.mdc": "---\nglobs: src/**\n---\nX.\n", "a/AGENTS.md": "A.\n", "data.json": "{}"} {
		p := filepath.Join(src, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Convert(context.Background(), src, dst, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Files) != 3 || len(r.Units) != 2 {
		t.Errorf("%d files, %d entries", len(r.Files), len(r.Units))
	}
	if _, err := os.Stat(filepath.Join(dst, ".pathrule", "memories", "a", "agents.md")); err != nil {
		t.Error(err)
	}
	if _, err := Convert(context.Background(), src, dst, t.TempDir()); err == nil {
		t.Error("a second run wrote over the first")
	}
}

// With PATHRULE_CORPUS that folder is converted: every file must have one
// result, no line may be lost, and what was written must read back.
func TestConvertCorpus(t *testing.T) {
	src := os.Getenv("PATHRULE_CORPUS")
	if src == "" {
		t.Skip("PATHRULE_CORPUS names no folder of instruction files")
	}
	dst := t.TempDir()
	r, err := Convert(context.Background(), src, dst, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if lost := importer.Lost(r); len(lost) > 0 {
		t.Errorf("%d lines lost: %q", len(lost), lost[:min(5, len(lost))])
	}
	for _, f := range r.Files {
		if (len(f.Entries) == 0) != (f.Result == importer.Skipped) || f.Result == importer.Skipped && f.Why == "" {
			t.Errorf("%s has no result, or two: %+v", f.Path, f)
		}
	}
	files, _, problems := knowledge.Walk(filepath.Join(dst, ".pathrule"))
	if len(files) != len(r.Units) {
		t.Errorf("%d entries made, %d read back; %v", len(r.Units), len(files), problems)
	}
	n, skipped, noted := r.Counts()
	t.Logf("%d files: %v, %d left out, %d with notes", len(r.Files), n, skipped, noted)
}
