package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pathrule/host"
)

// Each client's own variable moves its files, for setup as for unsetup, and
// nothing is written in the usual place (P140).
func TestEveryClientsOwnVariableMovesItsFiles(t *testing.T) {
	for _, tc := range []struct {
		host, name, dir string
		files           []string // below the folder that the variable names
	}{
		{"claude-code", "CLAUDE_CONFIG_DIR", "cfg", []string{"settings.json", ".claude.json"}},
		{"codex", "CODEX_HOME", "cfg", []string{"hooks.json", "config.toml"}},
		{"copilot", "COPILOT_HOME", "cfg", []string{"hooks/pathrule.json", "mcp-config.json"}},
		{"gemini-cli", "GEMINI_CLI_HOME", "cfg", []string{".gemini/settings.json"}},
		{"antigravity", "GEMINI_CLI_HOME", "", nil},
		{"qwen-code", "QWEN_HOME", "cfg", []string{"settings.json"}},
		{"opencode", "XDG_CONFIG_HOME", "cfg", []string{"opencode/plugins/pathrule.js", "opencode/opencode.json"}},
		{"opencode", "OPENCODE_CONFIG_DIR", "cfg", []string{"plugins/pathrule.js"}},
		{"codebuddy", "CODEBUDDY_CONFIG_DIR", "cfg", []string{"settings.json", ".mcp.json"}},
		{"devin-local", "XDG_CONFIG_HOME", "cfg", []string{"devin/config.json"}},
		{"cline", "CLINE_MCP_SETTINGS_PATH", "cfg/servers.json", []string{""}},
	} {
		t.Run(tc.host+" "+tc.name, func(t *testing.T) {
			w := newWorld(t)
			dir := filepath.Join(w.home, tc.dir)
			w.env = w.env.With(tc.name, dir)
			before := w.state()
			p := w.setup(Options{}, tc.host)
			for _, f := range tc.files {
				if path := filepath.Join(dir, filepath.FromSlash(f)); w.read(path) == "(none)" {
					t.Errorf("%s was not written: %v", path, paths(p))
				}
			}
			if len(tc.files) > 1 || tc.host == "gemini-cli" {
				for _, e := range p.Edits {
					if !strings.HasPrefix(e.Path, dir) {
						t.Errorf("%s was written all the same", e.Path)
					}
				}
			}
			// A relative value counts for nobody: hook and setup run in different folders.
			w.unsetup(Options{}, tc.host)
			if got := w.state(); len(got) != len(before) {
				t.Errorf("left over: %v", got)
			}
			w.env = w.env.With(tc.name, "cfg")
			for _, e := range w.plan(Options{}, tc.host).Edits {
				if !filepath.IsAbs(e.Path) || strings.HasPrefix(e.Path, filepath.Join(w.root, "cfg")) {
					t.Errorf("a relative value leads to %s", e.Path)
				}
			}
		})
	}
}

func paths(p Plan) []string {
	var out []string
	for _, e := range p.Edits {
		out = append(out, e.Path)
	}
	return out
}

// A client is found by its program or its folder, wherever its variable puts
// that, and what was seen is told (P141).
func TestEveryClientIsFoundByItsFolder(t *testing.T) {
	for _, h := range host.All() {
		w := newWorld(t)
		w.env = w.env.With("PATH", "/nowhere")
		if how, ok := h.Detect(w.env); ok {
			t.Errorf("%s is found in an empty home: %s", h.ID(), how)
		}
		// Its user files' folders are its own.
		w.setup(Options{}, h.ID())
		how, ok := h.Detect(w.env)
		if h.ID() == "antigravity" {
			// Its folder lies in Gemini CLI's and is there without it.
			continue
		}
		if !ok || how == "" {
			t.Errorf("%s is not found although %v stand there", h.ID(), w.state())
		}
		if strings.Contains(how, w.home) {
			t.Errorf("%s: %q spells the home out", h.ID(), how)
		}
		_ = os.RemoveAll(w.home)
	}
}

// A client that drops a whole hook file because of one word in it is told with
// the line, at setup and afterwards.
// Rows: F65.
func TestAFileThatAClientDropsWholeIsNamed(t *testing.T) {
	for name, tc := range map[string]struct{ host, scope, file, text, want string }{
		"an unknown event":   {"cursor", "user", ".cursor/hooks.json", "{\n\"version\": 1,\n\"hooks\": {\n\"beforeTea\": []}}", `has the event "beforeTea" (line 4), which Cursor does not know`},
		"an odd version":     {"cursor", "user", ".cursor/hooks.json", "{\n\"version\": \"1\"}", "has a version other than 1 (line 2)"},
		"a comment in Codex": {"codex", "user", ".codex/hooks.json", "{ // x\n}", "has a comment or a trailing comma (line 1)"},
		"an unknown event in a bare map": {"devin-local", "project", "shop/.devin/hooks.v1.json", "{\n\"SubagentStop\": []}",
			`has the event "SubagentStop" (line 2), which Devin`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.env = w.env.With("PATH", w.bin)
			w.write(tc.file, tc.text)
			p := w.setup(Options{Scope: host.Scope(tc.scope)}, tc.host)
			if next := strings.Join(p.Next, "\n"); !strings.Contains(next, tc.want) {
				t.Errorf("setup says %q", next)
			}
			if got := strings.Join(w.problems(), "\n"); !strings.Contains(got, tc.want) {
				t.Errorf("doctor says %q", got)
			}
		})
	}
	// Nothing of that holds for a file which is all right.
	everywhere(t, func(t *testing.T, h host.Host, scope host.Scope) {
		w := newWorld(t)
		p := w.setup(Options{Scope: scope}, h.ID())
		for _, line := range p.Next {
			if strings.Contains(line, "does not load such a file") {
				t.Error(line)
			}
		}
	})
}
