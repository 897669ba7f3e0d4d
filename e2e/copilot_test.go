package e2e

import (
	"fmt"
	"os"
	"path/filepath"
)

var copilotCLI = client{
	id:      "copilot",
	program: "@github/copilot-*/copilot",
	person: func(m *machine) {
		m.write(filepath.Join(m.home, ".copilot", "config.json"), fmt.Sprintf("{\"trusted_folders\": [%q], \"banner\": \"never\"}\n", m.root))
	},
	args: func(m *machine, prompt string, more bool) []string {
		args := []string{"-p", prompt, "--allow-all-tools", "--no-color"}
		if more {
			args = append(args, "--continue")
		}
		return args
	},
	// It unpacks 235 MB at its first start: once for all machines.
	env: func(m *machine) []string {
		cache := filepath.Join(os.Getenv(hostsVar), "copilot", "unpacked")
		return []string{
			"COPILOT_PROVIDER_BASE_URL=" + m.model.srv.URL + "/v1", "COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_API_KEY=e2e", "COPILOT_PROVIDER_WIRE_API=completions",
			"COPILOT_MODEL=e2e-model", "COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_ALLOW_ALL=true",
			"COPILOT_PKG_CACHE_HOME=" + cache, "COPILOT_CACHE_HOME=" + cache,
		}
	},
	read: func(m *machine) step {
		return step{Tool: "view", Args: map[string]any{"path": filepath.Join(m.root, invoice)}}
	},
	edit: func(m *machine) step {
		return step{Tool: "edit", Args: map[string]any{"path": filepath.Join(m.root, invoice), "old_str": "l.price", "new_str": "l.cents"}}
	},
	subagent: func(prompt string) []step {
		return []step{{Tool: "task", Args: map[string]any{"agent_type": "general-purpose", "name": "look", "description": "look", "prompt": prompt, "mode": "sync"}}}
	},
	where: map[string]string{
		teamCanary:   "",
		memoryCanary: "<system_reminder>",
		ruleCanary:   "Additional guidance from postToolUse hooks",
		skillCanary:  "<system_reminder>",
	},
}
