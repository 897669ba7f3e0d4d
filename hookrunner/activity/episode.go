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
)

// Episode is a stretch of work: touches that follow each other within half an
// hour and belong to one session, or share a path or a subject with it. It is
// derived from the records and never stored.
type Episode struct {
	Start    int64    `json:"start"` // unix seconds
	End      int64    `json:"end"`
	Title    string   `json:"title"`    // the first three subjects
	Subjects []string `json:"subjects"` // words of paths, most frequent first
	Edited   []string `json:"edited"`   // changed, created or removed; most touched first
	Read     []string `json:"read"`     // the other paths
	Entries  []string `json:"entries"`  // "kind:id" told meanwhile
	Hosts    []string `json:"hosts"`
	Sessions []string `json:"sessions"`
	Touches  int      `json:"touches"`
	// Confidence is high from three paths on, medium with two, else low.
	Confidence string `json:"confidence"`

	paths, words map[string]int
	edits        map[string]bool
	sessions     map[string]bool
}

// Episodes groups records, oldest first.
func Episodes(recs []Record) []Episode {
	recs = slices.Clone(recs)
	sort.SliceStable(recs, func(i, j int) bool { return recs[i].At < recs[j].At })
	var all []*Episode
	for _, r := range recs {
		var to *Episode
		words := subjects(r.What)
		for i := len(all) - 1; i >= 0 && i >= len(all)-8; i-- {
			e := all[i]
			if r.At-e.End > gap {
				continue
			}
			if e.sessions[r.Session] || r.Kind == Touched && e.shares(r.What, words) {
				to = e
				break
			}
		}
		switch r.Kind {
		case Told:
			_, key, ok := strings.Cut(r.What, "/")
			if to != nil && ok && to.sessions[r.Session] && len(to.Entries) < maxEntries && !slices.Contains(to.Entries, key) {
				to.Entries = append(to.Entries, key)
			}
		case Touched:
			if to == nil {
				to = &Episode{Start: r.At, Edited: []string{}, Read: []string{}, Entries: []string{},
					paths: map[string]int{}, words: map[string]int{}, edits: map[string]bool{}, sessions: map[string]bool{}}
				all = append(all, to)
			}
			to.take(r, words)
		}
	}
	out := make([]Episode, 0, len(all))
	for _, e := range all {
		e.finish()
		out = append(out, *e)
	}
	return out
}

func (e *Episode) shares(p string, words []string) bool {
	return e.paths[p] > 0 || slices.ContainsFunc(words, func(w string) bool { return e.words[w] > 0 })
}

func (e *Episode) take(r Record, words []string) {
	e.End = max(e.End, r.At)
	e.Touches++
	e.paths[r.What]++
	if r.Op == "edit" || r.Op == "create" || r.Op == "delete" {
		e.edits[r.What] = true
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
		if e.edits[p] {
			e.Edited = append(e.Edited, p)
		}
	}
	for _, p := range paths {
		if len(e.Edited)+len(e.Read) == maxPaths {
			break
		}
		if !e.edits[p] {
			e.Read = append(e.Read, p)
		}
	}
	e.Subjects = byCount(e.words)
	e.Subjects = e.Subjects[:min(maxSubjects, len(e.Subjects))]
	e.Title = strings.Join(e.Subjects[:min(3, len(e.Subjects))], ", ")
	if e.Title == "" && len(paths) > 0 {
		e.Title = path.Base(paths[0])
	}
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
