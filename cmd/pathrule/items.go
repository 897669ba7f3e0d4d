package main

import (
	"strings"

	"pathrule/internal/cli"
	"pathrule/knowledge"
)

// item is one entry in every listing.
type item struct {
	Kind     knowledge.Kind     `json:"kind"`
	ID       string             `json:"id"`
	Title    string             `json:"title"`
	Paths    []string           `json:"paths"`
	Priority knowledge.Priority `json:"priority"`
	Version  string             `json:"version"`
	// Waiting: strict in the file, advisory until a person says so.
	Waiting bool `json:"waiting,omitempty"`
}

func itemOf(e knowledge.Entry) item {
	p := e.Priority
	if p == "" {
		p = knowledge.Medium
	}
	return item{e.Kind, e.ID, e.Title, some(e.Paths), p, e.Version, e.Waits()}
}

// some is the list, never nil: JSON readers get [] and not null.
func some[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// pathsShown is a scope in a table cell.
func pathsShown(paths []string) string {
	if len(paths) == 0 {
		return "(whole workspace)"
	}
	return strings.Join(paths, ", ")
}

// printItems draws a listing; the kind column stands only where kinds mix.
func printItems(o *cli.Out, items []item) {
	mixed, rules := false, false
	for _, it := range items {
		mixed = mixed || it.Kind != items[0].Kind
		rules = rules || it.Kind == knowledge.Rule
	}
	t := &cli.Table{Head: []string{"ID", "TITLE", "PATHS"}, Flex: 1}
	t.Style = []func(string) string{o.Accent, nil, o.Dim}
	if rules {
		t.Head = append(t.Head[:2:2], "PRIORITY", "PATHS")
		t.Style = []func(string) string{o.Accent, nil, nil, o.Dim}
	}
	if mixed {
		t.Head = append([]string{"KIND"}, t.Head...)
		t.Style = append([]func(string) string{o.Dim}, t.Style...)
		t.Flex++
	}
	for _, it := range items {
		row := []string{it.ID, it.Title}
		if rules {
			p := string(it.Priority)
			if it.Kind != knowledge.Rule {
				p = ""
			}
			row = append(row, p)
		}
		row = append(row, pathsShown(it.Paths))
		if mixed {
			row = append([]string{string(it.Kind)}, row...)
		}
		t.Row(row...)
	}
	o.Print(t)
	for _, it := range items {
		if it.Waiting {
			o.Println(o.Mild(it.ID+": "+waitingText), o.Accent(makeStrict(it.ID)))
		}
	}
}

// waitingText says what a rule that waits is; the command follows.
const waitingText = "strict, waiting for a person:"

func makeStrict(id string) string {
	e := knowledge.Entry{ID: id}
	return e.MakeStrict()
}

// countOf is "1 memory", "3 memories".
func countOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return itoa(n) + " " + many
}

func kindCount(n int, k knowledge.Kind) string { return countOf(n, string(k), k.Dir()) }
