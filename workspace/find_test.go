package workspace

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/internal/sysenv"
)

// world is a temporary machine: a user home with a pathrule home in it.
type world struct {
	t    *testing.T
	root string // real
	env  sysenv.Env
}

func newWorld(t *testing.T) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: root}
	w.env = sysenv.Env{Cwd: w.at("home/me"), UserHome: w.at("home/me"), Vars: func(string) string { return "" }}
	w.dir("home/me/.pathrule")
	return w
}

func (w *world) at(p string) string { return filepath.Join(w.root, filepath.FromSlash(p)) }

func (w *world) dir(p string) string {
	w.t.Helper()
	if err := os.MkdirAll(w.at(p), 0o755); err != nil {
		w.t.Fatal(err)
	}
	return w.at(p)
}

func (w *world) file(p, text string) string {
	w.t.Helper()
	w.dir(filepath.ToSlash(filepath.Dir(filepath.FromSlash(p))))
	if err := os.WriteFile(w.at(p), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
	return w.at(p)
}

func (w *world) link(target, p string) {
	w.t.Helper()
	w.dir(filepath.ToSlash(filepath.Dir(filepath.FromSlash(p))))
	if err := os.Symlink(target, w.at(p)); err != nil {
		w.t.Skipf("no symlinks here: %v", err)
	}
}

func (w *world) setenv(name, value string) {
	old := w.env.Vars
	w.env.Vars = func(n string) string {
		if n == name {
			return value
		}
		return old(n)
	}
}

func (w *world) find(p string) *Workspace {
	w.t.Helper()
	ws, err := Find(w.at(p), w.env)
	if err != nil {
		w.t.Fatalf("Find(%s): %v", p, err)
	}
	return ws
}

func (w *world) none(p string) {
	w.t.Helper()
	if ws, err := Find(w.at(p), w.env); !errors.Is(err, ErrNone) {
		w.t.Errorf("Find(%s) = %+v, %v, want ErrNone", p, ws, err)
	}
}

// Rows: F41.
func TestFindWalksUpFromASubfolder(t *testing.T) {
	w := newWorld(t)
	w.dir("home/me/proj/.pathrule")
	w.dir("home/me/proj/src/deep")
	ws := w.find("home/me/proj/src/deep")
	if ws.Root != w.at("home/me/proj") || ws.Store != w.at("home/me/proj/.pathrule") || ws.Outer != nil || ws.Private {
		t.Errorf("got %+v", ws)
	}
	if len(ws.ID) != 16 || ws.ID != w.find("home/me/proj").ID {
		t.Errorf("id %q is not one and the same", ws.ID)
	}
	// A folder that is not there (yet, or any more) is governed like its parent.
	if got := w.find("home/me/proj/src/gone/away"); got.Root != ws.Root {
		t.Errorf("got %+v", got)
	}
	w.env.Cwd = w.at("home/me/proj/src")
	if got, err := Find("deep", w.env); err != nil || got.Root != ws.Root {
		t.Errorf("relative: %+v, %v", got, err)
	}
}

// Rows: F41.
func TestTwoProjectsOfOneNameAreTwo(t *testing.T) {
	w := newWorld(t)
	w.dir("home/me/a/shop/.pathrule")
	w.dir("home/me/b/shop/.pathrule")
	if w.find("home/me/a/shop").ID == w.find("home/me/b/shop").ID {
		t.Error("one id for two projects")
	}
}

func TestTheHomeIsNeverAWorkspace(t *testing.T) {
	w := newWorld(t)
	w.dir("home/me/proj/src")
	// The pathrule home is ~/.pathrule, and looks exactly like a marker.
	w.dir("home/me/.pathrule/memories")
	w.none("home/me")
	w.none("home/me/proj/src")
	// Not even when its folder is elsewhere and ~/.pathrule is an ordinary one.
	w.setenv("PATHRULE_HOME", w.dir("elsewhere"))
	w.none("home/me/proj/src")
}

func TestAPathruleHomeIsNeverAMarker(t *testing.T) {
	w := newWorld(t)
	w.dir("srv/proj/src")
	// PATHRULE_HOME in the place of a marker, even through a link.
	w.dir("srv/proj/.pathrule")
	w.setenv("PATHRULE_HOME", w.at("srv/proj/.pathrule"))
	w.none("srv/proj/src")
	w.link(w.at("srv/proj/.pathrule"), "alias")
	w.setenv("PATHRULE_HOME", w.at("alias"))
	w.none("srv/proj/src")
	// Some other home: it holds state/ or cache/.
	for _, name := range []string{"state", "cache"} {
		w.dir("srv/" + name + "d/.pathrule/" + name)
		w.none("srv/" + name + "d")
	}
	// A file of that name is no sign of a home.
	w.file("srv/fine/.pathrule/cache", "")
	w.find("srv/fine")
}

func TestAMarkerThatIsAFileIsNone(t *testing.T) {
	w := newWorld(t)
	w.file("srv/proj/.pathrule", "")
	w.none("srv/proj")
}

// Rows: F41.
func TestAnotherSpellingOfTheFolderIsTheSameWorkspace(t *testing.T) {
	w := newWorld(t)
	w.dir("srv/Shop/.pathrule")
	w.dir("srv/Shop/src")
	if _, err := os.Stat(w.at("srv/shop")); err != nil {
		t.Skip("this file system tells upper from lower case")
	}
	if a, b := w.find("srv/shop/SRC"), w.find("srv/Shop"); a.Root != b.Root || a.ID != b.ID {
		t.Errorf("%+v and %+v", a, b)
	}
}

// F42: a folder's new name or place splits nothing: what is known lies in it.
func TestARenamedProjectKeepsItsKnowledge(t *testing.T) {
	w := newWorld(t)
	w.dir("srv/shop/.pathrule/rules")
	w.file("srv/shop/.pathrule/rules/money.md", "Money is cents.\n")
	w.find("srv/shop")
	if err := os.Rename(w.at("srv/shop"), filepath.Join(filepath.Dir(w.at("srv/shop")), "Store")); err != nil {
		t.Fatal(err)
	}
	ws := w.find("srv/Store")
	if _, err := os.Stat(filepath.Join(ws.Store, "rules", "money.md")); err != nil || ws.Root != w.at("srv/Store") {
		t.Errorf("%+v: %v", ws, err)
	}
}

// Rows: F41.
func TestSymlinksToAProjectGiveTheSameWorkspace(t *testing.T) {
	w := newWorld(t)
	w.dir("srv/proj/.pathrule")
	w.dir("srv/proj/src")
	w.link(w.at("srv/proj"), "home/me/link")
	if a, b := w.find("home/me/link/src"), w.find("srv/proj"); a.Root != b.Root || a.ID != b.ID {
		t.Errorf("%+v and %+v", a, b)
	}
	w.link("loop", "srv/loop")
	if _, err := Find(w.at("srv/loop/x"), w.env); err == nil || errors.Is(err, ErrNone) {
		t.Errorf("a loop of links: %v", err)
	}
}

func TestAStoreThatLeavesTheWorkspaceIsRefusedAndNamed(t *testing.T) {
	w := newWorld(t)
	w.dir("srv/other")
	w.link(w.at("srv/other"), "srv/proj/.pathrule")
	_, err := Find(w.at("srv/proj"), w.env)
	if err == nil || errors.Is(err, ErrNone) || !strings.Contains(err.Error(), w.at("srv/proj/.pathrule")) || !strings.Contains(err.Error(), w.at("srv/other")) {
		t.Errorf("got %v", err)
	}
	// A link that stays inside is a store.
	w.dir("srv/inner/docs/knowledge")
	w.link("docs/knowledge", "srv/inner/.pathrule")
	if ws := w.find("srv/inner"); ws.Store != w.at("srv/inner/.pathrule") {
		t.Errorf("got %+v", ws)
	}
	// So is a link that leads nowhere: none.
	w.link("nowhere", "srv/empty/.pathrule")
	w.none("srv/empty")
}

func TestNestedWorkspacesInheritClosestFirst(t *testing.T) {
	w := newWorld(t)
	w.dir("srv/mono/.pathrule")
	w.dir("srv/mono/packages/a/.pathrule")
	w.dir("srv/mono/packages/a/web/.pathrule")
	w.dir("srv/mono/packages/a/web/src")
	ws := w.find("srv/mono/packages/a/web/src")
	var roots []string
	for o := ws; o != nil; o = o.Outer {
		roots = append(roots, o.Root)
	}
	want := []string{w.at("srv/mono/packages/a/web"), w.at("srv/mono/packages/a"), w.at("srv/mono")}
	if strings.Join(roots, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q", roots)
	}
	if ws.Base() != w.at("srv/mono") {
		t.Errorf("base %q", ws.Base())
	}
	// The session sits at the top and touches a file below the nested root.
	w.env.Cwd = w.at("srv/mono")
	nested, err := FindForPath("packages/a/new/file.ts:3", w.env)
	if err != nil || nested.Root != w.at("srv/mono/packages/a") || nested.Base() != w.at("srv/mono") {
		t.Errorf("FindForPath: %+v, %v", nested, err)
	}
	if _, err := FindForPath("../elsewhere/x", w.env); !errors.Is(err, ErrNone) {
		t.Errorf("FindForPath outside: %v", err)
	}
}

func TestTheWalkForOuterWorkspacesStopsAtTheHomeToo(t *testing.T) {
	w := newWorld(t)
	w.dir("home/me/proj/.pathrule")
	w.dir("home/me/.pathrule/memories")
	if ws := w.find("home/me/proj"); ws.Outer != nil {
		t.Errorf("outer %+v", ws.Outer)
	}
	// A workspace above the home does not govern what lies below it.
	w.dir("home/.pathrule")
	if ws := w.find("home/me/proj"); ws.Outer != nil {
		t.Errorf("outer %+v", ws.Outer)
	}
}

// repo lays out what git itself writes for a main checkout.
func (w *world) repo(p string) { w.dir(p + "/.git/objects") }

// worktree lays out what "git worktree add" writes.
func (w *world) worktree(main, tree, name string) {
	w.t.Helper()
	gitdir := main + "/.git/worktrees/" + name
	w.file(gitdir+"/commondir", "../..\n")
	w.file(gitdir+"/gitdir", w.at(tree)+"/.git\n")
	w.file(tree+"/.git", "gitdir: "+w.at(gitdir)+"\n")
}

// Rows: F40.
func TestAWorktreeUsesItsOwnCheckoutElseTheMainOne(t *testing.T) {
	w := newWorld(t)
	w.repo("srv/main")
	w.dir("srv/main/.pathrule")
	w.worktree("srv/main", "srv/feature", "feature")
	w.dir("srv/feature/src")
	ws := w.find("srv/feature/src")
	if ws.Root != w.at("srv/feature") || ws.Store != w.at("srv/main/.pathrule") || ws.Private {
		t.Errorf("without a store of its own: %+v", ws)
	}
	if ws.ID == w.find("srv/main").ID {
		t.Error("two worktrees share one id, so they would share the delivered set")
	}
	w.dir("srv/feature/.pathrule")
	if ws := w.find("srv/feature/src"); ws.Store != w.at("srv/feature/.pathrule") {
		t.Errorf("with a store of its own: %+v", ws)
	}
}

func TestAWorktreeInsideItsMainCheckoutIsNotNested(t *testing.T) {
	w := newWorld(t)
	w.repo("srv/mono/main")
	w.dir("srv/mono/.pathrule")
	w.dir("srv/mono/main/.pathrule")
	w.dir("srv/mono/main/packages/a/.pathrule")
	w.worktree("srv/mono/main", "srv/mono/main/.worktrees/x", "x")
	w.dir("srv/mono/main/.worktrees/x/.pathrule")
	ws := w.find("srv/mono/main/.worktrees/x")
	if ws.Root != w.at("srv/mono/main/.worktrees/x") || ws.Outer == nil || ws.Outer.Root != w.at("srv/mono") {
		t.Errorf("got %+v, outer %+v", ws, ws.Outer)
	}
}

func TestAWorktreeOfANestedWorkspaceFindsTheStoreAtTheSamePlace(t *testing.T) {
	w := newWorld(t)
	w.repo("srv/main")
	w.dir("srv/main/.pathrule")
	w.dir("srv/main/packages/a/.pathrule")
	w.worktree("srv/main", "srv/feature", "feature")
	w.dir("srv/feature/packages/a/src")
	ws := w.find("srv/feature/packages/a/src")
	if ws.Root != w.at("srv/feature/packages/a") || ws.Store != w.at("srv/main/packages/a/.pathrule") ||
		ws.Outer == nil || ws.Outer.Root != w.at("srv/feature") || ws.Outer.Store != w.at("srv/main/.pathrule") {
		t.Errorf("got %+v, outer %+v", ws, ws.Outer)
	}
	// A branch that has its own knowledge has all of it.
	w.dir("srv/feature/.pathrule")
	if ws := w.find("srv/feature/packages/a/src"); ws.Root != w.at("srv/feature") || ws.Outer != nil {
		t.Errorf("got %+v", ws)
	}
}

func TestAGitFileThatTheRepositoryDoesNotKnowBorrowsNothing(t *testing.T) {
	w := newWorld(t)
	w.repo("srv/main")
	w.dir("srv/main/.pathrule")
	w.worktree("srv/main", "srv/feature", "feature")
	for name, text := range map[string]string{
		"points at another's worktree": "gitdir: " + w.at("srv/main/.git/worktrees/feature") + "\n",
		"points at the repository":     "gitdir: " + w.at("srv/main/.git") + "\n",
		"points nowhere":               "gitdir: " + w.at("srv/none") + "\n",
		"is no pointer":                "hello\n",
		"is empty":                     "",
	} {
		t.Run(name, func(t *testing.T) {
			w.file("srv/evil/.git", text)
			w.none("srv/evil")
		})
	}
}

func TestASubmoduleIsNoWorktree(t *testing.T) {
	w := newWorld(t)
	w.repo("srv/main")
	w.dir("srv/main/.pathrule")
	w.dir("srv/main/.git/modules/sub")
	w.file("srv/main/sub/.git", "gitdir: ../.git/modules/sub\n")
	if ws := w.find("srv/main/sub"); ws.Root != w.at("srv/main") {
		t.Errorf("got %+v", ws)
	}
}

func TestAWorktreeOfABareRepositoryHasOnlyItsOwn(t *testing.T) {
	w := newWorld(t)
	w.file("srv/repo.git/worktrees/x/commondir", "../..\n")
	w.file("srv/repo.git/worktrees/x/gitdir", w.at("srv/x")+"/.git\n")
	w.file("srv/x/.git", "gitdir: "+w.at("srv/repo.git/worktrees/x")+"\n")
	w.none("srv/x")
	w.dir("srv/x/.pathrule")
	w.dir("srv/.pathrule")
	if ws := w.find("srv/x"); ws.Outer == nil || ws.Outer.Root != w.at("srv") {
		t.Errorf("got %+v", ws)
	}
}

func TestPrivateStoresLieBelowTheHome(t *testing.T) {
	w := newWorld(t)
	w.repo("srv/main")
	w.dir("srv/main/src")
	dirs := DirsOf(w.env)
	ws, err := MakeStore(w.at("srv/main"), true, dirs, w.env)
	if err != nil {
		t.Fatal(err)
	}
	if !ws.Private || ws.Root != w.at("srv/main") || !strings.HasPrefix(ws.Store, dirs.Home) {
		t.Errorf("got %+v", ws)
	}
	if _, err := os.Lstat(w.at("srv/main/.pathrule")); err == nil {
		t.Error("something was written into the project")
	}
	if got := w.find("srv/main/src"); got.Store != ws.Store || !got.Private {
		t.Errorf("from a subfolder: %+v", got)
	}
	// Every worktree of the repository finds it by the git common dir.
	w.worktree("srv/main", "srv/feature", "feature")
	if got := w.find("srv/feature"); got.Store != ws.Store || !got.Private || got.Root != w.at("srv/feature") {
		t.Errorf("from a worktree: %+v", got)
	}
	if s, ok := Private(w.at("srv/main"), dirs); !ok || s != ws.Store {
		t.Errorf("Private = %q, %v", s, ok)
	}
	if err := CheckRoots(dirs); err != nil {
		t.Error(err)
	}
	if err := changeRoots(dirs, func([]privateRoot) []privateRoot { return []privateRoot{} }); err != nil {
		t.Error(err)
	}
	w.none("srv/main")
}

func TestAPrivateSubfolderIsFoundInAWorktree(t *testing.T) {
	w := newWorld(t)
	w.repo("srv/main")
	w.dir("srv/main/packages/a")
	ws, err := MakeStore(w.at("srv/main/packages/a"), true, DirsOf(w.env), w.env)
	if err != nil {
		t.Fatal(err)
	}
	w.worktree("srv/main", "srv/feature", "feature")
	w.dir("srv/feature/packages/a/src")
	if got := w.find("srv/feature/packages/a/src"); got.Store != ws.Store || got.Root != w.at("srv/feature/packages/a") {
		t.Errorf("got %+v", got)
	}
	w.none("srv/feature")
}

func TestAPrivateStoreOutsideTheHomeIsNotFollowed(t *testing.T) {
	w := newWorld(t)
	w.dir("srv/main")
	w.dir("elsewhere/memories")
	dirs := DirsOf(w.env)
	for name, store := range map[string]string{"dots": "../../../elsewhere", "absolute": w.at("elsewhere"), "link": "private/x"} {
		t.Run(name, func(t *testing.T) {
			if name == "link" {
				w.link(w.at("elsewhere"), "home/me/.pathrule/private/x")
			}
			w.file("home/me/.pathrule/roots.json", `{"version":1,"roots":[{"root":"`+filepath.ToSlash(w.at("srv/main"))+`","store":"`+filepath.ToSlash(store)+`"}]}`)
			w.none("srv/main")
			if err := CheckRoots(dirs); err == nil {
				t.Error("doctor is not told")
			}
		})
	}
	for _, text := range []string{"{", `{"version":9}`} {
		w.file("home/me/.pathrule/roots.json", text)
		w.none("srv/main")
		if err := CheckRoots(dirs); err == nil {
			t.Errorf("%s: doctor is not told", text)
		}
		if _, err := RegisterPrivate(w.at("srv/main"), dirs); err == nil {
			t.Errorf("%s: overwritten", text)
		}
	}
}

func TestMakeStore(t *testing.T) {
	w := newWorld(t)
	w.dir("srv/proj")
	dirs := DirsOf(w.env)
	ws, err := MakeStore(w.at("srv/proj"), false, dirs, w.env)
	if err != nil {
		t.Fatal(err)
	}
	if ws.Root != w.at("srv/proj") || ws.Private {
		t.Errorf("got %+v", ws)
	}
	for _, d := range []string{"memories", "rules", "skills"} {
		if st, err := os.Stat(filepath.Join(ws.Store, d)); err != nil || !st.IsDir() {
			t.Errorf("%s: %v", d, err)
		}
	}
	b, _ := os.ReadFile(filepath.Join(ws.Store, ".gitignore"))
	if string(b) != "trash/\n" {
		t.Errorf(".gitignore %q", b)
	}
	// Again: what exists stays, and the user's own lines too.
	w.file("srv/proj/.pathrule/.gitignore", "mine\r\nown")
	for range 2 {
		if _, err := MakeStore(w.at("srv/proj"), false, dirs, w.env); err != nil {
			t.Fatal(err)
		}
	}
	b, _ = os.ReadFile(filepath.Join(ws.Store, ".gitignore"))
	if string(b) != "mine\r\nown\r\ntrash/\r\n" {
		t.Errorf(".gitignore %q", b)
	}
}

func TestMakeStoreGivesThePrivateStoreToItsOwnerAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no mode bits on Windows")
	}
	w := newWorld(t)
	w.dir("srv/proj")
	ws, err := MakeStore(w.at("srv/proj"), true, DirsOf(w.env), w.env)
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[string]os.FileMode{ws.Store: 0o700, filepath.Join(ws.Store, "rules"): 0o700, filepath.Join(ws.Store, ".gitignore"): 0o600, w.at("home/me/.pathrule/roots.json"): 0o600} {
		if st, err := os.Stat(p); err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", p, st.Mode(), err)
		}
	}
}

func TestMakeStoreRefuses(t *testing.T) {
	w := newWorld(t)
	dirs := DirsOf(w.env)
	w.dir("srv/other")
	w.link(w.at("srv/other"), "srv/linked/.pathrule")
	w.dir("srv/shared/.pathrule")
	w.file("srv/file", "")
	w.dir("srv/homelike/.pathrule/state")
	w.dir("srv/hidden")
	if _, err := MakeStore(w.at("srv/hidden"), true, dirs, w.env); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		root    string
		private bool
		want    string
	}{
		"the user's home":                    {"home/me", false, "never a workspace"},
		"the pathrule home":                  {"home/me/.pathrule", false, "own home"},
		"a folder in the pathrule home":      {"home/me/.pathrule/personal", false, ""},
		"a link that leaves the project":     {"srv/linked", false, "leaves the project"},
		"private beside a shared store":      {"srv/shared", true, "exists already"},
		"shared beside a private store":      {"srv/hidden", false, "privately"},
		"a file":                             {"srv/file", false, "not a folder"},
		"a folder that is not there":         {"srv/none", false, "no such file"},
		"a marker that looks like some home": {"srv/homelike", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := MakeStore(w.at(c.root), c.private, dirs, w.env)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestRootsFileIsJSONAndComesBackWhole(t *testing.T) {
	w := newWorld(t)
	dirs := DirsOf(w.env)
	in := []privateRoot{{Root: `/z "quoted" \ 日本`, Git: "/z/.git", Sub: "a/b", Store: "private/z"}, {Root: "/a", Store: "private/a"}}
	w.file("home/me/.pathrule/roots.json", string(encodeRoots(slices.Clone(in))))
	out, err := loadRoots(dirs)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(in) // sorted by root
	if diff := cmp.Diff(in, out); diff != "" {
		t.Error(diff)
	}
	b, _ := os.ReadFile(rootsPath(dirs))
	var any struct {
		Version int
		Roots   []map[string]string
	}
	if err := json.Unmarshal(b, &any); err != nil || any.Version != 1 || len(any.Roots) != 2 || any.Roots[1]["root"] != in[1].Root {
		t.Errorf("%v: %s", err, b)
	}
}
