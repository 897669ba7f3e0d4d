package workspace

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"
)

// oEvtOnly opens for events only: no read permission needed, no device touched.
const oEvtOnly = 0x8000

// trueCase gives the spelling on disk, which differs from the asked one on the
// default, case-insensitive file system. What does not exist stays as spelled
// below its existing parent.
func trueCase(p string) string {
	tail := ""
	for dir := p; dir != "/" && dir != "."; dir = filepath.Dir(dir) {
		if real, ok := pathOf(dir); ok {
			// F_GETPATH also undoes firmlinks; take it only for another spelling.
			if strings.EqualFold(real, dir) {
				return real + tail
			}
			return p
		}
		tail = "/" + filepath.Base(dir) + tail
	}
	return p
}

func pathOf(p string) (string, bool) {
	fd, err := syscall.Open(p, oEvtOnly|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", false
	}
	defer syscall.Close(fd)
	var buf [1024]byte
	// The conversion stands in the call itself, which is what keeps buf in place.
	_, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETPATH, uintptr(unsafe.Pointer(&buf[0])))
	if errno != 0 {
		return "", false
	}
	n := bytes.IndexByte(buf[:], 0)
	if n <= 0 {
		return "", false
	}
	return string(buf[:n]), true
}

// withinFolded accepts another spelling of the base when it is the same folder.
func withinFolded(base, p string) (string, bool) {
	if len(p) < len(base) || !strings.EqualFold(p[:len(base)], base) {
		return "", false
	}
	st, err := os.Stat(base)
	if err != nil || !sameFile(st, p[:len(base)]) {
		return "", false
	}
	return strings.TrimSuffix(p[len(base):], "/"), true
}
