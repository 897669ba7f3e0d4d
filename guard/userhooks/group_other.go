//go:build !unix && !windows

package userhooks

import "os/exec"

func runGroup(cmd *exec.Cmd) error { return cmd.Run() }
