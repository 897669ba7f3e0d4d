package slice

import (
	"slices"
	"sort"
	"strings"

	"pathrule/index/catalog"
	"pathrule/index/terms"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// candidate is an entry under consideration for a prompt.
type candidate struct {
	rec catalog.Record
	// text is the source's score, normalised to its best.
	text float64
	// fit and depth are for the paths in hand; cwd says how the entry lies to
	// the session's folder.
	fit   workspace.Fit
	depth int
	cwd   relation
	root  bool // the session stands at the root
	under bool // its scope lies below a folder in hand
	ev    evidence
	seen  bool // its text was read
	score float64
	form  Form
	best  bool
	keep  bool
	why   []Why
}

// relation of an entry's scope to a folder.
type relation int

const (
	aside   relation = iota // elsewhere
	project                 // the whole workspace
	below                   // inside the folder
	above                   // covers the folder
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
	if strings.TrimSpace(calls.rest) == "" && len(paths) == 0 {
		if in.Channel == MCP {
			p.strictOnly(nil)
			p.overview("")
		}
		return
	}

	query := catalog.Query{Text: glossaryText(calls.rest, p.set.Glossary), Paths: withCwd(paths, in.Cwd), Limit: searchLimit}
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
			depth = p.plan.Depth
		}
	}
	q := ask(calls.rest, res, p.set.Glossary)
	cands := p.weigh(&q, res, paths)
	p.choose(&q, cands, paths, calls)

	if p.wantsOverview(paths, cands) {
		p.take(cands)
		p.overview(calls.rest)
		return
	}
	p.related(&q, cands, paths)
	p.duplicates(cands)
	p.take(cands)
	p.route(&q, res, cands, named, hints)
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

func mergeCandidates(a, b []catalog.Candidate) []catalog.Candidate {
	have := map[string]bool{}
	for i := range a {
		have[a[i].Record.Key] = true
	}
	for i := range b {
		if !have[b[i].Record.Key] {
			a = append(a, b[i])
		}
	}
	return a
}

// weigh finds what the candidates hold of the question and ranks them. The
// order of the source does not matter.
func (p *planner) weigh(q *question, res catalog.Result, paths []string) []candidate {
	best := 0.0
	for i := range res.Candidates {
		best = max(best, res.Candidates[i].Text)
	}
	cands := make([]candidate, 0, len(res.Candidates))
	seen := map[string]bool{}
	for i := range res.Candidates {
		r := &res.Candidates[i].Record
		if seen[r.Key] {
			continue
		}
		seen[r.Key] = true
		c := candidate{rec: *r}
		if best > 0 {
			c.text = res.Candidates[i].Text / best
		}
		c.fit, c.depth, _ = covers(r, paths)
		c.cwd, c.root = p.toCwd(r), p.in.Cwd == ""
		c.under = c.fit == workspace.Outside && liesBelow(r, paths)
		c.score = c.text*3 + float64(c.fit)*0.7
		if c.cwd >= below {
			c.score += 0.4
		}
		cands = append(cands, c)
	}
	order(cands)
	read := 0
	for i := range cands {
		c := &cands[i]
		if c.text > 0 && read < maxLoad || c.fit == workspace.File && read < 2*maxLoad {
			if l := p.load(&c.rec); l.ok {
				c.ev = q.look(&c.rec, l.title, knowledge.Strip(l.raw))
				c.seen = true
			} else {
				c.form = None
				c.rec.Key = "" // gone or withheld
				continue
			}
			read++
		}
	}
	cands = slices.DeleteFunc(cands, func(c candidate) bool { return c.rec.Key == "" })
	for i := range cands {
		if !cands[i].seen { // holds no word, as far as anyone looked
			cands[i].ev.value = -chance*q.chance - q.lnDocs
		}
		cands[i].rank(len(paths) > 0)
	}
	order(cands)
	return cands
}

// order sorts best first; equal scores by key.
func order(cands []candidate) {
	sort.Slice(cands, func(i, j int) bool {
		if cands[i].score != cands[j].score {
			return cands[i].score > cands[j].score
		}
		return cands[i].rec.Key < cands[j].rec.Key
	})
}

// toCwd says how an entry lies to the session's folder.
func (p *planner) toCwd(r *catalog.Record) relation {
	cwd := p.in.Cwd
	if len(r.Paths) == 0 && r.Prefix == "" {
		return project
	}
	if cwd == "" { // the root tells nothing about anything
		if wide(r) && r.Prefix == "" {
			return project
		}
		return below
	}
	if f, _, _ := covers(r, []string{cwd}); f == workspace.Project {
		return project
	} else if f != workspace.Outside {
		return above
	}
	if liesBelow(r, []string{cwd}) || globAround(r, cwd) {
		return below
	}
	return aside
}

// globAround reports a glob whose folder holds dir, so that it may cover files
// in there: "src/**/*.go" in src/api.
func globAround(r *catalog.Record, dir string) bool {
	for _, pat := range r.Paths {
		pat = strings.TrimPrefix(pat, "/")
		if r.Prefix != "" {
			pat = r.Prefix + "/" + pat
		}
		i := strings.IndexAny(pat, "*?[{")
		if i <= 0 || pat[0] == '!' {
			continue
		}
		if at := pat[:strings.LastIndexByte(pat[:i], '/')+1]; at != "" && strings.HasPrefix(dir+"/", at) {
			return true
		}
	}
	return false
}

// liesBelow reports that an entry speaks of something inside one of the
// folders; a glob without a folder may lie anywhere.
func liesBelow(r *catalog.Record, dirs []string) bool {
	for _, pat := range r.Paths {
		pat = strings.TrimPrefix(pat, "/")
		if r.Prefix != "" {
			pat = r.Prefix + "/" + pat
		}
		for _, d := range dirs {
			if strings.HasPrefix(pat, d+"/") || strings.HasPrefix(pat, "*") {
				return true
			}
		}
	}
	return false
}

// rank adds up the score and says why.
func (c *candidate) rank(inHand bool) {
	c.score, c.why = 0, c.why[:0]
	say := func(signal string, v float64) {
		if v = round(v); v != 0 {
			c.why = append(c.why, Why{signal, v})
			c.score += v
		}
	}
	if c.seen {
		say("evidence", c.value(inHand))
		if c.ev.named {
			say("named", rankNamed)
		}
	} else {
		c.score += round(c.ev.value)
	}
	say("text", c.text*rankText)
	switch c.fit {
	case workspace.File:
		say("path:file", rankFile)
	case workspace.Folder:
		say("path:folder", rankFolder+rankDepth*float64(c.depth))
	case workspace.Glob:
		say("path:glob", rankGlob)
	}
	if c.rec.Prefix != "" {
		say("nested", rankInherit*float64(1+strings.Count(c.rec.Prefix, "/")))
	}
	if c.rec.Kind == knowledge.Rule {
		switch c.rec.Priority {
		case knowledge.High:
			say("priority", rankHigh)
		case knowledge.Low:
			say("priority", rankLow)
		}
		if c.rec.Enforcement == "strict" {
			say("strict", rankStrict)
		}
	}
	if c.seen {
		c.why = append(c.why, Why{"coverage", round(c.ev.coverage)}, Why{"words", round(c.ev.words)})
	}
}

// value is the evidence with the place of the entry taken into account.
func (c *candidate) value(inHand bool) float64 {
	v := c.ev.value
	switch {
	case c.root || c.under || c.cwd == below || c.cwd == above:
		v += cwdBonus
	case c.cwd == aside:
		v += cwdAside
	}
	if c.ev.title {
		v += 0.8
	}
	// Paths are in hand, and the entry speaks of others.
	if inHand && c.fit == workspace.Outside && !c.under && c.cwd != project {
		v -= elsewhere
	}
	return v
}

func round(v float64) float64 {
	if v < 0 {
		return -round(-v)
	}
	return float64(int64(v*1000+0.5)) / 1000
}

// strong decides whether the words alone carry a body.
func (c *candidate) strong(inHand bool) bool {
	if !c.seen {
		return false
	}
	if c.ev.named {
		return true
	}
	v, cov := c.value(inHand), c.ev.coverage
	switch {
	case c.ev.words < 1:
		return false
	case c.fit >= workspace.Glob && v >= pathEvidence && cov >= pathCoverage:
		return true
	case v >= strongEvidence && cov >= strongCoverage && c.ev.words >= strongWords:
		return true
	case c.ev.title && v >= titleEvidence && cov >= strongCoverage:
		return true
	}
	return cov >= fullCoverage && v >= fullEvidence && c.ev.words >= strongWords
}

// weak decides whether a line is worth its room.
func (c *candidate) weak(inHand bool) bool {
	if !c.seen || c.value(inHand) < cardFloor {
		return false
	}
	lone := loneCoverage
	if c.ev.grams { // bigrams that nobody holds weigh next to nothing
		lone = loneGrams
	}
	return c.ev.words >= strongWords && c.ev.coverage >= cardCoverage || c.ev.words >= 1 && c.ev.coverage >= lone
}

// offered decides whether a skill is worth naming.
func (c *candidate) offered(inHand bool) bool {
	return c.strong(inHand) || c.seen && c.value(inHand) >= skillEvidence && c.ev.coverage >= skillCoverage && c.ev.words >= strongWords
}

// choose gives every candidate its form.
func (p *planner) choose(q *question, cands []candidate, paths []string, calls skillCalls) {
	inHand := len(paths) > 0
	room := quotaOf(p.plan.Depth)
	ask := !q.empty()
	var bodies, cards, skills, pathCards int
	// What better bodies hold already, per word: of the same kind, and of any.
	covered := map[knowledge.Kind][]float64{}
	top := map[knowledge.Kind]float64{}
	var told []float64
	bestSum := 0.0
	for i := range cands {
		if cands[i].seen {
			bestSum = max(bestSum, cands[i].ev.sum)
		}
	}
	for i := range cands {
		c := &cands[i]
		attached := c.fit == workspace.File
		bound := c.rec.Kind == knowledge.Rule && (c.fit >= workspace.Glob || p.wideElsewhere(c))
		inScope := c.fit != workspace.Outside || c.cwd == above || c.cwd == project
		strictRule := c.rec.Kind == knowledge.Rule && c.rec.Enforcement == "strict" && inScope
		c.keep = strictRule || bound && c.rec.Priority == knowledge.High
		switch {
		case calls.wants(&c.rec):
			c.form = None // told by its body, see skillCalls
			continue
		case c.rec.Kind == knowledge.Skill:
			if (attached || ask && c.offered(inHand) && c.ev.sum >= skillShare*bestSum) && skills < room.skills {
				c.form = Name
				skills++
			}
		case attached:
			c.form = Body
		case ask && c.strong(inHand) && c.ev.sum >= otherKind*bestSum && q.adds(c, covered[c.rec.Kind], top[c.rec.Kind], strongEvidence, inHand):
			c.form = Body
		case ask && p.binds(c):
			c.form = Body
		case bound:
			c.form = Card
			if pathCards >= maxPathCards || c.rec.Priority == knowledge.Low {
				c.form = Name
			}
			pathCards++
		case strictRule:
			c.form = Card
		case ask && (c.weak(inHand) || c.strong(inHand)) && c.ev.sum >= cardShare*bestSum && cards < room.cards && bodies < room.bodies &&
			q.adds(c, told, bestSum, cardFloor, inHand):
			c.form = Card
			cards++
		}
		if c.form == Body {
			if bodies >= room.bodies {
				c.form = Card
			} else {
				bodies++
				c.best = bodies == 1
				covered[c.rec.Kind] = cover(covered[c.rec.Kind], c.ev.by)
				top[c.rec.Kind] = max(top[c.rec.Kind], c.ev.sum)
				told = cover(told, c.ev.by)
			}
		}
		if c.form == None && !strictRule {
			p.leaveFloor(c)
		}
	}
}

// binds: a high rule that governs where the session works, or a path in hand,
// and has to do with the task, is told whole; half a constraint can say the
// opposite of it. It need not win against other notes.
func (p *planner) binds(c *candidate) bool {
	here := c.fit >= workspace.Glob || c.cwd == above || c.cwd == below && p.in.Cwd != ""
	return c.rec.Kind == knowledge.Rule && c.rec.Priority == knowledge.High && here && c.seen &&
		c.ev.words >= 1 && c.ev.coverage >= bindCoverage
}

func (p *planner) leaveFloor(c *candidate) {
	if c.rec.Kind != knowledge.Skill || c.seen {
		p.leave(&c.rec, LeftFloor)
	}
}

// adds decides whether an entry says something that better bodies do not: it
// is nearly as good, or it stands on other words. What shares its words with
// the winner and has fewer of them is the look-alike that answers another
// question.
func (q *question) adds(c *candidate, covered []float64, top, floor float64, inHand bool) bool {
	if covered == nil || c.ev.named || c.ev.sum >= runnerUp*top {
		return true
	}
	rest, words := 0.0, 0.0
	for i, v := range c.ev.by {
		if covered[i] > 0 {
			v *= coveredShare
		} else if v > 0 && !q.words[i].weak {
			if q.words[i].gram {
				words += 0.5
			} else {
				words++
			}
		}
		rest += v
	}
	return words >= 1 && c.value(inHand)+rest-c.ev.sum >= floor
}

func cover(have, by []float64) []float64 {
	if have == nil {
		have = make([]float64, len(by))
	}
	for i := range by {
		if i < len(have) {
			have[i] = max(have[i], by[i])
		}
	}
	return have
}

// take turns the chosen candidates into the page's items, best first.
func (p *planner) take(cands []candidate) {
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
		it, ok := p.item(&c.rec, c.form, round(c.score), c.why)
		if !ok {
			continue
		}
		p.page.items = append(p.page.items, unit{item: it, keep: c.keep, best: c.best})
	}
	p.bestFirst()
}

// wideElsewhere: a rule for the whole of a nested workspace in which the
// session does not stand, so that it was not told at the start.
func (p *planner) wideElsewhere(c *candidate) bool {
	return c.fit == workspace.Project && c.rec.Prefix != "" && !inside(p.in.Cwd, c.rec.Prefix)
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
		if p.page.items[i].item.Form == Body {
			p.page.items[i].best = true
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

// related lifts what the strong entries point at.
func (p *planner) related(q *question, cands []candidate, paths []string) {
	lifted := 0
	for i := range cands {
		if cands[i].form != Body {
			continue
		}
		for _, r := range cands[i].rec.Related {
			if lifted == maxRelated {
				return
			}
			for j := range cands {
				c := &cands[j]
				if c.form != None || c.rec.Kind == knowledge.Skill && !c.seen || !sameEntry(&c.rec, r) {
					continue
				}
				c.form = Card
				if c.rec.Kind == knowledge.Skill {
					c.form = Name
				}
				c.score = round(c.score + rankRelated)
				c.why = append(c.why, Why{"related", rankRelated})
				delete(p.left, c.rec.Key)
				p.plan.LeftOut = slices.DeleteFunc(p.plan.LeftOut, func(l Left) bool { return l.Key == c.rec.Key })
				lifted++
			}
		}
	}
}

// sameEntry reports that a "related" value names the entry: "id" or "kind:id".
func sameEntry(r *catalog.Record, ref string) bool {
	ref = strings.TrimSpace(ref)
	return ref == r.ID || ref == string(r.Kind)+":"+r.ID || "personal/"+ref == r.ID
}

// duplicates leaves out bodies that say again what a better one says.
func (p *planner) duplicates(cands []candidate) {
	var sets []map[string]bool
	for i := range cands {
		c := &cands[i]
		if c.form != Body || !c.seen {
			continue
		}
		set := map[string]bool{}
		for _, t := range terms.Query(head(p.loaded[c.rec.Key].raw, maxBody)) {
			if !t.Whole {
				set[t.Text] = true
			}
		}
		twin := false
		for _, s := range sets {
			same := 0
			for t := range set {
				if s[t] {
					same++
				}
			}
			if all := len(set) + len(s) - same; all > 0 && float64(same) >= duplicateOf*float64(all) {
				twin = true
				break
			}
		}
		if twin {
			c.form = None
			p.leave(&c.rec, LeftDuplicate)
			continue
		}
		sets = append(sets, set)
	}
}
