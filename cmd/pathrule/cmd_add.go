package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pathrule/internal/cli"
	"pathrule/internal/doctor"
	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
	"pathrule/knowledge/store"
)

type addOptions struct {
	kind                   knowledge.Kind
	text                   string
	hasText                bool
	id, title, description string
	paths, tags, related   []string
	priority, enforcement  string
	source                 string
	from                   string
	personal, allowDup     bool
	workspaces             []string
}

func newAddCommand(a *app, kind knowledge.Kind) *cobra.Command {
	o := addOptions{kind: kind}
	k := string(kind)
	example := map[knowledge.Kind]string{
		knowledge.Memory: `  pathrule memory add "Stripe retries are capped at 3: the gateway bans us after the 4th" --path src/billing
  pathrule memory add --title "Why two clocks" --path 'src/**/*.go' < note.md
  pathrule memory add -  # read the text from stdin
  pathrule memory add  # write it in your editor`,
		knowledge.Rule: `  pathrule rule add "Never log card numbers" --path src/billing --priority high
  pathrule rule add --title "Migrations only go forward" --path db/migrations - < rule.md`,
		knowledge.Skill: `  pathrule skill add --title release --description "Cut a release" < steps.md
  pathrule skill add --from ./skills/release  # a folder with SKILL.md and its files`,
	}[kind]
	c := &cobra.Command{
		Use:   "add [TEXT|-]",
		Short: "add a " + k,
		Long: "Adds a " + k + " from TEXT, from stdin (\"-\" or a pipe), or from your editor.\n" +
			"Without --title the first line of the text names it. A text that begins with\n" +
			"frontmatter is taken as a whole file; flags win over it.\n\n" +
			"--path may be a file, a folder (covers everything below) or a glob from the\n" +
			"workspace root (src/**/*.ts); \"!\" in front excludes. None: the whole workspace.",
		Example: example,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				quoted := func(words ...string) string { return "\"" + cli.OneLine(strings.Join(words, " ")) + "\"" }
				hint := "put it in quotes: pathrule " + k + " add " + quoted(args...)
				if len(args) == 2 && strings.Contains(args[0], " ") {
					hint = "is the first one the title? pathrule " + k + " add --title " + quoted(args[0]) + " " + quoted(args[1])
				}
				return cli.Usage("the text must be one argument, and there are "+itoa(len(args)), hint)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			switch body := c.Flags().Changed("body"); {
			case body && len(args) == 1:
				hint := "both are the text"
				if o.title == "" {
					hint += "; is the first one the title? pathrule " + k + " add --title \"" + cli.OneLine(args[0]) + "\" --body …"
				}
				return cli.Usage("TEXT and --body do not go together", hint)
			case body:
				o.hasText = true
			case len(args) == 1:
				o.text, o.hasText = args[0], true
			}
			if o.from != "" {
				o.from = a.at(o.from)
			}
			return runAdd(c.Context(), a, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.title, "title", "", "title (default: the first line of the text)")
	f.StringVar(&o.text, "body", "", "the `TEXT`, where it is no argument (\"-\": from stdin)")
	f.StringArrayVarP(&o.paths, "path", "p", nil, "`PATH` or glob it speaks about (repeatable)")
	f.StringArrayVarP(&o.tags, "tag", "t", nil, "`TAG`: a word that somebody would ask with and the text does not use (repeatable)")
	f.StringVar(&o.id, "id", "", "`ID` (default: made from the title)")
	f.BoolVar(&o.personal, "personal", false, "into your own store, which joins every workspace")
	f.StringArrayVar(&o.workspaces, "in", nil, "with --personal: only in this `WORKSPACE` (id, folder or name; repeatable)")
	f.BoolVar(&o.allowDup, "allow-duplicate", false, "although an entry with this title exists")
	switch kind {
	case knowledge.Skill:
		nameIsTitle(f)
		f.StringVar(&o.description, "description", "", "what it does and when to use it, in one line")
		f.StringVar(&o.from, "from", "", "`DIR` with SKILL.md and its files")
		_ = c.MarkFlagDirname("from")
	case knowledge.Rule:
		f.StringVar(&o.priority, "priority", "", "`high|medium|low` (default medium)")
		f.StringVar(&o.enforcement, "enforcement", "", "`advisory|strict` (default advisory)")
		fixed(c, "priority", "high", "medium", "low")
		fixed(c, "enforcement", "advisory", "strict")
		fallthrough
	default:
		f.StringArrayVar(&o.related, "related", nil, "`ID` of a related entry (repeatable)")
		f.StringVar(&o.source, "source", "", "where it comes from: a link, a person, a ticket")
	}
	return c
}

// nameIsTitle takes --name for --title: in the file of a skill the key is name.
func nameIsTitle(f *pflag.FlagSet) {
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "name" {
			name = "title"
		}
		return pflag.NormalizedName(name)
	})
}

// added is the answer of add and edit.
type added struct {
	item
	File     string   `json:"file"`
	Near     []nearBy `json:"near"`
	Warnings []string `json:"warnings"`
}

type nearBy struct {
	Kind  knowledge.Kind `json:"kind"`
	ID    string         `json:"id"`
	Title string         `json:"title"`
	Score float64        `json:"score"`
}

func runAdd(ctx context.Context, a *app, o addOptions) error {
	if err := errors.Join(oneOf("--priority", o.priority, "high", "medium", "low"),
		oneOf("--enforcement", o.enforcement, "advisory", "strict")); err != nil {
		return err
	}
	if len(o.workspaces) > 0 && !o.personal {
		return cli.Usage("--in goes with --personal only", "an entry of the workspace belongs to this workspace")
	}
	h, err := a.storeFor("", o.personal)
	if err != nil {
		return err
	}
	text, edited, err := addText(a, o)
	if err != nil {
		return err
	}
	d, err := addDraft(a, h, o, text)
	if err == nil && o.from != "" {
		d.Files, d.Programs, err = skillFiles(o.from)
	}
	var e knowledge.Entry
	var near []store.Near
	if err == nil {
		err = a.hooking(ctx, h.ws, ofDraft(h.memory("create", d.Kind, d.ID), d), func() (string, error) {
			done := a.out.Progress("looking")
			e, near, err = h.Create(d, store.CreateOptions{AllowDuplicate: o.allowDup, By: writer})
			done()
			return e.ID, err
		})
	}
	if err != nil {
		return keepEdit(a, edited, err)
	}
	cli.DropEdit(edited)
	a.published(ctx, h, h.Path(e))
	warnScope(ctx, a, h, e)
	warnRelated(a, h, e, d.Related)
	ans := added{item: itemOf(e), File: h.Path(e), Near: []nearBy{}}
	for _, n := range near {
		ans.Near = append(ans.Near, nearBy{n.Kind, n.ID, n.Title, n.Score})
		a.out.Warn("%s:%s says nearly the same: %s", n.Kind, n.ID, cli.OneLine(n.Title))
	}
	ans.Warnings = a.out.Warnings()
	return a.answer(ans, func() {
		a.out.Printf("added %s %s  %s\n", e.Kind, a.out.Accent(e.ID), a.out.Dim(a.shown(h.Path(e))))
		a.out.Printf("  speaks about %s\n", pathsShown(e.Paths))
	})
}

// addText finds the text: an argument, a folder, a pipe, or the editor.
func addText(a *app, o addOptions) (text []byte, edited string, err error) {
	switch {
	case o.from != "" && o.hasText:
		return nil, "", cli.Usage("--from and TEXT do not go together", "the text of a folder is its SKILL.md")
	case o.from != "":
		text, err = a.readFile(filepath.Join(o.from, "SKILL.md"))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, "", cli.Fail("not_found", o.from+" has no SKILL.md", "name the folder that holds it")
		}
	case o.hasText && o.text != "-":
		text = []byte(o.text)
	case o.hasText || a.piped():
		text, err = a.readStdin()
	case a.out.CanAsk():
		text, edited, err = cli.Edit(a.env, string(o.kind)+".md", addTemplate(o))
		if err == nil && bytes.Equal(bytes.TrimSpace(text), bytes.TrimSpace(addTemplate(o))) {
			cli.DropEdit(edited)
			return nil, "", cli.Fail("cancelled", "nothing was written in the editor, so nothing was added")
		}
	default:
		return nil, "", cli.Usage("no text", "give it as an argument, or on stdin: pathrule "+string(o.kind)+" add --title … < note.md")
	}
	if err == nil && len(bytes.TrimSpace(text)) == 0 {
		return nil, edited, cli.Usage("the text is empty", "write what the "+string(o.kind)+" says")
	}
	return text, edited, err
}

// addTemplate is what the editor shows for a new entry.
func addTemplate(o addOptions) []byte {
	e := knowledge.Entry{Kind: o.kind, Title: o.title, Description: o.description, Paths: o.paths, Tags: o.tags,
		Priority: knowledge.Priority(o.priority)}
	head := frontmatter.Render(e)
	if !bytes.HasPrefix(head, []byte("---")) {
		head = []byte("---\ntitle: \n---\n")
		if o.kind == knowledge.Skill {
			head = []byte("---\nname: \ndescription: \n---\n")
		}
	}
	return append(head, '\n')
}

// addDraft puts flags and text together; flags win over the text's own
// frontmatter.
func addDraft(a *app, h *home, o addOptions, text []byte) (store.Draft, error) {
	d := store.Draft{Kind: o.kind, Body: string(text)}
	if bytes.HasPrefix(text, []byte("---")) {
		e, problems, err := frontmatter.Parse(text, o.kind, "new", "the text")
		if err != nil {
			return d, err
		}
		for _, p := range problems {
			if !p.Warning {
				return d, cli.Fail("invalid", a.problemText(p), p.Remedy)
			}
			a.warnProblem(p)
		}
		d = store.Draft{Kind: o.kind, Title: e.Title, Description: e.Description, Body: e.Body, Paths: e.Paths, Tags: e.Tags,
			Related: e.Related, Priority: e.Priority, Enforcement: e.Enforcement, Block: e.Block, Check: e.Check, Source: e.Source,
			Head: frontmatter.Foreign(text, o.kind)}
		if e.Title == "new" {
			d.Title = ""
		}
	}
	set := func(to *string, v string) {
		if v != "" {
			*to = v
		}
	}
	set(&d.Title, o.title)
	set(&d.ID, o.id)
	set(&d.Description, o.description)
	set(&d.Enforcement, o.enforcement)
	set(&d.Source, o.source)
	set((*string)(&d.Priority), o.priority)
	if len(o.paths) > 0 {
		d.Paths = nil
		for _, p := range o.paths {
			p, err := a.scopePath(h.ws, p)
			if err != nil {
				return d, err
			}
			d.Paths = append(d.Paths, p)
		}
	}
	if len(o.tags) > 0 {
		d.Tags = commaList(o.tags)
	}
	if len(o.related) > 0 {
		d.Related = commaList(o.related)
	}
	d.Workspaces = o.workspaces
	if d.Title == "" && d.ID != "" && o.kind == knowledge.Skill {
		d.Title = d.ID
	}
	if d.Title == "" {
		d.Title = firstLine(d.Body)
	}
	if o.kind == knowledge.Skill && d.Description == "" {
		return d, cli.Usage("a skill needs --description", "one line: what it does and when to use it")
	}
	return d, nil
}

// firstLine makes a title of a text: its first line that says something,
// without Markdown's marks, at a word's end when it is long.
func firstLine(text string) string {
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(l), "#>*-_ \t"))
		if l == "" {
			continue
		}
		r := []rune(l)
		if len(r) <= 80 {
			return strings.TrimRight(l, ".。:;, ")
		}
		cut := string(r[:80])
		if i := strings.LastIndexByte(cut, ' '); i > 40 {
			cut = cut[:i]
		}
		return strings.TrimRight(cut, ".:;, ")
	}
	return ""
}

// skillFiles reads a skill's further files, and which of them can be run.
func skillFiles(dir string) (files map[string][]byte, programs map[string]bool, err error) {
	files, programs = map[string][]byte{}, map[string]bool{}
	total := 0
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && p != "." {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() || p == "SKILL.md" {
			return nil
		}
		b, err := fs.ReadFile(root.FS(), p)
		if err != nil {
			return err
		}
		files[p] = b
		if st, err := d.Info(); err == nil && st.Mode()&0o100 != 0 {
			programs[p] = true
		}
		if total += len(b); total > store.MaxSkillBytes || len(files) > store.MaxSkillFiles {
			return cli.Fail("too_large", fmt.Sprintf("%s holds more than a skill may bring along (%d files, %d KiB)", dir, store.MaxSkillFiles, store.MaxSkillBytes>>10), "keep the large files in the repository and name their paths")
		}
		return nil
	})
	return files, programs, err
}

// keepEdit keeps what was written in an editor when it could not be stored,
// and says where it lies.
func keepEdit(a *app, file string, err error) error {
	if file == "" {
		return err
	}
	f := failureOf(err)
	f.Hints = append(f.Hints, "your text is kept in "+file)
	return f
}

// warnRelated names relations that lead to no entry: of this store, of the
// workspaces around it, or of the person's own.
func warnRelated(a *app, h *home, e knowledge.Entry, refs []string) {
	for _, ref := range refs {
		if _, _, err := h.Resolve(ref, ""); !errors.Is(err, knowledge.ErrNotFound) {
			continue
		}
		if _, _, err := a.find(ref, "", false, true); h.ws != nil && !errors.Is(err, knowledge.ErrNotFound) {
			continue
		}
		a.out.Warn("related \"%s\": there is no such entry", cli.OneLine(ref))
		a.out.Hint("it is saved; mend it with \"pathrule %s edit %s\", or add that entry", e.Kind, e.ID)
	}
}

// warnScope says what will surprise about an entry's paths.
func warnScope(ctx context.Context, a *app, h *home, e knowledge.Entry) {
	for _, w := range doctor.ScopeWarnings(ctx, h.ws, e) {
		a.out.Warn("%s", w.Msg)
		if w.Remedy != "" {
			a.out.Hint("%s", w.Remedy)
		}
	}
}
