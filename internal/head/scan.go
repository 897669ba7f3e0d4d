package head

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Style is how a value is written.
type Style int

// The styles.
const (
	Empty  Style = iota // nothing behind the colon
	Plain               // title: text
	Quoted              // title: "text"
	Flow                // paths: [a, b]
	List                // "- a" lines
	Other               // block scalars, nested maps, values over several lines
)

// Field is one key with its value.
type Field struct {
	Key  string
	Line int // 1-based in the file
	// Start and End enclose the field's lines in the file. Blank lines and
	// unindented comments after its value belong to nobody.
	Start, End int
	Style      Style
	// Text is a scalar's value, List a list's (IsList). Null: no value.
	Text   string
	List   []string
	IsList bool
	Null   bool
	// Nested: the value is a map, which the line reader does not read.
	Nested bool
	// Items are the lines of a List's items; Indent their blanks before "-".
	Items  []Item
	Indent int
	// Comment is what stands behind a one-line value, with the blanks before
	// its "#".
	Comment string
}

// Item is one line of a list.
type Item struct {
	Line       int
	Start, End int // the whole line in the file
}

// Lines is a scanned head.
type Lines struct {
	Fields []Field
	// Beyond is the line (1-based in the file) of the first thing that only full
	// YAML is sure to read; 0: none, the strict reader may answer.
	Beyond int
	// Refused is the first line that YAML refuses although its meaning is plain,
	// such as an unquoted glob; 0: none.
	Refused int
	// NotMapping is the first line that cannot be part of "key: value" lines; 0:
	// none. With it this is no head at all.
	NotMapping int
}

// Scan reads the lines of a found head.
func Scan(data []byte, sp Span) Lines {
	s := scanner{data: data}
	no := LineAt(data, sp.Start)
	for pos := sp.Start; pos < sp.End; no++ {
		line, next := cut(data[:sp.End], pos)
		s.line(string(line), no, pos, next)
		if s.out.NotMapping > 0 {
			return s.out
		}
		pos = next
	}
	s.finish()
	return s.out
}

type scanner struct {
	data []byte
	out  Lines
	// cur is the open field, more its continuation lines as written.
	cur  *Field
	raw  string
	more []string
}

func (s *scanner) beyond(line int) {
	if s.out.Beyond == 0 {
		s.out.Beyond = line
	}
}

func (s *scanner) refused(line int) {
	if s.out.Refused == 0 {
		s.out.Refused = line
	}
}

func (s *scanner) line(line string, no, start, end int) {
	if odd(line) {
		s.beyond(no)
	}
	text := strings.Trim(line, " \t")
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	inBlock := s.cur != nil && (strings.HasPrefix(s.raw, "|") || strings.HasPrefix(s.raw, ">"))
	switch {
	case text == "":
		if s.cur != nil && s.cur.Style == Other {
			s.more = append(s.more, "")
		}
		return
	case text[0] == '#' && !(inBlock && indent > 0):
		return
	case indent == 0 && !dash(text):
		s.finish()
		key, rest, ok := splitKey(text)
		if !ok {
			s.out.NotMapping = no
			s.beyond(no)
			return
		}
		if !simpleKey(key) || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
			s.beyond(no)
		}
		s.cur = &Field{Key: key, Line: no, Start: start, End: end}
		s.raw = strings.TrimLeft(rest, " \t")
		s.more = nil
		s.value(no)
	case s.cur == nil:
		s.out.NotMapping = no
		s.beyond(no)
	default:
		s.cur.End = end
		s.follow(line, text, indent, no, start, end)
	}
}

// value reads what stands behind the colon on the key's own line.
func (s *scanner) value(no int) {
	v := scalar(s.raw, false)
	f := s.cur
	f.Text, f.List, f.IsList, f.Null, f.Style, f.Comment = v.text, v.list, v.style == Flow, v.null, v.style, v.comment
	if v.beyond {
		s.beyond(no)
	}
	if v.refused {
		s.refused(no)
	}
}

// follow reads a line below the key: an item of its list, or something that
// goes on over several lines.
func (s *scanner) follow(line, text string, indent, no, start, end int) {
	f := s.cur
	if dash(text) && (f.Style == Empty || f.Style == List && f.Indent == indent) {
		if f.Style == Empty {
			f.Style, f.IsList, f.Null, f.Indent = List, true, false, indent
		}
		v := scalar(strings.TrimLeft(text[1:], " \t"), true)
		if v.beyond || v.null || v.style == Flow {
			s.beyond(no)
		}
		if v.refused {
			s.refused(no)
		}
		if !v.null && v.style != Flow {
			f.List = append(f.List, v.text)
			f.Items = append(f.Items, Item{no, start, end})
		} else {
			// The item's line must not be taken for another one's.
			f.Items = append(f.Items, Item{no, start, end})
			f.List = append(f.List, "")
		}
		return
	}
	s.beyond(no)
	if f.Style == List {
		// Deeper lines below an item: a map, or a value over several lines.
		if last := len(f.List) - 1; last >= 0 && !dash(text) {
			f.List[last] += " " + text
			f.Items[last].End = end
		} else if dash(text) {
			f.List = append(f.List, scalar(strings.TrimLeft(text[1:], " \t"), true).text)
			f.Items = append(f.Items, Item{no, start, end})
		}
		return
	}
	f.Style = Other
	s.more = append(s.more, line)
}

// finish reads a field whose value went on over several lines, as well as one
// can without YAML.
func (s *scanner) finish() {
	f := s.cur
	if f == nil {
		return
	}
	s.cur = nil
	if f.Style == Other {
		for len(s.more) > 0 && s.more[len(s.more)-1] == "" {
			s.more = s.more[:len(s.more)-1]
		}
		f.Null, f.IsList, f.List, f.Comment = false, false, nil, ""
		first := ""
		if len(s.more) > 0 {
			first = strings.Trim(s.more[0], " \t")
		}
		raw := strings.TrimRight(s.raw, " \t")
		switch {
		case strings.HasPrefix(raw, "|") || strings.HasPrefix(raw, ">"):
			sep := "\n"
			if raw[0] == '>' {
				sep = " "
			}
			f.Text = join(s.more, sep)
		case strings.HasPrefix(raw, "["):
			f.List, f.IsList = flowLoose(raw+" "+join(s.more, " ")), true
		case raw == "" || raw[0] == '#' || raw[0] == '{':
			if _, _, ok := splitKey(first); ok || raw != "" && raw[0] == '{' {
				f.Nested, f.Text = true, ""
			} else {
				f.Text = unquote(join(s.more, " "))
			}
		default:
			f.Text = unquote(raw + " " + join(s.more, " "))
		}
	}
	if f.IsList {
		// Items that say nothing were kept so far to number the lines.
		keep := f.List[:0]
		for _, it := range f.List {
			if it != "" {
				keep = append(keep, it)
			}
		}
		f.List = keep
		if len(f.Items) != len(f.List) {
			f.Items = nil
		}
	}
	s.out.Fields = append(s.out.Fields, *f)
}

func join(lines []string, sep string) string {
	parts := make([]string, len(lines))
	for i, l := range lines {
		parts[i] = strings.Trim(l, " \t")
	}
	return strings.TrimSpace(strings.Join(parts, sep))
}

func dash(text string) bool {
	return text == "-" || strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "-\t")
}

// splitKey cuts "key: value". A key is one word; the blank behind the colon may
// be missing, which YAML does not take for a key at all.
func splitKey(text string) (key, rest string, ok bool) {
	i := strings.IndexByte(text, ':')
	if i <= 0 || i > 128 {
		return "", "", false
	}
	key, rest = text[:i], text[i+1:]
	for j, r := range key {
		if !(unicode.IsLetter(r) || r == '_' || j > 0 && (unicode.IsDigit(r) || r == '-' || r == '.')) {
			return "", "", false
		}
	}
	if strings.HasPrefix(rest, "//") { // a link, not a key
		return "", "", false
	}
	return key, rest, true
}

func simpleKey(key string) bool {
	for i := 0; i < len(key); i++ {
		c := key[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || i > 0 && (c >= '0' && c <= '9' || c == '-')) {
			return false
		}
	}
	return true
}

// odd reports characters whose meaning only YAML's own rules settle: tabs,
// control characters, the Unicode line breaks, a BOM in the middle.
func odd(line string) bool {
	for i := 0; i < len(line); {
		c := line[i]
		if c < utf8.RuneSelf {
			if c < 0x20 || c == 0x7f {
				return true
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(line[i:])
		if r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r >= 0xfffe && r <= 0xffff {
			return true
		}
		i += n
	}
	return false
}
