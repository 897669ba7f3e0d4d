package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pathrule/host"
	"pathrule/internal/cli"
	"pathrule/setup"
	"pathrule/workspace"
)

type setupOptions struct {
	hosts      []string
	scope      string
	global     bool
	yes        bool
	dryRun     bool
	print      bool
	sessionEnd bool
	force      bool
	undo       bool
}

func newSetupCommand(a *app) *cobra.Command {
	return setupCommand(a, false, "setup [HOST...]", "wire your AI clients: hooks and MCP server",
		`Finds your AI clients, shows what would change in their files, asks, and writes.
Comments, order and everything that is not ours stays byte for byte; "unsetup"
gives the files back. A client that you name is wired whether it was found or not.

Scope user (default) is for you alone and works in every workspace. Scope project
writes files that a team shares; its hooks say nothing where pathrule is missing.
Links to our programs are kept in ~/.pathrule/bin, for editors with a short PATH. Without a terminal and --yes the plan is printed,
nothing is changed, and the exit code is 2.`,
		"  pathrule setup\n  pathrule setup claude cursor --yes\n  pathrule setup --scope project --dry-run\n  pathrule setup codex --print")
}

func newUnsetupCommand(a *app) *cobra.Command {
	return setupCommand(a, true, "unsetup [HOST...]", "take our entries out of your AI clients' files",
		`Takes out what "setup" wrote and nothing else. A file that was not touched since
gets the bytes back that it had before.`,
		"  pathrule unsetup\n  pathrule unsetup codex --yes\n  pathrule unsetup --scope project --dry-run")
}

func setupCommand(a *app, undo bool, use, short, long, example string) *cobra.Command {
	o := setupOptions{undo: undo}
	c := &cobra.Command{
		Use: use, Short: short, Long: long, Example: example,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			o.hosts = append(commaList(o.hosts), args...)
			return runSetup(a, o)
		},
		ValidArgsFunction: completeHosts,
	}
	f := c.Flags()
	f.StringArrayVar(&o.hosts, "host", nil, "a client (`HOST`; repeatable)")
	f.StringVar(&o.scope, "scope", "", "`user|project` (default user)")
	f.BoolVar(&o.global, "global", false, "the same as --scope user")
	_ = f.MarkHidden("global")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "write nothing; show the differences")
	if !undo {
		f.BoolVar(&o.print, "print", false, "write nothing; print what to add by hand")
		f.BoolVar(&o.sessionEnd, "session-end", false, "also register the hook at the end of a session")
		f.BoolVar(&o.force, "force", false, "although the other scope is set up as well; also replace a file of ours that was edited (unsetup gives it back)")
		exclusive(c, "dry-run", "print")
	}
	fixed(c, "scope", "user", "project")
	_ = c.RegisterFlagCompletionFunc("host", completeHosts)
	return c
}

// edited is one file of a plan in JSON.
type edited struct {
	Host    string `json:"host"`
	Surface string `json:"surface"`
	Path    string `json:"path"`
	Action  string `json:"action"`
	Summary string `json:"summary,omitempty"`
	Why     string `json:"why,omitempty"`
	Diff    string `json:"diff,omitempty"`
}

// editedOf is a planned edit as the answer shows it.
func (a *app) editedOf(e setup.Edit, diff bool) edited {
	f := edited{Host: e.Host, Surface: e.Surface, Path: e.Path, Action: e.Action, Summary: e.Summary, Why: e.Why}
	if diff && e.Action != setup.Keep && e.Action != setup.Refuse {
		f.Diff = cli.Diff(a.shown(e.Path), e.Before, e.After)
	}
	return f
}

// setupData is the answer of setup and unsetup in JSON.
type setupData struct {
	Scope    host.Scope `json:"scope"`
	Hosts    []string   `json:"hosts"`
	Applied  bool       `json:"applied"`
	Files    []edited   `json:"files"`
	Next     []string   `json:"next"`
	Warnings []string   `json:"warnings"`
}

func runSetup(a *app, o setupOptions) error {
	if err := oneOf("--scope", o.scope, "user", "project"); err != nil {
		return err
	}
	if o.global && o.scope == "project" {
		return cli.Usage("--global and --scope project do not go together")
	}
	scope := host.Scope(o.scope)
	if scope == "" {
		scope = host.User
	}
	ws, err := a.maybeWorkspace()
	if err != nil {
		return err
	}
	root := ""
	if ws != nil {
		root = ws.Root
	} else if scope == host.Project {
		return workspace.ErrNone
	}
	hosts, err := a.setupHosts(o, root)
	if err != nil {
		return err
	}
	so := setup.Options{Scope: scope, SessionEnd: o.sessionEnd, Force: o.force}
	make := setup.PlanSetup
	if o.undo {
		make = setup.PlanUnsetup
	}
	plan, err := make(hosts, root, so, a.env)
	if err != nil {
		return err
	}
	data := setupData{Scope: scope, Hosts: []string{}, Files: []edited{}, Next: some(plan.Next)}
	if o.sessionEnd && !o.undo {
		for _, h := range hosts {
			if !notesEnd(h) && len(h.Registrations()) > 0 {
				data.Next = append(data.Next, h.Title()+": the end of a session is not noted, since \"observe\" cannot read its conversations.")
			}
		}
	}
	for _, h := range hosts {
		data.Hosts = append(data.Hosts, h.ID())
	}
	if o.print {
		return a.printByHand(hosts, root, so, data)
	}
	changes, refused := 0, len(plan.Refused())
	for _, e := range plan.Edits {
		if e.Action != setup.Keep && e.Action != setup.Refuse {
			changes++
		}
		data.Files = append(data.Files, a.editedOf(e, o.dryRun))
	}
	a.printPlan(data)
	end := func() error {
		data.Warnings = a.out.Warnings()
		var fail *cli.Failure
		if refused > 0 && !o.dryRun {
			hint := "mend what is named above, or add by hand what --print shows"
			if o.undo {
				hint = "mend what is named above, then run it again"
			}
			fail = cli.Fail("refused", countOf(refused, "file was", "files were")+" left as "+itIs(refused), hint)
		}
		return a.answerFailed(data, fail, func() { a.setupEnd(o, data, changes, refused) })
	}
	if o.dryRun || changes == 0 {
		return end()
	}
	if !o.yes {
		if !a.out.CanAsk() {
			data.Warnings = append(a.out.Warnings(), "nothing was changed: add --yes")
			return a.answerFailed(data, cli.Usage("nothing was changed: there is nobody to ask", "add --yes to do what stands above"), func() {})
		}
		if !a.out.Confirm("Write these changes?", true) {
			return cli.Fail("cancelled", "nothing was changed")
		}
	}
	if err := workspace.RecordState(a.dirs()); err != nil {
		a.out.Warn("could not record where state lies: %v", err)
	}
	if err := setup.Apply(plan, a.env); err != nil {
		return err
	}
	data.Applied = true
	if o.undo && len(o.hosts) == 0 && scope == host.User {
		data.Next = append(data.Next, "Knowledge stays: in .pathrule of each project, and what is yours alone (own entries, history, index) in "+a.shown(a.dirs().Home)+". Remove them by hand if pathrule is to go for good.")
	}
	return end()
}

// setupHosts are the clients that were named, else those that were found.
func (a *app) setupHosts(o setupOptions, root string) ([]host.Host, error) {
	var hosts []host.Host
	for _, name := range o.hosts {
		h, err := hostNamed(name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(hosts, func(x host.Host) bool { return x.ID() == h.ID() }) {
			hosts = append(hosts, h)
		}
	}
	if len(hosts) > 0 {
		return hosts, nil
	}
	if o.undo {
		// Whatever is there may be taken out, also of a client that is gone.
		return host.All(), nil
	}
	var absent []string
	for _, h := range host.All() {
		how, ok := h.Detect(a.env)
		if !ok {
			absent = append(absent, h.ID())
			continue
		}
		a.out.Println("found", a.out.Bold(h.Title()), a.out.Dim("("+how+")"))
		hosts = append(hosts, h)
	}
	if len(hosts) > 0 && len(absent) > 0 {
		a.out.Println(a.out.Dim("not found, and set up only when named: " + strings.Join(absent, ", ")))
		used := slices.DeleteFunc(setup.Traces(a.projectDir(root)), func(t setup.Trace) bool { return !slices.Contains(absent, t.Host.ID()) })
		if said, run := setup.TracesSaid(used); said != "" {
			a.out.Println(a.out.Dim("of these " + said + ": " + run))
		}
	}
	if len(hosts) == 0 {
		var ids []string
		for _, h := range host.All() {
			ids = append(ids, h.ID())
		}
		f := cli.Fail("not_found", "no AI client was found on this machine")
		said, run := setup.TracesSaid(setup.Traces(a.projectDir(root)))
		if said != "" {
			f.Hints = append(f.Hints, said+": "+run)
		}
		f.Hints = append(f.Hints, "name the one that you work with: pathrule setup "+strings.Join(ids, "|"))
		return nil, f
	}
	return hosts, nil
}

// projectDir is the workspace's root, else the top of the project around us.
func (a *app) projectDir(root string) string {
	if root != "" {
		return root
	}
	return projectTop(a.start())
}

func (a *app) printPlan(data setupData) {
	o := a.out
	for _, f := range data.Files {
		line := fmt.Sprintf("%s %s  %s", cli.Pad(actionWord(f.Action), 7), a.shown(f.Path), o.Dim(f.Host+" "+f.Surface))
		if f.Action == setup.Refuse {
			line = o.Bad(cli.Pad("refused", 7)) + strings.TrimPrefix(line, cli.Pad(actionWord(f.Action), 7))
		}
		o.Println(line)
		if f.Summary != "" && f.Action != setup.Keep {
			o.Println("       ", f.Summary)
		}
		if f.Why != "" {
			o.Println("       ", f.Why)
		}
		if f.Diff != "" {
			o.PrintDiff(f.Diff)
		}

	}
}

func actionWord(action string) string {
	switch action {
	case setup.Keep:
		return "current"
	case setup.Refuse:
		return "refused"
	}
	return action
}

// setupEnd says what was done and what the person has to do now.
func (a *app) setupEnd(o setupOptions, data setupData, changes, refused int) {
	switch {
	case o.dryRun:
		a.out.Println("nothing was changed (--dry-run)")
	case changes == 0 && refused > 0:
		a.out.Println("nothing was changed")
	case changes == 0 && o.undo:
		a.out.Println("nothing of ours is there")
	case len(data.Files) == 0:
		a.out.Println("nothing can be set up in " + string(data.Scope) + " scope")
	case changes == 0:
		a.out.Println("all is set up already")
	default:
		a.out.Println(a.out.Good("done"))
	}
	for i, n := range data.Next {
		if i == 0 {
			a.out.Println("\n" + a.out.Bold("next"))
		}
		a.out.Println("  " + n)
	}
	if !o.undo && !o.dryRun && (changes > 0 || refused == 0) {
		if len(data.Next) == 0 {
			a.out.Println("\n" + a.out.Bold("next"))
		}
		a.out.Println("  see that it works: pathrule doctor")
	}
}

// printByHand prints what one would add by hand, client by client.
func (a *app) printByHand(hosts []host.Host, root string, so setup.Options, data setupData) error {
	texts := map[string]string{}
	for _, h := range hosts {
		text, err := setup.Print(h, root, so, a.env)
		if err != nil {
			return err
		}
		texts[h.ID()] = text
	}
	return a.answer(map[string]any{"scope": data.Scope, "hosts": data.Hosts, "text": texts, "next": data.Next}, func() {
		for i, h := range hosts {
			if i > 0 {
				a.out.Println()
			}
			a.out.Printf("%s\n", strings.TrimRight(texts[h.ID()], "\n"))
		}
	})
}
