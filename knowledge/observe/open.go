package observe

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// readTranscript reads a conversation: a regular file under no second name, no
// link, at most MaxTranscript bytes. What is asked is asked of the opened file,
// so that nobody swaps it in between. Errors do not name the path.
func readTranscript(path string) ([]byte, error) {
	if !filepath.IsAbs(path) {
		return nil, errors.New("its path is not absolute")
	}
	st, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("the file is gone")
	case err != nil:
		return nil, fmt.Errorf("look at the file: %w", errors.Unwrap(err))
	case st.Mode()&fs.ModeSymlink != 0:
		return nil, errors.New("it is a symbolic link")
	case !st.Mode().IsRegular():
		return nil, errors.New("it is no regular file") // a pipe would make the open wait
	}
	f, err := openNoFollow(path)
	if err != nil {
		return nil, errors.New("the file cannot be opened")
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil || !now.Mode().IsRegular() || !os.SameFile(st, now) {
		return nil, errors.New("the file was exchanged while it was opened")
	}
	if n, err := links(f); err != nil || n != 1 {
		return nil, errors.New("the file has a second name (a hard link)")
	}
	if now.Size() > MaxTranscript {
		return nil, errors.New("it is larger than 5 MiB")
	}
	b, err := io.ReadAll(io.LimitReader(f, MaxTranscript+1))
	if err != nil {
		return nil, errors.New("the file cannot be read")
	}
	if len(b) > MaxTranscript {
		return nil, errors.New("it is larger than 5 MiB")
	}
	return b, nil
}
