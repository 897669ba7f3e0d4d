package store

import (
	"errors"
	"maps"
	"os"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"pathrule/index/terms"
	"pathrule/internal/cores"
	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
)

// seen is one entry of a scan.
type seen struct {
	knowledge.Entry
	title string // titleKey; "" for what cannot be read, and as long as nobody asked
	size  int64
	mod   int64
	// outlined: it comes from an index, without its text.
	outlined bool
}

// scanned are all entries of a store, as far as duplicates need them.
type scanned struct {
	at    map[string]*seen // by file
	names *names
	look  knowledge.Look // nil: all were read
}

// scan looks at the whole store. What an index knows is not read; without one,
// files that a scan before (nil: none) has seen with the same size and time are
// not read again.
func (s *store) scan(before *scanned) *scanned {
	all := &scanned{look: s.look()}
	var files []knowledge.FileRef
	if all.look != nil {
		files, _ = all.look.Files()
	} else {
		files, _ = s.walk()
	}
	list := make([]*seen, len(files))
	if all.look != nil {
		_ = all.look.Outlines(func(i int, e knowledge.Entry) { list[i] = &seen{Entry: e, outlined: true} })
	}
	var old map[string]*seen
	if before != nil {
		old = before.at
	}
	cores.Each(len(files), func(i int) {
		if list[i] == nil {
			list[i] = s.see(files[i], old)
		}
	})
	all.at, all.names = make(map[string]*seen, len(files)), namesOf(nil)
	for i, n := range list {
		if n != nil {
			all.at[files[i].File] = n
			all.names.add(files[i])
		}
	}
	return all
}

// see reads one entry, unless a scan before has seen it as it is now; nil when it
// is gone.
func (s *store) see(f knowledge.FileRef, before map[string]*seen) *seen {
	st, err := os.Stat(s.path(f.File))
	if err != nil {
		return nil
	}
	if b := before[f.File]; b != nil && !b.outlined && b.size == st.Size() && b.mod == st.ModTime().UnixNano() {
		return b
	}
	n := &seen{size: st.Size(), mod: st.ModTime().UnixNano()}
	n.Kind, n.ID, n.File = f.Kind, f.ID, f.File
	if raw, err := readFile(s.path(f.File)); err == nil {
		e, err := knowledge.ParseLines(raw, f.Kind, f.ID, f.File)
		if errors.Is(err, knowledge.ErrBeyond) {
			e, _, err = frontmatter.Parse(raw, f.Kind, f.ID, f.File)
		}
		if err == nil {
			n.Entry = e
			n.title = titleKey(&e)
		}
	}
	return n
}

// key is the entry's titleKey.
func (n *seen) key() string {
	if n.title == "" && n.outlined {
		n.title = titleKey(&n.Entry)
	}
	return n.title
}

// titleKey is equal for two entries whose titles may not both stand: of
// memories those of one scope, of rules and skills all.
func titleKey(e *knowledge.Entry) string {
	key := string(e.Kind) + "\x00" + foldTitle(e.Title)
	if e.Kind == knowledge.Memory {
		scope := make([]string, 0, len(e.Paths))
		for _, p := range e.Paths {
			if p = strings.Trim(nfc(p), "/"); p != "" {
				scope = append(scope, p)
			}
		}
		sort.Strings(scope)
		key += "\x00" + strings.Join(scope, "\x00")
	}
	return key
}

// foldTitle makes titles equal that differ by blanks, by case or by the form of
// their characters.
func foldTitle(t string) string {
	ascii := true
	for i := 0; i < len(t) && ascii; i++ {
		ascii = t[i] < utf8.RuneSelf
	}
	if ascii { // most are, and a large store has many
		return strings.Join(strings.Fields(strings.ToUpper(t)), " ")
	}
	return foldRunes(t)
}

func foldRunes(t string) string {
	t = strings.Map(func(r rune) rune {
		least := r
		for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
			least = min(least, o)
		}
		return least
	}, norm.NFKC.String(t))
	return strings.Join(strings.Fields(t), " ")
}

// duplicate is the entry other than file that has e's title where e would stand;
// nil without one.
func (all *scanned) duplicate(e *knowledge.Entry, file string) *seen {
	var first *seen
	key, title := titleKey(e), foldTitle(e.Title)
	for _, n := range all.at {
		if n.File == file || n.Kind != e.Kind || first != nil && n.File > first.File {
			continue
		}
		// Most are told apart without their scopes.
		if n.outlined && foldTitle(n.Title) != title {
			continue
		}
		if n.key() == key {
			first = n
		}
	}
	return first
}

// What counts as nearly the same, and how many are named.
const (
	nearFloor = 0.5
	nearMost  = 3
	// nearRough bounds the entries that are compared word by word, and nearFound
	// those that an index names for that.
	nearRough = 64
	nearFound = 120
)

// near compares titles and bodies by their words and word pairs.
func (s *store) near(all *scanned, title, body, file string) []Near {
	d := printOf(title, body)
	if len(d.words) == 0 {
		return nil
	}
	var out []Near
	for _, n := range rough(s.candidates(all, title, body), title+"\n"+body) {
		if n.File == file {
			continue
		}
		p := printOf(n.Title, n.Body)
		text := (overlap(d.words, p.words) + overlap(d.pairs, p.pairs)) / 2
		score := max(text, 0.6*overlap(d.title, p.title)+0.4*text)
		if score >= nearFloor {
			out = append(out, Near{n.Kind, s.prefix + n.ID, n.Title, float64(int(score*100+0.5)) / 100})
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Score != out[j].Score {
			return out[i].Score > out[j].Score
		}
		return string(out[i].Kind)+out[i].ID < string(out[j].Kind)+out[j].ID
	})
	return out[:min(nearMost, len(out))]
}

// candidates are the entries that may say nearly the same: those that the index
// finds by the title or by the whole text, and those that it does not know.
func (s *store) candidates(all *scanned, title, body string) map[string]*seen {
	if all.look == nil {
		return all.at
	}
	some := map[string]*seen{}
	for _, text := range []string{title, title + "\n" + knowledge.Strip(body)} {
		files, err := all.look.Alike(text, nearFound)
		if err != nil {
			return s.texts(maps.Clone(all.at))
		}
		for _, f := range files {
			if n := all.at[f]; n != nil {
				some[f] = n
			}
		}
	}
	for f, n := range all.at {
		if !n.outlined {
			some[f] = n
		}
	}
	return s.texts(some)
}

// texts gives the entries that came without their text another look.
func (s *store) texts(some map[string]*seen) map[string]*seen {
	for f, n := range some {
		if !n.outlined {
			continue
		}
		if n = s.see(knowledge.FileRef{Kind: n.Kind, ID: n.ID, File: n.File}, nil); n == nil {
			delete(some, f)
		} else {
			some[f] = n
		}
	}
	return some
}

// print is an entry's set of words and of pairs of words.
type print struct{ title, words, pairs map[string]bool }

func printOf(title, body string) print {
	p := print{wordSet(title), map[string]bool{}, map[string]bool{}}
	last := ""
	for _, t := range terms.Query(title + "\n" + knowledge.Strip(body)) {
		if t.Whole || terms.Stop(t.Text) {
			continue
		}
		p.words[t.Text] = true
		if last != "" {
			p.pairs[last+" "+t.Text] = true
		}
		last = t.Text
	}
	return p
}

// rough finds the entries that share most plain words with a text, without the
// analyser: reading all bodies of a large store with it would take seconds.
func rough(all map[string]*seen, text string) []*seen {
	index := map[uint64]int{}
	eachWord(text, func(h uint64) {
		if _, ok := index[h]; !ok {
			index[h] = len(index)
		}
	})
	type hit struct {
		n     *seen
		share int
	}
	hits := make([]hit, 0, len(all))
	stamps := make([]int, len(index))
	round := 0
	for _, n := range all {
		if n.title == "" {
			continue
		}
		round++
		share := 0
		count := func(h uint64) {
			if i, ok := index[h]; ok && stamps[i] != round {
				stamps[i] = round
				share++
			}
		}
		eachWord(n.Title, count)
		share *= 3 // few words, but the telling ones
		eachWord(n.Body, count)
		if share > 0 {
			hits = append(hits, hit{n, share})
		}
	}
	sort.Slice(hits, func(i, j int) bool {
		if hits[i].share != hits[j].share {
			return hits[i].share > hits[j].share
		}
		return hits[i].n.File < hits[j].n.File
	})
	out := make([]*seen, 0, nearRough)
	for _, h := range hits[:min(nearRough, len(hits))] {
		out = append(out, h.n)
	}
	return out
}

// eachWord hashes (FNV-1a) the words of a text; of scripts without blanks
// between words every character is one.
func eachWord(text string, f func(uint64)) {
	const offset, prime = 14695981039346656037, 1099511628211
	h, in := uint64(offset), false
	end := func() {
		if in {
			f(h)
			h, in = offset, false
		}
	}
	for _, r := range text {
		switch {
		case r >= 'A' && r <= 'Z':
			r += 'a' - 'A'
		case r < 0x80 && !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9'):
			end()
			continue
		case r >= 0x2e80:
			end()
			h = (h ^ uint64(r)) * prime
			in = true
			end()
			continue
		case r >= 0x80:
			r = unicode.ToLower(r)
		}
		h = (h ^ uint64(r)) * prime
		in = true
	}
	end()
}
