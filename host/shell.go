package host

import "strings"

const (
	maxLine  = 64 << 10 // bytes of a command that are looked at
	maxNest  = 3        // $(...), bash -c '...'
	maxWords = 4096
)

// shellTouches are the paths that a command line names as operands or
// redirects to. It is a bounded reading, not a shell: what depends on a
// variable or a substitution is skipped, and whether an operand is a path at
// all is decided by its existence later.
func shellTouches(line string, sh shell) []Touch {
	r := &shellReader{sh: sh}
	r.read(line)
	return r.touches
}

// argvTouches is shellTouches for a command given as an argument list.
func argvTouches(argv []string, sh shell) []Touch {
	r := &shellReader{sh: sh}
	for _, a := range argv {
		r.words = append(r.words, word{text: a, quoted: true})
	}
	r.endCommand()
	return r.touches
}

type word struct {
	text    string
	quoted  bool // some of it stood in quotes
	dynamic bool // holds a variable or a substitution
	// The word as it was typed is source[from:to] of the outermost text; to is 0
	// in nested ones.
	from, to int
}

type shellReader struct {
	sh      shell
	nest    int
	touches []Touch
	dir     string   // where a cd led, relative to the call's folder or absolute
	lost    bool     // a cd led to an unknown folder: relative words are no use
	dirs    []string // dir before each open subshell
	words   []word   // the simple command being read
	heredoc []string // delimiters whose bodies begin at the next line
	total   int      // words seen
	// changes gathers what patches in the text add; nil: nobody asks.
	changes *[]Change
	// sought gathers the parts of source that say what is looked for or taken
	// out; nil: nobody asks.
	sought *[]span
	source string
}

// span is a part of a text, from inclusive, to exclusive.
type span struct{ from, to int }

// read takes in one text: words, operators, redirections, substitutions.
func (r *shellReader) read(s string) {
	if len(s) > maxLine {
		s = s[:maxLine]
	}
	var w word
	var buf []byte
	begun := false
	if r.nest == 0 {
		r.source = s
	}
	redirect := Op("") // the next word is a redirection's target
	hereNext, skipNext := false, false
	i, from := 0, 0
	flush := func() {
		if !begun {
			return
		}
		w.text = string(buf)
		if r.nest == 0 {
			w.from, w.to = from, min(i, len(s))
		}
		switch {
		case hereNext:
			r.heredoc = append(r.heredoc, w.text)
		case skipNext:
		case redirect != "":
			r.touch(w, redirect)
		case r.total < maxWords:
			r.words = append(r.words, w)
			r.total++
		}
		w, buf, begun, redirect, hereNext, skipNext = word{}, buf[:0], false, "", false, false
	}
	for i < len(s) {
		c := s[i]
		if !begun {
			from = i
		}
		switch {
		case r.sh == powershell && c == '@' && hereString(s[i:]) > 0:
			// @' and '@ on lines of their own, around a text.
			n := hereString(s[i:])
			buf = append(buf, s[i+2:i+n]...)
			w.quoted, w.dynamic, begun = true, w.dynamic || s[i+1] == '"' && strings.Contains(s[i:i+n], "$"), true
			i += n + 3
		case c == '\\' && r.sh == posix || c == '`' && r.sh == powershell:
			if i+1 < len(s) && s[i+1] != '\n' {
				buf, begun = append(buf, s[i+1]), true
			}
			i += 2
		case c == '\'':
			end := strings.IndexByte(s[i+1:], '\'')
			if end < 0 {
				end = len(s) - i - 1
			}
			buf = append(buf, s[i+1:i+1+end]...)
			w.quoted, begun = true, true
			i += end + 2
		case c == '"':
			i++
			w.quoted, begun = true, true
			for i < len(s) && s[i] != '"' {
				switch {
				case s[i] == '\\' && r.sh == posix && i+1 < len(s) && strings.IndexByte("\"\\$`\n", s[i+1]) >= 0,
					s[i] == '`' && r.sh == powershell && i+1 < len(s):
					buf = append(buf, s[i+1])
					i += 2
				case s[i] == '$' || s[i] == '`':
					w.dynamic = true
					i = r.substitution(s, i)
				default:
					buf = append(buf, s[i])
					i++
				}
			}
			i++
		case c == '$' || c == '`':
			w.dynamic, begun = true, true
			i = r.substitution(s, i)
		case c == '#' && !begun:
			if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
				i += n
			} else {
				i = len(s)
			}
		case c == ' ' || c == '\t' || c == '\r':
			flush()
			i++
		case c == '\n':
			flush()
			r.endCommand()
			i = r.bodies(s, i+1)
		case c == '<' || c == '>':
			// A file descriptor before it is no operand.
			if begun && !w.quoted && digits(string(buf)) {
				begun, buf = false, buf[:0]
			}
			flush()
			switch rest := s[i:]; {
			case strings.HasPrefix(rest, "<<<"):
				skipNext = true
				i += 3
			case strings.HasPrefix(rest, "<<"):
				i += 2
				if i < len(s) && s[i] == '-' {
					i++
				}
				hereNext = true
			case strings.HasPrefix(rest, "<("), strings.HasPrefix(rest, ">("):
				i = r.parens(s, i+1)
			case strings.HasPrefix(rest, ">&"), strings.HasPrefix(rest, "<&"):
				skipNext = true
				i += 2
			default:
				redirect = Shell
				if c == '>' {
					redirect = Create
				}
				i++
				if i < len(s) && (s[i] == '>' || s[i] == '|') {
					i++
				}
			}
		case c == '&' && i+1 < len(s) && s[i+1] == '>' && !begun:
			i++ // &> file
		case c == ';' || c == '|' || c == '&':
			flush()
			r.endCommand()
			i++
		case c == '(':
			flush()
			r.endCommand()
			if len(r.dirs) < maxNest*8 {
				r.dirs = append(r.dirs, r.dir)
			}
			i++
		case c == ')':
			flush()
			r.endCommand()
			if n := len(r.dirs); n > 0 {
				r.dir, r.dirs = r.dirs[n-1], r.dirs[:n-1]
			}
			i++
		case r.sh == powershell && (c == '{' || c == '}'):
			flush()
			r.endCommand()
			i++
		default:
			buf, begun = append(buf, c), true
			i++
		}
	}
	flush()
	r.endCommand()
}

// hereString is where the text of a PowerShell here-string at the beginning of s
// ends, 0 when there is none.
func hereString(s string) int {
	if len(s) < 3 || s[1] != '\'' && s[1] != '"' || s[2] != '\n' && s[2] != '\r' {
		return 0
	}
	return max(0, strings.Index(s, "\n"+s[1:2]+"@"))
}

// substitution skips "$NAME", "${...}", "$(...)" and "`...`" at i and reads
// commands inside; the result is the index after it.
func (r *shellReader) substitution(s string, i int) int {
	if s[i] == '`' {
		end := strings.IndexByte(s[i+1:], '`')
		if end < 0 {
			return len(s)
		}
		r.inner(s[i+1 : i+1+end])
		return i + end + 2
	}
	i++
	if i == len(s) {
		return i
	}
	switch s[i] {
	case '(':
		return r.parens(s, i)
	case '{':
		if end := strings.IndexByte(s[i:], '}'); end >= 0 {
			return i + end + 1
		}
		return len(s)
	}
	for i < len(s) && (s[i] == '_' || s[i] >= '0' && s[i] <= '9' || s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z') {
		i++
	}
	return i
}

// parens reads the commands in the parentheses that open at i.
func (r *shellReader) parens(s string, i int) int {
	depth := 0
	for j := i; j < len(s); j++ {
		switch s[j] {
		case '\'':
			if end := strings.IndexByte(s[j+1:], '\''); end >= 0 {
				j += end + 1
			}
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				r.inner(s[i+1 : j])
				return j + 1
			}
		}
	}
	return len(s)
}

// inner reads a nested command text in the same folder; its cd stays inside.
func (r *shellReader) inner(s string) {
	if r.nest >= maxNest {
		return
	}
	in := &shellReader{sh: r.sh, nest: r.nest + 1, touches: r.touches, dir: r.dir, lost: r.lost, total: r.total, changes: r.changes}
	in.read(s)
	r.touches, r.total = in.touches, in.total
}

// bodies skips the heredocs that were announced on the line before i; a patch
// in one is read.
func (r *shellReader) bodies(s string, i int) int {
	for _, delim := range r.heredoc {
		from := i
		for i < len(s) {
			end := strings.IndexByte(s[i:], '\n')
			next := i + end + 1
			if end < 0 {
				end, next = len(s)-i, len(s)
			}
			line := s[i : i+end]
			if strings.Trim(line, "\t\r ") == delim {
				r.patch(s[from:i])
				from, i = next, next
				break
			}
			i = next
		}
		if from < i {
			r.patch(s[from:i]) // never closed: cut off, or odd; headers still count
		}
	}
	r.heredoc = nil
	return i
}

func (r *shellReader) patch(text string) {
	if !strings.Contains(text, patchBegin) || r.lost {
		return
	}
	if r.changes != nil {
		*r.changes = append(*r.changes, patchChanges(text, r.dir)...)
		return
	}
	for _, t := range patchTouches(text, r.dir) {
		r.touches = addTouch(r.touches, t.Path, t.Op)
	}
}

// touch records an operand, joined to where a cd led.
func (r *shellReader) touch(w word, op Op) {
	t := w.text
	if w.dynamic || t == "" || t == "-" || t[0] == '~' || strings.Contains(t, "://") || strings.ContainsAny(t, "\n\x00") {
		return
	}
	if i := strings.IndexAny(t, "*?[{"); i >= 0 && !w.quoted {
		if t = globFolder(t); t == "" {
			return
		}
		op = Shell
	}
	t = strings.TrimSuffix(t, "/...")
	if t == "" || t == "." || t == ".." || t == "/dev/null" || r.lost && !isAbs(t) {
		return
	}
	r.touches = addTouch(r.touches, joinDir(r.dir, t), op)
}

func digits(s string) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}
