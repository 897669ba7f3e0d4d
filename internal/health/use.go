package health

import (
	"fmt"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"pathrule/knowledge"
	"pathrule/workspace"
)

const (
	day = 24 * 60 * 60

	// QuietDays is how long an entry may go untold.
	QuietDays = 30

	// An entry is stale after so many commits on what it is about, and days.
	staleCommits, staleDays = 5, 7

	// A place without knowledge is told when so many of its files changed in so
	// many commits and less than a share of them is governed by an entry; a single
	// file when it changed in gapFile commits.
	gapFiles, gapCommits = 8, 3
	gapShare             = 0.3
	gapFile              = 8
	maxGaps              = 5
	maxStale             = 10
)

// quiet finds entries that no session was told, as long as there is a record
// that reaches back far enough, and somebody was told something.
func (c *checker) quiet() {
	limit := c.in.Now - QuietDays*day
	if c.in.Since == 0 || c.in.Since > limit || len(c.in.Told) == 0 {
		return
	}
	for i := range c.in.Entries {
		e := &c.in.Entries[i]
		at := c.in.Told[c.in.Owner+"/"+name(e)]
		if at >= limit || written(e) >= limit {
			continue
		}
		why := "was told to no session since hooks keep a record"
		if at > 0 {
			why = fmt.Sprintf("was last told %d days ago", (c.in.Now-at)/day)
		}
		c.add(Quiet, e, Finding{Why: why, Remedy: "pathrule " + string(e.Kind) + " show " + quote(e.ID)})
	}
}

// written is when an entry says that it was written or changed last, in unix
// seconds, 0 when it does not.
func written(e *knowledge.Entry) int64 {
	last := int64(0)
	for _, s := range []string{e.Updated, e.Created} {
		for _, form := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
			if t, err := time.Parse(form, strings.TrimSpace(s)); err == nil {
				last = max(last, t.Unix())
				break
			}
		}
	}
	return last
}

// stale finds entries whose files changed much since the entry was written. An
// entry that says no date counts from the last commit of its own file.
func (c *checker) stale() {
	if len(c.git.commits) == 0 {
		return
	}
	n := 0
	for i := range c.in.Entries {
		e := &c.in.Entries[i]
		sc, err := e.Scope("")
		if err != nil || sc.Whole() || n == maxStale {
			continue
		}
		own := ""
		if c.in.File != nil {
			if rel, err := filepath.Rel(c.in.Project.Root, c.in.File(*e)); err == nil {
				own = filepath.ToSlash(rel)
			}
		}
		since, commits := written(e), 0
		for _, k := range c.git.commits {
			hit := false
			for _, f := range k.files {
				if f == own {
					since = max(since, k.at)
				}
				hit = hit || !strings.HasPrefix(f, ".pathrule/") && sc.Covers(f)
			}
			// Newest first: what comes after the entry's own last change is older.
			if since > 0 && k.at <= since {
				break
			}
			if hit {
				commits++
			}
		}
		if since == 0 || commits < staleCommits || c.in.Now-since < staleDays*day {
			continue
		}
		n++
		c.add(Stale, e, Finding{Why: fmt.Sprintf("its files changed in %d commits since it was written; is it still true?", commits),
			Remedy: "pathrule " + string(e.Kind) + " edit " + quote(e.ID)})
	}
}

// A scope that covers more than wideShare of a project of some size is about
// the project, not about each place in it.
const (
	wideShare = 0.3
	wideFiles = 40
	wideLooks = 2000 // files that it is measured by
)

// about are the entries that a place can be about, and what they cover.
type about struct {
	c      *checker
	scopes []workspace.Scope
	of     []*knowledge.Entry
	wide   map[int]bool
	known  map[string]*knowledge.Entry
}

func (c *checker) about() *about {
	a := &about{c: c, wide: map[int]bool{}, known: map[string]*knowledge.Entry{}}
	for i := range c.in.Entries {
		if sc, err := c.in.Entries[i].Scope(""); err == nil && !sc.Whole() {
			a.scopes, a.of = append(a.scopes, sc), append(a.of, &c.in.Entries[i])
		}
	}
	return a
}

// entry is one that is about a file, nil for none.
func (a *about) entry(f string) *knowledge.Entry {
	if e, ok := a.known[f]; ok {
		return e
	}
	var hit *knowledge.Entry
	for i, sc := range a.scopes {
		if sc.Covers(f) && !a.tooWide(i) {
			hit = a.of[i]
			break
		}
	}
	a.known[f] = hit
	return hit
}

func (a *about) tooWide(i int) bool {
	if wide, ok := a.wide[i]; ok {
		return wide
	}
	all := a.c.in.Project.Paths
	step := max(1, len(all)/wideLooks)
	seen, n := 0, 0
	for k := 0; k < len(all); k += step {
		if seen++; a.scopes[i].Covers(all[k]) {
			n++
		}
	}
	a.wide[i] = n*step >= wideFiles && float64(n) > wideShare*float64(seen)
	return a.wide[i]
}

// gaps finds folders and files that change much and that no entry is about,
// once there is knowledge of anything.
func (c *checker) gaps() {
	if len(c.git.commits) == 0 || len(c.in.Entries) == 0 {
		return
	}
	scopes := c.about()
	covered := func(f string) bool { return scopes.entry(f) != nil }
	type place struct {
		files   map[string]bool
		commits int
	}
	folders, files := map[string]*place{}, map[string]int{}
	for _, k := range c.git.commits {
		if len(k.files) > 200 {
			continue // moved or reformatted, not worked on
		}
		seen := map[string]bool{}
		for _, f := range k.files {
			if made(f) || !c.there(f) {
				continue
			}
			files[f]++
			dir := path.Dir(f)
			if dir == "." {
				continue
			}
			p := folders[dir]
			if p == nil {
				p = &place{files: map[string]bool{}}
				folders[dir] = p
			}
			p.files[f] = true
			if !seen[dir] {
				seen[dir] = true
				p.commits++
			}
		}
	}
	type gap struct {
		path, why string
		weight    int
		heat      float64
		known     *knowledge.Entry // about a file that changes with it
	}
	var all []gap
	told := map[string]bool{}
	for dir, p := range folders {
		n := 0
		for f := range p.files {
			if covered(f) {
				n++
			}
		}
		if len(p.files) >= gapFiles && p.commits >= gapCommits && float64(n) < gapShare*float64(len(p.files)) {
			told[dir] = true
			g := gap{path: dir, why: fmt.Sprintf("%d of its files changed in %d commits within 60 days, and %d of them have an entry", len(p.files), p.commits, n), weight: p.commits}
			if c.in.Past != nil {
				for f := range p.files {
					heat, _ := c.in.Past(f)
					g.heat = max(g.heat, heat)
				}
			}
			all = append(all, g)
		}
	}
	for f, n := range files {
		if n < gapFile || covered(f) || told[path.Dir(f)] {
			continue
		}
		g := gap{path: f, why: fmt.Sprintf("changed in %d commits within 60 days, and no entry is about it", n), weight: n}
		if c.in.Past != nil {
			var with []string
			g.heat, with = c.in.Past(f)
			for _, w := range with {
				if g.known = scopes.entry(w); g.known != nil {
					g.why += "; it changes together with " + w + ", which " + name(g.known) + " is about"
					break
				}
			}
		}
		all = append(all, g)
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].weight != all[j].weight {
			return all[i].weight > all[j].weight
		}
		if all[i].heat != all[j].heat { // of as many lately, what changed more all along
			return all[i].heat > all[j].heat
		}
		return all[i].path < all[j].path
	})
	for _, g := range all[:min(maxGaps, len(all))] {
		f := Finding{Kind: Gap, File: filepath.Join(c.in.Project.Root, filepath.FromSlash(g.path)), Why: g.why, Remedy: "pathrule memory add \"…\" --path " + quote(g.path)}
		if g.known != nil {
			f.Other, f.Remedy = name(g.known), edit(g.known)+" --add-path "+quote(g.path)
		}
		c.out = append(c.out, f)
	}
}

// made reports files that change without anybody deciding anything in them.
func made(f string) bool {
	if strings.HasPrefix(f, ".pathrule/") {
		return true
	}
	base := strings.ToLower(path.Base(f))
	switch base {
	case "go.sum", "package-lock.json", "npm-shrinkwrap.json", "cargo.lock", "composer.lock", "poetry.lock", "uv.lock", "gemfile.lock", "changelog.md", "changes.md", "history.md":
		return true
	}
	switch path.Ext(base) {
	case ".lock", ".lockb", ".snap", ".svg", ".png", ".min", ".map", ".pbxproj":
		return true
	}
	return strings.Contains(base, ".min.") || strings.Contains(base, "lock.yaml") || strings.HasSuffix(base, ".pb.go")
}
