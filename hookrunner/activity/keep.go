package activity

import (
	"os"
	"slices"
	"time"

	"pathrule/internal/atomicfile"
	"pathrule/internal/filelock"
)

// Compact makes room in a log that has grown past half of MaxFile, or drops
// what is too old: of what was told it keeps the last record of each entry, of
// the rest the newest. A line that is appended in the very moment may
// be lost, which costs one touched path.
func (l Log) Compact(now time.Time) error {
	st, err := os.Stat(l.Path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil || st.Size() <= keepBytes {
		return err
	}
	_, err = l.rewrite(0, func(r Record) bool { return r.Kind == Told || r.At >= now.Add(-MaxAge).Unix() })
	return err
}

// Prune drops what is older than before and says how many records went.
func (l Log) Prune(before time.Time) (int, error) {
	return l.rewrite(before.Unix(), func(r Record) bool { return r.At >= before.Unix() })
}

// rewrite writes the log anew with what keep says, as far as there is room. It
// knows of what was told since from at the earliest.
func (l Log) rewrite(from int64, keep func(Record) bool) (dropped int, err error) {
	if _, err := os.Stat(l.Path); os.IsNotExist(err) {
		return 0, nil
	}
	lock, err := filelock.Acquire(l.Path+".lock", time.Second)
	if err != nil {
		return 0, err
	}
	defer lock.Unlock()
	recs, err := l.Read()
	if err != nil {
		return 0, err
	}
	var kept []Record
	size, doubled := 0, 0
	told := map[string]bool{}
	var last []byte
	since, lost := int64(0), int64(0) // lost: when the newest telling that has no room was
	for _, r := range recs {
		if r.Kind == Since && since == 0 {
			since = r.At
		}
	}
	for i := len(recs) - 1; i >= 0; i-- {
		r := recs[i]
		if r.Kind == Since {
			continue
		}
		if !keep(r) {
			dropped++
			continue
		}
		if r.Kind == Told && told[r.What] { // a later record says it
			doubled++
			continue
		}
		last = r.appendTo(last[:0])
		if size+len(last) > keepBytes {
			dropped++
			if r.Kind == Told {
				lost = max(lost, r.At)
			}
			continue
		}
		size += len(last)
		told[r.What] = told[r.What] || r.Kind == Told
		kept = append(kept, r)
	}
	if dropped+doubled == 0 {
		return 0, nil
	}
	if len(kept) == 0 {
		return dropped, os.Remove(l.Path)
	}
	slices.Reverse(kept)
	if since == 0 {
		since = kept[0].At
	}
	if since = max(since, from); lost > 0 {
		since = max(since, lost+1)
	}
	out := Record{Kind: Since, At: since}.appendTo(nil)
	for _, r := range kept {
		out = r.appendTo(out)
	}
	return dropped, atomicfile.Write(l.Path, out, 0o600, 0o700)
}

// LastTold is when each entry was last told, by key, and since when the log
// knows (0: it does not).
func LastTold(recs []Record) (last map[string]int64, since int64) {
	last = map[string]int64{}
	for _, r := range recs {
		switch {
		case r.Kind == Told:
			last[r.What] = max(last[r.What], r.At)
		case r.Kind == Since && since == 0:
			since = r.At
		}
	}
	if since == 0 && len(recs) > 0 {
		since = recs[0].At
	}
	return last, since
}
