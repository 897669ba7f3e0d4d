package terms

import (
	"sort"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// scanner walks normalised text. Words that change are gathered in buf and
// become one string at the end, so that a text costs a handful of allocations.
type scanner struct {
	s     string // NFKC
	dst   []Term
	buf   []byte
	later []span
	pos   int
	index bool // also Single terms
	// shift maps offsets of s to offsets of the input; empty: they are equal.
	shift []shift
}

// span says that dst[term].Text is buf[from:to].
type span struct{ term, from, to int }

// shift says that s[to:] began at input offset from. Between two shifts the
// text is the same byte for byte, unless changed.
type shift struct {
	to, from int
	// changed: the stretch up to the next shift was rewritten; an offset within
	// it stands for its whole.
	changed bool
}

func analyse(dst []Term, text string, index bool) []Term {
	sc := scanner{s: text, dst: dst, index: index}
	if !plain(text) {
		sc.normalise()
	}
	sc.run()
	if len(sc.later) > 0 {
		all := string(sc.buf)
		for _, l := range sc.later {
			sc.dst[l.term].Text = all[l.from:l.to]
		}
	}
	if len(sc.shift) > 0 {
		for i := len(dst); i < len(sc.dst); i++ {
			t := &sc.dst[i]
			t.Start, t.End = sc.origin(t.Start, false), sc.origin(t.End, true)
		}
	}
	return sc.dst
}

// plain reports text of ASCII and the basic Cyrillic letters, which is NFKC as
// it stands. Invalid bytes among it stay what they are.
func plain(text string) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c >= utf8.RuneSelf {
			// U+0400 to U+047F
			if c != 0xD0 && c != 0xD1 || i+1 == len(text) || text[i+1] < 0x80 || text[i+1] > 0xBF {
				return false
			}
			i++
		}
	}
	return true
}

// normalise brings the text to NFKC and remembers where things stood.
func (sc *scanner) normalise() {
	text := sc.s
	n := norm.NFKC.QuickSpanString(text)
	if n == len(text) {
		return
	}
	out := make([]byte, 0, len(text)+len(text)/8)
	at := 0
	for at < len(text) {
		n := norm.NFKC.QuickSpanString(text[at:])
		if n > 0 {
			sc.shift = append(sc.shift, shift{to: len(out), from: at})
			out = append(out, text[at:at+n]...)
			at += n
			continue
		}
		n = norm.NFKC.NextBoundaryInString(text[at:], true)
		if n <= 0 {
			n = len(text) - at
		}
		sc.shift = append(sc.shift, shift{to: len(out), from: at, changed: true})
		out = norm.NFKC.AppendString(out, text[at:at+n])
		at += n
	}
	// A closing shift, so that origin always finds the end of a stretch.
	sc.shift = append(sc.shift, shift{to: len(out), from: len(text)})
	sc.s = string(out)
}

// origin maps an offset of the normalised text to the input.
func (sc *scanner) origin(off int, end bool) int {
	i := sort.Search(len(sc.shift), func(i int) bool { return sc.shift[i].to > off }) - 1
	sh := sc.shift[i]
	switch {
	case off == sh.to:
		return sh.from
	case !sh.changed:
		return sh.from + off - sh.to
	case end:
		return sc.shift[i+1].from
	}
	return sh.from
}

func (sc *scanner) run() {
	s := sc.s
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if asciiWord[c] {
				i = sc.word(i)
			} else {
				i++
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			i++
			continue
		}
		switch cl := classOf(r); cl {
		case letter:
			i = sc.word(i)
		case han, hiragana, katakana, hangul, sea:
			i = sc.grams(i, cl)
		default:
			i += n
		}
	}
}

// add appends a term whose text is s[from:to] as it stands.
func (sc *scanner) add(text string, from, to int, whole bool) {
	sc.dst = append(sc.dst, Term{Text: text, Start: from, End: to, Pos: sc.pos, Whole: whole})
}

// addBuf appends a term whose text is buf[mark:].
func (sc *scanner) addBuf(mark, from, to int, whole bool) {
	if len(sc.buf) == mark {
		return
	}
	if len(sc.buf)-mark > MaxTermBytes {
		sc.buf = sc.buf[:cut(sc.buf, mark, mark+MaxTermBytes)]
	}
	if n := len(sc.buf) - mark; to-from >= n && sc.s[from:from+n] == string(sc.buf[mark:]) {
		sc.buf = sc.buf[:mark]
		sc.add(sc.s[from:from+n], from, to, whole)
		return
	}
	sc.later = append(sc.later, span{len(sc.dst), mark, len(sc.buf)})
	sc.add("", from, to, whole)
}

// cut is the last start of a character in b at or before end.
func cut(b []byte, start, end int) int {
	for end > start && !utf8.RuneStart(b[end]) {
		end--
	}
	return end
}
