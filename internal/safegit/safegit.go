// Package safegit runs git in repositories that others made. A checkout that
// came as an archive brings its own .git/config, and git starts programs that
// this file names: a file-system monitor on nearly every command, a pager, a
// signature check, a text conversion. None of them may start because somebody
// asked pathrule what a project looks like.
package safegit

import (
	"context"
	"os/exec"
	"time"
)

// Command is git with args in dir ("" for the working directory), bounded by
// ctx, that reads and starts nothing but itself. It takes no lock that a git of
// the person's would wait for.
func Command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append(flags(), args...)...)
	cmd.Dir = dir
	cmd.Env = Env(cmd.Environ())
	// A child that holds the pipe must not hold us.
	cmd.WaitDelay = time.Second
	return cmd
}

func flags() []string {
	return []string{
		"--no-pager", "--no-optional-locks", "--literal-pathspecs",
		"-c", "core.fsmonitor=false",
		"-c", "core.hooksPath=/dev/null",
		"-c", "core.sshCommand=false",
		"-c", "core.askPass=false",
		"-c", "credential.helper=",
		"-c", "log.showSignature=false",
		"-c", "gpg.program=false", "-c", "gpg.ssh.program=false", "-c", "gpg.x509.program=false",
		"-c", "diff.external=",
		"-c", "protocol.allow=never",
	}
}

// Env is an environment in which git fetches nothing: a partial clone would
// fetch what it lacks, through a program that the repository names, and
// protocol.ext.allow in its own file outweighs protocol.allow on our line. No
// protocol is called "none".
func Env(environ []string) []string {
	return append(environ[:len(environ):len(environ)], "GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0")
}
