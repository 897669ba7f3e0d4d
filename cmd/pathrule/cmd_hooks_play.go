package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"pathrule/guard/hookfile"
	"pathrule/guard/userhooks"
	"pathrule/host"
	"pathrule/internal/cli"
	"pathrule/internal/rawjson"
	"pathrule/workspace"
)

type hooksTestOptions struct {
	host, payload string
	execute       bool
	dryRun        bool
	paths         []string
	tool, prompt  string
}

func newHooksTestCommand(a *app) *cobra.Command {
	var o hooksTestOptions
	c := &cobra.Command{
		Use:   "test EVENT [--payload FILE] [--host HOST] [--execute]",
		Short: "see which hooks an event would run, or run them",
		Long: `Plays one event: every hook, in order, with what it would do or why it would not.
Nothing is run unless --execute says so; then the actions really run, and the trace
shows what each answered and what becomes of it on the client.

The event is described by --tool, --path and --prompt, or is a client's own payload
(--payload FILE, or "-" for stdin).`,
		Example: `  pathrule hooks test PreToolUse --tool Edit --path src/a.ts
  pathrule hooks test PreToolUse --host codex --payload event.json --execute
  pathrule hooks test AfterMemoryWrite --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return runHooksTest(c.Context(), a, args[0], o) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return hookfile.Names(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.Flags().StringVar(&o.host, "host", "claude-code", "the client that sends the event")
	c.Flags().StringVar(&o.payload, "payload", "", "`FILE` with the client's payload, - for stdin")
	c.Flags().BoolVar(&o.execute, "execute", false, "really run the actions")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "run nothing (the default)")
	c.Flags().StringArrayVar(&o.paths, "path", nil, "a touched path")
	c.Flags().StringVar(&o.tool, "tool", "", "the tool, as the client names it")
	c.Flags().StringVar(&o.prompt, "prompt", "", "the person's prompt")
	exclusive(c, "execute", "dry-run")
	return c
}

// hooksTested is the answer in JSON.
type hooksTested struct {
	Event    string            `json:"event"`
	Canon    string            `json:"canonical"`
	Host     string            `json:"host"`
	Wiring   userhooks.Wiring  `json:"wiring"`
	Executed bool              `json:"executed"`
	Matcher  string            `json:"matcher_text"`
	Decision hookfile.Decision `json:"decision"`
	Reason   string            `json:"reason,omitempty"`
	// Effect says what becomes of the decision on that client.
	Effect string           `json:"effect"`
	Steps  []userhooks.Step `json:"steps"`
	Files  []string         `json:"files"`
}

func runHooksTest(ctx context.Context, a *app, name string, o hooksTestOptions) error {
	e, ok := hookfile.Lookup(name)
	if !ok {
		hints := []string{"see \"pathrule hooks events\""}
		if d := cli.DidYouMean(name, hookfile.Names()); d != "" {
			hints = append([]string{d}, hints...)
		}
		return cli.Usage("unknown event \""+cli.OneLine(name)+"\"", hints...)
	}
	h, err := hostNamed(o.host)
	if err != nil {
		return err
	}
	if a.env.Get(hookfile.Running) != "" && o.execute {
		return cli.Fail("refused", "this runs inside a hook, and hooks trigger no hooks", "run it in a terminal of its own")
	}
	ws, err := a.maybeWorkspace()
	if err != nil {
		return err
	}
	req, err := a.testRequest(e, h, ws, o)
	if err != nil {
		return err
	}
	engine := engineFor(a.env)
	engine.Dry = !o.execute
	sources := userhooks.Load(hookfile.Find(ws, a.dirs()), a.dirs(), a.env, req.Cwd)
	out, steps := engine.Run(ctx, sources, req)
	w := userhooks.WiringOf(e, h)
	what, text := userhooks.Target(req, e.Canonical())
	res := hooksTested{Event: name, Canon: e.Canonical(), Host: h.ID(), Wiring: w, Executed: o.execute, Matcher: what + ": " + text,
		Decision: out.Decision, Reason: out.Reason, Effect: effectOf(out.Decision, w, h, o.execute), Steps: some(steps), Files: []string{}}
	for i := range sources {
		res.Files = append(res.Files, sources[i].Path)
	}
	return a.answer(res, func() { a.printTested(res, sources) })
}

// testRequest is the event as the command line or a payload describes it.
func (a *app) testRequest(e hookfile.Event, h host.Host, ws *workspace.Workspace, o hooksTestOptions) (hookfile.Request, error) {
	req := hookfile.Request{Events: []string{e.Canonical()}, Host: h.ID(), Session: "test", Cwd: a.start(), Workspace: ws, Tool: o.tool, Prompt: o.prompt}
	if e.Shell {
		req.Command = "true"
	}
	if e.Ours {
		req.Host = ""
		req.Memory = &hookfile.Memory{Operation: "test", Kind: "memory", ID: "example"}
	}
	paths := o.paths
	if o.payload != "" {
		raw, err := a.readPayload(o.payload)
		if err != nil {
			return req, err
		}
		if v, perr := rawjson.Parse(raw); perr != nil || v.Kind() != '{' {
			return req, cli.Fail("invalid", "the payload is not one JSON object", "send it as the client sends it")
		}
		req.Payload = raw
		if ev, derr := h.Decode(raw, a.env); derr == nil {
			req.Session, req.Agent, req.ToolUseID = ev.Session, ev.Agent, ev.ToolUseID
			req.Tool, req.Prompt, req.Source = first(o.tool, ev.Tool), first(o.prompt, ev.Prompt), ev.Source
			if c := host.Command(raw); c != "" {
				req.Command = c
			}
			if ev.Cwd != "" && exists(ev.Cwd) {
				req.Cwd = ev.Cwd
			}
			for _, t := range ev.Touches {
				paths = append(paths, t.Path)
			}
		}
	}
	if ws != nil {
		for _, p := range paths {
			if rel, ok := workspace.Rel(ws.Base(), req.Cwd, p); ok && rel != "" {
				req.Paths = append(req.Paths, rel)
			}
		}
	}
	return req, nil
}

func first(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

const maxTestPayload = 8 << 20

func (a *app) readPayload(name string) ([]byte, error) {
	var in io.Reader = a.env.Stdin
	if name != "-" {
		f, err := os.Open(a.at(name))
		if err != nil {
			return nil, cli.Fail("not_found", "cannot read the payload "+name, "name a file with one JSON object, or - for stdin")
		}
		defer f.Close()
		in = f
	}
	if in == nil {
		return nil, errors.New("read payload: there is no stdin")
	}
	b, err := io.ReadAll(io.LimitReader(in, maxTestPayload))
	return trimmed(b), err
}

func effectOf(d hookfile.Decision, w userhooks.Wiring, h host.Host, ran bool) string {
	switch {
	case !ran:
		return "nothing was run"
	case !w.Wired:
		return "nothing: " + h.Title() + " does not emit this event (" + w.Why + ")"
	case d == hookfile.Deny && w.Deny:
		return "it is denied, with the reason for the model"
	case d == hookfile.Ask && w.Ask:
		return h.Title() + " asks the person"
	case d == hookfile.Deny || d == hookfile.Ask:
		if w.Context {
			return h.Title() + " has no way to do that here: the reason becomes a text for the model"
		}
		return h.Title() + " has no way to do that here, nor to tell the model: it is noted in the log"
	case d == hookfile.Append && w.Context:
		return "the text is told to the model"
	case d == hookfile.Append:
		return "nothing: " + h.Title() + " takes no text at this event"
	}
	return "it goes on as usual"
}

func (a *app) printTested(r hooksTested, sources []userhooks.Source) {
	o := a.out
	o.Println(o.Bold(r.Event), "on", r.Host+": wired "+wiredWord(r.Wiring)+", can "+canWord(r.Wiring))
	o.Println("matchers see the", exact(r.Matcher))
	for i := range sources {
		if s := &sources[i]; s.State != userhooks.Active {
			o.Println(exact(a.shown(s.Path))+":", string(s.State)+",", cli.OneLine(s.Why))
		}
	}
	if len(r.Steps) == 0 {
		o.Println("No hook is for it.")
	}
	for _, s := range r.Steps {
		head := fmt.Sprintf("%s (%s:%d, priority %d)", exact(s.Hook), exact(a.shown(s.File)), s.Line, s.Priority)
		if s.Action == 0 {
			o.Println("-", head+":", "skipped,", cli.OneLine(s.Skipped))
			continue
		}
		did := "would run"
		switch {
		case s.Skipped != "":
			did = "skipped (" + cli.OneLine(s.Skipped) + ")"
		case s.Ran:
			did = fmt.Sprintf("ran in %d ms", s.TookMS)
		}
		o.Println("-", head+":", fmt.Sprintf("action %d, %s %s: %s", s.Action, s.Type, exact(s.What), did))
		for _, l := range [][2]string{{"in", s.WorkDir}, {"decision", string(s.Decision)}, {"reason", s.Reason}, {"context", s.Context}, {"sections", strings.Join(s.Sections, ", ")}, {"note", s.Note},
			{"metadata", s.Metadata}, {"output", s.Output}, {"stderr", s.Stderr}, {"error", s.Error}} {
			if v := strings.TrimSpace(l[1]); v != "" && (s.Ran || l[0] == "in") {
				o.Println("   ", o.Dim(cli.Pad(l[0], 9)), exact(v))
			}
		}
	}
	o.Println("decision:", string(r.Decision)+";", r.Effect)
	if r.Reason != "" {
		o.Println("reason:", exact(r.Reason))
	}
}
