package mcpserver

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"syscall"
	"time"

	"pathrule/internal/sysenv"
)

// guardStdout takes the process's stdout for frames alone: whatever else prints
// there while the server runs goes to stderr, since one stray line breaks the
// protocol for some clients.
func guardStdout(env sysenv.Env) (out io.Writer, restore func()) {
	f, ok := env.Stdout.(*os.File)
	if !ok || f != os.Stdout {
		return env.Stdout, func() {}
	}
	os.Stdout = os.Stderr
	return f, func() { os.Stdout = f }
}

func isBrokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

// parentEvery is how often we look whether the parent still lives. EOF on stdin
// comes first nearly always; this is for a client whose pipe was inherited by
// another process.
const parentEvery = 5 * time.Second

// watchParent calls gone once when the process gets another parent.
func watchParent(ctx context.Context, gone func()) (stop func()) {
	return pollParent(ctx, parentEvery, parentID, gone)
}

func pollParent(ctx context.Context, every time.Duration, parent func() int, gone func()) (stop func()) {
	first := parent()
	if first <= 1 { // no such notion here, or started by init itself
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		t := time.NewTicker(every)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				if parent() != first {
					gone()
					return
				}
			}
		}
	}()
	return func() { cancel(); <-done }
}

// newLog writes what goes wrong to stderr, where clients keep it for the person.
func newLog(w io.Writer) *log.Logger { return log.New(w, "pathrule mcp: ", 0) }
