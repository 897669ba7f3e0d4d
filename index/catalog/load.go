package catalog

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"

	"pathrule/internal/regular"
	"pathrule/knowledge"
)

// Load implements Source: see LoadRecord.
func (r *Reader) Load(rec Record) (Doc, error) { return LoadRecord(rec) }

// LoadRecord reads an entry's text from its file. The file is always read whole
// and hashed: it is small, and size and time can stand still while the text
// changes. A file that changed since it was indexed is read by the line reader.
func LoadRecord(rec Record) (Doc, error) {
	data, err := readFile(rec.File)
	if err != nil {
		return Doc{}, err
	}
	hash := knowledge.Version(data)
	if hash == rec.Hash && rec.BodyOffset >= 0 && rec.BodyOffset <= len(data) {
		return Doc{Title: rec.Title, Body: string(data[rec.BodyOffset:]), Hash: hash}, nil
	}
	if leaves(rec) {
		return Doc{}, ErrWithheld
	}
	e, err := knowledge.ParseLines(data, rec.Kind, rec.ID, filepath.Base(rec.File))
	if err != nil {
		return Doc{}, ErrWithheld
	}
	// Another scope may be another answer to the question that found the entry;
	// the next refresh knows.
	if !slices.Equal(e.Paths, rec.Paths) || (rec.Owner == Personal && len(e.Workspaces) > 0) {
		return Doc{}, ErrWithheld
	}
	return Doc{Title: e.Title, Body: e.Body, Hash: hash}, nil
}

// Personal is the owner of the user's own entries.
const Personal = "personal"

func readFile(path string) ([]byte, error) {
	f, err := regular.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return nil, ErrGone
		}
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > knowledge.MaxFile {
		return nil, ErrWithheld
	}
	data, err := io.ReadAll(io.LimitReader(f, knowledge.MaxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > knowledge.MaxFile {
		return nil, ErrWithheld
	}
	return data, nil
}

// leaves reports that a changed file is now reached through a link that goes
// elsewhere than its own folder; only a refresh may judge where.
func leaves(rec Record) bool {
	real, err := filepath.EvalSymlinks(rec.File)
	if err != nil {
		return true
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(rec.File))
	return err != nil || filepath.Dir(real) != dir
}
