package rawjson

import "bytes"

// Stream finds the end of the first object in a text that is still arriving.
// It looks only at quotes and brackets: whether the value is JSON is for Parse.
type Stream struct {
	at       int // how far the text was looked at
	depth    int
	inString bool
}

// Next looks at what b gained since the last call (b is the whole text so
// far). end is the index after the first object once it is complete, else 0.
// ok is false when the text cannot begin with an object.
func (s *Stream) Next(b []byte) (end int, ok bool) {
	for s.at < len(b) {
		if s.inString {
			q := bytes.IndexByte(b[s.at:], '"')
			if q < 0 {
				s.at = len(b)
				return 0, true
			}
			q += s.at
			n := 0
			for q-1-n >= 0 && b[q-1-n] == '\\' {
				n++
			}
			s.at = q + 1
			s.inString = n%2 == 1
			continue
		}
		c := b[s.at]
		switch {
		case c == '{' || c == '[':
			if s.depth == 0 && c == '[' {
				return 0, false
			}
			s.depth++
		case c == '}' || c == ']':
			if s.depth--; s.depth == 0 {
				return s.at + 1, true
			}
		case c == '"':
			s.inString = true
		}
		if s.depth <= 0 && c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return 0, false
		}
		s.at++
	}
	return 0, true
}
