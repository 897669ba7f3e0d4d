package terms

import (
	"unicode"
	"unicode/utf8"
)

// maxParts bounds the pieces of one word: what falls into more is a hash, a
// key or noise, and is kept whole only.
const maxParts = 12

// word reads the word or identifier at i and returns where it ends. A joiner
// (/ \ . _ -) belongs to it when letters or digits stand on both sides.
func (sc *scanner) word(i int) int {
	s := sc.s
	start := i
	var joined, digit, inner, plain = false, false, false, true // inner: a capital after a small letter or the reverse run
	upper, lower := 0, 0
scan:
	for i < len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z':
			lower++
			i++
		case 'A' <= c && c <= 'Z':
			if lower > 0 {
				inner = true
			}
			upper++
			i++
		case '0' <= c && c <= '9':
			digit = true
			i++
		case c == '_' || c == '-' || c == '.' || c == '/' || c == '\\':
			j := i + 1
			for c == '_' && j < len(s) && s[j] == '_' {
				j++
			}
			if j >= len(s) || !wordAt(s, j) {
				break scan
			}
			joined = true
			i = j
		case c < utf8.RuneSelf:
			break scan
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			switch classOf(r) {
			case letter, mark, dropped:
				plain = false
				i += n
			default:
				break scan
			}
		}
	}
	if lower > 0 && upper > 1 {
		inner = true
	}
	end := i
	letters := upper + lower
	if plain && !joined && !digit && !inner {
		return sc.simple(start, end, letters)
	}
	if plain && !joined && letters == 0 { // a number
		sc.pos++
		mark := len(sc.buf)
		sc.buf = append(sc.buf, s[start:end]...)
		sc.addBuf(mark, start, end, false)
		return end
	}
	if !joined {
		if skip, next := sc.apostrophe(start, end); skip {
			return next
		} else if next > end {
			sc.compound(start, end)
			return next
		}
	}
	sc.compound(start, end)
	return end
}

// wordAt reports that a letter or digit of a spaced script stands at i.
func wordAt(s string, i int) bool {
	if s[i] < utf8.RuneSelf {
		return asciiWord[s[i]]
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return classOf(r) == letter
}

// simple takes a word of ASCII letters alone.
func (sc *scanner) simple(start, end, letters int) int {
	s := sc.s
	next := end
	if end < len(s) {
		switch {
		case letters == 1 && s[end] == '#' && (end+1 == len(s) || s[end+1] >= utf8.RuneSelf || !asciiWord[s[end+1]]):
			return sc.symbolName(start, end+1)
		case letters == 1 && end+1 < len(s) && s[end] == '+' && s[end+1] == '+':
			return sc.symbolName(start, end+2)
		case s[end] == '\'' || s[end] == 0xE2:
			skip, n := sc.apostrophe(start, end)
			if skip {
				return n
			}
			next = n
		}
	}
	sc.pos++
	mark := len(sc.buf)
	if end-start > MaxTermBytes {
		end = start + MaxTermBytes
	}
	for i := start; i < end; i++ {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		sc.buf = append(sc.buf, c)
	}
	sc.buf = sc.buf[:mark+stemLatin(sc.buf[mark:])]
	sc.addBuf(mark, start, end, false)
	return next
}

// symbolName takes the few names that end in signs: C#, F#, C++.
func (sc *scanner) symbolName(start, end int) int {
	sc.pos++
	mark := len(sc.buf)
	sc.buf = appendFolded(sc.buf, sc.s[start:end])
	sc.addBuf(mark, start, end, false)
	return end
}

// apostrophe looks at what follows the word s[start:end]. skip: the word is an
// elided article (l', d', qu') and is left out; next is where to go on. A short
// ending after a longer word ('s, 'nin) is passed over.
func (sc *scanner) apostrophe(start, end int) (skip bool, next int) {
	s := sc.s
	n := 0
	switch {
	case end < len(s) && s[end] == '\'':
		n = 1
	case end+2 < len(s) && s[end] == 0xE2 && s[end+1] == 0x80 && s[end+2] == 0x99: // ’
		n = 3
	default:
		return false, end
	}
	after := end + n
	j, count := after, 0
	for j < len(s) && wordAt(s, j) {
		_, k := utf8.DecodeRuneInString(s[j:])
		j += k
		count++
	}
	switch {
	case count == 0:
		return false, end
	case utf8.RuneCountInString(s[start:end]) <= 2:
		return true, after
	case count <= 3:
		return false, j
	}
	return false, after
}

// compound takes an identifier, a path, or a word beyond ASCII letters: the
// whole, a path's file name, then each segment.
func (sc *scanner) compound(start, end int) {
	s := sc.s
	sc.pos++
	before := len(sc.dst)
	slash, dots, seps := -1, 0, 0
	for i := start; i < end; i++ {
		switch s[i] {
		case '/', '\\':
			slash, dots = i, 0
			seps++
		case '.':
			dots++
			seps++
		}
	}
	if seps > 0 && end-start <= MaxTermBytes {
		sc.wholePath(start, end)
		if slash >= 0 && dots > 0 {
			sc.wholePath(slash+1, end)
		}
	}
	from := start
	for i := start; i <= end; i++ {
		if i == end || s[i] == '/' || s[i] == '\\' || s[i] == '.' {
			if i > from {
				sc.segment(from, i, seps > 0)
			}
			from = i + 1
		}
	}
	if len(sc.dst) == before { // signs that fold to nothing are no word
		sc.pos--
	}
}

func (sc *scanner) wholePath(from, to int) {
	mark := len(sc.buf)
	sc.buf = appendFolded(sc.buf, sc.s[from:to])
	for i := mark; i < len(sc.buf); i++ {
		if sc.buf[i] == '\\' {
			sc.buf[i] = '/'
		}
	}
	sc.addBuf(mark, from, to, true)
}

// segment takes a stretch without / \ and '.'; nested says that it is part of
// something longer, where single characters are left out.
func (sc *scanner) segment(from, to int, nested bool) {
	var parts [maxParts][2]int
	n := splitParts(sc.s[from:to], &parts)
	if n == 1 {
		a, b := from+parts[0][0], from+parts[0][1]
		if nested && b-a == 1 {
			return
		}
		sc.part(a, b)
		return
	}
	if to-from <= MaxTermBytes {
		mark := len(sc.buf)
		sc.buf = appendFolded(sc.buf, sc.s[from:to])
		w := mark
		for i := mark; i < len(sc.buf); i++ {
			if c := sc.buf[i]; c != '-' && c != '_' {
				sc.buf[w] = c
				w++
			}
		}
		sc.buf = sc.buf[:w]
		sc.addBuf(mark, from, to, true)
	} else if n > maxParts {
		sc.part(from, to)
	}
	if n > maxParts {
		return
	}
	for _, p := range parts[:n] {
		if p[1]-p[0] > 1 {
			sc.part(from+p[0], from+p[1])
		}
	}
}

// part adds one word, folded and stemmed.
func (sc *scanner) part(from, to int) {
	mark := len(sc.buf)
	sc.buf = appendFolded(sc.buf, sc.s[from:to])
	if len(sc.buf)-mark <= MaxTermBytes {
		sc.buf = stem(sc.buf, mark, sc.s[from:to])
	}
	sc.addBuf(mark, from, to, false)
}

// splitParts cuts a segment at - and _, between a small letter and a capital,
// before the last capital of a run that small letters follow (HTTPServer), and
// between letters and digits. It returns how many parts there are; more than
// maxParts are counted, not kept.
func splitParts(s string, parts *[maxParts][2]int) int {
	n := 0
	add := func(a, b int) {
		if b > a {
			if n < maxParts {
				parts[n] = [2]int{a, b}
			}
			n++
		}
	}
	const (
		none = iota
		up
		low
		num
		other
	)
	from, last, lastAt := 0, none, 0
	for i, r := range s {
		kind := other
		switch {
		case r == '-' || r == '_':
			add(from, i)
			from, last = i+1, none
			continue
		case 'a' <= r && r <= 'z':
			kind = low
		case 'A' <= r && r <= 'Z':
			kind = up
		case '0' <= r && r <= '9':
			kind = num
		case r < utf8.RuneSelf:
		case r >= 0x0430 && r <= 0x045F:
			kind = low
		case r >= 0x0400 && r < 0x0430:
			kind = up
		case unicode.IsUpper(r):
			kind = up
		case unicode.IsLower(r):
			kind = low
		case unicode.IsDigit(r):
			kind = num
		case unicode.IsMark(r):
			kind = last
		}
		switch {
		case last == none || kind == last || kind == other || last == other:
		case kind == num || last == num:
			add(from, i)
			from = i
		case last == low && kind == up:
			add(from, i)
			from = i
		case last == up && kind == low && lastAt > from:
			add(from, lastAt)
			from = lastAt
		}
		last, lastAt = kind, i
	}
	add(from, len(s))
	if n == 0 { // only joiners cannot happen; keep the promise of one part
		parts[0] = [2]int{0, len(s)}
		n = 1
	}
	return n
}
