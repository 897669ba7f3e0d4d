package importer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pathrule/internal/sysenv"
	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
	"pathrule/knowledge/store"
	"pathrule/workspace"
)

// tree writes files below a new folder; a text that begins with "-> " is a
// link.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "project")
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	names := sortedKeys(files)
	for _, name := range names {
		p := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if to, ok := strings.CutPrefix(files[name], "-> "); ok {
			if err := os.Symlink(filepath.FromSlash(to), p); err != nil {
				t.Skipf("no symbolic links here: %v", err)
			}
			continue
		}
		if err := os.WriteFile(p, []byte(files[name]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func plan(t *testing.T, root string, o Options) *Report {
	t.Helper()
	if o.Workspace == "" {
		o.Workspace = "~/project"
	}
	r, err := Plan(context.Background(), root, o)
	if err != nil {
		t.Fatal(err)
	}
	if lost := Lost(r); len(lost) > 0 {
		t.Errorf("lost: %q", lost)
	}
	return r
}

// shown is a report in lines: entries, then files that make none.
func shown(r *Report) []string {
	var out []string
	for i := range r.Units {
		u := &r.Units[i]
		out = append(out, fmt.Sprintf("%s = %s %q", strings.Join(u.From, "+"), u.Key(), u.Paths))
	}
	for _, f := range r.Files {
		if f.Result == Skipped || f.Result == Part {
			out = append(out, f.Path+" "+f.Result+": "+f.Why)
		}
	}
	sort.Strings(out)
	return out
}

func unit(t *testing.T, r *Report, from string) *Unit {
	t.Helper()
	for i := range r.Units {
		if r.Units[i].From[0] == from {
			return &r.Units[i]
		}
	}
	t.Fatalf("no entry from %s in %q", from, shown(r))
	return nil
}

func fileOf(t *testing.T, r *Report, path string) File {
	t.Helper()
	for _, f := range r.Files {
		if f.Path == path {
			return f
		}
	}
	t.Fatalf("no line for %s", path)
	return File{}
}

func noted(f File, words string) bool {
	return slices.ContainsFunc(f.Notes, func(n string) bool { return strings.Contains(n, words) })
}

func TestEveryFormatBecomesEntriesWithTheirScope(t *testing.T) {
	root := tree(t, map[string]string{
		"main.go": "x", "web/a.tsx": "x", "web/src/forms/a.ts": "x", "docs/a.md": "x", "x.ps1": "x", "src/a.ts": "x", "x.go": "x",
		"AGENTS.md":                                "# House rules\n\nThe code is split in two.\n",
		"web/CLAUDE.md":                            "# Web\n\nPages use hooks.\n",
		"CLAUDE.local.md":                          "My sandbox is at port 9.\n",
		"GEMINI.md":                                "Gemini notes.\n",
		"QWEN.md":                                  "Qwen notes.\n",
		"CODEBUDDY.md":                             "Buddy notes.\n",
		".rules":                                   "Zed rules.\n",
		".claude/rules/api/errors.md":              "---\npaths:\n  - \"src/**/*.ts\"\n---\nWrap errors.\n",
		"web/.cursor/rules/forms.mdc":              "---\ndescription: Forms\nglobs: **/*.tsx,src/forms/**\nalwaysApply: false\n---\nLabel every field.\n",
		".cursor/rules/always.mdc":                 "---\nglobs: src/**\nalwaysApply: true\n---\nAlways.\n",
		".cursor/rules/bare.mdc":                   "---\nglobs: *.go, !*_test.go\n---\nGo files.\n",
		".cursor/rules/folder/RULE.md":             "---\nalwaysApply: true\n---\nFolder form.\n",
		".cursor/rules/old.md":                     "Plain.\n",
		".cursorrules":                             "Old style.\n",
		".github/copilot-instructions.md":          "Copilot.\n",
		".github/instructions/ps.instructions.md":  "---\napplyTo:\n  - '**/*.ps1'\n  - '**/*.psm1'\n---\nShell.\n",
		".github/instructions/all.instructions.md": "---\napplyTo: '**'\n---\nEverywhere.\n",
		".github/prompts/fix.prompt.md":            "Fix $X.\n",
		".windsurf/rules/项目规则.md":                  "---\ntrigger: glob\nglobs: docs/\n---\n文档规则。\n",
		".windsurf/rules/later.md":                 "---\ntrigger: manual\n---\nOnly when called.\n",
		".windsurfrules":                           "Surf.\n",
		".devin/rules/d.md":                        "---\ntrigger: always_on\n---\nDevin.\n",
		".clinerules/tests.md":                     "---\npaths: [\"!vendor/**\"]\n---\nTests.\n",
		".clinerules/workflows/release.md":         "1. Tag.\n",
		".kiro/steering/ts.md":                     "---\ninclusion: fileMatch\nfileMatchPattern: \"src/**/*.ts\"\n---\nTypes.\n",
		".kiro/steering/help.md":                   "---\ninclusion: manual\n---\nHelp.\n",
		".qwen/rules/q.md":                         "---\npaths: [\"src/**\"]\n---\nQwen rule.\n",
		".codebuddy/rules/c.mdc":                   "---\nglobs: src/**\nalwaysApply: false\n---\nBuddy rule.\n",
		".claude/skills/deploy/SKILL.md":           "---\nname: deploy\ndescription: Use when deploying.\nallowed-tools: Bash\n---\nRun it.\n",
		".claude/skills/deploy/run.sh":             "echo\n",
		".claude/skills/deploy/notes.md":           "More.\n",
		"web/.agents/skills/pages/SKILL.md":        "---\nname: pages\ndescription: Use for pages.\n---\nPages.\n",
		".claude/commands/fix.md":                  "Fix $ARGUMENTS\n",
		".claude/agents/critic.md":                 "You are a critic.\n",
		"examples/x/AGENTS.md":                     "Sample.\n",
		"docs/agents.md":                           "# Agents\nProduct text.\n",
		"empty/AGENTS.md":                          "",
		"latin1/AGENTS.md":                         "caf\xe9\n",
		"docs/rules/one.mdc":                       "Library.\n",
	})
	r := plan(t, root, Options{})
	want := []string{
		`.claude/agents/critic.md skipped: ` + askAgent,
		`.claude/commands/fix.md skipped: ` + askCommand,
		`.claude/rules/api/errors.md = rule:api/errors ["src/**/*.ts"]`,
		`.claude/skills/deploy/SKILL.md = skill:deploy []`,
		`.clinerules/tests.md = rule:tests ["!vendor/**"]`,
		`.clinerules/workflows/release.md skipped: ` + askCommand,
		`.codebuddy/rules/c.mdc = rule:c ["src/**"]`,
		`.cursor/rules/always.mdc = rule:always ["/" "src/**"]`,
		`.cursor/rules/bare.mdc = rule:bare ["*.go" "!*_test.go"]`,
		`.cursor/rules/folder/RULE.md = rule:folder []`,
		`.cursor/rules/old.md = rule:old []`,
		`.cursorrules = rule:cursorrules []`,
		`.devin/rules/d.md = rule:d []`,
		`.github/copilot-instructions.md = memory:copilot-instructions []`,
		`.github/instructions/all.instructions.md = rule:all []`,
		`.github/instructions/ps.instructions.md = rule:ps ["**/*.ps1" "**/*.psm1"]`,
		`.github/prompts/fix.prompt.md skipped: ` + askCommand,
		`.kiro/steering/help.md = skill:help []`,
		`.kiro/steering/ts.md = rule:ts ["src/**/*.ts"]`,
		`.qwen/rules/q.md = rule:q ["src/**"]`,
		`.rules = rule:rules []`,
		`.windsurf/rules/later.md = skill:later []`,
		`.windsurf/rules/项目规则.md = rule:项目规则 ["**/docs/"]`,
		`.windsurfrules = rule:windsurfrules []`,
		`AGENTS.md = memory:agents []`,
		`CLAUDE.local.md = memory:personal/claude-local []`,
		`CODEBUDDY.md = memory:codebuddy []`,
		`GEMINI.md = memory:gemini []`,
		`QWEN.md = memory:qwen []`,
		`docs/agents.md skipped: is spelled otherwise than AGENTS.md, so clients on Linux do not read it; name the file to import it`,
		`docs/rules/one.mdc skipped: lies outside .cursor/rules, so Cursor does not read it; name the file to import it`,
		`empty/AGENTS.md skipped: empty`,
		`examples/x/AGENTS.md skipped: lies below examples, so it is more likely sample text than guidance; name the file to import it`,
		`latin1/AGENTS.md skipped: file is not valid UTF-8 (line 1); save it as UTF-8`,
		`web/.agents/skills/pages/SKILL.md = skill:web/pages ["web"]`,
		`web/.cursor/rules/forms.mdc = rule:web/forms ["web/**/*.tsx" "web/src/forms/**"]`,
		`web/CLAUDE.md = memory:web/claude ["web"]`,
	}
	got := shown(r)
	got = slices.DeleteFunc(got, func(s string) bool { return strings.Contains(s, " part: ") })
	sort.Strings(want)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	u := unit(t, r, ".claude/skills/deploy/SKILL.md")
	if string(u.files["run.sh"]) != "echo\n" || string(u.files["notes.md"]) != "More.\n" || !strings.Contains(string(u.raw), "allowed-tools: Bash") {
		t.Errorf("the skill's files or keys: %q\n%s", u.files, u.raw)
	}
	if !strings.Contains(string(unit(t, r, "CLAUDE.local.md").raw), "~/project") {
		t.Error("a personal entry does not name its workspace")
	}
	if !noted(fileOf(t, r, ".github/instructions/ps.instructions.md"), "applyTo is a list") || !noted(fileOf(t, r, ".cursor/rules/old.md"), "not active today") ||
		!noted(fileOf(t, r, ".cursor/rules/always.mdc"), "decoration") {
		t.Error("a note is missing")
	}
}

func TestNamedFilesAreImportedAlthoughTheyAsk(t *testing.T) {
	root := tree(t, map[string]string{".claude/commands/fix.md": "Fix it.\n", "examples/x/AGENTS.md": "S.\n", "AGENTS.md": "A.\n", "notes.txt": "N.\n"})
	got := shown(plan(t, root, Options{Paths: []string{".claude/commands/fix.md", "examples/x/AGENTS.md", "notes.txt"}}))
	want := []string{`.claude/commands/fix.md = skill:fix []`, `examples/x/AGENTS.md = memory:examples/x/agents ["examples/x"]`, `notes.txt = memory:notes []`}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Cursor writes patterns without quotes itself: nothing is wrong with them.
func TestCursorsOwnSpellingIsNotNoted(t *testing.T) {
	r := plan(t, tree(t, map[string]string{".cursor/rules/t.mdc": "---\ndescription: x\nglobs: **/*.ts\nalwaysApply: false\n---\nText.\n", "src/a.ts": "x"}), Options{})
	if len(r.Files) != 1 || len(r.Files[0].Notes) > 0 || len(r.Units) != 1 || !slices.Equal(r.Units[0].Paths, []string{"**/*.ts"}) {
		t.Errorf("files %+v, entries %v", r.Files, shown(r))
	}
}

// Each is a kind of file that stands in real projects; the value is what
// becomes of it.
func TestOddFiles(t *testing.T) {
	big := "# Big\n\n" + strings.Repeat("A line of text that says something.\n", 40000)
	deep := "---\na: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "\n---\nText.\n"
	for name, c := range map[string]struct {
		file, text string
		key        string // "" skipped
		paths      []string
		note, why  string
		holds      string // in the entry's body
	}{
		"an unquoted glob with mixed separators": {".cursor/rules/t.mdc", "---\nglobs: **/trigger/**/*.ts, **/trigger/**/*.tsx,**/trigger/**/*.js\n---\nText\u200b here.\n",
			"rule:t", []string{"**/trigger/**/*.ts", "**/trigger/**/*.tsx", "**/trigger/**/*.js"}, "", "", "Text\u200b here."},
		"an unquoted glob where quotes belong":          {".continue/rules/t.md", "---\nglobs: **/*.ts\n---\nText.\n", "rule:t", []string{"**/*.ts"}, "must be in quotes", "", "Text."},
		"a closing fence glued to the heading":          {".cursor/rules/g.mdc", "---\n\ndescription: x\nglobs: src/**\n---# Title\n\nText.\n", "rule:g", nil, "not closed", "", "---# Title"},
		"a body that a later rule line would swallow":   {".cursor/rules/s.mdc", "---\nglobs: src/**\n---# Title\n\n* one\n\n---\n\nMore.\n", "rule:s", nil, "not closed", "", "* one"},
		"two frontmatter blocks: the first decides":     {".cursor/rules/two.mdc", "---\ndescription:\nglobs:\nalwaysApply: true\n---\n---\nglobs: **/*.scala\nalwaysApply: false\n---\nClean.\n", "rule:two", nil, "second frontmatter", "", "globs: **/*.scala"},
		"a comment before the frontmatter":              {".claude/rules/c.md", "<!-- x -->\n---\npaths:\n  - \"apps/**\"\n---\nApps.\n", "rule:c", nil, "text stands before", "", "apps/**"},
		"prose between fences":                          {".cursor/rules/p.mdc", "---\nJust one sentence here\n---\nBody.\n", "rule:p", nil, "no \"key: value\"", "", "Just one sentence here"},
		"a formatter ate the glob":                      {".continue/rules/d.md", "---\nglobs: docs/\\*_/_.{md,mdx}\n---\nDocs.\n", "rule:d", []string{`docs/\*_/_.{md,mdx}`}, "cover none", "", "Docs."},
		"a glob that its client reads at the root only": {".cursor/rules/e.mdc", "---\nglobs: *.ts\n---\nRoots.\n", "rule:e", []string{"*.ts"}, "if all were meant, change it to **/*.ts", "", "Roots."},
		"a glob that ends in a dot":                     {".continue/rules/e.md", "---\nglobs: /**/*.\n---\nDots.\n", "rule:e", []string{"**/*."}, "cover none", "", "Dots."},
		"a BOM before the fence":                        {".claude/skills/v/SKILL.md", "\ufeff---\nname: verify\ndescription: Use to verify.\n---\nDo.\n", "skill:v", nil, "", "", "Do."},
		"a BOM before a heading":                        {"AGENTS.md", "\ufeff# Samples\n\nText.\n", "memory:agents", nil, "", "", "# Samples"},
		"CRLF":                                          {".cursor/rules/cr.mdc", "---\r\nglobs: *.cs,src/*.cs\r\n---\r\n# T\r\n\r\nText.\r\n", "rule:cr", []string{"*.cs", "src/*.cs"}, "", "", "# T\r\n\r\nText.\r\n"},
		"UTF-16":                                        {"AGENTS.md", "\xff\xfe#\x00 \x00H\x00\n\x00a\x00\n\x00", "memory:agents", nil, "UTF-16", "", "# H\na\n"},
		"nothing":                                       {".cursorrules", "", "", nil, "", "empty", ""},
		"frontmatter and nothing":                       {".cursor/rules/n.mdc", "---\nglobs:\nalwaysApply:\n---\n", "", nil, "", "empty below its frontmatter", ""},
		"only a comment":                                {"AGENTS.md", "<!-- soon -->\n", "", nil, "", "empty", ""},
		"a NUL byte":                                    {"AGENTS.md", "a\x00b\n", "", nil, "", "NUL byte", ""},
		"more than an entry may hold":                   {"AGENTS.md", big, "", nil, "", "at most 1 MiB", ""},
		"more than anybody reads":                       {"AGENTS.md", strings.Repeat("x", readMost+1), "", nil, "", "larger than 16 MiB", ""},
		"large":                                         {"AGENTS.md", "# A\n\n" + strings.Repeat("Some words.\n", 5000) + "\n# B\n\nMore.\n", "memory:agents", nil, "--split", "", "# B"},
		"negations beside always":                       {".cursor/rules/core.mdc", "---\nglobs:\n  - src/**/*.ts\n  - \"!src/**/*.test.ts\"\nalwaysApply: true\n---\nCore.\n", "rule:core", []string{"/", "src/**/*.ts"}, "decoration", "", "Core."},
		"negations in a list":                           {".cursor/rules/neg.mdc", "---\nglobs:\n  - src/**/*.ts\n  - \"!src/**/*.test.ts\"\n---\nCore.\n", "rule:neg", []string{"src/**/*.ts", "!src/**/*.test.ts"}, "", "", "Core."},
		"a lost opening fence":                          {".cursor/rules/l.mdc", "time description: x\nglobs: **/*\nalwaysApply: true\n---\n\n# M\n\nText.\n", "rule:l", nil, "missing", "", "time description"},
		"another client's keys":                         {".claude/rules/w.md", "---\ndescription: x\nglobs: **/*.go\n---\nGo.\n", "rule:w", []string{"**/*.go"}, "does not read the key", "", "Go."},
		"no stem":                                       {".cursor/rules/.mdc", "# Named by its heading\n\nText.\n", "rule:cursor", nil, "", "", "Text."},
		"a blank in the name":                           {".github/instructions/code style.instructions.md", "---\napplyTo: '**/*.cs'\n---\nStyle.\n", "rule:code-style", []string{"**/*.cs"}, "", "", "Style."},
		"a decomposed name":                             {".windsurf/rules/re\u0301gles.md", "Texte.\n", "rule:régles", nil, "", "", "Texte."},
		"a colon in a plain value":                      {".cursor/rules/col.mdc", "---\ndescription: Use when: 1. a user wants it\nglobs:\nalwaysApply: false\n---\nText.\n", "rule:col", nil, "colon", "", "Text."},
		"a key twice: the first counts":                 {".cursor/rules/dup.mdc", "---\nglobs: src/**\nglobs: lib/**\n---\nText.\n", "rule:dup", []string{"src/**"}, "twice", "", "Text."},
		"one fence around everything":                   {".cursorrules", "```\n# Inside\nUse tabs.\n```\n", "rule:cursorrules", nil, "", "", "Use tabs."},
		"another tool's part":                           {"AGENTS.md", "Ours.\n<!-- BEGIN:nextjs-agent-rules -->\nTheirs.\n<!-- END:nextjs-agent-rules -->\n", "memory:agents", nil, "nextjs-agent-rules", "", "Theirs."},
		"old damage stays":                              {".cursor/rules/moji.mdc", "It isnâ€™t ours.\n", "rule:moji", nil, "", "", "isnâ€™t"},
		"a README among rules":                          {".github/instructions/README.md", "About.\n", "", nil, "", askReadme, ""},
		"always on and patterns that cover all":         {".cursor/rules/all.mdc", "---\nglobs: [\"**/*\", \"**\"]\nalwaysApply: true\n---\nAll.\n", "rule:all", nil, "", "", "All."},
		"always on below a folder":                      {"web/.cursor/rules/w.mdc", "---\nglobs: src/**\nalwaysApply: true\n---\nWeb.\n", "rule:web/w", []string{"web", "web/src/**"}, "", "", "Web."},
		"a guide in a folder with a dot":                {".github/workflows/AGENTS.md", "Flows.\n", "memory:github/workflows/agents", []string{".github/workflows"}, "", "", "Flows."},
		"a guide in a client's own folder":              {"web/.claude/CLAUDE.md", "Web.\n", "memory:web/claude", []string{"web"}, "", "", "Web."},
		"a quoted alwaysApply":                          {".cursor/rules/q.mdc", "---\nglobs: src/**\nalwaysApply: \"true\"\n---\nText.\n", "rule:q", []string{"/", "src/**"}, "decoration", "", "Text."},
		"tabs in the head":                              {".cursor/rules/tab.mdc", "---\nglobs:\tsrc/**\n---\nText.\n", "rule:tab", []string{"src/**"}, "", "", "Text."},
		"deeply nested YAML":                            {".cursor/rules/deep.mdc", deep, "rule:deep", nil, "", "", "Text."},
		"a table that looks like frontmatter":           {"AGENTS.md", "| a | b |\n|---|---|\n| 1 | 2 |\n\n---\n\nText.\n", "memory:agents", nil, "", "", "| 1 | 2 |"},
		"a rule that is switched off":                   {".clinerules/off.md", "---\npaths: []\n---\nText.\n", "", nil, "", "switches it off", ""},
		"a string where a list must be":                 {".clinerules/str.md", "---\npaths: src/**\n---\nText.\n", "rule:str", []string{"src/**"}, "must be a list", "", "Text."},
		"a binary file among rules":                     {".cursor/rules/x.md", "\x00\x01\x02", "", nil, "", "NUL byte", ""},
		"words that look like a key":                    {"AGENTS.md", "Token: ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\n", "memory:agents", nil, "looks like", "", "Token"},
		"a device name of Windows":                      {".cursor/rules/con.mdc", "Text.\n", "rule:con-entry", nil, "", "", "Text."},
		"text behind a rule line at the top":            {"AGENTS.md", "---\n\nText first.\n\n---\nMore.\n", "memory:agents", nil, "", "", "Text first."},
	} {
		t.Run(name, func(t *testing.T) {
			r := plan(t, tree(t, map[string]string{c.file: c.text, "src/a.ts": "x"}), Options{})
			var f File
			for _, x := range r.Files {
				if x.Path == c.file {
					f = x
				}
			}
			if f.Path == "" {
				t.Fatalf("no line for the file: %q", r.Files)
			}
			if c.note != "" && !noted(f, c.note) {
				t.Errorf("notes %q, want one with %q", f.Notes, c.note)
			}
			if c.key == "" {
				if f.Result != Skipped || !strings.Contains(f.Why, c.why) || len(r.Units) > 0 {
					t.Errorf("%s %q, want skipped: %q", f.Result, f.Why, c.why)
				}
				return
			}
			if len(r.Units) != 1 || r.Units[0].Key() != c.key {
				t.Fatalf("%q (%s %s), want %s", shown(r), f.Result, f.Why, c.key)
			}
			u := &r.Units[0]
			if !slices.Equal(u.Paths, c.paths) {
				t.Errorf("paths %q, want %q", u.Paths, c.paths)
			}
			if !strings.Contains(string(u.raw), c.holds) {
				t.Errorf("the entry does not hold %q:\n%s", c.holds, u.raw)
			}
		})
	}
}

func TestLinksAndNamedFilesBecomeOneEntry(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"a link beside its file": {map[string]string{"AGENTS.md": "A.\n", "CLAUDE.md": "-> AGENTS.md"}, []string{`AGENTS.md+CLAUDE.md = memory:agents []`}},
		"two hops into a dot folder": {map[string]string{".agents/AGENTS.md": "A.\n", "AGENTS.md": "-> .agents/AGENTS.md", "CLAUDE.md": "-> AGENTS.md"},
			[]string{`.agents/AGENTS.md+AGENTS.md+CLAUDE.md = memory:agents []`}},
		"a root link into a folder: the widest place counts": {map[string]string{"cli/azd/AGENTS.md": "A.\n", "AGENTS.md": "-> cli/azd/AGENTS.md"},
			[]string{`cli/azd/AGENTS.md+AGENTS.md = memory:cli/azd/agents []`}},
		"two folders": {map[string]string{"web/AGENTS.md": "A.\n", "api/AGENTS.md": "-> ../web/AGENTS.md"}, []string{`web/AGENTS.md+api/AGENTS.md = memory:web/agents ["web" "api"]`}},
		"a linked folder of skills": {map[string]string{".agents/skills/x/SKILL.md": "---\nname: x\ndescription: d\n---\nX.\n", ".claude/skills": "-> ../.agents/skills", ".cursor/skills": "-> ../.agents/skills"},
			[]string{`.agents/skills/x/SKILL.md+.claude/skills/x/SKILL.md+.cursor/skills/x/SKILL.md = skill:x []`}},
		"a linked folder of rules that lies elsewhere": {map[string]string{"docs/team/a.mdc": "A.\n", ".cursor/rules": "-> ../docs/team"},
			[]string{`docs/team/a.mdc+.cursor/rules/a.mdc = rule:a []`}},
		"nowhere, and in a circle": {map[string]string{"AGENTS.md": "-> gone.md", "CLAUDE.md": "-> CLAUDE.md", ".claude/skills": "-> ../gone"},
			[]string{`.claude/skills skipped: link to a folder that is not there`, `AGENTS.md skipped: link leads nowhere or in a circle`, `CLAUDE.md skipped: link leads nowhere or in a circle`}},
		"a circle of folders": {map[string]string{".cursor/rules/a.mdc": "A.\n", ".cursor/rules/again": "-> ../rules"}, []string{`.cursor/rules/a.mdc = rule:a []`}},
		"a link in a checkout without links": {map[string]string{"AGENTS.md": "A.\n", "CLAUDE.md": "AGENTS.md"},
			[]string{`AGENTS.md+CLAUDE.md = memory:agents []`, `CLAUDE.md skipped: holds only the path of AGENTS.md, which is imported (a link in a checkout without links)`}},
		"a file that only names another": {map[string]string{"AGENTS.md": "A.\n", "CLAUDE.md": "@AGENTS.md\n"},
			[]string{`AGENTS.md = memory:agents []`, `CLAUDE.md skipped: only names @AGENTS.md, which is imported`}},
		"relative to the file that names it": {map[string]string{"AGENTS.md": "A.\n", ".claude/CLAUDE.md": "@../AGENTS.md\n"},
			[]string{`.claude/CLAUDE.md skipped: only names @../AGENTS.md, which is imported`, `AGENTS.md = memory:agents []`}},
		"a nested name widens the scope": {map[string]string{"web/style.md": "S.\n", "CLAUDE.md": "Root.\nSee @web/style.md.\n"},
			[]string{`CLAUDE.md = memory:claude []`, `web/style.md = memory:style []`}},
		"a guide that another folder names": {map[string]string{"web/AGENTS.md": "W.\n", "api/CLAUDE.md": "Api.\n@../web/AGENTS.md\n"},
			[]string{`api/CLAUDE.md = memory:api/claude ["api"]`, `web/AGENTS.md = memory:web/agents ["web" "api"]`}},
		"a circle of names": {map[string]string{"CLAUDE.md": "C.\n@a.md\n", "a.md": "A.\n@b.md\n", "b.md": "B.\n@a.md\n@CLAUDE.md\n"},
			[]string{`CLAUDE.md = memory:claude []`, `a.md = memory:a []`, `b.md = memory:b []`}},
		"five hops and no more": {map[string]string{"CLAUDE.md": "0\n@1.md\n", "1.md": "1\n@2.md\n", "2.md": "2\n@3.md\n", "3.md": "3\n@4.md\n", "4.md": "4\n@5.md\n", "5.md": "5\n@6.md\n", "6.md": "6\n"},
			[]string{`1.md = memory:1 []`, `2.md = memory:2 []`, `3.md = memory:3 []`, `4.md = memory:4 []`, `5.md = memory:5 []`, `CLAUDE.md = memory:claude []`}},
		"not in code, not what is no file": {map[string]string{"CLAUDE.md": "Text.\n```py\n@a.md\n@pytest.mark\n```\nSee `@a.md` and @dataclass, me@a.md.\n    \n", "a.md": "A.\n"},
			[]string{`CLAUDE.md = memory:claude []`}},
		"codex does not follow": {map[string]string{"AGENTS.md": "See @a.md\n", "a.md": "A.\n"}, []string{`AGENTS.md = memory:agents []`}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, shown(plan(t, tree(t, c.files), Options{}))); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestNothingOutsideTheProjectIsRead(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte("secret text\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	root := tree(t, map[string]string{"AGENTS.md": "-> " + outside, "CLAUDE.md": "C.\n@" + outside + "\n@~/x.md\n@../out.md\n@in.md\n", "in.md": "-> " + outside,
		".claude/skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\nS.\n", ".claude/skills/s/more.md": "-> " + outside, ".cursor/rules": "-> " + filepath.Dir(outside)})
	if err := os.WriteFile(filepath.Join(root, "..", "out.md"), []byte("secret text\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := plan(t, root, Options{})
	for i := range r.Units {
		if strings.Contains(string(r.Units[i].raw), "secret text") || len(r.Units[i].files) > 0 {
			t.Errorf("%s brings in what lies outside", r.Units[i].Key())
		}
	}
	for path, why := range map[string]string{"AGENTS.md": "link leaves the project", ".cursor/rules": "link leaves the project"} {
		if f := fileOf(t, r, path); f.Why != why {
			t.Errorf("%s: %q", path, f.Why)
		}
	}
	f := fileOf(t, r, "CLAUDE.md")
	for _, w := range []string{"@" + outside, "@~/x.md", "@../out.md", "@in.md"} {
		if !noted(f, w+" lies outside the project") {
			t.Errorf("no word about %s: %q", w, f.Notes)
		}
	}
	if !noted(fileOf(t, r, ".claude/skills/s/SKILL.md"), "leaves the project") {
		t.Error("no word about the skill's file")
	}
}

func TestSameTextIsImportedOnceWithTheUnionOfScopes(t *testing.T) {
	r := plan(t, tree(t, map[string]string{
		"AGENTS.md": "Same.\n", "CLAUDE.md": "Same.\r\n\r\n", ".cursor/rules/a.mdc": "---\nglobs: src/**\n---\nRule.\n", ".github/instructions/a.instructions.md": "---\napplyTo: 'lib/**'\n---\nRule.\n",
		".claude/skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\nS.\n", ".claude/skills/s/a.sh": "one",
		".agents/skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\nS.\n", ".agents/skills/s/a.sh": "two",
		".cursor/skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\nS.\n", ".cursor/skills/s/a.sh": "two",
	}), Options{})
	want := []string{
		`.agents/skills/s/SKILL.md+.cursor/skills/s/SKILL.md = skill:s []`,
		`.claude/skills/s/SKILL.md = skill:claude-code/s []`,
		`.cursor/rules/a.mdc+.github/instructions/a.instructions.md = rule:a ["src/**" "lib/**"]`,
		`AGENTS.md+CLAUDE.md = memory:agents []`,
	}
	if d := cmp.Diff(want, shown(r)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if f := fileOf(t, r, "CLAUDE.md"); f.Result != Merged || f.Why != "same text as AGENTS.md" || !slices.Equal(f.Entries, []string{"memory:agents"}) {
		t.Errorf("%+v", f)
	}
}

func TestFilesOfGeneratorsAreLeftOutForTheirSource(t *testing.T) {
	r := plan(t, tree(t, map[string]string{
		".rulesync/rules/go.md": "---\nglobs: [\"**/*.go\"]\n---\nGo rules.\n", ".cursor/rules/go.mdc": "---\nglobs: **/*.go\n---\nGo rules.\n", "AGENTS.md": "<!-- made -->\nGo rules.\n",
		".ruler/team.md": "Team.\n", "CLAUDE.md": "<!-- Source: .ruler/team.md -->\n\nTeam, in other words.\n",
		".windsurf/rules/pathrule-protocol.md": "---\ntrigger: always_on\n---\n<!-- pathrule: made from .pathrule/; edit the entries there -->\nX.\n",
		"GEMINI.md":                            "Mine.\n<!-- pathrule:begin -->\nOurs.\n<!-- pathrule:end -->\nMine too.\n",
		"QWEN.md":                              "<!-- This file is auto-generated by build.sh. Do not edit. -->\nText.\n",
		".cursor/rules/pathrule-k-src.mdc":     "Old.\n",
	}), Options{})
	want := []string{
		".cursor/rules/pathrule-k-src.mdc skipped: written by an older Pathrule from its store; import the store instead",
		".ruler/team.md = rule:team []",
		".rulesync/rules/go.md+.cursor/rules/go.mdc = rule:go [\"**/*.go\"]",
		".windsurf/rules/pathrule-protocol.md skipped: written by pathrule compile from the entries",
		"AGENTS.md skipped: made by rulesync: each of its lines stands in a file of rulesync, which is imported",
		"CLAUDE.md skipped: made by Ruler from .ruler/team.md, which is imported instead",
		"GEMINI.md = memory:gemini []",
		"QWEN.md = memory:qwen []",
	}
	if d := cmp.Diff(want, shown(r)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if raw := string(unit(t, r, "GEMINI.md").raw); strings.Contains(raw, "Ours.") || !strings.Contains(raw, "Mine.\nMine too.\n") {
		t.Errorf("our own part: %s", raw)
	}
	if !noted(fileOf(t, r, "QWEN.md"), "a program writes it") {
		t.Error("no word about the program")
	}
}

func TestKindFollowsFormAndWords(t *testing.T) {
	orders := "# Rules\n\n- Always use tabs.\n- Never log secrets.\n- You must test.\n- Prefer small functions.\n"
	facts := strings.Repeat("The service stores its data in three tables.\n", 9)
	r := plan(t, tree(t, map[string]string{"AGENTS.md": orders, "web/AGENTS.md": "# Web\n\n" + facts, ".kiro/steering/product.md": facts, ".cursor/rules/x.mdc": "One line.\n",
		"ru/AGENTS.md": "Всегда пиши тесты.\nНикогда не используй any.\nКод должен быть простым.\n", "ja/AGENTS.md": "型を書いてください。\nanyの使用は禁止。\nテストを書くべきです。\n"}), Options{})
	for from, want := range map[string]knowledge.Kind{"AGENTS.md": knowledge.Rule, "web/AGENTS.md": knowledge.Memory, ".kiro/steering/product.md": knowledge.Memory, ".cursor/rules/x.mdc": knowledge.Rule,
		"ru/AGENTS.md": knowledge.Rule, "ja/AGENTS.md": knowledge.Rule} {
		if u := unit(t, r, from); u.Kind != want || u.KindWhy == "" {
			t.Errorf("%s: %s (%s), want %s", from, u.Kind, u.KindWhy, want)
		}
	}
	short := unit(t, plan(t, tree(t, map[string]string{"AGENTS.md": "# Team\n\nAlways use tabs.\nNever use spaces.\n"}), Options{}), "AGENTS.md")
	if short.Kind != knowledge.Memory || short.KindWhy != "too short to tell by its words: orders in 2 of its 2 lines" {
		t.Errorf("short: %s, %q", short.Kind, short.KindWhy)
	}
	forced := plan(t, tree(t, map[string]string{"AGENTS.md": orders}), Options{Kind: knowledge.Memory})
	if forced.Units[0].Kind != knowledge.Memory {
		t.Error("--kind did not count")
	}
}

func TestALibraryOfRulesGovernsItsParent(t *testing.T) {
	r := plan(t, tree(t, map[string]string{
		"a.mdc": "A.\n", "lib/rules/web/b.mdc": "---\nglobs: **/*.ts\n---\nB.\n", "lib/instructions/c.instructions.md": "---\napplyTo: '**'\n---\nC.\n",
		"lib/rules/d.md": "Never.\n", "notes/e.md": "E.\n", "tests/fixtures/AGENTS.md": "F.\n", "x.txt": "no", "lib/rules/105-cut.mdc": "# cut.mdc\n\nAlways cut.\n",
	}), Options{All: true})
	want := []string{
		`a.mdc = rule:a []`,
		`lib/instructions/c.instructions.md = rule:lib/c ["lib"]`,
		`lib/rules/105-cut.mdc = rule:lib/105-cut ["lib"]`,
		`lib/rules/d.md = rule:lib/d ["lib"]`,
		`lib/rules/web/b.mdc = rule:lib/web/b ["lib/**/*.ts"]`,
		`notes/e.md = memory:notes/e ["notes"]`,
		`tests/fixtures/AGENTS.md = memory:tests/fixtures/agents ["tests/fixtures"]`,
		`x.txt skipped: no Markdown`,
	}
	if d := cmp.Diff(want, shown(r)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if u := unit(t, r, "lib/rules/105-cut.mdc"); u.Title != "105 cut" {
		t.Errorf("title %q", u.Title)
	}
}

func TestSplitLosesNothingAndNamesItsSections(t *testing.T) {
	body := "# Guide\n\nIntro text.\n\n## Build\n\nRun make.\n\n```sh\n## not a heading\n```\n\n## Empty\n\n## Test\n\n- Always test.\n- Never skip.\n- You must run it.\n\n### Deep\nx\n"
	r := plan(t, tree(t, map[string]string{"AGENTS.md": body, "one/AGENTS.md": "No headings.\n"}), Options{Split: true})
	var got []string
	text := ""
	for i := range r.Units {
		u := &r.Units[i]
		got = append(got, fmt.Sprintf("%s %q %q", u.Key(), u.Title, u.Section))
		if u.From[0] == "AGENTS.md" {
			text += u.body
		}
	}
	want := []string{`memory:agents/guide "Guide" "Guide"`, `memory:agents/build "Build" "Build"`, `rule:agents/test "Test" "Test"`, `memory:one/agents "Guide to one (AGENTS.md)" ""`}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if text != body {
		t.Errorf("put together again: %q", text)
	}
}

// stores of a workspace in a temporary home.
func stores(t *testing.T, root string) (s, personal *store.Store) {
	t.Helper()
	env := sysenv.Env{Now: time.Now}
	dirs := workspace.Dirs{Home: filepath.Join(t.TempDir(), "home")}
	s, err := store.Open(&workspace.Workspace{Root: root, Store: filepath.Join(root, workspace.Marker), ID: "0123456789abcdef"}, dirs, env)
	if err != nil {
		t.Fatal(err)
	}
	if personal, err = store.OpenPersonal(dirs, env); err != nil {
		t.Fatal(err)
	}
	return s, personal
}

func TestImportingAgainIsIdempotentAndSparesEdits(t *testing.T) {
	root := tree(t, map[string]string{"AGENTS.md": "# One\n\nFirst.\r\n", ".cursor/rules/a.mdc": "---\nglobs: src/**\nauthor: Ann\n---\nA.\n", "CLAUDE.local.md": "Mine.\n",
		".claude/skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\nS.\n", ".claude/skills/s/run.sh": "one\n"})
	s, personal := stores(t, root)
	again := func(o Options) *Report {
		o.Existing, o.Personal = Known(s), Known(personal)
		return plan(t, root, o)
	}
	apply := func(r *Report) int {
		n, failed, err := Apply(r, s, personal, "test")
		if err != nil || len(failed) > 0 {
			t.Fatal(failed, err)
		}
		return n
	}
	actions := func(r *Report) string {
		var out []string
		for i := range r.Units {
			out = append(out, r.Units[i].Key()+"="+r.Units[i].Action)
		}
		sort.Strings(out)
		return strings.Join(out, " ")
	}
	if n := apply(again(Options{})); n != 4 {
		t.Fatalf("%d entries written", n)
	}
	if got, want := actions(again(Options{})), "memory:agents=unchanged memory:personal/claude-local=unchanged rule:a=unchanged skill:s=unchanged"; got != want {
		t.Fatalf("a second import: %s", got)
	}
	if n := apply(again(Options{})); n != 0 {
		t.Errorf("a second import wrote %d entries", n)
	}
	// The source changes, the entry was not touched.
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("AGENTS.md", "# One\n\nSecond.\n")
	if r := again(Options{}); unit(t, r, "AGENTS.md").Action != Update || apply(r) != 1 {
		t.Errorf("a changed source: %s", actions(r))
	}
	e, _, err := s.Read(knowledge.Memory, "agents")
	if err != nil || !strings.Contains(e.Body, "Second.") {
		t.Fatalf("%q %v", e.Body, err)
	}
	// Moved and edited by a person: found by its source, and left alone.
	to, text := "house/rules", "\nMy words.\n"
	if _, err := s.Update(knowledge.Rule, "a", store.Patch{MoveTo: &to, Body: &text}, "", "person"); err != nil {
		t.Fatal(err)
	}
	if got := actions(again(Options{})); !strings.Contains(got, "rule:house/rules=unchanged") {
		t.Errorf("an edited entry with an unchanged source: %s", got)
	}
	write(".cursor/rules/a.mdc", "---\nglobs: src/**\n---\nA, anew.\n")
	r := again(Options{})
	if u := unit(t, r, ".cursor/rules/a.mdc"); u.Action != Edited || !noted(fileOf(t, r, ".cursor/rules/a.mdc"), "left alone") || apply(r) != 0 {
		t.Errorf("both changed: %s", actions(r))
	}
	r = again(Options{Overwrite: true})
	if apply(r) != 1 {
		t.Errorf("--overwrite: %s", actions(r))
	}
	if e, _, err := s.Read(knowledge.Rule, "house/rules"); err != nil || e.Body != "A, anew.\n" {
		t.Errorf("%q %v", e.Body, err)
	}
	// The source goes: the entry stays, and is named.
	if err := os.Remove(filepath.Join(root, "AGENTS.md")); err != nil {
		t.Fatal(err)
	}
	if r := again(Options{}); !slices.Equal(r.Gone, []string{"memory:agents (from AGENTS.md)"}) {
		t.Errorf("gone: %q", r.Gone)
	}
}

func TestThePlanIsTheSameEveryTime(t *testing.T) {
	files := map[string]string{"AGENTS.md": "A.\n", "CLAUDE.md": "A.\n"}
	for i := range 40 {
		files[fmt.Sprintf(".cursor/rules/r%d.mdc", i)] = fmt.Sprintf("---\nglobs: src/%d/**\n---\nText %d.\n", i, i%7)
	}
	root := tree(t, files)
	first := fmt.Sprint(shown(plan(t, root, Options{})))
	for range 3 {
		if again := fmt.Sprint(shown(plan(t, root, Options{}))); again != first {
			t.Fatalf("%s\n%s", first, again)
		}
	}
}

// The source files are what they were.
func TestImportNeverTouchesTheSources(t *testing.T) {
	files := map[string]string{"AGENTS.md": "A.\n", ".cursor/rules/a.mdc": "A.\r\n", "CLAUDE.md": "@AGENTS.md"}
	root := tree(t, files)
	s, personal := stores(t, root)
	if _, _, err := Apply(plan(t, root, Options{}), s, personal, "test"); err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name))); err != nil || string(b) != want {
			t.Errorf("%s: %q %v", name, b, err)
		}
	}
}

func FuzzReadersLoseNothing(f *testing.F) {
	for _, s := range []string{"---\nglobs: *.ts\n---\nText\n", "\ufeff---\nname: x\n---\n", "a\r\nb", "# A\n\n## B\nx\n## C\n", "@AGENTS.md", "```\n@x\n", "---\n: :\n---\n", "\xff\xfea\x00", "<!-- pathrule:begin -->\nx\n"} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, split bool) {
		root := t.TempDir()
		for _, name := range []string{"CLAUDE.md", "rule.mdc"} {
			if err := os.WriteFile(filepath.Join(root, name), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		r, err := Plan(context.Background(), root, Options{All: true, Split: split})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Files) != 2 {
			t.Fatalf("%d results for 2 files", len(r.Files))
		}
		if lost := Lost(r); len(lost) > 0 {
			t.Fatal(lost)
		}
		for i := range r.Units {
			u := &r.Units[i]
			if _, _, ok := originOf(sourceOfRaw(u.raw)); !ok {
				t.Fatalf("no provenance in %q", u.raw)
			}
		}
	})
}

func sourceOfRaw(raw []byte) string {
	e, err := knowledge.ParseLines(raw, knowledge.Rule, "x", "x")
	if err != nil {
		return sourcePrefix
	}
	return e.Source
}

// A rule file without a heading that stands for it is called what its description
// says, where that is short enough and no condition; nothing of it is lost.
func TestARuleWithoutAHeadingIsTitledByItsDescription(t *testing.T) {
	long := "How we write the tests of this monorepo, from the smallest unit up to what a browser does in the end"
	for name, c := range map[string]struct{ path, head, body, title string }{
		"a short sentence":            {".cursor/rules/api.mdc", "description: Structure of the ApiResponse class.", "Text.", "Structure of the ApiResponse class"},
		"quoted":                      {".cursor/rules/api.mdc", `description: "How to run: commands"`, "Text.", "How to run: commands"},
		"another client":              {".github/instructions/api.instructions.md", "description: How to run commands\napplyTo: \"**\"", "Text.", "How to run commands"},
		"a heading that any text has": {".cursor/rules/api.mdc", "description: How to run commands", "# Implementation\n\nText.", "How to run commands"},
		"and nothing better":          {".cursor/rules/api.mdc", "description: Use when running", "# Implementation\n\nText.", "Implementation"},
		"a heading comes first":       {".cursor/rules/api.mdc", "description: How to run commands", "# Commands\n\nText.", "Commands"},
		"many headings name no one":   {".cursor/rules/api.mdc", "description: How to run commands", "## One\n\nText.\n\n## Two\n\nText.", "How to run commands"},
		"a title is a title":          {".cursor/rules/api.mdc", "title: Named\ndescription: How to run commands", "Text.", "Named"},
		"a condition is no title":     {".cursor/rules/api-style.mdc", "description: Use when editing the API", "Text.", "api style"},
		"too long":                    {".cursor/rules/api-style.mdc", "description: " + long, "Text.", "api style"},
		"two sentences":               {".cursor/rules/api-style.mdc", "description: Short. And more.", "Text.", "api style"},
		"a single word":               {".cursor/rules/api-style.mdc", "description: Rules", "Text.", "api style"},
		"without blanks":              {".cursor/rules/api-style.mdc", "description: 定义常量类的编码标准。", "Text.", "定义常量类的编码标准"},
		"none":                        {".cursor/rules/api-style.mdc", "description:", "Text.", "api style"},
		"a guide keeps its name":      {"web/AGENTS.md", "description: How to run commands", "Text.", "Guide to web (AGENTS.md)"},
	} {
		t.Run(name, func(t *testing.T) {
			r := plan(t, tree(t, map[string]string{c.path: "---\n" + c.head + "\n---\n" + c.body + "\n"}), Options{})
			u := unit(t, r, c.path)
			if u.Title != c.title {
				t.Errorf("title %q, want %q", u.Title, c.title)
			}
			if lost := Lost(r); len(lost) > 0 {
				t.Errorf("lost: %v", lost)
			}
			e, _, err := frontmatter.Parse(u.raw, u.Kind, u.ID, "x")
			if err != nil || e.Title != c.title {
				t.Fatalf("%q %v", e.Title, err)
			}
			for line := range strings.Lines(c.head) {
				if d, ok := strings.CutPrefix(strings.TrimSpace(line), "description: "); ok && e.Description != strings.Trim(d, `"`) {
					t.Errorf("the entry's description is %q", e.Description)
				}
			}
		})
	}
}

// A guide for the whole workspace that has many sections is named, since a prompt
// wants one of them more often than all.
func TestAGuideOfManySectionsIsNamedAsSplittable(t *testing.T) {
	guide := "# Shop\n\nIntro.\n\n## Commands\n\nRun it.\n\n## Style\n\nBe kind.\n\n## Billing\n\nMoney.\n"
	dir := tree(t, map[string]string{"CLAUDE.md": guide, "AGENTS.md": "# Short\n\nOne.\n\n## Two\n\nTwo.\n", "web/CLAUDE.md": guide,
		".cursor/rules/r.mdc": "---\nalwaysApply: true\n---\n" + guide + "\nMore.\n"})
	r := plan(t, dir, Options{})
	if d := cmp.Diff([]Splittable{{"CLAUDE.md", 4}}, r.Splittable); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if r := plan(t, dir, Options{Split: true}); r.Splittable != nil {
		t.Errorf("split already: %v", r.Splittable)
	}
}

// A section of a rule file says what it is a section of.
func TestSectionsOfARuleFileAreNamedAfterIt(t *testing.T) {
	body := "## Why?\n\nSo.\n\n## Usage\n\nThus.\n"
	titles := func(path, text string) string {
		var out []string
		for _, u := range plan(t, tree(t, map[string]string{path: text}), Options{Split: true}).Units {
			out = append(out, u.Title)
		}
		return strings.Join(out, " | ")
	}
	for name, c := range map[string][3]string{
		"by its heading":        {".cursor/rules/b.mdc", "# Banner heights\n\nIntro.\n\n" + body, "Banner heights | Banner heights: Why? | Banner heights: Usage"},
		"by its description":    {".cursor/rules/b.mdc", "---\ndescription: How to place banners.\n---\n" + body, "How to place banners: Why? | How to place banners: Usage"},
		"by nothing":            {".cursor/rules/b.mdc", body, "Why? | Usage"},
		"a guide is of no help": {"CLAUDE.md", "# Shop\n\nIntro.\n\n" + body, "Shop | Why? | Usage"},
	} {
		if got := titles(c[0], c[1]); got != c[2] {
			t.Errorf("%s: %q, want %q", name, got, c[2])
		}
	}
}
