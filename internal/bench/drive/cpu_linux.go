package drive

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is the kernel's unit of a process's time; every Linux that Go runs on has
// a hundred a second.
const tick = 10 * time.Millisecond

// CPU is the processor time that the running server has taken so far, 0 where it
// cannot be told.
func (s *Server) CPU() time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	// The name in brackets may hold blanks; user and system time are the 12th and
	// 13th field behind it.
	_, rest, _ := strings.Cut(string(b), ") ")
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * tick
}
