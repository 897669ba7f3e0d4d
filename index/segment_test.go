package index

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	bleveindex "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	zap "github.com/blevesearch/zapx/v17"
	"github.com/google/go-cmp/cmp"
)

// wordDoc is a document of plain word counts.
type wordDoc struct {
	id     string
	fields []bleveindex.Field
}

func (d *wordDoc) ID() string { return d.id }
func (d *wordDoc) Size() int  { return 1 }
func (d *wordDoc) VisitFields(visit bleveindex.FieldVisitor) {
	for _, f := range d.fields {
		visit(f)
	}
}
func (d *wordDoc) VisitComposite(bleveindex.CompositeFieldVisitor) {}
func (d *wordDoc) HasComposite() bool                              { return false }
func (d *wordDoc) NumPlainTextBytes() uint64                       { return 0 }
func (d *wordDoc) StoredFieldsBytes() uint64                       { return 0 }
func (d *wordDoc) Indexed() bool                                   { return true }
func (d *wordDoc) AddIDField() {
	f := wordCounts("_id", bleveindex.IndexField|bleveindex.StoreField, map[string]int{d.id: 1})
	f.value = []byte(d.id)
	d.fields = append(d.fields, f)
}

type wordField struct {
	name    string
	value   []byte
	options bleveindex.FieldIndexingOptions
	n       int
	freqs   bleveindex.TokenFrequencies
	given   map[string]int
}

func (f *wordField) Name() string                                          { return f.name }
func (f *wordField) Value() []byte                                         { return f.value }
func (f *wordField) ArrayPositions() []uint64                              { return nil }
func (f *wordField) EncodedFieldType() byte                                { return 't' }
func (f *wordField) Analyze()                                              {}
func (f *wordField) Options() bleveindex.FieldIndexingOptions              { return f.options }
func (f *wordField) AnalyzedLength() int                                   { return f.n }
func (f *wordField) AnalyzedTokenFrequencies() bleveindex.TokenFrequencies { return f.freqs }
func (f *wordField) NumPlainTextBytes() uint64                             { return 0 }

// uncounted is a field that hands out its words one by one, as core's do.
type uncounted struct{ *wordField }

func (f uncounted) EachWord(visit func(string)) {
	for range 300 { // in turns, as words come in a text
		for w, t := range f.freqs {
			if f.given[w]++; f.given[w] <= max(t.Frequency(), 1) {
				visit(w)
			}
		}
	}
}

// wordCounts is a field; a word counted zero times is a keyword.
func wordCounts(name string, o bleveindex.FieldIndexingOptions, counts map[string]int) *wordField {
	f := &wordField{name: name, options: o, freqs: bleveindex.TokenFrequencies{}, given: map[string]int{}}
	for w, n := range counts {
		t := &bleveindex.TokenFreq{Term: []byte(w)}
		if n > 0 {
			t.SetFrequency(n)
		}
		f.freqs[w] = t
		f.n += max(n, 1)
	}
	return f
}

// wordDocs are n documents: words in nearly all of them, in some, in one; one
// field that few have, one of keywords, one that comes and goes.
func wordDocs(n int) []bleveindex.Document {
	r := rand.New(rand.NewPCG(1, 2))
	docs := make([]bleveindex.Document, 0, n)
	for i := range n {
		d := &wordDoc{id: fmt.Sprintf("doc-%d", (i*7919)%n)}
		counts := map[string]int{"common": 1 + r.IntN(300), fmt.Sprintf("only-%d", i): 1 + i%2}
		if i%3 > 0 {
			counts["often"] = 1
		}
		for range r.IntN(12) {
			counts[fmt.Sprintf("w%d", r.IntN(50))]++
		}
		if i%5 != 4 {
			d.fields = append(d.fields, wordCounts("text", bleveindex.IndexField, counts))
		}
		d.fields = append(d.fields, wordCounts("keys", bleveindex.IndexField|bleveindex.SkipFreqNorm, map[string]int{"all": 0, fmt.Sprint("k", i%17): 0}))
		if i == n/2 {
			d.fields = append(d.fields, wordCounts("a rare field", bleveindex.IndexField, map[string]int{"слово": 2, "単語": 1, "": 1}))
		}
		docs = append(docs, d)
	}
	return docs
}

// posting is all that can be read of one word in one document.
type posting struct {
	Doc, Freq uint64
	Norm      float64
	Locations int
}

// contents is all that can be read from a segment.
type contents struct {
	Docs   uint64
	Fields map[string]map[string][]posting
	IDs    []string
}

func readSegment(t *testing.T, s segment.Segment) contents {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	c := contents{Docs: s.Count(), Fields: map[string]map[string][]posting{}}
	for _, name := range s.Fields() {
		dict, err := s.Dictionary(name)
		must(err)
		words := map[string][]posting{}
		it := dict.AutomatonIterator(nil, nil, nil)
		for e, err := it.Next(); e != nil; e, err = it.Next() {
			must(err)
			list, err := dict.PostingsList([]byte(e.Term), nil, nil)
			must(err)
			var ps []posting
			pi := list.Iterator(true, true, true, nil)
			for p, err := pi.Next(); p != nil; p, err = pi.Next() {
				must(err)
				ps = append(ps, posting{p.Number(), p.Frequency(), p.Norm(), len(p.Locations())})
			}
			if uint64(len(ps)) != list.Count() {
				t.Errorf("%s: %q has %d postings and says %d", name, e.Term, len(ps), list.Count())
			}
			words[e.Term] = ps
		}
		c.Fields[name] = words
	}
	for n := range s.Count() {
		var ids []string
		must(s.VisitStoredFields(n, func(field string, _ byte, value []byte, _ []uint64) bool {
			ids = append(ids, field+"="+string(value))
			return true
		}))
		c.IDs = append(c.IDs, fmt.Sprint(ids))
	}
	return c
}

// Sizes around where zap cuts postings into another number of chunks.
func TestASegmentReadsAsOneOfZapsOwn(t *testing.T) {
	for _, n := range []int{1, 2, 7, 1023, 1024, 1025, 2600} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s := newSegmentFields()
			for i, d := range wordDocs(n) {
				if d := d.(*wordDoc); i%2 == 0 {
					for j, f := range d.fields {
						d.fields[j] = uncounted{f.(*wordField)}
					}
				}
				if err := s.add(d); err != nil {
					t.Fatal(err)
				}
			}
			path := filepath.Join(t.TempDir(), "ours.zap")
			if err := s.writeFile(path); err != nil {
				t.Fatal(err)
			}
			plugin := &zap.ZapPlugin{}
			ours, err := plugin.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer ours.Close()

			docs := wordDocs(n)
			for _, d := range docs {
				d.AddIDField()
			}
			theirs, _, err := plugin.New(docs)
			if err != nil {
				t.Fatal(err)
			}
			defer theirs.Close()
			got, want := readSegment(t, ours), readSegment(t, theirs)
			if len(want.Fields) < 3 || len(want.Fields["_id"]) != n {
				t.Fatalf("the segment to compare with holds too little: %d fields, %d ids", len(want.Fields), len(want.Fields["_id"]))
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-zap's own +ours)\n%s", d)
			}
		})
	}
}

func TestASegmentOfOursMergesWithOthers(t *testing.T) {
	dir := t.TempDir()
	docs := wordDocs(300)
	s := newSegmentFields()
	for _, d := range docs[:200] {
		if err := s.add(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.writeFile(filepath.Join(dir, "ours.zap")); err != nil {
		t.Fatal(err)
	}
	plugin := &zap.ZapPlugin{}
	ours, err := plugin.Open(filepath.Join(dir, "ours.zap"))
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	for _, d := range docs {
		d.AddIDField()
	}
	other, _, err := plugin.New(docs[200:])
	if err != nil {
		t.Fatal(err)
	}
	whole, _, err := plugin.New(docs)
	if err != nil {
		t.Fatal(err)
	}
	merged := filepath.Join(dir, "merged.zap")
	if _, _, err := plugin.Merge([]segment.Segment{ours, other}, make([]*roaring.Bitmap, 2), merged, nil, nil); err != nil {
		t.Fatal(err)
	}
	m, err := plugin.Open(merged)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if d := cmp.Diff(readSegment(t, whole), readSegment(t, m)); d != "" {
		t.Errorf("(-made at once +merged)\n%s", d)
	}
}

func TestASegmentIsTheSameBytesEveryTime(t *testing.T) {
	var first []byte
	for i := range 3 {
		s := newSegmentFields()
		for _, d := range wordDocs(500) {
			if err := s.add(d); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(t.TempDir(), "a.zap")
		if err := s.writeFile(path); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = b
		} else if !bytes.Equal(first, b) {
			t.Fatal("the same documents gave other bytes")
		}
	}
}

func TestWhatASegmentCannotHoldIsRefused(t *testing.T) {
	text := func(id string, o bleveindex.FieldIndexingOptions) *wordDoc {
		return &wordDoc{id: id, fields: []bleveindex.Field{wordCounts("text", o, map[string]int{"word": 1})}}
	}
	twice := text("b", bleveindex.IndexField)
	twice.fields = append(twice.fields, twice.fields[0])
	for name, d := range map[string]*wordDoc{
		"the same document again": text("a", bleveindex.IndexField),
		"a field twice":           twice,
		"term vectors":            text("c", bleveindex.IndexField|bleveindex.IncludeTermVectors),
		"stored text":             text("d", bleveindex.IndexField|bleveindex.StoreField),
		"doc values":              text("e", bleveindex.IndexField|bleveindex.DocValues),
	} {
		t.Run(name, func(t *testing.T) {
			s := newSegmentFields()
			if err := s.add(text("a", bleveindex.IndexField)); err != nil {
				t.Fatal(err)
			}
			err := s.add(d)
			if err == nil { // an id that comes again shows when they are sorted
				err = s.writeFile(filepath.Join(t.TempDir(), "segment.zap"))
			}
			if err == nil {
				t.Error("was taken")
			}
		})
	}
}
