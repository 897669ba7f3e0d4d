package setup

import (
	"slices"
	"strings"

	"pathrule/guard/approval"
	"pathrule/guard/hookfile"
	"pathrule/host"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// needs is what this machine's approvals and a person's own hooks need.
type needs struct {
	blocks, checks bool
	hooks          []string // as hookfile.Wants names them
}

func needsOf(env sysenv.Env) needs {
	dirs := workspace.DirsOf(env)
	n := needs{hooks: hookfile.Needs(dirs, host.Tools())}
	n.blocks, n.checks = approval.Needs(dirs)
	return n
}

// needed reports that an event is worth registering now: those that serve
// refusals, checks or hooks come and go with what is approved on this machine,
// and with the events that a person's own hooks are for.
func (n needs) needed(r host.Registration) bool {
	if !r.Guard && !r.Check && !r.Hook {
		return true
	}
	hooked, _ := n.hooked(r)
	return r.Guard && n.blocks || r.Check && n.checks || hooked
}

// hooked reports that hooks on this machine are for what the event emits, and
// for every tool.
func (n needs) hooked(r host.Registration) (some, all bool) {
	for _, name := range n.hooks {
		name, every := strings.CutSuffix(name, "*")
		e, ok := hookfile.Lookup(name)
		if ok && e.From != "" && slices.Contains(r.Hooked(), host.EventName(e.From)) {
			some, all = true, all || every
		}
	}
	return some, all
}

// regs are all registrations of a client as they would be written now: with the
// matcher for every tool where a person's own hooks want that.
func (n needs) regs(h host.Host) []host.Registration {
	out := slices.Clone(h.Registrations())
	for i := range out {
		r := &out[i]
		some, all := n.hooked(*r)
		if all && r.Matcher != "" {
			r.Matcher = r.Every
		}
		if some && r.Native {
			// Whatever the setting says, and whyever a file was loaded.
			r.Native, r.Matcher = false, ""
		}
	}
	return out
}

// registrations are those of a client that are needed now; the ones of a
// setting are for the caller.
func registrations(h host.Host, env sysenv.Env) []host.Registration {
	n := needsOf(env)
	return slices.DeleteFunc(n.regs(h), func(r host.Registration) bool { return !n.needed(r) })
}
