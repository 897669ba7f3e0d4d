package cores

import (
	"sync/atomic"
	"testing"
)

func TestEachIsDoneOnce(t *testing.T) {
	for _, n := range []int{0, 1, few - 1, few, 10 * few} {
		done := make([]atomic.Int32, n)
		Each(n, func(i int) { done[i].Add(1) })
		for i := range done {
			if done[i].Load() != 1 {
				t.Fatalf("of %d: %d was done %d times", n, i, done[i].Load())
			}
		}
	}
}
