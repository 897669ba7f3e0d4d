//go:build unix

package doctor

import "golang.org/x/sys/unix"

// writable asks the system, so that nothing has to be written to find out.
func writable(dir string) bool { return unix.Access(dir, unix.W_OK|unix.X_OK) == nil }
