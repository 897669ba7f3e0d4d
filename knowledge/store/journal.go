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

// FileKind stands for a file of the store that is no entry: team.md, what an
// import notes, a further file of a skill. Its id is its slash path in the store.
const FileKind knowledge.Kind = "file"

// change is one line of <history>/journal.jsonl, oldest first. It names texts
// only by their version: they lie in the store, the trash or the history.
//
// What one command wrote is one line with Run and an Action only; its changes are
// the lines of <history>/runs/RUN.jsonl, in the order in which they were made.
// They lie apart because every write reads and writes the journal, and an import
// may be large.
type change struct {
	At     time.Time      `json:"at"`
	Action string         `json:"action"` // create, edit, move, rm, restore; of a run also import
	By     string         `json:"by,omitempty"`
	Run    string         `json:"run,omitempty"`
	Kind   knowledge.Kind `json:"kind,omitempty"`
	Before state          `json:"before"`
	After  state          `json:"after"`
	// Trash is the folder below trash/ that holds the entry after "rm".
	Trash string `json:"trash,omitempty"`
	// Undone changes come after all others, first undone last; Redo takes the
	// last. A new change drops them.
	Undone bool `json:"undone,omitempty"`
	// Program: the file (of FileKind) can be run.
	Program bool `json:"program,omitempty"`
}

func (s *store) journalFile() string { return filepath.Join(s.hist, "journal.jsonl") }

// mark changes with every write through this store: each is written down before
// its lock is given back. What an editor does in the same moment no lock keeps off.
func (s *store) mark() string {
	if s.hist == "" {
		return ""
	}
	b, err := os.ReadFile(s.journalFile())
	if err != nil {
		return ""
	}
	return knowledge.Version(b)
}

func (s *store) runFile(run string) string { return filepath.Join(s.hist, "runs", run+".jsonl") }

// journal reads what can be read; a broken line costs one step of undo.
func (s *store) journal() ([]change, error) { return readChanges(s.journalFile()) }

// readRun reads the changes of a run; none when its file is gone.
func (s *store) readRun(run string) ([]change, error) { return readChanges(s.runFile(run)) }

func readChanges(file string) ([]change, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []change
	for line := range bytes.Lines(b) {
		var c change
		if json.Unmarshal(line, &c) != nil {
			continue
		}
		if c.Run == "" && (c.Kind.Dir() != "" || c.Kind == FileKind) || c.Run != "" && filepath.IsLocal(c.Run) {
			out = append(out, c)
		}
	}
	return out, nil
}

func (s *store) writeJournal(list []change) error {
	old := list[:max(0, len(list)-keepChanges)]
	if err := s.writeChanges(s.journalFile(), list[len(old):]); err != nil {
		return err
	}
	for _, c := range old {
		s.dropRun(c)
	}
	return nil
}

func (s *store) writeRun(run string, list []change) error {
	return s.writeChanges(s.runFile(run), list)
}

// dropRun removes the file of a run that no line names any more.
func (s *store) dropRun(c change) {
	if c.Run != "" {
		_ = os.Remove(s.runFile(c.Run))
	}
}

func (s *store) writeChanges(file string, list []change) error {
	var b bytes.Buffer
	for _, c := range list {
		line, err := json.Marshal(c)
		if err != nil {
			return err
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return writeError(s.hist, atomicfile.Write(file, b.Bytes(), 0o600, 0o700))
}

// record adds a change; what was undone before it cannot be redone any more.
func (s *store) record(c change) error { return s.recordAll([]change{c}) }

// recordAll adds several changes with one write. Those of a run join its line,
// which then is the last: between two of its writes another process may have
// made one.
func (s *store) recordAll(changes []change) error {
	if len(changes) == 0 {
		return nil
	}
	list, err := s.journal()
	if err != nil {
		return writeError(s.hist, err)
	}
	for i := range changes {
		changes[i].At = s.time()
	}
	var keep, undone, run []change
	for _, o := range list {
		switch {
		case s.run != "" && o.Run == s.run && !o.Undone:
			if run, err = s.readRun(s.run); err != nil {
				return writeError(s.hist, err)
			}
		case o.Undone:
			undone = append(undone, o)
		default:
			keep = append(keep, o)
		}
	}
	if s.run == "" {
		keep = append(keep, changes...)
	} else {
		if err := s.writeRun(s.run, append(run, changes...)); err != nil {
			return err
		}
		last := changes[len(changes)-1]
		keep = append(keep, change{At: last.At, Action: s.does, By: last.By, Run: s.run})
	}
	if err := s.writeJournal(keep); err != nil {
		return err
	}
	for _, o := range undone {
		s.dropRun(o)
	}
	return nil
}
