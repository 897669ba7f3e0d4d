package doctor

import (
	"context"
	"debug/buildinfo"
	"os"
	"path/filepath"
	"runtime"

	"pathrule/internal/sysenv"
	"pathrule/setup"
)

// HookProgram is the fast hook program beside the running one, "" when it is
// not there.
func HookProgram(env sysenv.Env) string {
	if env.Executable == "" {
		return ""
	}
	p := filepath.Join(filepath.Dir(env.Executable), "pathrule-hook"+exeSuffix(env))
	if runnable(p) {
		return p
	}
	return ""
}

func exeSuffix(env sysenv.Env) string {
	if env.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// runnable reports a file that can be started.
func runnable(p string) bool {
	st, err := os.Stat(p)
	if err != nil || st.IsDir() {
		return false
	}
	return runtime.GOOS == "windows" || st.Mode()&0o111 != 0
}

// revisionOf is the revision that a program was built from, "" when it does not
// say.
func revisionOf(program string) string {
	bi, err := buildinfo.ReadFile(program)
	if err != nil {
		return ""
	}
	for _, s := range bi.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}

func (c *check) programs(context.Context) {
	c.add(OK, "pathrule "+c.o.Version+" at "+c.env.Executable, "")
	if p := HookProgram(c.env); p != "" {
		if other := revisionOf(p); other != "" && c.env.Executable != "" && revisionOf(c.env.Executable) != "" && other != revisionOf(c.env.Executable) {
			c.at(Warn, p, 0, "was built from another revision than pathrule itself", "install both: go install ./cmd/...")
		} else {
			c.add(OK, "fast hook program beside it", "")
		}
	} else {
		c.add(Note, "pathrule-hook is not beside it; hooks work, but each costs some milliseconds more",
			"install both: go install ./cmd/...")
	}
	c.links()
	c.add(OK, "sign-in: local, not needed", "")
}

// links looks at the folder of links that setup makes for editors with a short
// PATH; before any setup there is none.
func (c *check) links() {
	dir := setup.BinDir(c.env)
	if _, err := os.Lstat(dir); dir == "" || err != nil {
		return
	}
	bad := 0
	for _, l := range setup.BinLinks(c.env) {
		if l.Problem != "" {
			bad++
			c.at(Warn, l.Path, 0, l.Problem, "pathrule repair")
			c.next("pathrule repair")
		}
	}
	if bad == 0 {
		c.add(OK, "links for desktop editors in "+dir, "")
	}
}
