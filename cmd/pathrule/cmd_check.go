package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pathrule/guard"
	"pathrule/guard/approval"
	"pathrule/guard/pending"
	"pathrule/hookrunner/ledger"
	"pathrule/internal/cli"
	"pathrule/knowledge"
	"pathrule/workspace"
)

func newCheckCommand(a *app) *cobra.Command {
	long := `A rule's check is a command that must pass after edits in its paths, before the
assistant ends its turn. It counts once a person approved it ("pathrule approve").
Claude Code and Codex are held at the end of a turn until it passed, at most three
times a session; other clients are reminded.`
	run := &cobra.Command{
		Use:   "run RULE",
		Short: "run an approved check",
		Long: `Runs the rule's approved command in the workspace root, shows it and its output, and
exits with its exit code. What came of it counts for the files as they are now: it
is how a check is passed in a client that does not tell how its own runs ended
(Codex), and it counts in every other one as well.

A check that was edited since it was approved is not run.`,
		Example:           "  pathrule check run tests",
		Args:              cobra.ExactArgs(1),
		RunE:              func(c *cobra.Command, args []string) error { return runCheckRun(c.Context(), a, args[0]) },
		ValidArgsFunction: a.completeIDs(knowledge.Rule),
	}
	list := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "list the checks and whether they count",
		Long:    "Lists every check here with its command and its state: approved, changed, waiting or gone (see \"pathrule approve list\").",
		Example: "  pathrule check list\n  pathrule check list --json",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return runCheckList(a) },
	}
	status := &cobra.Command{
		Use:     "status",
		Short:   "show what the approved checks wait for",
		Long:    "Shows for each approved check which edited files wait for it, over all sessions of the last seven days, and what its last \"check run\" came to.",
		Example: "  pathrule check status\n  pathrule check status --json",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return runCheckStatus(a) },
	}
	return group("check", "run and list the checks that a turn must pass", long, "  pathrule check status\n  pathrule check run tests", run, list, status)
}

// checkItem is one check in JSON.
type checkItem struct {
	Kind    knowledge.Kind `json:"kind"`
	ID      string         `json:"id"`
	Title   string         `json:"title"`
	State   approval.State `json:"state"`
	Command string         `json:"command"`
	Message string         `json:"message"`
	Paths   []string       `json:"paths"`
	Root    string         `json:"root"`
}

func runCheckList(a *app) error {
	all, err := a.guarded()
	if err != nil {
		return err
	}
	items := []checkItem{}
	for _, g := range all {
		if g.entry.Check == nil {
			continue
		}
		items = append(items, checkItem{knowledge.Rule, g.entry.ID, g.entry.Title, g.state, g.entry.Check.Command, g.entry.Check.Message,
			some(checkPaths(g.entry.Check.Paths, g.entry.Paths)), g.at.Root})
	}
	return a.answer(map[string]any{"items": items, "warnings": a.out.Warnings()}, func() {
		if len(items) == 0 {
			a.out.Println("No rule here has a check.")
			return
		}
		t := &cli.Table{Head: []string{"STATE", "RULE", "COMMAND", "PATHS"}, Flex: 2}
		for _, it := range items {
			t.Row(string(it.State), it.ID, exact(it.Command), pathsShown(it.Paths))
		}
		a.out.Print(t)
	})
}

func checkPaths(own, rule []string) []string {
	if len(own) > 0 {
		return own
	}
	return rule
}

// approvedChecks are the checks that count where we stand.
func (a *app) approvedChecks() (*workspace.Workspace, []*guard.Rule, error) {
	ws, err := a.workspace()
	if err != nil {
		return nil, nil, err
	}
	rules, err := guard.Rules(ws, a.dirs(), a.env.UserHome)
	if err != nil {
		a.out.Warn("approvals: %v", err)
	}
	return ws, guard.Checks(rules), nil
}

// checkStatus is what one approved check waits for, in JSON.
type checkStatus struct {
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	Command string   `json:"command"`
	Pending bool     `json:"pending"`
	Files   []string `json:"files"` // edited, below the outermost workspace
	Why     string   `json:"why,omitempty"`
	Last    *lastRun `json:"last_run,omitempty"`
}

type lastRun struct {
	Exit int    `json:"exit"`
	At   string `json:"at"`
	// Current: the files that wait are as that run found them.
	Current bool `json:"current"`
}

func runCheckStatus(a *app) error {
	ws, checks, err := a.approvedChecks()
	if err != nil {
		return err
	}
	items := []checkStatus{}
	for _, r := range checks {
		it := checkStatus{ID: r.ID, Title: r.Title, Command: r.Check.Command, Files: []string{}}
		paths, why := a.waiting(ws, r)
		res := pending.LastResult(a.dirs().State, ledger.Root(ws), r.CheckName())
		covered := res.Covers(r.Sum, paths, a.stateBelow(ws))
		if res != nil {
			it.Last = &lastRun{res.Exit, res.At.Format(time.RFC3339), covered}
		}
		if it.Pending = len(paths) > 0 && !covered; it.Pending {
			it.Files, it.Why = paths, why
		}
		items = append(items, it)
	}
	return a.answer(map[string]any{"items": items, "warnings": a.out.Warnings()}, func() {
		if len(items) == 0 {
			a.out.Println("No check is approved here.")
			a.out.Hint("see \"pathrule check list\"")
			return
		}
		for _, it := range items {
			state := a.out.Good("nothing waits")
			if it.Pending {
				state = a.out.Mild("pending")
			}
			a.out.Println(a.out.Bold(it.ID)+":", state, a.out.Dim("("+exact(it.Command)+")"))
			for i, f := range it.Files {
				if i == 10 {
					a.out.Println("  … and", countOf(len(it.Files)-i, "more file", "more files"))
					break
				}
				a.out.Println("  edited:", exact(f))
			}
			if it.Why != "" {
				a.out.Println("  the last run that a session made does not count:", it.Why)
			}
			if it.Last != nil {
				a.out.Println("  last check run: exit code "+itoa(it.Last.Exit)+",", it.Last.At)
			}
		}
	})
}

// waiting are the files that wait for a check in any session.
func (a *app) waiting(ws *workspace.Workspace, r *guard.Rule) (paths []string, why string) {
	for _, s := range pending.Sessions(a.dirs().State, ledger.Root(ws)) {
		for _, w := range s.Waits {
			if w.Check != r.CheckName() {
				continue
			}
			if why == "" {
				why = string(w.Why)
			}
			for _, p := range w.Paths {
				if !slices.Contains(paths, p) {
					paths = append(paths, p)
				}
			}
		}
	}
	return paths, why
}

// stateBelow gives the present state of a file below the outermost workspace.
func (a *app) stateBelow(ws *workspace.Workspace) func(string) string {
	base := ws.Base()
	return func(p string) string { return pending.StateOf(filepath.Join(base, filepath.FromSlash(p))) }
}

func runCheckRun(ctx context.Context, a *app, ref string) error {
	ws, checks, err := a.approvedChecks()
	if err != nil {
		return err
	}
	h, id, err := a.find(ref, knowledge.Rule, false, true)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(checks, func(r *guard.Rule) bool { return r.ID == id && r.Owner == h.Owner() })
	if i < 0 {
		e, _, err := h.Read(knowledge.Rule, id)
		switch {
		case err != nil:
			return err
		case e.Check == nil:
			return cli.Fail("invalid", "rule "+id+" has no check", "see \"pathrule check list\"")
		}
		return cli.Fail("refused", "not run: the check of rule "+id+" is not approved as it stands", "a person approves it at a terminal: pathrule approve "+id)
	}
	r := checks[i]
	// What the run will see, taken before it begins: a file that changes meanwhile
	// is none that it passed with.
	paths := pending.Waiting(a.dirs().State, ledger.Root(ws), r.CheckName())
	state := a.stateBelow(ws)
	files := map[string]string{}
	for _, p := range paths {
		files[p] = state(p)
	}
	a.out.Hint("%s: running %s in %s", r.ID, exact(r.Check.Command), a.shown(r.Root))
	code, err := a.runShell(ctx, r.Check.Command, r.Root)
	if err != nil {
		return err
	}
	res := pending.Result{In: ledger.Root(ws), Check: r.CheckName(), Sum: r.Sum, Exit: code, At: a.env.Now(), Files: files}
	if err := res.Save(a.dirs().State); err != nil {
		// Codex's sandbox lets its shell write in the workspace alone. Its hook runs
		// outside of it and reads what its tools put out.
		line, none := res.Receipt(a.dirs().State)
		if none != nil {
			return &cli.Failure{Code: "failed", Exit: max(code, 1),
				Msg:   "the check ended with exit code " + itoa(code) + ", which does not count, since it cannot be kept: " + err.Error(),
				Hints: []string{"inside a client's sandbox, ask the user to let this command run outside of it"}, Err: err}
		}
		a.out.Hint("the result cannot be kept from in here; the client's hook takes it from the next line")
		if a.json { // stdout is one document
			fmt.Fprintln(a.env.Stderr, line)
		} else {
			a.out.Println(line)
		}
	}
	a.keepKey()
	var fail *cli.Failure
	if code != 0 {
		fail = &cli.Failure{Code: "check_failed", Exit: code, Msg: "check " + r.ID + " failed with exit code " + itoa(code)}
	}
	return a.answerFailed(map[string]any{"id": r.ID, "command": r.Check.Command, "exit": code, "files": len(files)}, fail, func() {
		if code == 0 {
			a.out.Println(a.out.Good("passed:"), "rule:"+r.ID)
		}
	})
}

// keepKey makes the secret of receipts, so that runs in a client's sandbox can
// give some. Without one they only say that they do not count.
func (a *app) keepKey() {
	key := make([]byte, 32)
	rand.Read(key)
	_ = pending.KeepKey(a.dirs().State, key)
}

// runShell runs a command line in the system's shell with our streams and gives
// its exit code. With --json its output goes to stderr, so that stdout is one
// document.
func (a *app) runShell(ctx context.Context, line, dir string) (int, error) {
	args := []string{"/bin/sh", "-c", line}
	if runtime.GOOS == "windows" {
		args = []string{"cmd", "/C", line}
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, a.env.Environ
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.env.Stdin, a.env.Stdout, a.env.Stderr
	if a.json {
		cmd.Stdout = a.env.Stderr
	}
	cmd.Cancel = func() error {
		if runtime.GOOS == "windows" {
			return cmd.Process.Kill()
		}
		return cmd.Process.Signal(os.Interrupt)
	}
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return 0, nil
	case errors.As(err, &ended):
		if c := ended.ExitCode(); c > 0 {
			return c, nil
		}
		return 128 + 2, nil // ended by a signal
	}
	return 0, cli.Fail("failed", "the check cannot be started: "+strings.TrimPrefix(err.Error(), "exec: "), "its command runs in /bin/sh (cmd on Windows)")
}
