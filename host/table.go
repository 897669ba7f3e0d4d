package host

import (
	"slices"
	"strings"
)

// All are the known hosts in documentation order.
func All() []Host {
	return []Host{
		claude{},
		codex{},
		cursor{},
		copilot{},
		gemini{},
		antigravity{},
		qwen{},
		opencode{},
		kiro{},
		codebuddy{},
		devin{},
		windsurf{},
		cline{},
	}
}

// ByName finds a host by id or alias.
func ByName(name string) (Host, bool) {
	for _, h := range All() {
		if h.ID() == name {
			return h, true
		}
		for _, a := range h.Aliases() {
			if a == name {
				return h, true
			}
		}
	}
	return nil, false
}

// Tools are the names of tools, of any client, that setup asks clients about
// whether or not a person's own hooks want it.
func Tools() []string {
	var out []string
	for _, h := range All() {
		for _, r := range h.Registrations() {
			if c := r.Canonical(); c != PreToolUse && c != PostToolUse && c != PostToolUseFailure {
				continue
			}
			names := strings.TrimSuffix(strings.TrimPrefix(r.Matcher, "^("), ")$")
			for name := range strings.SplitSeq(names, "|") {
				if name != "" && !slices.Contains(out, name) {
					out = append(out, name)
				}
			}
		}
	}
	return out
}

// Measure counts text in the unit.
func (u Unit) Measure(s string) int {
	switch u {
	case Token4:
		return (len(s) + 3) / 4
	case Bytes:
		return len(s)
	}
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}
