//go:build unix && !linux

package hookrunner

import "syscall"

// growPipe: these systems grow a pipe by themselves, up to their own bound.
func growPipe(fd, size int) {}

func ontoStdin(fd int) error { return syscall.Dup2(fd, 0) }
