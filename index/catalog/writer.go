package catalog

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"

	"pathrule/index/terms"
	"pathrule/internal/linetree"
	"pathrule/knowledge"
)

// Format is the version of the catalogue's file format.
//
//	1: records, path keys and names as checksummed trees, one trailer
const Format = 1

const (
	magic = "pathrule-catalog"
	// trailerBytes is the fixed size of the end of the file: where the head is.
	trailerBytes = 64
	// maxPostings is how many entries one line of the path keys names. A key
	// with more has more lines, so that a bounded read stays bounded.
	maxPostings = 64
)

// Item is one entry as the writer wants it. Keys and Words may be left empty;
// they are then computed from the record.
type Item struct {
	Record Record
	// Keys are the scope's keys in base coordinates.
	Keys []string
	// Words are the analysed words of title, id and tags.
	Words []string

	root int
	rel  string
	off  int64
	n    int
}

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
	slices.SortFunc(items, func(a, b *Item) int {
		if c := strings.Compare(string(a.Record.Kind), string(b.Record.Kind)); c != 0 {
			return c
		}
		return strings.Compare(escapedID(a), escapedID(b))
	})
	for _, it := range items {
		if err := it.Complete(); err != nil {
			return fmt.Errorf("write catalogue: %s: %w", recordKey(it.Record.Kind, it.Record.ID), err)
		}
		if err := it.place(roots); err != nil {
			return err
		}
	}
	buf := bufio.NewWriterSize(w, 64<<10)
	out := &linetree.CountWriter{W: buf}
	if _, err := fmt.Fprintf(out, "%s %d\n", magic, Format); err != nil {
		return err
	}
	h := head{roots: roots, kinds: map[knowledge.Kind]int{}, folders: map[string]int{}}
	var err error
	if h.records, err = writeRecords(out, items, &h); err != nil {
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
	t += strings.Repeat(" ", trailerBytes-1-len(t)) + "\n"
	if _, err := io.WriteString(out, t); err != nil {
		return err
	}
	return buf.Flush()
}

func escapedID(it *Item) string {
	if strings.ContainsAny(it.Record.ID, "\\\t\n\r\x1f") {
		return string(linetree.AppendField(nil, it.Record.ID))
	}
	return it.Record.ID
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

func writeRecords(out *linetree.CountWriter, items []*Item, h *head) (linetree.Tree, error) {
	tw := linetree.NewWriter(out)
	var line, key []byte
	prev := ""
	for _, it := range items {
		key = linetree.AppendField(key[:0], recordKey(it.Record.Kind, it.Record.ID))
		if k := string(key); k == prev {
			return linetree.Tree{}, fmt.Errorf("write catalogue: two entries called %s", k)
		} else {
			prev = k
		}
		line = linetree.AppendSum(appendRecord(line[:0], &it.Record, it.root, it.rel))
		off, err := tw.Add(prev, line)
		if err != nil {
			return linetree.Tree{}, err
		}
		it.off, it.n = off, len(line)
		h.count++
		h.kinds[it.Record.Kind]++
		for _, f := range topFolders(it.Keys) {
			h.folders[f]++
		}
	}
	return tw.Close()
}

// topFolders are the top-level folders an entry is scoped below; "" when it
// speaks about the whole workspace or about files of any folder.
func topFolders(keys []string) []string {
	var out []string
	for _, k := range keys {
		f := ""
		if strings.HasPrefix(k, "d:") || strings.HasPrefix(k, "f:") {
			top, _, deeper := strings.Cut(k[2:], "/")
			if deeper || k[0] == 'd' {
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
// important first.
func writePostings(out *linetree.CountWriter, items []*Item, keys func(*Item) []string) (linetree.Tree, error) {
	type posting struct {
		key string
		it  *Item
	}
	n := 0
	for _, it := range items {
		n += len(keys(it))
	}
	all := make([]posting, 0, n)
	var buf []byte
	for _, it := range items {
		for _, k := range keys(it) {
			if strings.ContainsAny(k, "\\\t\n\r\x1f") {
				buf = linetree.AppendField(buf[:0], k)
				k = string(buf)
			}
			all = append(all, posting{k, it})
		}
	}
	// Stable: items come in order of kind and id, which breaks ties of rank.
	sort.SliceStable(all, func(i, j int) bool {
		if all[i].key != all[j].key {
			return all[i].key < all[j].key
		}
		return rank(&all[i].it.Record) < rank(&all[j].it.Record)
	})
	tw := linetree.NewWriter(out)
	var line []byte
	for i := 0; i < len(all); {
		key := all[i].key
		end := i
		for end < len(all) && all[end].key == key {
			end++
		}
		total := end - i
		for i < end {
			line = append(line[:0], key...)
			line = append(line, '\t')
			line = strconv.AppendInt(line, int64(total), 10)
			line = append(line, '\t')
			for n := 0; n < maxPostings && i < end; n++ {
				if n > 0 {
					line = append(line, ' ')
				}
				line = strconv.AppendInt(line, all[i].it.off, 36)
				line = append(line, ':')
				line = strconv.AppendInt(line, int64(all[i].it.n), 36)
				i++
			}
			if _, err := tw.Add(key, line); err != nil {
				return linetree.Tree{}, err
			}
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

// head is the table of contents.
type head struct {
	count   int
	roots   []Root
	kinds   map[knowledge.Kind]int
	folders map[string]int

	records, keys, words, extras linetree.Tree
}

func (h *head) encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "count %d\n", h.count)
	fmt.Fprintf(&b, "records %s\nkeys %s\nwords %s\nextras %s\n", h.records, h.keys, h.words, h.extras)
	for _, r := range h.roots {
		line := linetree.AppendField([]byte("root "), r.Owner)
		line = linetree.AppendField(append(line, '\t'), r.Prefix)
		line = linetree.AppendField(append(line, '\t'), r.Store)
		b.Write(append(line, '\n'))
	}
	for _, k := range knowledge.Kinds {
		fmt.Fprintf(&b, "kind %s %d\n", k, h.kinds[k])
	}
	names := make([]string, 0, len(h.folders))
	for f := range h.folders {
		names = append(names, f)
	}
	slices.Sort(names)
	for _, f := range names {
		line := strconv.AppendInt([]byte("folder "), int64(h.folders[f]), 10)
		line = linetree.AppendField(append(line, '\t'), f)
		b.Write(append(line, '\n'))
	}
	return b.Bytes()
}

func parseHead(s string) (*head, error) {
	h := &head{kinds: map[knowledge.Kind]int{}, folders: map[string]int{}}
	for s != "" {
		line, rest, _ := strings.Cut(s, "\n")
		s = rest
		word, arg, _ := strings.Cut(line, " ")
		var err error
		switch word {
		case "count":
			h.count, err = strconv.Atoi(arg)
		case "records":
			h.records, err = linetree.ParseTree(arg)
		case "keys":
			h.keys, err = linetree.ParseTree(arg)
		case "words":
			h.words, err = linetree.ParseTree(arg)
		case "extras":
			h.extras, err = linetree.ParseTree(arg)
		case "root":
			owner, arg := linetree.Cut(arg)
			prefix, store := linetree.Cut(arg)
			h.roots = append(h.roots, Root{linetree.Unescape(owner), linetree.Unescape(prefix), linetree.Unescape(store)})
		case "kind":
			k, n, _ := strings.Cut(arg, " ")
			h.kinds[knowledge.Kind(k)], err = strconv.Atoi(n)
		case "folder":
			n, f := linetree.Cut(arg)
			h.folders[linetree.Unescape(f)], err = strconv.Atoi(n)
		}
		if err != nil {
			return nil, linetree.ErrCorrupt
		}
	}
	if h.count < 0 {
		return nil, linetree.ErrCorrupt
	}
	return h, nil
}
