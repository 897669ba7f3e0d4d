package slice

import (
	"pathrule/knowledge"
	"pathrule/workspace"
)

// strong decides whether the words alone carry a body.
func (c *candidate) strong(inHand bool) bool {
	if !c.seen {
		return false
	}
	if c.ev.named {
		return true
	}
	// One sentence among several must be answered nearly whole: beside the others
	// it says little about what is asked.
	m := c.ev.part.proper()
	return c.carries(c.ev.proper(), inHand) ||
		m.coverage >= partCoverage && m.words >= strongWords && c.placed(m.value, inHand) >= strongEvidence
}

// proper is the measure by the words that were asked alone: what only stands for
// them finds an entry and ranks it, and carries no body.
func (m measure) proper() measure {
	m.value -= m.like
	m.coverage -= m.likeShare
	m.words = m.own
	return m
}

func (c *candidate) carries(m measure, inHand bool) bool {
	v, cov := c.placed(m.value, inHand), m.coverage
	switch {
	case m.words < 1:
		return false
	case c.fit >= workspace.Glob && v >= pathEvidence && cov >= pathCoverage:
		return true
	case v >= strongEvidence && cov >= strongCoverage && m.words >= strongWords:
		return true
	case v >= surelyEvidence && cov >= surelyCoverage && m.words >= strongWords && !c.ev.absent:
		return true
	case c.ev.title && v >= titleEvidence && cov >= strongCoverage:
		return true
	case c.ev.grams && c.ev.joined && v >= strongEvidence && cov >= gramsCoverage && m.words >= gramsWords:
		return true
	}
	return cov >= fullCoverage && v >= fullEvidence && m.words >= strongWords
}

// weak decides whether a line is worth its room.
func (c *candidate) weak(inHand bool) bool {
	if !c.seen {
		return false
	}
	if c.value(inHand) < cardFloor {
		return false
	}
	lone := loneCoverage
	if c.ev.grams { // bigrams that nobody holds weigh next to nothing
		lone = loneGrams
	}
	switch m := c.ev.measure; {
	case c.value(inHand) < cardFloor:
	case m.words >= strongWords && m.coverage >= cardCoverage, m.words >= 1 && m.coverage >= lone:
		return true
	}
	// One telling word of its title, rare enough to point at this entry.
	return c.ev.heading && c.ev.words >= 1 && c.value(inHand) >= headingEvidence && c.ev.coverage >= cardCoverage
}

// loosely decides whether a long text is worth a line for words that stand apart
// in it.
func (c *candidate) loosely(inHand bool) bool {
	return c.seen && c.placed(c.ev.loose.value, inHand) >= cardFloor && c.ev.loose.words >= looseWords && c.ev.loose.coverage >= cardCoverage
}

// offered decides whether a skill is worth naming.
func (c *candidate) offered(inHand bool) bool {
	return c.strong(inHand) || c.ev.called || c.seen && c.value(inHand) >= skillEvidence && c.ev.coverage >= skillCoverage && c.ev.words >= strongWords
}

// choose gives every candidate its form.
func (p *planner) choose(q *question, cands []candidate, paths []string, calls skillCalls) {
	inHand := len(paths) > 0
	room := quotaOf(p.plan.Depth)
	ask := !q.empty()
	var bodies, cards, skills, pathCards, closeCards int
	// What better bodies hold already, per word: of the same kind, and of any.
	covered := map[knowledge.Kind][]float64{}
	top := map[knowledge.Kind]float64{}
	var told []float64
	bestSum := 0.0
	deepest := -1                  // closeness of the closest body that covers a path in hand
	closest := closestDepth(cands) // and of the closest entry that does
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
			if (attached || ask && c.offered(inHand) && (c.ev.called || c.ev.sum >= skillShare*bestSum)) && skills < room.skills {
				c.form = Name
				skills++
			}
		case attached:
			c.form = Body
		case ask && c.strong(inHand) && (c.ev.sum >= otherKind*bestSum || q.another(c, told, inHand)) &&
			q.adds(c, covered[c.rec.Kind], top[c.rec.Kind], strongEvidence, inHand):
			c.form = Body
		case ask && c.strong(inHand) && c.fit >= workspace.Glob && c.closeness() > max(deepest, 0):
			c.form = Body // the closer guide says what the wider one only touches
		case ask && closest > 0 && c.closeness() == closest && c.fit >= workspace.Glob && c.ev.words >= 1 &&
			q.adds(c, covered[c.rec.Kind], top[c.rec.Kind], strongEvidence, inHand):
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
		case ask && closest > 0 && c.closeness() == closest && c.fit >= workspace.Glob && closeCards < maxPathCards:
			// The rules of wider folders, however many, do not take its room.
			c.form = Card
			closeCards++
		case ask && (c.weak(inHand) || c.strong(inHand)) && (c.ev.sum >= cardShare*bestSum || q.another(c, told, inHand)) && cards < room.cards && bodies < room.bodies &&
			q.adds(c, told, bestSum, cardFloor, inHand):
			c.form = Card
			cards++
		case ask && !c.weak(inHand) && !c.strong(inHand) && c.loosely(inHand) && c.ev.loose.sum >= cardShare*bestSum && cards < room.cards && bodies < room.bodies:
			c.form, c.bare = Card, true
			cards++
		}
		if c.form == Card && c.fit >= workspace.Glob && c.ev.words >= 1 && c.within(cheapBody) {
			c.form = Body
		}
		if c.form == Body {
			if c.fit >= workspace.Glob {
				deepest = max(deepest, c.closeness())
			}
			if l := p.load(&c.rec); l.ok && p.native(&c.rec, l) < Body {
				// The host has it: it counts as told, and takes no room.
				c.hosts = true
				if c.form = p.native(&c.rec, l); c.form == None {
					p.leave(&c.rec, LeftNative)
				}
				covered[c.rec.Kind] = cover(covered[c.rec.Kind], c.ev.by)
				top[c.rec.Kind] = max(top[c.rec.Kind], c.ev.sum)
				told = cover(told, c.ev.by)
			} else if bodies >= room.bodies {
				c.form = Card
			} else {
				bodies++
				c.meek = p.subject && !c.strong(inHand)
				c.best = bodies == 1 && !c.meek
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

// closestDepth is the depth of the closest scope that covers a path in hand, 0 when
// only the whole project does.
func closestDepth(cands []candidate) int {
	n := 0
	for i := range cands {
		if c := &cands[i]; c.local() {
			n = max(n, c.closeness())
		}
	}
	return n
}

// local reports a note that governs a path in hand and not the whole project.
func (c *candidate) local() bool {
	return c.rec.Kind != knowledge.Skill && (c.fit >= workspace.Glob || c.fit == workspace.Project && c.rec.Prefix != "")
}

// within reports a body of at most so many tokens. A cheap one is told whole
// where its line would be: a line costs nearly as much, and says half.
func (c *candidate) within(tokens int) bool {
	return c.rec.Kind != knowledge.Skill && c.rec.BodyBytes > 0 && c.rec.BodyBytes <= 4*tokens
}

// binds: a high rule that governs where the session works, or a path in hand,
// and has to do with the task, is told whole; half a constraint can say the
// opposite of it. It need not win against other notes.
func (p *planner) binds(c *candidate) bool {
	here := c.fit >= workspace.Glob || c.cwd == above || c.cwd == below && p.in.Cwd != ""
	return c.rec.Kind == knowledge.Rule && c.rec.Priority == knowledge.High && here && c.seen &&
		(c.ev.words >= 1 || c.ev.place) && c.ev.coverage >= bindCoverage
}

func (p *planner) leaveFloor(c *candidate) {
	if c.rec.Kind != knowledge.Skill || c.seen {
		p.leave(&c.rec, LeftFloor)
		if n := len(p.plan.LeftOut) - 1; n >= 0 && p.plan.LeftOut[n].Key == c.rec.Key {
			p.plan.LeftOut[n].Signals = c.why
		}
	}
}

// adds decides whether an entry says something that better bodies do not: it
// is nearly as good, or it stands on other words. What shares its words with
// the winner and has fewer of them is the look-alike that answers another
// question.
func (q *question) adds(c *candidate, covered []float64, top, floor float64, inHand bool) bool {
	if covered == nil || c.ev.named || c.ev.sum >= runnerUp*top || q.answersAnother(c, covered) {
		return true
	}
	words, rest := q.beyond(c, covered)
	return words >= 1 && c.value(inHand)+rest-c.ev.sum >= floor
}

// another reports that an entry is an answer by itself, whatever else is told: a
// prompt may ask for two things, and the one that is said in more words must not
// silence the other.
func (q *question) another(c *candidate, covered []float64, inHand bool) bool {
	if q.answersAnother(c, covered) {
		return true
	}
	words, rest := q.beyond(c, covered)
	return words >= anotherWords && c.value(inHand)+rest-c.ev.sum >= anotherEvidence
}

// beyond is what an entry holds that better ones do not: informative words, and
// their weight.
func (q *question) beyond(c *candidate, covered []float64) (words, rest float64) {
	for i, v := range c.ev.by {
		if i < len(covered) && covered[i] > 0 {
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
	return words, rest
}

// answersAnother reports that an entry answers a sentence of several that the
// better ones leave mostly open.
func (q *question) answersAnother(c *candidate, covered []float64) bool {
	if len(q.says) < 2 || c.ev.part.coverage < partCoverage {
		return false
	}
	mine, theirs := 0.0, 0.0
	for i, v := range c.ev.by {
		if q.words[i].says == c.ev.answers {
			mine += v
			if i < len(covered) {
				theirs += covered[i]
			}
		}
	}
	return theirs < anotherShare*mine
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

// wideElsewhere: a rule for the whole of a nested workspace in which the
// session does not stand, so that it was not told at the start.
func (p *planner) wideElsewhere(c *candidate) bool {
	return c.fit == workspace.Project && c.rec.Prefix != "" && !inside(p.in.Cwd, c.rec.Prefix)
}
