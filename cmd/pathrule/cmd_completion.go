package main

import (
	"github.com/spf13/cobra"

	"pathrule/internal/cli"
)

func newCompletionCommand(a *app) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "print a completion script for your shell",
		Long: `Prints a script that teaches your shell pathrule's commands, flags, entry ids and
client names. Put it where your shell reads such scripts.`,
		Example: `  pathrule completion bash > ~/.local/share/bash-completion/completions/pathrule
  pathrule completion zsh > "${fpath[1]}/_pathrule"
  pathrule completion fish > ~/.config/fish/completions/pathrule.fish`,
		ValidArgs: shells,
		Args:      cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			root, w := c.Root(), c.OutOrStdout()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(w, true)
			case "zsh":
				return root.GenZshCompletion(w)
			case "fish":
				return root.GenFishCompletion(w, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(w)
			}
			return cli.Usage("unknown shell \""+args[0]+"\"", "known shells: bash, zsh, fish, powershell")
		},
	}
}
