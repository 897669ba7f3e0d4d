package ledger

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"pathrule/internal/filelock"
	"pathrule/internal/percent"
	"pathrule/slice"
)

// A record's file is lines of fields with one blank between: kind, unix
// seconds, then by kind
//
//	i  form (n c b), hash ("-" for none), key   told
//	r  reason                                   reset
//	s                                           the session slice was answered
//	t                                           a tool call
//	f  key                                      a route was followed
//	u  tokens                                   told against a limit
//	k  tokens                                   what an answer cost
//	a  id                                       an event was answered
//	e                                           the session ended
//
// Keys and reasons have blanks, control characters and "%" as %XX. Unknown
// kinds are skipped, so that an older program reads a newer one's file.
const (
	kindItem     = "i"
	kindReset    = "r"
	kindStart    = "s"
	kindTool     = "t"
	kindFollowed = "f"
	kindSpent    = "u"
	kindCost     = "k"
	kindEvent    = "a"
	kindEnd      = "e"
)

// maxFile bounds what is read of one record; a session that wrote more starts
// over, which costs repeats and no harm.
const maxFile = 4 << 20

type line struct {
	kind string
	at   int64 // unix seconds
	form slice.Form
	hash string
	a    string // key or reason
}

// state is what the lines add up to.
type state struct {
	items    map[string]Sent
	order    []string
	before   []string
	started  bool
	last     int64 // time of the last line
	first    int64 // time of the first line since the last end
	tools    int
	routes   int
	told     int
	followed map[string]bool
	spent    int
	cost     int
}

const routePrefix = "x:route:"

// expired is the reset that begins an old record anew; the session it belongs
// to has not been answered yet.
const expired = "expired"

func (s *state) apply(ln line) {
	s.last = max(s.last, ln.at)
	if s.first == 0 {
		s.first = ln.at
	}
	switch ln.kind {
	case kindItem:
		if s.items == nil {
			s.items = map[string]Sent{}
		}
		old, known := s.items[ln.a]
		if !known {
			s.order = append(s.order, ln.a)
		}
		if known && old.Hash == ln.hash {
			ln.form = max(ln.form, old.Form)
		} else {
			if ln.a != slice.TaskKey { // nothing was told with it
				s.told++
			}
			if strings.HasPrefix(ln.a, routePrefix) {
				s.routes++
			}
		}
		s.items[ln.a] = Sent{Key: ln.a, Hash: ln.hash, Form: ln.form}
	case kindReset:
		s.reset(ln.a)
	case kindStart:
		s.started = true
	case kindTool:
		s.tools++
	case kindFollowed:
		if s.followed == nil {
			s.followed = map[string]bool{}
		}
		s.followed[ln.a] = true
	case kindSpent:
		n, _ := strconv.Atoi(ln.a)
		s.spent += max(0, n)
	case kindCost:
		n, _ := strconv.Atoi(ln.a)
		s.cost += max(0, n)
	case kindEnd:
		s.first, s.tools, s.routes, s.told, s.cost, s.followed = 0, 0, 0, 0, 0, nil
	}
}

// reset forgets what was told. What the last prompt touched on was not told: the
// work goes on after a compaction, often without another prompt, and is still
// about the same.
func (s *state) reset(reason string) {
	compaction := reason == PreCompact || reason == Compact
	task, kept := s.items[slice.TaskKey]
	told := len(s.items)
	if kept {
		told--
	}
	switch {
	case !compaction:
		s.before = nil
	case told > 0:
		s.before = s.order
	}
	s.items, s.order = nil, nil
	if compaction && kept {
		s.items, s.order = map[string]Sent{slice.TaskKey: task}, []string{slice.TaskKey}
	}
	s.started = reason != PreCompact && reason != Cleared && reason != expired
}

func itemLine(it Sent) line { return line{kind: kindItem, form: it.Form, hash: it.Hash, a: it.Key} }

func (ln line) appendTo(b []byte) []byte {
	b = append(b, ln.kind...)
	b = append(b, ' ')
	b = strconv.AppendInt(b, ln.at, 10)
	switch ln.kind {
	case kindItem:
		hash := ln.hash
		if hash == "" {
			hash = "-"
		}
		b = append(b, ' ', "-ncb"[ln.form], ' ')
		b = append(percent.Append(b, hash, percent.Word), ' ')
		b = percent.Append(b, ln.a, percent.Word)
	case kindReset, kindFollowed, kindSpent, kindCost, kindEvent:
		b = percent.Append(append(b, ' '), ln.a, percent.Word)
	}
	return append(b, '\n')
}

func parseLine(s string) (line, bool) {
	kind, s, _ := strings.Cut(s, " ")
	num, s, more := strings.Cut(s, " ")
	at, err := strconv.ParseInt(num, 10, 64)
	if err != nil || at <= 0 {
		return line{}, false
	}
	ln := line{kind: kind, at: at}
	switch kind {
	case kindItem:
		form, s, _ := strings.Cut(s, " ")
		hash, key, ok := strings.Cut(s, " ")
		f := strings.Index("-ncb", form)
		if !ok || len(form) != 1 || f < int(slice.Name) {
			return line{}, false
		}
		if hash != "-" {
			ln.hash = percent.Decode(hash)
		}
		ln.form, ln.a = slice.Form(f), percent.Decode(key)
	case kindReset, kindFollowed, kindSpent, kindCost, kindEvent:
		if !more {
			return line{}, false
		}
		ln.a = percent.Decode(s)
	}
	return ln, true
}

// take applies the whole lines of b; the torn rest is not counted as read.
func (l *Ledger) take(b []byte) {
	end := bytes.LastIndexByte(b, '\n') + 1
	l.torn = end < len(b)
	l.read += int64(end)
	for ln := range strings.Lines(string(b[:end])) {
		// Most lines of a long session.
		if at, ok := strings.CutPrefix(ln, kindTool+" "); ok {
			l.applyTool(at)
			continue
		}
		if p, ok := parseLine(strings.TrimSuffix(ln, "\n")); ok {
			l.apply(p)
			switch {
			case p.kind == kindReset:
				l.earlier = nil
			case p.kind == kindEvent && l.answered != nil:
				l.answered[p.a] = true
			case p.kind == kindEvent:
				if l.earlier == nil {
					l.earlier = map[string]bool{}
				}
				l.earlier[p.a] = true
			}
		}
	}
}

// applyTool is apply for the text after "t ".
func (s *state) applyTool(text string) {
	at := int64(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\n' && at > 0 {
			s.apply(line{kind: kindTool, at: at})
			return
		}
		if c < '0' || c > '9' || at > 1<<52 {
			return
		}
		at = at*10 + int64(c-'0')
	}
}

// load reads the file without a lock. On Windows another process's lock makes
// the read fail for the moment that it is held.
func (l *Ledger) load() error {
	for deadline := time.Now().Add(Wait); ; time.Sleep(time.Millisecond) {
		f, err := os.Open(l.path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		var b []byte
		if err == nil {
			b, err = readAll(f)
			f.Close()
		}
		if err == nil {
			l.state, l.read = state{}, 0
			l.take(b)
			return nil
		}
		if time.Now().After(deadline) || errors.Is(err, fs.ErrPermission) && os.PathSeparator == '/' {
			return err
		}
	}
}

// readAll reads the file as long as it is now, in one call.
func readAll(f *os.File) ([]byte, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: errors.New("is a folder")}
	}
	b := make([]byte, min(st.Size(), maxFile))
	n, err := io.ReadFull(f, b)
	if err == io.ErrUnexpectedEOF || err == io.EOF {
		err = nil
	}
	return b[:n], err
}

// write appends what lines gives, under the lock and after taking in what
// others appended meanwhile.
func (l *Ledger) write(lines func() []line) (int, error) {
	if l.path == "" {
		return 0, errNoState
	}
	lock, err := filelock.Acquire(l.path, Wait)
	if err != nil {
		return 0, err
	}
	defer lock.Unlock()
	f := lock.File()
	st, err := f.Stat()
	if err != nil {
		return 0, err
	}
	size := st.Size()
	if size < l.read || size > maxFile {
		// Removed and made anew by another process, or grown beyond reason.
		l.state, l.read, l.torn = state{}, 0, false
		if size > maxFile {
			if err := f.Truncate(0); err != nil {
				return 0, err
			}
			size = 0
		}
	}
	if size > l.read {
		b := make([]byte, size-l.read)
		if _, err := f.ReadAt(b, l.read); err != nil && err != io.EOF {
			return 0, err
		}
		if l.answered == nil {
			l.answered = map[string]bool{}
		}
		l.take(b)
		l.expired = false // another process began the record anew
	}
	add := lines()
	if len(add) == 0 {
		return 0, nil
	}
	if l.expired {
		add = append([]line{{kind: kindEnd}, {kind: kindReset, a: expired}}, add...)
	}
	now := l.now().Unix()
	var out []byte
	if l.torn {
		out = append(out, '\n') // so that the torn line spoils no other
	}
	for _, ln := range add {
		ln.at = now
		out = ln.appendTo(out)
	}
	if _, err := f.WriteAt(out, size); err != nil {
		return 0, err
	}
	for _, ln := range add {
		ln.at = now
		l.apply(ln)
	}
	l.read, l.torn, l.expired = size+int64(len(out)), false, false
	return len(add), nil
}
