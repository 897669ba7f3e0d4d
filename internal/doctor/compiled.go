package doctor

import (
	"context"

	"pathrule/compile"
	"pathrule/index/catalog"
)

func (c *check) compiled(context.Context) {
	if c.ws == nil {
		return
	}
	for _, b := range compile.Backups(c.ws) {
		if b.Action == compile.Choose {
			c.at(Warn, b.File, 0, "a copy of "+b.Path+" that an older product left: "+b.Why, "mend it by hand: while the copy stands, compiled files stay whole")
			continue
		}
		c.at(Warn, b.File, 0, "a copy of "+b.Path+" that an older product left: "+b.Why, "pathrule repair")
		c.next("pathrule repair")
	}
	targets, err := ManagedTargets(c.ws)
	if err != nil {
		c.add(Bad, err.Error(), "mend it as it says")
		return
	}
	if len(targets) == 0 {
		c.add(Note, "none", "")
		return
	}
	src, err := catalog.Open(c.ws, c.dirs)
	if err != nil {
		c.add(Note, "not looked at: there is no index yet", "")
		return
	}
	defer src.Close()
	files, _ := compile.ManagedFiles(c.ws)
	for _, t := range targets {
		o, _ := compile.Recorded(t, files)
		changes, err := compile.Plan(c.ws, src, o, c.env)
		if err != nil {
			c.add(Bad, t+": "+err.Error(), "")
			continue
		}
		old, odd := 0, 0
		for _, ch := range changes {
			switch ch.Action {
			case "keep", "skip":
			case "refuse":
				odd++
				c.add(Warn, t+": "+ch.Path+": "+ch.Why, "pathrule compile "+t+" --dry-run --force shows the difference")
			default:
				old++
			}
		}
		switch {
		case old > 0:
			c.add(Warn, t+": "+count(old, "file is", "files are")+" not current", "pathrule compile "+t)
			c.next("pathrule compile " + t)
		case odd == 0:
			c.add(OK, t+": "+count(len(changes), "file is", "files are")+" current", "")
		}
	}
}
