package cli

import (
	"sort"
	"strings"
)

// Nearest gives the names that word may have meant: the same beginning, or few
// letters away; best first, at most three.
func Nearest(word string, names []string) []string {
	type scored struct {
		name string
		d    int
	}
	w := strings.ToLower(word)
	limit := max(1, len([]rune(w))/3+1)
	var hits []scored
	for _, n := range names {
		l := strings.ToLower(n)
		d := distance(w, l)
		switch {
		case l == w:
			d = 0
		case len(w) >= 3 && (strings.HasPrefix(l, w) || strings.HasPrefix(w, l)):
			d = min(d, 1)
		case len(w) >= 4 && strings.Contains(l, w):
			d = min(d, 2)
		}
		if d <= limit {
			hits = append(hits, scored{n, d})
		}
	}
	sort.SliceStable(hits, func(i, j int) bool { return hits[i].d < hits[j].d })
	var out []string
	for _, h := range hits {
		if len(out) == 3 {
			break
		}
		out = append(out, h.name)
	}
	return out
}

// distance counts inserted, removed, replaced and swapped letters.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 64 || len(y) > 64 {
		return 64
	}
	d := make([][]int, len(x)+1)
	for i := range d {
		d[i] = make([]int, len(y)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(x)][len(y)]
}

// DidYouMean is a hint for an unknown word, "" when nothing is near.
func DidYouMean(word string, names []string) string {
	near := Nearest(word, names)
	if len(near) == 0 {
		return ""
	}
	return "did you mean " + strings.Join(near, ", ") + "?"
}
