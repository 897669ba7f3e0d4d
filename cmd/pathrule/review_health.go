package main

import (
	"context"
	"slices"
	"strings"

	"pathrule/internal/cli"
	"pathrule/internal/health"
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

// lookThrough finds what no longer fits the project; kinds empty: all.
func lookThrough(ctx context.Context, a *app, ws *workspace.Workspace, kinds []string) (d reviewData, err error) {
	d = reviewData{Findings: []health.Finding{}, Cost: []health.Cost{}}
	defer a.out.Progress("looking")()
	found, err := health.Look(ctx, ws, a.env, health.Given{})
	if err != nil {
		return d, err
	}
	var wired []string
	if all, err := setup.Inspect(ws.Root, a.env); err == nil {
		for _, i := range all {
			wired = append(wired, i.Host)
		}
	}
	d.Cost = append(d.Cost, health.Costs(ws, a.env, wired)...)
	for _, c := range d.Cost {
		if c.Total() > health.HighCost {
			found = append(found, health.Finding{Kind: costKind, File: ws.Store, Remedy: "pathrule rule list",
				Why: c.Host + " is told " + itoa(c.Total()) + " tokens in every session; give rules for the whole workspace a path, and shorten team.md"})
		}
	}
	for _, f := range found {
		if len(kinds) == 0 || slices.Contains(kinds, string(f.Kind)) {
			d.Findings = append(d.Findings, f)
		}
	}
	return d, nil
}

func printReview(a *app, d reviewData) {
	o := a.out
	for _, f := range d.Findings {
		o.Println(o.Dim(string(f.Kind)), a.shown(f.File)+": "+cli.OneLine(f.Why))
		o.Println("  →", o.Accent(cli.OneLine(f.Remedy)))
	}
	for _, c := range d.Cost {
		o.Println(o.Dim(c.Host + ": " + countOf(c.Total(), "token", "tokens") + " in every session"))
	}
	if n := len(d.Findings); n > 0 {
		o.Println(o.Mild(countOf(n, "finding", "findings")))
	}
}
