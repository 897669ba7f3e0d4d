package knowledge

import (
	"errors"

	"pathrule/workspace"
)

const (
	// MaxFile is the most bytes one entry's file may have.
	MaxFile = 1 << 20
	// MaxHead is the most bytes its frontmatter may have, fences included.
	MaxHead = 64 << 10
)

// ErrBeyond: the frontmatter holds something that the line reader does not
// know (anchors, block scalars, nested maps). Only the full parser reads it.
var ErrBeyond = errors.New("frontmatter is beyond the line reader")

// ParseLines is the line reader: it reads a whole file without a YAML library.
// file is the slash path relative to the store. Whenever it answers, it answers
// what frontmatter.Parse does; it never fills Block or Check. The error is
// ErrBeyond, or a *ParseError for a file that is no entry at all (too large, not
// UTF-8, NUL bytes).
func ParseLines(data []byte, kind Kind, id, file string) (Entry, error) {
	return parseLines(data, kind, id, file)
}

// Version is xxhash64 of a file's bytes as 16 hex digits. It detects change and
// grants nothing.
func Version(data []byte) string { return version(data) }

// Strip is what may be delivered of a body: HTML comments and a trailing
// "## Bindings" section go, code fences stay as they are, blank lines at both
// ends go.
func Strip(body string) string { return strip(body) }

// Line is the one line that carries the decision, at most 200 runes: the
// description, else the first meaningful sentence of the body without markup.
func (e *Entry) Line() string { return line(e) }

// InWorkspace reports whether an entry of the personal store joins ws: it names
// no workspace, or its id, its root folder (absolute, or below home as "~/…",
// globs allowed), or the base name of that folder.
func (e *Entry) InWorkspace(ws *workspace.Workspace, home string) bool {
	return inWorkspace(e, ws, home)
}

// CheckID says what is wrong with an id (without PersonalPrefix); nil when it
// is fine to read. CheckNewID is stricter: names that some system cannot hold
// are refused too.
func CheckID(id string) error { return checkID(id) }

// CheckNewID is CheckID for an id that is about to be written.
func CheckNewID(id string) error { return checkNewID(id) }

// Slug makes an id from a title in any script; "" when the title has no letter
// or digit.
func Slug(title string) string { return slug(title) }

// Ident says which entry the file at the slash path rel (relative to a store)
// is. ok is false for anything that is none: other folders, other extensions,
// editors' temporary files, ids that are not allowed.
func Ident(rel string) (kind Kind, id string, ok bool) { return ident(rel) }

// FileOf is the slash path, relative to its store, at which a new entry is
// written. An existing one may lie at a differently normalised name: its
// Entry.File tells.
func FileOf(kind Kind, id string) string { return fileOf(kind, id) }

// FileRef is one entry's file in a store.
type FileRef struct {
	Kind Kind
	ID   string // without PersonalPrefix
	File string // slash path relative to the store, as the disk spells it
}

// Walk finds every entry's file below the absolute folder store, sorted by
// kind, then id. Links are followed as long as they stay inside the store or
// one of the absolute folders within; what is refused or looks like a mistake
// is a Problem, and a missing store is empty. dirs are the folders that were
// read, as slash paths relative to the store ("" is the store), sorted.
func Walk(store string, within ...string) (files []FileRef, dirs []string, problems []workspace.Problem) {
	return walk(store, within)
}
