package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"pathrule/index/catalog"
	"pathrule/index/history"
	"pathrule/internal/linetree"
	"pathrule/knowledge"
)

// Index is an open generation; it is a catalog.Source with a text door. It may
// be used by several goroutines.
type Index struct {
	ptr  catalog.Pointer
	cat  *catalog.Reader
	snap *snapshot

	// A generation never changes, so what one question read serves the next one
	// of the same process: records by document, and the room for its scores.
	mu      sync.Mutex
	records map[uint32]catalog.Record
	sums    []float64

	cache string // the workspace's cache folder
}

// maxRecords bounds the records that are kept.
const maxRecords = 2048

var _ catalog.Source = (*Index)(nil)

// Close releases the generation.
func (x *Index) Close() error { return errors.Join(x.snap.Close(), x.cat.Close()) }

// Segments is how many segments the bleve store has.
func (x *Index) Segments() int { return len(x.snap.segs) }

// Generation names the open generation.
func (x *Index) Generation() string { return x.ptr.Gen }

// All implements catalog.Source.
func (x *Index) All(yield func(catalog.Record) bool) error { return x.cat.All(yield) }

// Kind is All for one kind; it reads no other.
func (x *Index) Kind(kind knowledge.Kind, yield func(catalog.Record) bool) error {
	return x.cat.Kind(kind, yield)
}

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
	res := catalog.Result{Docs: x.ptr.Entries, Words: int(x.ptr.Lengths[fieldNames[fieldAll]]) / max(x.ptr.Entries, 1)}
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
	f.sums = x.takeSums()
	defer func() { x.keepSums(f) }()
	count := func(terms []queryTerm) error {
		for i := range terms {
			if terms[i].docs, err = x.snap.count(fieldNames[fieldAll], []byte(terms[i].text)); err != nil {
				return fmt.Errorf("search index: %w", err)
			}
			res.Terms = append(res.Terms, catalog.TermStat{Term: terms[i].text, Docs: terms[i].docs})
		}
		return nil
	}
	if err = count(terms); err != nil {
		return res, err
	}
	others := standing(terms, q.Other)
	if err = count(others); err != nil {
		return res, err
	}
	terms = append(terms, others...)
	byPath := make(map[uint32]int, len(res.Candidates))
	also := make([]uint32, 0, len(res.Candidates))
	for i, c := range res.Candidates {
		d, ok, err := x.snap.doc(string(c.Record.Kind) + ":" + c.Record.ID)
		if err != nil {
			return res, fmt.Errorf("search index: %w", err)
		}
		if ok {
			byPath[uint32(d)] = i
			also = append(also, uint32(d))
		}
	}
	sc, best, err := f.find(&f.entries, terms, also, max(maxRescored, 2*limit))
	if err != nil {
		return res, fmt.Errorf("search index: %w", err)
	}
	for d, i := range byPath {
		res.Candidates[i].Text = sc.of[d]
	}
	var found []catalog.Candidate
	floor := 0.0
	for _, d := range best {
		// Equal scores at the limit are all read, and ordered by key below.
		if len(found) >= limit && sc.of[d] < floor {
			break
		}
		if _, ok := byPath[d]; ok {
			continue
		}
		rec, ok, err := x.record(d)
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
		c.Text = sc.of[d]
		found = append(found, c)
		floor = c.Text
	}
	catalog.SortCandidates(found)
	res.Candidates = append(res.Candidates, found[:min(len(found), limit)]...)
	catalog.SortCandidates(res.Candidates)
	named := terms[:len(terms)-len(others)]
	var past *history.Reader
	if q.Route {
		if past, err = history.Open(x.cache); err == nil {
			defer past.Close()
		}
	}
	if res.Files, err = f.project(named, past); past != nil && errors.Is(err, linetree.ErrCorrupt) {
		// The index stands without it, and whoever reads history next makes it anew.
		res.Files, err = f.project(named, nil)
	}
	if err != nil {
		return res, fmt.Errorf("search project map: %w", err)
	}
	return res, nil
}

// alike are the entries whose words fit a text best, at most n.
func (x *Index) alike(text string, n int) ([]catalog.Record, error) {
	terms := analyse(text)
	for i := range terms {
		var err error
		if terms[i].docs, err = x.snap.count(fieldNames[fieldAll], []byte(terms[i].text)); err != nil {
			return nil, fmt.Errorf("search index: %w", err)
		}
	}
	f := newFinder(x.snap, x.ptr)
	_, best, err := f.find(&f.entries, terms, nil, n)
	if err != nil {
		return nil, fmt.Errorf("search index: %w", err)
	}
	out := make([]catalog.Record, 0, len(best))
	for _, d := range best {
		rec, ok, err := x.record(d)
		if err != nil {
			return nil, fmt.Errorf("search index: %w", err)
		}
		if ok {
			out = append(out, rec)
		}
	}
	return out, nil
}

// takeSums gives room for the scores of all documents, all zero; nil where
// another question has it.
func (x *Index) takeSums() []float64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.sums
	x.sums = nil
	return s
}

// keepSums takes the room back; only what was touched is to be cleared.
func (x *Index) keepSums(f *finder) {
	for _, d := range f.touched {
		f.sums[d] = 0
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sums = f.sums
}

func (x *Index) record(doc uint32) (catalog.Record, bool, error) {
	x.mu.Lock()
	rec, ok := x.records[doc]
	x.mu.Unlock()
	if ok {
		return rec, true, nil
	}
	id, err := x.snap.id(uint64(doc))
	if err != nil {
		return catalog.Record{}, false, err
	}
	kind, name, _ := strings.Cut(id, ":")
	rec, ok, err = x.cat.Lookup(knowledge.Kind(kind), name)
	if ok && err == nil {
		x.mu.Lock()
		if x.records == nil || len(x.records) >= maxRecords {
			x.records = map[uint32]catalog.Record{}
		}
		x.records[doc] = rec
		x.mu.Unlock()
	}
	return rec, ok, err
}

// Governing answers the path door from bleve's own terms, without a bound.
func (x *Index) Governing(q catalog.Query) ([]catalog.Candidate, error) {
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
		rec, ok, err := x.record(d)
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
