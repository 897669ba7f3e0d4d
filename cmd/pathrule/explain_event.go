package main

import (
	"context"
	"errors"

	"pathrule/host"
	"pathrule/internal/cli"
	"pathrule/slice"
	"pathrule/workspace"
)

// explainEvent answers a recorded event from stdin.
func explainEvent(ctx context.Context, a *app, o asked) (plan, error) {
	if o.prompt != "" || len(o.paths) > 0 {
		return plan{}, cli.Usage("--host reads an event from stdin; --prompt and --path go without it",
			"leave out one or the other")
	}
	name := o.host
	if name == "" {
		name = "claude-code"
	}
	h, err := hostNamed(name)
	if err != nil {
		return plan{}, err
	}
	if !a.piped() {
		return plan{}, cli.Usage("nothing asked", "say --prompt TEXT, --path PATH, or send an event on stdin: pathrule explain --host "+h.ID()+" < event.json")
	}
	payload, err := a.readStdin()
	if err != nil {
		return plan{}, err
	}
	ev, err := h.Decode(payload, a.env)
	if err != nil {
		return plan{}, cli.Fail("invalid", "the event on stdin cannot be read as one of "+h.Title()+": "+err.Error(),
			"send one JSON object as the client sends it")
	}
	p := plan{Channel: string(channelOf(ev)), Intent: string(slice.Unknown), Depth: string(slice.DepthNone),
		Items: []planItem{}, LeftOut: []planLeft{}, event: &ev}
	if channelOf(ev) == "" || ev.Name == host.UserPromptSubmit && !ev.UserTurn {
		p.Channel = string(slice.Tool)
		a.out.Warn("%s is a book-keeping event: it never brings anything to the model", ev.RawName)
		return p, nil
	}
	if a.dir == "" && ev.Cwd != "" {
		a.dir = ev.Cwd
	}
	in, done, err := a.question(ctx, asked{prompt: ev.Prompt}, channelOf(ev))
	if errors.Is(err, workspace.ErrNone) {
		f := failureOf(err)
		f.Hints = append(f.Hints, "the event names the folder "+ev.Cwd)
		return plan{}, f
	}
	if err != nil {
		return plan{}, err
	}
	defer done()
	for _, t := range ev.Touches {
		if rel, ok := workspace.Rel(in.Workspace.Base(), ev.Cwd, t.Path); ok {
			in.Paths = append(in.Paths, rel)
		}
	}
	cap := h.Cap(ev.Name)
	in.Budget.Max, in.Budget.Measure = cap.Max, cap.Unit.Measure
	in.ToolName = h.Tool
	made, err := slice.Make(in)
	p = planOf(made)
	p.event = &ev
	return p, err
}

// channelOf is the channel on which an event speaks, "" when it never does.
func channelOf(ev host.Event) slice.Channel {
	switch ev.Name {
	case host.SessionStart:
		if ev.Source == "compact" {
			return slice.Compact
		}
		return slice.Session
	case host.UserPromptSubmit:
		return slice.Prompt
	case host.PreToolUse, host.PostToolUse, host.PostToolUseFailure:
		return slice.Tool
	case host.SubagentStart:
		return slice.Subagent
	}
	return ""
}
