package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"pathrule/internal/cli"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// app is what every command shares: the world, the way to print, and the flags
// that stand on all of them.
type app struct {
	env sysenv.Env
	out *cli.Out

	json    bool
	noColor bool
	dir     string // --workspace
	shell   string // the shell's folder once --workspace has moved env.Cwd, else ""
	name    string // "memory add", for the JSON envelope
	// wrongHelp is the failure of --help behind a command that is not there; cobra
	// itself has no way to hand it back.
	wrongHelp error
	root      string // of the workspace once it was found: problems are named from it
}

// run executes one command line and returns the exit code.
func run(args []string, env sysenv.Env) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a := &app{env: env, json: hasFlag(args, "--json"), noColor: hasFlag(args, "--no-color")}
	a.out = cli.NewOut(env, a.json, a.noColor)
	root := newRoot(a)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = a.wrongHelp
	}
	if err == nil {
		return cli.ExitOK
	}
	var found cli.Findings
	if errors.As(err, &found) {
		return cli.ExitFindings
	}
	var told *reported
	if errors.As(err, &told) && a.json {
		return told.ExitCode()
	}
	f := failureOf(err)
	name := a.name
	if name == "" {
		name = spoken(root, args)
	}
	a.out.Fail(name, f)
	return f.ExitCode()
}

// hasFlag looks for a switch before the command line is parsed, so that even a
// wrong command line is answered in the form that was asked for.
func hasFlag(args []string, name string) bool {
	for _, a := range args {
		switch a {
		case name, name + "=true":
			return true
		case "--":
			return false
		}
	}
	return false
}

// spoken is the command that args name, for the envelope of an error that came
// before any command ran.
func spoken(root *cobra.Command, args []string) string {
	c, _, err := root.Find(args)
	if err != nil || c == nil {
		return ""
	}
	return commandName(c)
}

// commandAnnotation holds the name of the command that a hidden alias stands
// for.
const commandAnnotation = "pathrule/command"

// commandName is the command without the program's name.
func commandName(c *cobra.Command) string {
	if n := c.Annotations[commandAnnotation]; n != "" {
		return n
	}
	return strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), c.Root().Name()), " ")
}

// dirs are pathrule's folders outside the repository.
func (a *app) dirs() workspace.Dirs { return workspace.DirsOf(a.env) }

// start is the folder from which the workspace is looked for.
func (a *app) start() string {
	if a.dir == "" || a.shell != "" {
		return a.env.Cwd
	}
	return a.at(a.dir)
}

// move makes the folder of --workspace the current one for all that follows,
// so that every path on the command line is meant from there. A folder that is
// not there moves nothing; workspace says so.
func (a *app) move() {
	if a.dir == "" || a.shell != "" {
		return
	}
	dir := filepath.Clean(a.start())
	if st, err := os.Stat(dir); err == nil && st.IsDir() {
		a.shell, a.env.Cwd = a.env.Cwd, dir
	}
}

// at is a path as typed, made absolute.
func (a *app) at(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(a.env.Cwd, p)
}

// workspace finds the workspace that governs the current folder.
func (a *app) workspace() (*workspace.Workspace, error) {
	dir := a.start()
	if a.dir != "" {
		if st, err := os.Stat(dir); err != nil || !st.IsDir() {
			return nil, cli.Usage("--workspace "+a.dir+": no such folder", "name a folder inside a project with a .pathrule folder")
		}
	}
	ws, err := workspace.Find(dir, a.env)
	if ws != nil {
		a.root = ws.Root
	}
	return ws, err
}

// maybeWorkspace is workspace, with nil where there is none; another error (a
// refused store) is still an error.
func (a *app) maybeWorkspace() (*workspace.Workspace, error) {
	ws, err := a.workspace()
	if errors.Is(err, workspace.ErrNone) {
		return nil, nil
	}
	return ws, err
}

// shown is how a path is named to a person: relative to the shell's folder
// when it lies below it, with ~ for the home, else as it is.
func (a *app) shown(path string) string {
	from := a.env.Cwd
	if a.shell != "" {
		from = a.shell
	}
	if rel, err := filepath.Rel(from, path); err == nil && !strings.HasPrefix(rel, "..") && rel != "." {
		return rel
	}
	if h := a.env.UserHome; h != "" {
		if rel, err := filepath.Rel(h, path); err == nil && !strings.HasPrefix(rel, "..") && rel != "." {
			return filepath.Join("~", rel)
		}
	}
	return path
}

// answer ends a command: the envelope for a script, or human for a person.
func (a *app) answer(data any, human func()) error {
	if a.json {
		return a.out.Data(a.name, data)
	}
	human()
	return nil
}

// answerFailed is answer for a command that has something to show and failed
// all the same: a script gets the data and the error in one document. f nil is
// no failure.
func (a *app) answerFailed(data any, f *cli.Failure, human func()) error {
	if f == nil {
		return a.answer(data, human)
	}
	if !a.json {
		human()
	} else if err := a.out.DataFailed(a.name, data, f); err != nil {
		return err
	}
	return &reported{f}
}
