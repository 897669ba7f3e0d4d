package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/internal/sysenv"
	"pathrule/knowledge"
	"pathrule/workspace"
)

func whole(kind knowledge.Kind, id, body string) Whole {
	head := "---\ntitle: " + id + "\n---\n"
	if kind == knowledge.Skill {
		head = "---\nname: " + filepath.Base(id) + "\ndescription: Use when " + id + ".\n---\n"
	}
	return Whole{Kind: kind, ID: id, Raw: []byte(head + body + "\n")}
}

func (b *bench) adopted(s *Store, list ...Whole) {
	b.t.Helper()
	errs, err := s.Adopt(list, "import")
	if err := errors.Join(append(errs, err)...); err != nil {
		b.t.Fatal(err)
	}
}

// tree is every file of the store outside the trash with its text.
func (b *bench) tree() map[string]string {
	b.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(b.Dir(), func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == trashDir {
				return filepath.SkipDir
			}
			return err
		}
		data, err := os.ReadFile(p)
		rel, _ := filepath.Rel(b.Dir(), p)
		if rel != ".gitignore" {
			out[filepath.ToSlash(rel)] = string(data)
		}
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

func TestARunIsTakenBackAndDoneAgainAsOne(t *testing.T) {
	b := newBench(t)
	b.memory("before", "text")
	skill := whole(knowledge.Skill, "deploy", "old")
	skill.Files, skill.Programs = map[string][]byte{"run.sh": []byte("one")}, map[string]bool{"run.sh": true}
	b.adopted(b.Store, skill)
	b.write("team.md", "old team")
	start := b.tree()

	s := b.OneRun(NewRun(), "import")
	skill = whole(knowledge.Skill, "deploy", "new")
	skill.Expected = knowledge.Version([]byte(start["skills/deploy/SKILL.md"]))
	skill.Files, skill.Programs = map[string][]byte{"run.sh": []byte("two"), "more.sh": []byte("more")}, map[string]bool{"run.sh": true, "more.sh": true}
	b.adopted(s, whole(knowledge.Memory, "a", "one"), whole(knowledge.Rule, "sub/b", "two"), skill)
	if err := s.WriteFile("team.md", []byte("new team"), "import"); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteFile("imported.json", []byte("{}"), "import"); err != nil {
		t.Fatal(err)
	}
	end := b.tree()

	dry, err := b.Undo(StepOptions{DryRun: true})
	if err != nil || cmp.Diff(end, b.tree()) != "" {
		t.Fatalf("a dry run: %v\n%s", err, cmp.Diff(end, b.tree()))
	}
	st, err := b.Undo(StepOptions{By: "cli"})
	if err != nil || st.What != "import of 3 entries" || st.By != "import" {
		t.Fatalf("%+v, %v", st, err)
	}
	if diff := cmp.Diff([]any{dry.What, dry.Items}, []any{st.What, st.Items}); diff != "" {
		t.Errorf("the dry run said something else:\n%s", diff)
	}
	var said []string
	for _, it := range st.Items {
		said = append(said, it.What)
	}
	want := []string{"create of imported.json", "edit of team.md", "edit of skill:deploy", "edit of skills/deploy/run.sh",
		"create of skills/deploy/more.sh", "create of rule:sub/b", "create of memory:a"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("it says:\n%s", diff)
	}
	if diff := cmp.Diff(start, b.tree()); diff != "" {
		t.Errorf("not all is as before (-before +now):\n%s", diff)
	}
	if _, err := b.Redo(StepOptions{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(end, b.tree()); diff != "" {
		t.Errorf("not all was done again:\n%s", diff)
	}
	if st, err := os.Stat(filepath.Join(b.Dir(), "skills/deploy/more.sh")); err != nil || st.Mode()&0o100 == 0 {
		t.Errorf("a program came back as none: %v %v", st.Mode(), err)
	}
	if _, err := b.Undo(StepOptions{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(start, b.tree()); diff != "" {
		t.Errorf("the second time (-before +now):\n%s", diff)
	}
	for _, want := range []string{"create of skill:deploy", "create of memory:before"} {
		if st, err := b.Undo(StepOptions{}); err != nil || st.What != want {
			t.Errorf("%q, %v; want %q", st.What, err, want)
		}
	}
}

func TestALargeRunIsOneStepHoweverManyEntriesItWrote(t *testing.T) {
	b := newBench(t)
	const n = keepChanges + 7
	var list []Whole
	for i := range n {
		list = append(list, whole(knowledge.Memory, fmt.Sprintf("m%d", i), "text"))
	}
	b.adopted(b.OneRun(NewRun(), "import"), list...)
	b.memory("after", "text")
	if st, err := b.Undo(StepOptions{}); err != nil || st.What != "create of memory:after" {
		t.Fatalf("%+v, %v", st, err)
	}
	if st, err := b.Undo(StepOptions{}); err != nil || len(st.Items) != n || b.ids() != "" {
		t.Fatalf("%d taken back, %v; left: %.200s", len(st.Items), err, b.ids())
	}
	if trash, _ := os.ReadDir(filepath.Join(b.Dir(), trashDir)); len(trash) != 2 {
		t.Errorf("%d folders in the trash, want one a step", len(trash))
	}
	if st, err := b.Redo(StepOptions{}); err != nil || len(st.Items) != n {
		t.Fatalf("%d done again, %v", len(st.Items), err)
	}
	if runs, _ := os.ReadDir(filepath.Join(b.hist, "runs")); len(runs) != 1 {
		t.Errorf("%d runs are kept", len(runs))
	}
	// What no line of the journal names any more goes.
	many := make([]change, keepChanges)
	for i := range many {
		many[i] = change{Action: "edit", Kind: knowledge.Memory, Before: state{"m1", "0"}, After: state{"m1", "1"}}
	}
	if err := b.recordAll(many); err != nil {
		t.Fatal(err)
	}
	if runs, _ := os.ReadDir(filepath.Join(b.hist, "runs")); len(runs) != 0 {
		t.Errorf("%d runs of forgotten lines are kept", len(runs))
	}
}

// Every entry of a run that asks the whole store what it holds made the redo of an
// import quadratic.
func TestARunIsWalkedWithOneLookAtTheStore(t *testing.T) {
	b := newBench(t)
	const others, n = 600, 60
	var list []Whole
	for i := range others {
		list = append(list, whole(knowledge.Memory, fmt.Sprintf("other%d", i), "text"))
	}
	b.adopted(b.Store, list...)
	list = nil
	for i := range n {
		list = append(list, whole(knowledge.Memory, fmt.Sprintf("m%d", i), "text"))
	}
	b.adopted(b.OneRun(NewRun(), "import"), list...)
	for i, walk := range []func(StepOptions) (Step, error){b.Undo, b.Redo, b.Undo} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		st, err := walk(StepOptions{})
		runtime.ReadMemStats(&after)
		if err != nil || len(st.Items) != n {
			t.Fatalf("walk %d: %d, %v", i, len(st.Items), err)
		}
		// Some hundred for each of the run, some ten for each of the store.
		if did := after.Mallocs - before.Mallocs; did > n*500+others*40 {
			t.Errorf("walk %d: %d allocations", i, did)
		}
	}
}

// A process that is killed leaves a run half walked. Nothing of it is lost, and the
// same command goes on where it stopped.
func TestAWalkThatWasKilledIsTakenUpAgain(t *testing.T) {
	for _, at := range []int{0, 1, 2, 3, 4} {
		for _, redo := range []bool{false, true} {
			b := newBench(t)
			b.memory("before", "text")
			b.write("team.md", "old team")
			start := b.tree()
			s := b.OneRun(NewRun(), "import")
			b.adopted(s, whole(knowledge.Memory, "a", "one"), whole(knowledge.Skill, "deploy", "two"))
			for _, f := range [][2]string{{"team.md", "new team"}, {"imported.json", "{}"}} {
				if err := s.WriteFile(f[0], []byte(f[1]), "import"); err != nil {
					t.Fatal(err)
				}
			}
			end := b.tree()
			walk, want := b.Undo, start
			if redo {
				walk, want = b.Redo, end
				if _, err := b.Undo(StepOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			b.killed(redo, at)
			st, err := walk(StepOptions{})
			if err != nil || len(st.Items) != 4 {
				t.Fatalf("killed after %d, redo %v: %+v, %v", at, redo, st, err)
			}
			if diff := cmp.Diff(want, b.tree()); diff != "" {
				t.Errorf("killed after %d, redo %v (-want +now):\n%s", at, redo, diff)
			}
			// And all of it can go the other way.
			back, want := b.Redo, end
			if redo {
				back, want = b.Undo, start
			}
			if _, err := back(StepOptions{}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, b.tree()); diff != "" {
				t.Errorf("back after %d, redo %v (-want +now):\n%s", at, redo, diff)
			}
		}
	}
}

// killed walks some changes of the step at hand and ends there, before they are
// written down.
func (b *bench) killed(redo bool, after int) {
	b.t.Helper()
	w, err := b.planStep(StepOptions{}, redo)
	if err == nil {
		err = w.begin()
	}
	for _, c := range w.ready[:after] {
		err = errors.Join(err, w.take(c))
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

func TestWritesOfARunBetweenThoseOfOthersStayTogether(t *testing.T) {
	b := newBench(t)
	for _, id := range []string{"a", "b", "c"} {
		b.memory(id, "text")
	}
	s := b.OneRun(NewRun(), "rm")
	remove := func(id string) {
		t.Helper()
		if _, err := s.Delete(knowledge.Memory, id, "", "cli"); err != nil {
			t.Fatal(err)
		}
	}
	remove("a")
	if _, err := b.open().Update(knowledge.Memory, "c", Patch{Body: ptr("theirs")}, "", "mcp:x"); err != nil {
		t.Fatal(err)
	}
	remove("b")
	if st, err := b.Undo(StepOptions{}); err != nil || st.What != "delete of 2 entries" || b.ids() != "memory:a memory:b memory:c" {
		t.Fatalf("%+v, %v: %s", st, err, b.ids())
	}
	if st, err := b.Undo(StepOptions{}); err != nil || st.What != "edit of memory:c" || st.By != "mcp:x" {
		t.Fatalf("%+v, %v", st, err)
	}
}

func TestUndoRefusesWhatAHandChangedAndTouchesNothing(t *testing.T) {
	b := newBench(t)
	b.memory("first", "text")
	b.adopted(b.OneRun(NewRun(), "import"), whole(knowledge.Memory, "a", "one"), whole(knowledge.Memory, "b", "two"), whole(knowledge.Memory, "c", "three"))
	b.write("memories/b.md", "by hand")
	if err := os.Remove(filepath.Join(b.Dir(), "memories", "c.md")); err != nil {
		t.Fatal(err)
	}
	before := b.tree()
	for range 2 { // and refused again
		_, err := b.Undo(StepOptions{})
		var blocked *BlockedError
		if !errors.As(err, &blocked) || !errors.Is(err, knowledge.ErrConflict) {
			t.Fatalf("undo: %v", err)
		}
		want := []Blocked{{knowledge.Memory, "c", "was removed since, not through pathrule"}, {knowledge.Memory, "b", "was changed since, not through pathrule"}}
		if diff := cmp.Diff(want, blocked.Entries); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(before, b.tree()); diff != "" {
			t.Errorf("a refused undo touched something:\n%s", diff)
		}
	}
	st, err := b.Undo(StepOptions{SkipChanged: true})
	if err != nil || len(st.Items) != 1 || st.Items[0].ID != "a" || len(st.Left) != 2 {
		t.Fatalf("%+v, %v", st, err)
	}
	if b.text("memories/b.md") != "by hand" || strings.Contains(b.ids(), "memory:a") {
		t.Errorf("left: %s", b.ids())
	}
	// Forth again takes only what went back, and the way back goes on.
	if st, err := b.Redo(StepOptions{}); err != nil || len(st.Items) != 1 {
		t.Fatalf("%+v, %v", st, err)
	}
	for _, want := range []string{"create of memory:a", "create of memory:first"} {
		if st, err := b.Undo(StepOptions{}); err != nil || st.What != want {
			t.Fatalf("%+v, %v; want %s", st, err, want)
		}
	}
	// Between two undos an editor may come as well.
	b.memory("x", "one")
	for _, body := range []string{"two", "three"} {
		if _, err := b.Update(knowledge.Memory, "x", Patch{Body: ptr(body)}, "", "cli"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Undo(StepOptions{}); err != nil {
		t.Fatal(err)
	}
	b.write("memories/x.md", b.text("memories/x.md")+"more\n")
	edited := b.text("memories/x.md")
	if _, err := b.Undo(StepOptions{}); !errors.Is(err, knowledge.ErrConflict) || b.text("memories/x.md") != edited {
		t.Errorf("the second undo: %v", err)
	}
	if _, err := b.Redo(StepOptions{}); !errors.Is(err, knowledge.ErrConflict) || b.text("memories/x.md") != edited {
		t.Errorf("a redo: %v", err)
	}
	// A single change that is passed over is forgotten, and the next is reached.
	if st, err := b.Undo(StepOptions{SkipChanged: true}); err != nil || len(st.Items) != 0 || len(st.Left) != 1 {
		t.Fatalf("%+v, %v", st, err)
	}
	if b.text("memories/x.md") != edited {
		t.Error("an edit by hand was lost")
	}
}

func TestUndoOfADeleteDoesNotReplaceWhatStandsThereNow(t *testing.T) {
	b := newBench(t)
	b.memory("a", "one")
	if _, err := b.Delete(knowledge.Memory, "a", "", "cli"); err != nil {
		t.Fatal(err)
	}
	b.write("memories/a.md", "by hand")
	if _, err := b.Undo(StepOptions{}); !errors.Is(err, knowledge.ErrConflict) || b.text("memories/a.md") != "by hand" {
		t.Errorf("%v", err)
	}
	if list, _ := b.Trash(); len(list) != 1 {
		t.Errorf("the trash lost it: %+v", list)
	}
}

func TestAnotherUsersWriteIsNotTakenBack(t *testing.T) {
	b := newBench(t)
	b.memory("a", "one")
	// The other user works in the same folder, with a home of his own.
	ws := &workspace.Workspace{Root: b.root, Store: b.Dir(), ID: "0123456789abcdef"}
	theirs, err := Open(ws, workspace.Dirs{Home: filepath.Join(b.home, "other")}, sysenv.Env{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := theirs.Undo(StepOptions{}); !errors.Is(err, knowledge.ErrNothing) {
		t.Errorf("somebody else's change was taken back: %v", err)
	}
	if _, err := theirs.Update(knowledge.Memory, "a", Patch{Body: ptr("theirs")}, "", "cli"); err != nil {
		t.Fatal(err)
	}
	text := b.text("memories/a.md")
	if _, err := b.Undo(StepOptions{}); !errors.Is(err, knowledge.ErrConflict) || b.text("memories/a.md") != text {
		t.Errorf("over another user's write: %v", err)
	}
	// Once they took theirs back, ours can be.
	if _, err := theirs.Undo(StepOptions{}); err != nil {
		t.Fatal(err)
	}
	if st, err := b.Undo(StepOptions{}); err != nil || st.What != "create of memory:a" {
		t.Errorf("%+v, %v", st, err)
	}
}

func TestTwoUndosAtOnceTakeTwoStepsBack(t *testing.T) {
	b := newBench(t)
	const n = 6
	for i := range n {
		b.memory(fmt.Sprintf("m%d", i), "text")
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	said := map[string]int{}
	for range n {
		wg.Go(func() {
			st, err := b.open().Undo(StepOptions{})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			said[st.What]++
			mu.Unlock()
		})
	}
	wg.Wait()
	if len(said) != n || b.ids() != "" {
		t.Errorf("%v; left %s", said, b.ids())
	}
}
