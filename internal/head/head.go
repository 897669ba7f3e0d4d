// Package head finds the frontmatter of a Markdown file and reads it line by
// line without a YAML library. One scanner serves two readers: the strict one
// (the hook) answers only where full YAML gives the same, the lenient one makes
// the best of a head that YAML refuses.
package head

import (
	"bytes"
	"unicode/utf8"

	"pathrule/internal/codefence"
)

// BOM is the UTF-8 byte order mark.
const BOM = "\uFEFF"

// Span says where the head lies in a file; all are byte offsets.
type Span struct {
	// Found: there is an opening and a closing fence.
	Found bool
	// Unclosed: there is only an opening one, so everything is body.
	Unclosed bool
	// Open is where the opening fence begins: behind the BOM.
	Open int
	// Start and End enclose the lines between the fences.
	Start, End int
	// Body is where the body begins.
	Body int
	// CRLF is the file's line ending: the first one decides.
	CRLF bool
}

// Find looks for the fences: the first line, after an optional BOM, and a later
// one must be exactly "---" and blanks. A closing fence more than max bytes
// into the file does not count.
func Find(data []byte, max int) Span {
	var sp Span
	if bytes.HasPrefix(data, []byte(BOM)) {
		sp.Open = len(BOM)
	}
	sp.Body = sp.Open
	if i := bytes.IndexByte(data, '\n'); i > 0 {
		sp.CRLF = data[i-1] == '\r'
	}
	line, next := cut(data, sp.Open)
	if !fence(line) || next == len(data) && !bytes.HasSuffix(data, []byte("\n")) {
		return sp
	}
	sp.Start = next
	for pos := next; pos < len(data) && pos < max; {
		line, next := cut(data, pos)
		if fence(line) {
			sp.Found, sp.End, sp.Body = true, pos, next
			return sp
		}
		pos = next
	}
	sp.Unclosed = true
	sp.Start = 0
	return sp
}

// EOL is the file's line ending.
func (s Span) EOL() string {
	if s.CRLF {
		return "\r\n"
	}
	return "\n"
}

// cut returns the line at pos without its ending and where the next begins.
func cut(data []byte, pos int) (line []byte, next int) {
	rest := data[pos:]
	i := bytes.IndexByte(rest, '\n')
	if i < 0 {
		return bytes.TrimSuffix(rest, []byte("\r")), len(data)
	}
	return bytes.TrimSuffix(rest[:i], []byte("\r")), pos + i + 1
}

func fence(line []byte) bool {
	if len(line) < 3 || line[0] != '-' || line[1] != '-' || line[2] != '-' {
		return false
	}
	for _, c := range line[3:] {
		if c != ' ' && c != '\t' {
			return false
		}
	}
	return true
}

// Fault is what makes bytes no text; Msg is "" when they are.
type Fault struct {
	Line   int
	Msg    string
	Remedy string
}

// Text checks that data is UTF-8 text of at most max bytes.
func Text(data []byte, max int) Fault {
	if len(data) > max {
		return Fault{0, "file is larger than " + size(max), "split it, or move the long part to a file that the entry names"}
	}
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return Fault{1, "file is UTF-16", "save it as UTF-8"}
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return Fault{LineAt(data, i), "file holds a NUL byte, so it is no text", "save it as UTF-8 text, or move it out of the store"}
	}
	if !utf8.Valid(data) {
		i := 0
		for i < len(data) {
			r, n := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			i += n
		}
		return Fault{LineAt(data, i), "file is not valid UTF-8", "save it as UTF-8"}
	}
	return Conflict(data)
}

// Conflict finds a part of a file of which git left two versions: whichever is
// right, both with the marks between them is not what anybody wrote.
func Conflict(data []byte) Fault {
	if n := conflict(data); n > 0 {
		return Fault{n, "holds a merge conflict that nobody resolved", "keep what is right and take the lines with <<<<<<<, ======= and >>>>>>> out; an example of one belongs in a code fence"}
	}
	return Fault{}
}

// conflict is the line on which it begins, 0 for none.
func conflict(data []byte) int {
	if !bytes.Contains(data, []byte("<<<<<<<")) || !bytes.Contains(data, []byte(">>>>>>>")) {
		return 0
	}
	var fences codefence.Fences
	began, parted, n := 0, false, 0
	for line := range bytes.Lines(data) {
		n++
		line = bytes.TrimRight(line, "\r\n")
		if fences.Code(string(line)) {
			continue
		}
		switch {
		case mark(line, "<<<<<<<"):
			began, parted = n, false
		case began > 0 && string(line) == "=======":
			parted = true
		case parted && mark(line, ">>>>>>>"):
			return began
		}
	}
	return 0
}

// mark reports a line of git's that begins with the sign, its label behind it.
func mark(line []byte, sign string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(sign))
	return ok && (len(rest) == 0 || rest[0] == ' ')
}

// LineAt is the 1-based line of a byte offset.
func LineAt(data []byte, off int) int { return bytes.Count(data[:off], []byte("\n")) + 1 }

func size(n int) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return itoa(n>>20) + " MiB"
	}
	return itoa(n>>10) + " KiB"
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}
