// Package doctor looks at an installation and says what is wrong, where, and
// what to do: read-only, offline, without any account. It also knows what will
// surprise about an entry's paths, for the commands that write them.
package doctor

import "pathrule/internal/plaintext"

// Level says how a line of the report should be read.
type Level string

// The levels. Warn and Bad are findings.
const (
	OK   Level = "ok"
	Note Level = "note" // worth knowing, nothing to do
	Warn Level = "warn" // works, but not as it should
	Bad  Level = "bad"  // does not work
)

// Line is one thing that was looked at.
type Line struct {
	Section string `json:"section"`
	Level   Level  `json:"level"`
	Text    string `json:"text"`
	Remedy  string `json:"remedy,omitempty"` // what to do, often a command
	File    string `json:"file,omitempty"`   // absolute
	Line    int    `json:"line,omitempty"`   // 1-based
}

// Report is all that was looked at.
type Report struct {
	Lines []Line `json:"lines"`
	// Next is the command to run next.
	Next string `json:"next"`
	// section and fix are only used while the report is made.
	section string
	fix     string
	// later is the command to run when nothing stands in anyone's way.
	later string
}

// Findings is the number of lines that ask for something to be done.
func (r *Report) Findings() int {
	n := 0
	for _, l := range r.Lines {
		if l.Level == Warn || l.Level == Bad {
			n++
		}
	}
	return n
}

const maxText = 1_000 // characters of one finding

func (r *Report) add(level Level, text, remedy string) {
	r.at(level, "", 0, text, remedy)
}

func (r *Report) at(level Level, file string, line int, text, remedy string) {
	// What a finding quotes may be as long as a file.
	r.Lines = append(r.Lines, Line{Section: r.section, Level: level, Text: plaintext.Line(text, maxText), Remedy: plaintext.Line(remedy, maxText), File: file, Line: line})
}

// next names the command that helps; the first finding decides, since the
// sections stand in the order in which things depend on each other.
func (r *Report) next(command string) {
	if r.fix == "" {
		r.fix = command
	}
}
