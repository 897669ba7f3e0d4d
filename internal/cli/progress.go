package cli

import (
	"fmt"
	"sync"
	"time"
)

// Progress shows on a terminal that long work goes on: nothing for the first
// moment, then one line on stderr with the seconds so far, wiped by the
// returned function. Elsewhere it does nothing.
func (o *Out) Progress(what string) (done func()) {
	if o.JSON || !IsTerminal(o.env.Stderr) {
		return func() {}
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		start := time.Now()
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		shown := false
		for {
			select {
			case <-stop:
				if shown {
					fmt.Fprint(o.err, "\r\x1b[K")
				}
				return
			case <-tick.C:
				shown = true
				fmt.Fprintf(o.err, "\r\x1b[K%s … %.0f s", what, time.Since(start).Seconds())
			}
		}
	}()
	var once sync.Once
	return func() { once.Do(func() { close(stop); wg.Wait() }) }
}
