// Package frontmatter reads and edits the YAML head of an entry's file: every
// value with its line number, exact errors, and edits that leave every byte
// alone that was not edited.
package frontmatter

import (
	"bytes"

	"pathrule/internal/head"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// Parse reads a whole file. file is the slash path relative to the store; it
// names the file in problems. err is a *knowledge.ParseError when there is no
// usable entry (too large, not UTF-8, NUL bytes, a scope that cannot be
// understood); otherwise the entry counts, and a problem that is no Warning
// says which key of it does not.
func Parse(data []byte, kind knowledge.Kind, id, file string) (knowledge.Entry, []workspace.Problem, error) {
	return parse(data, kind, id, file)
}

// Head reads every key of a file's head, whoever's keys they are: what an
// importer of other clients' files needs. body is where the text begins, in
// bytes. Problems say what is odd about the head itself.
func Head(data []byte) (fields []head.Field, body int, problems []workspace.Problem) {
	d := read(data)
	return d.fields, d.sp.Body, d.problems
}

// Edit changes one key. Value is a string, a []string, a []knowledge.Block, a
// *knowledge.Check, or nil to take the key out.
type Edit struct {
	Key   string
	Value any
}

// Apply makes the edits by replacing only the lines of their keys: comments,
// order, quoting, line endings, a BOM and a missing last newline stay. A new
// key goes before the closing fence; a file without frontmatter gets one. The
// error says why a file cannot be edited in place.
func Apply(data []byte, edits ...Edit) ([]byte, error) { return apply(data, edits) }

// SetBody replaces everything after the frontmatter, in the file's own line
// ending.
func SetBody(data []byte, body string) []byte { return setBody(data, body) }

// Foreign is what stands in the frontmatter of data under keys that are none of
// ours, line for line: what a new entry keeps of a file that it was made from.
func Foreign(data []byte, kind knowledge.Kind) []byte {
	fields, _, _ := Head(data)
	var out []byte
	for _, f := range fields {
		if !contains(knowledge.Keys(kind), f.Key) {
			out = append(out, data[f.Start:f.End]...)
		}
	}
	if n := len(out); n > 0 && out[n-1] != '\n' {
		out = append(out, '\n')
	}
	return bytes.ReplaceAll(out, []byte("\r\n"), []byte("\n"))
}

// Render writes a new file for an entry: keys in the documented order, empty
// ones left out, globs quoted, "\n" line endings. Both readers read it back to
// the same entry.
func Render(e knowledge.Entry) []byte { return render(e) }
