package importer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	loads "pathrule/internal/managed"
)

// What a client goes on loading is not told to it a second time, as long as the
// file is as it was imported.
func TestImportNotesWhatClientsLoadThemselves(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  map[string]string // path -> target and paths
	}{
		"the file in every request": {map[string]string{"CLAUDE.md": "# Shop\n\nUse pnpm.\n"}, map[string]string{"CLAUDE.md": "claude"}},
		"a rule with patterns": {map[string]string{".cursor/rules/api.mdc": "---\nglobs: src/**/*.ts\n---\nAnswer problem+json.\n", "src/a.ts": ""},
			map[string]string{".cursor/rules/api.mdc": "cursor src/**/*.ts"}},
		"a rule that is always on":         {map[string]string{".cursor/rules/api.mdc": "---\nglobs: src/**\nalwaysApply: true\n---\nAnswer problem+json.\n"}, map[string]string{".cursor/rules/api.mdc": "cursor"}},
		"one of Windsurf's":                {map[string]string{".windsurf/rules/api.md": "---\ntrigger: always_on\n---\nAnswer problem+json.\n"}, map[string]string{".windsurf/rules/api.md": "windsurf"}},
		"one of Windsurf's that is not":    {map[string]string{".windsurf/rules/api.md": "---\ntrigger: model_decision\ndescription: api\n---\nAnswer problem+json.\n"}, nil},
		"one of Claude's without patterns": {map[string]string{".claude/rules/api.md": "Answer problem+json.\n"}, map[string]string{".claude/rules/api.md": "claude-rules"}},
		"a rule that waits to be called":   {map[string]string{".cursor/rules/api.mdc": "---\ndescription: api\n---\nAnswer problem+json.\n"}, nil},
		"what an @ line takes in":          {map[string]string{"CLAUDE.md": "# Shop\n\n@docs/x.md\n", "docs/x.md": "More.\n"}, map[string]string{"docs/x.md": "claude with CLAUDE.md"}},
		"what an @ line takes in that another takes in": {map[string]string{"CLAUDE.md": "# Shop\n\nUse pnpm. See @docs/x.md\n", "docs/x.md": "More in @y.md\n", "docs/y.md": "Most.\n"},
			map[string]string{"CLAUDE.md": "claude", "docs/x.md": "claude with CLAUDE.md", "docs/y.md": "claude with CLAUDE.md docs/x.md"}},
		"a guide that two clients have": {map[string]string{"CLAUDE.md": "@AGENTS.md\n", "AGENTS.md": "# Shop\n\nUse pnpm.\n"}, map[string]string{"AGENTS.md": "agents, claude with CLAUDE.md"}},
		"the same text in two files":    {map[string]string{"CLAUDE.md": "# Shop\n\nUse pnpm.\n", "AGENTS.md": "# Shop\n\nUse pnpm.\n"}, map[string]string{"AGENTS.md": "agents", "CLAUDE.md": "claude"}},
		"copies for other paths each have their own": {map[string]string{".cursor/rules/a.mdc": "---\nglobs: src/**\n---\nUse tabs.\n", ".claude/rules/a.md": "---\npaths: lib/**\n---\nUse tabs.\n", "src/a.ts": "", "lib/a.ts": ""},
			map[string]string{".cursor/rules/a.mdc": "cursor src/**", ".claude/rules/a.md": "claude-rules lib/**"}},
		"a nested file, loaded on touch":                        {map[string]string{"src/CLAUDE.md": "# Src\n\nUse tabs.\n"}, map[string]string{"src/CLAUDE.md": "claude src"}},
		"what a nested file takes in":                           {map[string]string{"src/CLAUDE.md": "# Src\n\nUse tabs. @more.md\n", "src/more.md": "More.\n"}, map[string]string{"src/CLAUDE.md": "claude src", "src/more.md": "claude src with src/CLAUDE.md"}},
		"a nested one of a folder with a bracket":               {map[string]string{"src/[id]/AGENTS.md": "# Src\n\nUse tabs.\n"}, map[string]string{"src/[id]/AGENTS.md": `agents src/\[id\]`}},
		"a nested one in a client's folder":                     {map[string]string{"src/.claude/CLAUDE.md": "# Src\n\nUse tabs.\n"}, nil},
		"a nested one of a client that nobody asked":            {map[string]string{"src/QWEN.md": "# Src\n\nUse tabs.\n"}, nil},
		"one of Windsurf's that the model asks for, with globs": {map[string]string{".windsurf/rules/api.md": "---\ntrigger: model_decision\nglobs: src/**\n---\nAnswer problem+json.\n", "src/a.ts": ""}, nil},
		"one of Windsurf's in Cursor's words":                   {map[string]string{".windsurf/rules/api.md": "---\nalwaysApply: true\n---\nAnswer problem+json.\n"}, nil},
		"one of Claude's that is always on for another":         {map[string]string{".claude/rules/api.md": "---\nalwaysApply: true\npaths: src/**\n---\nAnswer problem+json.\n", "src/a.ts": ""}, nil},
		"one of Copilot's with a list, which the editor drops":  {map[string]string{".github/instructions/api.instructions.md": "---\napplyTo: [\"src/**\"]\n---\nAnswer problem+json.\n", "src/a.ts": ""}, nil},
		"one of Qwen Code's without patterns":                   {map[string]string{".qwen/rules/api.md": "Answer problem+json.\n"}, map[string]string{".qwen/rules/api.md": "qwen"}},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, c.files)
			s, _ := stores(t, root)
			if _, _, err := Apply(plan(t, root, Options{}), s, s, "test"); err != nil {
				t.Fatal(err)
			}
			var got map[string]string
			data, _ := os.ReadFile(filepath.Join(s.Dir(), loads.Imported))
			var m struct{ Files []loads.File }
			if err := json.Unmarshal(data, &m); len(data) > 0 && err != nil {
				t.Fatal(err)
			}
			for _, f := range m.Files {
				text := c.files[f.Path]
				line := f.Target
				for _, x := range f.For {
					line += " " + x
				}
				naming, ok := f.Naming()
				if !ok {
					t.Errorf("%s: %q", f.Path, f.With)
				}
				for i, w := range naming {
					if line += " "; i == 0 {
						line += "with "
					}
					line += w.Path
					if !w.Unmodified([]byte(c.files[w.Path])) {
						t.Errorf("%s: the hash of %s is of something else", f.Path, w.Path)
					}
				}
				if got == nil {
					got = map[string]string{}
				}
				if got[f.Path] != "" {
					got[f.Path] += ", "
				}
				got[f.Path] += line
				if len(f.Holds) != 1 || !f.Unmodified([]byte(text)) || f.Unmodified([]byte(text+"x")) {
					t.Errorf("%s: %+v", f.Path, f)
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// A document that CLAUDE.md names is the project's: it keeps its own heading, and
// nobody is told to remove it.
func TestADocumentThatAGuideNamesStaysOne(t *testing.T) {
	root := tree(t, map[string]string{
		"CLAUDE.md":       "# Shop\n\nUse pnpm. See @docs/testing.md and @docs/release-plan.md\n",
		"docs/testing.md": "# Testing\n\nNever mock the database.\n", "docs/release-plan.md": "Tag on Tuesdays.\n",
		".cursor/rules/x.mdc": "---\nalwaysApply: true\n---\nUse tabs.\n",
	})
	r := plan(t, root, Options{})
	titles := map[string]string{}
	for _, u := range r.Units {
		titles[u.From[0]] = u.Title
	}
	if d := cmp.Diff(map[string]string{"CLAUDE.md": "Shop", "docs/testing.md": "Testing", "docs/release-plan.md": "release plan", ".cursor/rules/x.mdc": "x"}, titles); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	next := strings.Join(r.Next, "\n")
	if !strings.Contains(next, "may go, since their whole text stands in the entries: .cursor/rules/x.mdc") || strings.Contains(next, "docs/") {
		t.Error(next)
	}
}
