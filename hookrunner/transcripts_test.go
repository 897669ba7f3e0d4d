package hookrunner_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A42: the records of conversations in the shapes in which the clients write
// them, with what else stands in them.
func TestTheSizeIsReadFromEachClientsRecord(t *testing.T) {
	claude := []string{
		`{"type":"summary","summary":"Retry bug","leafUuid":"1"}`,
		`{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/home/dev/shop","sessionId":"s","version":"2.1.332","type":"user","message":{"role":"user","content":"fix it"},"uuid":"1"}`,
		`{"parentUuid":"1","isSidechain":false,"type":"assistant","message":{"id":"msg_1","role":"assistant","model":"claude","content":[{"type":"tool_use","id":"t","name":"Read","input":{}}],"usage":{"input_tokens":4,"cache_creation_input_tokens":1200,"cache_read_input_tokens":61000,"cache_creation":{"ephemeral_5m_input_tokens":1200,"ephemeral_1h_input_tokens":0},"output_tokens":88,"service_tier":"standard"}},"uuid":"2"}`,
		`{"parentUuid":"2","isSidechain":true,"type":"assistant","message":{"usage":{"input_tokens":3,"cache_read_input_tokens":900000}},"uuid":"3"}`,
		`{"parentUuid":"2","isSidechain":false,"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"\"usage\":{\"input_tokens\":999999}"}]},"toolUseResult":{"usage":{"input_tokens":1}},"uuid":"4"}`,
		`{"type":"assistant","message":{"model":"<synthetic>","usage":{"input_tokens":0,"output_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0}},"isApiErrorMessage":true}`,
	}
	codex := []string{
		`{"timestamp":"2026-11-30T09:59:29Z","type":"session_meta","payload":{"id":"s","cwd":"/home/dev/shop","cli_version":"0.171.0"}}`,
		`{"timestamp":"2026-11-30T09:59:31Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":400000,"cached_input_tokens":300000,"output_tokens":9,"total_tokens":400009},"last_token_usage":{"input_tokens":62204,"cached_input_tokens":61000,"output_tokens":88,"reasoning_output_tokens":1,"total_tokens":62293},"model_context_window":272000},"rate_limits":null}}`,
		`{"timestamp":"2026-11-30T09:59:32Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"{\"tokens\":{\"input\":7}}"}}`,
		`{"timestamp":"2026-11-30T09:59:33Z","type":"event_msg","payload":{"type":"token_count","info":null,"rate_limits":{}}}`,
	}
	gemini := []string{
		`{"sessionId":"s","projectHash":"h","startTime":"2026-11-30T09:00:00Z","lastUpdated":"2026-11-30T09:00:00Z"}`,
		`{"id":"1","timestamp":"2026-11-30T09:00:01Z","type":"user","content":"what are \"tokens\":{\"input\":5}"}`,
		`{"id":"2","timestamp":"2026-11-30T09:00:02Z","type":"gemini","content":"","thoughts":[],"tokens":{"input":62204,"output":88,"cached":61000,"thoughts":12,"tool":0,"total":62304},"model":"gemini-3-pro","toolCalls":[{"id":"r","name":"read_file","args":{},"status":"success"}]}`,
		`{"$set":{"lastUpdated":"2026-11-30T09:00:03Z"}}`,
		`{"id":"3","type":"info","content":"tokens"}`,
	}
	document := "{\n  \"sessionId\": \"s\",\n  \"messages\": [\n    {\n      \"id\": \"2\",\n      \"type\": \"gemini\",\n      \"content\": \"x\",\n      \"tokens\": {\n        \"input\": 62204,\n        \"output\": 88,\n        \"cached\": 61000,\n        \"total\": 62292\n      },\n      \"model\": \"gemini-3-pro\"\n    },\n" +
		"    {\n      \"type\": \"gemini\",\n      \"content\": \"say \\\"tokens\\\": {\\\"input\\\": 999999}\",\n      \"tokens\": null\n    }\n  ]\n}"
	qwen := []string{
		`{"uuid":"1","parentUuid":null,"sessionId":"s","timestamp":"2026-11-30T09:00:01Z","type":"user","cwd":"/home/dev/shop","version":"0.24.4","message":{"role":"user","parts":[{"text":"fix it"}]}}`,
		`{"uuid":"2","parentUuid":"1","sessionId":"s","type":"assistant","model":"qwen3-coder","message":{"role":"model","parts":[{"text":"ok"}]},"usageMetadata":{"promptTokenCount":62204,"candidatesTokenCount":88,"thoughtsTokenCount":0,"totalTokenCount":62292,"cachedContentTokenCount":61000}}`,
		`{"uuid":"3","parentUuid":"2","sessionId":"s","type":"tool_result","message":{"role":"user","parts":[{"functionResponse":{"response":{"output":"\"usageMetadata\": 9"}}}]}}`,
	}
	compacted := append(append([]string{}, claude...), `{"parentUuid":"4","type":"system","subtype":"compact_boundary","content":"Conversation compacted","compactMetadata":{"trigger":"auto","preTokens":62204}}`, claude[1])
	const big = "about 62k tokens"
	for name, c := range map[string]struct {
		host, file, event, tool, text, want string
	}{
		"Claude Code":                        {"claude-code", "s.jsonl", "PreToolUse", "Bash", strings.Join(claude, "\n") + "\n", big},
		"Codex":                              {"codex", "rollout.jsonl", "PreToolUse", "Bash", strings.Join(codex, "\n") + "\n", big},
		"Gemini CLI":                         {"gemini-cli", "session.jsonl", "AfterTool", "run_shell_command", strings.Join(gemini, "\n") + "\n", big},
		"Gemini CLI, one document":           {"gemini-cli", "session.json", "AfterTool", "run_shell_command", document, big},
		"Gemini CLI, a document cut in two":  {"gemini-cli", "session.json", "AfterTool", "run_shell_command", document[:len(document)-40], big},
		"Qwen Code":                          {"qwen-code", "s.jsonl", "PostToolUse", "run_shell_command", strings.Join(qwen, "\n") + "\n", big},
		"Claude Code, just compacted":        {"claude-code", "s.jsonl", "PreToolUse", "Bash", strings.Join(compacted, "\n") + "\n", ""},
		"Claude Code, compacted and went on": {"claude-code", "s.jsonl", "PreToolUse", "Bash", strings.Join(append(compacted, claude...), "\n") + "\n", big},
		"Codex, just compacted":              {"codex", "r.jsonl", "PreToolUse", "Bash", strings.Join(codex, "\n") + "\n" + `{"type":"compacted","payload":{"message":"summary"}}` + "\n", ""},
		"a record of something else":         {"claude-code", "s.jsonl", "PreToolUse", "Bash", `{"tokens":{"input":70000}}` + "\n" + `{"type":"x","tokens":{"input":70000}}` + "\n", ""},
		"no JSON":                            {"claude-code", "s.jsonl", "PreToolUse", "Bash", "\"usage\" \"tokens\": {\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.host = c.host
			w.config("guards:\n  context: true\n  context_tokens: 60000\n")
			path := filepath.Join(w.home, c.file)
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			out, errs := w.raw(w.event(c.event, "transcript_path", path, "tool_name", c.tool, "tool_input", input("command", "true"), "tool_response", input("llmContent", "x")))
			if errs != "" || strings.Contains(out, c.want) != true || (c.want == "") != (!strings.Contains(out, "Guard")) {
				t.Errorf("%q, want %q; stderr %q", out, c.want, errs)
			}
		})
	}
}
