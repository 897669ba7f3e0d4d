package knowledge

import "strings"

// ByAssistant begins the source of what an assistant wrote through MCP; the
// client's name follows.
const ByAssistant = "mcp:"

// ByPerson is the source of a rule that a person made strict after an assistant
// had written it.
const ByPerson = "person"

// Waits reports a strict rule that an assistant wrote and no person has looked
// at: the file says strict, every delivery takes it as advisory.
func (e *Entry) Waits() bool {
	return e.Kind == Rule && e.Enforcement == Strict && strings.HasPrefix(e.Source, ByAssistant)
}

// Effective is the enforcement that deliveries go by: "" for a rule that waits.
func (e *Entry) Effective() string {
	if e.Waits() {
		return ""
	}
	return e.Enforcement
}

// MakeStrict is the command with which a person ends the waiting.
func (e *Entry) MakeStrict() string { return "pathrule rule edit " + e.ID + " --enforcement strict" }
