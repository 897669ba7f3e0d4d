package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

const claudeProgram = "claude/node_modules/@anthropic-ai/claude-code-*/claude"

// claude runs Claude Code with one prompt in dir.
func (m *machine) claude(exe, dir, prompt string, args ...string) (stdout, stderr string) {
	m.t.Helper()
	env := []string{
		"ANTHROPIC_BASE_URL=" + m.model.srv.URL, "ANTHROPIC_API_KEY=e2e", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
	}
	argv := append([]string{exe, "-p", prompt, "--output-format", "stream-json", "--verbose", "--model", "claude-sonnet-4-5",
		"--permission-mode", "acceptEdits", "--allowedTools", "Read,Edit,Bash,mcp__pathrule"}, args...)
	code, stdout, stderr := m.exec(dir, env, argv...)
	if code != 0 {
		m.t.Fatalf("claude: exit %d\n%s\n%s", code, clip(stdout), clip(stderr))
	}
	return stdout, stderr
}

func TestClaudeCodeGetsTheRightSliceAtTheRightMoment(t *testing.T) {
	exe := client(t, claudeProgram)
	for _, scope := range []string{"user", "project"} {
		t.Run(scope, func(t *testing.T) {
			m := newMachine(t)
			state := filepath.Join(m.home, ".claude.json")
			m.write(state, "{\n  \"hasCompletedOnboarding\": true,\n  \"projects\": {}\n}\n")
			m.knowledge()
			m.pathrule("setup", "claude-code", "--scope", scope, "--yes")

			m.model.play(
				step{Tool: "Read", Args: map[string]any{"file_path": filepath.Join(m.root, invoice)}},
				step{Tool: "Edit", Args: map[string]any{"file_path": filepath.Join(m.root, invoice), "old_string": "l.price", "new_string": "l.cents"}},
				step{Tool: "mcp__pathrule__get_context", Args: map[string]any{"prompt": "how are sessions kept in the web app", "paths": []any{"apps/web"}}},
				step{Text: "fixed"},
			)
			out, errs := m.claude(exe, m.root, firstPrompt)
			req := m.turn(4, out, errs)
			m.arrives("first request", req[0], []string{teamCanary, memoryCanary}, []string{ruleCanary})
			for canary, event := range map[string]string{teamCanary: "SessionStart hook additional context", memoryCanary: "UserPromptSubmit hook additional context"} {
				for _, text := range req[0].texts(canary) {
					if !strings.Contains(text, event) {
						t.Errorf("%s came as %q, not as %s", canary, text, event)
					}
				}
			}
			m.arrives("after the read", req[1], []string{teamCanary, memoryCanary, ruleCanary}, nil)
			for _, text := range req[1].texts(ruleCanary) {
				if !strings.Contains(text, "PreToolUse:Read hook additional context") {
					t.Errorf("the rule came as %q", text)
				}
			}
			m.arrives("after the edit", req[2], []string{teamCanary, memoryCanary, ruleCanary}, nil)
			if !strings.Contains(m.read(filepath.Join(m.root, invoice)), "l.cents") {
				t.Error("the edit did not happen")
			}
			if got := lastResult(t, req[3]); !strings.Contains(got, mcpCanary) || strings.Contains(got, `"is_error":true`) {
				t.Errorf("the MCP call answered: %s", got)
			}

			// Nothing is new in the second turn of the session.
			m.model.play(step{Tool: "Read", Args: map[string]any{"file_path": filepath.Join(m.root, invoice)}}, step{Text: "still fixed"})
			out, errs = m.claude(exe, m.root, secondPrompt, "--continue")
			for i, r := range m.turn(2, out, errs) {
				for _, c := range []string{teamCanary, memoryCanary, ruleCanary} {
					if n := r.count(c); n > req[3].count(c) {
						t.Errorf("quiet turn, request %d: %s stands %d times, it was %d", i, c, n, req[3].count(c))
					}
				}
			}

			m.pathrule("unsetup", "claude-code", "--scope", scope, "--yes")
			m.model.play(step{Text: "nothing"})
			out, errs = m.claude(exe, m.root, firstPrompt)
			m.arrives("after unsetup", m.turn(1, out, errs)[0], nil, []string{teamCanary, memoryCanary, ruleCanary, "mcp__pathrule"})
		})
	}
}

// lastResult is the JSON of the newest tool result in a request.
func lastResult(t *testing.T, r request) string {
	t.Helper()
	body, _ := r.body.(map[string]any)
	msgs, _ := body["messages"].([]any)
	last := ""
	for _, m := range msgs {
		parts, _ := m.(map[string]any)["content"].([]any)
		for _, p := range parts {
			if o, _ := p.(map[string]any); o["type"] == "tool_result" {
				b, err := json.Marshal(o)
				if err != nil {
					t.Fatal(err)
				}
				last = string(b)
			}
		}
	}
	return last
}

// In user scope the hooks fire wherever in the project a session starts.
func TestClaudeCodeStartedInASubfolder(t *testing.T) {
	exe := client(t, claudeProgram)
	m := newMachine(t)
	m.write(filepath.Join(m.home, ".claude.json"), "{\"hasCompletedOnboarding\": true}")
	m.knowledge()
	m.pathrule("setup", "claude-code", "--yes")
	m.model.play(step{Text: "fixed"})
	out, errs := m.claude(exe, filepath.Join(m.root, "services", "billing", "src"), firstPrompt)
	m.arrives("first request", m.turn(1, out, errs)[0], []string{teamCanary, memoryCanary}, []string{ruleCanary})
}

// A committed hook is neither heard nor seen where pathrule is not installed.
func TestClaudeCodeWithoutPathruleHearsNothing(t *testing.T) {
	exe := client(t, claudeProgram)
	m := newMachine(t)
	m.write(filepath.Join(m.home, ".claude.json"), "{\"hasCompletedOnboarding\": true}")
	m.knowledge()
	m.pathrule("setup", "claude-code", "--scope", "project", "--yes")
	for i, kv := range m.env {
		if strings.HasPrefix(kv, "PATH=") {
			m.env[i] = "PATH=/usr/local/bin:/usr/bin:/bin"
		}
	}
	m.model.play(step{Tool: "Read", Args: map[string]any{"file_path": filepath.Join(m.root, invoice)}}, step{Text: "fixed"})
	out, errs := m.claude(exe, m.root, firstPrompt)
	for _, r := range m.turn(2, out, errs) {
		m.arrives("without pathrule", r, nil, []string{teamCanary, memoryCanary, ruleCanary, "hook additional context", "/bin/sh"})
	}
	if errs != "" {
		t.Errorf("the person sees: %s", errs)
	}
}

// A subagent starts with what its parent was given, best first.
func TestClaudeCodeSubagentStartsWithItsParentsKnowledge(t *testing.T) {
	exe := client(t, claudeProgram)
	m := newMachine(t)
	m.write(filepath.Join(m.home, ".claude.json"), "{\"hasCompletedOnboarding\": true}")
	m.knowledge()
	m.pathrule("setup", "claude-code", "--yes")
	m.model.play(
		step{Tool: "Read", Args: map[string]any{"file_path": filepath.Join(m.root, invoice)}},
		step{Tool: "Agent", Args: map[string]any{"description": "look", "prompt": "Look at the total.", "subagent_type": "general-purpose"}},
	)
	out, errs := m.claude(exe, m.root, firstPrompt, "--allowedTools", "Agent")
	// The client decides whether the subagent runs beside its parent, and then
	// sends a notification as if it were a prompt; so requests are not counted.
	subagents := 0
	for i, r := range m.model.requests() {
		if i < 2 {
			continue
		}
		if len(r.texts("SubagentStart hook additional context")) > 0 {
			subagents++
		}
		m.arrives("from the subagent on", r, []string{memoryCanary, ruleCanary}, nil)
	}
	if subagents == 0 {
		t.Errorf("no subagent was given anything\nstdout: %s\nstderr: %s", clip(out), clip(errs))
	}
}

// Compaction takes prompt and tool texts out of the conversation: the session
// event that follows brings the protocol back, and the next prompt the bodies.
func TestClaudeCodeAfterCompaction(t *testing.T) {
	exe := client(t, claudeProgram)
	m := newMachine(t)
	m.write(filepath.Join(m.home, ".claude.json"), "{\"hasCompletedOnboarding\": true}")
	m.knowledge()
	m.pathrule("setup", "claude-code", "--yes")
	m.model.play(step{Text: "fixed"})
	out, errs := m.claude(exe, m.root, firstPrompt)
	m.arrives("first request", m.turn(1, out, errs)[0], []string{memoryCanary}, nil)
	m.model.play(step{Text: "A summary that holds none of it."})
	m.claude(exe, m.root, "/compact", "--continue")
	m.model.play(step{Text: "still fixed"})
	out, errs = m.claude(exe, m.root, secondPrompt, "--continue")
	r := m.turn(1, out, errs)[0]
	m.arrives("after compaction", r, []string{memoryCanary}, []string{ruleCanary})
	if len(r.texts("UserPromptSubmit hook additional context")) == 0 {
		t.Errorf("the memory did not come with the prompt: %q", r.texts(memoryCanary))
	}
}
