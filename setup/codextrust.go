package setup

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"pathrule/host"
	"pathrule/internal/sysenv"
	"pathrule/setup/jsonedit"
	"pathrule/setup/tomledit"
)

// codexLimit bounds the question to Codex; its answer takes half a second.
const codexLimit = 5 * time.Second

// codexHook is one hook of ours in Codex's files with the key of its trust.
type codexHook struct {
	keys                 []string
	file, event, command string
}

func codexTrust(ctx context.Context, root string, env sysenv.Env) (Trust, error) {
	h, ok := host.ByName("codex")
	if !ok {
		return Trust{}, errors.New("codex is not a known client")
	}
	cwd := root
	if cwd == "" {
		cwd = env.Cwd
	}
	var ours []codexHook
	for _, s := range []host.Scope{host.User, host.Project} {
		ours = append(ours, codexHooks(h, s, root, env)...)
	}
	t := Trust{Source: "config.toml", Project: "unknown"}
	var state, projects map[string]any
	if cfg, ok := h.MCPFile(host.User, "", env); ok {
		if d, err := tomledit.Parse(readFile(cfg.Path).data); err == nil {
			state, _ = d.At("hooks", "state").(map[string]any)
			projects, _ = d.At("projects").(map[string]any)
		}
	}
	t.Project = projectTrust(projects, cwd)
	asked := map[string]string{}
	exe := onPath("codex", env)
	var err error
	if exe != "" && len(ours) > 0 {
		var warnings []string
		asked, warnings, err = askCodex(ctx, exe, cwd, env)
		if err == nil {
			t.Source, t.Warnings = "codex app-server", warnings
		}
	}
	for _, k := range ours {
		one := TrustedHook{File: k.file, Event: k.event, Command: k.command}
		if t.Source == "codex app-server" {
			// Hooks of a project that is not trusted are not even listed.
			one.Status = "untrusted"
			for _, key := range k.keys {
				if s := asked[key]; s != "" {
					one.Status = s
				}
			}
		} else {
			one.Status = "not-recorded"
			for _, key := range k.keys {
				if s := recorded(state, key); s != one.Status {
					one.Status = s
					break
				}
			}
		}
		t.Hooks = append(t.Hooks, one)
	}
	return t, err
}

// codexHooks are our hooks in one of Codex's files. Codex keys its trust by
// the file's path, the event in snake case, and both positions.
func codexHooks(h host.Host, scope host.Scope, root string, env sysenv.Env) []codexHook {
	cfg, ok := h.HookFile(scope, root, env)
	if !ok || scope == host.Project && root == "" {
		return nil
	}
	f := readFile(cfg.Path)
	d, err := jsonedit.Parse(f.data)
	if f.data == nil || err != nil {
		return nil
	}
	var out []codexHook
	for _, k := range ownHooks(d.Root().Value(), h.Shape()) {
		cmd, _ := k.body.Get("command")
		line, _ := cmd.(string)
		at := fmt.Sprintf(":%s:%d:%d", snake(k.event), k.group, k.handler)
		one := codexHook{keys: []string{cfg.Path + at}, file: cfg.Path, event: k.event, command: line}
		if f.real != cfg.Path {
			one.keys = append(one.keys, f.real+at)
		}
		out = append(out, one)
	}
	return out
}

func snake(s string) string {
	var b strings.Builder
	for i, r := range s {
		if unicode.IsUpper(r) {
			if i > 0 {
				b.WriteByte('_')
			}
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// recorded is what the file alone can tell: whether some hash is recorded, not
// whether it still fits.
func recorded(state map[string]any, key string) string {
	e, _ := state[key].(map[string]any)
	switch {
	case e["enabled"] == false:
		return "disabled"
	case e["trusted_hash"] != nil && e["trusted_hash"] != "":
		return "recorded"
	}
	return "not-recorded"
}

func projectTrust(projects map[string]any, cwd string) string {
	for dir := cwd; ; dir = filepath.Dir(dir) {
		if e, ok := projects[dir].(map[string]any); ok {
			if level, _ := e["trust_level"].(string); level != "" {
				return level
			}
		}
		if dir == filepath.Dir(dir) {
			return "unknown"
		}
	}
}

// askCodex speaks JSON-RPC with "codex app-server" over its stdio: initialize,
// initialized, hooks/list.
func askCodex(ctx context.Context, exe, cwd string, env sysenv.Env) (map[string]string, []string, error) {
	ctx, cancel := context.WithTimeout(ctx, codexLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "app-server")
	cmd.Dir, cmd.Env = cwd, env.Environ
	ownGroup(cmd)
	cmd.Cancel = func() error { return endGroup(cmd) }
	cmd.WaitDelay = 500 * time.Millisecond
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("start codex app-server: %w", err)
	}
	defer func() {
		// Whatever happened, nothing of it stays behind.
		_ = endGroup(cmd)
		_ = cmd.Wait()
	}()
	msgs := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"pathrule","title":"pathrule doctor","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"initialized"}`,
	}
	list, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 2, "method": "hooks/list", "params": map[string]any{"cwds": []string{cwd}}})
	if err != nil {
		return nil, nil, err
	}
	// All at once: a server that does not read would block a second write, and
	// the pipe holds far more than this.
	if _, err := in.Write([]byte(strings.Join(append(msgs, string(list)), "\n") + "\n")); err != nil {
		return nil, nil, fmt.Errorf("ask codex app-server: %w", err)
	}
	sc := bufio.NewScanner(out)
	sc.Buffer(nil, 8<<20)
	for sc.Scan() {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Result struct {
				Data []struct {
					Hooks []struct {
						Key         string `json:"key"`
						TrustStatus string `json:"trustStatus"`
						Enabled     *bool  `json:"enabled"`
					} `json:"hooks"`
					Warnings []string `json:"warnings"`
				} `json:"data"`
			} `json:"result"`
			Error *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal(sc.Bytes(), &m) != nil || string(m.ID) != "2" {
			continue // notifications and whatever else it says
		}
		if m.Error != nil {
			return nil, nil, fmt.Errorf("codex app-server does not list hooks: %s", m.Error.Message)
		}
		status := map[string]string{}
		var warnings []string
		for _, d := range m.Result.Data {
			warnings = append(warnings, d.Warnings...)
			for _, k := range d.Hooks {
				status[k.Key] = k.TrustStatus
				if k.Enabled != nil && !*k.Enabled {
					status[k.Key] = "disabled"
				}
			}
		}
		return status, warnings, nil
	}
	if ctx.Err() != nil {
		return nil, nil, fmt.Errorf("codex app-server did not answer within %s", codexLimit)
	}
	return nil, nil, errors.New("codex app-server ended without an answer")
}
