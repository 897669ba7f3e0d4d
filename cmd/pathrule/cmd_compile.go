package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pathrule/compile"
	"pathrule/index/catalog"
	"pathrule/internal/cli"
	"pathrule/internal/doctor"
	"pathrule/workspace"
)

type compileOptions struct {
	targets              []string
	check, dryRun, force bool
	allowDouble, remove  bool
}

func newCompileCommand(a *app) *cobra.Command {
	var o compileOptions
	c := &cobra.Command{
		Use:   "compile [TARGET...]",
		Short: "write rule files for clients without hooks",
		Long: `Writes rule files that a client reads by itself. Without TARGET: those of the
setting compile.targets, and those that were compiled before. Files that you
edited by hand are never overwritten unless --force says so.

Targets: ` + strings.Join(compile.Targets(), ", "),
		Example: "  pathrule compile windsurf\n  pathrule compile --check  # exit 3 when files are not current (for CI)\n  pathrule compile windsurf --dry-run",
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			o.targets = args
			return runCompile(c.Context(), a, o)
		},
		ValidArgs: compile.Targets(),
	}
	f := c.Flags()
	f.BoolVar(&o.check, "check", false, "write nothing; exit 3 when something is missing, edited or left over")
	f.BoolVar(&o.dryRun, "dry-run", false, "write nothing; show the differences")
	f.BoolVar(&o.force, "force", false, "overwrite our files although they were edited by hand")
	f.BoolVar(&o.allowDouble, "allow-double", false, "although one client reads this target and another one that stands")
	f.BoolVar(&o.remove, "remove", false, "remove what was compiled; a shared file gets its own bytes back")
	exclusive(c, "check", "dry-run")
	return c
}

// compiled is one file in JSON.
type compiled struct {
	Target string `json:"target"`
	Path   string `json:"path"`
	Action string `json:"action"`
	Why    string `json:"why,omitempty"`
	Diff   string `json:"diff,omitempty"`
}

func runCompile(ctx context.Context, a *app, o compileOptions) error {
	for _, t := range o.targets {
		if err := oneOf("compile", t, compile.Targets()...); err != nil {
			f := failureOf(err)
			f.Msg = "unknown target \"" + cli.OneLine(t) + "\""
			f.Hints = []string{"known targets: " + strings.Join(compile.Targets(), ", ")}
			if d := cli.DidYouMean(t, compile.Targets()); d != "" {
				f.Hints[0] += "; " + d
			}
			return f
		}
	}
	ws, err := a.workspace()
	if err != nil {
		return err
	}
	if len(o.targets) == 0 {
		if o.targets, err = a.compileTargets(ws); err != nil {
			return err
		}
	}
	if len(o.targets) == 0 {
		return cli.Usage("nothing to compile: no target is named or set",
			"name one: pathrule compile windsurf", "or set it: pathrule config set compile.targets windsurf --scope repository")
	}
	x, err := a.openIndex(ctx, ws)
	if err != nil {
		return err
	}
	defer x.Close()
	files, refused, changed, err := a.compile(ws, x, o)
	if err != nil {
		return err
	}
	data := map[string]any{"targets": o.targets, "current": changed == 0 && refused == 0, "files": files, "warnings": a.out.Warnings()}
	var fail *cli.Failure
	if refused > 0 && !o.check && !o.dryRun {
		fail = cli.Fail("refused", countOf(refused, "file was", "files were")+" left as "+isAre(refused)+": edited by hand",
			"look at the differences: pathrule compile --dry-run --force", "overwrite: pathrule compile --force")
	}
	if err := a.answerFailed(data, fail, func() { printCompiled(a, files, o) }); err != nil {
		return err
	}
	if o.check && changed+refused > 0 {
		return cli.Findings{N: changed + refused}
	}
	return nil
}

// compileTargets are the targets that are set, then those that were compiled
// before.
func (a *app) compileTargets(ws *workspace.Workspace) ([]string, error) {
	settings, _, _ := workspace.LoadSettings(ws, a.dirs(), a.env)
	out := slices.Clone(settings.CompileTargets)
	managed, err := doctor.ManagedTargets(ws)
	for _, t := range managed {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out, err
}

// compile plans and, unless only asked to look, applies all targets.
func (a *app) compile(ws *workspace.Workspace, src catalog.Source, o compileOptions) (files []compiled, refused, changed int, err error) {
	files = []compiled{}
	for _, target := range o.targets {
		co := compile.Options{Target: target, Force: o.force, AllowDouble: o.allowDouble, Remove: o.remove}
		changes, err := compile.Plan(ws, src, co, a.env)
		if err != nil {
			return files, refused, changed, err
		}
		for _, c := range changes {
			f := compiled{Target: target, Path: c.Path, Action: c.Action, Why: c.Why}
			switch c.Action {
			case "refuse":
				refused++
			case "keep":
			default:
				changed++
			}
			if o.dryRun && c.Action != "keep" {
				f.Diff = cli.Diff(c.Path, c.Before, c.After)
			}
			files = append(files, f)
		}
		if !o.check && !o.dryRun {
			if err := compile.Apply(ws, changes, co, a.env); err != nil {
				return files, refused, changed, err
			}
		}
	}
	return files, refused, changed, nil
}

func printCompiled(a *app, files []compiled, o compileOptions) {
	kept, refused := 0, 0
	for _, f := range files {
		if f.Action == "keep" {
			kept++
			continue
		}
		action := f.Action
		if f.Action == "refuse" {
			action = a.out.Bad("refused")
			refused++
		}
		a.out.Printf("%s %s", cli.Pad(action, 7), f.Path)
		if f.Why != "" {
			a.out.Printf("  %s", a.out.Dim(f.Why))
		}
		a.out.Println()
		a.out.PrintDiff(f.Diff)
	}
	switch {
	case kept == len(files):
		a.out.Println("current:", countOf(kept, "file", "files"))
	case kept > 0:
		a.out.Println(a.out.Dim(countOf(kept, "file is", "files are") + " current"))
	}
	if !o.check {
		return
	}
	if kept+refused < len(files) {
		a.out.Hint("run \"pathrule compile\"")
	}
	if refused > 0 {
		a.out.Hint("edited by hand: move the edit into the entry it belongs to, then \"pathrule compile --force\" overwrites the file")
	}
}
