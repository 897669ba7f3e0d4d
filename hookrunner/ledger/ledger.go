// Package ledger remembers what a session has been given and who claimed an
// event: one append-only file per host, workspace, session and agent, never
// fsynced, a torn last line ignored. It stores ids, hashes and forms, never a
// prompt or a tool's text.
//
// Beside the records lie claims (who answers an event that two registrations
// both fire) and receipts (when a host last fired an event, for doctor).
package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"pathrule/slice"
	"pathrule/workspace"
)

// Limits of what is kept.
const (
	MaxAge       = 7 * 24 * time.Hour
	MaxSessions  = 200
	MaxSubagents = 100 // besides, so that they never push a session out

	// Wait is how long an operation waits for another process's lock.
	Wait = 50 * time.Millisecond

	// anonymousAge ends the record that all sessions without an id share.
	anonymousAge = time.Hour
)

// Key names one record: host, workspace id, session and agent ("" for the
// main session). Workspace is Root of the session's. Session ids outside
// [A-Za-z0-9._-]{1,128} are hashed.
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
	Now func() time.Time // nil: time.Now
}

// Ledger is one session's record, locked for at most 50 ms per operation. It
// is what the file said at Open and what this process did since.
type Ledger struct {
	path string
	now  func() time.Time
	state
	read    int64 // bytes of the file taken in
	torn    bool  // the file ends inside a line
	expired bool  // the file's content is too old to count
	// answered are the events that other processes answered since Open, earlier
	// those before it.
	answered, earlier map[string]bool
}

// Open reads the record of k; it never creates a file by itself. fresh is true
// when there was none, or it is older than 7 days. An error (unreadable) leaves
// an empty usable ledger.
func (s Store) Open(k Key) (l *Ledger, fresh bool, err error) {
	l = &Ledger{now: s.now}
	if s.Dir == "" {
		return l, true, errNoState
	}
	l.path = s.path(k)
	if err := l.load(); err != nil {
		return l, true, err
	}
	if l.read == 0 {
		return l, true, nil
	}
	if age := l.Age(); age > MaxAge || k.Session == "" && age > anonymousAge {
		l.state, l.expired = state{}, true
		return l, true, nil
	}
	return l, false, nil
}

// Has implements slice.Delivered: the highest form in which this hash was
// told, as long as no other hash of the item was told after it.
func (l *Ledger) Has(key, hash string) slice.Form {
	if it, ok := l.items[key]; ok && it.Hash == hash {
		return it.Form
	}
	return slice.None
}

// Last is the hash under which the item was told last.
func (l *Ledger) Last(key string) (hash string, ok bool) {
	it, ok := l.items[key]
	return it.Hash, ok
}

// Told are the items told since the last reset, first told first.
func (l *Ledger) Told() []Sent {
	list := make([]Sent, 0, len(l.order))
	for _, k := range l.order {
		list = append(list, l.items[k])
	}
	return list
}

// Bodies are the keys told as bodies, first told first.
func (l *Ledger) Bodies() []string {
	var keys []string
	for _, it := range l.Told() {
		if it.Form == slice.Body {
			keys = append(keys, it.Key)
		}
	}
	return keys
}

// Before are the keys that had been told when a compaction last reset the
// record, first told first; a reset for another reason empties it.
func (l *Ledger) Before() []string { return l.before }

// Started reports that the session slice was answered since the last reset by
// PreCompact or Cleared; until then the next prompt has to carry it.
func (l *Ledger) Started() bool { return l.started }

// Age is how long ago the record was last written; 0 when it is fresh.
func (l *Ledger) Age() time.Duration {
	if l.last == 0 {
		return 0
	}
	return max(0, l.now().Sub(time.Unix(l.last, 0)))
}

// Began is when the session's stretch began, the zero time for a fresh record.
func (l *Ledger) Began() time.Time {
	if l.first == 0 {
		return time.Time{}
	}
	return time.Unix(l.first, 0)
}

// Reasons for a reset that keep the names of what had been told.
const (
	PreCompact = "PreCompact"
	Compact    = "compact"
)

// Cleared is the reset of a conversation that was cleared, where the session's
// start could not be answered.
const Cleared = "cleared"

// Reset forgets what was told (startup, clear, compaction) but keeps that the
// session exists. A compaction keeps the names of what had been told, for the
// compact slice, and what the last prompt touched on. Every reason but PreCompact
// and Cleared also starts the session.
func (l *Ledger) Reset(reason string) error {
	_, err := l.write(func() []line { return []line{{kind: kindReset, a: reason}} })
	return err
}

// Record appends what is about to be told, under the same lock in which won
// decides: of two processes with one plan only the first gets its items back.
// won are the items this process may tell (those not recorded by another
// since Open); the caller drops the others. With an error nothing is recorded
// and all of items come back.
func (l *Ledger) Record(items []Sent) (won []Sent, err error) { return l.Tell(Telling{Items: items}) }

// Telling is one answer as Tell records it.
type Telling struct {
	// Event names what is answered, "" for nothing in particular. Where another
	// process answered the same event since Open, this one is its twin: ErrTwin,
	// and nothing is won.
	Event string
	// Once: the event has an id of the host's, so that an answer from before Open
	// counts too while the record is younger than twinAge: a slow twin may open it
	// only after the quick one wrote it, and its plan need not be the same.
	Once bool
	// Reset, when not "", is the reason for which the record begins anew with
	// this answer: all items are then won.
	Reset string
	// Start: the answer holds the session slice.
	Start bool
	Items []Sent
	// Tokens are counted against Limit over the whole session when Limit is not 0;
	// an answer beyond it is ErrSpent and wins nothing.
	Tokens, Limit int
	// Cost are the tokens of the whole answer, for the session's sum.
	Cost int
}

// twinAge is how far apart two processes may answer one event.
const twinAge = 10 * time.Second

// ErrSpent: the session's tokens for this answer are used up.
var ErrSpent = errors.New("tokens of the session are spent")

// ErrTwin: another process answered the event meanwhile.
var ErrTwin = errors.New("event was answered by another process")

// Tell is Record for a whole answer, in one write.
func (l *Ledger) Tell(t Telling) (won []Sent, err error) {
	spent, twin := false, false
	id := ""
	if t.Event != "" {
		sum := sha256.Sum256([]byte(t.Event))
		id = hex.EncodeToString(sum[:8])
	}
	_, err = l.write(func() []line {
		var lines []line
		if id != "" {
			if twin = l.answered[id] || t.Once && l.earlier[id] && l.last != 0 && l.Age() < twinAge; twin {
				return nil
			}
			lines = append(lines, line{kind: kindEvent, a: id})
		}
		if t.Reset != "" {
			lines = append(lines, line{kind: kindReset, a: t.Reset})
		} else if t.Start && !l.started {
			lines = append(lines, line{kind: kindStart})
		}
		if t.Limit > 0 && t.Tokens > 0 {
			if spent = l.spent+t.Tokens > t.Limit; spent {
				return lines
			}
			lines = append(lines, line{kind: kindSpent, a: strconv.Itoa(t.Tokens)})
		}
		for _, it := range t.Items {
			if t.Reset == "" && l.Has(it.Key, it.Hash) >= it.Form {
				continue
			}
			won = append(won, it)
			lines = append(lines, itemLine(it))
		}
		if t.Cost > 0 && (len(won) > 0 || len(t.Items) == 0) {
			lines = append(lines, line{kind: kindCost, a: strconv.Itoa(t.Cost)})
		}
		return lines
	})
	if err != nil {
		return t.Items, err
	}
	switch {
	case twin:
		return nil, ErrTwin
	case spent:
		return nil, ErrSpent
	}
	return won, nil
}

// Spent are the tokens told against a Limit in this session.
func (l *Ledger) Spent() int { return l.spent }

// Tool notes a tool call (counted once, so not for its second event), and
// followed, when not "", the key of the route item that it opened.
func (l *Ledger) Tool(followed string, count bool) error {
	var lines []line
	if count {
		lines = append(lines, line{kind: kindTool})
	}
	if followed != "" && !l.followed[followed] {
		lines = append(lines, line{kind: kindFollowed, a: followed})
	}
	return l.note(lines...)
}

func (l *Ledger) note(lines ...line) error {
	if len(lines) == 0 {
		return nil
	}
	_, err := l.write(func() []line { return lines })
	return err
}

// Summary is what one stretch of a session did, from its beginning or its last
// End to now.
type Summary struct {
	Tools    int
	Routes   int // routes told
	Followed int // of them opened
	Items    int // items told, in any form
	Tokens   int // that the answers cost
	Seconds  int64
}

// Session is the stretch of one session that has not ended yet.
type Session struct {
	Host    string
	Session string // as SessionName has it
	Last    time.Time
	Summary
}

// Sessions are the open stretches of a workspace, newest first, subagents'
// records aside; what ended stands in usage/navigation.jsonl.
func (s Store) Sessions(workspace string) []Session {
	var out []Session
	for _, f := range s.list(sessionsDir) {
		p := strings.Split(f.name, sep)
		if len(p) != 3 || p[1] != safe(workspace, 32) {
			continue
		}
		l := &Ledger{path: f.path, now: s.now}
		if err := l.load(); err != nil || l.first == 0 {
			continue
		}
		out = append(out, Session{Host: p[0], Session: p[2], Last: time.Unix(l.last, 0),
			Summary: Summary{Tools: l.tools, Routes: l.routes, Followed: len(l.followed), Items: l.told, Tokens: l.cost, Seconds: l.last - l.first}})
	}
	slices.SortFunc(out, func(a, b Session) int {
		if c := b.Last.Compare(a.Last); c != 0 {
			return c
		}
		return strings.Compare(a.Host+sep+a.Session, b.Host+sep+b.Session)
	})
	return out
}

// End sums the stretch up and begins the next one; what was told stays, for a
// resumed session still has it. ok is false when nothing was recorded.
func (l *Ledger) End() (sum Summary, ok bool, err error) {
	if l.read == 0 || l.expired || l.first == 0 {
		return Summary{}, false, nil
	}
	_, err = l.write(func() []line {
		sum = Summary{Tools: l.tools, Routes: l.routes, Followed: len(l.followed), Items: l.told, Tokens: l.cost, Seconds: l.last - l.first}
		return []line{{kind: kindEnd}}
	})
	return sum, err == nil, err
}

// Root is the Workspace of a Key: the id of the outermost workspace around ws,
// so that a session keeps one record however deep in nested workspaces it works.
func Root(ws *workspace.Workspace) string {
	for ws.Outer != nil {
		ws = ws.Outer
	}
	return ws.ID
}
