package hookrunner

// Unhurried gives every event a minute: tests about what is said must not
// depend on how busy the machine is. No watchdog may end the tests.
func Unhurried() {
	timeScale = 100
	exit = func(int) {}
}

// Hurried takes that back for a test about time itself; ended is called when
// the watchdog would end the process.
func Hurried(ended func()) (undo func()) {
	oldScale, oldExit := timeScale, exit
	timeScale, exit = 1, func(int) { ended() }
	return func() { timeScale, exit = oldScale, oldExit }
}
