package index

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
	bleveindex "github.com/blevesearch/bleve_index_api"

	"pathrule/index/catalog"
)

const (
	// storeName is the bleve part of a generation, laid out as bleve lays it out.
	storeName = "store"
	boltName  = "root.bolt"
	segExt    = ".zap"
	tmpPrefix = "tmp-"

	// keepGens before the current one, and everything younger than keepAge, stay
	// for readers that opened them.
	keepGens = 2
	keepAge  = time.Minute

	// maxSegments is how many segments a generation may have; past it the small
	// ones are merged.
	maxSegments = 10

	boltWait = "200ms"
)

// quiet silences the standard logger, which bleve writes to when a file looks
// odd: on a hook's standard error it would be noise, and the same fact comes
// back as an error.
var quiet = sync.OnceFunc(func() { log.SetOutput(io.Discard) })

// generation is a folder being made. It is nobody's until publish.
type generation struct {
	cache string
	dir   string // tmp-...
	num   int
}

// newGeneration makes an empty folder. The writer lock is held.
func newGeneration(cache string) (*generation, error) {
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return nil, fmt.Errorf("make index folder: %w", err)
	}
	sweepTemp(cache)
	num := 0
	entries, err := os.ReadDir(cache)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		num = max(num, genNumber(e.Name()))
	}
	var r [4]byte
	if _, err := rand.Read(r[:]); err != nil {
		return nil, err
	}
	g := &generation{cache: cache, num: num + 1, dir: filepath.Join(cache, tmpPrefix+hex.EncodeToString(r[:]))}
	if err := os.Mkdir(g.dir, 0o700); err != nil {
		return nil, err
	}
	return g, os.Mkdir(g.store(), 0o700)
}

func (g *generation) store() string { return filepath.Join(g.dir, storeName) }

// discard removes an unfinished generation.
func (g *generation) discard() {
	if g.dir != "" {
		os.RemoveAll(g.dir)
		g.dir = ""
	}
}

// publish gives the folder its name and moves the pointer to it.
func (g *generation) publish(p catalog.Pointer) (catalog.Pointer, error) {
	p.Versions = catalog.Versions()
	var r [2]byte
	if _, err := rand.Read(r[:]); err != nil {
		return p, err
	}
	p.Gen = fmt.Sprintf("%s%08d-%x", catalog.GenPrefix, g.num, r)
	dir := filepath.Join(g.cache, p.Gen)
	if err := os.Rename(g.dir, dir); err != nil {
		return p, fmt.Errorf("publish index: %w", err)
	}
	g.dir = dir
	if err := p.Write(g.cache, fieldNames[:]); err != nil {
		return p, fmt.Errorf("publish index: %w", err)
	}
	g.dir = ""
	return p, nil
}

// genNumber is the number in a generation's name, 0 for other names.
func genNumber(name string) int {
	s, ok := strings.CutPrefix(name, catalog.GenPrefix)
	if !ok {
		return 0
	}
	s, _, _ = strings.Cut(s, "-")
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// sweepTemp removes what killed writers left. The lock is held, so every
// unfinished folder is one.
func sweepTemp(cache string) {
	entries, _ := os.ReadDir(cache)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tmpPrefix) {
			os.RemoveAll(filepath.Join(cache, e.Name()))
		}
	}
}

// sweep removes old generations. The lock is held. A folder that a reader holds
// open may refuse (Windows); the next writer tries again.
func sweep(cache, current string, now time.Time) {
	entries, _ := os.ReadDir(cache)
	var old []string
	for _, e := range entries {
		if n := e.Name(); n != current && genNumber(n) > 0 {
			old = append(old, n)
		}
	}
	slices.SortFunc(old, func(a, b string) int { return genNumber(b) - genNumber(a) })
	kept := 0
	for _, name := range old {
		// A number above the current one was never published: its writer died
		// between the two renames.
		if genNumber(name) < genNumber(current) && kept < keepGens {
			kept++
			continue
		}
		dir := filepath.Join(cache, name)
		if st, err := os.Stat(dir); err == nil && now.Sub(st.ModTime()) < keepAge {
			continue
		}
		os.RemoveAll(dir)
	}
}

// cloneStore links the segments of a published store, which never change, and
// copies the rest, which the writer will.
func cloneStore(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		src, dst := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		put := copyFile
		if filepath.Ext(e.Name()) == segExt {
			put = linkOrCopy
		}
		if err := put(src, dst); err != nil {
			return err
		}
	}
	return nil
}

// linkFile is os.Link; a test replaces it to see the copy work.
var linkFile = os.Link

// linkOrCopy gives a file that never changes a second name.
func linkOrCopy(src, dst string) error {
	if linkFile(src, dst) == nil {
		return nil
	}
	return copyFile(src, dst)
}

func copyFile(src, dst string) error {
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(dst, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if e := out.Close(); err == nil {
		err = e
	}
	return err
}

// batch is what one refresh changes in the bleve index.
type batch struct {
	update []*document
	remove []string
}

func (b *batch) empty() bool { return len(b.update)+len(b.remove) == 0 }

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

// writeBatch opens a cloned store read-write, applies a batch and closes it
// again with everything on disk.
func writeBatch(ctx context.Context, store string, b *batch) (docs int, err error) {
	queue := bleveindex.NewAnalysisQueue(1)
	defer queue.Close()
	idx, err := openWriter(store, queue)
	if err != nil {
		return 0, err
	}
	defer func() {
		if e := idx.Close(); err == nil {
			err = e
		}
	}()
	s := idx.(*scorch.Scorch)
	n, err := segments(idx)
	if err != nil {
		return 0, err
	}
	if n > maxSegments-1 {
		o := mergeplan.DefaultMergePlanOptions
		o.MaxSegmentSize = 1 << 30
		o.CalcBudget = func(int64, int64, *mergeplan.MergePlanOptions) int { return 3 }
		if err := s.ForceMerge(ctx, &o); err != nil {
			return 0, fmt.Errorf("merge index segments: %w", err)
		}
	}
	ops := bleveindex.NewBatch()
	for _, d := range b.update {
		ops.Update(d)
	}
	for _, id := range b.remove {
		ops.Delete(id)
	}
	// Without unsafe_batch this returns when the segment, and a merge before it,
	// are on disk and in root.bolt.
	if err := idx.Batch(ops); err != nil {
		return 0, fmt.Errorf("write index: %w", err)
	}
	r, err := idx.Reader()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	c, err := r.DocCount()
	return int(c), err
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

// buildBatch is how many documents a segment of a build holds before merging.
const buildBatch = 1500

// builder writes a store from nothing: segments are made on every core.
type builder struct {
	idx     bleveindex.Index
	queue   *bleveindex.AnalysisQueue
	batch   *bleveindex.Batch
	batches chan *bleveindex.Batch
	wg      sync.WaitGroup
	docs    int
	closed  bool

	mu  sync.Mutex
	err error
}

func newBuilder(store string) (*builder, error) {
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
	return b, b.add(metaDocument())
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

// add is called from one goroutine.
func (b *builder) add(d *document) error {
	b.docs++
	b.batch.Update(d)
	if len(b.batch.IndexOps) < buildBatch {
		return nil
	}
	return b.flush()
}

func (b *builder) flush() error {
	if len(b.batch.IndexOps) > 0 {
		b.batches <- b.batch
		b.batch = bleveindex.NewBatch()
	}
	return b.failed()
}

// close writes what is left and merges, so that readers open few segments.
func (b *builder) close(ctx context.Context) error {
	err := b.flush()
	close(b.batches)
	b.wg.Wait()
	b.closed = true
	if e := b.failed(); err == nil {
		err = e
	}
	if err == nil {
		err = mergeAll(ctx, b.idx)
	}
	if e := b.idx.Close(); err == nil {
		err = e
	}
	b.queue.Close()
	return err
}

// discard gives up an unfinished build.
func (b *builder) discard() {
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

// openStore opens a published store for reading.
func openStore(store string) (bleveindex.Index, *scorch.IndexSnapshot, error) {
	quiet()
	// bleve would make an empty index where there is none.
	if _, err := os.Stat(filepath.Join(store, boltName)); err != nil {
		return nil, nil, err
	}
	idx, err := scorch.NewScorch(scorch.Name, map[string]any{
		"path": store, "read_only": true, "bolt_timeout": boltWait,
	}, nil)
	if err != nil {
		return nil, nil, err
	}
	if err := idx.Open(); err != nil {
		return nil, nil, err
	}
	r, err := idx.Reader()
	if err != nil {
		idx.Close()
		return nil, nil, err
	}
	snap, ok := r.(*scorch.IndexSnapshot)
	if !ok {
		r.Close()
		idx.Close()
		return nil, nil, errors.New("bleve gave another kind of reader")
	}
	return idx, snap, nil
}

func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
