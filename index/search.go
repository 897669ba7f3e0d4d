package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/searcher"
	bleveindex "github.com/blevesearch/bleve_index_api"

	"pathrule/index/catalog"
	"pathrule/index/terms"
	"pathrule/knowledge"
)

// finder scores documents of one open generation.
//
// bleve scores each word in each field by BM25; the scores of a document are
// added here rather than by bleve's disjunction, which multiplies by the share
// of matching clauses: with six fields a clause, that share says more about
// the shape of an entry than about what it tells.
type finder struct {
	snap    *scorch.IndexSnapshot
	entries context.Context // BM25 statistics of the entries
	files   context.Context // of the project map
	nDocs   int             // entries
	nFiles  int
	pool    *search.DocumentMatchPool
}

func newFinder(snap *scorch.IndexSnapshot, p catalog.Pointer) *finder {
	f := &finder{snap: snap, nDocs: p.Entries, nFiles: p.Files}
	card := make(map[string]int, numFields)
	for _, name := range fieldNames {
		card[name] = int(max(1, p.Lengths[name]))
	}
	f.entries = bm25(p.Entries, card)
	// Names are short and alike: two words a name, three a folder.
	f.files = bm25(p.Files, map[string]int{fieldBase: 2 * max(1, p.Files), fieldDir: 3 * max(1, p.Files)})
	return f
}

// bm25 hands bleve the statistics it would otherwise take from the whole
// index, in which entries and project files would blur each other.
func bm25(docs int, lengths map[string]int) context.Context {
	ctx := context.WithValue(context.Background(), search.BM25StatsKey,
		&search.BM25Stats{DocCount: float64(max(1, docs)), FieldCardinality: lengths})
	return context.WithValue(ctx, search.GetScoringModelCallbackKey,
		search.GetScoringModelCallbackFn(func() string { return bleveindex.BM25Scoring }))
}

// queryTerm is one distinct word of the question.
type queryTerm struct {
	text  string
	whole bool
	docs  int
}

func (t *queryTerm) weight() float64 {
	if t.whole {
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
			out = append(out, queryTerm{text: strings.Clone(t.Text), whole: t.Whole})
			if len(out) == maxStats {
				break
			}
		}
	}
	return out
}

// count is the number of live documents that hold a term in a field.
func (f *finder) count(field, term string) (int, error) {
	n := 0
	for _, s := range f.snap.Segments() {
		d, err := s.Segment().Dictionary(field)
		if err != nil {
			return 0, err
		}
		pl, err := d.PostingsList([]byte(term), s.Deleted(), nil)
		if err != nil {
			return 0, err
		}
		n += int(pl.Count())
	}
	return n, nil
}

// text finds the best entries by text. also are documents found otherwise,
// which are scored too.
func (f *finder) text(q []queryTerm, also []uint64, limit int, keep func(doc uint64) bool) (map[uint64]float64, []uint64, error) {
	use := informative(q)
	limitDocs := max(commonMin, int(commonShare*float64(f.nDocs)))
	var rare, common []queryTerm
	for _, t := range use {
		if t.docs <= limitDocs {
			rare = append(rare, t)
		} else {
			common = append(common, t)
		}
	}
	scan := 0
	if len(rare) == 0 && len(common) > 0 {
		// informative put the rarest first.
		rare, common = common[:1], common[1:]
		scan = maxScanned
	}
	scores := map[uint64]float64{}
	for _, t := range rare {
		for i, field := range fieldNames {
			if err := f.each(f.entries, field, t.text, weights[i]*t.weight(), scan, scores); err != nil {
				return nil, nil, err
			}
		}
	}
	for _, d := range also {
		if _, ok := scores[d]; !ok {
			scores[d] = 0
		}
	}
	best := top(scores, maxRescored)
	extra := slices.Clone(also)
	if len(common) > 0 && len(scores) > 0 {
		again := roaring.New()
		for _, d := range best {
			again.Add(uint32(d))
		}
		for _, d := range extra {
			again.Add(uint32(d))
		}
		docs := again.ToArray()
		for _, t := range common {
			for i, field := range fieldNames {
				if err := f.only(f.entries, field, t.text, weights[i]*t.weight(), docs, scores); err != nil {
					return nil, nil, err
				}
			}
		}
		best = top(scores, maxRescored)
	}
	out := make([]uint64, 0, min(limit, len(best)))
	for _, d := range best {
		if scores[d] > 0 && keep(d) {
			out = append(out, d)
		}
	}
	return scores, out, nil
}

// informative chooses the words worth looking for, rarest first, at most
// maxTerms. Words that carry no topic count only when there are no others.
func informative(q []queryTerm) []queryTerm {
	var use, stops []queryTerm
	for _, t := range q {
		switch {
		case t.docs == 0:
		case terms.Stop(t.text):
			stops = append(stops, t)
		default:
			use = append(use, t)
		}
	}
	if len(use) == 0 {
		use = stops
	}
	slices.SortStableFunc(use, func(a, b queryTerm) int { return a.docs - b.docs })
	return use[:min(len(use), maxTerms)]
}

// top are the documents with the highest scores, ties by number.
func top(scores map[uint64]float64, n int) []uint64 {
	docs := make([]uint64, 0, len(scores))
	for d := range scores {
		docs = append(docs, d)
	}
	slices.SortFunc(docs, func(a, b uint64) int {
		if scores[a] != scores[b] {
			return cmp.Compare(scores[b], scores[a])
		}
		return cmp.Compare(a, b)
	})
	return docs[:min(len(docs), n)]
}

func (f *finder) search(ctx context.Context, field, term string) (search.Searcher, *search.SearchContext, error) {
	if f.pool == nil {
		f.pool = search.NewDocumentMatchPool(4, 0)
	}
	s, err := searcher.NewTermSearcherBytes(ctx, f.snap, []byte(term), field, 1, search.SearcherOptions{})
	return s, &search.SearchContext{DocumentMatchPool: f.pool}, err
}

// each adds the scores of every document that holds a term; at most scan of
// them, 0: all.
func (f *finder) each(ctx context.Context, field, term string, weight float64, scan int, scores map[uint64]float64) error {
	s, sc, err := f.search(ctx, field, term)
	if err != nil {
		return err
	}
	defer s.Close()
	for n := 0; scan == 0 || n < scan; n++ {
		m, err := s.Next(sc)
		if err != nil {
			return err
		}
		if m == nil {
			return nil
		}
		scores[m.IndexInternalID.Value()] += weight * m.Score
		f.pool.Put(m)
	}
	return nil
}

// only adds the scores of the given documents, which are sorted.
func (f *finder) only(ctx context.Context, field, term string, weight float64, docs []uint32, scores map[uint64]float64) error {
	s, sc, err := f.search(ctx, field, term)
	if err != nil {
		return err
	}
	defer s.Close()
	var id bleveindex.IndexInternalID
	at, have := uint64(0), false
	for _, d := range docs {
		if have && at > uint64(d) {
			continue
		}
		if !have || at < uint64(d) {
			id = bleveindex.NewIndexInternalID(id, uint64(d))
			m, err := s.Advance(sc, id)
			if err != nil {
				return err
			}
			if m == nil {
				return nil
			}
			at, have = m.IndexInternalID.Value(), true
			if at == uint64(d) {
				scores[at] += weight * m.Score
			}
			f.pool.Put(m)
		}
	}
	return nil
}

// id is the document's name.
func (f *finder) id(doc uint64) (string, error) {
	return f.snap.ExternalID(bleveindex.NewIndexInternalID(nil, doc))
}

// doc is the number of a document by name; ok is false when there is none.
func (f *finder) doc(id string) (uint64, bool, error) {
	in, err := f.snap.InternalID(id)
	if err != nil || in == nil {
		return 0, false, err
	}
	return in.Value(), true, nil
}

// project finds files of the project map.
func (f *finder) project(q []queryTerm) ([]catalog.PathHit, error) {
	if f.nFiles == 0 {
		return nil, nil
	}
	limit := max(commonMin, int(commonShare*float64(f.nFiles)))
	scores := map[uint64]float64{}
	for _, t := range q {
		if terms.Stop(t.text) {
			continue
		}
		for _, field := range [...]struct {
			name   string
			weight float64
		}{{fieldBase, weightBase}, {fieldDir, weightDir}} {
			n, err := f.count(field.name, t.text)
			if err != nil {
				return nil, err
			}
			if n == 0 || (n > limit && n > maxFileDocs) {
				continue
			}
			if err := f.each(f.files, field.name, t.text, field.weight*t.weight(), 0, scores); err != nil {
				return nil, err
			}
		}
	}
	// More than needed, so that equal scores are ordered by path.
	best := top(scores, 4*maxFileHits)
	hits := make([]catalog.PathHit, 0, len(best))
	for _, d := range best {
		id, err := f.id(d)
		if err != nil {
			return nil, err
		}
		if p, ok := strings.CutPrefix(id, filePrefix); ok {
			hits = append(hits, catalog.PathHit{Path: p, Score: scores[d]})
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
	return hits[:min(len(hits), maxFileHits)], nil
}

// index is what an open generation holds.
type index struct {
	ptr  catalog.Pointer
	dir  string
	cat  *catalog.Reader
	idx  bleveindex.Index
	snap *scorch.IndexSnapshot
}

// Close releases the generation.
func (x *Index) Close() error {
	err := x.snap.Close()
	return errors.Join(err, x.idx.Close(), x.cat.Close())
}

// Catalog is the catalogue of the same generation, for lookups by name.
func (x *Index) Catalog() *catalog.Reader { return x.cat }

// Generation names the open generation.
func (x *Index) Generation() string { return x.ptr.Gen }

// All implements catalog.Source.
func (x *Index) All(yield func(catalog.Record) bool) error { return x.cat.All(yield) }

// Load implements catalog.Source.
func (x *Index) Load(r catalog.Record) (catalog.Doc, error) { return catalog.LoadRecord(r) }

// Counts implements catalog.Source.
func (x *Index) Counts() (map[knowledge.Kind]int, map[string]int, error) { return x.cat.Counts() }

// Lookup finds one entry; ok is false when there is none.
func (x *Index) Lookup(kind knowledge.Kind, id string) (catalog.Record, bool, error) {
	return x.cat.Lookup(kind, id)
}

// Search implements catalog.Source. The path door is the catalogue's, which is
// bounded; Governing is the same question asked of bleve.
func (x *Index) Search(q catalog.Query) (catalog.Result, error) {
	res := catalog.Result{Docs: x.ptr.Entries}
	var err error
	if q.Exhaustive {
		res.Candidates, err = x.Governing(q)
	} else {
		res.Candidates, res.Cut, err = x.cat.Governing(q)
	}
	if err != nil {
		return res, err
	}
	limit := q.Limit
	if limit <= 0 {
		limit = catalog.DefaultLimit
	}
	terms := analyse(q.Text)
	if len(terms) == 0 {
		catalog.SortCandidates(res.Candidates)
		return res, nil
	}
	f := newFinder(x.snap, x.ptr)
	for i := range terms {
		if terms[i].docs, err = f.count(fieldNames[fieldAll], terms[i].text); err != nil {
			return res, fmt.Errorf("search index: %w", err)
		}
		res.Terms = append(res.Terms, catalog.TermStat{Term: terms[i].text, Docs: terms[i].docs})
	}
	byPath := make(map[uint64]int, len(res.Candidates))
	also := make([]uint64, 0, len(res.Candidates))
	for i, c := range res.Candidates {
		d, ok, err := f.doc(string(c.Record.Kind) + ":" + c.Record.ID)
		if err != nil {
			return res, fmt.Errorf("search index: %w", err)
		}
		if ok {
			byPath[d] = i
			also = append(also, d)
		}
	}
	scores, best, err := f.text(terms, also, limit, func(uint64) bool { return true })
	if err != nil {
		return res, fmt.Errorf("search index: %w", err)
	}
	for d, i := range byPath {
		res.Candidates[i].Text = scores[d]
	}
	var found []catalog.Candidate
	for _, d := range best {
		if len(found) >= 2*limit {
			break
		}
		if _, ok := byPath[d]; ok {
			continue
		}
		rec, ok, err := x.record(f, d)
		if err != nil {
			return res, fmt.Errorf("search index: %w", err)
		}
		if !ok || (len(q.Kinds) > 0 && !slices.Contains(q.Kinds, rec.Kind)) {
			continue
		}
		c := catalog.Candidate{Record: rec}
		if near, ok := catalog.Closest(&rec, q.Paths); ok {
			c = near
		}
		c.Text = scores[d]
		found = append(found, c)
	}
	catalog.SortCandidates(found)
	res.Candidates = append(res.Candidates, found[:min(len(found), limit)]...)
	catalog.SortCandidates(res.Candidates)
	if res.Files, err = f.project(terms); err != nil {
		return res, fmt.Errorf("search project map: %w", err)
	}
	return res, nil
}

func (x *Index) record(f *finder, doc uint64) (catalog.Record, bool, error) {
	id, err := f.id(doc)
	if err != nil {
		return catalog.Record{}, false, err
	}
	kind, name, _ := strings.Cut(id, ":")
	return x.cat.Lookup(knowledge.Kind(kind), name)
}

// Governing answers the path door from bleve's own terms, without a bound.
func (x *Index) Governing(q catalog.Query) ([]catalog.Candidate, error) {
	f := newFinder(x.snap, x.ptr)
	seen := roaring.New()
	for _, key := range catalog.PathTerms(q.Paths) {
		r, err := x.snap.TermFieldReader(context.Background(), []byte(key), fieldScope, false, false, false)
		if err != nil {
			return nil, err
		}
		for {
			d, err := r.Next(nil)
			if err != nil {
				r.Close()
				return nil, err
			}
			if d == nil {
				break
			}
			seen.Add(uint32(d.ID.Value()))
		}
		r.Close()
	}
	var out []catalog.Candidate
	for _, d := range seen.ToArray() {
		rec, ok, err := x.record(f, uint64(d))
		if err != nil {
			return nil, err
		}
		if !ok || (len(q.Kinds) > 0 && !slices.Contains(q.Kinds, rec.Kind)) {
			continue
		}
		if c, ok := catalog.Closest(&rec, q.Paths); ok {
			out = append(out, c)
		}
	}
	return out, nil
}
