//go:build !unix

package e2e

import "os/exec"

func ownGroup(*exec.Cmd) {}

func endGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
