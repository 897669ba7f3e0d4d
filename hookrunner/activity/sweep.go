package activity

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// toldAge is how long the last telling of an entry is kept.
	toldAge = 365 * 24 * time.Hour
	// maxLogs is how many logs one sweep looks at.
	maxLogs = 1000
)

// Sweep ages the logs of all workspaces: touched paths go after MaxAge, what
// was told after a year, and a log in which nothing is left goes whole. It says
// how many records went.
func Sweep(state string, now time.Time) (dropped int, err error) {
	logs, e := os.ReadDir(filepath.Join(state, dir))
	if e != nil && !os.IsNotExist(e) {
		return 0, e
	}
	seen := 0
	for _, f := range logs {
		if !f.Type().IsRegular() || strings.HasSuffix(f.Name(), ".lock") {
			continue
		}
		if seen++; seen > maxLogs {
			break
		}
		n, e := Of(state, f.Name()).rewrite(0, func(r Record) bool {
			age := MaxAge
			if r.Kind == Told {
				age = toldAge
			}
			return r.At >= now.Add(-age).Unix()
		})
		dropped += n
		if e != nil && err == nil {
			err = e
		}
	}
	return dropped, err
}
