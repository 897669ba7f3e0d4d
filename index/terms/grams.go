package terms

import "unicode/utf8"

// grams takes a run of one script that writes no spaces and gives its bigrams;
// a run of one character is its own word. Bigrams do not cross scripts, so
// that a noun and the particle after it stay apart.
func (sc *scanner) grams(i int, cl class) int {
	s := sc.s
	start := i
	a, b, n := -1, i, 0 // a: start of the cluster before, b: of this one
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		c := classOf(r)
		if c == mark && n > 0 || c == dropped && n > 0 {
			i += size
			continue
		}
		// The long vowel sign belongs to the Kana before it.
		if c != cl && (r != 'ー' || cl != hiragana) {
			break
		}
		if n >= 1 {
			if a >= 0 {
				sc.gram(a, i, cl, n == 2)
			}
			a = b
		}
		b = i
		n++
		i += size
	}
	if n == 1 {
		sc.pos++
		sc.add(s[start:i], start, i, false)
		return i
	}
	sc.gram(a, i, cl, n == 2)
	if sc.index && cl == han {
		sc.single(b, i)
	}
	if cl == katakana && n > 2 && i-start <= MaxTermBytes {
		sc.add(s[start:i], start, i, true)
	}
	return i
}

// gram adds the bigram s[a:end], its first character too where single
// characters are words.
func (sc *scanner) gram(a, end int, cl class, first bool) {
	sc.pos++
	if end-a <= MaxTermBytes {
		sc.add(sc.s[a:end], a, end, false)
	}
	if sc.index && (cl == han || cl == hangul && first) {
		_, n := utf8.DecodeRuneInString(sc.s[a:])
		sc.single(a, a+n)
	}
}

func (sc *scanner) single(a, end int) {
	sc.add(sc.s[a:end], a, end, false)
	sc.dst[len(sc.dst)-1].Single = true
}
