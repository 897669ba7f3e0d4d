package history

import (
	"math"
	"slices"

	"pathrule/index/terms"
)

// How a history is read. The numbers were set on the subjects of six projects'
// real histories (internal/bench/route), each asked what its next commits changed.
const (
	// MaxCommits is how many of the newest commits are read.
	MaxCommits = 5000
	// MaxFiles of one commit: more of them say nothing about each other.
	MaxFiles = 30
	// maxWords of one subject.
	maxWords = 40

	// halfLife is after how long a commit counts half, in seconds, and faded the
	// least that it counts.
	halfLife = 365 * 24 * 60 * 60
	faded    = 0.1
	// doubt is how many commits without the file a word is given besides its own,
	// so that one coincidence is no proof.
	doubt = 2.0
	// A file in more than commonShare of all changes, and in commonTimes of them,
	// goes with everything: a change log, a lock file. No word leads to it.
	commonShare = 0.08
	commonTimes = 8

	// maxLinks of a word, maxWith of a file.
	maxLinks = 24
	maxWith  = 15
	// minWith is how often two files must have changed together.
	minWith = 3
	// leastShare is worth keeping.
	leastShare = 0.01

	scale     = 1000 // shares in the file are of a thousand
	heatScale = 1_000_000
)

// Terms are the words of a subject as they are kept: analysed, those without a
// topic left out, each once.
func Terms(subject string) []string {
	var out []string
	for _, t := range terms.AppendTerms(nil, subject) {
		if len(out) == maxWords {
			break
		}
		if !terms.Stop(t.Text) && !slices.Contains(out, t.Text) {
			out = append(out, t.Text)
		}
	}
	return out
}

// tally is what commits add up to.
type tally struct {
	paths []string // sorted
	id    map[string]int
	heat  []float64 // by path
	with  [][]link
	words map[string]*wordTally
}

type wordTally struct {
	docs  int
	sum   float64
	files map[int]float64
	links []link
}

type link struct {
	id    int
	share float64
}

// count adds the commits up, newest first. there says which paths are worth
// naming: those that exist now.
func count(commits []Commit, there func(string) bool) *tally {
	t := &tally{id: map[string]int{}, words: map[string]*wordTally{}}
	newest := int64(0)
	for i := range commits {
		newest = max(newest, commits[i].At)
	}
	// Under which name a path of an older commit is known now.
	now := map[string]string{}
	files := make([][]string, len(commits))
	known := map[string]bool{}
	for i := range commits {
		c := &commits[i]
		for _, m := range c.Moved {
			to := m[1]
			if n, ok := now[to]; ok {
				to = n
			}
			if _, ok := now[m[0]]; !ok && to != m[0] {
				now[m[0]] = to
			}
		}
		for _, f := range c.Files {
			if n, ok := now[f]; ok && !there(f) {
				f = n
			}
			if !slices.Contains(files[i], f) {
				files[i] = append(files[i], f)
				known[f] = true
			}
		}
	}
	for f := range known {
		if there(f) {
			t.paths = append(t.paths, f)
		}
	}
	slices.Sort(t.paths)
	for i, p := range t.paths {
		t.id[p] = i
	}

	t.heat = make([]float64, len(t.paths))
	times := make([]int, len(t.paths))
	pairs := map[[2]int]float64{}
	often := map[[2]int]int{}
	total := 0.0
	var ids []int
	for i := range commits {
		c := &commits[i]
		if len(files[i]) == 0 || len(files[i]) > MaxFiles {
			continue
		}
		w := max(faded, math.Exp2(-float64(newest-c.At)/halfLife))
		total += w
		ids = ids[:0]
		for _, f := range files[i] {
			if id, ok := t.id[f]; ok {
				ids = append(ids, id)
				t.heat[id] += w
				times[id]++
			}
		}
		for _, word := range c.Words {
			wt := t.words[word]
			if wt == nil {
				wt = &wordTally{files: map[int]float64{}}
				t.words[word] = wt
			}
			wt.docs++
			wt.sum += w
			for _, id := range ids {
				wt.files[id] += w
			}
		}
		slices.Sort(ids)
		for a, x := range ids {
			for _, y := range ids[a+1:] {
				pairs[[2]int{x, y}] += w
				often[[2]int{x, y}]++
			}
		}
	}
	t.with = make([][]link, len(t.paths))
	if total == 0 {
		return t
	}
	common := func(id int) bool { return times[id] >= commonTimes && t.heat[id] > commonShare*total }
	for _, wt := range t.words {
		for id, c := range wt.files {
			if s := c/(wt.sum+doubt) - t.heat[id]/total; s >= leastShare && !common(id) {
				wt.links = append(wt.links, link{id, s})
			}
		}
		wt.links = closest(wt.links, maxLinks)
		wt.files = nil
	}
	for p, c := range pairs {
		if often[p] < minWith {
			continue
		}
		for k, id := range p {
			other := p[1-k]
			if s := c/(t.heat[id]+doubt) - t.heat[other]/total; s >= leastShare && !common(other) {
				t.with[id] = append(t.with[id], link{other, s})
			}
		}
	}
	for i := range t.with {
		t.with[i] = closest(t.with[i], maxWith)
		t.heat[i] /= total
	}
	return t
}

// closest are the n links with the highest shares as they will be written,
// equal ones in the order of their paths.
func closest(l []link, n int) []link {
	slices.SortFunc(l, func(a, b link) int {
		if x, y := quant(a.share), quant(b.share); x != y {
			return y - x
		}
		return a.id - b.id
	})
	return slices.Clip(l[:min(n, len(l))])
}

func quant(share float64) int { return int(math.Round(share * scale)) }
