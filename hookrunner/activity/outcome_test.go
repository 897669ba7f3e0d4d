package activity

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// P27: of the sessions that were told an entry, how many changed what it is
// about afterwards, and whose change was committed.
func TestWhatCameOfTellingAnEntry(t *testing.T) {
	tell := func(session string, at int64, op, id string) Record {
		return Record{Kind: Told, At: at, Host: "h", Session: session, Op: op, What: "ws/memory:" + id}
	}
	about := func(entry, path string) bool {
		return strings.HasSuffix(entry, ":retries") && strings.HasPrefix(path, "src/pay/") || strings.HasSuffix(entry, ":cart") && strings.HasPrefix(path, "web/")
	}
	recs := []Record{
		tell("a", 10, "card", "retries"), tell("a", 11, "body", "retries"), tell("a", 11, "body", "cart"),
		in("a", 20, "read", "web/cart.ts"), // looking is not using
		in("a", 21, "edit", "src/pay/a.go"),
		in("b", 5, "edit", "src/pay/a.go"), // before it was told
		tell("b", 10, "body", "retries"),
		tell("c", 10, "body", "retries"),
		in("c", 30, "create", "src/pay/b.go"), // never committed
		tell("d", 10, "name", "retries"),      // a name says nothing
		tell("", 10, "body", "retries"),       // nobody's session
	}
	commits := func(path string) []int64 {
		switch path {
		case "src/pay/a.go":
			return []int64{15, 25}
		case "src/pay/b.go":
			return []int64{29, 31 + committedWithin}
		}
		return nil
	}
	want := []Outcome{{"ws/memory:retries", 3, 2, 1}, {"ws/memory:cart", 1, 0, 0}}
	if d := cmp.Diff(want, Outcomes(recs, about, commits)); d != "" {
		t.Error(d)
	}
	want[0].Committed = 0
	if d := cmp.Diff(want, Outcomes(recs, about, nil)); d != "" {
		t.Errorf("without git: %s", d)
	}
}
