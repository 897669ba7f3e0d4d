package activity

import "time"

const (
	hotDays = 7
	maxHot  = 5
)

// Hot are the paths that sessions touched most within the last week, most
// touched first: at most five, each at least twice.
func Hot(recs []Record, now time.Time) []string {
	from := now.Add(-hotDays * 24 * time.Hour).Unix()
	n := map[string]int{}
	for _, r := range recs {
		if r.Kind == Touched && r.At >= from {
			n[r.What]++
		}
	}
	out := []string{}
	for _, p := range byCount(n) {
		if len(out) == maxHot || n[p] < 2 {
			break
		}
		out = append(out, p)
	}
	return out
}
