// Package catalog is the flat text snapshot of all entries that is published
// together with each bleve generation: the precomputed per-path cache that
// tool events, compile and get_tree read with pread, never whole. It also
// holds the words both doors of the index share: Record, Query, Candidate,
// Source.
package catalog

import (
	"errors"

	"pathrule/knowledge"
	"pathrule/workspace"
)

// Record is what the catalogue keeps of one entry.
type Record struct {
	Kind knowledge.Kind
	ID   string
	// Key names the item across sessions and nested workspaces:
	// "<owner>/<kind>:<id>", owner being the id of the workspace whose store
	// holds the entry, or "personal".
	Key string
	// Owner is that owner; "personal" for the user's own store.
	Owner string
	// Prefix is where the owner's root lies below the base, "" for the base
	// itself and for personal entries.
	Prefix      string
	Title       string
	Line        string // one line that carries the decision, at most 200 runes
	Description string // skills
	Paths       []string
	Tags        []string
	Related     []string
	Priority    knowledge.Priority
	// Enforcement is the effective one: "" for a rule that waits for a person.
	Enforcement string
	Hash        string // knowledge.Entry.Version
	File        string // absolute
	Size        int64  // bytes of the file when it was indexed
	ModTime     int64  // ns
	BodyOffset  int
	BodyBytes   int // bytes of the stripped body that would be delivered
}

// Scope compiles the record's paths in base coordinates.
func (r *Record) Scope() (workspace.Scope, error) {
	return workspace.CompiledScope(r.Paths, r.Prefix)
}

// Query asks the text door.
type Query struct {
	// Text is the prompt or search text.
	Text string
	// Other are words that stand for those of the text. Where no entry holds the
	// text's own they find what it does not, at half the weight; Result.Terms
	// counts their terms after the text's. A door without texts ignores them.
	Other []Other
	// Paths are touched or named paths in base coordinates; entries whose scope
	// covers one of them are returned even without a shared word.
	Paths []string
	// Kinds restricts the answer; empty: all.
	Kinds []knowledge.Kind
	// Limit is the most candidates by text; 0: 50. Path candidates come besides.
	Limit int
	// Route also asks what the project's history says of files (PathHit.History).
	Route bool
	// Exhaustive lifts the bound on path candidates (MaxPathBytes), for listings;
	// a hook event leaves it off, so that its cost does not follow the corpus.
	Exhaustive bool
}

// Other is a word to look for where no entry holds all of Of, both as terms of
// terms.Query.
type Other struct{ Of, Terms []string }

// Candidate is one entry that may be worth telling.
type Candidate struct {
	Record Record
	// Text is the BM25 score of the text door, 0 when only the path door found
	// the entry. Comparable within one Result only.
	Text float64
	// Fit and Depth say how closely the scope covers the closest query path.
	Fit   workspace.Fit
	Depth int
	// Path is that closest query path.
	Path string
}

// TermStat says how common a query term is.
type TermStat struct {
	Term string
	Docs int // entries that hold it
}

// PathHit is a file of the project map found by text.
type PathHit struct {
	Path string // base coordinates; existed when the map was made
	// Score is its BM25 score, 0 when history alone found it.
	Score float64
	// Words is how telling those words of the query are that stand in the path:
	// the logarithms of how rare each is among the files' paths, summed up.
	Words float64
	// History is how much the words of the query go with the file in the subjects
	// of commits: for each the share of its commits that changed the file, beyond
	// what is usual, times the logarithm of how rare the word is.
	History float64
}

// Result is the answer of a Source, candidates sorted by Text descending, then
// Key.
type Result struct {
	Candidates []Candidate
	// Terms are the query's analysed terms with their document counts, in query
	// order without repeats; empty when the source has no text door.
	Terms []TermStat
	// Docs is the number of entries in the index.
	Docs int
	// Words is the average length of an entry in analysed words, 0 when the
	// source does not know.
	Words int
	// Files are project-map hits, for the route: those found by the words of their
	// paths, best first, then those that only history knows.
	Files []PathHit
	// Cut is how many entries filed under the query paths' keys were not looked
	// at because MaxPathBytes was spent on closer ones.
	Cut int
}

// Doc is an entry's text, fresh from its file.
type Doc struct {
	Title string
	// Body is the whole body as it stands in the file, not yet stripped.
	Body string
	Hash string // of the bytes just read
}

var (
	// ErrGone: the entry's file no longer exists. It is not delivered.
	ErrGone = errors.New("entry file is gone")
	// ErrWithheld: the file changed and its frontmatter is beyond the line
	// reader, or its scope no longer fits; withheld until the next refresh.
	ErrWithheld = errors.New("entry changed beyond the line reader")
)

// Source gives candidates to slice. The catalogue alone is one (its Search
// answers by path and by names); index gives the one with a text door.
type Source interface {
	// Search returns the entries whose scope covers a query path and, where the
	// source has a text door, those whose text matches.
	Search(q Query) (Result, error)
	// All calls yield for every record, sorted by kind, then id; it stops when
	// yield returns false.
	All(yield func(Record) bool) error
	// Load reads an entry's text now, so that what is delivered is what stands
	// on disk (ErrGone, ErrWithheld).
	Load(r Record) (Doc, error)
	// Counts are the entries by kind and, per top-level folder of the base, how
	// many entries are scoped below it ("" for the whole workspace).
	Counts() (byKind map[knowledge.Kind]int, byFolder map[string]int, err error)
}

// Open opens the catalogue of the current generation without bleve. It is a
// Source whose Search answers by path and by names. The error is ErrMissing
// when no usable generation is published.
func Open(ws *workspace.Workspace, dirs workspace.Dirs) (*Reader, error) {
	return OpenCurrent(dirs.Cache(ws.ID))
}

// ErrMissing: no usable generation is published.
var ErrMissing = errors.New("no published index")
