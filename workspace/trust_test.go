package workspace

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestAWorkspaceIsUnseenUntilItIsOwned(t *testing.T) {
	w := newWorld(t)
	w.dir("srv/p/.pathrule")
	w.dir("srv/p/nested/.pathrule")
	w.dir("srv/q/.pathrule")
	dirs := DirsOf(w.env)
	p := w.find("srv/p")
	if Owned(p, dirs) {
		t.Fatal("a cloned workspace is taken for the user's own")
	}
	if err := Own(p, dirs, false, w.env); err != nil {
		t.Fatal(err)
	}
	if !Owned(p, dirs) || !Owned(w.find("srv/p"), dirs) {
		t.Error("not owned after Own")
	}
	if Owned(w.find("srv/q"), dirs) {
		t.Error("another workspace is owned too")
	}
	if Owned(w.find("srv/p/nested"), dirs) {
		t.Error("a workspace nested in it, perhaps somebody else's code, is owned too")
	}
	for range 2 {
		if err := Disown(p, dirs); err != nil {
			t.Error(err)
		}
	}
	if Owned(p, dirs) {
		t.Error("owned after Disown")
	}
}

func TestAParentCoversWhatLiesBelowIt(t *testing.T) {
	w := newWorld(t)
	w.dir("srv/code/.pathrule")
	w.dir("srv/code/a/b/.pathrule")
	w.dir("srv/code-old/.pathrule")
	dirs := DirsOf(w.env)
	if err := Own(w.find("srv/code"), dirs, true, w.env); err != nil {
		t.Fatal(err)
	}
	if !Owned(w.find("srv/code"), dirs) || !Owned(w.find("srv/code/a/b"), dirs) {
		t.Error("not owned below the parent")
	}
	if Owned(w.find("srv/code-old"), dirs) {
		t.Error("a sibling is owned too")
	}
}

func TestAWorktreeOfAnOwnedCheckoutIsOwned(t *testing.T) {
	w := newWorld(t)
	w.repo("srv/main")
	w.dir("srv/main/.pathrule")
	w.worktree("srv/main", "srv/feature", "feature")
	dirs := DirsOf(w.env)
	if Owned(w.find("srv/feature"), dirs) {
		t.Error("owned too early")
	}
	if err := Own(w.find("srv/main"), dirs, false, w.env); err != nil {
		t.Fatal(err)
	}
	if !Owned(w.find("srv/feature"), dirs) {
		t.Error("not owned")
	}
	// A nested workspace there is as foreign as it is in the main checkout.
	w.dir("srv/main/vendor/x/.pathrule")
	w.dir("srv/feature/vendor/x")
	if nested := w.find("srv/feature/vendor/x"); nested.Root != w.at("srv/feature/vendor/x") || Owned(nested, dirs) {
		t.Errorf("nested %+v is owned", nested)
	}
}

func TestPrivateAndPersonalStoresAreAlwaysOwned(t *testing.T) {
	w := newWorld(t)
	w.dir("srv/p")
	dirs := DirsOf(w.env)
	ws, err := MakeStore(w.at("srv/p"), true, dirs, w.env)
	if err != nil {
		t.Fatal(err)
	}
	if !Owned(ws, dirs) {
		t.Error("private")
	}
	if !Owned(&Workspace{Root: dirs.Home, Store: dirs.Personal()}, dirs) {
		t.Error("personal")
	}
	if Owned(nil, dirs) || Owned(ws, Dirs{}) {
		t.Error("owned by nobody")
	}
}

// A record speaks for the root that it was made for; a copy for another name,
// or a changed text, grants nothing.
func TestARecordThatWasTamperedWithGrantsNothing(t *testing.T) {
	w := newWorld(t)
	w.dir("srv/p/.pathrule")
	w.dir("srv/q/.pathrule")
	dirs := DirsOf(w.env)
	p, q := w.find("srv/p"), w.find("srv/q")
	if err := Own(p, dirs, false, w.env); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dirs.Home, "trust", "*"))
	if len(files) != 1 {
		t.Fatalf("files %q", files)
	}
	b, _ := os.ReadFile(files[0])
	if err := os.WriteFile(trustFile(dirs, trustOwn, q.Root), b, 0o600); err != nil {
		t.Fatal(err)
	}
	if Owned(q, dirs) {
		t.Error("a copied record grants")
	}
	if runtime.GOOS != "windows" {
		if st, _ := os.Stat(files[0]); st.Mode().Perm() != 0o600 {
			t.Errorf("mode %v", st.Mode())
		}
	}
}

func TestWithoutAHomeNothingCanBeOwned(t *testing.T) {
	w := newWorld(t)
	if err := Own(&Workspace{Root: w.root}, Dirs{}, false, w.env); err == nil {
		t.Error("no error")
	}
}
