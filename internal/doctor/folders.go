package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"pathrule/workspace"
)

func (c *check) folders(context.Context) {
	if c.dirs.Home == "" {
		c.add(Bad, "pathrule's home is unknown: neither HOME nor PATHRULE_HOME is set to an absolute path", "set PATHRULE_HOME")
		return
	}
	c.folder("home", c.dirs.Home)
	if c.dirs.State != filepath.Join(c.dirs.Home, "state") {
		c.folder("state", c.dirs.State)
	}
	for _, p := range workspace.CheckDirs(c.dirs) { // those below it
		if p.File != c.dirs.Home && p.File != c.dirs.State {
			c.at(Warn, p.File, 0, p.Msg, p.Remedy)
		}
	}
	if v := c.env.Get("PATHRULE_HOME"); v != "" && !filepath.IsAbs(v) {
		c.add(Warn, "PATHRULE_HOME is not an absolute path, so it is ignored: "+v, "set it to an absolute path")
	}
	if v := c.env.Get("PATHRULE_STATE_DIR"); v != "" && !filepath.IsAbs(v) {
		c.add(Warn, "PATHRULE_STATE_DIR is not an absolute path, so it is ignored: "+v, "set it to an absolute path")
	}
	if err := workspace.CheckRoots(c.dirs); err != nil {
		c.add(Bad, err.Error(), "")
	}
	if c.dirs.Killed(c.env) {
		why, remedy := "the file "+filepath.Join(c.dirs.Home, "kill-hooks")+" exists", "remove it"
		if _, err := os.Lstat(filepath.Join(c.dirs.Home, "kill-hooks")); err != nil {
			why, remedy = "PATHRULE_DISABLE is set", "unset it"
		}
		c.add(Warn, "hooks are stopped: "+why, remedy)
	} else {
		c.add(OK, "kill switch is off", "")
	}
}

// nearest is the closest folder above dir that exists.
func nearest(dir string) string {
	for {
		up := filepath.Dir(dir)
		if _, err := os.Stat(up); err == nil || up == dir {
			return up
		}
		dir = up
	}
}

// folder checks one of pathrule's own folders.
func (c *check) folder(name, dir string) {
	st, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if up := nearest(dir); !writable(up) {
			c.at(Warn, dir, 0, name+" is missing and cannot be made: "+up+" cannot be written; hooks deliver nothing until an index can be kept",
				"chmod u+rwx "+up+", or let PATHRULE_HOME name a folder that can be written")
			return
		}
		c.add(OK, name+" "+dir+" (made at the first write)", "")
		return
	case err != nil:
		c.at(Bad, dir, 0, name+" folder cannot be looked at: "+err.Error(), "check its rights")
		return
	case !st.IsDir():
		c.at(Bad, dir, 0, name+" is not a folder", "move the file away")
		return
	}
	switch {
	case !writable(dir):
		c.at(Warn, dir, 0, name+" cannot be written, so hooks run read-only: nothing is remembered between events", "chmod u+rwx "+dir)
	case c.env.GOOS != "windows" && st.Mode().Perm()&0o077 != 0:
		c.at(Warn, dir, 0, fmt.Sprintf("%s is open to others (%04o)", name, st.Mode().Perm()), "pathrule repair")
	default:
		c.add(OK, name+" "+dir, "")
	}
}
