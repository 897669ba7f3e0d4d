package catalog

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"pathrule/internal/linetree"
	"pathrule/knowledge"
)

// MaxPathBytes bounds the records that one Query without Exhaustive reads for
// its paths, closest keys first. With the tables above them this keeps a tool
// event below 64 KiB at any size of the catalogue.
const MaxPathBytes = 28 << 10

// Reader is an open catalogue; it reads only the blocks a question needs. It
// is for one goroutine at a time.
type Reader struct {
	f    *os.File
	tree linetree.Reader
	head *head
}

var _ Source = (*Reader)(nil)

// OpenFile opens the catalogue file at path.
func OpenFile(path string) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	r, err := NewReader(f, st.Size())
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	r.f = f
	return r, nil
}

// NewReader reads a catalogue of size bytes from r.
func NewReader(r io.ReaderAt, size int64) (*Reader, error) {
	rd := &Reader{tree: linetree.Reader{R: r, Size: size}}
	if size < trailerBytes {
		return nil, linetree.ErrCorrupt
	}
	t, err := rd.tree.Raw(size-trailerBytes, trailerBytes)
	if err != nil {
		return nil, err
	}
	f := strings.Fields(string(t))
	if len(f) != 4 || f[0] != magic {
		return nil, linetree.ErrCorrupt
	}
	b, err := linetree.ParseBlock(f[1], f[2], f[3])
	if err != nil {
		return nil, err
	}
	s, err := rd.tree.Block(b)
	if err != nil {
		return nil, err
	}
	if rd.head, err = parseHead(s); err != nil {
		return nil, err
	}
	return rd, nil
}

// Close releases the file.
func (r *Reader) Close() error {
	if r.f == nil {
		return nil
	}
	return r.f.Close()
}

// Len is the number of entries.
func (r *Reader) Len() int { return r.head.count }

// Roots are the stores the entries come from.
func (r *Reader) Roots() []Root { return r.head.roots }

// All implements Source.
func (r *Reader) All(yield func(Record) bool) error { return r.each("", yield) }

// Kind is All for one kind.
func (r *Reader) Kind(kind knowledge.Kind, yield func(Record) bool) error {
	return r.each(string(kind)+":", func(rec Record) bool { return rec.Kind == kind && yield(rec) })
}

func (r *Reader) each(from string, yield func(Record) bool) error {
	var bad error
	err := r.tree.Scan(r.head.records, from, func(line string) bool {
		rec, err := r.record([]byte(line))
		if err != nil {
			bad = err
			return false
		}
		return yield(rec)
	})
	if err == nil {
		err = bad
	}
	return err
}

func (r *Reader) record(line []byte) (Record, error) {
	s, err := linetree.CheckSum(line)
	if err != nil {
		return Record{}, err
	}
	return parseRecord(s, r.head.roots)
}

// Items calls yield for every record together with its keys and words: what
// Write was given, for the writer of the next generation.
func (r *Reader) Items(yield func(*Item) error) error {
	type extra struct{ key, keys, words string }
	extras := make([]extra, 0, r.head.count)
	err := r.tree.Scan(r.head.extras, "", func(line string) bool {
		key, rest := linetree.Cut(line)
		keys, words := linetree.Cut(rest)
		extras = append(extras, extra{key, keys, words})
		return true
	})
	if err != nil {
		return err
	}
	i := 0
	var bad error
	err = r.tree.Scan(r.head.records, "", func(line string) bool {
		key, _ := linetree.Cut(line)
		var rec Record
		if rec, bad = r.record([]byte(line)); bad != nil {
			return false
		}
		if i >= len(extras) || extras[i].key != key {
			bad = linetree.ErrCorrupt
			return false
		}
		it := &Item{Record: rec, Keys: linetree.SplitList(extras[i].keys), Words: linetree.SplitList(extras[i].words)}
		i++
		bad = yield(it)
		return bad == nil
	})
	if err == nil {
		err = bad
	}
	return err
}

// Lookup finds one entry; ok is false when there is none.
func (r *Reader) Lookup(kind knowledge.Kind, id string) (rec Record, ok bool, err error) {
	var line string
	key := string(linetree.AppendField(nil, recordKey(kind, id)))
	err = r.tree.Find(r.head.records, key, func(l string) bool {
		line, ok = l, true
		return false
	})
	if err != nil || !ok {
		return Record{}, false, err
	}
	rec, err = r.record([]byte(line))
	return rec, err == nil, err
}

// Counts implements Source.
func (r *Reader) Counts() (map[knowledge.Kind]int, map[string]int, error) {
	return maps.Clone(r.head.kinds), maps.Clone(r.head.folders), nil
}

// place is where a record's line lies in the file.
type place struct {
	off int64
	n   int
}

// postings calls yield with the places filed under a key, best first, and the
// number of all of them.
func (r *Reader) postings(t linetree.Tree, key string, yield func(p place, total int) bool) error {
	var bad error
	esc := key
	if strings.ContainsAny(key, "\\\t\n\r\x1f") {
		esc = string(linetree.AppendField(nil, key))
	}
	err := r.tree.Find(t, esc, func(line string) bool {
		_, rest := linetree.Cut(line)
		f, rest := linetree.Cut(rest)
		total, err := strconv.Atoi(f)
		if err != nil {
			bad = linetree.ErrCorrupt
			return false
		}
		for rest != "" {
			var one string
			one, rest, _ = strings.Cut(rest, " ")
			o, l, _ := strings.Cut(one, ":")
			off, e1 := strconv.ParseInt(o, 36, 64)
			n, e2 := strconv.ParseInt(l, 36, 32)
			if e1 != nil || e2 != nil {
				bad = linetree.ErrCorrupt
				return false
			}
			if !yield(place{off, int(n)}, total) {
				return false
			}
		}
		return true
	})
	if err == nil {
		err = bad
	}
	return err
}

func (r *Reader) at(p place) (Record, error) {
	b, err := r.tree.Raw(p.off, p.n)
	if err != nil {
		return Record{}, err
	}
	return r.record(b)
}

// below is the slash path of file relative to dir, when it lies below it.
func below(dir, file string) (string, bool) {
	rel, err := filepath.Rel(dir, file)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
