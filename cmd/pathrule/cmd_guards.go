package main

import (
	"embed"
	"strings"

	"github.com/spf13/cobra"

	"pathrule/guard/pack"
	"pathrule/internal/cli"
	"pathrule/workspace"
)

//go:embed guards/*.md
var guardProcedures embed.FS

// guardRow is one guard of the pack.
type guardRow struct {
	Name    string `json:"name"`
	Setting string `json:"setting"`
	Value   string `json:"value"`
	On      bool   `json:"on"`
	Short   string `json:"short"`
}

var guardPack = []guardRow{
	{Name: pack.Dependencies, Short: "writes to dependency manifests and lock files"},
	{Name: pack.Eval, Short: "added code that runs text or rebuilds objects from bytes"},
	{Name: pack.Outside, Short: "writes outside the project (the git root above the tool's folder)"},
	{Name: pack.Plan, Short: "plans written anywhere but below these folders"},
	{Name: pack.Header, Short: "new source files without these texts at their top"},
	{Name: pack.Question, Short: "questions to the user without a recommended option"},
	{Name: pack.Context, Short: "advice when the conversation has grown large"},
}

func newGuardsCommand(a *app) *cobra.Command {
	c := group("guards", "the guards that come with pathrule", `Lists the built-in guards. Each is off until you turn it on with its setting, which is
yours alone: no repository can. A guard that finds nothing says nothing; one that
finds something tells the assistant what and where, once a session, and decides
nothing. Only "guards.question strict" denies: a question without a recommended
option.`, "  pathrule guards\n  pathrule config set guards.dependencies true --scope user\n  pathrule guards show dependencies",
		&cobra.Command{
			Use: "list", Aliases: []string{"ls"}, Short: "list them, with what is on",
			Long:    "Lists the guards with their settings. \"pathrule guards\" alone does the same.",
			Example: "  pathrule guards list --json", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error { return runGuardsList(a) },
		},
		&cobra.Command{
			Use: "show NAME", Short: "print a guard's full procedure",
			Long:    "Prints the procedure that the guard's findings point to as guard:NAME. It needs no workspace.",
			Example: "  pathrule guards show eval", Args: cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error { return runGuardsShow(a, args[0]) },
			ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return guardNames(), cobra.ShellCompDirectiveNoFileComp
			},
		})
	bare := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return bare(c, args)
		}
		return runGuardsList(a)
	}
	return c
}

func guardNames() []string {
	var out []string
	for _, g := range guardPack {
		out = append(out, g.Name)
	}
	return out
}

func runGuardsList(a *app) error {
	ws, err := a.maybeWorkspace()
	if err != nil {
		return err
	}
	s, _, _ := workspace.LoadSettings(ws, a.dirs(), a.env)
	items := []guardRow{}
	for _, g := range guardPack {
		g.Setting = "guards." + g.Name
		g.Value, _ = s.Get(g.Setting)
		g.On = g.Value != "" && g.Value != "false" && g.Value != "off"
		items = append(items, g)
	}
	return a.answer(map[string]any{"items": items}, func() {
		t := &cli.Table{Head: []string{"GUARD", "SETTING", "VALUE", "LOOKS AT"}, Flex: 3}
		t.Style = []func(string) string{a.out.Accent, nil, nil, a.out.Dim}
		for _, g := range items {
			value := g.Value
			if !g.On {
				value = "off"
			}
			t.Row(g.Name, g.Setting, value, g.Short)
		}
		a.out.Print(t)
		a.out.Hint("pathrule config set guards.NAME VALUE --scope user turns one on; pathrule guards show NAME prints its procedure")
	})
}

func runGuardsShow(a *app, name string) error {
	name = strings.TrimPrefix(name, "guard:")
	raw, err := guardProcedures.ReadFile("guards/" + name + ".md")
	if err != nil {
		hints := []string{"guards: " + strings.Join(guardNames(), ", ")}
		if d := cli.DidYouMean(name, guardNames()); d != "" {
			hints = append([]string{d}, hints...)
		}
		return cli.Fail("not_found", "no guard \""+cli.OneLine(name)+"\"", hints...)
	}
	return a.answer(map[string]any{"id": "guard:" + name, "name": name, "body": string(raw)}, func() { a.out.Printf("%s", raw) })
}
