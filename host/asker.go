package host

import "pathrule/internal/rawjson"

// Asker is a host that can be told to ask the person before a tool runs.
type Asker interface {
	// Ask renders that request with a reason for the person; ok is false where
	// the event has no such channel. Only user hooks may use it.
	Ask(ev Event, reason string) (out Output, ok bool)
}

// Ask is Asker.Ask of a host that may have none.
func Ask(h Host, ev Event, reason string) (Output, bool) {
	if a, ok := h.(Asker); ok {
		return a.Ask(ev, reason)
	}
	return Output{}, false
}

// Ask: documented beside allow and deny; of several hooks' answers deny counts
// more, allow less.
func (claude) Ask(ev Event, reason string) (Output, bool) {
	if ev.Name != PreToolUse {
		return Output{}, false
	}
	b := []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":`)
	b = rawjson.AppendQuoted(b, reason)
	return Output{Stdout: append(b, "}}\n"...)}, true
}
