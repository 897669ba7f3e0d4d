//go:build unix

package drive

import (
	"os"
	"runtime"
	"syscall"
)

// maxRSS is the peak memory of a finished process in KiB, 0 when unknown.
func maxRSS(s *os.ProcessState) int64 {
	u, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" { // bytes there
		return int64(u.Maxrss) / 1024
	}
	return int64(u.Maxrss)
}
