//go:build unix

package userhooks

import (
	"os/exec"
	"syscall"
)

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
