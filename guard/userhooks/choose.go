package userhooks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pathrule/guard/hookfile"
	"pathrule/workspace"
)

// Candidate is one hook in the order in which hooks run, and why it does not
// run for a request.
type Candidate struct {
	Source *Source
	Hook   *Hook
	Event  string // the emitted event that it is for
	// Skipped is "" for a hook that runs.
	Skipped string
}

// Choose puts the hooks of all files in order: as the request emits its events,
// then by priority, high first; those alike stay in the order of files and lines.
// Hooks of other events are left out, unless all is set.
func Choose(sources []Source, req hookfile.Request, all bool) []Candidate {
	var out []Candidate
	for i := range sources {
		s := &sources[i]
		if s.Config == nil {
			continue
		}
		for j := range s.Config.Hooks {
			h := &s.Config.Hooks[j]
			c := Candidate{Source: s, Hook: h}
			if at := slices.Index(req.Events, h.Event); at >= 0 {
				c.Event = h.Event
				c.Skipped = skip(s, h, req)
			} else if all {
				c.Skipped = "another event: " + h.Written
			} else {
				continue
			}
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b Candidate) int {
		if d := cmp.Compare(slices.Index(req.Events, a.Event), slices.Index(req.Events, b.Event)); d != 0 {
			return d
		}
		return cmp.Compare(b.Hook.Priority, a.Hook.Priority)
	})
	return out
}

func skip(s *Source, h *Hook, req hookfile.Request) string {
	switch {
	case s.State != Active:
		return "the file does not count: " + s.Why
	case !h.Enabled:
		return "enabled is false"
	case h.Shell && req.Command == "":
		return h.Written + " is for shell commands alone"
	}
	if h.Matcher != nil {
		what, text := Target(req, h.Event)
		if !h.Matcher.MatchString(text) {
			return fmt.Sprintf("the matcher does not match the %s %q", what, short(text, 80))
		}
	}
	if len(h.Paths) > 0 && !covers(s, h, req) {
		return "no touched path lies in conditions.paths"
	}
	return ""
}

// Target is the text that a matcher is tested against: the first of tool name,
// path, prompt, source and event that is not empty.
func Target(req hookfile.Request, event string) (what, text string) {
	path := ""
	if len(req.Paths) > 0 {
		path = req.Paths[0]
	}
	for _, c := range [...]struct{ what, text string }{
		{"tool", req.Tool}, {"path", path}, {"prompt", req.Prompt}, {"source", req.Source},
	} {
		if c.text != "" {
			return c.what, c.text
		}
	}
	return "event", event
}

// covers reports that one of the touched paths lies in the hook's paths, which
// are read from the root of the file's own workspace.
func covers(s *Source, h *Hook, req hookfile.Request) bool {
	for _, p := range pathsBelow(s, req) {
		if h.scope.Covers(p) {
			return true
		}
	}
	return false
}

// pathsBelow are the touched paths as the file's workspace names them; the
// user's own file reads them from the outermost root.
func pathsBelow(s *Source, req hookfile.Request) []string {
	if s.Root == "" || req.Workspace == nil || s.Root == req.Workspace.Base() {
		return req.Paths
	}
	prefix, ok := workspace.Rel(req.Workspace.Base(), s.Root, s.Root)
	if !ok {
		return nil
	}
	var out []string
	for _, p := range req.Paths {
		if rel, ok := strings.CutPrefix(p, prefix+"/"); ok {
			out = append(out, rel)
		}
	}
	return out
}

func short(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
