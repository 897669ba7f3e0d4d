package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

var claudeCode = client{
	id:      "claude-code",
	program: "@anthropic-ai/claude-code-*/claude",
	person: func(m *machine) {
		m.write(filepath.Join(m.home, ".claude.json"), "{\n  \"hasCompletedOnboarding\": true,\n  \"projects\": {}\n}\n")
	},
	args: func(m *machine, prompt string, more bool) []string {
		args := []string{"-p", prompt, "--output-format", "stream-json", "--verbose", "--model", "claude-sonnet-4-5",
			"--permission-mode", "acceptEdits", "--allowedTools", "Read,Edit,Bash,Agent,mcp__pathrule"}
		if more {
			args = append(args, "--continue")
		}
		return args
	},
	env: func(m *machine) []string {
		return []string{
			"ANTHROPIC_BASE_URL=" + m.model.srv.URL, "ANTHROPIC_API_KEY=e2e", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
			"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
		}
	},
	read: func(m *machine) step {
		return step{Tool: "Read", Args: map[string]any{"file_path": filepath.Join(m.root, invoice)}}
	},
	edit: func(m *machine) step {
		return step{Tool: "Edit", Args: map[string]any{"file_path": filepath.Join(m.root, invoice), "old_string": "l.price", "new_string": "l.cents"}}
	},
	swap: func(m *machine, from, to string) []step {
		file := filepath.Join(m.root, invoice)
		return []step{
			{Tool: "Edit", Args: map[string]any{"file_path": file, "old_string": from, "new_string": to}},
			{Tool: "Write", Args: map[string]any{"file_path": file, "content": strings.ReplaceAll(m.read(file), from, to)}},
		}
	},
	shell: func(m *machine, command string) step {
		return step{Tool: "Bash", Args: map[string]any{"command": command, "description": "Runs the check"}}
	},
	subagent: func(prompt string) []step {
		return []step{{Tool: "Agent", Args: map[string]any{"description": "look", "prompt": prompt, "subagent_type": "general-purpose"}}}
	},
	where: map[string]string{
		teamCanary:   "SessionStart hook additional context",
		memoryCanary: "UserPromptSubmit hook additional context",
		ruleCanary:   "PreToolUse:Read hook additional context",
		skillCanary:  "UserPromptSubmit hook additional context",
	},
}

// A committed hook is neither heard nor seen where pathrule is not installed.
func TestClaudeCodeWithoutPathruleHearsNothing(t *testing.T) {
	exe := claudeCode.find(t)
	m := claudeCode.wired(t, exe, "project")
	m.env = append(m.env, "PATH=/usr/local/bin:/usr/bin:/bin")
	m.model.play(claudeCode.read(m), step{Text: "fixed"})
	out, errs := claudeCode.run(m, exe, m.root, firstPrompt, false)
	for _, r := range m.turn(2, out, errs) {
		m.arrives("without pathrule", r, nil, []string{"hook additional context", "/bin/sh"})
	}
	if errs != "" {
		t.Errorf("the person sees: %s", errs)
	}
}

// Compaction takes prompt and tool texts out of the conversation: the session
// event that follows brings the protocol back, and the next prompt the bodies.
func TestClaudeCodeAfterCompaction(t *testing.T) {
	exe := claudeCode.find(t)
	m := claudeCode.wired(t, exe, "user")
	m.model.play(step{Text: "fixed"})
	out, errs := claudeCode.run(m, exe, m.root, firstPrompt, false)
	m.arrives("first request", m.turn(1, out, errs)[0], []string{memoryCanary}, nil)
	m.model.play(step{Text: "A summary that holds none of it."})
	claudeCode.run(m, exe, m.root, "/compact", true)
	m.model.play(step{Text: "still fixed"})
	out, errs = claudeCode.run(m, exe, m.root, secondPrompt, true)
	r := m.turn(1, out, errs)[0]
	m.arrives("after compaction", r, []string{memoryCanary}, []string{ruleCanary})
	if len(r.texts("UserPromptSubmit hook additional context")) == 0 {
		t.Errorf("the memory did not come with the prompt: %q", r.texts(memoryCanary))
	}
}
