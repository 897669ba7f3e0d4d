package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/host"
)

// problems are what inspect says, one line per entry.
func (w *world) problems() []string {
	w.t.Helper()
	list, err := Inspect(w.root, w.env)
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, in := range list {
		if in.Problem != "" {
			out = append(out, in.Host+" "+string(in.Scope)+" "+in.Surface+" "+in.Event+": "+in.Problem)
		}
	}
	return out
}

func TestASoundSetupHasNoProblem(t *testing.T) {
	for _, scope := range []host.Scope{host.User, host.Project} {
		w := newWorld(t)
		w.env = w.env.With("PATH", w.bin)
		w.setup(Options{Scope: scope, SessionEnd: true}, all...)
		if p := w.problems(); p != nil {
			t.Errorf("%s: %q", scope, p)
		}
		list, err := Inspect(w.root, w.env)
		if err != nil {
			t.Fatal(err)
		}
		events := map[string]int{}
		for _, in := range list {
			if in.Line == 0 || in.Command == "" || len(in.Argv) == 0 || in.Scope != scope {
				t.Errorf("incomplete: %+v", in)
			}
			events[in.Host+" "+in.Surface]++
		}
		want := map[string]int{"claude-code hooks": len(host.Standing(hosts(t, "claude-code")[0].Registrations())), "claude-code mcp": 1, "codex hooks": len(host.Standing(hosts(t, "codex")[0].Registrations())), "codex mcp": 1, "windsurf mcp": 1}
		if scope == host.Project {
			delete(want, "windsurf mcp")
		}
		if diff := cmp.Diff(want, events); diff != "" {
			t.Errorf("%s (-want +got):\n%s", scope, diff)
		}
	}
}

// Whatever can be wrong with a registration is told (T11, A22, F49, F66).
// Rows: A2, E33.
func TestWhatInspectFinds(t *testing.T) {
	edit := func(file, old, new string) func(*world) {
		return func(w *world) {
			text := w.read(file)
			if !strings.Contains(text, old) {
				w.t.Fatalf("%s does not hold %q:\n%s", file, old, text)
			}
			w.write(file, strings.Replace(text, old, new, 1))
		}
	}
	for name, tc := range map[string]struct {
		scope  host.Scope
		damage func(w *world)
		want   string
	}{
		"nothing":                   {"", func(*world) {}, ""},
		"the program is gone":       {"", func(w *world) { _ = os.Remove(w.hook) }, "claude-code user hooks PreToolUse: the program /BIN/pathrule-hook is missing or cannot be run"},
		"the program cannot be run": {"", func(w *world) { _ = os.Chmod(w.pathrule, 0o644) }, "codex user mcp : the program /BIN/pathrule is missing or cannot be run"},
		"another build is registered": {"", func(w *world) {
			w.write("old/pathrule", "#!/bin/sh\n")
			_ = os.Chmod(filepath.Join(w.home, "old", "pathrule"), 0o755)
			edit(".claude.json", filepath.Join(w.bin, "pathrule"), filepath.Join(w.home, "old", "pathrule"))(w)
		}, `claude-code user mcp : runs /HOME/old/pathrule, while this is /BIN/pathrule; "pathrule setup claude-code" brings it up to date`},
		"a wrong time-out":          {"", edit(".claude/settings.json", `"timeout": 10`, `"timeout": 10000`), "claude-code user hooks SessionStart: the time-out is 10000, not 10"},
		"no time-out":               {"", edit(".codex/hooks.json", ",\n            \"timeout\": 10", ""), "codex user hooks SessionStart: no time-out is set, so the client's own long one applies"},
		"another matcher":           {"", edit(".codex/hooks.json", "Bash|apply_patch", "Bash"), `codex user hooks PreToolUse: the matcher is "Bash`},
		"an event that is not ours": {"", edit(".codex/hooks.json", `"SubagentStart"`, `"Interrupt"`), "codex user hooks Interrupt: this version of pathrule does not use the event"},
		"a missing event":           {"", edit(".codex/hooks.json", `"SubagentStart"`, `"Interrupt"`), `codex user hooks SubagentStart: not registered; run "pathrule setup codex"`},
		"a second copy": {"", func(w *world) {
			one := `{"hooks": [{"type": "command", "command": "` + w.hook + `", "args": ["--host", "claude-code"], "timeout": 10}]}`
			edit(".claude/settings.json", `"PreCompact": [`, `"PreCompact": [`+one+",")(w)
		}, "claude-code user hooks PreCompact: a second copy of the one in line"},
		"an unknown client":       {"", edit(".claude/settings.json", `["--host", "claude-code"]`, `["--host", "cluade"]`), `claude-code user hooks SessionStart: unknown client "cluade" after --host`},
		"another client's answer": {"", edit(".codex/hooks.json", "--host codex", "--host claude"), "codex user hooks SessionStart: answers as Claude Code in a file of Codex"},
		"another home": {"", func(w *world) { w.env = w.env.With("PATHRULE_HOME", filepath.Join(w.home, "elsewhere")) },
			"codex user mcp : does not carry PATHRULE_HOME=/HOME/elsewhere"},
		"all hooks off in Claude Code": {"", func(w *world) { w.write("shop/.claude/settings.local.json", "{\n\"disableAllHooks\": true}") },
			"claude-code user hooks SessionStart: hooks are switched off: disableAllHooks is true in .claude/settings.local.json:2"},
		"all hooks off in Codex": {"", func(w *world) {
			w.write(".codex/config.toml", w.read(".codex/config.toml")+"\n[features]\nhooks = false\n")
		},
			"codex user hooks SessionStart: hooks are switched off: features.hooks is false in ~/.codex/config.toml:6"},
		"a comment that Codex cannot read": {"", edit(".codex/hooks.json", "{\n", "{ // mine\n"),
			"codex user hooks SessionStart: the file has a comment or a trailing comma (line 1): Codex does not load such a file at all"},
		"a byte order mark for Codex": {"", func(w *world) { w.write(".codex/hooks.json", "\ufeff"+w.read(".codex/hooks.json")) },
			"codex user hooks SessionStart: the file starts with a byte order mark"},
		"a server that is switched off": {"", func(w *world) { w.write(".codex/config.toml", w.read(".codex/config.toml")+"enabled = false\n") }, "codex user mcp : enabled = false"},
		"a file that does not parse":    {"", func(w *world) { w.write(".claude/settings.json", "{\n oops") }, "claude-code user hooks : is not valid JSON"},
		"entries that the client lost":  {"", func(w *world) { w.write(".claude/settings.json", "{}") }, `claude-code user hooks : was set up, but no entry of ours is left; run "pathrule setup claude-code"`},
		"a file that is gone":           {"", func(w *world) { _ = os.Remove(filepath.Join(w.home, ".codex", "hooks.json")) }, `codex user hooks : the file is gone; run "pathrule setup codex"`},
		"another product's server":      {"", func(w *world) { w.write(".claude.json", `{"mcpServers": {"pathrule": {"command": "npx"}}}`) }, `claude-code user mcp : mcpServers.pathrule runs "npx", not this program`},
		"not on PATH":                   {host.Project, func(w *world) { w.env = w.env.With("PATH", "/nowhere") }, "claude-code project hooks PreToolUse: pathrule-hook is not on PATH"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.env = w.env.With("PATH", w.bin)
			w.setup(Options{Scope: tc.scope}, all...)
			tc.damage(w)
			var got []string
			found := false
			for _, p := range w.problems() {
				p = strings.NewReplacer(w.bin, "/BIN", w.home, "/HOME").Replace(p)
				got = append(got, p)
				found = found || tc.want != "" && strings.HasPrefix(p, tc.want)
			}
			if !found && tc.want != "" || tc.want == "" && got != nil {
				t.Errorf("no problem starts with %q in:\n%s", tc.want, strings.Join(got, "\n"))
			}
		})
	}
}

func TestNotesAreNoProblems(t *testing.T) {
	w := newWorld(t)
	w.env = w.env.With("PATH", w.bin)
	w.setup(Options{}, "claude-code")
	w.setup(Options{Scope: host.Project, Force: true}, "claude-code")
	if err := os.Mkdir(filepath.Join(w.root, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.env.Cwd = filepath.Join(w.root, "sub")
	if p := w.problems(); p != nil {
		t.Errorf("problems: %q", p)
	}
	list, _ := Inspect(w.root, w.env)
	notes := 0
	for _, in := range list {
		if in.Scope != host.Project || in.Surface != Hooks {
			continue
		}
		for _, want := range []string{"also registered in ~/.claude/settings.json", "started in this subfolder does not load it; start it in ~/shop"} {
			if !strings.Contains(in.Note, want) {
				t.Errorf("%s: note %q does not say %q", in.Event, in.Note, want)
			}
		}
		notes++
	}
	if notes == 0 {
		t.Error("no project hook was found")
	}
}

// Each registration has a time-out in the client's unit, and speaks only
// where the client hands its output to the model (A16, F10, F11, T10).
func TestEveryRegistrationHasATimeoutAndAChannel(t *testing.T) {
	for _, h := range host.All() {
		seen := map[string]bool{}
		for _, r := range h.Registrations() {
			second := 1
			if h.Shape().Millis {
				second = 1000
			}
			if h.Shape().Timeout != "" && (r.Timeout < second || r.Timeout > 10*second) {
				t.Errorf("%s %s: time-out %d of a client that counts %d a second", h.ID(), r.Event, r.Timeout, second)
			}
			if key := r.Event + "|" + r.Matcher; seen[key] {
				t.Errorf("%s registers %s twice", h.ID(), key)
			} else {
				seen[key] = true
			}
			speaks := h.Encode(host.Event{Host: h.ID(), Name: r.Canonical(), RawName: r.Event}, host.Reply{Context: "x"}) != nil
			if speaks != r.Speaks {
				t.Errorf("%s %s: table says speaks %v, its envelope %v", h.ID(), r.Event, r.Speaks, speaks)
			}
		}
	}
}
