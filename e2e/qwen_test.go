package e2e

import "path/filepath"

var qwenCode = client{
	id:      "qwen-code",
	program: "@qwen-code/qwen-code/cli-entry.js",
	script:  true,
	person: func(m *machine) {
		m.write(filepath.Join(m.home, ".qwen", "settings.json"), `{
  // mine
  "general": { "enableAutoUpdate": false },
  "privacy": { "usageStatisticsEnabled": false },
  "telemetry": { "enabled": false },
  "memory": { "enableManagedAutoMemory": false },
  "security": { "auth": { "selectedType": "openai" }, "folderTrust": { "enabled": false } }
}
`)
	},
	args: func(m *machine, prompt string, more bool) []string {
		args := []string{"-p", prompt, "--approval-mode", "yolo", "--auth-type", "openai", "--output-format", "stream-json"}
		if more {
			args = append(args, "--continue")
		}
		return args
	},
	env: func(m *machine) []string {
		return []string{"OPENAI_API_KEY=e2e", "OPENAI_BASE_URL=" + m.model.srv.URL + "/v1", "OPENAI_MODEL=e2e-model", "QWEN_CODE_NO_RELAUNCH=true"}
	},
	read: func(m *machine) step {
		return step{Tool: "read_file", Args: map[string]any{"file_path": filepath.Join(m.root, invoice)}}
	},
	edit: func(m *machine) step {
		return step{Tool: "edit", Args: map[string]any{"file_path": filepath.Join(m.root, invoice), "old_string": "l.price", "new_string": "l.cents"}}
	},
	where: map[string]string{
		teamCanary:   "<qwen:session-start-context",
		memoryCanary: "<qwen:user-prompt-submit-context>",
		ruleCanary:   "export function total",
		skillCanary:  "<qwen:user-prompt-submit-context>",
	},
}
