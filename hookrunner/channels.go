package hookrunner

import (
	"slices"
	"strings"
	"time"

	"pathrule/guard/pack"
	"pathrule/guard/pending"
	"pathrule/hookrunner/ledger"
	"pathrule/host"
	"pathrule/slice"
)

const (
	// resumeAge: a second "startup" of a session within it is a resume.
	resumeAge = 12 * time.Hour
	// smallSession is the room for the session slice when a prompt has to carry
	// it, in tokens.
	smallSession = 300
)

// startSession answers SessionStart: empty for a resumed session that still
// has its record, what compaction took away, or the session slice.
func (r *runner) startSession(a *asker, l *ledger.Ledger, fresh bool) result {
	// Two registrations of one start differ in nothing, and the second, which
	// may find the first one's reset, must not reset again.
	if !r.claim() {
		return result{}
	}
	s := speech{a: a, l: l, claimed: true}
	ch := slice.Session
	src := r.ev.Source
	resume := !fresh && (src == "resume" || src == "startup" && l.Age() < resumeAge)
	switch {
	case src == ledger.Compact:
		s.reset, ch = ledger.Compact, slice.Compact
	case resume && a.settings.ResetOnResume:
		s.reset = "resume"
	case resume && l.Started() && r.ev.StartLost:
		s.repeat = true
	case resume && l.Started():
		return result{after: r.prune}
	case resume, src == host.GoesOn:
		s.start = true
	case src == "":
		s.reset = "startup"
	default:
		s.reset = src
	}
	had := entries(keys(l.Told()))
	if len(had) == 0 {
		had = entries(l.Before())
	}
	open := r.opened(a)
	defer a.close()
	var changed []string
	keep := func() {}
	if open && ch == slice.Session {
		changed, keep = r.changes(a)
	}
	s.say = func(d slice.Delivered) (out said) {
		if !open {
			return out
		}
		in := a.in(ch, d, a.left(l))
		in.Team = a.team()
		if ch == slice.Compact {
			in.Parent = had
		} else {
			in.Drift, in.Changed = r.readDrift(a.p).news(), changed
		}
		out.add(r.make(in), a.unseen)
		return out
	}
	res := r.speak(s)
	res.after = func() {
		r.prune()
		keep()
		r.lookForDrift(a)
	}
	return res
}

// prompt answers a person's turn: what the prompt is about, and before it, in
// a small form, the session slice when no start was answered.
func (r *runner) prompt(a *asker, l *ledger.Ledger) result {
	if !r.ev.UserTurn {
		return result{}
	}
	start := !l.Started()
	startup := a.settings.Mode == "startup"
	if startup && !start && !r.ev.Slot {
		return r.skipped(a)
	}
	open := r.opened(a)
	defer a.close()
	if !open {
		return result{}
	}
	task := ""
	res := r.speak(speech{
		a: a, l: l, start: start, repeat: a.settings.Mode == "always",
		say: func(d slice.Delivered) (out said) {
			left := a.left(l)
			var inSlot []ledger.Sent
			if r.ev.Slot {
				inSlot = r.fillSlot(a, l, &out)
			} else if start {
				out.add(r.make(a.opening(d, left, startup)), a.unseen)
			}
			if startup {
				return out
			}
			in := a.in(slice.Prompt, d, left-out.tokens)
			in.Prompt = r.ev.Prompt
			switch {
			case r.ev.Slot:
				in.Delivered = also{d, inSlot}
			case out.text != "":
				after(&in, d, out)
			}
			if a.settings.Acknowledge == "line" {
				in.Told = keys(l.Told())
			}
			plan := r.make(in)
			task, r.aim = plan.Task, string(plan.Intent)
			out.add(plan, a.unseen)
			return out
		},
	})
	res.after = func() { r.keepTask(l, task) }
	return res
}

// keepTask notes what a prompt touched on for the tools that follow, also where
// it was told nothing.
func (r *runner) keepTask(l *ledger.Ledger, task string) {
	if last, _ := l.Last(slice.TaskKey); task == "" || task == last || last == "" && task == slice.NoTask {
		return
	}
	if _, err := l.Record([]ledger.Sent{{Key: slice.TaskKey, Hash: task, Form: slice.Name}}); err != nil {
		r.log("note the task: " + err.Error())
	}
}

// opening asks for the session slice in the small form that stands in front of
// another answer, where no start was answered. Alone is for an answer that
// holds nothing else: it may end with the proof line.
func (a *asker) opening(d slice.Delivered, left int, alone bool) slice.In {
	in := a.in(slice.Session, d, left)
	in.Budget.Tokens = smallSession
	in.Budget.Max = max(1, in.Budget.Max/2) // strict rules may fill it
	in.Team = a.team()
	if !alone {
		in.Settings.Proof = "" // one line at the end of all
	}
	return in
}

// after makes a question about what comes behind text already planned: its
// items count as told, its length is taken off the room.
func after(in *slice.In, d slice.Delivered, first said) {
	in.Delivered = also{d, first.items}
	in.Budget.Max = max(1, in.Budget.Max-in.Budget.Measure(first.text+"\n\n"))
}

// skipped is the answer to a prompt that the mode leaves alone: nothing, or the
// proof line of those who asked for one.
func (r *runner) skipped(a *asker) result {
	if a.settings.Proof != "compact" {
		return result{}
	}
	return result{out: r.encode(host.Reply{Context: slice.Proof(slice.Plan{})})}
}

// subagent gives a new subagent the session slice and what its parent had as
// bodies; it has a record of its own.
func (r *runner) subagent(a *asker, l *ledger.Ledger, key ledger.Key) result {
	key.Agent = ""
	parent, _, err := r.store.Open(key)
	if err != nil {
		r.log("read session record: " + err.Error())
	}
	if !r.opened(a) {
		return result{}
	}
	defer a.close()
	return r.speak(speech{a: a, l: l, start: true, say: func(d slice.Delivered) (out said) {
		in := a.in(slice.Subagent, d, a.left(parent))
		in.Parent, in.ParentParts = parent.Bodies(), parts(parent.Told())
		in.Task, _ = parent.Last(slice.TaskKey)
		in.Team = a.team()
		out.add(r.make(in), a.unseen)
		if task, ok := parent.Last(slice.TaskKey); ok && out.text != "" {
			out.items = append(out.items, ledger.Sent{Key: slice.TaskKey, Hash: task, Form: slice.Name})
		}
		return out
	}})
}

// tool answers for the paths that a tool touches, each from the workspace that
// governs it, and notes whether the route that was told is being followed. On a
// client that shows its model nothing before the first tool, that tool brings
// the session slice as well.
func (r *runner) tool(a *asker, l *ledger.Ledger, ask, heard bool) result {
	groups := r.touched(a.p)
	r.groups = groups
	res := result{}
	start := heard && !l.Started() && !r.heardBeforeTools()
	var more extra
	if heard && ask {
		more.found = r.packs(a)
		if res, decided := r.strictQuestion(a, more.found); decided {
			return res
		}
		more.text, more.state = r.contextAdvice(a, l)
	}
	switch {
	case !heard:
	case ask && (start || len(groups) > 0 || len(more.found) > 0 || more.text != ""):
		res = r.toolAnswer(a, l, groups, start, more)
	case start && a.settings.Mode == "startup":
		res = r.toolAnswer(a, l, nil, true, extra{})
	}
	res.after = func() {
		r.loaded(l)
		r.noteTool(l, groups)
		if more.state != nil && more.text == "" {
			if _, err := l.Record([]ledger.Sent{*more.state}); err != nil {
				r.log("note the conversation's size: " + err.Error())
			}
		}
	}
	return res
}

// extra is what is told with a tool beside knowledge: what guards found, and
// advice on the conversation's size with what to remember of it.
type extra struct {
	found []pack.Finding
	text  string
	state *ledger.Sent
}

// heardBeforeTools reports whether a session's start or a prompt brings anything
// to this client's model.
func (r *runner) heardBeforeTools() bool {
	for _, reg := range host.Standing(r.host.Registrations()) {
		if n := reg.Canonical(); reg.Speaks && (n == host.SessionStart || n == host.UserPromptSubmit) {
			return true
		}
	}
	return false
}

func (r *runner) toolAnswer(a *asker, l *ledger.Ledger, groups []group, start bool, more extra) result {
	askers := make([]*asker, 0, len(groups))
	var paths [][]string
	unseen := a
	if start {
		if !r.opened(a) {
			return result{}
		}
		defer a.close()
	}
	for _, g := range groups {
		ga := a
		if g.ws.ID != a.ws.ID {
			var ask bool
			if ga, ask = r.settle(a.p, g.ws); !ask {
				continue
			}
		}
		if ga != a || !start {
			if !r.opened(ga) {
				continue
			}
			defer ga.close()
		}
		if ga.unseen {
			unseen = ga
		}
		askers, paths = append(askers, ga), append(paths, g.paths)
	}
	if len(askers) == 0 && !start && len(more.found) == 0 && more.text == "" {
		return result{}
	}
	return r.speak(speech{a: unseen, l: l, quiet: true, start: start, say: func(d slice.Delivered) (out said) {
		if start {
			out.add(r.make(a.opening(d, a.left(l), false)), a.unseen)
		}
		if more.found != nil || more.text != "" {
			room := r.room(a)
			tell(&out, more.found, d, room)
			more.tell(&out, d, room)
		}
		for i, ga := range askers {
			in := ga.in(slice.Tool, d, ga.left(l)-out.tokens)
			in.Paths = paths[i]
			in.Task, _ = l.Last(slice.TaskKey)
			if out.text != "" {
				after(&in, d, out)
			}
			plan := r.make(in)
			_, again := d.(ours) // what this process has won by now is to be told
			if since, asked := askedSince(l, paths[i]); asked && !again && len(plan.Items) > 0 {
				fresh := news(l, plan.Items, since)
				if len(fresh) < len(plan.Items) {
					in.Delivered = also{fresh, out.items}
					plan = slice.Plan{}
					if len(fresh) > 0 {
						plan = r.make(in)
					}
				}
			}
			if len(plan.Items) == 0 {
				continue // how many more there are is no news
			}
			out.add(plan, ga.unseen)
			out.items = append(out.items, askedNow(l, paths[i], r.env.Now())...)
		}
		return out
	}})
}

// noteTool keeps what the navigation summary is made of. A tool is counted
// once, before it runs where the client tells us then, else after it; a failed
// one did not open anything.
func (r *runner) noteTool(l *ledger.Ledger, groups []group) {
	if r.ev.Name == host.PostToolUseFailure {
		return
	}
	followed := ""
	for _, it := range l.Told() {
		for _, g := range groups {
			for _, p := range g.paths {
				if it.Key == "x:route:"+p {
					followed = it.Key
				}
			}
		}
	}
	counts := r.ev.Name == host.PreToolUse || !r.toldBeforeTools()
	if !counts && followed == "" {
		return
	}
	if err := l.Tool(followed, counts); err != nil {
		r.log("note tool: " + err.Error())
	}
}

// toldBeforeTools reports whether setup registers an event before the tool.
func (r *runner) toldBeforeTools() bool {
	for _, reg := range host.Standing(r.host.Registrations()) {
		if reg.Canonical() == host.PreToolUse {
			return true
		}
	}
	return false
}

func keys(items []ledger.Sent) []string {
	var list []string
	for _, it := range items {
		list = append(list, it.Key)
	}
	return list
}

// entries leaves the keys of entries.
func entries(keys []string) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return strings.HasPrefix(k, "x:") })
}

// parts are the entries of which sections were told.
func parts(told []ledger.Sent) (out []slice.Part) {
	var sections []string
	for _, it := range told {
		if strings.HasPrefix(it.Key, "x:section:") {
			sections = append(sections, it.Key)
		}
	}
	if len(sections) == 0 {
		return nil
	}
	for _, it := range told {
		if it.Form != slice.Card || strings.HasPrefix(it.Key, "x:") {
			continue
		}
		p := slice.Part{Key: it.Key}
		prefix := slice.SectionPrefix(it.Key)
		for _, s := range sections {
			if strings.HasPrefix(s, prefix) {
				p.Sections = append(p.Sections, s)
			}
		}
		if p.Sections != nil {
			out = append(out, p)
		}
	}
	return out
}

func (r *runner) prune() {
	pending.Prune(r.dirs.State, time.Now()) // ages are by the files' own times
	if err := r.store.Prune(); err != nil {
		r.log("prune session records: " + err.Error())
	}
}
