package setup

import (
	"fmt"
	"slices"
	"strings"

	"pathrule/host"
	"pathrule/internal/sysenv"
	"pathrule/setup/jsonedit"
	"pathrule/workspace"
)

// carried are the variables that all our processes must agree on. Their values
// are written into user-scope entries when they are set, since some clients
// start programs with a stripped environment.
var carried = []string{"PATHRULE_HOME", "PATHRULE_STATE_DIR"}

// vars are the carried variables with their values, "" for unset. A committed
// file never holds a path of one machine.
func vars(scope host.Scope, env sysenv.Env) map[string]string {
	out := map[string]string{}
	for _, name := range carried {
		out[name] = ""
		if scope != host.Project {
			out[name] = env.Get(name)
		}
	}
	// As workspace reads them: a relative value does not count.
	d := workspace.DirsOf(env)
	if out["PATHRULE_HOME"] != "" && !samePath(out["PATHRULE_HOME"], d.Home) {
		out["PATHRULE_HOME"] = ""
	}
	if out["PATHRULE_STATE_DIR"] != "" && !samePath(out["PATHRULE_STATE_DIR"], d.State) {
		out["PATHRULE_STATE_DIR"] = ""
	}
	if env.GOOS == "windows" {
		for k, v := range out {
			out[k] = strings.ReplaceAll(v, `\`, "/")
		}
	}
	return out
}

func samePath(a, b string) bool {
	return strings.TrimRight(a, `/\`) == strings.TrimRight(b, `/\`)
}

// hookArgv is the command of one registration as words.
func hookArgv(id string, r host.Registration, p programs, v map[string]string) []string {
	argv := []string{p.pathrule, "hook", "--host", id}
	if r.Program == "pathrule-hook" && p.hook != "" {
		argv = []string{p.hook, "--host", id}
	}
	if r.NameEvent {
		argv = append(argv, "--event", r.Event)
	}
	for _, name := range carried {
		if v[name] != "" {
			argv = append(argv, "--env", name+"="+v[name])
		}
	}
	return argv
}

// handler renders a registration's handler for a client's file. The error says
// which word no shell could be handed safely.
func handler(h host.Host, r host.Registration, scope host.Scope, p programs, env sysenv.Env) (jsonedit.Object, error) {
	sh, w := h.Shape(), h.Wiring()
	argv := hookArgv(h.ID(), r, p, vars(scope, env))
	var o jsonedit.Object
	put := func(k string, v any) { o = append(o, jsonedit.Member{Key: k, Val: v}) }
	if !sh.Grouped && r.Matcher != "" {
		put("matcher", r.Matcher)
	}
	if sh.Type != "" {
		put("type", sh.Type)
	}
	switch {
	case sh.Exec && scope != host.Project:
		for _, word := range argv {
			if err := printable(word); err != nil {
				return nil, err
			}
		}
		put("command", argv[0])
		put("args", argv[1:])
	default:
		line, err := shellLine(argv, env.GOOS)
		if err != nil {
			return nil, err
		}
		if sh.WindowsCall && sh.Windows == "" && env.GOOS == "windows" {
			line = called(line)
		}
		if scope == host.Project {
			line += w.ProjectTail
		} else {
			line += w.UserTail
		}
		put(commandKey(sh), line)
		switch {
		case sh.Windows == "":
		case scope != host.Project && env.GOOS != "windows" && sh.WindowsCall:
			// PowerShell runs on this system too, and takes the line as it is (A17).
			put(sh.Windows, called(line))
		case scope == host.Project || env.GOOS == "windows":
			win := windowsLine(argv)
			if sh.WindowsCall {
				win = called(win)
			}
			put(sh.Windows, win+tail(w, scope))
		}
	}
	if sh.Timeout != "" {
		put(sh.Timeout, r.Timeout)
	}
	for _, m := range sh.Extra {
		put(m.Key, value(m.Val))
	}
	if scope != host.Project && env.GOOS == "windows" {
		for _, m := range sh.WindowsExtra {
			put(m.Key, value(m.Val))
		}
	}
	return o, nil
}

func commandKey(sh host.HookShape) string {
	if sh.Command != "" {
		return sh.Command
	}
	return "command"
}

// called is a line for PowerShell, which takes a quoted program for a text
// unless the call operator stands before it.
func called(line string) string {
	if strings.HasPrefix(line, `"`) {
		return "& " + line
	}
	return line
}

// value is a host's member value as the editor takes it.
func value(v any) any {
	if list, ok := v.([]host.Member); ok {
		o := jsonedit.Object{}
		for _, m := range list {
			o = append(o, jsonedit.Member{Key: m.Key, Val: value(m.Val)})
		}
		return o
	}
	return v
}

func tail(w host.Wiring, scope host.Scope) string {
	if scope == host.Project {
		return w.ProjectTailWindows
	}
	return ""
}

// shellLine quotes words so that sh, bash, cmd and PowerShell read the same:
// in double quotes where needed, and refusing what is special inside them.
func shellLine(argv []string, goos string) (string, error) {
	special := "$`\"\\"
	if goos == "windows" {
		special += "%"
	}
	out := make([]string, len(argv))
	for i, word := range argv {
		if j := strings.IndexAny(word, special); j >= 0 {
			return "", fmt.Errorf("%s holds a %q, which a shell would not leave alone; move it to a path without that character", word, word[j])
		}
		if err := printable(word); err != nil {
			return "", err
		}
		out[i] = word
		if strings.ContainsFunc(word, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_./:+=-", r))
		}) {
			out[i] = `"` + word + `"`
		}
	}
	return strings.Join(out, " "), nil
}

// windowsLine is the line for cmd.exe and PowerShell. The first does not find a
// program behind forward slashes unless the path is quoted; natively written
// and unquoted it works wherever the path has no blank.
func windowsLine(argv []string) string {
	out := slices.Clone(argv)
	out[0] = strings.ReplaceAll(out[0], "/", `\`)
	for i, word := range out {
		if strings.ContainsAny(word, " \t&()^;,{}[]@#'|<>!") {
			out[i] = `"` + word + `"`
		}
	}
	return strings.Join(out, " ")
}

// printable refuses control characters, which no file or shell carries well.
func printable(word string) error {
	if i := strings.IndexFunc(word, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffd }); i >= 0 {
		return fmt.Errorf("%q holds a control character or is not UTF-8; move it to another path", word)
	}
	return nil
}
