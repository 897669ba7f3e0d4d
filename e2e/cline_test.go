package e2e

import (
	"path/filepath"
)

var clineCLI = client{
	id:      "cline",
	program: "@cline/cli-*/bin/cline",
	person: func(m *machine) {
		m.write(filepath.Join(m.home, ".cline", "data", "settings", "providers.json"), jsonOf(map[string]any{
			"version": 1, "lastUsedProvider": "openai-compatible", "modes": map[string]any{},
			"providers": map[string]any{"openai-compatible": map[string]any{
				"settings":  map[string]any{"provider": "openai-compatible", "apiKey": "e2e", "model": "e2e-model", "baseUrl": m.model.srv.URL + "/v1"},
				"updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual",
			}},
		}))
	},
	args: func(m *machine, prompt string, more bool) []string {
		return []string{"--json", "--auto-approve", "true", prompt}
	},
	env: func(m *machine) []string { return []string{"CLINE_NO_AUTO_UPDATE=1"} },
	read: func(m *machine) step {
		return step{Tool: "read_files", Args: map[string]any{"files": []any{map[string]any{"path": filepath.Join(m.root, invoice)}}}}
	},
	edit: func(m *machine) step {
		return step{Tool: "editor", Args: map[string]any{"path": filepath.Join(m.root, invoice), "old_text": "l.price", "new_text": "l.cents"}}
	},
	toolsOnly: true,
	oneTurn:   true,
	where:     map[string]string{teamCanary: "<hook_context source=\"PreToolUse\"", ruleCanary: "<hook_context source=\"PreToolUse\""},
}
