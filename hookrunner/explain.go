package hookrunner

import (
	"errors"
	"fmt"

	"pathrule/hookrunner/ledger"
	"pathrule/host"
	"pathrule/internal/sysenv"
	"pathrule/slice"
	"pathrule/workspace"
)

// Explanation is what an event would be answered with, and why.
type Explanation struct {
	Event host.Event
	// Workspace is where the event happens, nil when none governs its folder.
	Workspace *workspace.Workspace
	// Plans are the parts of the answer in order: one, or for a tool one per
	// workspace that governs a touched path.
	Plans []slice.Plan
	// Silent says why nothing would be said whatever the knowledge: a
	// book-keeping event, the kill switch, the mode, ...; "" when slice was asked.
	Silent string
	// Known: the event's session has a record (Options.AsItStands).
	Known bool
}

// ErrEvent: the payload is no event of the host.
var ErrEvent = errors.New("not an event of this client")

// Explain asks for the event on stdin what Main asks, for a session that was told
// nothing yet (see Options.AsItStands), and touches none: no record, claim, receipt or log line. The
// answer to a prompt is that of a session whose start was answered.
func Explain(o Options, env sysenv.Env) (Explanation, error) {
	r := &runner{opts: o, env: env, mute: true}
	r.dirs = workspace.DirsOf(env)
	name := o.Host
	if name == "" {
		name = "claude-code"
	}
	h, known := host.ByName(name)
	if !known {
		return Explanation{}, fmt.Errorf("%w: %s", errHost, name)
	}
	r.registered, r.host = h, h
	var e Explanation
	if o.Asked != nil {
		r.ev = *o.Asked
	} else if err := r.readEvent(); err != nil {
		return e, errors.Join(ErrEvent, err)
	}
	e.Event = r.ev
	p, ok := r.place()
	if !ok {
		return e, workspace.ErrNone
	}
	p = r.holding(p)
	e.Workspace = p.ws
	a, ask := r.settle(p, p.ws)
	switch {
	case r.dirs.Killed(env):
		e.Silent = "hooks are stopped by the kill switch"
	case !ask, a.settings.Mode == "startup" && r.ev.Name == host.UserPromptSubmit:
		e.Silent = "mode is " + a.settings.Mode
	case r.ev.Name == host.UserPromptSubmit && !r.ev.UserTurn:
		e.Silent = "this prompt is no turn of the user"
	}
	if e.Silent != "" {
		return e, nil
	}
	var had slice.Delivered
	if o.AsItStands {
		r.store = ledger.Store{Dir: r.dirs.State, Now: env.Now}
		l, fresh, err := r.store.Open(ledger.Key{Host: r.ev.Host, Workspace: p.key, Session: r.ev.Session, Agent: r.ev.Agent})
		if err != nil {
			return e, err
		}
		if e.Known = !fresh; e.Known {
			had = l
		}
	}
	plan := func(a *asker, in slice.In) error {
		p, err := slice.Make(in)
		e.Plans = append(e.Plans, p)
		return err
	}
	switch r.ev.Name {
	case host.SessionStart, host.SubagentStart, host.UserPromptSubmit:
		if err := a.open(); err != nil {
			return e, err
		}
		defer a.close()
		ch := slice.Prompt
		switch {
		case r.ev.Name == host.SubagentStart:
			ch = slice.Subagent
		case r.ev.Name == host.SessionStart && r.ev.Source == "compact":
			ch = slice.Compact
		case r.ev.Name == host.SessionStart:
			ch = slice.Session
		}
		in := a.in(ch, had, unseenTokens)
		if ch == slice.Prompt {
			in.Prompt = r.ev.Prompt
			if o.Asked != nil {
				for _, g := range r.touched(p) {
					in.Paths = append(in.Paths, g.paths...)
				}
			}
		} else {
			in.Team = a.team()
		}
		return e, plan(a, in)
	case host.PreToolUse, host.PostToolUse, host.PostToolUseFailure:
		groups := r.touched(p)
		if len(groups) == 0 {
			e.Silent = "it touches no path of the workspace"
		}
		for _, g := range groups {
			ga := a
			if g.ws.ID != a.ws.ID {
				if ga, ask = r.settle(p, g.ws); !ask {
					continue
				}
			}
			if err := ga.open(); err != nil {
				return e, err
			}
			defer ga.close()
			in := ga.in(slice.Tool, had, unseenTokens)
			in.Paths = g.paths
			if err := plan(ga, in); err != nil {
				return e, err
			}
		}
	default:
		e.Silent = "it is a book-keeping event: it never brings anything to the model"
	}
	return e, nil
}

// readEvent takes the event from stdin.
func (r *runner) readEvent() (err error) {
	if r.payload, err = readPayload(r.env.Stdin); err != nil {
		return err
	}
	if r.payload == nil {
		return ErrEvent
	}
	r.ev, err = r.decode()
	return err
}
