// Package hookrunner answers one host event: JSON on stdin, and on stdout
// either nothing or exactly what the host's contract takes. It exits 0
// whatever happens, is bounded in time, memory and output, writes nothing into
// the project and starts no process but a person's own hooks (userhooks.go).
//
// The way of one event: kill switch, payload (input.go), host.Decode, project
// folder and workspace (place.go), settings and trust (question.go), then by
// event the session's life (session.go) or a question to slice (answer.go);
// what the ledger lets through is encoded and written. A watchdog (run.go)
// ends the process silently when the event's time is over.
package hookrunner

import (
	"context"
	"time"

	"pathrule/guard"
	"pathrule/guard/hookfile"
	"pathrule/host"
	"pathrule/index/catalog"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// Options of one run. The zero value is the claude-code contract with the
// catalogue as the only source.
type Options struct {
	// Host is a host id or alias; "" is claude-code. An unknown one is logged
	// and answered with silence.
	Host string
	// Event is the event that the registration named (--event), "" for the
	// payload's own.
	Event string
	// Refresh brings the index up to date within d and opens a source with a
	// text door (package live); nil in pathrule-hook, which then hands session
	// and prompt events over to the pathrule-prompt or pathrule beside it, or
	// without one answers from paths and names.
	Refresh func(ctx context.Context, ws *workspace.Workspace, env sysenv.Env, d time.Duration) (catalog.Source, func() error, error)
	// AsItStands: Explain answers for the event's own session as it stands, with
	// what it was told already, instead of for a fresh one.
	AsItStands bool
	// Asked is the event that Explain answers; nil for the payload on stdin.
	Asked *host.Event
	// Current reports, within d, whether the published index says what the files
	// say. pathrule-prompt has it (package quick), which reads an index but cannot
	// write one: a session or prompt event that finds something to write is
	// handed over to the pathrule beside it. nil: Refresh sees to it.
	Current func(ctx context.Context, ws *workspace.Workspace, env sysenv.Env, d time.Duration) bool
	// Test tests added text against the patterns of approved blocks (package
	// guard/match). nil in pathrule-hook, which then hands an event that a block
	// governs over to the program beside it.
	Test guard.Tester
	// Hooks runs the user's own hooks (package guard/userhooks). nil in
	// pathrule-hook and pathrule-prompt, which hand an event that trusted hooks are
	// for over to the pathrule beside them.
	Hooks hookfile.Runner
	// Unhurried is for a process that is not the event's alone, as tests of what is
	// said are: no watchdog ends it, and how busy the machine is decides nothing.
	Unhurried bool
}

// Main runs one event and returns the exit code: 0, but for a denial by an
// approved rule on a host whose only way to deny is an exit code.
func Main(o Options, env sysenv.Env) int { return run(o, env) }
