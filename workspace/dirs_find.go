package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"pathrule/internal/atomicfile"
	"pathrule/internal/sysenv"
)

// stateRecord is the file below the home that says where State lies. Hosts
// start some of our processes with a stripped environment; the record is what
// lets all of them agree.
const stateRecord = "state-dir"

func dirsOf(env sysenv.Env) Dirs {
	home := homeDir(env)
	return Dirs{Home: home, State: stateDir(env, home)}
}

func homeDir(env sysenv.Env) string {
	if home := absolute(env.Get("PATHRULE_HOME")); home != "" {
		return home
	}
	if filepath.IsAbs(env.UserHome) {
		return filepath.Join(env.UserHome, Marker)
	}
	return ""
}

func stateDir(env sysenv.Env, home string) string {
	if s := absolute(env.Get("PATHRULE_STATE_DIR")); s != "" {
		return s
	}
	if home != "" {
		if b, err := os.ReadFile(filepath.Join(home, stateRecord)); err == nil {
			if s := absolute(strings.TrimSpace(string(b))); s != "" {
				return s
			}
		}
	}
	if s := absolute(env.Get("CLAUDE_PLUGIN_DATA")); s != "" {
		return filepath.Join(s, "state")
	}
	if s := absolute(env.Get("XDG_STATE_HOME")); s != "" {
		return filepath.Join(s, "pathrule")
	}
	return join(home, "state")
}

// RecordState writes down where State lies when it is not <home>/state, so that
// processes started without the environment find it too. Setup and every CLI
// command that writes call it; it writes only when the record differs.
func RecordState(d Dirs) error {
	if d.Home == "" || !filepath.IsAbs(d.State) {
		return nil
	}
	file := filepath.Join(d.Home, stateRecord)
	old, err := os.ReadFile(file)
	if recorded := absolute(strings.TrimSpace(string(old))); err == nil && recorded == d.State {
		return nil
	}
	if err != nil && d.State == filepath.Join(d.Home, "state") {
		return nil
	}
	return atomicfile.Write(file, []byte(d.State+"\n"), 0o600, 0o700)
}

func (d Dirs) killed(env sysenv.Env) bool {
	switch strings.ToLower(env.Get("PATHRULE_DISABLE")) {
	case "1", "true", "yes", "on":
		return true
	}
	if d.Home == "" {
		return false
	}
	_, err := os.Lstat(filepath.Join(d.Home, "kill-hooks"))
	return err == nil
}

// absolute cleans an absolute path; "" for anything else, because a relative
// value would mean another folder for every process.
func absolute(p string) string {
	if p == "" || !filepath.IsAbs(p) {
		return ""
	}
	return filepath.Clean(p)
}

// nowhere is the place below which nothing can exist or be made. It stands for
// the folders that cannot be known, so that no reader or writer ends up in the
// working directory, perhaps the project itself: an unknown home is a home that
// cannot be written.
func nowhere() string {
	if runtime.GOOS == "windows" {
		return `\\.\NUL\pathrule`
	}
	return "/dev/null/pathrule"
}

// join is below nowhere when the first part is unknown.
func join(parts ...string) string {
	if parts[0] == "" {
		parts[0] = nowhere()
	}
	return filepath.Join(parts...)
}

// missing reports that a file cannot be there; below a file there is nothing
// either.
func missing(err error) bool {
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
