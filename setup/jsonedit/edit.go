package jsonedit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// span is one child of a container by offsets: the whole member for an object.
type span struct{ start, end int }

// container finds the object or array at a path.
func (d *Doc) container(path []any) (n Node, children []span, open, end int, err error) {
	n, ok := d.At(path...)
	if !ok {
		return n, nil, 0, 0, ErrPath
	}
	switch v := n.v.Value.(type) {
	case *hujson.Object:
		for i := range v.Members {
			children = append(children, span{v.Members[i].Name.StartOffset, v.Members[i].Value.EndOffset})
		}
	case *hujson.Array:
		for i := range v.Elements {
			children = append(children, span{v.Elements[i].StartOffset, v.Elements[i].EndOffset})
		}
	default:
		return n, nil, 0, 0, ErrPath
	}
	return n, children, n.v.StartOffset, n.v.EndOffset - 1, nil
}

// AddMember appends a member to the object at path.
func (d *Doc) AddMember(key string, val any, path ...any) error {
	return d.add(string(hujson.String(key)), val, path)
}

// AddElem appends an element to the array at path.
func (d *Doc) AddElem(val any, path ...any) error { return d.add("", val, path) }

func (d *Doc) add(name string, val any, path []any) error {
	_, kids, open, end, err := d.container(path)
	if err != nil {
		return err
	}
	s := d.style
	lines := bytes.IndexByte(d.src[open:end], '\n') >= 0
	base := lineIndent(d.src, end)
	if len(kids) == 0 {
		lines = !s.compact
		if bytes.IndexByte(d.src[open:end], '\n') < 0 {
			base = lineIndent(d.src, open)
		}
	}
	child := base + s.indent
	if len(kids) > 0 {
		if own, ok := ownLine(d.src, kids[len(kids)-1].start); ok {
			child = own
		}
	}
	text := s.render(val, child, lines)
	if name != "" {
		text = name + s.colon + text
	}

	// from is where the container's tail starts: behind its last comma or
	// value, or behind the bracket.
	from, comma := open+1, false
	var out splices
	if len(kids) > 0 {
		from = kids[len(kids)-1].end
		if i := d.skipExtra(from); d.src[i] == ',' {
			from, comma = i+1, true
		} else {
			out.put(from, from, ",")
		}
	}
	at := d.trimTail(from, end)
	switch {
	case lines:
		if comma {
			text += ","
		}
		text = s.nl + child + text
		if len(kids) == 0 && bytes.IndexByte(d.src[at:end], '\n') < 0 {
			out.put(at, end, text+s.nl+base)
		} else {
			out.put(at, at, text)
		}
	default:
		if comma {
			text += ","
		}
		if len(kids) > 0 {
			text = s.comma + text
		}
		out.put(at, at, text)
	}
	return d.apply(out)
}

// trimTail is the offset behind the last comment in src[from:end], or from.
func (d *Doc) trimTail(from, end int) int {
	at := from
	for i := from; i < end; {
		if d.src[i] != '/' {
			i++
			continue
		}
		i = skipComment(d.src, i)
		at = i
	}
	// A line comment was skipped with its line end, which stays behind the new
	// text; the new text brings its own in front.
	for at > from && (d.src[at-1] == '\n' || d.src[at-1] == '\r') {
		at--
	}
	return at
}

// Set replaces the value at path.
func (d *Doc) Set(val any, path ...any) error {
	n, ok := d.At(path...)
	if !ok || len(path) == 0 {
		return ErrPath
	}
	lines := !d.style.compact
	if _, _, open, end, err := d.container(path[:len(path)-1]); err == nil {
		lines = bytes.IndexByte(d.src[open:end], '\n') >= 0
	}
	var out splices
	out.put(n.v.StartOffset, n.v.EndOffset, d.style.render(val, lineIndent(d.src, n.v.StartOffset), lines))
	return d.apply(out)
}

// Remove takes out the member or element at path together with its comma.
// Comments around it stay.
func (d *Doc) Remove(path ...any) error {
	if len(path) == 0 {
		return ErrPath
	}
	n, kids, open, end, err := d.container(path[:len(path)-1])
	if err != nil {
		return err
	}
	i := -1
	switch p := path[len(path)-1].(type) {
	case int:
		if n.Kind() == '[' {
			i = p
		}
	case string:
		i = slices.Index(n.Keys(), p)
	}
	if i < 0 || i >= len(kids) {
		return ErrPath
	}

	lead := open + 1 // behind the bracket or the comma before
	if i > 0 {
		lead = d.skipExtra(kids[i-1].end) + 1
	}
	start, stop := d.trimTail(lead, kids[i].start), kids[i].end
	next := d.skipExtra(stop)
	hasComma := d.src[next] == ','
	after := stop
	if hasComma {
		after = next + 1
	}
	if len(kids) == 1 {
		rest := string(d.src[open+1:start]) + string(d.src[stop:next]) + string(d.src[after:end])
		if !hasComma {
			rest = string(d.src[open+1:start]) + string(d.src[stop:end])
		}
		if strings.TrimSpace(rest) == "" {
			var out splices
			out.put(open+1, end, "")
			return d.apply(out)
		}
	}
	// A line comment in front must not swallow what follows on the same line.
	if start > lead && lineCommentBefore(d.src[lead:start]) && !startsLine(d.src[after:]) {
		start = kids[i].start
	}
	var out splices
	if !hasComma && i > 0 {
		out.put(lead-1, lead, "") // the comma before parts nothing any more
	}
	out.put(start, stop, "")
	if hasComma {
		out.put(next, next+1, "")
	}
	return d.apply(out)
}

// lineCommentBefore: the last comment in b is one that a line end closes.
func lineCommentBefore(b []byte) bool {
	last := false
	for i := 0; i < len(b); {
		if b[i] != '/' {
			i++
			continue
		}
		last = i+1 < len(b) && b[i+1] == '/'
		i = skipComment(b, i)
	}
	return last
}

func startsLine(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r")
	return len(b) == 0 || b[0] == '\n'
}

// splices are replacements in ascending order, not overlapping.
type splices []struct {
	from, to int
	text     string
}

func (s *splices) put(from, to int, text string) {
	*s = append(*s, struct {
		from, to int
		text     string
	}{from, to, text})
}

func (d *Doc) apply(s splices) error {
	var b bytes.Buffer
	at := 0
	for _, p := range s {
		b.Write(d.src[at:p.from])
		b.WriteString(p.text)
		at = p.to
	}
	b.Write(d.src[at:])
	return d.load(b.Bytes())
}
