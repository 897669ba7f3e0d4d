package core

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"pathrule/index/catalog"
	"pathrule/index/history"
	"pathrule/index/terms"
)

// project finds files of the project map by the words of their paths and, with
// past, by what history says of the query's words.
func (f *finder) project(q []queryTerm, past *history.Reader) ([]catalog.PathHit, error) {
	if f.files.n == 0 {
		return nil, nil
	}
	mine := make([]queryTerm, 0, len(q))
	for _, t := range q {
		if terms.Stop(t.text) {
			continue
		}
		t.docs = 0
		for _, field := range f.files.names {
			n, err := f.snap.count(field, []byte(t.text))
			if err != nil {
				return nil, err
			}
			t.docs += n
		}
		mine = append(mine, t)
	}
	// More than needed, so that equal scores are ordered by path.
	sc, best, err := f.find(&f.files, mine, nil, 5*maxFileHits)
	if err != nil {
		return nil, err
	}
	hits := make([]catalog.PathHit, 0, len(best))
	for _, d := range best {
		id, err := f.snap.id(uint64(d))
		if err != nil {
			return nil, err
		}
		if p, ok := strings.CutPrefix(id, filePrefix); ok {
			hits = append(hits, catalog.PathHit{Path: p, Score: sc.of[d]})
		}
	}
	slices.SortFunc(hits, func(a, b catalog.PathHit) int {
		if a.Score != b.Score {
			return cmp.Compare(b.Score, a.Score)
		}
		if n := strings.Count(a.Path, "/") - strings.Count(b.Path, "/"); n != 0 {
			return n
		}
		return strings.Compare(a.Path, b.Path)
	})
	by, err := f.past(mine, past)
	if err != nil {
		return nil, err
	}
	// Of those found by their words the best, and those that history speaks for.
	kept := hits[:0]
	for i, h := range hits {
		h.History = by[h.Path]
		if delete(by, h.Path); i < maxFileHits || h.History > 0 {
			kept = append(kept, h)
		}
	}
	only := make([]catalog.PathHit, 0, len(by))
	for p, v := range by {
		only = append(only, catalog.PathHit{Path: p, History: v})
	}
	slices.SortFunc(only, func(a, b catalog.PathHit) int {
		if a.History != b.History {
			return cmp.Compare(b.History, a.History)
		}
		return strings.Compare(a.Path, b.Path)
	})
	for _, h := range only[:min(len(only), maxPastHits)] {
		// History may be older than the map.
		if _, ok, err := f.snap.doc(filePrefix + h.Path); err != nil {
			return nil, err
		} else if ok {
			kept = append(kept, h)
		}
	}
	f.pathWords(mine, kept)
	return kept, nil
}

// past is what history says: for each file the query's words that go with it.
func (f *finder) past(q []queryTerm, past *history.Reader) (map[string]float64, error) {
	by := map[string]float64{}
	if past == nil {
		return by, nil
	}
	for _, t := range q[:min(len(q), maxTerms)] {
		docs, links, err := past.Word(t.text)
		if err != nil {
			return nil, err
		}
		rare := math.Log(float64(past.Len()+1) / (float64(docs) + 0.5))
		for _, l := range links {
			by[l.Path] += rare * l.Share
		}
	}
	return by, nil
}

// pathWords sums up how telling the query's words are that stand in each path.
func (f *finder) pathWords(q []queryTerm, hits []catalog.PathHit) {
	worth := make(map[string]float64, len(q))
	for _, t := range q {
		// A word of every other path says nothing about one of them.
		if t.docs > 0 && float64(t.docs) < pathShare*float64(f.files.n) {
			worth[t.text] = math.Log(float64(f.files.n+1) / (float64(t.docs) + 0.5))
		}
	}
	if len(worth) == 0 {
		return
	}
	var a analyser
	var words []string
	for i := range hits {
		words = a.add(a.add(words[:0], path.Base(hits[i].Path)), path.Dir(hits[i].Path))
		slices.Sort(words)
		words = slices.Compact(words)
		for _, w := range words {
			hits[i].Words += worth[w]
		}
		// A long path holds some word of everything.
		hits[i].Words *= math.Sqrt(usualPath / max(usualPath, float64(len(words))))
	}
}
