package doctor

import (
	"context"

	"pathrule/guard/hookfile"
	"pathrule/guard/userhooks"
)

// userHooks says of every file of hooks whether it runs: a guard that is off is
// the kind of thing that nobody notices.
func (c *check) userHooks(context.Context) {
	for _, s := range userhooks.Load(hookfile.Find(c.ws, c.dirs), c.dirs, c.env) {
		switch s.State {
		case userhooks.Active:
			c.add(OK, s.Path+": "+count(len(s.Config.Hooks), "hook", "hooks")+" active", "")
			if s.Origin == hookfile.Project && len(s.Config.Hooks) > 0 {
				c.registered(s)
			}
		case userhooks.Off:
			c.at(Note, s.Path, 0, "enabled is false, so nothing of it runs", "")
		case userhooks.Waiting:
			c.at(Note, s.Path, 0, s.Why+"; nothing of it runs", "look at it, then: pathrule trust")
		case userhooks.Changed:
			c.at(Warn, s.Path, 0, s.Why+"; nothing of it runs", "pathrule trust")
			c.next("pathrule trust")
		case userhooks.Invalid:
			line := 0
			if len(s.Problems) > 0 {
				line = s.Problems[0].Line
			}
			c.at(Warn, s.Path, line, s.Why+"; nothing of it runs", "pathrule hooks lint")
			c.next("pathrule hooks lint")
		}
	}
}

// registered names the events that hooks are for and nothing emits anywhere.
func (c *check) registered(s userhooks.Source) {
	for i := range s.Config.Hooks {
		h := &s.Config.Hooks[i]
		if e, ok := hookfile.Lookup(h.Written); ok && h.Enabled && e.From == "" && !e.Ours {
			c.at(Note, s.Path, h.Line, "nothing emits "+h.Written+", so \""+h.Name+"\" never runs", "see \"pathrule hooks events\"")
		}
	}
}
