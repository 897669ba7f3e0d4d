package userhooks

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"pathrule/guard/hookfile"
)

// said is what one action said.
type said struct {
	decision hookfile.Decision
	reason   string
	context  string
	metadata string // JSON object
	sections []section
	notes    []string // what was taken otherwise than it was said
	// raw is output that is no JSON object: it permits, and stands in the trace.
	raw string
}

// section is one text of append_system_sections.
type section struct {
	id, text string
	optional bool // may go first where there is no room
	stable   bool // told once a session as it stands
}

var (
	answerKeys  = []string{"decision", "reason", "append_context", "append_system_sections", "metadata"}
	sectionKeys = []string{"id", "text", "retention", "cache"}
	retentions  = []string{"optional", "preferred", "required"}
	caches      = []string{"dynamic", "stable"}
	decisions   = []string{string(hookfile.Allow), string(hookfile.Deny), string(hookfile.Ask), string(hookfile.Append)}
)

// readAnswer reads what a command or tool answered. Anything but a JSON object
// allows. An object must be exactly of the documented form: a misspelt decision
// is an error, never a permission.
func readAnswer(out string) (said, error) {
	text := strings.TrimSpace(strings.TrimPrefix(out, "\uFEFF"))
	if !strings.HasPrefix(text, "{") {
		return said{decision: hookfile.Allow, raw: text}, nil
	}
	n, bad := parseJSON(text)
	if bad != nil {
		if looksMeant(text) {
			line, col := lineCol(text, bad.off)
			return said{}, fmt.Errorf("answered JSON that is broken at %d:%d: %s", line, col, bad.msg)
		}
		return said{decision: hookfile.Allow, raw: text}, nil
	}
	s := said{}
	given := false
	for _, m := range n.members {
		v := m.val
		if !slices.Contains(answerKeys, m.name) {
			return said{}, fmt.Errorf("answered an unknown key %q (%s)", short(m.name, 40), oneOf(m.name, answerKeys))
		}
		if v.kind == 'n' {
			continue // not given
		}
		if m.name == "metadata" {
			if v.kind != '{' {
				return said{}, errors.New("answered metadata that is no object")
			}
			s.metadata = text[v.off:v.end]
			continue
		}
		if m.name == "append_system_sections" {
			if err := s.readSections(v); err != nil {
				return said{}, err
			}
			continue
		}
		if v.kind != '"' {
			return said{}, fmt.Errorf("answered %s that is no string", m.name)
		}
		switch m.name {
		case "decision":
			if !slices.Contains(decisions, v.text) {
				return said{}, fmt.Errorf("answered an unknown decision %q (%s)", short(v.text, 40), oneOf(v.text, decisions))
			}
			s.decision, given = hookfile.Decision(v.text), true
		case "reason":
			s.reason = v.text
		case "append_context":
			s.context = v.text
		}
	}
	switch {
	case !given && (strings.TrimSpace(s.context) != "" || s.sections != nil):
		s.decision = hookfile.Append
	case !given:
		s.decision = hookfile.Allow
	case s.decision == hookfile.Append && strings.TrimSpace(s.context) == "" && s.sections == nil:
		return said{}, errors.New("answered append_context without a text")
	}
	return s, nil
}

// readSections reads append_system_sections, in the order of their ids. There is
// no way to make a client keep a text, so "required" counts as "preferred", which
// is noted.
func (s *said) readSections(n *node) error {
	if n.kind != '[' || len(n.list) > maxSections {
		return fmt.Errorf("answered append_system_sections that is no list of at most %d", maxSections)
	}
	for _, e := range n.list {
		if e.kind != '{' {
			return errors.New("answered a section that is no object")
		}
		sec := section{}
		for _, m := range e.members {
			v := m.val
			switch {
			case !slices.Contains(sectionKeys, m.name):
				return fmt.Errorf("answered an unknown key %q in a section (%s)", short(m.name, 40), oneOf(m.name, sectionKeys))
			case v.kind != '"':
				return fmt.Errorf("answered %s of a section that is no string", m.name)
			case m.name == "id":
				sec.id = v.text
			case m.name == "text":
				sec.text = v.text
			case m.name == "retention" && slices.Contains(retentions, v.text):
				if sec.optional = v.text == "optional"; v.text == "required" {
					s.notes = append(s.notes, "retention required counts as preferred")
				}
			case m.name == "cache" && slices.Contains(caches, v.text):
				sec.stable = v.text == "stable"
			case m.name == "retention":
				return fmt.Errorf("answered an unknown retention %q (%s)", short(v.text, 40), oneOf(v.text, retentions))
			default:
				return fmt.Errorf("answered an unknown cache %q (%s)", short(v.text, 40), oneOf(v.text, caches))
			}
		}
		switch {
		case sec.id == "" || len(sec.id) > 100 || strings.ContainsAny(sec.id, "\r\n\t"):
			return errors.New("answered a section whose id is not one line of 1 to 100 bytes")
		case strings.TrimSpace(sec.text) == "":
			return fmt.Errorf("answered the section %q without a text", sec.id)
		case slices.ContainsFunc(s.sections, func(o section) bool { return o.id == sec.id }):
			return fmt.Errorf("answered the section %q twice", sec.id)
		}
		s.sections = append(s.sections, sec)
	}
	slices.SortStableFunc(s.sections, func(a, b section) int { return strings.Compare(a.id, b.id) })
	return nil
}

// looksMeant reports that broken JSON was meant as an answer.
func looksMeant(text string) bool {
	for _, k := range answerKeys {
		if strings.Contains(text, `"`+k+`"`) {
			return true
		}
	}
	return false
}

// bounded keeps the beginning and the end of what is written to it, at most max
// bytes together, and counts the rest; the writer is never held up.
type bounded struct {
	max  int
	head []byte
	tail []byte // a ring once it is full
	at   int
	lost int
}

func (b *bounded) headRoom() int { return b.max - b.max/4 }

func (b *bounded) Write(p []byte) (int, error) {
	n := len(p)
	if room := b.headRoom() - len(b.head); room > 0 {
		k := min(room, len(p))
		b.head = append(b.head, p[:k]...)
		p = p[k:]
	}
	size := b.max / 4
	if skip := len(p) - size; skip > 0 {
		// None of what stood in the ring is left, nor the beginning of this.
		b.lost += len(b.tail) + skip
		p = p[skip:]
		b.tail, b.at = b.tail[:0], 0
	}
	for len(p) > 0 && size > 0 {
		if len(b.tail) < size {
			k := min(size-len(b.tail), len(p))
			b.tail = append(b.tail, p[:k]...)
			p = p[k:]
			continue
		}
		k := copy(b.tail[b.at:], p)
		b.lost += k
		b.at = (b.at + k) % size
		p = p[k:]
	}
	return n, nil
}

// String is the text, cut between characters, with a mark where some is missing.
func (b *bounded) String() string {
	tail := string(b.tail[b.at:]) + string(b.tail[:b.at])
	head := string(b.head)
	if b.lost == 0 {
		return strings.ToValidUTF8(head+tail, "\uFFFD")
	}
	head, cut := trimEnd(head)
	rest := trimStart(tail)
	return strings.ToValidUTF8(head, "\uFFFD") + fmt.Sprintf("\n[%d bytes left out]\n", b.lost+cut+len(tail)-len(rest)) + strings.ToValidUTF8(rest, "\uFFFD")
}

// trimEnd takes the beginning of a character off the end.
func trimEnd(s string) (string, int) {
	for k := 1; k <= min(utf8.UTFMax-1, len(s)); k++ {
		if c := s[len(s)-k]; utf8.RuneStart(c) {
			if !utf8.FullRuneInString(s[len(s)-k:]) {
				return s[:len(s)-k], k
			}
			break
		}
	}
	return s, 0
}

// trimStart takes the end of a character off the beginning.
func trimStart(s string) string {
	for k := 0; k < utf8.UTFMax-1 && len(s) > 0 && !utf8.RuneStart(s[0]); k++ {
		s = s[1:]
	}
	return s
}
