package catalog

import (
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"pathrule/internal/linetree"
	"pathrule/knowledge"
)

// recordKey is the key under which a record is sorted and found: "kind:id".
// The kinds' names happen to sort in listing order.
func recordKey(kind knowledge.Kind, id string) string { return string(kind) + ":" + id }

// Root is one store that a generation holds entries of.
type Root struct {
	Owner  string // workspace id, or "personal"
	Prefix string // see Record.Prefix
	Store  string // absolute folder
}

// appendRecord encodes a record. Title and Line come early, so that a reader
// of names need not go far; what is constant for a store is only its number.
func appendRecord(dst []byte, r *Record, root int, rel string) []byte {
	dst = linetree.AppendField(dst, recordKey(r.Kind, r.ID))
	dst = append(dst, '\t')
	dst = linetree.AppendField(dst, r.Title)
	dst = append(dst, '\t')
	dst = strconv.AppendInt(dst, int64(root), 10)
	dst = append(dst, '\t')
	dst = linetree.AppendField(dst, rel)
	dst = append(dst, '\t')
	dst = linetree.AppendField(dst, r.Hash)
	for _, n := range [...]int64{r.Size, r.ModTime, int64(r.BodyOffset), int64(r.BodyBytes)} {
		dst = append(dst, '\t')
		dst = strconv.AppendInt(dst, n, 10)
	}
	dst = append(dst, '\t')
	dst = linetree.AppendField(dst, string(r.Priority))
	dst = append(dst, '\t')
	dst = linetree.AppendField(dst, r.Enforcement)
	for _, list := range [...][]string{r.Paths, r.Tags, r.Related} {
		dst = append(dst, '\t')
		dst = linetree.AppendList(dst, list)
	}
	dst = append(dst, '\t')
	dst = linetree.AppendField(dst, r.Line)
	dst = append(dst, '\t')
	return linetree.AppendField(dst, r.Description)
}

// parseRecord decodes a line; it never panics, whatever the line.
func parseRecord(line string, roots []Root) (Record, error) {
	var r Record
	key, line := linetree.Cut(line)
	kind, id, ok := strings.Cut(linetree.Unescape(key), ":")
	if !ok {
		return r, linetree.ErrCorrupt
	}
	r.Kind, r.ID = knowledge.Kind(kind), id
	var f string
	f, line = linetree.Cut(line)
	r.Title = linetree.Unescape(f)
	f, line = linetree.Cut(line)
	n, err := strconv.Atoi(f)
	if err != nil || n < 0 || n >= len(roots) {
		return r, linetree.ErrCorrupt
	}
	root := roots[n]
	r.Owner, r.Prefix = root.Owner, root.Prefix
	r.Key = root.Owner + "/" + recordKey(r.Kind, r.ID)
	f, line = linetree.Cut(line)
	r.File = filepath.Join(root.Store, filepath.FromSlash(path.Clean("/"+linetree.Unescape(f))))
	f, line = linetree.Cut(line)
	r.Hash = linetree.Unescape(f)
	var nums [4]int64
	for i := range nums {
		f, line = linetree.Cut(line)
		if nums[i], err = strconv.ParseInt(f, 10, 64); err != nil {
			return r, linetree.ErrCorrupt
		}
	}
	r.Size, r.ModTime, r.BodyOffset, r.BodyBytes = nums[0], nums[1], int(nums[2]), int(nums[3])
	f, line = linetree.Cut(line)
	r.Priority = knowledge.Priority(linetree.Unescape(f))
	f, line = linetree.Cut(line)
	r.Enforcement = linetree.Unescape(f)
	f, line = linetree.Cut(line)
	r.Paths = linetree.SplitList(f)
	f, line = linetree.Cut(line)
	r.Tags = linetree.SplitList(f)
	f, line = linetree.Cut(line)
	r.Related = linetree.SplitList(f)
	f, line = linetree.Cut(line)
	r.Line = linetree.Unescape(f)
	r.Description = linetree.Unescape(line)
	return r, nil
}

// rank orders the entries filed under one path key: what binds before what
// informs, so that a bounded read meets the important ones first.
func rank(r *Record) int {
	if r.Kind == knowledge.Rule {
		n := 1
		switch r.Priority {
		case knowledge.High:
			n = 0
		case knowledge.Low:
			n = 2
		}
		if r.Enforcement == "strict" {
			n -= 2
		}
		return n + 2 // 0..4
	}
	if r.Kind == knowledge.Memory {
		return 5
	}
	return 6
}
