package activity

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func in(session string, at int64, op, path string) Record {
	return Record{Kind: Touched, At: at, Host: "h", Session: session, Op: op, What: path}
}

// P24: a new stretch begins after half an hour, or where another session works
// on something else; confidence follows the number of paths.
func TestEpisodes(t *testing.T) {
	got := Episodes([]Record{
		{Kind: Since, At: 1},
		{Kind: Told, At: 5, Session: "a", What: "ws/memory:too-early"},
		in("a", 10, "read", "src/billing/client.go"),
		in("a", 20, "edit", "src/billing/retry.go"),
		in("b", 30, "read", "web/cart.ts"),
		in("c", 40, "edit", "src/billing/tax.go"), // shares a folder
		{Kind: Told, At: 45, Session: "a", What: "ws/memory:retries"},
		in("a", 50, "edit", "src/billing/retry.go"),
		in("a", 50+gap+1, "read", "src/billing/client.go"),
		in("a", 50+gap+2, "create", "src/billing/refund.go"),
	})
	want := []Episode{
		{Start: 10, End: 50, Title: "billing, retry, client", Subjects: []string{"billing", "retry", "client", "tax"},
			Edited: []string{"src/billing/retry.go", "src/billing/tax.go"}, Read: []string{"src/billing/client.go"}, Entries: []string{"memory:retries"},
			Hosts: []string{"h"}, Sessions: []string{"a", "c"}, Touches: 4, Confidence: "high"},
		{Start: 30, End: 30, Title: "cart, web", Subjects: []string{"cart", "web"}, Edited: []string{}, Read: []string{"web/cart.ts"}, Entries: []string{},
			Hosts: []string{"h"}, Sessions: []string{"b"}, Touches: 1, Confidence: "low"},
		{Start: 51 + gap, End: 52 + gap, Title: "billing, client, refund", Subjects: []string{"billing", "client", "refund"},
			Edited: []string{"src/billing/refund.go"}, Read: []string{"src/billing/client.go"}, Entries: []string{},
			Hosts: []string{"h"}, Sessions: []string{"a"}, Touches: 2, Confidence: "medium"},
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Episode{})); d != "" {
		t.Error(d)
	}
}
