package main

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"pathrule/internal/cli"
	"pathrule/internal/doctor"
)

type doctorOptions struct{ quick bool }

func newDoctorCommand(a *app) *cobra.Command {
	var o doctorOptions
	c := &cobra.Command{
		Use:   "doctor",
		Short: "find out what is wrong and what to do",
		Long: `Looks at programs, folders, workspace, knowledge, index, clients, compiled files
and the hook log; tries every registered command with a sample event, and a whole
round from a write to a hook in a throw-away workspace. It changes nothing, needs
no network, and exits 3 when something should be done. The last line is the
command to run next; "pathrule repair" mends what needs no decision of yours.`,
		Example: "  pathrule doctor\n  pathrule doctor --quick\n  pathrule doctor --json",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return runDoctor(c.Context(), a, o) },
	}
	c.Flags().BoolVar(&o.quick, "quick", false, "start no other programs: no trial of commands, no self-test")
	return c
}

func runDoctor(ctx context.Context, a *app, o doctorOptions) error {
	ws, err := a.maybeWorkspace()
	if err != nil {
		return err
	}
	done := a.out.Progress("looking")
	rep := doctor.Run(ctx, doctor.Options{Workspace: ws, Project: projectTop(a.start()), Version: buildVersion().Version, Quick: o.quick}, a.env)
	done()
	n := rep.Findings()
	data := map[string]any{"findings": n, "lines": rep.Lines, "next": rep.Next, "version": buildVersion()}
	if err := a.answer(data, func() { printDoctor(a, rep, n) }); err != nil {
		return err
	}
	if n > 0 {
		return cli.Findings{N: n}
	}
	return nil
}

func printDoctor(a *app, rep doctor.Report, n int) {
	o := a.out
	printLines(a, rep.Lines)
	o.Println()
	if n == 0 {
		o.Println(o.Good("all is well"))
	} else {
		o.Println(o.Mild(countOf(n, "finding", "findings")))
	}
	o.Println("next:", o.Accent(rep.Next))
}

// printLines prints lines of a report, each section under its name.
func printLines(a *app, lines []doctor.Line) {
	o := a.out
	section := ""
	for _, l := range lines {
		if l.Section != section {
			section = l.Section
			o.Println(o.Bold(section))
		}
		mark := map[doctor.Level]string{doctor.OK: o.Good("ok  "), doctor.Note: o.Dim("note"), doctor.Warn: o.Mild("warn"), doctor.Bad: o.Bad("bad ")}[l.Level]
		text := cli.OneLine(l.Text)
		if l.File != "" {
			where := l.File
			if filepath.IsAbs(where) {
				where = a.shown(where)
			}
			if l.Line > 0 {
				where += ":" + itoa(l.Line)
			}
			text = where + ": " + text
		}
		o.Println(" ", mark, text)
		if l.Remedy != "" {
			o.Println("       →", o.Accent(cli.OneLine(l.Remedy)))
		}
	}
}
