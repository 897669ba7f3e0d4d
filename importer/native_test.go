package importer

import (
	"os"
	"path/filepath"
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
		"a rule that is always on":                              {map[string]string{".cursor/rules/api.mdc": "---\nglobs: src/**\nalwaysApply: true\n---\nAnswer problem+json.\n"}, map[string]string{".cursor/rules/api.mdc": "cursor"}},
		"one of Windsurf's":                                     {map[string]string{".windsurf/rules/api.md": "---\ntrigger: always_on\n---\nAnswer problem+json.\n"}, map[string]string{".windsurf/rules/api.md": "windsurf"}},
		"one of Windsurf's that is not":                         {map[string]string{".windsurf/rules/api.md": "---\ntrigger: model_decision\ndescription: api\n---\nAnswer problem+json.\n"}, nil},
		"one of Claude's without patterns":                      {map[string]string{".claude/rules/api.md": "Answer problem+json.\n"}, map[string]string{".claude/rules/api.md": "claude-rules"}},
		"a rule that waits to be called":                        {map[string]string{".cursor/rules/api.mdc": "---\ndescription: api\n---\nAnswer problem+json.\n"}, nil},
		"one of Windsurf's that the model asks for, with globs": {map[string]string{".windsurf/rules/api.md": "---\ntrigger: model_decision\nglobs: src/**\n---\nAnswer problem+json.\n", "src/a.ts": ""}, nil},
		"one of Windsurf's in Cursor's words":                   {map[string]string{".windsurf/rules/api.md": "---\nalwaysApply: true\n---\nAnswer problem+json.\n"}, nil},
		"one of Claude's that is always on for another":         {map[string]string{".claude/rules/api.md": "---\nalwaysApply: true\npaths: src/**\n---\nAnswer problem+json.\n", "src/a.ts": ""}, nil},
		"one of Copilot's with a list, which the editor drops":  {map[string]string{".github/instructions/api.instructions.md": "---\napplyTo: [\"src/**\"]\n---\nAnswer problem+json.\n", "src/a.ts": ""}, nil},
		"one of Qwen Code's without patterns":                   {map[string]string{".qwen/rules/api.md": "Answer problem+json.\n"}, map[string]string{".qwen/rules/api.md": "qwen"}},
		"a text that the client puts together":                  {map[string]string{"CLAUDE.md": "# Shop\n\n@docs/x.md\n", "docs/x.md": "More.\n"}, nil},
		"a nested file, loaded on touch":                        {map[string]string{"src/CLAUDE.md": "# Src\n\nUse tabs.\n"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, c.files)
			s, _ := stores(t, root)
			if _, _, err := Apply(plan(t, root, Options{}), s, s, "test"); err != nil {
				t.Fatal(err)
			}
			var got map[string]string
			data, _ := os.ReadFile(filepath.Join(s.Dir(), loads.Imported))
			for p, text := range c.files {
				f, ok := loads.At(data, p)
				if !ok {
					continue
				}
				if got == nil {
					got = map[string]string{}
				}
				got[p] = f.Target
				for _, x := range f.For {
					got[p] += " " + x
				}
				if len(f.Holds) != 1 || !f.Unmodified([]byte(text)) || f.Unmodified([]byte(text+"x")) {
					t.Errorf("%s: %+v", p, f)
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}
