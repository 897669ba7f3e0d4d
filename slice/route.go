package slice

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"pathrule/index/catalog"
	"pathrule/index/terms"
	"pathrule/internal/plaintext"
	"pathrule/workspace"
)

// route finds the file most worth opening before a search: by the words of its
// path, what the subjects of commits say of the prompt's words, earlier work on
// the same subject, and strong entries attached to it. It is told only when the
// file exists, scores above the floor, and is news: a path that the prompt
// spells out needs no telling.
func (p *planner) route(q *question, res catalog.Result, cands []candidate, named names, hints []string) {
	switch p.plan.Intent {
	case Command, Inventory, UI:
		return
	}
	t := targets{at: map[string]int{}}
	for _, f := range named.paths {
		if fileName(f) {
			t.add(f, routeNamed, true)
		}
	}
	for _, f := range hints {
		t.add(f, routeNamed-1, true)
	}
	// A long prompt shares some words with many files.
	long := min(1, routeLength/float64(max(1, len(q.words))))
	weighed := map[string]bool{}
	for _, f := range res.Files {
		s := routeWords*f.Words + f.History
		weighed[f.Path] = s > 0
		t.add(f.Path, long*s, true)
	}
	t.owned(cands)
	t.worked(p.routeWork(), q)
	for i := range t.all {
		if o := &t.all[i]; !weighed[o.path] {
			o.score += long * q.inPath(o.path)
		}
	}
	p.tellRoute(t.best(), named)
}

// target is a file that may be the one.
type target struct {
	path  string
	score float64
	sure  bool // known to the project map
}

type targets struct {
	all []target
	at  map[string]int
}

func (t *targets) add(rel string, score float64, sure bool) {
	if rel == "" || strings.ContainsAny(rel, "\n\r\x00") || plaintext.Clean(rel) != rel {
		return
	}
	i, ok := t.at[rel]
	if !ok {
		i = len(t.all)
		t.at[rel] = i
		t.all = append(t.all, target{path: rel})
	}
	t.all[i].score += score
	t.all[i].sure = t.all[i].sure || sure
}

// owned adds the files that strong entries are attached to.
func (t *targets) owned(cands []candidate) {
	for i := range cands {
		c := &cands[i]
		if c.form != Body || !c.seen || c.fit != workspace.File && !c.strong(false) {
			continue
		}
		for k, pat := range c.rec.Paths {
			if k == 2 {
				break
			}
			rel := strings.TrimPrefix(pat, "/")
			if strings.ContainsAny(rel, "*?[{!") || !fileName(rel) {
				continue
			}
			if c.rec.Prefix != "" {
				rel = c.rec.Prefix + "/" + rel
			}
			t.add(rel, routeOwn/float64(1+k), false)
		}
	}
}

// worked adds the first files of earlier stretches of work whose subjects the
// prompt names, and a little where this session had a file in hand already, or
// several stretches had, that shares a word with it.
func (t *targets) worked(all []Work, q *question) {
	best := map[string]float64{}
	times := map[string]int{}
	now := map[string]bool{}
	var order []string
	for _, w := range all {
		n := 0
		for _, s := range w.Subjects {
			if q.asks(s) {
				n++
			}
		}
		for i, f := range slices.Concat(w.Edited, w.Read) {
			if times[f] == 0 {
				order = append(order, f)
			}
			times[f]++
			now[f] = now[f] || w.Now
			if n > 0 && i < routeFirst {
				best[f] = max(best[f], routeWork+routeSubject*float64(min(n, 3)))
			}
		}
	}
	for _, f := range order {
		s := best[f]
		if q.inPath(f) > 0 {
			if times[f] > 1 {
				s += routeHot * float64(min(times[f]-1, 2))
			}
			if now[f] {
				s += routeNow
			}
		}
		if s > 0 {
			t.add(f, s, false)
		}
	}
}

// best are the targets in order, the best first.
func (t *targets) best() []target {
	for i := range t.all {
		t.all[i].score = round(t.all[i].score)
	}
	slices.SortFunc(t.all, func(a, b target) int {
		if a.score != b.score {
			return cmp.Compare(b.score, a.score)
		}
		return strings.Compare(a.path, b.path)
	})
	return t.all
}

// tellRoute takes the best target that is on the disk.
func (p *planner) tellRoute(all []target, named names) {
	asked := 0
	exists := func(t target) bool {
		if p.in.Exists == nil {
			return t.sure
		}
		if asked >= routeLooks {
			return false
		}
		asked++
		return p.in.Exists(t.path)
	}
	for len(all) > 0 && all[0].score >= routeFloor && !exists(all[0]) {
		all = all[1:]
	}
	if len(all) == 0 || all[0].score < routeFloor {
		return
	}
	r := &Route{Path: all[0].path, Score: all[0].score}
	for _, t := range all[1:] {
		if t.score < max(routeFloor, all[0].score-routeClose) {
			break
		}
		if exists(t) {
			r.RunnerUp = t.path
			break
		}
	}
	for _, t := range all[1:] {
		if len(r.Next) == 2 {
			break
		}
		if t.sure && t.score > 0 {
			r.Next = append(r.Next, t.path)
		}
	}
	p.plan.Route = r
	if named.literal[r.Path] || p.in.Channel == MCP {
		return
	}
	// In words of their own: a host may show the line without the rest.
	text := "Open " + r.Path + " before searching."
	if r.RunnerUp != "" {
		text = "Open " + r.Path + " (or " + r.RunnerUp + ") before searching."
	}
	x := Extra{Key: "x:route:" + r.Path, Hash: shortHash(r.Path)}
	if p.has(x.Key, x.Hash) == None {
		p.page.notes = append(p.page.notes, note{text: text, x: &x, drop: 2})
	}
}

func fileName(p string) bool {
	base := path.Base(p)
	return plausibleExt(base) || knownName(base)
}

// inPath is what the words of the question say for a path: whole words of its
// name and folders, by how telling they are.
func (q *question) inPath(p string) float64 {
	full := q.best()
	if full == 0 {
		return 0
	}
	base := path.Base(p)
	score := 0.0
	seen := map[int]bool{}
	count := func(text string, worth float64) {
		for _, t := range terms.Query(text) {
			for _, pl := range q.where[t.Text] {
				w := &q.words[pl.word]
				if w.weak || seen[pl.word] {
					continue
				}
				seen[pl.word] = true
				score += worth * min(1, 1.3*w.parts[pl.part].weight/full)
			}
		}
	}
	stem := strings.TrimSuffix(base, path.Ext(base))
	count(stem, routeBase)
	count(path.Dir(p), routeFolder)
	return score
}

// asks reports that the question names a subject: all its words, none of them
// one of every project.
func (q *question) asks(subject string) bool {
	found := false
	for _, t := range terms.Query(subject) {
		if t.Whole {
			continue
		}
		ok := false
		for _, pl := range q.where[t.Text] {
			ok = ok || !q.words[pl.word].weak
		}
		if !ok {
			return false
		}
		found = true
	}
	return found
}

// best is the weight of the heaviest word.
func (q *question) best() float64 {
	m := 0.0
	for _, w := range q.words {
		if !w.weak {
			for _, p := range w.parts {
				m = max(m, p.weight)
			}
		}
	}
	return m
}
