// Package pending remembers which required checks a session still has to pass:
// what was edited under a check, which runs of it were seen and how they ended,
// how often the session's end was held for it. It keeps ids, paths and reasons
// in our own words, never a command or its output.
//
// A session's log is append-only lines, so that what happened while a run was
// under way stands behind its beginning and is not cleared by its end.
package pending

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pathrule/guard/runs"
	"pathrule/internal/filelock"
	"pathrule/internal/linetree"
)

const (
	dirName  = "checks"
	lockWait = 50 * time.Millisecond
	// maxLog is how large a session's log may grow; a session that edits more
	// is held by what stands there.
	maxLog = 512 << 10
	// maxPaths is how many edited files one check remembers by name.
	maxPaths = 2_000
	maxAge   = 7 * 24 * time.Hour
	maxLogs  = 500
)

// Check names one check: the owner of its rule (approval.Place) and the rule's id.
type Check struct{ Owner, ID string }

func (c Check) key() string { return c.Owner + "/" + c.ID }

// Log is the log of one session.
type Log struct{ path string }

// Open is the log of a session below a state folder; nothing is read or made.
// The zero Log, for an empty state folder, holds nothing and keeps nothing.
func Open(state, host, workspace, session string) Log {
	if state == "" {
		return Log{}
	}
	sum := sha256.Sum256([]byte(host + "\x00" + workspace + "\x00" + session))
	return Log{filepath.Join(state, dirName, workspace+"~"+hex.EncodeToString(sum[:12]))}
}

// Wait is what one check waits for.
type Wait struct {
	Check Check
	// Paths are the edited files in base coordinates, in order, at most 2,000.
	Paths []string
	// Why says what kept the last run that was meant for it from counting.
	Why runs.Reason
	// Told: the session was told of it.
	Told bool
}

// State is what a log says.
type State struct {
	Waits []*Wait // pending, in the order in which they began to wait
	Held  int     // how often the session's end was held
	// Running are the checks of which a run began, by the tool call that runs it.
	Running map[string][]Check
}

// The kinds of lines: kind, check, then by kind a path, a tool call's id, a
// reason.
const (
	edited = "e"
	began  = "b" // a run that would count began: tool call
	passed = "p" // it ended well: tool call, "" when its beginning was not seen
	failed = "f" // it did not count: reason
	held   = "h"
	told   = "t"
)

type tracked struct {
	wait  Wait
	began map[string]int // tool call -> number of paths when it began
	done  []string       // what the last good run cleared
	more  bool           // more files than are remembered by name
}

// Read replays the log. A log that is not there is empty.
func (l Log) Read() (State, error) {
	var s State
	if l.path == "" {
		return s, nil
	}
	f, err := os.Open(l.path)
	if errors.Is(err, os.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxLog))
	if err != nil {
		return s, err
	}
	return replay(string(raw)), nil
}

func replay(text string) State {
	var s State
	by := map[string]*tracked{}
	var order []*tracked
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, "\n") {
			break // torn: its writer died, or is still writing
		}
		kind, rest := linetree.Cut(line[:len(line)-1])
		if kind == held {
			s.Held++
			continue
		}
		key, arg := linetree.Cut(rest)
		owner, id, ok := strings.Cut(linetree.Unescape(key), "/")
		if !ok {
			continue
		}
		arg = linetree.Unescape(arg)
		t := by[key]
		if t == nil {
			t = &tracked{wait: Wait{Check: Check{owner, id}}, began: map[string]int{}}
			by[key] = t
			order = append(order, t)
		}
		w := &t.wait
		switch kind {
		case edited:
			if i := slices.Index(w.Paths, arg); i >= 0 {
				// Edited again: it stands behind runs that began before.
				w.Paths = slices.Delete(w.Paths, i, i+1)
				for id, n := range t.began {
					if i < n {
						t.began[id] = n - 1
					}
				}
			}
			if len(w.Paths) < maxPaths {
				w.Paths = append(w.Paths, arg)
			} else {
				t.more = true
			}
		case began:
			t.began[arg] = len(w.Paths)
		case passed:
			n, seen := t.began[arg]
			if !seen {
				n = len(w.Paths)
			}
			if n > 0 || len(w.Paths) > 0 {
				t.done = slices.Clone(w.Paths[:n])
			}
			w.Paths = slices.Clone(w.Paths[n:])
			w.Why, t.more, w.Told = "", t.more && n < maxPaths, w.Told && len(w.Paths) > 0
			for id, m := range t.began {
				t.began[id] = max(0, m-n)
			}
			delete(t.began, arg)
		case failed:
			w.Why = runs.Reason(arg)
			if w.Why == runs.Failed && len(w.Paths) == 0 {
				w.Paths = t.done // the last result wins
			}
		case told:
			w.Told = true
		}
	}
	for _, t := range order {
		if len(t.wait.Paths) > 0 || t.more {
			s.Waits = append(s.Waits, &t.wait)
		}
		for call := range t.began {
			if s.Running == nil {
				s.Running = map[string][]Check{}
			}
			s.Running[call] = append(s.Running[call], t.wait.Check)
		}
	}
	return s
}

// Edited notes files (base coordinates) that an edit touched under a check.
func (l Log) Edited(c Check, paths ...string) error {
	var lines []byte
	for _, p := range paths {
		lines = appendLine(lines, edited, c.key(), p)
	}
	return l.append(lines)
}

// Began notes that a run which would count begins with a tool call.
func (l Log) Began(c Check, call string) error {
	return l.append(appendLine(nil, began, c.key(), call))
}

// Passed notes that it ended well.
func (l Log) Passed(c Check, call string) error {
	return l.append(appendLine(nil, passed, c.key(), call))
}

// Failed notes why a run that was meant for a check did not count.
func (l Log) Failed(c Check, why runs.Reason) error {
	return l.append(appendLine(nil, failed, c.key(), string(why)))
}

// Told notes that the session was told of a pending check.
func (l Log) Told(c Check) error { return l.append(appendLine(nil, told, c.key(), "")) }

// Held notes that the session's end was held.
func (l Log) Held() error { return l.append(appendLine(nil, held)) }

func appendLine(dst []byte, fields ...string) []byte {
	for i, f := range fields {
		if i > 0 {
			dst = append(dst, '\t')
		}
		dst = linetree.AppendField(dst, f)
	}
	return append(dst, '\n')
}

var errFull = errors.New("the session's log of checks is full")

// append writes whole lines under the file's own lock, behind a torn one.
func (l Log) append(lines []byte) error {
	if l.path == "" || len(lines) == 0 {
		return nil
	}
	lock, err := filelock.Acquire(l.path, lockWait)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	f := lock.File()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if end+int64(len(lines)) > maxLog {
		return errFull
	}
	if end > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, end-1); err == nil && last[0] != '\n' {
			lines = append([]byte{'\n'}, lines...)
		}
	}
	_, err = f.WriteAt(lines, end)
	return err
}

// Sessions replays the logs of all sessions that work in a workspace (its
// outermost root's id), newest first.
func Sessions(state, workspace string) []State {
	var out []State
	for _, f := range logs(state) {
		if strings.HasPrefix(filepath.Base(f.path), workspace+"~") {
			if s, err := (Log{f.path}).Read(); err == nil {
				out = append(out, s)
			}
		}
	}
	return out
}

// Waiting are the files that wait for a check in any session of a workspace: what
// a "check run" sees and a receipt covers.
func Waiting(state, workspace string, c Check) []string {
	var paths []string
	for _, s := range Sessions(state, workspace) {
		for _, w := range s.Waits {
			if w.Check != c {
				continue
			}
			for _, p := range w.Paths {
				if !slices.Contains(paths, p) {
					paths = append(paths, p)
				}
			}
		}
	}
	return paths
}

type logFile struct {
	path string
	mod  time.Time
}

func logs(state string) []logFile {
	if state == "" {
		return nil
	}
	d, err := os.Open(filepath.Join(state, dirName))
	if err != nil {
		return nil
	}
	defer d.Close()
	entries, _ := d.ReadDir(4 * maxLogs)
	var out []logFile
	for _, e := range entries {
		if st, err := e.Info(); err == nil && st.Mode().IsRegular() && strings.Contains(e.Name(), "~") {
			out = append(out, logFile{filepath.Join(state, dirName, e.Name()), st.ModTime()})
		}
	}
	slices.SortFunc(out, func(a, b logFile) int { return b.mod.Compare(a.mod) })
	return out
}

// Prune removes the logs of sessions that nobody goes on with.
func Prune(state string, now time.Time) {
	for i, f := range logs(state) {
		if i >= maxLogs || now.Sub(f.mod) > maxAge {
			os.Remove(f.path)
		}
	}
}
