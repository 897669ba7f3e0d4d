package core

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	bleveindex "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	zap "github.com/blevesearch/zapx/v17"

	"pathrule/knowledge"
)

// zapSegment writes n documents as zap does and opens the file.
func zapSegment(t testing.TB, r *rand.Rand, n int) openSeg {
	t.Helper()
	var a analyser
	docs := make([]bleveindex.Document, n)
	for i := range docs {
		var body strings.Builder
		for w := range 12 {
			// Words from every other document to one alone.
			for range r.IntN(1 + r.IntN(1<<w)/(1+w*w)) {
				fmt.Fprintf(&body, "w%d ", w)
			}
		}
		fmt.Fprintf(&body, "common only%d rare%d", i, i/900)
		e := knowledge.Entry{Kind: knowledge.Memory, ID: fmt.Sprintf("m%05d", i), Title: fmt.Sprintf("Title w%d", r.IntN(5)), Body: body.String()}
		d, _ := a.entry(&e, []string{"p:"})
		d.AddIDField()
		docs[i] = d
	}
	made, _, err := (&zap.ZapPlugin{}).New(docs)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "1.zap")
	if err := made.(segment.UnpersistedSegment).Persist(path); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	seg, err := openSegment(path, listed{size: st.Size(), docs: uint64(n)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { seg.Close() })
	return openSeg{Segment: seg, dicts: &dictionaries{of: map[string]*dictionary{}}}
}

// Every term of every field is read as zap reads it, from the front and in leaps,
// with documents deleted and without.
func TestPostingsAreReadAsZapReadsThem(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, n := range []int{1, 40, 5000} {
		seg := zapSegment(t, r, n)
		gone := roaring.New()
		for d := range n {
			if r.IntN(9) == 0 {
				gone.Add(uint32(d))
			}
		}
		for _, deleted := range []*roaring.Bitmap{nil, gone} {
			seg.deleted = deleted
			s := &snapshot{segs: []openSeg{seg}}
			seen := 0
			for _, field := range fieldNames {
				d, err := seg.Dictionary(field)
				if err != nil {
					t.Fatal(err)
				}
				mine := s.dictionary(0, field)
				if mine == nil {
					if d.Cardinality() > 0 {
						t.Fatalf("%s: no dictionary", field)
					}
					continue
				}
				terms := d.AutomatonIterator(nil, nil, nil)
				for e, err := terms.Next(); e != nil; e, err = terms.Next() {
					if err != nil {
						t.Fatal(err)
					}
					seen++
					for _, counts := range []bool{true, false} {
						for _, leap := range []int{0, 1, 7, n/3 + 1} {
							pl, err := d.PostingsList([]byte(e.Term), deleted, nil)
							if err != nil {
								t.Fatal(err)
							}
							p, err := mine.postings([]byte(e.Term), deleted, counts)
							if err != nil || p == nil {
								t.Fatalf("%s %s: %v", field, e.Term, err)
							}
							if p.n() != pl.Count() {
								t.Fatalf("%s %s: %d documents, not %d", field, e.Term, p.n(), pl.Count())
							}
							same(t, fmt.Sprintf("%d documents, %s %s, leaps of %d", n, field, e.Term, leap), pl.Iterator(counts, counts, false, nil), p, leap, counts, r)
						}
					}
				}
				if p, err := mine.postings([]byte("no such word"), deleted, true); p != nil || err != nil {
					t.Errorf("a word that is not there: %+v, %v", p, err)
				}
			}
			if seen < 10 {
				t.Fatalf("%d terms", seen)
			}
		}
	}
}

func same(t *testing.T, at string, want, got lister, leap int, counts bool, r *rand.Rand) {
	t.Helper()
	next := uint64(0)
	for {
		var a, b segment.Posting
		var err, err2 error
		if leap > 0 && r.IntN(3) > 0 {
			to := next + uint64(r.IntN(leap))
			a, err = want.Advance(to)
			b, err2 = got.Advance(to)
		} else {
			a, err = want.Next()
			b, err2 = got.Next()
		}
		if err != nil || err2 != nil {
			t.Fatalf("%s: %v, %v", at, err, err2)
		}
		if (a == nil) != (b == nil) {
			t.Fatalf("%s: %v and %v behind %d", at, a, b, next)
		}
		if a == nil {
			return
		}
		if a.Number() != b.Number() || counts && (a.Frequency() != b.Frequency() || a.Norm() != b.Norm()) {
			t.Fatalf("%s: document %d, %d times, norm %v; zap reads %d, %d, %v", at, b.Number(), b.Frequency(), b.Norm(), a.Number(), a.Frequency(), a.Norm())
		}
		next = a.Number() + 1
	}
}

// A damaged segment is an error and never a crash, also where zap would trust it.
func FuzzDamagedPostingsNeverPanic(f *testing.F) {
	seg := zapSegment(f, rand.New(rand.NewPCG(5, 5)), 2500)
	d := openDictionary(seg.Segment, "all")
	if d == nil {
		f.Fatal("no dictionary")
	}
	whole := bytes.Clone(d.mem)
	f.Add(uint32(100), []byte{0xff, 0xff, 0xff}, uint64(17))
	f.Add(uint32(40_000), []byte{0x80}, uint64(2000))
	f.Fuzz(func(t *testing.T, at uint32, with []byte, doc uint64) {
		bad := bytes.Clone(whole)
		copy(bad[int(at)%len(bad):], with)
		for _, word := range []string{"common", "w3", "only7", "rare1"} {
			p, err := (&dictionary{mem: bad, docs: d.docs, fst: d.fst}).postings([]byte(word), nil, true)
			if err != nil || p == nil {
				continue
			}
			for range 50 {
				if next, err := p.Advance(doc); err != nil || next == nil {
					break
				}
				doc = p.Number() + 3
			}
		}
	})
}
