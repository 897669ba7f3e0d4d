package setup

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/host"
	"pathrule/internal/cli"
	"pathrule/internal/sysenv"
)

var update = flag.Bool("update", false, "rewrite golden files")

// golden compares text, with the world's folders made neutral.
func (w *world) golden(name, got string) {
	w.t.Helper()
	got = strings.NewReplacer(w.bin, "/BIN DIR", w.root, "/ROOT", w.home, "/HOME").Replace(got)
	file := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		w.t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		w.t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

var all = []string{"claude-code", "codex", "windsurf"}

func TestWhatASetupWrites(t *testing.T) {
	for name, tc := range map[string]struct {
		o     Options
		files map[string]string // golden name -> file
	}{
		"user": {Options{}, map[string]string{
			"user-claude-settings.json": ".claude/settings.json", "user-claude.json": ".claude.json",
			"user-codex-hooks.json": ".codex/hooks.json", "user-codex-config.toml": ".codex/config.toml",
			"user-windsurf-mcp.json": ".codeium/windsurf/mcp_config.json",
		}},
		"project": {Options{Scope: host.Project}, map[string]string{
			"project-claude-settings.json": "shop/.claude/settings.json", "project-mcp.json": "shop/.mcp.json",
			"project-codex-hooks.json": "shop/.codex/hooks.json", "project-codex-config.toml": "shop/.codex/config.toml",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			before := w.tree()
			p := w.setup(tc.o, all...)
			for g, file := range tc.files {
				w.golden(g, w.read(file))
			}
			w.golden(name+"-next.txt", strings.Join(p.Next, "\n")+"\n")
			w.golden(name+"-diff.txt", differences(p, w.env))
			if name == "project" {
				for _, file := range tc.files {
					if strings.Contains(w.read(file), w.home) || strings.Contains(w.read(file), w.bin) {
						t.Errorf("%s names a folder of this machine", file)
					}
				}
			}
			w.unsetup(tc.o, all...)
			if diff := cmp.Diff(before, w.tree()); diff != "" {
				t.Errorf("unsetup leaves something behind (-before +after):\n%s", diff)
			}
			if _, err := os.ReadDir(filepath.Join(w.home, ".pathrule", "backups")); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestPrintIsWhatSetupWouldWrite(t *testing.T) {
	w := newWorld(t)
	for _, scope := range []host.Scope{host.User, host.Project} {
		var b strings.Builder
		for _, h := range hosts(t, all...) {
			text, err := Print(h, w.root, Options{Scope: scope, SessionEnd: true}, w.env)
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString(text + "\n")
		}
		w.golden(string(scope)+"-print.txt", b.String())
	}
}

// files are what people's settings look like; the value must come back.
var files = map[string]string{
	"absent":                    "(none)",
	"empty":                     "",
	"blank":                     "\n\n",
	"an empty object":           "{}",
	"two spaces":                "{\n  \"model\": \"x\",\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"say done\" }\n        ]\n      }\n    ]\n  }\n}\n",
	"tabs":                      "{\n\t\"permissions\": {\n\t\t\"allow\": [\"Bash(ls)\"]\n\t}\n}",
	"minified":                  `{"a":1,"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x"}]}]},"z":[1,2]}`,
	"comments":                  "// top\n{\n  // a\n  \"a\": 1, /* b */\n  \"hooks\": {\n    // none yet\n  }, // tail\n}\n// end",
	"trailing commas":           "{\n  \"a\": [1, 2,],\n  \"hooks\": {\"Stop\": [],},\n}\n",
	"byte order mark and CRLF":  "\ufeff{\r\n  \"a\": 1,\r\n  \"hooks\": {\r\n    \"SessionStart\": [\r\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}\r\n    ]\r\n  }\r\n}\r\n",
	"no final newline":          "{\n  \"a\": 1\n}",
	"escapes and other scripts": "{\n  \"\\u0061b\": \"\\u2028 ü 雪\",\n  \"n\": 1e400\n}\n",
	"a look-alike":              "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"/opt/pathrule/my-pathrule-hook.sh --host claude-code\"}]}\n    ]\n  }\n}\n",
	"servers of others":         "{\n  \"mcpServers\": {\n    \"other\": { \"command\": \"pathrule-mcp\", \"args\": [\"mcp\"] }\n  }\n}\n",
}

// A setup followed by an unsetup is the identity for whatever people write;
// done ten times it changes no byte after the first (T9, E3, F49). Every client
// and scope: TestLinkThenUnlinkIsTheIdentityForEveryClient.
func TestUnsetupGivesTheBytesBack(t *testing.T) {
	for name, text := range files {
		for _, scope := range []host.Scope{host.User} {
			t.Run(name+" "+string(scope), func(t *testing.T) {
				w := newWorld(t)
				var paths []string
				for _, h := range hosts(t, all...) {
					for _, tg := range targets(h, scope, w.root, w.env) {
						if tg.cfg.Format != "json" {
							continue
						}
						paths = append(paths, tg.cfg.Path)
						if text != "(none)" {
							w.write(tg.cfg.Path, text)
						}
					}
				}
				before := w.tree()
				w.setup(Options{Scope: scope}, all...)
				var first []string
				for _, p := range paths {
					if got := w.read(p); got == text {
						t.Errorf("%s did not change", p)
					}
					first = append(first, w.read(p))
				}
				for range 9 {
					if p := w.plan(Options{Scope: scope}, all...); p.Changes() {
						t.Fatalf("a second setup changes:\n%s", differences(p, w.env))
					}
					w.setup(Options{Scope: scope}, all...)
				}
				for i, p := range paths {
					if diff := cmp.Diff(first[i], w.read(p)); diff != "" {
						t.Errorf("%s changed at the second setup:\n%s", p, diff)
					}
				}
				w.unsetup(Options{Scope: scope}, all...)
				for _, p := range paths {
					if diff := cmp.Diff(text, w.read(p)); diff != "" {
						t.Errorf("%s came back otherwise (-before +after):\n%s", p, diff)
					}
				}
				if diff := cmp.Diff(before, w.tree()); diff != "" {
					t.Errorf("tree (-before +after):\n%s", diff)
				}
				if p := w.unsetup(Options{Scope: scope}, all...); p.Changes() {
					t.Error("a second unsetup still finds something")
				}
			})
		}
	}
}

// When somebody else wrote into the file since, only our entries go, and what
// setup had made for them.
func TestUnsetupOfATouchedFileTakesOnlyOurs(t *testing.T) {
	for name, text := range files {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			file := filepath.Join(w.home, ".claude", "settings.json")
			if text != "(none)" {
				w.write(file, text)
			}
			w.setup(Options{}, "claude-code")
			touched := w.read(file)
			i := strings.LastIndex(touched, "}")
			touched = touched[:i] + touched[i:] + "\n\n"
			w.write(file, touched)
			w.unsetup(Options{}, "claude-code")
			got := w.read(file)
			if text == "(none)" {
				if got != "(none)" {
					t.Errorf("a file that held nothing but ours stays: %q", got)
				}
				return
			}
			if strings.TrimSpace(text) == "" {
				text = "{}"
			}
			if a, b := strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")), strings.TrimSpace(strings.TrimPrefix(got, "\ufeff")); a != b {
				t.Errorf("left over (-before +after):\n%s", cmp.Diff(a, b))
			}
		})
	}
}

// One file with hooks and a server: what is taken out is counted as what was
// put in.
func TestUnsetupCountsHooksAndServersApart(t *testing.T) {
	w := newWorld(t)
	in := w.setup(Options{}, "gemini-cli")
	out := w.unsetup(Options{}, "gemini-cli")
	if len(in.Edits) != 1 || len(out.Edits) != 1 || strings.ReplaceAll(in.Edits[0].Summary, "added", "taken out") != out.Edits[0].Summary {
		t.Errorf("in %+v\nout %+v", in.Edits, out.Edits)
	}
}

func TestASecondSetupOverAnEditedFileKeepsTheEdit(t *testing.T) {
	w := newWorld(t)
	file := ".claude/settings.json"
	w.write(file, "{\n  \"a\": 1\n}\n")
	w.setup(Options{}, "claude-code")
	w.write(file, strings.Replace(w.read(file), "\"a\": 1", "\"a\": 1,\n  \"b\": 2", 1))
	w.setup(Options{SessionEnd: true}, "claude-code")
	w.unsetup(Options{}, "claude-code")
	if got, want := w.read(file), "{\n  \"a\": 1,\n  \"b\": 2\n}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTheFirstOriginalIsKept(t *testing.T) {
	w := newWorld(t)
	file, text := ".claude/settings.json", "{ \"a\" : 1 }"
	w.write(file, text)
	w.setup(Options{}, "claude-code")
	w.setup(Options{SessionEnd: true}, "claude-code")
	w.setup(Options{}, "claude-code")
	if !strings.Contains(w.read(file), "SessionEnd") {
		t.Error("a setup without --session-end takes an existing one out")
	}
	w.unsetup(Options{}, "claude-code")
	if got := w.read(file); got != text {
		t.Errorf("got %q, want %q", got, text)
	}
}

func TestStaleEntriesAreCollapsed(t *testing.T) {
	w := newWorld(t)
	file := ".codex/hooks.json"
	old := func(path string) string {
		return `{"hooks":[{"type":"command","command":"` + path + ` --host codex","timeout":10}]}`
	}
	w.write(file, `{"hooks":{"SubagentStart":[`+old("/old/pathrule-hook")+`,{"hooks":[{"type":"command","command":"mine"}]},`+old("/older/pathrule-hook")+`],
"Stop":[`+old("/old/pathrule-hook")+`]}}`)
	p := w.setup(Options{}, "codex")
	got := w.read(file)
	if n := strings.Count(got, "pathrule-hook"); n != 5 {
		t.Errorf("%d entries run pathrule-hook, want one for each of the five events:\n%s", n, got)
	}
	if strings.Contains(got, "/old") || strings.Contains(got, `"Stop"`) || !strings.Contains(got, `"mine"`) {
		t.Errorf("stale entries stay or a foreign one went:\n%s", got)
	}
	// What is brought up to date keeps its place, so that others keep theirs.
	if first := strings.Index(got, "pathrule-hook"); first > strings.Index(got, `"mine"`) {
		t.Errorf("the entry moved:\n%s", got)
	}
	if s := p.Edits[0].Summary; !strings.Contains(s, "2 hooks taken out") || !strings.Contains(s, "1 hook brought up to date") {
		t.Errorf("summary: %s", s)
	}
}

// Codex keys its trust by position: what is there keeps it (F24).
func TestForeignHooksKeepTheirPositions(t *testing.T) {
	w := newWorld(t)
	w.write(".codex/hooks.json", `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "a"}, {"type": "command", "command": "b"}]}]}}`)
	w.setup(Options{}, "codex")
	got := w.read(".codex/hooks.json")
	if !strings.HasPrefix(got, `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "a"}, {"type": "command", "command": "b"}]}, `) {
		t.Errorf("foreign hooks moved: %s", got)
	}
}

// Rows: F65.
func TestWhatIsRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		host, file, text string
		want             []string
	}{
		"malformed JSON":             {"claude-code", ".claude/settings.json", "{\n\"a\": \n}", []string{"~/.claude/settings.json:3:", "not valid JSON", "left as it was", `pathrule setup claude-code --print`}},
		"hooks is a list":            {"claude-code", ".claude/settings.json", "{\n\n\"hooks\": []}", []string{"settings.json:3:", `"hooks" is a list, not an object`}},
		"an event is an object":      {"claude-code", ".claude/settings.json", `{"hooks": {"Stop": {}}}`, []string{"hooks.Stop is an object, not a list"}},
		"a group without hooks":      {"claude-code", ".claude/settings.json", `{"hooks": {"Stop": [{"command": "x"}]}}`, []string{`hooks.Stop[0] has no "hooks"`}},
		"the top is a list":          {"claude-code", ".claude/settings.json", `[]`, []string{"the top value is a list"}},
		"a key twice":                {"claude-code", ".claude/settings.json", "{\"hooks\": {},\n\"hooks\": {}}", []string{"settings.json:2:", `the key "hooks" twice`}},
		"UTF-16":                     {"claude-code", ".claude/settings.json", "\xff\xfe{\x00}\x00", []string{"UTF-16"}},
		"mcpServers is a string":     {"claude-code", ".claude.json", `{"mcpServers": "x"}`, []string{".claude.json:1:", `"mcpServers" is a string`}},
		"another product's server":   {"claude-code", ".claude.json", `{"mcpServers": {"pathrule": {"command": "npx", "args": ["-y", "pathrule-mcp"]}}}`, []string{`mcpServers.pathrule runs "npx", not this program`}},
		"a type Codex does not know": {"codex", ".codex/hooks.json", `{"hooks": {"Stop": [{"hooks": [{"type": "http", "url": "x"}]}]}}`, []string{`has the type "http"`, "Codex loads no hook at all"}},
		"malformed TOML":             {"codex", ".codex/config.toml", "a = 1\nb =\n", []string{"config.toml:2:", "not valid TOML"}},
		"a TOML key twice":           {"codex", ".codex/config.toml", "a = 1\na = 2\n", []string{"config.toml:2:"}},
		"an inline mcp_servers":      {"codex", ".codex/config.toml", "mcp_servers = { o = { command = 'x' } }\n", []string{"config.toml:1:", "put this inside it by hand: pathrule = { command = "}},
		"mcp_servers is an array":    {"codex", ".codex/config.toml", "[[mcp_servers]]\nname = 'x'\n", []string{"config.toml:1:", "put this inside it by hand"}},
		"another server in TOML":     {"codex", ".codex/config.toml", "[mcp_servers.pathrule]\nurl = 'https://example.com'\n", []string{"runs something else"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(tc.file, tc.text)
			p := w.plan(Options{}, tc.host)
			var why string
			for _, e := range p.Refused() {
				why += e.Why
			}
			for _, s := range tc.want {
				if !strings.Contains(why, s) {
					t.Errorf("the refusal %q does not say %q", why, s)
				}
			}
			if err := Apply(p, w.env); err != nil {
				t.Fatal(err)
			}
			if w.read(tc.file) != tc.text {
				t.Error("a refused file was changed")
			}
		})
	}
}

func TestLinksAndFileModes(t *testing.T) {
	t.Run("a linked settings file stays a link", func(t *testing.T) {
		w := newWorld(t)
		w.write("dotfiles/settings.json", "{\"a\": 1}")
		if err := os.MkdirAll(filepath.Join(w.home, ".claude"), 0o755); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(w.home, ".claude", "settings.json")
		if err := os.Symlink(filepath.Join("..", "dotfiles", "settings.json"), link); err != nil {
			t.Skip("no symlinks here: ", err)
		}
		w.setup(Options{}, "claude-code")
		if !strings.Contains(w.read("dotfiles/settings.json"), "SessionStart") {
			t.Error("the file behind the link did not change")
		}
		w.unsetup(Options{}, "claude-code")
		if st, err := os.Lstat(link); err != nil || st.Mode()&os.ModeSymlink == 0 {
			t.Error("the link is gone")
		}
		if got := w.read("dotfiles/settings.json"); got != "{\"a\": 1}" {
			t.Errorf("came back as %q", got)
		}
	})
	t.Run("a link to nowhere is refused", func(t *testing.T) {
		w := newWorld(t)
		w.write(".claude/x", "")
		if err := os.Symlink("/nowhere/settings.json", filepath.Join(w.home, ".claude", "settings.json")); err != nil {
			t.Skip("no symlinks here: ", err)
		}
		if r := w.plan(Options{}, "claude-code").Refused(); len(r) != 1 || !strings.Contains(r[0].Why, "is a link to /nowhere/settings.json") {
			t.Errorf("refused: %+v", r)
		}
	})
	t.Run("a read-only file is refused", func(t *testing.T) {
		w := newWorld(t)
		w.write(".claude/settings.json", "{}")
		if err := os.Chmod(filepath.Join(w.home, ".claude", "settings.json"), 0o444); err != nil {
			t.Fatal(err)
		}
		if r := w.plan(Options{}, "claude-code").Refused(); len(r) != 1 || !strings.Contains(r[0].Why, "is read-only (mode 0444)") {
			t.Errorf("refused: %+v", r)
		}
	})
	t.Run("a folder in the place is refused", func(t *testing.T) {
		w := newWorld(t)
		w.write(".claude/settings.json/x", "")
		if r := w.plan(Options{}, "claude-code").Refused(); len(r) != 1 || !strings.Contains(r[0].Why, "not a regular file") {
			t.Errorf("refused: %+v", r)
		}
	})
	t.Run("a file keeps its mode", func(t *testing.T) {
		w := newWorld(t)
		w.write(".claude/settings.json", "{}")
		file := filepath.Join(w.home, ".claude", "settings.json")
		if err := os.Chmod(file, 0o640); err != nil {
			t.Fatal(err)
		}
		w.setup(Options{}, "claude-code")
		if st, _ := os.Stat(file); st.Mode().Perm() != 0o640 {
			t.Errorf("mode is %04o", st.Mode().Perm())
		}
	})
}

func TestASecondScopeIsRefused(t *testing.T) {
	w := newWorld(t)
	w.setup(Options{}, "claude-code")
	p := w.plan(Options{Scope: host.Project}, "claude-code")
	if p.Changes() || len(p.Refused()) != 2 || !strings.Contains(p.Refused()[0].Why, "set up already in user scope (~/.claude/settings.json)") {
		t.Fatalf("plan: %+v", p)
	}
	w.setup(Options{Scope: host.Project, Force: true}, "claude-code")
	if p := w.plan(Options{Scope: host.Project}, "claude-code"); len(p.Refused()) != 0 {
		t.Error("a refresh of what is there is refused")
	}
}

func TestPlansAgainstTheFile(t *testing.T) {
	w := newWorld(t)
	w.write(".claude/settings.json", "{}")
	p, q := w.plan(Options{}, "claude-code"), w.plan(Options{}, "claude-code")
	if err := Apply(p, w.env); err != nil {
		t.Fatal(err)
	}
	if err := Apply(q, w.env); err != nil {
		t.Errorf("a second setup with the same plan fails: %v", err)
	}
	w.write(".claude/settings.json", "{\"model\": \"x\"}")
	w.write(".claude.json", "{}")
	before := w.read(".claude.json")
	q = w.plan(Options{}, "claude-code")
	w.write(".claude/settings.json", "{\"model\": \"y\"}")
	if err := Apply(q, w.env); err == nil || !strings.Contains(err.Error(), "changed while the plan was shown") {
		t.Errorf("error is %v", err)
	}
	if w.read(".claude/settings.json") != "{\"model\": \"y\"}" || w.read(".claude.json") != before {
		t.Error("something was written all the same")
	}
}

func TestParallelSetupsLeaveOneSet(t *testing.T) {
	w := newWorld(t)
	w.write(".claude/settings.json", "{\n  \"a\": 1\n}\n")
	done := make(chan error)
	for range 8 {
		go func() {
			p, err := PlanSetup(hosts(t, "claude-code", "codex"), w.root, Options{}, w.env)
			if err == nil {
				err = Apply(p, w.env)
			}
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := strings.Count(w.read(".claude/settings.json"), "SessionStart"); n != 1 {
		t.Errorf("%d entries", n)
	}
	w.unsetup(Options{}, "claude-code", "codex")
	if got := w.read(".claude/settings.json"); got != "{\n  \"a\": 1\n}\n" {
		t.Errorf("came back as %q", got)
	}
}

func TestConfigFoldersFollowTheEnvironment(t *testing.T) {
	w := newWorld(t)
	w.env = w.env.With("CLAUDE_CONFIG_DIR", filepath.Join(w.home, "cc")).With("CODEX_HOME", filepath.Join(w.home, "cx"))
	w.setup(Options{}, "claude-code", "codex")
	for _, f := range []string{"cc/settings.json", "cc/.claude.json", "cx/hooks.json", "cx/config.toml"} {
		if w.read(f) == "(none)" {
			t.Errorf("%s was not written", f)
		}
	}
	if w.read(".claude/settings.json") != "(none)" || w.read(".codex/hooks.json") != "(none)" {
		t.Error("the default folder was written too")
	}
}

func TestASetHomeIsCarriedIntoEveryEntry(t *testing.T) {
	w := newWorld(t)
	home, state := filepath.Join(w.home, "pr home"), filepath.Join(w.home, "pr state")
	w.env = w.env.With("PATHRULE_HOME", home).With("PATHRULE_STATE_DIR", state)
	w.setup(Options{}, all...)
	for _, f := range []string{".claude/settings.json", ".claude.json", ".codex/hooks.json", ".codex/config.toml", ".codeium/windsurf/mcp_config.json"} {
		if text := w.read(f); !strings.Contains(text, home) || !strings.Contains(text, state) {
			t.Errorf("%s does not carry both folders:\n%s", f, text)
		}
	}
	if got := strings.TrimSpace(w.read(filepath.Join(home, "state-dir"))); got != state {
		t.Errorf("state-dir holds %q", got)
	}
	w.unsetup(Options{}, all...)
	w.setup(Options{Scope: host.Project}, all...)
	for _, f := range []string{"shop/.claude/settings.json", "shop/.mcp.json", "shop/.codex/hooks.json", "shop/.codex/config.toml"} {
		if text := w.read(f); strings.Contains(text, home) || strings.Contains(text, state) {
			t.Errorf("the shared %s names a folder of this machine:\n%s", f, text)
		}
	}
	w.unsetup(Options{Scope: host.Project}, all...)
	// Unset again, a refresh drops them.
	w.setup(Options{}, all...)
	w.env = w.env.With("PATHRULE_STATE_DIR", "")
	w.setup(Options{}, all...)
	for _, f := range []string{".claude/settings.json", ".claude.json", ".codex/hooks.json", ".codex/config.toml"} {
		if text := w.read(f); strings.Contains(text, "PATHRULE_STATE_DIR") || !strings.Contains(text, "PATHRULE_HOME") {
			t.Errorf("%s was not refreshed:\n%s", f, text)
		}
	}
}

// Rows: F61.
func TestPathsThatAShellWouldChangeAreRefused(t *testing.T) {
	for _, c := range []string{"$", "`", `"`, `\`} {
		w := newWorld(t)
		p := w.plan(Options{Pathrule: "/opt/a" + c + "b/pathrule", Hook: "/opt/a" + c + "b/pathrule-hook"}, "codex", "claude-code")
		var refused []string
		for _, e := range p.Refused() {
			refused = append(refused, e.Host+" "+e.Surface)
			if !strings.Contains(e.Why, "/opt/a"+c+"b/pathrule") {
				t.Errorf("the refusal does not name the path: %s", e.Why)
			}
		}
		if diff := cmp.Diff([]string{"codex hooks"}, refused); diff != "" {
			t.Errorf("%s: refused (-want +got):\n%s", c, diff)
		}
	}
}

func TestProgramsAreNamedToLast(t *testing.T) {
	w := newWorld(t)
	t.Run("a link on PATH is preferred", func(t *testing.T) {
		links := filepath.Join(w.home, "bin")
		if err := os.MkdirAll(links, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(w.pathrule, filepath.Join(links, "pathrule")); err != nil {
			t.Skip("no symlinks here: ", err)
		}
		p, err := findPrograms(Options{}, w.env.With("PATH", links))
		if err != nil || p.pathrule != filepath.Join(links, "pathrule") || p.hook != w.hook {
			t.Errorf("%+v, %v", p, err)
		}
	})
	t.Run("without a pathrule-hook pathrule does all", func(t *testing.T) {
		if err := os.Remove(w.hook); err != nil {
			t.Fatal(err)
		}
		w.setup(Options{}, "claude-code")
		if got := w.read(".claude/settings.json"); strings.Contains(got, "pathrule-hook") || !strings.Contains(got, "PreToolUse") {
			t.Errorf("settings:\n%s", got)
		}
	})
	t.Run("go run is no place to register", func(t *testing.T) {
		e := w.env
		e.Executable = "/tmp/go-build123/b001/exe/pathrule"
		if _, err := PlanSetup(hosts(t, "codex"), "", Options{}, e); err == nil || !strings.Contains(err.Error(), "go install") {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("project scope needs a project", func(t *testing.T) {
		if _, err := PlanSetup(hosts(t, "codex"), "", Options{Scope: host.Project}, w.env); err == nil || !strings.Contains(err.Error(), "pathrule init") {
			t.Errorf("error is %v", err)
		}
	})
}

// Rows: A7, F61.
func TestWindowsForms(t *testing.T) {
	w := newWorld(t)
	w.env.GOOS = "windows"
	o := Options{Pathrule: "/x", Hook: "/x"}
	p := programs{"C:/Users/A B/go/bin/pathrule.exe", "C:/Users/A B/go/bin/pathrule-hook.exe"}
	_ = o
	for _, h := range hosts(t, "claude-code", "codex") {
		for _, r := range h.Registrations()[:3] {
			body, err := handler(h, r, host.User, p, w.env)
			if err != nil {
				t.Fatal(err)
			}
			argv, _, ok := words(body, h.Shape())
			if !ok || !oursHook(argv) || !strings.HasPrefix(argv[0], "C:/Users/A B/") {
				t.Errorf("%s %s: %+v reads as %q", h.ID(), r.Event, body, argv)
			}
			if h.ID() == "codex" {
				if win, _ := body.Get("commandWindows"); win != `"C:\Users\A B\go\bin\`+r.Program+`.exe"`+strings.TrimPrefix(strings.Join(argv, " "), argv[0]) {
					t.Errorf("commandWindows is %v", win)
				}
			}
		}
	}
}

// E41: the hook at a session's end is there only for who asks for it, by the
// clients' own limits of time; a later setup neither adds it nor takes it out,
// taking pathrule out takes it out, and Gemini CLI has none.
func TestTheHookAtASessionsEndIsForWhoAsks(t *testing.T) {
	for id, c := range map[string]struct{ file, timeout string }{
		"claude-code": {".claude/settings.json", `"timeout": 5`},
		"codex":       {".codex/hooks.json", `"timeout": 3`},
		"gemini-cli":  {".gemini/settings.json", ""},
	} {
		t.Run(id, func(t *testing.T) {
			w := newWorld(t)
			end := func() string {
				_, rest, _ := strings.Cut(w.read(c.file), `"SessionEnd"`)
				rest, _, _ = strings.Cut(rest, "\n    ]")
				return rest
			}
			w.setup(Options{}, id)
			if w.read(c.file) == "(none)" || end() != "" {
				t.Fatalf("without being asked:\n%s", w.read(c.file))
			}
			w.setup(Options{SessionEnd: true}, id)
			if got := end(); (got == "") != (c.timeout == "") || !strings.Contains(got, c.timeout) || c.timeout != "" && !strings.Contains(got, "pathrule-hook") {
				t.Errorf("asked for: %q", got)
			}
			before := w.read(c.file)
			w.setup(Options{}, id)
			if got := w.read(c.file); got != before {
				t.Errorf("a later setup changes\n%s\ninto\n%s", before, got)
			}
			w.unsetup(Options{}, id)
			if strings.Contains(w.tree(), c.file) {
				t.Errorf("taken out, but there stands %s", w.tree())
			}
		})
	}
}

// differences are what a plan changes.
func differences(p Plan, env sysenv.Env) string {
	var b strings.Builder
	for _, e := range p.Edits {
		if e.Action != Keep && e.Action != Refuse {
			b.WriteString(cli.Diff(shown(e.Path, env), e.Before, e.After))
		}
	}
	return b.String()
}
