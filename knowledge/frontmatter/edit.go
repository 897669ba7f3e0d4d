package frontmatter

import (
	"fmt"
	"slices"
	"strings"

	"pathrule/internal/head"
	"pathrule/knowledge"
	"pathrule/workspace"
)

func apply(data []byte, edits []Edit) ([]byte, error) {
	for _, e := range edits {
		out, err := applyOne(data, e)
		if err != nil {
			return data, fmt.Errorf("edit frontmatter: %w", err)
		}
		data = out
	}
	return data, nil
}

func applyOne(data []byte, e Edit) ([]byte, error) {
	if l, ok := e.Value.([]string); ok {
		e.Value = lines(l)
	}
	d := read(data)
	eol := d.sp.EOL()
	fresh := renderField(e.Key, e.Value, eol)
	if !d.sp.Found {
		if fresh == "" {
			return data, nil
		}
		return splice(data, d.sp.Open, d.sp.Open, "---"+eol+fresh+"---"+eol), nil
	}
	if d.flow {
		return nil, fmt.Errorf("line %d: the keys stand in {…}; write one on each line first", d.fields[0].Line)
	}
	at := slices.IndexFunc(d.fields, func(f head.Field) bool { return f.Key == e.Key })
	if fresh == "" {
		// All of them: a second one that did not count must not come to life.
		for i := len(d.fields) - 1; i >= 0; i-- {
			if f := d.fields[i]; f.Key == e.Key {
				data = splice(data, f.Start, f.End, "")
			}
		}
		return data, d.verify(data, e)
	}
	if at < 0 {
		pre := d.indent()
		if pre != "" {
			fresh = pre + strings.TrimSuffix(strings.ReplaceAll(fresh, eol, eol+pre), pre)
		}
		out := splice(data, d.sp.End, d.sp.End, fresh)
		return out, d.verify(out, e)
	}
	f := d.fields[at]
	if kept, ok := d.rewrite(f, e.Value, eol); ok {
		if out := splice(data, f.Start, f.End, kept); d.verify(out, e) == nil {
			return out, nil
		}
	}
	if pre := d.indent(); pre != "" {
		fresh = pre + strings.TrimSuffix(strings.ReplaceAll(fresh, eol, eol+pre), pre)
	}
	out := splice(data, f.Start, f.End, fresh)
	return out, d.verify(out, e)
}

// lines leaves out items that say nothing.
func lines(list []string) []string {
	var out []string
	for _, s := range list {
		if s = oneLine(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func splice(data []byte, from, to int, text string) []byte {
	out := make([]byte, 0, len(data)+len(text))
	out = append(out, data[:from]...)
	out = append(out, text...)
	return append(out, data[to:]...)
}

// indent is what stands before every key, nearly always nothing.
func (d *document) indent() string {
	if len(d.fields) == 0 {
		return ""
	}
	line := d.lineText(d.fields[0].Line)
	return line[:len(line)-len(strings.TrimLeft(line, " "))]
}

// verify reads the result again: the key must have its value and everything
// else must be as before.
func (d *document) verify(out []byte, e Edit) error {
	n := read(out)
	line := head.LineAt(d.data, d.sp.Open)
	for _, f := range d.fields {
		if f.Key == e.Key {
			line = f.Line
		}
	}
	fail := fmt.Errorf("line %d: %q cannot be changed in place; change it by hand", line, e.Key)
	if !n.sp.Found || n.body() != d.body() {
		return fail
	}
	if n.loose && !d.loose {
		return fail
	}
	// A mended head may now be YAML, whose reading is the better one.
	if d.loose == n.loose {
		others := func(d *document) (out []head.Field) {
			for _, f := range d.fields {
				if f.Key != e.Key {
					out = append(out, f)
				}
			}
			return out
		}
		a, b := others(d), others(n)
		if len(a) != len(b) {
			return fail
		}
		for i := range a {
			if a[i].Key != b[i].Key || !same(&a[i], &b[i]) {
				return fail
			}
		}
	}
	for _, f := range n.fields {
		if f.Key != e.Key {
			continue
		}
		switch v := e.Value.(type) {
		case string:
			if f.Text != oneLine(v) {
				return fail
			}
		case []string:
			if !slices.Equal(values(f), v) {
				return fail
			}
		default:
			if !f.Nested && !f.IsList {
				return fail
			}
		}
		return nil
	}
	if renderField(e.Key, e.Value, "\n") != "" {
		return fail
	}
	return nil
}

// values are a field's items, however they are written.
func values(f head.Field) []string {
	list := f.List
	if !f.IsList && !f.Null {
		if f.Key == "paths" {
			list = workspace.SplitPatterns(f.Text)
		} else {
			list = strings.Split(f.Text, ",")
		}
	}
	var out []string
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// rewrite gives a field's lines with a new value in the old manner: quotes,
// list form and comments stay. ok is false when it is written in a way that
// cannot be kept.
func (d *document) rewrite(f head.Field, v any, eol string) (string, bool) {
	raw := string(d.data[f.Start:f.End])
	body := strings.TrimRight(raw, "\r\n")
	end := raw[len(body):]
	oneLiner := !strings.Contains(body, "\n")
	colon := strings.IndexByte(body, ':')
	if colon < 0 {
		return "", false
	}
	prefix := body[:colon+1]
	rest := body[colon+1:]
	gap := rest[:len(rest)-len(strings.TrimLeft(rest, " "))]
	if gap == "" {
		gap = " "
	}
	old := strings.TrimSpace(strings.TrimSuffix(rest, f.Comment))
	switch v := v.(type) {
	case string:
		if !oneLiner || f.Style != head.Plain && f.Style != head.Quoted && f.Style != head.Empty {
			return "", false
		}
		if f.Style == head.Empty {
			gap = " "
		}
		return prefix + gap + like(old, oneLine(v), false) + f.Comment + end, true
	case []string:
		switch {
		case f.Style == head.List && len(f.Items) == len(f.List) && len(f.List) > 0:
			return d.rewriteList(f, v, eol), true
		case f.Style == head.Flow && oneLiner:
			return prefix + gap + "[" + rewriteFlow(old, v) + "]" + f.Comment + end, true
		case (f.Style == head.Plain || f.Style == head.Quoted) && oneLiner && len(v) > 0:
			sep := ","
			if strings.Contains(old, ", ") || !strings.Contains(old, ",") {
				sep = ", "
			}
			text := strings.Join(v, sep)
			if !slices.Equal(values(head.Field{Key: f.Key, Text: text}), v) {
				return "", false
			}
			quoted := like(old, text, false)
			if strings.ContainsAny(text, "*?[]{}!") && quoted == text {
				quoted = double(text, false)
			}
			return prefix + gap + quoted + f.Comment + end, true
		}
	}
	return "", false
}

// like writes a value with the quotes that the old one had.
func like(old, s string, item bool) string {
	if strings.HasPrefix(old, `'`) && !strings.ContainsAny(s, "'\\") {
		return "'" + s + "'"
	}
	if strings.HasPrefix(old, `"`) {
		return double(s, false)
	}
	if item {
		return quoteItem(s)
	}
	return Quote(s)
}

// rewriteFlow keeps the items of "[a, 'b']" that stay as they are written.
func rewriteFlow(old string, v []string) string {
	tokens := head.FlowTokens(old)
	first := ""
	if len(tokens) > 0 {
		first = tokens[0].Raw
	}
	out := make([]string, len(v))
	for i, s := range v {
		out[i] = ""
		for _, t := range tokens {
			if t.Text == s && t.Raw[0] != '*' {
				out[i] = t.Raw
				break
			}
		}
		if out[i] == "" {
			out[i] = like(first, s, true)
			if out[i] == s && strings.ContainsAny(s, ",:#[]{}\"'") {
				out[i] = double(s, false)
			}
		}
	}
	return strings.Join(out, ", ")
}

// rewriteList keeps the lines of items that stay, with their comments.
func (d *document) rewriteList(f head.Field, v []string, eol string) string {
	first := string(d.data[f.Items[0].Start:f.Items[0].End])
	mark := strings.Repeat(" ", f.Indent) + "-"
	after := strings.TrimPrefix(first, mark)
	gap := after[:len(after)-len(strings.TrimLeft(after, " "))]
	if gap == "" {
		gap = " "
	}
	old := strings.TrimSpace(after)
	newLine := func(s string) string { return mark + gap + like(old, s, true) + eol }

	keep := common(f.List, v)
	var b strings.Builder
	pos := f.Start
	upTo := func(off int) { b.Write(d.data[pos:off]); pos = off }
	j := 0
	for i, it := range f.Items {
		upTo(it.Start)
		if !keep[i] {
			pos = it.End
			continue
		}
		for ; v[j] != f.List[i]; j++ {
			b.WriteString(newLine(v[j]))
		}
		j++
		upTo(it.End)
		// New items before the next kept one follow this one directly.
		for j < len(v) && !ahead(f.List, keep, i+1, v[j]) {
			b.WriteString(newLine(v[j]))
			j++
		}
	}
	for ; j < len(v); j++ {
		b.WriteString(newLine(v[j]))
	}
	upTo(f.End)
	return b.String()
}

// ahead reports that the next kept item from i on is s.
func ahead(list []string, keep []bool, i int, s string) bool {
	for ; i < len(list); i++ {
		if keep[i] {
			return list[i] == s
		}
	}
	return false
}

// common marks the items of a that stand in b in the same order (longest common
// subsequence).
func common(a, b []string) []bool {
	n := make([][]int, len(a)+1)
	for i := range n {
		n[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				n[i][j] = n[i+1][j+1] + 1
			} else {
				n[i][j] = max(n[i+1][j], n[i][j+1])
			}
		}
	}
	keep := make([]bool, len(a))
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			keep[i] = true
			i++
			j++
		case n[i+1][j] >= n[i][j+1]:
			i++
		default:
			j++
		}
	}
	return keep
}

func setBody(data []byte, body string) []byte {
	sp := head.Find(data, knowledge.MaxHead)
	d := read(data)
	if !d.sp.Found {
		sp = d.sp
	}
	if sp.CRLF {
		body = strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\n", "\r\n")
	}
	pre := string(data[:sp.Body])
	if sp.Found && !strings.HasSuffix(pre, "\n") && body != "" {
		pre += sp.EOL()
	}
	out := []byte(pre + body)
	// A text that begins like a frontmatter must not become one.
	if !sp.Found && read(out).sp.Found {
		out = []byte(pre + "---" + sp.EOL() + "---" + sp.EOL() + body)
	}
	return out
}
