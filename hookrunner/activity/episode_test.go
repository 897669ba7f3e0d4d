package activity

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func in(session string, at int64, op, path string) Record {
	return Record{Kind: Touched, At: at, Host: "h", Session: session, Op: op, What: path}
}

func prompt(session string, at int64, aim string) Record {
	return Record{Kind: Aim, At: at, Host: "h", Session: session, Op: "prompt", What: aim}
}

// P23, P24: a new stretch begins after half an hour, or where another session or
// another prompt works on what shares neither a path nor a subject; confidence
// follows the number of paths. What a prompt brought belongs to the work after it.
func TestEpisodes(t *testing.T) {
	got := Episodes([]Record{
		{Kind: Since, At: 1},
		{Kind: Told, At: 5, Session: "a", What: "ws/memory:brought"},
		in("a", 10, "read", "src/billing/client.go"),
		in("a", 20, "edit", "src/billing/retry.go"),
		in("b", 30, "read", "web/cart.ts"),
		in("c", 40, "edit", "src/billing/tax.go"), // shares a folder
		{Kind: Told, At: 45, Session: "a", What: "ws/memory:retries"},
		in("a", 50, "edit", "src/billing/retry.go"),
		{Kind: Wrote, At: 60, Op: "create", What: "ws/memory:tax-rounds"}, // from a terminal
		in("a", 50+gap+1, "read", "src/billing/client.go"),
		in("a", 50+gap+2, "create", "src/billing/refund.go"),
		prompt("a", 50+gap+3, "bug"),
		{Kind: Told, At: 50 + gap + 4, Session: "a", What: "ws/memory:helm"},
		in("a", 50+gap+5, "edit", "infra/helm/values.yaml"), // another prompt, another subject
		in("a", 50+gap+6, "edit", "Makefile"),               // the same prompt
		prompt("a", 50+gap+7, "unknown"),
		in("a", 50+gap+8, "edit", "src/billing/refund_test.go"), // back to the first
	})
	want := []Episode{
		{Start: 10, End: 50, Title: "billing, retry, client", Subjects: []string{"billing", "retry", "client", "tax"},
			Action: Update, Domain: Backend, Scope: Project, Areas: []Area{{Backend, 3}},
			Edited: []string{"src/billing/retry.go", "src/billing/tax.go"}, Read: []string{"src/billing/client.go"},
			Entries: []string{"memory:brought", "memory:retries"}, Wrote: []string{"memory:tax-rounds"},
			Hosts: []string{"h"}, Sessions: []string{"a", "c"}, Touches: 4, Confidence: "high"},
		{Start: 30, End: 30, Title: "cart, web", Subjects: []string{"cart", "web"}, Action: Look, Domain: UI, Scope: Project, Areas: []Area{{UI, 1}},
			Edited: []string{}, Read: []string{"web/cart.ts"}, Entries: []string{}, Wrote: []string{},
			Hosts: []string{"h"}, Sessions: []string{"b"}, Touches: 1, Confidence: "low"},
		{Start: 51 + gap, End: 58 + gap, Title: "billing, refund, client", Subjects: []string{"billing", "refund", "client"},
			Action: Update, Domain: Backend, Scope: Project, Areas: []Area{{Backend, 2}, {Test, 1}},
			Edited: []string{"src/billing/refund.go", "src/billing/refund_test.go"}, Read: []string{"src/billing/client.go"}, Entries: []string{}, Wrote: []string{},
			Hosts: []string{"h"}, Sessions: []string{"a"}, Touches: 3, Confidence: "high"},
		{Start: 55 + gap, End: 56 + gap, Title: "helm, infra, makefile", Subjects: []string{"helm", "infra", "makefile", "values"},
			Action: Fix, Domain: Config, Scope: Project, Areas: []Area{{Config, 1}, {Infra, 1}},
			Edited: []string{"Makefile", "infra/helm/values.yaml"}, Read: []string{}, Entries: []string{"memory:helm"}, Wrote: []string{},
			Hosts: []string{"h"}, Sessions: []string{"a"}, Touches: 2, Confidence: "medium"},
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Episode{})); d != "" {
		t.Error(d)
	}
}

// P24: at most 8 subjects and 20 paths, the title from the first three subjects.
func TestAnEpisodeIsBounded(t *testing.T) {
	var recs []Record
	for i := range 30 {
		recs = append(recs, in("a", int64(10+i), "edit", "payments/"+strings.Repeat(string(rune('a'+i%26)), 4+i/26)+".go"))
	}
	e := Episodes(recs)[0]
	if len(e.Subjects) != 8 || len(e.Edited)+len(e.Read) != 20 || e.Touches != 30 || e.Title != "payments, aaaa, aaaaa" {
		t.Errorf("%d subjects, %d paths, %d touches, %q", len(e.Subjects), len(e.Edited), e.Touches, e.Title)
	}
}

// P87: what was written while the work went on, newest five.
func TestWhatWasWrittenMeanwhileIsKept(t *testing.T) {
	recs := []Record{prompt("a", 5, "bug"), in("a", 10, "edit", "src/pay/a.go"), in("b", 11, "edit", "web/b.ts")}
	for i, id := range []string{"one", "two", "three", "two", "four", "five", "six"} {
		recs = append(recs, Record{Kind: Wrote, At: int64(20 + i), Session: "a", Op: "create", What: "ws/memory:" + id})
	}
	recs = append(recs, Record{Kind: Wrote, At: 30 + gap, Op: "create", What: "ws/memory:too-late"})
	got := Episodes(recs)
	want := []string{"memory:six", "memory:five", "memory:four", "memory:two", "memory:three"}
	if d := cmp.Diff(want, got[0].Wrote); d != "" || len(got[1].Wrote) > 0 {
		t.Error(d, got[1].Wrote)
	}
}

// P23: which side of a project a path is, and what in it.
func TestDomainAndScopeOfAPath(t *testing.T) {
	for p, want := range map[string][2]string{
		"src/components/Button.tsx":          {"ui", "component"},
		"app/pages/checkout.vue":             {"ui", "page"},
		"src/hooks/useCart.ts":               {"backend", "hook"},
		"web/useCart.ts":                     {"ui", "hook"},
		"src/user.ts":                        {"backend", "project"},
		"src/stores/cart.ts":                 {"backend", "store"},
		"server/api/orders.go":               {"backend", "api"},
		"app/Http/OrderController.php":       {"backend", "api"},
		"db/migrations/001_init.sql":         {"database", "migration"},
		"billing/alembic/versions/9f_add.py": {"backend", "migration"},
		"src/services/mail.py":               {"backend", "service"},
		"src/MailService.java":               {"backend", "service"},
		"app/models/user.rb":                 {"backend", "model"},
		"pkg/util/strings.go":                {"backend", "util"},
		"src/date-helpers.ts":                {"backend", "util"},
		"infra/main.tf":                      {"infra", "project"},
		".github/workflows/ci.yml":           {"infra", "project"},
		"Dockerfile":                         {"infra", "project"},
		"config/app.yaml":                    {"config", "project"},
		"go.mod":                             {"config", "project"},
		"src/components/Button.test.tsx":     {"test", "component"},
		"billing/client_test.go":             {"test", "project"},
		"tests/test_api.py":                  {"test", "api"},
		"README.md":                          {"docs", "project"},
		"docs/api/orders.md":                 {"docs", "api"},
		"styles/main.scss":                   {"ui", "project"},
		"LICENSE":                            {"general", "project"},
	} {
		if got := [2]string{string(DomainOf(p)), string(ScopeOf(p))}; got != want {
			t.Errorf("%s: %v, want %v", p, got, want)
		}
	}
}

// P23: the action is what the prompt asked for where something was changed, else
// what the tools did.
func TestTheActionOfAStretch(t *testing.T) {
	for name, test := range map[string]struct {
		aim  string
		ops  []string
		want Action
	}{
		"a bug that was looked at": {"bug", []string{"read"}, Look},
		"a bug that was mended":    {"bug", []string{"read", "edit"}, Fix},
		"a refactoring":            {"refactor", []string{"edit", "create"}, Refactor},
		"a look":                   {"ui", []string{"edit"}, Style},
		"new files":                {"unknown", []string{"create", "create", "edit"}, Create},
		"files that went":          {"known_file", []string{"delete", "read"}, Delete},
		"changed files":            {"explore", []string{"edit", "create"}, Update},
		"changed files, no prompt": {"", []string{"edit"}, Update},
	} {
		t.Run(name, func(t *testing.T) {
			var recs []Record
			if test.aim != "" {
				recs = append(recs, prompt("a", 5, test.aim))
			}
			for i, op := range test.ops {
				recs = append(recs, in("a", int64(10+i), op, "src/f"+string(rune('a'+i))+".go"))
			}
			if got := Episodes(recs)[0].Action; got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	made := Episodes([]Record{in("a", 1, "create", "src/a.go"), in("a", 2, "edit", "src/a.go")})
	if made[0].Action != Create {
		t.Errorf("what was made and then edited: %s", made[0].Action)
	}
}

// P85: the five paths that were touched most within a week.
func TestHotPathsAreOfOneWeek(t *testing.T) {
	now := time.Unix(1_900_000_000, 0)
	at := func(days int) int64 { return now.Unix() - int64(days)*24*60*60 }
	var recs []Record
	for i, p := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		for range 8 - i {
			recs = append(recs, in("s", at(6), "edit", p))
		}
	}
	for range 20 {
		recs = append(recs, in("s", at(8), "edit", "old"))
	}
	if d := cmp.Diff([]string{"a", "b", "c", "d", "e"}, Hot(recs, now)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{}, Hot(recs[len(recs)-1:], now)); d != "" {
		t.Error(d)
	}
}
