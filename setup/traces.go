package setup

import (
	"os"
	"path/filepath"
	"strings"

	"pathrule/host"
	"pathrule/internal/sysenv"
)

// traces are what clients leave in a project, the telling ones first. AGENTS.md is
// read by many; it stands for Codex, whose it is.
var traces = []struct {
	host  string
	names []string
}{
	{"claude-code", []string{"CLAUDE.md", ".claude", "CLAUDE.local.md"}},
	{"codex", []string{".codex", "AGENTS.md", "AGENTS.override.md"}},
	{"cursor", []string{".cursor", ".cursorrules"}},
	{"copilot", []string{".github/copilot-instructions.md", ".github/instructions", ".github/hooks", ".github/prompts"}},
	{"gemini-cli", []string{"GEMINI.md", ".gemini"}},
	{"antigravity", []string{".agents/mcp_config.json", ".agents/hooks.json"}},
	{"qwen-code", []string{"QWEN.md", ".qwen"}},
	{"opencode", []string{"opencode.json", "opencode.jsonc", ".opencode"}},
	{"kiro", []string{".kiro"}},
	{"codebuddy", []string{"CODEBUDDY.md", ".codebuddy"}},
	{"devin-local", []string{".devin"}},
	{"windsurf", []string{".windsurf", ".windsurfrules"}},
	{"cline", []string{".clinerules", ".cline"}},
}

// Trace is a client of which a project has a file.
type Trace struct {
	Host host.Host
	File string // slash path below the project's root
}

// Traces finds the clients that somebody works with in a project ("": nobody).
func Traces(root string) (out []Trace) {
	for _, t := range traces {
		h, ok := host.ByName(t.host)
		for _, name := range t.names {
			if !ok || root == "" {
				break
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err == nil {
				out = append(out, Trace{h, name})
				break
			}
		}
	}
	return out
}

// TracesSaid is a sentence on them and the command that wires them; "" for none.
func TracesSaid(found []Trace) (said, run string) {
	var who, ids []string
	for _, t := range found {
		who = append(who, t.Host.Title()+" ("+t.File+")")
		ids = append(ids, t.Host.ID())
	}
	if len(who) == 0 {
		return "", ""
	}
	return "this project has files of " + strings.Join(who, ", "), "pathrule setup " + strings.Join(ids, " ")
}

// Served is a file of a project from which several clients start our MCP server.
type Served struct {
	Path  string
	Hosts []host.Host
}

// ServedIn finds the files of a project that several clients read their servers
// from and that hold ours. Whose entry it is no such file tells, so that Inspect
// takes it for one of a client's only where that client has our hooks as well.
func ServedIn(root string, env sysenv.Env) (out []Served) {
	seen := map[string]bool{}
	for _, h := range host.All() {
		cfg, ok := h.MCPFile(host.Project, root, env)
		if !ok || root == "" || seen[cfg.Path] {
			continue
		}
		seen[cfg.Path] = true
		if more := sharers(h, host.Project, root, cfg.Path, env); len(more) > 0 && count(h, target{cfg: cfg, mcp: true}, readFile(cfg.Path).data) > 0 {
			out = append(out, Served{cfg.Path, append([]host.Host{h}, more...)})
		}
	}
	return out
}
