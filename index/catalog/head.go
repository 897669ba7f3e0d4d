package catalog

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pathrule/internal/linetree"
	"pathrule/knowledge"
)

// tally counts entries for Counts.
type tally struct {
	count   int
	kinds   map[knowledge.Kind]int
	folders map[string]int
}

func newTally() tally {
	return tally{kinds: map[knowledge.Kind]int{}, folders: map[string]int{}}
}

func (t tally) clone() tally {
	return tally{t.count, maps.Clone(t.kinds), maps.Clone(t.folders)}
}

// add counts an entry in (n = 1) or out (n = -1).
func (t *tally) add(kind knowledge.Kind, keys []string, n int) {
	t.count += n
	t.kinds[kind] += n
	for _, f := range topFolders(keys) {
		if t.folders[f] += n; t.folders[f] <= 0 {
			delete(t.folders, f)
		}
	}
}

// head is the table of contents of one file of a catalogue.
type head struct {
	tally
	roots []Root
	// base is the size of the file below this layer, 0 in the lowest; hidden are
	// the entries of that file which no longer count.
	base   int64
	hidden []string

	records, keys, words, extras linetree.Tree
}

func (h *head) encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "count %d\nbase %d\n", h.count, h.base)
	fmt.Fprintf(&b, "records %s\nkeys %s\nwords %s\nextras %s\n", h.records, h.keys, h.words, h.extras)
	for _, r := range h.roots {
		b.Write(append(linetree.AppendList([]byte("root "), []string{r.Owner, r.Prefix, r.Store}), '\n'))
	}
	for _, k := range knowledge.Kinds {
		fmt.Fprintf(&b, "kind %s %d\n", k, h.kinds[k])
	}
	for _, f := range slices.Sorted(maps.Keys(h.folders)) {
		line := strconv.AppendInt([]byte("folder "), int64(h.folders[f]), 10)
		line = linetree.AppendField(append(line, '\t'), f)
		b.Write(append(line, '\n'))
	}
	for _, k := range h.hidden {
		b.Write(append(linetree.AppendField([]byte("hidden "), k), '\n'))
	}
	return b.Bytes()
}

func parseHead(s string) (*head, error) {
	h := &head{tally: newTally()}
	for line := range strings.Lines(s) {
		word, arg, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		var err error
		switch word {
		case "count":
			h.count, err = strconv.Atoi(arg)
		case "base":
			h.base, err = strconv.ParseInt(arg, 10, 64)
		case "records":
			h.records, err = linetree.ParseTree(arg)
		case "keys":
			h.keys, err = linetree.ParseTree(arg)
		case "words":
			h.words, err = linetree.ParseTree(arg)
		case "extras":
			h.extras, err = linetree.ParseTree(arg)
		case "root":
			l := linetree.SplitList(arg)
			if len(l) != 3 {
				return nil, linetree.ErrCorrupt
			}
			h.roots = append(h.roots, Root{l[0], l[1], l[2]})
		case "kind":
			k, n, _ := strings.Cut(arg, " ")
			h.kinds[knowledge.Kind(k)], err = strconv.Atoi(n)
		case "folder":
			n, f := linetree.Cut(arg)
			h.folders[linetree.Unescape(f)], err = strconv.Atoi(n)
		case "hidden":
			h.hidden = append(h.hidden, linetree.Unescape(arg))
		}
		if err != nil {
			return nil, linetree.ErrCorrupt
		}
	}
	if h.count < 0 || h.base < 0 {
		return nil, linetree.ErrCorrupt
	}
	return h, nil
}
