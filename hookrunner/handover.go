package hookrunner

import (
	"os"
	"path/filepath"
	"time"
)

// handedOver is set for the program that an event was handed to, so that two
// programs never hand one event back and forth: toPrompt by pathrule-hook,
// toFull by whoever hands it to pathrule itself.
const (
	handedOver = "PATHRULE_HANDED_OVER"
	toPrompt   = "1"
	toFull     = "2"
)

// handTime is how long the program that an event was handed to may take.
func (r *runner) handTime(d time.Duration) time.Duration {
	if len(r.hookFiles) > 0 {
		d += hooksTime
	}
	return d
}

// beside is the program next to this one that answers with an index behind it,
// as words, and the mark to hand over with. full asks for the one that can also
// write an index: pathrule; else pathrule-prompt is preferred, which starts
// faster. nil when there is none, or the event came from there.
func (r *runner) beside(full bool) (argv []string, mark string) {
	from := r.env.Get(handedOver)
	if r.env.Executable == "" || from == toFull || (from != "" && !full) {
		return nil, ""
	}
	programs := [][]string{{"pathrule-prompt"}, {"pathrule", "hook"}}
	if full {
		programs = programs[1:]
	}
	for _, argv := range programs {
		mark := toPrompt
		if argv[0] == "pathrule" {
			mark = toFull
		}
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
		argv = append(argv, "--host", r.registered.ID())
		if r.opts.Event != "" {
			argv = append(argv, "--event", r.opts.Event)
		}
		return argv, mark
	}
	return nil, ""
}
