package main

import (
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pathrule/internal/health"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// page is one of the documents that people read.
type page struct{ name, text string }

// pages are the documents of the repository; all but the changelog, which also
// tells of what is gone.
func pages(t *testing.T) (out []page) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*.md", "examples/*/*.md"} {
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			rel, _ := filepath.Rel(filepath.Join("..", ".."), f)
			if rel != "CHANGELOG.md" {
				out = append(out, page{filepath.ToSlash(rel), strings.ReplaceAll(string(b), "\r\n", "\n")})
			}
		}
	}
	if len(out) < 10 {
		t.Fatalf("only %d documents were found", len(out))
	}
	return out
}

var codeSpan = regexp.MustCompile("`+([^`]+)`+")

// spans are what stands in code in a document: inline, and the lines of blocks.
func (p page) spans() (out []string) {
	var prose strings.Builder
	fenced := false
	for line := range strings.Lines(p.text) {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			fenced = !fenced
		case fenced:
			out = append(out, strings.TrimSpace(line))
		default:
			prose.WriteString(line)
		}
	}
	for _, m := range codeSpan.FindAllStringSubmatch(prose.String(), -1) {
		out = append(out, strings.Join(strings.Fields(strings.ReplaceAll(m[1], `\|`, "|")), " "))
	}
	return out
}

// words cuts a command line as far as documents need it: a quoted part is one
// word, and what follows the command (a comment, a pipe) is none of it.
func words(line string) (out []string) {
	for _, m := range regexp.MustCompile(`"[^"]*"?|'[^']*'?|\S+`).FindAllString(line, -1) {
		switch m {
		case "#", "|", "||", "&&", ";", ">", "<", `\`:
			return out
		}
		out = append(out, strings.Trim(m, "[]"))
	}
	return out
}

// Every command and every flag that a document names exists.
func TestDocumentsNameCommandsThatExist(t *testing.T) {
	root := newRoot(&app{env: sysenv.Env{}})
	root.InitDefaultHelpFlag()
	seen := 0
	for _, p := range pages(t) {
		for _, span := range p.spans() {
			w := words(span)
			if at := slices.Index(w, "./cmd/pathrule"); at > 0 && w[0] == "go" && w[1] == "run" {
				w = append([]string{"pathrule"}, w[at+1:]...)
			}
			if len(w) < 2 || w[0] != "pathrule" {
				continue
			}
			seen++
			if why := noSuchCommand(root, w[1:]); why != "" {
				t.Errorf("%s: %q: %s", p.name, span, why)
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d command lines were found", seen)
	}
}

// noSuchCommand says which word of a command line is none of ours.
func noSuchCommand(c *cobra.Command, args []string) string {
	for len(args) > 0 && c.HasAvailableSubCommands() && !strings.HasPrefix(args[0], "-") {
		// "memory|rule|skill add" is three commands in one.
		var next []*cobra.Command
		for name := range strings.SplitSeq(args[0], "|") {
			i := slices.IndexFunc(c.Commands(), func(s *cobra.Command) bool { return s.Name() == name || s.HasAlias(name) })
			if i < 0 {
				if strings.Contains(c.Use, " ") && c.ValidateArgs([]string{name}) == nil || strings.ToUpper(name) == name || name == "..." || name == "…" {
					return ""
				}
				return "no command " + name
			}
			next = append(next, c.Commands()[i])
		}
		for _, n := range next[1:] {
			if why := noSuchCommand(n, args[1:]); why != "" {
				return why
			}
		}
		c, args = next[0], args[1:]
	}
	for _, a := range args {
		if a == "--" {
			break
		}
		if why := noSuchFlag(c, a); why != "" {
			return why
		}
	}
	return ""
}

func noSuchFlag(c *cobra.Command, word string) string {
	name, _, _ := strings.Cut(strings.TrimRight(word, ".,)"), "=")
	switch long, ok := strings.CutPrefix(name, "--"); {
	case ok && long != "help":
		if c.Flags().Lookup(long) == nil && c.InheritedFlags().Lookup(long) == nil {
			return c.CommandPath() + " has no flag " + name
		}
	case !ok && strings.HasPrefix(name, "-") && len(name) == 2 && name != "-h":
		if c.Flags().ShorthandLookup(name[1:]) == nil && c.InheritedFlags().ShorthandLookup(name[1:]) == nil {
			return c.CommandPath() + " has no flag " + name
		}
	}
	return ""
}

var toolFlag = regexp.MustCompile(`flag\.\w+\((?:&[\w.]+, )?"([a-z-]+)"`)

// A flag that is named without its command is one of some command of ours, of a
// script or a tool of the repository, or of another program, which is listed.
func TestDocumentsNameFlagsThatExist(t *testing.T) {
	known := map[string]bool{
		"--add-dir": true, "--ci": true, "--lf": true, "--locked": true, // of clients and test runners
		"--host": true, "--shadow": true, // of pathrule-hook
		"--help": true,
	}
	walk(newRoot(&app{env: sysenv.Env{}}), func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { known["--"+f.Name] = true })
		c.PersistentFlags().VisitAll(func(f *pflag.Flag) { known["--"+f.Name] = true })
	})
	for _, pattern := range []string{"eval/*.go", "internal/bench/*/*.go"} {
		files, _ := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range toolFlag.FindAllSubmatch(b, -1) {
				known["--"+string(m[1])] = true
			}
		}
	}
	for _, p := range pages(t) {
		for _, span := range p.spans() {
			w := words(span)
			if len(w) == 0 || !strings.HasPrefix(w[0], "--") {
				continue
			}
			if name, _, _ := strings.Cut(w[0], "="); !known[name] && strings.Trim(name, "-") != "" {
				t.Errorf("%s: there is no flag %s", p.name, name)
			}
		}
	}
}

var ownPlace = regexp.MustCompile(`^\.?/?((?:cmd|compile|docs|e2e|eval|examples|guard|hookrunner|host|importer|index|internal|knowledge|mcpserver|scripts|setup|slice|testdata|tools|workspace)(?:/[\w.-]+)+)/?$`)

// Every file and folder of the repository that a document names is there, as are
// the flags of its scripts and tools.
func TestDocumentsNameFilesThatExist(t *testing.T) {
	// What examples of use speak of is no place in the repository.
	invented := map[string]bool{"docs/plans": true, "scripts/generated.sh": true}
	top := filepath.Join("..", "..")
	seen := 0
	for _, p := range pages(t) {
		for _, span := range p.spans() {
			w := words(span)
			for i, word := range w {
				m := ownPlace.FindStringSubmatch(word)
				if m == nil || invented[m[1]] || strings.HasPrefix(p.name, "examples/") {
					continue
				}
				seen++
				at := filepath.Join(top, filepath.FromSlash(m[1]))
				st, err := os.Stat(at)
				if err != nil && strings.HasSuffix(m[1], "...") {
					st, err = os.Stat(strings.TrimSuffix(at, "..."))
				}
				if err != nil {
					t.Errorf("%s: %q: there is no %s", p.name, span, m[1])
					continue
				}
				if i == 0 || w[0] == "go" && i < 3 {
					toolFlags(t, p.name, span, at, st, w[i+1:])
				}
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d places were found", seen)
	}
}

// toolFlags looks for the flags of a script, or of a program that "go run" starts,
// in its source.
func toolFlags(t *testing.T, doc, span, at string, st os.FileInfo, args []string) {
	t.Helper()
	files := []string{at}
	if st.IsDir() {
		files, _ = filepath.Glob(filepath.Join(at, "*.go"))
	} else if path.Ext(at) == "" {
		// A script hands what it does not know to a tool of ours.
		more, _ := filepath.Glob(filepath.Join("..", "..", "internal", "bench", strings.TrimPrefix(path.Base(at), "bench-"), "*.go"))
		files = append(files, more...)
	}
	var text strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(b)
	}
	for _, a := range args {
		name, ok := strings.CutPrefix(a, "--")
		name, _, _ = strings.Cut(name, "=")
		if ok && !strings.Contains(text.String(), "--"+name) && !strings.Contains(text.String(), `"`+name+`"`) {
			t.Errorf("%s: %q: %s is no flag there", doc, span, a)
		}
	}
}

// defaults are all settings as they are when nobody set any.
func defaults() map[string]string {
	_, list, _ := workspace.LoadSettings(nil, workspace.Dirs{}, sysenv.Env{})
	out := map[string]string{}
	for _, o := range list {
		out[o.Key] = o.Value
	}
	return out
}

// The table of settings names all there are, with their defaults.
func TestTheTableOfSettingsIsWhole(t *testing.T) {
	b, err := os.ReadFile("../../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	all, named := defaults(), map[string]bool{}
	_, table, _ := strings.Cut(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n## config.yaml\n")
	table, _, _ = strings.Cut(table, "\n## ")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		if len(cells) != 3 || !strings.HasPrefix(line, "| `") {
			continue
		}
		group := ""
		var keys []string
		for _, m := range codeSpan.FindAllStringSubmatch(cells[0], -1) {
			key := m[1]
			if key[0] == '.' {
				key = group + key
			}
			group, _, _ = strings.Cut(key, ".")
			keys = append(keys, key)
		}
		// "a, b (a)", or "false" alone.
		given := codeSpan.FindAllStringSubmatch(cells[1], -1)
		if i := strings.LastIndexByte(cells[1], '('); i >= 0 {
			given = codeSpan.FindAllStringSubmatch(cells[1][i:], -1)
		}
		for i, key := range keys {
			value, ok := all[key]
			named[key] = true
			switch {
			case key == "glossary": // a table of its own, not one of the settings
			case !ok:
				t.Errorf("there is no setting %s", key)
			case len(given) == 0 && value != "":
				t.Errorf("%s is %q by default, and the table gives none", key, value)
			case len(given) > 0 && given[min(i, len(given)-1)][1] != value:
				t.Errorf("%s is %q by default, the table says %q", key, value, given[min(i, len(given)-1)][1])
			}
		}
	}
	for key := range all {
		if !named[key] {
			t.Errorf("the table does not name %s", key)
		}
	}
}

// rows are the names in the first column of a document's tables below a heading.
func rows(t *testing.T, file, heading string) map[string]bool {
	t.Helper()
	b, err := os.ReadFile("../../docs/" + file)
	if err != nil {
		t.Fatal(err)
	}
	_, part, ok := strings.Cut("\n"+strings.ReplaceAll(string(b), "\r\n", "\n"), "\n"+heading+"\n")
	if !ok {
		t.Fatalf("%s has no heading %q", file, heading)
	}
	part, _, _ = strings.Cut(part, "\n"+strings.Repeat("#", strings.IndexByte(heading, ' '))+" ")
	out := map[string]bool{}
	for line := range strings.Lines(part) {
		if cell, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " | "); ok && strings.HasPrefix(line, "| `") {
			for _, m := range codeSpan.FindAllStringSubmatch(cell, -1) {
				out[m[1]] = true
			}
		}
	}
	return out
}

// The tables of findings, of guards and of targets name all there are, and no other.
func TestTheTablesOfFindingsAndGuardsAreWhole(t *testing.T) {
	kinds := []string{"cost"}
	for _, k := range health.Kinds() {
		kinds = append(kinds, string(k))
	}
	for _, table := range []struct {
		file, heading string
		want          []string
	}{
		{"review.md", "## Knowledge that no longer fits", kinds},
		{"guards.md", "# The guard pack", guardNames()},
	} {
		got := slices.Sorted(maps.Keys(rows(t, table.file, table.heading)))
		slices.Sort(table.want)
		if d := cmp.Diff(table.want, got); d != "" {
			t.Errorf("%s (-program +page):\n%s", table.file, d)
		}
	}
}

// Every variable of ours that a document names is read.
func TestDocumentsNameVariablesThatExist(t *testing.T) {
	read := map[string]bool{}
	for key := range defaults() {
		read["PATHRULE_"+strings.ToUpper(strings.ReplaceAll(key, ".", "_"))] = true
	}
	variable := regexp.MustCompile(`PATHRULE_[A-Z_]*[A-Z]`)
	err := filepath.WalkDir(filepath.Join("..", ".."), func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." && d.Name() != ".ci" {
			return errorOrSkip(err)
		}
		if d.Type().IsRegular() && (strings.HasSuffix(p, ".go") && !strings.HasSuffix(p, "_test.go") || path.Ext(p) == "" || strings.Contains(p, "e2e")) {
			b, err := os.ReadFile(p)
			for _, v := range variable.FindAllString(string(b), -1) {
				read[v] = true
			}
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages(t) {
		for _, v := range variable.FindAllString(p.text, -1) {
			if !read[v] {
				t.Errorf("%s: nothing reads %s", p.name, v)
			}
		}
	}
}

func errorOrSkip(err error) error {
	if err == nil {
		return filepath.SkipDir
	}
	return err
}

var (
	link   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	header = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// Every link from one document to another leads somewhere.
func TestLinksBetweenDocumentsLeadSomewhere(t *testing.T) {
	all := map[string]page{}
	for _, p := range pages(t) {
		all[p.name] = p
	}
	for _, p := range all {
		for _, m := range link.FindAllStringSubmatch(p.text, -1) {
			to, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
				continue
			}
			if to == "" {
				to = path.Base(p.name)
			}
			rel := path.Join(path.Dir(p.name), to)
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(rel))); err != nil {
				t.Errorf("%s links to %s, which is not there", p.name, m[1])
				continue
			}
			if target, ok := all[rel]; ok && anchor != "" && !slices.ContainsFunc(header.FindAllStringSubmatch(target.text, -1), func(h []string) bool { return slug(h[1]) == anchor }) {
				t.Errorf("%s links to %s, which has no such heading", p.name, m[1])
			}
		}
	}
}

// slug is a heading's anchor as forges make it.
func slug(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// The architecture's table names every package that there is, and no other.
func TestTheTableOfPackagesIsWhole(t *testing.T) {
	named := rows(t, "ARCHITECTURE.md", "## Packages")
	list := exec.Command("go", "list", "./...")
	list.Dir = filepath.Join("..", "..")
	out, err := list.Output()
	if err != nil {
		t.Skipf("go list does not run here: %v", err)
	}
	there := map[string]bool{}
	for _, pkg := range strings.Fields(string(out)) {
		name, ok := strings.CutPrefix(pkg, "pathrule/")
		there[name] = ok
		if ok && !named[name] && !strings.HasPrefix(name, "internal/") && !strings.HasPrefix(name, "e2e") && !strings.HasPrefix(name, "eval") {
			t.Errorf("the table does not name %s", name)
		}
	}
	for name := range named {
		if !there[name] && name != "internal/..." {
			t.Errorf("there is no package %s", name)
		}
	}
}
