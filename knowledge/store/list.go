package store

import (
	"slices"
	"strings"

	"pathrule/internal/cores"
	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
	"pathrule/workspace"
)

// listing is what was found of the wanted kinds.
type listing struct {
	look     knowledge.Look // nil: nothing is known
	files    []knowledge.FileRef
	at       []int // number in look.Files
	problems []workspace.Problem
}

// found lists the files of the wanted kinds and what is wrong with them as files.
func (s *store) found(look knowledge.Look, kinds []knowledge.Kind) listing {
	l := listing{look: look}
	var all []knowledge.FileRef
	if l.look != nil {
		all, l.problems = l.look.Files()
		l.problems = slices.Clone(l.problems)
	} else {
		all, l.problems = s.walk()
	}
	// A folder that holds one kind says nothing about another.
	l.problems = slices.DeleteFunc(l.problems, func(p workspace.Problem) bool {
		for _, k := range knowledge.Kinds {
			if p.File == k.Dir() || strings.HasPrefix(p.File, k.Dir()+"/") {
				return !wanted(k, kinds)
			}
		}
		return false
	})
	for i, f := range all {
		if wanted(f.Kind, kinds) {
			l.files, l.at = append(l.files, f), append(l.at, i)
		}
	}
	return l
}

// results are the files of a listing as it has them, in their order.
type results struct {
	entries  []knowledge.Entry // of usable ones
	usable   []bool
	problems [][]workspace.Problem
}

func (l *listing) results() *results {
	n := len(l.files)
	return &results{make([]knowledge.Entry, n), make([]bool, n), make([][]workspace.Problem, n)}
}

func (s *store) list(kinds []knowledge.Kind) ([]knowledge.Entry, []workspace.Problem) {
	l := s.found(nil, kinds) // everything is read
	r := l.results()
	s.readAll(&l, r, func(int) bool { return true })
	return s.gather(&l, r)
}

func (s *store) listKnown(known func(file, version string) (knowledge.Entry, bool)) ([]knowledge.Entry, []workspace.Problem) {
	l := s.found(s.look(), nil)
	r := l.results()
	for i, f := range l.files {
		if l.look == nil || l.look.Version(l.at[i]) == "" {
			continue
		}
		if e, ok := known(f.File, l.look.Version(l.at[i])); ok {
			e.Kind, e.ID, e.File = f.Kind, f.ID, f.File
			s.take(r, i, e)
		}
	}
	s.readAll(&l, r, func(i int) bool { return !r.usable[i] })
	return s.gather(&l, r)
}

func (s *store) outline(kinds []knowledge.Kind) ([]knowledge.Entry, []workspace.Problem) {
	l := s.found(s.look(), kinds)
	r := l.results()
	if l.look != nil {
		place := make(map[int]int, len(l.at))
		for i, n := range l.at {
			place[n] = i
		}
		// What a damaged catalogue leaves out is read.
		_ = l.look.Outlines(func(n int, e knowledge.Entry) {
			if i, ok := place[n]; ok {
				s.take(r, i, e)
			}
		})
	}
	s.readAll(&l, r, func(i int) bool { return !r.usable[i] })
	return s.gather(&l, r)
}

func (s *store) tally(kinds []knowledge.Kind) (map[knowledge.Kind]int, []knowledge.Entry, []workspace.Problem) {
	l := s.found(s.look(), kinds)
	n := map[knowledge.Kind]int{}
	rest := l.files[:0]
	for i, f := range l.files {
		if l.look != nil && l.look.Plain(l.at[i]) && !s.strange(f.ID) {
			n[f.Kind]++
		} else {
			rest = append(rest, f)
		}
	}
	l.files = rest
	r := l.results()
	s.readAll(&l, r, func(int) bool { return true })
	entries, problems := s.gather(&l, r)
	for i := range entries {
		n[entries[i].Kind]++
	}
	return n, entries, problems
}

// readAll reads the chosen files, on every core.
func (s *store) readAll(l *listing, r *results, choose func(i int) bool) {
	var todo []int
	for i := range l.files {
		if choose(i) {
			todo = append(todo, i)
		}
	}
	cores.Each(len(todo), func(n int) { s.readOne(r, todo[n], l.files[todo[n]]) })
}

func (s *store) readOne(r *results, i int, f knowledge.FileRef) {
	raw, err := readFile(s.path(f.File))
	if err != nil {
		r.problems[i] = []workspace.Problem{asProblem(f.File, err)}
		return
	}
	e, problems, err := frontmatter.Parse(raw, f.Kind, f.ID, f.File)
	r.problems[i] = problems
	if err != nil {
		r.problems[i] = append(problems, asProblem(f.File, err))
		return
	}
	s.take(r, i, e)
}

// strange reports an id that belongs to the user's own store and lies in another.
func (s *store) strange(id string) bool {
	return s.prefix == "" && strings.HasPrefix(id, knowledge.PersonalPrefix)
}

// take puts an entry into a listing as callers see it.
func (s *store) take(r *results, i int, e knowledge.Entry) {
	if s.strange(e.ID) {
		r.problems[i] = append(r.problems[i], workspace.Problem{File: e.File, Warning: true,
			Msg: "ids that begin with \"personal/\" belong to the user's own store", Remedy: "rename the folder"})
	}
	e.ID = s.prefix + e.ID
	r.entries[i], r.usable[i] = e, true
}

// gather gives the usable entries and, behind the problems of the files
// themselves, what was found in them.
func (s *store) gather(l *listing, r *results) ([]knowledge.Entry, []workspace.Problem) {
	problems := l.problems
	n := 0
	for i := range r.entries {
		problems = append(problems, r.problems[i]...)
		if r.usable[i] {
			r.entries[n] = r.entries[i] // in place: a large store's entries are large
			n++
		}
	}
	clear(r.entries[n:])
	for i := range problems {
		problems[i].File = s.show(problems[i].File)
	}
	return r.entries[:n:n], problems
}
