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
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() {
		return ""
	}
	if own, err := os.Stat(r.env.Executable); err == nil && os.SameFile(own, st) {
		return "" // a link to ourselves
	}
	return path
}
