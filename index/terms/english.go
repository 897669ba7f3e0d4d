package terms

// stemLatin stems a folded word of ASCII letters in place and returns its new
// length. Words with other characters (digits) are left alone.
func stemLatin(w []byte) int {
	n := len(w)
	for _, c := range w {
		if c < 'a' || c > 'z' {
			return n
		}
	}
	n = plural(w)
	return english(w[:n])
}

// plural takes the endings of German plurals that no English word has, and the
// last n of long words in -en, before the English stemmer sees the word: Prüfungen and
// Prüfung, Schnittstellen and Schnittstelle meet. What it does to the few long
// English words in -en is the same in query and entry and meets no other word.
func plural(w []byte) int {
	n := len(w)
	switch {
	case n < 7:
	case hasSuffix(w, "ungen"), hasSuffix(w, "heiten"), hasSuffix(w, "keiten"), hasSuffix(w, "schaften"), hasSuffix(w, "ionen"), hasSuffix(w, "eien"):
		return n - 2
	case n >= 9 && hasSuffix(w, "en") && !vowel(w[n-3]):
		return n - 1
	}
	return n
}

func hasSuffix(w []byte, s string) bool {
	return len(w) >= len(s) && string(w[len(w)-len(s):]) == s
}

// vowel treats y as a vowel; the stemmer writes Y for a consonant y.
func vowel(c byte) bool {
	switch c {
	case 'a', 'e', 'i', 'o', 'u', 'y':
		return true
	}
	return false
}

// porter is one word on its way through the second Porter algorithm
// (snowballstem.org/algorithms/english), as published; the tests hold it to
// the generated stemmer, which takes several times as long.
type porter struct {
	w      []byte
	n      int // length now
	r1, r2 int
}

func english(w []byte) int {
	n := len(w)
	if n <= 2 {
		return n
	}
	if k := special(w); k > 0 {
		return k
	}
	p := porter{w: w, n: n}
	hasY := false
	for i, c := range w {
		if c == 'y' && (i == 0 || vowel(w[i-1])) {
			w[i] = 'Y'
			hasY = true
		}
	}
	p.regions()
	p.step1a()
	if !invariant(w[:p.n]) {
		p.step1b()
		p.step1c()
		p.step2()
		p.step3()
		p.step4()
		p.step5()
	}
	if hasY {
		for i := range w[:p.n] {
			if w[i] == 'Y' {
				w[i] = 'y'
			}
		}
	}
	return p.n
}

// special holds the words that the algorithm lists one by one; it returns the
// length of the stem, or 0.
func special(w []byte) int {
	switch string(w) {
	case "skis":
		return 3
	case "skies":
		return copy(w, "sky")
	case "dying":
		return copy(w, "die")
	case "lying":
		return copy(w, "lie")
	case "tying":
		return copy(w, "tie")
	case "idly":
		return 3
	case "gently":
		return copy(w, "gentl")
	case "ugly":
		return copy(w, "ugli")
	case "early":
		return copy(w, "earli")
	case "only":
		return copy(w, "onli")
	case "singly":
		return copy(w, "singl")
	case "sky", "news", "howe", "atlas", "cosmos", "bias", "andes":
		return len(w)
	}
	return 0
}

func invariant(w []byte) bool {
	switch string(w) {
	case "inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed":
		return true
	}
	return false
}

func (p *porter) regions() {
	w := p.w
	switch {
	case hasPrefix(w, "gener"), hasPrefix(w, "arsen"):
		p.r1 = 5
	case hasPrefix(w, "commun"):
		p.r1 = 6
	default:
		p.r1 = after(w, 0)
	}
	p.r2 = after(w, p.r1)
}

func hasPrefix(w []byte, s string) bool { return len(w) >= len(s) && string(w[:len(s)]) == s }

// after is the place behind the first non-vowel that follows a vowel.
func after(w []byte, from int) int {
	for i := from + 1; i < len(w); i++ {
		if !vowel(w[i]) && vowel(w[i-1]) {
			return i + 1
		}
	}
	return len(w)
}

func (p *porter) ends(s string) bool { return hasSuffix(p.w[:p.n], s) }

// swap replaces a suffix of k bytes.
func (p *porter) swap(k int, by string) {
	p.n += copy(p.w[p.n-k:], by) - k
}

func (p *porter) hasVowel(end int) bool {
	for _, c := range p.w[:end] {
		if vowel(c) {
			return true
		}
	}
	return false
}

// shortSyllable reports that w[:end] ends in one.
func (p *porter) shortSyllable(end int) bool {
	w := p.w
	switch {
	case end == 2:
		return vowel(w[0]) && !vowel(w[1])
	case end > 2:
		c := w[end-1]
		return !vowel(c) && c != 'w' && c != 'x' && c != 'Y' && vowel(w[end-2]) && !vowel(w[end-3])
	}
	return false
}

func (p *porter) step1a() {
	switch {
	case p.ends("sses"):
		p.n -= 2
	case p.ends("ied"), p.ends("ies"):
		if p.n > 4 {
			p.n -= 2
		} else {
			p.n--
		}
	case p.ends("us"), p.ends("ss"):
	case p.ends("s"):
		if p.n > 2 && p.hasVowel(p.n-2) {
			p.n--
		}
	}
}

func (p *porter) step1b() {
	k := 0
	switch {
	case p.ends("eedly"):
		if p.n-5 >= p.r1 {
			p.n -= 3
		}
		return
	case p.ends("eed"):
		if p.n-3 >= p.r1 {
			p.n--
		}
		return
	case p.ends("ingly"):
		k = 5
	case p.ends("edly"):
		k = 4
	case p.ends("ing"):
		k = 3
	case p.ends("ed"):
		k = 2
	}
	if k == 0 || !p.hasVowel(p.n-k) {
		return
	}
	p.n -= k
	if p.n < 2 {
		return
	}
	switch c := p.w[p.n-1]; {
	case p.ends("at"), p.ends("bl"), p.ends("iz"):
		p.swap(0, "e")
	case c == p.w[p.n-2] && (c == 'b' || c == 'd' || c == 'f' || c == 'g' || c == 'm' || c == 'n' || c == 'p' || c == 'r' || c == 't'):
		p.n--
	case p.r1 >= p.n && p.shortSyllable(p.n):
		p.swap(0, "e")
	}
}

func (p *porter) step1c() {
	if c := p.w[p.n-1]; (c == 'y' || c == 'Y') && p.n > 2 && !vowel(p.w[p.n-2]) {
		p.w[p.n-1] = 'i'
	}
}

// step2 and step3 find the longest suffix first and only then ask whether it
// lies in the region, as the algorithm wants it.
func (p *porter) step2() {
	if p.n < 2 {
		return
	}
	k, by := 0, ""
	switch p.w[p.n-2] {
	case 'a':
		switch {
		case p.ends("ational"):
			k, by = 7, "ate"
		case p.ends("tional"):
			k, by = 6, "tion"
		}
	case 'c':
		switch {
		case p.ends("enci"):
			k, by = 4, "ence"
		case p.ends("anci"):
			k, by = 4, "ance"
		}
	case 'e':
		if p.ends("izer") {
			k, by = 4, "ize"
		}
	case 'g':
		if p.ends("ogi") {
			if p.n-3 >= p.r1 && p.n > 3 && p.w[p.n-4] == 'l' {
				p.n--
			}
			return
		}
	case 'l':
		switch {
		case p.ends("abli"):
			k, by = 4, "able"
		case p.ends("bli"):
			k, by = 3, "ble"
		case p.ends("alli"):
			k, by = 4, "al"
		case p.ends("fulli"):
			k, by = 5, "ful"
		case p.ends("lessli"):
			k, by = 6, "less"
		case p.ends("ousli"):
			k, by = 5, "ous"
		case p.ends("entli"):
			k, by = 5, "ent"
		case p.ends("li"):
			if p.n-2 >= p.r1 && p.n > 2 {
				switch p.w[p.n-3] {
				case 'c', 'd', 'e', 'g', 'h', 'k', 'm', 'n', 'r', 't':
					p.n -= 2
				}
			}
			return
		}
	case 'o':
		switch {
		case p.ends("ization"):
			k, by = 7, "ize"
		case p.ends("ation"):
			k, by = 5, "ate"
		case p.ends("ator"):
			k, by = 4, "ate"
		}
	case 's':
		switch {
		case p.ends("alism"):
			k, by = 5, "al"
		case p.ends("iveness"):
			k, by = 7, "ive"
		case p.ends("fulness"):
			k, by = 7, "ful"
		case p.ends("ousness"):
			k, by = 7, "ous"
		}
	case 't':
		switch {
		case p.ends("aliti"):
			k, by = 5, "al"
		case p.ends("biliti"):
			k, by = 6, "ble"
		case p.ends("iviti"):
			k, by = 5, "ive"
		}
	}
	if k > 0 && p.n-k >= p.r1 {
		p.swap(k, by)
	}
}

func (p *porter) step3() {
	k, by := 0, ""
	switch {
	case p.ends("ational"):
		k, by = 7, "ate"
	case p.ends("tional"):
		k, by = 6, "tion"
	case p.ends("alize"):
		k, by = 5, "al"
	case p.ends("icate"), p.ends("iciti"):
		k, by = 5, "ic"
	case p.ends("ative"):
		if p.n-5 >= p.r1 && p.n-5 >= p.r2 {
			p.n -= 5
		}
		return
	case p.ends("ical"):
		k, by = 4, "ic"
	case p.ends("ness"):
		k = 4
	case p.ends("ful"):
		k = 3
	}
	if k > 0 && p.n-k >= p.r1 {
		p.swap(k, by)
	}
}

func (p *porter) step4() {
	k := 0
	switch {
	case p.ends("ement"):
		k = 5
	case p.ends("ance"), p.ends("ence"), p.ends("able"), p.ends("ible"), p.ends("ment"):
		k = 4
	case p.ends("ant"), p.ends("ent"), p.ends("ism"), p.ends("ate"), p.ends("iti"), p.ends("ous"), p.ends("ive"), p.ends("ize"):
		k = 3
	case p.ends("ion"):
		if p.n-3 >= p.r2 && p.n > 3 && (p.w[p.n-4] == 's' || p.w[p.n-4] == 't') {
			p.n -= 3
		}
		return
	case p.ends("al"), p.ends("er"), p.ends("ic"):
		k = 2
	}
	if k > 0 && p.n-k >= p.r2 {
		p.n -= k
	}
}

func (p *porter) step5() {
	if p.n == 0 {
		return
	}
	switch p.w[p.n-1] {
	case 'e':
		if p.n-1 >= p.r2 || p.n-1 >= p.r1 && !p.shortSyllable(p.n-1) {
			p.n--
		}
	case 'l':
		if p.n-1 >= p.r2 && p.n > 1 && p.w[p.n-2] == 'l' {
			p.n--
		}
	}
}
