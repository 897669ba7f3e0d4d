package hookrunner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"pathrule/guard/hookfile"
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

// timeScale stretches all of these in tests, which share a busy machine; exit
// is what ends the process, starved what the machine kept from it, and planned
// stands between a plan and its record, where other processes step in.
var (
	timeScale time.Duration = 1
	exit                    = os.Exit
	starved                 = starvedTime
	planned                 = func() {}
)

// runner answers one event. Everything happens on the main goroutine, since
// each hand-over to another one costs a tool call more than our own work; only
// the watchdog runs beside it, and shares guard and label.
type runner struct {
	opts  Options
	env   sysenv.Env
	dirs  workspace.Dirs
	store ledger.Store
	// registered is the host whose file the hook stands in, host the one that runs
	// it; shared: a second hook of ours may get the same event.
	registered, host host.Host
	shared           bool

	payload []byte
	ev      host.Event
	ledger  *ledger.Ledger     // the session's record, nil for a run that only explains
	ops     map[string]host.Op // what the event does to the paths it touches
	// natives are what the host loads by itself with this event.
	natives []ledger.Sent
	// groups are the paths that a tool touched, told what this answer tells; both
	// for the activity log.
	groups []group
	told   []ledger.Sent
	// again: a command failed that had failed before; nil: not looked at yet.
	again *bool
	// aim is the kind of work that the prompt asks for; for the activity log.
	aim string

	guard    gate
	watchdog *time.Timer
	patience atomic.Pointer[patience]
	label    atomic.Pointer[string] // host and event for the log
	// guarding: an approved block governs the event, so that handing it over is
	// worth more than its usual time.
	guarding bool
	// asks: approved blocks exist here, so that a plugin of ours is to ask before
	// each tool of this turn.
	asks bool
	// remind is what a client whose turns cannot be held is told of a check.
	remind func() string
	// hookFiles are the files of user hooks that may be for the event, hookParts
	// what they said, replied the answer that it is put behind.
	hookFiles []hookfile.File
	hookParts []hookfile.Part
	replied   host.Reply
	// mute: no log line, for a run that only explains.
	mute bool
}

// result is what is written, and what is left to do after it.
type result struct {
	out   []byte
	after func()
	// errs and exit are for a refusal on a host that takes it that way.
	errs []byte
	exit int
}

func run(o Options, env sysenv.Env) int {
	r := &runner{opts: o, env: env, dirs: workspace.DirsOf(env)}
	if !o.Unhurried {
		r.watchdog = time.AfterFunc(readTime*timeScale, r.outOfTime)
		defer r.watchdog.Stop()
	}
	var res result
	r.safely(func() { res = r.answer() })
	if !r.guard.finish() {
		return 0
	}
	write(env.Stdout, res.out)
	if res.errs != nil {
		write(env.Stderr, res.errs)
	}
	if res.after != nil {
		r.safely(res.after)
	}
	return res.exit
}

// safely turns a panic into a line of the log.
func (r *runner) safely(f func()) {
	defer func() {
		if p := recover(); p != nil {
			r.log(panicText(p))
		}
	}()
	f()
}

// allow gives the event d from now on.
func (r *runner) allow(d time.Duration) {
	if r.watchdog != nil {
		d = r.time(d)
		r.patience.Store(&patience{most: d})
		r.watchdog.Reset(d)
	}
}

// time is how long what usually takes d may take in this process.
func (r *runner) time(d time.Duration) time.Duration {
	if r.opts.Unhurried {
		return 100 * d
	}
	return d * timeScale
}

// patience gives back the time for which the machine ran something else. What
// blocks sleeps, and gets none; a process that only stands in the queue of a
// busy machine has not had its time yet. All together at most twice as much
// again.
type patience struct{ most, given time.Duration }

// more is how much longer to wait, 0 for no longer.
func (p *patience) more() time.Duration {
	d := min(starved(), 2*p.most) - p.given
	if d < p.most/4 {
		return 0
	}
	d = min(d, p.most)
	p.given += d
	return d
}

// outOfTime ends the process. An answer that the ledger already calls told is
// let through once.
func (r *runner) outOfTime() {
	if p := r.patience.Load(); p != nil && r.guard.state.Load() == guardOpen {
		if d := p.more(); d > 0 {
			r.watchdog.Reset(d)
			return
		}
	}
	switch r.guard.expire() {
	case guardGrace:
		r.allow(graceTime)
	case guardExpired:
		r.log("out of time")
		exit(0)
	case guardDone:
		exit(0) // the answer is out, only tidying up takes long
	}
}

// gate decides between an answer and the watchdog: an answer that is about to
// be recorded must be written, one that is not must not be recorded.
type gate struct{ state atomic.Int32 }

const (
	guardOpen int32 = iota
	guardCommitted
	guardGrace
	guardExpired
	guardDone
)

// commit reports that the answer may be recorded and written.
func (g *gate) commit() bool {
	return g.state.CompareAndSwap(guardOpen, guardCommitted) || g.state.Load() != guardExpired
}

// finish reports that the answer may be written now.
func (g *gate) finish() bool {
	for {
		s := g.state.Load()
		if s == guardExpired {
			return false
		}
		if g.state.CompareAndSwap(s, guardDone) {
			return true
		}
	}
}

// expire says what the end of the time means.
func (g *gate) expire() int32 {
	for {
		s := g.state.Load()
		next := guardExpired
		switch s {
		case guardDone:
			return guardDone
		case guardCommitted:
			next = guardGrace
		}
		if g.state.CompareAndSwap(s, next) {
			return next
		}
	}
}

var errHost = errors.New("unknown host")

// answer is the way of one event up to what is written.
func (r *runner) answer() result {
	r.store = ledger.Store{Dir: r.dirs.State, Now: r.env.Now}
	killed := r.dirs.Killed(r.env)
	name := r.opts.Host
	if name == "" {
		name = "claude-code"
	}
	h, known := host.ByName(name)
	if known {
		r.registered, r.host = h, h
		name = h.ID()
	}
	r.setLabel(name, "-")
	// Even an event that is not answered is read: a host that meets a closed
	// pipe may call it a failed hook.
	payload, err := readPayload(r.env.Stdin)
	if killed || r.dirs.Home == "" {
		// Without a home there is no index, and no place to remember anything.
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
	if r.ev, err = r.decode(); err != nil {
		r.log(err.Error())
		return result{}
	}
	r.setLabel(r.host.ID(), r.ev.RawName)
	r.allow(timeOf(r.ev.Name))
	ours := false
	switch r.ev.Name {
	case host.SessionStart, host.UserPromptSubmit, host.PreToolUse, host.PostToolUse, host.PostToolUseFailure,
		host.SubagentStart, host.PreCompact, host.SessionEnd, host.InstructionsLoaded, host.Stop:
		ours = true
	case host.SubagentStop, host.PostCompact, host.StopFailure, host.PermissionRequest: // for user hooks alone
	default:
		return result{} // nothing to us
	}
	p, ok := r.place()
	if !ok {
		return result{}
	}
	p = r.holding(p)
	r.hookFiles = r.hooked(p)
	r.passHooks()
	if !ours {
		return r.hooksAlone(p)
	}
	if r.ev.Name == host.SessionStart && r.ev.Source == host.GoesOn && r.started(p) {
		_ = r.store.Stamp(r.ev.Host, r.ev.RawName, p.key)
		return result{}
	}
	if r.ev.Name == host.SessionStart || r.ev.Name == host.UserPromptSubmit && r.ev.UserTurn {
		// handOver does not return when there is somebody to hand over to.
		if r.opts.Refresh == nil {
			r.handOver(false)
		} else if r.opts.Current != nil && !r.current(p) {
			r.handOver(true)
		}
	}
	// Ranking needs the index that this program may not link.
	if ours && r.opts.Refresh == nil && len(r.hookFiles) == 0 && r.failsAgain(p) {
		r.handOver(false)
	}
	// That the home cannot be written is doctor's to tell, not every hook's.
	_ = r.store.Stamp(r.ev.Host, r.ev.RawName, p.key)
	return r.deliver(p)
}

// started reports whether the session's start was answered.
func (r *runner) started(p place) bool {
	l, _, err := r.store.Open(ledger.Key{Host: r.ev.Host, Workspace: p.key, Session: r.ev.Session, Agent: r.ev.Agent})
	return err == nil && l.Started()
}

// current asks Options.Current. A check that fails is no reason to hand over.
func (r *runner) current(p place) bool {
	ctx, cancel := context.WithTimeout(context.Background(), promptRefresh)
	defer cancel()
	return r.opts.Current(ctx, p.ws, r.env, promptRefresh)
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
