package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// inNamespace runs this test program once more in a network namespace of its
// own, where nothing but loopback exists, and returns its exit code; an error
// says why there is none. Root needs
// no more than that; everybody else a user namespace, in which the user stays
// who he is and may only set up the network.
func inNamespace() (code int, err error) {
	runtime.LockOSThread() // Pdeathsig is about the thread that starts the child
	for _, attr := range []*syscall.SysProcAttr{
		{Cloneflags: unix.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL},
		{
			Cloneflags:  unix.CLONE_NEWNET | unix.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}},
			AmbientCaps: []uintptr{unix.CAP_NET_ADMIN},
			Pdeathsig:   syscall.SIGKILL,
		},
	} {
		cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
		cmd.Env = append(os.Environ(), isolatedVar+"=1")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		cmd.SysProcAttr = attr
		if err = cmd.Start(); err != nil {
			continue
		}
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code >= 0 {
			return code, nil
		}
		return 1, nil // ended by a signal
	}
	return 0, err
}

// loopbackUp sets the only interface of a new namespace up.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	req, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, req); err != nil {
		return err
	}
	req.SetUint16(req.Uint16() | unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, req)
}

// endStrays ends the processes that a client took out of its group, such as a
// daemon for its next start: those whose home is the machine's.
func endStrays(home string) {
	found, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range found {
		env, err := os.ReadFile(file)
		if err != nil || !strings.Contains("\x00"+string(env), "\x00HOME="+home+"\x00") {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
