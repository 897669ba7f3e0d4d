package slice

import (
	"sort"
	"strings"

	"pathrule/index/catalog"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// tool plans the answer to a tool that touches paths: a line for everything
// that governs them, and the bodies of what is attached to exactly these files.
func (p *planner) tool() {
	if len(p.in.Paths) == 0 {
		return
	}
	p.plan.Intent, p.plan.Depth = KnownFile, Focused
	if p.in.Depth != "" { // get_context for paths alone keeps the budget it is asked to
		p.plan.Depth = p.in.Depth
	}
	p.header(p.in.Paths)
	p.page.countMore = true
	res := p.search(catalog.Query{Paths: p.in.Paths})
	cands := governing(res, p.in.Paths)
	p.asks, p.task = pathQuestion(p.in.Paths), readTask(p.in.Task)
	p.askedFirst(cands)
	bodies := 0
	guide, few := guides(cands)
	entered := false // one that may be longer than the rest stands on the page
	for i := range cands {
		c := &cands[i]
		rule := c.rec.Kind == knowledge.Rule
		important := rule && (c.rec.Enforcement == "strict" || c.rec.Priority == knowledge.High)
		switch {
		case c.rec.Kind == knowledge.Skill:
			// One for the whole project that fits the task was named with the prompt.
			if c.fit > workspace.Project {
				c.form = Name
			}
		case c.fit == workspace.File:
			c.form = Card
			if bodies < p.set.PathBodies && p.lower(&c.rec, Body) {
				c.form = Body
				c.best, entered = !entered, true
				bodies++
			}
		case c.fit > workspace.Project || rule && p.wideElsewhere(c):
			c.form = Card
			near := guide > 0 && c.closeness() == guide
			switch {
			case c.asked > 0 && bodies < p.set.PathBodies && p.lower(&c.rec, Body):
				c.form, p.onTask = Body, true
				c.best, entered = !entered, true
				bodies++
			case p.in.Channel == MCP && p.lower(&c.rec, Body):
				c.form = Body // somebody asks, and the budget is the answer's own
			case (few && c.within(cheapBody) || near && c.within(guideBody)) && p.lower(&c.rec, Card):
				c.form = Body
			case near && p.set.PathBodies > 0 && p.lower(&c.rec, Body):
				// The first may be longer than what tools bring otherwise: it comes once.
				c.form = Body
				c.best, entered = !entered, true
			}
		case c.asked > 0 && bodies < p.set.PathBodies && p.lower(&c.rec, Body):
			c.form, p.onTask = Body, true
			bodies++
		case important:
			c.form = Card
		case rule:
			c.form, c.far = Name, true
		}
		// What is attached to this very file and what binds its place must not give
		// way to rules for the whole workspace, of which there may be hundreds.
		c.keep = rule && c.rec.Enforcement == "strict" || important && c.fit > workspace.Project || c.fit == workspace.File
		if c.form == None {
			p.leave(&c.rec, LeftFloor)
		}
	}
	p.page.more += res.Cut
	p.take(cands)
}

// guides is the depth of the closest folder with notes of its own when they are
// one or two, else 0: the guide of a folder is told whole when its folder is
// entered, a crowd of notes by their lines. few reports that so few notes
// govern the paths that short ones may come whole without others waiting for the
// next tool.
func guides(cands []candidate) (depth int, few bool) {
	closest, n, all := closestDepth(cands), 0, 0
	for i := range cands {
		if c := &cands[i]; c.local() {
			all++
			if c.closeness() == closest {
				n++
			}
		}
	}
	if n > 2 {
		closest = 0
	}
	return closest, all <= fewNotes
}

// lower reports that the session has the entry in a lower form than wanted, so
// that the room for bodies is not spent on what was told or what the host brings.
func (p *planner) lower(rec *catalog.Record, form Form) bool {
	l := p.load(rec)
	return l.ok && p.has(rec.Key, l.hash) < form && p.native(rec, l) >= form
}

// governing are the entries whose scope covers a path, closest first: the file
// itself, deeper folders before wider ones, globs, the whole workspace; rules
// before the rest, high before low.
func governing(res catalog.Result, paths []string) []candidate {
	var cands []candidate
	seen := map[string]bool{}
	for i := range res.Candidates {
		r := &res.Candidates[i].Record
		if seen[r.Key] {
			continue
		}
		seen[r.Key] = true
		c := candidate{rec: *r}
		c.fit, c.depth, _ = covers(r, paths)
		if c.fit == workspace.Outside {
			continue
		}
		c.rank(true)
		cands = append(cands, c)
	}
	sort.Slice(cands, func(i, j int) bool {
		a, b := &cands[i], &cands[j]
		if x, y := a.fit == workspace.File, b.fit == workspace.File; x != y {
			return x
		}
		if x, y := a.closeness(), b.closeness(); x != y {
			return x > y
		}
		if a.fit != b.fit {
			return a.fit > b.fit
		}
		if x, y := weightOf(&a.rec), weightOf(&b.rec); x != y {
			return x > y
		}
		return a.rec.Key < b.rec.Key
	})
	return cands
}

// closeness is how deep the covering folder lies; what holds for a whole nested
// workspace lies as deep as its root.
func (c *candidate) closeness() int {
	d := c.depth
	if p := c.rec.Prefix; p != "" {
		d = max(d, 1+strings.Count(p, "/"))
	}
	return d
}

func weightOf(r *catalog.Record) int {
	if r.Kind == knowledge.Skill {
		return 0
	}
	if r.Kind != knowledge.Rule {
		return 1
	}
	w := 3
	switch r.Priority {
	case knowledge.High:
		w = 4
	case knowledge.Low:
		w = 2
	}
	if r.Enforcement == "strict" {
		w += 3
	}
	return w
}
