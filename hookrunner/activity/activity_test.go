package activity

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func touch(at int64, op, path string) Record {
	return Record{Kind: Touched, At: at, Host: "codex", Session: "s1", Op: op, What: path}
}

func told(at int64, key string) Record {
	return Record{Kind: Told, At: at, Host: "codex", Session: "s1", Op: "body", What: key}
}

func TestWhatIsAppendedIsReadBack(t *testing.T) {
	l := Of(t.TempDir(), "ws")
	if recs, err := l.Read(); recs != nil || err != nil {
		t.Fatalf("a log that is not there: %v, %v", recs, err)
	}
	a, b := touch(100, "edit", "src/with blank/100%\n.go"), told(101, "ws/memory:запись")
	if err := l.Append([]Record{a}); err != nil {
		t.Fatal(err)
	}
	if err := l.Append([]Record{b, touch(102, "read", strings.Repeat("x", maxText+1)), touch(102, "read", "")}); err != nil {
		t.Fatal(err)
	}
	got, err := l.Read()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Record{{Kind: Since, At: 100}, a, b}, got); d != "" {
		t.Error(d)
	}
	if st, err := os.Stat(l.Path); err != nil || os.PathSeparator == '/' && st.Mode().Perm() != 0o600 {
		t.Errorf("the file is private: %v, %v", st, err)
	}
}

func TestATornOrOddLineSpoilsNoOther(t *testing.T) {
	good := string(touch(5, "read", "a").appendTo(nil))
	got := parse("x 1 a b c d\nt nonsense\nt 0 a b c d\n\n" + good + "t 6 codex s1 read b")
	if d := cmp.Diff([]Record{touch(5, "read", "a")}, got); d != "" {
		t.Error(d)
	}
}

func TestAFullLogTakesNoMore(t *testing.T) {
	l := Of(t.TempDir(), "ws")
	os.MkdirAll(filepath.Dir(l.Path), 0o700)
	if err := os.WriteFile(l.Path, make([]byte, MaxFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.Append([]Record{touch(1, "read", "a")}); err != nil {
		t.Fatal(err)
	}
	if st, _ := os.Stat(l.Path); st.Size() != MaxFile+1 {
		t.Errorf("grew to %d bytes", st.Size())
	}
}

func TestCompactKeepsTheLastTellingOfEachEntryAndTheNewestPaths(t *testing.T) {
	l := Of(t.TempDir(), "ws")
	base := int64(1_900_000_000)
	long := strings.Repeat("p", 1000)
	recs := []Record{told(base, "ws/memory:old"), told(base+1, "ws/memory:a"), told(base+1, "ws/memory:"+long)}
	for i := range int64(700) {
		recs = append(recs, touch(base+2+i, "read", long))
	}
	recs = append(recs, told(base+900, "ws/memory:a"))
	if err := l.Append(recs); err != nil {
		t.Fatal(err)
	}
	if err := l.Compact(time.Unix(base+1000, 0)); err != nil {
		t.Fatal(err)
	}
	got, err := l.Read()
	if err != nil {
		t.Fatal(err)
	}
	st, _ := os.Stat(l.Path)
	if st.Size() > keepBytes+100 {
		t.Errorf("%d bytes are left", st.Size())
	}
	last, since := LastTold(got)
	// One entry's telling had no room, so that the log does not know of then.
	if d := cmp.Diff(map[string]int64{"ws/memory:old": base, "ws/memory:a": base + 900}, last); d != "" || since != base+2 {
		t.Errorf("since %d\n%s", since-base, d)
	}
	if newest := got[len(got)-2]; newest.At != base+701 {
		t.Errorf("the newest path is of %d", newest.At-base)
	}
	small := Of(t.TempDir(), "ws")
	small.Append([]Record{touch(1, "read", "a")})
	if err := small.Compact(time.Unix(base, 0)); err != nil {
		t.Fatal(err)
	}
	if got, _ := small.Read(); len(got) != 2 {
		t.Errorf("a small log is left alone, got %v", got)
	}
}

func TestPruneForgetsAndSaysSince(t *testing.T) {
	l := Of(t.TempDir(), "ws")
	if n, err := l.Prune(time.Unix(50, 0)); n != 0 || err != nil {
		t.Errorf("nothing to prune: %d, %v", n, err)
	}
	l.Append([]Record{touch(10, "read", "a"), told(20, "ws/memory:a"), touch(100, "edit", "b")})
	n, err := l.Prune(time.Unix(50, 0))
	if n != 2 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	got, _ := l.Read()
	if d := cmp.Diff([]Record{{Kind: Since, At: 50}, touch(100, "edit", "b")}, got); d != "" {
		t.Error(d)
	}
	if n, err := l.Prune(time.Unix(200, 0)); n != 1 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	if _, err := os.Stat(l.Path); !os.IsNotExist(err) {
		t.Errorf("an empty log is no file: %v", err)
	}
}

func FuzzLinesComeBackAsTheyWere(f *testing.F) {
	f.Add("codex", "s1", "edit", "src/a b%.go", int64(5))
	f.Add("", "=abc", "read", "日本\u2028語\r\n", int64(1))
	f.Fuzz(func(t *testing.T, host, session, op, what string, at int64) {
		r := Record{Kind: Touched, At: at, Host: host, Session: session, Op: op, What: what}
		got, ok := parseLine(string(r.appendTo(nil)))
		if ok != (what != "" && at > 0) {
			t.Fatalf("%+v: read %v", r, ok)
		}
		if ok && got != r {
			t.Errorf("got %+v, want %+v", got, r)
		}
	})
}
