package linetree

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func build(t testing.TB, keys []string) ([]byte, Tree) {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&CountWriter{W: &b})
	for i, k := range keys {
		if _, err := w.Add(Key(k), fmt.Appendf(nil, "%s\t%d", Key(k), i)); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), tree
}

// randomKeys makes keys that share long beginnings, with repeats.
func randomKeys(seed uint64, n int) []string {
	r := rand.New(rand.NewPCG(seed, 1))
	keys := make([]string, 0, n)
	for range n {
		var b strings.Builder
		for range r.IntN(5) {
			b.WriteString([]string{"src", "lib", "a", "ab", "\t", "/", "日本"}[r.IntN(7)])
		}
		for range 1 + r.IntN(4) {
			keys = append(keys, b.String())
		}
	}
	slices.SortFunc(keys, func(a, b string) int { return strings.Compare(Key(a), Key(b)) })
	return keys
}

func TestFindReturnsExactlyTheLinesOfAKey(t *testing.T) {
	for _, n := range []int{0, 1, 2, 40, 3000} {
		keys := randomKeys(uint64(n), n)
		data, tree := build(t, keys)
		back, err := ParseTree(tree.String())
		if err != nil || back != tree {
			t.Fatalf("tree %v reads back as %v, %v", tree, back, err)
		}
		r := &Reader{R: bytes.NewReader(data), Size: int64(len(data))}
		want := map[string]int{}
		for _, k := range keys {
			want[k]++
		}
		for _, k := range append(keys, "nowhere", "", "zzz", "src/") {
			got := 0
			if err := r.Find(tree, Key(k), func(line string) bool {
				if key, _ := Cut(line); Unescape(key) != k {
					t.Fatalf("key %q found line %q", k, line)
				}
				got++
				return true
			}); err != nil {
				t.Fatal(err)
			}
			if got != want[k] {
				t.Fatalf("%d keys: %q found %d times, want %d", n, k, got, want[k])
			}
		}
	}
}

func TestScanGoesOnFromAnyKeyInOrder(t *testing.T) {
	keys := randomKeys(7, 2000)
	data, tree := build(t, keys)
	r := &Reader{R: bytes.NewReader(data), Size: int64(len(data))}
	for _, from := range []string{"", "a", "src", "srca", "lib/", "日", "zzz"} {
		var want, got []string
		for _, k := range keys {
			if Key(k) >= from {
				want = append(want, k)
			}
		}
		if err := r.Scan(tree, from, func(line string) bool {
			k, _ := Cut(line)
			got = append(got, Unescape(k))
			return true
		}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("from %q: %d lines, want %d", from, len(got), len(want))
		}
	}
}

func TestALookUpReadsFewBytes(t *testing.T) {
	keys := make([]string, 200_000)
	for i := range keys {
		keys[i] = fmt.Sprintf("d:src/module-%03d/part-%05d", i/400, i)
	}
	data, tree := build(t, keys)
	r := &Reader{R: bytes.NewReader(data), Size: int64(len(data))}
	n := 0
	if err := r.Find(tree, keys[123_456], func(string) bool { n++; return true }); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	if r.BytesRead() > 10<<10 {
		t.Errorf("one look-up among %d lines read %d bytes", len(keys), r.BytesRead())
	}
}

func TestLinesOutOfOrderAreRefused(t *testing.T) {
	w := NewWriter(&CountWriter{W: &bytes.Buffer{}})
	if _, err := w.Add("b", []byte("b")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Add("a", []byte("a")); err == nil {
		t.Fatal("a line before its predecessor was taken")
	}
}

func TestFieldsSurviveWhateverTheyHold(t *testing.T) {
	for _, list := range [][]string{nil, {"a"}, {"", "b"}, {"tab\tnew\nline\rback\\slash\x1funit"}, {"\\t", "\\"}} {
		got := SplitList(string(AppendList(nil, list)))
		if !slices.Equal(got, list) {
			t.Errorf("%q comes back as %q", list, got)
		}
	}
}

func FuzzDamagedTreeNeverPanicsOrLies(f *testing.F) {
	f.Add(uint16(300), []byte{0x41}, "src")
	f.Add(uint16(7000), []byte{0xff, 0x00}, "lib/a")
	keys := randomKeys(3, 1500)
	data, tree := build(f, keys)
	have := map[string]bool{}
	for _, k := range keys {
		have[Key(k)] = true
	}
	f.Fuzz(func(t *testing.T, at uint16, with []byte, from string) {
		bad := bytes.Clone(data)
		copy(bad[int(at)%len(bad):], with)
		r := &Reader{R: bytes.NewReader(bad), Size: int64(len(bad))}
		err := r.Scan(tree, from, func(line string) bool {
			if k, _ := Cut(line); !have[k] {
				t.Fatalf("a line that was never written: %q", line)
			}
			return true
		})
		_ = err // damage is an error or lies where nobody read
	})
}
