package frontmatter

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/knowledge"
)

var update = flag.Bool("update", false, "rewrite golden files")

// Every odd file has one result: what was read and what is said about it. The
// files are made up after what real repositories hold.
func TestOddFilesFromTheWild(t *testing.T) {
	names, err := filepath.Glob("testdata/odd/*.md")
	if err != nil || len(names) == 0 {
		t.Fatal("no files")
	}
	var b strings.Builder
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Base(name)
		kind := knowledge.Kind(strings.Split(base, ".")[1])
		fmt.Fprintf(&b, "== %s\n%s", base, describe(data, kind))
	}
	golden := "testdata/odd.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("%v; make it with: go test ./knowledge/frontmatter -run OddFiles -update", err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("(-want +got)\n%s\naccept with: go test ./knowledge/frontmatter -run OddFiles -update", d)
	}
}

func describe(data []byte, kind knowledge.Kind) string {
	var b strings.Builder
	e, problems, err := Parse(data, kind, "the-id", "f.md")
	var pe *knowledge.ParseError
	if errors.As(err, &pe) {
		fmt.Fprintf(&b, "refused: %v (%s)\n", pe, pe.Remedy)
	} else {
		fmt.Fprintf(&b, "title: %q\n", e.Title)
		for _, f := range []struct {
			name string
			v    []string
		}{{"paths", e.Paths}, {"tags", e.Tags}, {"related", e.Related}} {
			if len(f.v) > 0 {
				fmt.Fprintf(&b, "%s: %q\n", f.name, f.v)
			}
		}
		for _, f := range [][2]string{{"description", e.Description}, {"source", e.Source}, {"created", e.Created}} {
			if f[1] != "" {
				fmt.Fprintf(&b, "%s: %q\n", f[0], f[1])
			}
		}
		if kind == knowledge.Rule {
			fmt.Fprintf(&b, "priority: %s, %s\n", e.Priority, e.Enforcement)
		}
		for _, bl := range e.Block {
			fmt.Fprintf(&b, "block: %+v\n", bl)
		}
		if e.Check != nil {
			fmt.Fprintf(&b, "check: %+v\n", *e.Check)
		}
		fmt.Fprintf(&b, "body at %d: %q\n", e.BodyOffset, e.Body)
	}
	for _, p := range problems {
		level := "error"
		if p.Warning {
			level = "warning"
		}
		fmt.Fprintf(&b, "%s: line %d: %s (%s)\n", level, p.Line, p.Msg, p.Remedy)
	}
	if _, err := knowledge.ParseLines(data, kind, "the-id", "f.md"); errors.Is(err, knowledge.ErrBeyond) {
		b.WriteString("line reader: beyond it\n")
	}
	return b.String()
}

// With PATHRULE_CORPUS every Markdown file below that folder goes through both
// readers, an edit and the renderer.
func TestCorpus(t *testing.T) {
	root := os.Getenv("PATHRULE_CORPUS")
	if root == "" {
		t.Skip("PATHRULE_CORPUS names no folder of instruction files")
	}
	n, refused, beyond, warned := 0, 0, 0, 0
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		n++
		rel, _ := filepath.Rel(root, p)
		e, problems, err := parseBy(data, knowledge.Rule, "x", rel, true)
		fast, ferr := knowledge.ParseLines(data, knowledge.Rule, "x", rel)
		if err != nil {
			refused++
			t.Logf("refused: %v", err)
			return nil
		}
		if len(problems) > 0 {
			warned++
		}
		if errors.Is(ferr, knowledge.ErrBeyond) {
			beyond++
		} else if diff := cmp.Diff(e, fast); diff != "" {
			t.Errorf("%s: readers differ\n%s", rel, diff)
		}
		e.Line()
		knowledge.Strip(e.Body)
		out, err := Apply(data, Edit{"title", "A new: title"}, Edit{"paths", []string{"src/**", "!x"}})
		if err != nil {
			t.Logf("%s: %v", rel, err)
			return nil
		}
		again, _, err := Parse(out, knowledge.Rule, "x", rel)
		if err != nil || again.Body != e.Body || again.Title != "A new: title" || len(again.Paths) != 2 {
			t.Errorf("%s: edited file reads %q %q %v", rel, again.Title, again.Paths, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files: %d refused, %d with problems, %d beyond the line reader", n, refused, warned, beyond)
}
