//go:build unix

package userhooks

import (
	"os/exec"
	"syscall"
)

// shell is the program that takes a command line, and its arguments.
func shell(line string) []string { return []string{"/bin/sh", "-c", line} }

// asLine is for systems where a program cuts its command line up itself.
func asLine(*exec.Cmd, string) {}

// runGroup runs a command as the leader of a process group of its own, and kills
// the group when its time is over or it has ended: what a hook leaves behind
// must not outlive the event.
func runGroup(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := cmd.Start(); err != nil {
		return err
	}
	pid := cmd.Process.Pid
	err := cmd.Wait()
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	return err
}
