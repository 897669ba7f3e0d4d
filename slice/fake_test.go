package slice

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path"
	"slices"
	"sort"
	"strings"
	"testing"

	"pathrule/index/catalog"
	"pathrule/index/terms"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// fake is a Source in memory: BM25 over the same fields as the real index, the
// path door by asking every scope.
type fake struct {
	recs  []catalog.Record
	docs  map[string]catalog.Doc
	err   map[string]error // by key, for Load
	files []string
	// noText answers as the catalogue does: no text door.
	noText bool
	loads  int

	tf  []map[string]float64
	len []float64
	df  map[string]int
}

type entry struct {
	kind                         knowledge.Kind
	id, title, desc, body        string
	paths, tags, related         []string
	priority, enforcement, owner string
	prefix                       string
}

func (f *fake) add(es ...entry) *fake {
	if f.docs == nil {
		f.docs = map[string]catalog.Doc{}
	}
	for _, e := range es {
		if e.owner == "" {
			e.owner = "0123456789abcdef"
		}
		if e.title == "" {
			e.title = e.id[strings.LastIndexByte(e.id, '/')+1:]
		}
		k := knowledge.Entry{Kind: e.kind, ID: e.id, Title: e.title, Description: e.desc, Body: e.body}
		r := catalog.Record{
			Kind: e.kind, ID: e.id, Key: e.owner + "/" + string(e.kind) + ":" + e.id, Owner: e.owner, Prefix: e.prefix,
			Title: e.title, Line: k.Line(), Description: e.desc, Paths: e.paths, Tags: e.tags, Related: e.related,
			Priority: knowledge.Priority(e.priority), Enforcement: e.enforcement,
			Hash: knowledge.Version([]byte(e.title + e.body)), BodyBytes: len(knowledge.Strip(e.body)),
		}
		f.recs = append(f.recs, r)
		f.docs[r.Key] = catalog.Doc{Title: e.title, Body: e.body, Hash: r.Hash}
	}
	f.tf = nil
	return f
}

func (f *fake) build() {
	if f.tf != nil {
		return
	}
	f.df = map[string]int{}
	f.tf = make([]map[string]float64, len(f.recs))
	f.len = make([]float64, len(f.recs))
	for i, r := range f.recs {
		w := map[string]float64{}
		read := func(s string, weight float64) {
			for _, t := range terms.Analyse(s) {
				w[t.Text] += weight
				f.len[i]++
			}
		}
		read(r.Title, 3)
		read(strings.Join(r.Tags, "\n"), 2.5)
		read(r.Description, 2)
		read(r.ID+"\n"+strings.Join(r.Paths, "\n"), 1.5)
		read(f.docs[r.Key].Body, 1)
		f.tf[i] = w
		for t := range w {
			f.df[t]++
		}
	}
}

func (f *fake) Search(q catalog.Query) (catalog.Result, error) {
	f.build()
	res := catalog.Result{Docs: len(f.recs)}
	limit := q.Limit
	if limit == 0 {
		limit = 50
	}
	avg := 1.0
	for _, l := range f.len {
		avg += l / float64(len(f.len))
	}
	res.Words = int(avg)
	seen := map[string]bool{}
	var words []string
	for _, t := range terms.Query(q.Text) {
		if !seen[t.Text] {
			seen[t.Text] = true
			words = append(words, t.Text)
			if !f.noText {
				res.Terms = append(res.Terms, catalog.TermStat{Term: t.Text, Docs: f.df[t.Text]})
			}
		}
	}
	own := len(words)
	for _, o := range q.Other {
		if f.noText || !slices.ContainsFunc(o.Of, func(t string) bool { return f.df[t] == 0 && !terms.Stop(t) }) {
			continue
		}
		for _, w := range o.Terms {
			if !seen[w] {
				seen[w] = true
				words = append(words, w)
				res.Terms = append(res.Terms, catalog.TermStat{Term: w, Docs: f.df[w]})
			}
		}
	}
	var byText []catalog.Candidate
	at := map[string]int{}
	for i := range f.recs {
		r := f.recs[i]
		if len(q.Kinds) > 0 && !slices.Contains(q.Kinds, r.Kind) {
			continue
		}
		score := 0.0
		for k, w := range words {
			if terms.Stop(w) {
				continue
			}
			tf := f.tf[i][w]
			if f.noText {
				tf = 0
				for _, t := range terms.Query(r.Title + " " + r.ID + " " + strings.Join(r.Tags, " ")) {
					if t.Text == w {
						tf = 1
					}
				}
			}
			if tf > 0 {
				idf := math.Log(1 + (float64(len(f.recs))-float64(f.df[w])+0.5)/(float64(f.df[w])+0.5))
				if k >= own {
					idf /= 2
				}
				score += idf * tf * 2.2 / (tf + 1.2*(0.25+0.75*f.len[i]/avg))
			}
		}
		c := catalog.Candidate{Record: r, Text: score}
		c.Fit, c.Depth, c.Path = covers(&r, q.Paths)
		if score > 0 {
			byText = append(byText, c)
		} else if c.Fit != workspace.Outside {
			res.Candidates = append(res.Candidates, c)
		}
		at[r.Key] = i
	}
	sort.Slice(byText, func(i, j int) bool {
		if byText[i].Text != byText[j].Text {
			return byText[i].Text > byText[j].Text
		}
		return byText[i].Record.Key < byText[j].Record.Key
	})
	for i, c := range byText {
		if i < limit || c.Fit != workspace.Outside {
			res.Candidates = append(res.Candidates, c)
		}
	}
	asked := words[:own]
	for _, p := range f.files {
		s := 0.0
		for _, t := range terms.Query(p) {
			if slices.Contains(asked, t.Text) && !terms.Stop(t.Text) {
				s++
			}
		}
		for _, t := range terms.Query(path.Base(p)) {
			if slices.Contains(asked, t.Text) && t.Whole {
				s += 2
			}
		}
		if s > 0 {
			res.Files = append(res.Files, catalog.PathHit{Path: p, Score: s})
		}
	}
	slices.SortStableFunc(res.Files, func(a, b catalog.PathHit) int { return cmp.Compare(b.Score, a.Score) })
	if len(res.Files) > 10 {
		res.Files = res.Files[:10]
	}
	return res, nil
}

func (f *fake) All(yield func(catalog.Record) bool) error {
	all := slices.Clone(f.recs)
	order := map[knowledge.Kind]int{knowledge.Memory: 0, knowledge.Rule: 1, knowledge.Skill: 2}
	sort.SliceStable(all, func(i, j int) bool {
		if all[i].Kind != all[j].Kind {
			return order[all[i].Kind] < order[all[j].Kind]
		}
		return all[i].ID < all[j].ID
	})
	for _, r := range all {
		if !yield(r) {
			break
		}
	}
	return nil
}

func (f *fake) Load(r catalog.Record) (catalog.Doc, error) {
	f.loads++
	if err := f.err[r.Key]; err != nil {
		return catalog.Doc{}, err
	}
	d, ok := f.docs[r.Key]
	if !ok {
		return d, catalog.ErrGone
	}
	return d, nil
}

func (f *fake) Counts() (map[knowledge.Kind]int, map[string]int, error) {
	k, d := map[knowledge.Kind]int{}, map[string]int{}
	for _, r := range f.recs {
		k[r.Kind]++
		dirs := map[string]bool{}
		for _, p := range r.Paths {
			top, _, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
			if !strings.ContainsAny(top, "*?!") {
				dirs[top] = true
			}
		}
		if len(dirs) == 0 {
			dirs[""] = true
		}
		for t := range dirs {
			d[t]++
		}
	}
	return k, d, nil
}

func (f *fake) exists(rel string) bool {
	return slices.ContainsFunc(f.files, func(p string) bool { return p == rel || strings.HasPrefix(p, rel+"/") })
}

// readEntries reads the workspaces under testdata/eval.
func readEntries(t testing.TB, name string) *fake {
	t.Helper()
	data, err := os.ReadFile("testdata/eval/" + name + ".entries")
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{}
	for _, block := range strings.Split("\n"+string(data), "\n=== ")[1:] {
		head, body, ok := strings.Cut(block, "\n---\n")
		if !ok {
			t.Fatalf("%s: block without ---: %q", name, block)
		}
		lines := strings.Split(head, "\n")
		kind, id, _ := strings.Cut(lines[0], " ")
		e := entry{kind: knowledge.Kind(kind), id: id, body: strings.TrimSpace(body) + "\n"}
		for _, l := range lines[1:] {
			k, v, _ := strings.Cut(l, ": ")
			switch k {
			case "title":
				e.title = v
			case "description":
				e.desc = v
			case "paths":
				e.paths = workspace.SplitPatterns(v)
				for i := range e.paths {
					e.paths[i] = strings.TrimSpace(e.paths[i])
				}
			case "tags":
				e.tags = strings.Split(v, ", ")
			case "related":
				e.related = strings.Split(v, ", ")
			case "priority":
				e.priority = v
			case "enforcement":
				e.enforcement = v
			default:
				t.Fatalf("%s: %s: unknown key %q", name, id, k)
			}
		}
		f.add(e)
	}
	files, err := os.ReadFile("testdata/eval/" + name + ".files")
	if err != nil {
		t.Fatal(err)
	}
	f.files = strings.Fields(string(files))
	return f
}

// bury adds n foreign entries made of words that real notes use, from a fixed
// seed, so that scores are tried at another size of workspace.
func (f *fake) bury(n int) *fake {
	data, err := os.ReadFile("../index/terms/testdata/words.txt")
	if err != nil {
		panic(err)
	}
	general := strings.Fields(string(data))
	trade := strings.Fields(foreign)
	state := uint64(42)
	next := func(m int) int {
		state = state*6364136223846793005 + 1442695040888963407
		return int((state >> 33) % uint64(m))
	}
	for i := range general { // frequent words are not the alphabet's first
		j := next(len(general))
		general[i], general[j] = general[j], general[i]
	}
	skewed := func(words []string) string {
		u := float64(next(1<<20)) / (1 << 20)
		return words[int(u*u*u*float64(len(words)))]
	}
	// Every entry has a subject: a handful of words of the trade.
	var subject []string
	word := func() string {
		if next(4) == 0 {
			return subject[next(len(subject))]
		}
		return skewed(general)
	}
	for i := range n {
		subject = subject[:0]
		for range 6 {
			subject = append(subject, trade[next(len(trade))])
		}
		var b strings.Builder
		for j := range 50 + next(60) {
			if j > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(word())
		}
		kind := knowledge.Memory
		if i%5 == 0 {
			kind = knowledge.Rule
		}
		dir := fmt.Sprintf("lib%d/part%d", next(40), next(30))
		f.add(entry{kind: kind, id: fmt.Sprintf("foreign/n%05d", i), title: word() + " " + word() + " " + word(), paths: []string{dir}, body: b.String() + ".\n"})
	}
	return f
}

// foreign is the vocabulary of the foreign entries, common words first.
const foreign = `service request client server user data error test config file deploy build cache queue worker database table column index query
 token session retry timeout limit batch event message handler endpoint response status header payload schema version release branch merge commit
 review policy rule owner team customer account invoice payment order price report screen page button form field list filter search export import
 upload download image video document email notification push webhook stream topic partition consumer producer broker cluster node pod container
 image volume secret vault key certificate rotation signature hash digest encryption backup restore snapshot replica primary failover lag migration
 rollback feature flag experiment metric alert dashboard trace span log level sampling budget quota throttle backoff jitter circuit breaker pool
 connection socket thread lock mutex deadlock race memory leak heap garbage allocation buffer parser lexer compiler linker binary module package
 dependency upgrade license audit compliance privacy consent erasure retention archive storage bucket object region zone latency throughput load
 balancer proxy gateway route path domain subdomain redirect cookie header origin policy frame script style theme colour font layout grid column row
 scroll animation gesture keyboard focus label translation locale timezone calendar holiday schedule cron job task pipeline stage artifact registry
 template variable environment staging production sandbox fixture factory mock stub snapshot coverage flaky quarantine benchmark profile budget
 vessel port berth crane carrier voyage lane harbour terminal truck driver depot warehouse shelf picking packing label printer scanner barcode weight
 pallet carton tariff duty declaration customs broker ledger entry balance currency rate rounding tax refund credit dispute chargeback fraud risk
 score model training inference feature vector embedding dataset annotation labeler quality drift monitor threshold anomaly forecast season demand`

var _ catalog.Source = (*fake)(nil)
