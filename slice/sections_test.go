package slice

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/knowledge"
)

// manual is a long entry: an introduction, sections with subsections, code that
// looks like a heading, and one that nobody asks for.
func manual() string {
	pad := func(topic string) string {
		return strings.Repeat("About "+topic+" there is a lot to be said and all of it is dull. ", 60)
	}
	return "# Packaging manual\n\nHow we build and ship.\n\n" +
		"## Notarisation\n\nApple's notary rejects bundles with unsigned helpers; staple the ticket afterwards.\n\n" +
		"### Stapling\n\nRun `stapler` on the disk image.\n\n```sh\n# not a heading\nstapler staple App.dmg\n```\n\n" +
		"## Linux\n\n" + pad("flatpak") + "\n\n" +
		"## Windows\n\n" + pad("installers") + "\n\n" +
		"## Empty on purpose\n\n### Checksums\n\nPublish the sha512 checksums beside each artifact.\n"
}

func withManual() *fake {
	f := (&fake{}).add(entry{kind: knowledge.Memory, id: "packaging", title: "Packaging manual", paths: []string{"tools/pack"}, body: manual()})
	for i := range 20 {
		f.add(entry{kind: knowledge.Memory, id: fmt.Sprintf("other-%02d", i), title: fmt.Sprintf("Other topic %d", i), body: fmt.Sprintf("Colour %d of the buttons is agreed with the designers.\n", i)})
	}
	return f
}

const (
	notary   = "the notary rejects our bundle because of unsigned helpers, what about the ticket?"
	maxUnits = 2000 // what a host takes, in bytes here
)

func small() Budget { return Budget{Max: maxUnits, Measure: func(s string) int { return len(s) }} }

func TestSectionsAreTheWholeText(t *testing.T) {
	text := deliverable(manual())
	var heads []string
	rest := text
	for _, s := range sectionsOf(text) {
		heads = append(heads, fmt.Sprintf("%d %s in %v bare %v", s.level, s.head, s.in, s.bare()))
		i := strings.Index(rest, s.text)
		if i < 0 || strings.TrimSpace(rest[:i]) != "" {
			t.Fatalf("section %q does not follow the one before it", s.head)
		}
		rest = rest[i+len(s.text):]
	}
	if strings.TrimSpace(rest) != "" {
		t.Errorf("left over: %q", rest)
	}
	want := []string{"1 Packaging manual in [] bare false", "2 Notarisation in [0] bare false", "3 Stapling in [0 1] bare false",
		"2 Linux in [0] bare false", "2 Windows in [0] bare false", "2 Empty on purpose in [0] bare true", "3 Checksums in [0 5] bare false"}
	if d := cmp.Diff(want, heads); d != "" {
		t.Error(d)
	}
}

func FuzzSections(f *testing.F) {
	f.Add(manual())
	f.Add("no heading")
	f.Add("text\n## A\n\n## B\nx\n#\n### C\n```\n# D\n")
	f.Fuzz(func(t *testing.T, s string) {
		text := deliverable(s)
		rest := text
		var all []int
		for i, s := range sectionsOf(text) {
			at := strings.Index(rest, s.text)
			if at < 0 || strings.TrimSpace(rest[:at]) != "" {
				t.Fatalf("section %d is not where it was", i)
			}
			rest = rest[at+len(s.text):]
			all = append(all, i)
			for _, k := range s.in {
				if k >= i {
					t.Fatalf("section %d stands in %d", i, k)
				}
			}
		}
		if len(all) > 0 && strings.Contains((&excerpt{sections: sectionsOf(text)}).quote(all), omitted) && !strings.Contains(text, omitted) {
			t.Error("all sections together leave something out")
		}
	})
}

// DESIGN 5: a body is never cut. What is too long for the host is told by the
// sections that answer, each of them whole, and says what it is.
func TestALongEntryIsToldByItsSections(t *testing.T) {
	p := mustMake(t, In{Channel: Prompt, Source: withManual(), Prompt: notary, Budget: small(), ToolName: tools})
	if len(p.Items) == 0 || p.Items[0].ID != "packaging" || p.Items[0].Form != Card {
		t.Fatalf("items %v\n%s", forms(p), p.Text)
	}
	if d := cmp.Diff([]string{"Notarisation"}, p.Items[0].Sections); d != "" {
		t.Errorf("sections %s", d)
	}
	want := "Memory (tools/pack), 1 of 6 sections: Packaging manual [memory:packaging] (the rest: " + tools("read_memory") + ")\n--- "
	if !strings.Contains(p.Text, want) {
		t.Errorf("no heading %q in\n%s", want, p.Text)
	}
	body := "\n# Packaging manual\n[…]\n## Notarisation\n\nApple's notary rejects bundles with unsigned helpers; staple the ticket afterwards.\n[…]\n--- "
	if !strings.Contains(p.Text, body) || strings.Contains(p.Text, "dull") {
		t.Errorf("not the section whole and alone:\n%s", p.Text)
	}
	if len(p.Text) > maxUnits {
		t.Errorf("%d bytes, over the cap", len(p.Text))
	}
	// The same entry where there is room for all of it.
	if p = mustMake(t, In{Channel: Prompt, Source: withManual(), Prompt: notary}); p.Items[0].Form != Body || p.Items[0].Sections != nil {
		t.Errorf("with room: %v", forms(p))
	}
	e := Explain(mustMake(t, In{Channel: Prompt, Source: withManual(), Prompt: notary, Budget: small()}))
	if e.Items[0].Form != "card" || !slices.Equal(e.Items[0].Sections, []string{"Notarisation"}) {
		t.Errorf("explained as %+v", e.Items[0])
	}
}

// A heading around the section stands, what is left out shows.
func TestASectionKeepsTheHeadingsAroundIt(t *testing.T) {
	p := mustMake(t, In{Channel: Prompt, Source: withManual(), Prompt: "where do the sha512 checksums of an artifact go?", Budget: small()})
	if want := "\n# Packaging manual\n[…]\n## Empty on purpose\n### Checksums\n\nPublish the sha512 checksums beside each artifact.\n--- "; !strings.Contains(p.Text, want) {
		t.Errorf("want %q in\n%s", want, p.Text)
	}
}

// What was told as a section is not the body, and is not told again.
func TestSectionsAndTheLedger(t *testing.T) {
	have := told{}
	ask := func(prompt string) Plan {
		p := mustMake(t, In{Channel: Prompt, Source: withManual(), Prompt: prompt, Budget: small(), Delivered: have})
		have.take(p)
		return p
	}
	if p := ask(notary); !strings.Contains(p.Text, "unsigned helpers") || p.Items[0].Again {
		t.Fatalf("first: %+v\n%s", p.Items, p.Text)
	}
	for k, s := range have {
		if strings.HasSuffix(k, "memory:packaging") && s.form != Card {
			t.Errorf("the ledger holds %v for the entry", s.form)
		}
	}
	if p := ask(notary); p.Text != "" {
		t.Errorf("told again:\n%s", p.Text)
	}
	p := ask("where do the sha512 checksums of an artifact go?")
	if !strings.Contains(p.Text, "beside each artifact") || strings.Contains(p.Text, "unsigned helpers") {
		t.Errorf("another section:\n%s", p.Text)
	}
	if len(p.Items) == 0 || !p.Items[0].Again {
		t.Errorf("the line is recorded twice: %+v", p.Items)
	}
	whole := mustMake(t, In{Channel: Prompt, Source: withManual(), Prompt: notary, Delivered: have})
	if len(whole.Items) == 0 || whole.Items[0].Form != Body {
		t.Errorf("the body does not come any more where there is room: %v", forms(whole))
	}
	if p := mustMake(t, In{Channel: Prompt, Source: withManual(), Prompt: notary}); p.Items[0].Form == Body {
		have.take(p)
	}
	if p := ask(notary); p.Text != "" {
		t.Errorf("told in part after it was told whole:\n%s", p.Text)
	}
}

// The guide of a touched folder comes whole, and by its sections where no answer
// holds it; without a section that fits the file it stays a line.
func TestALongGuideAtATool(t *testing.T) {
	touch := func(path string, b Budget) Plan {
		return mustMake(t, In{Channel: Tool, Source: withManual(), Paths: []string{path}, Budget: b})
	}
	if p := touch("tools/pack/main.go", Budget{}); p.Items[0].Form != Body {
		t.Errorf("a guide of %d tokens: %v", Tokens(manual()), forms(p))
	}
	if p := touch("tools/pack/sha512_checksums.go", small()); !slices.Equal(p.Items[0].Sections, []string{"Checksums"}) {
		t.Errorf("by the words of the path: %+v\n%s", p.Items, p.Text)
	}
	if p := touch("tools/pack/main.go", small()); p.Items[0].Form != Card || p.Items[0].Sections != nil {
		t.Errorf("nothing in common: %+v", p.Items)
	}
}

// A called skill that is too long is read from its beginning.
func TestALongSkillIsReadFromItsBeginning(t *testing.T) {
	f := (&fake{}).add(entry{kind: knowledge.Skill, id: "pack", title: "pack", desc: "How to pack.", body: manual()})
	p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "::pack", Budget: small()})
	want := []string{"Packaging manual", "Notarisation", "Stapling", "Checksums"}
	if len(p.Items) != 1 || !slices.Equal(p.Items[0].Sections, want) {
		t.Errorf("got %+v, want %v", p.Items, want)
	}
}

// At every depth and cap the text holds, with sections in it.
func TestSectionsKeepEveryBudget(t *testing.T) {
	for _, d := range []Depth{Minimal, Focused, Deep} {
		for _, limit := range []int{120, 300, 700, 1200, 2400} {
			p := mustMake(t, In{Channel: MCP, Source: withManual(), Prompt: notary, Paths: []string{"tools/pack/a.go"}, Depth: d,
				Budget: Budget{Tokens: limit, Max: limit, Measure: Tokens}})
			if p.Tokens > limit {
				t.Errorf("%s: %d tokens of %d", d, p.Tokens, limit)
			}
		}
	}
}

// What a prompt touched on comes whole once a tool reaches its paths, before
// what merely governs them. The ledger's note of it holds hashes only.
func TestATaskSpeaksWithThePath(t *testing.T) {
	f := &fake{}
	for _, n := range []string{"alpha", "beta", "gamma", "delta"} {
		f.add(entry{kind: knowledge.Rule, id: n, title: "Pipeline " + n, paths: []string{"ci/**/*.yml"},
			body: "Keep the " + n + " stage as it is. " + strings.Repeat("It was agreed on with everybody. ", 12) + "\n"})
	}
	f.add(entry{kind: knowledge.Rule, id: "signing", title: "Pipeline signing", paths: []string{"ci/**/*.yml"},
		body: "Certificates come from the vault. " + strings.Repeat("It was agreed on with everybody. ", 12) + "\n"})
	for i := range 30 {
		f.add(entry{kind: knowledge.Memory, id: fmt.Sprintf("n%02d", i), title: fmt.Sprintf("Note %d", i), paths: []string{"app"}, body: "The certificates of users are shown in colour.\n"})
	}
	plain := mustMake(t, In{Channel: Tool, Source: f, Paths: []string{"ci/build/main.yml"}})
	if plain.Items[0].Form == Body {
		t.Fatalf("a crowd without a task: %v", forms(plain))
	}
	task := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "the certificates on the agents expired yesterday, replace those of the vault"}).Task
	if task == "" || task == NoTask || strings.Trim(task, "0123456789abcdef.,") != "" {
		t.Fatalf("task %q", task)
	}
	p := mustMake(t, In{Channel: Tool, Source: f, Paths: []string{"ci/build/main.yml"}, Task: task})
	if p.Items[0].ID != "signing" || p.Items[0].Form != Body {
		t.Errorf("with the task: %v", forms(p))
	}
	for _, it := range p.Items[1:] {
		if it.Form == Body {
			t.Errorf("%s came whole too", it.ID)
		}
	}
	if got := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "go on"}).Task; got != "" {
		t.Errorf("a prompt that says nothing changes the task to %q", got)
	}
	if got := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "recommend a restaurant with noodles"}).Task; got != NoTask {
		t.Errorf("another subject leaves the task %q", got)
	}
}

// told is a ledger in memory.
type told map[string]struct {
	hash string
	form Form
}

func (d told) Has(key, hash string) Form {
	if s, ok := d[key]; ok && s.hash == hash {
		return s.form
	}
	return None
}

func (d told) take(p Plan) {
	put := func(key, hash string, f Form) {
		d[key] = struct {
			hash string
			form Form
		}{hash, f}
	}
	for _, it := range p.Items {
		if !it.Again {
			put(it.Key, it.Hash, it.Form)
		}
	}
	for _, x := range p.Extras {
		put(x.Key, x.Hash, Body)
	}
}

// E36: a subagent begins with the sections that its parent was told, each whole,
// within its budget; of a body that is too long for it those that the prompt was
// about.
func TestASubagentIsToldTheParentsSections(t *testing.T) {
	f := withManual().add(entry{kind: knowledge.Rule, id: "ship", title: "Shipping", priority: "high", body: strings.Repeat("Ask the harbour master. ", 400)})
	have := told{}
	first := mustMake(t, In{Channel: Prompt, Source: f, Prompt: notary, Budget: small(), Delivered: have})
	have.take(first)
	key := first.Items[0].Key
	part := Part{Key: key}
	for k := range have {
		if strings.HasPrefix(k, SectionPrefix(key)) {
			part.Sections = append(part.Sections, k)
		}
	}
	if len(part.Sections) != 1 {
		t.Fatalf("the prompt told %d sections", len(part.Sections))
	}
	p := mustMake(t, In{Channel: Subagent, Source: f, ParentParts: []Part{part}})
	if p.Items[0].Key != key || !slices.Equal(p.Items[0].Sections, []string{"Notarisation"}) || strings.Contains(p.Text, "dull") {
		t.Errorf("%+v\n%s", p.Items[0], p.Text)
	}
	again := told{}
	again.take(p)
	if p := mustMake(t, In{Channel: Subagent, Source: f, ParentParts: []Part{part}, Delivered: again}); strings.Contains(p.Text, "unsigned helpers") {
		t.Errorf("told twice:\n%s", p.Text)
	}
	// A text that was edited since has no such section any more: a line is left.
	gone := Part{key, []string{SectionPrefix(key) + "0000"}}
	if p := mustMake(t, In{Channel: Subagent, Source: f, ParentParts: []Part{gone}}); p.Items[0].Form != Card || p.Items[0].Sections != nil {
		t.Errorf("a section that is gone: %+v", p.Items[0])
	}
	// The parent had room for the body, the subagent has not.
	long := In{Channel: Subagent, Source: f, Parent: []string{key}, Task: first.Task, Budget: Budget{Tokens: 500}}
	p = mustMake(t, long)
	if p.Items[0].Form != Card || !slices.Contains(p.Items[0].Sections, "Notarisation") || p.Tokens > 500 {
		t.Errorf("%d tokens, %+v\n%s", p.Tokens, p.Items[0], p.Text)
	}
	// A rule for all work that the parent was told so is one item.
	rule := strings.TrimSuffix(key, "memory:packaging") + "rule:ship"
	for _, in := range []In{{ParentParts: []Part{{rule, nil}}}, {Parent: []string{rule}}} {
		in.Channel, in.Source = Subagent, f
		if p := mustMake(t, in); strings.Count(p.Text, "Shipping") != 1 {
			t.Errorf("not once:\n%s", p.Text)
		}
	}
}
