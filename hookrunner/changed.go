package hookrunner

import (
	"hash/fnv"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"pathrule/hookrunner/ledger"
	"pathrule/index/catalog"
	"pathrule/internal/atomicfile"
)

// What a team mate's commit or another session brought is news to the next one.
// A session's start compares the entries with what the last start found: one
// small file, one read of the catalogue, and of a store beyond the bound nothing
// is said.

const (
	maxNotes    = driftRecords
	maxNoteFile = maxNotes * 34 // bytes
	changedKey  = "x:changed"
)

// noteState is the entries of a store, by hash of the key, with their version.
type noteState map[string]string

func (r *runner) noteFile(p place) string { return r.driftFile(p) + "~notes" }

// notes are the workspace's entries now; ok is false where there are too many.
func (r *runner) notes(a *asker) (now noteState, keys []string, ok bool) {
	cat, err := catalog.Open(a.ws, r.dirs)
	if err != nil {
		return nil, nil, false
	}
	defer cat.Close()
	now = noteState{}
	err = cat.All(func(rec catalog.Record) bool {
		if rec.Owner == catalog.Personal {
			return true
		}
		keys = append(keys, rec.Key)
		now[keyHash(rec.Key)] = rec.Hash
		return len(keys) <= maxNotes
	})
	return now, keys, err == nil && len(keys) <= maxNotes
}

func keyHash(key string) string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, key)
	return strconv.FormatUint(h.Sum64(), 16)
}

// lastNotes is what the last start found; nil when there was none.
func (r *runner) lastNotes(p place) noteState {
	f, err := os.Open(r.noteFile(p))
	if err != nil {
		return nil
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxNoteFile+1))
	if err != nil || len(b) > maxNoteFile {
		return nil
	}
	old := noteState{}
	for ln := range strings.Lines(string(b)) {
		if key, version, ok := strings.Cut(strings.TrimSuffix(ln, "\n"), " "); ok {
			old[key] = version
		}
	}
	return old
}

// changes are the entries that are new or changed since the last session's
// start, and what to do once the answer is out: the next start is told of later
// ones alone.
func (r *runner) changes(a *asker) (keys []string, keep func()) {
	if a.unseen {
		return nil, func() {} // what nobody reviewed is no news to count on
	}
	now, all, ok := r.notes(a)
	if !ok {
		return nil, func() {}
	}
	old := r.lastNotes(a.p)
	if old != nil {
		for _, k := range all {
			if h := keyHash(k); old[h] != now[h] {
				keys = append(keys, k)
			}
		}
	}
	return keys, func() {
		told := slices.ContainsFunc(r.told, func(it ledger.Sent) bool { return it.Key == changedKey })
		if len(keys) > 0 && !told || old != nil && len(keys) == 0 && len(old) == len(now) {
			return
		}
		var lines []string
		for k, v := range now {
			lines = append(lines, k+" "+v+"\n")
		}
		slices.Sort(lines)
		if err := atomicfile.Write(r.noteFile(a.p), []byte(strings.Join(lines, "")), 0o600, 0o700); err != nil {
			r.log("note the entries: " + err.Error())
		}
	}
}
