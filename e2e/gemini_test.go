package e2e

import "path/filepath"

var geminiCLI = client{
	id:      "gemini-cli",
	program: "@google/gemini-cli/bundle/gemini.js",
	script:  true,
	person: func(m *machine) {
		m.write(filepath.Join(m.home, ".gemini", "settings.json"), `{
  // mine
  "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false },
  "privacy": { "usageStatisticsEnabled": false },
  "telemetry": { "enabled": false },
  "security": { "auth": { "selectedType": "gemini-api-key" }, "folderTrust": { "enabled": false } }
}
`)
	},
	args: func(m *machine, prompt string, more bool) []string {
		args := []string{"-p", prompt, "--approval-mode", "yolo", "-m", "gemini-2.5-pro", "--output-format", "stream-json"}
		if more {
			args = append(args, "--resume", "latest")
		}
		return args
	},
	env: func(m *machine) []string {
		return []string{"GEMINI_API_KEY=e2e", "GOOGLE_GEMINI_BASE_URL=" + m.model.srv.URL, "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_TELEMETRY_ENABLED=false", "GEMINI_CLI_NO_RELAUNCH=true"}
	},
	read: func(m *machine) step {
		return step{Tool: "read_file", Args: map[string]any{"file_path": filepath.Join(m.root, invoice)}}
	},
	edit: func(m *machine) step {
		return step{Tool: "replace", Args: map[string]any{"file_path": filepath.Join(m.root, invoice), "old_string": "l.price", "new_string": "l.cents", "instruction": "count in cents"}}
	},
	forgets: true,
	where: map[string]string{
		teamCanary:   "<hook_context>",
		memoryCanary: "<hook_context>",
		ruleCanary:   ".functionResponse.response.output",
		skillCanary:  "<hook_context>",
	},
}
