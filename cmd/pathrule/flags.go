package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pathrule/internal/cli"
	"pathrule/workspace"
)

// oneOf refuses a flag value that is not among the words; "" is no value.
func oneOf(flag, value string, words ...string) error {
	if value == "" || slices.Contains(words, value) {
		return nil
	}
	hints := []string{"known values: " + strings.Join(words, ", ")}
	if d := cli.DidYouMean(value, words); d != "" {
		hints[0] += "; " + d
	}
	return cli.Usage("unknown value \""+cli.OneLine(value)+"\" for "+flag, hints...)
}

// fixed teaches the shell the words of a flag.
func fixed(c *cobra.Command, flag string, words ...string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// warnProblem says what is wrong with a file of the user's, as file:line.
func (a *app) warnProblem(p workspace.Problem) {
	a.out.Warn("%s", a.problemText(p))
	if p.Remedy != "" {
		a.out.Hint("%s", p.Remedy)
	}
}

func (a *app) problemText(p workspace.Problem) string {
	file := p.File
	if file != "" && !filepath.IsAbs(file) && a.root != "" {
		file = filepath.Join(a.root, filepath.FromSlash(file))
	}
	if filepath.IsAbs(file) {
		file = a.shown(file)
	}
	switch {
	case file == "":
		return p.Msg
	case p.Line > 0:
		return fmt.Sprintf("%s:%d: %s", file, p.Line, p.Msg)
	}
	return file + ": " + p.Msg
}

// commaList splits what people write into one flag: "a, b".
func commaList(values []string) []string {
	var out []string
	for _, v := range values {
		for _, p := range strings.Split(v, ",") {
			if p = strings.TrimSpace(p); p != "" {
				out = append(out, p)
			}
		}
	}
	return out
}
