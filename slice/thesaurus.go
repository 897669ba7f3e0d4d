package slice

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"pathrule/index/catalog"
	"pathrule/index/terms"
)

// The thesaurus knows which words of the trade stand for one another, in twelve
// languages; see thesaurus.txt. Its table is plain data: nothing is built when a
// process starts, and a word costs a binary search.

const (
	// maxThesaurusPhrase is how many terms one of its words may have; the bigrams
	// of a script without spaces are terms.
	maxThesaurusPhrase = 8
	// maxOther bounds the other words of a question, and so what the source is
	// asked for.
	maxOther = 600
)

// other is a word that stands for one of the prompt's.
type other struct {
	// at is where the prompt's word begins, in bytes, and of are its terms.
	at    int
	of    []string
	terms []string
	share float64
}

// thesaurusWord is the i-th word of the table.
func thesaurusWord(i int) string {
	return thesaurusText[thesaurusAt[i]>>1 : thesaurusAt[i+1]>>1]
}

// thesaurusFind gives the first word of the table that is not before key.
func thesaurusFind(key string) int {
	return sort.Search(len(thesaurusAt)-1, func(i int) bool { return thesaurusWord(i) >= key })
}

// others finds the words that stand for those of a prompt.
func others(prompt string) []other {
	all := terms.Query(prompt)
	have := map[string]bool{}
	var said []terms.Term // what is read one after the other
	for _, t := range all {
		have[t.Text] = true
		if !t.Whole {
			said = append(said, t)
		}
	}
	var out []other
	seen := map[string]int{}
	add := func(at, word int, of []string) {
		for _, group := range thesaurusOf[thesaurusOfAt[word]:thesaurusOfAt[word+1]] {
			n := int(group >> 1)
			for _, in := range thesaurusIn[thesaurusInAt[n]:thesaurusInAt[n+1]] {
				share := weightLike
				if group&1 != 0 || in&1 != 0 {
					share = weightTouches
				}
				key := thesaurusWord(int(in >> 1))
				if group&1 != 0 && in&1 != 0 || int(in>>1) == word || have[key] {
					continue
				}
				if i, ok := seen[key]; ok {
					out[i].share = max(out[i].share, share)
					continue
				}
				seen[key] = len(out)
				out = append(out, other{at: at, of: of, terms: strings.Split(key, " "), share: share})
			}
		}
	}
	for _, t := range all {
		if t.Whole {
			if i := thesaurusFind(t.Text); i < len(thesaurusAt)-1 && thesaurusWord(i) == t.Text {
				add(t.Start, i, []string{t.Text})
			}
		}
	}
	for i := range said {
		best, long := -1, 1
		var key []byte
		for j := i; j < len(said) && j-i < maxThesaurusPhrase; j++ {
			if j > i {
				key = append(key, ' ')
			}
			key = append(key, said[j].Text...)
			at := thesaurusFind(string(key))
			if at == len(thesaurusAt)-1 {
				break
			}
			w := thesaurusWord(at)
			if w == string(key) && (j > i || !weakWord(w) && !terms.Stop(w)) {
				best, long = at, j-i+1
			}
			if !strings.HasPrefix(w, string(key)) {
				break
			}
		}
		if best < 0 {
			best = thesaurusEnding(said[i].Text)
		}
		if best >= 0 {
			own := make([]string, 0, long)
			for _, t := range said[i : i+long] {
				own = append(own, t.Text)
			}
			add(said[i].Start, best, own)
		}
	}
	// What names the idea comes before what touches it.
	slices.SortStableFunc(out, func(a, b other) int { return cmp.Compare(b.share, a.share) })
	return out[:min(len(out), maxOther)]
}

// thesaurusEnding finds a word of another language than English that has an
// ending here: terms are stemmed as English and Russian alone.
func thesaurusEnding(term string) int {
	if isGram(term) || weakWord(term) || terms.Stop(term) {
		return -1
	}
	for cut := 1; cut <= 3; cut++ {
		if len(term)-cut < 5 {
			break
		}
		key := term[:len(term)-cut]
		if i := thesaurusFind(key); i < len(thesaurusAt)-1 && thesaurusAt[i]&1 != 0 && thesaurusWord(i) == key {
			return i
		}
	}
	return -1
}

// otherWords is what a source is asked for besides the prompt.
func otherWords(like []other) []catalog.Other {
	out := make([]catalog.Other, 0, len(like))
	for _, o := range like {
		out = append(out, catalog.Other{Of: o.of, Terms: o.terms})
	}
	return out
}
