package workspace

import (
	"strconv"
	"strings"
	"syscall"
)

// oPath opens a place in the tree without opening what lies there.
const oPath = 0x200000

// fastReal asks the kernel for the real path of something that exists, in three
// calls however deep it lies. ok is false when it does not exist or /proc does
// not answer; the walk by segments then finds out.
func fastReal(p string) (string, bool) {
	fd, err := syscall.Open(p, oPath|syscall.O_CLOEXEC, 0)
	if err != nil {
		return "", false
	}
	defer syscall.Close(fd)
	var buf [4096]byte
	n, err := syscall.Readlink("/proc/self/fd/"+strconv.Itoa(fd), buf[:])
	if err != nil || n <= 0 || n == len(buf) {
		return "", false
	}
	real := string(buf[:n])
	// "pipe:[1]", "(unreachable)/x" and "/x (deleted)" are no paths.
	return real, real[0] == '/' && !strings.HasSuffix(real, " (deleted)")
}
