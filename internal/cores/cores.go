// Package cores spreads work over the processor's cores.
package cores

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// few is how much work is not worth another goroutine.
const few = 64

// waiting is how many things may wait for a disk at the same time: a file system
// writes what waits together down together.
const waiting = 16

// Each does work for 0 to n-1, in no order, and returns when all is done. work is
// called from several goroutines.
func Each(n int, work func(i int)) { each(n, min(n/few, runtime.GOMAXPROCS(0)), work) }

// EachWaiting is Each for work that mostly waits for a disk.
func EachWaiting(n int, work func(i int)) { each(n, min(n, waiting), work) }

func each(n, together int, work func(i int)) {
	var next atomic.Int64
	run := func() {
		for {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			work(i)
		}
	}
	var wg sync.WaitGroup
	for range together - 1 {
		wg.Go(run)
	}
	run()
	wg.Wait()
}
