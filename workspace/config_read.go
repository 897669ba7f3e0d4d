package workspace

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"pathrule/internal/yamlquote"
)

// A config file is a small, strict part of YAML that one page describes, so
// that the hook needs no YAML library and a person gets an exact answer:
//
//	# a comment
//	mode: auto                      # plain, 'single' or "double" quoted
//	delta.acknowledge: line         # a dotted key, or
//	budget:                         # nested by spaces
//	  focused: 1000
//	compile:
//	  targets: [windsurf, agents]   # a list on one line, or
//	glossary:
//	  invoice:
//	    - bill                      # one item a line
//
// Everything else (anchors, tags, block text, {maps}, tabs, several documents)
// is a Problem for its line and the lines below it that belong to it; the rest
// counts.

// configItem is one key that has a value, or that only holds others.
type configItem struct {
	key    string // dotted, without quotes
	line   int    // 1-based line of the key
	last   int    // last line of the value, list items included
	indent int    // column of the key
	parent string // key of the enclosing item, "" at the top
	// children is the column of the nested keys, 0 when there are none.
	children int
	// value says what stands after the colon.
	value valueKind
	text  string   // scalar
	list  []string // list
	// from and to are the byte range of the inline value in its line (equal when
	// there is none, just behind the colon).
	from, to int
}

type valueKind uint8

const (
	valueNone valueKind = iota // nothing, or nested keys
	valueScalar
	valueList
)

// configFile is a parsed file. lines keep their ends, so that joining them
// gives the file back.
type configFile struct {
	lines    []string
	items    []configItem
	problems []Problem // File is not filled in
}

type configReader struct {
	configFile
	stack []int // items that enclose the next line, outermost first
	skip  int   // lines indented deeper belong to a refused key; -1: none
	line  int
}

const (
	maxConfig = 256 << 10 // bytes
	maxKey    = 500       // bytes
	utf8BOM   = "\ufeff"
)

func parseConfig(data []byte) configFile {
	r := configReader{skip: -1}
	r.lines = strings.SplitAfter(string(data), "\n")
	if n := len(r.lines); r.lines[n-1] == "" {
		r.lines = r.lines[:n-1]
	}
	if len(data) > maxConfig {
		r.problem("file is larger than 256 KiB", "keep settings only; knowledge belongs into memories/, rules/ and skills/")
		return r.configFile
	}
	if !utf8.Valid(data) {
		r.problem("file is not valid UTF-8", "save it as UTF-8")
		return r.configFile
	}
	started := false
	for i, raw := range r.lines {
		r.line = i + 1
		text := strings.TrimSuffix(strings.TrimSuffix(raw, "\n"), "\r")
		shift := 0
		if i == 0 && strings.HasPrefix(text, utf8BOM) {
			shift = len(utf8BOM)
			text = text[shift:]
		}
		body := strings.TrimLeft(text, " ")
		if strings.ContainsFunc(body, unreadable) {
			r.problem("an invisible control character stands in the line", "remove it")
			r.skip = len(text) - len(body)
			continue
		}
		if body == "" || body[0] == '#' {
			continue
		}
		if body == "---" && len(body) == len(text) || body == "..." && len(body) == len(text) {
			if started || body == "..." {
				r.problem("a second document begins here", "keep one document; what follows is not read")
				return r.configFile
			}
			started = true
			continue
		}
		started = true
		r.take(body, len(text)-len(body), shift)
	}
	return r.configFile
}

// unreadable are the characters that YAML does not allow, or takes for a line
// end where an editor shows none.
func unreadable(r rune) bool {
	return r != '\t' && yamlquote.Odd(r)
}

func (r *configReader) problem(msg, remedy string) {
	r.problems = append(r.problems, Problem{Line: r.line, Msg: msg, Remedy: remedy})
}

// take reads one line that holds something; shift is what a BOM adds to columns.
func (r *configReader) take(body string, indent, shift int) {
	if r.skip >= 0 {
		if indent > r.skip {
			return
		}
		r.skip = -1
	}
	refuse := func(msg, remedy string) {
		r.problem(msg, remedy)
		r.skip = indent
	}
	if body[0] == '\t' {
		refuse("a tab is no indentation", "indent with spaces")
		return
	}
	if body == "-" || strings.HasPrefix(body, "- ") {
		r.listItem(body, indent, refuse)
		return
	}
	// Leave what is not deeper than the open keys.
	for len(r.stack) > 0 && r.items[r.stack[len(r.stack)-1]].indent >= indent {
		r.stack = r.stack[:len(r.stack)-1]
	}
	parent := ""
	if n := len(r.stack); n > 0 {
		up := r.items[r.stack[n-1]]
		if up.value != valueNone {
			refuse("is indented below a key that has a value already", "remove the spaces before it")
			return
		}
		parent = up.key
	} else if indent > 0 {
		refuse("is indented, but belongs to no key", "remove the spaces before it")
		return
	}
	if !r.aligned(indent) {
		refuse("indentation fits no line above", "indent it like its neighbours")
		return
	}
	key, rest, err := splitKey(body)
	if err != nil {
		refuse(err.Error(), `write "key: value"`)
		return
	}
	if parent != "" {
		key = parent + "." + key
	}
	item := configItem{key: key, parent: parent, line: r.line, last: r.line, indent: indent}
	valueAt := len(body) - len(rest)
	trimmed := strings.TrimLeft(rest, " \t")
	valueAt += len(rest) - len(trimmed)
	n, err := item.read(trimmed)
	if err != nil {
		refuse(err.Error(), valueRemedy)
		return
	}
	item.from = indent + shift + valueAt
	item.to = item.from + n
	if n == 0 {
		item.from = indent + shift + len(body) - len(rest)
		item.to = item.from
	}
	for _, old := range r.items {
		if old.key == key && (old.value != valueNone || item.value != valueNone) {
			refuse(fmt.Sprintf("%q is set again (first in line %d)", key, old.line), "remove one of the two; the first counts")
			return
		}
	}
	r.items = append(r.items, item)
	r.stack = append(r.stack, len(r.items)-1)
}

const valueRemedy = `write plain or "quoted" text, or a list like [a, b]`

// aligned reports that the line has the column of its parent's other children;
// the first child sets it.
func (r *configReader) aligned(indent int) bool {
	n := len(r.stack)
	if n == 0 {
		return true
	}
	up := &r.items[r.stack[n-1]]
	if up.children == 0 {
		up.children = indent
	}
	return up.children == indent
}

func (r *configReader) listItem(body string, indent int, refuse func(msg, remedy string)) {
	for len(r.stack) > 0 && r.items[r.stack[len(r.stack)-1]].indent > indent {
		r.stack = r.stack[:len(r.stack)-1]
	}
	if len(r.stack) == 0 {
		refuse("a list item belongs to no key", `write "key:" above it`)
		return
	}
	at := r.stack[len(r.stack)-1]
	owner := &r.items[at]
	if owner.value == valueScalar || owner.value == valueList && owner.to > owner.from || at != len(r.items)-1 {
		refuse("a list item follows a key that has a value already", "move it below its key")
		return
	}
	var item configItem
	text := strings.TrimLeft(strings.TrimPrefix(body, "-"), " ")
	if _, _, err := splitKey(text); err == nil && text[0] != '"' && text[0] != '\'' {
		refuse("a list item holds a key", "list plain words only")
		return
	}
	if _, err := item.read(text); err != nil || item.value == valueList {
		refuse("a list item is no plain text", "list plain or quoted words only")
		return
	}
	owner.value, owner.last = valueList, r.line
	if item.value == valueScalar {
		owner.list = append(owner.list, item.text)
	}
}

// splitKey cuts "key: value" behind the colon.
func splitKey(body string) (key, rest string, err error) {
	if body == "" {
		return "", "", fmt.Errorf("is no setting")
	}
	if body[0] == '"' || body[0] == '\'' {
		text, n, err := readQuoted(body)
		if err != nil {
			return "", "", err
		}
		after := strings.TrimLeft(body[n:], " ")
		if text == "" || len(text) > maxKey || len(after) == 0 || after[0] != ':' || len(after) > 1 && after[1] != ' ' && after[1] != '\t' {
			return "", "", fmt.Errorf("is no setting")
		}
		return text, after[1:], nil
	}
	for i := 0; i < len(body); i++ {
		if body[i] == ' ' && i+1 < len(body) && body[i+1] == '#' {
			break
		}
		if body[i] == ':' && (i+1 == len(body) || body[i+1] == ' ' || body[i+1] == '\t') {
			key = strings.TrimRight(body[:i], " ")
			if plainFault(key) != "" || key == "<<" || isNull(key) || len(key) > maxKey {
				return "", "", fmt.Errorf("is no plain key")
			}
			return key, body[i+1:], nil
		}
	}
	return "", "", fmt.Errorf("is no setting")
}

// read fills the value from the text behind the colon and returns how many
// bytes of it are the value (comments and blanks excluded).
func (it *configItem) read(s string) (int, error) {
	if s == "" || s[0] == '#' {
		return 0, nil
	}
	var n int
	switch s[0] {
	case '"', '\'':
		text, used, err := readQuoted(s)
		if err != nil {
			return 0, err
		}
		it.value, it.text, n = valueScalar, text, used
	case '[':
		list, used, err := readList(s)
		if err != nil {
			return 0, err
		}
		it.value, it.list, n = valueList, list, used
	case '{':
		if !strings.HasPrefix(s, "{}") {
			return 0, fmt.Errorf("a {map} is not read here")
		}
		n = 2
	default:
		text := s
		if i := commentAt(s); i >= 0 {
			text = s[:i]
		}
		text = strings.TrimRight(text, " \t")
		if fault := plainFault(text); fault != "" {
			return 0, fmt.Errorf("a value %s", fault)
		}
		n = len(text)
		if !isNull(text) {
			it.value, it.text = valueScalar, text
		}
		return n, nil
	}
	if rest := strings.TrimLeft(s[n:], " \t"); rest != "" && (rest[0] != '#' || len(rest) == len(s[n:])) {
		return 0, fmt.Errorf("text follows the value")
	}
	return n, nil
}

// plainFault says why a text cannot stand without quotes; "" when it can.
func plainFault(s string) string {
	switch {
	case s == "":
		return "is missing"
	case strings.IndexByte("&*!|>%@`{}[],#\"'", s[0]) >= 0,
		strings.IndexByte("-?:", s[0]) >= 0 && (len(s) == 1 || s[1] == ' ' || s[1] == '\t' || s[1] == ','):
		return fmt.Sprintf("that begins with %q is not read here", s[:1])
	case strings.Contains(s, ": "), strings.Contains(s, ":\t"), strings.HasSuffix(s, ":"):
		return "with a colon must be quoted"
	}
	return ""
}

func isNull(s string) bool {
	return s == "~" || s == "null" || s == "Null" || s == "NULL"
}

// commentAt is where " #" begins a comment, -1 if nowhere.
func commentAt(s string) int {
	for i := 1; i < len(s); i++ {
		if s[i] == '#' && (s[i-1] == ' ' || s[i-1] == '\t') {
			return i
		}
	}
	return -1
}

// readQuoted reads a quoted text at the start of s; n is its length with quotes.
func readQuoted(s string) (text string, n int, err error) {
	q := s[0]
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		c := s[i]
		switch {
		case c == q && q == '\'' && i+1 < len(s) && s[i+1] == '\'':
			b.WriteByte('\'')
			i++
		case c == q:
			return b.String(), i + 1, nil
		case c == '\\' && q == '"':
			if i++; i >= len(s) {
				return "", 0, fmt.Errorf("a quote is never closed")
			}
			switch s[i] {
			case '"', '\\', '/':
				b.WriteByte(s[i])
			case 'n':
				b.WriteByte('\n')
			case 'r':
				b.WriteByte('\r')
			case 't':
				b.WriteByte('\t')
			case 'u':
				if i+5 > len(s) {
					return "", 0, fmt.Errorf(`"\u" needs four hex digits`)
				}
				v, err := strconv.ParseUint(s[i+1:i+5], 16, 32)
				if err != nil {
					return "", 0, fmt.Errorf(`"\u" needs four hex digits`)
				}
				b.WriteRune(rune(v))
				i += 4
			default:
				return "", 0, fmt.Errorf(`"\%c" means nothing in a quoted text`, s[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", 0, fmt.Errorf("a quote is never closed")
}

// readList reads [a, "b"] at the start of s; n is its length with brackets.
func readList(s string) (list []string, n int, err error) {
	list = []string{}
	i := 1
	for {
		for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
			i++
		}
		if i >= len(s) {
			return nil, 0, fmt.Errorf("a list is not closed on its line")
		}
		switch s[i] {
		case ']':
			return list, i + 1, nil
		case '"', '\'':
			text, used, err := readQuoted(s[i:])
			if err != nil {
				return nil, 0, err
			}
			list = append(list, text)
			i += used
		default:
			end := strings.IndexAny(s[i:], ",]")
			if end < 0 {
				return nil, 0, fmt.Errorf("a list is not closed on its line")
			}
			text := strings.TrimRight(s[i:i+end], " \t")
			fault := plainFault(text)
			if fault == "" && strings.ContainsAny(text, "{}[") {
				fault = "with a bracket must be quoted"
			}
			if fault != "" || commentAt(text) >= 0 {
				return nil, 0, fmt.Errorf("a list item %s", cmp.Or(fault, "with a comment in it is not read here"))
			}
			if !isNull(text) {
				list = append(list, text)
			}
			i += end
		}
		for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
			i++
		}
		switch {
		case i < len(s) && s[i] == ',':
			i++
		case i < len(s) && s[i] == ']':
		default:
			return nil, 0, fmt.Errorf("a list is not closed on its line")
		}
	}
}
