package terms

import "unicode/utf8"

// stem stems the folded word buf[mark:] by its script. original is the word
// before folding, whose diacritics tell more.
func stem(buf []byte, mark int, original string) []byte {
	w := buf[mark:]
	if len(w) == 0 {
		return buf
	}
	if w[0] < utf8.RuneSelf {
		// Portuguese plurals in -ões fold to a form of their own.
		if len(original) > len("ões") && original[len(original)-len("ões"):] == "ões" && hasSuffix(w, "oes") {
			n := mark + len(w) - len("oes")
			buf = append(buf[:n], "ao"...)
			w = buf[mark:]
		}
		return buf[:mark+stemLatin(w)]
	}
	if r, _ := utf8.DecodeRune(w); r >= 0x0400 && r < 0x0530 {
		return append(buf[:mark], cyrillic(string(w))...)
	}
	return buf
}

// cyrillic stems as Russian. A word of another Cyrillic language loses at
// most an ending, in query and entry alike.
func cyrillic(w string) string {
	for i := 0; i < len(w); i += 2 { // letters of two bytes only, at least four
		if w[i] != 0xD0 && w[i] != 0xD1 || len(w) < 8 || i+1 == len(w) {
			return w
		}
	}
	if s := russian(w); s != "" {
		return s
	}
	return w
}
