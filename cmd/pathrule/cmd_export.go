package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"pathrule/importer"
	"pathrule/internal/atomicfile"
	"pathrule/internal/cli"
)

type exportOptions struct {
	dir      string
	format   string
	personal bool
}

func newExportCommand(a *app) *cobra.Command {
	o := exportOptions{format: "md"}
	c := &cobra.Command{
		Use:   "export [DIR]",
		Short: "write all entries out, to keep or to move",
		Long: `Writes every entry of this workspace byte for byte, skills with their files, and team.md:
as Markdown files into DIR (--format md), or as one JSON document into DIR or, without
DIR, to stdout (--format json). The same knowledge always gives the same bytes, and
"pathrule import DIR" brings it back.

DIR must be empty, or an earlier export, which is brought up to date. History, trash,
settings and approvals stay where they are.`,
		Example: "  pathrule export ../knowledge-backup\n  pathrule export --format json > knowledge.json\n  pathrule export --personal ~/my-notes",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.dir = args[0]
			}
			return runExport(a, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.format, "format", o.format, "md or json")
	f.BoolVar(&o.personal, "personal", false, "your own entries instead of the workspace's")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"md", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// exported is the answer of export in JSON.
type exported struct {
	Format   string   `json:"format"`
	Path     string   `json:"path"`
	Entries  int      `json:"entries"`
	Warnings []string `json:"warnings"`
}

func runExport(a *app, o exportOptions) error {
	switch {
	case o.format != "md" && o.format != "json":
		return cli.Usage("unknown format \""+o.format+"\"", "md or json")
	case o.format == "md" && o.dir == "":
		return cli.Usage("name the folder to write to", "pathrule export DIR, or --format json for stdout")
	}
	h, err := a.storeFor("", o.personal)
	if err != nil {
		return err
	}
	d, notes, err := importer.Export(h.Store)
	if err != nil {
		return err
	}
	for _, n := range notes {
		a.out.Warn("left behind: %s", n)
	}
	ans := exported{Format: o.format, Entries: len(d.Entries)}
	if o.format == "json" {
		doc, err := d.JSON()
		if err != nil {
			return err
		}
		if o.dir == "" {
			// The document is the answer, whatever --json says.
			_, err := a.env.Stdout.Write(doc)
			return err
		}
		ans.Path = filepath.Join(a.at(o.dir), importer.DumpName)
		if err := atomicfile.Write(ans.Path, doc, 0o644, 0o755); err != nil {
			return err
		}
	} else {
		ans.Path = a.at(o.dir)
		if err := d.WriteDir(ans.Path); err != nil {
			return err
		}
	}
	ans.Warnings = a.out.Warnings()
	return a.answer(ans, func() {
		a.out.Println(a.out.Good("wrote "+countOf(ans.Entries, "entry", "entries")), "to", a.shown(ans.Path))
		a.out.Println(a.out.Dim("bring them back: pathrule import " + a.shown(ans.Path)))
	})
}
