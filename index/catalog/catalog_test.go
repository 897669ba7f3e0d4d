package catalog

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/internal/atomicfile"
	"pathrule/knowledge"
	"pathrule/workspace"
)

var testRoots = []Root{
	{Owner: "0123456789abcdef", Prefix: "web", Store: filepath.FromSlash("/srv/web/.pathrule")},
	{Owner: "fedcba9876543210", Prefix: "", Store: filepath.FromSlash("/srv/.pathrule")},
	{Owner: Personal, Prefix: "", Store: filepath.FromSlash("/home/u/.pathrule/personal")},
}

func item(root int, kind knowledge.Kind, id, title string, paths ...string) *Item {
	r := Record{
		Kind: kind, ID: id, Owner: testRoots[root].Owner, Prefix: testRoots[root].Prefix,
		Title: title, Line: "Decide " + title, Paths: paths, Priority: knowledge.Medium,
		Hash: fmt.Sprintf("%016x", len(id)*7919+len(title)), File: filepath.Join(testRoots[root].Store, kind.Dir(), filepath.FromSlash(id)+".md"),
		Size: 100, ModTime: 1700000000123456789, BodyOffset: 20, BodyBytes: 80,
	}
	r.Key = r.Owner + "/" + recordKey(kind, id)
	return &Item{Record: r}
}

func encode(t testing.TB, items ...*Item) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, testRoots, items); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// oneFile reads a catalogue that lies in one file.
func oneFile(data []byte) (*Reader, error) {
	l, err := newLayer(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	return stack(l)
}

func read(t testing.TB, data []byte) *Reader {
	t.Helper()
	r, err := oneFile(data)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func all(t testing.TB, r *Reader) []Record {
	t.Helper()
	var out []Record
	if err := r.All(func(rec Record) bool { out = append(out, rec); return true }); err != nil {
		t.Fatal(err)
	}
	return out
}

func ids(cs []Candidate) []string {
	out := make([]string, 0, len(cs))
	for _, c := range cs {
		out = append(out, recordKey(c.Record.Kind, c.Record.ID))
	}
	return out
}

func TestARecordSurvivesWhateverItsTextHolds(t *testing.T) {
	it := item(0, knowledge.Rule, "a/b.c_d-é", "tab\there\nand\\there\r\x1f")
	it.Record.Line = "日本語 — \"quoted\""
	it.Record.Description = "for\tall"
	it.Record.Paths = []string{"src/{a,b}", "!src/a", "with\ttab"}
	it.Record.Tags = []string{"", "x"}
	it.Record.Related = []string{"memory:one"}
	it.Record.Enforcement = "strict"
	it.Record.Priority = knowledge.High
	r := read(t, encode(t, it, item(1, knowledge.Memory, "other", "Other")))
	got, ok, err := r.Lookup(knowledge.Rule, it.Record.ID)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if d := cmp.Diff(it.Record, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if _, ok, err := r.Lookup(knowledge.Rule, "a/b"); ok || err != nil {
		t.Errorf("an entry that is not there was found: %v %v", ok, err)
	}
}

func TestAllIsSortedByKindThenIDAndStops(t *testing.T) {
	r := read(t, encode(t,
		item(1, knowledge.Skill, "a", "S"), item(1, knowledge.Memory, "b", "M"), item(2, knowledge.Memory, "personal/z", "P"),
		item(1, knowledge.Rule, "c", "R"), item(1, knowledge.Memory, "a", "M")))
	var got []string
	for _, rec := range all(t, r) {
		got = append(got, recordKey(rec.Kind, rec.ID))
	}
	want := []string{"memory:a", "memory:b", "memory:personal/z", "rule:c", "skill:a"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	n := 0
	if err := r.All(func(Record) bool { n++; return n < 2 }); err != nil || n != 2 {
		t.Errorf("All went on to %d, %v", n, err)
	}
}

func TestSearchByPath(t *testing.T) {
	r := read(t, encode(t,
		item(1, knowledge.Memory, "file", "File", "src/api/auth.ts"),
		item(1, knowledge.Memory, "folder", "Folder", "src/api"),
		item(1, knowledge.Memory, "sibling", "Sibling", "src/api-old"),
		item(1, knowledge.Memory, "glob", "Glob", "**/*.ts"),
		item(1, knowledge.Memory, "root", "Root only", "*.ts"),
		item(1, knowledge.Rule, "whole", "Whole"),
		item(1, knowledge.Rule, "excluded", "Excluded", "src", "!src/api"),
		item(0, knowledge.Memory, "nested", "Nested", "src"),
	))
	for name, c := range map[string]struct {
		q    Query
		want []string
	}{
		"everything that covers a file, siblings not":       {Query{Paths: []string{"src/api/auth.ts"}}, []string{"memory:file", "memory:folder", "memory:glob", "rule:whole"}},
		"a nested workspace's paths stand below its prefix": {Query{Paths: []string{"web/src/x.go"}}, []string{"memory:nested", "rule:whole"}},
		"one kind":                       {Query{Paths: []string{"src/api/auth.ts"}, Kinds: []knowledge.Kind{knowledge.Rule}}, []string{"rule:whole"}},
		"a glob of the root only":        {Query{Paths: []string{"main.ts"}}, []string{"memory:glob", "memory:root", "rule:whole"}},
		"an exclusion":                   {Query{Paths: []string{"src/db/x.go"}}, []string{"rule:excluded", "rule:whole"}},
		"several paths, each entry once": {Query{Paths: []string{"src/api/a.go", "src/api/b.go"}}, []string{"memory:folder", "rule:whole"}},
		"no path, no text":               {Query{}, []string{}},
	} {
		res, err := r.Search(c.q)
		if err != nil {
			t.Fatal(err)
		}
		// A Result is sorted by key, which begins with the owner.
		got := ids(res.Candidates)
		slices.Sort(got)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
		if res.Docs != 8 || res.Cut != 0 || len(res.Terms) != 0 {
			t.Errorf("%s: docs %d, cut %d, terms %v", name, res.Docs, res.Cut, res.Terms)
		}
	}
	res, err := r.Search(Query{Paths: []string{"docs/x.md", "src/api/auth.ts"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range res.Candidates {
		if c.Record.ID == "file" && (c.Fit != workspace.File || c.Path != "src/api/auth.ts") {
			t.Errorf("the closest path of an entry: %+v", c)
		}
	}
}

func TestSearchByNamesFindsTitlesIDsAndTags(t *testing.T) {
	tagged := item(1, knowledge.Memory, "x1", "Something else")
	tagged.Record.Tags = []string{"observability"}
	r := read(t, encode(t, tagged,
		item(1, knowledge.Memory, "billing/stripe-retries", "Charges are retried twice"),
		item(1, knowledge.Memory, "ja", "認証トークンの保存"),
		item(1, knowledge.Memory, "other", "Unrelated")))
	for text, want := range map[string][]string{
		"how are stripe charges handled": {"memory:billing/stripe-retries"},
		"observability":                  {"memory:x1"},
		"認証について":                         {"memory:ja"},
		"the of and":                     {},
		"":                               {},
	} {
		res, err := r.Search(Query{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, ids(res.Candidates)); d != "" {
			t.Errorf("%q: -want +got\n%s", text, d)
		}
	}
}

func TestCountsByKindAndTopFolder(t *testing.T) {
	r := read(t, encode(t,
		item(1, knowledge.Memory, "a", "A", "src/api", "src/db"), item(1, knowledge.Memory, "b", "B", "docs/**/*.md", "src"),
		item(1, knowledge.Rule, "c", "C"), item(1, knowledge.Rule, "d", "D", "README.md"), item(0, knowledge.Skill, "e", "E", "src")))
	kinds, folders, err := r.Counts()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[knowledge.Kind]int{knowledge.Memory: 2, knowledge.Rule: 2, knowledge.Skill: 1}, kinds); d != "" {
		t.Errorf("kinds: -want +got\n%s", d)
	}
	if d := cmp.Diff(map[string]int{"src": 2, "docs": 1, "": 2, "web": 1}, folders); d != "" {
		t.Errorf("folders: -want +got\n%s", d)
	}
}

// world is the truth that a sequence of WriteNext is held against.
type world struct {
	t     *testing.T
	dir   string
	n     int
	items map[string]*Item
}

func (w *world) gen() string { return filepath.Join(w.dir, fmt.Sprint(w.n)) }

func (w *world) next(c Change) {
	w.t.Helper()
	from := w.gen()
	w.n++
	if err := os.Mkdir(w.gen(), 0o700); err != nil {
		w.t.Fatal(err)
	}
	old, err := OpenDir(from)
	if err != nil {
		w.t.Fatal(err)
	}
	defer old.Close()
	if err := WriteNext(w.gen(), old, from, c, os.Link); err != nil {
		w.t.Fatal(err)
	}
	for _, k := range c.Removed {
		delete(w.items, k)
	}
	for _, it := range c.Updated {
		w.items[it.key()] = it
	}
}

// check compares the layered catalogue with one written at once.
func (w *world) check() {
	w.t.Helper()
	r, err := OpenDir(w.gen())
	if err != nil {
		w.t.Fatal(err)
	}
	defer r.Close()
	fresh := make([]*Item, 0, len(w.items))
	for _, it := range w.items {
		fresh = append(fresh, &Item{Record: it.Record})
	}
	want := read(w.t, encode(w.t, fresh...))
	if d := cmp.Diff(all(w.t, want), all(w.t, r)); d != "" {
		w.t.Fatalf("generation %d, All: -want +got\n%s", w.n, d)
	}
	if r.Len() != want.Len() {
		w.t.Fatalf("generation %d holds %d entries, want %d", w.n, r.Len(), want.Len())
	}
	k1, f1, _ := want.Counts()
	k2, f2, _ := r.Counts()
	if d := cmp.Diff([]any{k1, f1}, []any{k2, f2}); d != "" {
		w.t.Fatalf("generation %d, Counts: -want +got\n%s", w.n, d)
	}
	for _, q := range []Query{
		{Paths: []string{"src/m3/x.go"}, Exhaustive: true}, {Paths: []string{"src/m7/deep/x.go", "docs/y.md"}, Exhaustive: true},
		{Text: "title number 5"}, {Text: "changed"},
	} {
		a, err1 := want.Search(q)
		b, err2 := r.Search(q)
		if err1 != nil || err2 != nil {
			w.t.Fatal(err1, err2)
		}
		if q.Text != "" {
			// Scores of names count hidden records too; what is found may not differ.
			x, y := ids(a.Candidates), ids(b.Candidates)
			slices.Sort(x)
			slices.Sort(y)
			if d := cmp.Diff(x, y); d != "" {
				w.t.Fatalf("generation %d, %+v: -want +got\n%s", w.n, q, d)
			}
			continue
		}
		if d := cmp.Diff(a, b); d != "" {
			w.t.Fatalf("generation %d, %+v: -want +got\n%s", w.n, q, d)
		}
	}
	for key, it := range w.items {
		rec, ok, err := r.Lookup(it.Record.Kind, it.Record.ID)
		if err != nil || !ok || rec.Title != it.Record.Title {
			w.t.Fatalf("generation %d, Lookup %s: %v %v %q", w.n, key, ok, err, rec.Title)
		}
	}
}

func TestLayersAnswerLikeOneFileWrittenAtOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	w := &world{t: t, dir: t.TempDir(), items: map[string]*Item{}}
	make1 := func(i int, title string) *Item {
		kind := knowledge.Kinds[i%3]
		var paths []string
		switch i % 5 {
		case 0:
		case 1:
			paths = []string{"docs"}
		default:
			paths = []string{fmt.Sprintf("src/m%d", i%11)}
		}
		return item(i%2, kind, fmt.Sprintf("e%03d", i), title, paths...)
	}
	var first []*Item
	for i := range 120 {
		it := make1(i, fmt.Sprintf("title number %d", i))
		first = append(first, it)
		w.items[it.key()] = it
	}
	if err := os.Mkdir(w.gen(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.gen(), FileName), encode(t, first...), 0o600); err != nil {
		t.Fatal(err)
	}
	w.check()
	deltas := 0
	for step := range 60 {
		var c Change
		used := map[string]bool{}
		for range 1 + r.IntN(4) {
			it := make1(r.IntN(140), fmt.Sprintf("changed at %d", step))
			if used[it.key()] {
				continue
			}
			used[it.key()] = true
			if r.IntN(4) == 0 {
				c.Removed = append(c.Removed, it.key())
			} else {
				c.Updated = append(c.Updated, it)
			}
		}
		w.next(c)
		if _, err := os.Stat(filepath.Join(w.gen(), DeltaName)); err == nil {
			deltas++
		}
		w.check()
	}
	if deltas < 30 || deltas == 60 {
		t.Errorf("%d of 60 small changes were laid over the file below; the rest were written as one", deltas)
	}
}

func TestALayerOverAnotherFileIsRefused(t *testing.T) {
	w := &world{t: t, dir: t.TempDir(), items: map[string]*Item{}}
	if err := os.Mkdir(w.gen(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.gen(), FileName), encode(t, item(1, knowledge.Memory, "a", "A")), 0o600); err != nil {
		t.Fatal(err)
	}
	w.next(Change{Updated: []*Item{item(1, knowledge.Memory, "b", "B")}})
	other := encode(t, item(1, knowledge.Memory, "a", "A"), item(1, knowledge.Memory, "c", "C"))
	if err := os.Remove(filepath.Join(w.gen(), FileName)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.gen(), FileName), other, 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := OpenDir(w.gen()); err == nil {
		r.Close()
		t.Fatal("two files of different catalogues were read as one")
	}
}

func TestAToolEventReadsAtMost64KiBOfAHundredThousandEntries(t *testing.T) {
	if testing.Short() {
		t.Skip("writes a large catalogue")
	}
	const n = 100_000
	r := rand.New(rand.NewPCG(5, 5))
	exts := []string{"go", "ts", "py", "sql"}
	dir := func(depth int) string {
		parts := make([]string, depth)
		for i := range parts {
			parts[i] = fmt.Sprintf("part%d", r.IntN(9))
		}
		return strings.Join(parts, "/")
	}
	items := make([]*Item, 0, n)
	for i := range n {
		kind := knowledge.Kinds[i%3]
		var paths []string
		switch k := r.IntN(100); {
		case k < 5: // five thousand that speak about everything
		case k < 15: // ten thousand globs that mostly do not match
			paths = []string{fmt.Sprintf("**/*_%d.%s", r.IntN(500), exts[r.IntN(4)])}
		case k < 40:
			paths = []string{dir(2+r.IntN(6)) + fmt.Sprintf("/file%d.go", r.IntN(20))}
		default:
			paths = []string{dir(1 + r.IntN(7))}
		}
		it := item(1, kind, fmt.Sprintf("group%03d/entry-number-%06d", i%700, i), "A title of the usual length, number "+fmt.Sprint(i), paths...)
		it.Record.Line = strings.Repeat("one line that carries the decision ", 4)
		if kind == knowledge.Rule && r.IntN(3) == 0 {
			it.Record.Priority = knowledge.High
		}
		it.Words = []string{}
		items = append(items, it)
	}
	w := &world{t: t, dir: t.TempDir(), items: map[string]*Item{}}
	if err := os.Mkdir(w.gen(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.New(filepath.Join(w.gen(), FileName), func(f io.Writer) error { return Write(f, testRoots, items) }); err != nil {
		t.Fatal(err)
	}
	ask := func(name string) {
		worst, most := int64(0), 0
		for i := range 300 {
			paths := []string{dir(1+i%8) + "/file3.go"}
			rd, err := OpenDir(w.gen())
			if err != nil {
				t.Fatal(err)
			}
			res, err := rd.Search(Query{Paths: paths})
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Candidates) < 10 {
				t.Errorf("%s: %s: only %d candidates", name, paths[0], len(res.Candidates))
			}
			if !slices.ContainsFunc(res.Candidates, func(c Candidate) bool { return c.Fit == workspace.Project && c.Record.Priority == knowledge.High }) {
				t.Errorf("%s: %s: no rule of the whole workspace among %d", name, paths[0], len(res.Candidates))
			}
			if res.Cut == 0 {
				t.Errorf("%s: %s: a bounded answer must say that it is one", name, paths[0])
			}
			worst, most = max(worst, rd.BytesRead()), max(most, len(res.Candidates))
			rd.Close()
		}
		if worst > 64<<10 {
			t.Errorf("%s: one event read %d bytes", name, worst)
		}
		t.Logf("%s: at most %d bytes, %d candidates", name, worst, most)
	}
	ask("one file")
	for range 12 {
		var c Change
		for range 3 {
			it := *items[r.IntN(n)]
			it.Record.Title += " changed"
			c.Updated = append(c.Updated, &it)
		}
		w.next(c)
	}
	if _, err := os.Stat(filepath.Join(w.gen(), DeltaName)); err != nil {
		t.Fatal(err)
	}
	ask("with changes laid over it")
}

func TestDamageIsAnErrorNotAWrongAnswer(t *testing.T) {
	data := encode(t, item(1, knowledge.Memory, "a", "A", "src"), item(1, knowledge.Rule, "b", "B"))
	for name, bad := range map[string][]byte{
		"empty":        {},
		"truncated":    data[:len(data)-10],
		"no head":      append(bytes.Repeat([]byte{'x'}, len(data)-trailerBytes), data[len(data)-trailerBytes:]...),
		"another file": []byte(strings.Repeat("hello world\n", 40)),
	} {
		if r, err := oneFile(bad); err == nil {
			t.Errorf("%s: read as a catalogue of %d entries", name, r.Len())
		}
	}
}

func FuzzADamagedCatalogueNeverPanicsOrInvents(f *testing.F) {
	var items []*Item
	for i := range 60 {
		items = append(items, item(i%2, knowledge.Kinds[i%3], fmt.Sprintf("e%d", i), fmt.Sprintf("title %d", i), fmt.Sprintf("src/m%d", i%5)))
	}
	data := encode(f, items...)
	have := map[string]bool{}
	for _, it := range items {
		have[it.Record.Key+it.Record.Title] = true
	}
	f.Add(uint32(10), []byte("\t\t"), uint32(0))
	f.Add(uint32(len(data)-60), []byte("9999999999"), uint32(0))
	f.Add(uint32(0), []byte{}, uint32(40))
	f.Fuzz(func(t *testing.T, at uint32, with []byte, cut uint32) {
		bad := bytes.Clone(data)
		copy(bad[int(at)%len(bad):], with)
		bad = bad[:len(bad)-int(cut)%len(bad)]
		r, err := oneFile(bad)
		if err != nil {
			return
		}
		check := func(rec Record) bool {
			if !have[rec.Key+rec.Title] {
				t.Fatalf("invented %q %q", rec.Key, rec.Title)
			}
			return true
		}
		_ = r.All(check)
		res, _ := r.Search(Query{Paths: []string{"src/m1/x.go", "web/src/m2/y.go"}, Text: "title 7"})
		for _, c := range res.Candidates {
			check(c.Record)
		}
		_, _, _ = r.Lookup(knowledge.Rule, "e1")
		_ = r.layers[0].items(func(it *Item) error { check(it.Record); return nil })
	})
}
