package queue

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var at = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// abs is an absolute path of this system.
func abs(name string) string {
	if runtime.GOOS == "windows" {
		return `C:\t\` + name
	}
	return "/t/" + name
}

func entry(host, session string, n int) Entry {
	return Entry{Host: host, Session: session, Transcript: abs(session + ` "x".jsonl`), At: at.Add(time.Duration(n) * time.Minute)}
}

func sessions(t *testing.T, state string) []string {
	t.Helper()
	list, err := Read(state, "w")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, e.Host+"/"+e.Session)
	}
	return out
}

// E42, E43: one entry per host and session, the last fifty, nobody else's eyes.
func TestTheQueueKeepsTheLastFiftySessionsOnceEach(t *testing.T) {
	state := t.TempDir()
	if got := sessions(t, state); got != nil {
		t.Fatalf("a new queue holds %v", got)
	}
	for i := range Max + 3 {
		if err := Add(state, "w", entry("h", fmt.Sprint("s", i), i)); err != nil {
			t.Fatal(err)
		}
	}
	again := entry("h", "s10", 90)
	for _, e := range []Entry{again, entry("other", "s10", 91)} {
		if err := Add(state, "w", e); err != nil {
			t.Fatal(err)
		}
	}
	got := sessions(t, state)
	if len(got) != Max || got[Max-1] != "other/s10" || got[Max-2] != "h/s10" || got[0] != "h/s4" || strings.Count(strings.Join(got, " ")+" ", "h/s10 ") != 1 {
		t.Errorf("queue: %v", got)
	}
	list, _ := Read(state, "w")
	if d := cmp.Diff(again, list[Max-2]); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	st, err := os.Stat(Path(state, "w"))
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", st.Mode())
	}
	if filepath.Base(Path(state, "w")) != "session-queue.json" {
		t.Error(Path(state, "w"))
	}
	if other, _ := Read(state, "w2"); other != nil {
		t.Errorf("another workspace's queue holds %v", other)
	}
}

func TestManyProcessesAddAtOnce(t *testing.T) {
	state := t.TempDir()
	var wg sync.WaitGroup
	failed := make([]bool, 20)
	for i := range failed {
		wg.Go(func() { failed[i] = Add(state, "w", entry("h", fmt.Sprint("s", i), i)) != nil })
	}
	wg.Wait()
	list := strings.Join(sessions(t, state), " ") + " "
	for i, f := range failed {
		if in := strings.Contains(list, fmt.Sprintf("h/s%d ", i)); in == f {
			t.Errorf("s%d: failed %t, queued %t", i, f, in)
		}
	}
}

func TestOnlyWhatWasWorkedOnLeaves(t *testing.T) {
	state := t.TempDir()
	a, b := entry("h", "a", 1), entry("h", "b", 2)
	for _, e := range []Entry{a, b} {
		Add(state, "w", e)
	}
	longer := a
	longer.At = a.At.Add(time.Hour)
	Add(state, "w", longer) // resumed and ended again while we looked at it
	if err := Remove(state, "w", []Entry{a, b}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"h/a"}, sessions(t, state)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestADamagedQueueIsNamedAndBegunAnew(t *testing.T) {
	state := t.TempDir()
	path := Path(state, "w")
	os.MkdirAll(filepath.Dir(path), 0o700)
	for _, text := range []string{"{", "[]", `{"format":9,"entries":[]}`, strings.Repeat(" ", maxFile+1)} {
		os.WriteFile(path, []byte(text), 0o600)
		if _, err := Read(state, "w"); err == nil {
			t.Errorf("%.20q is read", text)
		}
		if err := Add(state, "w", entry("h", "s", 1)); err != nil {
			t.Error(err)
		}
		if got := sessions(t, state); len(got) != 1 {
			t.Errorf("after %.20q: %v", text, got)
		}
	}
}

func TestRelativePathsAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	e := entry("h", "s", 1)
	if Add("", "w", e) == nil || Add("state", "w", e) == nil {
		t.Error("a relative state folder")
	}
	e.Transcript = "t.jsonl"
	if Add(t.TempDir(), "w", e) == nil {
		t.Error("a relative transcript")
	}
	if left, _ := os.ReadDir("."); len(left) != 0 {
		t.Errorf("made %v", left)
	}
}

func TestOldSessionsLeaveTheQueue(t *testing.T) {
	state := t.TempDir()
	now := at.Add(Keep)
	for _, e := range []Entry{entry("h", "old", -1), entry("h", "edge", 0), entry("h", "young", 1)} {
		if err := Add(state, "w", e); err != nil {
			t.Fatal(err)
		}
	}
	if err := Add(state, "w2", entry("h", "old", -1)); err != nil {
		t.Fatal(err)
	}
	if n, err := Prune(state, now, true); n != 3 || err != nil || len(sessions(t, state)) != 3 {
		t.Errorf("a dry run: %d, %v", n, err)
	}
	if n, err := Prune(state, now, false); n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if d := cmp.Diff([]string{"h/young"}, sessions(t, state)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	long := at.Add(-2 * Keep)
	os.Chtimes(Path(state, "w2"), long, long)
	if n, err := Prune(state, now, false); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := os.Stat(Path(state, "w2")); err == nil {
		t.Error("an empty queue that nobody used stays")
	}
	if n, err := Prune(t.TempDir(), now, false); n != 0 || err != nil {
		t.Errorf("without a queue: %d, %v", n, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"format":1,"entries":[{"host":"h","session":"s","transcript_path":"/t","at":"2026-01-02T03:04:05Z"}]}`))
	f.Add([]byte(`{"format":1,"entries":[{}, 1, null]}`))
	f.Add([]byte(`{"format":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, ok := parse(b)
		if !ok {
			return
		}
		again, ok := parse(render(list))
		if !ok || len(again) != len(list) || len(list) > Max {
			t.Fatalf("%d of %d come back, %t", len(again), len(list), ok)
		}
	})
}
