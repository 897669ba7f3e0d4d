//go:build unix

package e2e

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a command into a process group of its own and ends all of it
// when the command's context does.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return endGroup(cmd) }
}

// endGroup ends what the command left behind, too.
func endGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
