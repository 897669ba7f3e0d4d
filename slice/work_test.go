package slice

import (
	"strings"
	"testing"
)

// past is two stretches of earlier work and this session's own.
func past() []Work {
	return []Work{
		{Edited: []string{"web/cart.ts"}, Subjects: []string{"web", "cart"}, Paths: 1, Now: true, Entries: []string{"memory:cart"}},
		{Edited: []string{"src/billing/retry.go", "src/billing/client.go"}, Read: []string{"docs/stripe.md"}, Subjects: []string{"billing", "retry", "client"}, Paths: 3, Wrote: []string{"memory:stripe-cap"}},
		{Read: []string{"deploy/helm.yaml", "deploy/a.yaml", "bad\nname", "deploy/b.yaml"}, Subjects: []string{"deploy", "helm"}, Paths: 4},
	}
}

// P56-P58: who is told of earlier work, and who is not.
func TestEarlierWorkIsToldWhereItHelps(t *testing.T) {
	const billing = "- edited src/billing/retry.go, src/billing/client.go; read docs/stripe.md; wrote memory:stripe-cap"
	tests := map[string]struct {
		prompt string
		want   string // "": nothing
	}{
		"asked for by name":                    {"++history", "- edited web/cart.ts\n" + billing},
		"asked for deeply":                     {"++history deep", "read deploy/helm.yaml, deploy/a.yaml, deploy/b.yaml"},
		"asked for by name, on a subject":      {"++history billing", billing},
		"a question about the past":            {"How did we implement the billing retry?", billing},
		"the same in Turkish":                  {"billing retry işini geçen sefer nasıl yapmıştık?", billing},
		"the same in Japanese":                 {"前回 billing の retry をどうやって実装した?", billing},
		"the same in Russian":                  {"Как мы сделали billing retry в прошлый раз?", billing},
		"the same in Chinese":                  {"我们之前是怎么做 billing retry 的?", billing},
		"the same in German":                   {"Wie haben wir billing retry gemacht?", billing},
		"a bug in the same place":              {"Fix the crash in the billing retry client", billing},
		"a question about an unknown past":     {"How did we implement the search ranking?", ""},
		"a bug elsewhere":                      {"Fix the crash in the search ranking", ""},
		"a bug where only this session was":    {"Fix the crash in web/cart.ts when the cart is empty", ""},
		"a chore":                              {"run the tests", ""},
		"a refactoring of the same path":       {"Refactor src/billing/retry.go into smaller functions", billing},
		"a refactoring of the folder around":   {"Refactor everything in src/billing into smaller functions", billing},
		"an exploration of it":                 {"Explain how the billing retry works", billing},
		"a new feature there":                  {"Add a CSV export to the billing retry client", ""},
		"a look at the interface":              {"Make the billing retry button blue and round its corners", ""},
		"this session is handed over":          {"++handoff", "This session edited web/cart.ts. Notes told: memory:cart."},
		"nothing on the subject that is asked": {"++history kubernetes", "no earlier work on this|edited web/cart.ts"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			plan, err := Make(In{Channel: Prompt, Source: &fake{}, Prompt: test.prompt, Work: past,
				Exists: func(p string) bool { return p == "web/cart.ts" || p == "src/billing" || p == "src/billing/retry.go" }})
			if err != nil {
				t.Fatal(err)
			}
			told := strings.Contains(plan.Text, "edited ") || strings.Contains(plan.Text, "read ")
			if test.want == "" && told {
				t.Errorf("told %q", plan.Text)
			}
			ok := false
			for _, w := range strings.Split(test.want, "|") {
				ok = ok || strings.Contains(plan.Text, w)
			}
			if !ok {
				t.Errorf("want %q in %q (%s)", test.want, plan.Text, plan.Intent)
			}
			if told && strings.HasPrefix(test.want, "-") && !strings.Contains(plan.Text, "(evidence, not a rule)") {
				t.Errorf("it does not say what it is worth: %q", plan.Text)
			}
			// P56: two stretches, three when it is asked for deeply.
			most := 2
			if strings.Contains(test.prompt, "deep") {
				most = 3
			}
			if n := strings.Count(plan.Text, "\n- "); n > most {
				t.Errorf("%d stretches: %q", n, plan.Text)
			}
			if strings.Contains(plan.Text, "bad") {
				t.Errorf("a path that no text can hold: %q", plan.Text)
			}
		})
	}
}

// P58: of two stretches that say as much for themselves the newer comes first,
// and a question needs high confidence, which two paths are not (P56).
func TestNewerWorkComesFirstAndAQuestionNeedsConfidence(t *testing.T) {
	w := func(file string, paths int) Work {
		return Work{Edited: []string{file}, Subjects: []string{"billing", "retry"}, Paths: paths}
	}
	ask := func(prompt string, work ...Work) string {
		plan, _ := Make(In{Channel: Prompt, Source: &fake{}, Prompt: prompt, Work: func() []Work { return work }})
		return plan.Text
	}
	got := ask("Fix the crash in the billing retry", w("src/billing/new.go", 3), w("src/billing/old.go", 3), w("src/billing/older.go", 3))
	if i, j := strings.Index(got, "new.go"), strings.Index(got, "old.go"); i < 0 || j < i || strings.Contains(got, "older.go") {
		t.Errorf("got %q", got)
	}
	if got := ask("How did we implement the billing retry?", w("src/billing/a.go", 2)); strings.Contains(got, "Earlier work") {
		t.Errorf("two paths are no certainty: %q", got)
	}
}

// A handoff in a new session is the one before it; an empty log says so.
func TestAHandoffWithoutWorkOfItsOwn(t *testing.T) {
	ask := func(prompt string, work []Work) string {
		plan, _ := Make(In{Channel: Prompt, Source: &fake{}, Prompt: prompt, Work: func() []Work { return work }})
		return plan.Text
	}
	if got := ask("++handoff", past()[1:]); !strings.Contains(got, "The session before edited src/billing/retry.go, src/billing/client.go; read docs/stripe.md; wrote memory:stripe-cap.") {
		t.Errorf("got %q", got)
	}
	if got := ask("++handoff", nil); !strings.Contains(got, "nothing to hand over") {
		t.Errorf("got %q", got)
	}
	if got := ask("++history", nil); !strings.Contains(got, "no earlier work") {
		t.Errorf("got %q", got)
	}
}

// What was recalled without being asked for is not recalled again.
func TestEarlierWorkIsToldOnce(t *testing.T) {
	in := In{Channel: Prompt, Source: &fake{}, Prompt: "Fix the crash in the billing retry client", Work: past}
	first, _ := Make(in)
	if len(first.Extras) == 0 {
		t.Fatalf("got %q", first.Text)
	}
	in.Delivered = had(first.Extras)
	if again, _ := Make(in); strings.Contains(again.Text, "Earlier work") {
		t.Errorf("told again: %q", again.Text)
	}
}

type had []Extra

func (h had) Has(key, hash string) Form {
	for _, x := range h {
		if x.Key == key && x.Hash == hash {
			return Body
		}
	}
	return None
}
