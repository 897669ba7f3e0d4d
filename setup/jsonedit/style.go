package jsonedit

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// style is how a file is laid out, so that new text looks like the old.
type style struct {
	nl      string // "\n" or "\r\n"
	indent  string // one step
	colon   string // ": " or ":"
	comma   string // between neighbours on one line: " " or ""
	compact bool   // the whole value stands on one line
}

func styleOf(d *Doc) style {
	s := style{nl: "\n", indent: "  ", colon: ": ", comma: " "}
	if i := bytes.IndexByte(d.src, '\n'); i > 0 && d.src[i-1] == '\r' {
		s.nl = "\r\n"
	}
	kids := childStarts(&d.root)
	body := d.src[d.root.StartOffset:d.root.EndOffset]
	s.compact = len(kids) > 0 && bytes.IndexByte(body, '\n') < 0
	// One step is what the first nested line has more than the line of its
	// container; the root's own children are asked first.
	for v := range d.root.All() {
		starts := childStarts(v)
		if len(starts) == 0 {
			continue
		}
		own, ok := ownLine(d.src, starts[0])
		outer := lineIndent(d.src, v.StartOffset)
		if ok && len(own) > len(outer) && strings.HasPrefix(own, outer) {
			s.indent = own[len(outer):]
			break
		}
	}
	if o, ok := d.root.Value.(*hujson.Object); ok && len(o.Members) > 0 && len(o.Members[0].Value.BeforeExtra) == 0 {
		s.colon = ":"
		if s.compact {
			s.comma = ""
		}
	}
	return s
}

func childStarts(v *hujson.Value) []int {
	var out []int
	switch c := v.Value.(type) {
	case *hujson.Object:
		for i := range c.Members {
			out = append(out, c.Members[i].Name.StartOffset)
		}
	case *hujson.Array:
		for i := range c.Elements {
			out = append(out, c.Elements[i].StartOffset)
		}
	}
	return out
}

// lineIndent is the blank run at the start of the line that holds off.
func lineIndent(b []byte, off int) string {
	start := bytes.LastIndexByte(b[:off], '\n') + 1
	i := start
	for i < off && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	return string(b[start:i])
}

// ownLine is the indentation of off when nothing but blanks stands before it
// on its line.
func ownLine(b []byte, off int) (string, bool) {
	start := bytes.LastIndexByte(b[:off], '\n') + 1
	if start == 0 || strings.Trim(string(b[start:off]), " \t") != "" {
		return "", false
	}
	return string(b[start:off]), true
}

// render writes a value whose first line stands at indent. Arrays of plain
// values stay on one line.
func (s style) render(val any, indent string, lines bool) string {
	switch v := val.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case Number:
		return string(v)
	case string:
		return string(hujson.String(v))
	case []string:
		a := make([]any, len(v))
		for i := range v {
			a[i] = v[i]
		}
		return s.render(a, indent, lines)
	case []any:
		flat := true
		for _, e := range v {
			switch e.(type) {
			case Object, []any, []string:
				flat = false
			}
		}
		return s.list("[", "]", len(v), indent, lines && !flat, func(i int, in string) string { return s.render(v[i], in, lines) })
	case Object:
		return s.list("{", "}", len(v), indent, lines, func(i int, in string) string {
			return string(hujson.String(v[i].Key)) + s.colon + s.render(v[i].Val, in, lines)
		})
	}
	panic(fmt.Sprintf("jsonedit: cannot render %T", val))
}

func (s style) list(open, end string, n int, indent string, lines bool, item func(i int, in string) string) string {
	if n == 0 {
		return open + end
	}
	var b strings.Builder
	b.WriteString(open)
	for i := range n {
		switch {
		case lines:
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(s.nl + indent + s.indent)
		case i > 0:
			b.WriteString("," + s.comma)
		}
		b.WriteString(item(i, indent+s.indent))
	}
	if lines {
		b.WriteString(s.nl + indent)
	}
	b.WriteString(end)
	return b.String()
}
