package doctor

import (
	"context"
	"os"

	"pathrule/workspace"
)

func (c *check) workspace(context.Context) {
	if c.ws == nil {
		c.add(Warn, "no workspace here or above, so hooks stay silent in this folder", "pathrule init, in the root of your project")
		c.next("pathrule init")
		return
	}
	what := "root " + c.ws.Root
	if c.ws.Private {
		what += " (private)"
	}
	c.add(OK, what, "")
	for o := c.ws.Outer; o != nil; o = o.Outer {
		c.add(OK, "inherits from "+o.Root, "")
	}
	if workspace.Owned(c.ws, c.dirs) {
		c.add(OK, "trusted: its knowledge counts as yours", "")
	} else {
		c.add(Warn, "its knowledge was not reviewed on this machine: hooks deliver little of it, and say so",
			"look at it (pathrule tree), then: pathrule trust")
		c.next("pathrule trust")
		c.brought()
	}
	c.teamFile()
	if st, err := os.Stat(c.ws.Store); err != nil || !st.IsDir() {
		c.at(Bad, c.ws.Store, 0, "the store cannot be read", "check its rights")
	} else if !writable(c.ws.Store) {
		c.at(Warn, c.ws.Store, 0, "the store cannot be written, so knowledge can only be read", "check its rights")
	}
	settings, _, problems := workspace.LoadSettings(c.ws, c.dirs, c.env)
	for _, p := range problems {
		c.problem(p)
	}
	switch settings.Mode {
	case "off":
		c.add(Warn, "mode is off: neither hooks nor MCP deliver anything", "pathrule mode auto")
	case "manual":
		c.add(Note, "mode is manual: hooks stay silent, MCP answers", "")
	default:
		c.add(OK, "mode "+settings.Mode+", proof "+settings.Proof, "")
	}
}

// problem takes over what another package found in a file.
func (c *check) problem(p workspace.Problem) {
	level := Bad
	if p.Warning {
		level = Warn
	}
	c.at(level, p.File, p.Line, p.Msg, p.Remedy)
}
