package main

import (
	"context"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"pathrule/compile"
	"pathrule/index"
	"pathrule/internal/cli"
	"pathrule/internal/doctor"
	"pathrule/setup"
	"pathrule/workspace"
)

type repairOptions struct{ yes, dryRun bool }

func newRepairCommand(a *app) *cobra.Command {
	var o repairOptions
	c := &cobra.Command{
		Use:   "repair",
		Short: "mend what doctor finds",
		Long: `Mends what can be mended without a decision of yours: entries in the files of
clients that are set up (stale, double, missing, wrong time-out, a program that
moved), links to our programs, rights of our own folders, the index, compiled
files, and copies of your rule files that an older product left in
.pathrule/backups/: they go back where nothing stands, and go where the same text
stands. Then doctor looks again, and what is left is shown; the exit code is 3 when
something is. Clients that are not set up stay so; files edited by hand stay as
they are. Without a terminal and --yes the plan is printed, nothing is changed,
and the exit code is 2.`,
		Example: "  pathrule repair\n  pathrule repair --dry-run\n  pathrule repair --yes --json",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return runRepair(c.Context(), a, o) },
	}
	c.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	c.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "write nothing; show the differences")
	return c
}

// repairData is the answer of repair in JSON.
type repairData struct {
	Applied  bool             `json:"applied"`
	Files    []edited         `json:"files"`    // of clients
	Links    []mended         `json:"links"`    // to our programs
	Rights   []mended         `json:"rights"`   // of our folders
	Index    *mended          `json:"index"`    // null outside a workspace and where it is right
	Backups  []compile.Backup `json:"backups"`  // copies of the older product
	Compiled []compiled       `json:"compiled"` // files that are not current
	Left     []doctor.Line    `json:"left"`     // what doctor still finds
	Findings int              `json:"findings"`
	Next     string           `json:"next"`
	Warnings []string         `json:"warnings"`
}

// mended is one thing of our own with what is wrong with it.
type mended struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// repair is what was found and can be mended.
type repair struct {
	ws      *workspace.Workspace
	plans   []setup.Plan
	targets []string
	data    repairData
	n       int // things to mend
	refused int
}

func runRepair(ctx context.Context, a *app, o repairOptions) error {
	ws, err := a.maybeWorkspace()
	if err != nil {
		return err
	}
	r := &repair{ws: ws, data: repairData{Files: []edited{}, Links: []mended{}, Rights: []mended{}, Backups: []compile.Backup{}, Compiled: []compiled{}, Left: []doctor.Line{}}}
	if err := a.findRepairs(ctx, r, o.dryRun); err != nil {
		return err
	}
	a.printRepairs(r)
	if o.dryRun {
		r.data.Warnings = a.out.Warnings()
		r.data.Next = "pathrule repair"
		return a.answer(r.data, func() {
			if r.n+r.refused+len(r.data.Compiled)+len(r.data.Backups) == 0 {
				a.out.Println("nothing to mend")
			}
			a.out.Println("nothing was changed (--dry-run)")
		})
	}
	if r.n > 0 {
		if !o.yes {
			if !a.out.CanAsk() {
				r.data.Warnings = append(a.out.Warnings(), "nothing was changed: add --yes")
				return a.answerFailed(r.data, cli.Usage("nothing was changed: there is nobody to ask", "add --yes to do what stands above"), func() {})
			}
			if !a.out.Confirm("Mend this?", true) {
				return cli.Fail("cancelled", "nothing was changed")
			}
		}
		if err := a.applyRepairs(ctx, r); err != nil {
			return err
		}
		r.data.Applied = true
	}
	done := a.out.Progress("looking again")
	rep := doctor.Run(ctx, doctor.Options{Workspace: ws, Project: projectTop(a.start()), Version: buildVersion().Version}, a.env)
	done()
	for _, l := range rep.Lines {
		if l.Level == doctor.Warn || l.Level == doctor.Bad {
			r.data.Left = append(r.data.Left, l)
		}
	}
	r.data.Findings, r.data.Next, r.data.Warnings = rep.Findings(), rep.Next, a.out.Warnings()
	err = a.answer(r.data, func() {
		switch {
		case r.n == 0:
			a.out.Println("nothing to mend")
		default:
			a.out.Println(a.out.Good("done"))
		}
		if r.data.Findings > 0 {
			a.out.Println("\n" + a.out.Bold("left for you"))
		}
		printLines(a, r.data.Left)
		a.out.Println("next:", a.out.Accent(rep.Next))
	})
	if err == nil && r.data.Findings > 0 {
		return cli.Findings{N: r.data.Findings}
	}
	return err
}

// findRepairs looks without writing anything outside the cache.
func (a *app) findRepairs(ctx context.Context, r *repair, diffs bool) (err error) {
	root := ""
	if r.ws != nil {
		root = r.ws.Root
	}
	if r.plans, err = a.refreshPlans(root); err != nil {
		return err
	}
	for _, p := range r.plans {
		r.refused += len(p.Refused())
		for _, e := range p.Edits {
			if e.Action == setup.Keep {
				continue
			}
			if e.Action != setup.Refuse {
				r.n++
			}
			r.data.Files = append(r.data.Files, a.editedOf(e, diffs))
		}
	}
	if _, err := os.Lstat(setup.BinDir(a.env)); err == nil || len(r.plans) > 0 {
		for _, l := range setup.BinLinks(a.env) {
			if l.Problem != "" {
				r.data.Links = append(r.data.Links, mended{l.Path, l.Problem})
			}
		}
	}
	for _, dir := range workspace.OpenDirs(a.dirs()) {
		r.data.Rights = append(r.data.Rights, mended{dir, "is open to others"})
	}
	r.n += len(r.data.Links) + len(r.data.Rights)
	if r.ws == nil {
		return nil
	}
	switch rep, err := index.Status(r.ws, a.env); {
	case err != nil:
		r.data.Index = &mended{r.ws.Root, err.Error()}
	case rep.State != index.Fresh:
		r.data.Index = &mended{r.ws.Root, string(rep.State)}
	}
	if r.data.Index != nil {
		r.n++
	}
	for _, b := range compile.Backups(r.ws) {
		r.data.Backups = append(r.data.Backups, b)
		if b.Action != compile.Choose {
			r.n++
		}
	}
	if r.targets, err = a.compileTargets(r.ws); err != nil {
		a.out.Warn("compiled files are left: %v", err)
		r.targets = nil
	}
	if len(r.targets) == 0 {
		return nil
	}
	x, err := a.openIndex(ctx, r.ws)
	if err != nil {
		return err
	}
	defer x.Close()
	files, _, _, err := a.compile(r.ws, x, compileOptions{targets: r.targets, dryRun: true})
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.Action == "keep" || f.Action == "skip" {
			continue
		}
		if f.Action != "refuse" {
			r.n++
		}
		if !diffs {
			f.Diff = ""
		}
		r.data.Compiled = append(r.data.Compiled, f)
	}
	return nil
}

func (a *app) printRepairs(r *repair) {
	a.printPlan(setupData{Files: r.data.Files})
	for _, m := range slices.Concat(r.data.Links, r.data.Rights) {
		a.out.Printf("%s %s  %s\n", cli.Pad("mend", 7), a.shown(m.Path), a.out.Dim(m.Why))
	}
	if m := r.data.Index; m != nil {
		a.out.Printf("%s index  %s\n", cli.Pad("mend", 7), a.out.Dim(m.Why))
	}
	for _, b := range r.data.Backups {
		a.out.Printf("%s %s  %s\n", cli.Pad(b.Action, 7), a.shown(b.File), a.out.Dim(b.Why))
	}
	if len(r.data.Compiled) > 0 {
		printCompiled(a, r.data.Compiled, compileOptions{dryRun: true})
	}
}

func (a *app) applyRepairs(ctx context.Context, r *repair) error {
	for _, m := range r.data.Rights {
		if err := workspace.TightenDir(m.Path); err != nil {
			a.out.Warn("%s: %v", a.shown(m.Path), err)
		}
	}
	for _, p := range r.plans {
		if err := setup.Apply(p, a.env); err != nil {
			return err
		}
	}
	if len(r.data.Links) > 0 {
		if err := setup.Link(a.env); err != nil {
			a.out.Warn("%v", err)
		}
	}
	if r.ws == nil {
		return nil
	}
	if r.data.Index != nil {
		done := a.out.Progress("indexing")
		_, err := index.Refresh(ctx, r.ws, a.env, index.Limits{})
		if err != nil {
			// Damaged: it is derived, so it is built from nothing.
			_, err = index.Build(ctx, r.ws, a.env)
		}
		done()
		if err != nil {
			return err
		}
	}
	// Before compiling: a file that comes back gets its region.
	if err := compile.Settle(r.ws, r.data.Backups); err != nil {
		return err
	}
	if len(r.targets) == 0 {
		return nil
	}
	x, err := a.openIndex(ctx, r.ws)
	if err != nil {
		return err
	}
	defer x.Close()
	_, _, _, err = a.compile(r.ws, x, compileOptions{targets: r.targets})
	return err
}
