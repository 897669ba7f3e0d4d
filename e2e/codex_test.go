package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const codexProgram = "codex/node_modules/@openai/codex-*/vendor/*/bin/codex"

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

func (m *machine) codex(exe string, args ...string) (stdout, stderr string) {
	m.t.Helper()
	code, stdout, stderr := m.exec(m.root, []string{"E2E_KEY=e2e"}, append([]string{exe, "exec", "--json", "--skip-git-repo-check"}, args...)...)
	if code != 0 {
		m.t.Fatalf("codex: exit %d\n%s\n%s", code, clip(stdout), clip(stderr))
	}
	return stdout, stderr
}

// trust does what a person does with /hooks: it records the hash that Codex
// reports for each hook of the file.
func (m *machine) trust(exe string) {
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
	m.write(config, m.read(config)+b.String())
}

func TestCodexGetsTheRightSliceOnceItsHooksAreTrusted(t *testing.T) {
	exe := client(t, codexProgram)
	for _, scope := range []string{"user", "project"} {
		t.Run(scope, func(t *testing.T) {
			m := newMachine(t)
			// doctor finds codex on PATH.
			for i, kv := range m.env {
				if p, ok := strings.CutPrefix(kv, "PATH="); ok {
					m.env[i] = "PATH=" + p + ":" + filepath.Dir(exe)
				}
			}
			m.codexConfig()
			m.knowledge()
			said := m.pathrule("setup", "codex", "--scope", scope, "--yes")
			if !strings.Contains(said, "/hooks") {
				t.Errorf("setup does not say how to trust the hooks:\n%s", said)
			}
			read := step{Tool: "exec_command", Args: map[string]any{"cmd": "cat " + invoice}}

			// Untrusted, nothing arrives, and doctor says why.
			m.model.play(read, step{Text: "read"})
			out, errs := m.codex(exe, firstPrompt)
			for _, r := range m.turn(2, out, errs) {
				m.arrives("untrusted", r, nil, []string{teamCanary, memoryCanary, ruleCanary})
			}
			if d := m.doctor(); !strings.Contains(d, untrusted) {
				t.Errorf("doctor does not report untrusted hooks:\n%s", d)
			}

			m.trust(exe)
			if d := m.doctor(); strings.Contains(d, untrusted) {
				t.Errorf("doctor still reports untrusted hooks:\n%s", d)
			}
			m.model.play(read,
				step{Tool: "apply_patch", Text: "*** Begin Patch\n*** Update File: " + invoice + "\n@@\n-  return lines.reduce((n, l) => n + l.price, 0);\n+  return lines.reduce((n, l) => n + l.cents, 0);\n*** End Patch\n"},
				step{Text: "fixed"})
			out, errs = m.codex(exe, firstPrompt)
			req := m.turn(3, out, errs)
			m.arrives("first request", req[0], []string{teamCanary, memoryCanary}, []string{ruleCanary})
			m.arrives("after the read", req[1], []string{teamCanary, memoryCanary, ruleCanary}, nil)
			m.arrives("after the patch", req[2], []string{teamCanary, memoryCanary, ruleCanary}, nil)
			if len(req[0].texts("mcp__pathrule")) == 0 {
				t.Error("the MCP server is not offered")
			}
			if !strings.Contains(m.read(filepath.Join(m.root, invoice)), "l.cents") {
				t.Errorf("the patch did not happen: %q", req[2].texts("Failed"))
			}

			// Nothing is new in the second turn of the session.
			m.model.play(read, step{Text: "still fixed"})
			out, errs = m.codex(exe, "resume", "--last", secondPrompt)
			for i, r := range m.turn(2, out, errs) {
				for _, c := range []string{teamCanary, memoryCanary, ruleCanary} {
					if n := r.count(c); n > 1 {
						t.Errorf("quiet turn, request %d: %s stands %d times", i, c, n)
					}
				}
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
			m.model.play(step{Text: "nothing"})
			out, errs = m.codex(exe, firstPrompt)
			m.arrives("after unsetup", m.turn(1, out, errs)[0], nil, []string{teamCanary, memoryCanary, ruleCanary, "mcp__pathrule"})
		})
	}
}
