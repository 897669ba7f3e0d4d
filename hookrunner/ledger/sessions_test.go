package ledger

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pathrule/slice"
)

// P81: the open stretch of each session, for stats; one that ended is not
// counted twice, a subagent's not at all.
func TestSessionsSumUpWhatIsOpen(t *testing.T) {
	at := time.Unix(1_900_000_000, 0)
	s := Store{Dir: t.TempDir(), Now: func() time.Time { return at }}
	open := func(k Key) *Ledger {
		l, _, err := s.Open(k)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	l := open(Key{"codex", "ws", "one", ""})
	l.Record([]Sent{{"x:route:a.go", "h", slice.Body}, {"ws/memory:a", "h", slice.Body}})
	at = at.Add(time.Minute)
	l.Tool("x:route:a.go", true)
	l.Tool("x:route:a.go", true)
	open(Key{"codex", "ws", "one", "agent"}).Tool("", true)
	open(Key{"codex", "other", "two", ""}).Tool("", true)
	ended := open(Key{"codex", "ws", "three", ""})
	ended.Tool("", true)
	ended.End()
	want := []Session{{Host: "codex", Session: "one", Last: time.Unix(1_900_000_060, 0),
		Summary: Summary{Tools: 2, Routes: 1, Followed: 1, Items: 2, Seconds: 60}}}
	if d := cmp.Diff(want, s.Sessions("ws")); d != "" {
		t.Error(d)
	}
}

// Section 8, the cost line: what the answers of a stretch cost is summed up, once
// for each that told something.
func TestSessionsSumUpWhatTheyCost(t *testing.T) {
	at := time.Unix(1_900_000_000, 0)
	s := Store{Dir: t.TempDir(), Now: func() time.Time { return at }}
	l, _, err := s.Open(Key{"codex", "ws", "one", ""})
	if err != nil {
		t.Fatal(err)
	}
	a := []Sent{{"ws/memory:a", "h", slice.Body}}
	for _, tell := range []Telling{{Items: a, Cost: 300}, {Items: a, Cost: 300}, {Items: []Sent{{"ws/memory:b", "h", slice.Card}}, Cost: 40}, {Cost: 5}, {Items: a}} {
		if _, err := l.Tell(tell); err != nil {
			t.Fatal(err)
		}
	}
	again, _, _ := s.Open(Key{"codex", "ws", "one", ""})
	sum, ok, err := again.End()
	if !ok || err != nil || sum.Tokens != 345 {
		t.Errorf("%d tokens, %v, %v", sum.Tokens, ok, err)
	}
	if sum, _, _ := again.End(); sum.Tokens != 0 {
		t.Errorf("the next stretch begins with %d", sum.Tokens)
	}
}

// Section 8, receipts: which session was told what, when, in which form and
// version; nothing that the record keeps for itself, and no text.
func TestDeliveriesOfEverySession(t *testing.T) {
	at := time.Unix(1_900_000_000, 0)
	s := Store{Dir: t.TempDir(), Now: func() time.Time { return at }}
	tell := func(k Key, items ...Sent) {
		l, _, err := s.Open(k)
		if err == nil {
			_, err = l.Record(items)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	tell(Key{"codex", "ws", "one", ""}, Sent{"x:protocol", "p", slice.Body}, Sent{"ws/memory:a", "h1", slice.Card}, Sent{slice.TaskKey, "t", slice.Name}, Sent{"x:asked:a.go", "1", slice.Name})
	at = at.Add(time.Minute)
	tell(Key{"claude-code", "ws", "two", "agent"}, Sent{"ws/memory:a", "h2", slice.Body})
	tell(Key{"codex", "other", "one", ""}, Sent{"other/memory:b", "h", slice.Body})
	first, second := time.Unix(1_900_000_000, 0), time.Unix(1_900_000_060, 0)
	want := []Delivery{
		{first, "codex", "one", "", "x:protocol", slice.Body, "p"},
		{first, "codex", "one", "", "ws/memory:a", slice.Card, "h1"},
		{second, "claude-code", "two", "agent", "ws/memory:a", slice.Body, "h2"},
	}
	if d := cmp.Diff(want, s.Deliveries("ws", time.Time{})); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(want[2:], s.Deliveries("ws", second)); d != "" {
		t.Error(d)
	}
}
