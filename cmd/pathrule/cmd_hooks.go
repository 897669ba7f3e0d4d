package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pathrule/guard/hookfile"
	"pathrule/guard/userhooks"
	"pathrule/host"
	"pathrule/internal/atomicfile"
	"pathrule/internal/cli"
	"pathrule/knowledge/store"
)

func newHooksCommand(a *app) *cobra.Command {
	return group("hooks", "programs of your own that run on events",
		`Hooks of your own stand in .pathrule/hooks.json of the project and in hooks.json of the
pathrule home. On an event they run a command, call a tool of pathrule's MCP server or
tell an entry; on events that come before something they may deny it.

A project's file does nothing until you trusted that exact content, together with the
files of the project that its commands run, with "pathrule trust". See docs/hooks.md.`,
		`  pathrule hooks list
  pathrule hooks events --host codex
  pathrule hooks test PreToolUse --payload event.json
  pathrule hooks init
  pathrule hooks lint`,
		newHooksListCommand(a), newHooksEventsCommand(a), newHooksTestCommand(a), newHooksInitCommand(a), newHooksLintCommand(a))
}

// hookSources are the files of hooks that are there, with what is in them.
func (a *app) hookSources() ([]userhooks.Source, error) {
	ws, err := a.maybeWorkspace()
	if err != nil {
		return nil, err
	}
	return userhooks.Load(hookfile.Find(ws, a.dirs()), a.dirs(), a.env), nil
}

// hookFile is one file in JSON.
type hookFile struct {
	File     string              `json:"file"`
	Origin   hookfile.Origin     `json:"origin"`
	State    userhooks.State     `json:"state"`
	Why      string              `json:"why,omitempty"`
	SHA256   string              `json:"sha256,omitempty"`
	Runs     []hookfile.Sealed   `json:"runs"`
	Env      []string            `json:"env"` // names alone: values may be private
	Problems []userhooks.Problem `json:"problems"`
}

// hookItem is one hook in JSON.
type hookItem struct {
	Name     string   `json:"name"`
	Event    string   `json:"event"`
	Written  string   `json:"written"` // the name in the file
	Matcher  string   `json:"matcher,omitempty"`
	Paths    []string `json:"paths"`
	Priority int      `json:"priority"`
	Enabled  bool     `json:"enabled"`
	// Runs: it runs when its event comes.
	Runs    bool            `json:"runs"`
	Why     string          `json:"why,omitempty"`
	Origin  hookfile.Origin `json:"origin"`
	File    string          `json:"file"`
	Line    int             `json:"line"`
	Actions []hookAction    `json:"actions"`
}

type hookAction struct {
	Type           string            `json:"type"`
	Command        string            `json:"command,omitempty"`
	Argv           []string          `json:"argv,omitempty"`
	WorkDir        string            `json:"work_dir,omitempty"`
	Tool           string            `json:"tool,omitempty"`
	Input          string            `json:"input,omitempty"`
	Entries        []string          `json:"entries,omitempty"`
	Optional       bool              `json:"optional,omitempty"`
	TimeoutMS      int64             `json:"timeout_ms"`
	OnError        userhooks.OnError `json:"on_error"`
	MaxOutputBytes int               `json:"max_output_bytes,omitempty"`
}

func newHooksListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls", "status"},
		Short:   "list your hooks, where each comes from and whether it runs",
		Long: `Lists the effective hooks in the order in which they run: high priority first, those
alike in the order of the files (yours, then the project's) and lines. A file that
nobody trusted, that was edited since, or that cannot be read says so and runs nothing.`,
		Example: "  pathrule hooks list\n  pathrule hooks list --json",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return runHooksList(a) },
	}
}

func runHooksList(a *app) error {
	sources, err := a.hookSources()
	if err != nil {
		return err
	}
	files, items := []hookFile{}, []hookItem{}
	for i := range sources {
		s := &sources[i]
		f := hookFile{File: s.Path, Origin: s.Origin, State: s.State, Why: s.Why, Runs: some(s.Sealed), Env: []string{}, Problems: some(s.Problems)}
		if s.Raw != nil {
			f.SHA256 = hookfile.Sum(s.Raw)
		}
		files = append(files, f)
		if s.Config == nil {
			continue
		}
		for _, v := range s.Config.Env {
			files[len(files)-1].Env = append(files[len(files)-1].Env, v.Name)
		}
		for j := range s.Config.Hooks {
			items = append(items, itemOfHook(s, &s.Config.Hooks[j]))
		}
	}
	slices.SortStableFunc(items, func(x, y hookItem) int { return y.Priority - x.Priority })
	enabled, runs, actions := 0, 0, 0
	for _, it := range items {
		if it.Enabled {
			enabled++
			actions += len(it.Actions)
		}
		if it.Runs {
			runs++
		}
	}
	return a.answer(map[string]any{"files": files, "items": items, "enabled": enabled, "runs": runs, "actions": actions, "warnings": a.out.Warnings()}, func() {
		if len(sources) == 0 {
			a.out.Println("No hooks here. \"pathrule hooks init\" writes a file to start from.")
			return
		}
		for i := range sources {
			s := &sources[i]
			line := exact(a.shown(s.Path)) + ": " + string(s.State)
			if s.Why != "" {
				line += ", " + cli.OneLine(s.Why)
			}
			a.out.Println(a.out.Bold(string(s.Origin)), line)
			for _, f := range s.Sealed {
				a.out.Println("  runs", exact(f.Path))
			}
		}
		if len(items) > 0 {
			t := &cli.Table{Head: []string{"RUNS", "EVENT", "PRIORITY", "FROM", "HOOK", "DOES"}, Flex: 5}
			for _, it := range items {
				runs := "yes"
				if !it.Runs {
					runs = "no"
				}
				t.Row(runs, it.Written, itoa(it.Priority), string(it.Origin)+":"+itoa(it.Line), it.Name, doesOf(it.Actions))
			}
			a.out.Print(t)
			a.out.Println(fmt.Sprintf("%s, %d switched on with %s; %d may run now.", countOf(len(items), "hook", "hooks"), enabled, countOf(actions, "action", "actions"), runs))
		}
		for i := range sources {
			switch s := &sources[i]; s.State {
			case userhooks.Waiting, userhooks.Changed:
				a.out.Hint("%s runs nothing until you trust it: pathrule trust", a.shown(s.Path))
			case userhooks.Invalid:
				a.out.Hint("mend %s; \"pathrule hooks lint\" names every fault", a.shown(s.Path))
			}
		}
	})
}

func itemOfHook(s *userhooks.Source, h *userhooks.Hook) hookItem {
	it := hookItem{Name: h.Name, Event: h.Event, Written: h.Written, Paths: some(h.Paths), Priority: h.Priority, Enabled: h.Enabled,
		Runs: s.State == userhooks.Active && h.Enabled, Origin: s.Origin, File: s.Path, Line: h.Line, Actions: []hookAction{}}
	if h.Matcher != nil {
		it.Matcher = strings.TrimPrefix(h.Matcher.String(), "(?m)")
	}
	switch {
	case s.State != userhooks.Active:
		it.Why = s.Why
	case !h.Enabled:
		it.Why = "enabled is false"
	}
	for i := range h.Actions {
		x := &h.Actions[i]
		act := hookAction{Type: x.Type, Command: x.Command, Argv: x.Argv, WorkDir: x.WorkDir, Tool: x.Tool, Input: x.Input,
			Entries: x.Entries, Optional: x.Optional, TimeoutMS: x.Timeout.Milliseconds(), OnError: x.OnError}
		if x.Type == "command" {
			act.MaxOutputBytes = x.MaxOutput
		}
		it.Actions = append(it.Actions, act)
	}
	return it
}

func doesOf(actions []hookAction) string {
	var parts []string
	for _, x := range actions {
		switch {
		case x.Argv != nil:
			parts = append(parts, "runs "+strings.Join(x.Argv, " "))
		case x.Command != "":
			parts = append(parts, "runs "+x.Command)
		case x.Tool != "":
			parts = append(parts, "calls "+x.Tool)
		default:
			parts = append(parts, "tells "+strings.Join(x.Entries, ", "))
		}
	}
	return exact(strings.Join(parts, "; "))
}

func newHooksEventsCommand(a *app) *cobra.Command {
	var hostName string
	c := &cobra.Command{
		Use:   "events [--host HOST]",
		Short: "list the events that a hook can be for",
		Long: `Lists every event of the catalogue and which clients emit it. "needs setup" means that
the client sends it only once "pathrule setup" or "sync" registered it, which they do
while a hook wants it; "setup --session-end" only then. What an event can do there: tell
the model something, deny what is about to happen, ask the person. An event that nothing
emits can still be used with "hooks test".`,
		Example: "  pathrule hooks events\n  pathrule hooks events --host codex\n  pathrule hooks events --json",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return runHooksEvents(a, hostName) },
	}
	c.Flags().StringVar(&hostName, "host", "", "one client alone")
	return c
}

func runHooksEvents(a *app, hostName string) error {
	hosts := host.All()
	if hostName != "" {
		h, err := hostNamed(hostName)
		if err != nil {
			return err
		}
		hosts = []host.Host{h}
	}
	items := userhooks.EventsOn(hosts)
	return a.answer(map[string]any{"items": items}, func() {
		t := &cli.Table{Head: []string{"EVENT", "WIRED", "ABOUT"}, Flex: 2}
		if hostName != "" {
			t.Head = []string{"EVENT", "WIRED", "CAN", "ABOUT"}
			t.Flex = 3
		}
		for _, it := range items {
			name, about := it.Name, it.About
			if it.AliasOf != "" {
				about = "= " + it.AliasOf + ": " + about
			}
			if hostName != "" {
				w := it.Hosts[0]
				if !w.Wired && it.About != hookfile.CatalogueOnly {
					about += " (not here: " + w.Why + ")"
				}
				t.Row(name, wiredWord(w), canWord(w), about)
				continue
			}
			t.Row(name, wiredOn(it), about)
		}
		a.out.Print(t)
	})
}

// hookEvents is what "hooks events --json" puts into "data".
func hookEvents() ([]byte, error) {
	return json.Marshal(map[string]any{"items": userhooks.EventsOn(host.All())})
}

func wiredWord(w userhooks.Wiring) string {
	switch {
	case !w.Wired:
		return "no"
	case w.AtEnd:
		return "setup --session-end"
	case w.OnDemand:
		return "needs setup"
	}
	return "yes"
}

func canWord(w userhooks.Wiring) string {
	var can []string
	for _, c := range []struct {
		is   bool
		word string
	}{{w.Context, "tell"}, {w.Deny, "deny"}, {w.Ask, "ask"}} {
		if c.is {
			can = append(can, c.word)
		}
	}
	if can == nil {
		return "-"
	}
	return strings.Join(can, ", ")
}

func wiredOn(it userhooks.EventInfo) string {
	if it.Own {
		return "pathrule"
	}
	n := 0
	for _, w := range it.Hosts {
		if w.Wired {
			n++
		}
	}
	if n == 0 {
		return "no"
	}
	return fmt.Sprintf("%d of %d clients", n, len(it.Hosts))
}

func newHooksInitCommand(a *app) *cobra.Command {
	var user, show bool
	c := &cobra.Command{
		Use:   "init [--user] [--print]",
		Short: "write a file of hooks to start from",
		Long: `Writes .pathrule/hooks.json, or with --user hooks.json in the pathrule home, with one
hook that is switched off. A file that is there already is left alone. --print writes
nothing and shows what it would.`,
		Example: "  pathrule hooks init\n  pathrule hooks init --user\n  pathrule hooks init --print",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if show {
				return a.answer(map[string]any{"text": userhooks.Starter}, func() { a.out.Printf("%s", userhooks.Starter) })
			}
			return runHooksInit(a, user)
		},
	}
	c.Flags().BoolVar(&user, "user", false, "your own file, for every project")
	c.Flags().BoolVar(&show, "print", false, "show the file instead of writing it")
	return c
}

func runHooksInit(a *app, user bool) error {
	path, perm, dirPerm := filepath.Join(a.dirs().Home, hookfile.Name), os.FileMode(0o600), os.FileMode(0o700)
	if user && a.dirs().Home == "" {
		return cli.Fail("failed", "the home folder is unknown", "set PATHRULE_HOME to an absolute path")
	}
	if !user {
		ws, err := a.workspace()
		if err != nil {
			return err
		}
		path, perm, dirPerm = filepath.Join(ws.Store, hookfile.Name), 0o644, 0o755
	}
	if _, err := os.Lstat(path); err == nil {
		return cli.Fail("refused", a.shown(path)+" is there already; left as it is", "edit it; \"pathrule hooks lint\" checks it")
	} else if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := atomicfile.Write(path, []byte(userhooks.Starter), perm, dirPerm); err != nil {
		return err
	}
	return a.answer(map[string]any{"file": path}, func() {
		a.out.Println("written:", a.shown(path))
		if user {
			a.out.Hint("it counts as it stands, since only you write to that folder; its one hook is switched off")
		} else {
			a.out.Hint("change it to what you need, check it with \"pathrule hooks lint\", then let it run with \"pathrule trust\"")
		}
	})
}

// lintItem is one finding in JSON.
type lintItem struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Col    int    `json:"col"`
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"`
}

func newHooksLintCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "lint [FILE]",
		Short: "check a file of hooks",
		Long: `Checks the files of hooks here, or FILE: what cannot be read, with line and column, and
what is allowed and unwise: secrets, actions without a timeout, hooks that may stop
everything because they name no tool and no path. Exits 3 when there is something.`,
		Example: "  pathrule hooks lint\n  pathrule hooks lint draft.json",
		Args:    cobra.MaximumNArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return runHooksLint(a, args) },
	}
}

func runHooksLint(a *app, args []string) error {
	sources, err := a.hookSources()
	if len(args) > 0 {
		raw, rerr := os.ReadFile(a.at(args[0]))
		if rerr != nil {
			return cli.Fail("not_found", "cannot read "+args[0], "name a file of hooks")
		}
		s := userhooks.Source{File: hookfile.File{Origin: hookfile.Project, Path: a.at(args[0]), Raw: raw}}
		s.Config, s.Problems = userhooks.Parse(raw)
		sources, err = []userhooks.Source{s}, nil
	}
	if err != nil {
		return err
	}
	items := []lintItem{}
	for i := range sources {
		s := &sources[i]
		if s.Err != nil {
			items = append(items, lintItem{s.Path, 0, 0, s.Err.Error(), ""})
		}
		for _, p := range store.Secrets(s.Raw, s.Path) {
			items = append(items, lintItem{s.Path, p.Line, 1, p.Msg, p.Remedy})
		}
		for _, p := range append(slices.Clone(s.Problems), append(userhooks.Lint(s), a.unknownEntries(s)...)...) {
			items = append(items, lintItem{s.Path, p.Line, p.Col, p.Msg, p.Remedy})
		}
	}
	err = a.answer(map[string]any{"items": items}, func() {
		if len(sources) == 0 {
			a.out.Println("No hooks here.")
			return
		}
		for _, it := range items {
			a.out.Println(fmt.Sprintf("%s:%d:%d: %s", exact(a.shown(it.File)), it.Line, it.Col, cli.OneLine(it.Text)))
			if it.Remedy != "" {
				a.out.Println("  " + a.out.Dim(cli.OneLine(it.Remedy)))
			}
		}
		if len(items) == 0 {
			a.out.Println("Nothing to say against it.")
		}
	})
	if err == nil && len(items) > 0 {
		err = cli.Findings{N: len(items)}
	}
	return err
}

// unknownEntries names what the hooks of a file would tell and is not here. The
// user's own file may be for other workspaces, so one counts only where there is one.
func (a *app) unknownEntries(s *userhooks.Source) (out []userhooks.Problem) {
	ws, err := a.maybeWorkspace()
	if s.Config == nil || err != nil || ws == nil {
		return nil
	}
	for i := range s.Config.Hooks {
		h := &s.Config.Hooks[i]
		for j := range h.Actions {
			for _, ref := range h.Actions[j].Entries {
				if _, _, _, err := entryFor(ws, ref, a.dirs(), a.env); err != nil {
					out = append(out, userhooks.Problem{Line: h.Actions[j].Line, Col: 1, Msg: fmt.Sprintf("%q tells %s, which is not here", h.Name, cli.OneLine(ref)), Remedy: cli.OneLine(err.Error())})
				}
			}
		}
	}
	return out
}

// trimmed is a payload without a byte order mark and blanks.
func trimmed(b []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(b, []byte("\xEF\xBB\xBF")))
}
