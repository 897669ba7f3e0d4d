package guard

import (
	"strings"

	"pathrule/host"
	"pathrule/internal/rawjson"
)

// Piece is text that a change adds, in whole lines where the file could be
// read. Only what a pattern finds in [From, To) counts: the rest is old text of
// the same lines, there so that anchors mean what they say.
type Piece struct {
	Text     string
	From, To int
}

// Added is what a change adds to its file: the lines that are new, each run of
// them one piece. file gives what the file holds now, ok false when there is no
// such file or it cannot be read. A line is old when the text that is replaced
// has the same line; each old line excuses one.
func Added(c host.Change, file func() (string, bool)) []Piece {
	old, text := c.Old, c.New
	before, after := 0, 0
	switch {
	case c.Added:
		return runs(text, nil, 0, 0)
	case c.Cell != "":
		if now, ok := file(); ok {
			old = cellSource(now, c.Cell)
		}
	case c.Whole:
		old, _ = file()
	default:
		now, ok := file()
		if !ok {
			break
		}
		at := strings.Index(now, c.Old)
		o, n := c.Old, c.New
		if at < 0 && strings.Contains(now, "\r\n") && !strings.Contains(c.Old, "\r") {
			// Hosts let an edit speak of "\n" in a file of "\r\n".
			now = strings.ReplaceAll(now, "\r\n", "\n")
			at = strings.Index(now, c.Old)
		}
		if at < 0 {
			break
		}
		head := now[strings.LastIndexByte(now[:at], '\n')+1 : at]
		tail := now[at+len(o):]
		if i := strings.IndexByte(tail, '\n'); i >= 0 {
			tail = tail[:i]
		}
		// A line of a generated file may be the whole file.
		if len(head) > maxContext || len(tail) > maxContext {
			break
		}
		old, text = head+o+tail, head+n+tail
		before, after = len(head), len(tail)
	}
	return runs(text, lines(old), before, after)
}

const maxContext = 4 << 10

// runs cuts text into its runs of new lines. before and after are how many bytes
// at both ends are old.
func runs(text string, old map[string]int, before, after int) []Piece {
	var out []Piece
	start, end := -1, 0
	flush := func() {
		if start < 0 {
			return
		}
		p := Piece{Text: text[start:end], To: end - start}
		p.From = max(0, before-start)
		if over := end - (len(text) - after); over > 0 {
			p.To = end - start - over
		}
		if p.From < p.To {
			out = append(out, p)
		}
		start = -1
	}
	for at := 0; at < len(text); {
		next := len(text)
		stop := next
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			stop, next = at+i, at+i+1
		}
		line := strings.TrimSuffix(text[at:stop], "\r")
		if old[line] > 0 {
			old[line]--
			flush()
		} else {
			if start < 0 {
				start = at
			}
			end = at + len(line)
		}
		at = next
	}
	flush()
	return out
}

func lines(text string) map[string]int {
	if text == "" {
		return nil
	}
	m := map[string]int{}
	for l := range strings.Lines(text) {
		m[strings.TrimSuffix(strings.TrimSuffix(l, "\n"), "\r")]++
	}
	return m
}

// cellSource is the source of a notebook's cell. Where no cell has that id it is
// that of all of them, since editors have ids of their own for cells: old text
// must not count as new. "" for what is no notebook.
func cellSource(notebook, id string) string {
	v, err := rawjson.Parse([]byte(notebook))
	if err != nil {
		return ""
	}
	n := 0
	var all strings.Builder
	for cell := range v.Get("cells").Elements {
		src := sourceOf(cell)
		if cell.Get("id").Text() == id || id == "cell-"+itoa(n) || id == itoa(n) {
			return src
		}
		all.WriteString(src + "\n")
		n++
	}
	return all.String()
}

func sourceOf(cell rawjson.Value) string {
	src := cell.Get("source")
	if src.Kind() == '"' {
		return src.Text()
	}
	var b strings.Builder
	for l := range src.Elements {
		b.WriteString(l.Text())
	}
	return b.String()
}

func itoa(n int) string {
	if n >= 10 {
		return itoa(n/10) + string(rune('0'+n%10))
	}
	return string(rune('0' + n))
}
