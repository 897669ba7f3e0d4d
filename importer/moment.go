package importer

import (
	"path"
	"slices"
	"strings"

	"pathrule/internal/head"
	"pathrule/knowledge/frontmatter"
)

// Moment is when a client loads one of its instruction files.
type Moment uint8

const (
	// Never by itself: no client reads the file where it lies, or it waits until a
	// person or the model calls for it.
	Never Moment = iota
	// ForPaths: once work reaches the paths that it is about.
	ForPaths
	// Always: it is in every request.
	Always
)

// Instructs reports a place at which a client reads instructions, whatever the
// file there says about when.
func Instructs(rel string) bool {
	f, ok := formOf(rel)
	return ok && readHere(&f, rel)
}

// Loaded says when a client loads the file at the slash path rel by itself. What
// nobody knows for sure is Never.
func Loaded(rel string, data []byte) Moment {
	f, ok := formOf(rel)
	if !ok {
		return Never
	}
	fields, _, _ := frontmatter.Head(data)
	return momentOf(&f, rel, fields)
}

// readHere: a client reads a file of this form where it lies. A README among
// rules is read as any of them, and one among samples when work goes there.
func readHere(f *form, rel string) bool {
	switch path.Base(rel) {
	case "AGENT.md", "AGENTS.local.md":
		return false
	}
	return !f.unread && f.generator == "" && (f.role == guide || f.role == rules)
}

// momentOf is Loaded for a file whose form and head are known.
func momentOf(f *form, rel string, fields []head.Field) Moment {
	if !readHere(f, rel) {
		return Never
	}
	if f.role == guide || path.Base(rel)[0] == '.' { // CLAUDE.md, .cursorrules
		return momentOfGuide(f, rel)
	}
	m := momentOfRule(f, rel, headOf(fields))
	if m == Always && f.dir != "" { // below a folder
		return ForPaths
	}
	return m
}

func momentOfRule(f *form, rel string, h heads) Moment {
	scoped := func(keys ...string) Moment {
		if h.patterns(keys...) {
			return ForPaths
		}
		return Always
	}
	// Cursor and those that took its head over: always, for patterns, or asked for.
	asked := func(keys ...string) Moment {
		switch {
		case h.is("alwaysApply", "true"):
			return Always
		case h.patterns(keys...):
			return ForPaths
		}
		return Never
	}
	// Windsurf and those that took its head over. Without a trigger a rule waits to
	// be mentioned.
	triggered := func(key string) Moment {
		switch {
		case h.is("trigger", "always_on", "always"):
			return Always
		case h.is("trigger", "glob") && h.patterns(key):
			return ForPaths
		}
		return Never
	}
	switch f.client {
	case "Claude Code", "Qwen Code":
		return scoped("paths")
	case "Cursor":
		return asked("globs")
	case "Windsurf", "Devin", "Antigravity", "several clients":
		return triggered("globs")
	case "GitHub Copilot":
		// A list is dropped by the editor.
		if a, ok := h["applyTo"]; ok && !a.IsList && h.patterns("applyTo") {
			return ForPaths
		}
		return Never
	case "Cline":
		// Anything but a list counts for nothing, and an empty one switches off.
		switch p, ok := h["paths"]; {
		case !ok || !p.IsList:
			return Always
		case !h.patterns("paths"):
			return Never
		}
		return ForPaths
	case "Kiro":
		switch {
		case h.is("inclusion", "fileMatch"):
			if h.patterns("fileMatchPattern", "fileMatchPatterns") {
				return ForPaths
			}
			return Never
		case h.is("inclusion", "manual", "auto"):
			return Never
		}
		return Always
	case "CodeBuddy":
		if len(h) == 0 && strings.HasSuffix(rel, ".md") {
			return Always // its command line
		}
		return asked("paths", "globs")
	case "Continue":
		if h.is("alwaysApply", "true") || !h.is("alwaysApply", "false") && !h.patterns("globs") {
			return Always
		}
		return asked("globs")
	case "Trae":
		if len(h) == 0 {
			return Always
		}
		return asked("globs")
	case "Augment":
		if h.is("type", "manual", "agent_requested") {
			return Never
		}
		return Always
	case "Roo Code":
		if f.note != "" { // in one of its modes
			return ForPaths
		}
		return Always
	case "Amazon Q":
		return Always
	}
	return Never
}

// momentOfGuide: a guide is in every request of the project whose folder it lies
// in; one further down is read when work goes there, if the client looks there.
func momentOfGuide(f *form, rel string) Moment {
	dir := cleanDir(path.Dir(rel))
	switch base := path.Base(rel); {
	case base == "copilot-instructions.md":
		if dir == ".github" {
			return Always
		}
		return Never
	case f.role == guide && f.dir == "" && (dir == "" || dir[0] == '.'):
		return Always
	case f.role == guide || base == ".goosehints" && dir != "":
		return ForPaths
	case dir == "":
		return Always
	}
	return Never
}

// heads are the fields of a file's head by key; of two the first counts.
type heads map[string]*head.Field

func headOf(fields []head.Field) heads {
	h := heads{}
	for i := range fields {
		if f := &fields[i]; h[f.Key] == nil {
			h[f.Key] = f
		}
	}
	return h
}

// is reports that a key has one of the values.
func (h heads) is(key string, values ...string) bool {
	f := h[key]
	return f != nil && !f.IsList && slices.ContainsFunc(values, func(v string) bool {
		return strings.EqualFold(strings.Trim(strings.TrimSpace(f.Text), `"'`), v)
	})
}

// patterns reports that one of the keys holds any.
func (h heads) patterns(keys ...string) bool {
	for _, k := range keys {
		f := h[k]
		if f == nil || f.Nested || f.Null {
			continue
		}
		items := f.List
		if !f.IsList {
			items = []string{f.Text}
		}
		if slices.ContainsFunc(items, func(s string) bool { return strings.Trim(s, " \t,\"'") != "" }) {
			return true
		}
	}
	return false
}
