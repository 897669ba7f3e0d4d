package setup

import (
	"slices"

	"pathrule/guard/approval"
	"pathrule/guard/hookfile"
	"pathrule/host"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// needed reports that an event is worth registering now: those that serve
// refusals or checks come and go with what is approved on this machine, and with
// the events that a person's own hooks are for.
func needed(r host.Registration, env sysenv.Env) bool {
	if !r.Guard && !r.Check {
		return true
	}
	dirs := workspace.DirsOf(env)
	blocks, checks := approval.Needs(dirs)
	return r.Guard && blocks || r.Check && checks || hooked(r, dirs)
}

// hooked reports that hooks on this machine are for what the event emits.
func hooked(r host.Registration, dirs workspace.Dirs) bool {
	return slices.ContainsFunc(hookfile.Needs(dirs), func(name string) bool {
		e, ok := hookfile.Lookup(name)
		return ok && e.From == string(r.Canonical())
	})
}

// registrations are those of a client that are needed now; the ones of a
// setting are for the caller.
func registrations(h host.Host, env sysenv.Env) []host.Registration {
	return slices.DeleteFunc(slices.Clone(h.Registrations()), func(r host.Registration) bool { return !needed(r, env) })
}
