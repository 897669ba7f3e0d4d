package terms

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold is Fold. Folding can put two characters side by side that compose, so
// it is repeated until nothing changes; two rounds are the rule.
func fold(s string) string {
	if isLowerASCII(s) {
		return s
	}
	// Stray bytes would become letters when what parted them goes.
	s = strings.ToValidUTF8(s, "\uFFFD")
	for range 8 {
		t := norm.NFKC.String(s)
		b := make([]byte, 0, len(t))
		b = appendFolded(b, t)
		if string(b) == s {
			break
		}
		s = string(b)
	}
	return s
}

func isLowerASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 0x80 || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

// appendFolded appends s, which is NFKC, in lower case and without Latin
// diacritics.
func appendFolded(b []byte, s string) []byte {
	latin := false // the letter before was Latin: its marks are dropped
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			latin = 'a' <= c && c <= 'z'
			b = append(b, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			b = append(b, s[i])
			i++
			continue
		}
		i += n
		if r >= 0x0430 && r <= 0x044F { // small Cyrillic letters are folded
			b, latin = append(b, s[i-2], s[i-1]), false
			continue
		}
		if r >= 0x0410 && r < 0x0430 {
			b, latin = utf8.AppendRune(b, r+0x20), false
			continue
		}
		if classOf(r) == dropped {
			continue
		}
		if unicode.IsMark(r) {
			// Cyrillic and Kana marks make other letters and stay; the marks of
			// Latin letters and of vocalised Arabic and Hebrew go.
			if latin || r >= 0x0591 && r <= 0x05C7 || r >= 0x064B && r <= 0x0655 || r == 0x0670 {
				continue
			}
			b = utf8.AppendRune(b, r)
			continue
		}
		b, latin = appendFoldedRune(b, r)
	}
	return b
}

// appendFoldedRune appends one letter beyond ASCII; latin says whether it was
// a Latin letter.
func appendFoldedRune(b []byte, r rune) (_ []byte, latin bool) {
	r = unicode.ToLower(r)
	switch r {
	case 'i', 'ı': // İ falls to i; the dotless i is written i by many keyboards
		return append(b, 'i'), true
	case 'ß':
		return append(b, "ss"...), true
	case 'æ':
		return append(b, "ae"...), true
	case 'œ':
		return append(b, "oe"...), true
	case 'ø':
		return append(b, 'o'), true
	case 'ł':
		return append(b, 'l'), true
	case 'đ', 'ð':
		return append(b, 'd'), true
	case 'þ':
		return append(b, "th"...), true
	case 'ё':
		return append(b, "е"...), false
	case 'ς':
		return append(b, "σ"...), false
	case 'أ', 'إ', 'آ', 'ٱ':
		return append(b, "ا"...), false
	case 'ى':
		return append(b, "ي"...), false
	case 'ـ': // tatweel only stretches a word
		return b, false
	}
	if r < utf8.RuneSelf {
		return append(b, byte(r)), 'a' <= r && r <= 'z'
	}
	if r >= 0x00E0 && r < 0x0250 || r >= 0x1E00 && r < 0x1F00 || r >= 0x0370 && r < 0x0400 || r >= 0x1F00 && r < 0x2000 {
		var tmp [utf8.UTFMax]byte
		n := utf8.EncodeRune(tmp[:], r)
		if d := norm.NFD.Properties(tmp[:n]).Decomposition(); len(d) > 0 {
			base, _ := utf8.DecodeRune(d)
			if unicode.IsLetter(base) {
				return utf8.AppendRune(b, base), base < 0x0370
			}
		}
		return append(b, tmp[:n]...), r < 0x0370
	}
	return utf8.AppendRune(b, r), false
}
