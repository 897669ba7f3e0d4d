package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pathrule/host"
	"pathrule/internal/cli"
	"pathrule/slice"
	"pathrule/workspace"
)

// asked is a question as the command line puts it.
type asked struct {
	prompt string
	paths  []string
	depth  string
	budget int
	host   string
	event  bool // an event on stdin
	// session: for the event's own session, not for a fresh one.
	session bool
}

func newExplainCommand(a *app) *cobra.Command {
	var o asked
	c := &cobra.Command{
		Use:   "explain [--prompt TEXT] [--path PATH]... [--host HOST]",
		Short: "show what an assistant would be told, and why",
		Long: `Shows what a hook would deliver for a prompt, for paths, or for a recorded event,
why each item is in, what was left out and why. No session is touched: the answer
is that for a fresh one, or with --session that for the event's own session, which
leaves out what it was told already. With --host the answer is that for this client:
what it loads by itself (its CLAUDE.md, AGENTS.md, rule files) is not told to it.`,
		Example: `  pathrule explain --prompt "fix the retry bug in the billing client"
  pathrule explain --path src/billing/client.go
  pathrule explain --path src/billing/client.go --host claude-code
  pathrule explain --host codex < event.json
  pathrule explain --session < event.json
  pathrule explain --prompt "add a banner" --path web/App.tsx --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o.event = c.Flags().Changed("host") || o.session || o.prompt == "" && len(o.paths) == 0
			return runExplain(c.Context(), a, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.prompt, "prompt", "", "the `TEXT` a user types")
	f.StringArrayVarP(&o.paths, "path", "p", nil, "a `PATH` in hand (repeatable)")
	f.StringVar(&o.host, "host", "", "for this client (`HOST`): what it loads by itself is not told again (an event on stdin: claude-code)")
	f.BoolVar(&o.session, "session", false, "as the session of the event on stdin stands")
	_ = c.RegisterFlagCompletionFunc("host", completeHosts)
	return c
}

func newContextCommand(a *app) *cobra.Command {
	var o asked
	c := &cobra.Command{
		Use:   "context [--prompt TEXT] [--path PATH]...",
		Short: "print the knowledge for a task or a path",
		Long: `Prints the text that get_context gives an assistant over MCP: whole entries, best
first, within a budget. Good for tools that have neither hooks nor MCP.`,
		Example: `  pathrule context --prompt "how do refunds work"
  pathrule context --path src/billing/client.go --depth deep
  pathrule context --prompt "fix the flaky test" --budget 800 | pbcopy`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runContext(c.Context(), a, o) },
	}
	f := c.Flags()
	f.StringVar(&o.prompt, "prompt", "", "the task in words (`TEXT`)")
	f.StringArrayVarP(&o.paths, "path", "p", nil, "a `PATH` in hand (repeatable)")
	f.StringVar(&o.depth, "depth", "", "`minimal|focused|deep` (default: by the task)")
	f.IntVar(&o.budget, "budget", 0, "at most `N` tokens (default: by depth)")
	fixed(c, "depth", "minimal", "focused", "deep")
	return c
}

// answered is the answer of explain and context: the JSON is slice's own.
type answered struct {
	slice.Explained
	titles map[string]string // by "kind:id", for a person
	event  *host.Event
	silent string // why hooks tell nothing of it now: the kill switch, the mode
}

func runExplain(ctx context.Context, a *app, o asked) error {
	var p answered
	var err error
	if o.event {
		p, err = explainEvent(a, o)
	} else {
		p, err = explainAsked(ctx, a, o)
	}
	if err != nil {
		return err
	}
	return a.answer(p, func() { tell(a, p) })
}

// explainAsked answers --prompt and --path.
func explainAsked(ctx context.Context, a *app, o asked) (answered, error) {
	channel := slice.Prompt
	if o.prompt == "" {
		channel = slice.Tool
	}
	ws, err := a.workspace()
	if err != nil {
		return answered{}, err
	}
	// The default host's cap, as for a hook without --host.
	h, _ := host.ByName("claude-code")
	room := h.Cap(host.UserPromptSubmit)
	var plans []slice.Plan
	silent := ""
	for _, g := range a.governing(ws, o, channel) {
		in, done, err := a.question(ctx, g.ws, g.asked, channel)
		if err != nil {
			return answered{}, err
		}
		in.Budget.Max, in.Budget.Measure = room.Max, room.Unit.Measure
		p, err := slice.Make(in)
		done()
		if err != nil {
			return answered{}, err
		}
		plans = append(plans, p)
		if silent == "" {
			silent = a.hooksSilent(in.Settings.Mode)
		}
	}
	ans := joined(plans)
	ans.silent = silent
	return ans, nil
}

// governed is a question for one workspace.
type governed struct {
	ws *workspace.Workspace
	asked
}

// governing parts a question as a hook does: a tool's paths are asked where they
// lie, so that a nested workspace tells what it knows of its own.
func (a *app) governing(ws *workspace.Workspace, o asked, channel slice.Channel) []governed {
	if channel != slice.Tool {
		return []governed{{ws, o}}
	}
	var out []governed
	for _, p := range o.paths {
		g := ws
		if rel, ok := workspace.Rel(ws.Base(), a.env.Cwd, p); ok && rel != "" {
			if w, err := workspace.FindForPath(filepath.Join(ws.Base(), filepath.FromSlash(rel)), a.env); err == nil && w.Base() == ws.Base() {
				g = w
			}
		}
		at := slices.IndexFunc(out, func(x governed) bool { return x.ws.ID == g.ID })
		if at < 0 {
			at = len(out)
			out = append(out, governed{ws: g})
		}
		out[at].paths = append(out[at].paths, p)
	}
	return out
}

// hooksSilent says why hooks tell nothing now, whatever the knowledge.
func (a *app) hooksSilent(mode string) string {
	switch {
	case a.dirs().Killed(a.env):
		return "hooks are stopped by the kill switch"
	case mode == "manual", mode == "off", mode == "startup":
		return "mode is " + mode
	}
	return ""
}

// question gathers what slice needs to answer for a workspace.
func (a *app) question(ctx context.Context, ws *workspace.Workspace, o asked, channel slice.Channel) (slice.In, func(), error) {
	settings, _, problems := workspace.LoadSettings(ws, a.dirs(), a.env)
	for _, p := range problems {
		a.warnProblem(p)
	}
	in := slice.In{Channel: channel, Workspace: ws, Settings: settings, Prompt: o.prompt, Depth: slice.Depth(o.depth),
		Exists: func(rel string) bool { return exists(filepath.Join(ws.Base(), filepath.FromSlash(rel))) },
	}
	for w := ws; w != nil; w = w.Outer {
		in.Unseen = in.Unseen || !workspace.Owned(w, a.dirs())
	}
	if in.Unseen && settings.TrustKnowledge != "ask" {
		in.UnseenTokens = 600
	}
	in.Cwd, _ = workspace.Rel(ws.Base(), a.env.Cwd, a.start())
	in.Budget.Tokens = o.budget
	if o.budget > 0 {
		in.Budget.Max = o.budget
	}
	for _, p := range o.paths {
		rel, ok := workspace.Rel(ws.Base(), a.env.Cwd, p)
		if !ok {
			a.out.Warn("%s lies outside the workspace %s", p, a.shown(ws.Base()))
			continue
		}
		in.Paths = append(in.Paths, rel)
	}
	x, err := a.openIndex(ctx, ws)
	if err != nil {
		return in, nil, err
	}
	in.Source = x
	return in, func() { x.Close() }, nil
}

func runContext(ctx context.Context, a *app, o asked) error {
	if err := oneOf("--depth", o.depth, "minimal", "focused", "deep"); err != nil {
		return err
	}
	if o.budget < 0 {
		return cli.Usage("--budget must be positive")
	}
	if o.prompt == "" && len(o.paths) == 0 {
		return cli.Usage("nothing asked", "say what the task is (--prompt) or which file is in hand (--path)")
	}
	ws, err := a.workspace()
	if err != nil {
		return err
	}
	in, done, err := a.question(ctx, ws, o, slice.MCP)
	if err != nil {
		return err
	}
	defer done()
	made, err := slice.Make(in)
	if err != nil {
		return err
	}
	p := joined([]slice.Plan{made})
	return a.answer(p, func() {
		if p.Text == "" {
			a.out.Hint("nothing here bears on that; \"pathrule explain\" with the same flags says why")
			return
		}
		if a.out.TTY {
			a.out.Println(a.out.Dim("This is what an assistant would get:") + "\n")
		}
		a.out.Println(strings.TrimRight(p.Text, "\n"))
	})
}

// tell draws a plan as a story for a person.
func tell(a *app, p answered) {
	o := a.out
	if p.event != nil {
		o.Printf("%s sent %s", p.event.Host, o.Bold(p.event.RawName))
		if p.event.Tool != "" {
			o.Printf(" for %s", p.event.Tool)
		}
		o.Println()
	}
	if p.silent != "" {
		o.Println("nothing would be told:", p.silent)
		if len(p.Items)+len(p.LeftOut) == 0 {
			return
		}
		o.Println("\n" + o.Bold("without that"))
	}
	o.Printf("channel %s · intent %s · depth %s\n", o.Bold(string(p.Channel)), o.Bold(string(p.Intent)), o.Bold(string(p.Depth)))
	if p.Route != nil {
		o.Printf("route   open %s first (score %.2f)", o.Accent(p.Route.Path), p.Route.Score)
		if p.Route.RunnerUp != "" {
			o.Printf(", or %s", p.Route.RunnerUp)
		}
		o.Println()
	}
	if len(p.Items) == 0 {
		nothing := "nothing would be told"
		if p.Text != "" {
			nothing = "no entry would be told"
		}
		o.Println("\n" + nothing)
	} else {
		o.Println("\n" + o.Bold("told"))
		for _, it := range p.Items {
			o.Printf("  %s %s  %s  %s\n", cli.Pad(it.Form, 4), o.Accent(string(it.Kind)+":"+it.ID), cli.OneLine(p.titles[string(it.Kind)+":"+it.ID]), o.Dim(fmt.Sprintf("%.2f", it.Score)))
			if len(it.Sections) > 0 {
				o.Println("       by " + countOf(len(it.Sections), "section", "sections") + ": " + sectionNames(it.Sections))
			}
			if why := reasons(it.Why); why != "" {
				o.Println("       because", why)
			}
		}
	}
	if len(p.LeftOut) > 0 {
		o.Println("\n" + o.Bold("left out"))
		for _, l := range p.LeftOut {
			why := leftWords(l.Why)
			if s := reasons(l.Signals); s != "" {
				why += ": " + s
			}
			o.Printf("  %s  %s\n", string(l.Kind)+":"+l.ID, o.Dim(why))
		}
	}
	if p.Text != "" {
		o.Printf("\n%s %s\n", o.Bold("text"), o.Dim("("+countOf(p.Tokens, "token", "tokens")+")"))
		for l := range strings.Lines(p.Text) {
			o.Println("  " + cli.Plain(strings.TrimRight(l, "\n")))
		}
	}
}

// sectionNames lists the headings of sections.
func sectionNames(heads []string) string {
	var out []string
	for _, h := range heads {
		if h = cli.OneLine(h); h == "" {
			h = "(its beginning)"
		}
		out = append(out, h)
	}
	return strings.Join(out, "; ")
}

// reasons puts signals into words.
func reasons(why []slice.Why) string {
	var out []string
	for _, w := range why {
		out = append(out, fmt.Sprintf("%s %s", strings.ReplaceAll(w.Signal, "_", " "), trimFloat(w.Value)))
	}
	return strings.Join(out, ", ")
}

func trimFloat(f float64) string {
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", f), "0"), ".")
}

// leftWords says why an item was left out.
func leftWords(why string) string {
	switch why {
	case slice.LeftDelivered:
		return "the session has it already"
	case slice.LeftBudget:
		return "no room left in the budget"
	case slice.LeftFloor:
		return "too little speaks for it"
	case slice.LeftScope:
		return "speaks about other paths"
	case slice.LeftDuplicate:
		return "says the same as another one"
	case slice.LeftNative:
		return "the client loads it by itself from a file of the project"
	case slice.LeftTrust:
		return "this workspace is not trusted on this machine"
	}
	return why
}

func completeHosts(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var ids []string
	for _, h := range host.All() {
		ids = append(ids, h.ID()+"\t"+h.Title())
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// hostNamed finds a client by name or says which there are.
func hostNamed(name string) (host.Host, error) {
	if h, ok := host.ByName(name); ok {
		return h, nil
	}
	var ids, all []string
	for _, h := range host.All() {
		ids = append(ids, h.ID())
		all = append(all, h.ID())
		all = append(all, h.Aliases()...)
	}
	hint := "known clients: " + strings.Join(ids, ", ")
	if d := cli.DidYouMean(name, all); d != "" {
		hint += "; " + d
	}
	return nil, cli.Usage("unknown client \""+cli.OneLine(name)+"\"", hint)
}
