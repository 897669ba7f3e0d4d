// Package queue remembers which sessions ended, so that a person can look
// through them later: host, session, where the client keeps the conversation,
// and when it ended. Nothing of the conversation itself is read or kept here.
// It lies in the state folder and holds absolute paths, which stay on this
// machine.
package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"pathrule/internal/atomicfile"
	"pathrule/internal/filelock"
	"pathrule/internal/rawjson"
)

const (
	// Max is how many sessions of a workspace are kept, newest last.
	Max = 50
	// wait is how long to wait for another process's lock.
	wait = 50 * time.Millisecond
	// format is the version of the file. 1: first
	format = "1"

	maxFile = 1 << 20 // bytes
	name    = "session-queue.json"
)

// Entry is one session that ended.
type Entry struct {
	Host       string
	Session    string
	Transcript string // absolute
	At         time.Time
}

// Path is the queue of a workspace, the outermost one of a session.
func Path(state, workspace string) string { return filepath.Join(state, "queue", workspace, name) }

// Add puts e last. Another entry of the same host and session goes, and so do
// the oldest beyond Max. A file that cannot be understood is begun anew: it
// holds nothing that anybody wrote by hand.
func Add(state, workspace string, e Entry) error {
	if !filepath.IsAbs(state) || !filepath.IsAbs(e.Transcript) {
		return errors.New("queue session: no absolute path")
	}
	return change(state, workspace, func(list []Entry, _ error) []Entry {
		list = slices.DeleteFunc(list, func(o Entry) bool { return o.Host == e.Host && o.Session == e.Session })
		list = append(list, e)
		return list[max(0, len(list)-Max):]
	})
}

// Read lists the queue, oldest first.
func Read(state, workspace string) ([]Entry, error) {
	path := Path(state, workspace)
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if st.Size() > maxFile {
		return nil, fmt.Errorf("read %s: larger than 1 MiB", path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	list, ok := parse(b)
	if !ok {
		return nil, fmt.Errorf("read %s: not a queue of format %s; remove the file", path, format)
	}
	return list, nil
}

// Remove takes the entries out. One that was queued again meanwhile stays,
// since its session went on.
func Remove(state, workspace string, gone []Entry) error {
	if len(gone) == 0 {
		return nil
	}
	return change(state, workspace, func(list []Entry, err error) []Entry {
		if err != nil {
			return nil
		}
		return slices.DeleteFunc(list, func(o Entry) bool {
			return slices.ContainsFunc(gone, func(g Entry) bool { return g.Host == o.Host && g.Session == o.Session && g.At.Equal(o.At) })
		})
	})
}

// Keep is how long a session waits: as long as clients keep conversations by
// default, after which there is nothing left to look at.
const Keep = 30 * 24 * time.Hour

// Prune drops the entries older than Keep from every workspace's queue, and files
// that hold none, and says how many entries and files went; with dry it only
// counts.
func Prune(state string, now time.Time, dry bool) (removed int, err error) {
	dirs, _ := os.ReadDir(filepath.Join(state, "queue"))
	for _, d := range dirs {
		list, e := Read(state, d.Name())
		if e != nil || !d.IsDir() {
			continue // begun anew by the next session that ends
		}
		var old []Entry
		for _, o := range list {
			if now.Sub(o.At) >= Keep {
				old = append(old, o)
			}
		}
		removed += len(old)
		if dry {
			continue
		}
		if e := Remove(state, d.Name(), old); e != nil {
			err = e
		} else if len(old) == len(list) {
			if st, e := os.Stat(Path(state, d.Name())); e == nil && now.Sub(st.ModTime()) >= Keep {
				_ = os.Remove(Path(state, d.Name())) // the next session makes it
			}
		}
	}
	return removed, err
}

func change(state, workspace string, edit func([]Entry, error) []Entry) error {
	path := Path(state, workspace)
	lock, err := filelock.Acquire(path+".lock", wait)
	if err != nil {
		return fmt.Errorf("lock session queue: %w", err)
	}
	defer lock.Unlock()
	list, err := Read(state, workspace)
	list = edit(list, err)
	return atomicfile.Write(path, render(list), 0o600, 0o700)
}

func render(list []Entry) []byte {
	b := []byte(`{"format": ` + format + `, "entries": [`)
	for i, e := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = rawjson.AppendQuoted(append(b, "\n  {\"host\": "...), e.Host)
		b = rawjson.AppendQuoted(append(b, `, "session": `...), e.Session)
		b = rawjson.AppendQuoted(append(b, `, "transcript_path": `...), e.Transcript)
		b = append(b, `, "at": "`+e.At.UTC().Format(time.RFC3339)+`"}`...)
	}
	return append(b, "\n]}\n"...)
}

func parse(b []byte) ([]Entry, bool) {
	v, err := rawjson.Parse(b)
	if err != nil || string(v.Get("format")) != format {
		return nil, false
	}
	var list []Entry
	for m := range v.Get("entries").Elements {
		at, err := time.Parse(time.RFC3339, m.Get("at").Text())
		e := Entry{Host: m.Get("host").Text(), Session: m.Get("session").Text(), Transcript: m.Get("transcript_path").Text(), At: at}
		if err == nil && e.Host != "" && filepath.IsAbs(e.Transcript) {
			list = append(list, e)
		}
		if len(list) == Max {
			break
		}
	}
	return list, true
}
