package hookrunner

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"pathrule/hookrunner/ledger"
	"pathrule/host"
	"pathrule/index/catalog"
	"pathrule/slice"
)

// claimTime is how long one event counts as one.
const claimTime = 10 * time.Second

// deliver answers an event that happens in a workspace, and keeps a line of
// what it was about.
func (r *runner) deliver(p place) result {
	a, ask := r.settle(p, p.ws)
	r.asks = r.wantsAsking(a)
	res := r.delivered(a, ask)
	if r.remind != nil && res.out == nil {
		if text := r.remind(); text != "" {
			res.out = r.encode(host.Reply{Context: text})
		}
	}
	res = r.withHooks(res)
	if res.out == nil && r.asks {
		res.out = r.encode(host.Reply{}) // nil on every client without a plugin of ours
	}
	if a.settings.Activity != "off" {
		first := res.after
		res.after = func() {
			if first != nil {
				first()
			}
			r.keepActivity(p)
		}
	}
	return res
}

// encode is the host's envelope for a reply.
func (r *runner) encode(reply host.Reply) []byte {
	reply.Guard = r.asks
	r.replied = reply
	return r.host.Encode(r.ev, reply)
}

func (r *runner) delivered(a *asker, ask bool) result {
	p := a.p
	if r.ev.Name == host.Stop {
		res := r.stop(a)
		if res.out == nil && res.exit == 0 {
			res, _ = r.runHooks(p, a.settings.Mode)
		}
		return res
	}
	if res, decided := r.guarded(a); decided {
		return res
	}
	if res, decided := r.runHooks(p, a.settings.Mode); decided {
		return res
	}
	r.remind = r.noteChecks(a)
	switch {
	case a.settings.Mode == "manual" && r.ev.Name == host.UserPromptSubmit && r.ev.UserTurn:
		return r.skipped(a)
	case a.settings.Mode == "off" || a.settings.Mode == "manual":
		if r.ev.Held != "" {
			return result{out: r.encode(host.Reply{Slot: host.Slot{Action: host.Clear}})}
		}
		return result{}
	}
	key := ledger.Key{Host: r.ev.Host, Workspace: p.key, Session: r.ev.Session, Agent: r.ev.Agent}
	if r.ev.Name == host.SessionEnd {
		return result{after: func() { r.endSession(key) }}
	}
	l, fresh, err := r.store.Open(key)
	if err != nil {
		r.log("read session record: " + err.Error())
	}
	r.ledger = l
	heard := r.heard()
	switch r.ev.Name {
	case host.SessionStart:
		if !heard {
			return r.unheardStart(l)
		}
		return r.notify(a, r.startSession(a, l, fresh))
	case host.PreCompact:
		return r.compacting(a, l, ask && heard)
	case host.InstructionsLoaded:
		r.instructions(p, l)
		return result{}
	case host.UserPromptSubmit:
		if !heard {
			return result{}
		}
		return r.notify(a, r.prompt(a, l))
	case host.SubagentStart:
		if !ask || !heard {
			return result{}
		}
		return r.subagent(a, l, key)
	default:
		if ask && heard && r.failsAgain(p) {
			if res := r.lessons(a, l); res.out != nil {
				res.after = func() { r.noteTool(l, nil) }
				return res
			}
		}
		return r.tool(a, l, ask, heard)
	}
}

// heard reports whether the client hands the output of this event to the model.
// Where it does not, nothing may be recorded as told.
func (r *runner) heard() bool { return r.host.Encode(r.ev, host.Reply{Context: "?"}) != nil }

// unheardStart is a session's start whose answer the client throws away: what
// the model lost is forgotten, and the next prompt brings the session slice.
func (r *runner) unheardStart(l *ledger.Ledger) result {
	// The reasons that leave the session without its start.
	reason := map[string]string{"clear": ledger.Cleared, ledger.Compact: ledger.PreCompact}[r.ev.Source]
	if reason != "" {
		if err := l.Reset(reason); err != nil {
			r.log("reset session record: " + err.Error())
		}
	}
	return result{after: r.prune}
}

// said is one answer before it is recorded.
type said struct {
	text   string
	items  []ledger.Sent
	tokens int // of unreviewed knowledge
	slot   host.Slot
}

// empty: the model is told nothing.
func (s *said) empty() bool { return s.text == "" && s.slot.Action == host.Retain }

// add joins a plan to what is said.
func (s *said) add(plan slice.Plan, unseen bool) {
	if plan.Text == "" {
		return
	}
	if s.text != "" {
		s.text += "\n\n"
	}
	s.text += plan.Text
	for _, i := range plan.Items {
		if i.Form > slice.None && !i.Again {
			s.items = append(s.items, ledger.Sent{Key: i.Key, Hash: i.Hash, Form: i.Form})
		}
	}
	for _, x := range plan.Extras {
		s.items = append(s.items, ledger.Sent{Key: x.Key, Hash: x.Hash, Form: slice.Body})
	}
	if unseen {
		s.tokens += plan.Tokens
	}
}

// speech is an answer on its way out.
type speech struct {
	a *asker
	l *ledger.Ledger
	// say makes the answer for what the session already has; nil is nothing.
	say func(d slice.Delivered) said
	// reset begins the record anew with this answer, start notes that it holds
	// the session slice, repeat tells what was told before too.
	reset         string
	start, repeat bool
	// quiet answers stay unsaid when they cannot be recorded: they come many
	// times a turn, and nothing would stop them from repeating.
	quiet bool
	// claimed: this process has claimed the event already, and tells all of its
	// plan.
	claimed bool
}

// speak plans, records and only then answers. Of two processes that answer one
// event (two registrations, or a host that runs another's hooks too) the record
// lets one through; where it cannot decide, a claim does.
func (r *runner) speak(s speech) result {
	var d slice.Delivered
	if s.reset == "" && !s.repeat {
		d = s.l
	}
	now := s.say(d)
	if now.empty() && s.reset == "" && !s.start {
		return result{}
	}
	if s.repeat && !now.empty() && !s.claimed {
		if s.claimed = r.claim(); !s.claimed {
			return result{}
		}
	}
	if r.shared && now.text != "" && !s.claimed && !r.claim() {
		return result{}
	}
	planned()
	if !r.guard.commit() {
		return result{}
	}
	t := ledger.Telling{Reset: s.reset, Start: s.start, Items: now.items, Tokens: now.tokens, Cost: slice.Tokens(now.text)}
	if !s.claimed && !now.empty() {
		t.Event, t.Once = r.eventID(), r.ownID()
	}
	if s.a.unseen {
		t.Limit = unseenTokens
	}
	won, err := s.l.Tell(t)
	switch {
	case errors.Is(err, ledger.ErrTwin), errors.Is(err, ledger.ErrSpent):
		return result{}
	case err != nil:
		r.log("record what is told: " + err.Error())
		if s.quiet || !s.claimed && !r.claim() {
			return result{}
		}
	case len(won) < len(now.items) && !s.claimed:
		// Another event's process told some of it while we planned. What is left is
		// planned again, and told only as far as it is ours.
		now = s.say(ours(won))
		if _, err := s.l.Record(now.items); err != nil {
			r.log("record what is told: " + err.Error())
		}
	}
	if now.empty() {
		return result{}
	}
	if hostCap := r.host.Cap(r.ev.Name); hostCap.Max > 0 && hostCap.Unit.Measure(now.text) > hostCap.Max {
		// The host would cut it or put it into a file that nobody reads.
		r.log("answer is over the host's cap")
		return result{}
	}
	r.told = now.items
	return result{out: r.encode(host.Reply{Context: now.text, Slot: now.slot, Notice: r.notice(s.a)})}
}

// notice tells the person once what nobody else would: that a repository's
// knowledge was not reviewed here, that an approved rule was edited since.
func (r *runner) notice(a *asker) string {
	if r.ev.Name != host.SessionStart && r.ev.Name != host.UserPromptSubmit || r.host.Encode(r.ev, host.Reply{Notice: "?"}) == nil {
		return "" // or the client shows none
	}
	edited := r.edited(a.p.ws)
	if !a.unseen || !r.store.Once("unseen "+a.p.key) {
		return edited
	}
	if edited != "" {
		edited = "\n" + edited
	}
	return "pathrule: " + filepath.Base(a.p.ws.Root) + " brings knowledge of its own that was not reviewed on this machine. " +
		"Look through .pathrule, then accept it with \"pathrule trust\"; \"pathrule config set trust.knowledge ask\" holds such knowledge back." + edited
}

// notify adds the notice to an answer that has nothing for the model.
func (r *runner) notify(a *asker, res result) result {
	if res.out == nil {
		if n := r.notice(a); n != "" {
			res.out = r.encode(host.Reply{Notice: n})
		}
	}
	return res
}

// eventID names one event of one session: by its ids, or by its payload where
// it has none. The prompt counts too, since two different prompts are never one
// event. Where another host's hook may run beside ours the payloads differ, and
// the session, the event and what it is about are all that both know.
func (r *runner) eventID() string {
	ev := r.ev
	id := ev.PromptID + ev.TurnID
	if r.shared && ev.Session != "" {
		id = "shared"
		if ev.Source == "" {
			ev.Source = "startup"
		}
	}
	switch ev.Name {
	case host.PreToolUse, host.PostToolUse, host.PostToolUseFailure, host.PermissionRequest:
		id = ev.ToolUseID
	}
	if id == "" {
		id = string(r.payload)
	}
	h := sha256.New()
	for _, s := range []string{ev.Session, ev.Agent, string(ev.Name), ev.Source, ev.Prompt, id} {
		h.Write([]byte(strconv.Itoa(len(s)) + ":" + s))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// ownID reports that the host numbers its events, so that no later one is taken
// for this one.
func (r *runner) ownID() bool {
	switch r.ev.Name {
	case host.PreToolUse, host.PostToolUse, host.PostToolUseFailure:
		return r.ev.ToolUseID != ""
	}
	return r.ev.PromptID+r.ev.TurnID != "" && !r.shared
}

// claim takes the event for this process for ten seconds.
func (r *runner) claim() bool {
	won, err := r.store.Claim(r.eventID(), claimTime)
	if err != nil && !won {
		r.log("claim event: " + err.Error())
	}
	return won
}

// ours lets slice tell exactly the items that this process won: every other
// one counts as told whole, whatever its text. Of an entry whose line the session
// has, new sections may still be ours.
type ours []ledger.Sent

func (o ours) Has(key, hash string) slice.Form {
	f := slice.Body
	for _, it := range o {
		switch {
		case it.Key == key && it.Hash == hash:
			return slice.None
		case strings.HasPrefix(it.Key, slice.SectionPrefix(key)):
			f = slice.Card
		}
	}
	return f
}

// also is what is told by the first part of an answer, on top of what the
// session has.
type also struct {
	base  slice.Delivered
	items []ledger.Sent
}

func (a also) Has(key, hash string) slice.Form {
	f := slice.None
	if a.base != nil {
		f = a.base.Has(key, hash)
	}
	for _, it := range a.items {
		if it.Key == key && it.Hash == hash {
			f = max(f, it.Form)
		}
	}
	return f
}

// make asks slice; what it could not read is logged, what it made counts.
func (r *runner) make(in slice.In) slice.Plan {
	plan, err := slice.Make(in)
	if err != nil {
		r.log("make slice: " + err.Error())
	}
	return plan
}

// opened opens the asker's source; a workspace without an index is nothing to
// log, it says so in status and doctor.
func (r *runner) opened(a *asker) bool {
	err := a.open()
	if err != nil && !errors.Is(err, catalog.ErrMissing) {
		r.log("open index: " + err.Error())
	}
	return err == nil
}
