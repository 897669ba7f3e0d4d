package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"pathrule/index"
	"pathrule/internal/cli"
	"pathrule/workspace"
)

type initOptions struct {
	dir     string
	private bool
	yes     bool
}

func newInitCommand(a *app) *cobra.Command {
	var o initOptions
	c := &cobra.Command{
		Use:   "init [DIR]",
		Short: "make this project a workspace",
		Long: `Makes .pathrule/ with folders for memories, rules and skills, finds the instruction
files of AI clients that are there already and offers to import them, and builds the
first index. The files are left as they are. Running it again changes nothing.

With --private the knowledge lies in your pathrule home and nothing is written
into the project.`,
		Example: "  cd my-project && pathrule init\n  pathrule init --private\n  pathrule init packages/api  # a workspace inside a workspace",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.dir = args[0]
			}
			return runInit(c.Context(), a, o)
		},
	}
	c.Flags().BoolVar(&o.private, "private", false, "keep the knowledge in your pathrule home, not in the project")
	c.Flags().BoolVarP(&o.yes, "yes", "y", false, "ask nothing, import nothing")
	return c
}

// inited is the answer of init in JSON.
type inited struct {
	Root     string     `json:"root"`
	Store    string     `json:"store"`
	ID       string     `json:"id"`
	Private  bool       `json:"private"`
	Created  bool       `json:"created"`
	Entries  int        `json:"entries"`
	Files    int        `json:"files"`
	Found    []guidance `json:"found"`
	Imported int        `json:"imported"`
	Warnings []string   `json:"warnings"`
}

func runInit(ctx context.Context, a *app, o initOptions) error {
	root := a.start()
	named := o.dir != "" || a.dir != ""
	if o.dir != "" {
		if root = o.dir; !filepath.IsAbs(root) {
			root = filepath.Join(a.start(), o.dir)
		}
		if st, err := os.Stat(root); err != nil || !st.IsDir() {
			return cli.Usage(o.dir+": no such folder", "make the folder first")
		}
	}
	before, err := workspace.Find(root, a.env)
	if err != nil && !errors.Is(err, workspace.ErrNone) {
		return err
	}
	here := before != nil && sameDir(before.Root, root)
	if !named && !here {
		if before != nil {
			// A second workspace inside the first is made only when asked for.
			return a.inited(ctx, before, false, false, "this folder lies in the workspace "+a.shown(before.Root)+
				"; for one of its own here: pathrule init .")
		}
		if top := projectTop(root); top != "" && !sameDir(top, root) {
			return cli.Fail("not_the_root", "this is a subfolder of the project "+a.shown(top),
				"run it there: pathrule init "+a.shown(top), "or for this folder alone: pathrule init .")
		}
	}
	ws, err := workspace.MakeStore(root, o.private, a.dirs(), a.env)
	if err != nil {
		f := fact(err, "refused")
		return f
	}
	note := ""
	if !here && projectTop(root) == "" && !looksLikeProject(root) {
		note = "this folder has neither version control nor a build file; if your project lies elsewhere, remove .pathrule and run init there"
	}
	return a.inited(ctx, ws, !here, !o.yes, note)
}

// mostFound bounds the instruction files that init names; import names all.
const mostFound = 20

// inited ends init: the workspace is the person's own, the first index stands,
// and the person knows what is there and what to try.
func (a *app) inited(ctx context.Context, ws *workspace.Workspace, created, ask bool, note string) error {
	if err := workspace.Own(ws, a.dirs(), false, a.env); err != nil {
		a.out.Warn("could not record that this workspace is yours: %v", err)
	}
	if err := workspace.RecordState(a.dirs()); err != nil {
		a.out.Warn("could not record where state lies: %v", err)
	}
	found, plan, imported, err := a.offerImport(ctx, ws, ask && created)
	if err != nil {
		a.out.Warn("import: %v", err)
	}
	done := a.out.Progress("indexing")
	rep, err := index.Refresh(ctx, ws, a.env, index.Limits{})
	// A long history is read on by "pathrule index" and the server.
	a.readHistory(ctx, ws, false, 3*time.Second)
	done()
	if err != nil {
		a.out.Warn("the first index could not be built: %v", err)
	}
	for _, p := range rep.Problems {
		a.warnProblem(p)
	}
	ans := inited{ws.Root, ws.Store, ws.ID, ws.Private, created, rep.Entries, rep.Files, some(found), imported, a.out.Warnings()}
	return a.answer(ans, func() {
		o := a.out
		switch {
		case created && ws.Private:
			o.Println("made a private workspace for", o.Accent(a.shown(ws.Root)), "in", a.shown(ws.Store))
		case created:
			o.Println("made", o.Accent(a.shown(ws.Store)))
		default:
			o.Println("already a workspace:", o.Accent(a.shown(ws.Root)))
		}
		o.Printf("indexed %s and %s of the project\n", countOf(rep.Entries, "entry", "entries"), countOf(rep.Files, "file", "files"))
		if imported > 0 {
			o.Println(o.Good("imported "+countOf(imported, "entry", "entries")), o.Dim(" take it back: pathrule undo"))
			for _, h := range splitHints(plan, true) {
				o.Println("  " + h)
			}
		} else if len(ans.Found) > 0 {
			o.Println("\n" + o.Bold("instruction files already here") + " (left as they are; clients go on reading them)")
			shown, wide := ans.Found[:min(len(ans.Found), mostFound)], 0
			for _, g := range shown {
				wide = max(wide, cli.Width(g.Path))
			}
			for _, g := range shown {
				o.Println("  "+cli.Pad(g.Path, wide), "", o.Dim(g.Client))
			}
			if n := len(ans.Found) - mostFound; n > 0 {
				o.Println(o.Dim("  and " + itoa(n) + " more"))
			}
		}
		if note != "" {
			o.Hint("%s", note)
		}
		o.Println("\n" + o.Bold("try"))
		if imported == 0 && len(ans.Found) > 0 {
			o.Println("  pathrule import", o.Dim("  makes entries of these files; shows what each becomes first"))
		}
		if rep.Entries == 0 {
			o.Println(`  pathrule memory add "Retries are capped at 3" --path src/billing`)
		} else {
			o.Println("  pathrule tree")
		}
		o.Println("  pathrule setup", o.Dim("  wires your AI clients"))
		o.Println(`  pathrule explain --prompt "fix the retry bug"`)
	})
}

func sameDir(x, y string) bool {
	a, err1 := os.Stat(x)
	b, err2 := os.Stat(y)
	return err1 == nil && err2 == nil && os.SameFile(a, b)
}
