package hookrunner

import "time"

// Unhurried gives every event a minute: tests about what is said must not
// depend on how busy the machine is. No watchdog may end the tests.
func Unhurried() {
	timeScale = 100
	exit = func(int) {}
	starved = func() time.Duration { return 0 }
}

// Hurried takes that back for a test about time itself; ended is called when
// the watchdog would end the process, lost says what the machine kept from it.
func Hurried(ended func(), lost func() time.Duration) (undo func()) {
	oldScale, oldExit, oldStarved := timeScale, exit, starved
	timeScale, exit, starved = 1, func(int) { ended() }, lost
	return func() { timeScale, exit, starved = oldScale, oldExit, oldStarved }
}

// StarvedTime is what this machine kept from this process.
func StarvedTime() time.Duration { return starvedTime() }

// Between runs f once, between the next plan and its record.
func Between(f func()) {
	planned = func() {
		planned = func() {}
		f()
	}
}
