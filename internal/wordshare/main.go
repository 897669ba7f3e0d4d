// Command wordshare counts how common words are in ordinary prose and prints
// slice/common.txt: a term (index/terms) and the share of passages that hold it,
// in thousandths, sorted, one a line. scripts/common-words fetches the texts.
//
//	go run ./internal/wordshare DIR > slice/common.txt
//
// DIR holds LANGUAGE/SOURCE/: HTML and XML pages, and plain texts (".txt") whose
// pieces stand between lines of "%". A word is as common as it is in every manual
// of its language, so that no manual's own subject counts as ordinary, or in what
// people say to each other (the source named "talk").
package main

import (
	"bufio"
	"fmt"
	"html"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"pathrule/index/terms"
)

const (
	// passage is how many words are looked at together: about as many as a note has.
	passage = 150
	// least is the share from which on a word is listed.
	least = 0.02
	// talk is the source that is no manual.
	talk = "talk"
	// fewPassages: a source with less says nothing.
	fewPassages = 50
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: wordshare DIR > slice/common.txt")
		os.Exit(2)
	}
	all, err := count(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "wordshare:", err)
		os.Exit(1)
	}
	w := bufio.NewWriter(os.Stdout)
	for _, t := range slices.Sorted(func(yield func(string) bool) {
		for t := range all {
			if !yield(t) {
				return
			}
		}
	}) {
		fmt.Fprintf(w, "%s %d\n", t, int(math.Round(1000*all[t])))
	}
	if err := w.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "wordshare:", err)
		os.Exit(1)
	}
}

// count is the greatest share that any language has of each word.
func count(dir string) (map[string]float64, error) {
	out := map[string]float64{}
	langs, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, l := range langs {
		sources, err := os.ReadDir(filepath.Join(dir, l.Name()))
		if err != nil {
			return nil, err
		}
		shares, manuals := map[string][]float64{}, 0
		for _, s := range sources {
			df, n, err := read(filepath.Join(dir, l.Name(), s.Name()))
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(os.Stderr, "%s/%s: %d passages, %d words\n", l.Name(), s.Name(), n, len(df))
			if n < fewPassages {
				continue
			}
			for t, k := range df {
				share := float64(k) / float64(n)
				if s.Name() != talk {
					shares[t] = append(shares[t], share)
				} else if share >= least {
					out[t] = max(out[t], share)
				}
			}
			if s.Name() != talk {
				manuals++
			}
		}
		for t, s := range shares {
			if share := slices.Min(s); len(s) == manuals && share >= least {
				out[t] = max(out[t], share)
			}
		}
	}
	return out, nil
}

// read counts in how many of a source's passages each word stands.
func read(dir string) (df map[string]int, passages int, err error) {
	df = map[string]int{}
	err = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(p)
		if err != nil || !utf8.Valid(raw) {
			return err
		}
		text := string(raw)
		switch filepath.Ext(p) {
		case ".html", ".xhtml", ".page":
			text = prose(text)
		case ".txt":
			text = percent.ReplaceAllString(text, "\n")
		default:
			return nil
		}
		seen, from := map[string]bool{}, 0
		flush := func() {
			passages++
			for t := range seen {
				df[t]++
			}
			clear(seen)
		}
		for _, t := range terms.Query(text) {
			if t.Pos-from > passage {
				flush()
				from = t.Pos
			}
			if !t.Whole && !terms.Stop(t.Text) && strings.Trim(t.Text, "0123456789") != "" {
				seen[t.Text] = true
			}
		}
		flush()
		return nil
	})
	return df, passages, err
}

var (
	percent = regexp.MustCompile(`(?m)^%.*$`)
	aside   = regexp.MustCompile(`(?is)<(script|style|pre|code|head|nav)\b.*?</(script|style|pre|code|head|nav)>|<!--.*?-->`)
	tag     = regexp.MustCompile(`(?s)<[^>]*>`)
)

// prose is a page's text, without its code and its furniture.
func prose(page string) string {
	page = aside.ReplaceAllString(page, "\n")
	return html.UnescapeString(tag.ReplaceAllStringFunc(page, func(t string) string {
		if strings.HasPrefix(t, "</") || len(t) < 8 {
			return " "
		}
		return "\n"
	}))
}
