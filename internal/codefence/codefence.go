// Package codefence follows the fenced code of a Markdown text (CommonMark 4.5)
// line by line, so that nobody takes an example for a heading, a comment or an
// include.
package codefence

import "strings"

// Fences is the state between two lines of one text; its zero value stands
// before the first.
type Fences struct {
	mark string // the run that opened the block in hand, "" outside
}

// Part is what a line is to fenced code.
type Part int

const (
	// Outside: the line is prose.
	Outside Part = iota
	// Mark: the line opens or closes a block.
	Mark
	// Inside: the line is code.
	Inside
)

// Next takes the next line, with or without its ending. Any indent and any
// quote marks before a fence are taken, since fences stand in lists and quotes
// too.
func (f *Fences) Next(line string) Part {
	t := strings.TrimLeft(strings.TrimRight(line, "\r\n"), " \t>")
	if f.mark != "" {
		if strings.HasPrefix(t, f.mark) && strings.Trim(strings.TrimRight(t, " \t"), f.mark[:1]) == "" {
			f.mark = ""
			return Mark
		}
		return Inside
	}
	if f.mark = opens(t); f.mark != "" {
		return Mark
	}
	return Outside
}

// Code takes the next line and reports whether it belongs to fenced code, its
// fences included.
func (f *Fences) Code(line string) bool { return f.Next(line) != Outside }

// Open is the fence that would close the block in hand, "" outside.
func (f *Fences) Open() string { return f.mark }

// opens is the run of three or more backticks or tildes that begins a block.
func opens(t string) string {
	if t == "" || t[0] != '`' && t[0] != '~' {
		return ""
	}
	n := len(t) - len(strings.TrimLeft(t, t[:1]))
	// An info string after backticks holds no backtick, else it is a span.
	if n < 3 || t[0] == '`' && strings.IndexByte(t[n:], '`') >= 0 {
		return ""
	}
	return t[:n]
}
