package hookrunner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"pathrule/guard/hookfile"
	"pathrule/hookrunner/ledger"
	"pathrule/host"
	"pathrule/internal/filelock"
	"pathrule/slice"
	"pathrule/workspace"
)

// hooksTime is how long user hooks may take together, apart from the event's own
// time; stopping the last of them takes a little longer. A client that waits for
// less than both gets its answer half a second before it would give up.
const (
	hooksTime = 8 * time.Second
	// hooksRoom is how long an answer may become by what hooks say, in UTF-16 units,
	// where the client has no cap that is known.
	hooksRoom = 32_000
	stopTime  = 500 * time.Millisecond
)

// hookLimit is hooksTime, or less where the client's own time-out is shorter.
func (r *runner) hookLimit() time.Duration {
	limit := hooksTime
	for _, reg := range r.registered.Registrations() {
		if reg.Event != r.ev.RawName || reg.Timeout == 0 {
			continue
		}
		d := time.Duration(reg.Timeout) * time.Second
		if r.registered.Shape().Millis {
			d = time.Duration(reg.Timeout) * time.Millisecond
		}
		limit = min(limit, d-2*stopTime)
	}
	return limit
}

// hooked finds the files of hooks that may be for this event: one look for each
// place when there is none, which is nearly always. What happens inside a hook
// triggers no other.
func (r *runner) hooked(p place) []hookfile.File {
	if r.mute || r.env.Get(hookfile.Running) != "" {
		return nil
	}
	files := hookfile.Find(p.ws, r.dirs)
	if len(files) == 0 {
		return nil
	}
	events := hookfile.Emitted(string(r.ev.Hooked()), r.edits())
	for i := range files {
		if files[i].Wanted(r.dirs, events) {
			return files
		}
	}
	return nil
}

// hooksBefore reports that there are hooks for what comes before a tool.
func (r *runner) hooksBefore(p place) bool {
	events := hookfile.Emitted(string(host.PreToolUse), true)
	for _, f := range hookfile.Find(p.ws, r.dirs) {
		if f.Wanted(r.dirs, events) {
			return true
		}
	}
	return false
}

// passHooks hands an event that has hooks over to the program that can run them.
func (r *runner) passHooks() {
	if len(r.hookFiles) == 0 || r.opts.Hooks != nil {
		return
	}
	r.guarding = true
	r.handOver(true) // returns only where nobody is there to take it
	r.log("user hooks are for this event and no program beside this one can run them; run \"pathrule doctor\"")
}

// runHooks runs the user hooks of the event. decided says that the answer is
// their decision; else their texts are kept for the answer.
func (r *runner) runHooks(p place, mode string) (res result, decided bool) {
	if len(r.hookFiles) == 0 || r.opts.Hooks == nil || mode == "off" {
		return result{}, false
	}
	out, ran := r.outcome(p)
	if !ran && out.Decision == "" {
		return result{}, false
	}
	for _, e := range out.Errors {
		r.log(e)
	}
	reason := out.Reason
	switch out.Decision {
	case hookfile.Deny:
		if r.ev.Name == host.Stop && r.ev.StopActive {
			r.log("a user hook holds the turn again; a turn is held once")
			break
		}
		if o, ok := r.host.Refuse(r.ev, reason); ok {
			if !r.guard.commit() {
				return result{}, false
			}
			return result{out: o.Stdout, errs: o.Stderr, exit: o.Exit}, true
		}
		out.Parts = append([]hookfile.Part{{Text: "A user hook would have denied this, which " + r.host.Title() + " has no way to do here: " + reason}}, out.Parts...)
	case hookfile.Ask:
		if o, ok := host.Ask(r.host, r.ev, reason); ok {
			if !r.guard.commit() {
				return result{}, false
			}
			return result{out: o.Stdout, errs: o.Stderr, exit: o.Exit}, true
		}
		out.Parts = append([]hookfile.Part{{Text: "A user hook wants a person's approval for this, which " + r.host.Title() + " has no way to ask for here. Ask the user before you go on: " + reason}}, out.Parts...)
	}
	if ran {
		r.hookParts = out.Parts
	}
	return result{}, false
}

// hooksID names the event for its hooks. exact: no later one has this name. A turn
// can end more than once and ask for more than one permission, so that its id is
// theirs only together with the rest of what the client says.
func (r *runner) hooksID() (id string, exact bool) {
	id = "hooks " + r.eventID()
	switch r.ev.Name {
	case host.PreToolUse, host.PostToolUse, host.PostToolUseFailure, host.PermissionRequest:
		exact = r.ev.ToolUseID != ""
	case host.UserPromptSubmit:
		exact = r.ownID()
	}
	if !exact && !r.shared {
		sum := sha256.Sum256(r.payload)
		id += " " + hex.EncodeToString(sum[:])
	}
	// An edit of what runs is no second registration.
	for i := range r.hookFiles {
		id += " " + r.hookFiles[i].Stands(r.dirs)
	}
	return id, exact
}

// outcome is what the hooks of the event answer. Two registrations of one event
// run them once: of those that cannot decide the second process says nothing, of
// those that can it waits for the first one's decision and gives the same, since a
// host that takes the first answer alone must not take a silent one. ran says that
// they ran here; their texts are told by that process alone.
func (r *runner) outcome(p place) (out hookfile.Outcome, ran bool) {
	id, exact := r.hooksID()
	limit := r.hookLimit()
	run := func() hookfile.Outcome {
		r.allow(limit + stopTime)
		out := r.opts.Hooks(context.Background(), r.hookFiles, r.hookRequest(p))
		r.allow(timeOf(r.ev.Name))
		return out
	}
	if _, canDeny := r.host.Refuse(r.ev, "x"); !canDeny {
		if won, err := r.store.Claim(id, claimTime); err == nil && !won {
			return out, false
		}
		return run(), true
	}
	r.allow(limit + stopTime)
	turn, err := r.store.Turn(id, claimTime, limit)
	r.allow(timeOf(r.ev.Name))
	switch {
	case errors.Is(err, filelock.ErrTimeout):
		r.log("the hooks of this event still run in another process, which answers")
		return out, false
	case err != nil:
		r.log("wait for another process's hooks: " + err.Error())
		return run(), true
	}
	defer turn.End()
	// An event without an id of its own may come again and mean another; only while
	// the first still ran it is surely the same.
	if turn.Known && (turn.Waited || exact) {
		decision, reason, _ := strings.Cut(turn.Said, "\n")
		return hookfile.Outcome{Decision: hookfile.Decision(decision), Reason: reason}, false
	}
	out = run()
	said := "\n"
	if out.Decision == hookfile.Deny || out.Decision == hookfile.Ask {
		said = string(out.Decision) + "\n" + out.Reason
	}
	if err := turn.Say(said); err != nil {
		r.log("leave the hooks' decision: " + err.Error())
	}
	return out, true
}

// hookRequest is the event as hooks see it.
func (r *runner) hookRequest(p place) hookfile.Request {
	ev := r.ev
	req := hookfile.Request{
		Events: hookfile.Emitted(string(ev.Hooked()), r.edits()), Host: ev.Host, Session: ev.Session, Agent: ev.Agent,
		Cwd: p.dir, Workspace: p.ws, Tool: ev.Tool, ToolUseID: ev.ToolUseID, Prompt: ev.Prompt, Source: ev.Source, Payload: r.payload, Limit: r.hookLimit(),
	}
	switch ev.Name {
	case host.PreToolUse, host.PostToolUse, host.PostToolUseFailure, host.PermissionRequest:
		req.Command = host.Command(r.payload)
	case host.SubagentStart, host.SubagentStop:
		req.Source = ev.AgentType
	}
	seen := map[string]bool{}
	for _, t := range ev.Touches {
		if t.Op == host.Shell && !r.exists(p.dir, t.Path) || len(req.Paths) == maxPaths {
			continue
		}
		if rel, ok := workspace.Rel(p.base, p.dir, t.Path); ok && rel != "" && !seen[rel] {
			seen[rel] = true
			req.Paths = append(req.Paths, rel)
		}
	}
	return req
}

// withHooks puts what user hooks said behind the answer, as far as the client
// takes a text here and there is room.
func (r *runner) withHooks(res result) result {
	if len(r.hookParts) == 0 || res.exit != 0 {
		return res
	}
	if !r.heard() {
		r.log(fmt.Sprintf("%s takes no text at %s: what %d user hooks said is lost", r.host.Title(), r.ev.RawName, len(r.hookParts)))
		return res
	}
	reply := r.replied
	room := r.host.Cap(r.ev.Name)
	if room.Max <= 0 {
		room = host.Cap{Max: hooksRoom, Unit: host.UTF16}
	}
	fits := func(s string) bool { return room.Unit.Measure(s) <= room.Max }
	parts := make([]string, len(r.hookParts))
	whole := func() string {
		text := reply.Context
		for _, p := range parts {
			if p != "" && text != "" {
				text += "\n\n"
			}
			text += p
		}
		return text
	}
	var sent []ledger.Sent
	left := 0
	// What must not go first is fitted first; all stand in their own order.
	for _, optional := range []bool{false, true} {
		for i, part := range r.hookParts {
			if part.Optional != optional {
				continue
			}
			if part.Key != "" && r.ledger != nil && r.ledger.Has(part.Key, part.Hash) >= slice.Body {
				continue
			}
			if parts[i] = part.Told(); !fits(whole()) {
				// Half a text of a person's own program is better than none, which
				// half an entry is not.
				if parts[i] = ""; !part.Whole {
					parts[i] = cutHook(part, func(s string) bool {
						parts[i] = s
						return fits(whole())
					})
				}
				if parts[i] == "" {
					left++
					continue
				}
			}
			if part.Key != "" {
				sent = append(sent, ledger.Sent{Key: part.Key, Hash: part.Hash, Form: slice.Body})
			}
		}
	}
	text := whole()
	if left > 0 {
		r.log(fmt.Sprintf("no room for what %d user hooks said", left))
	}
	if text == reply.Context || !r.guard.commit() {
		return res
	}
	if len(sent) > 0 && r.ledger != nil {
		if _, err := r.ledger.Record(sent); err != nil {
			r.log("record what is told: " + err.Error())
		}
	}
	reply.Context = text
	if out := r.encode(reply); out != nil {
		res.out = out
	}
	return res
}

// cutHook is the longest beginning of a part that fits, "" for none worth it.
func cutHook(p hookfile.Part, fits func(string) bool) string {
	const mark = "\n[the rest did not fit]"
	cut := func(n int) string {
		c := p
		c.Text = strings.ToValidUTF8(p.Text[:n], "") + mark
		return c.Told()
	}
	lo, hi := 0, len(p.Text)
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if fits(cut(mid)) {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	if lo < 40 {
		return ""
	}
	return cut(lo)
}

// hooksAlone answers an event that is nothing to us but for user hooks.
func (r *runner) hooksAlone(p place) result {
	if len(r.hookFiles) == 0 {
		return result{}
	}
	a, _ := r.settle(p, p.ws)
	if res, decided := r.runHooks(p, a.settings.Mode); decided {
		return res
	}
	return r.withHooks(result{})
}
