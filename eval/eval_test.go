package main

import (
	"maps"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/knowledge"
)

// What counts as delivered is read off the text that the model gets.
func TestReaderFindsBodiesLinesAndNames(t *testing.T) {
	r := newReader([]knowledge.Entry{
		{Kind: knowledge.Memory, ID: "a", Title: "Retries", Body: "Never on 4xx.\n<!-- hidden -->\n"},
		{Kind: knowledge.Memory, ID: "b", Title: "Retries", Body: "Twice at most."},
		{Kind: knowledge.Rule, ID: "c/d", Title: "No floats", Body: "Use integers."},
		{Kind: knowledge.Skill, ID: "ship", Title: "ship", Body: "steps"},
	})
	got := r.read(`Background notes for the task above:
Memory (lib): Retries
--- 0123456789abcdef
Twice at most. See [rule:c/d] and ::ship.
--- 0123456789abcdef
- Rule, high (src): No floats [rule:c/d]: Use integers.
Also here: Retries [memory:a]; unknown [memory:zzz]
Skills that fit (load one by writing its ::name): ::ship, ::nothing
+2 more.`)
	want := map[string]form{"memory:b": body, "rule:c/d": card, "memory:a": name, "skill:ship": name}
	if d := cmp.Diff(want, got.forms); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if d := cmp.Diff([]string{"memory:b", "rule:c/d", "memory:a", "skill:ship"}, got.order); d != "" {
		t.Errorf("order -want +got\n%s", d)
	}
}

func TestFiguresCountWhatThePromptBrought(t *testing.T) {
	s := &set{name: "s", entries: []knowledge.Entry{
		{Kind: knowledge.Memory, ID: "a", Body: "short"}, {Kind: knowledge.Memory, ID: "b", Body: "short"}, {Kind: knowledge.Skill, ID: "k", Body: "steps"},
	}}
	give := func(forms map[string]form) given {
		var g given
		for _, k := range []string{"memory:a", "memory:b", "skill:k"} {
			if f := forms[k]; f > nothing {
				g.add(k, f)
			}
		}
		return g
	}
	at := func(p prompt, forms map[string]form) outcome {
		g := give(forms)
		text := ""
		if len(forms) > 0 {
			text = "said"
		}
		return outcome{p: p, prompt: g, touched: g, session: g, mcp: g, text: text, tokens: 10}
	}
	r := judge(s, []outcome{
		at(prompt{ID: "1", Lang: "en", Kind: "direct", Gold: []string{"memory:a"}}, map[string]form{"memory:a": body, "memory:b": body}),
		at(prompt{ID: "2", Lang: "en", Kind: "direct", Gold: []string{"skill:k", "memory:a"}}, map[string]form{"skill:k": name, "memory:a": card}),
		at(prompt{ID: "3", Lang: "ja", Kind: "chore", Hard: []string{"memory:b"}}, map[string]form{"memory:b": body}),
		at(prompt{ID: "4", Lang: "ja", Kind: "chore"}, nil),
		at(prompt{ID: "5", Lang: "ja", Kind: "cross", Link: "dictionary", Gold: []string{"memory:a"}}, nil),
	})
	a := r.All
	got := []int{a.Prompts, a.Gold, a.Body, a.Line, a.Bodies, a.Wrong, a.Hard, a.Empty, a.False, a.Spoke, r.Dictionary.Gold, r.Dictionary.Body, r.Langs["ja"].Prompts}
	want := []int{4, 3, 2, 3, 3, 2, 1, 2, 1, 1, 1, 0, 2}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("prompts gold body line bodies wrong hard empty false spoke dictionary ja -want +got\n%s", d)
	}
	if a.MRR != 0.833 { // 1, 1/2 and 1 of three
		t.Errorf("MRR %v", a.MRR)
	}
	if len(r.Misses) != 4 {
		t.Errorf("misses %q", r.Misses)
	}
}

func TestADropFailsAndARisePasses(t *testing.T) {
	was := summary{Name: "s", Gold: 10, Body: 8, Line: 9, Wrong: 1, Empty: 5, False: 0, Spoke: 1, MCPBody: 7, Tokens: 1000}
	for name, c := range map[string]struct {
		change func(*summary)
		worse  int
	}{
		"the same":                  {func(*summary) {}, 0},
		"better":                    {func(s *summary) { s.Body, s.Wrong, s.Tokens = 9, 0, 800 }, 0},
		"a little more text":        {func(s *summary) { s.Tokens = 1050 }, 0},
		"much more text":            {func(s *summary) { s.Tokens = 1051 }, 1},
		"a body less, one wrong":    {func(s *summary) { s.Body, s.Wrong = 7, 2 }, 2},
		"a body where nothing fits": {func(s *summary) { s.False = 1 }, 1},
		"another set":               {func(s *summary) { s.Gold = 11; s.Body = 9 }, 1},
	} {
		now := was
		c.change(&now)
		if got := now.worse(was); len(got) != c.worse {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// The labels of the committed sets name entries that exist, and the sets are as
// large as their figures claim.
func TestCommittedSetsAreSound(t *testing.T) {
	sets, err := committedSets("", "sets")
	if err != nil {
		t.Fatal(err)
	}
	langs := map[string]bool{}
	prompts := 0
	for _, s := range sets {
		if len(s.entries) < 60 {
			t.Errorf("%s has %d entries", s.name, len(s.entries))
		}
		for _, p := range s.prompts {
			langs[p.Lang] = true
			prompts++
			if p.Prompt == "" || p.Lang == "" || p.Kind == "" {
				t.Errorf("%s: prompt %q lacks text, language or kind", s.name, p.ID)
			}
			if silent := slices.Contains([]string{"chore", "nomatch", "nomatch_hard"}, p.Kind); silent != p.silent() {
				t.Errorf("%s: prompt %s is %s with %d gold entries", s.name, p.ID, p.Kind, len(p.Gold))
			}
		}
	}
	if len(sets) < 3 || prompts < 200 {
		t.Errorf("%d sets with %d prompts", len(sets), prompts)
	}
	for _, l := range []string{"en", "ja", "zh", "ko", "ru", "de", "es", "fr", "pt", "tr", "th", "mixed"} {
		if !langs[l] {
			t.Errorf("no prompt in %s", l)
		}
	}
}

// Every signal that the ablation leaves out stands in the tuning file by its
// name.
func TestAblationsNameConstantsThatExist(t *testing.T) {
	src, err := os.ReadFile("../" + tuningFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range ablations {
		if _, err := setConstants(src, a.values); err != nil {
			t.Errorf("%s: %v", a.name, err)
		}
	}
	if _, err := setConstants(src, map[string]string{"noSuchThing": "1"}); err == nil {
		t.Error("an unknown constant is passed over")
	}
}

// The package builds with all of them left out: no constant is divided by one that
// becomes nothing.
func TestTheRankingBuildsWithoutItsSignals(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command on the PATH")
	}
	t.Chdir("..")
	src, err := os.ReadFile(tuningFile)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, a := range ablations {
		maps.Copy(all, a.values)
	}
	args, err := overlay(t.TempDir(), src, all)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(tool, append(append([]string{"build", "-buildvcs=false"}, args...), "./slice")...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
