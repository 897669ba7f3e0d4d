package health

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"pathrule/index/terms"
	"pathrule/knowledge"
	"pathrule/workspace"
)

const (
	// twinFloor is how much of two texts' words and word pairs is shared by near
	// duplicates.
	twinFloor = 0.75
	// sameFloor is how much of two rules' first words must be shared before an
	// opposite sense or another number makes them contradict each other.
	sameFloor = 0.6
	// commonShare leaves words of so many entries out of the search for pairs,
	// and maxPairs bounds what is compared.
	rareEntries = 24
	maxPairs    = 200_000
	// maxLooks is how many files all pairs of rules together are held against.
	maxLooks = 2_000_000
)

// print is what two entries are compared by: sets of words as sorted hashes,
// since those of a whole store are in memory at once.
type print struct {
	words, pairs []uint32
	// core are the words of the title and the line, without those that say yes
	// or no; numbers and negated go with them.
	core    []uint32
	numbers []string
	negated bool
}

// pairs finds entries that say nearly the same, and rules that cannot both be
// followed where both govern.
func (c *checker) pairs() {
	es := c.in.Entries
	many := map[uint32]int32{} // entries that hold a word
	for i := range es {
		for _, w := range c.facts[i].words {
			many[w]++
		}
	}
	rare := func(w uint32) bool { return many[w] > 1 && (int(many[w]) <= rareEntries || len(es) <= 2*rareEntries) }
	holders := map[uint32][]int{}
	for i := range es {
		for _, w := range c.facts[i].words {
			if rare(w) {
				holders[w] = append(holders[w], i)
			}
		}
	}
	shared := map[[2]int]int{}
	words := make([]uint32, 0, len(holders))
	for w := range holders {
		words = append(words, w)
	}
	slices.Sort(words) // where the bound cuts off must not depend on map order
	for _, w := range words {
		h := holders[w]
		for a := range h {
			for b := a + 1; b < len(h); b++ {
				if len(shared) < maxPairs || shared[[2]int{h[a], h[b]}] > 0 {
					shared[[2]int{h[a], h[b]}]++
				}
			}
		}
	}
	keys := make([][2]int, 0, len(shared))
	for k, n := range shared {
		if n >= 2 {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b [2]int) int {
		if a[0] != b[0] {
			return a[0] - b[0]
		}
		return a[1] - b[1]
	})
	for _, k := range keys {
		c.pair(k[0], k[1])
	}
}

func (c *checker) pair(i, j int) {
	a, b, x, y := &c.in.Entries[i], &c.in.Entries[j], c.facts[i], c.facts[j]
	if a.Kind == knowledge.Rule && b.Kind == knowledge.Rule && len(x.core) >= 2 && dice(x.core, y.core) >= sameFloor {
		why := ""
		switch {
		case x.negated != y.negated:
			why = "one forbids what the other asks for"
		case beyond(x.numbers, y.numbers) && beyond(y.numbers, x.numbers):
			why = "they name different numbers (" + strings.Join(x.numbers, ", ") + " here, " + strings.Join(y.numbers, ", ") + " there)"
		}
		if why != "" && c.meet(a, b) {
			c.add(Conflict, a, Finding{Other: name(b), Remedy: edit(a),
				Why: "\"" + a.Title + "\" and \"" + b.Title + "\" (" + name(b) + ") govern the same paths, and " + why})
			return
		}
	}
	if a.Kind == knowledge.Skill || b.Kind == knowledge.Skill || len(x.words) < 4 || len(y.words) < 4 {
		return
	}
	if score := (dice(x.words, y.words) + dice(x.pairs, y.pairs)) / 2; score >= twinFloor {
		if c.worse(i, j) {
			a, b = b, a
		}
		c.add(Duplicate, a, Finding{Other: name(b), Remedy: "pathrule " + string(b.Kind) + " rm " + quote(b.ID),
			Why: fmt.Sprintf("says nearly the same as %s (%.0f %% of the words); keep what differs in one of them", name(b), 100*score)})
	}
}

// beyond reports that the first names something that the second does not. One
// that only says more says nothing else.
func beyond(a, b []string) bool {
	return slices.ContainsFunc(a, func(n string) bool { return !slices.Contains(b, n) })
}

// worse reports that of two entries which say the same the first is the one to
// give up: its paths are gone, or it says less.
func (c *checker) worse(a, b int) bool {
	lost := func(i int) bool {
		e := &c.in.Entries[i]
		return c.in.Project.Root != "" && len(e.Paths) > 0 && len(c.in.Project.Unmatched(e.Paths)) == len(e.Paths)
	}
	if x, y := lost(a), lost(b); x != y {
		return x
	}
	return c.facts[a].size < c.facts[b].size
}

// meet reports that the scopes of two entries share a file; scopes without a
// wildcard meet where one holds the other.
func (c *checker) meet(a, b *knowledge.Entry) bool {
	x, err := a.Scope("")
	y, err2 := b.Scope("")
	if err != nil || err2 != nil {
		return false
	}
	if x.Whole() || y.Whole() {
		return true
	}
	within := func(of *knowledge.Entry, s workspace.Scope) bool {
		return slices.ContainsFunc(of.Paths, func(p string) bool {
			p = strings.Trim(p, "/")
			return !strings.ContainsAny(p, `*?[{!\`) && s.Covers(p)
		})
	}
	if within(a, y) || within(b, x) || slices.ContainsFunc(a.Paths, func(p string) bool { return slices.Contains(b.Paths, p) }) {
		return true
	}
	for i, p := range c.in.Project.Paths {
		if i == 20_000 || c.looks == maxLooks {
			break
		}
		c.looks++
		if x.Covers(p) && y.Covers(p) {
			return true
		}
	}
	return false
}

func printOf(e *knowledge.Entry) print {
	var p print
	last := uint64(0)
	for _, t := range terms.Query(e.Title + "\n" + knowledge.Strip(e.Body)) {
		if t.Whole || terms.Stop(t.Text) {
			continue
		}
		h := xxhash.Sum64String(t.Text)
		p.words = append(p.words, uint32(h))
		if last != 0 {
			p.pairs = append(p.pairs, uint32((last*0x9e3779b97f4a7c15+h)>>32))
		}
		last = h
	}
	p.words, p.pairs = set(p.words), set(p.pairs)
	if e.Kind != knowledge.Rule {
		return p
	}
	text := e.Title
	if len(terms.Query(text)) < 3 {
		text += "\n" + e.Line()
	}
	p.negated = negates(text)
	for _, t := range terms.Query(text) {
		switch {
		case t.Whole || terms.Stop(t.Text) || polar(t.Text):
		case strings.Trim(t.Text, "0123456789") == "":
			p.numbers = append(p.numbers, strings.Clone(t.Text))
		default:
			p.core = append(p.core, uint32(xxhash.Sum64String(t.Text)))
		}
	}
	p.core = set(p.core)
	slices.Sort(p.numbers)
	return p
}

// set sorts words and drops repeats.
func set(words []uint32) []uint32 {
	slices.Sort(words)
	return slices.Clone(slices.Compact(words)) // without the room that it grew by
}

func dice(a, b []uint32) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	n := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			n, i, j = n+1, i+1, j+1
		}
	}
	return 2 * float64(n) / float64(len(a)+len(b))
}

// Words that turn a sentence round, in the languages that pathrule reads, as
// they stand in a text in lower case; a trailing * stands for any ending.
const negations = "never not no don't dont doesn't cannot can't mustn't shouldn't avoid* forbid* forbidden prohibit* disallow* without nor stop" +
	" никогда не нельзя запрещ* избега* без" +
	" nie niemals nicht kein keine keinen verboten vermeid* ohne" +
	" nunca no jamas jamás evita* evite* prohib* sin" +
	" jamais ne pas éviter evit* évite* interdit* sans" +
	" nunca não nao evite* proib* sem" +
	" asla değil degil yasak* kaçın* kacin* kullanma* yapma*"

// eastern are such words where none stand between blanks.
var eastern = [...]string{"ない", "禁止", "避け", "いけま", "ません", "不要", "不得", "不能", "禁", "避免", "切勿", "勿", "금지", "마세요", "말 것", "말것", "않", "피하", "ห้าม", "อย่า", "ไม่"}

// always are words that only stress what is asked for; they are no topic.
const stresses = "always must should shall use using please only всегда должн* нужно immer muss müssen siempre debe* toujours doit sempre deve* her zaman"

func negates(text string) bool {
	low := strings.ToLower(text)
	for _, w := range eastern {
		if strings.Contains(low, w) {
			return true
		}
	}
	for w := range strings.FieldsFuncSeq(strings.ReplaceAll(low, "’", "'"), func(r rune) bool {
		return r <= ' ' || strings.ContainsRune(".,;:!?()[]{}\"`/", r)
	}) {
		if listed(negations, w) {
			return true
		}
	}
	return false
}

func polar(w string) bool { return listed(negations, w) || listed(stresses, w) }

func listed(list, word string) bool {
	for w := range strings.SplitSeq(list, " ") {
		if stem, open := strings.CutSuffix(w, "*"); w == word || open && strings.HasPrefix(word, stem) {
			return true
		}
	}
	return false
}
