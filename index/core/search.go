package core

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/searcher"
	bleveindex "github.com/blevesearch/bleve_index_api"

	"pathrule/index/catalog"
	"pathrule/index/terms"
)

// finder scores documents of one open generation.
//
// bleve scores each word in each field by BM25; the scores of a document are
// added here rather than by bleve's disjunction, which multiplies by the share
// of matching clauses: with six fields a clause, that share says more about
// the shape of an entry than about what it tells.
type finder struct {
	snap *snapshot
	pool *search.DocumentMatchPool
	sc   search.SearchContext
	sums []float64 // by document; entries and files have their own
	// touched are the documents with a sum, for whoever clears them.
	touched []uint32

	entries, files fieldSet
}

// fieldSet is one kind of document: its fields with their weights, and the
// statistics that bleve would otherwise take from the whole index, in which
// entries and project files would blur each other.
type fieldSet struct {
	names   []string
	weights []float64
	again   int // how many of the fields common words are looked up in
	ctx     context.Context
	n       int // documents
}

func newFieldSet(names []string, weights []float64, n int, lengths func(name string) int64) fieldSet {
	stats := &search.BM25Stats{DocCount: float64(max(1, n)), FieldCardinality: make(map[string]int, len(names))}
	for _, name := range names {
		// bleve divides this by the number of documents: it is the total length.
		stats.FieldCardinality[name] = int(max(1, lengths(name)))
	}
	ctx := context.WithValue(context.Background(), search.BM25StatsKey, stats)
	ctx = context.WithValue(ctx, search.GetScoringModelCallbackKey,
		search.GetScoringModelCallbackFn(func() string { return bleveindex.BM25Scoring }))
	return fieldSet{names: names, weights: weights, again: len(names), ctx: ctx, n: n}
}

func newFinder(snap *snapshot, p catalog.Pointer) *finder {
	f := &finder{snap: snap, pool: search.NewDocumentMatchPool(4, 0)}
	f.sc.DocumentMatchPool = f.pool
	f.entries = newFieldSet(fieldNames[:], weights[:], p.Entries, func(name string) int64 { return p.Lengths[name] })
	f.entries.again = againFields
	// Names are short and alike: about three words each.
	f.files = newFieldSet([]string{fieldBase, fieldDir}, []float64{weightBase, weightDir}, p.Files,
		func(string) int64 { return 3 * int64(p.Files) })
	return f
}

// queryTerm is one distinct word of the question.
type queryTerm struct {
	text  string
	whole bool
	other bool // it stands for a word of the question
	docs  int  // documents that hold it
}

func (t *queryTerm) weight() float64 {
	switch {
	case t.other:
		return weightOther
	case t.whole:
		return weightWhole
	}
	return 1
}

// analyse gives a text's distinct words in order.
func analyse(text string) []queryTerm {
	var out []queryTerm
	seen := map[string]bool{}
	for _, t := range terms.Query(text) {
		if !seen[t.Text] {
			seen[t.Text] = true
			out = append(out, queryTerm{text: t.Text, whole: t.Whole})
			if len(out) == maxStats {
				break
			}
		}
	}
	return out
}

// standing gives the terms that stand for words of q that no entry holds.
func standing(q []queryTerm, others []catalog.Other) []queryTerm {
	if len(others) == 0 {
		return nil
	}
	docs := make(map[string]int, len(q))
	for _, t := range q {
		docs[t.text] = t.docs
	}
	var out []queryTerm
	for _, o := range others {
		held := true
		for _, t := range o.Of {
			held = held && (docs[t] > 0 || terms.Stop(t))
		}
		if held {
			continue
		}
		for _, t := range o.Terms {
			if _, seen := docs[t]; seen || terms.Stop(t) {
				continue
			}
			docs[t] = 0
			if out = append(out, queryTerm{text: t, other: true}); len(out) == maxOthers {
				return out
			}
		}
	}
	return out
}

// informative chooses the words worth looking for, rarest first, at most
// maxTerms of the question's own and maxOtherTerms that stand for them. Words
// that carry no topic count only when there are no others.
func informative(q []queryTerm) []queryTerm {
	var use, stops, others []queryTerm
	for _, t := range q {
		switch {
		case t.docs == 0:
		case t.other:
			others = append(others, t)
		case terms.Stop(t.text):
			stops = append(stops, t)
		default:
			use = append(use, t)
		}
	}
	if len(use) == 0 {
		use = stops
	}
	rarest := func(a, b queryTerm) int { return a.docs - b.docs }
	slices.SortStableFunc(use, rarest)
	use = use[:min(len(use), maxTerms)]
	if len(others) > 0 {
		slices.SortStableFunc(others, rarest)
		use = append(use, others[:min(len(others), maxOtherTerms)]...)
		slices.SortStableFunc(use, rarest)
	}
	return use
}

// scores adds up by document number. The array is as long as the index, but
// only the touched parts of it cost anything.
type scores struct {
	of      []float64
	touched []uint32
}

func (s *scores) add(doc uint64, v float64) {
	if doc >= uint64(len(s.of)) {
		return
	}
	if s.of[doc] == 0 {
		s.touched = append(s.touched, uint32(doc))
	}
	s.of[doc] += v
}

// top are the n documents with the highest scores, ties by number.
func (s *scores) top(n int) []uint32 {
	// A heap of the n best so far, the worst of them first.
	worse := func(a, b uint32) bool {
		if s.of[a] != s.of[b] {
			return s.of[a] < s.of[b]
		}
		return a > b
	}
	var h []uint32
	down := func(i int) {
		for {
			c := 2*i + 1
			if c >= len(h) {
				return
			}
			if c+1 < len(h) && worse(h[c+1], h[c]) {
				c++
			}
			if !worse(h[c], h[i]) {
				return
			}
			h[i], h[c] = h[c], h[i]
			i = c
		}
	}
	for _, d := range s.touched {
		switch {
		case len(h) < n:
			h = append(h, d)
			if len(h) == n {
				for i := n/2 - 1; i >= 0; i-- {
					down(i)
				}
			}
		case worse(h[0], d):
			h[0] = d
			down(0)
		}
	}
	slices.SortFunc(h, func(a, b uint32) int {
		if s.of[a] != s.of[b] {
			return cmp.Compare(s.of[b], s.of[a])
		}
		return cmp.Compare(a, b)
	})
	return h
}

// find scores the documents of a set that hold words of q, best first, at most
// n. also are documents found otherwise, which are scored too. Common words
// only re-score what rarer ones found, so that the cost follows the answer.
func (f *finder) find(set *fieldSet, q []queryTerm, also []uint32, n int) (*scores, []uint32, error) {
	if f.sums == nil {
		f.sums = make([]float64, f.snap.docs)
	}
	sc := &scores{of: f.sums}
	defer func() { f.touched = append(f.touched, sc.touched...) }()
	use := informative(q)
	limit := min(commonMax, max(commonMin, int(commonShare*float64(set.n))))
	rare := 0
	for rare < len(use) && use[rare].docs <= limit {
		rare++
	}
	// Without a rare word of the question's own the rarest of them searches too,
	// within bounds.
	scanned := -1
	if i := slices.IndexFunc(use, func(t queryTerm) bool { return !t.other }); i >= rare {
		scanned = i
	}
	for k, t := range use {
		if k >= rare && k != scanned {
			continue
		}
		scan := 0
		if k == scanned {
			scan = maxScanned
		}
		for i, field := range set.names {
			if err := f.each(set.ctx, field, t.text, set.weights[i]*t.weight(), scan, sc); err != nil {
				return nil, nil, err
			}
		}
	}
	best, err := f.best(sc, n)
	if err != nil {
		return nil, nil, err
	}
	if rare < len(use) {
		docs := append(slices.Clone(best), also...)
		slices.Sort(docs)
		docs = slices.Compact(docs)
		for k, t := range use[rare:] {
			if rare+k == scanned {
				continue
			}
			for i, field := range set.names[:set.again] {
				if err := f.only(set.ctx, field, t.text, set.weights[i]*t.weight(), docs, sc); err != nil {
					return nil, nil, err
				}
			}
		}
		if best, err = f.best(sc, n); err != nil {
			return nil, nil, err
		}
	}
	return sc, best, nil
}

// best are the n documents with the highest scores. Of those that are equal at
// the end of the list the first by name are taken: numbers tell only in which
// order the store was written.
func (f *finder) best(sc *scores, n int) ([]uint32, error) {
	best := sc.top(n)
	if len(best) < n || len(sc.touched) == n {
		return best, nil
	}
	floor := sc.of[best[n-1]]
	above := n
	for above > 0 && sc.of[best[above-1]] == floor {
		above--
	}
	type tie struct {
		doc uint32
		id  string
	}
	var ties []tie
	for _, d := range f.firstOf(sc, floor, n-above) {
		ties = append(ties, tie{doc: d})
	}
	if len(ties) <= n-above {
		return best, nil
	}
	for i := range ties {
		id, err := f.snap.id(uint64(ties[i].doc))
		if err != nil {
			return nil, err
		}
		ties[i].id = id
	}
	slices.SortFunc(ties, func(a, b tie) int { return strings.Compare(a.id, b.id) })
	best = best[:above]
	for _, t := range ties[:n-above] {
		best = append(best, t.doc)
	}
	return best, nil
}

// firstOf are the documents with a score, without those that cannot be among the
// first n by name: where a segment has its names in order, only the first n of
// them can. Names lie apart, and a common word makes thousands of ties.
func (f *finder) firstOf(sc *scores, score float64, n int) []uint32 {
	var docs []uint32
	for _, d := range sc.touched {
		if sc.of[d] == score {
			docs = append(docs, d)
		}
	}
	if len(docs) <= n {
		return docs
	}
	slices.Sort(docs)
	out := docs[:0]
	at, left := uint64(0), 0
	for _, d := range docs {
		run, ok := f.snap.run(uint64(d))
		if ok && (run != at || len(out) == 0) {
			at, left = run, n
		}
		if !ok {
			out = append(out, d)
		} else if left > 0 {
			out = append(out, d)
			left--
		}
	}
	return out
}

func (f *finder) search(ctx context.Context, field, term string) (search.Searcher, error) {
	return searcher.NewTermSearcherBytes(ctx, f.snap, []byte(term), field, 1, search.SearcherOptions{})
}

// each adds the scores of every document that holds a term; at most scan of
// them, 0: all.
func (f *finder) each(ctx context.Context, field, term string, weight float64, scan int, sc *scores) error {
	s, err := f.search(ctx, field, term)
	if err != nil {
		return err
	}
	defer s.Close()
	for n := 0; scan == 0 || n < scan; n++ {
		m, err := s.Next(&f.sc)
		if err != nil || m == nil {
			return err
		}
		sc.add(m.IndexInternalID.Value(), weight*m.Score)
		f.pool.Put(m)
	}
	return nil
}

// only adds the scores of the given documents, which are sorted.
func (f *finder) only(ctx context.Context, field, term string, weight float64, docs []uint32, sc *scores) error {
	s, err := f.search(ctx, field, term)
	if err != nil || len(docs) == 0 {
		return err
	}
	defer s.Close()
	// Walking a short list costs less than leaping over it.
	leap := s.Count() > uint64(4*len(docs))
	var id bleveindex.IndexInternalID
	for len(docs) > 0 {
		var m *search.DocumentMatch
		if leap {
			id = bleveindex.NewIndexInternalID(id, uint64(docs[0]))
			m, err = s.Advance(&f.sc, id)
		} else {
			m, err = s.Next(&f.sc)
		}
		if err != nil || m == nil {
			return err
		}
		at := uint32(m.IndexInternalID.Value())
		for len(docs) > 0 && docs[0] < at {
			docs = docs[1:]
		}
		if len(docs) > 0 && docs[0] == at {
			sc.add(uint64(at), weight*m.Score)
			docs = docs[1:]
		}
		f.pool.Put(m)
	}
	return nil
}
