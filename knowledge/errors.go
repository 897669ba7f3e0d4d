package knowledge

import (
	"errors"
	"strings"
	"time"
)

// Errors of reading and writing knowledge; CLI and MCP turn them into codes
// (not_found, conflict, duplicate, invalid_args, refused, read_only).
var (
	ErrNotFound  = errors.New("entry not found")
	ErrAmbiguous = errors.New("more than one entry has this id")
	ErrConflict  = errors.New("entry changed since it was read")
	ErrDuplicate = errors.New("an entry with this title exists")
	ErrInvalid   = errors.New("invalid entry")
	ErrRefused   = errors.New("refused")
	ErrReadOnly  = errors.New("the store cannot be written")
	// ErrNothing: there is nothing to undo.
	ErrNothing = errors.New("nothing to undo")
)

// NotFoundError names the nearest entries. It is ErrNotFound.
type NotFoundError struct {
	Ref     string   // as asked for
	Nearest []string // at most three, best first; "kind:id" when no kind was asked for
}

func (e *NotFoundError) Error() string {
	if len(e.Nearest) == 0 {
		return "no entry \"" + e.Ref + "\""
	}
	return "no entry \"" + e.Ref + "\"; nearest: " + strings.Join(e.Nearest, ", ")
}

// Is makes errors.Is(err, ErrNotFound) true.
func (e *NotFoundError) Is(err error) bool { return err == ErrNotFound }

// AmbiguousError names every entry that the reference may mean. It is
// ErrAmbiguous.
type AmbiguousError struct {
	Ref  string
	Keys []string // "kind:id", sorted
}

func (e *AmbiguousError) Error() string {
	return "\"" + e.Ref + "\" may mean " + strings.Join(e.Keys, " or ")
}

// Is makes errors.Is(err, ErrAmbiguous) true.
func (e *AmbiguousError) Is(err error) bool { return err == ErrAmbiguous }

// ConflictError carries the version that stands now. It is ErrConflict.
type ConflictError struct {
	Kind    Kind // "" when it is not known
	ID      string
	Current string // "" when the entry is gone
}

func (e *ConflictError) Error() string {
	if e.Current == "" {
		return "entry " + e.ID + " is gone"
	}
	return "entry " + e.ID + " changed; its version is now " + e.Current
}

// Is makes errors.Is(err, ErrConflict) true.
func (e *ConflictError) Is(err error) bool { return err == ErrConflict }

// DuplicateError names the entry that has the title or the id. It is
// ErrDuplicate.
type DuplicateError struct {
	Kind Kind
	ID   string
	// What is "title" or "id"; "" reads as "title".
	What string
}

func (e *DuplicateError) Error() string {
	what := e.What
	if what == "" {
		what = "title"
	}
	return "an entry with this " + what + " exists: " + string(e.Kind) + ":" + e.ID
}

// Is makes errors.Is(err, ErrDuplicate) true.
func (e *DuplicateError) Is(err error) bool { return err == ErrDuplicate }

// InvalidError says what is wrong with a value somebody asked to write. It is
// ErrInvalid.
type InvalidError struct {
	Field  string // "title", "paths", "content_edit", ...
	Msg    string // lower case, no full stop
	Remedy string
}

func (e *InvalidError) Error() string { return e.Field + ": " + e.Msg }

// Is makes errors.Is(err, ErrInvalid) true.
func (e *InvalidError) Is(err error) bool { return err == ErrInvalid }

// Is makes errors.Is(err, ErrInvalid) true for a file that does not parse.
func (e *ParseError) Is(err error) bool { return err == ErrInvalid }

// RefusedError names what was left alone and why. It is ErrRefused.
type RefusedError struct {
	Path   string // absolute, or relative to the store
	Msg    string
	Remedy string
}

func (e *RefusedError) Error() string { return e.Path + ": " + e.Msg }

// Is makes errors.Is(err, ErrRefused) true.
func (e *RefusedError) Is(err error) bool { return err == ErrRefused }

// OldVersion of an entry in its history.
type OldVersion struct {
	Version string    // xxhash64, 16 hex
	At      time.Time // when it was replaced
	Action  string    // what replaced it: "edit", "rm", "move", "restore", "undo"
	Source  string    // "cli", "mcp:<client>", ...
	File    string    // absolute path of the kept bytes
}
