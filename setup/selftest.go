package setup

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"pathrule/internal/sysenv"
)

// maxOutput bounds what a self-test keeps of a command's output.
const maxOutput = 64 << 10

func runRegistered(ctx context.Context, in Installed, event []byte, cwd string, limit time.Duration, env sysenv.Env) (Outcome, error) {
	if len(in.Argv) == 0 {
		return Outcome{}, errors.New("this entry has no command to run")
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	name, args := in.Argv[0], in.Argv[1:]
	if in.Shell {
		name, args = "/bin/sh", []string{"-c", in.Command}
		if env.GOOS == "windows" {
			name, args = "cmd", []string{"/C", in.Command}
		}
	} else if !strings.ContainsAny(name, `/\`) {
		if found := onPath(name, env); found != "" {
			name = found
		}
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = cwd
	cmd.Env = append(append([]string(nil), env.Environ...), in.Env...)
	if in.Surface == Hooks {
		cmd.Env = env.Environ // a hook's variables are flags of its command
	}
	cmd.Stdin = bytes.NewReader(event)
	var out, errs capped
	cmd.Stdout, cmd.Stderr = &out, &errs
	ownGroup(cmd)
	cmd.Cancel = func() error { return endGroup(cmd) }
	cmd.WaitDelay = 500 * time.Millisecond
	start := env.Now()
	err := cmd.Run()
	o := Outcome{Stdout: out.b, Stderr: errs.b, Took: env.Now().Sub(start), TimedOut: ctx.Err() == context.DeadlineExceeded}
	o.Exit = -1
	if cmd.ProcessState != nil {
		o.Exit = cmd.ProcessState.ExitCode()
	}
	var ee *exec.ExitError
	if err == nil || errors.As(err, &ee) || o.TimedOut {
		return o, nil
	}
	return o, err
}

// capped keeps the first bytes and swallows the rest, so that a talkative
// command neither blocks nor fills memory.
type capped struct{ b []byte }

func (c *capped) Write(p []byte) (int, error) {
	if room := maxOutput - len(c.b); room > 0 {
		c.b = append(c.b, p[:min(room, len(p))]...)
	}
	return len(p), nil
}
