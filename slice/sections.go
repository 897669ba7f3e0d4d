package slice

import (
	"math"
	"slices"
	"strings"

	"pathrule/index/catalog"
	"pathrule/knowledge"
)

// A body is whole or absent. A long entry made of sections can still be told by
// those of them that matter, each whole: what stands under one heading up to the
// next. The entry then stays a line, with an excerpt in place of its one line.

const (
	// maxSections bounds how many sections of one entry are looked at.
	maxSections = 256
	// sectionShare is how near a section must come to the best one.
	sectionShare = 0.5
	// pathWords is how many telling words of a path a section must hold where there
	// is nothing else to go by.
	pathWords = 2
	// longLine is an entry of which its line says little, in tokens: the first of
	// those that are worth a line is told with its sections of at least lineWords
	// telling words, as far as lineSections tokens go.
	longLine     = 500
	lineWords    = 2
	lineSections = 400
)

// section is a heading and what stands below it, up to the next heading of any
// level; the first one may have no heading.
type section struct {
	head  string // without markup; "" for none
	level int
	line  string // the heading line
	text  string // the heading line and all below it, without blank lines at the end
	in    []int  // the sections around it, outermost first
}

// bare: nothing stands between this heading and the next.
func (s *section) bare() bool { return s.text == s.line || strings.TrimSpace(s.text) == "" }

// sectionsOf cuts a body as it is told. Joined with blank lines the sections
// are the body.
func sectionsOf(body string) []section {
	heads := knowledge.Headings(body)
	if len(heads) > maxSections {
		return nil
	}
	var out []section
	add := func(s section, from, to int) {
		s.text = strings.TrimRight(body[from:to], " \t\r\n")
		out = append(out, s)
	}
	if len(heads) == 0 || strings.TrimSpace(body[:heads[0].Start]) != "" {
		end := len(body)
		if len(heads) > 0 {
			end = heads[0].Start
		}
		add(section{}, 0, end)
	}
	var open []int // of out
	for i, h := range heads {
		end := len(body)
		if i+1 < len(heads) {
			end = heads[i+1].Start
		}
		for len(open) > 0 && out[open[len(open)-1]].level >= h.Level {
			open = open[:len(open)-1]
		}
		add(section{head: h.Text, level: h.Level, line: strings.TrimRight(body[h.Start:h.End], " \t\r\n"), in: slices.Clone(open)}, h.Start, end)
		open = append(open, len(out)-1)
	}
	return out
}

// excerpt is what an entry may be quoted with.
type excerpt struct {
	sections []section
	// order are the sections worth telling, best first.
	order []int
}

// excerpt finds the sections that answer the question; those that the session
// has are left out.
func (p *planner) excerpt(u *unit) *excerpt {
	text := deliverable(p.loaded[u.item.Key].raw)
	e := &excerpt{sections: sectionsOf(text)}
	if len(e.sections) < 2 {
		return e
	}
	type scored struct {
		at    int
		score float64
	}
	var list []scored
	if q := p.asks; q != nil && !u.called {
		found := make([]evidence, len(e.sections))
		df := make([]int, len(q.words))
		for i := range e.sections {
			s := &e.sections[i]
			var heads []string
			for _, k := range s.in {
				if e.sections[k].level > 1 {
					heads = append(heads, e.sections[k].head)
				}
			}
			if s.level > 1 {
				heads = append(heads, s.head)
			}
			found[i] = q.look(&catalog.Record{}, strings.Join(heads, "\n"), strings.TrimPrefix(s.text, s.line), false)
			for w, v := range found[i].by {
				if v > 0 {
					df[w]++
				}
			}
		}
		for i := range found {
			if e.sections[i].bare() || found[i].words < p.asksFor(u) {
				continue
			}
			// What most sections hold does not tell one from another.
			score := 0.0
			for w, v := range found[i].by {
				if v > 0 {
					score += v * math.Log(1+float64(len(found))/float64(df[w]))
				}
			}
			list = append(list, scored{i, score})
		}
	}
	slices.SortStableFunc(list, func(a, b scored) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return a.at - b.at
	})
	e.order = p.parentSections(u.item.Key, e.sections)
	for _, i := range p.taskSections(u.item.Key, e.sections) {
		if !slices.Contains(e.order, i) {
			e.order = append(e.order, i)
		}
	}
	for i, s := range list {
		if slices.Contains(e.order, s.at) {
			continue
		}
		if i > 0 && s.score < sectionShare*list[0].score {
			break
		}
		e.order = append(e.order, s.at)
	}
	if u.called {
		// A procedure that was asked for is read from its beginning.
		for i := range e.sections {
			if !e.sections[i].bare() {
				e.order = append(e.order, i)
			}
		}
	}
	e.order = slices.DeleteFunc(e.order, func(i int) bool {
		x := sectionExtra(u.item.Key, e.sections[i].text)
		return p.has(x.Key, x.Hash) > None
	})
	return e
}

// parentSections are the sections of an entry that the parent session was told.
func (p *planner) parentSections(key string, sections []section) (out []int) {
	for _, part := range p.in.ParentParts {
		if part.Key != key {
			continue
		}
		for _, want := range part.Sections {
			for i := range sections {
				if sectionExtra(key, sections[i].text).Key == want && !slices.Contains(out, i) {
					out = append(out, i)
				}
			}
		}
	}
	return out
}

// asksFor is how many telling words a section must hold.
func (p *planner) asksFor(u *unit) float64 {
	switch {
	case p.in.Channel == Tool:
		return pathWords
	case u.partly:
		return lineWords
	}
	return 1
}

// sectionExtra is how a told section stands in the ledger: by its text, so that
// one that moved is the same.
func sectionExtra(key, text string) Extra {
	h := shortHash(text)
	return Extra{Key: SectionPrefix(key) + h, Hash: h}
}

// Sections are the ledger's items of the sections that a part of an entry's
// text holds, as a read tool gave it.
func Sections(key, text string) []Extra {
	var out []Extra
	for _, s := range sectionsOf(defuse(text)) {
		if !s.bare() {
			out = append(out, sectionExtra(key, s.text))
		}
	}
	return out
}

// SectionPrefix begins the ledger's keys of an entry's sections.
func SectionPrefix(key string) string { return "x:section:" + shortHash(key) + ":" }

// quote writes some sections in the order of the text. Headings around them
// stand as they are, "[…]" stands where something is left out.
func (e *excerpt) quote(chosen []int) string {
	chosen = slices.Sorted(slices.Values(chosen))
	var b strings.Builder
	next, gap := 0, false // the section that would follow; something was left out
	put := func(s string) {
		if gap {
			s, gap = omitted+"\n"+s, false
		}
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString(s)
	}
	for _, i := range chosen {
		for _, k := range e.sections[i].in {
			if k < next {
				continue
			}
			gap = gap || k > next
			put(e.sections[k].line)
			gap = !e.sections[k].bare()
			next = k + 1
		}
		gap = gap || i > next
		put(e.sections[i].text)
		next = i + 1
	}
	if next < len(e.sections) {
		b.WriteString("\n" + omitted)
	}
	return b.String()
}

// omitted stands for sections that are not quoted.
const omitted = "[…]"

// quoteBlock is an excerpt as it is told: fenced, with how much of the entry it
// is and where the rest is found.
func (p *planner) quoteBlock(it *Item, e *excerpt, chosen []int) string {
	text := e.quote(chosen)
	full := 0
	for i := range e.sections {
		if !e.sections[i].bare() {
			full++
		}
	}
	fence := fenceMark + fenceID(text)
	head := label(it) + ", " + itoa(len(chosen)) + " of " + itoa(full) + " sections: " + titleOf(it) + " [" + ref(it) + "]"
	if t := p.toolName("read_" + string(it.Kind)); t != "" {
		head += " (the rest: " + t + ")"
	}
	return head + "\n" + fence + "\n" + text + "\n" + fence
}

// tell puts as many sections on the page, best first, as fits allows. It
// answers false when none does.
func (p *planner) tell(u *unit, fits func() bool) bool {
	if u.excerpt == nil {
		u.excerpt = p.excerpt(u)
	}
	var chosen []int
	last, extras := "", []Extra(nil)
	for _, i := range u.excerpt.order {
		try := append(slices.Clip(chosen), i)
		u.quote = p.quoteBlock(&u.item, u.excerpt, try)
		if !fits() {
			u.quote = last
			continue
		}
		chosen, last = try, u.quote
		extras = append(extras, sectionExtra(u.item.Key, u.excerpt.sections[i].text))
	}
	u.quote, u.quoteX, u.item.Sections = last, extras, nil
	for _, i := range slices.Sorted(slices.Values(chosen)) {
		u.item.Sections = append(u.item.Sections, u.excerpt.sections[i].head)
	}
	return len(chosen) > 0
}

// unquote takes the excerpt back.
func (u *unit) unquote() { u.quote, u.quoteX, u.item.Sections = "", nil, nil }
