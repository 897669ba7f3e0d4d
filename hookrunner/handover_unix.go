//go:build unix

package hookrunner

import (
	"errors"
	"os"
	"syscall"
)

// handOver replaces this process by the program beside it, which answers the
// same event with an index behind it: same stdin bytes, same stdout, no second
// process. It returns when there is none, or when the payload is more than a
// pipe holds; the event is then answered from the catalogue. Only an approved
// block is worth a child process then, which is waited for.
func (r *runner) handOver(full bool) {
	argv, mark := r.beside(full)
	if argv == nil {
		return
	}
	err := r.replace(argv, mark)
	if errors.Is(err, errPipeFull) && r.guarding {
		// A denial must not hang on how much one pipe holds.
		err = r.child(argv, mark)
	}
	if err != nil {
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

// child runs the program beside this one with the payload on a pipe that is
// written while it reads, and ends this process with its exit code.
func (r *runner) child(argv []string, mark string) error {
	if !r.guard.commit() {
		return nil
	}
	in, out, err := os.Pipe()
	if err != nil {
		return err
	}
	p, err := os.StartProcess(argv[0], argv, &os.ProcAttr{Env: r.env.With(handedOver, mark).Environ,
		Files: []*os.File{in, os.Stdout, os.Stderr}})
	in.Close()
	if err != nil {
		out.Close()
		return err
	}
	go func() {
		_, _ = out.Write(r.payload)
		out.Close()
	}()
	// The child has a watchdog of its own; this one is for a child that hangs.
	r.allow(r.handTime(guardTime) + graceTime)
	st, err := p.Wait()
	if err != nil {
		return err
	}
	exit(max(0, st.ExitCode()))
	return nil
}
