package core

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"
	bleveindex "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// snapshot reads the segments of a published generation. It is the
// IndexReader that bleve's searchers ask, as far as they ask it: everything
// else of that interface is nil and nobody's.
type snapshot struct {
	bleveindex.IndexReader
	segs []openSeg
	docs int // document numbers, those of deleted documents included
	live int // documents that count
}

type openSeg struct {
	segment.Segment
	deleted *roaring.Bitmap
	offset  uint64
	runs    []uint64 // see Segment
	dicts   *dictionaries
}

// run is the first document, of those that are in one order, before doc or doc
// itself; ok is false where the order is not known.
func (s *snapshot) run(doc uint64) (first uint64, ok bool) {
	seg := &s.segs[s.at(doc)]
	i := sort.Search(len(seg.runs), func(i int) bool { return seg.runs[i] > doc-seg.offset })
	if i == 0 {
		return 0, false
	}
	return seg.offset + seg.runs[i-1], true
}

func openSnapshot(dir string) (*snapshot, error) {
	data, err := os.ReadFile(filepath.Join(dir, segmentsName))
	if err != nil {
		return nil, err
	}
	list, err := parseSegments(string(data))
	if err != nil {
		return nil, err
	}
	s := &snapshot{}
	for _, l := range list {
		seg, err := openSegment(filepath.Join(dir, storeName, l.name), l)
		if err != nil {
			s.Close()
			return nil, err
		}
		s.segs = append(s.segs, openSeg{seg, l.deleted, uint64(s.docs), l.runs, &dictionaries{of: map[string]*dictionary{}}})
		s.docs += int(l.docs)
		s.live += int(l.docs)
		if l.deleted != nil {
			s.live -= int(l.deleted.GetCardinality())
		}
	}
	return s, nil
}

func (s *snapshot) Close() error {
	var err error
	for _, seg := range s.segs {
		err = errors.Join(err, seg.Segment.Close())
	}
	return err
}

// DocCount implements bleve's IndexReader.
func (s *snapshot) DocCount() (uint64, error) { return uint64(s.live), nil }

// count is the number of documents that hold a term in a field.
func (s *snapshot) count(field string, term []byte) (int, error) {
	n := 0
	for i := range s.segs {
		if d := s.dictionary(i, field); d != nil {
			p, err := d.postings(term, s.segs[i].deleted, false)
			if err != nil {
				return 0, err
			}
			if p != nil {
				n += int(p.n())
			}
			continue
		}
		d, err := s.segs[i].Dictionary(field)
		if err != nil {
			return 0, err
		}
		pl, err := d.PostingsList(term, s.segs[i].deleted, nil)
		if err != nil {
			return 0, err
		}
		n += int(pl.Count())
	}
	return n, nil
}

// id is the name of a document.
func (s *snapshot) id(doc uint64) (string, error) {
	i := s.at(doc)
	b, err := s.segs[i].DocID(doc - s.segs[i].offset)
	return string(b), err
}

// at is the segment that holds a document.
func (s *snapshot) at(doc uint64) int {
	return max(0, sort.Search(len(s.segs), func(i int) bool { return s.segs[i].offset > doc })-1)
}

// doc is the number of a document by name; ok is false when there is none.
func (s *snapshot) doc(id string) (doc uint64, ok bool, err error) {
	r, err := s.TermFieldReader(context.Background(), []byte(id), "_id", false, false, false)
	if err != nil {
		return 0, false, err
	}
	d, err := r.Next(nil)
	if err != nil || d == nil {
		return 0, false, err
	}
	return d.ID.Value(), true, nil
}

// TermFieldReader implements bleve's IndexReader. Term vectors are not indexed.
func (s *snapshot) TermFieldReader(_ context.Context, term []byte, field string, freq, norm, _ bool) (bleveindex.TermFieldReader, error) {
	r := &termReader{snap: s, lists: make([]termList, 0, len(s.segs)), freq: freq, norm: norm}
	for i := range s.segs {
		seg := &s.segs[i]
		if d := s.dictionary(i, field); d != nil {
			p, err := d.postings(term, seg.deleted, freq || norm)
			if err != nil {
				return nil, err
			}
			if p == nil {
				continue
			}
			if n := p.n(); n > 0 {
				r.n += n
				r.lists = append(r.lists, termList{p, seg.offset, seg.offset + seg.Count()})
			}
			continue
		}
		d, err := seg.Dictionary(field)
		if err != nil {
			return nil, err
		}
		pl, err := d.PostingsList(term, seg.deleted, nil)
		if err != nil {
			return nil, err
		}
		n := pl.Count()
		if n == 0 {
			continue
		}
		r.n += n
		r.lists = append(r.lists, termList{pl.Iterator(freq, norm, false, nil), seg.offset, seg.offset + seg.Count()})
	}
	return r, nil
}

// lister walks postings: ours, else zap's.
type lister interface {
	Next() (segment.Posting, error)
	Advance(doc uint64) (segment.Posting, error)
}

// termList are a term's documents in one segment.
type termList struct {
	it     lister
	offset uint64
	end    uint64
}

// termReader walks the documents that hold a term, in the order of their
// numbers.
type termReader struct {
	snap       *snapshot
	lists      []termList
	n          uint64
	freq, norm bool
}

func (r *termReader) Next(d *bleveindex.TermFieldDoc) (*bleveindex.TermFieldDoc, error) {
	for len(r.lists) > 0 {
		p, err := r.lists[0].it.Next()
		if err != nil {
			return nil, err
		}
		if p != nil {
			return r.tell(p, d), nil
		}
		r.lists = r.lists[1:]
	}
	return nil, nil
}

// Advance goes on to the first document at or after id; it only goes forward.
func (r *termReader) Advance(id bleveindex.IndexInternalID, d *bleveindex.TermFieldDoc) (*bleveindex.TermFieldDoc, error) {
	want := id.Value()
	for len(r.lists) > 0 && r.lists[0].end <= want {
		r.lists = r.lists[1:]
	}
	if len(r.lists) == 0 {
		return nil, nil
	}
	l := &r.lists[0]
	if want < l.offset {
		return r.Next(d)
	}
	p, err := l.it.Advance(want - l.offset)
	if err != nil {
		return nil, err
	}
	if p == nil {
		r.lists = r.lists[1:]
		return r.Next(d)
	}
	return r.tell(p, d), nil
}

func (r *termReader) tell(p segment.Posting, d *bleveindex.TermFieldDoc) *bleveindex.TermFieldDoc {
	if d == nil {
		d = &bleveindex.TermFieldDoc{}
	}
	d.ID = bleveindex.NewIndexInternalID(d.ID, p.Number()+r.lists[0].offset)
	if r.freq {
		d.Freq = p.Frequency()
	}
	if r.norm {
		d.Norm = p.Norm()
	}
	return d
}

func (r *termReader) Count() uint64 { return r.n }
func (r *termReader) Close() error  { return nil }
func (r *termReader) Size() int     { return 0 }
