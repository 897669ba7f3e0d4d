package host

import (
	"path/filepath"
	"strings"

	"pathrule/internal/rawjson"
	"pathrule/internal/sysenv"
)

// Transcript is the file in which the client keeps the session's conversation,
// as the payload names it; "" when it names none. It is read only where it is
// asked for, so that no other event pays for it.
func Transcript(payload []byte) string {
	v, err := rawjson.Parse(payload)
	if err != nil {
		return ""
	}
	for _, name := range [...]string{"transcript_path", "transcriptPath"} {
		if s := v.Get(name).Text(); s != "" {
			return s
		}
	}
	return ""
}

// TranscriptOf is Transcript, and where the payload names none the place in which
// the client is known to keep it: Copilot CLI names the file when its agent stops
// and not when the session ends (captured payloads of 1.0.102).
func TranscriptOf(ev Event, payload []byte, env sysenv.Env) string {
	if path := Transcript(payload); path != "" {
		return path
	}
	home := copilotHome(env)
	if ev.Host != "copilot" || ev.Session == "" || home == "" || strings.ContainsAny(ev.Session, `/\:`) || strings.Trim(ev.Session, ".") == "" {
		return ""
	}
	return filepath.Join(home, "session-state", ev.Session, "events.jsonl")
}
