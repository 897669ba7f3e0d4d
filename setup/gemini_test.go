package setup

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/host"
	"pathrule/setup/jsonedit"
)

// The exact handler of a client's first event, by scope and system: E27 and E34
// (the time-out in the client's unit), A3 of Gemini CLI (a line that cannot end in
// a refusal), the shells of Windows.
// Rows: A17, A20.
func TestHandlersOfClientsWithAShellLine(t *testing.T) {
	posix := programs{pathrule: "/opt/path rule/pathrule", hook: "/opt/path rule/pathrule-hook"}
	windows := programs{pathrule: "C:/Program Files/pathrule.exe", hook: "C:/Program Files/pathrule-hook.exe"}
	bare := programs{pathrule: "pathrule", hook: "pathrule-hook"}
	for name, c := range map[string]struct {
		id    string
		scope host.Scope
		goos  string
		progs programs
		want  map[string]any
	}{
		"Gemini CLI, user": {"gemini-cli", host.User, "linux", posix, map[string]any{
			"type": "command", "command": `"/opt/path rule/pathrule-hook" --host gemini-cli; exit 0`, "timeout": 10000, "name": "pathrule"}},
		"Gemini CLI, project": {"gemini-cli", host.Project, "linux", bare, map[string]any{
			"type": "command", "command": `pathrule-hook --host gemini-cli 2>/dev/null || true`, "timeout": 10000, "name": "pathrule"}},
		"Gemini CLI, user on Windows: PowerShell": {"gemini-cli", host.User, "windows", windows, map[string]any{
			"type": "command", "command": `& "C:/Program Files/pathrule-hook.exe" --host gemini-cli; exit 0`, "timeout": 10000, "name": "pathrule"}},
		"Qwen Code, user": {"qwen-code", host.User, "linux", posix, map[string]any{
			"type": "command", "command": `"/opt/path rule/pathrule-hook" --host qwen-code`, "timeout": 10000, "name": "pathrule"}},
		"Qwen Code, user on Windows: PowerShell asked for": {"qwen-code", host.User, "windows", windows, map[string]any{
			"type": "command", "command": `& "C:/Program Files/pathrule-hook.exe" --host qwen-code`, "timeout": 10000, "name": "pathrule", "shell": "powershell"}},
		"Qwen Code, project on Windows: a committed file names no shell": {"qwen-code", host.Project, "windows", bare, map[string]any{
			"type": "command", "command": `pathrule-hook --host qwen-code 2>/dev/null || true`, "timeout": 10000, "name": "pathrule"}},
		"CodeBuddy, user on Windows: Git Bash": {"codebuddy", host.User, "windows", windows, map[string]any{
			"type": "command", "command": `"C:/Program Files/pathrule-hook.exe" --host codebuddy`, "timeout": 10}},
		"Devin, project": {"devin-local", host.Project, "linux", bare, map[string]any{
			"type": "command", "command": `pathrule-hook --host devin-local 2>/dev/null; exit 0`, "timeout": 10}},
		"Cursor, user on Windows: PowerShell's call operator": {"cursor", host.User, "windows", windows, map[string]any{
			"command": `& "C:/Program Files/pathrule-hook.exe" --host cursor`, "timeout": 10}},
		"Copilot, user: a line for each shell": {"copilot", host.User, "windows", windows, map[string]any{
			"type": "command", "bash": `"C:/Program Files/pathrule-hook.exe" --host copilot --event sessionStart`,
			"powershell": `& "C:\Program Files\pathrule-hook.exe" --host copilot --event sessionStart`, "timeoutSec": 10}},
		"Antigravity, user": {"antigravity", host.User, "linux", posix, map[string]any{
			"type": "command", "command": `"/opt/path rule/pathrule-hook" --host antigravity --event PreInvocation; exit 0`, "timeout": 10}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			env := w.env
			env.GOOS = c.goos
			h, ok := host.ByName(c.id)
			if !ok {
				t.Fatal("no such client")
			}
			o, err := handler(h, h.Registrations()[0], c.scope, c.progs, env)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]any{}
			for _, m := range o {
				got[m.Key] = m.Val
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
			// Whatever stands behind it, the line is ours to take out again.
			argv, _, ok := words(o, h.Shape())
			if !ok || !oursHook(argv) {
				t.Errorf("%v is not recognised as ours", got["command"])
			}
		})
	}
}

// A18 and Antigravity's bundles: the same client may hold its map of events in
// different places.
func TestWhereTheMapOfEventsStands(t *testing.T) {
	for name, c := range map[string]struct {
		id    string
		scope host.Scope
		file  string
		path  []any
	}{
		"Devin, project: the file is the map":  {"devin-local", host.Project, ".devin/hooks.v1.json", []any{"SessionStart", 0, "hooks", 0, "command"}},
		"Devin, user: a member of its config":  {"devin-local", host.User, ".config/devin/config.json", []any{"hooks", "SessionStart", 0, "hooks", 0, "command"}},
		"Antigravity: a named bundle, flat":    {"antigravity", host.User, ".gemini/config/hooks.json", []any{"pathrule", "PreInvocation", 0, "command"}},
		"Antigravity, project":                 {"antigravity", host.Project, ".agents/hooks.json", []any{"pathrule", "PreInvocation", 0, "command"}},
		"Gemini CLI: grouped below hooks":      {"gemini-cli", host.User, ".gemini/settings.json", []any{"hooks", "BeforeAgent", 0, "hooks", 0, "command"}},
		"Gemini CLI: the server in one file":   {"gemini-cli", host.User, ".gemini/settings.json", []any{"mcpServers", "pathrule", "command"}},
		"CodeBuddy: the server in its own":     {"codebuddy", host.User, ".codebuddy/.mcp.json", []any{"mcpServers", "pathrule", "command"}},
		"Qwen Code: tools that failed as well": {"qwen-code", host.User, ".qwen/settings.json", []any{"hooks", "PostToolUseFailure", 0, "hooks", 0, "command"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.setup(Options{Scope: c.scope}, c.id)
			dir := w.home
			if c.scope == host.Project {
				dir = w.root
			}
			text := w.read(filepath.Join(dir, filepath.FromSlash(c.file)))
			d, err := jsonedit.Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			n, ok := d.At(c.path...)
			if s, _ := n.Value().(string); !ok || !strings.Contains(s, "pathrule") {
				t.Errorf("%v is %q in\n%s", c.path, s, text)
			}
		})
	}
}

// F30: a client's switch that silences all hooks, or ours by name, is told with
// its place.
func TestHooksThatAreSwitchedOffByName(t *testing.T) {
	for name, c := range map[string]struct{ id, file, text, want string }{
		"Gemini CLI, all":     {"gemini-cli", ".gemini/settings.json", "{\n  \"hooksConfig\": {\"enabled\": false}\n}\n", "hooksConfig.enabled is false in ~/.gemini/settings.json:2"},
		"Gemini CLI, ours":    {"gemini-cli", ".gemini/settings.json", "{\n  \"hooksConfig\": {\n    \"disabled\": [\"x\", \"pathrule\"]\n  }\n}\n", `hooksConfig.disabled names "pathrule" in ~/.gemini/settings.json:3`},
		"Gemini CLI, another": {"gemini-cli", ".gemini/settings.json", "{\"hooksConfig\": {\"enabled\": true, \"disabled\": [\"pathrule-old\"]}}\n", ""},
		"Qwen Code, all":      {"qwen-code", ".qwen/settings.json", "{\n\"disableAllHooks\": true}\n", "disableAllHooks is true in ~/.qwen/settings.json:2"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(filepath.Join(w.home, filepath.FromSlash(c.file)), c.text)
			h, _ := host.ByName(c.id)
			i := inspector{h: h, scope: host.User, root: w.root, env: w.env}
			got := i.switchedOff()
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
