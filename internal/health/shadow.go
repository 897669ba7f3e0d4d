package health

import (
	"path"
	"strings"

	"pathrule/knowledge"
)

// Inherited is an entry of a workspace around this one, or of the user's own
// store, that speaks here as well.
type Inherited struct {
	knowledge.Entry
	// From says whose it is: the outer workspace's root, or "your own store".
	From string
	// Below is this workspace's root below that of the entry's, "" for one of the
	// user's own; its paths are written from there.
	Below string
	// Facts are those of the entry; nil: they are read from its text.
	Facts *Facts
}

// shadows finds entries that an inherited one makes useless, or that make an
// inherited one unreachable: the same id, or the same text where the inherited
// one governs everything that the entry does.
func (c *checker) shadows() {
	if len(c.in.Inherited) == 0 {
		return
	}
	words := map[uint32][]int{} // by the words of titles
	prints := make([]*Facts, len(c.in.Inherited))
	ids := map[string]int{}
	for i := range c.in.Inherited {
		o := &c.in.Inherited[i]
		ids[name(&o.Entry)] = i
		if prints[i] = o.Facts; prints[i] == nil {
			prints[i] = factsOf(&o.Entry)
		}
		for _, w := range prints[i].words {
			if len(words[w]) < rareEntries {
				words[w] = append(words[w], i)
			}
		}
	}
	for i := range c.in.Entries {
		e := &c.in.Entries[i]
		if at, ok := ids[name(e)]; ok {
			o := &c.in.Inherited[at]
			c.add(Shadow, e, Finding{Other: name(&o.Entry), Remedy: edit(e),
				Why: "hides the " + string(e.Kind) + " of the same id of " + o.From + ": nobody can name that one from here; move the file to give it another id"})
			continue
		}
		if e.Kind == knowledge.Skill || len(c.facts[i].words) < 4 {
			continue
		}
		shared := map[int]int{}
		for _, w := range c.facts[i].words {
			for _, k := range words[w] {
				shared[k]++
			}
		}
		best, at := 0.0, -1
		for k, n := range shared {
			o := &c.in.Inherited[k]
			if n < 2 || o.Kind == knowledge.Skill || c.facts[i].negated != prints[k].negated || !o.governs(e) {
				continue
			}
			s := (dice(c.facts[i].words, prints[k].words) + dice(c.facts[i].pairs, prints[k].pairs)) / 2
			if s >= twinFloor && (s > best || s == best && k < at) {
				best, at = s, k
			}
		}
		if at >= 0 {
			o := &c.in.Inherited[at]
			c.add(Shadow, e, Finding{Other: name(&o.Entry), Remedy: "pathrule " + string(e.Kind) + " rm " + quote(e.ID),
				Why: "says nearly the same as " + name(&o.Entry) + " of " + o.From + ", which speaks here anyway; both are told"})
		}
	}
}

// governs reports that the inherited entry speaks wherever the other one does.
func (o *Inherited) governs(e *knowledge.Entry) bool {
	sc, err := o.Scope("")
	if err != nil {
		return false
	}
	if sc.Whole() {
		return true
	}
	for _, p := range e.Paths {
		p = strings.Trim(p, "/")
		if strings.ContainsAny(p, `*?[{!\`) || !sc.Covers(path.Join(o.Below, p)) {
			return false
		}
	}
	return len(e.Paths) > 0
}
