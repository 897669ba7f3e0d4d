package main

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"pathrule/guard/hookfile"
	"pathrule/guard/userhooks"
	"pathrule/host"
	"pathrule/internal/cli"
	"pathrule/workspace"
)

// trustHooks shows a project's hooks whole, and everything of the project that
// they run, and pins them when the person says yes. state is "" when the project
// has none.
func (a *app) trustHooks(ws *workspace.Workspace) (state userhooks.State, err error) {
	var file *hookfile.File
	for _, f := range hookfile.Find(ws, a.dirs()) {
		if f.Origin == hookfile.Project && f.Root == ws.Root {
			file = &f
		}
	}
	if file == nil {
		return "", nil
	}
	s := userhooks.Load([]hookfile.File{*file}, a.dirs(), a.env)[0]
	switch s.State {
	case userhooks.Active, userhooks.Off:
		if _, pinned := pinOf(a.dirs(), &s); pinned {
			return s.State, nil
		}
	case userhooks.Invalid:
		a.out.Warn("%s: %s; nothing of it runs", a.shown(s.Path), s.Why)
		return s.State, nil
	}
	if !a.out.CanAsk() {
		a.out.Warn("%s is not trusted: with --json nobody can be asked", a.shown(s.Path))
		return userhooks.Waiting, nil
	}
	a.out.Println("This project brings hooks: programs that run by themselves while an assistant works here.")
	a.out.Println()
	a.printWhole(s.Path, s.Raw)
	opaque := false
	for i := range s.Config.Hooks {
		for j := range s.Config.Hooks[i].Actions {
			if x := &s.Config.Hooks[i].Actions[j]; x.Type == "command" && userhooks.Opaque(x) {
				opaque = true
			}
		}
	}
	for _, f := range s.Sealed {
		raw, err := os.ReadFile(userhooks.Place(ws.Root, f.Path))
		if err != nil {
			return s.State, err
		}
		if hookfile.Sum(raw) != f.Sum {
			return s.State, cli.Fail("conflict", f.Path+" was changed just now", "run it again")
		}
		a.printWhole(userhooks.Place(ws.Root, f.Path), raw)
	}
	if opaque {
		a.out.Warn("a command uses variables, patterns or a shell of its own: which files that runs cannot be followed, so they are neither shown nor pinned")
	}
	if s.State == userhooks.Changed {
		a.out.Println(a.out.Mild("Another version of this was trusted; this one is not."))
	}
	if !a.out.Confirm("Let these hooks run for "+a.shown(ws.Root)+"?", false) {
		a.out.Println("hooks left as they are: they do not run")
		return s.State, nil
	}
	pin := hookfile.Pin{Sum: hookfile.Sum(s.Raw), At: a.env.Now(), Events: hookfile.Wants(s.Raw, host.Tools()), Files: s.Sealed}
	if err := hookfile.Trust(a.dirs(), ws.Root, pin); err != nil {
		return s.State, err
	}
	a.out.Println(a.out.Good("hooks trusted:"), a.shown(s.Path))
	a.out.Hint("run \"pathrule sync\": it registers the events that they are for with the clients")
	return userhooks.Active, nil
}

// pinOf is the pin that a file of hooks stands on now.
func pinOf(dirs workspace.Dirs, s *userhooks.Source) (hookfile.Pin, bool) {
	pins, _ := hookfile.Pins(dirs, s.Root)
	for _, p := range pins {
		if p.Sum == hookfile.Sum(s.Raw) && s.State != userhooks.Changed && s.State != userhooks.Waiting {
			return p, true
		}
	}
	return hookfile.Pin{}, false
}

// printWhole shows a file to the last line: what a person does not see, nobody
// reviewed. Lines with what a terminal does not show are quoted; a file that is
// no text is named with its hash.
func (a *app) printWhole(path string, raw []byte) {
	a.out.Println(a.out.Bold(exact(a.shown(path))), a.out.Dim("sha-256 "+hookfile.Sum(raw)))
	if bytes.IndexByte(raw, 0) >= 0 {
		a.out.Println("  (" + strconv.Itoa(len(raw)) + " bytes that are no text and cannot be shown)")
		a.out.Println()
		return
	}
	for _, l := range strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n") {
		l = strings.TrimSuffix(l, "\r")
		if l != cli.Plain(l) {
			l = strconv.QuoteToASCII(l)
		}
		a.out.Println("  | " + strings.ReplaceAll(l, "\t", "    "))
	}
	a.out.Println()
}
