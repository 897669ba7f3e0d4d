//go:build unix

package workspace

import (
	"fmt"
	"os"
	"syscall"
)

// rights says what is wrong with a folder's owner or mode; "" when nothing is.
func rights(st os.FileInfo) (msg, remedy string) {
	switch {
	case !usersOwn(st):
		return "belongs to another user", "move it away; pathrule makes a new one"
	case letsIn(st):
		return fmt.Sprintf("is open to others (mode %04o)", st.Mode().Perm()), "pathrule repair"
	}
	return "", ""
}

func usersOwn(st os.FileInfo) bool {
	owner, ok := st.Sys().(*syscall.Stat_t)
	return !ok || int(owner.Uid) == os.Geteuid()
}

// letsIn: it is the user's own, and lets others in.
func letsIn(st os.FileInfo) bool { return usersOwn(st) && st.Mode().Perm()&0o077 != 0 }

// writable asks without writing: doctor changes nothing.
func writable(dir string) bool {
	const mayWrite = 2
	return syscall.Access(dir, mayWrite) == nil
}
