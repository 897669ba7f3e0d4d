package slice

import (
	"slices"
	"sort"
	"strings"

	"pathrule/index/catalog"
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
	meek  bool // a body that must keep the budget
	far   bool // a name that only completes the list: its entry says nothing of this place
	bare  bool // a line, and no sections of it
	asked int  // the task touches on it: its rank, from 1
	hosts bool // a body would be told, but the host has or loads it by itself
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
		var at string
		if c.fit, c.depth, at = covers(r, paths); c.fit == workspace.File && folderName(at) {
			c.fit = workspace.Folder // filed under the very folder, as others are
		}
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
				c.ev = q.look(&c.rec, l.title, knowledge.Strip(l.raw), c.fit >= workspace.Glob)
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
func (c *candidate) value(inHand bool) float64 { return c.placed(c.ev.value, inHand) }

func (c *candidate) placed(v float64, inHand bool) float64 {
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
