// Package filelock is a lock held by the kernel, so that it dies with the
// process: flock on Unix, LockFileEx on Windows.
package filelock

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

// ErrTimeout: another process held the lock for the whole wait.
var ErrTimeout = errors.New("lock is held by another process")

// Lock is a held lock.
type Lock struct{ f *os.File }

// Acquire takes the exclusive lock on path (made 0600, its folder 0700),
// waiting at most wait; a negative wait waits for ever. Unlock releases it. The
// file stays: removing it would let two processes hold two files.
func Acquire(path string, wait time.Duration) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if errors.Is(err, os.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		f, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	}
	if err != nil {
		return nil, err
	}
	deadline := time.Now().Add(wait)
	for pause := 200 * time.Microsecond; ; {
		ok, err := tryLock(f)
		if err != nil {
			f.Close()
			return nil, err
		}
		if ok {
			return &Lock{f}, nil
		}
		if wait >= 0 && time.Now().Add(pause).After(deadline) {
			f.Close()
			return nil, ErrTimeout
		}
		time.Sleep(pause)
		if pause < 5*time.Millisecond {
			pause *= 2
		}
	}
}

// Unlock releases the lock.
func (l *Lock) Unlock() error {
	err := unlock(l.f)
	if e := l.f.Close(); err == nil {
		err = e
	}
	return err
}

// File is the locked file itself, for callers that keep data in it.
func (l *Lock) File() *os.File { return l.f }
