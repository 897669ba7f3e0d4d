package core

import (
	"encoding/binary"
	"errors"
	"math"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	"github.com/blevesearch/vellum"
	zap "github.com/blevesearch/zapx/v17"
)

// zap's own iterator visits every posting on the way to one that is asked for.
// A common word has tens of thousands, of which a question wants a hundred, so
// that its postings are read here: bitmaps say where a document's counts lie,
// and only their part of the file is read. A test holds every term of a segment
// to what zap reads from it; another version of the format does not compile.
var _ = [1]struct{}{}[17-zap.Version]

var errPostings = errors.New("index segment is damaged")

// chunkMode is how zap cuts counts into pieces: so that about a thousand
// documents lie in each.
const (
	chunkMode  = 1026
	chunkFills = 1024
)

// dictionary finds the postings of one field's terms in one segment.
type dictionary struct {
	mem  []byte
	docs uint64 // of the segment
	fst  *vellum.FST
}

// openDictionary gives nil for a segment that is not as we know it; then zap
// reads it.
func openDictionary(seg segment.Segment, field string) *dictionary {
	s, ok := seg.(*zap.Segment)
	if !ok || s.ChunkMode() != chunkMode {
		return nil
	}
	at, err := s.DictAddr(field)
	mem := s.Data()
	if err != nil || at >= uint64(len(mem)) {
		return nil
	}
	n, read := binary.Uvarint(mem[at:])
	if read <= 0 || n > uint64(len(mem))-at-uint64(read) {
		return nil
	}
	fst, err := vellum.Load(mem[at+uint64(read):][:n])
	if err != nil {
		return nil
	}
	return &dictionary{mem: mem, docs: s.NumDocs(), fst: fst}
}

// dictionaries are those of one segment that were asked for.
type dictionaries struct {
	mu sync.Mutex
	of map[string]*dictionary
}

// dictionary is that of a field in the i-th segment; nil when zap has to be asked.
func (s *snapshot) dictionary(i int, field string) *dictionary {
	seg := &s.segs[i]
	if seg.dicts == nil {
		return nil
	}
	seg.dicts.mu.Lock()
	defer seg.dicts.mu.Unlock()
	d, ok := seg.dicts.of[field]
	if !ok {
		d = openDictionary(seg.Segment, field)
		seg.dicts.of[field] = d
	}
	return d
}

// postings finds a term; nil when no document holds it.
func (d *dictionary) postings(term []byte, deleted *roaring.Bitmap, counts bool) (*postings, error) {
	v, ok, err := d.fst.Get(term)
	if err != nil || !ok {
		return nil, err
	}
	p := &postings{deleted: deleted, counts: counts}
	if v&zap.FSTValEncoding1Hit != 0 {
		doc, words := zap.FSTValDecode1Hit(v)
		p.docs = roaring.BitmapOf(uint32(doc))
		p.once = true
		p.words = uint32(words)
		p.begin()
		return p, nil
	}
	r := uvarints{b: d.mem, at: v}
	counted := r.next()
	r.next() // where the places lie, which we do not keep
	n := r.next()
	if r.bad || n > uint64(len(d.mem))-r.at {
		return nil, errPostings
	}
	p.docs = roaring.New()
	if _, err := p.docs.FromBuffer(d.mem[r.at:][:n]); err != nil {
		return nil, err
	}
	// Of keywords nothing is counted.
	if p.counts = counts && counted > 0; p.counts {
		p.size = d.docs / (p.docs.GetCardinality()/chunkFills + 1)
		if p.size == 0 {
			return nil, errPostings
		}
		r = uvarints{b: d.mem, at: counted}
		p.ends = make([]uint64, min(r.next(), d.docs+1))
		for i := range p.ends {
			p.ends[i] = r.next()
		}
		if r.bad || r.at > uint64(len(d.mem)) {
			return nil, errPostings
		}
		p.pieces = d.mem[r.at:]
	}
	p.begin()
	return p, nil
}

// postings are the documents of one segment that hold a term, in the order of
// their numbers. It is its own current document (segment.Posting).
type postings struct {
	docs    *roaring.Bitmap // deleted ones included
	deleted *roaring.Bitmap
	it      roaring.IntPeekable
	counts  bool // how often, and the norm, are wanted

	// The counts lie in pieces, each of the documents whose numbers divided by
	// size are one; ends are where they end.
	size   uint64
	ends   []uint64
	pieces []byte

	piece int // the one that is being read, -1: none
	left  uvarints
	first uint64 // how many documents lie before the piece
	read  uint64 // documents of the piece whose counts were read

	// at is the current document's place among docs; known is false once documents
	// were leapt over.
	at    uint64
	known bool

	once bool // one document, in which the term stands once
	doc  uint64
	freq uint64
	// words are how many the document's field has.
	words uint32
}

func (p *postings) begin() {
	p.it, p.piece = p.docs.Iterator(), -1
	p.at, p.known = math.MaxUint64, true // before the first
}

// n is how many documents count.
func (p *postings) n() uint64 {
	n := p.docs.GetCardinality()
	if p.deleted != nil {
		n -= p.docs.AndCardinality(p.deleted)
	}
	return n
}

func (p *postings) Number() uint64                { return p.doc }
func (p *postings) Frequency() uint64             { return p.freq }
func (p *postings) Locations() []segment.Location { return nil }
func (p *postings) Size() int                     { return 0 }

// Norm is made of the number of words in the document's field as zap does it.
func (p *postings) Norm() float64 { return float64(float32(1 / math.Sqrt(float64(p.words)))) }

// Next goes on to the next document.
func (p *postings) Next() (segment.Posting, error) {
	for p.it.HasNext() {
		d := p.it.Next()
		p.at++
		if p.deleted != nil && p.deleted.Contains(d) {
			continue
		}
		p.doc = uint64(d)
		if err := p.count(); err != nil {
			return nil, err
		}
		return p, nil
	}
	return nil, nil
}

// Advance goes on to the first document at or after doc.
func (p *postings) Advance(doc uint64) (segment.Posting, error) {
	if doc > math.MaxUint32 {
		return nil, nil
	}
	if p.it.HasNext() && p.it.PeekNext() < uint32(doc) {
		p.it.AdvanceIfNeeded(uint32(doc))
		p.known = false
	}
	return p.Next()
}

// count reads what is told of the current document.
func (p *postings) count() error {
	if !p.counts {
		return nil
	}
	if p.once {
		p.freq = 1
		return nil
	}
	if !p.known {
		p.at, p.known = p.docs.Rank(uint32(p.doc))-1, true
	}
	piece := int(p.doc / p.size)
	if piece != p.piece {
		if piece >= len(p.ends) {
			return errPostings
		}
		start := uint64(0)
		if piece > 0 {
			start = p.ends[piece-1]
		}
		if start > p.ends[piece] || p.ends[piece] > uint64(len(p.pieces)) {
			return errPostings
		}
		p.left = uvarints{b: p.pieces[:p.ends[piece]], at: start}
		p.piece, p.read, p.first = piece, 0, 0
		if from := uint64(piece) * p.size; from > 0 {
			p.first = p.docs.Rank(uint32(from - 1))
		}
	}
	for ; p.first+p.read < p.at; p.read++ {
		if p.left.next()>>1 > 0 {
			p.left.skip()
		}
	}
	p.freq, p.words = p.left.next()>>1, 0
	if p.freq > 0 {
		p.words = uint32(p.left.next())
	}
	p.read++
	if p.left.bad {
		return errPostings
	}
	return nil
}

// uvarints reads numbers one after the other; bad says that one was missing.
type uvarints struct {
	b   []byte
	at  uint64
	bad bool
}

func (r *uvarints) next() uint64 {
	if r.at < uint64(len(r.b)) {
		if c := r.b[r.at]; c < 0x80 {
			r.at++
			return uint64(c)
		}
		if v, n := binary.Uvarint(r.b[r.at:]); n > 0 {
			r.at += uint64(n)
			return v
		}
	}
	r.bad, r.at = true, uint64(len(r.b))
	return 0
}

func (r *uvarints) skip() {
	for r.at < uint64(len(r.b)) {
		r.at++
		if r.b[r.at-1] < 0x80 {
			return
		}
	}
	r.bad = true
}
