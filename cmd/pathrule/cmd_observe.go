package main

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pathrule/hookrunner/queue"
	"pathrule/host"
	"pathrule/internal/cli"
	"pathrule/knowledge/inbox"
	"pathrule/knowledge/observe"
)

type observeOptions struct {
	queue  bool
	dryRun bool
	limit  int
	chars  int
}

func newObserveCommand(a *app) *cobra.Command {
	var o observeOptions
	c := &cobra.Command{
		Use:   "observe --queue",
		Short: "take down what ended sessions talked about, for review",
		Long: `Works through the sessions that ended here since you ran "pathrule setup
--session-end": takes down what you and the assistant said, without tool calls and
their output, and puts it into the inbox for "pathrule review". Secrets are taken
out, lines that give orders to a model too, paths become relative. No model is
asked and no knowledge is written.

A conversation that cannot be taken (gone, a link, larger than 5 MiB, nothing said)
leaves the queue with a reason; what the limits hold back stays.

Run it by hand or from a scheduler, not from a client's hook: a hook that runs
beside the session would read a conversation that is still being written.`,
		Example: "  pathrule observe --queue --dry-run\n  pathrule observe --queue --limit 5\n  pathrule review",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return runObserve(a, o) },
	}
	f := c.Flags()
	f.BoolVar(&o.queue, "queue", false, "work through the queue of ended sessions")
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "only look: write nothing, leave the queue as it is")
	f.IntVar(&o.limit, "limit", observe.DefaultFiles, "at most `N` sessions, oldest first")
	f.IntVar(&o.chars, "max-chars", observe.DefaultChars, "keep at most `N` characters of each")
	return c
}

// endNoted names the clients that can note the end of a session.
func endNoted() []string {
	var out []string
	for _, h := range host.All() {
		if notesEnd(h) {
			out = append(out, h.Title())
		}
	}
	return out
}

func notesEnd(h host.Host) bool {
	return slices.ContainsFunc(h.Registrations(), func(r host.Registration) bool { return r.Canonical() == host.SessionEnd })
}

// Statuses of an observed session.
const (
	observedProposed = "proposed" // in the inbox, out of the queue
	observedSkipped  = "skipped"  // out of the queue, for the reason told
	observedHeld     = "held"     // a limit is reached; it stays in the queue
)

// observed is one session of the queue in JSON. It names no path.
type observed struct {
	Host       string `json:"host"`
	Session    string `json:"session"`
	EndedAt    string `json:"ended_at"`
	Status     string `json:"status"`
	Why        string `json:"why,omitempty"`
	ProposalID string `json:"proposal_id,omitempty"`
	Turns      int    `json:"turns"`
	Chars      int    `json:"chars"`
	Redacted   int    `json:"redacted"`
	Removed    int    `json:"removed"`
}

func runObserve(a *app, o observeOptions) error {
	switch {
	case !o.queue:
		return cli.Usage("nothing to observe", "name what to work through: pathrule observe --queue")
	case o.limit < 1 || o.limit > observe.LargestFiles:
		return cli.Usage("--limit must be from 1 to " + itoa(observe.LargestFiles))
	case o.chars < 1 || o.chars > observe.LargestChars:
		return cli.Usage("--max-chars must be from 1 to " + itoa(observe.LargestChars))
	}
	ws, err := a.workspace()
	if err != nil {
		return err
	}
	for ws.Outer != nil { // a session is the outermost workspace's
		ws = ws.Outer
	}
	dirs := a.dirs()
	list, err := queue.Read(dirs.State, ws.ID)
	if err != nil {
		return err
	}
	waiting := 0
	all, _ := inbox.List(dirs, ws.ID)
	for _, p := range all {
		if observe.Is(p) {
			waiting++
		}
	}
	items, done := []observed{}, []queue.Entry{}
	for _, e := range list {
		it := observed{Host: e.Host, Session: e.Session, EndedAt: e.At.UTC().Format(time.RFC3339)}
		switch {
		case len(done) >= o.limit:
			it.Status, it.Why = observedHeld, "--limit "+itoa(o.limit)+" is reached"
		case waiting >= observe.MaxWaiting:
			it.Status, it.Why = observedHeld, itoa(observe.MaxWaiting)+" sessions wait in the inbox already; decide on some first"
		default:
			obs, err := observe.Look(observe.Session{Host: e.Host, ID: e.Session, Transcript: e.Transcript, At: e.At},
				observe.Options{Chars: o.chars, Root: ws.Root, Home: a.env.UserHome})
			it.Turns, it.Chars, it.Redacted, it.Removed = obs.Trace.Turns, obs.Trace.Chars, obs.Trace.Redacted, obs.Trace.Removed
			switch {
			case errors.Is(err, observe.ErrNothing):
				it.Status, it.Why = observedSkipped, "nothing was said that could be kept"
			case err != nil:
				it.Status, it.Why = observedSkipped, err.Error()
			case observe.Traced(dirs, ws.ID, obs.Trace.ID):
				it.Status, it.Why = observedSkipped, "it was taken down before"
			default:
				it.Status = observedProposed
				waiting++
				if !o.dryRun {
					it.ProposalID, err = a.keepObservation(ws.ID, obs)
				}
			}
			if errors.Is(err, inbox.ErrFull) && !o.dryRun {
				it.Status, it.Why = observedHeld, err.Error()+"; decide on some first"
				break
			}
			if it.Status == observedProposed && err != nil {
				return err
			}
			done = append(done, e)
			if !o.dryRun {
				// One by one, so that what was done is out even if the next one fails.
				if err := queue.Remove(dirs.State, ws.ID, []queue.Entry{e}); err != nil {
					return err
				}
			}
		}
		items = append(items, it)
	}
	left := len(list)
	if !o.dryRun {
		left -= len(done)
	}
	return a.answer(map[string]any{"items": items, "left": left, "dry_run": o.dryRun, "warnings": a.out.Warnings()}, func() {
		if len(items) == 0 {
			a.out.Println("no ended session waits")
			a.out.Hint("after \"pathrule setup --session-end\" these note sessions that end: %s", strings.Join(endNoted(), ", "))
			return
		}
		proposals := 0
		for _, it := range items {
			what := it.Status
			if o.dryRun && what == observedProposed {
				what = "would be proposed"
			}
			line := a.out.Accent(it.Host) + " session of " + localTime(it.EndedAt) + ": " + what
			if it.Why != "" {
				line += " (" + cli.OneLine(it.Why) + ")"
			}
			if it.Status == observedProposed {
				proposals++
				line += ", " + countOf(it.Chars, "character", "characters") + " of " + countOf(it.Turns, "turn", "turns")
				if it.Redacted > 0 {
					line += ", " + countOf(it.Redacted, "secret", "secrets") + " taken out"
				}
				if it.Removed > 0 {
					line += ", " + countOf(it.Removed, "line", "lines") + " with orders taken out"
				}
			}
			a.out.Println(line)
		}
		if proposals > 0 && !o.dryRun {
			a.out.Hint("pathrule review decides what becomes knowledge")
		}
	})
}

// keepObservation stores the proposal, then its trace: without the second the
// conversation is proposed once more, which changes nothing.
func (a *app) keepObservation(workspaceID string, obs observe.Observation) (string, error) {
	now := time.Now
	if a.env.Now != nil {
		now = a.env.Now
	}
	obs.Proposal.At = now().UTC()
	p, err := inbox.Put(a.dirs(), workspaceID, obs.Proposal)
	if err != nil {
		return "", err
	}
	// A session that went on is proposed whole: what it said before goes, while
	// nobody has decided on it.
	for _, older := range observe.ProposalsOf(a.dirs(), workspaceID, obs.Trace.Host, obs.Trace.Session) {
		if older != p.ID {
			if err := inbox.Remove(a.dirs(), workspaceID, older); err != nil && !errors.Is(err, inbox.ErrNotFound) {
				return "", err
			}
		}
	}
	obs.Trace.Proposal, obs.Trace.SeenAt = p.ID, obs.Proposal.At.Format(time.RFC3339)
	return p.ID, observe.PutTrace(a.dirs(), workspaceID, obs.Trace)
}
