package setup

import (
	"slices"

	"pathrule/guard/approval"
	"pathrule/host"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// needed reports that an event is worth registering now: those that serve
// refusals or checks come and go with what is approved on this machine.
func needed(r host.Registration, env sysenv.Env) bool {
	if !r.Guard && !r.Check {
		return true
	}
	blocks, checks := approval.Needs(workspace.DirsOf(env))
	return r.Guard && blocks || r.Check && checks
}

// registrations are those of a client that are needed now; the ones of a
// setting are for the caller.
func registrations(h host.Host, env sysenv.Env) []host.Registration {
	return slices.DeleteFunc(slices.Clone(h.Registrations()), func(r host.Registration) bool { return !needed(r, env) })
}
