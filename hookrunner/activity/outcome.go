package activity

import "sort"

// Outcome is what came of telling an entry, in sessions: of those that were
// told its line or text, how many then changed something that it is about, and
// whose changes were committed. It shows what went together, not why.
type Outcome struct {
	Entry     string `json:"entry"` // catalog.Record.Key
	Told      int    `json:"told"`
	Used      int    `json:"used"`
	Committed int    `json:"committed"`
}

// committedWithin is how long after a change its commit may come, in seconds.
const committedWithin = 14 * 24 * 60 * 60

// Outcomes counts for every entry that was told as more than a name, most told
// first. about says whether an entry speaks about a path, commits when a path
// was committed (unix seconds, any order); nil: no commit is known.
func Outcomes(recs []Record, about func(entry, path string) bool, commits func(path string) []int64) []Outcome {
	type in struct{ host, session string }
	type telling struct {
		in
		entry string
	}
	first := map[telling]int64{}
	changed := map[in][]Record{}
	for _, r := range recs {
		who := in{r.Host, r.Session}
		switch {
		case r.Session == "":
		case r.Kind == Told && r.Op != "name":
			t := telling{who, r.What}
			if at, ok := first[t]; !ok || r.At < at {
				first[t] = r.At
			}
		case r.Kind == Touched && (r.Op == "edit" || r.Op == "create" || r.Op == "delete"):
			changed[who] = append(changed[who], r)
		}
	}
	by := map[string]*Outcome{}
	for t, at := range first {
		o := by[t.entry]
		if o == nil {
			o = &Outcome{Entry: t.entry}
			by[t.entry] = o
		}
		o.Told++
		used, kept := false, false
		for _, r := range changed[t.in] {
			if r.At < at || kept || !about(t.entry, r.What) {
				continue
			}
			used = true
			if commits != nil {
				for _, c := range commits(r.What) {
					kept = kept || c >= r.At && c <= r.At+committedWithin
				}
			}
		}
		if used {
			o.Used++
		}
		if kept {
			o.Committed++
		}
	}
	out := make([]Outcome, 0, len(by))
	for _, o := range by {
		out = append(out, *o)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Told != out[j].Told {
			return out[i].Told > out[j].Told
		}
		return out[i].Entry < out[j].Entry
	})
	return out
}
