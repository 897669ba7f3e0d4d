// Convert turns a folder of Markdown instruction files (AGENTS.md, CLAUDE.md,
// .cursor/rules, .github/instructions, SKILL.md folders, …) into a pathrule
// workspace:
//
//	go run ./internal/corpus/convert SRC DST
//
// It writes DST/.pathrule and prints one line for every file that was left out
// or is odd, then the numbers.
package main

import (
	"fmt"
	"os"

	"pathrule/internal/corpus"
	"pathrule/knowledge"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: convert SRC DST")
		os.Exit(2)
	}
	r, err := corpus.Convert(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "convert: error:", err)
		os.Exit(1)
	}
	for _, it := range r.Items {
		if it.Skip != "" {
			fmt.Printf("left out  %s: %s\n", it.File, it.Skip)
		}
		for _, w := range it.Warnings {
			fmt.Printf("warning   %s: %s\n", it.File, w)
		}
	}
	n, skipped, warned := r.Counts()
	fmt.Printf("%d files: %d memories, %d rules, %d skills; %d files left out, %d with warnings\n",
		len(r.Items), n[knowledge.Memory], n[knowledge.Rule], n[knowledge.Skill], skipped, warned)
}
