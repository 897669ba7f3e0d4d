package health

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/knowledge"
	"pathrule/workspace"
)

// A reference to a file that git renamed, or to an id with a slip, is told with
// what it was meant to be, and the command keeps the good ones.
func TestRelatedFilesThatMovedAndSlipsOfTheHand(t *testing.T) {
	p := newProject(t)
	p.write("docs/deploy.md", strings.Repeat("step by step\n", 20))
	p.commit(now - 100)
	p.git(now, "mv", "docs/deploy.md", "docs/release.md")
	p.commit(now - 50)
	e := memory("a", "x")
	e.Related = []string{"theme-colors", "docs/deploy.md", "memory:tehme-colors"}
	got := p.check(Input{Entries: []knowledge.Entry{e, memory("theme-colors", "y")}})
	e.Related[0] = "theme-colours"
	got = append(got, p.check(Input{Entries: []knowledge.Entry{e, memory("theme-colors", "y")}})...)
	want := []string{
		`related memory:a: is related to "docs/deploy.md", which is now docs/release.md, and to "memory:tehme-colors", which is no entry (did you mean memory:theme-colors?)` +
			` | pathrule memory edit a --related theme-colors --related docs/release.md --related memory:theme-colors`,
		`related memory:a: is related to "theme-colours", which is no entry (did you mean theme-colors?), and to "docs/deploy.md", which is now docs/release.md, and to "memory:tehme-colors", which is no entry (did you mean memory:theme-colors?)` +
			` | pathrule memory edit a --related theme-colors --related docs/release.md --related memory:theme-colors`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Section 8, rule health: what a pattern that covers nothing was meant to be, or
// that the entry has nothing left to be about.
func TestAPatternWithASlipAndAnEntryThatLostItsFile(t *testing.T) {
	p := newProject(t)
	p.write("src/search/rank.go", "package search\n")
	p.write("web/theme.tsx", "x\n")
	p.write("web/cart.tsx", "x\n")
	p.write("web/[id]/page.tsx", "x\n")
	p.commit(now - 100)
	p.git(now, "rm", "-q", "web/theme.tsx")
	p.commit(now - 50)
	got := p.check(Input{Entries: []knowledge.Entry{
		memory("slip", "x", "src/serach/**"),
		memory("lost", "Colours stand in `theme.tsx`, not in `cart.tsx` or theme.tsx. See ../web/theme.tsx.\n", "web/theme.tsx"),
		memory("half", "x", "web", "web/theme.tsx"),
		memory("bare", "Colours stand in `theme.tsx:4`, not in `cart.tsx`.\n", "web"),
		memory("none", "x", "src/serach/*.rs"),
		memory("root", "x", "*.tsx"),
		memory("routes", "x", "web/[id]/**"),
		memory("rust", "x", "*.rs"),
	}})
	want := []string{
		"scope memory:half: covers no file of the project: web/theme.tsx (web/theme.tsx was removed) | pathrule memory edit half --remove-path web/theme.tsx",
		"scope memory:lost: covers no file of the project: web/theme.tsx (web/theme.tsx was removed) | pathrule memory rm lost",
		"scope memory:none: covers no file of the project: src/serach/*.rs | pathrule memory edit none --path …",
		"scope memory:root: covers no file of the project: *.tsx (did you mean **/*.tsx?) | pathrule memory edit root --remove-path '*.tsx' --add-path '**/*.tsx'",
		`scope memory:routes: covers no file of the project: web/[id]/** (did you mean web/\[id\]/**?) | pathrule memory edit routes --remove-path 'web/[id]/**' --add-path 'web/\[id\]/**'`,
		"scope memory:rust: covers no file of the project: *.rs | pathrule memory edit rust --path …",
		"scope memory:slip: covers no file of the project: src/serach/** (did you mean src/search/**?) | pathrule memory edit slip --remove-path 'src/serach/**' --add-path 'src/search/**'",
		"mention memory:bare: names theme.tsx, which is gone | pathrule memory edit bare",
		"mention memory:lost: names ../web/theme.tsx, which is gone | pathrule memory edit lost",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestASlipIsOneLetterOrTwoThatChangedPlaces(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"serach", "search"}: true, {"search", "serch"}: true, {"search", "searches"}: false, {"a", "b"}: true,
		{"search", "saerhc"}: false, {"поиск", "писк"}: true, {"ab", "ba"}: true, {"same", "same"}: true,
	} {
		if got := slip(pair[0], pair[1]); got != want || slip(pair[1], pair[0]) != want {
			t.Errorf("%v: %v", pair, got)
		}
	}
}

// Of two that say the same the one whose paths are gone goes, else the shorter.
func TestTheWorseOfTwoCopiesIsTheOneToRemove(t *testing.T) {
	p := &project{t, t.TempDir()}
	p.write("src/pay/a.go", "")
	text := "Stripe answers 429 under load. We retry three times with jitter and give up after ten seconds.\n"
	got := p.check(Input{Entries: []knowledge.Entry{memory("stripe-retries", text+"See the runbook.\n", "src/gone"), memory("stripe-retry", text, "src/pay")}})
	if !strings.Contains(strings.Join(got, "\n"), "| pathrule memory rm stripe-retries") {
		t.Errorf("got %q", got)
	}
}

// Section 8: shadowed rules. What governs here anyway need not be said again,
// and an id that hides another one is told.
func TestWhatAnInheritedEntryMakesUseless(t *testing.T) {
	outer := func(e knowledge.Entry) Inherited { return Inherited{Entry: e, From: "/big", Below: "apps/shop"} }
	mail := func(id string, paths ...string) knowledge.Entry {
		return rule(id, "Never write the email address of a customer into logs", paths...)
	}
	tests := map[string]struct {
		own  knowledge.Entry
		over Inherited
		want string
	}{
		"the same where all is governed": {mail("mail", "src"), outer(mail("no-mail")),
			"shadow rule:mail: says nearly the same as rule:no-mail of /big, which speaks here anyway; both are told | pathrule rule rm mail"},
		"the same on a part of what is governed": {mail("mail", "src"), outer(mail("no-mail", "apps/shop/src")),
			"shadow rule:mail: says nearly the same as rule:no-mail of /big, which speaks here anyway; both are told | pathrule rule rm mail"},
		"the same elsewhere":   {mail("mail", "src"), outer(mail("no-mail", "src")), ""},
		"the opposite":         {rule("mail", "Write the email address of a customer into logs", "src"), outer(mail("no-mail")), ""},
		"the user's own":       {mail("mail"), Inherited{Entry: mail("personal/no-mail"), From: "your own store"}, "shadow rule:mail: says nearly the same as rule:personal/no-mail of your own store, which speaks here anyway; both are told | pathrule rule rm mail"},
		"something else":       {rule("dates", "Format dates as ISO 8601"), outer(mail("no-mail")), ""},
		"the id of another":    {rule("no-mail", "Format dates as ISO 8601"), outer(mail("no-mail")), "shadow rule:no-mail: hides the rule of the same id of /big: nobody can name that one from here; move the file to give it another id | pathrule rule edit no-mail"},
		"the id of a memory's": {memory("no-mail", "x"), outer(mail("no-mail")), ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(lines(t, Input{Entries: []knowledge.Entry{test.own}, Inherited: []Inherited{test.over}}), "\n")
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Section 8: the same text in CLAUDE.md or AGENTS.md and in a rule.
func TestWhatClientsLoadByThemselvesIsNamed(t *testing.T) {
	e := rule("mail", "Customer emails", "src")
	e.Body = "Never write the email address of a customer into logs, metrics or error reports.\n"
	short := rule("tabs", "Always use tabs for indentation")
	in := Input{Entries: []knowledge.Entry{e, short, memory("other", "Payments are retried three times with jitter, then given up after ten seconds.\n")},
		Loaded: []Loaded{{"README.md", "Nothing of it."}, {"CLAUDE.md", "# Rules\n\n- Never write the email address of a customer\n  into logs, metrics or error reports.\n- Always use tabs for indentation\n"}}}
	want := []string{
		"double rule:mail: stands in CLAUDE.md as well, which clients load by themselves, so that their sessions have it twice | take it out of CLAUDE.md",
		"double rule:tabs: stands in CLAUDE.md as well, which clients load by themselves, so that their sessions have it twice | take it out of CLAUDE.md",
	}
	if d := cmp.Diff(want, lines(t, in)); d != "" {
		t.Error(d)
	}
	// Where the file is another entry already, two entries say it.
	whole := rule("claude", "Rules")
	whole.Body, whole.Source = in.Loaded[1].Text, "import:CLAUDE.md 0123456789abcdef"
	both := in
	both.Entries = append(slices.Clone(in.Entries), whole)
	both.Held = func(e *knowledge.Entry, file string) bool { return e.ID == "claude" }
	twice := []string{
		"double rule:mail: stands in CLAUDE.md as well, which rule:claude was imported from, so that two entries say it | pathrule rule rm mail",
		"double rule:tabs: stands in CLAUDE.md as well, which rule:claude was imported from, so that two entries say it | pathrule rule rm tabs",
	}
	if d := cmp.Diff(twice, lines(t, both)); d != "" {
		t.Error(d)
	}
	// A little of its own is no other text; half of it is.
	e.Body += "See the runbook.\n"
	in.Entries[0] = e
	if d := cmp.Diff(want, lines(t, in)); d != "" {
		t.Error(d)
	}
	in.Entries[0].Body += "The audit of the year before found addresses in a trace of the mail worker, which is why.\n"
	if d := cmp.Diff(want[1:], lines(t, in)); d != "" {
		t.Error(d)
	}
	in.Entries[0] = e
	in.Held = func(e *knowledge.Entry, file string) bool { return e.ID == "mail" && file == "CLAUDE.md" }
	if d := cmp.Diff(want[1:], lines(t, in)); d != "" {
		t.Errorf("what hooks know of is told once:\n%s", d)
	}
}

// A rule that waits until somebody asks for it is in no session by itself.
func TestOnlyWhatIsLoadedUnaskedCountsAsToldTwice(t *testing.T) {
	root := t.TempDir()
	files := map[string]string{
		"CLAUDE.md":                     "Guide.\n",
		"web/AGENTS.md":                 "Guide.\n",
		".cursor/rules/always.mdc":      "---\nalwaysApply: true\n---\nRule.\n",
		".cursor/rules/asked.mdc":       "---\ndescription: When you write SQL\nglobs:\nalwaysApply: false\n---\nRule.\n",
		".cursor/rules/other.md":        "Rule.\n",
		".windsurf/rules/decides.md":    "---\ntrigger: model_decision\n---\nRule.\n",
		".kiro/steering/manual.md":      "---\ninclusion: manual\n---\nRule.\n",
		".kiro/steering/plain.md":       "Rule.\n",
		"docs/copilot-instructions.md":  "Guide.\n",
		".claude/rules/db.md":           "---\npaths: db/**\n---\nRule.\n",
		".clinerules/workflows/ship.md": "Ship.\n",
	}
	var project Files
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		project.Paths = append(project.Paths, name)
	}
	slices.Sort(project.Paths)
	var got []string
	for _, l := range LoadedFiles(&workspace.Workspace{Root: root, Store: filepath.Join(root, ".pathrule")}, project) {
		got = append(got, l.Path)
	}
	want := []string{"CLAUDE.md", ".claude/rules/db.md", ".cursor/rules/always.mdc", ".kiro/steering/plain.md", "web/AGENTS.md"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// P27, P84: a file that changes much and has no entry is told with the entry
// about the file that changes with it; a scope as wide as the project is about
// no place in it.
func TestAGapIsToldWithWhatChangesTogetherWithIt(t *testing.T) {
	p := newProject(t)
	for i := range 60 {
		p.write(filepath.ToSlash(filepath.Join("src", "x", string(rune('a'+i%26)), "f"+string(rune('a'+i/26))+".go")), "x")
	}
	p.commit(now - 100*day)
	for n := range 9 {
		p.write("lib/hot.go", strings.Repeat("x", n+1))
		p.write("lib/known.go", strings.Repeat("x", n+1))
		p.write("src/warm.go", strings.Repeat("x", n+1))
		p.commit(now - int64(20-n)*day)
	}
	young := func(e knowledge.Entry) knowledge.Entry { e.Created = "2030-03-16"; return e } // now-2*day
	in := Input{
		Entries: []knowledge.Entry{young(memory("known", "x", "lib/known.go")), young(memory("wide", "x", "src"))},
		Past: func(f string) (float64, []string) {
			switch f {
			case "lib/hot.go":
				return 0.1, []string{"go.sum", "lib/known.go"}
			case "src/warm.go":
				return 0.2, nil
			}
			return 0, nil
		},
	}
	want := []string{
		`gap : changed in 9 commits within 60 days, and no entry is about it | pathrule memory add "…" --path src/warm.go`,
		"gap : changed in 9 commits within 60 days, and no entry is about it; it changes together with lib/known.go, which memory:known is about | pathrule memory edit known --add-path lib/hot.go",
	}
	if d := cmp.Diff(want, p.check(in)); d != "" {
		t.Error(d)
	}
}
