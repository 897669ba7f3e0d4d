package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pathrule/internal/filelock"
)

const (
	sessionsDir = "sessions"
	claimsDir   = "claims"
	seenDir     = "seen"
	onceDir     = "once"

	// sep stands between the parts of a file name; it is in no id.
	sep = "~"

	// maxScan is how many files of a folder one Prune looks at.
	maxScan = 2_000
)

// errNoState: no folder for state is known. Nothing may be written then: a
// relative path would lie in the project.
var errNoState = errors.New("no folder for state")

func (s Store) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

// path is the record's file: HOST~WORKSPACE~SESSION[~AGENT] in one flat folder.
func (s Store) path(k Key) string {
	name := safe(k.Host, 32) + sep + safe(k.Workspace, 32) + sep + safe(k.Session, 128)
	if k.Agent != "" {
		name += sep + safe(k.Agent, 64)
	}
	return filepath.Join(s.Dir, sessionsDir, name)
}

// safe is an id as part of a file name: itself, or "=" and a hash when it is
// empty, long, or has a character that some file system minds.
func safe(id string, most int) string {
	ok := id != "" && len(id) <= most && id[len(id)-1] != '.'
	for i := 0; ok && i < len(id); i++ {
		c := id[i]
		ok = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-'
	}
	if ok {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "=" + hex.EncodeToString(sum[:16])
}

// SessionName is a session's id as files of ours hold it: itself, or "=" and a
// hash when it is empty, long or odd.
func SessionName(id string) string { return safe(id, 128) }

// IsNewest reports that no other session of the same host and workspace wrote
// its record later than k did. Without a record it is false.
func (s Store) IsNewest(k Key) bool {
	k.Agent = ""
	own, err := os.Stat(s.path(k))
	if err != nil {
		return false
	}
	prefix := safe(k.Host, 32) + sep + safe(k.Workspace, 32) + sep
	for _, f := range s.list(sessionsDir) {
		if rest, ok := strings.CutPrefix(f.name, prefix); ok && !strings.Contains(rest, sep) && f.mod.After(own.ModTime()) {
			return false
		}
	}
	return true
}

// DropAgents removes the records of a session's subagents; none of them comes
// back once the session has ended.
func (s Store) DropAgents(k Key) {
	k.Agent = ""
	prefix := filepath.Base(s.path(k)) + sep
	for _, f := range s.list(sessionsDir) {
		if strings.HasPrefix(f.name, prefix) {
			os.Remove(f.path)
		}
	}
}

// Drop removes a record.
func (s Store) Drop(k Key) error {
	if s.Dir == "" {
		return errNoState
	}
	return os.Remove(s.path(k))
}

// Claim takes an event for this process: false when another process claimed
// the same id within ttl. Where no claim can be written the event is ours, and
// the error says why.
func (s Store) Claim(id string, ttl time.Duration) (bool, error) {
	if s.Dir == "" {
		return true, errNoState
	}
	sum := sha256.Sum256([]byte(id))
	lock, err := filelock.Acquire(filepath.Join(s.Dir, claimsDir, hex.EncodeToString(sum[:16])), Wait)
	if err != nil {
		return true, err
	}
	defer lock.Unlock()
	// The claim is the time at which it was made.
	const width = 20
	b := make([]byte, width)
	n, _ := lock.File().ReadAt(b, 0)
	now := s.now()
	if at, err := strconv.ParseInt(strings.TrimSpace(string(b[:n])), 10, 64); err == nil && now.Sub(time.Unix(0, at)) < ttl {
		return false, nil
	}
	_, err = lock.File().WriteAt(fmt.Appendf(nil, "%*d", width, now.UnixNano()), 0)
	return true, err
}

// Once reports that nobody asked for id here before: for what a person is told
// only once. Where that cannot be kept it is false.
func (s Store) Once(id string) bool {
	if s.Dir == "" {
		return false
	}
	sum := sha256.Sum256([]byte(id))
	path := filepath.Join(s.Dir, onceDir, hex.EncodeToString(sum[:16]))
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if os.IsNotExist(err) && os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		f, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	}
	if err != nil {
		return false
	}
	f.Close()
	return true
}

type file struct {
	name, path string
	mod        time.Time
}

// list is the files of a folder with their times, at most maxScan.
func (s Store) list(dir string) []file {
	if s.Dir == "" {
		return nil
	}
	d, err := os.Open(filepath.Join(s.Dir, dir))
	if err != nil {
		return nil
	}
	defer d.Close()
	entries, _ := d.ReadDir(maxScan)
	files := make([]file, 0, len(entries))
	for _, e := range entries {
		if st, err := e.Info(); err == nil && st.Mode().IsRegular() {
			files = append(files, file{e.Name(), filepath.Join(s.Dir, dir, e.Name()), st.ModTime()})
		}
	}
	return files
}

// Prune removes records older than 7 days, then the oldest beyond 200 (100
// more for subagents), and claims and receipts that nobody needs any more.
// Called on SessionStart only; bounded work.
func (s Store) Prune() error {
	var failed error
	remove := func(f file) {
		if err := os.Remove(f.path); err != nil && !os.IsNotExist(err) && failed == nil {
			failed = err
		}
	}
	now := time.Now() // ages here are by the files' own times
	var sessions, agents []file
	for _, f := range s.list(sessionsDir) {
		switch {
		case now.Sub(f.mod) > MaxAge:
			remove(f)
		case strings.Count(f.name, sep) > 2:
			agents = append(agents, f)
		default:
			sessions = append(sessions, f)
		}
	}
	for _, over := range [][]file{oldest(sessions, MaxSessions), oldest(agents, MaxSubagents)} {
		for _, f := range over {
			remove(f)
		}
	}
	for _, f := range s.list(claimsDir) {
		if now.Sub(f.mod) > time.Minute { // no claim lasts that long
			remove(f)
		}
	}
	for _, f := range s.list(seenDir) {
		if now.Sub(f.mod) > 90*24*time.Hour {
			remove(f)
		}
	}
	return failed
}

// oldest is what lies beyond the newest keep files.
func oldest(files []file, keep int) []file {
	if len(files) <= keep {
		return nil
	}
	slices.SortFunc(files, func(a, b file) int {
		if c := b.mod.Compare(a.mod); c != 0 {
			return c
		}
		return strings.Compare(a.name, b.name)
	})
	return files[keep:]
}
