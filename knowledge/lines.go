package knowledge

import (
	"errors"
	"strings"

	"github.com/cespare/xxhash/v2"

	"pathrule/internal/head"
	"pathrule/workspace"
)

const (
	// MaxFile is the most bytes one entry's file may have.
	MaxFile = 1 << 20
	// MaxHead is the most bytes its frontmatter may have, fences included.
	MaxHead = 64 << 10
)

// ErrBeyond: the frontmatter holds something that the line reader does not
// know (anchors, block scalars, nested maps). Only the full parser reads it.
var ErrBeyond = errors.New("frontmatter is beyond the line reader")

// Version is xxhash64 of a file's bytes as 16 hex digits. It detects change and
// grants nothing.
func Version(data []byte) string {
	const hex = "0123456789abcdef"
	sum := xxhash.Sum64(data)
	var out [16]byte
	for i := range out {
		out[i] = hex[sum>>(60-4*i)&15]
	}
	return string(out[:])
}

// ParseLines is the line reader: it reads a whole file without a YAML library.
// file is the slash path relative to the store. Whenever it answers, it answers
// what frontmatter.Parse does; it never fills Block or Check. The error is
// ErrBeyond, or a *ParseError for a file that is no entry at all (too large, not
// UTF-8, NUL bytes).
func ParseLines(data []byte, kind Kind, id, file string) (Entry, error) {
	e, _, err := ParseLinesQuiet(data, kind, id, file)
	return e, err
}

// ParseLinesQuiet is ParseLines that says besides whether frontmatter.Parse has
// certainly nothing to report about the file; quiet false proves nothing.
func ParseLinesQuiet(data []byte, kind Kind, id, file string) (e Entry, quiet bool, err error) {
	e = Entry{Kind: kind, ID: id, File: file}
	if err := Text(data, file); err != nil {
		return e, false, err
	}
	sp := head.Find(data, MaxHead)
	var lines head.Lines
	if sp.Found {
		lines = head.Scan(data, sp)
		if lines.Beyond > 0 {
			return e, false, ErrBeyond
		}
		for _, f := range lines.Fields {
			if f.Key == "block" || f.Key == "check" {
				if !f.Null {
					return e, false, ErrBeyond
				}
			}
		}
	}
	reported := false
	if err := Fill(&e, lines.Fields, func(workspace.Problem) { reported = true }); err != nil {
		return e, false, err
	}
	Finish(&e, data, sp.Body)
	return e, !reported && headQuiet(data, sp, lines, kind) && textQuiet(&e), nil
}

// Text checks that data can be an entry's file at all; the error is a
// *ParseError.
func Text(data []byte, file string) error {
	if f := head.Text(data, MaxFile); f.Msg != "" {
		return &ParseError{Path: file, Line: f.Line, Msg: f.Msg, Remedy: f.Remedy}
	}
	return nil
}

// Finish sets what follows from the body, which begins at off: the title when
// there is none yet, and the version.
func Finish(e *Entry, data []byte, off int) {
	e.Body, e.BodyOffset, e.Version = string(data[off:]), off, Version(data)
	if e.Title == "" {
		e.Title = heading(e.Body)
	}
	if e.Title == "" {
		e.Title = e.ID[strings.LastIndexByte(e.ID, '/')+1:]
	}
}

// heading is the text of the first "# " heading outside code, "" without one.
func heading(body string) string {
	for _, h := range Headings(body) {
		if h.Level == 1 {
			if t := plainText(h.Text); t != "" {
				return t
			}
		}
	}
	return ""
}

// closeHeading takes the optional closing "#"s off a heading's text.
func closeHeading(t string) string {
	t = strings.TrimSpace(t)
	c := strings.TrimRight(t, "#")
	if c == "" || strings.HasSuffix(c, " ") || strings.HasSuffix(c, "\t") {
		return strings.TrimSpace(c)
	}
	return t
}
