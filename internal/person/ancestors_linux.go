package person

import (
	"os"
	"strconv"
	"strings"
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
		dir := "/proc/" + strconv.Itoa(pid)
		b, err := os.ReadFile(dir + "/cmdline")
		if err != nil {
			break
		}
		out = append(out, strings.Split(strings.TrimRight(string(b), "\x00"), "\x00"))
		st, err := os.ReadFile(dir + "/stat")
		if err != nil {
			break
		}
		// The program's name stands in parentheses and may hold blanks.
		rest := string(st[strings.LastIndexByte(string(st), ')')+1:])
		f := strings.Fields(rest)
		if len(f) < 2 {
			break
		}
		next, err := strconv.Atoi(f[1])
		if err != nil || next == pid {
			break
		}
		pid = next
	}
	return out
}
