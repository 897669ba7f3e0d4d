package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pathrule/internal/atomicfile"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// An editor that is started from the desktop has a short PATH, so that the bare
// names in a project's files lead nowhere. <home>/bin holds links under those
// names: one folder that a person can add to the PATH of the desktop session.

// BinLink is one of our programs below <home>/bin.
type BinLink struct {
	Name   string
	Path   string // of the link
	Target string // what it should lead to, "" when that program is not installed
	// Problem says why the link does not lead there, "" when it does.
	Problem string
}

// BinDir is the folder of the links.
func BinDir(env sysenv.Env) string {
	if home := workspace.DirsOf(env).Home; home != "" {
		return filepath.Join(home, "bin")
	}
	return ""
}

// BinLinks looks at the links; nil where the programs cannot be located, as in
// a temporary build of "go run".
func BinLinks(env sysenv.Env) []BinLink {
	dir := BinDir(env)
	progs, err := findPrograms(Options{}, env)
	if dir == "" || err != nil {
		return nil
	}
	var out []BinLink
	for _, name := range []string{"pathrule", "pathrule-hook", "pathrule-prompt"} {
		l := BinLink{Name: name, Path: filepath.Join(dir, linkName(name, env))}
		l.Target = filepath.Join(filepath.Dir(filepath.FromSlash(progs.pathrule)), exeName(name, env))
		if !isProgram(l.Target, env) && env.Executable != "" {
			l.Target = filepath.Join(filepath.Dir(env.Executable), exeName(name, env))
		}
		if !isProgram(l.Target, env) {
			l.Target = ""
		}
		l.Problem = l.look(env)
		out = append(out, l)
	}
	return out
}

func linkName(name string, env sysenv.Env) string {
	if env.GOOS == "windows" {
		return name + ".cmd"
	}
	return name
}

// shim is what stands in for a link on Windows, where making one takes rights
// that few people have.
func shim(target string) []byte { return []byte("@\"" + target + "\" %*\r\n") }

func (l BinLink) look(env sysenv.Env) string {
	st, err := os.Lstat(l.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && l.Target == "":
		return ""
	case errors.Is(err, fs.ErrNotExist):
		return "is missing"
	case err != nil:
		return "cannot be looked at: " + cause(err)
	}
	if env.GOOS == "windows" {
		b, err := os.ReadFile(l.Path)
		switch {
		case err != nil:
			return "cannot be read: " + cause(err)
		case l.Target == "":
			return "leads to a program that is not installed any more"
		case string(b) != string(shim(l.Target)):
			return "does not lead to " + l.Target
		}
		return ""
	}
	if st.Mode()&fs.ModeSymlink == 0 {
		return "is no link; move it away"
	}
	to, err := os.Readlink(l.Path)
	switch {
	case err != nil:
		return "cannot be read: " + cause(err)
	case l.Target == "":
		return "leads to a program that is not installed any more"
	case to != l.Target:
		return fmt.Sprintf("leads to %s, not to %s", to, l.Target)
	}
	return ""
}

// foreign: what stands there is not a link of ours.
func (l BinLink) foreign() bool { return strings.HasPrefix(l.Problem, "is no link") }

// Link makes the links right. What is no link of ours stays.
func Link(env sysenv.Env) error {
	for _, l := range BinLinks(env) {
		if l.Problem == "" || l.foreign() {
			continue
		}
		if err := l.make(env); err != nil {
			return fmt.Errorf("link %s: %w", l.Path, err)
		}
	}
	return nil
}

func (l BinLink) make(env sysenv.Env) error {
	if l.Target == "" {
		return os.Remove(l.Path)
	}
	if env.GOOS == "windows" {
		return atomicfile.Write(l.Path, shim(l.Target), 0o700, 0o700)
	}
	if err := os.MkdirAll(filepath.Dir(l.Path), 0o700); err != nil {
		return err
	}
	// A link cannot be replaced in place; one under another name can be renamed
	// over it. Two at once have the same thing in mind.
	temp := fmt.Sprintf("%s.%d.tmp", l.Path, os.Getpid())
	_ = os.Remove(temp)
	if err := os.Symlink(l.Target, temp); err != nil {
		return err
	}
	if err := os.Rename(temp, l.Path); err != nil {
		_ = os.Remove(temp)
		return err
	}
	return nil
}

// shortPath tells of the folder of links, for files that name our programs
// without a folder.
func (p *planner) shortPath() []string {
	dir := BinDir(p.env)
	if dir == "" {
		return nil
	}
	for _, d := range filepath.SplitList(p.env.Get("PATH")) {
		if samePath(d, dir) {
			return nil
		}
	}
	return []string{fmt.Sprintf("The project's files name our programs without a folder. An editor that is started from the desktop may not find them: put %s on its PATH.", shown(dir, p.env))}
}
