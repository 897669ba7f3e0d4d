// Package activity remembers what sessions worked on: which paths their tools
// touched and which entries they were told. One append-only file per workspace,
// written by the hooks after the answer is out. It holds paths relative to the
// workspace, operations, times, sessions, hosts, entry keys and of a prompt which
// kind of work it asked for, and never its words, a tool's text or its output.
package activity

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"pathrule/internal/percent"
)

// Kind says what a record is about.
type Kind byte

// The kinds, as they stand in the file.
const (
	// Since is the first record: before it nobody kept a log.
	Since Kind = 's'
	// Touched is a path that a tool touched.
	Touched Kind = 't'
	// Told is an entry that a session was told.
	Told Kind = 'd'
	// Aim is the kind of work that a prompt asked for.
	Aim Kind = 'a'
	// Wrote is an entry that was made or changed.
	Wrote Kind = 'w'
)

// Limits of what is kept.
const (
	// MaxFile ends the appending, in bytes; Compact makes room again.
	MaxFile = 1 << 20
	// keepBytes is how long a compacted file is at most.
	keepBytes = MaxFile / 2
	// MaxAge is how long touched paths are kept. What was told last keeps its
	// record as long as there is room.
	MaxAge = 90 * 24 * time.Hour

	maxText = 1 << 10 // bytes of a path or key
	dir     = "activity"
)

// Record is one line.
type Record struct {
	Kind    Kind
	At      int64 // unix seconds
	Host    string
	Session string
	// Op is what was done to the path (read, edit, create, delete, search, shell,
	// arg) or the entry (create, update), the form in which the entry was told
	// (name, card, body), or "prompt".
	Op string
	// What is the path in base coordinates, the entry's catalog.Record.Key, or the
	// slice.Intent of a prompt.
	What string
}

// Log is the file of one workspace.
type Log struct{ Path string }

// Of is the log of a workspace (ledger.Root) below a state folder.
func Of(state, workspace string) Log { return Log{filepath.Join(state, dir, workspace)} }

// Append adds records in one write, which takes no lock: lines are short, and
// the system appends each write whole. A full file takes none.
func (l Log) Append(recs []Record) error {
	var b []byte
	for _, r := range recs {
		if len(r.What) <= maxText && r.What != "" {
			b = r.appendTo(b)
		}
	}
	if len(b) == 0 {
		return nil
	}
	f, err := os.OpenFile(l.Path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if os.IsNotExist(err) {
		if err := os.MkdirAll(filepath.Dir(l.Path), 0o700); err != nil {
			return err
		}
		f, err = os.OpenFile(l.Path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	}
	if err != nil {
		return err
	}
	st, err := f.Stat()
	switch {
	case err != nil:
	case st.Size() > MaxFile:
		b = nil
	case st.Size() == 0:
		b = append(Record{Kind: Since, At: recs[0].At}.appendTo(nil), b...)
	}
	if len(b) > 0 {
		_, err = f.Write(b)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// Read gives all records, oldest first; a torn or unknown line is skipped. A
// log that is not there is empty.
func (l Log) Read() ([]Record, error) {
	b, err := os.ReadFile(l.Path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parse(string(b)), nil
}

// Tail gives the records in the last n bytes, oldest first: what a hook may
// spend on looking back.
func (l Log) Tail(n int64) ([]Record, error) {
	f, err := os.Open(l.Path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, st.Size()-n)
	b := make([]byte, st.Size()-from)
	got, err := f.ReadAt(b, from)
	if err != nil && err != io.EOF {
		return nil, err
	}
	text := string(b[:got])
	if from > 0 { // the first line may have lost its beginning
		_, text, _ = strings.Cut(text, "\n")
	}
	return parse(text), nil
}

func parse(text string) []Record {
	var out []Record
	for ln := range strings.Lines(text) {
		if r, ok := parseLine(ln); ok {
			out = append(out, r)
		}
	}
	return out
}

// parseLine reads "kind SP seconds" and, but for Since, " host session op what",
// each with blanks and control characters as %XX, up to the newline.
func parseLine(ln string) (Record, bool) {
	ln, whole := strings.CutSuffix(ln, "\n")
	if !whole || len(ln) < 3 || ln[1] != ' ' {
		return Record{}, false
	}
	f := strings.Split(ln[2:], " ")
	at, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil || at <= 0 {
		return Record{}, false
	}
	r := Record{Kind: Kind(ln[0]), At: at}
	switch r.Kind {
	case Since:
		return r, len(f) == 1
	case Touched, Told, Aim, Wrote:
		if len(f) != 5 || f[4] == "" {
			return Record{}, false
		}
		r.Host, r.Session, r.Op, r.What = percent.Decode(f[1]), percent.Decode(f[2]), percent.Decode(f[3]), percent.Decode(f[4])
		return r, r.What != ""
	}
	return Record{}, false
}

func (r Record) appendTo(b []byte) []byte {
	b = append(b, byte(r.Kind), ' ')
	b = strconv.AppendInt(b, r.At, 10)
	if r.Kind != Since {
		for _, s := range [...]string{r.Host, r.Session, r.Op, r.What} {
			b = percent.Append(append(b, ' '), s, percent.Word)
		}
	}
	return append(b, '\n')
}
