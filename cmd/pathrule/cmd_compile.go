package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pathrule/compile"
	"pathrule/index/catalog"
	"pathrule/internal/cli"
	"pathrule/internal/doctor"
	"pathrule/internal/safegit"
	"pathrule/workspace"
)

type compileOptions struct {
	targets              []string
	check, dryRun, force bool
	allowDouble, remove  bool
	list, personal       bool
	maxTokens            int

	costs map[string]compile.Cost // filled in where it is not nil, by target
	named bool                    // by the person, not by a setting or what stands
}

func newCompileCommand(a *app) *cobra.Command {
	var o compileOptions
	c := &cobra.Command{
		Use:   "compile [TARGET...]",
		Short: "write rule files that clients load by themselves",
		Long: `Writes rule files that a client reads by itself. Without TARGET: those of the
setting compile.targets, and those that were compiled before. Files that you
edited by hand are never overwritten unless --force says so, and of a shared
file only the part between pathrule's markers changes.

Where a hook of the target's own client delivers, only a short note remains, and
only in files that pathrule wrote already; PATHRULE_SIGNATURE_MODE=off keeps whole
files. --check takes the files as they were compiled last, note or whole, so that
it says the same on every machine.

--list shows all targets, the clients that load each, and the room in a file.

Targets: ` + wrapped(compile.Targets()),
		Example: `  pathrule compile --list
  pathrule compile windsurf
  pathrule compile kiro cline --dry-run
  pathrule compile --check  # exit 3 when files are not current (for CI)
  pathrule compile claude --remove  # CLAUDE.md gets its own bytes back
  pathrule compile windsurf --personal  # with your own entries; git must ignore the files`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			o.targets = args
			return runCompile(c.Context(), a, o)
		},
		ValidArgs: compile.Targets(),
	}
	f := c.Flags()
	f.BoolVar(&o.check, "check", false, "write nothing; exit 3 when something is missing, edited or left over")
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "write nothing; show the differences")
	f.BoolVar(&o.force, "force", false, "overwrite our files although they were edited by hand")
	f.BoolVar(&o.allowDouble, "allow-double", false, "although one client reads this target and another one that stands")
	f.BoolVar(&o.remove, "remove", false, "remove what was compiled; a shared file gets its own bytes back")
	f.BoolVar(&o.list, "list", false, "show the targets and write nothing")
	f.BoolVar(&o.personal, "personal", false, "with your own entries too; git must ignore the files")
	f.IntVar(&o.maxTokens, "max-tokens", 0, "with --check: exit 3 when what a target puts into every request is more than `N` tokens")
	exclusive(c, "check", "dry-run")
	exclusive(c, "list", "check")
	exclusive(c, "list", "dry-run")
	exclusive(c, "list", "remove")
	return c
}

// wrapped joins words with commas, in lines that fit a terminal.
func wrapped(words []string) string {
	var b strings.Builder
	line := len("Targets: ")
	for i, w := range words {
		if i > 0 {
			b.WriteByte(',')
			if line+len(w) > 76 {
				b.WriteString("\n")
				line = 0
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteString(w)
		line += len(w) + 2
	}
	return b.String()
}

// compiled is one file in JSON.
type compiled struct {
	Target string `json:"target"`
	Path   string `json:"path"`
	Action string `json:"action"`
	Why    string `json:"why,omitempty"`
	Diff   string `json:"diff,omitempty"`

	forcible bool
}

// canForce: the file is refused, and --force would write it.
func canForce(f compiled) bool { return f.Action == compile.Refuse && f.forcible }

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
	if o.list {
		return a.listTargets(o.targets)
	}
	ws, err := a.workspace()
	if err != nil {
		return err
	}
	hooks, err := doctor.FindHooks(ws, a.env)
	if err != nil {
		return err
	}
	if o.named = len(o.targets) > 0; !o.named {
		if o.targets, err = a.compileTargets(ws); o.personal {
			o.targets, err = a.personalTargets(ws)
		}
		if err != nil {
			return err
		}
	}
	if len(o.targets) == 0 {
		return cli.Usage("nothing to compile: no target is named or set",
			"name one: pathrule compile windsurf", "see them all: pathrule compile --list",
			"or set it: pathrule config set compile.targets windsurf --scope repository")
	}
	x, err := a.openIndex(ctx, ws)
	if err != nil {
		return err
	}
	defer x.Close()
	o.costs = map[string]compile.Cost{}
	files, refused, changed, err := a.compile(ws, x, o)
	if err != nil {
		return err
	}
	notes := []string{}
	for _, t := range o.targets {
		if !o.remove && hooks.CompileOptions(t).Hooked && !slices.ContainsFunc(files, func(f compiled) bool { return f.Target == t }) {
			notes = append(notes, t+": nothing to write, since the client's hook delivers; PATHRULE_SIGNATURE_MODE=off writes whole files")
		}
	}
	costs, over := []costData{}, 0
	for _, t := range o.targets {
		c := o.costs[t]
		costs = append(costs, costData{t, c.Always, c.Paths})
		if o.check && o.maxTokens > 0 && c.Always > o.maxTokens {
			over++
			notes = append(notes, fmt.Sprintf("%s: %d tokens stand in every request, %d are allowed; give notes paths, or lower the priority of project-wide rules", t, c.Always, o.maxTokens))
		}
	}
	if o.named && !o.check && !o.dryRun && changed > 0 && slices.ContainsFunc(o.targets, holdsSkills) {
		notes = append(notes, "skills stand once: \"pathrule compile\" brings rule files of the same clients up to date")
	}
	data := map[string]any{"cost": costs, "targets": o.targets, "current": changed == 0 && refused == 0, "files": files, "notes": notes, "warnings": a.out.Warnings()}
	var fail *cli.Failure
	if refused > 0 && !o.check && !o.dryRun {
		hints := []string{"do what it says there, and run it again"}
		if slices.ContainsFunc(files, canForce) {
			hints = []string{"look at the differences: pathrule compile --dry-run --force", "overwrite what was edited by hand: pathrule compile --force"}
		}
		fail = cli.Fail("refused", countOf(refused, "file was", "files were")+" left as "+itIs(refused)+", for the reason above", hints...)
	}
	if err := a.answerFailed(data, fail, func() {
		printCompiled(a, files, o)
		for _, n := range notes {
			a.out.Println(n)
		}
	}); err != nil {
		return err
	}
	if o.check && changed+refused+over > 0 {
		return cli.Findings{N: changed + refused + over}
	}
	return nil
}

// costData is what a target weighs, in tokens.
type costData struct {
	Target string `json:"target"`
	Always int    `json:"always"`
	Paths  int    `json:"paths"`
}

func holdsSkills(name string) bool {
	return slices.ContainsFunc(compile.Describe(), func(t compile.Target) bool { return t.Name == name && t.Skills })
}

// targetData is one target in JSON.
type targetData struct {
	Name    string   `json:"name"`
	About   string   `json:"about"`
	Client  string   `json:"client,omitempty"`
	Files   []string `json:"files"`
	Readers []string `json:"readers"`
	Limit   string   `json:"limit"`
	Holds   string   `json:"holds"`
}

// listTargets shows the targets, all or those named.
func (a *app) listTargets(names []string) error {
	items := []targetData{}
	for _, t := range compile.Describe() {
		if len(names) > 0 && !slices.Contains(names, t.Name) {
			continue
		}
		d := targetData{Name: t.Name, About: t.About, Client: t.Host, Files: t.Files, Readers: []string{}, Limit: t.Limit, Holds: "rules"}
		if t.Skills {
			d.Holds = "skills"
		}
		for _, r := range t.Readers {
			name := r.Title
			if r.Else {
				name += " (without a file of its own)"
			}
			d.Readers = append(d.Readers, name)
		}
		items = append(items, d)
	}
	return a.answer(map[string]any{"items": items}, func() {
		for _, d := range items {
			a.out.Printf("%s %s\n", cli.Pad(d.Name, 17), d.About)
			a.out.Println(a.out.Dim("  files: " + strings.Join(d.Files, ", ")))
			a.out.Println(a.out.Dim("  loaded by: " + strings.Join(d.Readers, ", ")))
			a.out.Println(a.out.Dim("  room: " + d.Limit))
		}
	})
}

// compileTargets are the targets that are set, then those that were compiled
// before, then Claude Code's path rules where the user wants them.
func (a *app) compileTargets(ws *workspace.Workspace) ([]string, error) {
	settings, _, _ := workspace.LoadSettings(ws, a.dirs(), a.env)
	out := slices.Clone(settings.CompileTargets)
	managed, err := doctor.ManagedTargets(ws)
	for _, t := range managed {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	if err != nil {
		return out, err
	}
	hooks, err := doctor.FindHooks(ws, a.env)
	if hooks.Native() && !slices.Contains(out, doctor.ClaudeRules) {
		out = append(out, doctor.ClaudeRules)
	}
	return out, err
}

// personalTargets are those that were compiled with the user's own entries.
func (a *app) personalTargets(ws *workspace.Workspace) ([]string, error) {
	files, err := compile.PersonalFiles(ws, a.env)
	var out []string
	for _, f := range files {
		if !slices.Contains(out, f.Target) {
			out = append(out, f.Target)
		}
	}
	return out, err
}

// compile plans all targets and then, unless only asked to look, applies them:
// where one cannot be planned, nothing is written.
func (a *app) compile(ws *workspace.Workspace, src catalog.Source, o compileOptions) (files []compiled, refused, changed int, err error) {
	files = []compiled{}
	hooks, err := doctor.FindHooks(ws, a.env)
	if err != nil {
		return files, 0, 0, err
	}
	managed, err := compile.ManagedFiles(ws)
	if err != nil {
		return files, 0, 0, err
	}
	type planned struct {
		o       compile.Options
		changes []compile.Change
	}
	var plans []planned
	var said [][2]string
	for _, target := range o.targets {
		co := hooks.CompileOptions(target)
		if recorded, ok := compile.Recorded(target, managed); ok && o.check {
			co = recorded
		}
		co.Force, co.AllowDouble, co.Remove, co.Beside = o.force, o.allowDouble, o.remove, o.targets
		co.Personal, co.Ignored = o.personal, func(path string) bool { return gitIgnores(ws.Root, path) }
		changes, err := compile.Plan(ws, src, co, a.env)
		var double *compile.DoubleError
		if errors.As(err, &double) && o.implied(target, hooks) {
			a.out.Warn("%s: not compiled, since %s reads %s too; hooks deliver instead", target, double.Client, double.Other)
			continue
		}
		if err != nil {
			return files, refused, changed, err
		}
		if !o.check {
			doubles, err := compile.Doubles(ws, co, a.env)
			if err != nil {
				return files, refused, changed, err
			}
			for _, d := range doubles {
				// Two targets of one run name each other.
				if pair := [2]string{min(d.Target, d.Other), max(d.Target, d.Other)}; !slices.Contains(said, pair) {
					said = append(said, pair)
					a.out.Warn("%s", d)
				}
			}
		}
		plans = append(plans, planned{co, changes})
		if o.costs != nil {
			o.costs[target] = compile.CostOf(changes)
		}
		for _, c := range changes {
			f := compiled{Target: target, Path: c.Path, Action: c.Action, Why: c.Why, forcible: c.Forcible}
			switch c.Action {
			case compile.Refuse:
				refused++
			case compile.Keep, compile.Skip:
			default:
				changed++
			}
			if o.dryRun && c.Action != compile.Keep && c.Action != compile.Skip {
				f.Diff = cli.Diff(c.Path, c.Before, c.After)
			}
			files = append(files, f)
		}
	}
	if o.check || o.dryRun {
		return files, refused, changed, nil
	}
	for _, p := range plans {
		if err := compile.Apply(ws, p.changes, p.o, a.env); err != nil {
			return files, refused, changed, err
		}
	}
	return files, refused, changed, nil
}

// implied: the target was not asked for, it follows from a setting.
func (o compileOptions) implied(target string, hooks doctor.Hooks) bool {
	return target == doctor.ClaudeRules && hooks.Native() && !o.named
}

// gitIgnores asks git whether it ignores a path that it does not track; without
// git, nothing is ignored.
func gitIgnores(root, path string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return safegit.Command(ctx, root, "check-ignore", "-q", "--", path).Run() == nil
}

func printCompiled(a *app, files []compiled, o compileOptions) {
	kept, refused, skipped := 0, 0, 0
	for _, f := range files {
		if f.Action == compile.Keep {
			kept++
			continue
		}
		action := f.Action
		if f.Action == compile.Skip {
			skipped++
		}
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
	case len(files) == 0 && o.remove:
		a.out.Println("nothing to remove")
	case kept == len(files) && kept > 0:
		a.out.Println("current:", countOf(kept, "file", "files"))
	case kept > 0:
		a.out.Println(a.out.Dim(countOf(kept, "file is", "files are") + " current"))
	}
	if !o.check {
		return
	}
	if kept+refused+skipped < len(files) {
		a.out.Hint("run \"pathrule compile\"")
	}
	if slices.ContainsFunc(files, canForce) {
		a.out.Hint("what was edited by hand: move the edit into the entry it belongs to, then \"pathrule compile --force\" overwrites the file")
	}
}
