package core

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pathrule/index/catalog"
	"pathrule/internal/atomicfile"
	"pathrule/workspace"
)

// A prompt looks at the folders of a store, and not past them at those of its
// skills, whose changes show in the skills' own files: twenty thousand skills cost
// it nothing.
func TestAPromptDoesNotReadTheFoldersOfSkills(t *testing.T) {
	root := t.TempDir()
	store := filepath.Join(root, workspace.Marker)
	m := newManifest([]catalog.Root{{Owner: "0123456789abcdef", Store: store}})
	now := time.Now()
	for _, dir := range []string{"", "memories", "memories/g1", "memories/g2", "skills"} {
		if err := os.MkdirAll(filepath.Join(store, filepath.FromSlash(dir)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"", "memories", "memories/g1", "memories/g2", "skills"} {
		st, err := stat(filepath.Join(store, filepath.FromSlash(dir)))
		if err != nil {
			t.Fatal(err)
		}
		m.dirs = append(m.dirs, dirState{dir: dir, mtime: st.mtime, read: now.Add(time.Minute).UnixMilli()})
	}
	// They are on no disk: whoever looked at one of them would find it gone.
	const skills = 20_000
	for i := range skills {
		m.dirs = append(m.dirs, dirState{dir: fmt.Sprintf("skills/s%05d", i), mtime: 1, read: 2, skill: true})
	}
	gen := t.TempDir()
	if err := atomicfile.New(filepath.Join(gen, manifestName), m.write); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(filepath.Join(gen, manifestName))
	if err != nil {
		t.Fatal(err)
	}
	r, err := openManifest(gen)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	s := scanner{ws: &workspace.Workspace{Root: root, Store: store}, roots: m.roots, now: time.Now}
	c, _, ok := s.window(r, 1000, "")
	if !ok || c.moved() || len(c.dirFix) > 0 {
		t.Errorf("%v, %+v", ok, c)
	}
	if n := r.tree.BytesRead(); n > 96<<10 || st.Size() < 6*n {
		t.Errorf("%d of %d bytes were read", n, st.Size())
	}
	// A new folder among the others is seen.
	if err := os.Mkdir(filepath.Join(store, "memories", "g3"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := s.window(r, 1000, ""); ok {
		t.Error("a new folder wants the whole walk")
	}
}
