// Package match tests text against the patterns of approved blocks. It is apart
// from guard because it links regexp, whose tables would cost every hook process
// a part of its start; only programs that an event is handed to have it.
package match

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// maxProgram is how many instructions a pattern may compile to. RE2 needs time
// in proportion to instructions times text, so this bounds a test: a pattern of
// 200 characters can otherwise ask for a thousand repetitions of two things, and
// one window of text (guard.Findings) would take half a minute.
const maxProgram = 500

// maxLooks is how many matches in old text one test passes over.
const maxLooks = 10_000

var cache sync.Map // pattern -> *compiled

// compiled is a pattern with what a text must hold for it to match at all: one
// of these, or anything when there are none. To look for words is a hundred
// times as fast as to run an expression.
type compiled struct {
	*regexp.Regexp
	oneOf []string
}

func (c *compiled) mayMatch(text string) bool {
	for _, w := range c.oneOf {
		if strings.Contains(text, w) {
			return true
		}
	}
	return len(c.oneOf) == 0
}

// Compile compiles a block's pattern; the error says why it cannot be used.
// "^" and "$" are the ends of lines, as people who think of code expect; \A and
// \z are those of the whole text.
func Compile(pattern string) (*regexp.Regexp, error) {
	c, err := compile(pattern)
	if err != nil {
		return nil, err
	}
	return c.Regexp, nil
}

func compile(pattern string) (*compiled, error) {
	pattern = "(?m)" + pattern
	if c, ok := cache.Load(pattern); ok {
		return c.(*compiled), nil
	}
	p, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	oneOf := words(p)
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
	c := &compiled{re, oneOf}
	cache.Store(pattern, c)
	return c, nil
}

const maxWords = 16

// words are texts of which every match of an expression holds one; nil when it
// says no such thing.
func words(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		// U+FFFD matches bytes that are no text, too.
		if re.Flags&syntax.FoldCase != 0 || slices.Contains(re.Rune, utf8.RuneError) {
			return nil
		}
		return []string{string(re.Rune)}
	case syntax.OpCapture, syntax.OpPlus:
		return words(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return words(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if w := words(sub); shortest(w) > shortest(best) || shortest(w) == shortest(best) && len(w) < len(best) {
				best = w
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			w := words(sub)
			if w == nil || len(all)+len(w) > maxWords {
				return nil
			}
			all = append(all, w...)
		}
		return all
	}
	return nil
}

func shortest(list []string) int {
	n := 0
	for i, w := range list {
		if i == 0 || len(w) < n {
			n = len(w)
		}
	}
	return n
}

// Find is a guard.Tester.
func Find(pattern, text string, from, to int) (start, end int, err error) {
	re, err := compile(pattern)
	if err != nil {
		return -1, -1, err
	}
	if !re.mayMatch(text) {
		return -1, -1, nil
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
