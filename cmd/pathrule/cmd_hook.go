package main

import (
	"github.com/spf13/cobra"

	"pathrule/guard/match"
	"pathrule/hookrunner"
	"pathrule/hookrunner/live"
	"pathrule/internal/sysenv"
)

func newHookCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "hook [--host HOST]",
		Short: "answer one host event (run by the AI client, not by you)",
		Long: `Reads one event as JSON on stdin and answers in the client's own format, or with
nothing. It always exits 0: a hook that fails never stops your work; what went
wrong stands in the hook log, which "pathrule doctor" shows.`,
		Example:            `  pathrule hook --host codex < event.json`,
		DisableFlagParsing: true, DisableFlagsInUseLine: true,
		Run: func(c *cobra.Command, args []string) {
			if wantsHelp(args) {
				_ = c.Help()
				return
			}
			runHook(args, a.env)
		},
	}
	c.Flags().String("host", "", "the client (`HOST`) that sends the event (default claude-code)")
	return c
}

func wantsHelp(args []string) bool {
	return len(args) > 0 && (args[0] == "--help" || args[0] == "-h")
}

// unhurried is set where scripts test what hooks say, on a machine of any load.
var unhurried bool

// runHook answers one event with an up-to-date index behind it.
func runHook(args []string, env sysenv.Env) int {
	o, env := hookrunner.ParseArgs(args, env)
	o.Refresh, o.Test, o.Hooks = live.Refresh, match.Find, hooksOf(env)
	o.Unhurried = unhurried
	return hookrunner.Main(o, env)
}
