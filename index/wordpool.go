package index

import (
	"errors"
	"hash/maphash"
	"unsafe"
)

// What a build gathers is millions of small things: words, and the documents
// that hold them. Kept as strings, slices and maps they are three times as large
// and the collector walks through all of them again and again. So they lie in
// chunks of plain bytes and are named by numbers.

const (
	chunkBits  = 18
	chunkBytes = 1 << chunkBits
)

// errPoolFull: more than 4 GiB of words or postings.
var errPoolFull = errors.New("too much text for one index segment")

// bytePool hands out runs of bytes that never move and do not cross a chunk.
// Offset 0 is nobody's.
type bytePool struct {
	chunks [][]byte
	used   int // of the last chunk
}

// take gives n bytes and where they lie.
func (p *bytePool) take(n int) ([]byte, uint32, error) {
	if len(p.chunks) == 0 || p.used+n > len(p.chunks[len(p.chunks)-1]) {
		if len(p.chunks) == 1<<(32-chunkBits) {
			return nil, 0, errPoolFull
		}
		p.used = 0
		if len(p.chunks) == 0 {
			p.used = 1
		}
		p.chunks = append(p.chunks, make([]byte, max(chunkBytes, n+p.used)))
	}
	at := len(p.chunks) - 1
	b := p.chunks[at][p.used : p.used+n : p.used+n]
	off := uint32(at)<<chunkBits | uint32(p.used)
	p.used += n
	return b, off, nil
}

// from is what lies at and behind off in its chunk.
func (p *bytePool) from(off uint32) []byte { return p.chunks[off>>chunkBits][off&(chunkBytes-1):] }

// word is a stored word.
type word struct{ off, n uint32 }

// put stores a word.
func (p *bytePool) put(s string) (word, error) {
	if s == "" {
		return word{}, nil
	}
	b, off, err := p.take(len(s))
	copy(b, s)
	return word{off, uint32(len(s))}, err
}

// str is a stored word's text; it must not outlive the pool.
func (p *bytePool) str(w word) string {
	if w.n == 0 {
		return ""
	}
	return unsafe.String(unsafe.SliceData(p.from(w.off)), int(w.n))
}

// wordTable finds a word's number, by open addressing.
type wordTable struct {
	slots []uint32 // number + 1; 0: free
	n     int
}

var wordSeed = maphash.MakeSeed()

func hashWord(s string) uint32 { return uint32(maphash.String(wordSeed, s)) }

// find gives the number of the word with hash h that same confirms; known is
// false for a new word, which gets the number next.
func (t *wordTable) find(h uint32, next int, same func(i uint32) bool, hashOf func(i uint32) uint32) (i uint32, known bool) {
	if 4*(t.n+1) > 3*len(t.slots) {
		t.grow(hashOf)
	}
	mask := uint32(len(t.slots) - 1)
	for at := h & mask; ; at = (at + 1) & mask {
		s := t.slots[at]
		if s == 0 {
			t.slots[at] = uint32(next) + 1
			t.n++
			return uint32(next), false
		}
		if same(s - 1) {
			return s - 1, true
		}
	}
}

func (t *wordTable) grow(hashOf func(i uint32) uint32) {
	old := t.slots
	t.slots = make([]uint32, max(64, 2*len(old)))
	mask := uint32(len(t.slots) - 1)
	for _, s := range old {
		if s == 0 {
			continue
		}
		at := hashOf(s-1) & mask
		for t.slots[at] != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = s
	}
}

// A list of bytes grows in pieces of the pool, each twice as large as the one
// before up to a bound, and each ending in the place of the next.
const (
	firstPiece = 8
	largePiece = 512
	linkBytes  = 4
)

// byteList is such a list; it is empty until it is written to.
type byteList struct {
	first, at uint32 // at: where the next byte goes
	left      uint16 // bytes left in the last piece
	size      uint16 // of the last piece, without its link
}

// append writes bytes at the end.
func (l *byteList) append(p *bytePool, data []byte) error {
	for len(data) > 0 {
		if l.left == 0 {
			size := min(2*l.size, largePiece)
			if size == 0 {
				size = firstPiece
			}
			_, off, err := p.take(int(size) + linkBytes)
			if err != nil {
				return err
			}
			if l.size == 0 {
				l.first = off
			} else {
				putLink(p.from(l.at), off)
			}
			l.at, l.left, l.size = off, size, size
		}
		n := copy(p.from(l.at)[:l.left], data)
		data = data[n:]
		l.at += uint32(n)
		l.left -= uint16(n)
	}
	return nil
}

// read appends the whole list to dst.
func (l *byteList) read(p *bytePool, dst []byte) []byte {
	if l.size == 0 {
		return dst
	}
	size := uint16(firstPiece)
	for at := l.first; ; size = min(2*size, largePiece) {
		b := p.from(at)
		if at+uint32(size) >= l.at && l.at >= at { // the last piece
			return append(dst, b[:l.at-at]...)
		}
		dst = append(dst, b[:size]...)
		at = link(b[size:])
	}
}

func putLink(b []byte, off uint32) {
	b[0], b[1], b[2], b[3] = byte(off), byte(off>>8), byte(off>>16), byte(off>>24)
}

func link(b []byte) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}
