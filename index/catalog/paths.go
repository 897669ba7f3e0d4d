package catalog

import (
	"slices"
	"strings"

	"pathrule/knowledge"
	"pathrule/workspace"
)

const (
	// MaxPathBytes bounds the records that one Query without Exhaustive reads for
	// its paths, closest keys first. With the tables above them this keeps a tool
	// event below 64 KiB at any size of the catalogue.
	MaxPathBytes = 24 << 10
)

// The classes of path keys, closest first, and how much of MaxPathBytes may be
// spent when each is done: many globs that turn out not to match must not
// keep out what binds the whole workspace.
var classShare = [...]int{classFolder: 65, className: 85, classProject: 100}

const (
	classFolder  = iota // a file, or a folder at or above the path
	className           // a glob without a folder: by name, extension, or neither
	classProject        // no pattern at all
)

// pathTerm is one key to look up for a path.
type pathTerm struct {
	key          string
	class, depth int
}

// PathTerms are the keys to look up for a set of paths, closest first: the very
// file, its folders from the deepest up, its name and extension, then what
// speaks about the whole workspace. A bounded answer therefore holds the
// closest entries.
func PathTerms(paths []string) []string {
	all := pathTerms(paths)
	out := make([]string, len(all))
	for i, t := range all {
		out[i] = t.key
	}
	return out
}

func pathTerms(paths []string) []pathTerm {
	var all []pathTerm
	seen := map[string]bool{}
	for _, p := range paths {
		for _, k := range workspace.PathKeys(p) {
			if seen[k] {
				continue
			}
			seen[k] = true
			t := pathTerm{key: k, class: className}
			switch kind, rest, _ := strings.Cut(k, ":"); {
			case kind == "p":
				t.class = classProject
			case rest != "" && (kind == "f" || kind == "d"):
				t.class = classFolder
				// At equal depth what names the path itself comes first.
				t.depth = 2 * (1 + strings.Count(rest, "/"))
				if kind == "f" {
					t.depth++
				}
			}
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b pathTerm) int {
		if a.class != b.class {
			return a.class - b.class
		}
		return b.depth - a.depth
	})
	return all
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
	seen := map[place]bool{}
	spent := 0
	for _, t := range pathTerms(q.Paths) {
		limit := MaxPathBytes * classShare[t.class] / 100
		looked, all := 0, 0
		var bad error
		err := r.postings(byKeys, t.key, func(p place, total int) bool {
			all = total
			if !seen[p] && !q.Exhaustive && spent+p.n > limit {
				return false
			}
			looked++
			if seen[p] {
				return true
			}
			seen[p] = true
			spent += p.n
			rec, ok, err := r.at(p)
			if err != nil {
				bad = err
				return false
			}
			if !ok || !wanted(q.Kinds, rec.Kind) {
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
