package catalog

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"pathrule/index/terms"
	"pathrule/knowledge"
)

const (
	// DefaultLimit is Query.Limit when it is 0.
	DefaultLimit = 50
	// maxNameTerms bounds the words of a prompt that are looked up, and
	// maxNamePostings how many entries of one word count.
	maxNameTerms    = 24
	maxNamePostings = 256
	// maxNearest bounds the names that Nearest compares.
	maxNearest = 5000
)

// Search implements Source: by path, and by the words of titles, ids and tags
// where the text door would rank by the body. Terms stays empty, which says so.
func (r *Reader) Search(q Query) (Result, error) {
	res := Result{Docs: r.Len()}
	var err error
	if res.Candidates, res.Cut, err = r.Governing(q); err != nil {
		return res, err
	}
	named, err := r.named(q)
	if err != nil {
		return res, err
	}
	res.Candidates = Merge(res.Candidates, named, q.Paths)
	return res, nil
}

// Merge joins what the path door and the text door found, each entry once, in
// the order of a Result.
func Merge(byPath, byText []Candidate, paths []string) []Candidate {
	at := make(map[string]int, len(byPath))
	for i := range byPath {
		at[byPath[i].Record.Key] = i
	}
	for _, c := range byText {
		if i, ok := at[c.Record.Key]; ok {
			byPath[i].Text = c.Text
			continue
		}
		// Beyond the bound on path candidates an entry may still fit by path.
		if near, ok := Closest(&c.Record, paths); ok {
			near.Text = c.Text
			c = near
		}
		byPath = append(byPath, c)
	}
	SortCandidates(byPath)
	return byPath
}

func (r *Reader) named(q Query) ([]Candidate, error) {
	if q.Text == "" || r.Len() == 0 {
		return nil, nil
	}
	limit := q.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	type word struct {
		places []place
		total  int
	}
	var words []word
	for _, t := range queryWords(q.Text) {
		var w word
		err := r.postings(byWords, t, func(p place, total int) bool {
			w.total = total
			w.places = append(w.places, p)
			return len(w.places) < maxNamePostings
		})
		if err != nil {
			return nil, err
		}
		if w.total > 0 {
			words = append(words, w)
		}
	}
	// A word that half the entries carry finds nothing by itself.
	rare := func(w word) bool { return w.total <= maxNamePostings }
	if slices.ContainsFunc(words, rare) {
		words = slices.DeleteFunc(words, func(w word) bool { return !rare(w) })
	}
	score := map[place]float64{}
	for _, w := range words {
		idf := math.Log1p(float64(r.Len()) / float64(w.total))
		for _, p := range w.places {
			score[p] += idf
		}
	}
	best := make([]place, 0, len(score))
	for p := range score {
		best = append(best, p)
	}
	slices.SortFunc(best, func(a, b place) int {
		if score[a] != score[b] {
			return cmp.Compare(score[b], score[a])
		}
		if a.layer != b.layer {
			return cmp.Compare(a.layer.at, b.layer.at)
		}
		return cmp.Compare(a.off, b.off)
	})
	var out []Candidate
	for _, p := range best {
		// Equal scores at the limit are all read, and ordered by key.
		if len(out) >= limit && score[p] < out[len(out)-1].Text {
			break
		}
		rec, ok, err := r.at(p)
		if err != nil {
			return nil, err
		}
		if ok && wanted(q.Kinds, rec.Kind) {
			out = append(out, Candidate{Record: rec, Text: score[p]})
		}
	}
	SortCandidates(out)
	return out[:min(len(out), limit)], nil
}

// queryWords are a text's distinct words in order, without those that carry no
// topic unless there are no others, the first maxNameTerms of them.
func queryWords(text string) []string {
	var words, stops []string
	seen := map[string]bool{}
	for _, t := range terms.Query(text) {
		if seen[t.Text] {
			continue
		}
		seen[t.Text] = true
		if terms.Stop(t.Text) {
			stops = append(stops, t.Text)
		} else {
			words = append(words, t.Text)
		}
	}
	if len(words) == 0 {
		words = stops
	}
	return words[:min(len(words), maxNameTerms)]
}

// Nearest returns at most n ids of a kind that look like name, best first: the
// entry itself, then names that contain it or begin alike, then small spelling
// differences. It is empty when nothing is near.
func (r *Reader) Nearest(kind knowledge.Kind, name string, n int) ([]string, error) {
	want := strings.ToLower(strings.TrimSpace(name))
	if want == "" {
		return nil, nil
	}
	type hit struct {
		id   string
		dist int
	}
	var hits []hit
	seen := 0
	err := r.Kind(kind, func(rec Record) bool {
		best := distance(want, strings.ToLower(rec.ID))
		if _, last, ok := cutLast(rec.ID); ok {
			best = min(best, 1+distance(want, strings.ToLower(last)))
		}
		best = min(best, 1+distance(want, strings.ToLower(rec.Title)))
		if best < tooFar {
			hits = append(hits, hit{rec.ID, best})
		}
		seen++
		return seen < maxNearest
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(hits, func(a, b hit) int {
		if a.dist != b.dist {
			return a.dist - b.dist
		}
		return strings.Compare(a.id, b.id)
	})
	out := make([]string, 0, n)
	for _, h := range hits[:min(len(hits), n)] {
		out = append(out, h.id)
	}
	return out, nil
}

func cutLast(id string) (dir, last string, ok bool) {
	i := strings.LastIndexByte(id, '/')
	if i < 0 {
		return "", id, false
	}
	return id[:i], id[i+1:], true
}

const tooFar = 1000

// distance orders names by how likely one was meant by the other; tooFar when
// it was not.
func distance(want, have string) int {
	switch {
	case want == have:
		return 0
	case utf8.RuneCountInString(want) >= 2 && strings.HasPrefix(have, want):
		return 10
	case utf8.RuneCountInString(want) >= 3 && strings.Contains(have, want),
		utf8.RuneCountInString(have) >= 3 && strings.Contains(want, have):
		return 20
	}
	a, b := []rune(want), []rune(have)
	if len(a) > 64 || len(b) > 64 {
		return tooFar
	}
	d := edits(a, b)
	if d <= max(1, len(a)/3) {
		return 30 + d
	}
	// Two names that share a whole word of theirs are worth showing.
	for _, w := range strings.FieldsFunc(want, isJoint) {
		if utf8.RuneCountInString(w) >= 3 && slices.Contains(strings.FieldsFunc(have, isJoint), w) {
			return 60 + min(d, 100)
		}
	}
	return tooFar
}

func isJoint(r rune) bool { return r == '-' || r == '_' || r == '.' || r == '/' || r == ' ' }

// edits is the Levenshtein distance.
func edits(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diag := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := diag
			if x != y {
				cost++
			}
			diag = row[j+1]
			row[j+1] = min(cost, row[j]+1, diag+1)
		}
	}
	return row[len(b)]
}
