package health

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/google/go-cmp/cmp"

	"pathrule/index"
	"pathrule/internal/sysenv"
	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
	"pathrule/workspace"
)

var update = flag.Bool("update", false, "record testdata/facts.txt anew")

// texts are entries in many ways of writing, by file.
var texts = map[string]string{
	"memories/retries.md":       "---\ntitle: Stripe retries\npaths: [src/pay]\ncreated: 2024-01-02\nsource: a ticket\nrelated: [rule:mail]\ntags: [pay]\n---\nRetries run three times with jitter, see `client.go`, src/pay/old.go:12 and [the guide](../docs/guide.md).\n",
	"memories/retries-again.md": "---\ntitle: Stripe retries\npaths: [src/gone]\n---\nRetries run three times with jitter, see `client.go`, src/pay/old.go:12 and [the guide](../docs/guide.md). And more.\n",
	"memories/plain.md":         "# A heading\n\nNo head at all. Пишите письма, nicht vergessen, 支払いは三回。https://example.org/a/b is no path, nor is /etc/passwd.\n",
	"memories/hidden.md":        "---\ntitle: Odd\n---\nA\u202eB and\n--- 0123456789abcdef0123\n",
	"memories/empty.md":         "---\ntitle: Empty\n---\n<!-- nothing -->\n",
	"memories/shop.md":          "---\ntitle: Shop\nworkspaces: [shop]\nupdated: 2025-03-04\n---\nThe shop closes at 20:00.\n",
	"rules/mail.md":             "---\ntitle: Never log customer emails\npriority: high\npaths: ['src/**/*.ts']\n---\nHash them first.\n",
	"rules/no-mail.md":          "---\ntitle: Log customer emails\npaths: [src]\n---\nSupport needs them.\n",
	"rules/limit.md":            "---\ntitle: Keep at most 30 lines\n---\nIn every function.\n",
	"rules/limits.md":           "---\ntitle: Keep at most 50 lines\n---\nIn every function.\n",
	"rules/nie.md":              "---\ntitle: Secrets nie einchecken\n---\nNiemals.\n",
	"rules/guarded.md":          "---\ntitle: Guarded\nblock:\n  - pattern: foo\n    message: no\n---\nText of the guarded rule.\n",
	"skills/release/SKILL.md":   "---\nname: release\ndescription: When releasing. Reads docs/release.md\n---\nSteps in `release.sh`.\n",
}

func parsed(t *testing.T, file string) knowledge.Entry {
	t.Helper()
	kind, id, ok := knowledge.Ident(file)
	if !ok {
		t.Fatalf("%s is no entry", file)
	}
	e, _, err := frontmatter.Parse([]byte(texts[file]), kind, id, file)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// again is what a note becomes that was written and read.
func again(t *testing.T, n *note) *note {
	t.Helper()
	got, ok := parseNote(appendNote(nil, n))
	if !ok {
		t.Fatalf("the record of %s is none", n.entry.File)
	}
	return got
}

func TestANoteReadsAsItWasWritten(t *testing.T) {
	for file := range texts {
		e := parsed(t, file)
		n := &note{entry: e, facts: factsOf(&e)}
		// What the reader of a listing knows anyway, and what is never kept.
		n.entry.Kind, n.entry.ID, n.entry.Body, n.entry.Block, n.entry.Check = "", "", "", nil, nil
		if diff := cmp.Diff(n, again(t, n), cmp.AllowUnexported(note{}, Facts{}, print{})); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
	}
	// A field that somebody adds is kept, or stands here.
	not := map[string]bool{"Kind": true, "ID": true, "Body": true, "Block": true, "Check": true}
	n := &note{facts: &Facts{}}
	fill(reflect.ValueOf(&n.entry).Elem(), not)
	got := again(t, n)
	for i, v := 0, reflect.ValueOf(got.entry); i < v.NumField(); i++ {
		if name := v.Type().Field(i).Name; v.Field(i).IsZero() && !not[name] {
			t.Errorf("knowledge.Entry.%s is not kept", name)
		}
	}
}

func fill(v reflect.Value, not map[string]bool) {
	for i := range v.NumField() {
		f := v.Field(i)
		switch {
		case not[v.Type().Field(i).Name]:
		case f.Kind() == reflect.String:
			f.SetString("x")
		case f.Kind() == reflect.Int:
			f.SetInt(300)
		case f.Kind() == reflect.Slice:
			f.Set(reflect.ValueOf([]string{"a", ""}))
		}
	}
}

// What one program kept another reads, as long as both make the same of a text.
func TestFactsChangeWithTheirVersion(t *testing.T) {
	var all []byte
	for _, file := range sortedTexts() {
		e := parsed(t, file)
		all = appendNote(all, &note{entry: e, facts: factsOf(&e)})
	}
	now := fmt.Sprintf("%s%016x\n", magic(), xxhash.Sum64(all))
	golden := filepath.Join("testdata", "facts.txt")
	was, err := os.ReadFile(golden)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if now != string(was) {
		t.Errorf("the facts or the entries of these texts are others than those recorded: raise factsVersion where it stands still, then -update\n got %s want %s", now, was)
	}
}

func sortedTexts() []string {
	var out []string
	for _, k := range knowledge.Kinds {
		var some []string
		for f := range texts {
			if strings.HasPrefix(f, k.Dir()+"/") {
				some = append(some, f)
			}
		}
		slices.Sort(some)
		out = append(out, some...)
	}
	return out
}

// site is a workspace with an index.
type site struct {
	t    *testing.T
	env  sysenv.Env
	ws   *workspace.Workspace
	dirs workspace.Dirs
}

func newSite(t *testing.T) *site {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	vars := map[string]string{"HOME": home, "PATHRULE_HOME": filepath.Join(home, ".pathrule")}
	s := &site{t: t}
	s.env = sysenv.Env{Vars: func(n string) string { return vars[n] }, Cwd: filepath.Join(home, "work"), UserHome: home, Now: time.Now}
	s.dirs = workspace.DirsOf(s.env)
	s.write("src/pay/client.go", "package pay\n")
	for file, text := range texts {
		s.write(".pathrule/"+file, text)
		s.writeAt(filepath.Join(s.dirs.Personal(), filepath.FromSlash(file)), text+"Mine.\n")
	}
	if s.ws, err = workspace.Find(s.env.Cwd, s.env); err != nil {
		t.Fatal(err)
	}
	s.index()
	return s
}

// write writes a file of long ago, so that its size and time prove something.
func (s *site) write(file, text string) {
	s.writeAt(filepath.Join(s.env.Cwd, filepath.FromSlash(file)), text)
}

func (s *site) writeAt(path, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) index() {
	s.t.Helper()
	if _, err := index.Refresh(s.t.Context(), s.ws, s.env, index.Limits{}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) facts() string { return filepath.Join(s.dirs.Cache(s.ws.ID), FactsFile) }

// look reads the stores and gives the findings and what was wrong with files, as
// JSON; with how many entries came without a text.
func (s *site) look() (findings string, recalled int) {
	s.t.Helper()
	r, err := Read(s.ws, s.env)
	if err != nil {
		s.t.Fatal(err)
	}
	found, err := Look(s.t.Context(), s.ws, s.env, r)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, l := range []*Listing{&r.Own, &r.Personal} {
		for i := range l.Entries {
			e := &l.Entries[i]
			if e.Body == "" {
				recalled++
			}
			// Kept or not, text and facts are those of the file.
			whole, _, err := l.Store.Read(e.Kind, e.ID)
			if err != nil {
				s.t.Fatal(err)
			}
			if l.Text(e) != whole.Body {
				s.t.Errorf("text of %s: %q", e.File, l.Text(e))
			}
			if diff := cmp.Diff(factsOf(&whole), l.Facts[i], cmp.AllowUnexported(Facts{}, print{})); diff != "" {
				s.t.Errorf("facts of %s: %s", e.File, diff)
			}
			whole.Body = e.Body
			if diff := cmp.Diff(whole, *e); diff != "" {
				s.t.Errorf("%s: %s", e.File, diff)
			}
		}
	}
	b, err := json.MarshalIndent([]any{found, r.Own.Problems, r.Personal.Problems}, "", " ")
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b), recalled
}

// whole are the findings of somebody who kept nothing: every file is read.
func (s *site) whole() string {
	s.t.Helper()
	aside := s.dirs.Cache(s.ws.ID)
	if err := os.Rename(aside, aside+".aside"); err != nil {
		s.t.Fatal(err)
	}
	got, recalled := s.look()
	if recalled > 0 {
		s.t.Errorf("%d entries were recalled without an index", recalled)
	}
	if _, err := os.Stat(aside); err == nil {
		s.t.Error("facts were kept beside no index")
	}
	if err := os.Rename(aside+".aside", aside); err != nil {
		s.t.Fatal(err)
	}
	return got
}

// plain are the texts of both stores about which there is nothing odd: no block,
// and in the person's own store no lack of text.
const plain = 11 + 12

func TestASecondReadingTellsTheSameWithoutReadingTexts(t *testing.T) {
	s := newSite(t)
	want := s.whole()
	for _, kind := range []Kind{Scope, Conflict, Duplicate, Shadow} {
		if !strings.Contains(want, `"kind": "`+string(kind)+`"`) {
			t.Errorf("nothing of the kind %s is found, so nothing is proved: %s", kind, want)
		}
	}
	for i, recalled := range []int{0, plain, plain} {
		got, n := s.look()
		if n != recalled {
			t.Errorf("reading %d: %d entries came without a text, want %d", i, n, recalled)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("reading %d: %s", i, diff)
		}
	}

	// What changed is read, whether the index knows of it or not, and the rest is not.
	s.write(".pathrule/memories/retries.md", "---\ntitle: Stripe retries\n---\nNothing in common.\n")
	want = s.whole()
	if got, n := s.look(); got != want || n != plain-1 {
		t.Errorf("a changed entry: %d without a text; %s", n, cmp.Diff(want, got))
	}
	s.index()
	if got, n := s.look(); got != want || n != plain {
		t.Errorf("once the index knows: %d without a text; %s", n, cmp.Diff(want, got))
	}
	// As it was before, and kept: the text decides, not which was last.
	s.write(".pathrule/memories/retries.md", texts["memories/retries.md"])
	s.index()
	want = s.whole()
	if got, n := s.look(); got != want || n != plain {
		t.Errorf("an old text: %d without a text; %s", n, cmp.Diff(want, got))
	}
}

func TestADamagedFileOfFactsIsReadAsFarAsItIsSound(t *testing.T) {
	s := newSite(t)
	want, _ := s.look()
	good, err := os.ReadFile(s.facts())
	if err != nil {
		t.Fatal(err)
	}
	try := func(name string, b []byte) {
		t.Helper()
		if err := os.WriteFile(s.facts(), b, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, _ := s.look(); got != want {
			t.Errorf("%s: %s", name, cmp.Diff(want, got))
		}
		// And it is mended for the next one.
		if _, n := s.look(); n != plain {
			t.Errorf("%s: %d recalled afterwards", name, n)
		}
	}
	try("empty", nil)
	try("another version", append([]byte("pathrule-facts 0.0\n"), good[len("pathrule-facts 0.0\n"):]...))
	try("noise", []byte(strings.Repeat("\xff", 4096)))
	try("a tail of noise", append(append([]byte(nil), good...), strings.Repeat("\xff", 40)...))
	try("a tail of nothing", append(append([]byte(nil), good...), make([]byte, 40)...))
	step := len(good)/16 | 1
	for n := 0; n < len(good); n += step {
		try(fmt.Sprintf("cut at %d", n), good[:n])
		b := append([]byte(nil), good...)
		b[n] ^= 0x41
		try(fmt.Sprintf("other byte at %d", n), b)
	}
	// No file can be kept there at all.
	if err := os.Remove(s.facts()); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(s.facts(), 0o700); err != nil {
		t.Fatal(err)
	}
	if got, n := s.look(); got != want || n != 0 {
		t.Errorf("a folder in its place: %d recalled; %s", n, cmp.Diff(want, got))
	}
	left, _ := filepath.Glob(s.facts() + ".new")
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A record with a right checksum that no program of ours wrote.
func TestARecordThatIsNoneIsRefused(t *testing.T) {
	e := parsed(t, "memories/retries.md")
	good := appendNote(nil, &note{entry: e, facts: factsOf(&e)})
	for n := range good {
		if _, ok := parseNote(good[:n]); ok {
			t.Errorf("cut at %d", n)
		}
		for _, x := range []byte{0xff, 0x80, 0x01} {
			b := append([]byte(nil), good...)
			b[n] ^= x
			parseNote(b) // whatever it is, it ends
		}
	}
	if _, ok := parseNote(append(good, 0)); ok {
		t.Error("a byte too many")
	}
}

func TestWhatIsGoneLeavesTheFileOfFacts(t *testing.T) {
	s := newSite(t)
	big := strings.Repeat("Words of many sorts stand here: ", 10)
	for i := range 400 {
		s.write(fmt.Sprintf(".pathrule/memories/many/m%04d.md", i), fmt.Sprintf("%s%d.\n%s", big, i, distinct(i)))
	}
	s.index()
	s.look()
	before, err := os.Stat(s.facts())
	if err != nil {
		t.Fatal(err)
	}
	if before.Size() < 2*keptSlack {
		t.Fatalf("%d bytes prove nothing", before.Size())
	}
	if err := os.RemoveAll(filepath.Join(s.ws.Store, "memories", "many")); err != nil {
		t.Fatal(err)
	}
	s.index()
	s.look()
	after, err := os.Stat(s.facts())
	if err != nil {
		t.Fatal(err)
	}
	if after.Size() > keptSlack/4 {
		t.Errorf("%d bytes are left of %d", after.Size(), before.Size())
	}
	if _, n := s.look(); n != plain {
		t.Errorf("%d recalled afterwards", n)
	}
}

// distinct are 800 words that no other number gives.
func distinct(i int) string {
	var b strings.Builder
	for j := range 800 {
		fmt.Fprintf(&b, "w%dx%d ", i, j)
	}
	return b.String()
}

// Only a little is written for a little that changed.
func TestAChangeIsAppended(t *testing.T) {
	s := newSite(t)
	s.look()
	before, err := os.ReadFile(s.facts())
	if err != nil {
		t.Fatal(err)
	}
	s.write(".pathrule/memories/new.md", "---\ntitle: New\n---\nA new one.\n")
	s.index()
	s.look()
	after, err := os.ReadFile(s.facts())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(after), string(before)) || len(after) == len(before) || len(after) > len(before)+1000 {
		t.Errorf("%d bytes after %d", len(after), len(before))
	}
	s.look()
	if same, err := os.ReadFile(s.facts()); err != nil || string(same) != string(after) {
		t.Errorf("a reading that found nothing new wrote (%v)", err)
	}
}

// Of two runs at once one keeps what it read, and what it wrote is sound.
func TestRunsAtOnceLeaveASoundFile(t *testing.T) {
	s := newSite(t)
	first, second := openKept(s.dirs.Cache(s.ws.ID)), openKept(s.dirs.Cache(s.ws.ID))
	e, o := parsed(t, "memories/retries.md"), parsed(t, "rules/mail.md")
	first.of([]knowledge.Entry{e})
	first.save()
	second.of([]knowledge.Entry{o})
	second.save()
	third, fourth := openKept(s.dirs.Cache(s.ws.ID)), openKept(s.dirs.Cache(s.ws.ID))
	if !third.whole {
		t.Error("the file is damaged")
	}
	third.of([]knowledge.Entry{e, o})
	third.save()
	p := parsed(t, "rules/nie.md")
	fourth.of([]knowledge.Entry{p})
	fourth.save()
	if last := openKept(s.dirs.Cache(s.ws.ID)); !last.whole || len(last.at) < 2 {
		t.Errorf("whole %v, %d notes", last.whole, len(last.at))
	}
}
