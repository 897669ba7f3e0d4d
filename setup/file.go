package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pathrule/host"
	"pathrule/internal/sysenv"
)

// maxFile bounds what is read of a client's file: ~/.claude.json grows to tens
// of megabytes, nothing sensible beyond.
const maxFile = 128 << 20

// file is a client's file as it stands on disk.
type file struct {
	path   string // as the client names it
	real   string // behind links
	data   []byte // nil: does not exist
	why    string // why it must not be touched, with the remedy
	exists bool
}

// readFile reads a client's file and says whether it may be replaced.
func readFile(path string) file {
	f := file{path: path, real: path}
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		// Its folder may itself be behind a link.
		if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			f.real = filepath.Join(dir, filepath.Base(path))
		}
		return f
	}
	if err != nil {
		f.why = "cannot be read: " + cause(err)
		return f
	}
	f.exists = true
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		if st.Mode()&fs.ModeSymlink != 0 {
			to, _ := os.Readlink(path)
			f.why = fmt.Sprintf("is a link to %s, which cannot be followed (%s); mend or remove the link", to, cause(err))
		} else {
			f.why = "cannot be read: " + cause(err)
		}
		return f
	}
	f.real = real
	st, err = os.Stat(real)
	switch {
	case err != nil:
		f.why = "cannot be read: " + cause(err)
		return f
	case !st.Mode().IsRegular():
		f.why = "is not a regular file"
		return f
	case st.Size() > maxFile:
		f.why = fmt.Sprintf("is larger than %d MiB", maxFile>>20)
		return f
	}
	data, err := os.ReadFile(real)
	if err != nil {
		f.why = "cannot be read: " + cause(err)
		return f
	}
	if f.data = data; f.data == nil {
		f.data = []byte{}
	}
	if st.Mode().Perm()&0o222 == 0 {
		f.why = fmt.Sprintf("is read-only (mode %04o); make it writable first", st.Mode().Perm())
	}
	return f
}

// cause is an error without the path that the message names already.
func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// shown is a path for people: below the current folder as from there, below the
// home with "~".
func shown(path string, env sysenv.Env) string {
	if rel, ok := strings.CutPrefix(path, strings.TrimRight(env.Cwd, `/\`)+string(filepath.Separator)); ok && env.Cwd != "" && env.Cwd != env.UserHome {
		return filepath.ToSlash(rel)
	}
	if rel, ok := strings.CutPrefix(path, strings.TrimRight(env.UserHome, `/\`)+string(filepath.Separator)); ok && env.UserHome != "" {
		return "~/" + filepath.ToSlash(rel)
	}
	return path
}

// other is the scope that is not s.
func other(s host.Scope) host.Scope {
	if s == host.Project {
		return host.User
	}
	return host.Project
}
