package setup

import (
	"slices"
	"strings"

	"pathrule/host"
	"pathrule/setup/jsonedit"
)

// A handler is ours when its words run pathrule-hook, or pathrule with the
// subcommand hook, whatever folder it names. The words decide, never a
// substring: my-pathrule-hook.sh and /home/pathrule/bin/other stay.

// words are a handler's program and arguments, false when it runs something
// else than one simple command.
func words(o jsonedit.Object, sh host.HookShape) (argv []string, shell, ok bool) {
	line, isStr := lineOf(o, sh)
	if !isStr {
		return nil, false, false
	}
	if a, has := o.Get("args"); has {
		list, isList := plain(a).([]any)
		if !isList {
			return nil, false, false
		}
		argv = []string{line}
		for _, e := range list {
			s, isStr := e.(string)
			if !isStr {
				return nil, false, false
			}
			argv = append(argv, s)
		}
		return argv, false, true
	}
	argv, ok = splitLine(line)
	return argv, true, ok
}

// lineOf is a handler's command line: in the client's own member, in the usual
// one, or for Windows alone.
func lineOf(o jsonedit.Object, sh host.HookShape) (string, bool) {
	for _, key := range []string{sh.Command, "command", sh.Windows} {
		if key == "" {
			continue
		}
		if v, has := o.Get(key); has {
			line, isStr := v.(string)
			return line, isStr
		}
	}
	return "", false
}

// oursHook reports whether words run our hook.
func oursHook(argv []string) bool {
	if len(argv) == 0 {
		return false
	}
	switch baseName(argv[0]) {
	case "pathrule-hook":
		return len(argv) == 1 || slices.ContainsFunc(argv[1:], isHostFlag)
	case "pathrule":
		return len(argv) > 1 && argv[1] == "hook"
	}
	return false
}

// oursMCP reports whether words run our MCP server.
func oursMCP(argv []string) bool {
	return len(argv) > 1 && baseName(argv[0]) == "pathrule" && argv[1] == "mcp"
}

func isHostFlag(a string) bool { return a == "--host" || strings.HasPrefix(a, "--host=") }

// flagValues are the values of a flag, in order.
func flagValues(argv []string, flag string) []string {
	var out []string
	for i, a := range argv {
		if v, ok := strings.CutPrefix(a, flag+"="); ok {
			out = append(out, v)
		} else if a == flag && i+1 < len(argv) {
			out = append(out, argv[i+1])
		}
	}
	return out
}

// ends are what may follow our command in a shell line: redirections that
// quieten it and whatever turns its exit code into 0.
var ends = []string{"", ";exit0", "||true", "||exit0", "||:", "&exit/b0", ";true", ";:"}
var quiet = []string{"", "2>/dev/null", "2>nul", "2>$null"}

// splitLine reads one simple command of sh, cmd or PowerShell into words. It
// is for recognising, not for running: a backslash is a separator of Windows
// paths unless it escapes a quote or a blank.
func splitLine(line string) ([]string, bool) {
	line = strings.TrimSpace(line)
	line = strings.TrimSpace(strings.TrimPrefix(line, "&")) // PowerShell's call operator
	var out []string
	var cur strings.Builder
	in, quoteBy := false, byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quoteBy != 0:
			switch {
			case c == quoteBy:
				quoteBy = 0
			case c == '\\' && quoteBy == '"' && i+1 < len(line) && (line[i+1] == '"' || line[i+1] == '\\'):
				i++
				cur.WriteByte(line[i])
			case c == '`' || c == '$' && i+1 < len(line) && line[i+1] == '(' && quoteBy == '"':
				return nil, false
			default:
				cur.WriteByte(c)
			}
		case c == '"' || c == '\'':
			quoteBy, in = c, true
		case c == '\\' && i+1 < len(line) && (line[i+1] == ' ' || line[i+1] == '"' || line[i+1] == '\''):
			i++
			cur.WriteByte(line[i])
			in = true
		case c == ' ' || c == '\t':
			if in {
				out = append(out, cur.String())
				cur.Reset()
				in = false
			}
		case strings.IndexByte(";&|<>()\n\r`", c) >= 0 || c == '$' && i+1 < len(line) && line[i+1] == '(':
			rest := line[i:]
			if c == '>' && cur.String() == "2" {
				rest, in = "2"+rest, false
			}
			if !isEnd(rest) {
				return nil, false
			}
			if in {
				out = append(out, cur.String())
			}
			return unassign(out), true
		default:
			cur.WriteByte(c)
			in = true
		}
	}
	if quoteBy != 0 {
		return nil, false
	}
	if in {
		out = append(out, cur.String())
	}
	return unassign(out), true
}

func isEnd(rest string) bool {
	rest = strings.ToLower(strings.Join(strings.Fields(rest), ""))
	for _, q := range quiet {
		if after, ok := strings.CutPrefix(rest, q); ok && slices.Contains(ends, after) {
			return true
		}
	}
	return false
}

// unassign drops NAME=value words in front.
func unassign(argv []string) []string {
	for len(argv) > 0 {
		name, _, ok := strings.Cut(argv[0], "=")
		if !ok || name == "" || strings.ContainsFunc(name, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_')
		}) {
			break
		}
		argv = argv[1:]
	}
	return argv
}
