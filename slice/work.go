package slice

import (
	"slices"
	"strings"

	"pathrule/index/terms"
	"pathrule/internal/plaintext"
)

// Work is a stretch of earlier work in this project, as the local activity log
// tells of it.
type Work struct {
	Edited   []string // paths in base coordinates, most touched first
	Read     []string
	Subjects []string
	Entries  []string // "kind:id" told meanwhile
	Wrote    []string // "kind:id" written meanwhile, newest first
	// Paths is how many there are in all; three and more make it sure.
	Paths int
	// Now: it is this session's own.
	Now bool
}

const (
	workPaths = 4 // named of one stretch
	// workFloor is what must speak for a stretch that nobody asked for by name.
	workFloor = 2
	// routeStretches of work may lead to a file.
	routeStretches = 12
	workCompact    = 2 // stretches told
	workDeep       = 3
)

// work tells of earlier work: on ++history, on a question about what was done
// before, and where a bug, a refactoring or an exploration lies in the same
// place; ++handoff sums this session up, or the one before it.
func (p *planner) work(text string, paths []string) {
	if p.in.Work == nil || p.in.Channel != Prompt {
		return
	}
	low := strings.ToLower(text)
	if strings.Contains(low, "++handoff") {
		p.handoff()
		return
	}
	asked, most := strings.Contains(low, "++history"), workCompact
	if strings.Contains(low, "++history deep") {
		most = workDeep
	}
	switch p.plan.Intent {
	case History, Bug, Refactor, Explore:
	default:
		if !asked {
			return
		}
	}
	words := map[string]bool{}
	for _, t := range terms.Query(strings.NewReplacer("++history deep", "", "++history", "").Replace(low)) {
		if !terms.Stop(t.Text) {
			words[t.Text] = true
		}
	}
	type hit struct {
		w     Work
		score int
	}
	var hits []hit
	best := 0
	for _, w := range p.earlier() {
		s := w.score(words, paths)
		if !asked && (w.Now || s < workFloor || w.Paths < 2 || p.plan.Intent == History && w.Paths < 3) {
			continue
		}
		best = max(best, s)
		hits = append(hits, hit{w, s})
	}
	if best > 0 {
		hits = slices.DeleteFunc(hits, func(h hit) bool { return h.score == 0 })
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return b.score - a.score })
	var lines []string
	for _, h := range hits {
		if ln := h.w.line(); ln != "" && len(lines) < most {
			lines = append(lines, "- "+ln)
		}
	}
	if len(lines) == 0 {
		if asked {
			p.page.notes = append(p.page.notes, note{text: "The local activity log holds no earlier work on this.", drop: 2})
		}
		return
	}
	out := "Earlier work here, from the local activity log (evidence, not a rule):\n" + strings.Join(lines, "\n")
	if asked {
		p.page.notes = append(p.page.notes, note{text: out, drop: 2})
		return
	}
	if x, fresh := p.extra("x:work:"+shortHash(out), out); fresh {
		p.page.notes = append(p.page.notes, note{text: out, x: &x, drop: 1})
	}
}

// earlier is what In.Work gives, asked once.
func (p *planner) earlier() []Work {
	if p.in.Work != nil && !p.worked {
		p.workDone, p.worked = p.in.Work(), true
	}
	return p.workDone
}

// routeWork is the earlier work that a route may go by: the newest.
func (p *planner) routeWork() []Work {
	all := p.earlier()
	return all[:min(len(all), routeStretches)]
}

// handoff sums up what this session touched, or the newest one before it.
func (p *planner) handoff() {
	all := p.earlier()
	if len(all) == 0 {
		p.page.notes = append(p.page.notes, note{text: "The local activity log holds nothing to hand over.", drop: 2})
		return
	}
	who, list := "This session", []Work{}
	for _, w := range all {
		if w.Now {
			list = append(list, w)
		}
	}
	if len(list) == 0 {
		who, list = "The session before", all[:1]
	}
	var sum Work
	for _, w := range list {
		sum.Wrote = join(sum.Wrote, w.Wrote)
		sum.Edited, sum.Read, sum.Entries = join(sum.Edited, w.Edited), join(sum.Read, w.Read), join(sum.Entries, w.Entries)
	}
	sum.Read = slices.DeleteFunc(sum.Read, func(f string) bool { return slices.Contains(sum.Edited, f) })
	ln := sum.line()
	if ln == "" {
		return
	}
	out := who + " " + ln + "."
	if keys := shown(sum.Entries, 6); keys != "" {
		out += " Notes told: " + keys + "."
	}
	if who == "This session" {
		out += " Hand over in a few lines: what is done, what is left, what was decided and why."
	}
	p.page.notes = append(p.page.notes, note{text: out, drop: 2})
}

// score is what speaks for a stretch: a path in either direction counts 2, each
// shared subject 1, at most 3.
func (w *Work) score(words map[string]bool, paths []string) int {
	s := 0
	for _, f := range slices.Concat(w.Edited, w.Read) {
		if slices.ContainsFunc(paths, func(q string) bool { return q != "" && (f == q || inside(f, q) || inside(q, f)) }) {
			s += 2
			break
		}
	}
	n := 0
	for _, sub := range w.Subjects {
		if slices.ContainsFunc(terms.Query(sub), func(t terms.Term) bool { return words[t.Text] }) {
			n++
		}
	}
	return s + min(n, 3)
}

// line is "edited a, b (+2 more); read c; wrote memory:d", "" when no path can be
// named.
func (w *Work) line() string {
	out := ""
	for _, part := range []struct {
		verb  string
		names []string
	}{{"edited ", w.Edited}, {"read ", w.Read}, {"wrote ", w.Wrote}} {
		names := shown(part.names, workPaths)
		if names == "" || part.verb == "wrote " && out == "" {
			continue
		}
		if out != "" {
			out += "; "
		}
		out += part.verb + names
	}
	return out
}

// shown lists at most so many names; one that a text could not hold as it is,
// is left out.
func shown(names []string, most int) string {
	var ok []string
	for _, n := range names {
		if n != "" && len(n) <= 200 && !strings.ContainsAny(n, "\n\r\x00") && plaintext.Clean(n) == n {
			ok = append(ok, n)
		}
	}
	if len(ok) <= most {
		return strings.Join(ok, ", ")
	}
	return strings.Join(ok[:most], ", ") + " (+" + itoa(len(ok)-most) + " more)"
}
