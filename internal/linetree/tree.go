// Package linetree keeps sorted lines of tab-separated text in a file so that
// one of them is found by reading a few small blocks, however many there are.
// The catalogue and the manifest of the index are made of such trees.
//
// A tree is a run of sorted lines cut into small blocks, with lines of its own
// above them that name each block: first key, offset, length, checksum. Those
// are cut into blocks in turn until one block is left, the root. Every block
// that is read is checked against the line that named it, so damage is found
// where it matters and never makes a wrong answer.
package linetree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/cespare/xxhash/v2"
)

const (
	leafBytes  = 512
	innerBytes = 1 << 10
	// MaxBlock bounds what a damaged offset can make a reader allocate. A line
	// longer than a block gets a block of its own, up to this many bytes.
	MaxBlock = 1 << 20
	// maxDepth is far above what 2^40 lines would need.
	maxDepth = 12
)

// ErrCorrupt: the bytes are not what the writer wrote.
var ErrCorrupt = errors.New("file is damaged")

// Block names a run of bytes in the file.
type Block struct {
	Off int64
	N   int
	Sum uint32
}

// Sum32 is the checksum of blocks and lines. It finds accidents, not attacks.
func Sum32(b []byte) uint32 { return uint32(xxhash.Sum64(b)) }

// Tree is the root block and how many levels lie below it (0: the root holds
// the lines themselves; -1: there are no lines).
type Tree struct {
	Root  Block
	Depth int
}

func (t Tree) String() string {
	return fmt.Sprintf("%d %d %08x %d", t.Root.Off, t.Root.N, t.Root.Sum, t.Depth)
}

// ParseTree reads what String wrote.
func ParseTree(s string) (Tree, error) {
	f := strings.Fields(s)
	if len(f) != 4 {
		return Tree{}, ErrCorrupt
	}
	b, err := ParseBlock(f[0], f[1], f[2])
	d, e := strconv.Atoi(f[3])
	if err != nil || e != nil || d < -1 || d > maxDepth {
		return Tree{}, ErrCorrupt
	}
	return Tree{b, d}, nil
}

// ParseBlock reads offset, length and checksum.
func ParseBlock(off, n, sum string) (Block, error) {
	o, e1 := strconv.ParseInt(off, 10, 64)
	l, e2 := strconv.Atoi(n)
	s, e3 := strconv.ParseUint(sum, 16, 32)
	if e1 != nil || e2 != nil || e3 != nil || o < 0 || l < 0 || l > MaxBlock {
		return Block{}, ErrCorrupt
	}
	return Block{o, l, uint32(s)}, nil
}

// childBlock reads the line of a level above: key, offset, length, checksum.
func childBlock(line string) (Block, error) {
	_, line = Cut(line)
	off, line := Cut(line)
	n, sum := Cut(line)
	o, e1 := strconv.ParseInt(off, 36, 64)
	l, e2 := strconv.ParseInt(n, 36, 32)
	c, e3 := strconv.ParseUint(sum, 16, 32)
	if e1 != nil || e2 != nil || e3 != nil || o < 0 || l < 0 || l > MaxBlock {
		return Block{}, ErrCorrupt
	}
	return Block{o, int(l), uint32(c)}, nil
}

// CountWriter knows the offset it writes at.
type CountWriter struct {
	W   io.Writer
	Off int64
}

func (c *CountWriter) Write(p []byte) (int, error) {
	n, err := c.W.Write(p)
	c.Off += int64(n)
	return n, err
}

// Writer writes lines that come in ascending order of their keys. Equal keys
// may follow each other.
type Writer struct {
	w     *CountWriter
	limit int
	leaf  bool
	buf   []byte
	first string // key of the first line in buf, shortened
	last  string
	floor string // last key of the block before
	upper []byte // lines of the level above
	keys  []string
	ends  []int
}

// NewWriter begins a tree at w's offset; nothing else may write to w until
// Close.
func NewWriter(w *CountWriter) *Writer { return &Writer{w: w, limit: leafBytes, leaf: true} }

// Add appends a line, without its newline; key is its first field as escaped.
// It returns the offset at which the line begins.
func (t *Writer) Add(key string, line []byte) (int64, error) {
	if key < t.last {
		return 0, fmt.Errorf("line %q comes after %q", key, t.last)
	}
	t.last = key
	if len(t.buf) > 0 && len(t.buf)+len(line)+1 > t.limit {
		if err := t.flush(); err != nil {
			return 0, err
		}
	}
	if len(t.buf) == 0 {
		t.first = key
		if t.leaf {
			// Higher up the keys are such separators already; shortened again they
			// could sort before what stands left of them.
			t.first = separator(t.floor, key)
		}
	}
	t.floor = key
	off := t.w.Off + int64(len(t.buf))
	t.buf = append(t.buf, line...)
	t.buf = append(t.buf, '\n')
	return off, nil
}

// separator is the shortest beginning of key that sorts after prev, so that the
// levels above stay small. Equal keys cannot be told apart and stay whole.
func separator(prev, key string) string {
	n := 0
	for n < len(prev) && n < len(key) && prev[n] == key[n] {
		n++
	}
	if n >= len(key) {
		return key
	}
	return key[:n+1]
}

func (t *Writer) flush() error {
	if len(t.buf) == 0 {
		return nil
	}
	if len(t.buf) > MaxBlock {
		return fmt.Errorf("a line of %d bytes is too long", len(t.buf))
	}
	t.upper = append(t.upper, t.first...)
	t.upper = append(t.upper, '\t')
	t.upper = strconv.AppendInt(t.upper, t.w.Off, 36)
	t.upper = append(t.upper, '\t')
	t.upper = strconv.AppendInt(t.upper, int64(len(t.buf)), 36)
	t.upper = append(t.upper, '\t')
	t.upper = appendHex(t.upper, Sum32(t.buf))
	t.keys = append(t.keys, t.first)
	t.ends = append(t.ends, len(t.upper))
	_, err := t.w.Write(t.buf)
	t.buf = t.buf[:0]
	return err
}

// Close writes the levels above and returns the finished tree.
func (t *Writer) Close() (Tree, error) {
	if err := t.flush(); err != nil {
		return Tree{}, err
	}
	switch len(t.keys) {
	case 0:
		return Tree{Depth: -1}, nil
	case 1:
		b, err := childBlock(string(t.upper))
		return Tree{b, 0}, err
	}
	up := &Writer{w: t.w, limit: innerBytes}
	start := 0
	for i, end := range t.ends {
		if _, err := up.Add(t.keys[i], t.upper[start:end]); err != nil {
			return Tree{}, err
		}
		start = end
	}
	root, err := up.Close()
	root.Depth++
	return root, err
}

func appendHex(dst []byte, v uint32) []byte {
	const digits = "0123456789abcdef"
	for shift := 28; shift >= 0; shift -= 4 {
		dst = append(dst, digits[v>>shift&15])
	}
	return dst
}

// Reader reads and checks blocks, and keeps some: the keys of one question share
// most of the way down, and often its end. It is safe for concurrent use when R is.
type Reader struct {
	R    io.ReaderAt
	Size int64

	mu    sync.Mutex
	kept  map[Block]string
	bytes int64
}

// maxKept bounds the blocks a reader keeps.
const maxKept = 512

// BytesRead is how much was read from R.
func (r *Reader) BytesRead() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bytes
}

// Block reads a block and checks it.
func (r *Reader) Block(b Block) (string, error) {
	buf, err := r.Raw(b.Off, b.N)
	if err != nil {
		return "", err
	}
	return check(buf, b)
}

func check(buf []byte, b Block) (string, error) {
	if Sum32(buf) != b.Sum || (b.N > 0 && buf[b.N-1] != '\n') {
		return "", ErrCorrupt
	}
	return unsafe.String(unsafe.SliceData(buf), len(buf)), nil // nobody writes to buf again
}

// Raw reads n bytes at off unchecked; the caller's line carries its own sum.
func (r *Reader) Raw(off int64, n int) ([]byte, error) {
	if off < 0 || n < 0 || n > MaxBlock || off > r.Size-int64(n) {
		return nil, ErrCorrupt
	}
	r.mu.Lock()
	r.bytes += int64(n)
	r.mu.Unlock()
	buf := make([]byte, n)
	if got, err := r.R.ReadAt(buf, off); got < n {
		if err == nil || errors.Is(err, io.EOF) {
			err = ErrCorrupt
		}
		return nil, err
	}
	return buf, nil
}

// block is Block for one of a tree, kept for the next look.
func (r *Reader) block(b Block) (string, error) {
	r.mu.Lock()
	s, ok := r.kept[b]
	r.mu.Unlock()
	if ok {
		return s, nil
	}
	s, err := r.Block(b)
	if err != nil {
		return "", err
	}
	r.mu.Lock()
	if r.kept == nil || len(r.kept) >= maxKept {
		r.kept = make(map[Block]string, 16)
	}
	r.kept[b] = s
	r.mu.Unlock()
	return s, nil
}

// seek is where, in a block of lines sorted by key, the first line begins whose
// key is at least from, and where the line before it begins (0 without one).
func seek(s, from string) (at, before int) {
	lo, hi := 0, len(s)
	for lo < hi {
		mid := (lo + hi) / 2
		start := max(lo, strings.LastIndexByte(s[:mid], '\n')+1)
		line, _, _ := strings.Cut(s[start:hi], "\n")
		if key, _ := Cut(line); key < from {
			before, lo = start, start+len(line)+1
		} else {
			hi = start
		}
	}
	return min(lo, len(s)), before
}

// Scan calls yield for every line whose key is at least from, in order, until
// it returns false. Lines come without their newline; from is a key as escaped.
// It reads block by block: Bulk is for going through many.
func (r *Reader) Scan(t Tree, from string, yield func(line string) bool) error {
	return r.scan(t, from, nil, yield)
}

// Bulk is Scan with the lines read in large pieces, of which more may be read
// than is asked for.
func (r *Reader) Bulk(t Tree, from string, yield func(line string) bool) error {
	return r.scan(t, from, &piece{}, yield)
}

func (r *Reader) scan(t Tree, from string, p *piece, yield func(string) bool) error {
	if t.Depth < 0 {
		return nil
	}
	_, err := r.walk(t.Root, t.Depth, from, p, yield)
	return err
}

// piece is a run of bytes read at once.
type piece struct {
	off int64
	b   []byte
}

const pieceBytes = 64 << 10

// leaf gives a block of lines, out of the piece when there is one.
func (r *Reader) leaf(b Block, p *piece) (string, error) {
	if p == nil {
		return r.block(b)
	}
	if b.Off < p.off || b.Off+int64(b.N) > p.off+int64(len(p.b)) {
		n := int(min(max(pieceBytes, int64(b.N)), r.Size-b.Off))
		buf, err := r.Raw(b.Off, max(n, b.N))
		if err != nil {
			return "", err
		}
		p.off, p.b = b.Off, buf
	}
	return check(p.b[b.Off-p.off:][:b.N], b)
}

func (r *Reader) walk(b Block, depth int, from string, p *piece, yield func(string) bool) (bool, error) {
	var s string
	var err error
	if depth == 0 {
		s, err = r.leaf(b, p)
	} else {
		s, err = r.block(b)
	}
	if err != nil {
		return false, err
	}
	at, before := seek(s, from)
	if depth > 0 {
		// The first block that can hold from is the last one whose first key is
		// smaller: equal keys may begin in the block before.
		at = before
	}
	for s = s[at:]; s != ""; {
		var line string
		line, s, _ = strings.Cut(s, "\n")
		if depth == 0 {
			if !yield(line) {
				return false, nil
			}
			continue
		}
		child, err := childBlock(line)
		if err != nil {
			return false, err
		}
		// A child lies before its parent; anything else could be a loop.
		if child.Off >= b.Off {
			return false, ErrCorrupt
		}
		if more, err := r.walk(child, depth-1, from, p, yield); !more || err != nil {
			return false, err
		}
	}
	return true, nil
}

// Find calls yield for the lines with exactly this key (as escaped), until it
// returns false.
func (r *Reader) Find(t Tree, key string, yield func(line string) bool) error {
	return r.Scan(t, key, func(line string) bool {
		k, _ := Cut(line)
		return k == key && yield(line)
	})
}

// AppendSum appends a checksum to a line that will be read on its own.
func AppendSum(line []byte) []byte {
	s := Sum32(line)
	return appendHex(append(line, '\t'), s)
}

// CheckSum takes the checksum off again.
func CheckSum(b []byte) (string, error) {
	i := bytes.LastIndexByte(b, '\t')
	if i < 0 || len(b)-i-1 != 8 {
		return "", ErrCorrupt
	}
	want, err := strconv.ParseUint(string(b[i+1:]), 16, 32)
	if err != nil || uint32(want) != Sum32(b[:i]) {
		return "", ErrCorrupt
	}
	return string(b[:i]), nil
}
