package catalog

import (
	"slices"
	"strings"

	"pathrule/knowledge"
	"pathrule/workspace"
)

// PathTerms are the keys to look up for a set of paths, narrowest first: the
// very file, its name or extension, its folders from the deepest up, then what
// speaks about the whole workspace. Both doors of the index read them in this
// order, so that a bounded answer holds the closest entries.
func PathTerms(paths []string) []string {
	type term struct {
		key          string
		class, depth int
	}
	var all []term
	seen := map[string]bool{}
	for _, p := range paths {
		for _, k := range workspace.PathKeys(p) {
			if seen[k] {
				continue
			}
			seen[k] = true
			t := term{key: k, class: 4}
			kind, rest, _ := strings.Cut(k, ":")
			switch kind {
			case "f":
				t.class = 0
			case "b", "e":
				t.class = 1
			case "d":
				t.class = 2
				if rest != "" {
					t.depth = 1 + strings.Count(rest, "/")
				}
			case "p":
				t.class = 3
			}
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b term) int {
		if a.class != b.class {
			return a.class - b.class
		}
		return b.depth - a.depth
	})
	out := make([]string, len(all))
	for i, t := range all {
		out[i] = t.key
	}
	return out
}

// Closest finds how closely a record's scope covers the closest of paths. ok is
// false when it covers none.
func Closest(r *Record, paths []string) (c Candidate, ok bool) {
	c.Record = *r
	s, err := r.Scope()
	if err != nil {
		return c, false
	}
	for _, p := range paths {
		fit, depth := s.Match(p)
		if fit > c.Fit || (fit == c.Fit && fit != workspace.Outside && depth > c.Depth) {
			c.Fit, c.Depth, c.Path = fit, depth, p
		}
	}
	return c, c.Fit != workspace.Outside
}

// Governing returns the entries whose scope covers one of the paths, in no
// promised order, and how many were not looked at (Result.Cut).
func (r *Reader) Governing(q Query) (out []Candidate, cut int, err error) {
	if len(q.Paths) == 0 {
		return nil, 0, nil
	}
	seen := map[int64]bool{}
	spent := 0
	for _, key := range PathTerms(q.Paths) {
		looked, all := 0, 0
		var bad error
		err := r.postings(r.head.keys, key, func(p place, total int) bool {
			all = total
			if !q.Exhaustive && spent+p.n > MaxPathBytes {
				spent = MaxPathBytes
				return false
			}
			looked++
			if seen[p.off] {
				return true
			}
			seen[p.off] = true
			spent += p.n
			rec, err := r.at(p)
			if err != nil {
				bad = err
				return false
			}
			if !wanted(q.Kinds, rec.Kind) {
				return true
			}
			if c, ok := Closest(&rec, q.Paths); ok {
				out = append(out, c)
			}
			return true
		})
		if err == nil {
			err = bad
		}
		if err != nil {
			return nil, 0, err
		}
		cut += all - looked
	}
	return out, cut, nil
}

func wanted(kinds []knowledge.Kind, k knowledge.Kind) bool {
	return len(kinds) == 0 || slices.Contains(kinds, k)
}

// SortCandidates puts candidates into the order of a Result.
func SortCandidates(cs []Candidate) {
	slices.SortFunc(cs, func(a, b Candidate) int {
		if a.Text != b.Text {
			if a.Text > b.Text {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Record.Key, b.Record.Key)
	})
}
