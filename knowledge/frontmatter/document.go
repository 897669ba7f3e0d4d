package frontmatter

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"pathrule/internal/head"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// document is a file whose head was read: by YAML, else line by line.
type document struct {
	data []byte
	sp   head.Span
	// fields are the keys in file order; nodes are their YAML values, nil when
	// lines alone were enough.
	fields []head.Field
	nodes  []*yaml.Node
	// loose: YAML refuses the head, so it was read line by line.
	loose bool
	// flow: the whole head is one {…}, which cannot be edited in place.
	flow     bool
	problems []workspace.Problem
}

func (d *document) body() string { return string(d.data[d.sp.Body:]) }

// front is the beginning of a text, as far as a head could reach.
func front(data []byte) string { return string(data[:min(len(data), 4<<10)]) }

func (d *document) problem(line int, msg, remedy string) {
	d.problems = append(d.problems, workspace.Problem{Line: line, Msg: msg, Remedy: remedy})
}

func (d *document) warn(line int, msg, remedy string) {
	d.problems = append(d.problems, workspace.Problem{Line: line, Msg: msg, Remedy: remedy, Warning: true})
}

// read finds the head and its fields. It never fails: what is no head is body.
func read(data []byte) *document { return readBy(data, false) }

// readBy is read; always asks YAML even where the line scanner is certain to
// say the same, which a fuzz test holds it to. The scanner is five times as
// fast, and most files are simple.
func readBy(data []byte, always bool) *document {
	d := &document{data: data, sp: head.Find(data, knowledge.MaxHead)}
	if !d.sp.Found {
		d.noHead()
		return d
	}
	lines := head.Scan(data, d.sp)
	if !always && lines.Beyond == 0 && lines.Refused == 0 && !guarded(lines) {
		d.fields = lines.Fields
		d.secondHead()
		return d
	}
	root, err := d.yaml()
	switch {
	case err == nil && root == nil: // empty, or comments alone
	case err == nil && root.Kind == yaml.MappingNode && !odd(root):
		d.fromNodes(root, lines)
	case lines.NotMapping == 0 && len(lines.Fields) > 0:
		d.fields, d.loose = lines.Fields, true
		d.byLine(lines, err)
	case lines.NotMapping > 0 && glued(d.lineText(lines.NotMapping)):
		d.problem(lines.NotMapping, "frontmatter is not closed: --- must stand on a line of its own, so its keys do not count", "break the line behind the ---")
		d.sp.Found, d.sp.Body = false, d.sp.Open
	default:
		line := lines.NotMapping
		if line == 0 {
			line = head.LineAt(data, d.sp.Open)
		}
		d.problem(line, "this is no \"key: value\", so the file has no frontmatter and its text begins at the top",
			"close the frontmatter with a line that is exactly ---, with only \"key: value\" lines above it")
		d.sp.Found, d.sp.Body = false, d.sp.Open
	}
	if d.sp.Found {
		d.secondHead()
	}
	return d
}

// guarded reports keys whose values are maps.
func guarded(lines head.Lines) bool {
	for i := range lines.Fields {
		if k := lines.Fields[i].Key; (k == "block" || k == "check") && !lines.Fields[i].Null {
			return true
		}
	}
	return false
}

// yaml parses the head; nil without an error when it holds nothing.
func (d *document) yaml() (root *yaml.Node, err error) {
	// A fault in the library must not take the whole store down.
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, fmt.Errorf("yaml: %v", r)
		}
	}()
	var n yaml.Node
	if err := yaml.Unmarshal(d.data[d.sp.Start:d.sp.End], &n); err != nil {
		return nil, err
	}
	if n.Kind != yaml.DocumentNode || len(n.Content) == 0 {
		return nil, nil
	}
	if c := n.Content[0]; c.Kind != yaml.ScalarNode || c.Tag != "!!null" || c.Style != 0 {
		return c, nil
	}
	return nil, nil
}

// odd reports a value with a tag of its own, such as "!vendor/**": its author
// meant an exclusion and not a YAML tag.
func odd(n *yaml.Node) bool {
	if strings.HasPrefix(n.Tag, "!") && !strings.HasPrefix(n.Tag, "!!") {
		return true
	}
	for _, c := range n.Content {
		if odd(c) {
			return true
		}
	}
	return false
}

// fromNodes takes the fields from YAML. Where the line scanner saw the same key
// on the same lines, its knowledge of how the value is written is kept for
// edits.
func (d *document) fromNodes(root *yaml.Node, lines head.Lines) {
	base := head.LineAt(d.data, d.sp.Start) - 1
	d.flow = root.Style&yaml.FlowStyle != 0
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, val := root.Content[i], deref(root.Content[i+1])
		f := fieldOf(key.Value, val, base)
		f.Line = base + key.Line
		f.Start = d.lineStart(f.Line)
		d.fields = append(d.fields, f)
		d.nodes = append(d.nodes, val)
	}
	for i := range d.fields {
		f := &d.fields[i]
		f.End = d.sp.End
		if i+1 < len(d.fields) {
			f.End = d.fields[i+1].Start
		}
		f.End = d.trimEnd(f.Start, f.End)
		for j := range lines.Fields {
			if l := &lines.Fields[j]; l.Line == f.Line && l.Key == f.Key && l.End == f.End && same(l, f) {
				f.Style, f.Items, f.Indent, f.Comment = l.Style, l.Items, l.Indent, l.Comment
			}
		}
	}
}

// same reports that the scanner read what YAML read.
func same(a, b *head.Field) bool {
	if a.Null != b.Null || a.IsList != b.IsList || a.Nested != b.Nested || a.Text != b.Text || len(a.List) != len(b.List) {
		return false
	}
	for i := range a.List {
		if a.List[i] != b.List[i] {
			return false
		}
	}
	return true
}

func deref(n *yaml.Node) *yaml.Node {
	for i := 0; n.Kind == yaml.AliasNode && n.Alias != nil && i < 8; i++ {
		n = n.Alias
	}
	return n
}

// fieldOf turns a YAML value into text, a list of texts, or "nested".
func fieldOf(key string, n *yaml.Node, base int) head.Field {
	f := head.Field{Key: key, Style: head.Other}
	switch n.Kind {
	case yaml.ScalarNode:
		f.Null = isNull(n)
		if !f.Null {
			f.Text = n.Value
		}
	case yaml.SequenceNode:
		f.IsList = true
		for _, c := range n.Content {
			c = deref(c)
			switch {
			case c.Kind != yaml.ScalarNode:
				f.Nested, f.Line = true, base+c.Line
			case isNull(c) || c.Value == "":
			default:
				f.List = append(f.List, c.Value)
				f.Items = append(f.Items, head.Item{Line: base + c.Line})
			}
		}
	default:
		f.Nested = true
	}
	return f
}

func isNull(n *yaml.Node) bool {
	return n.Tag == "!!null" && n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0
}

// lineStart is the offset of a 1-based line.
func (d *document) lineStart(line int) int {
	off := 0
	for ; line > 1; line-- {
		i := bytes.IndexByte(d.data[off:], '\n')
		if i < 0 {
			return len(d.data)
		}
		off += i + 1
	}
	if off == 0 {
		off = d.sp.Open
	}
	return off
}

// trimEnd leaves blank lines and unindented comments at the end of a field to
// whatever comes next.
func (d *document) trimEnd(start, end int) int {
	for end > start {
		i := bytes.LastIndexByte(d.data[start:end-1], '\n')
		if i < 0 {
			return end
		}
		line := d.data[start+i+1 : end]
		if t := bytes.TrimSpace(line); len(t) > 0 && line[0] != '#' {
			return end
		}
		end = start + i + 1
	}
	return end
}

// byLine says why a head was not read as YAML.
func (d *document) byLine(lines head.Lines, err error) {
	line, msg, remedy := lines.Refused, "", ""
	if err != nil && line == 0 {
		// YAML reads on behind an open quote and stumbles somewhere below.
		for _, f := range lines.Fields {
			key, value, _ := strings.Cut(d.lineText(f.Line), ":")
			if value = strings.TrimSpace(value); openQuote(value) {
				d.warn(f.Line, "a quote is never closed; read line by line", "write: "+key+": "+Quote(strings.TrimSpace(value[1:])))
				return
			}
		}
	}
	if line == 0 {
		line = d.yamlLine(err)
	}
	text := d.lineText(line)
	key, value, _ := strings.Cut(strings.TrimSpace(text), ":")
	value = strings.TrimSpace(value)
	if item, ok := strings.CutPrefix(strings.TrimSpace(text), "- "); ok {
		key, value = "-", strings.TrimSpace(item)
	}
	switch {
	case strings.HasPrefix(value, "[") && lines.Refused == line:
		msg = "a pattern that begins with * or holds a ? must be in quotes"
		for _, f := range lines.Fields {
			if f.Line == line && f.IsList {
				remedy = "write: " + key + ": " + flowList(f.List)
			}
		}
	case value == "" && !strings.Contains(text, ": ") || strings.Contains(text, ":") && !strings.Contains(text, ": ") && !strings.HasSuffix(strings.TrimSpace(text), ":") && key != "-":
		msg, remedy = "a blank is missing behind the colon", "write: "+key+": "+Quote(value)
	case value != "" && strings.ContainsAny(value[:1], "*!@`%&"):
		msg = "a value that begins with " + value[:1] + " must be in quotes"
	case value != "" && strings.ContainsAny(value[:1], "{["):
		msg = "a value that begins with " + value[:1] + " must be a list or stand in quotes"
	case strings.Contains(value, ": ") || strings.HasSuffix(value, ":"):
		msg = "a value with a colon in it must be in quotes"
	case strings.Contains(text, "\t"):
		msg, remedy = "a tab stands where YAML wants blanks", "put blanks in its place"
	default:
		msg, remedy = "frontmatter is not valid YAML: "+reason(err), "mend the line"
	}
	if remedy == "" {
		remedy = "write: " + key + ": " + Quote(value)
		if key == "-" {
			remedy = "write: - " + Quote(value)
		}
	}
	d.warn(line, msg+"; read line by line", remedy)
}

// openQuote: the value begins with a quote that its line does not close.
func openQuote(value string) bool {
	if value == "" || value[0] != '"' && value[0] != '\'' {
		return false
	}
	for i := 1; i < len(value); i++ {
		switch {
		case value[i] == '\\' && value[0] == '"':
			i++
		case value[i] == value[0]:
			return false
		}
	}
	return true
}

var yamlLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`line (\d+): `) })

// yamlLine is the file's line that a YAML error names.
func (d *document) yamlLine(err error) int {
	base := head.LineAt(d.data, d.sp.Start) - 1
	if err != nil {
		if m := yamlLine().FindStringSubmatch(err.Error()); m != nil {
			if n, e := strconv.Atoi(m[1]); e == nil {
				return base + max(n, 1)
			}
		}
	}
	return base + 1
}

func reason(err error) string {
	if err == nil {
		return "it is no \"key: value\""
	}
	s := strings.TrimPrefix(err.Error(), "yaml: ")
	return yamlLine().ReplaceAllString(s, "")
}

func (d *document) lineText(line int) string {
	off := d.lineStart(line)
	rest := d.data[min(off, len(d.data)):]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	return strings.TrimSuffix(string(rest), "\r")
}

// noHead warns where a head was meant but is none.
func (d *document) noHead() {
	first := head.LineAt(d.data, d.sp.Open)
	if d.sp.Unclosed {
		for line := first + 1; line < first+64; line++ {
			if glued(d.lineText(line)) {
				d.problem(line, "frontmatter is not closed: --- must stand on a line of its own, so its keys do not count", "break the line behind the ---")
				return
			}
		}
		if keyLines(d.lineText(first+1)+"\n"+d.lineText(first+2)) > 0 {
			msg := "frontmatter is not closed, so its keys do not count"
			if len(d.data) > knowledge.MaxHead {
				msg = fmt.Sprintf("frontmatter is not closed within %d KiB, so its keys do not count", knowledge.MaxHead>>10)
			}
			d.problem(first, msg, "write a line that is exactly --- below the keys")
		}
		return
	}
	rest := front(d.data[d.sp.Open:])
	if head, _, closed := strings.Cut(rest, "\n---"); closed && len(head) < 2000 && lineCount(head) <= 12 && 2*keyLines(head) >= lineCount(head) && knownKey(head) {
		d.warn(first, "the line --- above the keys is missing, so they do not count", "write a line that is exactly --- at the very top")
		return
	}
	// A fence below blank lines or a comment: hosts take it for text.
	line := first
	for n := 0; n < 40 && rest != ""; n++ {
		var l string
		l, rest, _ = strings.Cut(rest, "\n")
		t := strings.TrimSpace(l)
		if t == "---" {
			head, _, closed := strings.Cut(rest, "\n---")
			if closed && len(head) < 2000 && keyLines(head) == lineCount(head) && keyLines(head) > 0 {
				d.warn(line, "text stands before the frontmatter, so its keys do not count", "move the frontmatter to the first line")
			}
			return
		}
		if t != "" && !strings.HasPrefix(t, "<!--") && !strings.HasSuffix(t, "-->") {
			return
		}
		line++
	}
}

// secondHead warns of a second block right behind the first: the first decides.
func (d *document) secondHead() {
	rest := front(d.data[d.sp.Body:])
	line := head.LineAt(d.data, d.sp.Body)
	for rest != "" {
		var l string
		l, rest, _ = strings.Cut(rest, "\n")
		t := strings.TrimSpace(l)
		if t == "---" {
			head, _, closed := strings.Cut(rest, "\n---")
			if closed && len(head) < 4000 && keyLines(head) > 0 && keyLines(head)*2 > lineCount(head) {
				d.warn(line, "a second frontmatter follows; only the first counts", "merge the two by hand")
			}
			return
		}
		if t != "" {
			return
		}
		line++
	}
}

// glued reports a closing fence with text behind it.
func glued(line string) bool {
	rest, ok := strings.CutPrefix(line, "---")
	return ok && strings.Trim(rest, "- \t") != "" && rest[0] != '-'
}

// knownKey reports that one of the lines begins with a key that decides where
// an entry counts or what it is called.
func knownKey(s string) bool {
	for _, l := range strings.Split(s, "\n") {
		switch key, _, _ := strings.Cut(l, ":"); key {
		case "title", "name", "description", "paths", "globs", "applyTo", "tags", "priority":
			return true
		}
	}
	return false
}

// keyLines counts lines that look like "key: value", "- item" or a comment.
func keyLines(s string) int {
	n := 0
	for _, l := range strings.Split(s, "\n") {
		t := strings.TrimSpace(l)
		key, rest, ok := strings.Cut(t, ":")
		if ok && key != "" && !strings.ContainsAny(key, " \t#*`") && (rest == "" || rest[0] == ' ') ||
			strings.HasPrefix(t, "- ") && l != t || strings.HasPrefix(t, "# ") && l != t {
			n++
		}
	}
	return n
}

func lineCount(s string) int {
	n := 0
	for _, l := range strings.Split(s, "\n") {
		if strings.TrimSpace(l) != "" {
			n++
		}
	}
	return n
}
