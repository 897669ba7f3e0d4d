package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// CheckDirs looks at the folders that hold what nobody else may read or write,
// for doctor: each must be a folder of the user's own that only the user may
// enter and write. What does not exist yet is fine.
func CheckDirs(d Dirs) []Problem {
	var out []Problem
	if d.Home == "" {
		return []Problem{{Msg: "the home folder is unknown, so nothing can be remembered", Remedy: "set PATHRULE_HOME to an absolute path"}}
	}
	for _, dir := range privateDirs(d) {
		st, err := os.Stat(dir)
		switch {
		case missing(err):
			continue
		case err != nil:
			out = append(out, Problem{File: dir, Msg: fmt.Sprintf("cannot be looked at: %v", errors.Unwrap(err)), Remedy: "make it readable for you"})
			continue
		case !st.IsDir():
			out = append(out, Problem{File: dir, Msg: "is not a folder", Remedy: "move the file away"})
			if dir == d.Home {
				return out
			}
			continue
		}
		if msg, remedy := rights(st); msg != "" {
			out = append(out, Problem{File: dir, Msg: msg, Remedy: remedy})
			continue
		}
		if !writable(dir) {
			out = append(out, Problem{File: dir, Msg: "is not writable, so pathrule only reads", Remedy: "give yourself the right to write, or point PATHRULE_HOME elsewhere"})
		}
	}
	return out
}

// OpenDirs are those of the folders that are the user's own and let others in.
func OpenDirs(d Dirs) (out []string) {
	for _, dir := range privateDirs(d) {
		if st, err := os.Stat(dir); err == nil && st.IsDir() && letsIn(st) {
			out = append(out, dir)
		}
	}
	return out
}

// TightenDir takes the rights of others off a folder.
func TightenDir(dir string) error {
	st, err := os.Stat(dir)
	if err != nil {
		return err
	}
	return os.Chmod(dir, st.Mode().Perm()&0o700)
}

// privateDirs are the folders to look at; those below the home count because a
// home made by hand may be tight while an unpacked backup in it is not.
func privateDirs(d Dirs) []string {
	if d.Home == "" {
		return nil
	}
	out := []string{d.Home, d.State}
	for _, name := range []string{"cache", "trust", "approvals", "personal", "history", "logs", "private", "workspaces", "inbox", "backups", "compiled"} {
		out = append(out, filepath.Join(d.Home, name))
	}
	return out
}
