// Package health looks for knowledge that no longer fits the project: paths
// that are gone, entries that say the same or the opposite, entries that nobody
// is ever told, and much-changed places that nothing is known of. It is
// read-only, and every look is bounded: a large repository costs a bounded time
// and may leave something unsaid.
package health

import (
	"context"
	"sort"

	"pathrule/internal/managed"
	"pathrule/knowledge"
)

// Kind of a finding.
type Kind string

// The kinds, in the order in which they are told.
const (
	Scope     Kind = "scope"     // a pattern covers no file
	Related   Kind = "related"   // a related entry is gone
	Mention   Kind = "mention"   // a path that the text names is gone
	Source    Kind = "source"    // the file that it was imported from changed
	Conflict  Kind = "conflict"  // two rules for one path say opposite things
	Duplicate Kind = "duplicate" // two entries say nearly the same
	Shadow    Kind = "shadow"    // an inherited entry is hidden, or says it already
	Double    Kind = "double"    // a file that clients load by themselves says it too
	Stale     Kind = "stale"     // what it is about changed much since it was written
	Quiet     Kind = "quiet"     // never told within QuietDays
	Gap       Kind = "gap"       // much change and no knowledge
)

var order = []Kind{Flagged, Scope, Related, Mention, Source, Conflict, Duplicate, Shadow, Double, Stale, Quiet, Gap}

// Kinds are all kinds in the order in which they are told.
func Kinds() []Kind { return append([]Kind(nil), order...) }

// Broken reports the kinds that say something untrue to an assistant; the
// others are worth a look.
func (k Kind) Broken() bool {
	switch k {
	case Flagged, Scope, Related, Mention, Source, Conflict, Duplicate, Shadow, Double:
		return true
	}
	return false
}

// Finding is one thing to look at.
type Finding struct {
	// ID names the finding as long as it is about the same thing; 8 hex digits.
	ID   string `json:"id"`
	Kind Kind   `json:"kind"`
	// Entry is "kind:id", "" for a gap.
	Entry string `json:"entry"`
	// File is the entry's file, or the place in the project; absolute.
	File string `json:"file"`
	// Why says what is wrong, in a sentence without a full stop.
	Why string `json:"why"`
	// Other is the second entry of a pair, as "kind:id", or the file that says the
	// same.
	Other string `json:"other,omitempty"`
	// Suggest is the path that took the place of the one that is gone.
	Suggest string `json:"suggest,omitempty"`
	// Remedy is the command that mends it, or what to do where none does.
	Remedy string `json:"remedy"`
	// Status is where it stands; By and Since (unix seconds) say who claimed or
	// dismissed it.
	Status Status `json:"status"`
	By     string `json:"by,omitempty"`
	Since  int64  `json:"since,omitempty"`

	about string // what tells it from others of the same entry
}

// Input is what is looked at.
type Input struct {
	// Entries are those of one store, with File the absolute path of an entry's.
	Entries []knowledge.Entry
	// Facts are those of the entries by number; nil: they are read from their texts.
	Facts []*Facts
	// Text is an entry's text; nil: it is Body.
	Text func(*knowledge.Entry) string
	File func(knowledge.Entry) string
	// Known are the "kind:id" of all entries that may be related to, those of
	// outer workspaces and the personal store included.
	Known map[string]bool
	// Owner begins the keys of Told: the store's.
	Owner string
	// Inherited are the entries of outer workspaces and of the user's own store.
	Inherited []Inherited
	// Loaded are the files that clients load by themselves, and Held says of an
	// entry and such a file that hooks know of it and do not repeat the entry.
	Loaded []Loaded
	Held   func(*knowledge.Entry, string) bool
	// Imported are the files that entries were imported from.
	Imported []managed.File
	// Project are the files below the workspace's root; Root "" leaves out what
	// needs a project.
	Project Files
	// Told is when each entry was last told (unix seconds) by catalogue key, and
	// Since when that record began; 0: nobody recorded.
	Told  map[string]int64
	Since int64
	// Now in unix seconds.
	Now int64
	// Past says what git's history, as the index keeps it, knows of a file: how
	// much of all change it takes (0 to 1), and the files that change with it,
	// closest first. nil: it is not known.
	Past func(path string) (heat float64, with []string)
}

// Check gives all findings, by kind, then entry.
func Check(ctx context.Context, in Input) []Finding {
	c := &checker{in: in, facts: in.Facts}
	if c.facts == nil {
		c.facts = allFacts(in.Entries)
	}
	if in.Project.Root != "" {
		c.git = readHistory(ctx, in.Project.Root, in.Now)
		c.scopes()
		c.mentions()
		c.sources()
		c.stale()
		c.gaps()
	}
	c.related()
	c.pairs()
	c.shadows()
	c.doubles()
	c.quiet()
	rank := map[Kind]int{}
	for i, k := range order {
		rank[k] = i
	}
	sort.SliceStable(c.out, func(i, j int) bool {
		a, b := c.out[i], c.out[j]
		if rank[a.Kind] != rank[b.Kind] {
			return rank[a.Kind] < rank[b.Kind]
		}
		return a.Entry < b.Entry
	})
	return c.out
}

type checker struct {
	in  Input
	git history
	out []Finding
	// looks counts files that pairs of rules were held against.
	looks int
	// listed are folders of the project that were read, by path, and byLength the
	// known "kind:id" by how many characters the id has.
	listed   map[string][]string
	byLength map[int][]string
	// facts are those of the entries, in their order.
	facts []*Facts
	// names are the file names of the project, made when first asked for.
	names map[string]bool
}

func (c *checker) add(kind Kind, e *knowledge.Entry, f Finding) {
	f.Kind, f.Entry = kind, name(e)
	if c.in.File != nil {
		f.File = c.in.File(*e)
	}
	c.out = append(c.out, f)
}

// text is an entry's text, which is not at hand where its facts were kept.
func (c *checker) text(e *knowledge.Entry) string {
	if c.in.Text != nil {
		return c.in.Text(e)
	}
	return e.Body
}

func name(e *knowledge.Entry) string { return string(e.Kind) + ":" + e.ID }

// edit begins the command that changes an entry.
func edit(e *knowledge.Entry) string { return "pathrule " + string(e.Kind) + " edit " + quote(e.ID) }

// quote makes a word safe for a shell where it needs to be.
func quote(s string) string {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c >= 0x80,
			c == '.', c == '_', c == '-', c == '/', c == ':', c == '@', c == '+', c == ',':
		default:
			out := []byte{'\''}
			for j := 0; j < len(s); j++ {
				if s[j] == '\'' {
					out = append(out, `'\''`...)
				} else {
					out = append(out, s[j])
				}
			}
			return string(append(out, '\''))
		}
	}
	return s
}
