package slice

import (
	"pathrule/index/catalog"
	"pathrule/knowledge"
)

// looker and byKind are shortcuts that the catalogue offers beyond
// catalog.Source. Without them the same answers come from All.
type looker interface {
	Lookup(kind knowledge.Kind, id string) (catalog.Record, bool, error)
}

type byKind interface {
	Kind(kind knowledge.Kind, yield func(catalog.Record) bool) error
}

// records calls yield for every record of a kind, sorted by id.
func (p *planner) records(kind knowledge.Kind, yield func(catalog.Record) bool) {
	var err error
	if k, ok := p.in.Source.(byKind); ok {
		err = k.Kind(kind, yield)
	} else {
		err = p.in.Source.All(func(r catalog.Record) bool {
			return r.Kind != kind || yield(r)
		})
	}
	if err != nil {
		p.errs = append(p.errs, err)
	}
}

// find looks entries up by key, "<owner>/<kind>:<id>". thorough also walks all
// records for a key that the shortcut does not know: an id may stand in two
// nested workspaces, of which it gives the closer one.
func (p *planner) find(keys []string, thorough bool) map[string]catalog.Record {
	out := make(map[string]catalog.Record, len(keys))
	missing := map[string]bool{}
	l, quick := p.in.Source.(looker)
	for _, k := range keys {
		kind, id, ok := splitKey(k)
		if !ok {
			continue
		}
		if quick {
			if r, ok, err := l.Lookup(kind, id); err == nil && ok && r.Key == k {
				out[k] = r
				continue
			}
		}
		missing[k] = true
	}
	if len(missing) == 0 || quick && !thorough {
		return out
	}
	err := p.in.Source.All(func(r catalog.Record) bool {
		if missing[r.Key] {
			out[r.Key] = r
			delete(missing, r.Key)
		}
		return len(missing) > 0
	})
	if err != nil {
		p.errs = append(p.errs, err)
	}
	return out
}

// splitKey takes "<owner>/<kind>:<id>" apart.
func splitKey(key string) (kind knowledge.Kind, id string, ok bool) {
	for i := 0; i < len(key); i++ {
		if key[i] != '/' {
			continue
		}
		for _, k := range knowledge.Kinds {
			if n := len(k); len(key) > i+1+n && key[i+1:i+1+n] == string(k) && key[i+1+n] == ':' {
				return k, key[i+2+n:], true
			}
		}
		return "", "", false
	}
	return "", "", false
}
