package index

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Lists that grow beside each other keep their bytes apart and in order,
// whatever the sizes, and across chunks.
func TestListsInOnePoolKeepTheirBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	var p bytePool
	lists := make([]byteList, 40)
	want := make([][]byte, len(lists))
	for range 60_000 {
		i := r.IntN(len(lists))
		if r.IntN(3) > 0 {
			i = 0 // one grows far beyond the others
		}
		b := make([]byte, 1+r.IntN(9))
		for j := range b {
			b[j] = byte(r.Uint32())
		}
		if err := lists[i].append(&p, b); err != nil {
			t.Fatal(err)
		}
		want[i] = append(want[i], b...)
	}
	if len(p.chunks) < 2 {
		t.Fatal("all in one chunk: the border is not tried")
	}
	for i := range lists {
		if got := lists[i].read(&p, nil); !bytes.Equal(got, want[i]) {
			t.Errorf("list %d: %d bytes, want %d", i, len(got), len(want[i]))
		}
	}
	var none byteList
	if got := none.read(&p, nil); len(got) != 0 {
		t.Errorf("an empty list holds %d bytes", len(got))
	}
}

func TestWordsInThePoolAreFoundAgain(t *testing.T) {
	var p bytePool
	var table wordTable
	var words []word
	number := func(s string) (uint32, bool) {
		// A bad hash: every word meets others.
		h := func(s string) uint32 { return uint32(len(s)) * 7 }
		i, known := table.find(h(s), len(words), func(i uint32) bool { return p.str(words[i]) == s }, func(i uint32) uint32 { return h(p.str(words[i])) })
		if !known {
			w, err := p.put(s)
			if err != nil {
				t.Fatal(err)
			}
			words = append(words, w)
		}
		return i, known
	}
	all := []string{"", "a", strings.Repeat("long ", chunkBytes/4)}
	for i := range 3000 {
		all = append(all, fmt.Sprint("слово-", i*i))
	}
	for i, s := range all {
		if got, known := number(s); known || got != uint32(i) {
			t.Fatalf("%.20q is number %d (%v), want a new %d", s, got, known, i)
		}
	}
	for i, s := range all {
		if got, known := number(s); !known || got != uint32(i) {
			t.Fatalf("%.20q is number %d (%v), want %d", s, got, known, i)
		}
	}
}
