package host

import "pathrule/internal/rawjson"

// Asker is a host that can be told to ask the person before a tool runs.
type Asker interface {
	// Ask renders that request with a reason for the person; ok is false where
	// the event has no such channel. Only user hooks may use it.
	Ask(ev Event, reason string) (out Output, ok bool)
}

// Ask is Asker.Ask of a host that may have none. Where the host is about to ask
// the person anyway there is nothing to say.
func Ask(h Host, ev Event, reason string) (Output, bool) {
	if ev.Name == PermissionRequest {
		return Output{}, true
	}
	if a, ok := h.(Asker); ok && ev.Name == PreToolUse {
		return a.Ask(ev, reason)
	}
	return Output{}, false
}

// askNested is the Claude family's request, beside its allow and deny.
func askNested(reason string) (Output, bool) {
	b := []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":`)
	b = rawjson.AppendQuoted(b, reason)
	return Output{Stdout: append(b, "}}\n"...)}, true
}

// askTop is a request as one of the host's own words at the top level.
func askTop(word, value, why, reason string) (Output, bool) {
	b := rawjson.AppendQuoted([]byte{'{'}, word)
	b = rawjson.AppendQuoted(append(b, ':'), value)
	b = rawjson.AppendQuoted(append(b, ','), why)
	b = rawjson.AppendQuoted(append(b, ':'), reason)
	return Output{Stdout: append(b, "}\n"...)}, true
}

// Ask: of several hooks' answers deny counts more, allow less.
func (claude) Ask(_ Event, reason string) (Output, bool) { return askNested(reason) }

// Ask: the published and the bundled documentation name it; not driven by us.
func (qwen) Ask(_ Event, reason string) (Output, bool) { return askNested(reason) }

// Ask: both products' pages name it.
func (codebuddy) Ask(_ Event, reason string) (Output, bool) { return askNested(reason) }

// Ask: a decision at the top level, as its denial is.
func (gemini) Ask(_ Event, reason string) (Output, bool) {
	return askTop("decision", "ask", "reason", reason)
}

// Ask: documented, and none of its tool events is registered today.
func (antigravity) Ask(_ Event, reason string) (Output, bool) {
	return askTop("decision", "ask", "reason", reason)
}

// Ask: in the place of a denial. The command line asks in interactive sessions
// (its reference on hooks; reports by users of 1.0.24), VS Code by its
// documentation.
func (copilot) Ask(ev Event, reason string) (Output, bool) {
	if ev.Dialect == copilotVSCode {
		return askNested(reason)
	}
	return askTop("permissionDecision", "ask", "permissionDecisionReason", reason)
}

// Ask: for shell commands and calls of MCP servers. The general event before a
// tool takes the word and does not act on it, so there it is no channel.
func (cursor) Ask(ev Event, reason string) (Output, bool) {
	switch ev.RawName {
	case "beforeShellExecution", "beforeMCPExecution":
		return askTop("permission", "ask", "user_message", reason)
	}
	return Output{}, false
}
