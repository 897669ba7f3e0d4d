package slice

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"pathrule/index/catalog"
	"pathrule/index/terms"
	"pathrule/workspace"
)

// question is one word-level question to a source: which words it asks with
// and what each of them is worth.
type question struct {
	words []word
	// total is the weight that coverage is measured against.
	total float64
	// chance is the evidence that a random entry would give.
	chance float64
	// lnDocs is the evidence that one entry must outweigh to stand out.
	lnDocs float64
	// usual is how many words a body has that is not long, here.
	usual int
	// says are the sentences of the prompt that say something: with more than one,
	// each is a question of its own.
	says []sentence
	// where maps a term to the places (word, part) where it is asked, stands to
	// those of which it is a synonym.
	where, stands map[string][]place
	// phrases are synonyms of several terms.
	phrases []phrase
	// unknown are places of words that no entry holds, to be compared loosely.
	unknown []place
	folded  string
	// absent: much of it asks for something by a name that no entry holds.
	absent bool
}

// sentence is a part of the prompt between two ends of sentence, or from one
// interrogative to the next.
type sentence struct{ total, chance float64 }

// word is one position of the question: a word, or an identifier with its
// whole and its parts.
type word struct {
	parts  []part
	weight float64 // what it can give at most
	weak   bool    // all of it is weak
	gram   bool
	says   int     // its sentence
	chance float64 // what a random entry gives
}

// part is one term of a word.
type part struct {
	term string
	// written is the word of an unknown term as it stands in the prompt, folded.
	written string
	weight  float64
	whole   bool
	weak    bool
	known   bool
	// folder: it names a folder of a path that the prompt names, file: its file.
	folder, file bool
	// share scales a hit: 1, less for a synonym.
	share float64
	// counts is what a hit counts as an informative word where the part only
	// stands for the word; 0: it is the word.
	counts float64
}

// phrase is a synonym of several terms that follow one another.
type phrase struct {
	terms []string
	place
}

type place struct{ word, part int }

// idf is the inverse document frequency of a word that df of docs entries hold,
// and share of any others.
func idf(df, docs int, share float64) float64 {
	return math.Log((float64(docs) + priorDocs + 1) / (float64(df) + share*priorDocs + 0.5))
}

// clip is the part of a prompt that is read.
func clip(s string) string { return head(s, maxPrompt) }

// ask weighs the words of a prompt. res tells how common they are; without a
// text door all words are taken for fairly rare.
func ask(prompt string, res catalog.Result, glossary map[string][]string, like []other) question {
	q := question{where: map[string][]place{}, stands: map[string][]place{}, folded: terms.Fold(prompt)}
	df := make(map[string]int, len(res.Terms))
	for _, t := range res.Terms {
		df[t.Term] = t.Docs
	}
	door := len(res.Terms) > 0
	docs := max(res.Docs, 1)
	q.usual = max(usualBody, res.Words)
	q.lnDocs = math.Log(float64(docs) + priorDocs)
	seen := map[string]bool{}
	all := terms.Query(prompt)
	said, end := 0, 0
	counted := false // the last word was one letter or digit, as in "1) this 2) that"
	nobodys := 0.0   // what is asked for by names that no entry holds
	focus := 0       // informative words left of what an interrogative asks about
	for i := 0; i < len(all) && len(q.words) < maxWords; {
		j := i
		for j < len(all) && all[j].Pos == all[i].Pos {
			j++
		}
		group := all[i:j]
		i = j
		if from := group[0].Start; from > end { // bigrams overlap
			if endsSentence(prompt[end:from]) || counted && strings.HasPrefix(prompt[end:from], ")") {
				said++
			}
		}
		end = max(end, group[0].End)
		counted = len(group[0].Text) == 1 && strings.TrimSpace(prompt[:group[0].Start]) != ""
		if interrogative(prompt[group[0].Start:group[0].End]) {
			focus = focusWords
			said++
			continue
		}
		if opens(prompt[group[0].Start:group[0].End]) {
			said++
		}
		w := word{weak: true, says: said}
		var whole, sum, expect float64
		asked := focus > 0
		folders, file := pathParts(prompt, group)
		for _, t := range group {
			if seen[t.Text] || terms.Stop(t.Text) {
				continue
			}
			seen[t.Text] = true
			n, counted := df[t.Text]
			weight, share := weighTerm(t.Text, n, docs)
			p := part{term: t.Text, whole: t.Whole, share: 1, weak: weakWord(t.Text) || share >= commonWeak, folder: t.End <= folders, file: file}
			p.known = n > 0 || !door
			// An identifier whose whole nobody holds asks with its parts alone.
			if t.Whole && !p.known {
				continue
			}
			if !p.known {
				p.written = terms.Fold(prompt[t.Start:t.End])
			}
			gram := isGram(t.Text)
			w.gram = w.gram || gram
			switch {
			case !door:
				p.weight = plainIDF
			case !counted:
				p.weight = idf(0, docs, priorShare)
				p.known = false
			default:
				p.weight = weight
			}
			p.weight *= kindWeight(t.Text, p.known, gram, p.weak)
			if asked && !p.known && !p.weak && !gram {
				p.weight *= weightAsked / weightUnknown
				nobodys += p.weight
			}
			if t.Whole {
				p.weight *= weightWhole
				whole = max(whole, p.weight)
			} else {
				sum += p.weight
				// As many imaginary entries as idf counts: where the only entry holds a
				// word, holding it is still no matter of course.
				expect += p.weight * (float64(n) + share*priorDocs) / (float64(docs) + priorDocs)
			}
			if !p.weak {
				w.weak = false
			}
			w.parts = append(w.parts, p)
		}
		if len(w.parts) == 0 {
			continue
		}
		if asked {
			focus--
		}
		// One identifier or path is one thing said, however many words it has.
		w.weight = max(whole, min(sum, idf(0, docs, priorShare)*1.5))
		if door && !asked { // what a question asks for by its name is nothing else
			expect += w.liken(like, group, df, docs)
		}
		q.add(w, seen, df, docs, door, glossary)
		q.chance += min(expect, w.weight)
		q.words[len(q.words)-1].chance = min(expect, w.weight)
	}
	q.sentences()
	var weights []float64
	for _, w := range q.words {
		weights = append(weights, w.weight)
	}
	slices.SortFunc(weights, func(a, b float64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	for i, w := range weights {
		if i >= topWords {
			w *= tailShare * topWords / float64(i+1)
		}
		q.total += w
	}
	asked := 0.0
	for _, s := range q.says {
		asked += s.total
	}
	q.absent = nobodys > 0 && nobodys >= absentShare*asked
	return q
}

// pathParts is where the folders of a path end in the prompt, 0 when the word is no
// path or has none, and whether it names a file.
func pathParts(prompt string, group []terms.Term) (folders int, file bool) {
	from, to := group[0].Start, group[0].End
	for _, t := range group {
		from, to = min(from, t.Start), max(to, t.End)
	}
	i := strings.LastIndexAny(prompt[from:to], `/\`)
	base := prompt[from+i+1 : to]
	switch {
	case i < 0:
		return 0, !folderName(base)
	case folderName(base):
		return to, false
	}
	return from + i, true
}

// sentences sums the words of each sentence up and numbers those that say
// something anew.
func (q *question) sentences() {
	last := -1
	for i := range q.words {
		w := &q.words[i]
		if w.says != last {
			last = w.says
			q.says = append(q.says, sentence{})
		}
		w.says = len(q.says) - 1
		q.says[w.says].total += w.weight
		q.says[w.says].chance += w.chance
	}
}

// endsSentence reports that what stands between two words ends a sentence, or a
// line.
func endsSentence(gap string) bool {
	for i, r := range gap {
		switch r {
		case '\n', '?', '!', ';', '。', '？', '！', '；', '…', '।', '။', '።':
			return true
		case '.', ':':
			if j := i + 1; j == len(gap) || gap[j] == ' ' {
				return true
			}
		}
	}
	return false
}

// opens reports a word that opens a question without naming what it asks for.
func opens(w string) bool {
	if len(w) > 12 {
		return false
	}
	switch strings.ToLower(w) {
	case "when", "where", "why", "how", "wann", "wo", "warum", "wieso", "wie", "quand", "où", "pourquoi", "comment",
		"cuándo", "dónde", "cómo", "quando", "onde", "как", "когда", "где", "почему", "зачем", "nerede", "neden", "nasıl":
		return true
	}
	return false
}

// add appends a word, its synonyms beside it.
func (q *question) add(w word, seen map[string]bool, df map[string]int, docs int, door bool, glossary map[string][]string) {
	if len(glossary) > 0 {
		for _, s := range synonyms(w.parts, glossary) {
			n := df[s]
			if seen[s] || door && n == 0 {
				continue
			}
			weight := plainIDF
			if door {
				weight = idf(n, docs, priorShare)
			}
			w.parts = append(w.parts, part{term: s, weight: max(w.weight, weight), whole: true, known: true, share: weightSynonym})
			w.weak = false
			w.weight = max(w.weight, weight*weightSynonym)
		}
	}
	at := len(q.words)
	for i, p := range w.parts {
		if p.counts > 0 {
			if list := strings.Split(p.term, " "); len(list) > 1 {
				q.phrases = append(q.phrases, phrase{list, place{at, i}})
			} else {
				q.stands[p.term] = append(q.stands[p.term], place{at, i})
			}
			continue
		}
		q.where[p.term] = append(q.where[p.term], place{at, i})
		if !p.known && max(len(p.term), len(p.written)) >= 5 && !p.weak && !w.gram {
			q.unknown = append(q.unknown, place{at, i})
		}
	}
	q.words = append(q.words, w)
}

// liken puts what stands for the word beside it where no entry holds the word
// itself, and returns what a random entry gives by that.
func (w *word) liken(like []other, group []terms.Term, df map[string]int, docs int) float64 {
	held := func(ts []string) int {
		n := docs
		for _, t := range ts {
			if !terms.Stop(t) && !weakWord(t) {
				n = min(n, df[t])
			}
		}
		return n
	}
	expect := 0.0
	for _, o := range like {
		if !slices.ContainsFunc(group, func(t terms.Term) bool { return t.Start == o.at }) || held(o.of) > 0 {
			continue
		}
		n := held(o.terms)
		if n == 0 {
			continue
		}
		weight, counts := idf(n, docs, priorShare), likeWord
		if o.share < weightLike {
			counts = touchesWord
		}
		w.parts = append(w.parts, part{term: strings.Join(o.terms, " "), weight: weight, known: true, share: o.share, counts: counts})
		w.weight = max(w.weight, weight*o.share)
		expect += weight * o.share * (float64(n) + priorShare*priorDocs) / (float64(docs) + priorDocs)
	}
	return expect
}

// synonyms are the terms that the glossary gives for a word, in order.
func synonyms(parts []part, glossary map[string][]string) []string {
	var keys []string
	for k := range glossary {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var out []string
	for _, k := range keys {
		kt := terms.Query(k)
		if len(kt) == 0 {
			continue
		}
		all := append([]terms.Term{}, kt...)
		for _, s := range glossary[k] {
			all = append(all, terms.Query(s)...)
		}
		hit := slices.ContainsFunc(parts, func(p part) bool {
			return slices.ContainsFunc(all, func(t terms.Term) bool { return t.Text == p.term })
		})
		if !hit {
			continue
		}
		for _, t := range all {
			if !slices.ContainsFunc(parts, func(p part) bool { return p.term == t.Text }) && !terms.Stop(t.Text) {
				out = append(out, t.Text)
			}
		}
	}
	return out
}

// glossaryText is what the glossary adds to the text that a source is asked
// for, so that it finds entries that use the other word.
func glossaryText(prompt string, glossary map[string][]string) string {
	if len(glossary) == 0 {
		return prompt
	}
	var extra []string
	seen := map[string]bool{}
	for _, t := range terms.Query(prompt) {
		if seen[t.Text] || terms.Stop(t.Text) {
			continue
		}
		seen[t.Text] = true
		for _, s := range synonyms([]part{{term: t.Text}}, glossary) {
			if !seen[s] {
				extra = append(extra, s)
			}
		}
	}
	if len(extra) == 0 {
		return prompt
	}
	return prompt + "\n" + strings.Join(extra, " ")
}

func kindWeight(term string, known, gram, weak bool) float64 {
	switch {
	case gram && !known:
		return weightUnknownGram
	case gram:
		return weightGram
	case weak:
		return weightWeak
	case utf8.RuneCountInString(term) == 1 || isNumber(term):
		return weightNumber
	case !known:
		return weightUnknown
	}
	return 1
}

// interrogative reports a word after which a question names what it asks for.
// Words that are conjunctions as well ("que", "was" in English) are no sign.
func interrogative(w string) bool {
	if len(w) > 16 {
		return false
	}
	switch strings.ToLower(w) {
	case "which", "what", "who", "whose", "whom",
		"welche", "welcher", "welches", "welchen", "welchem", "wer",
		"quel", "quelle", "quels", "quelles", "cuál", "cual", "cuáles", "quién", "quien", "qual", "quais", "quem",
		"какой", "какая", "какое", "какие", "каком", "какую", "кто", "hangi", "kim":
		return true
	}
	return false
}

func isNumber(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// isGram reports a term of a script that writes no spaces, Korean included.
func isGram(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r >= 0x0E00 && r < 0x0F00 || r >= 0x1000 && r < 0x1200 || r >= 0x1780 && r < 0x1800 ||
		r >= 0x3040 && r < 0xA000 || r >= 0xAC00 && r < 0xD800 || r >= 0x20000
}

// empty: nothing in the prompt could find an entry.
func (q *question) empty() bool {
	for _, w := range q.words {
		if !w.weak {
			return false
		}
	}
	return true
}

// covers is workspace.Fit over several paths: the closest.
func covers(rec *catalog.Record, paths []string) (fit workspace.Fit, depth int, path string) {
	if len(paths) == 0 {
		return workspace.Outside, 0, ""
	}
	scope, err := rec.Scope()
	if err != nil {
		return workspace.Outside, 0, ""
	}
	for _, p := range paths {
		f, d := scope.Match(p)
		if f > fit || f == fit && d > depth {
			fit, depth, path = f, d, p
		}
	}
	return fit, depth, path
}
