// Convert turns a folder of instruction files (AGENTS.md, CLAUDE.md,
// .cursor/rules, .github/instructions, SKILL.md folders, …) into a pathrule
// workspace:
//
//	go run ./internal/corpus/convert SRC DST
//	go run ./internal/corpus/convert -plan SRC        # each decision, nothing written
//
// It prints one line for every file that was left out or is odd, then the
// numbers. -each plans each folder of SRC as a project of its own, as a person
// would import it, without the Markdown files that no client reads.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pathrule/importer"
	"pathrule/internal/corpus"
	"pathrule/knowledge"
)

func main() {
	plan := flag.Bool("plan", false, "print each decision and write nothing")
	each := flag.Bool("each", false, "with -plan: each folder of SRC is a project of its own")
	flag.Parse()
	if *plan && flag.NArg() == 1 {
		os.Exit(plans(flag.Arg(0), *each))
	}
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: convert SRC DST | convert -plan [-each] SRC")
		os.Exit(2)
	}
	state, err := os.MkdirTemp("", "convert")
	if err == nil {
		defer os.RemoveAll(state)
		var r *importer.Report
		if r, err = corpus.Convert(context.Background(), flag.Arg(0), flag.Arg(1), state); err == nil {
			odd(r)
			numbers(r)
			return
		}
	}
	fmt.Fprintln(os.Stderr, "convert: error:", err)
	os.Exit(1)
}

func odd(r *importer.Report) {
	for _, f := range r.Files {
		if f.Result == importer.Skipped {
			fmt.Printf("left out  %s: %s\n", f.Path, f.Why)
		}
		for _, n := range f.Notes {
			fmt.Printf("warning   %s: %s\n", f.Path, n)
		}
	}
}

func numbers(r *importer.Report) {
	n, skipped, noted := r.Counts()
	fmt.Printf("%d files: %d memories, %d rules, %d skills; %d files left out, %d with warnings\n",
		len(r.Files), n[knowledge.Memory], n[knowledge.Rule], n[knowledge.Skill], skipped, noted)
}

// plans prints each decision; the exit code is 1 when a line would be lost.
func plans(src string, each bool) int {
	roots := []string{src}
	if each {
		roots = nil
		list, err := os.ReadDir(src)
		if err != nil {
			fmt.Fprintln(os.Stderr, "convert: error:", err)
			return 1
		}
		for _, d := range list {
			if d.IsDir() {
				roots = append(roots, filepath.Join(src, d.Name()))
			}
		}
	}
	code := 0
	for _, root := range roots {
		r, err := importer.Plan(context.Background(), root, importer.Options{All: !each, Workspace: "w"})
		if err != nil {
			fmt.Fprintln(os.Stderr, "convert: error:", err)
			return 1
		}
		fmt.Println("==", filepath.Base(root))
		for i := range r.Units {
			u := &r.Units[i]
			fmt.Printf("%s\n   -> %s %q paths=%q bytes=%d files=%d\n   kind: %s\n   scope: %s\n", strings.Join(u.From, " + "), u.Key(), u.Title, u.Paths, u.Bytes, u.Files, u.KindWhy, u.ScopeWhy)
		}
		odd(r)
		numbers(r)
		for _, l := range importer.Lost(r) {
			fmt.Println("LOST     ", l)
			code = 1
		}
	}
	return code
}
