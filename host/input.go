package host

import (
	"strings"

	"pathrule/internal/rawjson"
)

// toolInput finds a tool call's arguments in any client's payload. Decode knows
// the names that decide what an event is; the arguments alone are looked at when
// an approved rule governs the path, so that other events pay nothing for it.
func toolInput(payload []byte) rawjson.Value {
	v, err := rawjson.Parse(payload)
	if err != nil {
		return nil
	}
	for _, way := range [...][2]string{
		{"tool_input"}, {"toolInput"}, {"toolArgs"}, {"tool_args"}, {"tool_info"}, {"args"},
		{"preToolUse", "parameters"}, {"postToolUse", "parameters"},
		{"tool_call", "input"}, {"tool_result", "input"}, {"output", "args"}, {"input", "args"},
	} {
		in := v.Get(way[0])
		if way[1] != "" {
			in = in.Get(way[1])
		}
		if in = unwrapped(in); in.Kind() == '{' || in.Kind() == '"' || in.Kind() == '[' {
			return in
		}
	}
	return v
}

// unwrapped is a value that some releases send as a string of JSON.
func unwrapped(v rawjson.Value) rawjson.Value {
	if v.Kind() != '"' {
		return v
	}
	s := strings.TrimSpace(v.Text())
	if s == "" || s[0] != '{' && s[0] != '[' {
		return v
	}
	if in, err := rawjson.Parse([]byte(s)); err == nil {
		return in
	}
	return v
}

// textOf is the first member that is a string, and whether there was one: an
// empty string is a text as well.
func textOf(in rawjson.Value, names ...string) (string, bool) {
	for _, n := range names {
		if v := in.Get(n); v.Kind() == '"' {
			return v.Text(), true
		}
	}
	return "", false
}

// Command is the command line of a shell call, "" for other tools. A list of
// arguments is joined by blanks, several commands by line ends.
func Command(payload []byte) string {
	in := toolInput(payload)
	if _, ok := pathOf(in); ok {
		return "" // an editor whose "command" says what it does
	}
	for _, name := range [...]string{"command", "command_line", "CommandLine", "cmd", "script", "commands"} {
		v := unwrapped(in.Get(name))
		switch v.Kind() {
		case '"':
			s := v.Text()
			if strings.HasPrefix(strings.TrimSpace(s), patchBegin) {
				return ""
			}
			return s
		case '[':
			var parts []string
			for e := range v.Elements {
				t := e.Text()
				if e.Kind() == '{' {
					t, _ = textOf(e, "command", "cmd")
				}
				parts = append(parts, t)
			}
			if name == "commands" {
				return strings.Join(parts, "\n")
			}
			// ["bash", "-lc", LINE] is LINE.
			if n := len(parts); n > 2 && strings.HasPrefix(parts[n-2], "-") && strings.HasSuffix(parts[n-2], "c") {
				switch commandName(parts[0]) {
				case "sh", "bash", "zsh", "dash", "ksh":
					return parts[n-1]
				}
			}
			return strings.Join(parts, " ")
		}
	}
	return ""
}
