package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"pathrule/examples"
	"pathrule/internal/cli"
	"pathrule/internal/demo"
	"pathrule/internal/doctor"
)

type demoOptions struct{ keep bool }

func newDemoCommand(a *app) *cobra.Command {
	var o demoOptions
	c := &cobra.Command{
		Use:   "demo",
		Short: "see the whole loop in a throw-away copy of an example",
		Long: `Copies an example project into a temp folder with a home of its own and plays the
loop there, each step a process as a client would start it: index, session start,
a prompt, tools, a quiet repeat, an MCP conversation, a compile. It shows what was
sent, what was delivered and why, and how long it took; it fails when a step did
not deliver what it must. Nothing of yours is touched and nothing stays behind.`,
		Example: "  pathrule demo\n  pathrule demo --json\n  pathrule demo --keep",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return runDemo(c.Context(), a, o) },
	}
	c.Flags().BoolVar(&o.keep, "keep", false, "leave the copy and say where it lies")
	return c
}

func runDemo(ctx context.Context, a *app, o demoOptions) error {
	if a.env.Executable == "" {
		return cli.Fail("failed", "this program's own path is unknown, so it cannot be started again")
	}
	n := 0
	res, err := demo.Run(ctx, demo.Options{Project: examples.Shop(), Script: shopScript, Self: a.env.Executable,
		Hook: doctor.HookProgram(a.env), Keep: o.keep, Env: a.env,
		Each: func(s demo.Step) { n++; printStep(a.out, n, s) }})
	var fail *cli.Failure
	switch {
	case errors.Is(err, demo.ErrFailed):
		fail = cli.Fail("failed", err.Error(), "find out more: pathrule doctor")
	case err != nil:
		return err
	}
	if err := a.answerFailed(map[string]any{"passed": err == nil, "steps": res.Steps, "folder": res.Folder}, fail, func() {}); err != nil {
		return err
	}
	a.out.Println(a.out.Good("All " + itoa(n) + " steps delivered what they must."))
	if res.Folder != "" {
		a.out.Println("The copy lies in", res.Folder)
	} else {
		a.out.Println("Nothing was left behind. For your own project: pathrule init")
	}
	return nil
}

// printStep shows one step: what was sent, what came back, why, how long it
// took.
func printStep(o *cli.Out, n int, s demo.Step) {
	o.Printf("%s %s  %s\n", o.Accent(fmt.Sprintf("%d.", n)), o.Bold(s.Title), o.Dim(fmt.Sprintf("%.1f ms", s.MS)))
	field := func(name, text string) {
		if text == "" {
			return
		}
		for i, l := range strings.Split(strings.TrimRight(cli.Plain(text), "\n"), "\n") {
			if i > 0 {
				name = ""
			}
			o.Println("   "+o.Dim(cli.Pad(name, 9)), l)
		}
	}
	field("ran", programOf(s.Command))
	field("sent", s.Sent)
	field("got", s.Got)
	var why []string
	for _, it := range s.Items {
		line := fmt.Sprintf("%s %s:%s", cli.Pad(it.Form, 4), it.Kind, it.ID)
		var signals []string
		for _, w := range it.Why {
			signals = append(signals, strings.ReplaceAll(w.Signal, "_", " ")+" "+trimFloat(w.Value))
		}
		if len(signals) > 0 {
			line += "  because " + strings.Join(signals, ", ")
		}
		why = append(why, line)
	}
	field("why", strings.Join(why, "\n"))
	if s.Text != "" {
		field("told", countOf(s.Tokens, "token", "tokens"))
		for l := range strings.Lines(s.Text) {
			o.Println("   "+o.Dim("        │"), strings.TrimRight(cli.Plain(l), "\n"))
		}
	}
	if s.Problem != "" {
		field("FAILED", o.Bad(s.Problem))
	}
	o.Println()
}

// programOf is a command without the folders of its program.
func programOf(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	words := append([]string{}, argv...)
	words[0] = strings.TrimSuffix(words[0][strings.LastIndexAny(words[0], `/\`)+1:], ".exe")
	return strings.Join(words, " ")
}
