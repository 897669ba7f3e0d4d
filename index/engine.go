package index

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"path/filepath"
	"runtime"
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
func (engine) Parse(data []byte, kind knowledge.Kind, id, file string) (knowledge.Entry, error) {
	e, _, err := frontmatter.Parse(data, kind, id, file)
	return e, err
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

// buildBatch is how many words, counted once a field and document, a segment
// of a build holds before merging: larger ones save merging and cost memory.
const buildBatch = 60_000

// builder writes a store from nothing: segments are made on every core.
type builder struct {
	idx     bleveindex.Index
	queue   *bleveindex.AnalysisQueue
	batch   *bleveindex.Batch
	words   int // in batch
	batches chan *bleveindex.Batch
	wg      sync.WaitGroup
	closed  bool

	mu  sync.Mutex
	err error
}

// Build begins a store from nothing.
func (engine) Build(store string) (core.Builder, error) {
	b := &builder{batch: bleveindex.NewBatch(), batches: make(chan *bleveindex.Batch), queue: bleveindex.NewAnalysisQueue(1)}
	var err error
	if b.idx, err = openWriter(store, b.queue); err != nil {
		b.queue.Close()
		return nil, err
	}
	for range runtime.GOMAXPROCS(0) {
		b.wg.Go(func() {
			for ops := range b.batches {
				if err := b.idx.Batch(ops); err != nil {
					b.fail(err)
				}
			}
		})
	}
	return b, nil
}

func (b *builder) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
	}
}

func (b *builder) failed() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// Add implements core.Builder.
func (b *builder) Add(d bleveindex.Document) error {
	b.batch.Update(d)
	d.VisitFields(func(f bleveindex.Field) { b.words += len(f.AnalyzedTokenFrequencies()) })
	if b.words < buildBatch {
		return nil
	}
	return b.flush()
}

func (b *builder) flush() error {
	if len(b.batch.IndexOps) > 0 {
		b.batches <- b.batch
		b.batch, b.words = bleveindex.NewBatch(), 0
	}
	return b.failed()
}

// Close writes what is left and merges, so that readers open few segments.
func (b *builder) Close(ctx context.Context) (segs []core.Segment, err error) {
	err = b.flush()
	close(b.batches)
	b.wg.Wait()
	b.closed = true
	if e := b.failed(); err == nil {
		err = e
	}
	if err == nil {
		if err = mergeAll(ctx, b.idx); err == nil {
			segs, err = listSegments(b.idx)
		}
	}
	if e := b.idx.Close(); err == nil {
		err = e
	}
	b.queue.Close()
	return segs, err
}

// Discard implements core.Builder.
func (b *builder) Discard() {
	if b.closed {
		return
	}
	close(b.batches)
	b.wg.Wait()
	b.idx.Close()
	b.queue.Close()
}

// mergeAll merges the segments of a build into one and waits until that is on
// disk.
func mergeAll(ctx context.Context, idx bleveindex.Index) error {
	n, err := segments(idx)
	if err != nil || n <= 1 {
		return err
	}
	o := mergeplan.SingleSegmentMergePlanOptions
	o.SegmentsPerMergeTask = 1000
	if err := idx.(*scorch.Scorch).ForceMerge(ctx, &o); err != nil {
		return fmt.Errorf("merge index segments: %w", err)
	}
	// A batch without documents is safe only when everything before it is.
	ops := bleveindex.NewBatch()
	ops.SetInternal([]byte("merged"), []byte("1"))
	return idx.Batch(ops)
}
