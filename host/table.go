package host

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
