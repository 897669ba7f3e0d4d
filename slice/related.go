package slice

import (
	"slices"
	"strings"

	"pathrule/index/catalog"
	"pathrule/index/terms"
	"pathrule/knowledge"
)

// related lifts what the strong entries point at to a line, whether it shares
// a word with the prompt or not.
func (p *planner) related(cands []candidate) []candidate {
	at := make(map[string]int, len(cands))
	for i := range cands {
		at[cands[i].rec.Key] = i
	}
	lifted := 0
	for i, n := 0, len(cands); i < n; i++ {
		if cands[i].form != Body {
			continue
		}
		for _, r := range cands[i].rec.Related {
			if lifted == maxRelated {
				return cands
			}
			keys := relatedKeys(&cands[i].rec, r)
			if len(keys) == 0 {
				continue
			}
			k := slices.IndexFunc(keys, func(k string) bool { _, ok := at[k]; return ok })
			if k < 0 {
				found := p.find(keys, false)
				k = slices.IndexFunc(keys, func(k string) bool { _, ok := found[k]; return ok })
				if k < 0 {
					continue
				}
				at[keys[k]] = len(cands)
				cands = append(cands, candidate{rec: found[keys[k]]})
			}
			c := &cands[at[keys[k]]]
			if c.form != None {
				continue
			}
			c.form = Card
			if c.rec.Kind == knowledge.Skill {
				c.form = Name
			}
			c.score = round(c.score + rankRelated)
			c.why = append(c.why, Why{"related", rankRelated})
			delete(p.left, c.rec.Key)
			p.plan.LeftOut = slices.DeleteFunc(p.plan.LeftOut, func(l Left) bool { return l.Key == c.rec.Key })
			lifted++
		}
	}
	return cands
}

// relatedKeys are the keys that a "related" value may mean: "kind:id", or an
// id of any kind, in the store of the entry that names it.
func relatedKeys(from *catalog.Record, ref string) []string {
	ref = strings.TrimSpace(ref)
	if ref == "" || strings.ContainsAny(ref, "\n*") {
		return nil
	}
	if from.Owner == personal && !strings.Contains(ref, knowledge.PersonalPrefix) {
		if kind, id, ok := strings.Cut(ref, ":"); ok {
			ref = kind + ":" + knowledge.PersonalPrefix + id
		} else {
			ref = knowledge.PersonalPrefix + ref
		}
	}
	for _, k := range knowledge.Kinds {
		if strings.HasPrefix(ref, string(k)+":") {
			return []string{from.Owner + "/" + ref}
		}
	}
	var out []string
	for _, k := range knowledge.Kinds {
		out = append(out, from.Owner+"/"+string(k)+":"+ref)
	}
	return out
}

// duplicates leaves out bodies that say again what a better one says.
func (p *planner) duplicates(cands []candidate) {
	var sets []map[string]bool
	for i := range cands {
		c := &cands[i]
		if c.form != Body || !c.seen {
			continue
		}
		set := map[string]bool{}
		for _, t := range terms.Query(head(p.loaded[c.rec.Key].raw, maxBody)) {
			if !t.Whole {
				set[t.Text] = true
			}
		}
		twin := false
		for _, s := range sets {
			same := 0
			for t := range set {
				if s[t] {
					same++
				}
			}
			if all := len(set) + len(s) - same; all > 0 && float64(same) >= duplicateOf*float64(all) {
				twin = true
				break
			}
		}
		if twin {
			c.form = None
			p.leave(&c.rec, LeftDuplicate)
			continue
		}
		sets = append(sets, set)
	}
}
