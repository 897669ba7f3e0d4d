package knowledge

import (
	"errors"
	"time"
)

// Errors of the store; CLI and MCP turn them into codes (conflict, not_found,
// duplicate, refused).
var (
	ErrNotFound  = errors.New("entry not found")
	ErrConflict  = errors.New("entry changed since it was read")
	ErrDuplicate = errors.New("an entry with this title exists")
	ErrRefused   = errors.New("refused")
)

// ConflictError carries the version that stands now. It is ErrConflict.
type ConflictError struct{ ID, Current string }

func (e *ConflictError) Error() string {
	return "entry " + e.ID + " changed; its version is now " + e.Current
}

// Is makes errors.Is(err, ErrConflict) true.
func (e *ConflictError) Is(err error) bool { return err == ErrConflict }

// DuplicateError names the entry that has the title. It is ErrDuplicate.
type DuplicateError struct {
	Kind Kind
	ID   string
}

func (e *DuplicateError) Error() string {
	return "an entry with this title exists: " + string(e.Kind) + ":" + e.ID
}

// Is makes errors.Is(err, ErrDuplicate) true.
func (e *DuplicateError) Is(err error) bool { return err == ErrDuplicate }

// Version of an entry in its history, newest first.
type OldVersion struct {
	Version string    // xxhash64, 16 hex
	At      time.Time // when it was replaced
	Action  string    // "edit", "rm", "restore", "undo"
	Source  string    // "cli", "mcp", ...
	File    string    // absolute path of the kept bytes
}
