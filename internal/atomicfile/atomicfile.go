// Package atomicfile writes files that must last: temp beside the target,
// write, sync, close, rename, sync the folder, keep the old mode. A symlink is
// resolved first, so that the link stays a link.
package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
)

// Write replaces the file at path with data. A new file gets perm, an existing
// one keeps its mode. Missing folders are made with dirPerm (0 refuses to make
// any). On error the old file stands untouched and no temp file remains.
func Write(path string, data []byte, perm, dirPerm os.FileMode) (err error) {
	if target, e := filepath.EvalSymlinks(path); e == nil {
		path = target
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
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".tmp-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	tmp := f.Name()
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(tmp)
			err = fmt.Errorf("write %s: %w", path, err)
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
	if err = os.Rename(tmp, path); err != nil {
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
