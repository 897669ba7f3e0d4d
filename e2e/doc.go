// Package e2e drives the real clients: Claude Code and Codex run headless in a
// throw-away home against a scripted model on loopback, with pathrule set up by
// its own commands, and the tests look at what reached the model.
//
// The tests need the clients' released programs and are skipped without them.
// "scripts/e2e" installs the pinned releases and runs everything; or point
// PATHRULE_E2E_HOSTS at a folder with one npm prefix per client:
//
//	HOSTS/claude/node_modules/@anthropic-ai/claude-code-linux-x64/claude
//	HOSTS/codex/node_modules/@openai/codex-linux-x64/vendor/TRIPLE/bin/codex
//
// Nothing leaves the machine: telemetry and updates are off, and every proxy
// variable points at a closed port.
package e2e
