package e2e

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

	"golang.org/x/sys/unix"
)

// atTerminal runs one of our commands as a person does: its three streams are a
// terminal, on which typed is typed. It must succeed.
func (m *machine) atTerminal(typed string, args ...string) string {
	m.t.Helper()
	master, slave, err := openTerminal()
	if err != nil {
		m.t.Fatal(err)
	}
	defer master.Close()
	cmd := exec.Command(filepath.Join(m.bin, "pathrule"), args...)
	cmd.Dir, cmd.Env = m.root, m.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = cmd.Start()
	slave.Close()
	if err != nil {
		m.t.Fatal(err)
	}
	var shown bytes.Buffer
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(&shown, master) // fails once the program is gone
	}()
	if _, err := master.WriteString(typed); err != nil {
		m.t.Error(err)
	}
	limit := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	err = cmd.Wait()
	limit.Stop()
	<-done
	text := strings.ReplaceAll(shown.String(), "\r\n", "\n")
	if err != nil {
		m.t.Fatalf("pathrule %s at a terminal: %v\n%s", strings.Join(args, " "), err, text)
	}
	return text
}

func openTerminal() (master, slave *os.File, err error) {
	master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	if err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err == nil {
		var n int
		if n, err = unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN); err == nil {
			slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
		}
	}
	if err != nil {
		master.Close()
		return nil, nil, err
	}
	return master, slave, nil
}
