package catalog

import (
	"cmp"
	"math"
	"slices"

	"pathrule/index/terms"
)

const (
	// DefaultLimit is Query.Limit when it is 0.
	DefaultLimit = 50
	// maxNameTerms bounds the words of a prompt that are looked up, and
	// maxNamePostings how many entries of one word count.
	maxNameTerms    = 24
	maxNamePostings = 256
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
