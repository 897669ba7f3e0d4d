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

// result is one file as a listing has it.
type result struct {
	entry    knowledge.Entry
	problems []workspace.Problem
	ok       bool
}

func (s *store) list(kinds []knowledge.Kind) ([]knowledge.Entry, []workspace.Problem) {
	l := s.found(nil, kinds) // everything is read
	return s.gather(&l, s.readAll(&l, func(int) bool { return true }))
}

func (s *store) outline(kinds []knowledge.Kind) ([]knowledge.Entry, []workspace.Problem) {
	l := s.found(s.look(), kinds)
	known := make([]result, len(l.files))
	if l.look != nil {
		place := make(map[int]int, len(l.at))
		for i, n := range l.at {
			place[n] = i
		}
		// What a damaged catalogue leaves out is read.
		_ = l.look.Outlines(func(n int, e knowledge.Entry) {
			if i, ok := place[n]; ok {
				known[i] = s.result(e)
			}
		})
	}
	read := s.readAll(&l, func(i int) bool { return !known[i].ok })
	for i := range known {
		if known[i].ok {
			read[i] = known[i]
		}
	}
	return s.gather(&l, read)
}

func (s *store) tally(kinds []knowledge.Kind) (map[knowledge.Kind]int, []knowledge.Entry, []workspace.Problem) {
	l := s.found(s.look(), kinds)
	n := map[knowledge.Kind]int{}
	plain := func(i int) bool { return l.look != nil && l.look.Plain(l.at[i]) && !s.strange(l.files[i].ID) }
	for i, f := range l.files {
		if plain(i) {
			n[f.Kind]++
		}
	}
	entries, problems := s.gather(&l, s.readAll(&l, func(i int) bool { return !plain(i) }))
	for i := range entries {
		n[entries[i].Kind]++
	}
	return n, entries, problems
}

// readAll reads the chosen files, on every core.
func (s *store) readAll(l *listing, choose func(i int) bool) []result {
	out := make([]result, len(l.files))
	var todo []int
	for i := range l.files {
		if choose(i) {
			todo = append(todo, i)
		}
	}
	cores.Each(len(todo), func(n int) { out[todo[n]] = s.readOne(l.files[todo[n]]) })
	return out
}

func (s *store) readOne(f knowledge.FileRef) result {
	raw, err := readFile(s.path(f.File))
	if err != nil {
		return result{problems: []workspace.Problem{asProblem(f.File, err)}}
	}
	e, problems, err := frontmatter.Parse(raw, f.Kind, f.ID, f.File)
	if err != nil {
		return result{problems: append(problems, asProblem(f.File, err))}
	}
	r := s.result(e)
	r.problems = append(problems, r.problems...)
	return r
}

// strange reports an id that belongs to the user's own store and lies in another.
func (s *store) strange(id string) bool {
	return s.prefix == "" && strings.HasPrefix(id, knowledge.PersonalPrefix)
}

// result is an entry as callers see it.
func (s *store) result(e knowledge.Entry) result {
	r := result{ok: true}
	if s.strange(e.ID) {
		r.problems = append(r.problems, workspace.Problem{File: e.File, Warning: true,
			Msg: "ids that begin with \"personal/\" belong to the user's own store", Remedy: "rename the folder"})
	}
	e.ID = s.prefix + e.ID
	r.entry = e
	return r
}

// gather puts results into the order of the files, behind the problems of the
// files themselves.
func (s *store) gather(l *listing, read []result) (out []knowledge.Entry, problems []workspace.Problem) {
	problems = l.problems
	for i := range read {
		problems = append(problems, read[i].problems...)
		if read[i].ok {
			out = append(out, read[i].entry)
		}
	}
	for i := range problems {
		problems[i].File = s.show(problems[i].File)
	}
	return out, problems
}
