package host

import "pathrule/internal/rawjson"

// Outcome is how a shell call ended, as far as its client tells.
type Outcome int

// The outcomes.
const (
	Unknown Outcome = iota // the client does not say, or not what was asked for
	Good                   // exit code 0
	Bad                    // another exit code
	Broken                 // interrupted
	Behind                 // goes on in the background
)

// OutcomeOf reads the event after a shell call. Claude Code fires one event for
// exit code 0 and another for the rest; others put the code into the result;
// Codex tells none (released 0.171.0), and what its output says proves nothing.
func OutcomeOf(ev Event, payload []byte) Outcome {
	v, err := rawjson.Parse(payload)
	if err != nil {
		return Unknown
	}
	if ev.Name == PostToolUseFailure {
		if v.Get("is_interrupt").True() {
			return Broken
		}
		return Bad
	}
	if ev.Name != PostToolUse {
		return Unknown
	}
	if toolInput(payload).Get("run_in_background").True() {
		return Behind
	}
	for _, name := range [...]string{"tool_response", "tool_output", "toolResult", "tool_result", "output"} {
		r := unwrapped(v.Get(name))
		if r.Kind() != '{' {
			continue
		}
		if r.Get("interrupted").True() {
			return Broken
		}
		if r.Get("backgroundTaskId").Kind() == '"' {
			return Behind
		}
		for _, inner := range [...]rawjson.Value{r, r.Get("metadata")} {
			for _, code := range [...]string{"exitCode", "exit_code", "exit"} {
				switch n := inner.Get(code); {
				case n.Kind() != '0':
				case string(n) == "0":
					return Good
				default:
					return Bad
				}
			}
		}
		if ev.Host == "claude-code" && r.Get("stdout").Kind() == '"' {
			return Good
		}
	}
	return Unknown
}

// TellsOutcome reports that a client says how a shell call ended.
func TellsOutcome(id string) bool { return id != "codex" }

// LoginShell reports that a client runs its commands in a login shell, whose
// profile may set another PATH than the hooks have: what a hook finds by name
// the shell may not. Seen on Codex 0.171.0, which runs "bash -lc".
func LoginShell(id string) bool { return id == "codex" }
