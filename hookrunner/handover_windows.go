package hookrunner

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"time"
)

// handOver runs the program beside this one with the same stdin bytes and
// passes its answer on. Windows cannot replace a process, so this is the one
// child that is ever started; it is waited for, and ends with the event's time.
func (r *runner) handOver(full bool) {
	argv, mark := r.beside(full)
	if argv == nil || !r.guard.commit() {
		return
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin = bytes.NewReader(r.payload)
	cmd.Env = r.env.With(handedOver, mark).Environ
	cmd.Dir = r.env.Cwd
	d := firstBuildTime
	if r.guarding {
		d = r.handTime(guardTime)
	}
	r.allow(d + graceTime)
	stop := time.AfterFunc(d, func() {
		if cmd.Process != nil {
			_ = cmd.Process.Kill()
		}
	})
	out, err := cmd.Output()
	stop.Stop()
	if err == nil {
		write(r.env.Stdout, out)
		os.Exit(0)
	}
	// A denial may be an exit code with its reason on stderr.
	var ended *exec.ExitError
	if r.guarding && errors.As(err, &ended) && ended.ExitCode() > 0 {
		write(r.env.Stdout, out)
		write(r.env.Stderr, ended.Stderr)
		os.Exit(ended.ExitCode())
	}
	r.log("hand over: " + err.Error())
}
