package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var codexCLI = client{
	id:      "codex",
	program: "@openai/codex-*/vendor/*/bin/codex",
	person:  (*machine).codexConfig,
	trust:   (*machine).trustCodex,
	args: func(m *machine, prompt string, more bool) []string {
		args := []string{"exec", "--json", "--skip-git-repo-check"}
		if more {
			args = append(args, "resume", "--last")
		}
		return append(args, prompt)
	},
	env: func(m *machine) []string { return []string{"E2E_KEY=e2e"} },
	read: func(m *machine) step {
		return step{Tool: "exec_command", Args: map[string]any{"cmd": "cat " + filepath.Join(m.root, invoice)}}
	},
	edit: func(m *machine) step {
		return step{Tool: "apply_patch", Text: "*** Begin Patch\n*** Update File: " + invoice + "\n@@\n-  return lines.reduce((n, l) => n + l.price, 0);\n+  return lines.reduce((n, l) => n + l.cents, 0);\n*** End Patch\n"}
	},
	swap: func(m *machine, from, to string) []step {
		patch := "*** Begin Patch\n*** Update File: " + invoice + "\n@@\n-" + from + "\n+" + to + "\n*** End Patch\n"
		return []step{
			{Tool: "apply_patch", Text: patch},
			// Typed into the shell, Codex takes it for the tool all the same.
			{Tool: "exec_command", Args: map[string]any{"cmd": "apply_patch <<'EOF'\n" + patch + "EOF\n"}},
		}
	},
	shell: func(m *machine, command string) step {
		return step{Tool: "exec_command", Args: map[string]any{"cmd": command}}
	},
	grouped: true,
	where:   map[string]string{teamCanary: ".input[", memoryCanary: ".input[", ruleCanary: ".input[", skillCanary: ".input["},
}

// untrusted is what doctor says of hooks that Codex skips.
const untrusted = "does not trust these hooks yet"

// codexConfig is a person's config.toml with comments, which setup and Codex
// itself both write into.
func (m *machine) codexConfig() {
	m.write(filepath.Join(m.home, ".codex", "config.toml"), fmt.Sprintf(`# mine
model = "gpt-5.5" # the plain tools
model_provider = "e2e"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.e2e]
name = "e2e"
base_url = "%s/v1"
env_key = "E2E_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[projects."%s"]
trust_level = "trusted"
`, m.model.srv.URL, m.root))
}

// trustCodex does what a person does with /hooks: it records the hash that Codex
// reports for each hook of the file.
func (m *machine) trustCodex(exe string) {
	m.t.Helper()
	cmd := exec.Command(exe, "app-server")
	cmd.Dir, cmd.Env = m.root, m.env
	in, err := cmd.StdinPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	stop := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
	defer stop.Stop()
	fmt.Fprintf(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"e2e","version":"1"}}}
{"jsonrpc":"2.0","method":"initialized"}
{"jsonrpc":"2.0","id":2,"method":"hooks/list","params":{"cwds":[%q]}}
`, m.root)
	sc := bufio.NewScanner(out)
	sc.Buffer(nil, 8<<20)
	var b strings.Builder
	for sc.Scan() {
		var v struct {
			ID     int `json:"id"`
			Result struct {
				Data []struct {
					Hooks []struct{ Key, CurrentHash string }
				}
			} `json:"result"`
		}
		if json.Unmarshal(sc.Bytes(), &v) != nil || v.ID != 2 {
			continue
		}
		for _, d := range v.Result.Data {
			for _, h := range d.Hooks {
				fmt.Fprintf(&b, "\n[hooks.state.%q]\ntrusted_hash = %q\n", h.Key, h.CurrentHash)
			}
		}
		break
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if b.Len() == 0 {
		m.t.Fatal("codex app-server lists no hook")
	}
	config := filepath.Join(m.home, ".codex", "config.toml")
	m.write(config, trusted.ReplaceAllString(m.read(config), "")+b.String())
}

// trusted is what trustCodex wrote before.
var trusted = regexp.MustCompile(`\n\[hooks\.state\..*\]\ntrusted_hash = .*\n`)

// Untrusted, nothing arrives, and doctor says why.
func TestCodexSaysThatItsHooksAreUntrusted(t *testing.T) {
	exe := codexCLI.find(t)
	for _, scope := range []string{"user", "project"} {
		t.Run(scope, func(t *testing.T) {
			m := newMachine(t)
			m.env = append(m.env, "PATH="+pathOf(m.env)+":"+filepath.Dir(exe)) // doctor asks it
			m.codexConfig()
			m.knowledge()
			said := m.pathrule("setup", "codex", "--scope", scope, "--yes")
			if !strings.Contains(said, "/hooks") {
				t.Errorf("setup does not say how to trust the hooks:\n%s", said)
			}
			m.model.play(codexCLI.read(m), step{Text: "read"})
			out, errs := codexCLI.run(m, exe, m.root, firstPrompt, false)
			for _, r := range m.turn(2, out, errs) {
				m.arrives("untrusted", r, nil, []string{teamCanary, memoryCanary, ruleCanary})
			}
			if d := m.doctor(); !strings.Contains(d, untrusted) {
				t.Errorf("doctor does not report untrusted hooks:\n%s", d)
			}
			m.trustCodex(exe)
			if d := m.doctor(); strings.Contains(d, untrusted) {
				t.Errorf("doctor still reports untrusted hooks:\n%s", d)
			}

			// A second setup keeps the trust; unsetup leaves a person's own lines.
			m.pathrule("setup", "codex", "--scope", scope, "--yes")
			if d := m.doctor(); strings.Contains(d, untrusted) {
				t.Errorf("a second setup lost the trust:\n%s", d)
			}
			m.pathrule("unsetup", "codex", "--scope", scope, "--yes")
			config := m.read(filepath.Join(m.home, ".codex", "config.toml"))
			if !strings.HasPrefix(config, "# mine\nmodel = \"gpt-5.5\" # the plain tools\n") || strings.Contains(config, "mcp_servers") {
				t.Errorf("config.toml after unsetup:\n%s", config)
			}
		})
	}
}

// Newer models of Codex write programs that call the tools, and have tools for
// subagents. Without fork_turns a subagent inherits the conversation and with it
// what its parent was told, of which its start event says nothing; then it
// stands there twice.
func TestCodexSubagentStartsWithItsParentsKnowledge(t *testing.T) {
	c := codexCLI
	exe := c.find(t)
	c.args = func(m *machine, prompt string, more bool) []string {
		return append([]string{"-m", "gpt-6.2-sol"}, codexCLI.args(m, prompt, more)...)
	}
	c.read = func(m *machine) step {
		return step{Tool: "exec", Text: "text((await tools.exec_command({cmd: " + jsonOf("cat "+invoice) + "})).output)"}
	}
	c.subagent = func(prompt string) []step {
		return []step{
			{Group: "collaboration", Tool: "spawn_agent", Args: map[string]any{"task_name": "look", "message": prompt, "fork_turns": "none"}},
			{Group: "collaboration", Tool: "wait_agent", Args: map[string]any{"timeout_ms": 20000}},
		}
	}
	c.startsSubagent(t, exe)
}
