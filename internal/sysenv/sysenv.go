// Package sysenv carries what a program knows of the world around it —
// environment, working directory, home, clock, streams — as one small value,
// so that only main reads the process's own and tests can hand in another.
package sysenv

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Env is the world as one command sees it. Copy it to change a part.
type Env struct {
	// Vars looks an environment variable up; "" when it is not set.
	Vars func(name string) string
	// Environ is the whole environment as "NAME=value", for child processes.
	Environ []string
	// Cwd is the absolute working directory.
	Cwd string
	// UserHome is the user's home folder, "" when unknown.
	UserHome string
	// Executable is the absolute path of the running program, "" when unknown.
	Executable string
	// GOOS is runtime.GOOS; tests set it to check another system's forms.
	GOOS string
	// Now is the clock. Nothing that reaches a model may depend on it.
	Now func() time.Time

	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
}

// FromOS gathers the process's own world. It never fails: what cannot be
// learnt stays empty, and whoever needs it says so.
func FromOS() Env {
	cwd, _ := os.Getwd()
	home, _ := os.UserHomeDir()
	exe, _ := os.Executable()
	if r, err := filepath.EvalSymlinks(exe); err == nil {
		exe = r
	}
	return Env{
		Vars:       os.Getenv,
		Environ:    os.Environ(),
		Cwd:        cwd,
		UserHome:   home,
		Executable: exe,
		GOOS:       runtime.GOOS,
		Now:        time.Now,
		Stdin:      os.Stdin,
		Stdout:     os.Stdout,
		Stderr:     os.Stderr,
	}
}

// Get looks an environment variable up; "" when it is not set or when the Env
// has no environment.
func (e Env) Get(name string) string {
	if e.Vars == nil {
		return ""
	}
	return e.Vars(name)
}

// With is the Env with one variable set, for itself and for programs it starts.
func (e Env) With(name, value string) Env {
	vars := e.Vars
	e.Vars = func(n string) string {
		if n == name {
			return value
		}
		if vars == nil {
			return ""
		}
		return vars(n)
	}
	environ := make([]string, 0, len(e.Environ)+1)
	for _, kv := range e.Environ {
		if k, _, _ := strings.Cut(kv, "="); k != name {
			environ = append(environ, kv)
		}
	}
	e.Environ = append(environ, name+"="+value)
	return e
}

// Apart is the environment of a child process with a home of its own below dir:
// nothing of the person's pathrule, or of a client around us, is in it.
func (e Env) Apart(dir string) []string {
	out := []string{"HOME=" + filepath.Join(dir, "home"), "USERPROFILE=" + filepath.Join(dir, "home"),
		"PATHRULE_HOME=" + filepath.Join(dir, "pathrule")}
	for _, name := range []string{"PATH", "TMPDIR", "TEMP", "TMP", "SystemRoot", "LANG", "LC_ALL", "GOCOVERDIR", "GORACE"} {
		if v := e.Get(name); v != "" {
			out = append(out, name+"="+v)
		}
	}
	return out
}
