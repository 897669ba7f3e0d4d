package terms

import "unicode"

// class is how a character takes part in words.
type class uint8

const (
	separator class = iota
	letter          // of a script that writes spaces between words; digits too
	mark            // continues the word before it
	dropped         // inside a word, but no part of it (soft hyphen, joiners)
	han
	hiragana
	katakana
	hangul
	sea // Thai, Lao, Khmer, Burmese: no spaces, letters carry marks
)

// asciiWord holds the ASCII letters and digits.
var asciiWord = [128]bool{
	'0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true,
	'A': true, 'B': true, 'C': true, 'D': true, 'E': true, 'F': true, 'G': true, 'H': true, 'I': true, 'J': true,
	'K': true, 'L': true, 'M': true, 'N': true, 'O': true, 'P': true, 'Q': true, 'R': true, 'S': true, 'T': true,
	'U': true, 'V': true, 'W': true, 'X': true, 'Y': true, 'Z': true,
	'a': true, 'b': true, 'c': true, 'd': true, 'e': true, 'f': true, 'g': true, 'h': true, 'i': true, 'j': true,
	'k': true, 'l': true, 'm': true, 'n': true, 'o': true, 'p': true, 'q': true, 'r': true, 's': true, 't': true,
	'u': true, 'v': true, 'w': true, 'x': true, 'y': true, 'z': true,
}

// classOf sorts a character beyond ASCII. Ranges stand before the Unicode
// tables because a hook process should not search tables for common text.
func classOf(r rune) class {
	switch {
	case r < 0x80:
		if asciiWord[r] {
			return letter
		}
		return separator
	case r < 0x0300:
		switch {
		case r == 0xAD:
			return dropped
		case r >= 0xC0 && r != 0xD7 && r != 0xF7, r == 0xAA, r == 0xB5, r == 0xBA:
			return letter
		}
		return separator
	case r < 0x0370:
		return mark
	case r >= 0x0400 && r <= 0x052F:
		if r >= 0x0483 && r <= 0x0489 {
			return mark
		}
		return letter
	case r >= 0x0E00 && r <= 0x0EFF, r >= 0x1000 && r <= 0x109F, r >= 0x1780 && r <= 0x17FF, r >= 0xAA60 && r <= 0xAA7F:
		switch {
		case unicode.IsMark(r):
			return mark
		case unicode.IsDigit(r):
			return letter
		case unicode.IsLetter(r):
			return sea
		}
		return separator
	case r == 0x200C, r == 0x200D, r == 0x2060:
		return dropped
	case r == 0x3005, r == 0x3007, r == 0x303B, r >= 0x3400 && r <= 0x4DBF, r >= 0x4E00 && r <= 0x9FFF,
		r >= 0xF900 && r <= 0xFAFF, r >= 0x20000 && r <= 0x3FFFF && unicode.Is(unicode.Han, r):
		return han
	case r >= 0x3041 && r <= 0x3096, r == 0x309D, r == 0x309E:
		return hiragana
	case r >= 0x30A1 && r <= 0x30FF && r != 0x30FB, r >= 0x31F0 && r <= 0x31FF, r >= 0x3105 && r <= 0x312F:
		return katakana
	case r >= 0xAC00 && r <= 0xD7A3, r >= 0x1100 && r <= 0x11FF, r >= 0x3131 && r <= 0x318E,
		r >= 0xA960 && r <= 0xA97C, r >= 0xD7B0 && r <= 0xD7FB:
		return hangul
	}
	switch {
	case unicode.IsLetter(r), unicode.IsDigit(r):
		return letter
	case unicode.IsMark(r):
		return mark
	}
	return separator
}
