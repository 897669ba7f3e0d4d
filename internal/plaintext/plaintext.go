// Package plaintext makes text that others wrote safe to show to a model or a
// person: no invisible, bidirectional or control characters, valid UTF-8, and
// lines that cannot close a fence. What a reader sees is what a model gets.
package plaintext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean removes invisible, bidirectional and control characters. Tabs and line
// ends stay (CRLF, CR and the Unicode line separators become "\n"), invalid
// bytes become U+FFFD. Joiners stay where a script or an emoji needs them: one
// between two characters beyond Latin and Greek.
// Clean(Clean(s)) == Clean(s).
func Clean(s string) string {
	if clean(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	last := rune(0) // the last character written
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case c == '\r':
				if i < len(s) && s[i] == '\n' {
					continue
				}
				c = '\n'
			case c < ' ' && c != '\t' && c != '\n', c == 0x7F:
				continue
			}
			b.WriteByte(c)
			last = rune(c)
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch {
		case r == 0x2028 || r == 0x2029 || r == 0x85:
			r = '\n'
		case r == 0x200C || r == 0x200D:
			next, _ := utf8.DecodeRuneInString(s[i:])
			if last < 0x0600 || next < 0x0600 || hidden(next) || hidden(last) {
				continue
			}
		case r == 0xFE0E || r == 0xFE0F: // how the sign before is drawn
			if !(last > 0x2000 && last != 0x200D && !hidden(last) && !unicode.IsLetter(last)) {
				continue
			}
		case hidden(r):
			continue
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// clean reports that s needs no work; most text does not.
func clean(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' && c != '\n' && c != '\t' || c == 0x7F {
			return false
		} else if c >= utf8.RuneSelf {
			for _, r := range s[i:] {
				if r >= utf8.RuneSelf && hidden(r) || r == utf8.RuneError || r < ' ' && r != '\n' && r != '\t' || r == 0x7F {
					return false
				}
			}
			return true
		}
	}
	return true
}

// hidden reports characters that show nothing or turn the direction of text.
func hidden(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case r < 0xA0, r == 0xAD, r == 0x034F, r == 0x061C, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5,
		r >= 0x180B && r <= 0x180F, r >= 0x200B && r <= 0x200F, r >= 0x2028 && r <= 0x202E,
		r >= 0x2060 && r <= 0x206F, r == 0x2800, r == 0x3164, r >= 0xFE00 && r <= 0xFE0F, r == 0xFEFF, r == 0xFFA0,
		r >= 0xFFF0 && r <= 0xFFFB, r >= 0x1BCA0 && r <= 0x1BCA3, r >= 0x1D173 && r <= 0x1D17A,
		r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	// Characters of no meaning at all (U+FFFE and its kin, private use stays).
	return r&0xFFFE == 0xFFFE || r >= 0xFDD0 && r <= 0xFDEF
}

// Line is Clean on one line: white space in a row becomes one space, the ends
// are trimmed, and what is longer than max characters is cut before a word and
// ends in "…". max 0: no limit.
func Line(s string, max int) string {
	s = strings.Join(strings.Fields(Clean(s)), " ")
	if max <= 0 || len(s) <= max || utf8.RuneCountInString(s) <= max {
		return s
	}
	cut, n := 0, 0
	for i := range s {
		if n == max-1 {
			cut = i
			break
		}
		n++
	}
	// A cut inside a word goes back to the space before it, unless the word is
	// most of the line (scripts without spaces).
	if sp := strings.LastIndexByte(s[:cut+1], ' '); sp > cut/2 {
		cut = sp
	}
	s = s[:cut]
	for { // a mark without its letter, a joiner without its neighbour
		r, n := utf8.DecodeLastRuneInString(s)
		if n == 0 || r != 0x200D && r != 0x200C && r != ' ' {
			break
		}
		s = s[:len(s)-n]
	}
	return s + "…"
}

// Fenced defuses every line of s that a reader could take for one of our fence
// lines, which begin with mark, by putting two spaces and a bar before it.
func Fenced(s, mark string) string {
	if !strings.Contains(s, strings.TrimSpace(mark)) {
		return s
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(strings.TrimLeft(l, " \t>"), strings.TrimSpace(mark)) {
			lines[i] = "  | " + l
		}
	}
	return strings.Join(lines, "\n")
}
