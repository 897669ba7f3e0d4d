package index

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"path/filepath"
	"sync"

	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
	bleveindex "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"

	"pathrule/index/core"
	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
)

const (
	// maxSegments is how many segments a generation may have; past it the small
	// ones are merged.
	maxSegments = 10

	boltWait = "200ms"
)

// quiet silences the standard logger, which bleve writes to when a file looks
// odd: on a hook's standard error it would be noise, and the same fact comes
// back as an error.
var quiet = sync.OnceFunc(func() { log.SetOutput(io.Discard) })

// engine writes with scorch and reads heads with the YAML library.
type engine struct{}

var _ core.Engine = engine{}

// Parse implements core.Engine.
func (engine) Parse(data []byte, kind knowledge.Kind, id, file string) (knowledge.Entry, bool, error) {
	e, problems, err := frontmatter.Parse(data, kind, id, file)
	return e, len(problems) == 0, err
}

// openWriter opens a store of our own read-write. It never merges by itself:
// what it writes is known when a batch returns.
func openWriter(store string, queue *bleveindex.AnalysisQueue) (bleveindex.Index, error) {
	quiet()
	idx, err := scorch.NewScorch(scorch.Name, map[string]any{
		"path":         store,
		"bolt_timeout": boltWait,
		"scorchMergePlanOptions": map[string]any{
			"MaxSegmentsPerTier": 10_000, "SegmentsPerMergeTask": 10, "FloorSegmentSize": 1,
			"MaxSegmentSize": 1 << 30, "TierGrowth": 10.0, "ReclaimDeletesWeight": 2.0,
		},
	}, queue)
	if err != nil {
		return nil, err
	}
	return idx, idx.Open()
}

// Update opens a cloned store read-write, applies a batch and closes it again
// with everything on disk.
func (engine) Update(ctx context.Context, store string, update []bleveindex.Document, remove []string) (segs []core.Segment, err error) {
	queue := bleveindex.NewAnalysisQueue(1)
	defer queue.Close()
	idx, err := openWriter(store, queue)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := idx.Close(); err == nil {
			err = e
		}
	}()
	s := idx.(*scorch.Scorch)
	n, err := segments(idx)
	if err != nil {
		return nil, err
	}
	if n > maxSegments-1 {
		o := mergeplan.DefaultMergePlanOptions
		o.MaxSegmentSize = 1 << 30
		o.CalcBudget = func(int64, int64, *mergeplan.MergePlanOptions) int { return 3 }
		if err := s.ForceMerge(ctx, &o); err != nil {
			return nil, fmt.Errorf("merge index segments: %w", err)
		}
	}
	ops := bleveindex.NewBatch()
	for _, d := range update {
		ops.Update(d)
	}
	for _, id := range remove {
		ops.Delete(id)
	}
	// Without unsafe_batch this returns when the segment, and a merge before it,
	// are on disk and in root.bolt.
	if err := idx.Batch(ops); err != nil {
		return nil, fmt.Errorf("write index: %w", err)
	}
	return listSegments(idx)
}

// listSegments says what is on disk, once a batch has returned.
func listSegments(idx bleveindex.Index) ([]core.Segment, error) {
	r, err := idx.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	snap, ok := r.(*scorch.IndexSnapshot)
	if !ok {
		return nil, errors.New("bleve gave another kind of reader")
	}
	var out []core.Segment
	for _, s := range snap.Segments() {
		p, ok := s.Segment().(segment.PersistedSegment)
		if !ok {
			return nil, errors.New("bleve left a segment in memory")
		}
		l := core.Segment{Name: filepath.Base(p.Path()), Docs: s.Segment().Count(), Live: s.Count()}
		// Written out now: the bitmap may lie in the mapped file.
		if d := s.Deleted(); d != nil && !d.IsEmpty() {
			if l.Deleted, err = d.ToBytes(); err != nil {
				return nil, err
			}
		}
		out = append(out, l)
	}
	return out, nil
}

func segments(idx bleveindex.Index) (int, error) {
	r, err := idx.Reader()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	snap, ok := r.(*scorch.IndexSnapshot)
	if !ok {
		return 0, errors.New("bleve gave another kind of reader")
	}
	return len(snap.Segments()), nil
}

// builder writes a store from nothing: all of its documents as one segment, and
// beside it bleve's own record of what a store holds.
type builder struct {
	store  string
	all    *segmentFields
	first  bleveindex.Document
	closed bool
}

// Build begins a store from nothing.
func (engine) Build(store string) (core.Builder, error) {
	return &builder{store: store, all: newSegmentFields()}, nil
}

// Add implements core.Builder.
func (b *builder) Add(d bleveindex.Document) error {
	if b.first == nil {
		b.first = d
	}
	return b.all.add(d)
}

// Close implements core.Builder. bleve writes a store with the first document
// alone; then the file of that one segment is replaced, since the record names
// the file and says nothing of what is in it.
func (b *builder) Close(ctx context.Context) ([]core.Segment, error) {
	if b.closed || b.first == nil {
		return nil, errors.New("nothing to write")
	}
	b.closed = true
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	segs, err := engine{}.Update(ctx, b.store, []bleveindex.Document{b.first}, nil)
	if err != nil {
		return nil, err
	}
	if len(segs) != 1 || segs[0].Docs != 1 {
		return nil, fmt.Errorf("bleve began a store with other segments: %+v", segs)
	}
	docs := uint64(len(b.all.ids))
	if err := b.all.writeFile(filepath.Join(b.store, segs[0].Name)); err != nil {
		return nil, fmt.Errorf("write index segment: %w", err)
	}
	b.all = nil
	return []core.Segment{{Name: segs[0].Name, Docs: docs, Live: docs}}, nil
}

// Discard implements core.Builder.
func (b *builder) Discard() { b.closed, b.all = true, nil }
