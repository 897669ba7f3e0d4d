package hookrunner

import (
	"strconv"
	"time"

	"pathrule/hookrunner/ledger"
	"pathrule/slice"
)

// Where more governs a path than one tool answer holds, the rest of it is told
// by name only or counted. Each further tool on that path would then bring the
// next few lines, in every session and for every busy folder. So the record
// keeps when a path was first answered, and later tools on it bring only what
// became new since, what changed, or a body that has room now. A prompt that is
// about one of the others still gets it.

const (
	askedPrefix = "x:asked:"
	// coarse is how far a file's time may lie before the clock's.
	coarse = 20 * time.Millisecond
)

// askedSince is when all of the paths had been answered; ok is false while one
// of them was not.
func askedSince(l *ledger.Ledger, paths []string) (since time.Time, ok bool) {
	for _, p := range paths {
		at, known := l.Last(askedPrefix + p)
		if !known {
			return time.Time{}, false
		}
		n, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return time.Time{}, false
		}
		if t := time.Unix(0, n); t.After(since) {
			since = t
		}
	}
	return since, true
}

// askedNow notes that the paths are answered now, once each.
func askedNow(l *ledger.Ledger, paths []string, now time.Time) []ledger.Sent {
	var items []ledger.Sent
	at := strconv.FormatInt(now.UnixNano(), 10)
	for _, p := range paths {
		if _, known := l.Last(askedPrefix + p); !known {
			items = append(items, ledger.Sent{Key: askedPrefix + p, Hash: at, Form: slice.Name})
		}
	}
	return items
}

// news are the items of a plan that are worth telling on paths answered since.
func news(l *ledger.Ledger, items []slice.Item, since time.Time) ours {
	var list ours
	for _, it := range items {
		old, told := l.Last(it.Key)
		if it.Form == slice.Body || told && old != it.Hash || it.Record.ModTime > since.Add(-coarse).UnixNano() {
			list = append(list, ledger.Sent{Key: it.Key, Hash: it.Hash, Form: it.Form})
		}
	}
	return list
}
