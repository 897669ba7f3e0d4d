package hookrunner

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"pathrule/hookrunner/ledger"
	"pathrule/host"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// How long an event may take after its payload was read. Trusted user hooks
// are timed apart.
const (
	toolTime       = 150 * time.Millisecond
	promptTime     = 400 * time.Millisecond
	sessionTime    = 500 * time.Millisecond
	firstBuildTime = time.Second
	sessionEndTime = 300 * time.Millisecond

	// readTime bounds a payload that trickles in without ever being idle.
	readTime = 2 * time.Second
	// graceTime is for an answer that was already recorded when its time ran out.
	graceTime = 100 * time.Millisecond
)

// timeScale stretches all of these in tests, which share a busy machine.
var timeScale time.Duration = 1

// runner answers one event. answer runs in a goroutine of its own; what the
// watchdog shares with it is in guard and timeout.
type runner struct {
	opts  Options
	env   sysenv.Env
	dirs  workspace.Dirs
	store ledger.Store
	host  host.Host

	payload []byte
	ev      host.Event

	guard   guard
	timeout chan time.Duration
	// mute: no log line, for a run that only explains.
	mute bool
}

// result is what Main writes, and what is left to do after it.
type result struct {
	out   []byte
	after func()
}

func run(o Options, env sysenv.Env) int {
	r := &runner{opts: o, env: env, timeout: make(chan time.Duration, 4)}
	done := make(chan result, 1)
	go func() {
		var res result
		defer func() {
			if p := recover(); p != nil {
				r.log(panicText(p))
				res = result{}
			}
			done <- res
		}()
		res = r.answer()
	}()
	watchdog := time.NewTimer(readTime * timeScale)
	defer watchdog.Stop()
	for {
		select {
		case res := <-done:
			write(env.Stdout, res.out)
			if res.after != nil {
				r.tidy(res.after)
			}
			return 0
		case d := <-r.timeout:
			watchdog.Reset(d * timeScale)
		case <-watchdog.C:
			if r.guard.expire() {
				r.log("out of time")
				return 0
			}
			// The ledger says that this answer was told, so tell it.
			watchdog.Reset(graceTime * timeScale)
		}
	}
}

// tidy runs what needs no answer, as safely as the rest.
func (r *runner) tidy(f func()) {
	defer func() {
		if p := recover(); p != nil {
			r.log(panicText(p))
		}
	}()
	f()
}

// guard decides between an answer and the watchdog: an answer that is about to
// be recorded must be written, one that is not must not be recorded.
type guard struct{ state atomic.Int32 }

const (
	guardOpen = iota
	guardCommitted
	guardGrace
	guardExpired
)

// commit reports that the answer may be recorded and written.
func (g *guard) commit() bool {
	return g.state.CompareAndSwap(guardOpen, guardCommitted) || g.state.Load() != guardExpired
}

// expire ends the run; once per run a committed answer is let through instead.
func (g *guard) expire() bool {
	if g.state.CompareAndSwap(guardCommitted, guardGrace) {
		return false
	}
	g.state.Store(guardExpired)
	return true
}

var errHost = errors.New("unknown host")

// answer is the way of one event up to what is written.
func (r *runner) answer() result {
	r.dirs = workspace.DirsOf(r.env)
	r.store = ledger.Store{Dir: r.dirs.State, Now: r.env.Now}
	killed := r.dirs.Killed(r.env)
	name := r.opts.Host
	if name == "" {
		name = "claude-code"
	}
	h, known := host.ByName(name)
	r.host = h
	// Even an event that is not answered is read: a host that meets a closed
	// pipe may call it a failed hook.
	payload, err := readPayload(r.env.Stdin)
	if killed {
		return result{}
	}
	if !known {
		r.log(errHost.Error() + ": " + name)
		return result{}
	}
	if err != nil {
		r.log(err.Error())
		return result{}
	}
	if payload == nil {
		return result{}
	}
	r.payload = payload
	if r.ev, err = h.Decode(payload, r.env); err != nil {
		r.log(err.Error())
		return result{}
	}
	r.timeout <- timeOf(r.ev.Name)
	switch r.ev.Name {
	case host.SessionStart, host.UserPromptSubmit, host.PreToolUse, host.PostToolUse, host.PostToolUseFailure,
		host.SubagentStart, host.PreCompact, host.SessionEnd:
	default:
		return result{} // Stop, SubagentStop and what is nothing to us
	}
	p, ok := r.place()
	if !ok {
		return result{}
	}
	if r.opts.Refresh == nil && (r.ev.Name == host.SessionStart || r.ev.Name == host.UserPromptSubmit && r.ev.UserTurn) {
		r.handOver() // does not return when there is somebody to hand over to
	}
	// That the home cannot be written is doctor's to tell, not every hook's.
	_ = r.store.Stamp(r.ev.Host, r.ev.RawName, p.key)
	return r.deliver(p)
}

func timeOf(ev host.EventName) time.Duration {
	switch ev {
	case host.SessionStart:
		return sessionTime
	case host.UserPromptSubmit, host.SubagentStart:
		return promptTime
	case host.SessionEnd:
		return sessionEndTime
	}
	return toolTime
}

// panicText names a panic and the place in our code, never a value that could
// hold a prompt.
func panicText(p any) string {
	what := "panic"
	if e, ok := p.(runtime.Error); ok {
		what = "panic: " + e.Error()
	}
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "pathrule/") {
			return fmt.Sprintf("%s in %s:%d", what, f.Function, f.Line)
		}
		if !more {
			return what
		}
	}
}
