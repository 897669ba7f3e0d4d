package main

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pathrule/internal/cli"
	"pathrule/knowledge"
)

// The groups of the help page.
const (
	groupStart = "start"
	groupWrite = "write"
	groupAsk   = "ask"
	groupKeep  = "keep"
	groupTools = "tools"
)

// newRoot builds the whole command tree.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "pathrule",
		Short: "team knowledge for AI coding assistants, delivered by path",
		Long: `pathrule keeps what a team knows — memories, rules and skills — as Markdown files
in the repository, tied to paths, and gives each AI coding assistant the slice
that matters for the task and the files in hand.

Everything is local: no account, no server, no network.`,
		Example: `  pathrule init                    # make this project a workspace
  pathrule memory add "Retries are capped at 3" --path src/billing
  pathrule setup                   # wire the AI clients on this machine
  pathrule explain --prompt "fix the retry bug" --path src/billing/client.go
  pathrule demo                    # see the whole loop in a throw-away copy`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Version:           buildVersion().Version,
		DisableAutoGenTag: true,
		PersistentPreRun: func(c *cobra.Command, _ []string) {
			a.name = commandName(c)
			a.move()
			a.out = cli.NewOut(a.env, a.json, a.noColor)
		},
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return unknownOrHelp(c, args) },
	}
	root.SetVersionTemplate("pathrule {{.Version}}\n")
	root.SetIn(a.env.Stdin)
	root.SetOut(a.env.Stdout)
	root.SetErr(a.env.Stderr)
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommandGroupID(groupTools)
	root.SetHelpCommand(&cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "show the help of a command",
		Long:    "Shows what a command does, its flags and examples: the same as --help behind it.",
		Example: "  pathrule help memory add\n  pathrule help setup",
		Args:    cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			switch {
			case err != nil:
				return err
			case len(rest) > 0 && c.HasSubCommands():
				return unknownOrHelp(c, rest)
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			if c, _, err := root.Find(args); err == nil {
				for _, s := range c.Commands() {
					if !s.Hidden {
						names = append(names, s.Name()+"\t"+s.Short)
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	})

	pf := root.PersistentFlags()
	pf.BoolVar(&a.json, "json", a.json, "answer in JSON: {schema_version, ok, command, data} or error")
	pf.BoolVar(&a.noColor, "no-color", a.noColor, "no colour (also: NO_COLOR)")
	pf.StringVarP(&a.dir, "workspace", "C", "", "run as if started in `DIR` (add and edit: --path from the workspace root)")
	_ = root.MarkPersistentFlagDirname("workspace")

	root.AddGroup(
		&cobra.Group{ID: groupStart, Title: "Start:"},
		&cobra.Group{ID: groupWrite, Title: "Write knowledge:"},
		&cobra.Group{ID: groupAsk, Title: "Ask:"},
		&cobra.Group{ID: groupKeep, Title: "Keep in order:"},
		&cobra.Group{ID: groupTools, Title: "Programs and settings:"},
	)
	add := func(group string, cs ...*cobra.Command) {
		for _, c := range cs {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add(groupStart, newInitCommand(a), newSetupCommand(a), newUnsetupCommand(a), newDemoCommand(a))
	for _, kind := range knowledge.Kinds {
		add(groupWrite, newKindCommand(a, kind))
	}
	add(groupWrite, newUndoCommand(a))
	add(groupAsk, newSearchCommand(a), newExplainCommand(a), newContextCommand(a), newTreeCommand(a), newLogCommand(a), newStatsCommand(a))
	add(groupKeep, newStatusCommand(a), newDoctorCommand(a), newReviewCommand(a), newRepairCommand(a), newSyncCommand(a), newIndexCommand(a), newCompileCommand(a),
		newImportCommand(a), newExportCommand(a),
		newTrustCommand(a), newApproveCommand(a), newCheckCommand(a), newHooksCommand(a), newObserveCommand(a), newGuardsCommand(a), newInboxCommand(a), newGCCommand(a))
	add(groupTools,
		newConfigCommand(a), newModeCommand(a), newProofCommand(a), newMCPCommand(a),
		newHookCommand(a), newCompletionCommand(a), newVersionCommand(a),
	)
	root.AddCommand(renamed(newSetupCommand(a), "link"), renamed(newUnsetupCommand(a), "unlink"), renamed(newExplainCommand(a), "why"))
	root.SetFlagErrorFunc(flagError)
	strictArgs(root)
	fillHelp(root)
	help := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		// --help stops cobra before it looks at the words: behind a wrong one the
		// page of the command before it would be the answer to nothing.
		if rest := c.Flags().Args(); len(rest) > 0 && c.HasSubCommands() && c.Name() != "help" {
			a.wrongHelp = unknownOrHelp(c, rest)
			return
		}
		help(c, args)
	})
	return root
}

// helpWidth is how long a line of a help text may be, in characters.
const helpWidth = 84

// fillHelp breaks what is written in one long line in the source, here and in
// every command below.
func fillHelp(c *cobra.Command) {
	c.Long = filled(c.Long)
	for _, s := range c.Commands() {
		fillHelp(s)
	}
}

// filled sets the paragraphs of a text anew that have a line too long for a
// terminal. Indented lines are no prose and stay.
func filled(text string) string {
	paras := strings.Split(text, "\n\n")
	for i, p := range paras {
		lines := strings.Split(p, "\n")
		if !slices.ContainsFunc(lines, func(l string) bool { return cli.Width(l) > helpWidth }) ||
			slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, " ") }) {
			continue
		}
		var b strings.Builder
		room := 0
		for _, w := range strings.Fields(p) {
			switch n := cli.Width(w); {
			case b.Len() == 0:
				room = helpWidth - n
			case n+1 > room:
				b.WriteByte('\n')
				room = helpWidth - n
			default:
				b.WriteByte(' ')
				room -= n + 1
			}
			b.WriteString(w)
		}
		paras[i] = b.String()
	}
	return strings.Join(paras, "\n\n")
}

// renamed makes a command a hidden alias of itself; cobra's own aliases stand
// on the help page.
func renamed(c *cobra.Command, name string) *cobra.Command {
	c.Annotations = map[string]string{commandAnnotation: c.Name()}
	c.Use = name + strings.TrimPrefix(c.Use, c.Name())
	c.Hidden = true
	return c
}

// group is a command that only holds others.
func group(use, short, long, example string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, Long: long, Example: example,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return unknownOrHelp(c, args) },
	}
	c.AddCommand(subs...)
	return c
}

// unknownOrHelp answers a command that only holds others: its help, or what
// the wrong word may have meant.
func unknownOrHelp(c *cobra.Command, args []string) error {
	var names []string
	for _, s := range c.Commands() {
		if !s.Hidden {
			names = append(names, s.Name())
		}
	}
	if len(args) == 0 {
		if asked, _ := c.Flags().GetBool("json"); asked {
			return cli.Usage("\""+c.CommandPath()+"\" alone does nothing", "say which of its commands: "+strings.Join(names, ", "))
		}
		return c.Help()
	}
	if below := ofKinds(c, args); below != "" {
		return cli.Usage("unknown command \""+cli.OneLine(args[0])+"\" for \""+c.CommandPath()+"\"", below, "see \""+c.CommandPath()+" --help\"")
	}
	hints := []string{cli.DidYouMean(args[0], names), "see \"" + c.CommandPath() + " --help\""}
	if hints[0] == "" {
		hints = hints[1:]
	}
	return cli.Usage("unknown command \""+cli.OneLine(args[0])+"\" for \""+c.CommandPath()+"\"", hints...)
}

// ofKinds is the hint for a command that memories, rules and skills have, each
// their own: "pathrule show stripe-retries".
func ofKinds(c *cobra.Command, args []string) string {
	if c.HasParent() {
		return ""
	}
	kind, _, err := c.Find([]string{string(knowledge.Memory), args[0]})
	if err != nil || kind.Name() == string(knowledge.Memory) {
		return ""
	}
	more := ""
	if len(args) > 1 {
		more = " …"
	}
	return "say of what: pathrule memory|rule|skill " + cli.OneLine(args[0]) + more
}

// flagError turns pflag's message into a usage failure that names near flags.
func flagError(c *cobra.Command, err error) error {
	msg := err.Error()
	hints := []string{"see \"" + c.CommandPath() + " --help\""}
	if m := unknownFlag.FindStringSubmatch(msg); m != nil {
		var names []string
		visit := func(f *pflag.Flag) {
			if !f.Hidden && !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
		c.Flags().VisitAll(visit)
		c.InheritedFlags().VisitAll(visit)
		// Without the dashes, which would make short names look alike.
		near := cli.Nearest(m[1][2:], names)
		if slices.Contains(names, "body") && slices.Contains([]string{"text", "content", "message"}, m[1][2:]) {
			near = []string{"body"}
		}
		if len(near) > 0 {
			hints = append([]string{"did you mean --" + strings.Join(near, ", --") + "?"}, hints...)
		}
	}
	return cli.Usage(strings.TrimSpace(msg), hints...)
}

var unknownFlag = regexp.MustCompile(`^unknown flag: (--[^\s=]+)`)

// wrongWords says what is missing behind a command, or which word is too many.
func wrongWords(c *cobra.Command, args []string) string {
	var needed []string
	most, flag := 0, false
	for _, w := range strings.Fields(c.Use)[1:] {
		switch {
		case flag || strings.HasPrefix(w, "[-"): // a flag, up to its bracket
			flag = !strings.HasSuffix(strings.TrimSuffix(w, "..."), "]")
		case strings.HasPrefix(w, "-"):
		case strings.HasPrefix(w, "["):
			most++
		default:
			needed = append(needed, strings.TrimSuffix(w, "..."))
			most++
		}
	}
	if len(args) < len(needed) {
		missing := needed[len(args):]
		if len(missing) == 1 {
			return missing[0] + " is missing"
		}
		return strings.Join(missing, " and ") + " are missing"
	}
	extra := cli.OneLine(args[min(most, len(args)-1)])
	if most == 0 {
		return "\"" + extra + "\" is too much: " + c.CommandPath() + " takes no words"
	}
	return "\"" + extra + "\" is one word too many"
}

// exclusive makes two flags refuse each other.
func exclusive(c *cobra.Command, one, other string) {
	before := c.PreRunE
	c.PreRunE = func(c *cobra.Command, args []string) error {
		if before != nil {
			if err := before(c, args); err != nil {
				return err
			}
		}
		if c.Flags().Changed(one) && c.Flags().Changed(other) {
			return cli.Usage("--"+one+" and --"+other+" do not go together", "leave out one of them")
		}
		return nil
	}
}

// strictArgs makes every wrong number of arguments a usage failure.
func strictArgs(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			err := check(c, args)
			if err == nil {
				return nil
			}
			var said *cli.Failure
			if errors.As(err, &said) {
				return err // it says more than a count
			}
			hints := []string{"usage: " + c.UseLine(), "see \"" + c.CommandPath() + " --help\""}
			if c.Flags().Lookup("prompt") != nil && len(args) > 0 {
				hints = append([]string{"a prompt goes behind --prompt: " + c.CommandPath() + " --prompt \"" + cli.OneLine(strings.Join(args, " ")) + "\""}, hints...)
			}
			return cli.Usage(wrongWords(c, args), hints...)
		}
	}
	for _, s := range c.Commands() {
		strictArgs(s)
	}
}
