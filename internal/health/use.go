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

// gaps finds folders and files that change much and that no entry is about,
// once there is knowledge of anything.
func (c *checker) gaps() {
	if len(c.git.commits) == 0 || len(c.in.Entries) == 0 {
		return
	}
	var scopes []workspace.Scope
	for i := range c.in.Entries {
		if sc, err := c.in.Entries[i].Scope(""); err == nil && !sc.Whole() {
			scopes = append(scopes, sc)
		}
	}
	governed := map[string]bool{}
	covered := func(f string) bool {
		if hit, ok := governed[f]; ok {
			return hit
		}
		hit := false
		for _, sc := range scopes {
			if hit = sc.Covers(f); hit {
				break
			}
		}
		governed[f] = hit
		return hit
	}
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
			all = append(all, gap{dir, fmt.Sprintf("%d of its files changed in %d commits within 60 days, and %d of them have an entry", len(p.files), p.commits, n), p.commits})
		}
	}
	for f, n := range files {
		if n >= gapFile && !covered(f) && !told[path.Dir(f)] {
			all = append(all, gap{f, fmt.Sprintf("changed in %d commits within 60 days, and no entry is about it", n), n})
		}
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].weight != all[j].weight {
			return all[i].weight > all[j].weight
		}
		return all[i].path < all[j].path
	})
	for _, g := range all[:min(maxGaps, len(all))] {
		c.out = append(c.out, Finding{Kind: Gap, File: filepath.Join(c.in.Project.Root, filepath.FromSlash(g.path)), Why: g.why,
			Remedy: "pathrule memory add \"…\" --path " + quote(g.path)})
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
