//go:build !unix && !windows

package userhooks

import "os/exec"

func shell(line string) []string { return []string{"/bin/sh", "-c", line} }

func asLine(*exec.Cmd, string) {}

func runGroup(cmd *exec.Cmd) error { return cmd.Run() }
