package knowledge

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainText takes the inline markup off one line of Markdown: emphasis, code
// ticks, links (their text stays), pictures, tags. A glob such as **/*.ts and a
// name such as snake_case stay whole.
func plainText(s string) string {
	if strings.ContainsAny(s, "[<") {
		s = links(s)
	}
	if strings.ContainsAny(s, "*_`~\\") {
		s = emphasis(s)
	}
	return strings.Join(strings.Fields(s), " ")
}

func links(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		switch {
		case s[i] == '`': // code stays as it is
			j := i
			for j < len(s) && s[j] == '`' {
				j++
			}
			if e := spanEnd(s[j:], j-i); e >= 0 {
				j += e
			}
			b.WriteString(s[i:j])
			i = j
		case strings.HasPrefix(s[i:], "!["):
			if _, end, ok := link(s, i+1); ok {
				i = end
				continue
			}
			b.WriteByte(s[i])
			i++
		case s[i] == '[':
			if text, end, ok := link(s, i); ok {
				b.WriteString(links(text))
				i = end
				continue
			}
			b.WriteByte(s[i])
			i++
		case s[i] == '<':
			if end := tag(s[i:]); end > 0 {
				i += end
				continue
			}
			b.WriteByte(s[i])
			i++
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String()
}

// link reads "[text](target)" or "[text][name]" at i.
func link(s string, i int) (text string, end int, ok bool) {
	close := match(s, i, '[', ']')
	if close < 0 || close+1 >= len(s) {
		return "", 0, false
	}
	var stop int
	switch s[close+1] {
	case '(':
		stop = match(s, close+1, '(', ')')
	case '[':
		stop = match(s, close+1, '[', ']')
	default:
		return "", 0, false
	}
	if stop < 0 {
		return "", 0, false
	}
	return s[i+1 : close], stop + 1, true
}

func match(s string, i int, open, close byte) int {
	depth := 0
	for j := i; j < len(s); j++ {
		switch s[j] {
		case '\\':
			j++
		case open:
			depth++
		case close:
			if depth--; depth == 0 {
				return j
			}
		}
	}
	return -1
}

// tag is the length of an HTML tag that formats; a placeholder such as <name>
// or <your-key> is text.
func tag(s string) int {
	end := strings.IndexByte(s, '>')
	if end < 0 {
		return 0
	}
	name, _, _ := strings.Cut(strings.Trim(s[1:end], "/ "), " ")
	switch strings.ToLower(strings.TrimSuffix(name, "/")) {
	case "a", "b", "i", "em", "strong", "code", "kbd", "br", "p", "div", "span", "sub", "sup", "img", "u", "s", "details", "summary":
		return end + 1
	}
	return 0
}

// emphasis takes off "*", "_", "~~" and "`" that open and close something, and
// the backslash of an escape.
func emphasis(s string) string {
	type run struct{ at, n int }
	drop := make([]bool, len(s))
	var open []run
	for i := 0; i < len(s); {
		switch c := s[i]; c {
		case '\\':
			if i+1 < len(s) && s[i+1] < utf8.RuneSelf && unicode.IsPunct(rune(s[i+1])) && strings.IndexByte("*_`~[]<>#!", s[i+1]) >= 0 {
				drop[i] = true
				i++
			}
			i++
		case '`':
			j := i
			for j < len(s) && s[j] == '`' {
				j++
			}
			e := spanEnd(s[j:], j-i)
			if e < 0 {
				i = j
				continue
			}
			for k := i; k < j; k++ {
				drop[k], drop[j+e-1-(k-i)] = true, true
			}
			i = j + e
		case '*', '_', '~':
			j := i
			for j < len(s) && s[j] == c {
				j++
			}
			prev, _ := utf8.DecodeLastRuneInString(s[:i])
			next, _ := utf8.DecodeRuneInString(s[j:])
			n := j - i
			inWord := c == '_' || n == 1
			left, right := opens(prev, next, inWord), opens(next, prev, inWord)
			if c == '~' && n != 2 || prev == '/' || next == '/' {
				i = j
				continue
			}
			closed := false
			if right {
				for k := len(open) - 1; k >= 0; k-- {
					if o := open[k]; s[o.at] == c && o.n == n {
						for m := 0; m < n; m++ {
							drop[o.at+m], drop[i+m] = true, true
						}
						open = open[:k]
						closed = true
						break
					}
				}
			}
			if left && !closed {
				open = append(open, run{i, n})
			}
			i = j
		default:
			i++
		}
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if !drop[i] {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// opens reports that a run between the runes before and after may begin (or,
// with the two swapped, end) emphasis. A run that could be part of a name
// (snake_case, a*b) must stand at the edge of a word, unless the script has no
// blanks between words.
func opens(before, after rune, name bool) bool {
	if after == utf8.RuneError || unicode.IsSpace(after) {
		return false
	}
	edge := before == utf8.RuneError || unicode.IsSpace(before) || unicode.IsPunct(before) || unicode.IsSymbol(before)
	if name {
		return edge || wide(before)
	}
	return edge || !unicode.IsPunct(after)
}
