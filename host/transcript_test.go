package host

import "testing"

func TestTheTranscriptAsThePayloadNamesIt(t *testing.T) {
	for name, c := range map[string]struct{ payload, want string }{
		"Claude Code, Codex, Gemini":   {`{"hook_event_name":"SessionEnd","transcript_path":"/h/a b.jsonl"}`, "/h/a b.jsonl"},
		"Copilot":                      {`{"sessionId":"s","transcriptPath":"C:\\t\\x.jsonl"}`, `C:\t\x.jsonl`},
		"none":                         {`{"hook_event_name":"SessionEnd"}`, ""},
		"null, as Codex says for none": {`{"transcript_path":null}`, ""},
		"only the payload's own":       {`{"tool_input":{"transcript_path":"/etc/passwd"}}`, ""},
		"no JSON":                      {`{`, ""},
	} {
		if got := Transcript([]byte(c.payload)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
