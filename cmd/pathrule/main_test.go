package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"pathrule/hookrunner"
	"pathrule/internal/person"
	"pathrule/internal/sysenv"
	"pathrule/knowledge/inbox"
)

var update = flag.Bool("update", false, "rewrite docs/cli.md")

// TestMain lets the scripts start both programs from this test binary.
func TestMain(m *testing.M) {
	unhurried = true
	testscript.Main(m, map[string]func(){
		"pathrule": main,
		"pathrule-hook": func() {
			o, env := hookrunner.ParseArgs(os.Args[1:], sysenv.FromOS())
			o.Unhurried = unhurried
			os.Exit(hookrunner.Main(o, env))
		},
	})
}

// TestScripts plays testdata/script: every command and every family of
// failures as a user meets them, each with a home of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			if err := os.MkdirAll(home, 0o700); err != nil {
				return err
			}
			for _, kv := range os.Environ() {
				// A client around the tests must not be taken for one around the script.
				name, _, _ := strings.Cut(kv, "=")
				for _, p := range []string{"CLAUDE", "CODEX", "CURSOR", "GEMINI", "QWEN", "COPILOT", "AI_AGENT", "PATHRULE", "XDG", "NO_COLOR", "EDITOR", "VISUAL"} {
					if strings.HasPrefix(name, p) {
						e.Setenv(name, "")
					}
				}
			}
			e.Setenv("HOME", home)
			e.Setenv("USERPROFILE", home)
			e.Setenv("PATHRULE_HOME", filepath.Join(e.WorkDir, "prhome"))
			e.Setenv("TERM", "xterm")
			// A program with the race detector in it sleeps for a second at its end.
			e.Setenv("GORACE", "atexit_sleep_ms=0")
			e.Setenv("LC_ALL", "C.UTF-8")
			// The work folder may lie below a folder that is a repository.
			e.Setenv("GIT_CEILING_DIRECTORIES", e.WorkDir)
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "client":
				// Scripts that need a person cannot play below an AI client.
				return person.Client(sysenv.Env{}) != "", nil
			case "git":
				_, err := exec.LookPath("git")
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":    exits,
			"tty":      onTerminal,
			"subst":    subst,
			"hostile":  hostile,
			"marks":    marks,
			"fifo":     odd(fifo),
			"big":      odd(bigHooks),
			"deep":     odd(deepHooks),
			"events":   everyEvent,
			"proposal": proposalOf,
			"crowd":    crowd,
			"version":  versionInto,
		},
	})
}

// exits N PROGRAM ARGS... runs a program and wants exactly this exit code;
// stdout and stderr are there for the next lines.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARGS...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		msg := err.Error()
		got = strings.TrimPrefix(msg, "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("%s exits %s, want %s", strings.Join(args[1:], " "), got, args[0])
	}
}

// crowd is "crowd" and "! crowd": it fills the only inbox with as many files as
// may wait, and takes them away again.
func crowd(ts *testscript.TestScript, neg bool, _ []string) {
	dirs, _ := filepath.Glob(filepath.Join(ts.Getenv("PATHRULE_HOME"), "inbox", "*"))
	if len(dirs) != 1 {
		ts.Fatalf("%d inboxes", len(dirs))
	}
	for i := range inbox.Max {
		name := filepath.Join(dirs[0], fmt.Sprintf("%012x.json", i))
		if neg {
			ts.Check(os.Remove(name))
		} else {
			ts.Check(os.WriteFile(name, []byte("{}"), 0o600))
		}
	}
}

// proposalOf is "proposal KIND FILE": it sets PROPOSAL to the id of the proposal
// of this kind in an answer of "inbox list --json".
func proposalOf(ts *testscript.TestScript, neg bool, args []string) {
	var answer struct {
		Data struct {
			Items []struct{ ID, Kind string }
		}
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &answer))
	for _, it := range answer.Data.Items {
		if it.Kind == args[0] {
			ts.Setenv("PROPOSAL", it.ID)
			return
		}
	}
	ts.Fatalf("no proposal of a %s in %s", args[0], args[1])
}

// versionInto is "version ANSWER FILE": it replaces $VERSION in FILE by the
// version in an answer of "show --json".
func versionInto(ts *testscript.TestScript, neg bool, args []string) {
	var answer struct{ Data struct{ Version string } }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &answer))
	text := strings.ReplaceAll(ts.ReadFile(args[1]), "$VERSION", answer.Data.Version)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}

// subst FILE replaces $WORK in a file by the script's folder, as JSON spells
// it.
func subst(ts *testscript.TestScript, neg bool, args []string) {
	for _, f := range args {
		work, err := json.Marshal(ts.Getenv("WORK"))
		ts.Check(err)
		text := strings.ReplaceAll(ts.ReadFile(f), "$WORK", strings.Trim(string(work), `"`))
		ts.Check(os.WriteFile(ts.MkAbs(f), []byte(text), 0o600))
	}
}
