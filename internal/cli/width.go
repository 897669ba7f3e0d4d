package cli

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"pathrule/internal/plaintext"
)

// Width is how many terminal columns s takes: two for wide East Asian
// characters and emoji, none for combining marks and invisible formatting.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	if r < 0x7f {
		if r < 0x20 {
			return 0
		}
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) || r == 0x7f || (r >= 0x80 && r < 0xa0) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Cut shortens s to at most n columns; what was cut is shown by "…".
func Cut(s string, n int) string {
	if n <= 0 || Width(s) <= n {
		return s
	}
	var b strings.Builder
	w := 0
	for _, r := range s {
		rw := runeWidth(r)
		if w+rw > n-1 {
			break
		}
		w += rw
		b.WriteRune(r)
	}
	b.WriteString("…")
	return b.String()
}

// Pad fills s with blanks up to n columns.
func Pad(s string, n int) string {
	if w := Width(s); w < n {
		return s + strings.Repeat(" ", n-w)
	}
	return s
}

// OneLine makes text that others wrote safe for one line of a terminal: no
// escape sequences, no invisible or bidirectional characters, no line breaks.
func OneLine(s string) string {
	return strings.TrimSpace(strings.NewReplacer("\n", " ", "\t", " ").Replace(plaintext.Clean(s)))
}

// Plain is OneLine for text that keeps its lines.
func Plain(s string) string { return plaintext.Clean(s) }
