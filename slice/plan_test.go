package slice

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"pathrule/index/catalog"
	"pathrule/knowledge"
	"pathrule/workspace"
)

const owner = "0123456789abcdef"

var harborWS = &workspace.Workspace{Root: "/home/dev/harbor", ID: owner}

func tools(tool string) string { return "mcp__pathrule__" + tool }

// record is a session's ledger in memory.
type record map[string]struct {
	hash string
	form Form
}

func (r record) Has(key, hash string) Form {
	if s, ok := r[key]; ok && s.hash == hash {
		return s.form
	}
	return None
}

func (r record) told(p Plan) {
	put := func(key, hash string, f Form) {
		r[key] = struct {
			hash string
			form Form
		}{hash, f}
	}
	for _, it := range p.Items {
		put(it.Key, it.Hash, it.Form)
	}
	for _, x := range p.Extras {
		put(x.Key, x.Hash, Body)
	}
}

func mustMake(t testing.TB, in In) Plan {
	t.Helper()
	if in.Workspace == nil {
		in.Workspace = harborWS
	}
	if f, ok := in.Source.(*fake); ok && in.Exists == nil {
		in.Exists = f.exists
	}
	p, err := Make(in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// forms lists a plan's items: "kind:id form".
func forms(p Plan) []string {
	out := []string{}
	for _, it := range p.Items {
		out = append(out, string(it.Kind)+":"+it.ID+" "+it.Form.String())
	}
	return out
}

func leftWhy(p Plan, key string) string {
	for _, l := range p.LeftOut {
		if string(l.Kind)+":"+l.ID == key {
			return l.Why
		}
	}
	return ""
}

// The texts of every channel, as a reader would see them.
func TestGoldenTexts(t *testing.T) {
	harbor, orchard := readEntries(t, "harbor"), readEntries(t, "orchard")
	team := "# Harbor\n<!-- internal -->\nWe ship on Tuesdays. Ask #harbor-ops before touching customs.\n\nMore lines follow here and are long enough not to fit into the protocol's room at all, whatever its size.\n"
	for name, in := range map[string]In{
		"session":           {Channel: Session, Team: team, ToolName: tools},
		"session-no-tools":  {Channel: Session},
		"compact":           {Channel: Compact, ToolName: tools, Parent: []string{owner + "/memory:ledger/rounding", owner + "/rule:error-codes"}},
		"subagent":          {Channel: Subagent, Parent: []string{owner + "/memory:ledger/rounding", owner + "/rule:error-codes"}},
		"tool-file":         {Channel: Tool, Paths: []string{"services/booking/handler.go"}},
		"tool-two-files":    {Channel: Tool, Paths: []string{"web/portal/src/Header.tsx", "db/migrations/0043_new.sql"}},
		"tool-new-file":     {Channel: Tool, Paths: []string{"services/customs/new.go"}},
		"prompt-two":        {Channel: Prompt, Prompt: "a rounding mistake in an invoice line: do I update the ledger entry or add a reversing one?"},
		"prompt-path":       {Channel: Prompt, Prompt: "fix the crash in services/ledger/fx.go:12"},
		"prompt-base-name":  {Channel: Prompt, Prompt: "refactor client.go:88 so that it is easier to read"},
		"prompt-skill-name": {Channel: Prompt, Prompt: "cut the weekly release"},
		"prompt-skill-body": {Channel: Prompt, Prompt: "::release-train please"},
		"prompt-command":    {Channel: Prompt, Prompt: "run the tests"},
		"prompt-overview":   {Channel: Prompt, Prompt: "give me an overview of this repo", ToolName: tools},
		"prompt-japanese":   {Channel: Prompt, Prompt: "廃止した棚番号を再利用してもいい?", Source: orchard},
		"prompt-unseen":     {Channel: Prompt, Prompt: "How do we round amounts on an invoice line, half to even? Is there a calculator to check it with?", Unseen: true, UnseenTokens: 600},
		"prompt-proof":      {Channel: Prompt, Prompt: "How do we round amounts on an invoice line?", Settings: workspace.Settings{Proof: "compact", Acknowledge: "line"}, Told: []string{owner + "/rule:error-codes", "x:protocol", owner + "/memory:a"}},
		"mcp-minimal":       {Channel: MCP, Prompt: "how are customs calls retried", Depth: Minimal},
		"mcp-inventory":     {Channel: MCP, Prompt: "list all rules", ToolName: tools},
		"mcp-path":          {Channel: MCP, Paths: []string{"services/ledger/money.go"}},
		"mcp-nothing-asked": {Channel: MCP},
	} {
		t.Run(name, func(t *testing.T) {
			if in.Source == nil {
				in.Source = harbor
			}
			p := mustMake(t, in)
			js, err := json.MarshalIndent(Explain(p), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got := p.Text + "\n\n" + string(js) + "\n"
			file := filepath.Join("testdata", "golden", name+".txt")
			if *update {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if strings.Contains(p.Text, "/home/dev") {
				t.Error("an absolute path is told")
			}
			if p.Tokens != Tokens(p.Text) {
				t.Error("tokens are not those of the text")
			}
		})
	}
}

// P5, P82, E11-E14, E20, T5: told once, again when the text changes, a body
// after its line.
func TestDeltaOverASession(t *testing.T) {
	f := readEntries(t, "harbor")
	led := record{}
	ask := func() Plan {
		p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "How do we round amounts on an invoice line?", Delivered: led})
		led.told(p)
		return p
	}
	first := ask()
	if !slices.Contains(forms(first), "memory:ledger/rounding body") {
		t.Fatalf("first turn: %v", forms(first))
	}
	second := ask()
	if second.Text != "" || len(second.Items) != 0 || len(second.Extras) != 0 || leftWhy(second, "memory:ledger/rounding") != LeftDelivered {
		t.Fatalf("second turn is not silent: %q %v", second.Text, second.LeftOut)
	}
	key := owner + "/memory:ledger/rounding"
	f.docs[key] = catalog.Doc{Title: "Amounts are rounded half up", Body: "Since May amounts are rounded half up on an invoice line.\n", Hash: "00000000000000ff"}
	third := ask()
	if d := cmp.Diff([]string{"memory:ledger/rounding body"}, forms(third)); d != "" {
		t.Fatal(d)
	}
	if !strings.Contains(third.Text, "rounded half up") || strings.Contains(third.Text, frameFull) || third.Items[0].Hash != "00000000000000ff" {
		t.Errorf("third turn: %s", third.Text)
	}
	if fourth := ask(); fourth.Text != "" {
		t.Errorf("fourth turn speaks: %s", fourth.Text)
	}
	// A line now, the body when there is room.
	small := record{}
	p := mustMake(t, In{Channel: MCP, Source: f, Prompt: "how are customs calls retried", Budget: Budget{Tokens: 160}, Delivered: small})
	small.told(p)
	if !slices.Contains(forms(p), "memory:customs/retry-policy card") {
		t.Fatalf("tight: %v", forms(p))
	}
	p = mustMake(t, In{Channel: MCP, Source: f, Prompt: "how are customs calls retried", Delivered: small})
	if !slices.Contains(forms(p), "memory:customs/retry-policy body") {
		t.Fatalf("the body does not follow the line: %v", forms(p))
	}
}

// P80: a route is told once.
func TestRouteIsToldOnce(t *testing.T) {
	f := readEntries(t, "harbor")
	led := record{}
	in := In{Channel: Prompt, Source: f, Prompt: "why does the demurrage clock start at discharge and not at arrival?", Delivered: led}
	p := mustMake(t, in)
	if p.Route == nil || p.Route.Path != "services/tracking/demurrage.go" || !strings.Contains(p.Text, "Open services/tracking/demurrage.go before searching.") {
		t.Fatalf("route %+v in %s", p.Route, p.Text)
	}
	if !slices.ContainsFunc(p.Extras, func(x Extra) bool { return x.Key == "x:route:services/tracking/demurrage.go" }) {
		t.Fatalf("extras %v", p.Extras)
	}
	led.told(p)
	if p = mustMake(t, in); p.Text != "" || p.Route == nil {
		t.Fatalf("again: %+v %q", p.Route, p.Text)
	}
	// A path that the prompt spells out needs no route line; one that does not
	// exist is never told.
	p = mustMake(t, In{Channel: Prompt, Source: f, Prompt: "look at services/tracking/demurrage.go"})
	if strings.Contains(p.Text, "before searching") {
		t.Errorf("told a path that the prompt has: %s", p.Text)
	}
	f.files = slices.DeleteFunc(f.files, func(s string) bool { return strings.HasSuffix(s, "demurrage.go") })
	if p = mustMake(t, In{Channel: Prompt, Source: f, Prompt: "why does the demurrage clock start at discharge and not at arrival?"}); p.Route != nil && p.Route.Path == "services/tracking/demurrage.go" {
		t.Errorf("route to a missing file: %+v", p.Route)
	}
}

// A28, F33: a pointer does not change what an assistant does. What costs as
// little as its line comes whole, and so does the guide that alone speaks for a
// folder; a crowd comes by its lines, so that nothing has to wait.
func TestShortNotesAndTheGuideOfAFolderComeWhole(t *testing.T) {
	guide := strings.Repeat("How this folder is worked on. ", 20) // 150 tokens
	book := strings.Repeat("All that was ever said of it. ", 40)  // 300 tokens
	note := func(id, path, body string) entry {
		return entry{kind: knowledge.Memory, id: id, title: "Note " + id, paths: []string{path}, body: body + "\n"}
	}
	crowd := []entry{}
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		crowd = append(crowd, note(id, "src/api", "Short "+id+"."))
	}
	for name, c := range map[string]struct {
		have []entry
		want []string
	}{
		"a short note of a folder":             {[]entry{note("a", "src", "Short.")}, []string{"memory:a body"}},
		"the guide of the closest folder":      {[]entry{note("a", "src/api", guide), note("b", "src", guide)}, []string{"memory:a body", "memory:b card"}},
		"a long guide of the closest folder":   {[]entry{note("a", "src/api", book), note("b", "src", book)}, []string{"memory:a body", "memory:b card"}},
		"three guides of one folder":           {[]entry{note("a", "src/api", guide), note("b", "src/api", guide), note("c", "src/api", guide)}, []string{"memory:a card", "memory:b card", "memory:c card"}},
		"five short notes leave room for more": {crowd, []string{"memory:a card", "memory:b card", "memory:c card", "memory:d card", "memory:e card"}},
	} {
		p := mustMake(t, In{Channel: Tool, Source: (&fake{}).add(c.have...), Paths: []string{"src/api/users.go"}})
		if d := cmp.Diff(c.want, forms(p)); d != "" {
			t.Errorf("%s (-want +got)\n%s", name, d)
		}
	}
}

func TestRouteNamesTheRunnerUpOnlyWhenClose(t *testing.T) {
	f := (&fake{}).add(entry{kind: knowledge.Memory, id: "a", title: "Some note", body: "text\n"})
	f.files = []string{"api/orders/refund.go", "web/orders/refund.ts", "docs/other.md"}
	p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "the refund of orders in refund.go is wrong"})
	if p.Route == nil || p.Route.Path != "api/orders/refund.go" || p.Route.RunnerUp != "" {
		t.Errorf("named file: %+v", p.Route)
	}
	f.files = []string{"a/handler.go", "b/handler.go"}
	p = mustMake(t, In{Channel: Prompt, Source: f, Prompt: "handler.go panics"})
	if p.Route == nil || p.Route.Path != "a/handler.go" || p.Route.RunnerUp != "b/handler.go" {
		t.Errorf("two homes: %+v", p.Route)
	}
	if p = mustMake(t, In{Channel: Prompt, Source: f, Prompt: "please improve the wording of the docs"}); p.Route != nil {
		t.Errorf("a route without reason: %+v", p.Route)
	}
}

// P39, P40, P63, E29: what governs a path, closest first, and nothing else.
func TestToolChannelTellsWhatGovernsThePath(t *testing.T) {
	long := strings.Repeat("And so on, in words that take their room. ", 24)
	f := (&fake{}).add(
		entry{kind: knowledge.Memory, id: "file", paths: []string{"src/api/users.go"}, body: "about users\n"},
		entry{kind: knowledge.Memory, id: "folder", paths: []string{"src/api"}, body: "about the api\n" + long},
		entry{kind: knowledge.Memory, id: "wider", paths: []string{"src"}, body: "about the source\n" + long},
		entry{kind: knowledge.Memory, id: "sibling", paths: []string{"src/api-old"}, body: "about the old api\n"},
		entry{kind: knowledge.Memory, id: "lower", paths: []string{"src/api/users"}, body: "about a subfolder\n"},
		entry{kind: knowledge.Memory, id: "everywhere", body: "about all\n"},
		entry{kind: knowledge.Rule, id: "glob", paths: []string{"**/*.go"}, body: "go rule\n" + long},
		entry{kind: knowledge.Rule, id: "strict", enforcement: "strict", body: "strict rule\n"},
		entry{kind: knowledge.Rule, id: "high", priority: "high", body: "high rule\n"},
		entry{kind: knowledge.Rule, id: "wide", body: "wide rule\n"},
		entry{kind: knowledge.Skill, id: "how-to", desc: "users how-to", paths: []string{"src/api/users.go"}, body: "steps\n"},
		entry{kind: knowledge.Skill, id: "general", desc: "for all", body: "steps\n"},
	)
	p := mustMake(t, In{Channel: Tool, Source: f, Paths: []string{"src/api/users.go"}})
	want := []string{"memory:file body", "skill:how-to name", "memory:folder card", "memory:wider card", "rule:glob card", "rule:strict card", "rule:high card", "rule:wide name"}
	if d := cmp.Diff(want, forms(p)); d != "" {
		t.Error("(-want +got)\n" + d)
	}
	if strings.Contains(p.Text, "api-old") || strings.Contains(p.Text, "subfolder") {
		t.Error("an entry of another path is told")
	}
	// The session was told the wide rules by name and line: they stay silent.
	led := record{}
	led.told(mustMake(t, In{Channel: Session, Source: f}))
	p = mustMake(t, In{Channel: Tool, Source: f, Paths: []string{"src/api/users.go"}, Delivered: led})
	want = []string{"memory:file body", "skill:how-to name", "memory:folder card", "memory:wider card", "rule:glob card"}
	if d := cmp.Diff(want, forms(p)); d != "" {
		t.Error("after the session's start (-want +got)\n" + d)
	}
	// P40: the root asks for nothing below it.
	p = mustMake(t, In{Channel: Tool, Source: f, Paths: []string{""}})
	for _, it := range forms(p) {
		if strings.HasPrefix(it, "memory:") {
			t.Errorf("the root inherits upward: %s", it)
		}
	}
}

func TestAtMostPathBodiesPerToolEvent(t *testing.T) {
	f := &fake{}
	for i := range 5 {
		f.add(entry{kind: knowledge.Memory, id: fmt.Sprintf("n%d", i), paths: []string{"a.go"}, body: fmt.Sprintf("note %d\n", i)})
	}
	bodies := func(n int) int {
		s := workspace.Settings{BudgetTool: 900, BudgetFocused: 1200, PathBodies: n}
		c := 0
		for _, it := range mustMake(t, In{Channel: Tool, Source: f, Paths: []string{"a.go"}, Settings: s}).Items {
			if it.Form == Body {
				c++
			}
		}
		return c
	}
	for _, n := range []int{0, 1, 3} {
		if got := bodies(n); got != n {
			t.Errorf("path_bodies %d: %d bodies", n, got)
		}
	}
	// Bodies that the session has do not use up the room.
	led := record{}
	s := workspace.Settings{BudgetTool: 900, BudgetFocused: 1200, PathBodies: 3}
	in := In{Channel: Tool, Source: f, Paths: []string{"a.go"}, Settings: s, Delivered: led}
	led.told(mustMake(t, in))
	p := mustMake(t, in)
	if d := cmp.Diff([]string{"memory:n3 body", "memory:n4 body"}, forms(p)); d != "" {
		t.Error(d)
	}
}

// A folder with thousands of notes still fits, and says that there is more.
func TestManyGoverningEntriesFit(t *testing.T) {
	f := &fake{}
	for i := range 400 {
		f.add(entry{kind: knowledge.Memory, id: fmt.Sprintf("n%03d", i), title: fmt.Sprintf("Note number %d", i), paths: []string{"src"}, body: strings.Repeat("word ", 60)})
	}
	p := mustMake(t, In{Channel: Tool, Source: f, Paths: []string{"src/a.go"}, ToolName: tools})
	if p.Tokens > 300 || len(p.Items) == 0 || !strings.Contains(p.Text, " more; list them with mcp__pathrule__get_tree.") {
		t.Errorf("%d tokens, %d items: %s", p.Tokens, len(p.Items), p.Text)
	}
	if len(p.Items)+len(p.LeftOut) != 400 {
		t.Errorf("%d told, %d left out, want 400 in all", len(p.Items), len(p.LeftOut))
	}
	if f.loads > 100 {
		t.Errorf("%d files read for one event", f.loads)
	}
}

// P6, P54: bodies of skills only on their name.
func TestSkillCalls(t *testing.T) {
	f := (&fake{}).add(
		entry{kind: knowledge.Skill, id: "release-train", title: "Release Train", body: "cut and ship\n"},
		entry{kind: knowledge.Skill, id: "ops/deploy", title: "deploy", body: "roll out the thing\n"},
		entry{kind: knowledge.Skill, id: "web/deploy", title: "deploy", body: "upload the site\n"},
		entry{kind: knowledge.Skill, id: "ops/rollback", title: "rollback", body: "go back\n"},
		entry{kind: knowledge.Skill, id: "リリース", title: "リリース", body: "手順\n"},
		entry{kind: knowledge.Skill, id: "personal/notes", owner: "personal", title: "notes", body: "my steps\n"},
		entry{kind: knowledge.Memory, id: "retry", title: "Retry limit of billing charges", body: "Billing charges are retried three times, then paused.\n"},
	)
	for name, tc := range map[string]struct {
		prompt string
		want   []string
		text   string // must stand in the text
		not    string
	}{
		"by id":                     {"::release-train", []string{"skill:release-train body"}, "cut and ship", "called"},
		"inside a sentence":         {"please do (::release-train), now", []string{"skill:release-train body"}, "cut and ship", "called"},
		"by its name":               {"::ReleaseTrain and ::release-train", []string{"skill:release-train body"}, "cut and ship", ""},
		"by the last part":          {"::rollback", []string{"skill:ops/rollback body"}, "go back", "called"},
		"two at once":               {"::rollback ::release-train", []string{"skill:ops/rollback body", "skill:release-train body"}, "", "called"},
		"the same twice":            {"::rollback ::rollback", []string{"skill:ops/rollback body"}, "", "called"},
		"ambiguous":                 {"::deploy", []string{}, "More than one skill is called ::deploy here. Nearest: ::ops/deploy, ::web/deploy.", "roll out"},
		"a full id is exact":        {"::ops/deploy", []string{"skill:ops/deploy body"}, "roll out", "upload"},
		"unknown":                   {"::relase", []string{}, "No skill is called ::relase here. Nearest: ::release-train.", "http"},
		"another script":            {"今すぐ::リリースして", []string{}, "No skill is called ::リリースして here. Nearest: ::リリース", ""},
		"another script, parted":    {"::リリース をお願い", []string{"skill:リリース body"}, "手順", "called"},
		"personal":                  {"::notes", []string{"skill:personal/notes body"}, "my steps", "called"},
		"C++ is no skill":           {"why is std::vector slow, and ::std::move?", []string{}, "", "skill"},
		"Rust is no skill":          {"call foo::bar() and ::baz()", []string{}, "", "skill"},
		"another product's command": {"::pathrule:package:go-service", []string{}, "", "skill"},
		"CSS is no skill":           {"style the ::before element", []string{}, "", "skill"},
		"beside an ordinary topic":  {"::rollback and what is the retry limit of billing charges?", []string{"skill:ops/rollback body", "memory:retry body"}, "retried three times", "called"},
	} {
		t.Run(name, func(t *testing.T) {
			p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: tc.prompt})
			if d := cmp.Diff(tc.want, forms(p)); d != "" {
				t.Errorf("(-want +got)\n%s\n%s", d, p.Text)
			}
			if !strings.Contains(p.Text, tc.text) || tc.not != "" && strings.Contains(p.Text, tc.not) {
				t.Errorf("text: %s", p.Text)
			}
		})
	}
	empty := (&fake{}).add(entry{kind: knowledge.Memory, id: "m", body: "x\n"})
	if p := mustMake(t, In{Channel: Prompt, Source: empty, Prompt: "::deploy"}); p.Text != "" {
		t.Errorf("no skills at all: %q", p.Text)
	}
	// The body comes once; the second call is silent.
	led := record{}
	in := In{Channel: Prompt, Source: f, Prompt: "::rollback", Delivered: led}
	led.told(mustMake(t, in))
	if p := mustMake(t, in); p.Text != "" {
		t.Errorf("told twice: %s", p.Text)
	}
}

// P75: rules for everything speak when they matter; strict ones always.
func TestProjectRulesSpeakOnlyWhenRelevant(t *testing.T) {
	f := readEntries(t, "harbor")
	p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "add pagination to the vessel overview"})
	if d := cmp.Diff([]string{"rule:secrets-in-vault card"}, forms(p)); d != "" {
		t.Error(d)
	}
	p = mustMake(t, In{Channel: Prompt, Source: f, Prompt: "may I log the phone number of a customer?"})
	if !slices.Contains(forms(p), "rule:log-no-pii body") {
		t.Errorf("%v", forms(p))
	}
	// A bare command gets strict rules and nothing else.
	p = mustMake(t, In{Channel: Prompt, Source: f, Prompt: "run the tests", Cwd: "services/booking"})
	if d := cmp.Diff([]string{"rule:secrets-in-vault card"}, forms(p)); d != "" || p.Depth != DepthNone || p.Intent != Command {
		t.Error(p.Depth, d)
	}
}

// E21, A37: no order, no clock, no chance.
func TestSameQuestionSameBytes(t *testing.T) {
	base := readEntries(t, "harbor").bury(50)
	base.build()
	prompts := []string{
		"a rounding mistake in an invoice line: do I update the ledger entry or add a reversing one?",
		"fix the crash in services/ledger/fx.go:12", "give me an overview of this repo", "::release-train now", "handler.go is slow",
	}
	want := map[string]string{}
	for _, s := range prompts {
		p := mustMake(t, In{Channel: Prompt, Source: base, Prompt: s})
		js, _ := json.Marshal(Explain(p))
		want[s] = string(js)
	}
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			f := &fake{docs: base.docs, files: base.files}
			f.recs = slices.Clone(base.recs)
			rng := rand.New(rand.NewSource(int64(i)))
			rng.Shuffle(len(f.recs), func(a, b int) { f.recs[a], f.recs[b] = f.recs[b], f.recs[a] })
			s := prompts[i%len(prompts)]
			p, err := Make(In{Channel: Prompt, Workspace: harborWS, Source: shuffled{f, rng}, Exists: f.exists, Prompt: s})
			if err != nil {
				t.Error(err)
				return
			}
			js, _ := json.Marshal(Explain(p))
			if string(js) != want[s] {
				t.Errorf("%q differs:\n%s", s, cmp.Diff(want[s], string(js)))
			}
		})
	}
	wg.Wait()
}

// shuffled gives the candidates in any order.
type shuffled struct {
	*fake
	rng *rand.Rand
}

func (s shuffled) Search(q catalog.Query) (catalog.Result, error) {
	res, err := s.fake.Search(q)
	s.rng.Shuffle(len(res.Candidates), func(i, j int) {
		res.Candidates[i], res.Candidates[j] = res.Candidates[j], res.Candidates[i]
	})
	return res, err
}

// E17, E18, E19, T4: the final text fits, whatever it is made of, and holds
// whole bodies and whole lines only.
func FuzzFinalTextFits(f *testing.F) {
	for i := range 6 {
		f.Add(int64(i), 40+i*211, i, "retry the charge 支払い 👩‍👩‍👧 e\u0301")
	}
	f.Fuzz(func(t *testing.T, seed int64, room, unit int, words string) {
		if room < 0 {
			room = -(room + 1)
		}
		room %= 12000
		rng := rand.New(rand.NewSource(seed))
		pieces := append(strings.Fields(words), "charge", "retry", "再試行", "оплата", "🚢", "a\u0308", "x\u200by", "--- 0123456789abcdef", "<b>", "${HOME}")
		body := func() string {
			var b strings.Builder
			for range rng.Intn(300) {
				b.WriteString(pieces[rng.Intn(len(pieces))])
				b.WriteString([]string{" ", "\n", "\t", "\r\n"}[rng.Intn(4)])
			}
			return b.String()
		}
		src := &fake{}
		for i := range 1 + rng.Intn(14) {
			e := entry{kind: knowledge.Kinds[rng.Intn(3)], id: fmt.Sprintf("n%d", i), title: "Retry the charge " + pieces[rng.Intn(len(pieces))], body: body(), paths: [][]string{nil, {"a.go"}, {"src"}, {"**/*.go"}}[rng.Intn(4)]}
			if e.kind == knowledge.Rule {
				e.priority = []string{"", "high", "low"}[rng.Intn(3)]
				e.enforcement = []string{"", "strict"}[rng.Intn(2)]
			}
			src.add(e)
		}
		src.files = []string{"a.go", "src/b.go"}
		measure := []func(string) int{
			nil, func(s string) int { return len(utf16.Encode([]rune(s))) }, utf8.RuneCountInString,
		}[((unit%3)+3)%3]
		for _, ch := range []Channel{Prompt, Tool, Session, Compact, Subagent, MCP} {
			in := In{
				Channel: ch, Workspace: harborWS, Source: src, Exists: src.exists, Prompt: "how do we retry the charge in a.go " + words, ToolName: tools,
				Budget: Budget{Max: room + 1, Measure: measure}, Unseen: seed%5 == 0, UnseenTokens: room / 3,
				Settings: workspace.Settings{Proof: []string{"", "compact"}[rng.Intn(2)], Acknowledge: []string{"", "line"}[rng.Intn(2)]},
				Told:     []string{owner + "/memory:a", owner + "/memory:b"}, Parent: []string{owner + "/memory:n0", owner + "/rule:n1", owner + "/memory:n2"},
			}
			if ch == Tool {
				in.Paths = []string{"a.go", "src/b.go"}
			}
			p, err := Make(in)
			if err != nil {
				t.Fatal(err)
			}
			count := measure
			if count == nil {
				count = Tokens
			}
			if n := count(p.Text); n > room+1 {
				t.Fatalf("%s: %d units, cap %d:\n%s", ch, n, room+1, p.Text)
			}
			if in.Unseen && p.Tokens > max(in.UnseenTokens, 0)+protocolTokens+60 {
				t.Fatalf("%s: %d tokens unseen, %d left", ch, p.Tokens, in.UnseenTokens)
			}
			if !utf8.ValidString(p.Text) {
				t.Fatalf("%s: not valid UTF-8", ch)
			}
			for _, it := range p.Items {
				switch it.Form {
				case Body:
					if !strings.Contains(p.Text, deliverable(src.docs[it.Key].Body)) {
						t.Fatalf("%s: body of %s is not whole:\n%s", ch, it.ID, p.Text)
					}
				case Card:
					if len(it.Sections) == 0 {
						if !strings.Contains(p.Text, cardLine(&it, "")) {
							t.Fatalf("%s: line of %s is not whole:\n%s", ch, it.ID, p.Text)
						}
						break
					}
					sections := sectionsOf(deliverable(src.docs[it.Key].Body))
					for _, head := range it.Sections {
						if !slices.ContainsFunc(sections, func(s section) bool { return s.head == head && strings.Contains(p.Text, s.text) }) {
							t.Fatalf("%s: no section %q of %s is whole:\n%s", ch, head, it.ID, p.Text)
						}
					}
				case None:
					t.Fatalf("%s: an item without a form", ch)
				}
			}
			if p.Text == "" && (len(p.Items) > 0 || len(p.Extras) > 0) {
				t.Fatalf("%s: items without a text", ch)
			}
		}
	})
}

// DESIGN 5: the best strong match may take more than the budget, not more than
// the cap; a body over every cap is a line that names the read tool.
func TestLongBodies(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("The retry limit of a declined charge is three attempts. ", 110)) // 1,500 tokens
	f := (&fake{}).add(
		entry{kind: knowledge.Memory, id: "long", title: "Retry limit of declined charges", body: long},
		entry{kind: knowledge.Memory, id: "short", title: "Currency of charges", body: "Declined charges keep their currency.\n"},
		entry{kind: knowledge.Rule, id: "strict", title: "No secrets", enforcement: "strict", body: "Never commit one.\n"},
	)
	q := "what is the retry limit of a declined charge?"
	p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: q, Budget: Budget{Max: 9500, Measure: func(s string) int { return len(utf16.Encode([]rune(s))) }}})
	if p.Items[0].Form != Body || p.Tokens < 1500 || !slices.Contains(forms(p), "rule:strict card") {
		t.Errorf("within the cap: %v, %d tokens", forms(p), p.Tokens)
	}
	p = mustMake(t, In{Channel: Prompt, Source: f, Prompt: q, Budget: Budget{Max: 1000}, ToolName: tools})
	if p.Items[0].Form != Card || !strings.Contains(p.Text, "(long: read it with mcp__pathrule__read_memory)") {
		t.Errorf("over the cap: %v\n%s", forms(p), p.Text)
	}
	p = mustMake(t, In{Channel: Prompt, Source: f, Prompt: q, Budget: Budget{Max: 1000}})
	if strings.Contains(p.Text, "read_memory") || !strings.Contains(p.Text, "too long") {
		t.Errorf("a tool is named that is not registered: %s", p.Text)
	}
	// P90: get_context keeps its budget at every depth.
	for _, d := range []Depth{Minimal, Focused, Deep} {
		p = mustMake(t, In{Channel: MCP, Source: f, Prompt: q, Depth: d})
		if limit := map[Depth]int{Minimal: 300, Focused: 1200, Deep: 2400}[d]; p.Tokens > limit || p.Depth != d {
			t.Errorf("%s: %d tokens", d, p.Tokens)
		}
	}
}

// P90, P97 on a workspace of thousands.
func TestGetContextKeepsItsBudget(t *testing.T) {
	f := readEntries(t, "harbor").bury(2000)
	for _, q := range []string{"list all memories", "explain the architecture", "how are customs declarations retried after a timeout and what about webhooks", "", "everything about the ledger"} {
		for _, d := range []Depth{"", Minimal, Focused, Deep} {
			p := mustMake(t, In{Channel: MCP, Source: f, Prompt: q, Depth: d})
			limit := map[Depth]int{Minimal: 300, Focused: 1200, Deep: 2400}[p.Depth]
			if p.Tokens > limit {
				t.Errorf("%q at %q: %d tokens, budget %d", q, p.Depth, p.Tokens, limit)
			}
		}
	}
	p := mustMake(t, In{Channel: MCP, Source: f, Prompt: "how are customs declarations retried"})
	if !slices.Contains(forms(p), "memory:customs/retry-policy body") {
		t.Errorf("no body: %v", forms(p))
	}
}

// Deleted and changed entries: what stands on disk is what is told.
func TestWhatIsToldIsWhatStandsOnDisk(t *testing.T) {
	f := readEntries(t, "harbor")
	f.err = map[string]error{owner + "/memory:ledger/rounding": catalog.ErrGone, owner + "/memory:ledger/append-only": catalog.ErrWithheld}
	p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "rounding of amounts per invoice line, and is the ledger append-only?"})
	for _, s := range forms(p) {
		if strings.Contains(s, "ledger/") {
			t.Errorf("told: %s", s)
		}
	}
	if leftWhy(p, "memory:ledger/append-only") != LeftScope || leftWhy(p, "memory:ledger/rounding") != "" {
		t.Errorf("left out: %v", p.LeftOut)
	}
	f.err = nil
	f.docs[owner+"/rule:secrets-in-vault"] = catalog.Doc{Title: "Keys live in the vault", Body: "Ask the vault for keys.\n", Hash: "1"}
	p = mustMake(t, In{Channel: Tool, Source: f, Paths: []string{"README.md"}})
	if !strings.Contains(p.Text, "Keys live in the vault [rule:secrets-in-vault]: Ask the vault for keys.") {
		t.Errorf("stale line: %s", p.Text)
	}
	boom := errors.New("disk on fire")
	f.err = map[string]error{owner + "/rule:secrets-in-vault": boom}
	if _, err := Make(In{Channel: Tool, Source: f, Paths: []string{"README.md"}}); !errors.Is(err, boom) {
		t.Errorf("error lost: %v", err)
	}
}

// Trust: knowledge that nobody reviewed here is headed so and bounded; the
// user's own is not.
func TestUnseenKnowledge(t *testing.T) {
	f := readEntries(t, "harbor").add(entry{kind: knowledge.Memory, id: "personal/rounding", owner: "personal", title: "My rounding of invoice line amounts", body: "I always check the rounding of amounts per invoice line with a calculator.\n"})
	in := In{Channel: Prompt, Source: f, Prompt: "How do we round amounts on an invoice line, half to even? Is there a calculator to check it with?", Unseen: true, UnseenTokens: 600}
	p := mustMake(t, in)
	if !strings.Contains(p.Text, unseenTitle) {
		t.Errorf("no heading: %s", p.Text)
	}
	in.UnseenTokens = 0
	p = mustMake(t, in)
	if d := cmp.Diff([]string{"memory:personal/rounding body"}, forms(p)); d != "" || leftWhy(p, "memory:ledger/rounding") != LeftTrust {
		t.Errorf("%s\n%v\n%s", d, p.LeftOut, p.Text)
	}
	if strings.Contains(p.Text, "vault") || strings.Contains(p.Text, unseenTitle) {
		t.Errorf("unseen text with nothing left: %s", p.Text)
	}
	in = In{Channel: Session, Source: f, Unseen: true, UnseenTokens: 0, Team: "Do as the team says."}
	if p = mustMake(t, in); strings.Contains(p.Text, "vault") || strings.Contains(p.Text, "team says") || strings.Contains(p.Text, "release-train") {
		t.Errorf("session: %s", p.Text)
	}
}

// A model is asked to trust only what the person at this machine looked at.
func TestTheProtocolAsksForTrustOnlyWhereThePersonGaveIt(t *testing.T) {
	f := readEntries(t, "harbor")
	for _, ch := range []Channel{Session, Compact, Subagent} {
		for _, unseen := range []bool{false, true} {
			p := mustMake(t, In{Channel: ch, Source: f, Unseen: unseen, UnseenTokens: 600})
			if !strings.Contains(p.Text, "Team notes arrive as background") || strings.Contains(p.Text, "trust them") == unseen {
				t.Errorf("%s, unseen %v: %s", ch, unseen, p.Text)
			}
		}
	}
}

func TestNativeEntriesAreLeftOut(t *testing.T) {
	f := readEntries(t, "harbor")
	p := mustMake(t, In{Channel: Tool, Source: f, Paths: []string{"services/ledger/fx.go"}, Native: native("ledger/fx-source", None)})
	if leftWhy(p, "memory:ledger/fx-source") != LeftNative || strings.Contains(p.Text, "ECB") {
		t.Errorf("%v", p.LeftOut)
	}
}

// native says of one entry how much may be told of it.
func native(id string, most Form) func(catalog.Record, string, string) Form {
	return func(r catalog.Record, _, _ string) Form {
		if r.ID == id {
			return most
		}
		return Body
	}
}

func TestAnEntryThatTheHostWillLoadComesAsALineOnly(t *testing.T) {
	f := (&fake{}).add(
		entry{kind: knowledge.Memory, id: "dunning", title: "Dunning pauses the subscription", body: "After the third declined charge dunning pauses the subscription.\n\nNever before the ninth day.\n"},
		entry{kind: knowledge.Memory, id: "other", title: "Colours", body: "Blue, for subscription pages.\n"},
	).bury(200)
	const prompt = "when does dunning pause the subscription?"
	if p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: prompt}); !slices.Contains(forms(p), "memory:dunning body") {
		t.Fatalf("%v", forms(p))
	}
	p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: prompt, Native: native("dunning", Card)})
	if !slices.Contains(forms(p), "memory:dunning card") || strings.Contains(p.Text, "ninth day") {
		t.Errorf("%v\n%s", forms(p), p.Text)
	}
	p = mustMake(t, In{Channel: Prompt, Source: f, Prompt: prompt, Native: native("dunning", None)})
	if leftWhy(p, "memory:dunning") != LeftNative || strings.Contains(p.Text, "dunning") {
		t.Errorf("%v %v", forms(p), p.LeftOut)
	}
}

func TestRelatedEntriesOfAStrongOneComeAsLines(t *testing.T) {
	f := (&fake{}).add(
		entry{kind: knowledge.Memory, id: "dunning", title: "Dunning pauses the subscription", related: []string{"memory:proration", "grace"}, body: "After the third declined charge dunning pauses the subscription.\n"},
		entry{kind: knowledge.Memory, id: "proration", title: "How credits are split", body: "Split by days of the subscription.\n"},
		entry{kind: knowledge.Memory, id: "grace", title: "Grace period", body: "Nine days.\n"},
		entry{kind: knowledge.Memory, id: "other", title: "Colours", body: "Blue, for subscription pages.\n"},
	).bury(200) // so that the related ones are no candidates
	p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "when does dunning pause the subscription?"})
	if !slices.Contains(forms(p), "memory:dunning body") || !slices.Contains(forms(p), "memory:proration card") || !slices.Contains(forms(p), "memory:grace card") {
		t.Errorf("%v", forms(p))
	}
	for _, it := range p.Items {
		if it.ID == "grace" && !slices.ContainsFunc(it.Why, func(w Why) bool { return w.Signal == "related" }) {
			t.Errorf("why: %v", it.Why)
		}
	}
}

func TestNearCopiesAreToldOnce(t *testing.T) {
	f := (&fake{}).add(
		entry{kind: knowledge.Memory, id: "a", title: "Dunning pauses the subscription", body: "After the third declined charge dunning pauses the subscription of the customer.\n"},
		entry{kind: knowledge.Memory, id: "b", title: "Dunning and the subscription pause", body: "After the third declined charge, dunning pauses the subscription of the customer!\n"},
		entry{kind: knowledge.Memory, id: "c", title: "Colours", body: "Blue.\n"},
	)
	p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "when does dunning pause the subscription of a customer after a declined charge?"})
	if len(p.Items) != 1 || leftWhy(p, "memory:a")+leftWhy(p, "memory:b") != LeftDuplicate {
		t.Errorf("%v %v", forms(p), p.LeftOut)
	}
}

func TestGlossaryFindsTheOtherWord(t *testing.T) {
	f := readEntries(t, "orchard")
	in := In{Channel: Prompt, Source: f, Prompt: "until when may a hamper be altered, what is the deadline?", Settings: workspace.Settings{Glossary: map[string][]string{"hamper": {"box"}, "deadline": {"cut-off", "cutoff"}}}}
	if p := mustMake(t, in); !slices.Contains(forms(p), "memory:decisions/box-cutoff body") {
		t.Errorf("%v", forms(p))
	}
	in.Settings.Glossary = nil
	if p := mustMake(t, in); slices.Contains(forms(p), "memory:decisions/box-cutoff body") {
		t.Error("found without the glossary: the test shows nothing")
	}
}

// The catalogue alone has no text door; names and paths still answer.
func TestWithoutATextDoor(t *testing.T) {
	f := readEntries(t, "harbor")
	f.noText = true
	p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "why are customs calls retried twice and never on 4xx?"})
	if !slices.Contains(forms(p), "memory:customs/retry-policy body") {
		t.Errorf("by name: %v", forms(p))
	}
	p = mustMake(t, In{Channel: Prompt, Source: f, Prompt: "what about services/ledger/fx.go"})
	if !slices.Contains(forms(p), "memory:ledger/fx-source body") {
		t.Errorf("by path: %v", forms(p))
	}
	if p = mustMake(t, In{Channel: Prompt, Source: f, Prompt: "write a haiku about leaves"}); slices.ContainsFunc(p.Items, func(i Item) bool { return i.Form == Body }) {
		t.Errorf("nothing to find: %v", forms(p))
	}
}

// P36, P39: nested workspaces, closest first.
func TestNestedWorkspacesClosestFirst(t *testing.T) {
	f := (&fake{}).add(
		entry{kind: knowledge.Rule, id: "outer", title: "Outer rule", priority: "medium", paths: []string{"pkg"}, body: "outer\n"},
		entry{kind: knowledge.Rule, id: "inner", title: "Inner rule", owner: "fedcba9876543210", prefix: "pkg/web", body: "inner\n"},
		entry{kind: knowledge.Rule, id: "aside", title: "Aside rule", owner: "aaaaaaaaaaaaaaaa", prefix: "pkg/api", body: "aside\n"},
		entry{kind: knowledge.Skill, id: "ship", title: "ship", body: "outer way\n"},
		entry{kind: knowledge.Skill, id: "ship", title: "ship", owner: "fedcba9876543210", prefix: "pkg/web", body: "inner way\n"},
	)
	p := mustMake(t, In{Channel: Tool, Source: f, Paths: []string{"pkg/web/a.ts"}})
	if d := cmp.Diff([]string{"rule:inner body", "rule:outer body"}, forms(p)[:2]); d != "" {
		t.Error(d)
	}
	if strings.Contains(p.Text, "Aside") {
		t.Error("another workspace's rule")
	}
	p = mustMake(t, In{Channel: Session, Source: f, Cwd: "pkg/web"})
	if !strings.Contains(p.Text, "Inner rule") || strings.Contains(p.Text, "Aside") {
		t.Errorf("session: %s", p.Text)
	}
	p = mustMake(t, In{Channel: Prompt, Source: f, Prompt: "::ship", Cwd: "pkg/web"})
	if !strings.Contains(p.Text, "inner way") || strings.Contains(p.Text, "outer way") {
		t.Errorf("skill of the closest workspace: %s", p.Text)
	}
}

func TestSessionLimits(t *testing.T) {
	f, skills := &fake{}, &fake{}
	for i := range 300 {
		e := entry{kind: knowledge.Skill, id: fmt.Sprintf("skill-with-a-name-%03d", i), desc: "Does something useful for the team in a certain way", body: "x\n"}
		f.add(e)
		skills.add(e)
	}
	for i := range 200 {
		f.add(entry{kind: knowledge.Rule, id: fmt.Sprintf("rule-%03d", i), title: fmt.Sprintf("A rule about the thing number %d", i), priority: []string{"", "high", "low"}[i%3], body: "Do it in the way that was agreed.\n"})
	}
	for _, team := range []string{"", strings.Repeat("word ", 400), "Short first line.\n" + strings.Repeat("second line ", 100)} {
		p := mustMake(t, In{Channel: Session, Source: f, Team: team, ToolName: tools})
		top, _, _ := strings.Cut(p.Text, "\nRules for all work here:")
		if Tokens(top) > protocolTokens {
			t.Errorf("protocol and team are %d tokens: %s", Tokens(top), top)
		}
		if team != "" && !strings.Contains(top, "Team: ") {
			t.Errorf("no team text: %s", top)
		}
		if p.Tokens > 1200 {
			t.Errorf("%d tokens", p.Tokens)
		}
	}
	p := mustMake(t, In{Channel: Compact, Source: f, Parent: []string{owner + "/rule:rule-001"}, ToolName: tools})
	if p.Tokens > compactTokens {
		t.Errorf("compact: %d tokens", p.Tokens)
	}
	// A26: a list of skills over the client's budget would lose its lines.
	p = mustMake(t, In{Channel: Session, Source: skills, ToolName: tools})
	if i := strings.Index(p.Text, "Skills, loaded"); i < 0 {
		t.Errorf("no skill index: %s", p.Text)
	} else if n := len(strings.TrimRight(p.Text[i:], "\n")); n >= 1600 || !strings.Contains(p.Text[i:], "skill-with-a-name-000") {
		t.Errorf("skill index of %d characters: %s", n, p.Text[i:])
	}
	// The session's slice is told once.
	led := record{}
	in := In{Channel: Session, Source: f, Delivered: led, ToolName: tools}
	led.told(mustMake(t, in))
	if p = mustMake(t, in); strings.Contains(p.Text, "Workspace harbor") || strings.Contains(p.Text, "Skills, loaded") {
		t.Errorf("again: %s", p.Text)
	}
}

// E36, DESIGN 5: a subagent starts with what its parent works with.
func TestSubagentGetsTheParentsBodies(t *testing.T) {
	f := readEntries(t, "harbor")
	parent := []string{owner + "/memory:ledger/rounding", owner + "/memory:gone", "nonsense", owner + "/rule:error-codes"}
	p := mustMake(t, In{Channel: Subagent, Source: f, Parent: parent})
	if d := cmp.Diff([]string{"memory:ledger/rounding body", "rule:error-codes body"}, forms(p)[:2]); d != "" {
		t.Error(d)
	}
	p = mustMake(t, In{Channel: Subagent, Source: f, Parent: parent, Budget: Budget{Tokens: 200}})
	if p.Tokens > 200 || forms(p)[0] != "memory:ledger/rounding body" {
		t.Errorf("best first within the budget: %d %v", p.Tokens, forms(p))
	}
}

// E22: the proof line tells loaded, reused or skipped, and signs the route.
func TestProofLine(t *testing.T) {
	f := readEntries(t, "harbor")
	led := record{}
	in := In{Channel: Prompt, Source: f, Prompt: "How do we round amounts on an invoice line?", Delivered: led, Settings: workspace.Settings{Proof: "compact"}}
	first := mustMake(t, in)
	led.told(first)
	second := mustMake(t, in)
	last := func(p Plan) string { return p.Text[strings.LastIndexByte(p.Text, '\n')+1:] }
	sig := func(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }
	if !strings.HasPrefix(last(first), "pathrule: loaded 2, route ") || !strings.HasPrefix(last(second), "pathrule: reused 2, route ") || sig(last(first)) != sig(last(second)) {
		t.Errorf("%q, then %q", last(first), last(second))
	}
	if len(second.Extras) != 0 {
		t.Errorf("extras in a quiet turn: %v", second.Extras)
	}
	in.Prompt, in.Source = "thanks", (&fake{}).add(entry{kind: knowledge.Memory, id: "m", body: "x\n"})
	if p := mustMake(t, in); !strings.HasPrefix(p.Text, "pathrule: skipped, route ") {
		t.Errorf("%q", p.Text)
	}
	in.Settings.Proof = "off"
	if p := mustMake(t, in); p.Text != "" {
		t.Errorf("off: %q", p.Text)
	}
}

func TestAcknowledge(t *testing.T) {
	var keys []string
	for i := range 15 {
		keys = append(keys, fmt.Sprintf("%s/memory:m%02d", owner, 14-i))
	}
	want := "already loaded: memory:m00, memory:m01, memory:m02, memory:m03, memory:m04, memory:m05, memory:m06, memory:m07, memory:m08, memory:m09, memory:m10, memory:m11 +3 more"
	if got := Acknowledge(append(keys, "x:protocol", "x:route:a.go", keys[0])); got != want {
		t.Errorf("%q", got)
	}
	if got := Acknowledge([]string{"x:protocol"}); got != "" {
		t.Errorf("%q", got)
	}
	// E12: on request the line ends every turn, quiet ones too.
	f := readEntries(t, "harbor")
	p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "thanks", Settings: workspace.Settings{Acknowledge: "line"}, Told: keys[:1], Delivered: everything{}})
	if p.Text != "already loaded: memory:m14" {
		t.Errorf("%q", p.Text)
	}
}

// everything was delivered.
type everything struct{}

func (everything) Has(string, string) Form { return Body }

func TestGreetingsAndEmptyPromptsAreSilent(t *testing.T) {
	f := (&fake{}).add(entry{kind: knowledge.Memory, id: "m", title: "Good morning routine", body: "We say good morning and thanks, yes and ok.\n"})
	for _, s := range []string{"", " \n ", "thanks", "ok", "yes please", "good morning", "Guten Tag!", "Добрый день", "こんにちは。", "👍", "はい", "спасибо", "???", "\u200b"} {
		if p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: s}); p.Text != "" {
			t.Errorf("%q: %s", s, p.Text)
		}
	}
}

// The first entry that somebody writes must come when it is asked for: with one
// entry every word it holds is held by all of them.
func TestTheOnlyEntryOfAStoreIsFound(t *testing.T) {
	f := (&fake{}).add(entry{kind: knowledge.Memory, id: "retries", title: "Stripe retries are capped at 3", paths: []string{"src/billing"},
		body: "The rate limit of the account is shared with the shop.\n"})
	for prompt, want := range map[string]Form{
		"fix the stripe retry bug in src/billing/client.ts": Body,
		"why do we cap stripe retries?":                     Body,
		"rename the login button":                           None,
	} {
		p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: prompt, Exists: func(s string) bool { return s == "src/billing/client.ts" }})
		got := None
		for _, it := range p.Items {
			got = it.Form
		}
		if got != want {
			t.Errorf("%q: %v, want %v", prompt, got, want)
		}
	}
	// Paths alone are answered as when a tool touches them.
	if p := mustMake(t, In{Channel: MCP, Source: f, Paths: []string{"src/billing/client.ts"}}); len(p.Items) != 1 || p.Items[0].Form < Card {
		t.Errorf("paths alone: %+v", p.Items)
	}
}

// Hundreds of rules for the whole workspace do not drive out what is attached
// to the very file.
func TestTheFilesOwnEntryOutlastsWorkspaceRules(t *testing.T) {
	f := (&fake{}).add(entry{kind: knowledge.Memory, id: "cursor", title: "Two cursors", paths: []string{"src/ledger.go"}, body: "Never merge them.\n"})
	for i := range 300 {
		f.add(entry{kind: knowledge.Rule, id: fmt.Sprintf("r%03d", i), title: fmt.Sprintf("Rule number %d of the whole workspace", i), priority: "high", body: "Do it this way.\n"})
	}
	p := mustMake(t, In{Channel: Tool, Source: f, Paths: []string{"src/ledger.go"}})
	if len(p.Items) == 0 || p.Items[0].ID != "cursor" || p.Items[0].Form != Body {
		t.Errorf("first item %+v", p.Items)
	}
	if p.Tokens > defaultTool+bestReserve {
		t.Errorf("%d tokens", p.Tokens)
	}
}

func TestHugePromptIsBounded(t *testing.T) {
	f := readEntries(t, "harbor")
	p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "How do we round amounts on an invoice line?\n" + strings.Repeat("支払い lorem/ipsum.go ", 200000)})
	if len(p.Text) > 20000 {
		t.Errorf("%d bytes", len(p.Text))
	}
}

// DESIGN 5: the overview at the root is small and has no bodies; a folder that
// is named is answered by what lies below it.
func TestOverviewIsSmallAndHasNoBodies(t *testing.T) {
	f := readEntries(t, "harbor").bury(500)
	p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "explain the architecture of this project", ToolName: tools})
	if p.Tokens > overviewTokens || !strings.Contains(p.Text, "What is on record here: ") || !strings.Contains(p.Text, "By folder: ") {
		t.Errorf("%d tokens: %s", p.Tokens, p.Text)
	}
	for _, it := range p.Items {
		if it.Form == Body {
			t.Errorf("a body: %s", it.ID)
		}
	}
	for _, s := range []string{"how are you today?", "what is the difference between a mutex and a semaphore"} {
		if p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: s, Delivered: everything{}}); p.Text != "" {
			t.Errorf("%q: %s", s, p.Text)
		}
	}
	p = mustMake(t, In{Channel: Prompt, Source: f, Prompt: "what do the retries in services/customs look like after a 4xx answer?"})
	if !slices.Contains(forms(p), "memory:customs/retry-policy body") {
		t.Errorf("below a named folder: %v", forms(p))
	}
}

// A question that a skill answers gets its name and not the shape of the whole.
func TestSkillThatAnswersNeedsNoOverview(t *testing.T) {
	f := (&fake{}).add(
		entry{kind: knowledge.Skill, id: "rotate-keys", title: "rotate-keys", desc: "Rotate the payment provider's API keys", paths: []string{"services/billing"}, body: "1. Make a new key.\n"},
		entry{kind: knowledge.Memory, id: "webhooks", title: "Stripe webhooks arrive more than once", body: "Look the event up first.\n"},
	)
	p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "how are the api keys rotated", ToolName: tools})
	if strings.Contains(p.Text, "What is on record here") || !strings.Contains(p.Text, "::rotate-keys") {
		t.Errorf("got %s", p.Text)
	}
}

// A client whose prompts bring nothing is not told to write ::name in one.
func TestSkillsAreOfferedByAWayThatWorks(t *testing.T) {
	f := (&fake{}).add(entry{kind: knowledge.Skill, id: "ship", title: "ship", desc: "Ship it", body: "steps\n"})
	named := func(tool string) string { return "pathrule__" + tool }
	for name, c := range map[string]struct {
		in   In
		want string
	}{
		"prompts are heard":               {In{ToolName: named}, "Skills, loaded by writing ::name in a prompt: ship"},
		"they are not, but the server is": {In{ToolName: named, Unheard: true}, "Skills, loaded with pathrule__read_skill: ship"},
		"neither":                         {In{Unheard: true}, "Skills: ship"},
	} {
		c.in.Channel, c.in.Source = Session, f
		if p := mustMake(t, c.in); !strings.Contains(p.Text, c.want) {
			t.Errorf("%s: want %q in %q", name, c.want, p.Text)
		}
	}
}
