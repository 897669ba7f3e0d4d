//go:build !linux

package e2e

// atTerminal: terminals are made on Linux only.
func (m *machine) atTerminal(typed string, args ...string) string {
	m.t.Helper()
	m.t.Skip("a person at a terminal is played on Linux only")
	return ""
}
