package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"pathrule/internal/cli"
	"pathrule/internal/health"
	"pathrule/internal/person"
	"pathrule/setup"
	"pathrule/workspace"
)

// costKind is the finding about a client, which is no health.Kind: it is about
// no entry.
const costKind health.Kind = "cost"

func reviewKinds() []string {
	var out []string
	for _, k := range health.Kinds() {
		out = append(out, string(k))
	}
	return append(out, string(costKind))
}

// reviewData is the answer of review in JSON.
type reviewData struct {
	Findings []health.Finding `json:"findings"`
	Cost     []health.Cost    `json:"cost"`
	// Dismissed is how many findings were left out because a person dismissed them.
	Dismissed int `json:"dismissed"`
}

// checkKinds refuses a kind that nobody knows.
func checkKinds(kinds []string) error {
	for _, k := range kinds {
		if !slices.Contains(reviewKinds(), k) {
			return cli.Usage("unknown kind \""+cli.OneLine(k)+"\"", cli.DidYouMean(k, reviewKinds()), "kinds: "+strings.Join(reviewKinds(), ", "))
		}
	}
	return nil
}

// tasks is what was claimed, dismissed and flagged in a workspace.
func (a *app) tasks(ws *workspace.Workspace) health.Tasks {
	return health.TasksOf(a.dirs().State, ws.ID, a.env.Now)
}

// lookThrough finds what no longer fits the project; kinds empty: all of them;
// all: with what a person dismissed.
func lookThrough(ctx context.Context, a *app, ws *workspace.Workspace, kinds []string, all bool) (d reviewData, err error) {
	d = reviewData{Findings: []health.Finding{}, Cost: []health.Cost{}}
	defer a.out.Progress("looking")()
	read, err := health.Read(ws, a.env)
	if err != nil {
		return d, err
	}
	found, err := health.Look(ctx, ws, a.env, read)
	if err != nil {
		return d, err
	}
	var wired []string
	if list, err := setup.Inspect(ws.Root, a.env); err == nil {
		for _, i := range list {
			wired = append(wired, i.Host)
		}
	}
	var costs []health.Finding
	d.Cost = append(d.Cost, health.Costs(ws, a.env, wired)...)
	for _, c := range d.Cost {
		if c.Total() > health.HighCost {
			costs = append(costs, health.Finding{Kind: costKind, Other: c.Host, File: ws.Store, Remedy: "pathrule rule list",
				Why: c.Host + " is told " + itoa(c.Total()) + " tokens in every session; give rules for the whole workspace a path, and shorten team.md"})
		}
	}
	if costs, err = a.tasks(ws).Apply(costs, nil, nil); err != nil {
		return d, err
	}
	for _, f := range append(found, costs...) {
		switch {
		case len(kinds) > 0 && !slices.Contains(kinds, string(f.Kind)):
		case f.Status == health.Dismissed && !all:
			d.Dismissed++
		default:
			d.Findings = append(d.Findings, f)
		}
	}
	return d, nil
}

func printReview(a *app, d reviewData) {
	o := a.out
	for _, f := range d.Findings {
		state := ""
		if f.Status != health.Pending {
			state = " " + o.Mild("("+string(f.Status)+" by "+cli.OneLine(f.By)+")")
		}
		o.Println(o.Dim(f.ID+" "+string(f.Kind)), a.shown(f.File)+": "+cli.OneLine(f.Why)+state)
		o.Println("  →", o.Accent(cli.OneLine(f.Remedy)))
	}
	for _, c := range d.Cost {
		if c.Total() == 0 {
			continue // no index yet
		}
		o.Println(o.Dim(c.Host + ": " + countOf(c.Total(), "token", "tokens") + " in every session"))
	}
	if n := len(d.Findings); n > 0 {
		o.Println(o.Mild(countOf(n, "finding", "findings")) + o.Dim("; fine as it is? pathrule review --dismiss ID"))
	}
	if d.Dismissed > 0 {
		o.Println(o.Dim(itoa(d.Dismissed) + " more dismissed: pathrule review --all"))
	}
}

// runTask claims, releases or dismisses a finding, or flags an entry.
func runTask(ctx context.Context, a *app, ws *workspace.Workspace, o reviewOptions) error {
	by := cli.OneLine(strings.TrimSpace(o.by))
	client := person.Client(a.env) != ""
	switch {
	case by != "":
	case client:
		by = "an assistant"
	default:
		by = "a person"
	}
	if o.flag != "" {
		h, _, err := a.find(o.flag, "", false, true)
		if err != nil {
			return err
		}
		if h.ws != nil {
			ws = h.ws // where it lives
		}
		kind, id, err := h.Resolve(o.flag, "")
		if err != nil {
			return err
		}
		e, _, err := h.Read(kind, id)
		if err != nil {
			return err
		}
		id, err = a.tasks(ws).Flag(e, o.as, o.reason, by)
		if err != nil {
			return cli.Usage(err.Error(), "say it with --as: "+strings.Join(health.Reasons, ", "))
		}
		return a.answer(map[string]any{"id": id, "entry": e.Key(), "status": health.Pending}, func() { a.out.Println("flagged", e.Key(), "as", o.as+":", id) })
	}
	ref, to, verb := o.claim, health.Claimed, "claimed"
	switch {
	case o.release != "":
		ref, to, verb = o.release, health.Pending, "released"
	case o.dismiss != "":
		// What may mislead an assistant is not for one to call fine.
		if err := a.decider("dismissed", "pathrule review --dismiss "+o.dismiss); err != nil {
			return err
		}
		ref, to, verb = o.dismiss, health.Dismissed, "dismissed"
	}
	d, err := lookThrough(ctx, a, ws, nil, true)
	if err != nil {
		return err
	}
	f, err := a.tasks(ws).Set(d.Findings, strings.ToLower(strings.TrimSpace(ref)), to, by)
	var claimed *health.ClaimedError
	switch {
	case errors.Is(err, health.ErrNoFinding), errors.Is(err, health.ErrAmbiguous):
		return cli.Fail("not_found", err.Error()+": "+cli.OneLine(ref), "see \"pathrule review --all\"")
	case errors.As(err, &claimed):
		return cli.Fail("conflict", err.Error()+" since "+claimed.At.In(a.env.Now().Location()).Format("2006-01-02 15:04"), "take another one, or \"pathrule review --release "+cli.OneLine(ref)+"\" first")
	case err != nil:
		return err
	}
	return a.answer(map[string]any{"finding": f}, func() {
		a.out.Println(verb, f.ID+":", cli.OneLine(f.Why))
		if to == health.Claimed {
			a.out.Println("  →", a.out.Accent(cli.OneLine(f.Remedy)))
		}
	})
}
