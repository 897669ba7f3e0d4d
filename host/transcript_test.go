package host

import (
	"path/filepath"
	"runtime"
	"testing"

	"pathrule/internal/sysenv"
)

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

// Copilot CLI's sessionEnd names no file; its agentStop names this one.
func TestCopilotsConversationIsFoundWithoutAName(t *testing.T) {
	h, payload := copilot{}, []byte(`{"sessionId":"7f3a","cwd":"/x","reason":"complete","timestamp":1}`)
	home := t.TempDir()
	env := sysenv.Env{UserHome: home, GOOS: runtime.GOOS}
	ev, err := h.Decode(payload, env)
	if err != nil || ev.Name != SessionEnd || ev.Session != "7f3a" {
		t.Fatalf("%+v, %v", ev, err)
	}
	if got, want := TranscriptOf(ev, payload, env), filepath.Join(home, ".copilot", "session-state", "7f3a", "events.jsonl"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	named := []byte(`{"transcriptPath":"/t/x.jsonl"}`)
	if got := TranscriptOf(ev, named, env); got != "/t/x.jsonl" {
		t.Errorf("the named one: %q", got)
	}
	for _, session := range []string{"", "..", "../../etc", `a\b`, "C:x"} {
		ev.Session = session
		if got := TranscriptOf(ev, payload, env); got != "" {
			t.Errorf("session %q: %q", session, got)
		}
	}
	ev.Host, ev.Session = "codex", "7f3a"
	if got := TranscriptOf(ev, payload, env); got != "" {
		t.Errorf("another client's: %q", got)
	}
}
