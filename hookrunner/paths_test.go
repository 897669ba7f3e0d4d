package hookrunner_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// T7, E25, E26, E29, E31, P60: every tool that names a path brings what governs
// it, nothing else does.
func TestToolsThatNameAPath(t *testing.T) {
	const tax, money, api = "memory:tax", "rule:money", "rule:api"
	patch := "*** Begin Patch\n*** Update File: src/billing/tax.go\n*** Move to: src/billing/rates.go\n@@\n-a\n+b\n*** Add File: src/api/new.go\n+x\n*** Delete File: docs/readme.md\n*** End Patch\n"
	w := newWorld(t)
	for name, c := range map[string]struct {
		host  string
		tool  string
		input func(w *world) any
		want  []string
		not   []string
	}{
		"Read":                       {"claude-code", "Read", file("file_path", "src/billing/tax.go"), []string{tax, money}, []string{api, "rounding"}},
		"Edit":                       {"claude-code", "Edit", file("file_path", "src/api/server.go"), []string{api}, []string{tax, money}},
		"Write":                      {"claude-code", "Write", file("file_path", "src/api/server.go"), []string{api}, []string{tax}},
		"MultiEdit":                  {"claude-code", "MultiEdit", file("file_path", "src/api/server.go"), []string{api}, nil},
		"NotebookEdit":               {"claude-code", "NotebookEdit", file("notebook_path", "src/api/n.ipynb"), []string{api}, nil},
		"Grep":                       {"claude-code", "Grep", file("path", "src/api"), []string{api}, nil},
		"Glob":                       {"claude-code", "Glob", lit(map[string]any{"pattern": "src/api/**/*.go"}), []string{api}, nil},
		"a new file in a new folder": {"claude-code", "Write", file("file_path", "src/api/v2/deep/new.go"), []string{api}, nil},
		"a sibling folder":           {"claude-code", "Read", file("file_path", "src/api-old/server.go"), nil, []string{api}},
		"a relative path":            {"claude-code", "Read", lit(map[string]any{"file_path": "src/api/server.go"}), []string{api}, nil},
		"a path with dots":           {"claude-code", "Read", lit(map[string]any{"file_path": "web/../src/api/./server.go"}), []string{api}, nil},
		"cat":                        {"claude-code", "Bash", lit(map[string]any{"command": "cat src/api/server.go"}), []string{api}, nil},
		"cd and cat":                 {"claude-code", "Bash", lit(map[string]any{"command": "cd src && head -n 3 api/server.go"}), []string{api}, nil},
		"a command about a file that is not there": {"claude-code", "Bash", lit(map[string]any{"command": "cat src/api/nothere.go"}), nil, []string{api}},
		"a redirection makes a file":               {"claude-code", "Bash", lit(map[string]any{"command": "echo x > src/api/made.go"}), []string{api}, nil},
		"a command without paths":                  {"claude-code", "Bash", lit(map[string]any{"command": "npm test"}), nil, nil},
		"PowerShell":                               {"claude-code", "PowerShell", lit(map[string]any{"command": "Get-Content src/api/server.go"}), []string{api}, nil},
		"an MCP tool":                              {"claude-code", "mcp__fs__read_file", file("path", "src/api/server.go"), []string{api}, nil},
		"an MCP tool with a route that is no file": {"claude-code", "mcp__web__get", lit(map[string]any{"path": "/src/api"}), nil, []string{api}},
		"Agent":                              {"claude-code", "Agent", lit(map[string]any{"prompt": "read src/api/server.go"}), nil, []string{api}},
		"our own tool":                       {"claude-code", "mcp__pathrule__get_context", lit(map[string]any{"paths": []string{"src/api/server.go"}}), nil, []string{api}},
		"apply_patch":                        {"codex", "apply_patch", lit(map[string]any{"command": patch}), []string{tax, money, api}, []string{"rounding"}},
		"apply_patch as a list":              {"codex", "apply_patch", lit(map[string]any{"command": []string{"apply_patch", patch}}), []string{tax, money, api}, nil},
		"apply_patch in a heredoc":           {"codex", "Bash", lit(map[string]any{"command": "apply_patch <<'EOF'\n" + patch + "EOF"}), []string{tax, money, api}, nil},
		"Codex reads through the shell":      {"codex", "Bash", lit(map[string]any{"command": "sed -n 1,20p src/api/server.go"}), []string{api}, nil},
		"Codex reads through a login shell":  {"codex", "Bash", lit(map[string]any{"command": []string{"bash", "-lc", "nl src/api/server.go | sed -n 1,20p"}}), []string{api}, nil},
		"an image":                           {"codex", "view_image", lit(map[string]any{"path": "src/api/x.png"}), []string{api}, nil},
		"the root itself":                    {"claude-code", "Grep", lit(map[string]any{"pattern": "x", "path": "."}), nil, nil},
		"outside, absolute":                  {"claude-code", "Read", lit(map[string]any{"file_path": "/etc/hosts"}), nil, nil},
		"outside, relative":                  {"claude-code", "Read", lit(map[string]any{"file_path": "../other/src/api/server.go"}), nil, nil},
		"the workspace's name as a prefix":   {"claude-code", "Read", func(w *world) any { return map[string]any{"file_path": w.root + "-2/src/api/server.go"} }, nil, nil},
		"Windows spelling of a path outside": {"claude-code", "Write", lit(map[string]any{"file_path": `D:\shop\src\api\server.go`}), nil, nil},
		"input that is no object":            {"claude-code", "Read", lit("src/api/server.go"), nil, []string{api}},
		"a path that is no text":             {"claude-code", "Read", lit(map[string]any{"file_path": 3}), nil, nil},
		"a path of a thousand folders":       {"claude-code", "Read", lit(map[string]any{"file_path": strings.Repeat("a/", 1500) + "x"}), nil, []string{api}},
	} {
		t.Run(name, func(t *testing.T) {
			w.t, w.host = t, c.host
			w.later()
			w.start("startup")
			got := w.ask("PreToolUse", "tool_name", c.tool, "tool_input", c.input(w))
			for _, s := range c.want {
				has(t, got, s)
			}
			for _, s := range c.not {
				hasNot(t, got, s)
			}
			if len(c.want) == 0 && got != "" {
				t.Errorf("says %q", got)
			}
			// The event after the tool finds it told.
			if again := w.ask("PostToolUse", "tool_name", c.tool, "tool_input", c.input(w), "tool_response", "x"); again != "" {
				t.Errorf("PostToolUse repeats %q", again)
			}
		})
	}
}

func file(key, rel string) func(*world) any {
	return func(w *world) any { return map[string]any{key: w.path(rel)} }
}

func lit(v any) func(*world) any { return func(*world) any { return v } }

// A path that only exists after the tool is answered after it; so is a failed
// tool on Claude Code, while Codex has no such event.
func TestWhatTheEventBeforeTheToolCouldNotKnow(t *testing.T) {
	w := newWorld(t)
	w.start("startup")
	in := map[string]any{"command": "make gen && cat src/api/gen.go"}
	if got := w.ask("PreToolUse", "tool_name", "Bash", "tool_input", in); got != "" {
		t.Fatalf("before: %q", got)
	}
	w.write("src/api/gen.go", "package api\n")
	has(t, w.ask("PostToolUse", "tool_name", "Bash", "tool_input", in, "tool_response", "ok"), "rule:api")

	w = newWorld(t)
	w.start("startup")
	fail := func() string {
		return w.ask("PostToolUseFailure", "tool_name", "Read", "tool_input", map[string]any{"file_path": w.path("src/api/server.go")}, "error", "no")
	}
	has(t, fail(), "rule:api")
	w.host = "codex"
	if got := fail(); got != "" {
		t.Errorf("Codex: %q", got)
	}
}

func TestALinkThatLeavesTheTree(t *testing.T) {
	w := newWorld(t)
	out := filepath.Join(w.home, "elsewhere", "api")
	os.MkdirAll(out, 0o755)
	os.WriteFile(filepath.Join(out, "server.go"), nil, 0o644)
	if err := os.Symlink(out, w.path("src/api/link")); err != nil {
		t.Skip("no symbolic links here")
	}
	os.Symlink(w.path("src/api"), filepath.Join(w.home, "into"))
	w.start("startup")
	if got := w.read("src/api/link/server.go"); got != "" {
		t.Errorf("a link out of the workspace is answered: %q", got)
	}
	got := w.ask("PreToolUse", "tool_name", "Read", "tool_input", map[string]any{"file_path": filepath.Join(w.home, "into", "server.go")})
	has(t, got, "rule:api") // a link into it is a path in it
}

// E29: at most hooks.path_bodies bodies, the closest first.
func TestBodiesOfOneFileAreBounded(t *testing.T) {
	files := map[string]string{"src/x.go": "package x\n"}
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		files[".pathrule/memories/"+id+".md"] = "---\ntitle: Fact " + id + "\npaths: [src/x.go]\n---\nThe whole body of " + id + ".\n\nSecond paragraph of " + id + ".\n"
	}
	for setting, want := range map[string]int{"": 3, "hooks:\n  path_bodies: 1\n": 1, "hooks:\n  path_bodies: 0\n": 0} {
		w := newWorld(t, files)
		w.config(setting)
		w.start("startup")
		got := w.read("src/x.go")
		if n := strings.Count(got, "Second paragraph of"); n != want {
			t.Errorf("setting %q: %d bodies in\n%s", setting, n, got)
		}
		for _, id := range []string{"a", "b", "c", "d", "e"} {
			has(t, got, "memory:"+id)
		}
	}
}

// Where more governs a path than an answer holds, the next tool on it does not
// bring the next few lines; what is new does come, and so does what a prompt is
// about.
func TestABusyFolderDoesNotDrip(t *testing.T) {
	files := map[string]string{"src/a/x.go": "x", "src/a/y.go": "y", "src/z.go": "z", "lib/b.go": "b"}
	for i := range 200 { // more than one answer even looks at
		files[fmt.Sprintf(".pathrule/memories/o%03d.md", i)] = fmt.Sprintf("---\ntitle: Odd fact %d\npaths: [lib]\n---\nOdd fact %d.\n", i, i)
	}
	for i := range 30 {
		files[fmt.Sprintf(".pathrule/memories/m%02d.md", i)] = fmt.Sprintf("---\ntitle: Fact %d about things\npaths: [src/a]\n---\nThe decision of fact %d is that it is done with care, at all times and places.\n\nMore of fact %d.\n", i, i, i)
	}
	for i := range 12 { // fewer, so that some come as lines
		files[fmt.Sprintf(".pathrule/memories/n%02d.md", i)] = fmt.Sprintf("---\ntitle: Note %d\npaths: [src/z.go]\n---\nNote %d says so.\n\nMore of note %d.\n", i, i, i)
	}
	w := newWorld(t, files)
	w.live = true
	for _, path := range []string{"src/a/x.go", "src/z.go", "lib/b.go"} {
		w.later()
		w.start("startup")
		if got := w.read(path); got == "" {
			t.Fatal("silent at first")
		}
		told := 0
		for range 5 {
			told += len(w.read(path))
		}
		// Bodies that belong to the very file may still follow, once.
		if limit := map[string]int{"src/z.go": 2400}[path]; told > limit {
			t.Errorf("%s: %d bytes with further tools", path, told)
		}
		if got := w.read(path); got != "" {
			t.Errorf("%s: still says %q", path, got)
		}
	}
	w.write(".pathrule/memories/new.md", "---\ntitle: Fresh news\npaths: [src/a/x.go]\n---\nSomething new.\n")
	w.index()
	w.later()
	w.start("startup")
	w.read("src/a/x.go")
	w.write(".pathrule/memories/m29.md", "---\ntitle: Fact 29 changed its mind\npaths: [src/a/x.go]\n---\nThe opposite holds.\n")
	w.index()
	has(t, w.read("src/a/x.go"), "opposite")
	w.now = time.Now()
	w.start("clear")
	w.read("src/a/y.go")
	w.write(".pathrule/memories/p.md", "---\ntitle: Just learnt\npaths: [src/a]\n---\nA lesson of this minute.\n")
	w.index()
	got := w.read("src/a/y.go")
	has(t, got, "A lesson of this minute")
	if strings.Count(got, "[memory:") != 1 {
		t.Errorf("brings more than the news: %s", got)
	}
	has(t, w.prompt("Explain fact 17 about things in src/a/x.go"), "memory:m17")
}

// A nested workspace governs its own paths and inherits the outer's.
func TestNestedWorkspaces(t *testing.T) {
	w := newWorld(t, shop, map[string]string{
		"pkg/pay/pay.go":                      "package pay\n",
		"pkg/pay/.pathrule/rules/pci.md":      "---\ntitle: Card numbers stay out of logs\npaths: [pay.go]\npriority: high\n---\nNever log a card number.\n",
		".pathrule/rules/pkg.md":              "---\ntitle: Packages have an owner file\npaths: [pkg]\n---\nEvery package has OWNERS.\n",
		"pkg/other/.pathrule/rules/secret.md": "---\ntitle: Only for other\n---\nOther's rule.\n",
		"pkg/other/o.go":                      "package other\n",
	})
	for _, dir := range []string{"pkg/pay", "pkg/other"} {
		ws, err := workspace.Find(w.path(dir), w.env())
		if err != nil {
			t.Fatal(err)
		}
		if err := workspace.Own(ws, w.dirs(), false, w.env()); err != nil {
			t.Fatal(err)
		}
		root := w.root
		w.root = ws.Root
		w.index()
		w.root = root
	}
	w.start("startup")
	got := w.read("pkg/pay/pay.go")
	has(t, got, "Card numbers stay out of logs")
	has(t, got, "Packages have an owner file")
	hasNot(t, got, "Only for other")
	if got := w.read("pkg/pay/pay.go"); got != "" {
		t.Errorf("told twice: %q", got)
	}
	// The session moves into the nested workspace; its record stays the same one.
	if got := w.ask("PreToolUse", "cwd", w.path("pkg/pay"), "tool_name", "Read", "tool_input", map[string]any{"file_path": "pay.go"}); got != "" {
		t.Errorf("told again from inside: %q", got)
	}
	// Two workspaces in one call.
	w.start("clear")
	got = w.bash("cat pkg/pay/pay.go src/api/server.go pkg/other/o.go")
	has(t, got, "Card numbers stay out of logs")
	has(t, got, "rule:api")
	has(t, got, "Only for other")
	if n := strings.Count(got, "Packages have an owner file"); n != 1 {
		t.Errorf("an inherited rule stands there %d times:\n%s", n, got)
	}
}

// F97, P36: where the project is taken from.
func TestTheProjectFolder(t *testing.T) {
	w := newWorld(t)
	elsewhere := filepath.Join(w.home, "elsewhere")
	os.MkdirAll(elsewhere, 0o755)
	start := func(vars map[string]string, cwd string, pairs ...any) string {
		t.Helper()
		w.seq++
		w.vars = vars
		env := w.env()
		env.Cwd = cwd
		out := runWith(w, env, w.event("SessionStart", append([]any{"source", "startup", "session_id", "s" + string(rune('a'+w.seq))}, pairs...)...))
		return contextOf(t, "SessionStart", out)
	}
	for name, c := range map[string]struct {
		vars  map[string]string
		cwd   string
		pairs []any
		found bool
	}{
		"the payload's cwd":                     {nil, "/", []any{"cwd", w.root}, true},
		"a subfolder":                           {nil, "/", []any{"cwd", w.path("src/billing")}, true},
		"a cwd that is gone, then our own":      {nil, w.path("src"), []any{"cwd", w.path("gone")}, true},
		"an empty cwd, then our own":            {nil, w.root, []any{"cwd", ""}, true},
		"an empty cwd, then workspace_roots":    {nil, "/", []any{"cwd", "", "workspace_roots", []string{w.path("gone"), w.root}}, true},
		"an empty cwd, then the variable":       {map[string]string{"CLAUDE_PROJECT_DIR": w.root}, "/", []any{"cwd", ""}, true},
		"the shell left the project":            {map[string]string{"CLAUDE_PROJECT_DIR": w.root}, "/", []any{"cwd", elsewhere}, true},
		"a cwd outside is not ours":             {nil, w.root, []any{"cwd", elsewhere}, false},
		"the home is no workspace":              {nil, "/", []any{"cwd", w.home}, false},
		"roots of another kind":                 {nil, "/", []any{"cwd", 7, "workspace_roots", "x"}, false},
		"a relative variable":                   {map[string]string{"CLAUDE_PROJECT_DIR": "shop"}, "/", []any{"cwd", ""}, false},
		"a cwd with a link to the project":      {nil, "/", []any{"cwd", link(t, w)}, true},
		"a file as cwd":                         {nil, "/", []any{"cwd", w.path("docs/readme.md")}, false},
		"a Windows cwd on another system's run": {nil, w.root, []any{"cwd", `C:\shop`}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := start(c.vars, c.cwd, c.pairs...); (got != "") != c.found {
				t.Errorf("says %q", got)
			}
		})
	}
}

func link(t *testing.T, w *world) string {
	l := filepath.Join(w.home, "link-to-shop")
	if err := os.Symlink(w.root, l); err != nil {
		t.Skip("no symbolic links here")
	}
	return l
}

func runWith(w *world, env sysenv.Env, stdin string) string {
	w.t.Helper()
	out, _ := w.rawEnv(env, stdin)
	return out
}
