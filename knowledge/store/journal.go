package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"pathrule/internal/atomicfile"
	"pathrule/knowledge"
)

// keepChanges bounds how far undo goes back.
const keepChanges = 200

// state is where an entry stands before or after a change; the zero state is
// "not there".
type state struct {
	ID      string `json:"id,omitempty"`
	Version string `json:"version,omitempty"`
}

// change is one line of <history>/journal.jsonl, oldest first. It names texts
// only by their version: they lie in the store, the trash or the history.
type change struct {
	At     time.Time      `json:"at"`
	Action string         `json:"action"` // create, edit, move, rm, restore
	By     string         `json:"by,omitempty"`
	Kind   knowledge.Kind `json:"kind"`
	Before state          `json:"before"`
	After  state          `json:"after"`
	// Trash is the folder below trash/ that holds the entry after "rm".
	Trash string `json:"trash,omitempty"`
	// Undone changes come after all others, first undone last; Redo takes the
	// last. A new change drops them.
	Undone bool `json:"undone,omitempty"`
}

func (s *store) journalFile() string { return filepath.Join(s.hist, "journal.jsonl") }

// journal reads what can be read; a broken line costs one step of undo.
func (s *store) journal() ([]change, error) {
	b, err := os.ReadFile(s.journalFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []change
	for line := range bytes.Lines(b) {
		var c change
		if json.Unmarshal(line, &c) == nil && c.Kind.Dir() != "" {
			out = append(out, c)
		}
	}
	return out, nil
}

func (s *store) writeJournal(list []change) error {
	var b bytes.Buffer
	for _, c := range list[max(0, len(list)-keepChanges):] {
		line, err := json.Marshal(c)
		if err != nil {
			return err
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return writeError(s.hist, atomicfile.Write(s.journalFile(), b.Bytes(), 0o600, 0o700))
}

// record adds a change; what was undone before it cannot be redone any more.
func (s *store) record(c change) error { return s.recordAll([]change{c}) }

// recordAll adds several changes with one write.
func (s *store) recordAll(changes []change) error {
	if len(changes) == 0 {
		return nil
	}
	list, err := s.journal()
	if err != nil {
		return writeError(s.hist, err)
	}
	keep := list[:0]
	for _, o := range list {
		if !o.Undone {
			keep = append(keep, o)
		}
	}
	for _, c := range changes {
		c.At = s.time()
		keep = append(keep, c)
	}
	return s.writeJournal(keep)
}
