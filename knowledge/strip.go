package knowledge

import (
	"strings"

	"pathrule/internal/codefence"
)

// Strip is what may be delivered of a body: HTML comments and a trailing
// "## Bindings" section go, code fences stay as they are, blank lines at both
// ends go.
//
// A comment that was all of its lines takes them along, and of two blank lines
// that meet one goes.
func Strip(body string) string {
	if strings.Contains(body, "<!--") {
		body = dropComments(body)
	}
	if i := Bindings(body); i >= 0 {
		body = body[:i]
	}
	lines := strings.Split(body, "\n")
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\r")
}

func dropComments(body string) string {
	var out strings.Builder
	out.Grow(len(body))
	var f codefence.Fences
	pos, blank, dropped := 0, true, false
	for pos < len(body) {
		end := strings.IndexByte(body[pos:], '\n')
		if end < 0 {
			end = len(body)
		} else {
			end += pos + 1
		}
		line := body[pos:end]
		if f.Code(strings.TrimRight(line, "\r\n")) {
			out.WriteString(line)
			pos, blank, dropped = end, false, false
			continue
		}
		kept, next := dropInLine(body, pos, end)
		gone := kept != line && strings.TrimSpace(kept) == ""
		isBlank := strings.TrimSpace(line) == ""
		switch {
		case gone:
			dropped = true
		case isBlank && dropped && blank:
			// The blank line behind a comment that stood behind a blank line.
		default:
			out.WriteString(kept)
			blank, dropped = isBlank, false
		}
		pos = next
	}
	return out.String()
}

// dropInLine takes the comments out of the line body[pos:end] and returns what
// is left and where to go on: behind the end of a comment over several lines,
// the rest of whose last line then counts to this one. A comment that never
// ends is text, and so is one in a code span.
func dropInLine(body string, pos, end int) (kept string, next int) {
	var b strings.Builder
	from := pos
	for i := pos; i < end; {
		switch {
		case body[i] == '`':
			n := 1
			for i+n < end && body[i+n] == '`' {
				n++
			}
			i += n
			if j := spanEnd(body[i:end], n); j >= 0 {
				i += j
			}
		case strings.HasPrefix(body[i:], "<!--"):
			j := strings.Index(body[i+4:], "-->")
			if j < 0 {
				i += 4
				continue
			}
			b.WriteString(body[from:i])
			i += 4 + j + 3
			from = i
			if i > end {
				if nl := strings.IndexByte(body[i:], '\n'); nl >= 0 {
					end = i + nl + 1
				} else {
					end = len(body)
				}
			}
		default:
			i++
		}
	}
	if from == pos {
		return body[pos:end], end
	}
	b.WriteString(body[from:end])
	return b.String(), end
}

// spanEnd is the offset behind the run of exactly n backticks that closes a
// code span, -1 without one.
func spanEnd(s string, n int) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		m := 1
		for i+m < len(s) && s[i+m] == '`' {
			m++
		}
		i += m
		if m == n {
			return i
		}
	}
	return -1
}

// Bindings is the offset of a "## Bindings" section that no other section of
// its level follows, -1 without one: it is for programs and not delivered.
func Bindings(body string) int {
	if !strings.Contains(body, "Bindings") {
		return -1
	}
	cut := -1
	for _, h := range Headings(body) {
		switch {
		case h.Level == 2 && h.Text == "Bindings":
			cut = h.Start
		case h.Level <= 2:
			cut = -1
		}
	}
	return cut
}

// Heading is one "# " line of a body.
type Heading struct {
	Level      int
	Text       string // without "#"s, markup as written
	Start, End int    // bytes, its line ending included
}

// Headings lists the headings outside code, in order.
func Headings(body string) []Heading {
	var out []Heading
	var f codefence.Fences
	for pos := 0; pos < len(body); {
		end := strings.IndexByte(body[pos:], '\n')
		if end < 0 {
			end = len(body)
		} else {
			end += pos + 1
		}
		line := strings.TrimRight(body[pos:end], "\r\n")
		if !f.Code(line) {
			t := strings.TrimLeft(line, " ")
			n := len(t) - len(strings.TrimLeft(t, "#"))
			if n >= 1 && n <= 6 && len(line)-len(t) <= 3 && (len(t) == n || t[n] == ' ' || t[n] == '\t') {
				out = append(out, Heading{n, closeHeading(t[n:]), pos, end})
			}
		}
		pos = end
	}
	return out
}
