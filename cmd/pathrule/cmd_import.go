package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pathrule/guard/hookfile"
	"pathrule/importer"
	"pathrule/internal/cli"
	"pathrule/knowledge"
	"pathrule/knowledge/store"
	"pathrule/workspace"
)

type importOptions struct {
	paths     []string
	kind      string
	split     bool
	all       bool
	overwrite bool
	dryRun    bool
	yes       bool
}

func newImportCommand(a *app) *cobra.Command {
	var o importOptions
	c := &cobra.Command{
		Use:   "import [PATH...]",
		Short: "bring in the instruction files that are here already",
		Long: `Reads CLAUDE.md, AGENTS.md, GEMINI.md, QWEN.md, CODEBUDDY.md, .claude/rules, .cursor/rules,
.cursorrules, .windsurf/rules, .devin/rules, Copilot instructions, .clinerules, Kiro
steering, .qwen/rules, .rules, skills of every client, an older Pathrule store, and what
"pathrule export" wrote. Shows what each becomes and why, asks, and makes entries of them.

Scope comes from where a file lies and from its globs, read as its own client reads
them. Text is kept as it is. The files themselves are never changed or removed. Run it
again at any time: what is unchanged stays, what changed is brought up to date, and an
entry that you edited since is left alone.

With PATHs only these files and folders; what was named is imported although it would
otherwise be left out (commands, files below tests or examples).`,
		Example: `  pathrule import --dry-run           # each decision, nothing written
  pathrule import --yes               # without questions
  pathrule import AGENTS.md --split   # one entry for each section
  pathrule import .cursor/rules --kind rule
  pathrule import backup/             # what "pathrule export backup" wrote
  pathrule import ~/.pathrule/ID/pathrule.db  # an older store that lies elsewhere`,
		RunE: func(c *cobra.Command, args []string) error {
			o.paths = args
			return runImport(c.Context(), a, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.kind, "kind", "", "make every entry a `KIND`: memory, rule or skill (default: by form and words)")
	f.BoolVar(&o.split, "split", false, "one entry for each section of a file")
	f.BoolVar(&o.all, "all", false, "also Markdown files that no client reads where they lie")
	f.BoolVar(&o.overwrite, "overwrite", false, "replace entries that were edited since their import")
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "show each decision, write nothing")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	_ = c.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions([]string{"memory", "rule", "skill"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// importData is the answer of import in JSON.
type importData struct {
	*importer.Report
	Written int               `json:"written"`
	Failed  []importer.Failed `json:"failed"`
	Applied bool              `json:"applied"`
	// Noted: only what clients load by themselves was brought up to date.
	Noted    bool     `json:"noted,omitempty"`
	Warnings []string `json:"warnings"`
}

func runImport(ctx context.Context, a *app, o importOptions) error {
	switch k := knowledge.Kind(o.kind); k {
	case "", knowledge.Memory, knowledge.Rule, knowledge.Skill:
	default:
		return cli.Usage("unknown kind \""+o.kind+"\"", "memory, rule or skill", cli.DidYouMean(o.kind, []string{"memory", "rule", "skill"}))
	}
	ws, err := a.workspace()
	if err != nil {
		return err
	}
	im, err := a.importInto(ws)
	if err != nil {
		return err
	}
	r, err := im.plan(ctx, o)
	if err != nil {
		return err
	}
	data := importData{Report: r, Failed: []importer.Failed{}}
	a.printImport(r, o.dryRun)
	end := func(f *cli.Failure) error {
		data.Warnings = a.out.Warnings()
		return a.answerFailed(data, f, func() { a.importEnd(data, o) })
	}
	if o.dryRun {
		return end(nil)
	}
	if r.Changes() == 0 {
		// The entries may stand while the files that hold them are others.
		if len(r.Units) > 0 {
			if data.Noted, err = importer.Note(r, im.store, importWriter); err != nil {
				return err
			}
		}
		return end(nil)
	}
	if !o.yes {
		if !a.out.CanAsk() {
			data.Warnings = append(a.out.Warnings(), "nothing was imported: add --yes")
			return a.answerFailed(data, cli.Usage("nothing was imported: there is nobody to ask", "add --yes to do what stands above"), func() {})
		}
		if !a.out.Confirm("Write "+countOf(r.Changes(), "entry", "entries")+"?", true) {
			return cli.Fail("cancelled", "nothing was imported")
		}
	}
	err = a.hooking(ctx, nil, hookfile.Memory{Operation: "import"}, func() (_ string, err error) {
		done := a.out.Progress("writing")
		defer done()
		data.Written, data.Failed, err = importer.Apply(r, im.store, im.personal, importWriter)
		return "", err
	})
	data.Failed = some(data.Failed)
	data.Applied = true
	if err != nil {
		return err
	}
	a.published(ctx, &home{im.store, ws, false})
	var fail *cli.Failure
	if n := len(data.Failed); n > 0 {
		fail = cli.Fail("failed", countOf(n, "entry", "entries")+" could not be written", "the reasons stand above; the others were imported")
	}
	return end(fail)
}

// importing is a workspace with its stores, open for an import.
type importing struct {
	a        *app
	ws       *workspace.Workspace
	store    *store.Store
	personal *store.Store
}

func (a *app) importInto(ws *workspace.Workspace) (*importing, error) {
	s, err := store.Open(ws, a.dirs(), a.env)
	if err != nil {
		return nil, err
	}
	im := &importing{a: a, ws: ws, store: s}
	if im.personal, err = store.OpenPersonal(a.dirs(), a.env); err != nil {
		im.personal = nil
	}
	return im, nil
}

// plan looks through the workspace, or what was named of it.
func (im *importing) plan(ctx context.Context, o importOptions) (*importer.Report, error) {
	a := im.a
	io := importer.Options{All: o.all, Split: o.split, Kind: knowledge.Kind(o.kind), Overwrite: o.overwrite, Existing: importer.Known(im.store)}
	if im.personal != nil {
		io.Personal, io.Workspace = importer.Known(im.personal), im.name()
	}
	done := a.out.Progress("reading")
	defer done()
	r := &importer.Report{}
	var olds []string
	for _, p := range o.paths {
		at := a.at(p)
		if _, err := os.Stat(at); err != nil {
			return nil, cli.Fail("not_found", p+": no such file or folder", "name a file or folder of the project")
		}
		// An export and an older store may lie anywhere.
		if d, ok, err := importer.ReadDump(at); err != nil {
			return nil, err
		} else if ok {
			r.Add(importer.PlanDump(d, im.store, io))
			continue
		}
		if importer.IsOldStore(at) {
			olds = append(olds, at)
			continue
		}
		rel, ok := workspace.Rel(im.ws.Root, a.env.Cwd, at)
		if !ok {
			return nil, cli.Fail("refused", p+" lies outside the workspace "+a.shown(im.ws.Root), "copy it into the project, or run the import in the workspace that holds it")
		}
		io.Paths = append(io.Paths, rel)
	}
	if len(o.paths) == 0 || len(io.Paths) > 0 {
		files, err := importer.Plan(ctx, im.ws.Root, io)
		if err != nil {
			return nil, err
		}
		r.Add(files)
	}
	if len(o.paths) == 0 {
		olds = importer.OldStores(a.dirs().Home, im.ws.Root)
	}
	for _, old := range olds {
		io.Before = []*importer.Report{r}
		more, err := importer.PlanOldStore(old, filepath.Base(filepath.Dir(old))+"/"+filepath.Base(old), im.ws.Root, io)
		if err != nil {
			return nil, err
		}
		r.Add(more)
	}
	return r, nil
}

// name is how an entry of the personal store names this workspace: by its
// folder, from the home where it lies below it.
func (im *importing) name() string {
	if h := im.a.env.UserHome; h != "" {
		if rel, err := filepath.Rel(h, im.ws.Root); err == nil && filepath.IsLocal(rel) && rel != "." {
			return "~/" + filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(im.ws.Root)
}

// printImport shows the plan: each entry with where it comes from and why, and
// each file that makes none.
func (a *app) printImport(r *importer.Report, full bool) {
	o := a.out
	notes := map[string][]string{}
	for _, f := range r.Files {
		notes[f.Path] = f.Notes
	}
	last := ""
	for i := range r.Units {
		u := &r.Units[i]
		if u.Action == importer.Unchanged && !full {
			continue
		}
		from := strings.Join(u.From, ", ")
		if from != last {
			o.Println(o.Bold(from))
			last = from
		}
		line := "  " + cli.Pad(importWord(u.Action), 9) + " " + o.Accent(u.Key()) + "  " + cli.OneLine(u.Title)
		if u.Section != "" && u.Section != u.Title {
			line += o.Dim("  § " + cli.OneLine(u.Section))
		}
		o.Println(line)
		if u.Action == importer.Unchanged {
			continue
		}
		o.Println("            " + o.Dim("counts in ") + pathsShown(u.Paths) + o.Dim("  ("+cli.OneLine(u.ScopeWhy)+")"))
		o.Println("            " + o.Dim("kind: "+cli.OneLine(u.KindWhy)))
		if u.Files > 0 {
			o.Println("            " + o.Dim("with "+countOf(u.Files, "file", "files")+" of its folder"))
		}
		for _, n := range notes[u.From[0]] {
			o.Println("            " + o.Mild("note: "+cli.OneLine(n)))
		}
		notes[u.From[0]] = nil
	}
	first := true
	for _, f := range r.Files {
		if f.Result == importer.Imported || f.Result == importer.Merged || f.Result == importer.Part && !full {
			continue
		}
		if first {
			o.Println(o.Bold("left out"))
			first = false
		}
		o.Println("  "+f.Path, o.Dim(" "+cli.OneLine(f.Why)))
	}
	for i, g := range r.Gone {
		if i == 0 {
			o.Println(o.Bold("imported before, source gone") + o.Dim(" (the entries stay)"))
		}
		o.Println("  " + g)
	}
}

func importWord(action string) string {
	if action == importer.Edited {
		return "left"
	}
	return action
}

// importEnd says what was done and what a person may want to do now.
func (a *app) importEnd(data importData, o importOptions) {
	n, skipped, _ := data.Counts()
	if len(data.Units) == 0 && skipped == 0 {
		a.out.Println("no instruction files here")
		a.out.Hint("import another file by its name (pathrule import PATH), or write the first entry: pathrule memory add --help")
		return
	}
	a.out.Println()
	switch {
	case len(data.Units) == 0:
		a.out.Println("nothing to import; " + countOf(skipped, "file was", "files were") + " left out")
		return
	}
	what := kindCount(n[knowledge.Memory], knowledge.Memory) + ", " + kindCount(n[knowledge.Rule], knowledge.Rule) + ", " + kindCount(n[knowledge.Skill], knowledge.Skill)
	switch {
	case o.dryRun && data.Changes() > 0:
		a.out.Println("would write " + countOf(data.Changes(), "entry", "entries") + " (" + what + "); nothing was changed (--dry-run)")
	case data.Changes() == 0:
		a.out.Println("all is imported already (" + what + ")")
		if data.Noted {
			a.out.Println("noted anew which of the files clients load by themselves (.pathrule/imported.json)")
		}
	default:
		a.out.Println(a.out.Good("imported " + countOf(data.Written, "entry", "entries")))
		for _, f := range data.Failed {
			a.out.Println("  " + a.out.Bad(f.Key+": "+f.Err))
		}
	}
	if data.Changes() == 0 {
		return
	}
	for i, h := range append(splitHints(data.Report, data.Applied), data.Next...) {
		if i == 0 {
			a.out.Println("\n" + a.out.Bold("next"))
		}
		a.out.Println("  " + h)
	}
	if data.Applied {
		a.out.Println("  see what an assistant gets: pathrule explain --prompt \"…\" --path FILE")
		a.out.Println("  take this import back: pathrule undo")
	}
}

// splitHints are the commands that make an entry of each section of a guide.
func splitHints(r *importer.Report, applied bool) (out []string) {
	for _, s := range r.Splittable {
		file := s.Path
		if strings.ContainsAny(file, " '$&;()") {
			file = strconv.Quote(file)
		}
		line := s.Path + " is one entry for the whole workspace, of " + itoa(s.Sections) + " sections; as entries of their own each comes when it fits: pathrule import " + file + " --split"
		if applied {
			line += " (take this import back first: pathrule undo)"
		}
		out = append(out, line)
	}
	return out
}

// offerImport is the part of init: it says what is there and, on a terminal,
// asks whether to bring it in.
func (a *app) offerImport(ctx context.Context, ws *workspace.Workspace, ask bool) (found []guidance, r *importer.Report, imported int, err error) {
	im, err := a.importInto(ws)
	if err != nil {
		return nil, nil, 0, err
	}
	if r, err = im.plan(ctx, importOptions{}); err != nil {
		return nil, nil, 0, err
	}
	for _, f := range r.Files {
		if f.Result == importer.Imported || f.Result == importer.Merged {
			found = append(found, guidance{f.Path, f.Client})
		}
	}
	slices.SortFunc(found, func(a, b guidance) int { return strings.Compare(a.Path, b.Path) })
	if !ask || r.Changes() == 0 || !a.out.CanAsk() {
		return found, r, 0, nil
	}
	a.printImport(r, false)
	if !a.out.Confirm("\nImport "+countOf(r.Changes(), "entry", "entries")+" from "+countOf(len(found), "file", "files")+"? The files stay as they are.", false) {
		return found, r, 0, nil
	}
	n, failed := 0, []importer.Failed(nil)
	err = a.hooking(ctx, nil, hookfile.Memory{Operation: "import"}, func() (_ string, err error) {
		done := a.out.Progress("writing")
		defer done()
		n, failed, err = importer.Apply(r, im.store, im.personal, importWriter)
		return "", err
	})
	for _, f := range failed {
		err = errors.Join(err, errors.New(f.Key+": "+f.Err))
	}
	return found, r, n, err
}
