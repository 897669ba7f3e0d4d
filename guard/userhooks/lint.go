package userhooks

import (
	"fmt"

	"strings"

	"pathrule/guard/hookfile"
)

// Lint names what is allowed and unwise in a file that could be read. Texts that
// look like keys are for the caller, which has the patterns for them.
func Lint(s *Source) []Problem {
	var out []Problem
	add := func(line int, msg, remedy string) {
		out = append(out, Problem{Line: line, Col: 1, Msg: msg, Remedy: remedy})
	}
	if s.Config == nil {
		return out
	}
	for _, v := range s.Config.Env {
		if secretive(v.Name) && v.Value != "" {
			add(1, "env sets "+v.Name+", which sounds like a secret", "leave it out; commands inherit the environment that the client was started with")
		}
	}
	for i := range s.Config.Hooks {
		h := &s.Config.Hooks[i]
		e, _ := hookfile.Lookup(h.Written)
		if e.From == "" && !e.Ours {
			add(h.Line, fmt.Sprintf("nothing emits %s: the hook runs in \"pathrule hooks test\" alone", h.Written), "see \"pathrule hooks events\"")
		}
		blocks := e.Before && e.Name != "Stop" && e.Name != "TurnEnd"
		if blocks && h.Matcher == nil && len(h.Paths) == 0 && !h.Shell {
			add(h.Line, fmt.Sprintf("%q may stop every %s: it has no matcher and no conditions.paths", h.Name, h.Written), `name the tools or paths: "matcher": "^(Edit|Write)$"`)
		}
		for j := range h.Actions {
			a := &h.Actions[j]
			if a.Type == "inject" {
				continue
			}
			if !a.TimeoutSet {
				add(a.Line, fmt.Sprintf("%q names no timeout, so %s counts", h.Name, DefaultTimeout), `write "timeout": "2s" here or in defaults`)
			}
			if blocks && !a.OnErrorSet {
				add(a.Line, fmt.Sprintf("%q does not say what its failure means, so it means nothing", h.Name), `write "on_error": "ignore", "fail" or "block" here or in defaults`)
			}
			if a.Type == "command" && s.Origin == hookfile.Project && Opaque(a) {
				add(a.Line, fmt.Sprintf("%q runs a line with variables, patterns or a shell of its own: which files it runs cannot be followed, so trust does not pin them", h.Name), "name the files, or give the command as a list")
			}
		}
	}
	return out
}

// secretive reports that a variable's name says that it holds a secret.
func secretive(name string) bool {
	name = strings.ToUpper(name)
	for _, w := range [...]string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "PRIVATE_KEY", "CREDENTIAL"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}
