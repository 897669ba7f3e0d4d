package history

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const day = 24 * 60 * 60

func all(string) bool { return true }

func commit(n int, at int64, subject string, files ...string) Commit {
	return Commit{Hash: fmt.Sprintf("%040x", n), At: at, Words: Terms(subject), Files: files}
}

// past is a small history, newest first: retries live in retry.go and, lately,
// policy.go; every change comes with a line in CHANGES.
func past() []Commit {
	var out []Commit
	at := int64(1_900_000_000)
	for i := range 40 {
		switch {
		case i < 5:
			out = append(out, commit(i, at, "cap the retries of a payment", "src/policy.go", "src/policy_test.go", "CHANGES"))
		case i < 10:
			out = append(out, commit(i, at-400*day, "cap the retries of a payment", "src/retry.go", "CHANGES"))
		default:
			out = append(out, commit(i, at-int64(i)*day, fmt.Sprintf("page %d of the guide", i), fmt.Sprintf("docs/p%d.md", i), "CHANGES"))
		}
	}
	return out
}

func open(t *testing.T, cache string) *Reader {
	t.Helper()
	r, err := Open(cache)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func write(t *testing.T, tip string, commits []Commit, there func(string) bool) *Reader {
	t.Helper()
	dir := t.TempDir()
	if err := Write(dir, tip, commits, there); err != nil {
		t.Fatal(err)
	}
	return open(t, dir)
}

func word(t *testing.T, r *Reader, w string) map[string]float64 {
	t.Helper()
	_, links, err := r.Word(Terms(w)[0])
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, l := range links {
		out[l.Path] = l.Share
	}
	return out
}

// P59, P84: a word of commit subjects leads to the files that changed with it;
// what is old leads less, and what changes with everything is led to by nothing.
func TestAWordLeadsToTheFilesThatChangedWithIt(t *testing.T) {
	r := write(t, "x", past(), all)
	got := word(t, r, "retries")
	if got["src/policy.go"] <= got["src/retry.go"] || got["src/retry.go"] < 0.1 {
		t.Errorf("the newer file counts more: %v", got)
	}
	if _, ok := got["CHANGES"]; ok {
		t.Errorf("a file of every commit is led to: %v", got)
	}
	if got := word(t, r, "unheard"); len(got) != 0 {
		t.Errorf("a word of no subject leads to %v", got)
	}
	docs, _, err := r.Word(Terms("retries")[0])
	if err != nil || docs != 10 {
		t.Errorf("in %d subjects, %v", docs, err)
	}
}

// P84: files that change together, by how much of one's changes the other has.
func TestFilesThatChangeTogether(t *testing.T) {
	r := write(t, "x", past(), all)
	info, ok, err := r.Path("src/policy.go")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if len(info.With) != 1 || info.With[0].Path != "src/policy_test.go" || info.With[0].Share < 0.5 {
		t.Errorf("got %+v", info.With)
	}
	old, _, _ := r.Path("src/retry.go")
	if info.Heat <= old.Heat || old.Heat <= 0 {
		t.Errorf("what changed lately is hotter: %v and %v", info.Heat, old.Heat)
	}
	if _, ok, err := r.Path("src/none.go"); ok || err != nil {
		t.Errorf("a path of no commit: %v, %v", ok, err)
	}
}

// What an older commit did to a file counts for the name that it has now; what
// is gone is never named.
func TestARenamedFileKeepsItsPastAndAGoneOneHasNone(t *testing.T) {
	moved := commit(0, 1_900_000_000, "move", "lib/b.go")
	moved.Moved = [][2]string{{"lib/a.go", "lib/b.go"}}
	first := commit(2, 1_899_999_000, "tidy the ledger", "old/a.go", "gone.go")
	again := commit(1, 1_899_999_500, "move it once more", "lib/a.go")
	again.Moved = [][2]string{{"old/a.go", "lib/a.go"}}
	list := []Commit{moved, again, first}
	for i := range 20 {
		list = append(list, commit(10+i, 1_899_998_000, fmt.Sprint("page ", i), fmt.Sprint("docs/", i)))
	}
	r := write(t, "x", list, func(p string) bool { return p == "lib/b.go" })
	got := word(t, r, "ledger")
	if len(got) != 1 || got["lib/b.go"] == 0 {
		t.Errorf("got %v", got)
	}
}

func TestAChangeOfManyFilesSaysNothing(t *testing.T) {
	c := commit(0, 1_900_000_000, "format everything")
	for i := range MaxFiles + 1 {
		c.Files = append(c.Files, fmt.Sprintf("f%d.go", i))
	}
	if got := word(t, write(t, "x", append(past(), c), all), "format"); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	if got := word(t, write(t, "x", []Commit{c}, all), "format"); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

// The same history is the same bytes, and what was written is read back whole.
func TestTheSameHistoryIsTheSameBytes(t *testing.T) {
	odd := commit(99, 1_800_000_000, "tabs\tand 日本語 in a path", "a\tb/日本.go", `c\d.go`)
	odd.Moved = [][2]string{{"a\nb", "a\tb/日本.go"}}
	in := append(past(), odd)
	var first []byte
	for range 3 {
		dir := t.TempDir()
		if err := Write(dir, "x", in, all); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(dir, FileName))
		if err != nil {
			t.Fatal(err)
		}
		if first != nil && !cmp.Equal(first, b) {
			t.Fatal("other bytes")
		}
		first = b
		got, err := open(t, dir).Commits()
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(in, got); d != "" {
			t.Error(d)
		}
	}
	// A clock that stands elsewhere changes nothing: only distances count.
	later := append([]Commit{}, in...)
	for i := range later {
		later[i].At += 1000 * day
	}
	if d := cmp.Diff(word(t, write(t, "x", in, all), "retries"), word(t, write(t, "x", later, all), "retries")); d != "" {
		t.Errorf("depends on when it was:\n%s", d)
	}
}

// Bounded: one word costs a few blocks, however long the history is.
func TestALookUpReadsLittle(t *testing.T) {
	var in []Commit
	for i := range MaxCommits {
		in = append(in, commit(i, 1_900_000_000-int64(i)*3600, fmt.Sprintf("topic%d of area%d", i%700, i%40),
			fmt.Sprintf("src/area%d/file%d.go", i%40, i%3000), fmt.Sprintf("src/area%d/other%d.go", i%40, i%500)))
	}
	r := write(t, "x", in, all)
	before := r.BytesRead()
	if got := word(t, r, "topic7"); len(got) == 0 {
		t.Fatal("nothing found")
	}
	if n := r.BytesRead() - before; n > 16<<10 {
		t.Errorf("one word reads %d bytes", n)
	}
	if r.Len() != MaxCommits {
		t.Errorf("%d commits", r.Len())
	}
}

func TestADamagedOrForeignFileIsNoHistory(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, "x", past(), all); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, FileName)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]string{
		"empty":           "",
		"cut off":         string(good[:len(good)-10]),
		"another version": strings.Replace(string(good), "\nhistory 1 ", "\nhistory 9 ", 1),
		"something else":  "hello\n",
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(file, []byte(b), 0o600); err != nil {
				t.Fatal(err)
			}
			if r, err := Open(dir); err == nil {
				r.Close()
				t.Error("was opened")
			}
		})
	}
}

func FuzzAnyBytesAreReadOrRefused(f *testing.F) {
	dir := f.TempDir()
	if err := Write(dir, "x", past(), all); err != nil {
		f.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte("\nhistory 1 1 0 x\ncommits 0 0 00000000 -1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, FileName), b, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Open(dir)
		if err != nil {
			return
		}
		defer r.Close()
		_, links, _ := r.Word("retri")
		for _, l := range links {
			if l.Path == "" && l.Share == 0 {
				t.Error("an empty link")
			}
		}
		_, _, _ = r.Path("src/policy.go")
		_, _ = r.Commits()
	})
}
