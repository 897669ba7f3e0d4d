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
