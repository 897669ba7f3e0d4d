// Package tomledit changes one table of a TOML file that belongs to somebody
// else. It parses only to learn where lines stand and then splices whole lines
// or single values, so that comments, order, byte order mark and line ends of
// everything else stay as they were.
package tomledit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Error says where a document cannot be read, or cannot be edited.
type Error struct {
	Line int // 1-based
	Msg  string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Msg) }

const bom = "\xef\xbb\xbf"

// Doc is a parsed document. Its edits take effect at once.
type Doc struct {
	bom   bool
	src   []byte // without the byte order mark
	nl    string
	value map[string]any
	exprs []expr
}

// expr is one table header, one key with its value, or one comment that
// stands alone.
type expr struct {
	kind  unstable.Kind
	path  []string // whole path from the root; nil for a comment
	own   int      // how many parts of path the header in force gave
	from  int      // first byte of the first line
	to    int      // behind the line end of the last line
	val   int      // KeyValue: first byte of the value
	end   int      // KeyValue: behind the value
	note  string   // comment text, alone or at the end of the line
	inner []member // KeyValue with an inline table
	noted bool     // the inline table holds comments
}

// member is one key of an inline table, as written.
type member struct {
	key string // "" when it is dotted
	raw string
}

// Parse reads a document; the error is an *Error.
func Parse(src []byte) (*Doc, error) {
	d := &Doc{nl: "\n"}
	if bytes.HasPrefix(src, []byte(bom)) {
		d.bom, src = true, src[len(bom):]
	}
	if !utf8.Valid(src) {
		return nil, &Error{1, "is not valid UTF-8"}
	}
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		d.nl = "\r\n"
	}
	if err := d.load(src); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *Doc) load(src []byte) error {
	src = slices.Clip(slices.Clone(src)) // the parser keeps slices of it
	value := map[string]any{}
	if err := toml.Unmarshal(src, &value); err != nil {
		var de *toml.DecodeError
		if errors.As(err, &de) {
			line, _ := de.Position()
			return &Error{line, "is not valid TOML (" + strings.TrimPrefix(de.Error(), "toml: ") + ")"}
		}
		return &Error{1, "is not valid TOML (" + strings.TrimPrefix(err.Error(), "toml: ") + ")"}
	}
	var p unstable.Parser
	p.KeepComments = true
	p.Reset(src)
	var exprs []expr
	var table []string
	for p.NextExpression() {
		n := p.Expression()
		e := expr{kind: n.Kind}
		first, last := 0, 0
		switch n.Kind {
		case unstable.Comment:
			first, last = int(n.Raw.Offset), int(n.Raw.Offset+n.Raw.Length)
			e.note = string(n.Data)
		case unstable.KeyValue:
			first, last = int(n.Raw.Offset), int(n.Raw.Offset+n.Raw.Length)
			keys, keyEnd := keyOf(n)
			e.path, e.own = append(slices.Clone(table), keys...), len(table)
			e.val, e.end = skip(src, bytes.IndexByte(src[keyEnd:], '=')+keyEnd+1), last
			if n.Value().Kind == unstable.InlineTable {
				for it := n.Value().Children(); it.Next(); {
					c := it.Node()
					if c.Kind != unstable.KeyValue {
						e.noted = true
						continue
					}
					m := member{raw: string(p.Raw(c.Raw))}
					if k, _ := keyOf(c); len(k) == 1 {
						m.key = k[0]
					}
					e.inner = append(e.inner, m)
				}
			}
		default: // Table, ArrayTable
			keys, keyEnd := keyOf(n)
			table = keys
			e.path, e.own = keys, 0
			first, last = keyEnd, keyEnd
		}
		if c := n.Next(); n.Kind != unstable.Comment && c != nil && c.Kind == unstable.Comment {
			e.note = string(c.Data)
			last = int(c.Raw.Offset + c.Raw.Length)
		}
		e.from = bytes.LastIndexByte(src[:first], '\n') + 1
		e.to = len(src)
		if i := bytes.IndexByte(src[last:], '\n'); i >= 0 {
			e.to = last + i + 1
		}
		exprs = append(exprs, e)
	}
	if err := p.Error(); err != nil {
		return &Error{1, "is not valid TOML (" + err.Error() + ")"}
	}
	d.src, d.value, d.exprs = src, value, exprs
	return nil
}

// keyOf is a node's key and the offset behind its last part.
func keyOf(n *unstable.Node) (parts []string, end int) {
	for it := n.Key(); it.Next(); {
		k := it.Node()
		parts = append(parts, string(k.Data))
		end = int(k.Raw.Offset + k.Raw.Length)
	}
	return parts, end
}

func skip(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	return i
}

// Bytes is the document as it now stands.
func (d *Doc) Bytes() []byte {
	if d.bom {
		return append([]byte(bom), d.src...)
	}
	return append([]byte{}, d.src...)
}

// Value is the document's meaning.
func (d *Doc) Value() map[string]any { return d.value }

// At is the value at a path, nil when there is none.
func (d *Doc) At(path ...string) any {
	var v any = d.value
	for _, k := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[k]
	}
	return v
}

// Line is where path is first written, 0 when it is not.
func (d *Doc) Line(path ...string) int {
	for _, e := range d.exprs {
		if e.path != nil && (under(e.path, path) || under(path, e.path) && e.kind == unstable.KeyValue) {
			return 1 + bytes.Count(d.src[:e.from], []byte("\n"))
		}
	}
	return 0
}

// under: path is dir or lies below it.
func under(path, dir []string) bool {
	return len(path) >= len(dir) && slices.Equal(path[:len(dir)], dir)
}

// Form is how a table is written.
type Form string

// The forms.
const (
	Absent Form = ""
	Header Form = "header" // [a.b] and its sub-tables
	Keys   Form = "keys"   // b = {…}, or b.c = … below [a], or at the root
	Outer  Form = "outer"  // inside an inline table of a parent: a = { b = {…} }
	Array  Form = "array"  // [[a]] or [[a.b]] on the way
	Mixed  Form = "mixed"
)

// FormOf says how the table at path is written, and whether any parent on the
// way is closed (an inline table or an array), so that [path] cannot be added.
func (d *Doc) FormOf(path ...string) (f Form, closed bool) {
	for _, e := range d.exprs {
		got := Absent
		switch {
		case e.path == nil:
		case e.kind == unstable.ArrayTable && under(path, e.path):
			got, closed = Array, true
		case e.kind == unstable.Table && under(e.path, path), e.kind == unstable.ArrayTable && under(e.path, path):
			got = Header
		case e.kind == unstable.KeyValue && under(e.path, path):
			// A key below our own header belongs to the header.
			if e.own < len(path) || !under(e.path[:e.own], path) {
				got = Keys
			}
		case e.kind == unstable.KeyValue && under(path, e.path):
			closed = true
			if d.At(path...) != nil {
				got = Outer
			}
		}
		if got != Absent {
			if f != Absent && f != got {
				return Mixed, closed
			}
			f = got
		}
	}
	return f, closed
}

// Comments are the texts of all comments outside the table at path, in order.
func (d *Doc) Comments(path ...string) []string {
	gone := d.lines(path)
	var out []string
	for _, e := range d.exprs {
		if e.note != "" && !slices.ContainsFunc(gone, func(s [2]int) bool { return e.from >= s[0] && e.to <= s[1] }) {
			out = append(out, strings.TrimRight(e.note, "\r"))
		}
	}
	return out
}

// lines are the line ranges that make up the table at path: each header with
// everything down to its last key, and single keys elsewhere. Comments behind
// the last key belong to what follows.
func (d *Doc) lines(path []string) [][2]int {
	var out [][2]int
	open := false
	for _, e := range d.exprs {
		switch {
		case e.path == nil:
		case e.kind != unstable.KeyValue:
			if open = under(e.path, path); open {
				out = append(out, [2]int{e.from, e.to})
			}
		case open:
			out[len(out)-1][1] = e.to
		case under(e.path, path):
			out = append(out, [2]int{e.from, e.to})
		}
	}
	return out
}
