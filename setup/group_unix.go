//go:build unix

package setup

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a command into a process group of its own, so that ending it
// ends what it started.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func endGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
