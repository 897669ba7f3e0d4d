package setup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"pathrule/internal/sysenv"
)

// programs are our two programs as an entry names them. hook is "" when there
// is no pathrule-hook: "pathrule hook" answers every event then.
type programs struct{ pathrule, hook string }

// bare are the names for a committed file, found on each machine's PATH.
var bare = programs{"pathrule", "pathrule-hook"}

var goRun = regexp.MustCompile(`[/\\]go-build\d+[/\\]b\d+[/\\]exe[/\\]`)

// findPrograms locates our programs for user scope. The path written into a
// client's file must outlive an update: where PATH leads to the same file
// through a link (a package manager's bin folder), the link is taken.
func findPrograms(o Options, env sysenv.Env) (programs, error) {
	p := programs{o.Pathrule, o.Hook}
	for _, given := range []string{o.Pathrule, o.Hook} {
		if given != "" && !filepath.IsAbs(given) {
			return p, fmt.Errorf("the program %q is not an absolute path", given)
		}
	}
	if p.pathrule == "" {
		exe := env.Executable
		switch {
		case exe == "":
			return p, errors.New("the path of this program is unknown; name it on PATH and run it from there")
		case goRun.MatchString(exe):
			return p, errors.New(`this is a temporary build of "go run", which is gone tomorrow; install it first with "go install ./cmd/..."`)
		}
		if name := baseName(exe); name != "pathrule" {
			exe = filepath.Join(filepath.Dir(exe), exeName("pathrule", env))
			if !isProgram(exe, env) {
				return p, fmt.Errorf("what a client starts must be called pathrule, and there is none beside %s; rename that file to %s, or install all three programs with \"go install ./cmd/...\"", env.Executable, exeName("pathrule", env))
			}
		}
		p.pathrule = stable("pathrule", exe, env)
	}
	if p.hook == "" {
		hook := filepath.Join(filepath.Dir(p.pathrule), exeName("pathrule-hook", env))
		if !isProgram(hook, env) && env.Executable != "" {
			hook = filepath.Join(filepath.Dir(env.Executable), exeName("pathrule-hook", env))
		}
		if isProgram(hook, env) {
			p.hook = stable("pathrule-hook", hook, env)
		}
	}
	if env.GOOS == "windows" {
		p.pathrule, p.hook = filepath.ToSlash(p.pathrule), filepath.ToSlash(p.hook)
		p.pathrule, p.hook = strings.ReplaceAll(p.pathrule, `\`, "/"), strings.ReplaceAll(p.hook, `\`, "/")
	}
	return p, nil
}

// stable is the path on PATH that leads to the same file as exe, else exe.
func stable(name, exe string, env sysenv.Env) string {
	want, err := os.Stat(exe)
	if err != nil {
		return exe
	}
	// Our own folder of links is made from what is found here.
	if found := onPath(name, env); found != "" && filepath.Dir(found) != BinDir(env) {
		if got, err := os.Stat(found); err == nil && os.SameFile(got, want) {
			return found
		}
	}
	return exe
}

// onPath looks a program up in env's PATH; "" when it is not there.
func onPath(name string, env sysenv.Env) string {
	names := []string{name}
	if env.GOOS == "windows" {
		names = []string{name + ".exe", name + ".cmd", name + ".bat"}
	}
	for _, dir := range filepath.SplitList(env.Get("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, n := range names {
			if file := filepath.Join(dir, n); isProgram(file, env) {
				return file
			}
		}
	}
	return ""
}

func isProgram(file string, env sysenv.Env) bool {
	st, err := os.Stat(file)
	return err == nil && st.Mode().IsRegular() && (env.GOOS == "windows" || st.Mode()&0o111 != 0)
}

func exeName(name string, env sysenv.Env) string {
	if env.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// baseName is a program's name whatever the separator, without .exe.
func baseName(path string) string {
	if i := strings.LastIndexAny(path, `/\`); i >= 0 {
		path = path[i+1:]
	}
	if len(path) > 4 && strings.EqualFold(path[len(path)-4:], ".exe") {
		path = path[:len(path)-4]
	}
	return path
}
