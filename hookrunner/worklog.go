package hookrunner

import (
	"slices"
	"strings"

	"pathrule/hookrunner/activity"
	"pathrule/hookrunner/ledger"
	"pathrule/host"
	"pathrule/slice"
)

// keepActivity adds a line for each path that the event's tool touched, for each
// entry that the answer told, and for what kind of work a prompt asks for. It runs after the answer is out; what it
// cannot write is lost, and no reason to say anything.
func (r *runner) keepActivity(p place) {
	log := activity.Of(r.dirs.State, p.key)
	if r.ev.Name == host.SessionStart {
		if err := log.Compact(r.env.Now()); err != nil {
			r.log("compact activity log: " + err.Error())
		}
	}
	at := r.env.Now().Unix()
	session := ledger.SessionName(r.ev.Session)
	var recs []activity.Record
	if r.aim != "" {
		recs = append(recs, activity.Record{Kind: activity.Aim, At: at, Host: r.ev.Host, Session: session, Op: "prompt", What: r.aim})
	}
	// A tool is noted once, before it runs where the client tells us then; one
	// that failed did nothing.
	if r.ev.Name != host.PostToolUseFailure && (r.ev.Name == host.PreToolUse || len(r.groups) > 0 && !r.toldBeforeTools()) {
		for _, g := range r.groups {
			for _, path := range g.paths {
				recs = append(recs, activity.Record{Kind: activity.Touched, At: at, Host: r.ev.Host, Session: session, Op: string(r.ops[path]), What: path})
			}
		}
	}
	for _, it := range r.told {
		if !strings.HasPrefix(it.Key, "x:") && it.Form > slice.None {
			recs = append(recs, activity.Record{Kind: activity.Told, At: at, Host: r.ev.Host, Session: session, Op: it.Form.String(), What: it.Key})
		}
	}
	if len(recs) == 0 {
		return
	}
	if err := log.Append(recs); err != nil {
		r.log("write activity log: " + err.Error())
	}
}

const (
	// maxWork is how many stretches of work, newest first, a question may look at.
	maxWork = 40
	// maxLookBack is how much of the log is read for it, in bytes: some two
	// thousand records.
	maxLookBack = 128 << 10
)

// work reads earlier work back, newest first.
func (a *asker) work() []slice.Work {
	r := a.r
	recs, err := activity.Of(r.dirs.State, a.p.key).Tail(maxLookBack)
	if err != nil {
		r.log("read activity log: " + err.Error())
		return nil
	}
	own := ledger.SessionName(r.ev.Session)
	all := activity.Episodes(recs)
	var out []slice.Work
	for i := len(all) - 1; i >= 0 && len(out) < maxWork; i-- {
		e := &all[i]
		out = append(out, slice.Work{
			Edited: e.Edited, Read: e.Read, Subjects: e.Subjects, Entries: e.Entries, Wrote: e.Wrote, Paths: len(e.Edited) + len(e.Read),
			Now: r.ev.Session != "" && slices.Contains(e.Sessions, own),
		})
	}
	return out
}
