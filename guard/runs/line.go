package runs

import "strings"

// Reason says which part of a command line keeps it from counting as a run of
// one verification. Its text is for a model or a person; no part of the command
// stands in it, so that it may be kept.
type Reason string

// The reasons.
const (
	Fine       Reason = ""
	Nothing    Reason = "it runs no command"
	Pipe       Reason = "a pipe hides its exit code"
	Or         Reason = "\"||\" hides its exit code"
	Sequence   Reason = "another command stands beside it, whose exit code counts instead"
	Background Reason = "it runs in the background, so its exit code is not known"
	Several    Reason = "it runs several verifications at once"
	Watch      Reason = "it watches instead of ending"
	Unclear    Reason = "its text depends on a variable or a substitution"
	Elsewhere  Reason = "it runs in another folder"
	Part       Reason = "it runs with other targets, packages or options than the check"
	NoCode     Reason = "its exit code is not known"
	Failed     Reason = "it failed"
	Stopped    Reason = "it was interrupted"
	Moved      Reason = "files changed after it began"
)

// command is one simple command of a line.
type command struct {
	words   []string
	dynamic bool
	// after is the operator behind it: "" at the end, else one of && || ; | & \n.
	after string
}

const maxLine = 16 << 10

// split reads a POSIX command line into its simple commands. Redirections are
// left out: they take nothing from an exit code. ok is false for what a reader of
// this kind cannot follow (groups, subshells, heredocs, reserved words).
func split(line string) (list []command, ok bool) {
	if len(line) > maxLine {
		return nil, false
	}
	var (
		cmd     command
		word    []byte
		begun   bool
		quoted  bool
		skip    bool // the word being read is a redirection's target
		pending bool // a redirection waits for its target
	)
	flush := func() {
		if !begun {
			return
		}
		if !skip {
			cmd.words = append(cmd.words, string(word))
		}
		word, begun, quoted, skip = nil, false, false, false
	}
	end := func(op string) bool {
		flush()
		if pending {
			return false
		}
		if len(cmd.words) == 0 {
			if op == "\n" || op == "" {
				return true
			}
			return false
		}
		cmd.after = op
		list = append(list, cmd)
		cmd = command{}
		return true
	}
	start := func() {
		if !begun {
			begun, skip, pending = true, pending, false
		}
	}
	for i := 0; i < len(line); {
		c := line[i]
		switch {
		case c == '\\':
			if i+1 < len(line) {
				if line[i+1] != '\n' {
					start()
					word = append(word, line[i+1])
				}
				i++
			}
			i++
		case c == '\'':
			j := strings.IndexByte(line[i+1:], '\'')
			if j < 0 {
				return nil, false
			}
			start()
			quoted = true
			word = append(word, line[i+1:i+1+j]...)
			i += j + 2
		case c == '"':
			start()
			quoted = true
			i++
			for {
				if i >= len(line) {
					return nil, false
				}
				if line[i] == '"' {
					break
				}
				if line[i] == '\\' && i+1 < len(line) && strings.IndexByte("\"\\$`\n", line[i+1]) >= 0 {
					word = append(word, line[i+1])
					i += 2
					continue
				}
				if line[i] == '$' || line[i] == '`' {
					cmd.dynamic = true
				}
				word = append(word, line[i])
				i++
			}
			i++
		case c == '$' || c == '`':
			start()
			cmd.dynamic = true
			word = append(word, c)
			i++
			if c == '$' && i < len(line) && line[i] == '(' {
				return append(list, cmd), false
			}
		case c == '(' || c == ')' || (c == '{' || c == '}') && !begun && blankAt(line, i+1):
			return nil, false
		case c == '#' && !begun:
			if j := strings.IndexByte(line[i:], '\n'); j >= 0 {
				i += j
			} else {
				i = len(line)
			}
		case c == ' ' || c == '\t' || c == '\r':
			flush()
			i++
		case c == '<' || c == '>' || c == '&' && strings.HasPrefix(line[i:], "&>"):
			if begun && !quoted && digits(word) {
				word, begun = nil, false
			}
			flush()
			if strings.HasPrefix(line[i:], "<<") || strings.HasPrefix(line[i:], "<(") || strings.HasPrefix(line[i:], ">(") || pending {
				return nil, false
			}
			for i < len(line) && strings.IndexByte("<>&|", line[i]) >= 0 {
				i++
			}
			pending = true
		case c == '\n':
			if !end("\n") {
				return nil, false
			}
			i++
		case c == '&' || c == '|' || c == ';':
			op := line[i : i+1]
			if i+1 < len(line) && line[i+1] == c {
				op = line[i : i+2]
			}
			if op == ";;" || op == "|" && i+1 < len(line) && line[i+1] == '&' {
				return nil, false
			}
			if !end(op) {
				return nil, false
			}
			i += len(op)
		default:
			start()
			word = append(word, c)
			i++
		}
	}
	if !end("") {
		return nil, false
	}
	for i := range list {
		switch list[i].words[0] {
		case "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "function", "!", "[[", "coproc", "select":
			return nil, false
		}
	}
	return list, true
}

func blankAt(s string, i int) bool { return i >= len(s) || strings.IndexByte(" \t\n;", s[i]) >= 0 }

func digits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}
