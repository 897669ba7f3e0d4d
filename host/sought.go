package host

import (
	"strings"

	"pathrule/internal/sysenv"
)

// Adds is a command line without what it only looks for or takes out: the
// pattern of a search, what a stream editor matches. Each of those bytes is a
// blank, so that places in both texts are the same. It is a bounded reading of
// the outermost text; what it cannot tell stays.
func Adds(command string, env sysenv.Env) string {
	var found []span
	r := &shellReader{sh: spoken(command, shellOf(env)), sought: &found}
	r.read(command)
	if len(found) == 0 {
		return command
	}
	b := []byte(command)
	for _, s := range found {
		for i := s.from; i < s.to; i++ {
			if b[i] != '\n' {
				b[i] = ' '
			}
		}
	}
	return string(b)
}

// seeks notes the script of a search or of a stream editor.
func (r *shellReader) seeks(name string, w word) {
	if r.sought == nil || w.to <= w.from || w.to > len(r.source) {
		return
	}
	switch name {
	case "grep", "egrep", "fgrep", "rg", "ag", "ack", "select-string", "sls", "findstr":
		*r.sought = append(*r.sought, span{w.from, w.to})
	case "sed", "perl":
		raw := r.source[w.from:w.to]
		if raw[0] != '\'' && raw[0] != '"' {
			*r.sought = append(*r.sought, matched(raw, w.from)...)
		} else if len(raw) > 2 {
			*r.sought = append(*r.sought, matched(raw[1:len(raw)-1], w.from+1)...)
		}
	}
}

// matched are the parts of a sed script that say what is matched: addresses and
// the left side of a substitution. What "a", "i" and "c" write is none.
func matched(script string, at int) []span {
	var out []span
	part := func(i int, delim byte) int { // the end of the text that begins at i
		for ; i < len(script) && script[i] != delim; i++ {
			if script[i] == '\\' {
				i++
			}
		}
		return min(i, len(script))
	}
	for i := 0; i < len(script); {
		switch c := script[i]; {
		case c == '/':
			end := part(i+1, '/')
			out = append(out, span{at + i + 1, at + end})
			i = end + 1
		case c == 's' && i+1 < len(script) && strings.IndexByte("/|#,:@!%_+~=;", script[i+1]) >= 0:
			delim := script[i+1]
			end := part(i+2, delim)
			out = append(out, span{at + i + 2, at + end})
			i = part(end+1, delim) + 1
			for i < len(script) && script[i] != ';' && script[i] != '\n' && script[i] != '}' {
				i++ // flags
			}
		case c == 'a' || c == 'i' || c == 'c' || c == 'y' || c == 'w' || c == 'r':
			for i < len(script) && script[i] != '\n' {
				i++
			}
		default:
			i++ // line numbers, blanks, braces, commands without a text
		}
	}
	return out
}
