package doctor

import (
	"context"
	"fmt"

	"pathrule/internal/health"
)

// health tells what no longer fits the project. What says something untrue to
// an assistant is a finding; the rest is summed up, and review tells it one by
// one.
func (c *check) health(ctx context.Context) {
	found, err := health.Look(ctx, c.ws, c.env, c.read)
	if err != nil {
		c.add(Warn, "the record of what sessions were told cannot be read: "+err.Error(), "pathrule log --prune")
	}
	told := map[health.Kind]int{}
	for _, f := range found {
		if f.Status == health.Dismissed {
			continue
		}
		if told[f.Kind]++; f.Kind.Broken() && told[f.Kind] <= maxLines {
			c.at(Warn, f.File, 0, f.Why, f.Remedy)
			c.later = "pathrule review"
		}
	}
	for _, k := range []struct {
		kind health.Kind
		text string
	}{
		{health.Flagged, "were flagged"}, {health.Scope, "cover no file of the project"}, {health.Related, "name related entries that are gone"},
		{health.Mention, "name paths that are gone"}, {health.Source, "were imported from files that changed since"}, {health.Conflict, "contradict each other"}, {health.Duplicate, "say nearly the same"},
		{health.Shadow, "are hidden by inherited ones, or say what those say"}, {health.Double, "stand in files that clients load by themselves as well"},
	} {
		if n := told[k.kind] - maxLines; n > 0 {
			c.add(Warn, fmt.Sprintf("… and %d more entries %s", n, k.text), "pathrule review")
		}
	}
	for _, k := range []struct {
		kind      health.Kind
		one, many string
	}{
		{health.Stale, "entry may be out of date: its files changed much since", "entries may be out of date: their files changed much since"},
		{health.Quiet, fmt.Sprintf("entry was told to no session in %d days", health.QuietDays), fmt.Sprintf("entries were told to no session in %d days", health.QuietDays)},
		{health.Gap, "place changes much and has no knowledge", "places change much and have no knowledge"},
	} {
		if n := told[k.kind]; n > 0 {
			c.add(Note, count(n, k.one, k.many), "pathrule review")
		}
	}
}

// costs tells what each wired client is told in every session.
func (c *check) costs() {
	if c.ws == nil {
		return
	}
	var wired []string
	for _, i := range c.found {
		wired = append(wired, i.Host)
	}
	for _, k := range health.Costs(c.ws, c.env, wired) {
		if k.Total() == 0 {
			continue // without an index nothing is told, and nothing is measured
		}
		level, remedy := Note, ""
		if k.Total() > health.HighCost {
			level, remedy = Warn, "give entries for the whole workspace a path, and shorten team.md: pathrule rule list"
		}
		c.add(level, fmt.Sprintf("%s costs %d tokens in every session (%d at its start, %d in files that it always loads)", k.Host, k.Total(), k.Start, k.Files), remedy)
	}
}
