package hookrunner

import (
	"os"
	"path/filepath"
)

// handedOver is set for the program that an event was handed to, so that two
// programs never hand one event back and forth.
const handedOver = "PATHRULE_HANDED_OVER"

// beside is the program next to this one that answers with an index behind it,
// as words: pathrule-prompt, which starts faster, else pathrule. nil when there
// is neither.
func (r *runner) beside() []string {
	if r.env.Executable == "" || r.env.Get(handedOver) != "" {
		return nil
	}
	for _, argv := range [][]string{{"pathrule-prompt"}, {"pathrule", "hook"}} {
		name := argv[0]
		if filepath.Separator == '\\' {
			name += ".exe"
		}
		path := filepath.Join(filepath.Dir(r.env.Executable), name)
		st, err := os.Stat(path)
		if err != nil || !st.Mode().IsRegular() {
			continue
		}
		if own, err := os.Stat(r.env.Executable); err == nil && os.SameFile(own, st) {
			continue // a link to ourselves
		}
		argv[0] = path
		return append(argv, "--host", r.host.ID())
	}
	return nil
}
