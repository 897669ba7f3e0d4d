package catalog

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"pathrule/internal/atomicfile"
	"pathrule/internal/linetree"
)

// A catalogue is one file with all entries and, after small changes, a second
// one laid over it: what changed, and what no longer counts below. So one edit
// in a store of ten thousand writes a few kilobytes; when the upper file has
// grown, both are written as one again.

// DeltaName is the upper file in a generation.
const DeltaName = FileName + ".delta"

const (
	// maxDelta is how many entries the upper file may change, and maxDeltaBytes
	// how large it may be: a tool event reads from both files.
	maxDelta      = 48
	maxDeltaBytes = 16 << 10
)

// layer is one open file.
type layer struct {
	f    io.Closer
	tree *linetree.Reader
	head *head
	at   int // 0 for the upper one
}

func openLayer(path string) (*layer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil {
		var l *layer
		if l, err = newLayer(f, st.Size()); err == nil {
			l.f = f
			return l, nil
		}
		err = fmt.Errorf("open %s: %w", path, err)
	}
	f.Close()
	return nil, err
}

func newLayer(r io.ReaderAt, size int64) (*layer, error) {
	l := &layer{tree: &linetree.Reader{R: r, Size: size}}
	t, err := l.tree.Raw(size-trailerBytes, trailerBytes)
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
	s, err := l.tree.Block(b)
	if err != nil {
		return nil, err
	}
	l.head, err = parseHead(s)
	return l, err
}

func (l *layer) close() error {
	if l.f == nil {
		return nil
	}
	return l.f.Close()
}

// place is where a record's line lies.
type place struct {
	layer *layer
	off   int64
	n     int
}

func (p place) record() (Record, error) {
	b, err := p.layer.tree.Raw(p.off, p.n)
	if err != nil {
		return Record{}, err
	}
	return p.layer.record(b)
}

func (l *layer) record(line []byte) (Record, error) {
	s, err := linetree.CheckSum(line)
	if err != nil {
		return Record{}, err
	}
	return parseRecord(s, l.head.roots)
}

// find finds a record by its key.
func (l *layer) find(key string) (rec Record, ok bool, err error) {
	var line string
	err = l.tree.Find(l.head.records, linetree.Key(key), func(s string) bool {
		line, ok = s, true
		return false
	})
	if err != nil || !ok {
		return Record{}, false, err
	}
	rec, err = l.record([]byte(line))
	return rec, err == nil, err
}

// keysOf are the scope keys of an entry as they were written.
func (l *layer) keysOf(key string) (keys []string, err error) {
	err = l.tree.Find(l.head.extras, linetree.Key(key), func(s string) bool {
		_, rest := linetree.Cut(s)
		k, _ := linetree.Cut(rest)
		keys = linetree.SplitList(k)
		return false
	})
	return keys, err
}

// postings calls yield with the places filed under a key, best first, and the
// number of all of them in this file.
func (l *layer) postings(t linetree.Tree, key string, yield func(p place, total int) bool) error {
	var bad error
	err := l.tree.Find(t, linetree.Key(key), func(line string) bool {
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
			o, n, _ := strings.Cut(one, ":")
			off, e1 := strconv.ParseInt(o, 36, 64)
			size, e2 := strconv.ParseInt(n, 36, 32)
			if e1 != nil || e2 != nil {
				bad = linetree.ErrCorrupt
				return false
			}
			if !yield(place{l, off, int(size)}, total) {
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

// items calls yield for every record of this file with its keys and words.
func (l *layer) items(yield func(*Item) error) error {
	type extra struct{ key, keys, words string }
	var extras []extra
	err := l.tree.Bulk(l.head.extras, "", func(line string) bool {
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
	err = l.tree.Bulk(l.head.records, "", func(line string) bool {
		key, _ := linetree.Cut(line)
		var rec Record
		if rec, bad = l.record([]byte(line)); bad != nil {
			return false
		}
		if i >= len(extras) || extras[i].key != key {
			bad = linetree.ErrCorrupt
			return false
		}
		it := &Item{Record: rec, Keys: splitFilled(extras[i].keys), Words: splitFilled(extras[i].words)}
		i++
		bad = yield(it)
		return bad == nil
	})
	if err == nil {
		err = bad
	}
	return err
}

// splitFilled never returns nil: nil would ask for the list to be made anew.
func splitFilled(s string) []string {
	if l := linetree.SplitList(s); l != nil {
		return l
	}
	return []string{}
}

// Change is what one refresh does to a catalogue.
type Change struct {
	Updated []*Item
	Removed []string // "kind:id"
}

// WriteNext writes the catalogue of the next generation into dir: that of old,
// which lies in oldDir, with a change. link makes a second name for a file.
func WriteNext(dir string, old *Reader, oldDir string, c Change, link func(from, to string) error) error {
	base := old.layers[len(old.layers)-1]
	h := &head{tally: old.top().tally.clone(), roots: old.top().roots, base: base.tree.Size}
	items := map[string]*Item{}
	hidden := map[string]bool{}
	if len(old.layers) > 1 {
		if err := old.layers[0].items(func(it *Item) error { items[it.key()] = it; return nil }); err != nil {
			return err
		}
		for _, k := range old.top().hidden {
			hidden[k] = true
		}
	}
	// out takes an entry out of the count, wherever it stands.
	out := func(key string) error {
		if it := items[key]; it != nil {
			h.tally.add(it.Record.Kind, it.Keys, -1)
			delete(items, key)
			return nil
		}
		if hidden[key] {
			return nil
		}
		rec, ok, err := base.find(key)
		if err != nil || !ok {
			return err
		}
		keys, err := base.keysOf(key)
		if err != nil {
			return err
		}
		h.tally.add(rec.Kind, keys, -1)
		hidden[key] = true
		return nil
	}
	for _, key := range c.Removed {
		if err := out(key); err != nil {
			return err
		}
	}
	for _, it := range c.Updated {
		if err := it.Complete(); err != nil {
			return fmt.Errorf("write catalogue: %s: %w", it.key(), err)
		}
		if err := out(it.key()); err != nil {
			return err
		}
		items[it.key()] = it
		h.tally.add(it.Record.Kind, it.Keys, 1)
	}
	if len(items)+len(hidden) <= 2*maxDelta && len(items) <= maxDelta {
		for k := range hidden {
			h.hidden = append(h.hidden, k)
		}
		full, err := writeDelta(dir, items, h)
		if err != nil {
			return err
		}
		if !full {
			return link(filepath.Join(oldDir, FileName), filepath.Join(dir, FileName))
		}
	}
	err := base.items(func(it *Item) error {
		if k := it.key(); !hidden[k] && items[k] == nil {
			items[k] = it
		}
		return nil
	})
	if err != nil {
		return err
	}
	return atomicfile.New(filepath.Join(dir, FileName), func(f io.Writer) error { return Write(f, h.roots, values(items)) })
}

// writeDelta writes the upper file; full says that it grew too large and was
// not kept.
func writeDelta(dir string, items map[string]*Item, h *head) (full bool, err error) {
	name := filepath.Join(dir, DeltaName)
	if err := atomicfile.New(name, func(f io.Writer) error { return writeLayer(f, values(items), h) }); err != nil {
		return false, err
	}
	st, err := os.Stat(name)
	if err != nil {
		return false, err
	}
	if st.Size() > maxDeltaBytes {
		return true, os.Remove(name)
	}
	return false, nil
}

func values(items map[string]*Item) []*Item {
	out := make([]*Item, 0, len(items))
	for _, it := range items {
		out = append(out, it)
	}
	return out
}
