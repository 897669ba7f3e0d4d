//go:build unix

package hookrunner

import (
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// chunksOf waits for a file with poll, on the main goroutine: a reader beside
// it would cost two changes of thread.
func chunksOf(in io.Reader) (next func() ([]byte, error), stop func()) {
	f, ok := in.(*os.File)
	if !ok {
		return readerChunks(in)
	}
	fd := int(f.Fd())
	buf := make([]byte, chunkSize)
	return func() ([]byte, error) {
		deadline := time.Now().Add(idleTime)
		for {
			wait := time.Until(deadline)
			if wait < 0 {
				return nil, errIdle
			}
			fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			n, err := unix.Poll(fds, int(wait/time.Millisecond)+1)
			switch {
			case err == unix.EINTR, err == nil && n == 0:
				continue
			case err != nil:
				return nil, err
			}
			n, err = unix.Read(fd, buf)
			switch {
			case err == unix.EINTR, err == unix.EAGAIN:
				continue
			case err != nil:
				return nil, err
			case n == 0:
				return nil, io.EOF
			}
			return buf[:n], nil
		}
	}, func() {}
}
