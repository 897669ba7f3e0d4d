package catalog

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"pathrule/index/terms"
	"pathrule/internal/linetree"
	"pathrule/knowledge"
)

// Format is the version of the catalogue's file format.
//
//	1: records, path keys and names as checksummed trees, one trailer
//	2: a strict rule that waits for a person is recorded without enforcement
const Format = 2

const (
	magic = "pathrule-catalog"
	// trailerBytes is the fixed size of the end of the file: where the head is.
	trailerBytes = 64
	// maxPostings is how many entries one line of the path keys names. A key
	// with more has more lines, so that a bounded read stays bounded.
	maxPostings = 32
)

// Item is one entry as the writer wants it. Keys and Words may be left empty;
// they are then computed from the record.
type Item struct {
	Record Record
	// Keys are the scope's keys in base coordinates.
	Keys []string
	// Words are the analysed words of title, id and tags.
	Words []string

	at   string // key as the tree sorts it
	root int
	rel  string
	off  int64
	n    int
}

func (it *Item) key() string { return recordKey(it.Record.Kind, it.Record.ID) }

// Complete fills Keys and Words. The error says which pattern of the record's
// paths cannot be understood; such an entry is filed nowhere.
func (it *Item) Complete() error {
	if it.Keys == nil {
		s, err := it.Record.Scope()
		if err != nil {
			return err
		}
		it.Keys = s.Keys()
	}
	if it.Words == nil {
		it.Words = nameWords(&it.Record)
	}
	return nil
}

// nameWords are the distinct words by which an entry is called.
func nameWords(r *Record) []string {
	text := r.Title + "\n" + strings.TrimPrefix(r.ID, knowledge.PersonalPrefix) + "\n" + strings.Join(r.Tags, "\n")
	if r.Kind == knowledge.Skill {
		text += "\n" + r.Description
	}
	ts := terms.Analyse(text)
	out := make([]string, 0, len(ts))
	for _, t := range ts {
		out = append(out, t.Text)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Write writes a whole catalogue. items are sorted by kind and id in place;
// two of the same kind and id are an error of the caller.
func Write(w io.Writer, roots []Root, items []*Item) error {
	h := head{roots: roots, tally: newTally()}
	for _, it := range items {
		if err := it.Complete(); err != nil {
			return fmt.Errorf("write catalogue: %s: %w", it.key(), err)
		}
		h.tally.add(it.Record.Kind, it.Keys, 1)
	}
	return writeLayer(w, items, &h)
}

// writeLayer writes one file of a catalogue; h says what it counts and hides.
func writeLayer(w io.Writer, items []*Item, h *head) error {
	for _, it := range items {
		if err := it.place(h.roots); err != nil {
			return err
		}
		it.at = linetree.Key(it.key())
	}
	slices.SortFunc(items, func(a, b *Item) int { return strings.Compare(a.at, b.at) })
	buf := bufio.NewWriterSize(w, 64<<10)
	out := &linetree.CountWriter{W: buf}
	if _, err := fmt.Fprintf(out, "%s %d\n", magic, Format); err != nil {
		return err
	}
	var err error
	if h.records, err = writeRecords(out, items); err != nil {
		return err
	}
	if h.keys, err = writePostings(out, items, func(it *Item) []string { return it.Keys }); err != nil {
		return err
	}
	if h.words, err = writePostings(out, items, func(it *Item) []string { return it.Words }); err != nil {
		return err
	}
	if h.extras, err = writeExtras(out, items); err != nil {
		return err
	}
	body := h.encode()
	at := linetree.Block{Off: out.Off, N: len(body), Sum: linetree.Sum32(body)}
	if _, err := out.Write(body); err != nil {
		return err
	}
	t := fmt.Sprintf("%s %d %d %08x", magic, at.Off, at.N, at.Sum)
	if _, err := fmt.Fprintf(out, "%-*s\n", trailerBytes-1, t); err != nil {
		return err
	}
	return buf.Flush()
}

// place finds the store a record belongs to.
func (it *Item) place(roots []Root) error {
	for i, r := range roots {
		if r.Owner != it.Record.Owner {
			continue
		}
		if rel, ok := below(r.Store, it.Record.File); ok {
			it.root, it.rel = i, rel
			return nil
		}
	}
	return fmt.Errorf("write catalogue: %s lies in no store of this index", it.Record.File)
}

func writeRecords(out *linetree.CountWriter, items []*Item) (linetree.Tree, error) {
	tw := linetree.NewWriter(out)
	var line []byte
	prev := ""
	for _, it := range items {
		key := it.at
		if key == prev {
			return linetree.Tree{}, fmt.Errorf("write catalogue: two entries called %s", key)
		}
		prev = key
		line = linetree.AppendSum(appendRecord(line[:0], &it.Record, it.root, it.rel))
		off, err := tw.Add(key, line)
		if err != nil {
			return linetree.Tree{}, err
		}
		it.off, it.n = off, len(line)
	}
	return tw.Close()
}

// topFolders are the top-level folders an entry is scoped below; "" when it
// speaks about the whole workspace or about files of any folder. A bare name at
// the top is taken for a folder unless it has an extension.
func topFolders(keys []string) []string {
	var out []string
	for _, k := range keys {
		f := ""
		if strings.HasPrefix(k, "d:") || strings.HasPrefix(k, "f:") {
			top, _, deeper := strings.Cut(k[2:], "/")
			if deeper || k[0] == 'd' || strings.LastIndexByte(top, '.') <= 0 {
				f = top
			}
		}
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// writePostings writes, for every key, the places of its entries, the most
// important first, then in the order of the records.
func writePostings(out *linetree.CountWriter, items []*Item, keys func(*Item) []string) (linetree.Tree, error) {
	filed := make(map[string][]int32, 2*len(items))
	for i, it := range items {
		for _, k := range keys(it) {
			k = linetree.Key(k)
			filed[k] = append(filed[k], int32(i))
		}
	}
	sorted := make([]string, 0, len(filed))
	for k := range filed {
		sorted = append(sorted, k)
	}
	slices.Sort(sorted)
	tw := linetree.NewWriter(out)
	var line []byte
	for _, key := range sorted {
		all := filed[key]
		slices.SortStableFunc(all, func(a, b int32) int { return rank(&items[a].Record) - rank(&items[b].Record) })
		total := len(all)
		for len(all) > 0 {
			n := min(len(all), maxPostings)
			line = append(line[:0], key...)
			line = append(line, '\t')
			line = strconv.AppendInt(line, int64(total), 10)
			line = append(line, '\t')
			for i, at := range all[:n] {
				if i > 0 {
					line = append(line, ' ')
				}
				line = strconv.AppendInt(line, items[at].off, 36)
				line = append(line, ':')
				line = strconv.AppendInt(line, int64(items[at].n), 36)
			}
			if _, err := tw.Add(key, line); err != nil {
				return linetree.Tree{}, err
			}
			all = all[n:]
		}
	}
	return tw.Close()
}

// writeExtras keeps what the next writer would have to work out again: keys
// and words of each record, in the order of the records.
func writeExtras(out *linetree.CountWriter, items []*Item) (linetree.Tree, error) {
	tw := linetree.NewWriter(out)
	var line []byte
	for _, it := range items {
		line = linetree.AppendField(line[:0], recordKey(it.Record.Kind, it.Record.ID))
		n := len(line)
		line = append(line, '\t')
		line = linetree.AppendList(line, it.Keys)
		line = append(line, '\t')
		line = linetree.AppendList(line, it.Words)
		if _, err := tw.Add(string(line[:n]), line); err != nil {
			return linetree.Tree{}, err
		}
	}
	return tw.Close()
}
