package doctor

import (
	"context"
	"fmt"

	"pathrule/index"
)

func (c *check) index(context.Context) {
	if c.ws == nil {
		return
	}
	var rep index.Report
	var err error
	switch {
	case c.read == nil: // the store cannot be opened
		rep, err = index.Status(c.ws, c.env)
	case c.read.Survey == nil:
		err = c.read.SurveyErr
	default:
		rep = c.read.Survey.Report
	}
	if err != nil {
		c.add(Bad, "the index cannot be looked at: "+err.Error(), "pathrule index --rebuild")
		c.next("pathrule index --rebuild")
		return
	}
	c.idx = rep
	switch rep.State {
	case index.Fresh:
		c.add(OK, "fresh: "+count(rep.Entries, "entry", "entries")+", "+count(rep.Files, "file", "files")+" of the project", "")
	case index.Stale:
		what := "the project's files may have changed since it was made"
		if rep.Changed > 0 {
			what = fmt.Sprintf("behind the files by %d", rep.Changed)
		}
		c.add(Note, what+"; the next prompt brings it up to date", "pathrule index")
	case index.Missing:
		c.add(Warn, "not built yet, or damaged; the next session builds it", "pathrule index")
		c.next("pathrule index")
	default:
		c.add(Warn, "written by another version of pathrule; the next session builds it anew", "pathrule index")
		c.next("pathrule index")
	}
	if rep.State == index.Missing {
		return
	}
	x, err := index.Open(c.ws, c.env)
	if err != nil {
		c.add(Bad, "the index does not open: "+err.Error(), "pathrule index --rebuild")
		c.next("pathrule index --rebuild")
		return
	}
	x.Close()
}
