package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// onTerminal is the script command "tty CODE INPUT PROGRAM ARGS...": it runs a
// program whose three streams are a terminal of 80 columns, types the file
// INPUT, wants the exit code, and leaves what the terminal showed in $WORK/tty.
func onTerminal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: tty CODE INPUT PROGRAM [ARGS...]")
	}
	master, slave, err := openTerminal()
	ts.Check(err)
	defer master.Close()
	program := args[2]
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if p := filepath.Join(dir, program); exists(p) {
			program = p
			break
		}
	}
	cmd := exec.Command(program, args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "PATHRULE_HOME", "TERM", "NO_COLOR", "EDITOR", "CLAUDECODE", "CODEX_SANDBOX", "PATHRULE_HOOK_EVENT", "TMPDIR", "WORK", "LC_ALL", "GIT_CEILING_DIRECTORIES", "GORACE"} {
		if v := ts.Getenv(name); v != "" {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	ts.Check(cmd.Start())
	slave.Close()
	var shown bytes.Buffer
	done := make(chan struct{})
	go func() {
		defer close(done)
		// Reading fails once the program is gone; that is the end.
		_, _ = io.Copy(&shown, master)
	}()
	_, err = master.WriteString(ts.ReadFile(args[1]))
	ts.Check(err)
	timer := time.AfterFunc(60*time.Second, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	timer.Stop()
	<-done
	text := strings.ReplaceAll(shown.String(), "\r\n", "\n")
	ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), "tty"), []byte(text), 0o600))
	ts.Logf("[terminal]\n%s", text)
	if got := fmt.Sprint(cmd.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("%s exits %s, want %s", strings.Join(args[2:], " "), got, args[0])
	}
}

func openTerminal() (master, slave *os.File, err error) {
	master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		return nil, nil, err
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	return master, slave, unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80})
}
