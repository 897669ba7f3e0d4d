package activity

import (
	"path"
	"slices"
	"sort"
	"strings"
)

const (
	// gap ends an episode, in seconds.
	gap = 30 * 60

	maxPaths    = 20
	maxSubjects = 8
	maxEntries  = 12
	maxWrote    = 5
)

// Episode is a stretch of work: touches that follow each other within half an
// hour and share a path or a subject, or belong to one prompt of one session. It
// is derived from the records and never stored.
type Episode struct {
	Start    int64    `json:"start"` // unix seconds
	End      int64    `json:"end"`
	Title    string   `json:"title"`    // the first three subjects
	Action   Action   `json:"action"`   // what was done
	Domain   Domain   `json:"domain"`   // to which side of the project
	Scope    Scope    `json:"scope"`    // and to what in it
	Subjects []string `json:"subjects"` // words of paths, most frequent first
	Edited   []string `json:"edited"`   // changed, created or removed; most touched first
	Read     []string `json:"read"`     // the other paths
	Areas    []Area   `json:"areas"`    // all of them by domain, most first
	Entries  []string `json:"entries"`  // "kind:id" told for it
	Wrote    []string `json:"wrote"`    // "kind:id" written meanwhile, newest first
	Hosts    []string `json:"hosts"`
	Sessions []string `json:"sessions"`
	Touches  int      `json:"touches"`
	// Confidence is high from three paths on, medium with two, else low.
	Confidence string `json:"confidence"`

	paths, words, aims map[string]int
	edits              map[string]string // path to what was done to it
	sessions           map[string]bool
}

// Episodes groups records, oldest first.
func Episodes(recs []Record) []Episode {
	recs = slices.Clone(recs)
	sort.SliceStable(recs, func(i, j int) bool { return recs[i].At < recs[j].At })
	var all []*Episode
	turns := map[string]*turn{} // by session
	for _, r := range recs {
		t := turns[r.Session]
		if t == nil {
			t = &turn{}
			turns[r.Session] = t
		}
		if r.Kind == Aim {
			*t = turn{at: r.At, aim: r.What, told: t.told}
			continue
		}
		var words []string
		if r.Kind == Touched {
			words = subjects(r.What)
		}
		var to *Episode
		if t.in != nil && r.At-t.in.End <= gap {
			to = t.in
		}
		for i := len(all) - 1; to == nil && i >= 0 && i >= len(all)-8; i-- {
			e := all[i]
			if r.At-e.End > gap {
				continue
			}
			if r.Kind == Touched && e.shares(r.What, words) || t.at == 0 && e.sessions[r.Session] {
				to = e
			}
		}
		if r.Kind == Wrote && to == nil && r.Session == "" {
			// Nobody says whose it is: the work at hand.
			for i := len(all) - 1; i >= 0 && i >= len(all)-8; i-- {
				if r.At-all[i].End <= gap && (to == nil || all[i].End > to.End) {
					to = all[i]
				}
			}
		}
		switch r.Kind {
		case Told:
			if to == nil || !to.sessions[r.Session] {
				// What a prompt brought is for the work that follows.
				t.told = append(t.told, r)
				continue
			}
			to.tell(r)
		case Wrote:
			if to != nil {
				to.wrote(r)
			}
		case Touched:
			if to == nil {
				to = &Episode{Start: r.At, Edited: []string{}, Read: []string{}, Areas: []Area{}, Entries: []string{}, Wrote: []string{},
					paths: map[string]int{}, words: map[string]int{}, aims: map[string]int{}, edits: map[string]string{}, sessions: map[string]bool{}}
				all = append(all, to)
			}
			to.take(r, words)
			if t.in != to {
				if t.in = to; t.aim != "" {
					to.aims[t.aim]++
				}
			}
			for _, was := range t.told {
				if r.At-was.At <= gap {
					to.tell(was)
				}
			}
			t.told = nil
		}
	}
	out := make([]Episode, 0, len(all))
	for _, e := range all {
		e.finish()
		out = append(out, *e)
	}
	return out
}

// turn is what a session's last prompt began.
type turn struct {
	at   int64 // 0: no prompt is known
	aim  string
	in   *Episode // that its touches went to last
	told []Record // before it touched anything
}

func (e *Episode) tell(r Record) {
	if _, key, ok := strings.Cut(r.What, "/"); ok && len(e.Entries) < maxEntries && !slices.Contains(e.Entries, key) {
		e.Entries = append(e.Entries, key)
	}
}

func (e *Episode) wrote(r Record) {
	_, key, ok := strings.Cut(r.What, "/")
	if !ok {
		return
	}
	e.Wrote = slices.DeleteFunc(e.Wrote, func(k string) bool { return k == key })
	e.Wrote = slices.Insert(e.Wrote, 0, key)
	e.Wrote = e.Wrote[:min(maxWrote, len(e.Wrote))]
}

func (e *Episode) shares(p string, words []string) bool {
	return e.paths[p] > 0 || slices.ContainsFunc(words, func(w string) bool { return e.words[w] > 0 })
}

func (e *Episode) take(r Record, words []string) {
	e.End = max(e.End, r.At)
	e.Touches++
	e.paths[r.What]++
	if r.Op == "edit" || r.Op == "create" || r.Op == "delete" {
		// What was made and then edited was made.
		if was := e.edits[r.What]; was == "" || r.Op == "delete" {
			e.edits[r.What] = r.Op
		}
	}
	for _, w := range words {
		e.words[w]++
	}
	if !e.sessions[r.Session] {
		e.sessions[r.Session] = true
		e.Sessions = append(e.Sessions, r.Session)
	}
	if !slices.Contains(e.Hosts, r.Host) {
		e.Hosts = append(e.Hosts, r.Host)
	}
}

func (e *Episode) finish() {
	paths := byCount(e.paths)
	for _, p := range paths {
		if len(e.Edited)+len(e.Read) == maxPaths {
			break
		}
		if e.edits[p] != "" {
			e.Edited = append(e.Edited, p)
		}
	}
	for _, p := range paths {
		if len(e.Edited)+len(e.Read) == maxPaths {
			break
		}
		if e.edits[p] == "" {
			e.Read = append(e.Read, p)
		}
	}
	e.Subjects = byCount(e.words)
	e.Subjects = e.Subjects[:min(maxSubjects, len(e.Subjects))]
	e.Title = strings.Join(e.Subjects[:min(3, len(e.Subjects))], ", ")
	if e.Title == "" && len(paths) > 0 {
		e.Title = path.Base(paths[0])
	}
	e.Areas = areas(e.paths)
	about := e.paths
	if len(e.edits) > 0 {
		about = map[string]int{}
		for p := range e.edits {
			about[p] = e.paths[p]
		}
	}
	e.Action, e.Domain, e.Scope = e.action(), most(about, DomainOf), most(about, ScopeOf)
	switch len(paths) {
	case 1:
		e.Confidence = "low"
	case 2:
		e.Confidence = "medium"
	default:
		e.Confidence = "high"
	}
}

// byCount are the keys, highest count first, then by name.
func byCount(m map[string]int) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		if m[keys[i]] != m[keys[j]] {
			return m[keys[i]] > m[keys[j]]
		}
		return keys[i] < keys[j]
	})
	return keys
}

// subjects are the words of a path that say what it is about: its folders and
// its name without the ending, common folder names aside.
func subjects(p string) []string {
	base := path.Base(p)
	stem := strings.TrimSuffix(base, path.Ext(base))
	var out []string
	for _, w := range strings.FieldsFunc(path.Dir(p)+"/"+stem, func(r rune) bool { return strings.ContainsRune("/-_. ()[]", r) }) {
		if w = strings.ToLower(w); len(w) < 3 || common(w) || slices.Contains(out, w) {
			continue
		}
		out = append(out, w)
	}
	return out
}

func common(w string) bool {
	switch w {
	case "src", "lib", "app", "apps", "pkg", "cmd", "internal", "packages", "test", "tests", "spec", "main", "index", "init", "mod", "core", "common", "utils", "util", "readme", "docs", "com", "org":
		return true
	}
	return false
}
