package index_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pathrule/index"
	"pathrule/index/catalog"
	"pathrule/internal/bench/gen"
	"pathrule/internal/filelock"
	"pathrule/knowledge"
	"pathrule/workspace"
)

func (p *place) refreshWith(l index.Limits) index.Report {
	p.t.Helper()
	r, err := index.Refresh(context.Background(), p.ws, p.env, l)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// age sets the times of every entry's file and folder back, so that nothing is
// in its racy moment.
func (p *place) age(d time.Duration) {
	p.t.Helper()
	at := time.Now().Add(-d)
	err := filepath.WalkDir(p.ws.Store, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, at, at)
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) found(word string) []string {
	p.t.Helper()
	return names(p.search(catalog.Query{Text: word}).Candidates)
}

func TestAnEditThatKeepsSizeAndTimeIsSeen(t *testing.T) {
	p := newPlace(t)
	p.memory("m", "Title", "src", "wombat")
	p.refresh()
	file := filepath.Join(p.ws.Store, "memories", "m.md")
	st, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	p.memory("m", "Title", "src", "numbat")
	if err := os.Chtimes(file, st.ModTime(), st.ModTime()); err != nil {
		t.Fatal(err)
	}
	if rep := p.refresh(); rep.Changed != 1 {
		t.Fatalf("within the racy moment: %+v", rep)
	}
	if got := p.found("numbat"); len(got) != 1 {
		t.Error(got)
	}
}

func TestATouchedFileIsNoChangeAndIsSettled(t *testing.T) {
	p := newPlace(t)
	p.memory("m", "Title", "src", "wombat")
	p.age(time.Hour)
	gen := p.refresh().Generation
	p.age(time.Minute)
	rep := p.refresh()
	if rep.State != index.Fresh || rep.Changed != 0 || rep.Generation != "" {
		t.Fatalf("touched: %+v", rep)
	}
	x := p.open()
	defer x.Close()
	if x.Generation() != gen {
		t.Errorf("generation %s, want %s", x.Generation(), gen)
	}
	if r, err := index.Status(p.ws, p.env); err != nil || r.State != index.Fresh {
		t.Errorf("status %+v %v", r, err)
	}
}

func TestStatusNamesTheState(t *testing.T) {
	p := newPlace(t)
	p.memory("m", "Title", "src", "wombat")
	want := func(s index.State) {
		t.Helper()
		if r, err := index.Status(p.ws, p.env); err != nil || r.State != s {
			t.Errorf("status %s (%v), want %s", r.State, err, s)
		}
	}
	want(index.Missing)
	if _, err := index.Open(p.ws, p.env); !errors.Is(err, catalog.ErrMissing) {
		t.Errorf("open: %v", err)
	}
	if _, err := catalog.Open(p.ws, p.dirs); !errors.Is(err, catalog.ErrMissing) {
		t.Errorf("open catalogue: %v", err)
	}
	p.refresh()
	want(index.Fresh)
	p.memory("n", "Other", "src", "numbat")
	want(index.Stale)
	p.refresh()
	want(index.Fresh)
	pointer := filepath.Join(p.dirs.Cache(p.ws.ID), catalog.PointerName)
	data, err := os.ReadFile(pointer)
	if err != nil {
		t.Fatal(err)
	}
	old := strings.Replace(string(data), "pathrule-index "+catalog.Versions(), "pathrule-index 0.0.0", 1)
	if err := os.WriteFile(pointer, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	want(index.VersionMismatch)
	if _, err := index.Open(p.ws, p.env); !errors.Is(err, catalog.ErrMissing) {
		t.Errorf("another version was opened: %v", err)
	}
	if rep := p.refresh(); !rep.Built || rep.Entries != 2 {
		t.Errorf("another version is rebuilt: %+v", rep)
	}
	want(index.Fresh)
}

func TestDamageIsRebuilt(t *testing.T) {
	for _, name := range []string{"manifest", catalog.FileName, "store/root.bolt", "store/*.zap", "segments", "files", ""} {
		t.Run(strings.NewReplacer("/", "-", "*", "any").Replace(name), func(t *testing.T) {
			p := newPlace(t)
			p.memory("m", "Title", "src", "wombat")
			gen := p.refresh().Generation
			dir := filepath.Join(p.dirs.Cache(p.ws.ID), gen)
			if name == "" {
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
			} else {
				files, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(name)))
				if len(files) == 0 {
					t.Fatal("no such file")
				}
				for _, file := range files {
					if err := os.Truncate(file, 40); err != nil {
						t.Fatal(err)
					}
				}
			}
			if x, err := index.Open(p.ws, p.env); err == nil {
				x.Close()
				if name != "manifest" && name != "files" && name != "store/root.bolt" {
					t.Error("a damaged generation was opened")
				}
			} else if !errors.Is(err, catalog.ErrMissing) {
				t.Errorf("open: %v", err)
			}
			p.memory("n", "Other", "lib", "wombat")
			p.refresh()
			if got := p.found("wombat"); len(got) != 2 {
				t.Errorf("after the refresh: %v", got)
			}
		})
	}
}

// Nobody writes an entry after the damage: the look alone must mend it, or the
// assistants stay without knowledge.
func TestDamageIsMendedWithoutAChange(t *testing.T) {
	for _, c := range []struct {
		name, file string
		limits     index.Limits
	}{
		{"catalogue", catalog.FileName, index.Limits{}},
		{"catalogue under limits", catalog.FileName, index.Limits{Files: 300, Time: time.Minute, Window: 1000}},
		{"store", "segments", index.Limits{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			p.memory("m", "Title", "src", "wombat")
			p.age(time.Hour)
			dir := filepath.Join(p.dirs.Cache(p.ws.ID), p.refresh().Generation)
			if err := os.Truncate(filepath.Join(dir, filepath.FromSlash(c.file)), 40); err != nil {
				t.Fatal(err)
			}
			if r, err := index.Status(p.ws, p.env); err != nil || r.State != index.Missing {
				t.Errorf("status %s (%v), want missing", r.State, err)
			}
			if r := p.refreshWith(c.limits); !r.Built || r.State != index.Fresh {
				t.Errorf("refresh: %+v", r)
			}
			if got := p.found("wombat"); len(got) != 1 {
				t.Errorf("after the refresh: %v", got)
			}
		})
	}
}

func TestLimitsBoundARefreshAndTheNextGoesOn(t *testing.T) {
	p := newPlace(t)
	p.memory("m", "Title", "src", "wombat")
	p.refresh()
	for i := range 25 {
		p.memory(fmt.Sprintf("n%02d", i), "N", "src", "numbat")
	}
	left := 25
	for left > 0 {
		rep := p.refreshWith(index.Limits{Files: 10})
		want := min(10, left)
		if rep.Changed != want {
			t.Fatalf("applied %d, want %d: %+v", rep.Changed, want, rep)
		}
		left -= want
		state := index.Stale
		if left == 0 {
			state = index.Fresh
		}
		if rep.State != state || rep.Entries != 26-left {
			t.Fatalf("%d left: %+v", left, rep)
		}
	}
	if got := len(p.search(catalog.Query{Text: "numbat"}).Candidates); got != 25 {
		t.Errorf("%d found", got)
	}
}

func TestABuildThatRunsOutOfTimeIsGoneOnWith(t *testing.T) {
	p := newPlace(t)
	if _, err := gen.Make(p.root, gen.Options{Entries: 600, Files: 300}); err != nil {
		t.Fatal(err)
	}
	rep := p.refreshWith(index.Limits{Files: 300, Time: time.Millisecond, Window: 1000})
	if rep.State != index.Stale || rep.Entries >= 600 {
		t.Fatalf("one millisecond: %+v", rep)
	}
	if rep.Generation != "" {
		if x, err := index.Open(p.ws, p.env); err != nil {
			t.Errorf("a part is usable: %v", err)
		} else {
			x.Close()
		}
	}
	for range 50 {
		if rep = p.refreshWith(index.Limits{Files: 300, Window: 1000}); rep.State == index.Fresh {
			break
		}
	}
	if rep.State != index.Fresh || rep.Entries != 600 || rep.Files != 300 {
		t.Errorf("in the end: %+v", rep)
	}
}

// What an unfinished build left out shows in no folder's time, so the window
// must not call it complete.
func TestAnUnfinishedBuildLargerThanTheWindowIsGoneOnWith(t *testing.T) {
	p := newPlace(t)
	if _, err := gen.Make(p.root, gen.Options{Entries: 1500}); err != nil {
		t.Fatal(err)
	}
	p.age(time.Hour)
	for limit := 16 * time.Millisecond; limit < 8*time.Second; limit += limit / 4 {
		if err := os.RemoveAll(workspace.DirsOf(p.env).Cache(p.ws.ID)); err != nil {
			t.Fatal(err)
		}
		rep := p.refreshWith(index.Limits{Time: limit, Window: 20})
		if rep.Entries <= 20 {
			continue
		}
		if rep.Entries >= 1500 {
			break
		}
		for range 5 {
			if rep = p.refreshWith(index.Limits{Window: 20}); rep.State == index.Fresh {
				break
			}
		}
		if rep.State != index.Fresh || rep.Entries != 1500 {
			t.Errorf("cut after %v, in the end: %+v", limit, rep)
		}
		return
	}
	t.Skip("no time limit cut a build in the middle on this machine")
}

func TestTheRotatingWindowSeesEveryEditInTurn(t *testing.T) {
	p := newPlace(t)
	for i := range 60 {
		p.memory(fmt.Sprintf("g%d/n%02d", i%4, i), "N", "src", "numbat")
	}
	p.age(time.Hour)
	p.refresh()
	l := index.Limits{Window: 20}
	if rep := p.refreshWith(l); rep.State != index.Fresh || rep.Changed != 0 {
		t.Fatalf("nothing changed: %+v", rep)
	}
	// An edit in place leaves its folder's time alone.
	edited := "g1/n25"
	p.memory(edited, "N", "src", "wombat and more")
	seen := 0
	for i := range 4 {
		if rep := p.refreshWith(l); rep.Changed == 1 {
			seen = i + 1
			break
		}
	}
	if seen == 0 || seen > 3 {
		t.Fatalf("60 files through a window of 20: seen in turn %d", seen)
	}
	if got := p.found("wombat"); !slices.Equal(got, []string{"memory:" + edited}) {
		t.Error(got)
	}
}

func TestFoldersShowAddedAndRemovedFilesAtOnce(t *testing.T) {
	p := newPlace(t)
	for i := range 40 {
		p.memory(fmt.Sprintf("g%d/n%02d", i%4, i), "N", "src", "numbat")
	}
	p.age(time.Hour)
	p.refresh()
	l := index.Limits{Window: 5}
	p.memory("g2/added", "A", "src", "wombat")
	p.write(".pathrule/memories/g2/.added.md.swp", "x")
	if rep := p.refreshWith(l); rep.Changed != 1 || rep.Entries != 41 {
		t.Fatalf("a file in a known folder: %+v", rep)
	}
	p.memory("new/deep/one", "B", "src", "wombat")
	if rep := p.refreshWith(l); rep.Changed != 1 || rep.Entries != 42 {
		t.Fatalf("a file in a new folder: %+v", rep)
	}
	if err := os.RemoveAll(filepath.Join(p.ws.Store, "memories", "g3")); err != nil {
		t.Fatal(err)
	}
	if rep := p.refreshWith(l); rep.Changed != 10 || rep.Entries != 32 {
		t.Fatalf("a folder that is gone: %+v", rep)
	}
	if err := os.Rename(filepath.Join(p.ws.Store, "memories", "g1"), filepath.Join(p.ws.Store, "memories", "h1")); err != nil {
		t.Fatal(err)
	}
	rep := p.refreshWith(l)
	if rep.Entries != 32 || rep.Changed != 20 {
		t.Fatalf("a renamed folder: %+v", rep)
	}
	if rep := p.refresh(); rep.Changed != 0 {
		t.Errorf("a whole look finds nothing more: %+v", rep)
	}
}

func TestSkillFoldersShowInWhatHoldsThem(t *testing.T) {
	p := newPlace(t)
	skill := func(id, text string) {
		p.write(".pathrule/skills/"+id+"/SKILL.md", "---\nname: "+id+"\ndescription: d\n---\n"+text+"\n")
	}
	for i := range 30 {
		skill(fmt.Sprintf("g%d/s%02d", i%3, i), "numbat")
	}
	p.age(time.Hour)
	p.refresh()
	l := index.Limits{Window: 5}
	skill("g1/added", "wombat")
	if rep := p.refreshWith(l); rep.Changed != 1 || rep.Entries != 31 {
		t.Fatalf("a new skill: %+v", rep)
	}
	if err := os.RemoveAll(filepath.Join(p.ws.Store, "skills", "g1", "s04")); err != nil {
		t.Fatal(err)
	}
	if rep := p.refreshWith(l); rep.Changed != 1 || rep.Entries != 30 {
		t.Fatalf("one that is gone: %+v", rep)
	}
	if err := os.RemoveAll(filepath.Join(p.ws.Store, "skills", "g2")); err != nil {
		t.Fatal(err)
	}
	if rep := p.refreshWith(l); rep.Changed != 10 || rep.Entries != 20 {
		t.Fatalf("a group that is gone: %+v", rep)
	}
	if rep := p.refresh(); rep.Changed != 0 {
		t.Errorf("a whole look finds nothing more: %+v", rep)
	}
}

func TestUnreadableFilesAreReportedAndTheRestCounts(t *testing.T) {
	p := newPlace(t)
	p.memory("good", "Good", "src", "wombat")
	p.write(".pathrule/memories/bad.md", "---\ntitle: x\n---\n\x00\x01")
	p.write(".pathrule/rules/scope.md", "---\ntitle: Scope\npaths: ['src/[']\n---\nwombat\n")
	p.write(".pathrule/memories/huge.md", strings.Repeat("x", knowledge.MaxFile+1))
	rep := p.refresh()
	if rep.Entries != 1 || rep.State != index.Fresh {
		t.Fatalf("report %+v", rep)
	}
	for _, file := range []string{".pathrule/memories/bad.md", ".pathrule/rules/scope.md", ".pathrule/memories/huge.md"} {
		i := slices.IndexFunc(rep.Problems, func(q workspace.Problem) bool { return q.File == file })
		if i < 0 || rep.Problems[i].Msg == "" || rep.Problems[i].Remedy == "" {
			t.Errorf("no full problem for %s in %+v", file, rep.Problems)
		}
	}
	again := p.refresh()
	if d := cmp.Diff(rep.Problems, again.Problems); d != "" {
		t.Errorf("a refresh without changes tells the same: -want +got\n%s", d)
	}
	if r, err := index.Status(p.ws, p.env); err != nil || !cmp.Equal(rep.Problems, r.Problems) {
		t.Errorf("status: %v %+v", err, r.Problems)
	}
	p.memory("bad", "Mended", "src", "wombat")
	if rep = p.refresh(); rep.Entries != 2 || len(rep.Problems) != 2 {
		t.Errorf("one mended: %+v", rep)
	}
	p.write(".pathrule/memories/good.md", "---\ntitle: x\n---\n\x00")
	if rep = p.refresh(); rep.Entries != 1 || len(rep.Problems) != 3 {
		t.Errorf("one broken: %+v", rep)
	}
	if got := p.found("wombat"); !slices.Equal(got, []string{"memory:bad"}) {
		t.Error(got)
	}
}

func TestAnInnerWorkspaceInheritsAndShadows(t *testing.T) {
	p := newPlace(t)
	inner := filepath.Join(p.root, "packages", "web")
	p.memory("shared", "Outer shared", "packages", "wombat outer")
	p.memory("outer", "Only outer", "", "wombat")
	p.writeAt(filepath.Join(inner, ".pathrule", "memories", "shared.md"), "---\ntitle: Inner shared\npaths: [src]\n---\nwombat inner\n")
	p.writeAt(filepath.Join(inner, ".pathrule", "memories", "own.md"), "---\ntitle: Own\n---\nwombat\n")
	outer := p.ws
	p.root = inner
	p.find()
	if p.ws.Outer == nil {
		t.Fatal("the inner workspace does not see the outer one")
	}
	check := func(what string, want map[string]string) {
		t.Helper()
		got := map[string]string{}
		for _, c := range p.search(catalog.Query{Text: "wombat"}).Candidates {
			got[c.Record.Key] = c.Record.Title
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: -want +got\n%s", what, d)
		}
	}
	p.refresh()
	check("closest first", map[string]string{
		p.ws.ID + "/memory:shared": "Inner shared", p.ws.ID + "/memory:own": "Own", outer.ID + "/memory:outer": "Only outer",
	})
	res := p.search(catalog.Query{Paths: []string{"packages/web/src/x.ts"}})
	if got := names(res.Candidates); len(got) != 3 {
		t.Errorf("below the inner root: %v", got)
	}
	if res = p.search(catalog.Query{Paths: []string{"packages/api/x.ts"}}); !slices.Equal(names(res.Candidates), []string{"memory:outer"}) {
		t.Errorf("beside it: %v", names(res.Candidates))
	}
	shadow := filepath.Join(inner, ".pathrule", "memories", "shared.md")
	if err := os.Remove(shadow); err != nil {
		t.Fatal(err)
	}
	p.refresh()
	check("the outer one comes to light", map[string]string{
		outer.ID + "/memory:shared": "Outer shared", p.ws.ID + "/memory:own": "Own", outer.ID + "/memory:outer": "Only outer",
	})
	p.writeAt(shadow, "---\ntitle: Inner again\n---\nwombat\n")
	p.refresh()
	check("and is hidden again", map[string]string{
		p.ws.ID + "/memory:shared": "Inner again", p.ws.ID + "/memory:own": "Own", outer.ID + "/memory:outer": "Only outer",
	})
	p.writeAt(shadow, "---\ntitle: x\n---\n\x00")
	p.refresh()
	check("one that cannot be read hides nothing", map[string]string{
		outer.ID + "/memory:shared": "Outer shared", p.ws.ID + "/memory:own": "Own", outer.ID + "/memory:outer": "Only outer",
	})
}

func TestPersonalKnowledgeJoinsTheWorkspacesItNames(t *testing.T) {
	p := newPlace(t)
	p.memory("m", "Mine", "", "wombat")
	at := func(id, head string) {
		p.writeAt(filepath.Join(p.dirs.Personal(), "memories", id+".md"), "---\ntitle: "+id+"\n"+head+"---\nwombat\n")
	}
	at("everywhere", "")
	at("here", "workspaces: ["+p.ws.ID+"]\n")
	at("byname", "workspaces: ["+filepath.Base(p.root)+"]\n")
	at("elsewhere", "workspaces: [other-project]\n")
	if rep := p.refresh(); rep.Entries != 4 || len(rep.Problems) != 0 {
		t.Fatalf("report %+v", rep)
	}
	got := p.found("wombat")
	slices.Sort(got)
	if d := cmp.Diff([]string{"memory:m", "memory:personal/byname", "memory:personal/everywhere", "memory:personal/here"}, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	x := p.open()
	defer x.Close()
	rec, ok, err := x.Lookup(knowledge.Memory, "personal/here")
	if err != nil || !ok || rec.Owner != catalog.Personal || rec.Key != "personal/memory:personal/here" {
		t.Errorf("%+v %v %v", rec, ok, err)
	}
	at("elsewhere", "workspaces: ["+p.ws.ID+"]\n")
	at("here", "workspaces: [other-project]\n")
	if rep := p.refresh(); rep.Entries != 4 {
		t.Errorf("report %+v", rep)
	}
	if got := p.found("wombat"); !slices.Contains(got, "memory:personal/elsewhere") || slices.Contains(got, "memory:personal/here") {
		t.Error(got)
	}
}

func TestEverythingIsPrivateToTheUser(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes here")
	}
	p := newPlace(t)
	p.memory("m", "Mine", "src", "wombat")
	p.refresh()
	p.memory("n", "Mine", "src", "wombat")
	p.refresh()
	err := filepath.WalkDir(filepath.Join(p.dirs.Home, "cache"), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		want := os.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if st.Mode().Perm() != want {
			t.Errorf("%s is %v, want %v", path, st.Mode().Perm(), want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestGenerationsStayFewAndSegmentsToo(t *testing.T) {
	p := newPlace(t)
	p.memory("m", "Mine", "src", "wombat")
	p.refresh()
	for i := range 35 {
		p.memory(fmt.Sprintf("n%d", i%7), fmt.Sprintf("N %d", i), "src", "wombat")
		p.refresh()
		x := p.open()
		if n := x.Segments(); n > index.MaxSegments {
			t.Fatalf("%d segments after %d writes", n, i+1)
		}
		x.Close()
	}
	cache := p.dirs.Cache(p.ws.ID)
	gens, _ := filepath.Glob(filepath.Join(cache, catalog.GenPrefix+"*"))
	if len(gens) != 36 {
		t.Fatalf("%d generations younger than a minute, want all 36", len(gens))
	}
	old := time.Now().Add(-2 * time.Minute)
	for _, g := range gens {
		if err := os.Chtimes(g, old, old); err != nil {
			t.Fatal(err)
		}
	}
	p.memory("last", "L", "src", "wombat")
	p.refresh()
	gens, _ = filepath.Glob(filepath.Join(cache, catalog.GenPrefix+"*"))
	if len(gens) != 3 {
		t.Errorf("old generations: %v, want the current one and the two before it", gens)
	}
	if got := p.found("wombat"); len(got) != 9 {
		t.Errorf("%v", got)
	}
}

func TestAHomeThatCannotBeWrittenIsAnErrorAndTheRestStays(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("needs a user whom modes bind")
	}
	p := newPlace(t)
	p.memory("m", "Mine", "src", "wombat")
	p.refresh()
	cache := p.dirs.Cache(p.ws.ID)
	if err := os.Chmod(cache, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(cache, 0o700)
	p.memory("n", "Mine", "src", "wombat")
	if _, err := index.Refresh(context.Background(), p.ws, p.env, index.Limits{}); err == nil {
		t.Error("no error")
	}
	if got := p.found("wombat"); len(got) != 1 {
		t.Error(got)
	}
}

func TestAHeldLockStopsAWriterButNoHook(t *testing.T) {
	p := newPlace(t)
	p.memory("m", "Mine", "src", "wombat")
	p.refresh()
	lock, err := filelock.Acquire(filepath.Join(p.dirs.Cache(p.ws.ID), catalog.LockName), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock()
	p.memory("n", "Mine", "src", "wombat")
	rep := p.refreshWith(index.Limits{Time: 20 * time.Millisecond})
	if rep.State != index.Stale || rep.Entries != 1 {
		t.Errorf("report %+v", rep)
	}
	if got := p.found("wombat"); len(got) != 1 {
		t.Error(got)
	}
}

func TestTheProjectMapFollowsGitsIndex(t *testing.T) {
	p := newPlace(t)
	p.memory("m", "Mine", "src", "wombat")
	files := []string{"src/server/retry_policy.go", "docs/intro.md", "lib/route.js"}
	p.write(".git/HEAD", "ref: x\n")
	p.writeAt(filepath.Join(p.root, ".git", "index"), string(gen.GitIndex(files)))
	if rep := p.refresh(); rep.Files != 3 {
		t.Fatalf("report %+v", rep)
	}
	hits := func(text string) []string {
		var out []string
		for _, h := range p.search(catalog.Query{Text: text}).Files {
			out = append(out, h.Path)
		}
		return out
	}
	if got := hits("where is the retry policy"); !slices.Equal(got, files[:1]) {
		t.Error(got)
	}
	if got := hits("fix lib/route.js please"); len(got) == 0 || got[0] != "lib/route.js" {
		t.Error(got)
	}
	p.writeAt(filepath.Join(p.root, ".git", "index"), string(gen.GitIndex([]string{"src/server/backoff.go", "docs/intro.md", "lib/route.js"})))
	if rep := p.refresh(); rep.Files != 3 || rep.State != index.Fresh {
		t.Fatalf("report %+v", rep)
	}
	if got := hits("retry policy backoff"); !slices.Equal(got, []string{"src/server/backoff.go"}) {
		t.Error(got)
	}
	if got := p.found("wombat"); len(got) != 1 {
		t.Errorf("entries stay: %v", got)
	}
	if rep := p.refresh(); rep.Generation != "" {
		t.Errorf("nothing moved: %+v", rep)
	}
}

func TestTheProjectMapOfAFolderInsideARepositoryIsItsOwnPart(t *testing.T) {
	p := newPlace(t)
	p.memory("m", "Mine", "src", "wombat")
	top := filepath.Dir(p.root)
	p.writeAt(filepath.Join(top, ".git", "HEAD"), "ref: x\n")
	name := filepath.Base(p.root)
	p.writeAt(filepath.Join(top, ".git", "index"), string(gen.GitIndex([]string{name + "/src/turnstile.go", "other/turnstile.go"})))
	p.refresh()
	res := p.search(catalog.Query{Text: "turnstile"})
	if len(res.Files) != 1 || res.Files[0].Path != "src/turnstile.go" {
		t.Errorf("%+v", res.Files)
	}
}

func TestWithoutGitTheProjectIsWalked(t *testing.T) {
	p := newPlace(t)
	p.memory("m", "Mine", "src", "wombat")
	p.write("src/turnstile.go", "")
	p.write(".gitignore", "out/\n")
	p.write("out/turnstile.o", "")
	p.refresh()
	res := p.search(catalog.Query{Text: "turnstile"})
	if len(res.Files) != 1 || res.Files[0].Path != "src/turnstile.go" {
		t.Errorf("%+v", res.Files)
	}
	// A map made by walking is made again after a while.
	p.write("src/gatekeeper.go", "")
	now := p.env.Now
	p.env.Now = func() time.Time { return now().Add(5 * time.Minute) }
	p.refresh()
	if res = p.search(catalog.Query{Text: "gatekeeper"}); len(res.Files) != 1 {
		t.Errorf("%+v", res.Files)
	}
}
