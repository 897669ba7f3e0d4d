package hookrunner

// Unhurried gives every event a minute: tests about what is said must not
// depend on how busy the machine is.
func Unhurried() { timeScale = 100 }

// Hurried takes that back for tests about time itself.
func Hurried() func() {
	old := timeScale
	timeScale = 1
	return func() { timeScale = old }
}
