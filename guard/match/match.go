// Package match tests text against the patterns of approved blocks. It is apart
// from guard because it links regexp, whose tables would cost every hook process
// a part of its start; only programs that an event is handed to have it.
package match

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"sync"
)

// maxProgram is how many instructions a pattern may compile to. RE2 needs time
// in proportion to instructions times text, so this bounds a test: a pattern of
// 200 characters can otherwise ask for a thousand repetitions of two things, and
// one window of text (guard.Findings) would take half a minute.
const maxProgram = 500

// maxLooks is how many matches in old text one test passes over.
const maxLooks = 10_000

var cache sync.Map // pattern -> *regexp.Regexp

// Compile compiles a block's pattern; the error says why it cannot be used.
// "^" and "$" are the ends of lines, as people who think of code expect; \A and
// \z are those of the whole text.
func Compile(pattern string) (*regexp.Regexp, error) {
	pattern = "(?m)" + pattern
	if re, ok := cache.Load(pattern); ok {
		return re.(*regexp.Regexp), nil
	}
	p, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(p.Simplify())
	if err != nil {
		return nil, err
	}
	if n := len(prog.Inst); n > maxProgram {
		return nil, fmt.Errorf("pattern repeats too much: it has %d steps, at most %d are taken", n, maxProgram)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	if re.MatchString("") {
		return nil, fmt.Errorf("pattern matches the empty string, so it would match everything")
	}
	cache.Store(pattern, re)
	return re, nil
}

// Find is a guard.Tester.
func Find(pattern, text string, from, to int) (start, end int, err error) {
	re, err := Compile(pattern)
	if err != nil {
		return -1, -1, err
	}
	if from == 0 && to == len(text) {
		if loc := re.FindStringIndex(text); loc != nil {
			return loc[0], loc[1], nil
		}
		return -1, -1, nil
	}
	for _, loc := range re.FindAllStringIndex(text, maxLooks) {
		if loc[0] < to && loc[1] > from {
			return loc[0], loc[1], nil
		}
	}
	return -1, -1, nil
}
