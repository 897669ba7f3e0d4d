package hookrunner

import (
	"os"
	"path/filepath"
)

// handedOver is set for the program that an event was handed to, so that two
// programs never hand one event back and forth.
const handedOver = "PATHRULE_HANDED_OVER"

// beside is the pathrule next to this program, "" when there is none.
func (r *runner) beside() string {
	if r.env.Executable == "" || r.env.Get(handedOver) != "" {
		return ""
	}
	name := "pathrule"
	if filepath.Separator == '\\' {
		name += ".exe"
	}
	path := filepath.Join(filepath.Dir(r.env.Executable), name)
	if path == r.env.Executable {
		return ""
	}
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	return path
}
