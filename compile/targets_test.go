package compile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"pathrule/host"
	"pathrule/index/catalog"
	"pathrule/internal/managed"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// F38, F39: every head is YAML that a strict parser reads, with the fields that
// the client knows and no others, in the form it reads. Cursor's globs alone are
// not YAML: one line, no quotes.
func TestEveryHeadIsReadAsItWasMeant(t *testing.T) {
	p := newProject(t)
	p.shop()
	p.write(".pathrule/skills/odd/SKILL.md", "---\nname: Odd\ndescription: 'quotes \" and \\ and: colons # and 日本'\n---\nx\n")
	p.write(".pathrule/memories/star.md", "---\ntitle: Star\npaths: ['**/*.ts', '*.{js,jsx}', 'a\\,b/**', '[ab]/x']\n---\nx\n")
	p.write(".pathrule/memories/quote.md", "---\ntitle: Quote\npaths: ['say \"hi\" #1/x']\n---\nx\n")
	for target, c := range map[string]struct {
		fields string // of a file for paths
		globs  func(h map[string]any) []string
		want   []string
	}{
		"cursor": {"alwaysApply description globs", func(h map[string]any) []string { return strings.Split(h["globs"].(string), ",") },
			[]string{"**/*.ts", "*.js", "*.jsx", "a*b/**", "*/x", "*/x/**", "say *hi* *1/x", "say *hi* *1/x/**", "src/api", "src/api/**"}},
		"copilot": {"applyTo", func(h map[string]any) []string { return strings.Split(h["applyTo"].(string), ",") },
			[]string{"**/*.ts", "*.js", "*.jsx", "a*b/**", "*/x", `say "hi" #1/x`, "src/api", "src/api/**"}},
		"claude-rules": {"paths", listOf("paths"), []string{"**/*.ts", "*.js", "a?b/**", "[ab]/x", `say "hi" #1/x`, "src/api/**"}},
		"qwen":         {"paths", listOf("paths"), []string{"**/*.ts", "*.js", "a*b/**", "*/x", `say "hi" #1/x`}},
		"cline":        {"paths", listOf("paths"), []string{"**/*.ts", "*.js", "a?b/**", "[ab]/x", `say "hi" #1/x`}},
		"kiro":         {"fileMatchPattern inclusion", listOf("fileMatchPattern"), []string{"**/*.ts", "文档/**/*.md", "a*b/**"}},
		"codebuddy": {"alwaysApply paths|alwaysApply globs", func(h map[string]any) []string {
			if g, ok := h["globs"].(string); ok {
				return strings.Split(g, ",")
			}
			return listOf("paths")(h)
		}, []string{"**/*.ts", "a*b/**"}},
	} {
		seen := map[string]bool{}
		for _, change := range p.plan(Options{Target: target}) {
			text := string(change.After)
			tt, _ := targetOf(target)
			if tt.region(change.Path) {
				continue
			}
			if !strings.HasPrefix(text, "---\n") {
				if !strings.HasSuffix(change.Path, "protocol.md") {
					t.Errorf("%s: no head", change.Path)
				}
				continue
			}
			head, _, ok := strings.Cut(text[4:], "\n---\n")
			if !ok {
				t.Fatalf("%s: the head does not end", change.Path)
			}
			if target == "cursor" {
				head = quoteGlobs(head)
			}
			var h map[string]any
			if err := yaml.Unmarshal([]byte(head), &h); err != nil {
				t.Fatalf("%s: %v\n%s", change.Path, err, head)
			}
			if d, ok := h["description"].(string); ok && strings.Contains(d, "quotes") && d != `quotes " and \ and: colons # and 日本` {
				t.Errorf("%s: description %q", change.Path, d)
			}
			if strings.Contains(change.Path, "skill-") || strings.HasSuffix(strings.TrimSuffix(change.Path, path.Ext(change.Path)), "protocol") {
				continue
			}
			var keys []string
			for k := range h {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			if !slices.Contains(strings.Split(c.fields, "|"), strings.Join(keys, " ")) {
				t.Errorf("%s: fields %q, want %q", change.Path, keys, c.fields)
			}
			for _, g := range c.globs(h) {
				seen[g] = true
			}
		}
		for _, w := range c.want {
			if !seen[w] {
				t.Errorf("%s: no file is for %q among %v", target, w, seen)
			}
		}
	}
}

func listOf(key string) func(map[string]any) []string {
	return func(h map[string]any) []string {
		var out []string
		if s, ok := h[key].(string); ok {
			return []string{s}
		}
		items, _ := h[key].([]any)
		for _, v := range items {
			out = append(out, v.(string))
		}
		return out
	}
}

// quoteGlobs makes Cursor's one odd line YAML.
func quoteGlobs(head string) string {
	var out []string
	for _, l := range strings.Split(head, "\n") {
		if v, ok := strings.CutPrefix(l, "globs: "); ok {
			l = "globs: '" + strings.ReplaceAll(v, "'", "''") + "'"
		}
		out = append(out, l)
	}
	return strings.Join(out, "\n")
}

// clientMatch is how a client takes one of our patterns.
type clientMatch func(pattern, path string) bool

func anchored(pattern, path string) bool {
	if dir, ok := strings.CutSuffix(pattern, "/**"); ok && path == dir {
		return false // what lies below, not the folder itself
	}
	ok, err := doublestar.Match(pattern, path)
	return ok && err == nil
}

// floating is VS Code's: "**/" before what has neither it nor a slash in front.
func floating(pattern, path string) bool {
	if !strings.HasPrefix(pattern, "**/") && !strings.HasPrefix(pattern, "/") {
		pattern = "**/" + pattern
	}
	return anchored(strings.ToLower(pattern), strings.ToLower(path))
}

// ignoring is a gitignore file's: without a slash at any depth, and a folder
// covers what lies below it.
func ignoring(pattern, path string) bool {
	if !strings.Contains(pattern, "/") {
		pattern = "**/" + pattern
	}
	for p := path; p != "." && p != ""; p = parent(p) {
		if anchored(pattern, p) {
			return true
		}
	}
	return false
}

func parent(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

var matches = map[string]struct {
	column int
	match  clientMatch
	heads  *dialect
}{
	"cursor":         {4, anchored, &cursorHead},
	"copilot editor": {5, floating, &copilotHead},
	"copilot":        {6, anchored, &copilotHead},
	"windsurf":       {7, anchored, &windsurfHead},
	"claude":         {8, ignoring, &claudeHead},
	"cline":          {9, anchored, &clineHead},
}

func vectors(t *testing.T) [][]string {
	t.Helper()
	b, err := os.ReadFile("../workspace/testdata/globs.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for _, l := range strings.Split(string(b), "\n") {
		if f := strings.Split(l, "\t"); len(f) > 11 && strings.HasPrefix(f[0], "g") {
			rows = append(rows, f)
		}
	}
	if len(rows) < 70 {
		t.Fatalf("%d vectors", len(rows))
	}
	return rows
}

// The matchers of this test agree with the recorded ones on patterns such as we
// write: anchored, one a time, without braces, escapes and exclusions.
func TestTheClientsMatchersAreAsRecorded(t *testing.T) {
	n := 0
	for _, f := range vectors(t) {
		pattern, p := f[2], f[3]
		if f[1] != "str" || pattern == "" || strings.ContainsAny(pattern, `{},!\@`) || strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, "./") || strings.HasSuffix(pattern, "/") {
			continue
		}
		for name, m := range matches {
			if cell := f[m.column]; cell == "0" || cell == "1" {
				if name == "cline" && (strings.Contains(pattern, "[") || f[0] == "g15") {
					continue // it also takes brackets for themselves, and a folder for what is in it
				}
				n++
				if got := m.match(pattern, p); got != (cell == "1") {
					t.Errorf("%s %s: %q on %q is %v, recorded %s (%s)", f[0], name, pattern, p, got, cell, f[13])
				}
			}
		}
	}
	if n < 150 {
		t.Errorf("only %d cells compared", n)
	}
}

// Never silently narrower, never silently wider: what an entry covers its file
// covers, and where the file covers more its text says so.
func TestAFileCoversItsEntryAndSaysWhereItCoversMore(t *testing.T) {
	rows := vectors(t)
	scopes := [][]string{{"src/api", "!src/api/hand"}, {"!dist"}, {"src/[ab].ts"}, {"app/\\[slug\\]"}, {"{a,b}/**/*.{ts,tsx}"}, {"package.json"}, {"src"}, {"*.ts"}, {"a,b.txt"}, {"src/file?.ts", "docs"}}
	var paths []string
	for _, f := range rows {
		if f[1] == "str" && f[2] != "" {
			scopes = append(scopes, []string{f[2]})
		}
		if f[3] != "src" { // a folder, which no tool edits
			paths = append(paths, f[3])
		}
	}
	paths = append(paths, "src/api/hand/x.ts", "src/api/x.ts", "dist/x", "deep/src/api/x.ts", "app/[slug]", "app/xslugx", "packages/p/package.json", "x/src/a.ts")
	mk := &maker{ws: &workspace.Workspace{Root: t.TempDir()}}
	wide := 0
	for _, patterns := range scopes {
		scope, err := workspace.ParseScope(patterns)
		if err != nil {
			continue
		}
		include, exclude := scope.Globs()
		for name, m := range matches {
			globs, _ := m.heads.globs(include)
			text := mk.scopeText(m.heads, include, patterns)
			for _, p := range paths {
				covers := len(globs) == 0 || slices.ContainsFunc(globs, func(g string) bool { return m.match(g, p) })
				switch {
				case scope.Covers(p) && !covers:
					t.Errorf("%s: %q covers %q, its file %q does not", name, patterns, p, globs)
				case !scope.Covers(p) && covers && text == "" && !questionMark(include):
					t.Errorf("%s: the file %q covers %q too, %q does not, and the text is silent", name, globs, p, patterns)
				case !scope.Covers(p) && covers:
					wide++
				}
			}
			if len(exclude) > 0 && !strings.Contains(text, "cannot leave paths out") {
				t.Errorf("%s: %q: %q", name, patterns, text)
			}
		}
	}
	if wide == 0 {
		t.Error("nothing was wider: the test sees nothing")
	}
}

// questionMark: a character that matchers read differently stands as "?", which
// is wider by that character.
func questionMark(globs []string) bool {
	return slices.ContainsFunc(globs, func(g string) bool { return strings.Contains(g, "?") })
}

// P123: a folder's own file stands only in folders that exist; nothing is made
// in the tree, and everything goes again.
func TestFoldersGetAFileOnlyWhereTheyExist(t *testing.T) {
	for _, target := range []string{"agents", "gemini"} {
		tt, _ := targetOf(target)
		p := newProject(t)
		p.write("src/billing/pay.ts", "x\n")
		p.write("src/cart/"+tt.file, "Our own words.\r\n")
		p.write("inner/.pathrule/memories/x.md", "---\ntitle: X\n---\nx\n")
		p.write("web/a.ts", "x\n")
		before := p.tree()
		link := filepath.Join(p.ws.Root, "linked")
		if runtime.GOOS != "windows" {
			if err := os.Symlink("web", link); err != nil {
				t.Fatal(err)
			}
		}
		p.write(".pathrule/rules/money.md", "---\ntitle: Money is integer cents\npaths: [src/billing, \"src/cart/**/*.ts\", gone/away]\npriority: high\n---\nNever a float.\n")
		p.write(".pathrule/memories/pay.md", "---\ntitle: Pay once\npaths: src/billing/pay.ts\n---\nIdempotency keys.\n")
		p.write(".pathrule/memories/all.md", "---\ntitle: All types\npaths: '**/*.ts'\n---\nFloats nowhere.\n")
		p.write(".pathrule/memories/in.md", "---\ntitle: In\npaths: [inner/src, inner, linked, .git/hooks, node_modules/x]\n---\nInner words.\n")
		for _, d := range []string{".git/hooks", "node_modules/x", "inner/src"} {
			os.MkdirAll(filepath.Join(p.ws.Root, d), 0o755)
		}
		got := p.compile(Options{Target: target})
		want := []string{"add " + tt.file, "add src/billing/" + tt.file, "update src/cart/" + tt.file}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", target, diff)
		}
		root, folder := p.read(tt.file), p.read("src/billing/"+tt.file)
		if strings.Contains(root, "Never a float.\n\n## ") || !strings.Contains(root, "- rule (high) `money` for `src/billing`, `src/cart/**/*.ts`, `gone/away`") {
			t.Errorf("%s: root:\n%s", target, root)
		}
		if !strings.Contains(folder, "paths: `src/billing`, `src/cart/**/*.ts`, `gone/away`") || !strings.Contains(folder, "Never a float.") ||
			!strings.Contains(folder, "paths: `src/billing/pay.ts`") || strings.Contains(folder, "Floats nowhere") {
			t.Errorf("%s: folder:\n%s", target, folder)
		}
		if !strings.HasPrefix(p.read("src/cart/"+tt.file), "Our own words.\r\n\r\n"+beginLine+"\r\n") {
			t.Errorf("%s: %q", target, p.read("src/cart/"+tt.file))
		}
		for _, a := range p.compile(Options{Target: target}) {
			if !strings.HasPrefix(a, "keep ") {
				t.Errorf("%s: second time: %s", target, a)
			}
		}
		// F67: the folder's file goes with its last entry.
		os.Remove(filepath.Join(p.ws.Store, "memories/pay.md"))
		os.Remove(filepath.Join(p.ws.Store, "rules/money.md"))
		if got := p.compile(Options{Target: target}); !slices.Contains(got, "remove src/billing/"+tt.file) || !slices.Contains(got, "update src/cart/"+tt.file) {
			t.Errorf("%s: stale: %q", target, got)
		}
		p.compile(Options{Target: target, Remove: true})
		os.Remove(link)
		if diff := cmp.Diff(before, p.tree()); diff != "" {
			t.Errorf("%s: %s", target, diff)
		}
	}
}

// P124: at most 80 files, 1 MiB together, 256 KiB each, text only, and names of
// the Agent Skills format.
// Rows: A27.
func TestSkillsAreExportedWithinTheFormatsLimits(t *testing.T) {
	p := newProject(t)
	p.write(".pathrule/skills/ops/Deploy_All/SKILL.md", "---\nname: Deploy all\ndescription: Ship it\nlicense: MIT\ncompatibility: any\nallowed-tools: Bash(*)\npaths: [src]\n---\n# Deploy all\n\nRun `scripts/ship.sh`.\n")
	p.write(".pathrule/skills/ops/Deploy_All/scripts/ship.sh", "#!/bin/sh\nexit 0\n")
	p.write(".pathrule/skills/ops/Deploy_All/ref.md", "text\n")
	p.write(".pathrule/skills/ops/Deploy_All/logo.png", "\x89PNG\x00\xff")
	p.write(".pathrule/skills/ops/Deploy_All/big.txt", strings.Repeat("x", maxSkillFile+1))
	p.write(".pathrule/skills/ops/Deploy_All/.#lock.swp", "x")
	p.write(".pathrule/skills/多语言/SKILL.md", "---\ndescription: "+strings.Repeat("長", 1100)+"\n---\nText.\n")
	p.write(".pathrule/skills/many/SKILL.md", "---\ndescription: many\n---\nMany.\n")
	for i := range maxSkillFiles {
		p.write(fmt.Sprintf(".pathrule/skills/many/f%02d.txt", i), "x")
	}
	p.write(".pathrule/skills/heavy/SKILL.md", "---\ndescription: heavy\n---\nHeavy.\n")
	for i := range 5 {
		p.write(fmt.Sprintf(".pathrule/skills/heavy/f%d.txt", i), strings.Repeat("y", maxSkillFile))
	}
	if runtime.GOOS != "windows" {
		os.Chmod(filepath.Join(p.ws.Store, "skills/ops/Deploy_All/scripts/ship.sh"), 0o755)
		os.Symlink("/etc/hosts", filepath.Join(p.ws.Store, "skills/ops/Deploy_All/hosts"))
	}
	skips := map[string]string{}
	changes := p.plan(Options{Target: "skills"})
	for _, c := range changes {
		if c.Action == Skip {
			skips[c.Path] = c.Why
		}
	}
	if err := Apply(p.ws, changes, Options{Target: "skills"}, p.env); err != nil {
		t.Fatal(err)
	}
	var files []string
	for name := range p.tree() {
		files = append(files, name)
	}
	slices.Sort(files)
	other := ".agents/skills/" + skillName("多语言") + "/SKILL.md"
	want := []string{".agents/skills/heavy/SKILL.md", ".agents/skills/many/SKILL.md", ".agents/skills/ops-deploy-all/SKILL.md",
		".agents/skills/ops-deploy-all/ref.md", ".agents/skills/ops-deploy-all/scripts/ship.sh", other}
	slices.Sort(want)
	if diff := cmp.Diff(want, files); diff != "" {
		t.Error(diff)
	}
	for file, why := range map[string]string{"skills/ops/Deploy_All/logo.png": "no text", "skills/ops/Deploy_All/big.txt": "256 KiB", "skills/many/": "80 files", "skills/heavy/": "1 MiB"} {
		if !strings.Contains(skips[file], why) {
			t.Errorf("%s is left out: %q, want %q", file, skips[file], why)
		}
	}
	for _, name := range []string{".agents/skills/ops-deploy-all/SKILL.md", other} {
		head, body, _ := strings.Cut(p.read(name)[4:], "\n---\n")
		var h struct {
			Name, Description, License, Compatibility string
		}
		dec := yaml.NewDecoder(strings.NewReader(head))
		dec.KnownFields(true)
		if err := dec.Decode(&h); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, head)
		}
		if h.Name != path.Base(path.Dir(name)) || len(h.Name) > 64 || strings.Trim(h.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || strings.Contains(h.Name, "--") {
			t.Errorf("name %q of %s", h.Name, name)
		}
		if n := len([]rune(h.Description)); n == 0 || n > 1024 {
			t.Errorf("%s: description of %d characters", name, n)
		}
		if name != other && (h.License != "MIT" || h.Compatibility != "any" || h.Description != "Ship it (for src)" || !strings.Contains(body, "\n# Deploy all\n\nRun `scripts/ship.sh`.\n")) {
			t.Errorf("%+v\n%s", h, body)
		}
	}
	if st, err := os.Stat(filepath.Join(p.ws.Root, ".agents/skills/ops-deploy-all/scripts/ship.sh")); runtime.GOOS != "windows" && (err != nil || st.Mode()&0o100 == 0) {
		t.Errorf("the script lost its executable bit: %v, %v", st, err)
	}
	// A skill of the person's own under that name stays, and so does an edited file.
	p.write(".agents/skills/ops-deploy-all/ref.md", "edited\n")
	os.RemoveAll(filepath.Join(p.ws.Store, "skills"))
	os.MkdirAll(filepath.Join(p.ws.Store, "skills"), 0o755)
	p.compile(Options{Target: "skills", Force: true})
	if got := p.tree(); len(got) != 1 || got[".agents/skills/ops-deploy-all/ref.md"] != "edited\n" {
		t.Errorf("left %v", got)
	}
}

// The table says who loads what, and two targets that one client loads need
// consent; targets for different clients do not.
// Rows: P119.
func TestEveryTargetHasAReaderAndDoublesAreKnown(t *testing.T) {
	for _, d := range Describe() {
		if len(d.Readers) == 0 || len(d.Files) == 0 || d.About == "" || d.Limit == "" {
			t.Errorf("%+v", d)
		}
		if h, ok := host.ByName(d.Host); ok && !slices.ContainsFunc(d.Readers, func(r Reader) bool { return r.Title == h.Title() }) {
			t.Errorf("%s is for %s, which does not load it: %v", d.Name, d.Host, d.Readers)
		}
	}
	for _, h := range host.All() {
		w := h.Wiring()
		for _, n := range slices.Concat(w.Loads, w.LoadsElse, w.LoadsPaths) {
			if _, err := targetOf(n); err != nil {
				t.Errorf("%s: %v", h.ID(), err)
			}
		}
		for _, n := range w.LoadsPaths {
			if !slices.Contains(w.Loads, n) {
				t.Errorf("%s loads files for paths of %s, but not %s", h.ID(), n, n)
			}
		}
	}
	for pair, client := range map[[2]string]string{
		{"claude", "claude-rules"}: "Claude Code", {"claude-rules", "copilot"}: "Copilot", {"agents", "copilot"}: "Copilot", {"gemini", "copilot"}: "Copilot",
		{"agents", "cursor"}: "Cursor", {"qwen", "agents"}: "Qwen", {"windsurf", "cursor"}: "Devin", {"kiro", "agents"}: "Kiro", {"cline", "agents"}: "Cline",
		{"skills", "claude-skills"}: "Copilot", {"claude", "gemini"}: "Copilot",
		{"claude", "kiro"}: "", {"claude", "qwen"}: "", {"cursor", "qwen"}: "", {"zed", "agents"}: "", {"codebuddy", "agents"}: "", {"claude-rules", "cursor"}: "", {"kiro-skills", "skills"}: "",
	} {
		a, _ := targetOf(pair[0])
		b, _ := targetOf(pair[1])
		if got := a.shared(b); (client == "") != (len(got) == 0) || client != "" && !strings.Contains(strings.Join(got, " "), client) {
			t.Errorf("%v: %q, want %q", pair, got, client)
		}
	}
}

// Where the client that a target is written for would read both, the second is
// refused; a third client that does is named, since nobody may work with it.
// Rows: P119.
func TestADoubleOfAThirdClientIsNamedAndNotRefused(t *testing.T) {
	for name, c := range map[string]struct {
		targets []string
		refused string // the client, "" for none
		enough  string
		third   string // clients that are named
	}{
		"Windsurf's and Cursor's, which Devin reads": {[]string{"windsurf", "cursor"}, "", "", "Devin Local"},
		"Claude's and everybody's":                   {[]string{"claude", "agents"}, "", "", "GitHub Copilot Devin Local"},
		"skills of Claude and of others":             {[]string{"claude-skills", "skills"}, "", "", "Cursor GitHub Copilot OpenCode"},
		"Windsurf reads everybody's itself":          {[]string{"windsurf", "agents"}, "Windsurf", "agents", ""},
		"so does Cursor":                             {[]string{"agents", "cursor"}, "Cursor", "agents", ""},
		"two of one client":                          {[]string{"claude", "claude-rules"}, "Claude Code", "", ""},
		"Devin's own and Windsurf's":                 {[]string{"devin-local", "windsurf"}, "Devin Local", "windsurf", ""},
		"nobody reads both":                          {[]string{"claude", "kiro"}, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			p.shop()
			first, second := c.targets[0], c.targets[1]
			p.compile(Options{Target: first})
			for _, o := range []Options{{Target: second}, {Target: second, Beside: c.targets}} {
				_, err := Plan(p.ws, p.src, o, p.env)
				var double *DoubleError
				if errors.As(err, &double); (double != nil) != (c.refused != "") || double != nil && (double.Client != c.refused || double.Enough != c.enough) {
					t.Fatalf("refused %+v, want %q", double, c.refused)
				}
				third, err := Doubles(p.ws, o, p.env)
				if err != nil {
					t.Fatal(err)
				}
				got := ""
				for _, d := range third {
					got += strings.Join(d.Clients, " ")
				}
				if got != c.third {
					t.Errorf("named %q, want %q", got, c.third)
				}
			}
			if c.third == "" {
				return
			}
			// It is said once, and not where somebody decided.
			if d, err := Doubles(p.ws, Options{Target: second, AllowDouble: true}, p.env); err != nil || d != nil {
				t.Errorf("allowed: %v %v", d, err)
			}
			p.compile(Options{Target: second})
			if d, err := Doubles(p.ws, Options{Target: second}, p.env); err != nil || d != nil {
				t.Errorf("again: %v %v", d, err)
			}
		})
	}
}

// Skills stand in rule files only while the client loads no skill folder of ours.
func TestSkillsStandOnce(t *testing.T) {
	p := newProject(t)
	p.shop()
	skill := func(o Options) bool {
		return slices.ContainsFunc(p.plan(o), func(c Change) bool { return c.Action != Remove && bytes.Contains(c.After, []byte("Ship a version")) })
	}
	if !skill(Options{Target: "cursor"}) || !skill(Options{Target: "agents"}) {
		t.Error("alone, skills are not told")
	}
	if skill(Options{Target: "cursor", Beside: []string{"cursor", "skills"}}) {
		t.Error("beside skills of the same run they stand twice")
	}
	p.compile(Options{Target: "cursor"})
	p.compile(Options{Target: "cursor-skills"})
	if got := p.compile(Options{Target: "cursor"}); !slices.Contains(got, "remove .cursor/rules/pathrule-skill-deploy.mdc") {
		t.Errorf("beside skills that stand: %q", got)
	}
	if !skill(Options{Target: "kiro"}) {
		t.Error("another client's skills are gone too")
	}
}

// Personal entries leave the home only for files that git ignores, and no trace
// of them stands in the repository.
func TestPersonalEntriesNeedAnIgnoredFile(t *testing.T) {
	p := newProject(t)
	p.shop()
	own := filepath.Join(p.env.UserHome, "mine.md")
	os.MkdirAll(p.env.UserHome, 0o700)
	if err := os.WriteFile(own, []byte("---\ntitle: MY OWN\n---\nMY OWN\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.src.extra = append(p.src.extra, catalog.Record{Kind: knowledge.Rule, ID: "personal/mine", Key: "personal/rule:personal/mine", Owner: catalog.Personal,
		Title: "MY OWN", Line: "MY OWN", Priority: knowledge.High, File: own})
	o := Options{Target: "windsurf", Personal: true}
	for name, ignored := range map[string]func(string) bool{"nobody to ask": nil, "not ignored": func(string) bool { return false }} {
		o.Ignored = ignored
		if _, err := Plan(p.ws, p.src, o, p.env); err == nil || !strings.Contains(err.Error(), "/.windsurf/rules/pathrule-*") || !strings.Contains(err.Error(), ".gitignore") {
			t.Errorf("%s: %v", name, err)
		}
	}
	o.Ignored = func(f string) bool { return strings.HasPrefix(f, ".windsurf/rules/pathrule-") }
	p.compile(o)
	if !strings.Contains(p.read(".windsurf/rules/pathrule-protocol.md"), "MY OWN") {
		t.Error("the personal rule is not there")
	}
	if _, err := os.Stat(filepath.Join(p.ws.Store, manifestName)); err == nil {
		t.Error("the repository's manifest speaks of personal files")
	}
	files, err := PersonalFiles(p.ws, p.env)
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	if runtime.GOOS != "windows" {
		if st, err := os.Stat(personalManifest(p.ws, p.env)); err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", st, err)
		}
	}
	// The same files cannot be shared at once, and the other way round.
	if _, err := Plan(p.ws, p.src, Options{Target: "windsurf"}, p.env); err == nil || !strings.Contains(err.Error(), "--personal") {
		t.Errorf("got %v", err)
	}
	for _, a := range p.compile(o) {
		if !strings.HasPrefix(a, "keep ") {
			t.Error(a)
		}
	}
	p.compile(Options{Target: "windsurf", Personal: true, Remove: true})
	if got := p.tree(); len(got) != 0 {
		t.Errorf("left %v", got)
	}
}

// P110, P111: a note of three lines where a hook delivers, in files of ours only;
// whole files without a hook, and beside a copy of the older product. F27: Cursor
// keeps its files for paths.
func TestANoteRemainsWhereAHookDelivers(t *testing.T) {
	for _, target := range ruleTargets() {
		tt, _ := targetOf(target)
		p := newProject(t)
		p.shop()
		if got := p.plan(Options{Target: target, Hooked: true}); len(got) != 0 && !tt.floor {
			t.Errorf("%s: nothing of ours stands, but %q", target, actions(got))
		}
		p.compile(Options{Target: target})
		whole := p.tree()
		p.compile(Options{Target: target, Hooked: true})
		for name, text := range p.tree() {
			if tt.floor && !strings.Contains(name, "protocol") {
				continue
			}
			if !strings.Contains(text, "Pathrule's hook brings") || strings.Contains(text, "Write a real type") || strings.Contains(text, "Money is integer cents") {
				t.Errorf("%s: %s:\n%s", target, name, text)
			}
			body := text[strings.Index(text, "# Team notes"):]
			body, _, _ = strings.Cut(body, endLine)
			if n := strings.Count(strings.TrimSpace(body), "\n") + 1; n > 3 {
				t.Errorf("%s: a note of %d lines", target, n)
			}
		}
		if n := len(p.tree()); !tt.floor && n != len(tt.heads) && n != 1 {
			t.Errorf("%s: %d files remain", target, n)
		}
		files, err := ManagedFiles(p.ws)
		if err != nil {
			t.Fatal(err)
		}
		// On a machine without the hook a check still says that all is current.
		o, ok := Recorded(target, files)
		if !ok || !o.Hooked {
			t.Errorf("%s: recorded %+v", target, o)
		}
		for _, c := range p.plan(o) {
			if c.Action != Keep {
				t.Errorf("%s: check: %s %s", target, c.Action, c.Path)
			}
		}
		// The hook is gone: all of it comes back.
		p.compile(Options{Target: target})
		if diff := cmp.Diff(whole, p.tree()); diff != "" {
			t.Errorf("%s: %s", target, diff)
		}
		files, _ = ManagedFiles(p.ws)
		if o, ok := Recorded(target, files); !ok || o.Hooked {
			t.Errorf("%s: recorded %+v", target, o)
		}
		// An unrestored copy keeps it whole.
		backup := ".pathrule/backups/" + tt.file
		if tt.file == "" {
			backup = ".pathrule/backups/" + tt.dir + "/old.md"
		}
		p.write(backup, "theirs\n")
		p.compile(Options{Target: target, Hooked: true})
		if diff := cmp.Diff(whole, p.tree()); diff != "" {
			t.Errorf("%s: beside a backup: %s", target, diff)
		}
	}
}

// E24: with native path rules only the files for paths remain beside the hook.
func TestPathFilesStayBesideTheHookWhereTheClientLoadsThem(t *testing.T) {
	p := newProject(t)
	p.shop()
	got := p.compile(Options{Target: "claude-rules", Hooked: true, PathFiles: true})
	want := []string{"add .claude/rules/pathrule/generated.md", "add .claude/rules/pathrule/money.md", "add .claude/rules/pathrule/route.md",
		"add .claude/rules/pathrule/stripe-retries.md", "add .claude/rules/pathrule/日本.md"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	files, _ := ManagedFiles(p.ws)
	if o, ok := Recorded("claude-rules", files); !ok || !o.Hooked || !o.PathFiles {
		t.Errorf("recorded %+v", o)
	}
}

// Ids that differ by case alone, or by kind alone, get files of their own.
func TestOneFileAnEntry(t *testing.T) {
	p := newProject(t)
	p.write(".pathrule/rules/pay.md", "---\ntitle: R\npaths: src\n---\nrule\n")
	p.write(".pathrule/memories/pay.md", "---\ntitle: M\npaths: src\n---\nmemory\n")
	p.write(".pathrule/memories/protocol.md", "---\ntitle: P\npaths: src\n---\nprotocol\n")
	p.write(".pathrule/memories/deep/er.md", "---\ntitle: D\npaths: src\n---\ndeep\n")
	p.write(".pathrule/memories/huge.md", "---\ntitle: H\npaths: src\n---\n"+strings.Repeat("huge ", 10_000)+"\n")
	p.compile(Options{Target: "claude-rules"})
	tree := p.tree()
	if len(tree) != 5 || !strings.Contains(tree[".claude/rules/pathrule/pay.md"], "\nrule\n") || !strings.Contains(tree[".claude/rules/pathrule/deep/er.md"], "\ndeep\n") {
		t.Errorf("%v", tree)
	}
	if protocol := tree[".claude/rules/pathrule/protocol.md"]; !strings.Contains(protocol, "- memory `huge` for `src`: H.") {
		t.Errorf("what is too long is not listed:\n%s", protocol)
	}
	p.compile(Options{Target: "claude-rules", Remove: true})
	if entries, _ := os.ReadDir(p.ws.Root); len(entries) != 1 {
		t.Errorf("left behind %v", entries)
	}
}

// The hooks find in the manifest what stands whole, and for which paths.
func TestTheManifestSaysWhatStandsWhere(t *testing.T) {
	p := newProject(t)
	p.shop()
	p.compile(Options{Target: "cursor"})
	data := []byte(p.read(".pathrule/managed.json"))
	doc, err := p.src.Load(catalog.Record{Kind: knowledge.Rule, ID: "money", Title: "Money is integer cents", File: filepath.Join(p.ws.Store, "rules/money.md"), Paths: []string{"src/billing", "src/cart/**/*.ts"}})
	if err != nil {
		t.Fatal(err)
	}
	var found []managed.File
	hold := managed.Hold("rule", "money", managed.TextHash(doc.Title, knowledge.Strip(doc.Body)))
	managed.Holding(data, hold, func(f managed.File) bool { found = append(found, f); return true })
	if len(found) != 1 || found[0].Target != "cursor" || strings.Join(found[0].For, " ") != "src/billing src/cart/**/*.ts" || !found[0].Unmodified([]byte(p.read(found[0].Path))) {
		t.Errorf("%+v", found)
	}
	if f, ok := managed.At(data, found[0].Path); !ok || !cmp.Equal(f, found[0]) {
		t.Errorf("%+v", f)
	}
	for _, none := range []string{"rule:money@0000000000000000", "rule:mone", `rule:money","x`} {
		managed.Holding(data, none, func(f managed.File) bool { t.Errorf("%s: %+v", none, f); return true })
	}
}

// F86: what stands in every request is counted, the person's own text is not.
// Rows: F36.
func TestTheCostCountsWhatIsOurs(t *testing.T) {
	p := newProject(t)
	p.shop()
	p.write("CLAUDE.md", strings.Repeat("my own words ", 5000))
	claude, rules := CostOf(p.plan(Options{Target: "claude"})), CostOf(p.plan(Options{Target: "claude-rules"}))
	if claude.Always < 100 || claude.Always > 3000 || claude.Paths != 0 {
		t.Errorf("claude: %+v", claude)
	}
	if rules.Always < 100 || rules.Always > 3000 || rules.Paths < 100 {
		t.Errorf("claude-rules: %+v", rules)
	}
	if c := CostOf(p.plan(Options{Target: "skills"})); c.Always != 0 {
		t.Errorf("skills are loaded by name: %+v", c)
	}
}

// A26: the lines of skills in a file that is in every request stay under 1,600
// characters, what is left out is counted, and a check sees that one is gone.
func TestTheListOfSkillsIsBounded(t *testing.T) {
	p := newProject(t)
	for i := range 70 {
		p.write(fmt.Sprintf(".pathrule/skills/skill-%03d-with-a-long-name/SKILL.md", i), "---\nname: S\ndescription: "+strings.Repeat("what it does ", 12)+"\n---\nBody\n")
	}
	listed := 0
	for _, target := range ruleTargets() {
		p.compile(Options{Target: target, AllowDouble: true})
		for _, c := range p.plan(Options{Target: target, AllowDouble: true}) {
			n := 0
			for line := range strings.Lines(string(c.After)) {
				if strings.HasPrefix(line, "- ") && strings.Contains(line, "skill-") {
					n += size(line)
				}
			}
			if n >= 1600 {
				t.Errorf("%s: %s: %d characters of skills", target, c.Path, n)
			}
			if n > 0 {
				listed++
				if !strings.Contains(string(c.After), " more do not fit here") {
					t.Errorf("%s: %s: what is left out is not said", target, c.Path)
				}
			}
		}
	}
	if listed < 3 {
		t.Errorf("%d files list skills", listed)
	}
	p.compile(Options{Target: "claude", AllowDouble: true})
	if err := os.RemoveAll(filepath.Join(p.ws.Store, "skills", "skill-000-with-a-long-name")); err != nil {
		t.Fatal(err)
	}
	if got := p.plan(Options{Target: "claude", AllowDouble: true}); !slices.ContainsFunc(got, func(c Change) bool { return c.Action != Keep }) {
		t.Errorf("a skill that is gone is not seen: %q", actions(got))
	}
}

// P112: with 27 memories, what stands in every request shrinks from thousands of
// tokens to at most 170 where the hook delivers, and no other file is left.
func TestTheNoteCostsATenthOfTheWholeFiles(t *testing.T) {
	for _, target := range []string{"claude", "gemini", "windsurf", "cline"} {
		p := newProject(t)
		for i := range 27 {
			p.write(fmt.Sprintf(".pathrule/memories/m-%02d.md", i), "---\ntitle: What was learned about part "+fmt.Sprint(i)+"\n---\n"+strings.Repeat("It works in a way that nobody guesses. ", 12)+"\n")
		}
		for i := range 6 {
			p.write(fmt.Sprintf(".pathrule/rules/r-%02d.md", i), "---\ntitle: Rule "+fmt.Sprint(i)+"\npriority: high\n---\n"+strings.Repeat("It is done in the way that was agreed. ", 10)+"\n")
		}
		p.compile(Options{Target: target})
		whole := CostOf(p.plan(Options{Target: target}))
		p.compile(Options{Target: target, Hooked: true})
		note := CostOf(p.plan(Options{Target: target, Hooked: true}))
		if whole.Always < 1500 || note.Always == 0 || note.Always > 170 || note.Paths != 0 {
			t.Errorf("%s: %+v whole, %+v as a note", target, whole, note)
		}
		if n := len(p.tree()); n != 1 {
			t.Errorf("%s: %d files are left", target, n)
		}
	}
}
