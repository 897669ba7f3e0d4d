package main

import (
	"strings"

	"github.com/spf13/cobra"

	"pathrule/internal/cli"
	"pathrule/workspace"
)

func newConfigCommand(a *app) *cobra.Command {
	return group("config", "read and change settings",
		`Settings come from flags, the environment, your own file for this workspace, the
repository's .pathrule/config.yaml and your own file for all workspaces, in this
order. A repository may not set what is yours alone (mode, proof, writes, activity and
everything under delta, trust, hooks and guards), and it may only lower budgets.`,
		"  pathrule config list\n  pathrule config get mode\n  pathrule config set proof compact --scope user\n  pathrule config unset budget.deep",
		newConfigListCommand(a), newConfigGetCommand(a), newConfigSetCommand(a), newConfigUnsetCommand(a))
}

// setting is one effective setting in JSON.
type setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Source string `json:"source"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
}

// settings loads the effective settings here, or the user's alone outside a
// workspace.
func (a *app) settings() (*workspace.Workspace, []setting, error) {
	ws, err := a.maybeWorkspace()
	if err != nil {
		return nil, nil, err
	}
	_, origins, problems := workspace.LoadSettings(ws, a.dirs(), a.env)
	for _, p := range problems {
		a.warnProblem(p)
	}
	var out []setting
	for _, o := range origins {
		out = append(out, setting{o.Key, o.Value, o.Source, o.File, o.Line})
	}
	return ws, out, nil
}

func newConfigListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "list all settings and where each comes from",
		Long:    "Lists every effective setting with its value and the file or source that decides it.",
		Example: "  pathrule config list\n  pathrule config list --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, all, err := a.settings()
			if err != nil {
				return err
			}
			return a.answer(map[string]any{"items": some(all), "warnings": a.out.Warnings()}, func() {
				t := &cli.Table{Head: []string{"SETTING", "VALUE", "FROM"}, Flex: 1, Style: []func(string) string{a.out.Accent, nil, a.out.Dim}}
				for _, s := range all {
					t.Row(s.Key, s.Value, a.origin(s))
				}
				a.out.Print(t)
			})
		},
	}
}

// origin says where a setting comes from.
func (a *app) origin(s setting) string {
	if s.File == "" {
		return s.Source
	}
	if s.Line > 0 {
		return s.Source + ", " + a.shown(s.File) + ":" + itoa(s.Line)
	}
	return s.Source + ", " + a.shown(s.File)
}

func newConfigGetCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "get KEY",
		Short:             "print one setting",
		Long:              "Prints the effective value of one setting.",
		Example:           "  pathrule config get mode\n  pathrule config get budget.focused --json",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeSettings,
		RunE: func(_ *cobra.Command, args []string) error {
			_, all, err := a.settings()
			if err != nil {
				return err
			}
			s, err := oneSetting(all, args[0])
			if err != nil {
				return err
			}
			return a.answer(s, func() { a.out.Println(s.Value) })
		},
	}
}

// oneSetting finds a setting by its key.
func oneSetting(all []setting, key string) (setting, error) {
	var keys []string
	for _, s := range all {
		if s.Key == key {
			return s, nil
		}
		keys = append(keys, s.Key)
	}
	hints := []string{"see \"pathrule config list\""}
	if d := cli.DidYouMean(key, keys); d != "" {
		hints = append([]string{d}, hints...)
	}
	return setting{}, cli.Usage("unknown setting \""+cli.OneLine(key)+"\"", hints...)
}

func (a *app) completeSettings(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 1 {
		if v := workspace.SettingValues(args[0]); strings.Contains(v, ", ") {
			return strings.Split(v, ", "), cobra.ShellCompDirectiveNoFileComp
		}
	}
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return workspace.SettingKeys(), cobra.ShellCompDirectiveNoFileComp
}

type configOptions struct {
	key, value string
	scope      string
	global     bool
}

// scopeFlags are the flags that say whose file is written.
func (o *configOptions) flags(c *cobra.Command) {
	c.Flags().StringVar(&o.scope, "scope", "", "whose file: `workspace|user|repository`\n(default: yours for this workspace; outside any: yours for all)")
	c.Flags().BoolVar(&o.global, "global", false, "the same as --scope user")
	_ = c.Flags().MarkHidden("global")
	fixed(c, "scope", "workspace", "user", "repository")
}

// file is the config file that is written, with its scope.
func (o *configOptions) file(a *app) (path, scope string, err error) {
	if err := oneOf("--scope", o.scope, "workspace", "user", "repository"); err != nil {
		return "", "", err
	}
	scope = o.scope
	if o.global {
		if scope != "" && scope != "user" {
			return "", "", cli.Usage("--global and --scope " + scope + " do not go together")
		}
		scope = "user"
	}
	ws, err := a.maybeWorkspace()
	if err != nil {
		return "", "", err
	}
	switch {
	case scope == "" && ws == nil, scope == "user":
		return workspace.UserConfig(a.dirs()), "user", nil
	case ws == nil:
		return "", "", workspace.ErrNone
	case scope == "repository":
		return workspace.RepositoryConfig(ws), scope, nil
	}
	return workspace.WorkspaceConfig(a.dirs(), ws.ID), "workspace", nil
}

func newConfigSetCommand(a *app) *cobra.Command {
	var o configOptions
	c := &cobra.Command{
		Use:   "set KEY VALUE",
		Short: "set one setting",
		Long: `Writes one setting into your own file for this workspace (--scope workspace, the
default), your file for all workspaces (user) or the repository's (repository).
Everything else in the file stays byte for byte.

Settings:
` + settingsHelp(),
		Example: "  pathrule config set budget.focused 900\n  pathrule config set proof compact --scope user\n  pathrule config set compile.targets windsurf --scope repository",
		Args:    cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			o.key, o.value = args[0], args[1]
			return runConfigSet(a, o)
		},
		ValidArgsFunction: a.completeSettings,
	}
	o.flags(c)
	return c
}

// settingsHelp lists every key with what it takes.
func settingsHelp() string {
	var b strings.Builder
	for _, k := range workspace.SettingKeys() {
		b.WriteString("  " + cli.Pad(k, 23) + workspace.SettingValues(k) + "\n")
	}
	return b.String() + "  " + cli.Pad("glossary.TERM", 23) + "words that mean the same here"
}

func runConfigSet(a *app, o configOptions) error {
	file, scope, err := o.file(a)
	if err != nil {
		return err
	}
	if err := workspace.CheckSetting(o.key, o.value, scope == "repository"); err != nil {
		return settingFailure(err, o.key)
	}
	if err := workspace.SetSetting(a.dirs(), file, o.key, o.value); err != nil {
		return fact(err, "refused")
	}
	return a.configDone(o, file, scope)
}

// settingFailure is a wrong key or value on the command line.
func settingFailure(err error, key string) error {
	f := cli.Usage(err.Error(), "see \"pathrule config list\"")
	if d := cli.DidYouMean(key, workspace.SettingKeys()); d != "" && workspace.SettingValues(key) == "" && !strings.Contains(f.Msg, "did you mean") {
		f.Hints = append([]string{d}, f.Hints...)
	}
	return f
}

// configDone says what holds now: another source may be stronger than the file
// that was written.
func (a *app) configDone(o configOptions, file, scope string) error {
	if err := workspace.RecordState(a.dirs()); err != nil {
		a.out.Warn("could not record where state lies: %v", err)
	}
	_, all, err := a.settings()
	if err != nil {
		return err
	}
	now := setting{Key: o.key, Source: "default"}
	for _, s := range all {
		if s.Key == o.key {
			now = s
		}
	}
	elsewhere := now.File != file && now.Source != "default"
	if elsewhere {
		a.out.Warn("%s is decided elsewhere: %s (%s)", o.key, now.Value, a.origin(now))
	}
	data := map[string]any{"key": o.key, "value": now.Value, "source": now.Source, "file": file, "scope": scope, "warnings": a.out.Warnings()}
	return a.answer(data, func() {
		if elsewhere { // the warning says what counts
			a.out.Println("written:", a.shown(file))
			return
		}
		a.out.Printf("%s = %s  %s\n", a.out.Accent(o.key), now.Value, a.out.Dim(a.shown(file)))
	})
}

func newConfigUnsetCommand(a *app) *cobra.Command {
	var o configOptions
	c := &cobra.Command{
		Use:     "unset KEY",
		Short:   "take one setting out of a file",
		Long:    "Takes one setting out of a file, so that the next weaker source decides. Taking out what is not there is no error.",
		Example: "  pathrule config unset budget.focused\n  pathrule config unset proof --scope user",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.key = args[0]
			file, scope, err := o.file(a)
			if err != nil {
				return err
			}
			if workspace.SettingValues(o.key) == "" {
				_, err := oneSetting(settingsByName(), o.key)
				return err
			}
			if err := workspace.UnsetSetting(a.dirs(), file, o.key); err != nil {
				return fact(err, "refused")
			}
			return a.configDone(o, file, scope)
		},
		ValidArgsFunction: a.completeSettings,
	}
	o.flags(c)
	return c
}

func settingsByName() []setting {
	var out []setting
	for _, k := range workspace.SettingKeys() {
		out = append(out, setting{Key: k})
	}
	return out
}

// newModeCommand and newProofCommand are short ways to the two settings that
// people change by hand.
func newModeCommand(a *app) *cobra.Command {
	return settingCommand(a, "mode", "how much hooks deliver by themselves",
		`  auto     at session start and on later prompts, only what is new (default)
  startup  at session start only
  always   everything on every turn; costs tokens and prompt cache
  manual   hooks stay silent; MCP answers when asked
  off      hooks are silent and MCP's reading tools say that they are off`,
		"  pathrule mode\n  pathrule mode manual\n  pathrule mode off --scope user")
}

func newProofCommand(a *app) *cobra.Command {
	return settingCommand(a, "proof", "a line in each turn that says what was delivered",
		`  off      nothing (default)
  compact  one line: what was loaded, reused or skipped`,
		"  pathrule proof\n  pathrule proof compact\n  pathrule proof off --scope user")
}

func settingCommand(a *app, key, short, values, example string) *cobra.Command {
	o := configOptions{key: key}
	words := strings.Split(workspace.SettingValues(key), ", ")
	c := &cobra.Command{
		Use:       key + " [" + strings.Join(words, "|") + "]",
		Short:     "show or set " + short,
		Long:      "Shows or sets " + short + ".\n\n" + values,
		Example:   example,
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: words,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.value = args[0]
				if err := oneOf(key, o.value, words...); err != nil {
					return err
				}
				return runConfigSet(a, o)
			}
			_, all, err := a.settings()
			if err != nil {
				return err
			}
			s, err := oneSetting(all, key)
			if err != nil {
				return err
			}
			return a.answer(s, func() { a.out.Println(s.Value, a.out.Dim("("+a.origin(s)+")")) })
		},
	}
	o.flags(c)
	return c
}
