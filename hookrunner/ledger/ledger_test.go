package ledger

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pathrule/slice"
)

// clock is a store's clock that tests move by hand.
type clock struct{ t time.Time }

func newStore(t *testing.T) (Store, *clock) {
	c := &clock{time.Now()}
	return Store{Dir: t.TempDir(), Now: func() time.Time { return c.t }}, c
}

var key = Key{Host: "claude-code", Workspace: "0123456789abcdef", Session: "s1"}

func open(t *testing.T, s Store, k Key) *Ledger {
	t.Helper()
	l, _, err := s.Open(k)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func record(t *testing.T, l *Ledger, items ...Sent) []Sent {
	t.Helper()
	won, err := l.Record(items)
	if err != nil {
		t.Fatal(err)
	}
	return won
}

func item(key, hash string, f slice.Form) Sent { return Sent{Key: key, Hash: hash, Form: f} }

func TestOpenMakesNoFile(t *testing.T) {
	s, _ := newStore(t)
	l, fresh, err := s.Open(key)
	if err != nil || !fresh || l.Age() != 0 || l.Started() {
		t.Errorf("fresh %t, age %v, started %t, %v", fresh, l.Age(), l.Started(), err)
	}
	if entries, _ := os.ReadDir(s.Dir); len(entries) != 0 {
		t.Errorf("made %v", entries)
	}
}

func TestAnItemComesAgainOnlyHigherOrNew(t *testing.T) {
	s, _ := newStore(t)
	name, card, body := item("w/rule:a", "h1", slice.Name), item("w/rule:a", "h1", slice.Card), item("w/rule:a", "h1", slice.Body)
	for _, step := range []struct {
		why  string
		item Sent
		won  bool
	}{
		{"first as a card", card, true},
		{"again as a card", card, false},
		{"lower, as a name", name, false},
		{"higher, as a body", body, true},
		{"again as a body", body, false},
		{"an edited one as a name", item("w/rule:a", "h2", slice.Name), true},
		{"the edited one as a body", item("w/rule:a", "h2", slice.Body), true},
		{"edited back: the last told text was another", body, true},
	} {
		// Each step is a process of its own.
		l := open(t, s, key)
		if won := record(t, l, step.item); (len(won) == 1) != step.won {
			t.Errorf("%s: won %v", step.why, won)
		}
		for _, l := range []*Ledger{l, open(t, s, key)} {
			if l.Has(step.item.Key, step.item.Hash) < step.item.Form {
				t.Errorf("%s: not known afterwards", step.why)
			}
		}
	}
}

func TestResetsByReason(t *testing.T) {
	for reason, c := range map[string]struct {
		before  []string
		started bool
	}{
		"startup":  {nil, true},
		"clear":    {nil, true},
		"fork":     {nil, true},
		"odd one":  {nil, true},
		Compact:    {[]string{"b", "a"}, true},
		PreCompact: {[]string{"b", "a"}, false},
		Cleared:    {nil, false},
	} {
		t.Run(reason, func(t *testing.T) {
			s, _ := newStore(t)
			l := open(t, s, key)
			record(t, l, item("b", "1", slice.Body), item("a", "1", slice.Name))
			if err := l.Reset(reason); err != nil {
				t.Fatal(err)
			}
			for _, l := range []*Ledger{l, open(t, s, key)} {
				if l.Has("b", "1") != slice.None || len(l.Told()) != 0 {
					t.Errorf("still told: %v", l.Told())
				}
				if d := cmp.Diff(c.before, l.Before()); d != "" {
					t.Errorf("before -want +got:\n%s", d)
				}
				if l.Started() != c.started {
					t.Errorf("started %t", l.Started())
				}
			}
			if _, fresh, _ := s.Open(key); fresh {
				t.Error("the session is forgotten")
			}
		})
	}
}

// The work goes on after a compaction: what the last prompt touched on stays, and
// is none of the names of what was told.
func TestACompactionKeepsWhatThePromptTouchedOn(t *testing.T) {
	s, _ := newStore(t)
	l := open(t, s, key)
	record(t, l, item("a", "1", slice.Body), item(slice.TaskKey, "t1", slice.Name), item("b", "1", slice.Name))
	for _, reason := range []string{PreCompact, Compact, PreCompact} {
		l.Reset(reason)
		l = open(t, s, key)
		if task, ok := l.Last(slice.TaskKey); !ok || task != "t1" || l.Has("a", "1") != slice.None {
			t.Fatalf("after %s: task %q %t, told %v", reason, task, ok, l.Told())
		}
		if d := cmp.Diff([]string{"a", slice.TaskKey, "b"}, l.Before()); d != "" {
			t.Fatalf("names after %s -want +got:\n%s", reason, d)
		}
	}
	for _, reason := range []string{"clear", Cleared, "startup"} {
		l = open(t, s, key)
		record(t, l, item(slice.TaskKey, "t1", slice.Name))
		l.Reset(reason)
		if task, ok := open(t, s, key).Last(slice.TaskKey); ok {
			t.Errorf("after %s the task %q is left", reason, task)
		}
	}
}

func TestTwoResetsInARowKeepTheNames(t *testing.T) {
	s, _ := newStore(t)
	l := open(t, s, key)
	record(t, l, item("a", "1", slice.Body))
	l.Reset(PreCompact)
	l = open(t, s, key)
	l.Reset(Compact)
	if d := cmp.Diff([]string{"a"}, open(t, s, key).Before()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestBodiesInTheOrderTold(t *testing.T) {
	s, _ := newStore(t)
	l := open(t, s, key)
	record(t, l, item("c", "1", slice.Body), item("a", "1", slice.Card), item("b", "1", slice.Body))
	record(t, l, item("a", "1", slice.Body))
	if d := cmp.Diff([]string{"c", "a", "b"}, open(t, s, key).Bodies()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestARecordEndsAfterSevenDays(t *testing.T) {
	for name, c := range map[string]struct {
		key   Key
		after time.Duration
		fresh bool
	}{
		"just inside":                   {key, MaxAge - time.Second, false},
		"just beyond":                   {key, MaxAge + 2*time.Second, true},
		"no session id, within an hour": {Key{Host: "x"}, anonymousAge - time.Second, false},
		"no session id, later":          {Key{Host: "x"}, anonymousAge + 2*time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, now := newStore(t)
			record(t, open(t, s, c.key), item("a", "1", slice.Body))
			now.t = now.t.Add(c.after)
			l, fresh, err := s.Open(c.key)
			if err != nil || fresh != c.fresh || (l.Has("a", "1") == slice.None) != c.fresh {
				t.Errorf("fresh %t, told %v, %v", fresh, l.Told(), err)
			}
			if fresh != (l.Age() == 0) {
				t.Errorf("age %v", l.Age())
			}
			// Telling it again begins the record anew, also for a second process
			// that had seen the old one.
			other := open(t, s, c.key)
			if won := record(t, l, item("a", "1", slice.Body)); (len(won) == 1) != c.fresh {
				t.Errorf("won %v", won)
			}
			if won := record(t, other, item("a", "1", slice.Body)); len(won) != 0 {
				t.Errorf("the second process won %v", won)
			}
			if open(t, s, c.key).Started() {
				t.Error("counts as started")
			}
		})
	}
}

func TestATornLineIsIgnoredAndSpoilsNothing(t *testing.T) {
	s, _ := newStore(t)
	record(t, open(t, s, key), item("a", "1", slice.Body), item("b", "1", slice.Body))
	whole, err := os.ReadFile(s.path(key))
	if err != nil {
		t.Fatal(err)
	}
	for cut := len(whole) - 1; cut > 0; cut-- {
		if err := os.WriteFile(s.path(key), whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		l := open(t, s, key)
		if n := strings.Count(string(whole[:cut]), "\n"); len(l.Told()) != n {
			t.Fatalf("cut at %d: told %v", cut, l.Told())
		}
		record(t, l, item("c", "1", slice.Body))
		if got := open(t, s, key).Has("c", "1"); got != slice.Body {
			t.Fatalf("cut at %d: the next line is lost", cut)
		}
	}
}

func TestGarbageIsSkipped(t *testing.T) {
	s, _ := newStore(t)
	os.MkdirAll(filepath.Dir(s.path(key)), 0o700)
	text := "\x00\xff\ni\ni 5\ni 5 b\ni 5 z h k\ni x b h k\ni NOW b h good\nq 5 what\nr\nf\ni -1 b h k\n\n"
	text = strings.Replace(text, "NOW", strconv.FormatInt(time.Now().Unix(), 10), 1)
	if err := os.WriteFile(s.path(key), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l := open(t, s, key)
	if d := cmp.Diff([]Sent{{"good", "h", slice.Body}}, l.Told()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestAFolderInTheWayIsAnErrorAndAnEmptyLedger(t *testing.T) {
	s, _ := newStore(t)
	if err := os.MkdirAll(s.path(key), 0o700); err != nil {
		t.Fatal(err)
	}
	l, fresh, err := s.Open(key)
	if err == nil || !fresh {
		t.Errorf("fresh %t, %v", fresh, err)
	}
	items := []Sent{item("a", "1", slice.Body)}
	won, err := l.Record(items)
	if err == nil {
		t.Error("recorded into a folder")
	}
	if d := cmp.Diff(items, won); d != "" {
		t.Errorf("unrecorded items are the caller's all the same; -want +got:\n%s", d)
	}
	if l.Has("a", "1") != slice.None {
		t.Error("counts as told though nothing was recorded")
	}
}

func TestOddIDsAreHashedAndStayInTheFolder(t *testing.T) {
	s, _ := newStore(t)
	long := strings.Repeat("x", 129)
	paths := map[string]string{}
	for _, id := range []string{"", "a/b", "../../x", "a b", long, long + "y", "dot.", "ü", "~", "=", "plain", "A.b_c-1", strings.Repeat("y", 128)} {
		p := s.path(Key{Host: "codex", Workspace: "w", Session: id})
		if filepath.Dir(p) != filepath.Join(s.Dir, sessionsDir) || len(filepath.Base(p)) > 255 {
			t.Errorf("%q lies at %s", id, p)
		}
		if other, twice := paths[p]; twice {
			t.Errorf("%q and %q share %s", id, other, p)
		}
		paths[p] = id
	}
	if p := s.path(Key{Host: "codex", Workspace: "w", Session: "plain", Agent: "a1"}); filepath.Base(p) != "codex~w~plain~a1" {
		t.Errorf("a plain id lies at %s", p)
	}
}

func TestSubagentsHaveTheirOwnRecord(t *testing.T) {
	s, _ := newStore(t)
	agent := key
	agent.Agent = "a1"
	record(t, open(t, s, key), item("a", "1", slice.Body))
	if l := open(t, s, agent); l.Has("a", "1") != slice.None {
		t.Error("the agent has what the parent was told")
	}
	record(t, open(t, s, agent), item("b", "1", slice.Body))
	if l := open(t, s, key); l.Has("b", "1") != slice.None {
		t.Error("the parent has what the agent was told")
	}
	other := key
	other.Session = "s2"
	record(t, open(t, s, other), item("c", "1", slice.Body))
	s.DropAgents(key)
	if l := open(t, s, agent); len(l.Told()) != 0 {
		t.Error("the agent's record stays")
	}
	if len(open(t, s, key).Told()) != 1 || len(open(t, s, other).Told()) != 1 {
		t.Error("more than the agent's record went")
	}
}

func TestFilesAreForTheOwnerAlone(t *testing.T) {
	if os.PathSeparator != '/' {
		t.Skip("no permission bits here")
	}
	s, _ := newStore(t)
	s.Dir = filepath.Join(s.Dir, "state")
	record(t, open(t, s, key), item("a", "1", slice.Body))
	s.Claim("x", time.Second)
	s.Stamp("h", "e", "w")
	filepath.WalkDir(s.Dir, func(p string, d os.DirEntry, _ error) error {
		st, err := d.Info()
		if err != nil {
			t.Fatal(err)
		}
		want := os.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if st.Mode().Perm() != want {
			t.Errorf("%s has mode %o", p, st.Mode().Perm())
		}
		return nil
	})
}

func TestARecordHoldsIDsAndHashesOnly(t *testing.T) {
	s, now := newStore(t)
	now.t = time.Unix(1796000000, 0)
	l := open(t, s, key)
	l.Reset("startup")
	record(t, l, item("w/rule:a b%\n", "0f", slice.Card), item("x:protocol", "", slice.Body))
	l.Tool("", true)
	l.Tool("x:route:src/a b.go", true)
	l.Tell(Telling{Tokens: 40, Limit: 100})
	l.Reset(PreCompact)
	l.Tell(Telling{Start: true})
	l.End()
	got, err := os.ReadFile(s.path(key))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"r T startup", "i T c 0f w/rule:a%20b%25%0A", "i T b - x:protocol", "t T", "t T", "f T x:route:src/a%20b.go", "u T 40", "r T PreCompact", "s T", "e T", "",
	}, "\n")
	if d := cmp.Diff(strings.ReplaceAll(want, "T", "1796000000"), string(got)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	l = open(t, s, key)
	if d := cmp.Diff([]string{"w/rule:a b%\n", "x:protocol"}, l.Before()); d != "" || !l.Started() || l.Spent() != 40 {
		t.Errorf("started %t, spent %d, -want +got:\n%s", l.Started(), l.Spent(), d)
	}
}

func TestAnAnswerThatBeginsTheRecordAnew(t *testing.T) {
	s, _ := newStore(t)
	l := open(t, s, key)
	record(t, l, item("a", "1", slice.Body), item("b", "1", slice.Body))
	won, err := l.Tell(Telling{Reset: "clear", Items: []Sent{item("a", "1", slice.Name)}})
	if err != nil || len(won) != 1 {
		t.Fatalf("won %v, %v", won, err)
	}
	l = open(t, s, key)
	if d := cmp.Diff([]Sent{item("a", "1", slice.Name)}, l.Told()); d != "" || !l.Started() {
		t.Errorf("started %t, -want +got:\n%s", l.Started(), d)
	}
}

func TestTokensOfASessionAreSpentOnce(t *testing.T) {
	s, _ := newStore(t)
	a, b := open(t, s, key), open(t, s, key)
	tell := func(l *Ledger, k string, n int) error {
		_, err := l.Tell(Telling{Items: []Sent{item(k, "1", slice.Body)}, Tokens: n, Limit: 600})
		return err
	}
	if err := tell(a, "a", 400); err != nil {
		t.Fatal(err)
	}
	if err := tell(b, "b", 201); err != ErrSpent {
		t.Errorf("601 of 600 tokens: %v", err)
	}
	if b.Has("b", "1") != slice.None {
		t.Error("what was not told counts as told")
	}
	if err := tell(b, "b", 200); err != nil || open(t, s, key).Spent() != 600 {
		t.Errorf("600 of 600: %v, spent %d", err, open(t, s, key).Spent())
	}
	if err := open(t, s, key).Reset("clear"); err != nil || open(t, s, key).Spent() != 600 {
		t.Error("a reset gives the tokens back")
	}
}

func TestTheTwinOfAnEventWinsNothing(t *testing.T) {
	s, _ := newStore(t)
	a, b := open(t, s, key), open(t, s, key)
	tell := func(l *Ledger, event, k string) ([]Sent, error) {
		return l.Tell(Telling{Event: event, Items: []Sent{item(k, "1", slice.Body)}})
	}
	if won, err := tell(a, "e1", "x"); len(won) != 1 || err != nil {
		t.Fatalf("%v, %v", won, err)
	}
	if won, err := tell(b, "e1", "y"); len(won) != 0 || err != ErrTwin {
		t.Errorf("the twin won %v, %v", won, err)
	}
	if open(t, s, key).Has("y", "1") != slice.None {
		t.Error("what the twin planned counts as told")
	}
	// The same event again, later, from what stands in the record now: news.
	if won, err := tell(open(t, s, key), "e1", "y"); len(won) != 1 || err != nil {
		t.Errorf("%v, %v", won, err)
	}
	if won, err := tell(open(t, s, key), "e2", "z"); len(won) != 1 || err != nil {
		t.Errorf("%v, %v", won, err)
	}
	// An event with an id of its own does not come again at once: its slow twin opened the
	// record when the quick one had written it.
	late := open(t, s, key)
	if won, err := late.Tell(Telling{Event: "e2", Once: true, Items: []Sent{item("w", "1", slice.Body)}}); len(won) != 0 || err != ErrTwin {
		t.Errorf("the late twin won %v, %v", won, err)
	}
}

func TestOnceIsOnce(t *testing.T) {
	s, _ := newStore(t)
	if !s.Once("a") || s.Once("a") || !s.Once("b") {
		t.Error("not once")
	}
}

func TestASummaryCoversOneStretch(t *testing.T) {
	s, now := newStore(t)
	if _, ok, err := open(t, s, key).End(); ok || err != nil {
		t.Errorf("a session without a record ends with %t, %v", ok, err)
	}
	l := open(t, s, key)
	l.Reset("startup")
	record(t, l, item("x:route:a", "1", slice.Name), item("w/rule:a", "1", slice.Card))
	record(t, l, item("w/rule:a", "1", slice.Body))
	l.Tool("", true)
	now.t = now.t.Add(90 * time.Second)
	l.Tool("x:route:a", true)
	l.Tool("x:route:a", true)
	sum, ok, err := open(t, s, key).End()
	if want := (Summary{Tools: 3, Routes: 1, Followed: 1, Items: 2, Seconds: 90}); err != nil || !ok || sum != want {
		t.Errorf("%+v, %t, %v; want %+v", sum, ok, err, want)
	}
	now.t = now.t.Add(time.Hour)
	l = open(t, s, key)
	if l.Has("w/rule:a", "1") != slice.Body {
		t.Error("a resumed session has lost what it was told")
	}
	if _, ok, _ := l.End(); ok {
		t.Error("a second end sums up nothing")
	}
	l.Tool("", true)
	if sum, ok, _ := open(t, s, key).End(); !ok || sum != (Summary{Tools: 1}) {
		t.Errorf("second stretch: %+v, %t", sum, ok)
	}
}

func FuzzLine(f *testing.F) {
	f.Add("w/rule:a b", "0f%", 2)
	f.Add("", "", 3)
	f.Add("x:route:\n\x00日", "-", 1)
	f.Fuzz(func(t *testing.T, key, hash string, form int) {
		ln := line{kind: kindItem, at: 7, form: slice.Form(1 + uint(form)%3), hash: hash, a: key}
		out := string(ln.appendTo(nil))
		if strings.Count(out, "\n") != 1 || out[len(out)-1] != '\n' {
			t.Fatalf("%q is not one line", out)
		}
		got, ok := parseLine(out[:len(out)-1])
		if hash == "-" {
			ln.hash = "" // the one spelling that is taken
		}
		if !ok || got != ln {
			t.Fatalf("%q reads back as %+v, %t", out, got, ok)
		}
	})
}
