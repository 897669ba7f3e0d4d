package pending

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pathrule/guard/runs"
)

var tests = Check{"w1", "billing/tests"}

func waiting(t *testing.T, l Log) []string {
	t.Helper()
	s, err := l.Read()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, w := range s.Waits {
		out = append(out, w.Check.ID+" "+strings.Join(w.Paths, ",")+" "+string(w.Why))
	}
	return out
}

func TestALogSaysWhatStillWaits(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	l := Open(t.TempDir(), "claude-code", "w1", "s/1")
	want := func(step string, w ...string) {
		t.Helper()
		if diff := cmp.Diff(w, waiting(t, l)); diff != "" {
			t.Errorf("%s: %s", step, diff)
		}
	}
	want("nothing happened")
	must(l.Failed(tests, runs.Failed))
	want("a run failed before any edit")
	must(l.Edited(tests, "a b\tc", "d\ne"))
	want("two edits", "billing/tests a b\tc,d\ne it failed")
	must(l.Began(tests, "t1"))
	must(l.Edited(tests, "f", "a b\tc"))
	must(l.Passed(tests, "t1"))
	want("edits during the run, one of them again", "billing/tests f,a b\tc ")
	must(l.Failed(tests, runs.Pipe))
	want("a run that does not count", "billing/tests f,a b\tc "+string(runs.Pipe))
	must(l.Passed(tests, ""))
	want("a run whose beginning was not seen")
	must(l.Failed(tests, runs.Pipe))
	want("one that does not count, with nothing pending")
	must(l.Failed(tests, runs.Failed))
	want("the last result wins", "billing/tests f,a b\tc it failed")
	must(l.Held())
	must(l.Held())
	if s, _ := l.Read(); s.Held != 2 {
		t.Errorf("held %d times", s.Held)
	}
	if other := waiting(t, Open(filepath.Dir(filepath.Dir(l.path)), "codex", "w1", "s/1")); other != nil {
		t.Errorf("another client's session: %v", other)
	}
}

func TestALogIsBoundedAndATornLineIsIgnored(t *testing.T) {
	state := t.TempDir()
	l := Open(state, "h", "w", "s")
	if err := l.Edited(tests, "a"); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("e\tw1/billing/tests\thalf of a pa")
	f.Close()
	if got := waiting(t, l); len(got) != 1 || strings.Contains(got[0], "half") {
		t.Errorf("waiting: %q", got)
	}
	if err := l.Edited(tests, "b"); err != nil {
		t.Fatal(err)
	}
	if got := waiting(t, l); len(got) != 1 || !strings.HasSuffix(strings.TrimSpace(got[0]), "b") {
		t.Errorf("behind a torn line: %q", got)
	}
	var many []string
	for i := range maxPaths + 10 {
		many = append(many, "src/"+strings.Repeat("x", i%7)+time.Duration(i).String())
	}
	if err := l.Edited(tests, many...); err != nil {
		t.Fatal(err)
	}
	s, err := l.Read()
	if err != nil || len(s.Waits) != 1 || len(s.Waits[0].Paths) != maxPaths {
		t.Errorf("%v, %d waits", err, len(s.Waits))
	}
	if err := l.Edited(tests, strings.Repeat("y", maxLog)); err != errFull {
		t.Errorf("a log without end: %v", err)
	}
	if err := (Log{}).Edited(tests, "a"); err != nil {
		t.Errorf("without a state folder: %v", err)
	}
	Prune(state, time.Now().Add(maxAge+time.Hour))
	if _, err := os.Stat(l.path); !os.IsNotExist(err) {
		t.Errorf("an old log stays: %v", err)
	}
}

func TestAResultCountsForExactlyTheFilesItSaw(t *testing.T) {
	state, dir := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	now := func(p string) string { return StateOf(filepath.Join(dir, p)) }
	write("a", "1")
	r := &Result{In: "w", Check: tests, Sum: "s1", At: time.Unix(5, 0).UTC(), Files: map[string]string{"a": now("a"), "tab\there": now("gone")}}
	if err := r.Save(state); err != nil {
		t.Fatal(err)
	}
	got := LastResult(state, "w", tests)
	if diff := cmp.Diff(r, got); diff != "" {
		t.Fatal(diff)
	}
	if LastResult(state, "other", tests) != nil || LastResult(state, "w", Check{"w1", "other"}) != nil {
		t.Error("another workspace's or another check's result")
	}
	if !got.Covers("s1", []string{"a", "tab\there"}, now) {
		t.Error("does not cover what it saw")
	}
	if got.Covers("s2", []string{"a"}, now) {
		t.Error("covers another version of the rule")
	}
	if got.Covers("s1", []string{"a", "b"}, now) {
		t.Error("covers a file that it did not see")
	}
	write("a", "2")
	if got.Covers("s1", []string{"a"}, now) {
		t.Error("covers a file that changed")
	}
	write("a", "1")
	got.Exit = 1
	if got.Covers("s1", nil, now) {
		t.Error("a failed run covers")
	}
	if (*Result)(nil).Covers("s1", nil, now) {
		t.Error("no run covers")
	}
	text, _ := os.ReadFile(resultFile(state, "w", tests))
	for _, bad := range []string{"", string(text[:len(text)-2]), strings.Replace(string(text), "file\t", "grant\t", 1), strings.Replace(string(text), "\t0\t", "\tzero\t", 1)} {
		if parseResult(bad, "w", tests) != nil {
			t.Errorf("%q is taken for a result", bad)
		}
	}
}

// P109: a receipt counts on the machine that gave it, for the very result, and
// nothing that merely looks so does.
func TestAReceiptCountsForItsResultAlone(t *testing.T) {
	state := t.TempDir()
	r := Result{In: "w", Check: tests, Sum: "s1", Exit: 0, At: time.Unix(1_800_000_000, 0).UTC(), Files: map[string]string{"a": "1", "b\tc": "gone"}}
	if line, err := r.Receipt(state); err == nil {
		t.Fatalf("a receipt without a key: %s", line)
	}
	key := strings.Repeat("k", 32)
	if err := KeepKey(state, []byte(key)); err != nil {
		t.Fatal(err)
	}
	line, err := r.Receipt(state)
	if err != nil {
		t.Fatal(err)
	}
	if err := KeepKey(state, []byte(strings.Repeat("x", 32))); err != nil {
		t.Fatal(err)
	}
	if again, _ := r.Receipt(state); again != line {
		t.Errorf("a second key took the first one's place")
	}
	// As tools put it out, and as clients write it down.
	for _, text := range []string{line, "ok 1\n" + line + "\n", `{"tool_response":"testing\n` + line + `\npassed: rule:tests\n"}`, "\x1b[32m" + line + "\x1b[0m\r\n"} {
		got := Receipts([]byte(text))
		if len(got) != 1 || !got[0].Of(tests) || !got[0].Confirms(state, &r) {
			t.Errorf("%q gives %+v", text, got)
		}
	}
	c := Receipts([]byte(line))[0]
	for name, change := range map[string]func(*Result){
		"another workspace":   func(r *Result) { r.In = "v" },
		"another check":       func(r *Result) { r.Check.ID = "other" },
		"another version":     func(r *Result) { r.Sum = "s2" },
		"another exit code":   func(r *Result) { r.Exit = 1 },
		"another time":        func(r *Result) { r.At = r.At.Add(time.Second) },
		"a file that changed": func(r *Result) { r.Files = map[string]string{"a": "2", "b\tc": "gone"} },
		"a further file":      func(r *Result) { r.Files = map[string]string{"a": "1", "b\tc": "gone", "d": "1"} },
		"no file":             func(r *Result) { r.Files = nil },
	} {
		x := r
		change(&x)
		if c.Confirms(state, &x) {
			t.Errorf("it confirms %s", name)
		}
	}
	other := t.TempDir()
	if c.Confirms(other, &r) {
		t.Error("it counts on a machine without a key")
	}
	if err := KeepKey(other, []byte(strings.Repeat("y", 32))); err != nil || c.Confirms(other, &r) {
		t.Errorf("it counts on another machine (%v)", err)
	}
	forged := strings.Replace(line, " 0 ", " 1 ", 1)
	if c := Receipts([]byte(forged)); len(c) != 1 || c[0].Confirms(state, &Result{In: r.In, Check: r.Check, Sum: r.Sum, Exit: 1, At: r.At, Files: r.Files}) {
		t.Error("an edited receipt counts")
	}
	if err := os.WriteFile(filepath.Join(state, dirName, keyName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if c.Confirms(state, &r) {
		t.Error("it counts with a damaged key")
	}
	if err := KeepKey(state, []byte(key)); err != nil || !c.Confirms(state, &r) {
		t.Errorf("a damaged key stays (%v)", err)
	}
}

// Whatever a tool puts out: what is read as a receipt stands in the text, and
// there are never more than a few.
func FuzzReceipts(f *testing.F) {
	f.Add([]byte("pathrule-receipt 0123456789abcdef 0 1 " + strings.Repeat("a", 64)))
	f.Add([]byte("pathrule-receipt pathrule-receipt 0123456789abcdef -1 99999999999999999999 "))
	f.Fuzz(func(t *testing.T, text []byte) {
		got := Receipts(text)
		if len(got) > maxReceipts {
			t.Fatalf("%d receipts", len(got))
		}
		for _, c := range got {
			if !strings.Contains(string(text), c.mac) || !strings.Contains(string(text), receiptMark) {
				t.Errorf("%+v is not in %q", c, text)
			}
		}
	})
}

// Whatever stands in a log: replaying never fails, forgets nothing that was
// edited after the last good run, and invents no path.
func FuzzReplay(f *testing.F) {
	f.Add("e\tw/a\tp\nb\tw/a\t1\ne\tw/a\tq\np\tw/a\t1\nf\tw/a\tit failed\nh\nt\tw/a\t\n")
	f.Add("e\tw/a\tp\ne\tw/a\tp\nb\tw/a\t1\nb\tw/a\t2\np\tw/a\t2\np\tw/a\t1\n")
	f.Add("b\tw/a\t1\ne\tw/a\tp\np\tw/a\t1\nf\tw/a\tit failed\np\tw/a\t\n")
	f.Add("x\ne\ne\t\ne\t/\t\np\tw/")
	f.Fuzz(func(t *testing.T, text string) {
		s := replay(text)
		for _, w := range s.Waits {
			for _, p := range w.Paths {
				if p != "" && !strings.Contains(text, "e\t") {
					t.Errorf("%q was never edited", p)
				}
			}
		}
		if !strings.HasSuffix(text, "\n") && text != "" {
			return
		}
		after := replay(text + "e\tzz/zz\tnew\n")
		if !slices.ContainsFunc(after.Waits, func(w *Wait) bool {
			return w.Check == Check{"zz", "zz"} && (slices.Contains(w.Paths, "new") || len(w.Paths) == maxPaths)
		}) {
			t.Errorf("an edit is forgotten: %+v", after)
		}
	})
}
