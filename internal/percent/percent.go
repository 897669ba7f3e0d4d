// Package percent keeps a text on one line and in one word, or in a file name:
// bytes that may not stand there become "%XX".
package percent

import (
	"strconv"
	"strings"
)

// Append appends s with every byte that keep refuses as "%XX"; "%" itself is
// always escaped, so that Decode gives s back.
func Append(b []byte, s string, keep func(c byte) bool) []byte {
	const hex = "0123456789ABCDEF"
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != '%' && keep(c) {
			b = append(b, c)
		} else {
			b = append(b, '%', hex[c>>4], hex[c&15])
		}
	}
	return b
}

// Word keeps what may stand in one word of a line: all but blanks and control
// characters.
func Word(c byte) bool { return c > ' ' && c != 0x7f }

// Decode undoes Append; a "%" without two hex digits behind it stays.
func Decode(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b = append(b, byte(n))
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}
