package workspace

import "strings"

// expandBraces spreads {a,b} groups, nested ones too, into plain patterns, in
// the order written. A group of one, "{a..c}" included, is its content.
// Brackets hide braces and commas; a backslash keeps either.
func expandBraces(p string, limit int) ([]string, error) {
	open, class := -1, false
	for i := 0; i < len(p) && open < 0; i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			class = class || classEnds(p[i+1:])
		case ']':
			class = false
		case '{':
			if !class {
				open = i
			}
		case '}':
			if !class {
				return nil, errBraceEnd
			}
		}
	}
	if open < 0 {
		if limit < 1 {
			return nil, errTooMany
		}
		return []string{p}, nil
	}
	parts, end := braceParts(p[open+1:])
	if end < 0 {
		return nil, errBrace
	}
	var out []string
	for _, part := range parts {
		more, err := expandBraces(p[:open]+part+p[open+1+end+1:], limit-len(out))
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// braceParts cuts the inside of a group at its own commas; end is the index of
// the closing brace, -1 if there is none.
func braceParts(s string) (parts []string, end int) {
	start, depth, class := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = classEnds(s[i+1:])
		case c == '{':
			depth++
		case c == ',' && depth == 0:
			parts = append(parts, s[start:i])
			start = i + 1
		case c == '}':
			if depth == 0 {
				return append(parts, s[start:i]), i
			}
			depth--
		}
	}
	return nil, -1
}

// classEnds reports that a bracket expression that just opened is closed within
// its segment.
func classEnds(s string) bool {
	s = strings.TrimLeft(s, "!^")
	if i := unescapedIndex(s, '/'); i >= 0 {
		s = s[:i]
	}
	return unescapedIndex(s, ']') > 0
}
