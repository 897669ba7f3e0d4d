package main

import (
	"errors"

	"pathrule/hookrunner"
	"pathrule/hookrunner/live"
	"pathrule/host"
	"pathrule/internal/cli"
	"pathrule/slice"
	"pathrule/workspace"
)

// explainEvent answers a recorded event from stdin as the hook would, or the one
// that a client would send for a prompt or for reading a path.
func explainEvent(a *app, o asked) (answered, error) {
	here := o.prompt != "" || len(o.paths) > 0
	if here && o.session {
		return answered{}, cli.Usage("--session needs the event of that session on stdin; --prompt and --path go without it",
			"leave out one or the other")
	}
	name := o.host
	if name == "" {
		name = "claude-code"
	}
	h, err := hostNamed(name)
	if err != nil {
		return answered{}, err
	}
	var made *host.Event
	if here {
		ev, heard := eventOf(h, o, a.start())
		if !heard {
			return unheard(h, ev), nil
		}
		made = &ev
	} else if !a.piped() {
		return answered{}, cli.Usage("nothing asked", "say --prompt TEXT, --path PATH, or send an event on stdin: pathrule explain --host "+h.ID()+" < event.json")
	}
	// An event that was recorded elsewhere names a folder that is not here; then
	// ours counts.
	env := a.env
	env.Cwd = a.start()
	e, err := hookrunner.Explain(hookrunner.Options{Host: h.ID(), Refresh: live.Refresh, AsItStands: o.session, Asked: made}, env)
	switch {
	case errors.Is(err, hookrunner.ErrEvent):
		return answered{}, cli.Fail("invalid", "what stands on stdin cannot be read as an event of "+h.Title(),
			"send one JSON object as the client sends it")
	case errors.Is(err, workspace.ErrNone):
		f := failureOf(err)
		f.Hints = append(f.Hints, "the event happens in the folder "+e.Event.Cwd)
		return answered{}, f
	case err != nil:
		return answered{}, err
	}
	if o.session && !e.Known && e.Silent == "" {
		a.out.Warn("no record is kept of the event's session: the answer is that for a fresh one")
	}
	ans := joined(e.Plans)
	ans.event, ans.silent = &e.Event, e.Silent
	return ans, nil
}

// eventOf is what a client sends for a prompt, or else when it reads the paths;
// heard is false where nothing that a hook says then reaches its model.
func eventOf(h host.Host, o asked, dir string) (ev host.Event, heard bool) {
	moments := []host.EventName{host.UserPromptSubmit}
	ev = host.Event{Host: h.ID(), Name: host.UserPromptSubmit, Prompt: o.prompt, UserTurn: true, Cwd: dir}
	if o.prompt == "" {
		moments = []host.EventName{host.PreToolUse, host.PostToolUse}
		ev = host.Event{Host: h.ID(), Name: host.PreToolUse, Cwd: dir}
	}
	for _, p := range o.paths {
		ev.Touches = append(ev.Touches, host.Touch{Path: p, Op: host.Read})
	}
	ev.RawName = string(ev.Name)
	for _, m := range moments {
		for _, r := range host.Standing(h.Registrations()) {
			if r.Canonical() == m && r.Speaks {
				ev.Name, ev.RawName = m, r.Event
				return ev, true
			}
		}
	}
	return ev, false
}

// unheard answers for a client whose model no hook reaches at that moment.
func unheard(h host.Host, ev host.Event) answered {
	ans := joined(nil)
	ans.event = &ev
	ans.silent = "no hook of " + h.Title() + " reaches its model then; its MCP server does"
	if t := h.Wiring().Compile; t != "" {
		ans.silent += ", and rule files do (pathrule compile " + t + ")"
	}
	return ans
}

// joined is the answer of several plans as one: a tool may touch paths that
// different workspaces govern.
func joined(plans []slice.Plan) answered {
	ans := answered{Explained: slice.Explain(slice.Plan{Channel: slice.Tool, Intent: slice.Unknown, Depth: slice.DepthNone}), titles: map[string]string{}}
	for i, p := range plans {
		e := slice.Explain(p)
		for _, it := range p.Items {
			ans.titles[string(it.Kind)+":"+it.ID] = it.Record.Title
		}
		if i == 0 {
			ans.Explained = e
			continue
		}
		ans.Items = append(ans.Items, e.Items...)
		ans.LeftOut = append(ans.LeftOut, e.LeftOut...)
		if e.Text != "" && ans.Text != "" {
			ans.Text += "\n\n"
		}
		ans.Text += e.Text
		ans.Tokens = slice.Tokens(ans.Text)
	}
	return ans
}
