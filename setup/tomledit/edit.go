package tomledit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// ErrForm says that a table is written in a form that an edit cannot touch.
var ErrForm = errors.New("table is written in another form")

// KV is one key with its value: string, []string, or []KV for an inline table.
type KV struct {
	Key string
	Val any
}

// Block renders a table as it is appended, with the given line end.
func Block(path []string, kvs []KV, nl string) string {
	var b strings.Builder
	b.WriteString("[" + dotted(path) + "]" + nl)
	for _, kv := range kvs {
		b.WriteString(dotted([]string{kv.Key}) + " = " + Render(kv.Val) + nl)
	}
	return b.String()
}

func dotted(path []string) string {
	out := make([]string, len(path))
	for i, k := range path {
		out[i] = k
		if k == "" || strings.ContainsFunc(k, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
		}) {
			out[i] = Render(k)
		}
	}
	return strings.Join(out, ".")
}

// Render writes a value on one line.
func Render(val any) string {
	switch v := val.(type) {
	case string:
		return quote(v)
	case []string:
		out := make([]string, len(v))
		for i := range v {
			out[i] = quote(v[i])
		}
		return "[" + strings.Join(out, ", ") + "]"
	case []KV:
		out := make([]string, len(v))
		for i, kv := range v {
			out[i] = dotted([]string{kv.Key}) + " = " + Render(kv.Val)
		}
		return "{ " + strings.Join(out, ", ") + " }"
	}
	panic(fmt.Sprintf("tomledit: cannot render %T", val))
}

// quote writes a literal string where one can hold the text (Windows paths
// read better), else a basic one.
func quote(s string) string {
	plain := !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
	if plain && !strings.ContainsAny(s, `"\`) {
		return `"` + s + `"`
	}
	if plain && !strings.Contains(s, "'") {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// AddTable appends [path] with its keys at the end of the document, one blank
// line apart. The caller has seen with FormOf that the table is absent and no
// parent closed.
func (d *Doc) AddTable(path []string, kvs []KV) error {
	var b bytes.Buffer
	b.Write(d.src)
	if n := len(d.src); n > 0 {
		if d.src[n-1] != '\n' {
			b.WriteString(d.nl)
		}
		if !blankEnd(b.Bytes()) {
			b.WriteString(d.nl)
		}
	}
	b.WriteString(Block(path, kvs, d.nl))
	return d.load(b.Bytes())
}

// blankEnd: the last line is blank, or there is none.
func blankEnd(b []byte) bool {
	b = bytes.TrimSuffix(b, []byte("\n"))
	i := bytes.LastIndexByte(b, '\n')
	return len(bytes.TrimSpace(b[i+1:])) == 0
}

// SetKey sets one key of the table that a header [path] opens: in place when
// the key is written there, else on a new line behind the table's last key.
func (d *Doc) SetKey(path []string, kv KV) error {
	at := -1
	for _, e := range d.exprs {
		switch {
		case e.kind == unstable.Table && slices.Equal(e.path, path):
			at = e.to
		case e.kind == unstable.KeyValue && e.own == len(path) && under(e.path, path):
			if len(e.path) == len(path)+1 && e.path[len(path)] == kv.Key {
				return d.splice(e.val, e.end, Render(kv.Val))
			}
			at = max(at, e.to)
		}
	}
	if at < 0 {
		return ErrForm
	}
	text := dotted([]string{kv.Key}) + " = " + Render(kv.Val) + d.nl
	if at > 0 && d.src[at-1] != '\n' {
		text = d.nl + strings.TrimSuffix(text, d.nl)
	}
	return d.splice(at, at, text)
}

// SetVars sets and drops string variables in the table at path+name, in
// whatever form it is written, leaving the others as they stand. An empty
// value drops.
func (d *Doc) SetVars(path []string, name string, vars []KV) error {
	full := append(slices.Clone(path), name)
	_, isMap := d.At(full...).(map[string]any)
	for _, e := range d.exprs {
		if e.kind == unstable.KeyValue && slices.Equal(e.path, full) {
			return d.setInline(e, vars)
		}
	}
	if isMap {
		for _, kv := range vars {
			if err := d.setVar(full, kv); err != nil {
				return err
			}
		}
		return nil
	}
	if vars = present(vars); len(vars) == 0 {
		return nil
	}
	return d.SetKey(path, KV{name, vars})
}

func present(vars []KV) []KV {
	var out []KV
	for _, kv := range vars {
		if kv.Val != "" {
			out = append(out, kv)
		}
	}
	return out
}

// setInline rewrites env = { … }, keeping foreign members as written.
func (d *Doc) setInline(e expr, vars []KV) error {
	if e.noted || e.val == e.end || d.src[e.val] != '{' {
		return ErrForm
	}
	var out []string
	for _, m := range e.inner {
		if m.key == "" || !slices.ContainsFunc(vars, func(kv KV) bool { return kv.Key == m.key }) {
			out = append(out, m.raw)
		}
	}
	for _, kv := range present(vars) {
		out = append(out, dotted([]string{kv.Key})+" = "+Render(kv.Val))
	}
	if len(out) == 0 {
		return d.splice(e.from, e.to, "")
	}
	return d.splice(e.val, e.end, "{ "+strings.Join(out, ", ")+" }")
}

// setVar sets or drops one key of a table written with its own header or with
// dotted keys.
func (d *Doc) setVar(full []string, kv KV) error {
	key := append(slices.Clone(full), kv.Key)
	for _, e := range d.exprs {
		if e.kind == unstable.KeyValue && slices.Equal(e.path, key) {
			if kv.Val == "" {
				return d.splice(e.from, e.to, "")
			}
			return d.splice(e.val, e.end, Render(kv.Val))
		}
	}
	if kv.Val == "" {
		return nil
	}
	if err := d.SetKey(full, kv); err != ErrForm {
		return err
	}
	// env.A = "…" below [path]: one more dotted key behind it.
	for i := len(d.exprs) - 1; i >= 0; i-- {
		if e := d.exprs[i]; e.kind == unstable.KeyValue && under(e.path, full) {
			text := dotted(key[e.own:]) + " = " + Render(kv.Val) + d.nl
			if d.src[e.to-1] != '\n' {
				text = d.nl + strings.TrimSuffix(text, d.nl)
			}
			return d.splice(e.to, e.to, text)
		}
	}
	return ErrForm
}

// RemoveTable takes out the table at path: its headers with all their keys,
// and keys elsewhere that lie below it. ErrForm when it stands inside a
// parent's inline table or in an array.
func (d *Doc) RemoveTable(path ...string) error {
	if f, _ := d.FormOf(path...); f == Outer || f == Array || f == Mixed {
		return ErrForm
	}
	lines := d.lines(path)
	if len(lines) == 0 {
		return nil
	}
	var b bytes.Buffer
	at := 0
	for _, l := range lines {
		from := l[0]
		// AddTable put one blank line in front.
		if h := d.src[at:from]; bytes.HasPrefix(d.src[skip(d.src, from):], []byte("[")) {
			if t := bytes.TrimSuffix(bytes.TrimSuffix(h, []byte("\n")), []byte("\r")); len(t) < len(h) && (len(t) == 0 || bytes.HasSuffix(t, []byte("\n"))) {
				from = at + len(t)
			}
		}
		b.Write(d.src[at:from])
		at = l[1]
	}
	b.Write(d.src[at:])
	return d.load(b.Bytes())
}

func (d *Doc) splice(from, to int, text string) error {
	var b bytes.Buffer
	b.Write(d.src[:from])
	b.WriteString(text)
	b.Write(d.src[to:])
	return d.load(b.Bytes())
}
