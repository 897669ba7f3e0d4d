package store

import (
	"math/rand/v2"
	"strings"
	"testing"

	"pathrule/knowledge"
)

// taken is what free says, found the slow way: each entry is looked at.
func taken(list []knowledge.FileRef, kind knowledge.Kind, id, file string) bool {
	fold := strings.ToLower(id)
	for _, n := range list {
		if n.Kind != kind || n.File == file {
			continue
		}
		have := strings.ToLower(n.ID)
		if have == fold || kind == knowledge.Skill && (strings.HasPrefix(fold, have+"/") || strings.HasPrefix(have, fold+"/")) {
			return true
		}
		a, b := id, n.ID
		for {
			i, j := strings.IndexByte(a, '/'), strings.IndexByte(b, '/')
			if i < 0 || j < 0 || !strings.EqualFold(a[:i], b[:j]) {
				break
			}
			if a[:i] != b[:j] {
				return true
			}
			a, b = a[i+1:], b[j+1:]
		}
	}
	return false
}

func TestAnIDIsFreeOnlyWhereNoEntryIsInItsWay(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func() knowledge.FileRef {
		kind := knowledge.Kinds[r.IntN(len(knowledge.Kinds))]
		var seg []string
		for range 1 + r.IntN(3) {
			seg = append(seg, []string{"a", "A", "b", "bc", "Bc"}[r.IntN(5)])
		}
		id := strings.Join(seg, "/")
		return knowledge.FileRef{Kind: kind, ID: id, File: knowledge.FileOf(kind, id)}
	}
	s := &store{}
	said := map[bool]int{}
	for range 2000 {
		var list []knowledge.FileRef
		all := namesOf(nil)
		for range r.IntN(6) {
			f := pick()
			if _, there := all.at[f.File]; !there {
				list = append(list, f)
			}
			all.add(f)
		}
		if len(list) > 0 && r.IntN(2) == 0 { // and one goes
			all.drop(list[0].File)
			list = list[1:]
		}
		file := ""
		if len(list) > 0 && r.IntN(2) == 0 {
			file = list[r.IntN(len(list))].File
		}
		want := pick()
		for range 2 { // asking changes nothing
			got, not := s.free(all, want.Kind, want.ID, file), taken(list, want.Kind, want.ID, file)
			if (got != nil) != not {
				t.Fatalf("%s:%s beside %v, moved %q: %v, want in the way: %v", want.Kind, want.ID, list, file, got, not)
			}
			said[not]++
		}
	}
	if said[true] < 100 || said[false] < 100 {
		t.Fatalf("hardly asked: %v", said)
	}
}
