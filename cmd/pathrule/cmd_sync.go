package main

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"pathrule/host"
	"pathrule/index"
	"pathrule/internal/cli"
	"pathrule/setup"
)

type syncOptions struct{ dryRun bool }

func newSyncCommand(a *app) *cobra.Command {
	var o syncOptions
	c := &cobra.Command{
		Use:   "sync",
		Short: "bring index, registrations and compiled files up to date",
		Long: `Brings the index up to date, rewrites registrations of ours that are out of date
(another path of the program, a new event), and compiles the targets that are set
or were compiled before. Prints what changed. Clients that are not set up stay so.`,
		Example: "  pathrule sync\n  pathrule sync --dry-run",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return runSync(c.Context(), a, o) },
	}
	c.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "write nothing outside pathrule's cache; show the differences")
	return c
}

// syncData is the answer of sync in JSON.
type syncData struct {
	Index    indexData  `json:"index"`
	Files    []edited   `json:"files"`
	Compiled []compiled `json:"compiled"`
	Next     []string   `json:"next"`
	Warnings []string   `json:"warnings"`
}

func runSync(ctx context.Context, a *app, o syncOptions) error {
	ws, err := a.workspace()
	if err != nil {
		return err
	}
	done := a.out.Progress("indexing")
	rep, err := index.Refresh(ctx, ws, a.env, index.Limits{})
	commits := 0
	if err == nil {
		commits = a.readHistory(ctx, ws, false, 20*time.Second)
	}
	done()
	if err != nil {
		return err
	}
	for _, p := range rep.Problems {
		a.warnProblem(p)
	}
	data := syncData{Index: indexData{rep.State, rep.Generation, rep.Entries, rep.Files, rep.Changed, rep.Built,
		float64(rep.Took) / float64(time.Millisecond), problemsData(rep.Problems), commits}, Files: []edited{}, Compiled: []compiled{}, Next: []string{}}

	plans, err := a.refreshPlans(ws.Root)
	if err != nil {
		return err
	}
	refused := 0
	for _, p := range plans {
		refused += len(p.Refused())
		for _, e := range p.Edits {
			data.Files = append(data.Files, a.editedOf(e, o.dryRun))
		}
		if p.Changes() && !o.dryRun {
			if err := setup.Apply(p, a.env); err != nil {
				return err
			}
			data.Next = append(data.Next, p.Next...)
		}
	}

	// After the registrations: what hooks deliver needs no whole files.
	targets, err := a.compileTargets(ws)
	if err != nil {
		return err
	}
	if len(targets) > 0 {
		x, err := a.openIndex(ctx, ws)
		if err != nil {
			return err
		}
		defer x.Close()
		files, n, _, err := a.compile(ws, x, compileOptions{targets: targets, dryRun: o.dryRun})
		if err != nil {
			return err
		}
		data.Compiled, refused = files, refused+n
	}
	data.Warnings = a.out.Warnings()
	var fail *cli.Failure
	if refused > 0 {
		fail = cli.Fail("refused", countOf(refused, "file was", "files were")+" left as "+itIs(refused), "mend what is named above, then run it again")
	}
	return a.answerFailed(data, fail, func() { a.printSync(o, rep, data) })
}

// refreshPlans plans the setup of every client and scope that is set up. root
// is the project's, "" outside of one.
func (a *app) refreshPlans(root string) ([]setup.Plan, error) {
	found, err := setup.Inspect(root, a.env)
	if err != nil {
		return nil, err
	}
	var plans []setup.Plan
	for _, scope := range []host.Scope{host.User, host.Project} {
		var hosts []host.Host
		for _, h := range host.All() {
			if slices.ContainsFunc(found, func(i setup.Installed) bool { return i.Host == h.ID() && i.Scope == scope && i.Folder == "" }) {
				hosts = append(hosts, h)
			}
		}
		if len(hosts) == 0 {
			continue
		}
		// The other scope may stand as well; that is for doctor to say.
		p, err := setup.PlanSetup(hosts, root, setup.Options{Scope: scope, Refresh: true}, a.env)
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return plans, nil
}

func (a *app) printSync(o syncOptions, rep index.Report, d syncData) {
	printIndex(a.out, rep, d.Index.Commits, false)
	changed := 0
	for _, f := range d.Files {
		if f.Action != "keep" {
			changed++
		}
	}
	switch {
	case len(d.Files) == 0:
		a.out.Println("clients: none is set up", a.out.Dim("(pathrule setup)"))
	case changed == 0:
		a.out.Println("clients: registrations are current")
	default:
		var show []edited
		for _, f := range d.Files {
			if f.Action != "keep" {
				show = append(show, f)
			}
		}
		a.printPlan(setupData{Files: show})
	}
	if len(d.Compiled) > 0 {
		printCompiled(a, d.Compiled, compileOptions{dryRun: o.dryRun})
	}
	for _, n := range d.Next {
		a.out.Println("  " + n)
	}
}
