//go:build unix

package hookrunner

import (
	"errors"
	"syscall"
)

// handOver replaces this process by the program beside it, which answers the
// same event with an index behind it: same stdin bytes, same stdout, no second
// process. It returns when there is none, or when the payload is more than a
// pipe holds; the event is then answered from the catalogue.
func (r *runner) handOver(full bool) {
	argv, mark := r.beside(full)
	if argv == nil {
		return
	}
	if err := r.replace(argv, mark); err != nil {
		r.log("hand over: " + err.Error())
	}
}

var errPipeFull = errors.New("payload is larger than a pipe")

func (r *runner) replace(argv []string, mark string) error {
	var fds [2]int
	// Both ends must not outlive this process, but for the copy on stdin.
	syscall.ForkLock.RLock()
	err := syscall.Pipe(fds[:])
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return err
	}
	defer syscall.Close(fds[0])
	growPipe(fds[1], len(r.payload))
	if err := syscall.SetNonblock(fds[1], true); err != nil {
		syscall.Close(fds[1])
		return err
	}
	n, err := syscall.Write(fds[1], r.payload)
	syscall.Close(fds[1])
	if n < len(r.payload) {
		if err != nil && err != syscall.EAGAIN {
			return err
		}
		return errPipeFull
	}
	if err := ontoStdin(fds[0]); err != nil {
		return err
	}
	env := r.env.With(handedOver, mark)
	return syscall.Exec(argv[0], argv, env.Environ)
}
