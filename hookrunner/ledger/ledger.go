// Package ledger remembers what a session has been given and who claimed an
// event: one append-only file per host, workspace root, session and agent,
// never fsynced, a torn last line ignored. It stores ids, hashes and forms,
// never a prompt or a tool's text.
package ledger

import (
	"time"

	"pathrule/slice"
)

// Key names one record: host, workspace id, session and agent ("" for the
// main session). Session ids outside [A-Za-z0-9._-]{1,128} are hashed.
type Key struct {
	Host      string
	Workspace string
	Session   string
	Agent     string
}

// Sent is one item as it was told.
type Sent struct {
	Key  string // catalog.Record.Key or slice.Extra.Key
	Hash string
	Form slice.Form
}

// Store is the folder of ledgers (Dirs.State).
type Store struct {
	Dir string
	Now func() time.Time
}

// Ledger is one session's record, locked for at most 50 ms per operation.
type Ledger struct{ ledger }

// Open reads the record of k; it never creates a file by itself. fresh is true
// when there was none, or it is older than 7 days. An error (lock time-out,
// unreadable) leaves an empty usable ledger.
func (s Store) Open(k Key) (l *Ledger, fresh bool, err error) { return s.open(k) }

// Has implements slice.Delivered.
func (l *Ledger) Has(key, hash string) slice.Form { return l.has(key, hash) }

// Bodies are the keys told as bodies, first told first.
func (l *Ledger) Bodies() []string { return l.bodies() }

// Reset forgets what was told (startup, clear, compaction) but keeps that the
// session exists, and the names of what had been told for the compact slice.
func (l *Ledger) Reset(reason string) error { return l.reset(reason) }

// Record appends what is about to be told, under the same lock in which won
// decides: of two processes with one plan only the first gets its items back.
// won are the items this process may tell (those not recorded by another
// since Open); the caller drops the others.
func (l *Ledger) Record(items []Sent) (won []Sent, err error) { return l.record(items) }

// Claim takes an event for this process: false when another process claimed
// the same id within ttl.
func (s Store) Claim(id string, ttl time.Duration) (bool, error) { return s.claim(id, ttl) }

// Age is how long ago the record was last written; 0 when it is fresh.
func (l *Ledger) Age() time.Duration { return l.age() }

// Prune removes records older than 7 days, then the oldest beyond 200 (100
// more for subagents). Called on SessionStart only; bounded work.
func (s Store) Prune() error { return s.prune() }
