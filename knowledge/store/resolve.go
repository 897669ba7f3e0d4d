package store

import (
	"path/filepath"
	"sort"
	"strings"

	"pathrule/index/terms"
	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
)

func (s *store) resolve(ref string, kind knowledge.Kind) (knowledge.Kind, string, error) {
	asked := ref
	ref = strings.TrimSpace(ref)
	if abs := filepath.FromSlash(ref); filepath.IsAbs(abs) {
		if rel, err := filepath.Rel(s.dir, abs); err == nil && filepath.IsLocal(rel) {
			ref = filepath.ToSlash(rel)
		}
	}
	ref = strings.TrimPrefix(strings.TrimPrefix(ref, "./"), ".pathrule/")
	if k, id, ok := knowledge.Ident(ref); ok && (kind == "" || k == kind) {
		if _, err := s.find(k, id); err == nil {
			return k, s.prefix + id, nil
		}
	}
	if k, rest, ok := strings.Cut(ref, ":"); ok {
		if named := kindNamed(k); named != "" {
			if kind != "" && kind != named {
				return "", "", &knowledge.InvalidError{Field: "id", Msg: "\"" + asked + "\" is a " + string(named) + ", not a " + string(kind), Remedy: "leave \"" + k + ":\" out, or use the command for a " + string(named)}
			}
			kind, ref = named, rest
		}
	}
	id := s.bare(strings.TrimSuffix(ref, ".md"))
	files, _ := s.walk()
	for _, want := range []string{id, knowledge.Slug(ref)} {
		if want == "" {
			continue
		}
		var hits []knowledge.FileRef
		for _, f := range files {
			if f.ID == want && (kind == "" || f.Kind == kind) {
				hits = append(hits, f)
			}
		}
		if len(hits) == 1 {
			return hits[0].Kind, s.prefix + hits[0].ID, nil
		}
		if len(hits) > 1 {
			e := &knowledge.AmbiguousError{Ref: asked}
			for _, h := range hits {
				e.Keys = append(e.Keys, string(h.Kind)+":"+s.prefix+h.ID)
			}
			sort.Strings(e.Keys)
			return "", "", e
		}
	}
	return "", "", &knowledge.NotFoundError{Ref: asked, Nearest: s.nearest(files, kind, id)}
}

// kindNamed takes a kind in the singular or as its folder's name.
func kindNamed(word string) knowledge.Kind {
	for _, k := range knowledge.Kinds {
		if word == string(k) || word == k.Dir() {
			return k
		}
	}
	return ""
}

// nearest names at most three ids that were probably meant.
func (s *store) nearest(files []knowledge.FileRef, kind knowledge.Kind, id string) []string {
	type hit struct {
		name  string
		score float64
	}
	var hits []hit
	want := strings.ToLower(id)
	words := wordSet(want)
	for _, f := range files {
		if kind != "" && f.Kind != kind {
			if f.ID == id { // the right id, asked for as another kind
				hits = append(hits, hit{string(f.Kind) + ":" + s.prefix + f.ID, 2})
			}
			continue
		}
		got := strings.ToLower(f.ID)
		score := overlap(words, wordSet(got))
		if want != "" && (strings.Contains(got, want) || strings.Contains(want, got)) {
			score = max(score, 0.7)
		}
		last := got[strings.LastIndexByte(got, '/')+1:]
		if n := max(len([]rune(want)), len([]rune(last))); n > 0 && n <= 80 {
			score = max(score, 1-float64(frontmatter.Distance(want, last))/float64(n))
		}
		if score >= 0.5 {
			name := s.prefix + f.ID
			if kind == "" {
				name = string(f.Kind) + ":" + name
			}
			hits = append(hits, hit{name, score})
		}
	}
	sort.SliceStable(hits, func(i, j int) bool { return hits[i].score > hits[j].score })
	var out []string
	for _, h := range hits[:min(3, len(hits))] {
		out = append(out, h.name)
	}
	return out
}

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, t := range terms.Query(text) {
		if !t.Whole {
			set[t.Text] = true
		}
	}
	return set
}

// overlap is the shared part of two sets of words (Dice).
func overlap(a, b map[string]bool) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return 2 * float64(n) / float64(len(a)+len(b))
}
