package hookrunner

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"pathrule/hookrunner/ledger"
	"pathrule/knowledge"
	"pathrule/slice"
)

// Where more governs a path than one tool answer holds, some of it is told by
// name only or counted. Each further tool on that path would then bring the
// next few lines, in every session and for every busy folder. So the record
// keeps, per path, what such an answer already weighed; later tools on the path
// bring only what is new or changed, or a body that has room now. A prompt that
// is about one of them still gets it.

const (
	askedPrefix = "x:asked:"
	// maxAsked bounds what is kept of one path; what lies beyond is dripped.
	maxAsked = 64
	markLen  = 6
)

// asked is slice.Delivered for a tool on paths that were answered before.
type asked struct {
	base  slice.Delivered
	marks map[string]bool
}

func (a asked) Has(key, hash string) slice.Form {
	f := slice.None
	if a.base != nil {
		f = a.base.Has(key, hash)
	}
	if f < slice.Card && (a.marks[mark(key, hash)] || a.marks[mark(key, "")]) {
		return slice.Card
	}
	return f
}

// mark is a short stand-in for an item; one that was not loaded has no hash.
func mark(key, hash string) string {
	sum := sha256.Sum256([]byte(key + "\x00" + hash))
	return hex.EncodeToString(sum[:markLen/2])
}

// askedBefore gathers the marks of paths.
func askedBefore(l *ledger.Ledger, paths []string) map[string]bool {
	marks := map[string]bool{}
	for _, p := range paths {
		list, ok := l.Last(askedPrefix + p)
		for ok && len(list) >= markLen {
			marks[list[:markLen]] = true
			list = list[markLen:]
		}
	}
	return marks
}

// askedNow is what to remember of a plan for each of its paths, beside what was
// known of it; nothing where the answer held all there is.
func askedNow(plan slice.Plan, paths []string, before map[string]bool) []ledger.Sent {
	more := false
	var b strings.Builder
	add := func(m string) {
		if b.Len() < maxAsked*markLen && !before[m] {
			b.WriteString(m)
		}
	}
	for _, it := range plan.Items {
		if it.Form == slice.Name && it.Kind != knowledge.Skill && (it.Kind == knowledge.Memory || len(it.Record.Paths) > 0) {
			more = true
		}
		add(mark(it.Key, it.Hash))
	}
	for _, left := range plan.LeftOut {
		if left.Why == slice.LeftBudget {
			more = true
			add(mark(left.Key, ""))
		}
	}
	if !more {
		return nil
	}
	known := make([]string, 0, len(before))
	for m := range before {
		known = append(known, m)
	}
	slices.Sort(known)
	all := b.String() + strings.Join(known, "")
	all = all[:min(len(all), maxAsked*markLen)]
	items := make([]ledger.Sent, 0, len(paths))
	for _, p := range paths {
		items = append(items, ledger.Sent{Key: askedPrefix + p, Hash: all, Form: slice.Name})
	}
	return items
}
