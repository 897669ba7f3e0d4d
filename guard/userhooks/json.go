package userhooks

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// node is one JSON value with its place, which encoding/json does not keep; a
// person who mends a file needs line and column.
type node struct {
	kind    byte // '{' '[' '"' '0' 't' 'f' 'n'
	off     int
	end     int
	text    string // of a string, decoded; of a number, as it stands
	members []member
	list    []*node
}

type member struct {
	name string
	off  int
	val  *node
}

const maxDepth = 32

// syntaxError is where and why the text is not JSON.
type syntaxError struct {
	off int
	msg string
}

type reader struct {
	s     string
	i     int
	depth int
}

// parseJSON reads exactly one value, as strictly as RFC 8259 and without
// repeated names, of which one would silently not count.
func parseJSON(s string) (n *node, err *syntaxError) {
	r := &reader{s: s}
	defer func() {
		if p := recover(); p != nil {
			e, ok := p.(*syntaxError)
			if !ok {
				panic(p)
			}
			n, err = nil, e
		}
	}()
	if !utf8.ValidString(s) {
		for i := 0; i < len(s); {
			c, w := utf8.DecodeRuneInString(s[i:])
			if c == utf8.RuneError && w == 1 {
				return nil, &syntaxError{i, "this is not UTF-8"}
			}
			i += w
		}
	}
	r.blank()
	n = r.value()
	r.blank()
	if r.i < len(s) {
		r.fail(r.i, "nothing may follow the closing brace")
	}
	return n, nil
}

func (r *reader) fail(off int, format string, args ...any) {
	panic(&syntaxError{min(off, len(r.s)), fmt.Sprintf(format, args...)})
}

func (r *reader) blank() {
	for r.i < len(r.s) {
		switch r.s[r.i] {
		case ' ', '\t', '\r', '\n':
			r.i++
		case '/':
			r.fail(r.i, "JSON has no comments")
		default:
			return
		}
	}
}

func (r *reader) value() *node {
	if r.i >= len(r.s) {
		r.fail(r.i, "the file ends where a value is missing")
	}
	n := &node{off: r.i}
	switch c := r.s[r.i]; {
	case c == '{':
		r.object(n)
	case c == '[':
		r.array(n)
	case c == '"':
		n.kind, n.text = '"', r.str()
	case c == '-' || c >= '0' && c <= '9':
		n.kind, n.text = '0', r.number()
	case r.word("true"):
		n.kind = 't'
	case r.word("false"):
		n.kind = 'f'
	case r.word("null"):
		n.kind = 'n'
	default:
		r.fail(r.i, "expected a value")
	}
	n.end = r.i
	return n
}

func (r *reader) word(w string) bool {
	if !strings.HasPrefix(r.s[r.i:], w) {
		return false
	}
	r.i += len(w)
	return true
}

func (r *reader) deeper() {
	if r.depth++; r.depth > maxDepth {
		r.fail(r.i, "nested more than %d deep", maxDepth)
	}
	r.i++
	r.blank()
}

func (r *reader) at(c byte) bool { return r.i < len(r.s) && r.s[r.i] == c }

// next skips the comma; more is false at the closing character.
func (r *reader) next(close byte, what string) (more bool) {
	r.blank()
	switch {
	case r.at(close):
		r.i++
		r.depth--
		return false
	case r.at(','):
		comma := r.i
		r.i++
		r.blank()
		if r.at(close) {
			r.fail(comma, "no comma may stand before %q", close)
		}
		return true
	case r.i >= len(r.s):
		r.fail(r.i, "the file ends inside %s", what)
	default:
		r.fail(r.i, "expected a comma or %q", close)
	}
	return false
}

func (r *reader) object(n *node) {
	n.kind = '{'
	r.deeper()
	if r.at('}') {
		r.i++
		r.depth--
		return
	}
	for {
		if !r.at('"') {
			r.fail(r.i, "expected a name in double quotes")
		}
		m := member{off: r.i}
		m.name = r.str()
		for _, o := range n.members {
			if o.name == m.name {
				r.fail(m.off, "%q stands here twice", m.name)
			}
		}
		r.blank()
		if !r.at(':') {
			r.fail(r.i, "expected a colon after %q", m.name)
		}
		r.i++
		r.blank()
		m.val = r.value()
		n.members = append(n.members, m)
		if !r.next('}', "an object") {
			return
		}
	}
}

func (r *reader) array(n *node) {
	n.kind = '['
	r.deeper()
	if r.at(']') {
		r.i++
		r.depth--
		return
	}
	for {
		n.list = append(n.list, r.value())
		if !r.next(']', "a list") {
			return
		}
	}
}

func (r *reader) number() string {
	from := r.i
	digits := func() {
		start := r.i
		for r.i < len(r.s) && r.s[r.i] >= '0' && r.s[r.i] <= '9' {
			r.i++
		}
		if r.i == start {
			r.fail(from, "this is no number")
		}
	}
	if r.at('-') {
		r.i++
	}
	if r.at('0') {
		r.i++
	} else {
		digits()
	}
	if r.at('.') {
		r.i++
		digits()
	}
	if r.at('e') || r.at('E') {
		r.i++
		if r.at('+') || r.at('-') {
			r.i++
		}
		digits()
	}
	return r.s[from:r.i]
}

func (r *reader) str() string {
	from := r.i
	r.i++
	var b strings.Builder
	for {
		if r.i >= len(r.s) {
			r.fail(from, "this string is not closed")
		}
		switch c := r.s[r.i]; {
		case c == '"':
			r.i++
			return b.String()
		case c < ' ':
			r.fail(r.i, "a control character stands in a string; write \\n for a line break")
		case c == '\\':
			b.WriteRune(r.escape())
		default:
			b.WriteByte(c)
			r.i++
		}
	}
}

func (r *reader) escape() rune {
	at := r.i
	r.i++
	if r.i >= len(r.s) {
		r.fail(at, "this string is not closed")
	}
	c := r.s[r.i]
	r.i++
	switch c {
	case '"', '\\', '/':
		return rune(c)
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'u':
		u := r.hex(at)
		if !utf16.IsSurrogate(u) {
			return u
		}
		if strings.HasPrefix(r.s[r.i:], `\u`) {
			r.i += 2
			if pair := utf16.DecodeRune(u, r.hex(at)); pair != utf8.RuneError {
				return pair
			}
		}
		r.fail(at, "half of a surrogate pair")
	}
	r.fail(at, "unknown escape \\%c; a backslash is written as \\\\", c)
	return 0
}

func (r *reader) hex(at int) rune {
	if r.i+4 > len(r.s) {
		r.fail(at, "\\u needs four hex digits")
	}
	var u rune
	for _, c := range r.s[r.i : r.i+4] {
		switch {
		case c >= '0' && c <= '9':
			u = u<<4 | (c - '0')
		case c >= 'a' && c <= 'f':
			u = u<<4 | (c - 'a' + 10)
		case c >= 'A' && c <= 'F':
			u = u<<4 | (c - 'A' + 10)
		default:
			r.fail(at, "\\u needs four hex digits")
		}
	}
	r.i += 4
	return u
}

// lineCol is the 1-based line and column (in characters) of an offset.
func lineCol(s string, off int) (line, col int) {
	off = min(off, len(s))
	line = 1 + strings.Count(s[:off], "\n")
	from := strings.LastIndexByte(s[:off], '\n') + 1
	return line, 1 + utf8.RuneCountInString(s[from:off])
}
