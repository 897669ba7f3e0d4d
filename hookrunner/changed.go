package hookrunner

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pathrule/hookrunner/ledger"
	"pathrule/index/catalog"
	"pathrule/internal/atomicfile"
	"pathrule/knowledge"
)

// What a team mate's commit or another session brought is news to the next one.
// A session's start compares the entries with what the last start found: one
// small file, one read of the catalogue, and of a store beyond the bound nothing
// is said.

const (
	maxNotes    = driftRecords
	maxNoteFile = maxNotes*34 + 100 // bytes
	// genPrefix begins the line that names the index's generation; while that is the
	// same, so are the entries, and nothing else is read.
	genPrefix  = "index generation "
	changedKey = "x:changed"
)

// noteState is the entries of a store, by hash of the key, with their version.
type noteState map[string]string

// noteFile is the workspace's own, since a nested one has other entries.
func (r *runner) noteFile(a *asker) string {
	return filepath.Join(r.dirs.State, "drift", a.ws.ID+"~notes")
}

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
	return knowledge.Version([]byte(key))
}

// lastNotes is what the last start found, and in which generation of the index;
// nil when there was none.
func (r *runner) lastNotes(a *asker) (old noteState, gen string) {
	f, err := os.Open(r.noteFile(a))
	if err != nil {
		return nil, ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxNoteFile+1))
	if err != nil || len(b) > maxNoteFile {
		return nil, ""
	}
	head, rest, _ := strings.Cut(string(b), "\n")
	gen, ok := strings.CutPrefix(head, genPrefix)
	if !ok {
		return nil, ""
	}
	old = noteState{}
	for ln := range strings.Lines(rest) {
		if key, version, ok := strings.Cut(strings.TrimSuffix(ln, "\n"), " "); ok {
			old[key] = version
		}
	}
	return old, gen
}

// changes are the entries that are new or changed since the last session's
// start, and what to do once the answer is out: the next start is told of later
// ones alone.
func (r *runner) changes(a *asker) (keys []string, keep func()) {
	if a.unseen {
		return nil, func() {} // what nobody reviewed is no news to count on
	}
	current, err := catalog.ReadPointer(r.dirs.Cache(a.ws.ID), catalog.Versions())
	if err != nil || current.Entries > maxNotes {
		return nil, func() {}
	}
	old, gen := r.lastNotes(a)
	if gen == current.Gen {
		return nil, func() {}
	}
	now, all, ok := r.notes(a)
	if !ok {
		return nil, func() {}
	}
	if old != nil {
		for _, k := range all {
			if h := keyHash(k); old[h] != now[h] {
				keys = append(keys, k)
			}
		}
	}
	return keys, func() {
		told := slices.ContainsFunc(r.told, func(it ledger.Sent) bool { return it.Key == changedKey })
		if len(keys) > 0 && !told {
			return
		}
		var lines []string
		for k, v := range now {
			lines = append(lines, k+" "+v+"\n")
		}
		slices.Sort(lines)
		text := genPrefix + current.Gen + "\n" + strings.Join(lines, "")
		if err := atomicfile.Write(r.noteFile(a), []byte(text), 0o600, 0o700); err != nil {
			r.log("note the entries: " + err.Error())
		}
	}
}
