package main

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pathrule/internal/cli"
	"pathrule/internal/person"
	"pathrule/knowledge"
	"pathrule/knowledge/store"
)

type editOptions struct {
	kind      knowledge.Kind
	ref       string
	stdin     bool
	personal  bool
	allowDup  bool
	expect    string
	changed   func(flag string) bool
	title     string
	descr     string
	body      string
	appendTo  string
	prepend   string
	replace   string
	section   string
	with      string
	paths     []string
	addPaths  []string
	dropPaths []string
	tags      []string
	addTags   []string
	dropTags  []string
	related   []string
	priority  string
	enforce   string
	source    string
	id        string
}

func newEditCommand(a *app, kind knowledge.Kind) *cobra.Command {
	o := editOptions{kind: kind}
	k := string(kind)
	c := &cobra.Command{
		Use:   "edit ID [-]",
		Short: "edit a " + k,
		Long: "Without flags opens the file in your editor (VISUAL, EDITOR); what you saved is\n" +
			"checked before it takes the old one's place, and kept in a temp file when it\n" +
			"cannot. With \"-\" the whole file comes from stdin. Flags change single parts and\n" +
			"leave every other byte alone. The version before stays in the history." + waitingHelp(kind),
		Example: "  pathrule " + k + " edit stripe-retries\n" +
			"  pathrule " + k + " edit stripe-retries --add-path src/checkout --append \"Also true for refunds.\"\n" +
			"  pathrule " + k + " edit stripe-retries --replace \"capped at 3\" --with \"capped at 5\"\n" +
			"  pathrule " + k + " edit stripe-retries --section Background --with \"New text.\"",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			o.ref = args[0]
			if len(args) == 2 {
				if args[1] != "-" {
					return cli.Usage("edit takes one ID", "text goes in by --body, --append, --replace … or \"-\" for stdin")
				}
				o.stdin = true
			}
			o.changed = c.Flags().Changed
			return runEdit(c.Context(), a, o)
		},
		ValidArgsFunction: a.completeIDs(kind),
	}
	f := c.Flags()
	f.StringVar(&o.title, "title", "", "new title")
	f.StringVar(&o.id, "id", "", "new `ID` (moves the file)")
	f.StringVar(&o.body, "body", "", "new `TEXT` (\"-\": from stdin)")
	f.StringVar(&o.appendTo, "append", "", "`TEXT` to add at the end")
	f.StringVar(&o.prepend, "prepend", "", "`TEXT` to add at the beginning")
	f.StringVar(&o.replace, "replace", "", "`OLD` text, which must stand there once; with --with")
	f.StringVar(&o.section, "section", "", "`HEADING` whose text is replaced; with --with")
	f.StringVar(&o.with, "with", "", "`NEW` text for --replace or --section")
	f.StringArrayVarP(&o.paths, "path", "p", nil, "the new paths (repeatable; \"\" for the whole workspace)")
	f.StringArrayVar(&o.addPaths, "add-path", nil, "a `PATH` more (repeatable)")
	f.StringArrayVar(&o.dropPaths, "remove-path", nil, "a `PATH` less (repeatable)")
	f.StringArrayVarP(&o.tags, "tag", "t", nil, "the new tags (repeatable; \"\" for none)")
	f.StringArrayVar(&o.addTags, "add-tag", nil, "a `TAG` more (repeatable)")
	f.StringArrayVar(&o.dropTags, "remove-tag", nil, "a `TAG` less (repeatable)")
	f.StringVar(&o.expect, "expect", "", "refuse unless this `VERSION` stands now")
	f.BoolVar(&o.personal, "personal", false, "in your own store")
	f.BoolVar(&o.allowDup, "allow-duplicate", false, "although another entry has the new title")
	switch kind {
	case knowledge.Skill:
		nameIsTitle(f)
		f.StringVar(&o.descr, "description", "", "new description")
	case knowledge.Rule:
		f.StringVar(&o.priority, "priority", "", "`high|medium|low`")
		f.StringVar(&o.enforce, "enforcement", "", "`advisory|strict`")
		fixed(c, "priority", "high", "medium", "low")
		fixed(c, "enforcement", "advisory", "strict")
		fallthrough
	default:
		f.StringArrayVar(&o.related, "related", nil, "the new related `ID`s (repeatable; \"\" for none)")
		f.StringVar(&o.source, "source", "", "where it comes from")
	}
	return c
}

func runEdit(ctx context.Context, a *app, o editOptions) error {
	if err := errors.Join(oneOf("--priority", o.priority, "high", "medium", "low"),
		oneOf("--enforcement", o.enforce, "advisory", "strict")); err != nil {
		return err
	}
	h, id, err := a.find(o.ref, o.kind, o.personal, false)
	if err != nil {
		return err
	}
	old, raw, err := h.Read(o.kind, id)
	if err != nil && raw == nil {
		return err
	}
	broken := err != nil
	version := knowledge.Version(raw)
	if o.expect != "" && o.expect != version {
		return &knowledge.ConflictError{Kind: o.kind, ID: id, Current: version}
	}
	patch, flags, err := editPatch(a, h, o, old)
	if err != nil {
		return err
	}
	if err := a.lookedAt(o, old, &patch); err != nil {
		return err
	}
	var e knowledge.Entry
	switch {
	case flags && o.stdin:
		return cli.Usage("\"-\" and flags that change parts do not go together")
	case flags && broken:
		return cli.Fail("invalid", string(o.kind)+" "+id+" cannot be read, so single parts of it cannot be changed",
			"mend the file first: pathrule "+string(o.kind)+" edit "+id)
	case flags:
		e, err = a.update(ctx, h, o.kind, id, patch, version)
	case o.stdin:
		var text []byte
		if text, err = a.readStdin(); err == nil && len(bytes.TrimSpace(text)) == 0 {
			err = cli.Usage("the text is empty", "to remove it: pathrule "+string(o.kind)+" rm "+id)
		}
		if err == nil {
			e, err = a.replace(ctx, h, o.kind, id, text, version)
		}
	case a.out.CanAsk():
		e, err = editInEditor(ctx, a, h, o.kind, id, raw, version)
	default:
		return cli.Usage("nothing to change", "give flags such as --append or --title, \"-\" for stdin, or run it on a terminal",
			"see \"pathrule "+string(o.kind)+" edit --help\"")
	}
	if err != nil {
		return err
	}
	if e.Version == version && e.ID == id {
		return a.answer(added{itemOf(e), h.Path(e), []nearBy{}, a.out.Warnings()}, func() { a.out.Println("nothing changed") })
	}
	a.published(ctx, h, h.Path(old), h.Path(e))
	if !slices.Equal(old.Paths, e.Paths) {
		warnScope(ctx, a, h, e)
		if o.changed("related") {
			warnRelated(a, h, e, e.Related)
		}
	}
	return a.answer(added{itemOf(e), h.Path(e), []nearBy{}, a.out.Warnings()}, func() {
		a.out.Printf("changed %s %s  %s\n", e.Kind, a.out.Accent(e.ID), a.out.Dim(a.shown(h.Path(e))))
	})
}

func waitingHelp(kind knowledge.Kind) string {
	if kind != knowledge.Rule {
		return ""
	}
	return "\n\nA strict rule that an assistant wrote counts as advisory until you say\n" +
		"--enforcement strict here, at a terminal; its source then reads \"" + knowledge.ByPerson + "\"."
}

// lookedAt lets only a person end the waiting of a strict rule that an
// assistant wrote. What an assistant wrote as advisory is the same case: strict
// needs the look.
func (a *app) lookedAt(o editOptions, old knowledge.Entry, p *store.Patch) error {
	next := old
	if p.Enforcement != nil {
		next.Enforcement = *p.Enforcement
	}
	if p.Source != nil {
		next.Source = *p.Source
	}
	fromAssistant := strings.HasPrefix(old.Source, knowledge.ByAssistant)
	if o.kind != knowledge.Rule || !fromAssistant || next.Enforcement != knowledge.Strict || p.Enforcement == nil && p.Source == nil {
		return nil
	}
	if p.Source != nil && p.Enforcement == nil && next.Waits() {
		return nil // another assistant's name; it goes on waiting
	}
	if err := person.Check(a.env); err != nil {
		return &cli.Failure{Code: "refused", Msg: "not made strict: an assistant wrote rule " + old.ID + ", and " + err.Error(), Err: err,
			Hints: []string{"read it, then run \"" + old.MakeStrict() + "\" yourself in a terminal"}}
	}
	if p.Enforcement != nil && strings.HasPrefix(next.Source, knowledge.ByAssistant) {
		by := knowledge.ByPerson
		p.Source = &by
	}
	return nil
}

// editPatch turns flags into a patch; any is false when none was given.
func editPatch(a *app, h *home, o editOptions, old knowledge.Entry) (p store.Patch, any bool, err error) {
	p.AllowDuplicate = o.allowDup
	str := func(flag string, v string, to **string) {
		if o.changed(flag) {
			*to, any = &v, true
		}
	}
	str("title", o.title, &p.Title)
	str("id", o.id, &p.MoveTo)
	str("source", o.source, &p.Source)
	str("description", o.descr, &p.Description)
	str("enforcement", o.enforce, &p.Enforcement)
	if o.changed("priority") {
		pr := knowledge.Priority(o.priority)
		p.Priority, any = &pr, true
	}
	list := func(set, add, drop string, now, setTo, addTo, dropFrom []string, to **[]string) {
		if !o.changed(set) && !o.changed(add) && !o.changed(drop) {
			return
		}
		v := slices.Clone(now)
		if o.changed(set) {
			v = nil
			for _, s := range setTo {
				if s != "" {
					v = append(v, s)
				}
			}
		}
		for _, s := range addTo {
			if !slices.Contains(v, s) {
				v = append(v, s)
			}
		}
		v = slices.DeleteFunc(v, func(s string) bool { return slices.Contains(dropFrom, s) })
		*to, any = &v, true
	}
	var elsewhere error
	scoped := func(ps []string) (out []string) {
		for _, s := range ps {
			s, err := a.scopePath(h.ws, s)
			if err != nil && elsewhere == nil {
				elsewhere = err
			}
			out = append(out, s)
		}
		return out
	}
	for _, d := range o.dropPaths {
		if !slices.Contains(old.Paths, d) {
			return p, any, cli.Fail("not_found", "\""+cli.OneLine(d)+"\" is not among its paths", "its paths: "+pathsShown(old.Paths))
		}
	}
	list("path", "add-path", "remove-path", old.Paths, scoped(o.paths), scoped(o.addPaths), o.dropPaths, &p.Paths)
	if elsewhere != nil {
		return p, any, elsewhere
	}
	list("tag", "add-tag", "remove-tag", old.Tags, commaList(o.tags), commaList(o.addTags), commaList(o.dropTags), &p.Tags)
	list("related", "", "", old.Related, commaList(o.related), nil, nil, &p.Related)

	var contents []store.ContentEdit
	if o.changed("body") {
		body, err := a.readText(o.body)
		if err != nil {
			return p, any, err
		}
		p.Body, any = &body, true
	}
	for _, c := range []struct{ flag, text string }{{"append", o.appendTo}, {"prepend", o.prepend}} {
		if o.changed(c.flag) {
			text, err := a.readText(c.text)
			if err != nil {
				return p, any, err
			}
			contents = append(contents, store.ContentEdit{Op: c.flag, Text: text})
		}
	}
	if o.changed("replace") {
		contents = append(contents, store.ContentEdit{Op: "str_replace", Old: o.replace, Text: o.with})
	}
	if o.changed("section") {
		contents = append(contents, store.ContentEdit{Op: "replace_section", Section: o.section, Text: o.with})
	}
	switch {
	case o.changed("with") != (o.changed("replace") || o.changed("section")):
		return p, any, cli.Usage("--with goes with --replace or --section", "for example: --replace OLD --with NEW")
	case len(contents) > 1 || len(contents) == 1 && p.Body != nil:
		return p, any, cli.Usage("one change of the text at a time", "use one of --body, --append, --prepend, --replace, --section")
	case len(contents) == 1:
		p.Content, any = &contents[0], true
	}
	return p, any, nil
}

// editInEditor lets the person edit the whole file, as often as it takes.
func editInEditor(ctx context.Context, a *app, h *home, kind knowledge.Kind, id string, raw []byte, version string) (knowledge.Entry, error) {
	name := strings.ReplaceAll(id, "/", "-") + ".md"
	for text, last := raw, ""; ; {
		edited, file, err := cli.Edit(a.env, name, text)
		if file == "" {
			file = last
		} else {
			cli.DropEdit(last)
		}
		if err != nil {
			return knowledge.Entry{}, keepEdit(a, file, err)
		}
		if bytes.Equal(edited, raw) {
			cli.DropEdit(file)
			e, _, err := h.Read(kind, id)
			return e, err
		}
		e, err := a.replace(ctx, h, kind, id, edited, version)
		if err == nil {
			cli.DropEdit(file)
			return e, nil
		}
		if !errors.Is(err, knowledge.ErrInvalid) {
			return e, keepEdit(a, file, err)
		}
		f := failureOf(err)
		a.out.Fail(a.name, f)
		if !a.out.Confirm("Edit again?", true) {
			return e, &cli.Failure{Code: "invalid", Msg: string(kind) + " " + id + " is unchanged", Hints: []string{"your text is kept in " + file}, Err: err}
		}
		text, last = edited, file
	}
}
