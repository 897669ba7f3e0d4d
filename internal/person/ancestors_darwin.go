package person

import (
	"bytes"
	"os"

	"golang.org/x/sys/unix"
)

// ancestors are the command lines of the processes above this one, nearest
// first.
func ancestors() [][]string {
	var out [][]string
	pid := os.Getppid()
	for range 32 {
		if pid <= 1 {
			break
		}
		p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
		if err != nil {
			break
		}
		if argv := argsOf(pid); argv != nil {
			out = append(out, argv)
		} else {
			out = append(out, []string{unix.ByteSliceToString(p.Proc.P_comm[:])})
		}
		next := int(p.Eproc.Ppid)
		if next == pid {
			break
		}
		pid = next
	}
	return out
}

// argsOf reads kern.procargs2: the number of arguments, the program, then the
// arguments, each ended by NUL.
func argsOf(pid int) []string {
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(b) < 4 {
		return nil
	}
	n := int(b[0]) | int(b[1])<<8 | int(b[2])<<16 | int(b[3])<<24
	b = b[4:]
	i := bytes.IndexByte(b, 0)
	if i < 0 {
		return nil
	}
	b = bytes.TrimLeft(b[i:], "\x00")
	var argv []string
	for range min(n, 64) {
		i := bytes.IndexByte(b, 0)
		if i < 0 {
			break
		}
		argv = append(argv, string(b[:i]))
		b = b[i+1:]
	}
	return argv
}
