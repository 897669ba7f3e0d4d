// Package regular opens files that others put there. A name in a repository may
// be a pipe that nobody writes to, or a device, and opening one waits for ever.
package regular

import (
	"errors"
	"io/fs"
	"os"
)

// ErrIrregular: the name leads to a pipe, a device, a socket or a folder.
var ErrIrregular = errors.New("is no regular file")

// Open opens a regular file for reading; links are followed.
func Open(path string) (*os.File, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrIrregular}
	}
	return os.Open(path)
}

// Read is os.ReadFile for a regular file.
func Read(path string) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrIrregular}
	}
	return os.ReadFile(path)
}
