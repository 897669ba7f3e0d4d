package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"pathrule/internal/filelock"
)

// maxSaid bounds what one process leaves for the next, in bytes.
const maxSaid = 32 << 10

// Turn is one event while a process works on it alone. Its lock is the kernel's,
// so that another gets its turn when the process dies.
type Turn struct {
	// Waited: another process worked on the event when this one asked.
	Waited bool
	// Known: one finished it within the time that was asked about, and Said this.
	Known bool
	Said  string

	lock *filelock.Lock
	now  func() time.Time
}

// Turn waits for the event's turn, at most wait (filelock.ErrTimeout). The caller
// ends it, and says before what a twin of the event has to know.
func (s Store) Turn(id string, ttl, wait time.Duration) (*Turn, error) {
	if s.Dir == "" {
		return nil, errNoState
	}
	sum := sha256.Sum256([]byte("turn " + id))
	name := filepath.Join(s.Dir, claimsDir, hex.EncodeToString(sum[:16]))
	t := &Turn{}
	lock, err := filelock.Acquire(name, 0)
	if errors.Is(err, filelock.ErrTimeout) {
		t.Waited = true
		lock, err = filelock.Acquire(name, wait)
	}
	if err != nil {
		return nil, err
	}
	t.lock, t.now = lock, s.now
	b := make([]byte, maxSaid+64)
	n, _ := lock.File().ReadAt(b, 0)
	at, text, ok := strings.Cut(string(b[:n]), "\n")
	if nano, err := strconv.ParseInt(at, 10, 64); ok && err == nil && t.now().Sub(time.Unix(0, nano)) < ttl {
		t.Known, t.Said = true, text
	}
	return t, nil
}

// Say leaves a text for the next process whose turn it is.
func (t *Turn) Say(text string) error {
	if len(text) > maxSaid {
		text = strings.ToValidUTF8(text[:maxSaid], "")
	}
	if err := t.lock.File().Truncate(0); err != nil {
		return err
	}
	_, err := t.lock.File().WriteAt(fmt.Appendf(nil, "%d\n%s", t.now().UnixNano(), text), 0)
	return err
}

// End gives the turn to the next.
func (t *Turn) End() { _ = t.lock.Unlock() }
