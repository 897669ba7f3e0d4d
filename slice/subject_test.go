package slice

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/index/catalog"
	"pathrule/knowledge"
)

func TestPartsOfASubject(t *testing.T) {
	for prompt, want := range map[string][]string{
		"fix(core): dispose the scheduler":                    {"core"},
		"feat(cli/tui)!: a wizard":                            {"cli/tui"},
		"fix(core, ui): both":                                 {"core", "ui"},
		"[workers-utils] Report a non-array as an error":      {"workers-utils"},
		"[web][api] one thing":                                {"web", "api"},
		"Python: Improve the coverage":                        {"python"},
		"docs: one more line":                                 nil,
		"agent-think: Install Python in the image\n\nbody: x": {"agent-think"},
		"#1234: fix it":                                       nil,
		"why does it fail: nobody knows":                      nil,
		"note:this is no subject":                             nil,
		"what is a scope (core) here?":                        nil,
		"see https://example.org/x":                           nil,
		"":                                                    nil,
		"(core): nothing before it":                           nil,
	} {
		if d := cmp.Diff(want, subjectParts(prompt)); d != "" {
			t.Errorf("%q %s", prompt, d)
		}
	}
}

func TestPartsAreFoldersOnlyWhereItIsClear(t *testing.T) {
	files := func(names ...string) (res catalog.Result) {
		for _, n := range names {
			res.Files = append(res.Files, catalog.PathHit{Path: n})
		}
		return res
	}
	scoped := func(paths ...string) catalog.Result {
		return catalog.Result{Candidates: []catalog.Candidate{{Record: catalog.Record{Paths: paths}}}}
	}
	for name, c := range map[string]struct {
		part, cwd string
		res       catalog.Result
		want      []string
	}{
		"a folder of the project":       {"core", "", files("packages/core/src/a.ts"), []string{"packages/core"}},
		"the one nearest to the root":   {"core", "", files("packages/core/src/a.ts", "packages/core/src/x/core/b.ts"), []string{"packages/core"}},
		"two of the same depth":         {"core", "", files("go/core/a.go", "py/core/b.py"), nil},
		"the session's folder decides":  {"core", "py", files("go/core/a.go", "py/core/b.py"), []string{"py/core"}},
		"an entry's scope":              {"tui", "", scoped("cli/internal/tui/**/*.go"), []string{"cli/internal/tui"}},
		"several segments":              {"internal/tui", "", scoped("cli/internal/tui"), []string{"cli/internal/tui"}},
		"an excluded folder is no home": {"tui", "", scoped("!cli/tui"), nil},
		"part of a name":                {"co", "", files("packages/core/a.ts"), nil},
	} {
		if d := cmp.Diff(c.want, partFolders([]string{c.part}, c.res, c.cwd)); d != "" {
			t.Errorf("%s %s", name, d)
		}
	}
}

// The part that a subject names is a place: its guide comes on fewer words.
func TestASubjectPutsItsFolderInHand(t *testing.T) {
	f := (&fake{}).add(
		entry{kind: knowledge.Memory, id: "core", title: "Core package", paths: []string{"packages/core"}, body: "Listeners are removed in dispose. " + strings.Repeat("Agents, tools and hooks live here and nowhere else. ", 12) + "\n"},
		entry{kind: knowledge.Memory, id: "ui", title: "UI package", paths: []string{"packages/ui"}, body: "Listeners live in hooks. " + strings.Repeat("Colours and layout live here and nowhere else. ", 12) + "\n"},
	)
	for i := range 12 {
		f.add(entry{kind: knowledge.Memory, id: "n" + itoa(i), title: "Note " + itoa(i), body: "The listeners of topic " + itoa(i) + " are counted.\n"})
	}
	f.files = []string{"packages/core/src/scheduler.ts", "packages/ui/src/hooks.ts"}
	const rest = "stop the progress listeners from leaking"
	if p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: rest}); len(p.Items) > 0 && p.Items[0].ID == "core" && p.Items[0].Form == Body {
		t.Fatal("the words alone bring the guide, which leaves nothing to see")
	}
	p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "fix(core): " + rest})
	if len(p.Items) == 0 || p.Items[0].ID != "core" || p.Items[0].Form != Body || !strings.Contains(p.Text, "(packages/core)") {
		t.Errorf("got %v\n%s", forms(p), p.Text)
	}
	for _, it := range p.Items {
		if it.ID == "ui" && it.Form == Body {
			t.Error("the guide of another package came whole")
		}
	}
}
