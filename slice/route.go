package slice

import (
	"path"
	"slices"
	"sort"
	"strings"

	"pathrule/index/catalog"
	"pathrule/index/terms"
	"pathrule/internal/plaintext"
	"pathrule/workspace"
)

// route finds the file most worth opening before a search. It is told only
// when it exists, scores above the floor, and is news: a path that the prompt
// spells out needs no telling.
func (p *planner) route(q *question, res catalog.Result, cands []candidate, named names, hints []string) {
	switch p.plan.Intent {
	case Command, Inventory, UI:
		return
	}
	type target struct {
		path  string
		score float64
		sure  bool // known to exist
	}
	var all []target
	add := func(rel string, score float64, sure bool) {
		if rel == "" || strings.ContainsAny(rel, "\n\r\x00") || plaintext.Clean(rel) != rel {
			return
		}
		i := slices.IndexFunc(all, func(t target) bool { return t.path == rel })
		if i < 0 {
			all = append(all, target{path: rel, sure: sure})
			i = len(all) - 1
		}
		all[i].score += score
		all[i].sure = all[i].sure || sure
	}
	for _, f := range named.paths {
		if fileName(f) {
			add(f, routeNamed, true)
		}
	}
	for _, f := range hints {
		add(f, routeNamed-1, true)
	}
	for i, f := range res.Files {
		if i == 10 {
			break
		}
		add(f.Path, 0, true)
	}
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
			add(rel, routeOwn/float64(1+k), false)
		}
	}
	for i := range all {
		all[i].score = round(all[i].score + q.inPath(all[i].path))
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].score != all[j].score {
			return all[i].score > all[j].score
		}
		return all[i].path < all[j].path
	})
	asked := 0
	exists := func(t target) bool {
		if t.sure {
			return true
		}
		if p.in.Exists == nil || asked >= 3 {
			return false
		}
		asked++
		return p.in.Exists(t.path)
	}
	all = slices.DeleteFunc(all, func(t target) bool { return t.score < routeFloor })
	for len(all) > 0 && !exists(all[0]) {
		all = all[1:]
	}
	if len(all) == 0 {
		return
	}
	r := &Route{Path: all[0].path, Score: all[0].score}
	for _, t := range all[1:] {
		if t.score < all[0].score-routeClose {
			break
		}
		if exists(t) {
			r.RunnerUp = t.path
			break
		}
	}
	for _, t := range all[1:min(len(all), 3)] {
		if t.sure {
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
	x, fresh := Extra{Key: "x:route:" + r.Path, Hash: shortHash(r.Path)}, true
	if p.has(x.Key, x.Hash) != None {
		fresh = false
	}
	if fresh {
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
