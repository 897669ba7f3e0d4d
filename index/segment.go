package index

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	bleveindex "github.com/blevesearch/bleve_index_api"
	"github.com/blevesearch/vellum"
	zap "github.com/blevesearch/zapx/v17"
)

// Bleve makes a segment of a batch and merges the segments of a build: every
// word is counted in maps of one document, then in maps of one batch, written,
// read back and written again. That is most of what a build costs, in time and
// in memory. Here the postings of all documents are gathered as a few bytes each
// and written once, in the order of the file. The format is zap's version 17,
// without stored fields but the id, locations, and doc values; a test holds
// what is read from it to what zap reads from a segment of its own.

// segmentVersion is the version of the format that this file writes.
const segmentVersion = 17

// The format must not move under us: another version does not compile.
var _ = [1]struct{}{}[segmentVersion-zap.Version]

// segmentFields gathers documents.
type segmentFields struct {
	fields []*segmentField
	byName map[string]*segmentField
	ids    []word
	text   bytePool // the words, and the ids
	lists  bytePool // postings
	tmp    []byte
}

// segmentField is one field: what each word stands in, and how long the field is
// in each document, which zap calls its norm. The first one, "_id", has neither
// words nor postings here: they follow from the ids.
type segmentField struct {
	name    string
	options bleveindex.FieldIndexingOptions
	table   wordTable
	posts   []postings
	norms   []uint32 // by document, as far as the last that has the field
}

// postings are the documents of one word: a list of the distance from the one
// before and the frequency, as varints, without the last one, whose frequency
// may still grow.
type postings struct {
	term word
	hash uint32
	list byteList
	n    uint32 // documents
	base uint32 // the last document in the list
	last uint32
	freq uint32
}

// eachWord is a field that hands out its words uncounted.
type eachWord interface{ EachWord(func(word string)) }

func newSegmentFields() *segmentFields {
	s := &segmentFields{byName: map[string]*segmentField{}}
	s.field("_id", bleveindex.IndexField|bleveindex.StoreField)
	return s
}

func (s *segmentFields) field(name string, o bleveindex.FieldIndexingOptions) *segmentField {
	f := s.byName[name]
	if f == nil {
		f = &segmentField{name: name}
		s.byName[name] = f
		s.fields = append(s.fields, f)
	}
	f.options |= o
	return f
}

// add appends a document; its number is the count of those before it. Two of
// one id are an error when the segment is written.
func (s *segmentFields) add(d bleveindex.Document) error {
	doc := uint32(len(s.ids))
	id, err := s.text.put(d.ID())
	if err != nil {
		return err
	}
	s.ids = append(s.ids, id)
	d.VisitFields(func(bf bleveindex.Field) {
		if o := bf.Options(); o.IsStored() || o.IncludeTermVectors() || o.IncludeDocValues() {
			err = fmt.Errorf("field %s of %q wants more than an index", bf.Name(), d.ID())
			return
		}
		f := s.field(bf.Name(), bf.Options())
		if len(f.norms) > int(doc) {
			err = fmt.Errorf("field %s of %q comes twice", bf.Name(), d.ID())
			return
		}
		f.length(doc, uint32(bf.AnalyzedLength()))
		post := func(word string, freq uint32) {
			if e := s.post(f, word, doc, freq); e != nil {
				err = e
			}
		}
		if e, ok := bf.(eachWord); ok {
			one := uint32(1)
			if f.options&bleveindex.SkipFreqNorm != 0 {
				one = 0
			}
			e.EachWord(func(word string) { post(word, one) })
			return
		}
		for term, freq := range bf.AnalyzedTokenFrequencies() {
			post(term, uint32(freq.Frequency()))
		}
	})
	return err
}

func (f *segmentField) length(doc, n uint32) {
	for len(f.norms) <= int(doc) {
		f.norms = append(f.norms, 0)
	}
	f.norms[doc] = n
}

func (s *segmentFields) post(f *segmentField, term string, doc, freq uint32) error {
	h := hashWord(term)
	i, known := f.table.find(h, len(f.posts),
		func(i uint32) bool { return f.posts[i].hash == h && s.text.str(f.posts[i].term) == term },
		func(i uint32) uint32 { return f.posts[i].hash })
	if !known {
		own, err := s.text.put(term)
		if err != nil {
			return err
		}
		f.posts = append(f.posts, postings{term: own, hash: h, n: 1, last: doc, freq: freq})
		return nil
	}
	p := &f.posts[i]
	if p.last == doc {
		p.freq += freq
		return nil
	}
	s.tmp = binary.AppendUvarint(s.tmp[:0], uint64(p.last-p.base))
	s.tmp = binary.AppendUvarint(s.tmp, uint64(p.freq))
	p.base, p.last, p.freq = p.last, doc, freq
	p.n++
	return p.list.append(&s.lists, s.tmp)
}

// segmentWriter counts and sums what goes into the file.
type segmentWriter struct {
	w    *bufio.Writer
	n    uint64
	crc  uint32
	tmp  []byte
	docs uint64
	err  error
	// Reused from word to word.
	bitmap  *roaring.Bitmap
	numbers []uint32
	data    []byte
	list    []byte
	ends    []uint64
	set     bytes.Buffer
}

func (w *segmentWriter) write(b []byte) {
	if w.err != nil {
		return
	}
	_, w.err = w.w.Write(b)
	w.crc = crc32.Update(w.crc, crc32.IEEETable, b)
	w.n += uint64(len(b))
}

func (w *segmentWriter) uvarint(vs ...uint64) {
	w.tmp = w.tmp[:0]
	for _, v := range vs {
		w.tmp = binary.AppendUvarint(w.tmp, v)
	}
	w.write(w.tmp)
}

func (w *segmentWriter) uint64(v uint64) { w.write(binary.BigEndian.AppendUint64(w.tmp[:0], v)) }
func (w *segmentWriter) uint32(v uint32) { w.write(binary.BigEndian.AppendUint32(w.tmp[:0], v)) }

// writeFile writes the segment and returns with it on disk.
func (s *segmentFields) writeFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := &segmentWriter{w: bufio.NewWriterSize(f, 256<<10), docs: uint64(len(s.ids)), bitmap: roaring.New()}
	s.write(w)
	err = w.err
	if err == nil {
		err = w.w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

func (s *segmentFields) write(w *segmentWriter) {
	stored := s.writeIDs(w)
	// "_id" comes first, the others by name.
	fields := slices.Clone(s.fields)
	slices.SortFunc(fields[1:], func(a, b *segmentField) int { return strings.Compare(a.name, b.name) })
	at := make([]uint64, len(fields))
	at[0] = s.writeIDField(w)
	for i, f := range fields[1:] {
		at[i+1] = s.writeField(w, f)
	}
	sections := w.sections(fields, at)
	// The footer; the name of whoever encoded the file is empty.
	w.uint32(0)
	w.uint64(w.docs)
	w.uint64(stored)
	w.uint64(sections)
	w.uint32(zap.DefaultChunkMode)
	w.uint32(segmentVersion)
	w.uint32(w.crc)
}

// writeIDs writes the stored fields, of which we have only the id, and the list
// of where each document's begin.
func (s *segmentFields) writeIDs(w *segmentWriter) uint64 {
	at := make([]uint64, 0, len(s.ids))
	var meta []byte
	for _, id := range s.ids {
		at = append(at, w.n)
		meta = binary.AppendUvarint(meta[:0], uint64(id.n))
		w.uvarint(uint64(len(meta)), uint64(id.n+1))
		w.write(meta)
		w.write([]byte(s.text.str(id)))
		w.write([]byte{0}) // what else is stored, compressed: nothing
	}
	index := w.n
	for _, a := range at {
		w.uint64(a)
	}
	w.uvarint(0) // documents within documents
	return index
}

// dictionary begins the words of a field. end writes what was inserted and
// returns where the field says so.
func (w *segmentWriter) dictionary() (insert func(term string, value uint64), end func() uint64) {
	dict := &bytes.Buffer{}
	// As zap builds its own: looking for shared endings costs more than it saves.
	b, err := vellum.New(dict, &vellum.BuilderOpts{Encoder: 1, RegistryTableSize: 0, RegistryMRUSize: 1})
	if err != nil {
		w.fail(err)
		return func(string, uint64) {}, func() uint64 { return 0 }
	}
	var key []byte
	insert = func(term string, value uint64) {
		key = append(key[:0], term...)
		if err := b.Insert(key, value); err != nil {
			w.fail(err)
		}
	}
	return insert, func() uint64 {
		if err := b.Close(); err != nil {
			w.fail(err)
			return 0
		}
		at := w.n
		w.uvarint(uint64(dict.Len()))
		w.write(dict.Bytes())
		field := w.n
		w.uvarint(math.MaxUint64, math.MaxUint64, at) // no doc values
		return field
	}
}

// writeIDField writes the field of the ids: each stands in its own document.
func (s *segmentFields) writeIDField(w *segmentWriter) uint64 {
	docs := make([]uint32, len(s.ids))
	for i := range docs {
		docs[i] = uint32(i)
	}
	id := func(doc uint32) string { return s.text.str(s.ids[doc]) }
	slices.SortFunc(docs, func(a, b uint32) int { return strings.Compare(id(a), id(b)) })
	insert, end := w.dictionary()
	for i, doc := range docs {
		if i > 0 && id(doc) == id(docs[i-1]) {
			w.fail(fmt.Errorf("document %q comes twice", id(doc)))
		}
		if w.err != nil {
			return 0
		}
		insert(id(doc), zap.FSTValEncode1Hit(uint64(doc), 1))
	}
	return end()
}

// writeField writes postings and dictionary of a field and returns where it says
// so. What was gathered of the field is gone then.
func (s *segmentFields) writeField(w *segmentWriter, f *segmentField) uint64 {
	f.table = wordTable{}
	slices.SortFunc(f.posts, func(a, b postings) int { return strings.Compare(s.text.str(a.term), s.text.str(b.term)) })
	insert, end := w.dictionary()
	for i := range f.posts {
		if w.err != nil {
			return 0
		}
		p := &f.posts[i]
		insert(s.text.str(p.term), s.writePostings(w, f, p))
	}
	f.posts = nil
	return end()
}

func (w *segmentWriter) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// writePostings writes the postings of a word and returns what the dictionary says of
// it: where they are, or the one document itself.
func (s *segmentFields) writePostings(w *segmentWriter, f *segmentField, p *postings) uint64 {
	if p.n == 1 && p.freq == 1 {
		return zap.FSTValEncode1Hit(uint64(p.last), uint64(f.norms[p.last]))
	}
	w.list = p.list.read(&s.lists, w.list[:0])
	w.list = binary.AppendUvarint(w.list, uint64(p.last-p.base))
	w.list = binary.AppendUvarint(w.list, uint64(p.freq))
	// At most about 1024 documents a chunk, by equal ranges of their numbers.
	chunk := w.docs / (uint64(p.n)/1024 + 1)
	chunks := int((w.docs-1)/chunk) + 1
	w.ends = append(w.ends[:0], make([]uint64, chunks)...)
	w.numbers, w.data = w.numbers[:0], w.data[:0]
	doc, now := uint64(0), 0
	for rest := w.list; len(rest) > 0; {
		d, n := binary.Uvarint(rest)
		freq, m := binary.Uvarint(rest[n:])
		rest = rest[n+m:]
		doc += d
		for ; now < int(doc/chunk); now++ {
			w.ends[now] = uint64(len(w.data))
		}
		w.numbers = append(w.numbers, uint32(doc))
		w.data = binary.AppendUvarint(w.data, freq<<1) // without locations
		if freq > 0 {
			w.data = binary.AppendUvarint(w.data, uint64(f.norms[doc]))
		}
	}
	for ; now < chunks; now++ {
		w.ends[now] = uint64(len(w.data))
	}
	at := w.n
	w.uvarint(uint64(chunks))
	w.uvarint(w.ends...)
	w.write(w.data)

	w.bitmap.Clear()
	w.bitmap.AddMany(w.numbers)
	w.set.Reset()
	if _, err := w.bitmap.WriteTo(&w.set); err != nil {
		w.fail(err)
	}
	list := w.n
	w.uvarint(at, 0, uint64(w.set.Len())) // 0: no locations
	w.write(w.set.Bytes())
	return list
}

// sections writes the table of fields and returns where it begins.
func (w *segmentWriter) sections(fields []*segmentField, at []uint64) uint64 {
	offsets := make([]uint64, len(fields))
	for i, f := range fields {
		offsets[i] = w.n
		w.uvarint(uint64(len(f.name)))
		w.write([]byte(f.name))
		w.uvarint(uint64(f.options), 1) // of one section:
		w.write(binary.BigEndian.AppendUint16(w.tmp[:0], zap.SectionInvertedTextIndex))
		w.uint64(at[i])
	}
	table := w.n
	w.uvarint(uint64(len(fields)))
	for _, o := range offsets {
		w.uint64(o)
	}
	return table
}
