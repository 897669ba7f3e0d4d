package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pathrule/internal/cli"
	"pathrule/internal/sysenv"
)

// TestCommandPageIsCurrent holds docs/cli.md to the command tree; with -update
// it is the generator (go generate ./cmd/pathrule).
func TestCommandPageIsCurrent(t *testing.T) {
	const file = "../../docs/cli.md"
	want := commandPage(newRoot(&app{env: sysenv.Env{}}))
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v\nmake it with: go generate ./cmd/pathrule", err)
	}
	if !bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), want) {
		t.Error("docs/cli.md is not what the commands say; renew it with: go generate ./cmd/pathrule")
	}
}

// TestEveryCommandExplainsItself: a person who asks for help gets a text, an
// example and words for every flag.
func TestEveryCommandExplainsItself(t *testing.T) {
	walk(newRoot(&app{env: sysenv.Env{}}), func(c *cobra.Command) {
		if c.Name() == "help" {
			return
		}
		if c.Short == "" || c.Long == "" || c.Example == "" {
			t.Errorf("%s has no short text, long text or example", c.CommandPath())
		}
		if strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: the short text ends with a full stop", c.CommandPath())
		}
		for line := range strings.Lines(c.Long) {
			if cli.Width(strings.TrimRight(line, "\n")) > helpWidth {
				t.Errorf("%s: a line that a terminal breaks: %q", c.CommandPath(), line)
			}
		}
		if filled(c.Long) != c.Long {
			t.Errorf("%s: the long text is not set", c.CommandPath())
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s --%s has no text", c.CommandPath(), f.Name)
			}
		})
	})
}

func TestALongLineOfHelpIsBrokenAndNoOther(t *testing.T) {
	long := strings.Repeat("word ", 30)
	for name, c := range map[string]struct{ text, want string }{
		"short lines stay":          {"one\ntwo\n\nthree", "one\ntwo\n\nthree"},
		"a long one":                {long, strings.Repeat("word ", 16) + "word\n" + strings.Repeat("word ", 12) + "word"},
		"with what stands about it": {"first\n" + long + "\n\nlast\nline", "first " + strings.Repeat("word ", 14) + "word\n" + strings.Repeat("word ", 14) + "word\n\nlast\nline"},
		"no prose":                  {"  " + long, "  " + long},
	} {
		if got := filled(c.text); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func walk(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, s := range c.Commands() {
		if !s.Hidden {
			walk(s, visit)
		}
	}
}

func commandPage(root *cobra.Command) []byte {
	var b bytes.Buffer
	b.WriteString(`# Commands

<!-- Made from the program itself by "go generate ./cmd/pathrule"; edit cmd/pathrule. -->

Data goes to stdout; warnings, hints and questions go to stderr. Colour is used on
a terminal only, never under ` + "`NO_COLOR`" + ` or with ` + "`--no-color`" + `.

| exit code | means |
| --- | --- |
| 0 | it worked; a search without a hit too |
| 1 | it failed: conflict, not found, refused |
| 2 | the command line was wrong; also ` + "`setup`" + ` with nobody to ask and no ` + "`--yes`" + ` |
| 3 | it worked and found something: ` + "`doctor`, `compile --check`" + ` |

With ` + "`--json`" + ` stdout holds one document, ` + "`{schema_version, ok, command, data}`" + `, or
` + "`{schema_version, ok: false, command, error: {code, message, remedy[]}}`" + `. With ` + "`ok: false`" + ` there is
` + "`data`" + ` as well where a command has something to show all the same: the plan of ` + "`setup`" + ` that was
refused in part or that nobody agreed to. ` + "`ok`" + ` is true exactly when the exit code is 0 or 3.
Listings are
` + "`data.items[{kind, id, title, paths, priority, version}]`" + `.

These stand on every command:

`)
	root.InitDefaultHelpFlag()
	flags(&b, root.PersistentFlags())
	walk(root, func(c *cobra.Command) {
		if c == root || c.Name() == "help" {
			return
		}
		fmt.Fprintf(&b, "\n%s %s\n\n%s\n", strings.Repeat("#", 1+strings.Count(c.CommandPath(), " ")), c.CommandPath(), fenced(strings.TrimSpace(c.Long)))
		if c.Runnable() && !c.HasAvailableSubCommands() {
			fmt.Fprintf(&b, "\n```\n%s\n```\n", strings.TrimSuffix(c.UseLine(), " [flags]"))
		}
		if c.LocalNonPersistentFlags().HasAvailableFlags() {
			b.WriteString("\n")
			flags(&b, c.LocalNonPersistentFlags())
		}
		fmt.Fprintf(&b, "\n```sh\n%s\n```\n", unindent(c.Example))
	})
	return b.Bytes()
}

// flags writes a list, in the order of their names.
func flags(b *bytes.Buffer, fs *pflag.FlagSet) {
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name, usage := pflag.UnquoteUsage(f)
		if name != "" {
			name = " " + name
		}
		short := ""
		if f.Shorthand != "" {
			short = "`-" + f.Shorthand + "`, "
		}
		fmt.Fprintf(b, "- %s`--%s%s`: %s\n", short, f.Name, name, strings.ReplaceAll(usage, "\n", " "))
	})
}

// fenced puts indented lines, which a terminal shows as they are, into a block.
func fenced(s string) string {
	var b strings.Builder
	in := false
	for l := range strings.Lines(s + "\n") {
		if indented := strings.HasPrefix(l, "  "); indented != in {
			in = indented
			if in {
				b.WriteString("\n```\n")
			} else {
				b.WriteString("```\n")
			}
		}
		b.WriteString(strings.TrimPrefix(l, "  "))
	}
	if in {
		b.WriteString("```\n")
	}
	return strings.TrimSpace(strings.ReplaceAll(b.String(), "\n\n\n", "\n\n"))
}

func unindent(s string) string {
	var out []string
	for _, l := range strings.Split(strings.Trim(s, "\n"), "\n") {
		out = append(out, strings.TrimPrefix(l, "  "))
	}
	return strings.Join(out, "\n")
}
