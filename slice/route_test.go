package slice

import (
	"strings"
	"testing"

	"pathrule/index/catalog"
)

// withFiles is a source whose project map answers with these files.
type withFiles struct {
	*fake
	files []catalog.PathHit
}

func (w withFiles) Search(q catalog.Query) (catalog.Result, error) {
	res, err := w.fake.Search(q)
	if q.Route {
		res.Files = w.files
	}
	return res, err
}

// P59, P80: what leads to a file, and what does not.
func TestWhatLeadsToAFile(t *testing.T) {
	const prompt = "retries of a payment are capped too early"
	tests := map[string]struct {
		files  []catalog.PathHit
		work   []Work
		gone   bool
		prompt string
		want   string // of the text; "": no route
	}{
		"the words of commits":                     {files: []catalog.PathHit{{Path: "src/policy.go", History: routeFloor}}, want: "Open src/policy.go before searching."},
		"too few of them":                          {files: []catalog.PathHit{{Path: "src/policy.go", History: routeFloor - 0.1}}},
		"words of its path beside them":            {files: []catalog.PathHit{{Path: "src/policy.go", History: routeFloor - 1, Words: 4}}, want: "Open src/policy.go before searching."},
		"a runner-up within one point":             {files: []catalog.PathHit{{Path: "a.go", History: 6}, {Path: "b.go", History: 5.5}}, want: "Open a.go (or b.go) before searching."},
		"no runner-up further off":                 {files: []catalog.PathHit{{Path: "a.go", History: 6}, {Path: "b.go", History: 4.5}}, want: "Open a.go before searching."},
		"a file that is not there any more":        {files: []catalog.PathHit{{Path: "a.go", History: 6}}, gone: true},
		"earlier work on what the prompt names":    {files: []catalog.PathHit{{Path: "src/payment/cap.go", Words: 5}}, work: []Work{{Edited: []string{"src/payment/cap.go"}, Subjects: []string{"payment"}, Paths: 1}, {Edited: []string{"src/payment/cap.go"}, Subjects: []string{"payment"}, Paths: 1}}, want: "Open src/payment/cap.go before searching."},
		"earlier work on something else":           {files: []catalog.PathHit{{Path: "src/payment/cap.go", Words: 5}}, work: []Work{{Edited: []string{"web/cart.ts"}, Subjects: []string{"cart"}, Paths: 1}}},
		"a long prompt that shares a word of many": {files: []catalog.PathHit{{Path: "a.go", History: 6}}, prompt: prompt + " while " + strings.Join([]string{"alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliet", "kilo", "lima", "mike", "november", "oscar", "papa", "quebec", "romeo"}, " ")},
		"a command": {files: []catalog.PathHit{{Path: "a.go", History: 9}}, prompt: "run the tests"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.prompt == "" {
				test.prompt = prompt
			}
			plan, err := Make(In{Channel: Prompt, Source: withFiles{&fake{}, test.files}, Prompt: test.prompt,
				Exists: func(string) bool { return !test.gone }, Work: func() []Work { return test.work }})
			if err != nil {
				t.Fatal(err)
			}
			if test.want == "" {
				if plan.Route != nil || strings.Contains(plan.Text, "before searching") {
					t.Errorf("got %+v, %q", plan.Route, plan.Text)
				}
				return
			}
			if !strings.Contains(plan.Text, test.want) {
				t.Errorf("want %q in %q (%+v)", test.want, plan.Text, plan.Route)
			}
		})
	}
}

// P80: each route is told once in a session.
func TestARouteIsToldOnce(t *testing.T) {
	in := In{Channel: Prompt, Source: withFiles{&fake{}, []catalog.PathHit{{Path: "a.go", History: 6}}}, Prompt: "cap the retries of a payment", Exists: func(string) bool { return true }}
	first, _ := Make(in)
	if !strings.Contains(first.Text, "Open a.go") {
		t.Fatalf("got %q", first.Text)
	}
	in.Delivered = had(first.Extras)
	if again, _ := Make(in); strings.Contains(again.Text, "Open a.go") {
		t.Errorf("told again: %q", again.Text)
	}
}
