package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"

	"pathrule/internal/linetree"
	"pathrule/knowledge"
)

// Reader is an open catalogue; it reads only the blocks a question needs, and
// may be used by several goroutines.
type Reader struct {
	layers []*layer // the upper one first; one or two
	hidden map[string]bool
}

var _ Source = (*Reader)(nil)

// OpenDir opens the catalogue in a generation's folder.
func OpenDir(dir string) (*Reader, error) {
	base, err := openLayer(filepath.Join(dir, FileName))
	if err != nil {
		return nil, err
	}
	top, err := openLayer(filepath.Join(dir, DeltaName))
	if errors.Is(err, fs.ErrNotExist) {
		return stack(base)
	}
	if err != nil {
		base.close()
		return nil, err
	}
	return stack(top, base)
}

func stack(layers ...*layer) (*Reader, error) {
	r := &Reader{layers: layers}
	below := int64(0)
	for i := len(layers) - 1; i >= 0; i-- {
		if layers[i].head.base != below {
			r.Close()
			return nil, fmt.Errorf("the parts of the catalogue do not fit: %w", linetree.ErrCorrupt)
		}
		below = layers[i].tree.Size
		layers[i].at = i
	}
	if len(layers) > 1 {
		r.hidden = make(map[string]bool, len(layers[0].head.hidden))
		for _, k := range layers[0].head.hidden {
			r.hidden[k] = true
		}
	}
	return r, nil
}

// Close releases the files.
func (r *Reader) Close() error {
	var err error
	for _, l := range r.layers {
		err = errors.Join(err, l.close())
	}
	return err
}

func (r *Reader) top() *head { return r.layers[0].head }

// Len is the number of entries.
func (r *Reader) Len() int { return r.top().count }

// BytesRead is how much of the files was read since they were opened.
func (r *Reader) BytesRead() (n int64) {
	for _, l := range r.layers {
		n += l.tree.BytesRead()
	}
	return n
}

// All implements Source.
func (r *Reader) All(yield func(Record) bool) error { return r.each("", yield) }

// Kind is All for one kind.
func (r *Reader) Kind(kind knowledge.Kind, yield func(Record) bool) error {
	return r.each(string(kind)+":", func(rec Record) bool { return rec.Kind == kind && yield(rec) })
}

// each walks the records of both files in the order of their keys.
func (r *Reader) each(from string, yield func(Record) bool) error {
	type keyed struct {
		key string
		rec Record
	}
	var upper []keyed
	var bad error
	base := r.layers[len(r.layers)-1]
	if len(r.layers) > 1 {
		top := r.layers[0]
		err := top.tree.Bulk(top.head.records, from, func(line string) bool {
			key, _ := linetree.Cut(line)
			var rec Record
			if rec, bad = top.record([]byte(line)); bad != nil {
				return false
			}
			upper = append(upper, keyed{key, rec})
			return true
		})
		if err == nil {
			err = bad
		}
		if err != nil {
			return err
		}
	}
	stopped := false
	tell := func(rec Record) bool {
		stopped = stopped || !yield(rec)
		return !stopped
	}
	err := base.tree.Bulk(base.head.records, from, func(line string) bool {
		key, _ := linetree.Cut(line)
		for len(upper) > 0 && upper[0].key <= key {
			if !tell(upper[0].rec) {
				return false
			}
			upper = upper[1:]
		}
		if r.hidden[linetree.Unescape(key)] {
			return true
		}
		var rec Record
		if rec, bad = base.record([]byte(line)); bad != nil {
			return false
		}
		return tell(rec)
	})
	if err == nil {
		err = bad
	}
	for err == nil && !stopped && len(upper) > 0 {
		tell(upper[0].rec)
		upper = upper[1:]
	}
	return err
}

// Lookup finds one entry; ok is false when there is none.
func (r *Reader) Lookup(kind knowledge.Kind, id string) (rec Record, ok bool, err error) {
	key := recordKey(kind, id)
	for i, l := range r.layers {
		if i > 0 && r.hidden[key] {
			break
		}
		if rec, ok, err = l.find(key); ok || err != nil {
			return rec, ok, err
		}
	}
	return Record{}, false, nil
}

// Counts implements Source.
func (r *Reader) Counts() (map[knowledge.Kind]int, map[string]int, error) {
	return maps.Clone(r.top().kinds), maps.Clone(r.top().folders), nil
}

// postings calls yield with the places filed under a key, the upper file's
// first, and the number of all of them; hidden records are among them.
func (r *Reader) postings(tree func(*head) linetree.Tree, key string, yield func(p place, total int) bool) error {
	before, stopped := 0, false
	for _, l := range r.layers {
		all := 0
		err := l.postings(tree(l.head), key, func(p place, total int) bool {
			all = total
			stopped = !yield(p, before+total)
			return !stopped
		})
		if err != nil || stopped {
			return err
		}
		before += all
	}
	return nil
}

// at reads a record; ok is false when it no longer counts.
func (r *Reader) at(p place) (rec Record, ok bool, err error) {
	if rec, err = p.record(); err != nil {
		return rec, false, err
	}
	if len(r.layers) > 1 && p.layer == r.layers[1] && r.hidden[recordKey(rec.Kind, rec.ID)] {
		return rec, false, nil
	}
	return rec, true, nil
}

func byKeys(h *head) linetree.Tree  { return h.keys }
func byWords(h *head) linetree.Tree { return h.words }

// below is the slash path of file relative to dir, when it lies below it.
func below(dir, file string) (string, bool) {
	rel, err := filepath.Rel(dir, file)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
