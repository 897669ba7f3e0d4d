package hookrunner

import (
	"slices"
	"strings"
	"time"

	"pathrule/guard"
	"pathrule/guard/approval"
	"pathrule/host"
	"pathrule/workspace"
)

const (
	// guardTime is how long the test of an approved block may take. It comes on
	// top of the event's own time, because a denial that came too late would be
	// none; hosts wait ten seconds.
	guardTime = 4 * time.Second
	// maxFindings is how many rules one denial names.
	maxFindings = 3
)

// guarded answers a tool call that an approved rule forbids. decided is false
// when none does, and whenever we could not find out: trouble of ours never
// stops anybody's work, but what is said for it is logged. Mode off silences
// rules too, since only the user can set it; every other mode leaves them.
func (r *runner) guarded(a *asker) (res result, decided bool) {
	if a.settings.Mode == "off" || !approval.Any(r.dirs) {
		return result{}, false
	}
	switch r.ev.Name {
	case host.PreToolUse:
	case host.PostToolUse:
		// Where the host can deny beforehand, that is when it was decided.
		if _, can := r.host.Refuse(host.Event{Host: r.ev.Host, Name: host.PreToolUse, Tool: r.ev.Tool}, "x"); can {
			return result{}, false
		}
	default:
		return result{}, false
	}
	trials := r.trials(a.p)
	if len(trials) == 0 {
		return result{}, false
	}
	if r.opts.Test == nil {
		r.guarding = true
		r.handOver(false) // returns only where nobody is there to take it
		r.log("an approved rule governs this call and no program beside this one can test it; run \"pathrule doctor\"")
		return result{}, false
	}
	r.allow(guardTime)
	begun := time.Now()
	late := func() bool { return time.Since(begun) > r.time(guardTime/2) }
	findings, err := guard.Findings(trials, r.opts.Test, maxFindings, late)
	if err != nil {
		r.log("test approved rules: " + err.Error())
	}
	r.allow(timeOf(r.ev.Name))
	if len(findings) == 0 || !r.guard.commit() {
		return result{}, false
	}
	if out, ok := r.host.Refuse(r.ev, guard.Reason(findings)); ok {
		// Two registrations of one event both deny: a host that takes the first
		// answer alone must not take the silent one.
		return result{out: out.Stdout, errs: out.Stderr, exit: out.Exit}, true
	}
	if out := r.host.Encode(r.ev, host.Reply{Context: guard.Notice(findings)}); out != nil {
		return result{out: out}, true
	}
	return result{}, false
}

// wantsAsking reports, where a turn begins, that a block is approved or a user
// hook is for what comes before a tool.
func (r *runner) wantsAsking(a *asker) bool {
	if r.ev.Name != host.UserPromptSubmit || a.settings.Mode == "off" {
		return false
	}
	if r.hooksBefore(a.p) {
		return true
	}
	rules, _ := guard.Rules(a.p.ws, r.dirs, r.env.UserHome)
	return slices.ContainsFunc(rules, func(rule *guard.Rule) bool { return len(rule.Blocks) > 0 && rule.State() == approval.Approved })
}

// edited tells the person that a rule was edited since it was approved: what it
// forbids is no longer forbidden, and nothing else would say so. Each new session
// begins with it, and a prompt tells of an edit that nobody was told of yet.
func (r *runner) edited(ws *workspace.Workspace) string {
	rules, _ := guard.Rules(ws, r.dirs, r.env.UserHome)
	standing := map[string]bool{}
	for _, rule := range rules {
		if rule.State() == approval.Approved {
			standing[rule.Owner+rule.ID] = true
		}
	}
	var ids []string
	begins := r.ev.Name == host.SessionStart && r.ev.Source == "startup"
	for _, rule := range rules {
		if rule.State() != approval.Changed || standing[rule.Owner+rule.ID] || slices.Contains(ids, rule.ID) {
			continue
		}
		if first := r.store.Once("edited " + rule.Owner + " " + rule.ID + " " + rule.Sum); first || begins {
			ids = append(ids, rule.ID)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	if len(ids) > 1 {
		return "pathrule: the rules " + strings.Join(ids, ", ") + " were edited since they were approved: they decide nothing until you look at them and run \"pathrule approve\""
	}
	return "pathrule: rule " + ids[0] + " was edited since it was approved: it decides nothing until you look at it and run \"pathrule approve " + ids[0] + "\""
}

// trials are the approved blocks that this tool call has to pass.
func (r *runner) trials(p place) []guard.Trial {
	b := r.newBook(p)
	var trials []guard.Trial
	if r.edits() {
		changes := host.Changes(r.payload, r.env)
		for i := range changes {
			c := &changes[i]
			rel, ws := b.place(c.Path)
			if ws == nil {
				continue
			}
			t, _ := guard.Edits(b.rules(ws), rel, p.base, c)
			trials = append(trials, t...)
		}
	}
	if command := host.Command(r.payload); command != "" && !b.none() {
		dir, _ := workspace.Rel(p.base, p.dir, p.dir)
		adds := host.Adds(command, r.env)
		own := true
		for _, g := range r.touched(p) {
			own = own && g.ws.ID != p.ws.ID
			t, _ := guard.Shells(b.rules(g.ws), g.paths, dir, command, adds)
			trials = append(trials, t...)
		}
		if own {
			t, _ := guard.Shells(b.rules(p.ws), nil, dir, command, adds)
			trials = append(trials, t...)
		}
	}
	return trials
}

// edits reports that the call changes files: by what the host's own reader says
// of it, or by the name of a tool that nobody knows.
func (r *runner) edits() bool {
	for _, t := range r.ev.Touches {
		if t.Op == host.Edit || t.Op == host.Create {
			return true
		}
	}
	return editorName(r.ev.Tool)
}

// book is the approved rules of one event, read once per workspace.
type book struct {
	r     *runner
	p     place
	found map[string]*workspace.Workspace
	rels  map[string]string
	by    map[string][]*guard.Rule
}

func (r *runner) newBook(p place) *book {
	return &book{r: r, p: p, found: map[string]*workspace.Workspace{}, rels: map[string]string{}, by: map[string][]*guard.Rule{}}
}

// place puts a path as the payload spells it into base coordinates, with the
// workspace that governs it; nil for one that is nothing to us.
func (b *book) place(path string) (rel string, ws *workspace.Workspace) {
	rel, known := b.rels[path]
	if !known {
		var ok bool
		if rel, ok = workspace.Rel(b.p.base, b.p.dir, path); !ok {
			rel = ""
		}
		b.rels[path] = rel
	}
	if rel == "" {
		return "", nil
	}
	return rel, b.r.governing(b.p, rel, b.found)
}

func (b *book) rules(ws *workspace.Workspace) []*guard.Rule {
	if list, ok := b.by[ws.ID]; ok {
		return list
	}
	list, err := guard.Rules(ws, b.r.dirs, b.r.env.UserHome)
	if err != nil {
		b.r.log("read approvals: " + err.Error())
	}
	b.by[ws.ID] = list
	return list
}

// none reports that nothing is approved where the session works.
func (b *book) none() bool { return len(b.rules(b.p.ws)) == 0 }

// editorName reports that a tool's name says that it writes.
func editorName(tool string) bool {
	tool = strings.ToLower(tool)
	for _, w := range [...]string{"edit", "write", "create", "replace", "patch", "insert", "append"} {
		if strings.Contains(tool, w) {
			return true
		}
	}
	return false
}
