package slice

import (
	"slices"
	"strings"

	"pathrule/index/catalog"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// prompt plans the answer to a user's prompt, and get_context's.
func (p *planner) prompt() {
	in := &p.in
	text := clip(in.Prompt)
	ms := mentions(text)
	named := resolve(ms, in.Workspace, in.Cwd, in.Exists)
	paths := join(in.Paths, named.paths)

	p.header(paths)
	calls := p.skillCalls(text)
	intent, depth := classify(calls.rest, paths)
	if in.Depth != "" {
		depth = in.Depth
	}
	p.plan.Intent, p.plan.Depth = intent, depth

	if depth == DepthNone {
		p.strictOnly(paths)
		return
	}
	if greeting(calls.rest) {
		return
	}
	if strings.TrimSpace(calls.rest) == "" && len(paths) > 0 {
		// Only paths: what governs them, as when a tool touches them.
		p.in.Paths = paths
		p.tool()
		return
	}
	if strings.TrimSpace(calls.rest) == "" {
		if in.Channel == MCP {
			p.strictOnly(nil)
			p.overview("")
		}
		return
	}

	like := others(calls.rest)
	query := catalog.Query{Text: glossaryText(calls.rest, p.set.Glossary), Other: otherWords(like), Paths: withCwd(paths, in.Cwd), Limit: searchLimit, Route: true}
	res := p.search(query)
	added, hints := named.settle(res.Files, in.Cwd)
	if len(added) > 0 {
		paths = append(paths, added...)
		p.header(paths)
		more := p.search(catalog.Query{Paths: added})
		res.Candidates = mergeCandidates(res.Candidates, more.Candidates)
		// A file that is named by its base alone is structure too.
		if in.Depth == "" {
			p.plan.Intent, p.plan.Depth = classify(calls.rest, paths)
		}
	}
	if len(paths) == 0 {
		if dirs := partFolders(subjectParts(calls.rest), res, in.Cwd); len(dirs) > 0 {
			paths, p.subject = append(paths, dirs...), true
			p.header(paths)
			more := p.search(catalog.Query{Paths: dirs})
			res.Candidates = mergeCandidates(res.Candidates, more.Candidates)
		}
	}
	q := ask(calls.rest, res, p.set.Glossary, like)
	p.asks = &q
	cands := p.weigh(&q, res, paths)
	p.choose(&q, cands, paths, calls)
	p.keepTask(&q, cands)

	if p.wantsOverview(paths, cands) {
		p.take(cands)
		p.overview(calls.rest)
		p.work(calls.rest, paths)
		return
	}
	cands = p.related(cands)
	p.duplicates(cands)
	p.take(cands)
	p.route(&q, res, cands, named, hints)
	p.work(calls.rest, paths)
}

func withCwd(paths []string, cwd string) []string {
	return append(slices.Clip(paths), cwd)
}

// join appends what is new, keeping order.
func join(a, b []string) []string {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// take turns the chosen candidates into the page's items, best first.
func (p *planner) take(cands []candidate) {
	partly, body := false, false
	for i := range cands {
		c := &cands[i]
		if c.form == None {
			continue
		}
		if len(p.page.items) >= maxItems && !c.keep || len(p.page.items) >= 2*maxItems {
			if p.page.countMore && c.rec.Kind != knowledge.Skill {
				p.page.more++
			}
			p.leave(&c.rec, LeftBudget)
			continue
		}
		// A session that was told hundreds of entries is taken at the catalogue's
		// word for the rest of them: files are not read for nothing.
		if len(p.loaded) >= 2*maxItems && p.has(c.rec.Key, c.rec.Hash) >= c.form {
			p.leave(&c.rec, LeftDelivered)
			continue
		}
		form := c.form
		quotes := !partly && form == Card && !c.hosts && !c.bare && p.asks != nil && c.rec.Kind != knowledge.Skill && !c.within(longLine) &&
			c.ev.words >= lineWords && c.ev.value >= lineEvidence && (!body || c.strong(len(p.in.Paths) > 0))
		if quotes { // also where the session has the line
			form = Body
		}
		it, ok := p.item(&c.rec, form, round(c.score), c.why)
		if !ok {
			continue
		}
		quotes = quotes && it.Form == Body
		it.Form = min(it.Form, c.form)
		partly, body = partly || quotes, body || it.Form == Body
		p.page.items = append(p.page.items, unit{item: it, keep: c.keep, best: c.best, meek: c.meek, far: c.far, partly: quotes})
	}
	p.bestFirst()
}

// bestFirst makes sure that some body is the best when the first one was
// delivered before.
func (p *planner) bestFirst() {
	for i := range p.page.items {
		if p.page.items[i].best {
			return
		}
	}
	for i := range p.page.items {
		if u := &p.page.items[i]; u.item.Form == Body && !u.meek {
			u.best = true
			return
		}
	}
}

// strictOnly tells the strict rules that hold where the session works.
func (p *planner) strictOnly(paths []string) {
	res := p.search(catalog.Query{Paths: withCwd(paths, p.in.Cwd), Kinds: []knowledge.Kind{knowledge.Rule}})
	var cands []candidate
	for i := range res.Candidates {
		r := &res.Candidates[i].Record
		if r.Kind != knowledge.Rule || r.Enforcement != "strict" {
			continue
		}
		c := candidate{rec: *r, form: Card, keep: true}
		c.fit, c.depth, _ = covers(r, withCwd(paths, p.in.Cwd))
		if c.fit == workspace.Outside {
			continue
		}
		c.rank(false)
		cands = append(cands, c)
	}
	order(cands)
	p.take(cands)
	p.page.cardsTitle = ""
}

// header prepares the frame around notes.
func (p *planner) header(paths []string) {
	g := &p.page
	g.frame = true
	g.unseen = p.in.Unseen
	x, fresh := p.extra("x:terms", frameFull)
	g.terms, g.termX = fresh, x
	g.about = about(paths)
	g.namesTitle = "Also here: "
	g.skillsTail = " (load one by writing its ::name)"
	g.moreTool = func() string { return p.toolName("get_tree") }
}

// about names the paths in hand, the first two.
func about(paths []string) string {
	var out []string
	for _, s := range paths {
		if s = Sanitise(s); s != "" && !strings.ContainsAny(s, "\n\r\t") {
			out = append(out, s)
		}
		if len(out) == 2 {
			break
		}
	}
	s := strings.Join(out, ", ")
	if len(paths) > len(out) && len(out) > 0 {
		s += " +" + itoa(len(paths)-len(out))
	}
	return s
}
