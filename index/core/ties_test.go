package core

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// Whatever is known of the order of names in a segment, the first of the ties by
// name are never left out; and where it is known few names are read.
func TestTheFirstTiesByNameAreKept(t *testing.T) {
	for seed := range 300 {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		snap := &snapshot{}
		var names []string
		for s := range 1 + r.IntN(4) {
			var order runs
			n := 1 + r.IntN(40)
			part := make([]string, n)
			for i := range part {
				part[i] = fmt.Sprintf("n%d-%d-%04d", r.IntN(3), s, r.IntN(10_000))
			}
			if r.IntN(2) == 0 { // two runs in order
				cut := r.IntN(n + 1)
				slices.Sort(part[:cut])
				slices.Sort(part[cut:])
			}
			for _, name := range part {
				order.add(name)
			}
			seg := openSeg{offset: uint64(len(names)), runs: order.at}
			if r.IntN(3) == 0 {
				seg.runs = nil
			}
			snap.segs = append(snap.segs, seg)
			names = append(names, part...)
		}
		f := &finder{snap: snap}
		sc := &scores{of: make([]float64, len(names))}
		var ties []string
		for d := range names {
			if r.IntN(4) > 0 {
				sc.add(uint64(d), float64(1+r.IntN(2)))
				if sc.of[d] == 1 {
					ties = append(ties, names[d])
				}
			}
		}
		r.Shuffle(len(sc.touched), func(i, j int) { sc.touched[i], sc.touched[j] = sc.touched[j], sc.touched[i] })
		slices.Sort(ties)
		n := 1 + r.IntN(12)
		got := map[string]bool{}
		for _, d := range f.firstOf(sc, 1, n) {
			got[names[d]] = true
		}
		for _, name := range ties[:min(n, len(ties))] {
			if !got[name] {
				t.Fatalf("seed %d: %s is among the first %d ties and left out", seed, name, n)
			}
		}
	}
}

func TestABuildsNamesAreInAFewRuns(t *testing.T) {
	var order runs
	for i := range 1000 {
		order.add(fmt.Sprintf("memory:%05d", i))
	}
	for i := range 1000 {
		order.add(fmt.Sprintf("f:%05d", i))
	}
	snap := &snapshot{segs: []openSeg{{runs: order.at}}}
	sc := &scores{of: make([]float64, 2000)}
	for d := range 1000 {
		sc.add(uint64(d), 1)
	}
	if got := (&finder{snap: snap}).firstOf(sc, 1, 24); len(got) != 24 || got[23] != 23 {
		t.Errorf("%d of a thousand names are read", len(got))
	}
	var chaos runs
	for i := range 3 * maxRuns {
		chaos.add(fmt.Sprint(1000 - i))
	}
	if chaos.at != nil {
		t.Errorf("%d runs are kept", len(chaos.at))
	}
}

// What is known of a segment's order stands in the list and goes on to the next
// generation with the segment.
func TestTheListOfSegmentsKeepsTheirRuns(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(dir+"/"+storeName, 0o700); err != nil {
		t.Fatal(err)
	}
	segs := []Segment{{Name: "a.zap", Docs: 9, Live: 9, Runs: []uint64{0, 7}}, {Name: "b.zap", Docs: 2, Live: 2}}
	for _, s := range segs {
		if err := os.WriteFile(dir+"/"+storeName+"/"+s.Name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeSegments(dir, segs); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(dir + "/" + segmentsName)
	if err != nil {
		t.Fatal(err)
	}
	list, err := parseSegments(string(data))
	if err != nil || !slices.Equal(list[0].runs, segs[0].Runs) || list[1].runs != nil {
		t.Fatalf("%+v, %v", list, err)
	}
	next := []Segment{{Name: "a.zap", Docs: 9, Live: 8}, {Name: "c.zap", Docs: 2}, {Name: "b.zap", Docs: 3}}
	keepRuns(next, list)
	if !slices.Equal(next[0].Runs, segs[0].Runs) || next[1].Runs != nil || next[2].Runs != nil {
		t.Errorf("%+v", next)
	}
	if _, err := parseSegments(strings.Replace(string(data), "0,7", "7,0", 1)); err == nil {
		t.Error("a damaged list is taken")
	}
}
