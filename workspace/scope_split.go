package workspace

import "strings"

// splitPatterns also accepts a YAML or JSON flow list that arrived as one
// string, and quotes around an item: both are what people's files hold.
func splitPatterns(s string) []string {
	s = strings.TrimSpace(s)
	if inner, ok := flowList(s); ok {
		s = inner
	}
	var out []string
	start, depth, class := 0, 0, false
	var quote byte
	add := func(end int) {
		item := strings.TrimSpace(s[start:end])
		// "- src" is an item of a block list that arrived as one string.
		item = unquote(strings.TrimSpace(strings.TrimPrefix(item, "- ")))
		if item != "" {
			out = append(out, item)
		}
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\\':
			i++
		case (c == '"' || c == '\'') && strings.TrimSpace(s[start:i]) == "" && strings.IndexByte(s[i+1:], c) >= 0:
			quote = c
		case class:
			class = c != ']'
		case c == '[':
			// Only a bracket that closes hides its commas; an unclosed one is
			// named by ParseScope with the pattern it stands in.
			class = strings.IndexByte(s[i+1:], ']') > 0
		case c == '{':
			if depth > 0 || strings.IndexByte(s[i+1:], '}') >= 0 {
				depth++
			}
		case c == '}':
			if depth > 0 {
				depth--
			}
		case c == ',' && depth == 0, c == '\n':
			add(i)
			start, depth = i+1, 0
		}
	}
	add(len(s))
	return out
}

// flowList tells ["a", "b"] and [a, b] from a bracket expression such as
// [ab].ts or [ab]: the bracket that opens the string closes it, and what lies
// inside could not be one expression.
func flowList(s string) (inner string, ok bool) {
	if len(s) < 2 || s[0] != '[' || s[len(s)-1] != ']' {
		return "", false
	}
	inner = s[1 : len(s)-1]
	if strings.TrimSpace(inner) == "" {
		return "", true
	}
	depth := 0
	for i := 0; i < len(inner); i++ {
		switch inner[i] {
		case '\\':
			i++
		case '[':
			depth++
		case ']':
			if depth--; depth < 0 {
				return "", false
			}
		}
	}
	return inner, depth == 0 && strings.ContainsAny(inner, `,"'/`)
}

func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return strings.TrimSpace(s[1 : len(s)-1])
	}
	return s
}
