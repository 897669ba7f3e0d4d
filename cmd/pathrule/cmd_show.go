package main

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"pathrule/internal/cli"
	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
	"pathrule/knowledge/store"
)

type showOptions struct {
	kind     knowledge.Kind
	ref      string
	version  string
	raw      bool
	body     bool
	personal bool
}

func newShowCommand(a *app, kind knowledge.Kind) *cobra.Command {
	o := showOptions{kind: kind}
	k := string(kind)
	c := &cobra.Command{
		Use:     "show ID",
		Aliases: []string{"read", "cat"},
		Short:   "show a " + k,
		Long:    "Shows what is known of a " + k + ", then its text. --raw prints the file byte for byte, --body the text alone.",
		Example: "  pathrule " + k + " show stripe-retries\n  pathrule " + k + " show stripe-retries --raw > copy.md\n  pathrule " + k + " show stripe-retries --version 3f2a",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.ref = args[0]
			return runShow(a, o)
		},
		ValidArgsFunction: a.completeIDs(kind),
	}
	f := c.Flags()
	f.BoolVar(&o.raw, "raw", false, "the file as it is, nothing else")
	f.BoolVar(&o.body, "body", false, "the text alone")
	f.StringVar(&o.version, "version", "", "an old `VERSION` from its history")
	f.BoolVar(&o.personal, "personal", false, "from your own store")
	return c
}

// shownEntry is a whole entry in JSON.
type shownEntry struct {
	item
	Description string            `json:"description,omitempty"`
	Tags        []string          `json:"tags"`
	Related     []string          `json:"related"`
	Enforcement string            `json:"enforcement,omitempty"`
	Block       []knowledge.Block `json:"block,omitempty"`
	Check       *knowledge.Check  `json:"check,omitempty"`
	Source      string            `json:"source,omitempty"`
	Created     string            `json:"created,omitempty"`
	Updated     string            `json:"updated,omitempty"`
	File        string            `json:"file"`
	Files       []string          `json:"files,omitempty"`
	Body        string            `json:"body"`
	Warnings    []string          `json:"warnings"`
}

func runShow(a *app, o showOptions) error {
	if o.raw && o.body {
		return cli.Usage("--raw and --body do not go together")
	}
	h, id, err := a.find(o.ref, o.kind, o.personal, true)
	if o.version != "" && errors.Is(err, knowledge.ErrNotFound) {
		// A deleted entry still has its history.
		err, id = nil, strings.TrimPrefix(o.ref, string(o.kind)+":")
	}
	if err != nil {
		return err
	}
	var e knowledge.Entry
	var raw []byte
	file := ""
	if o.version != "" {
		old, err := oldVersion(h.Store, o.kind, id, o.version)
		if err != nil {
			return err
		}
		file = old.File
		if raw, err = os.ReadFile(file); err != nil {
			return err
		}
		e, _, err = frontmatter.Parse(raw, o.kind, id, a.shown(file))
		if err != nil && !o.raw {
			return err
		}
	} else {
		e, raw, err = h.Read(o.kind, id)
		if err != nil && !(o.raw && raw != nil) {
			return err
		}
		file = h.Path(e)
	}
	switch {
	case o.raw && !a.json:
		return a.out.Raw(raw)
	case o.body && !a.json:
		return a.out.Raw([]byte(e.Body))
	}
	ans := shownEntry{item: itemOf(e), Description: e.Description, Tags: some(e.Tags), Related: some(e.Related),
		Enforcement: e.Enforcement, Block: e.Block, Check: e.Check, Source: e.Source, Created: e.Created, Updated: e.Updated,
		File: file, Body: e.Body}
	if o.kind == knowledge.Skill && o.version == "" {
		files, problems, err := h.SkillFiles(id)
		if err != nil {
			return err
		}
		for _, f := range files {
			ans.Files = append(ans.Files, f.Path)
		}
		for _, p := range problems {
			a.warnProblem(p)
		}
	}
	ans.Warnings = a.out.Warnings()
	return a.answer(ans, func() { printEntry(a, ans) })
}

func printEntry(a *app, e shownEntry) {
	o := a.out
	o.Println(o.Bold(cli.OneLine(e.Title)))
	line := func(name, value string) {
		if value != "" {
			o.Println(o.Dim(cli.Pad(name, 12)), cli.OneLine(value))
		}
	}
	line("id", string(e.Kind)+":"+e.ID)
	line("description", e.Description)
	line("paths", pathsShown(e.Paths))
	if e.Kind == knowledge.Rule {
		line("priority", string(e.Priority))
		enforcement := e.Enforcement
		if e.Waiting {
			enforcement = waitingText + " " + makeStrict(e.ID)
		}
		line("enforcement", enforcement)
	}
	for _, b := range e.Block {
		line("block", b.Pattern)
	}
	if e.Check != nil {
		line("check", e.Check.Command)
	}
	line("tags", strings.Join(e.Tags, ", "))
	line("related", strings.Join(e.Related, ", "))
	line("source", e.Source)
	line("created", e.Created)
	line("updated", e.Updated)
	line("version", e.Version)
	line("file", a.shown(e.File))
	line("files", strings.Join(e.Files, ", "))
	o.Println()
	o.Printf("%s", strings.TrimRight(cli.Plain(strings.TrimLeft(e.Body, "\r\n")), "\n")+"\n")
}

// oldVersion finds a kept version by a prefix of its hash.
func oldVersion(s *store.Store, kind knowledge.Kind, id, version string) (knowledge.OldVersion, error) {
	all, err := s.History(kind, id)
	if err != nil {
		return knowledge.OldVersion{}, err
	}
	var hits []knowledge.OldVersion
	for _, v := range all {
		if v.Version == version {
			return v, nil
		}
		if len(version) >= 4 && strings.HasPrefix(v.Version, version) {
			hits = append(hits, v)
		}
	}
	see := "see \"pathrule " + string(kind) + " history " + id + "\""
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		return knowledge.OldVersion{}, cli.Fail("not_found", "no kept version \""+version+"\" of "+string(kind)+" "+id, see)
	}
	return knowledge.OldVersion{}, cli.Fail("ambiguous", "more than one kept version begins with \""+version+"\"", see)
}
