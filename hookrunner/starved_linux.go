package hookrunner

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// starvedTime is how long this process, by its longest waiting thread, was ready to
// run and did not get a processor: the second number of schedstat, in ns.
func starvedTime() time.Duration {
	const tasks = "/proc/self/task"
	d, err := os.Open(tasks)
	if err != nil {
		return 0
	}
	defer d.Close()
	names, _ := d.Readdirnames(64)
	longest := int64(0)
	for _, n := range names {
		b, err := os.ReadFile(tasks + "/" + n + "/schedstat")
		if err != nil {
			continue
		}
		f := strings.Fields(string(b))
		if len(f) < 2 {
			continue
		}
		if ns, err := strconv.ParseInt(f[1], 10, 64); err == nil {
			longest = max(longest, ns)
		}
	}
	return time.Duration(longest)
}
