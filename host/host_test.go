package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pathrule/internal/sysenv"
)

func TestHostsAreFoundByIDAndAlias(t *testing.T) {
	for name, want := range map[string]string{
		"claude-code": "claude-code", "claude": "claude-code", "codex": "codex", "windsurf": "windsurf", "cascade": "windsurf",
	} {
		h, ok := ByName(name)
		if !ok || h.ID() != want {
			t.Errorf("ByName(%q) = %v, %t", name, h, ok)
		}
	}
	// F95: Grok Build drops what a prompt hook says, so nothing is registered there.
	for _, name := range []string{"", "Claude", "claude ", "cursorx", "grok", "grok-build"} {
		if h, ok := ByName(name); ok {
			t.Errorf("ByName(%q) = %s", name, h.ID())
		}
	}
	seen := map[string]bool{}
	for _, h := range All() {
		for _, n := range append([]string{h.ID()}, h.Aliases()...) {
			if seen[n] {
				t.Errorf("name %q stands twice", n)
			}
			seen[n] = true
		}
	}
}

// Rows: A5.
func TestRegistrationsAreWhatTheHostTakes(t *testing.T) {
	for _, h := range All() {
		seen := map[string]bool{}
		for _, r := range h.Registrations() {
			if r.Hook && (r.Guard || r.Check || r.Native) {
				t.Errorf("%s %s is for hooks alone, and for something else", h.ID(), r.Event)
			}
			id := r.Event + "/" + r.Matcher
			if seen[id] {
				t.Errorf("%s: %s twice", h.ID(), id)
			}
			seen[id] = true
			// Speaking and having a channel are one thing.
			got := h.Encode(Event{Name: r.Canonical(), RawName: r.Event}, Reply{Context: "x"})
			if r.Speaks != (got != nil) {
				t.Errorf("%s %s: speaks %t, answer %q", h.ID(), r.Event, r.Speaks, got)
			}
			// The small program becomes the larger one where an event needs it.
			if r.Program != "pathrule-hook" {
				t.Errorf("%s %s runs %s", h.ID(), r.Event, r.Program)
			}
			second := 1
			if h.Shape().Millis {
				second = 1000
			}
			most := 10 * second
			if h.ID() == "codex" && r.Event == "SessionEnd" {
				most = 3
			}
			if h.Shape().Timeout != "" && (r.Timeout < second || r.Timeout > most) {
				t.Errorf("%s %s: time-out %d of a client that counts %d a second", h.ID(), r.Event, r.Timeout, second)
			}
			// A list of exact names, or one that its anchors make exact: the rest is an
			// unanchored regular expression.
			names := r.Matcher
			if inner, ok := strings.CutPrefix(names, "^("); ok && strings.HasSuffix(inner, ")$") {
				names = strings.TrimSuffix(inner, ")$")
			}
			if strings.Trim(names, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_|") != "" {
				t.Errorf("%s %s: matcher %q is no list of exact names", h.ID(), r.Event, r.Matcher)
			}
		}
	}
}

func TestMeasureCountsInTheHostsUnit(t *testing.T) {
	for s, want := range map[string][2]int{
		"":        {0, 0},
		"abc":     {3, 1},
		"abcde":   {5, 2},
		"日本語":     {3, 3},
		"😀":       {2, 1},
		"e\u0301": {2, 1},
	} {
		if got := [2]int{UTF16.Measure(s), Token4.Measure(s)}; got != want {
			t.Errorf("%q: UTF-16 units and tokens %v, want %v", s, got, want)
		}
	}
}

// Rows: A1, E35.
func TestConfigFilesByScopeAndVariable(t *testing.T) {
	plain := sysenv.Env{UserHome: "/home/dev", GOOS: "linux"}
	moved := env(map[string]string{"CLAUDE_CONFIG_DIR": "/cfg/claude", "CODEX_HOME": "/cfg/codex"})
	relative := env(map[string]string{"CLAUDE_CONFIG_DIR": "cfg", "CODEX_HOME": "cfg"})
	for _, c := range []struct {
		host  string
		scope Scope
		env   sysenv.Env
		hooks string
		mcp   string
	}{
		{"claude-code", Project, plain, "/r/.claude/settings.json", "/r/.mcp.json"},
		{"claude-code", User, plain, "/home/dev/.claude/settings.json", "/home/dev/.claude.json"},
		{"claude-code", User, moved, "/cfg/claude/settings.json", "/cfg/claude/.claude.json"},
		{"claude-code", User, relative, "/home/dev/.claude/settings.json", "/home/dev/.claude.json"},
		{"claude-code", User, sysenv.Env{}, "", ""},
		{"codex", Project, plain, "/r/.codex/hooks.json", "/r/.codex/config.toml"},
		{"codex", User, plain, "/home/dev/.codex/hooks.json", "/home/dev/.codex/config.toml"},
		{"codex", User, moved, "/cfg/codex/hooks.json", "/cfg/codex/config.toml"},
		{"windsurf", Project, plain, "/r/.windsurf/hooks.json", ""},
		{"windsurf", User, plain, "/home/dev/.codeium/windsurf/hooks.json", "/home/dev/.codeium/windsurf/mcp_config.json"},
	} {
		h, _ := ByName(c.host)
		f, ok := h.HookFile(c.scope, "/r", c.env)
		if filepath.ToSlash(f.Path) != c.hooks || ok != (c.hooks != "") {
			t.Errorf("%s %s hooks: %q, %t, want %q", c.host, c.scope, f.Path, ok, c.hooks)
		}
		f, ok = h.MCPFile(c.scope, "/r", c.env)
		if filepath.ToSlash(f.Path) != c.mcp || ok != (c.mcp != "") {
			t.Errorf("%s %s mcp: %q, %t, want %q", c.host, c.scope, f.Path, ok, c.mcp)
		}
		if format := map[bool]string{true: "toml", false: "json"}[strings.HasSuffix(f.Path, ".toml")]; ok && f.Format != format {
			t.Errorf("%s %s: format %q", c.host, f.Path, f.Format)
		}
	}
}

func TestDetectNamesWhatItSaw(t *testing.T) {
	home, bin := t.TempDir(), t.TempDir()
	e := sysenv.Env{UserHome: home, GOOS: "linux", Vars: func(n string) string {
		if n == "PATH" {
			return bin
		}
		return ""
	}}
	check := func(host, want string) {
		t.Helper()
		h, _ := ByName(host)
		got, ok := h.Detect(e)
		if got != want || ok != (want != "") {
			t.Errorf("%s: %q, %t, want %q", host, got, ok, want)
		}
	}
	check("claude-code", "")
	check("codex", "")
	if err := os.WriteFile(filepath.Join(bin, "codex"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	check("codex", "") // not a program
	os.Chmod(filepath.Join(bin, "codex"), 0o755)
	check("codex", "codex on PATH")
	os.MkdirAll(filepath.Join(home, ".claude"), 0o755)
	check("claude-code", "~/.claude exists")
	os.MkdirAll(filepath.Join(home, ".gemini", "config"), 0o755)
	os.MkdirAll(filepath.Join(home, ".gemini", "antigravity-cli"), 0o755)
	check("gemini-cli", "") // Antigravity's alone
	check("antigravity", "~/.gemini/antigravity-cli exists")
	os.WriteFile(filepath.Join(home, ".gemini", "settings.json"), nil, 0o644)
	check("gemini-cli", "~/.gemini exists")
	os.MkdirAll(filepath.Join(home, ".codeium", "windsurf"), 0o755)
	check("windsurf", "~/.codeium/windsurf exists")
}

func TestRegistrationsForRefusalsAloneAreLeftOutByDefault(t *testing.T) {
	got := Standing([]Registration{{Event: "a"}, {Event: "b", Guard: true}, {Event: "c", Speaks: true}})
	if len(got) != 2 || got[0].Event != "a" || got[1].Event != "c" {
		t.Errorf("got %v", got)
	}
}
