package mcpserver

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"pathrule/index/catalog"
	"pathrule/internal/regular"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// scanFiles and scanTime bound what is read while the first index is built.
const scanFiles = 2000

var scanTime = 300 * time.Millisecond

// scanned is a catalog.Source read straight from the files: what a call can be
// told while the first index is being built. It finds entries by path and by
// the words of their title, tags and body, without frequencies or stems.
type scanned struct {
	records []catalog.Record
	docs    map[string]catalog.Doc
	words   map[string]map[string]int // by key: word -> weight
}

func scan(ctx context.Context, ws *workspace.Workspace, c *core) *scanned {
	s := &scanned{docs: map[string]catalog.Doc{}, words: map[string]map[string]int{}}
	until := time.Now().Add(scanTime)
	base := ws.Base()
	for w := ws; w != nil; w = w.Outer {
		prefix, err := filepath.Rel(base, w.Root)
		if err != nil {
			continue
		}
		if prefix = filepath.ToSlash(prefix); prefix == "." {
			prefix = ""
		}
		s.read(ctx, w.Store, w.ID, prefix, until, func(*knowledge.Entry) bool { return true })
	}
	s.read(ctx, c.dirs.Personal(), catalog.Personal, "", until, func(e *knowledge.Entry) bool {
		e.ID = knowledge.PersonalPrefix + e.ID
		return e.InWorkspace(ws, c.env.UserHome)
	})
	slices.SortFunc(s.records, func(a, b catalog.Record) int {
		if c := strings.Compare(string(a.Kind), string(b.Kind)); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return s
}

func (s *scanned) read(ctx context.Context, store, owner, prefix string, until time.Time, joins func(*knowledge.Entry) bool) {
	files, _, _ := knowledge.Walk(store)
	for _, f := range files {
		if len(s.records) >= scanFiles || time.Now().After(until) || ctx.Err() != nil {
			return
		}
		path := filepath.Join(store, filepath.FromSlash(f.File))
		data, err := regular.Read(path)
		if err != nil {
			continue
		}
		e, err := knowledge.ParseLines(data, f.Kind, f.ID, f.File)
		if err != nil || !joins(&e) {
			continue
		}
		r := catalog.Record{
			Kind: e.Kind, ID: e.ID, Key: owner + "/" + e.Key(), Owner: owner, Prefix: prefix,
			Title: e.Title, Line: e.Line(), Description: e.Description, Paths: e.Paths, Tags: e.Tags, Related: e.Related,
			Priority: e.Priority, Enforcement: e.Effective(), Hash: e.Version, File: path, Size: int64(len(data)),
			BodyOffset: e.BodyOffset, BodyBytes: len(knowledge.Strip(e.Body)),
		}
		words := map[string]int{}
		for _, w := range wordsOf(e.Body + " " + e.Description) {
			words[w] = max(words[w], 1)
		}
		for _, w := range wordsOf(e.Title + " " + e.ID + " " + strings.Join(e.Tags, " ")) {
			words[w] = 3
		}
		s.records = append(s.records, r)
		s.docs[r.Key] = catalog.Doc{Title: e.Title, Body: e.Body, Hash: e.Version}
		s.words[r.Key] = words
	}
}

// Search implements catalog.Source.
func (s *scanned) Search(q catalog.Query) (catalog.Result, error) {
	res := catalog.Result{Docs: len(s.records)}
	asked := wordsOf(q.Text)
	for _, r := range s.records {
		if len(q.Kinds) > 0 && !slices.Contains(q.Kinds, r.Kind) {
			continue
		}
		c := catalog.Candidate{Record: r}
		if scope, err := r.Scope(); err == nil {
			for _, p := range q.Paths {
				if fit, depth := scope.Match(p); fit > c.Fit || fit == c.Fit && fit != workspace.Outside && depth > c.Depth {
					c.Fit, c.Depth, c.Path = fit, depth, p
				}
			}
		}
		for _, w := range asked {
			c.Text += float64(s.words[r.Key][w])
		}
		if c.Text > 0 || c.Fit != workspace.Outside {
			res.Candidates = append(res.Candidates, c)
		}
	}
	slices.SortStableFunc(res.Candidates, func(a, b catalog.Candidate) int {
		if a.Text != b.Text {
			if a.Text > b.Text {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Record.Key, b.Record.Key)
	})
	return res, nil
}

// All implements catalog.Source.
func (s *scanned) All(yield func(catalog.Record) bool) error {
	for _, r := range s.records {
		if !yield(r) {
			break
		}
	}
	return nil
}

// Load implements catalog.Source.
func (s *scanned) Load(r catalog.Record) (catalog.Doc, error) {
	if d, ok := s.docs[r.Key]; ok {
		return d, nil
	}
	return catalog.Doc{}, catalog.ErrGone
}

// Counts implements catalog.Source.
func (s *scanned) Counts() (map[knowledge.Kind]int, map[string]int, error) {
	kinds, folders := map[knowledge.Kind]int{}, map[string]int{}
	for _, r := range s.records {
		kinds[r.Kind]++
		folders[topFolder(r)]++
	}
	return kinds, folders, nil
}

// wordsOf splits text into lower-case words; a script without spaces gives its
// pairs of letters.
func wordsOf(text string) []string {
	var out []string
	seen := map[string]bool{}
	add := func(w string) {
		if w != "" && !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		r := []rune(w)
		if len(r) > 1 && unicode.In(r[0], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai) {
			for i := range len(r) - 1 {
				add(string(r[i : i+2]))
			}
			continue
		}
		if len(r) > 2 {
			add(w)
		}
	}
	return out
}
