package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pathrule/internal/sysenv"
	"pathrule/knowledge"
	"pathrule/knowledge/store"
	"pathrule/workspace"
)

var tree = map[string]string{
	"AGENTS.md":                                "# House rules\n\nBe brief.\n",
	"web/CLAUDE.md":                            "# Web\n\nUse hooks.\n",
	"web/.cursor/rules/forms.mdc":              "---\ndescription: Forms\nglobs: **/*.tsx,src/forms/**\nalwaysApply: false\n---\nLabel every field.\n",
	".cursor/rules/always.mdc":                 "---\nglobs: src/**\nalwaysApply: true\n---\nAlways.\n",
	".cursor/rules/bare.mdc":                   "---\nglobs: *.go, !*_test.go\n---\nGo files.\n",
	".github/instructions/ps.instructions.md":  "---\napplyTo:\n  - '**/*.ps1'\n  - '**/*.psm1'\n---\nShell.\n",
	".github/instructions/all.instructions.md": "---\napplyTo: '**'\n---\nEverywhere.\n",
	".windsurf/rules/项目规则.md":                  "---\ntrigger: glob\nglobs: docs/\n---\n文档规则。\n",
	".clinerules/tests.md":                     "---\npaths: [\"!vendor/**\"]\n---\nTests.\n",
	".cursorrules":                             "Old style.\n",
	".claude/skills/deploy/SKILL.md":           "---\nname: deploy\ndescription: Use when deploying.\n---\nRun it.\n",
	".claude/skills/deploy/run.sh":             "echo\n",
	".claude/skills/deploy/notes.md":           "More.\n",
	"lib/rules/glued.mdc":                      "---\nglobs: x/**\n---# Title\n\nText.\n",
	"odd [name]/AGENTS.md":                     "Brackets.\n",
	"empty/AGENTS.md":                          "",
	"latin1/AGENTS.md":                         "caf\xe9\n",
	"import/CLAUDE.md":                         "@../AGENTS.md\n",
	"data.json":                                "{}",
	"Rules/A.md":                               "One.\n",
	"rules/a.md":                               "Two.\n",
}

func TestConvertGivesEveryFileOneResult(t *testing.T) {
	src := t.TempDir()
	for name, text := range tree {
		p := filepath.Join(src, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(src, "RULES")); err == nil {
		t.Skip("this file system folds case")
	}
	outside := filepath.Join(t.TempDir(), "x.md")
	if err := os.WriteFile(outside, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"api/AGENTS.md": "../web/CLAUDE.md", "gone.md": "nowhere.md", "out.md": outside, "loop.md": "loop.md"} {
		p := filepath.Join(src, filepath.FromSlash(link))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.FromSlash(to), p); err != nil {
			t.Skipf("no symlinks here: %v", err)
		}
	}
	dst := t.TempDir()
	r, err := Convert(src, dst)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Items) != len(tree)+4 {
		t.Errorf("%d results for %d files", len(r.Items), len(tree)+4)
	}
	list := open(t, dst)
	paths := map[string][]string{}
	for _, e := range list {
		paths[e.Key()] = e.Paths
	}
	var got []string
	for _, it := range r.Items {
		line := it.File + " -> "
		if it.Skip != "" {
			line += "left out: " + strings.ReplaceAll(it.Skip, "\\", "/")
		} else {
			p, ok := paths[it.Key]
			if !ok {
				t.Errorf("%s: no entry %s", it.File, it.Key)
			}
			line += fmt.Sprint(it.Key, " ", p)
		}
		if len(it.Warnings) > 0 {
			line += fmt.Sprintf(" (%d)", len(it.Warnings))
		}
		got = append(got, line)
	}
	sort.Strings(got)
	want := []string{
		".claude/skills/deploy/SKILL.md -> skill:claude/skills/deploy []",
		".claude/skills/deploy/notes.md -> left out: belongs to the skill .claude/skills/deploy",
		".claude/skills/deploy/run.sh -> left out: no Markdown",
		".clinerules/tests.md -> rule:clinerules/tests [!vendor/**]",
		".cursor/rules/always.mdc -> rule:cursor/rules/always [] (1)",
		".cursor/rules/bare.mdc -> rule:cursor/rules/bare [**/*.go !**/*_test.go] (1)",
		".cursorrules -> rule:cursorrules []",
		".github/instructions/all.instructions.md -> rule:github/instructions/all []",
		".github/instructions/ps.instructions.md -> rule:github/instructions/ps [**/*.ps1 **/*.psm1]",
		".windsurf/rules/项目规则.md -> rule:windsurf/rules/项目规则 [**/docs/]",
		"AGENTS.md -> memory:agents []",
		"Rules/A.md -> rule:rules/a []",
		"api/AGENTS.md -> memory:web/claude [api web]",
		"data.json -> left out: no Markdown",
		"empty/AGENTS.md -> left out: empty",
		"gone.md -> left out: link leads nowhere or in a circle",
		"import/CLAUDE.md -> left out: stands for ../AGENTS.md",
		"latin1/AGENTS.md -> left out: file is not valid UTF-8 (line 1)",
		"lib/rules/glued.mdc -> rule:lib/rules/glued [lib] (1)",
		"loop.md -> left out: link leads nowhere or in a circle",
		"odd [name]/AGENTS.md -> memory:odd-name/agents [odd \\[name\\]]",
		"out.md -> left out: link leaves the folder",
		"rules/a.md -> rule:rules/a-2 []",
		"web/.cursor/rules/forms.mdc -> rule:web/cursor/rules/forms [web/**/*.tsx web/src/forms/**] (1)",
		"web/CLAUDE.md -> memory:web/claude [api web]",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	for _, e := range list {
		if e.Key() == "rule:lib/rules/glued" && !strings.HasPrefix(e.Body, "---\nglobs: x/**\n---# Title") {
			t.Errorf("body was not kept: %q", e.Body)
		}
	}
	if data, err := os.ReadFile(filepath.Join(dst, ".pathrule/skills/claude/skills/deploy/run.sh")); err != nil || string(data) != "echo\n" {
		t.Errorf("the skill's file: %q %v", data, err)
	}
	if _, err := Convert(src, dst); err == nil {
		t.Error("a second run wrote over the first")
	}
}

// open reads the workspace that was written; nothing in it may be unreadable.
func open(t *testing.T, dst string) []knowledge.Entry {
	t.Helper()
	ws := &workspace.Workspace{Root: dst, Store: filepath.Join(dst, workspace.Marker), ID: "0123456789abcdef"}
	s, err := store.Open(ws, workspace.Dirs{Home: t.TempDir()}, sysenv.Env{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	list, problems := s.List()
	for _, p := range problems {
		if !p.Warning {
			t.Errorf("%s:%d: %s", p.File, p.Line, p.Msg)
		}
	}
	return list
}

// With PATHRULE_CORPUS that folder is converted, and every file must have one
// result.
func TestConvertCorpus(t *testing.T) {
	src := os.Getenv("PATHRULE_CORPUS")
	if src == "" {
		t.Skip("PATHRULE_CORPUS names no folder of instruction files")
	}
	dst := t.TempDir()
	r, err := Convert(src, dst)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range r.Items {
		if (it.Key == "") == (it.Skip == "") {
			t.Errorf("%s has no result, or two", it.File)
		}
	}
	n, skipped, warned := r.Counts()
	list := open(t, dst)
	if sum := n[knowledge.Memory] + n[knowledge.Rule] + n[knowledge.Skill]; sum != len(list) {
		t.Errorf("%d entries made, %d read back", sum, len(list))
	}
	t.Logf("%d files: %v, %d left out, %d with warnings", len(r.Items), n, skipped, warned)
}
