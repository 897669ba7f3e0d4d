package hookrunner

import (
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pathrule/guard"
	"pathrule/guard/approval"
	"pathrule/guard/pending"
	"pathrule/guard/runs"
	"pathrule/host"
	"pathrule/internal/plaintext"
	"pathrule/workspace"
)

// maxHolds is how often one session's end is held. After that the turn may end:
// a check that cannot pass must not keep a person's machine busy.
const maxHolds = 3

// noteChecks keeps the log of required checks up to date with a tool call, and
// gives what reminds of a pending one where the client's turns cannot be held;
// nil elsewhere. To call it is to have told it.
func (r *runner) noteChecks(a *asker) (remind func() string) {
	if a.settings.Mode == "off" || !approval.Any(r.dirs) {
		return nil
	}
	switch r.ev.Name {
	case host.PreToolUse, host.PostToolUse, host.PostToolUseFailure:
	default:
		return nil
	}
	b := r.newBook(a.p)
	log := r.checkLog(a.p)
	try := func(err error) {
		if err != nil {
			r.log("note required check: " + err.Error())
		}
	}
	command := host.Command(r.payload)
	if command != "" {
		r.noteRun(b, log, command, try)
	}
	if r.ev.Name != host.PreToolUse {
		r.takeReceipts(b, log, r.payload, try)
	}
	if r.changedFiles(command) {
		for _, t := range r.ev.Touches {
			if t.Op != host.Edit && t.Op != host.Create && t.Op != host.Delete {
				continue
			}
			rel, ws := b.place(t.Path)
			if ws == nil {
				continue
			}
			for _, rule := range guard.Checks(b.rules(ws)) {
				if rule.Wants(rel) {
					try(log.Edited(rule.CheckName(), rel))
				}
			}
		}
	}
	if r.holds() {
		return nil
	}
	return func() string { return r.reminder(b, log, try) }
}

// changedFiles reports that the call has changed the files that it edits: it ran
// and did not fail. Codex fires no event after a patch that is typed into the
// shell, so that one counts when it begins. What a shell writes by redirection
// is no edit: a check's own output would keep it pending for ever.
func (r *runner) changedFiles(command string) bool {
	if command == "" {
		return r.ev.Name == host.PostToolUse
	}
	after := r.ev.Name == host.PostToolUse || r.ev.Name == host.PreToolUse && !host.TellsOutcome(r.ev.Host)
	return after && len(host.Changes(r.payload, r.env)) > 0
}

// noteRun notes runs of checks: that one begins, and how it ended. The folder of
// a command is known before it runs alone, since a "cd" in it moves the folder
// that the event after it names.
func (r *runner) noteRun(b *book, log pending.Log, command string, try func(error)) {
	checks := guard.Checks(b.rules(b.p.ws))
	if len(checks) == 0 {
		return
	}
	state, err := log.Read()
	try(err)
	var ran []pending.Check
	match := func(begins bool) {
		for _, rule := range checks {
			why, meant := runs.Match(command, r.folder(b.p), rule.Check.Command, filepath.ToSlash(rule.Root))
			switch name := rule.CheckName(); {
			case !meant:
			case why != runs.Fine:
				if waits(state, name) && (begins || r.ev.Name != host.PreToolUse) {
					try(log.Failed(name, why))
				}
			case begins && r.ev.ToolUseID != "":
				try(log.Began(name, r.ev.ToolUseID))
			default:
				ran = append(ran, name)
			}
		}
	}
	if r.ev.Name == host.PreToolUse {
		match(true)
		return
	}
	if r.ev.ToolUseID != "" {
		ran = state.Running[r.ev.ToolUseID]
	}
	if ran == nil && !r.asksBefore() {
		match(false)
	}
	for _, name := range ran {
		switch host.OutcomeOf(r.ev, r.payload) {
		case host.Good:
			try(log.Passed(name, r.ev.ToolUseID))
		case host.Bad:
			try(log.Failed(name, runs.Failed))
		case host.Broken:
			try(log.Failed(name, runs.Stopped))
		case host.Behind:
			try(log.Failed(name, runs.Background))
		default:
			try(log.Failed(name, runs.NoCode))
		}
	}
}

func waits(s pending.State, c pending.Check) bool {
	return slices.ContainsFunc(s.Waits, func(w *pending.Wait) bool { return w.Check == c })
}

// asksBefore reports that the event before a tool is always registered.
func (r *runner) asksBefore() bool {
	return slices.ContainsFunc(host.Standing(r.host.Registrations()), func(reg host.Registration) bool { return reg.Canonical() == host.PreToolUse })
}

// holds reports that the client's turns can be held.
func (r *runner) holds() bool {
	return slices.ContainsFunc(r.host.Registrations(), func(reg host.Registration) bool { return reg.Check && reg.Canonical() == host.Stop })
}

// folder is where the payload's commands run, as a slash path.
func (r *runner) folder(p place) string {
	rel, ok := workspace.Rel(p.base, p.dir, p.dir)
	if !ok {
		return filepath.ToSlash(p.dir)
	}
	return path.Join(filepath.ToSlash(p.base), rel)
}

func (r *runner) checkLog(p place) pending.Log {
	return pending.Open(r.dirs.State, r.ev.Host, p.key, r.ev.Session)
}

// wanted is one check that still waits, with its rule.
type wanted struct {
	wait *pending.Wait
	rule *guard.Rule
}

// wanting are the pending checks that nothing has passed since. One whose rule
// is not approved as it stands any more wants nothing.
func (r *runner) wanting(b *book, log pending.Log, state pending.State, try func(error)) []wanted {
	var out []wanted
	files := map[string]string{}
	now := func(rel string) string {
		s, ok := files[rel]
		if !ok {
			s = pending.StateOf(filepath.Join(b.p.base, filepath.FromSlash(rel)))
			files[rel] = s
		}
		return s
	}
	for _, w := range state.Waits {
		rule := b.check(w)
		if rule == nil {
			continue
		}
		if pending.LastResult(r.dirs.State, b.p.key, w.Check).Covers(rule.Sum, w.Paths, now) {
			try(log.Passed(w.Check, ""))
			continue
		}
		out = append(out, wanted{w, rule})
	}
	return out
}

// check finds the rule of a pending check: in the session's own workspace, or in
// one that governs an edited file.
func (b *book) check(w *pending.Wait) *guard.Rule {
	in := func(ws *workspace.Workspace) *guard.Rule {
		for _, rule := range guard.Checks(b.rules(ws)) {
			if rule.CheckName() == w.Check {
				return rule
			}
		}
		return nil
	}
	if rule := in(b.p.ws); rule != nil {
		return rule
	}
	for _, p := range w.Paths {
		if ws := b.r.governing(b.p, p, b.found); ws != nil {
			if rule := in(ws); rule != nil {
				return rule
			}
		}
	}
	return nil
}

// stop answers the end of a turn: held while a required check has not passed, at
// most three times a session, and never when the client says that a hook already
// held this turn.
func (r *runner) stop(a *asker) result {
	if a.settings.Mode == "off" || r.ev.StopActive || r.ev.Agent != "" || !r.holds() || !approval.Any(r.dirs) {
		return result{}
	}
	r.allow(sessionTime)
	log := r.checkLog(a.p)
	state, err := log.Read()
	if err != nil {
		r.log("read required checks: " + err.Error())
		return result{}
	}
	if len(state.Waits) == 0 || state.Held >= maxHolds {
		return result{}
	}
	b := r.newBook(a.p)
	// A run that took long ended behind the event after its call.
	r.takeReceipts(b, log, tailOf(host.Transcript(r.payload), maxTail), func(error) {})
	list := r.wanting(b, log, state, func(err error) {
		if err != nil {
			r.log("note required check: " + err.Error())
		}
	})
	if len(list) == 0 {
		return result{}
	}
	out, ok := r.host.Refuse(r.ev, r.holdText(list, maxHolds-state.Held-1))
	if !ok || !r.guard.commit() {
		return result{}
	}
	// What cannot be counted cannot be bounded: then the turn ends.
	if err := log.Held(); err != nil {
		r.log("note a held turn: " + err.Error())
		return result{}
	}
	return result{out: out.Stdout, errs: out.Stderr, exit: out.Exit}
}

// holdText is what the model is told at the end of a turn.
func (r *runner) holdText(list []wanted, left int) string {
	var b strings.Builder
	if len(list) == 1 {
		b.WriteString("Before you end: a check that this team requires has not passed since the last edit.\n")
	} else {
		b.WriteString("Before you end: checks that this team requires have not passed since the last edit.\n")
	}
	for _, w := range list {
		b.WriteString("\n" + r.checkLine(w.rule) + "\n")
		if w.wait.Why != runs.Fine {
			b.WriteString("The last run does not count: " + plaintext.Line(string(w.wait.Why), 200) + ".\n")
		}
		if n := len(w.wait.Paths); n > 0 {
			shown := w.wait.Paths[:min(n, 5)]
			b.WriteString("Edited: " + plaintext.Line(strings.Join(shown, ", "), 400))
			if n > len(shown) {
				b.WriteString(" and " + strconv.Itoa(n-len(shown)) + " more")
			}
			b.WriteString(".\n")
		}
	}
	b.WriteString("\nRun it by itself, in the foreground, without a pipe. If it fails, mend what it shows. If it cannot pass, tell the user why")
	if left == 0 {
		b.WriteString("; this is the last time that the turn is held.")
	} else {
		b.WriteString(".")
	}
	return b.String()
}

// checkLine names a check and the exact command.
func (r *runner) checkLine(rule *guard.Rule) string {
	own := r.self() + " check run " + rule.ID
	line := plaintext.Line(rule.Name(), 200) + ": run `"
	if host.TellsOutcome(r.ev.Host) {
		line += plaintext.Line(rule.Check.Command, 300) + "` in the workspace root (or `" + own + "`)"
	} else {
		// The client does not tell us how its own runs end.
		line += own + "`, which runs " + plaintext.Line(rule.Check.Command, 300)
	}
	if m := plaintext.Line(rule.Check.Message, 400); m != "" {
		line += ". " + m
	}
	return strings.TrimRight(line, ".") + "."
}

// self is how a shell of the client's starts the command line program: by name
// where PATH leads to one and the shell has the same PATH, else by its path.
func (r *runner) self() string {
	name := "pathrule"
	windows := filepath.Separator == '\\'
	if windows {
		name += ".exe"
	}
	for _, dir := range filepath.SplitList(r.env.Get("PATH")) {
		if !filepath.IsAbs(dir) || !r.exists(dir, name) {
			continue
		}
		if !windows && host.LoginShell(r.ev.Host) && !everywhere(dir) {
			return quoted(filepath.Join(dir, name))
		}
		return "pathrule"
	}
	if r.env.Executable != "" {
		if full := filepath.Join(filepath.Dir(r.env.Executable), name); r.exists("", full) {
			return quoted(full)
		}
	}
	return "pathrule"
}

// everywhere reports that a folder stands in the PATH of any login shell.
func everywhere(dir string) bool {
	switch filepath.Clean(dir) {
	case "/usr/local/bin", "/usr/bin", "/bin":
		return true
	}
	return false
}

func quoted(s string) string {
	if strings.ContainsAny(s, " '\"\\$`&;()") {
		return `"` + s + `"`
	}
	return s
}

// reminder tells once of each check that waits, where no turn can be held.
func (r *runner) reminder(b *book, log pending.Log, try func(error)) string {
	if r.host.Encode(r.ev, host.Reply{Context: "?"}) == nil {
		return ""
	}
	state, err := log.Read()
	try(err)
	var lines []string
	for _, w := range state.Waits {
		if w.Told {
			continue
		}
		if rule := b.check(w); rule != nil {
			lines = append(lines, "This team requires a check after such an edit. Before you finish: "+r.checkLine(rule))
			try(log.Told(w.Check))
		}
	}
	return strings.Join(lines, "\n")
}
