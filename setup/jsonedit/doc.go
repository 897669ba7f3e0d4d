// Package jsonedit changes single values of a JSON file that belongs to
// somebody else. It parses with hujson only to learn where things stand and
// then splices bytes, so that comments, trailing commas, order, indentation,
// byte order mark, line ends and a missing final newline stay as they were.
package jsonedit

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// Error says where a document cannot be read.
type Error struct {
	Line int // 1-based
	Msg  string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Msg) }

const bom = "\xef\xbb\xbf"

// maxDepth bounds the parser's recursion: a settings file is never this deep,
// and a hostile one must not overflow the stack.
const maxDepth = 512

// Doc is a parsed document. Its edits take effect at once; after each of them
// Nodes taken before are stale.
type Doc struct {
	bom   bool
	pad   bool   // the last byte of src is a line end that the file lacks
	src   []byte // without the byte order mark
	root  hujson.Value
	style style
}

// Parse reads a document. Nothing but blanks is an empty object. The error is
// an *Error when the text is at fault: no JSON, not UTF-8, too deep, or an
// object that holds a key twice (readers disagree on which one counts).
func Parse(src []byte) (*Doc, error) {
	d := &Doc{}
	if bytes.HasPrefix(src, []byte(bom)) {
		d.bom, src = true, src[len(bom):]
	}
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("{}\n")
	}
	if err := d.load(src); err != nil {
		// The parser wants a line end behind a line comment; a file may end with
		// one all the same.
		if d.load(append(src[:len(src):len(src)], '\n')) != nil {
			return nil, err
		}
		d.pad = true
	}
	d.style = styleOf(d)
	return d, nil
}

func (d *Doc) load(src []byte) error {
	if !utf8.Valid(src) {
		if bytes.HasPrefix(src, []byte{0xff, 0xfe}) || bytes.HasPrefix(src, []byte{0xfe, 0xff}) {
			return &Error{1, "is written in UTF-16, not UTF-8"}
		}
		return &Error{lineAt(src, firstInvalid(src)), "is not valid UTF-8"}
	}
	if off, ok := tooDeep(src); ok {
		return &Error{lineAt(src, off), "is nested too deeply"}
	}
	// The parser aliases its input; later splices build new slices, never
	// writing into this one.
	root, err := hujson.Parse(src)
	if err != nil {
		return syntaxError(err)
	}
	d.src, d.root = src, root
	return d.duplicate(&d.root)
}

var hujsonPos = regexp.MustCompile(`^hujson: line (\d+), column \d+: (.*)$`)

func syntaxError(err error) error {
	if m := hujsonPos.FindStringSubmatch(strings.ReplaceAll(err.Error(), "\n", " ")); m != nil {
		n, _ := strconv.Atoi(m[1])
		return &Error{n, "is not valid JSON (" + m[2] + ")"}
	}
	return &Error{1, "is not valid JSON (" + err.Error() + ")"}
}

func firstInvalid(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(b)
}

func lineAt(b []byte, off int) int { return 1 + bytes.Count(b[:off], []byte("\n")) }

// tooDeep counts brackets outside strings and comments before the recursive
// parser sees the text.
func tooDeep(b []byte) (int, bool) {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"' && b[i] != '\n'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '/':
			i = skipComment(b, i) - 1
		case '{', '[':
			if depth++; depth > maxDepth {
				return i, true
			}
		case '}', ']':
			depth--
		}
	}
	return 0, false
}

// skipComment returns the offset behind the comment that starts at i, or i+1
// when there is none.
func skipComment(b []byte, i int) int {
	if i+1 >= len(b) {
		return i + 1
	}
	switch b[i+1] {
	case '/':
		if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
			return i + n + 1
		}
		return len(b)
	case '*':
		if n := bytes.Index(b[i+2:], []byte("*/")); n >= 0 {
			return i + 2 + n + 2
		}
		return len(b)
	}
	return i + 1
}

// duplicate finds the first object that holds a key twice.
func (d *Doc) duplicate(v *hujson.Value) error {
	for w := range v.All() {
		obj, ok := w.Value.(*hujson.Object)
		if !ok {
			continue
		}
		seen := make(map[string]bool, len(obj.Members))
		for i := range obj.Members {
			k := literal(obj.Members[i].Name)
			if seen[k] {
				return &Error{lineAt(d.src, obj.Members[i].Name.StartOffset), fmt.Sprintf("holds the key %q twice in one object", k)}
			}
			seen[k] = true
		}
	}
	return nil
}

func literal(v hujson.Value) string {
	l, _ := v.Value.(hujson.Literal)
	return l.String()
}

// Bytes is the document as it now stands.
func (d *Doc) Bytes() []byte {
	src := d.src
	if d.pad {
		src = src[:len(src)-1]
	}
	if d.bom {
		return append([]byte(bom), src...)
	}
	return append([]byte{}, src...)
}

// HasBOM reports a byte order mark in front.
func (d *Doc) HasBOM() bool { return d.bom }

// NotPlain is the line of the first comment or trailing comma, the two things
// that a plain JSON parser refuses; 0 when there is none.
func (d *Doc) NotPlain() int {
	for i := 0; i < len(d.src); i++ {
		switch d.src[i] {
		case '"':
			for i++; i < len(d.src) && d.src[i] != '"'; i++ {
				if d.src[i] == '\\' {
					i++
				}
			}
		case '/':
			return lineAt(d.src, i)
		case ',':
			if j := d.skipExtra(i + 1); j < len(d.src) && (d.src[j] == '}' || d.src[j] == ']') {
				return lineAt(d.src, i)
			}
		}
	}
	return 0
}

// Comments are the texts of all comments in order, less those inside the
// given nodes.
func (d *Doc) Comments(without ...Node) []string {
	return d.comments(0, len(d.src), without)
}

func (d *Doc) comments(from, to int, without []Node) []string {
	var out []string
	for i := from; i < to; i++ {
		switch d.src[i] {
		case '"':
			for i++; i < to && d.src[i] != '"'; i++ {
				if d.src[i] == '\\' {
					i++
				}
			}
		case '/':
			j := skipComment(d.src, i)
			if !slices.ContainsFunc(without, func(n Node) bool { return i >= n.v.StartOffset && j <= n.v.EndOffset }) {
				out = append(out, strings.TrimRight(string(d.src[i:j]), "\r\n"))
			}
			i = j - 1
		}
	}
	return out
}

// skipExtra returns the offset of the next byte that is neither blank nor
// comment.
func (d *Doc) skipExtra(i int) int {
	for i < len(d.src) {
		switch d.src[i] {
		case ' ', '\t', '\r', '\n':
			i++
		case '/':
			i = skipComment(d.src, i)
		default:
			return i
		}
	}
	return i
}

// ErrPath says that a path does not lead to what an edit needs.
var ErrPath = errors.New("no such place in the document")
