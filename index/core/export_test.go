package core

// SetLink replaces how a published file gets its second name; the returned
// function puts it back.
func SetLink(f func(from, to string) error) func() {
	old := linkFile
	linkFile = f
	return func() { linkFile = old }
}
