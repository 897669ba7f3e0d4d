//go:build unix

package workspace

import (
	"fmt"
	"os"
	"syscall"
)

// rights says what is wrong with a folder's owner or mode; "" when nothing is.
func rights(dir string, st os.FileInfo) (msg, remedy string) {
	if owner, ok := st.Sys().(*syscall.Stat_t); ok && int(owner.Uid) != os.Geteuid() {
		return "belongs to another user", "move it away; pathrule makes a new one"
	}
	if p := st.Mode().Perm(); p&0o077 != 0 {
		return fmt.Sprintf("is open to others (mode %04o)", p), fmt.Sprintf("run: chmod 700 %q", dir)
	}
	return "", ""
}

func tighten(dir string, st os.FileInfo) error {
	owner, ok := st.Sys().(*syscall.Stat_t)
	if !ok || int(owner.Uid) != os.Geteuid() || st.Mode().Perm()&0o077 == 0 {
		return nil
	}
	return os.Chmod(dir, st.Mode().Perm()&0o700)
}

// writable asks without writing: doctor changes nothing.
func writable(dir string) bool {
	const mayWrite = 2
	return syscall.Access(dir, mayWrite) == nil
}
