//go:build !windows && !darwin

package workspace

// Names are compared byte for byte here; nothing to fold.
func trueCase(p string) string { return p }

func withinFolded(base, p string) (string, bool) { return "", false }
