package hookrunner

import (
	"pathrule/guard/pack"
	"pathrule/hookrunner/ledger"
	"pathrule/host"
	"pathrule/slice"
)

// packs are what the guards that the user turned on find in this tool call.
// They only ever add to what is told.
func (r *runner) packs(a *asker) []pack.Finding {
	s := &a.settings
	if s.GuardQuestion != "off" && r.ev.Tool == pack.QuestionTool && r.ev.Name == host.PreToolUse {
		if f, ok := pack.Questions(r.payload); ok {
			return []pack.Finding{f}
		}
		return nil
	}
	if !pack.On(s) || r.ev.Name == host.PostToolUseFailure {
		return nil
	}
	c := pack.Call{Dir: a.p.dir, Base: a.p.base, Touches: r.ev.Touches, Done: r.ev.Name != host.PreToolUse}
	if s.GuardEval || len(s.GuardHeader) > 0 {
		if r.edits() {
			c.Changes = host.Changes(r.payload, r.env)
		}
		c.Command = host.Command(r.payload)
	}
	return pack.Look(s, c)
}

// strictQuestion denies a question without a recommended option where the user
// wants that.
func (r *runner) strictQuestion(a *asker, found []pack.Finding) (result, bool) {
	if a.settings.GuardQuestion != "strict" || len(found) != 1 || found[0].Guard != pack.Question {
		return result{}, false
	}
	out, ok := r.host.Refuse(r.ev, found[0].Text())
	if !ok || !r.guard.commit() {
		return result{}, false
	}
	return result{out: out.Stdout, errs: out.Stderr, exit: out.Exit}, true
}

// room is what one answer of this event may hold.
func (r *runner) room(a *asker) slice.Budget {
	if c := r.host.Cap(r.ev.Name); c.Max > 0 {
		return slice.Budget{Max: c.Max, Measure: c.Unit.Measure}
	}
	return slice.Budget{Max: a.settings.LoadMaxTokens, Measure: slice.Tokens}
}

// tell adds the findings that the session was not told yet, as far as they fit
// into the room of one answer.
func tell(out *said, found []pack.Finding, d slice.Delivered, room slice.Budget) {
	for _, f := range found {
		if d != nil && d.Has(f.Key(), f.What) > slice.None {
			continue
		}
		text := f.Text()
		if out.text != "" {
			text = out.text + "\n\n" + text
		}
		if room.Max > 0 && room.Measure(text) > room.Max {
			continue
		}
		out.text = text
		out.items = append(out.items, ledger.Sent{Key: f.Key(), Hash: f.What, Form: slice.Name})
	}
}

// tell adds the advice on the conversation's size where it fits.
func (e extra) tell(out *said, d slice.Delivered, room slice.Budget) {
	if e.text == "" || d != nil && d.Has(e.state.Key, e.state.Hash) > slice.None {
		return
	}
	text := e.text
	if out.text != "" {
		text = out.text + "\n\n" + text
	}
	if room.Max > 0 && room.Measure(text) > room.Max {
		return
	}
	out.text = text
	out.items = append(out.items, *e.state)
}
