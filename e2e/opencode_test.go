package e2e

import (
	"fmt"
	"path/filepath"
)

var openCode = client{
	id:      "opencode",
	program: "opencode-*/bin/opencode",
	person: func(m *machine) {
		m.write(filepath.Join(m.home, ".config", "opencode", "opencode.json"), fmt.Sprintf(`{
  "$schema": "https://opencode.ai/config.json", // mine
  "autoupdate": false,
  "share": "disabled",
  "model": "e2e/e2e-model",
  "small_model": "e2e/e2e-model",
  "permission": { "*": "allow" },
  "provider": {
    "e2e": {
      "npm": "@ai-sdk/openai-compatible",
      "name": "e2e",
      "options": { "baseURL": "%s/v1", "apiKey": "e2e" },
      "models": { "e2e-model": { "name": "e2e-model", "tool_call": true, "limit": { "context": 200000, "output": 8000 } } }
    }
  }
}
`, m.model.srv.URL))
	},
	args: func(m *machine, prompt string, more bool) []string {
		args := []string{"run", "--print-logs", "--format", "json", "-m", "e2e/e2e-model"}
		if more {
			args = append(args, "--continue")
		}
		return append(args, prompt)
	},
	// With a plugin it asks npm for a package at each start: told that npm is
	// offline it gives up after seconds, not minutes.
	env: func(m *machine) []string {
		return []string{
			"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_SHARE=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1",
			"npm_config_offline=true", "npm_config_fetch_retries=0", "npm_config_registry=http://127.0.0.1:9/",
		}
	},
	read: func(m *machine) step {
		return step{Tool: "read", Args: map[string]any{"filePath": filepath.Join(m.root, invoice)}}
	},
	edit: func(m *machine) step {
		return step{Tool: "edit", Args: map[string]any{"filePath": filepath.Join(m.root, invoice), "oldString": "l.price", "newString": "l.cents"}}
	},
	subagent: func(prompt string) []step {
		return []step{{Tool: "task", Args: map[string]any{"description": "look", "prompt": prompt, "subagent_type": "general"}}}
	},
	where: map[string]string{teamCanary: ".messages[", memoryCanary: ".messages[", ruleCanary: "export function total", skillCanary: ".messages["},
}
