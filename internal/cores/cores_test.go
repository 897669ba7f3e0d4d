package cores

import (
	"sync/atomic"
	"testing"
)

func TestEachIsDoneOnce(t *testing.T) {
	for _, n := range []int{0, 1, few - 1, few, 10 * few} {
		for name, each := range map[string]func(int, func(int)){"Each": Each, "EachWaiting": EachWaiting} {
			done := make([]atomic.Int32, n)
			each(n, func(i int) { done[i].Add(1) })
			for i := range done {
				if done[i].Load() != 1 {
					t.Fatalf("%s of %d: %d was done %d times", name, n, i, done[i].Load())
				}
			}
		}
	}
}
