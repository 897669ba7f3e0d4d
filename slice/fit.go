package slice

import "pathrule/knowledge"

// fit brings the page within the budget: bodies become lines, names of what holds
// everywhere go, lines become names, names go, the lowest rank first. A body is whole or absent. What is
// measured is the final text, with fences, header and tail.
func (p *planner) fit() {
	g := &p.page
	if len(g.items) > maxItems {
		for i := maxItems; i < len(g.items); i++ {
			if !g.items[i].keep || i >= 2*maxItems {
				p.out(i)
			}
		}
	}
	aim, hard := p.aim()
	for i := range g.items { // over every cap: a line that names the read tool
		u := &g.items[i]
		if u.item.Form == Body && (hard && Tokens(u.body) > aim || p.in.Budget.Max > 0 && p.measure(u.body) > p.in.Budget.Max) {
			u.card = cardLine(&u.item, p.readHint(&u.item, true))
			p.fall(i, Card)
		}
	}
	// The best strong match may take more than the budget, up to the host's cap. One
	// that is longer than any answer has half of the room reserved for its sections.
	best := -1
	for i := range g.items {
		u := &g.items[i]
		if u.item.Form == Body {
			break
		}
		if !u.whole {
			continue
		}
		room := aim / 2
		if p.in.Channel == Tool && u.best && !hard {
			room = guideSections
		}
		if p.tell(u, func() bool {
			return Tokens(u.quote) <= room && (p.in.Budget.Max <= 0 || p.measure(u.quote) <= p.in.Budget.Max/2)
		}) && !hard {
			aim = max(aim, Tokens(u.quote)+bestReserve)
		}
		break
	}
	for i := range g.items {
		if g.items[i].item.Form == Body && (g.items[i].best || hard) {
			best = i
			break
		}
	}
	if best >= 0 && !hard {
		switch alone := p.alone(best); {
		case alone+bestReserve <= aim:
		case p.in.Channel == Tool: // what else governs the paths keeps its room
			aim = max(aim, alone+p.set.BudgetTool)
		default:
			aim = alone + bestReserve
		}
	}
	if g.unseen { // no guide of an unreviewed store is worth more than all that may be told of it
		aim = min(aim, p.in.UnseenTokens)
	}
	over := func() bool {
		t := g.text()
		return p.size(t) > aim || p.in.Budget.Max > 0 && p.measure(t) > p.in.Budget.Max
	}
	demote := func(from, to Form, stay func(u *unit, i int) bool) {
		for i := len(g.items) - 1; i >= 0; i-- {
			u := &g.items[i]
			if u.item.Form != from || stay(u, i) {
				continue
			}
			if !over() {
				return
			}
			p.fall(i, to)
		}
	}
	kept := func(u *unit, _ int) bool { return u.keep }
	nobody := func(*unit, int) bool { return false }
	demote(Body, Card, func(_ *unit, i int) bool { return i == best })
	p.dropNotes(over, 1)
	for i := len(g.items) - 1; i >= 0 && over(); i-- {
		g.items[i].unquote()
	}
	// The names of what holds everywhere give way to what is said of this place.
	demote(Name, None, func(u *unit, _ int) bool { return !u.far })
	demote(Card, Name, kept)
	demote(Name, None, kept)
	p.dropNotes(over, 2)
	if best >= 0 && over() {
		u := &g.items[best]
		u.card = cardLine(&u.item, p.readHint(&u.item, true))
		p.fall(best, Card)
	}
	demote(Card, Name, kept)
	demote(Name, None, kept)
	demote(Card, Name, nobody)
	demote(Name, None, nobody)
	p.dropNotes(over, 3)
	if over() {
		g.more = 0
	}
	if over() {
		g.ack = ""
	}
	if over() {
		g.top, g.proof = "", nil
	}
	// What room is left goes to sections of what was too long.
	for i := range g.items {
		if u := &g.items[i]; u.item.Form == Card && (u.whole || u.partly) {
			p.tell(u, func() bool { return !over() && (u.whole || Tokens(u.quote) <= lineSections) })
		}
	}
}

// aim is the budget in tokens, and whether even the best match must keep it.
func (p *planner) aim() (tokens int, hard bool) {
	switch p.in.Channel {
	case Tool:
		tokens = p.in.Budget.Tokens
		if tokens <= 0 {
			tokens = p.set.BudgetTool
			if p.onTask {
				tokens = max(tokens, p.set.BudgetFocused)
			}
		}
	case Compact:
		tokens = compactTokens
		if p.in.Budget.Tokens > 0 {
			tokens = min(tokens, p.in.Budget.Tokens)
		}
		hard = true
	case Session, Subagent:
		tokens = p.budget(Focused)
		hard = p.in.Channel == Subagent
	case MCP:
		tokens, hard = p.budget(p.plan.Depth), true
	default:
		tokens = p.budget(p.plan.Depth)
	}
	if p.page.unseen && p.in.UnseenTokens < tokens {
		tokens = p.in.UnseenTokens
		hard = true
	}
	return tokens, hard
}

// size is what the budget counts, in tokens.
func (p *planner) size(t string) int {
	if p.in.Budget.Text == nil {
		return Tokens(t)
	}
	return (p.in.Budget.Text(t) + 3) / 4
}

func (p *planner) measure(s string) int {
	if p.in.Budget.Measure == nil {
		return Tokens(s)
	}
	return p.in.Budget.Measure(s)
}

// alone is the size of the page with one body and nothing else.
func (p *planner) alone(i int) int {
	g := p.page
	g.items = []unit{p.page.items[i]}
	g.notes = nil
	g.more = 0
	return Tokens(g.text())
}

// fall tells an item in a lower form than was wanted. What the session has in
// that form already is not told at all, but for sections that are new.
func (p *planner) fall(i int, to Form) {
	u := &p.page.items[i]
	switch {
	case to == None:
		p.out(i)
	case p.has(u.item.Key, u.item.Hash) >= to && !(to == Card && u.whole):
		u.item.Form, u.left = None, LeftDelivered
	default:
		u.item.Form = to
	}
}

func (p *planner) out(i int) {
	u := &p.page.items[i]
	u.item.Form = None
	if p.page.unseen && u.item.Record.Owner != personal {
		u.left = LeftTrust
	}
	if p.page.countMore && u.item.Kind != knowledge.Skill {
		p.page.more++
	}
}

func (p *planner) dropNotes(over func() bool, upTo int) {
	for i := len(p.page.notes) - 1; i >= 0; i-- {
		n := &p.page.notes[i]
		if n.drop > 0 && n.drop <= upTo && !n.gone && over() {
			n.gone = true
		}
	}
}
