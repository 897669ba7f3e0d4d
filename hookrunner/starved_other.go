//go:build !linux

package hookrunner

import "time"

// starvedTime is not known here: an event gets its time by the clock.
func starvedTime() time.Duration { return 0 }
