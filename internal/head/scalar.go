package head

import "strings"

type read struct {
	text    string
	list    []string
	comment string
	style   Style
	null    bool
	// beyond: only YAML knows; refused: YAML refuses it, the text is what a
	// person means.
	beyond, refused bool
}

// scalar reads a value that stands on one line, without blanks before it. An
// item is what stands behind "- ", where "a: b" would be a map.
func scalar(s string, item bool) read {
	s = strings.TrimRight(s, " \t")
	if s == "" {
		return read{null: true}
	}
	switch s[0] {
	case '#':
		return read{null: true, comment: " " + s}
	case '"', '\'':
		if v, ok := quoted(s); ok {
			return v
		}
		return read{text: s, style: Plain, beyond: true}
	case '[':
		return flow(s)
	case '|', '>', '&', '{', '}', ']', ',':
		v := plain(s, item)
		v.beyond = true
		if s[0] == '{' {
			v.text = s
		}
		return v
	case '?', '-', ':':
		v := plain(s, item)
		v.beyond = v.beyond || len(s) == 1 || s[1] == ' ' || s[1] == '\t'
		return v
	case '!':
		v := plain(s, item)
		if len(s) == 1 || s[1] == ' ' || s[1] == '\t' || s[1] == '!' || s[1] == '<' {
			v.beyond = true
		}
		v.refused = true
		return v
	case '*', '@', '`', '%':
		v := plain(s, item)
		v.refused = true
		return v
	}
	v := plain(s, item)
	switch v.text {
	case "~", "null", "Null", "NULL":
		v.null, v.text = true, ""
	}
	return v
}

// plain reads an unquoted value: up to a "#" behind a blank.
func plain(s string, item bool) read {
	v := read{style: Plain}
	v.text = s
	for i := 1; i < len(s); i++ {
		if s[i] == '#' && (s[i-1] == ' ' || s[i-1] == '\t') {
			v.text = strings.TrimRight(s[:i], " \t")
			v.comment = s[len(v.text):]
			break
		}
	}
	if strings.Contains(v.text, ": ") || strings.Contains(v.text, ":\t") || strings.HasSuffix(v.text, ":") {
		if item {
			v.beyond = true
		} else {
			v.refused = true
		}
	}
	return v
}

// quoted reads a value in quotes that ends on the line. Of the escapes only \"
// and \\ are known.
func quoted(s string) (read, bool) {
	q := s[0]
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		c := s[i]
		switch {
		case q == '\'' && c == '\'' && i+1 < len(s) && s[i+1] == '\'':
			b.WriteByte('\'')
			i++
		case q == '"' && c == '\\':
			if i+1 >= len(s) || s[i+1] != '"' && s[i+1] != '\\' {
				return read{}, false
			}
			i++
			b.WriteByte(s[i])
		case c == q:
			rest := s[i+1:]
			t := strings.TrimLeft(rest, " \t")
			if t != "" && (t[0] != '#' || len(t) == len(rest)) {
				return read{}, false
			}
			return read{text: b.String(), style: Quoted, comment: rest}, true
		default:
			b.WriteByte(c)
		}
	}
	return read{}, false
}

// flow reads "[a, "b"]" that ends on the line.
func flow(s string) read {
	v := read{style: Flow}
	i := 1
	for {
		for i < len(s) && s[i] == ' ' {
			i++
		}
		if i >= len(s) {
			return flowBeyond(s)
		}
		if s[i] == ']' {
			break
		}
		if s[i] == '"' || s[i] == '\'' {
			end := closing(s, i)
			if end < 0 {
				return flowBeyond(s)
			}
			q, ok := quoted(s[i : end+1])
			if !ok || q.text == "" {
				return flowBeyond(s)
			}
			v.list = append(v.list, q.text)
			i = end + 1
		} else {
			j := i
			for j < len(s) && s[j] != ',' && s[j] != ']' {
				if strings.IndexByte("[{}:#\"'", s[j]) >= 0 {
					return flowBeyond(s)
				}
				j++
			}
			text := strings.TrimRight(s[i:j], " ")
			switch text {
			case "", "~", "null", "Null", "NULL":
				return flowBeyond(s)
			}
			if strings.IndexByte("&|>%@!?-`", text[0]) >= 0 {
				return flowBeyond(s)
			}
			// YAML takes the one for an alias, and has no "?" in a list (that of
			// the library has none, though the standard allows it).
			if text[0] == '*' || strings.IndexByte(text, '?') >= 0 {
				v.refused = true
			}
			v.list = append(v.list, text)
			i = j
		}
		for i < len(s) && s[i] == ' ' {
			i++
		}
		if i < len(s) && s[i] == ',' {
			i++
		} else if i >= len(s) || s[i] != ']' {
			return flowBeyond(s)
		}
	}
	rest := s[i+1:]
	t := strings.TrimLeft(rest, " ")
	if t != "" && (t[0] != '#' || len(t) == len(rest)) {
		return flowBeyond(s)
	}
	v.comment = rest
	return v
}

func flowBeyond(s string) read {
	return read{style: Flow, list: flowLoose(s), beyond: true}
}

// flowLoose makes the best of a flow list that is not simple: it splits at
// commas outside quotes and inner brackets.
func flowLoose(s string) []string {
	var out []string
	for _, raw := range flowRaw(s) {
		if t := unquote(raw); t != "" {
			out = append(out, t)
		}
	}
	return out
}

func flowRaw(s string) []string {
	s = strings.TrimPrefix(strings.TrimSpace(s), "[")
	var out []string
	depth, start := 0, 0
	var q byte
	put := func(end int) {
		if t := strings.Trim(s[start:end], " \t"); t != "" {
			out = append(out, t)
		}
		start = end + 1
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case q != 0:
			if c == q {
				q = 0
			}
		case c == '"' || c == '\'':
			q = c
		case c == '[' || c == '{':
			depth++
		case c == ']' && depth == 0:
			put(i)
			return out
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			put(i)
		}
	}
	put(len(s))
	return out
}

// closing is the offset of the quote that ends the one at i, -1 without one.
func closing(s string, i int) int {
	q := s[i]
	for j := i + 1; j < len(s); j++ {
		switch {
		case q == '"' && s[j] == '\\':
			j++
		case s[j] == q:
			if q == '\'' && j+1 < len(s) && s[j+1] == q {
				j++
				continue
			}
			return j
		}
	}
	return -1
}

func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') {
		if v, ok := quoted(s); ok {
			return v.text
		}
		if s[len(s)-1] == s[0] {
			return s[1 : len(s)-1]
		}
	}
	return s
}

// Token is one item of a flow list, as written and as meant.
type Token struct{ Raw, Text string }

// FlowTokens splits "[a, 'b']" at commas outside quotes and inner brackets.
func FlowTokens(s string) []Token {
	var out []Token
	for _, raw := range flowRaw(s) {
		out = append(out, Token{raw, unquote(raw)})
	}
	return out
}
