package examples

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pathrule/internal/sysenv"
	"pathrule/knowledge"
	"pathrule/knowledge/store"
	"pathrule/workspace"
)

// The demo shows a team that writes well: nothing to complain about, and no
// path that leads nowhere.
func TestShopIsInOrder(t *testing.T) {
	root := filepath.Join(t.TempDir(), "shop")
	if err := os.CopyFS(root, Shop()); err != nil {
		t.Fatal(err)
	}
	ws := &workspace.Workspace{Root: root, Store: filepath.Join(root, workspace.Marker), ID: "0123456789abcdef"}
	s, err := store.Open(ws, workspace.Dirs{Home: t.TempDir()}, sysenv.Env{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	list, problems := s.List()
	for _, p := range problems {
		t.Errorf("%s:%d: %s", p.File, p.Line, p.Msg)
	}
	count := map[knowledge.Kind]int{}
	ids := map[string]bool{}
	for _, e := range list {
		count[e.Kind]++
		ids[e.ID] = true
	}
	if count[knowledge.Memory] < 6 || count[knowledge.Rule] < 5 || count[knowledge.Skill] < 3 {
		t.Errorf("too little to show: %v", count)
	}
	var files []string
	err = fs.WalkDir(Shop(), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(p, workspace.Marker) {
			files = append(files, p)
		}
		return err
	})
	if err != nil || len(files) < 25 {
		t.Errorf("%d files, %v", len(files), err)
	}
	for _, e := range list {
		raw, err := os.ReadFile(s.Path(e))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range s.Check(raw, e.Kind, e.File) {
			t.Errorf("%s:%d: %s", e.File, p.Line, p.Msg)
		}
		if l := e.Line(); len([]rune(l)) < 30 {
			t.Errorf("%s says too little in one line: %q", e.Key(), l)
		}
		for _, r := range e.Related {
			if !ids[r] {
				t.Errorf("%s is related to %q, which is not there", e.Key(), r)
			}
		}
		// Every pattern covers a file.
		for _, p := range e.Paths {
			sc, err := workspace.ParseScope([]string{strings.TrimPrefix(p, "!")})
			if err != nil {
				t.Fatal(err)
			}
			hit := false
			for _, f := range files {
				hit = hit || sc.Covers(f)
			}
			if !hit && !strings.HasPrefix(p, "!") {
				t.Errorf("%s: %q covers no file", e.Key(), p)
			}
		}
	}
}
