package slice

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"pathrule/index/catalog"
	"pathrule/index/terms"
	"pathrule/knowledge"
)

// evidence is what an entry holds of a question.
type evidence struct {
	// sum is the weight of the words it holds, by where it holds them.
	sum float64
	measure
	// part is the measure against the one sentence that it answers best.
	part    measure
	answers int  // that sentence
	title   bool // all informative words of the title stand in the question
	named   bool // its id or its whole title stands in the question
	heading bool // an informative word of the question stands in its title or name
	called  bool // every word of its name stands in the question, common ones too
	grams   bool // nothing but bigrams
	joined  bool // two that overlap: a word of three letters
	place   bool // a word of a path in hand that the entry has for its place alone
	absent  bool // what the question asks for by its name is nobody's word
	// by is what each word of the question gave.
	by []float64
	// loose is by the words of the whole text, those of a long one too that do not
	// stand together.
	loose struct{ sum, value, coverage, words float64 }
}

// measure is how well an entry answers a question, or one sentence of it.
type measure struct {
	// value is the weight of the words held against chance and the size of the
	// workspace, in nats.
	value    float64
	coverage float64
	words    float64 // informative words; a bigram counts half
	own      float64 // those of them that it holds themselves
	// like and likeShare are what only stands for words gave to value and coverage.
	like, likeShare float64
}

// hit is what one entry holds of one term.
type hit struct {
	field float64
	times int
	// at are its first places in the entry.
	at [8]int32
	n  int
	// scope: the entry's paths hold it.
	scope bool
}

// look reads an entry's text and weighs it against the question.
func (q *question) look(rec *catalog.Record, title, body string, covers bool) evidence {
	hits := make([]hit, q.places())
	base := make([]int, len(q.words))
	n := 0
	for i, w := range q.words {
		base[i] = n
		n += len(w.parts)
	}
	pos := int32(0)
	seen := make([]int, len(q.phrases))
	var buf []terms.Term
	length := 0
	read := func(text string, field float64) {
		buf = terms.AppendTerms(buf[:0], text)
		last := 0
		for i := range buf {
			t := &buf[i]
			last = t.Pos
			if t.Single {
				continue
			}
			for _, p := range q.where[t.Text] {
				h := &hits[base[p.word]+p.part]
				mark(h, field, pos+int32(t.Pos))
				h.scope = h.scope || field == fieldPath
			}
			for _, p := range q.stands[t.Text] {
				mark(&hits[base[p.word]+p.part], field, pos+int32(t.Pos))
			}
			if len(q.phrases) > 0 && !t.Whole {
				for k := range q.phrases {
					if p := &q.phrases[k]; p.follows(&seen[k], t.Text) {
						mark(&hits[base[p.word]+p.part], field, pos+int32(t.Pos))
					}
				}
			}
			if len(q.unknown) > 0 && !t.Whole {
				q.alike(t.Text, text[t.Start:t.End], field, pos+int32(t.Pos), hits, base)
			}
		}
		clear(seen)
		length += last
		pos += int32(last) + 8 // fields are not neighbours
	}
	read(title, fieldTitle)
	titleTerms := informative(buf)
	name := rec.ID[strings.LastIndexByte(rec.ID, '/')+1:]
	read(name, fieldTag)
	called := rec.Kind == knowledge.Skill && q.calls(buf)
	for _, t := range rec.Tags {
		read(t, fieldTag)
	}
	if rec.Description != "" {
		read(rec.Description, fieldLine)
	}
	for _, p := range rec.Paths {
		read(p, fieldPath)
	}
	length = 0
	from := pos
	read(head(body, maxBody), fieldBody)
	long := 1.0
	if length > longBody {
		long = 1 / (1 + 0.25*math.Log2(float64(length)/longBody))
	}

	e := evidence{by: make([]float64, len(q.words)), grams: true, absent: q.absent}
	var unit float64
	parts := make([]struct{ sum, unit, words, own, like float64 }, len(q.says))
	found := make([]bool, len(q.words))
	passage := q.passage(hits, base, from, length)
	for i := range q.words {
		w := &q.words[i]
		whole, sum, like := 0.0, 0.0, 0.0
		told, counts, placed, named := 0, 0.0, false, false
		for k := range w.parts {
			p, h := &w.parts[k], &hits[base[i]+k]
			if h.field == 0 {
				continue
			}
			f := h.field
			if f == fieldBody {
				f = (f + repeat*float64(min(h.times-1, 3))) * long
			}
			g := p.weight * p.share
			if p.counts > 0 {
				if g*f > like {
					like, counts = g*f, p.counts
				}
				continue
			}
			there := covers && (p.folder || p.file && h.scope) // its place says that already
			placed = placed || there
			if p.whole {
				whole = max(whole, g*f)
				named = named || !there
			} else {
				sum += g * f
				if !p.weak && !there {
					told++
				}
			}
		}
		if whole == 0 && sum == 0 && like == 0 {
			continue
		}
		got := min(max(whole, sum, like), w.weight*fieldTitle)
		if passage != nil && !passage[i] {
			e.loose.sum += apartShare * got
			e.loose.coverage += min(apartShare*got, w.weight)
			if !w.weak && told > 0 {
				e.loose.words++
			}
			continue
		}
		found[i] = true
		e.loose.sum += got
		e.loose.coverage += min(got, w.weight)
		if whole == 0 && sum == 0 {
			e.by[i] = got
			e.sum += got
			unit += min(got, w.weight)
			part := &parts[w.says]
			part.sum += got
			part.unit += min(got, w.weight)
			e.like += got
			e.likeShare += min(got, w.weight)
			part.like += got
			e.words += counts
			part.words += counts
			e.grams = false
			continue
		}
		e.by[i] = got
		e.sum += got
		unit += min(got, w.weight)
		part := &parts[w.says]
		part.sum += got
		part.unit += min(got, w.weight)
		if !w.weak {
			switch {
			case w.gram:
				e.words += 0.5
				e.own += 0.5
				part.words += 0.5
				part.own += 0.5
				continue
			case got >= 0.3*w.weight:
				// An identifier of two words is as telling as two words, and so is a name
				// with letters and digits.
				n := float64(min(max(told, 1), 2))
				e.place = e.place || placed
				if placed && told == 0 && !named {
					n = 0
				}
				if n < 2 && w.code() {
					n = 2
				}
				e.words += n
				e.own += n
				part.words += n
				part.own += n
				for k := range w.parts {
					e.heading = e.heading || w.parts[k].counts == 0 && !w.parts[k].weak && hits[base[i]+k].field >= fieldTag
				}
			}
			e.grams = false
		}
	}
	for i := 1; i < len(q.words); i++ {
		if found[i] && found[i-1] && near(hits[base[i-1]:base[i]], hits[base[i]:base[i]+len(q.words[i].parts)]) {
			more := adjacent * min(e.by[i-1], e.by[i])
			e.sum += more
			e.loose.sum += more
			e.joined = e.joined || q.words[i].gram && q.words[i-1].gram
			if q.words[i].says == q.words[i-1].says {
				parts[q.words[i].says].sum += more
			}
		}
	}
	if q.total > 0 {
		e.coverage = min(unit/q.total, 1)
		e.likeShare /= q.total
		e.loose.coverage = min(e.loose.coverage/q.total, 1)
	}
	e.loose.words += e.words
	e.loose.value = e.loose.sum - chance*q.chance*q.byLength(length) - q.lnDocs
	e.value = e.sum - chance*q.chance*q.byLength(length) - q.lnDocs - q.byPassages(length)
	// Who asks many questions is answered by chance more often.
	many := math.Log(float64(max(len(q.says), 1))) + aPart
	e.part.value = math.Inf(-1)
	for i, p := range parts {
		s := q.says[i]
		if v := p.sum - chance*s.chance*q.byLength(length) - q.lnDocs - many - q.byPassages(length); p.unit > 0 && v > e.part.value {
			e.answers = i
			e.part = measure{v, min(p.unit/s.total, 1), p.words, p.own, p.like, min(p.like/s.total, 1)}
		}
	}
	e.called = called
	e.title = holdsAll(titleTerms, q.where)
	e.named = q.names(rec, title, len(titleTerms))
	return e
}

// passage says which words of the question stand together in a long text: those
// of the stretch that holds most of them, and those of its title, name, tags and
// paths. It is nil for a text of usual length. from is the first place of the
// body, length how many words it has.
func (q *question) passage(hits []hit, base []int, from int32, length int) []bool {
	if length <= passageWords {
		return nil
	}
	type spot struct {
		at   int32
		word int
	}
	var spots []spot
	in := make([]bool, len(q.words))
	for i := range q.words {
		for k := range q.words[i].parts {
			h := &hits[base[i]+k]
			for _, at := range h.at[:h.n] {
				if at < from {
					in[i] = true
				} else {
					spots = append(spots, spot{at, i})
				}
			}
		}
	}
	slices.SortFunc(spots, func(a, b spot) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.word, b.word)) })
	count := make([]int, len(q.words))
	sum, best, at, low := 0.0, -1.0, 0, 0
	for hi, s := range spots {
		if count[s.word]++; count[s.word] == 1 && !in[s.word] {
			sum += q.words[s.word].weight
		}
		for spots[low].at <= s.at-passageWords {
			w := spots[low].word
			if count[w]--; count[w] == 0 && !in[w] {
				sum -= q.words[w].weight
			}
			low++
		}
		if sum > best+1e-9 {
			best, at = sum, hi
		}
	}
	for i := at; i >= 0 && i < len(spots) && spots[i].at > spots[at].at-passageWords; i-- {
		in[spots[i].word] = true
	}
	return in
}

// code reports a name of letters and digits ("sev1", "tls13"), which no two
// topics share by chance.
func (w *word) code() bool {
	for _, p := range w.parts {
		if p.whole && len(p.term) >= 3 && strings.ContainsAny(p.term, "0123456789") && !isNumber(p.term) {
			return true
		}
	}
	return false
}

// byLength is how much more a text of so many words holds by chance than one of
// usual length: a long guide mentions most words of its trade.
func (q *question) byLength(words int) float64 {
	if words <= q.usual {
		return 1
	}
	return 1 + lengthChance*math.Log2(float64(words)/float64(q.usual))
}

// byPassages is the evidence that the best of a long text's passages must outweigh.
func (q *question) byPassages(words int) float64 {
	return passageChance * math.Log(max(1, float64(words)/float64(q.usual)))
}

// calls reports that a skill's name, of two words or more of which one at least
// is informative, stands in the question word by word.
func (q *question) calls(name []terms.Term) bool {
	n, telling := 0, false
	for _, t := range name {
		if t.Whole || t.Single || terms.Stop(t.Text) {
			continue
		}
		if len(q.where[t.Text]) == 0 {
			return false
		}
		n++
		telling = telling || !weakWord(t.Text)
	}
	return n >= 2 && telling
}

// head is the beginning of a long text, cut at a character.
func head(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

func (q *question) places() int {
	n := 0
	for _, w := range q.words {
		n += len(w.parts)
	}
	return n
}

func mark(h *hit, field float64, at int32) {
	h.field = max(h.field, field)
	h.times++
	if h.n < len(h.at) {
		h.at[h.n] = at
		h.n++
	}
}

// near reports that two words stand within two places of each other.
func near(a, b []hit) bool {
	for i := range a {
		for j := range b {
			for _, x := range a[i].at[:a[i].n] {
				for _, y := range b[j].at[:b[j].n] {
					if d := y - x; d >= -2 && d <= 2 {
						return true
					}
				}
			}
		}
	}
	return false
}

// follows reports that a term is the last of the phrase; at is how many of its
// terms have just been read.
func (p *phrase) follows(at *int, term string) bool {
	switch {
	case term == p.terms[*at]:
		*at++
	case term == p.terms[0]:
		*at = 1
	default:
		*at = 0
	}
	if *at < len(p.terms) {
		return false
	}
	*at = 0
	return true
}

// alike gives a word that no entry holds to one that is almost it, as both are
// written or without their endings: a typo may hide what an ending is.
func (q *question) alike(term, written string, field float64, at int32, hits []hit, base []int) {
	for _, p := range q.unknown {
		part := &q.words[p.word].parts[p.part]
		if len(term) >= 4 && edges(part.term, term) && similar(part.term, term) ||
			len(written) >= 5 && len(part.written) >= 5 && edges(part.written, written) && similar(part.written, terms.Fold(written)) {
			mark(&hits[base[p.word]+p.part], field*weightAlike, at)
		}
	}
}

// edges reports two words that begin or end with the same letter, whatever its
// case in b.
func edges(a, b string) bool {
	x, y := b[0], b[len(b)-1]
	return a[0] == x || a[0] == x|0x20 || a[len(a)-1] == y || a[len(a)-1] == y|0x20
}

// similar reports one typo (a letter more, less, other, or two swapped) or a
// shared beginning of at least five letters with up to four more in one.
func similar(a, b string) bool {
	la, lb := len(a), len(b)
	if la > lb {
		a, b, la, lb = b, a, lb, la
	}
	if utf8.RuneCountInString(a) >= 5 && lb-la <= 8 && strings.HasPrefix(b, a) && utf8.RuneCountInString(b[la:]) <= 4 {
		return true
	}
	if la < 5 || lb-la > 4 {
		return false
	}
	ra, rb := []rune(a), []rune(b)
	if len(rb)-len(ra) > 1 || len(ra)-len(rb) > 1 {
		return false
	}
	i := 0
	for i < len(ra) && i < len(rb) && ra[i] == rb[i] {
		i++
	}
	j := 0
	for j < len(ra)-i && j < len(rb)-i && ra[len(ra)-1-j] == rb[len(rb)-1-j] {
		j++
	}
	restA, restB := ra[i:len(ra)-j], rb[i:len(rb)-j]
	switch {
	case len(restA) <= 1 && len(restB) <= 1:
		return true
	case len(restA) == 2 && len(restB) == 2:
		return restA[0] == restB[1] && restA[1] == restB[0]
	}
	return false
}

// informative are the terms of a title that say what it is about.
func informative(ts []terms.Term) []string {
	var out []string
	for _, t := range ts {
		if !t.Whole && !t.Single && !terms.Stop(t.Text) && !weakWord(t.Text) {
			out = append(out, strings.Clone(t.Text))
		}
	}
	return out
}

// holdsAll reports that a title of two informative words or more stands in the
// question.
func holdsAll(title []string, where map[string][]place) bool {
	need := 2
	for _, t := range title {
		if isGram(t) {
			need = 4
		}
		if len(where[t]) == 0 {
			return false
		}
	}
	return len(title) >= need
}

// names reports that the prompt says the entry's id or whole title.
func (q *question) names(rec *catalog.Record, title string, words int) bool {
	id := strings.TrimPrefix(rec.ID, knowledge.PersonalPrefix)
	if compoundID(id) && wordIn(q.folded, terms.Fold(id)) {
		return true
	}
	t := terms.Fold(title)
	return words >= 2 && utf8.RuneCountInString(t) >= 8 && strings.ContainsAny(t, " -_") && wordIn(q.folded, t)
}

// compoundID: an id that nobody types by chance.
func compoundID(id string) bool {
	return len(id) >= 6 && strings.ContainsAny(id, "-_/.")
}

// wordIn reports that needle stands in text between word borders.
func wordIn(text, needle string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], needle)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(needle):])
		if !wordRune(before) && !wordRune(after) {
			return true
		}
		from = i + 1
	}
}
