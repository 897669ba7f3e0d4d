package hookrunner_test

import (
	"fmt"
	"strings"
	"testing"

	"pathrule/host"
)

// failing is a shop whose notes know why its tests fail.
func failing(t *testing.T) *world {
	w := newWorld(t, shop, map[string]string{
		".pathrule/memories/db-port.md":  "---\ntitle: Tests need the database on port 5433\n---\n`npm test` fails with ECONNREFUSED 5433 until `make db-up` has started the database.\n",
		".pathrule/memories/seed.md":     "---\ntitle: ECONNREFUSED in npm test after a reboot\n---\nAfter a reboot the container of the database on port 5433 is gone: `make db-up` again before `npm test`.\n",
		".pathrule/memories/snapshot.md": "---\ntitle: npm test and ECONNREFUSED 5433 on laptops\n---\nOn laptops `npm test` sees ECONNREFUSED on 5433 when the VPN takes the port of the database.\n",
	})
	w.live = true
	return w
}

// fails is a shell call that ends badly.
func (w *world) fails(command, text string, more ...any) string {
	w.t.Helper()
	w.seq++
	return w.ask("PostToolUseFailure", append([]any{"tool_name", "Bash", "tool_input", map[string]any{"command": command}, "tool_use_id", fmt.Sprintf("f%d", w.seq), "error", text}, more...)...)
}

const refused = "Exit code 1\n  1) cart\n     Error: connect ECONNREFUSED 127.0.0.1:5433\n"

// P64: after a command fails again, at most two of the team's lessons; nothing
// after the first failure, and nothing twice.
func TestACommandThatFailsAgainBringsLessons(t *testing.T) {
	w := failing(t)
	w.start("startup")
	hasNot(t, w.fails("npm test", refused), "5433 until")
	got := w.fails("cd web && FORCE_COLOR=0 npm test -- --bail | tail -5", refused)
	has(t, got, "This command failed before in this session.")
	if n := strings.Count(got, "[memory:"); n < 1 || n > 2 {
		t.Errorf("%d lessons: %s", n, got)
	}
	again := w.fails("npm test", refused)
	for _, id := range []string{"db-port", "seed", "snapshot"} {
		if strings.Contains(got, "memory:"+id) && strings.Contains(again, "memory:"+id) {
			t.Errorf("%s is told twice: %s", id, again)
		}
	}
	for range 3 {
		w.fails("npm test", refused)
	}
	if got := w.fails("npm test", refused); got != "" {
		t.Errorf("it goes on: %s", got)
	}
}

func TestWhatIsNoRepeatedFailureBringsNothing(t *testing.T) {
	for name, test := range map[string]func(w *world) string{
		"another command": func(w *world) string {
			w.fails("npm run build", refused)
			return w.fails("npm test", refused)
		},
		"the same call heard of twice": func(w *world) string {
			w.fails("npm test", refused, "tool_use_id", "same")
			return w.fails("npm test", refused, "tool_use_id", "same")
		},
		"another session": func(w *world) string {
			w.fails("npm test", refused)
			return w.fails("npm test", refused, "session_id", "other")
		},
		"a success between them": func(w *world) string {
			w.fails("npm test", refused)
			w.ask("PostToolUse", "tool_name", "Bash", "tool_input", map[string]any{"command": "npm test"}, "tool_use_id", "good", "tool_response", map[string]any{"stdout": "ok", "stderr": "", "interrupted": false})
			return w.fails("npm test", refused)
		},
		"a search that finds nothing": func(w *world) string {
			w.fails("grep -r ECONNREFUSED 5433 npm test database", refused)
			return w.fails("grep -r ECONNREFUSED 5433 npm test database", refused)
		},
		"stopped by the person": func(w *world) string {
			w.fails("npm test", refused, "is_interrupt", true)
			return w.fails("npm test", refused, "is_interrupt", true)
		},
		"nobody knows anything of it": func(w *world) string {
			w.fails("cargo publish", "error: no token found")
			return w.fails("cargo publish", "error: no token found")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := failing(t)
			w.start("startup")
			if got := test(w); strings.Contains(got, "failed before") {
				t.Errorf("told %s", got)
			}
		})
	}
}

// P64: the client that fires an event of its own for a failure has it registered,
// so that the detector hears of it; a command that ends well costs no process.
func TestFailuresAreHeardOf(t *testing.T) {
	h, _ := host.ByName("claude-code")
	failure, after := false, false
	for _, r := range host.Standing(h.Registrations()) {
		failure = failure || r.Canonical() == host.PostToolUseFailure && strings.Contains(r.Matcher, "Bash") && r.Speaks
		after = after || r.Canonical() == host.PostToolUse
	}
	if !failure || after {
		t.Errorf("failure %v, every tool %v", failure, after)
	}
}

// P64: on clients that fire one event after every tool the exit code in its result
// is read; one that tells none brings nothing.
func TestLessonsOnOtherClients(t *testing.T) {
	type m = map[string]any
	for id, test := range map[string]struct {
		event string
		pairs []any
		want  bool
	}{
		"qwen-code": {"PostToolUseFailure", []any{"tool_name", "run_shell_command", "tool_input", m{"command": "npm test"}, "error", refused}, true},
		"codebuddy": {"PostToolUse", []any{"tool_name", "Bash", "tool_input", m{"command": "npm test"}, "tool_response", m{"exitCode": 1, "stdout": refused}}, true},
		"codex":     {"PostToolUse", []any{"tool_name", "Bash", "tool_input", m{"command": "npm test"}, "tool_response", refused}, false},
	} {
		t.Run(id, func(t *testing.T) {
			w := failing(t)
			w.host = id
			w.start("startup")
			var got string
			for i := range 2 {
				got, _ = w.raw(w.event(test.event, append([]any{"tool_use_id", fmt.Sprint("x", i)}, test.pairs...)...))
			}
			if strings.Contains(got, "failed before") != test.want {
				t.Errorf("got %q", got)
			}
		})
	}
}
