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
			// Over time there is still one look: a machine that kept us from running
			// kept nothing from the host, and what it sent meanwhile counts.
			wait := time.Until(deadline)
			fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			n, err := unix.Poll(fds, max(0, int(wait/time.Millisecond)+1))
			switch {
			case err == unix.EINTR:
				continue
			case err == nil && n == 0 && wait < 0:
				return nil, errIdle
			case err == nil && n == 0:
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
