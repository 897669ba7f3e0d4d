// Package atomicfile writes files that must last: temp beside the target,
// write, sync, close, rename, sync the folder, keep the old mode. A symlink is
// resolved first, so that the link stays a link.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"
)

// Write replaces the file at path with data. A new file gets perm, an existing
// one keeps its mode. Missing folders are made with dirPerm (0 refuses to make
// any). On error the old file stands untouched and no temp file remains.
func Write(path string, data []byte, perm, dirPerm os.FileMode) (err error) {
	name := path
	if path, err = target(path); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if st, e := os.Stat(path); e == nil {
		perm = st.Mode().Perm()
	}
	dir := filepath.Dir(path)
	if dirPerm != 0 {
		if err := os.MkdirAll(dir, dirPerm); err != nil {
			return fmt.Errorf("make folder: %w", err)
		}
	}
	f, err := os.CreateTemp(dir, "."+short(filepath.Base(path))+mark+"*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	tmp := f.Name()
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(tmp)
			err = fmt.Errorf("write %s: %w", name, err)
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Chmod(perm); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = rename(tmp, path); err != nil {
		return err
	}
	// A folder that cannot be synced (Windows, some network drives) still holds
	// the renamed file; only its survival of a power cut is less certain.
	if d, e := os.Open(dir); e == nil {
		_ = d.Sync()
		d.Close()
	}
	return nil
}

// New writes a file that nobody else sees yet, only for this user: one that is
// there is an error, and nothing waits for the disk.
func New(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = write(f)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// Sweep removes the temp files that killed writes left in dir, as far as they
// were last written before old. Only regular files with exactly the names that
// Write gives go; folders below dir are not looked into. It returns how many
// went, and does what it can: nobody waits for a leftover.
func Sweep(dir string, old time.Time) (removed int) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	for _, d := range list {
		if !d.Type().IsRegular() || !ours(d.Name()) {
			continue
		}
		if st, err := d.Info(); err == nil && st.ModTime().Before(old) && os.Remove(filepath.Join(dir, d.Name())) == nil {
			removed++
		}
	}
	return removed
}

// ours reports a name of the form ".NAME.tmp-DIGITS", as os.CreateTemp makes it
// for Write.
func ours(name string) bool {
	rest, ok := strings.CutPrefix(name, ".")
	i := strings.LastIndex(rest, mark)
	if !ok || i < 1 {
		return false
	}
	digits := rest[i+len(mark):]
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// mark stands between a file's name and the digits of its temp.
const mark = ".tmp-"

// maxLinks is how many symlinks a path may go through.
const maxLinks = 40

// target follows the links of the last element, also to a file that does not
// exist yet: renaming onto the link itself would cut it off from its target.
func target(path string) (string, error) {
	for range maxLinks {
		st, err := os.Lstat(path)
		if err != nil || st.Mode()&os.ModeSymlink == 0 {
			return path, nil
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(to) {
			path = to
			continue
		}
		// Joining cleans ".." away by spelling, which is right only below a real
		// folder.
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return "", err
		}
		path = filepath.Join(dir, to)
	}
	return "", errors.New("too many links")
}

// short keeps the temp name within the 255 bytes that file systems allow.
func short(base string) string {
	const room = 200
	if len(base) <= room {
		return base
	}
	n := room
	for n > 0 && !utf8.RuneStart(base[n]) {
		n--
	}
	return base[:n]
}
