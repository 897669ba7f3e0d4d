package userhooks

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"pathrule/guard/hookfile"
	"pathrule/guard/match"
	"pathrule/internal/cli"
	"pathrule/internal/rawjson"
	"pathrule/workspace"
)

// Parse reads a file. With problems there is no config: a file that is not
// understood whole runs nothing.
func Parse(raw []byte) (*Config, []Problem) {
	text := strings.TrimPrefix(string(raw), "\uFEFF")
	p := &parser{text: text}
	root, bad := parseJSON(text)
	if bad != nil {
		p.add(bad.off, bad.msg, "")
		return nil, p.problems
	}
	c := p.config(root)
	if len(p.problems) > 0 {
		slices.SortStableFunc(p.problems, func(a, b Problem) int {
			if a.Line != b.Line {
				return a.Line - b.Line
			}
			return a.Col - b.Col
		})
		return nil, p.problems
	}
	return c, nil
}

type parser struct {
	text     string
	problems []Problem
}

func (p *parser) add(off int, msg, remedy string) {
	line, col := lineCol(p.text, off)
	p.problems = append(p.problems, Problem{line, col, msg, remedy})
}

// fields walks over an object's members; each name not in known is a problem
// with the nearest one that is.
func (p *parser) fields(n *node, what string, known []string, each func(name string, v *node)) bool {
	if n.kind != '{' {
		p.add(n.off, what+" must be an object, not "+rawjson.KindName(n.kind), "")
		return false
	}
	for _, m := range n.members {
		if !slices.Contains(known, m.name) {
			p.add(m.off, fmt.Sprintf("unknown key %q in %s", m.name, what), oneOf(m.name, known))
			continue
		}
		each(m.name, m.val)
	}
	return true
}

func oneOf(word string, known []string) string {
	if near := cli.Nearest(word, known); len(near) > 0 {
		return "did you mean " + strings.Join(near, ", ") + "?"
	}
	return "known: " + strings.Join(known, ", ")
}

func (p *parser) str(n *node, what string) (string, bool) {
	if n.kind != '"' {
		p.add(n.off, what+" must be a string, not "+rawjson.KindName(n.kind), "")
		return "", false
	}
	if strings.ContainsRune(n.text, 0) {
		p.add(n.off, what+" holds a zero character", "")
		return "", false
	}
	return n.text, true
}

func (p *parser) flag(n *node, what string) bool {
	if n.kind != 't' && n.kind != 'f' {
		p.add(n.off, what+" must be true or false, not "+rawjson.KindName(n.kind), "")
	}
	return n.kind == 't'
}

func (p *parser) integer(n *node, what string, least, most int) int {
	i, err := strconv.Atoi(n.text)
	if n.kind != '0' || err != nil || i < least || i > most {
		p.add(n.off, fmt.Sprintf("%s must be a whole number from %d to %d", what, least, most), "")
		return least
	}
	return i
}

// duration reads "5s", "250ms" or a number of seconds.
func (p *parser) duration(n *node, what string) time.Duration {
	var d time.Duration
	switch n.kind {
	case '0':
		s, err := strconv.ParseFloat(n.text, 64)
		if err != nil || s > math.MaxInt64/float64(time.Second) {
			s = math.MaxInt32
		}
		d = time.Duration(s * float64(time.Second))
	case '"':
		var err error
		if d, err = time.ParseDuration(n.text); err != nil {
			p.add(n.off, fmt.Sprintf("%s %q is no duration", what, n.text), `write "5s", "250ms" or a number of seconds`)
			return DefaultTimeout
		}
	default:
		p.add(n.off, what+" must be a duration or a number of seconds, not "+rawjson.KindName(n.kind), `write "5s", "250ms" or 5`)
		return DefaultTimeout
	}
	if d <= 0 || d > Total {
		p.add(n.off, fmt.Sprintf("%s must be more than 0 and at most %s, which all hooks of one event share", what, Total), "")
		return DefaultTimeout
	}
	return d
}

func (p *parser) onError(n *node, what string) OnError {
	s, ok := p.str(n, what)
	if !ok {
		return Ignore
	}
	known := []string{string(Ignore), string(Fail), string(Block)}
	if !slices.Contains(known, s) {
		p.add(n.off, fmt.Sprintf("unknown %s %q", what, s), oneOf(s, known))
		return Ignore
	}
	return OnError(s)
}

var (
	topKeys     = []string{"version", "enabled", "defaults", "env", "hooks"}
	defaultKeys = []string{"timeout", "on_error", "max_output_bytes", "trigger_nested_hooks"}
	hookKeys    = []string{"name", "event", "matcher", "conditions", "priority", "enabled", "actions"}
	actionKeys  = map[string][]string{
		"command": {"type", "command", "work_dir", "timeout", "on_error", "max_output_bytes"},
		"tool":    {"type", "tool", "input", "append_context", "timeout", "on_error"},
		"inject":  {"type", "entries", "retention", "on_error"},
	}
	actionTypes = []string{"command", "tool", "inject"}
)

func (p *parser) config(n *node) *Config {
	c := &Config{Enabled: true}
	def := Action{Timeout: DefaultTimeout, OnError: Ignore, MaxOutput: DefaultOutput}
	version, hooks := (*node)(nil), (*node)(nil)
	ok := p.fields(n, "the file", topKeys, func(name string, v *node) {
		switch name {
		case "version":
			version = v
		case "enabled":
			c.Enabled = p.flag(v, "enabled")
		case "defaults":
			p.defaults(v, &def)
		case "env":
			c.Env = p.env(v)
		case "hooks":
			hooks = v
		}
	})
	if !ok {
		return c
	}
	switch {
	case version == nil:
		p.add(n.off, "version is missing", `write "version": 1`)
	case version.kind != '0' || version.text != "1":
		p.add(version.off, "version must be 1", "this pathrule reads version 1 alone; a newer file needs a newer pathrule")
	}
	if hooks == nil {
		return c // an empty file is one without hooks
	}
	if hooks.kind != '[' {
		p.add(hooks.off, "hooks must be a list, not "+rawjson.KindName(hooks.kind), "")
		return c
	}
	if len(hooks.list) > maxHooks {
		p.add(hooks.off, fmt.Sprintf("more than %d hooks", maxHooks), "")
		return c
	}
	for i, h := range hooks.list {
		c.Hooks = append(c.Hooks, p.hook(h, i, def))
	}
	return c
}

func (p *parser) defaults(n *node, def *Action) {
	p.fields(n, "defaults", defaultKeys, func(name string, v *node) {
		switch name {
		case "trigger_nested_hooks":
			if v.kind != 'f' {
				p.add(v.off, "hooks never trigger hooks here, so trigger_nested_hooks can only be false", "take the key out")
			}
		case "timeout":
			def.Timeout, def.TimeoutSet = p.duration(v, "timeout"), true
		case "on_error":
			def.OnError, def.OnErrorSet = p.onError(v, "on_error"), true
		case "max_output_bytes":
			def.MaxOutput = p.integer(v, "max_output_bytes", 1, maxOutput)
		}
	})
}

func (p *parser) env(n *node) []Var {
	if n.kind != '{' {
		p.add(n.off, "env must be an object, not "+rawjson.KindName(n.kind), "")
		return nil
	}
	var out []Var
	for _, m := range n.members {
		v, ok := p.str(m.val, "env "+strconv.Quote(m.name))
		up := strings.ToUpper(m.name)
		switch {
		case !ok:
		case m.name == "" || strings.ContainsAny(m.name, "=\x00"):
			p.add(m.off, fmt.Sprintf("%q is no name of a variable", m.name), "")
		case strings.HasPrefix(up, "PATHRULE_"):
			p.add(m.off, m.name+" is pathrule's own and cannot be set by a file of hooks", "use another name")
		default:
			out = append(out, Var{m.name, v})
		}
	}
	slices.SortFunc(out, func(a, b Var) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func (p *parser) hook(n *node, i int, def Action) Hook {
	h := Hook{Enabled: true, Name: fmt.Sprintf("hook %d", i+1)}
	h.Line, _ = lineCol(p.text, n.off)
	event, actions := (*node)(nil), (*node)(nil)
	ok := p.fields(n, "a hook", hookKeys, func(name string, v *node) {
		switch name {
		case "name":
			if s, ok := p.str(v, "name"); ok {
				if s == "" || len(s) > 200 || strings.ContainsAny(s, "\r\n\t") {
					p.add(v.off, "name must be one line of 1 to 200 bytes", "")
				}
				h.Name = s
			}
		case "event":
			event = v
		case "matcher":
			h.matcherGiven = true
			p.matcher(v, &h)
		case "conditions":
			p.conditions(v, &h)
		case "priority":
			h.Priority = p.integer(v, "priority", -1_000_000, 1_000_000)
		case "enabled":
			h.Enabled = p.flag(v, "enabled")
		case "actions":
			actions = v
		}
	})
	if !ok {
		return h
	}
	if event == nil {
		p.add(n.off, "a hook without an event", "see \"pathrule hooks events\"")
	} else if s, ok := p.str(event, "event"); ok {
		e, known := hookfile.Lookup(s)
		if !known {
			p.add(event.off, fmt.Sprintf("unknown event %q", s), oneOfEvents(s))
		}
		h.Written, h.Event, h.Shell = s, e.Canonical(), e.Shell
	}
	switch {
	case actions == nil:
		p.add(n.off, "a hook without actions", "")
	case actions.kind != '[':
		p.add(actions.off, "actions must be a list, not "+rawjson.KindName(actions.kind), "")
	case len(actions.list) == 0 || len(actions.list) > maxActions:
		p.add(actions.off, fmt.Sprintf("actions must hold 1 to %d actions", maxActions), "")
	default:
		for _, a := range actions.list {
			h.Actions = append(h.Actions, p.action(a, def))
		}
	}
	return h
}

func oneOfEvents(word string) string {
	if near := cli.Nearest(word, hookfile.Names()); len(near) > 0 {
		return "did you mean " + strings.Join(near, ", ") + "?"
	}
	return "see \"pathrule hooks events\""
}

func (p *parser) matcher(n *node, h *Hook) {
	s, ok := p.str(n, "matcher")
	if !ok || s == "" || s == "*" {
		return // what clients mean by "any"
	}
	re, err := match.Compile(s)
	if err != nil {
		p.add(n.off, fmt.Sprintf("matcher %q cannot be used: %v", s, err), "it is a regular expression (RE2): \"^(Edit|Write)$\"")
		return
	}
	h.Matcher = re
}

func (p *parser) conditions(n *node, h *Hook) {
	p.fields(n, "conditions", []string{"paths"}, func(_ string, v *node) {
		if h.Paths = p.strings(v, "conditions.paths"); len(h.Paths) == 0 {
			return
		}
		scope, err := workspace.ParseScope(h.Paths)
		if err != nil {
			p.add(v.off, "conditions.paths: "+err.Error(), "")
			return
		}
		h.scope = scope
	})
}

// strings reads a list of strings that are not empty.
func (p *parser) strings(n *node, what string) []string {
	if n.kind != '[' || len(n.list) == 0 {
		p.add(n.off, what+" must be a list with at least one string", "")
		return nil
	}
	var out []string
	for _, e := range n.list {
		s, ok := p.str(e, what)
		switch {
		case !ok:
		case strings.TrimSpace(s) == "":
			p.add(e.off, what+" holds an empty string", "")
		default:
			out = append(out, s)
		}
	}
	return out
}

func (p *parser) action(n *node, def Action) Action {
	a := def
	a.Line, _ = lineCol(p.text, n.off)
	if n.kind != '{' {
		p.add(n.off, "an action must be an object, not "+rawjson.KindName(n.kind), "")
		return a
	}
	var kind *node
	for _, m := range n.members {
		if m.name == "type" {
			kind = m.val
		}
	}
	if kind == nil {
		p.add(n.off, "an action without a type", "known: "+strings.Join(actionTypes, ", "))
		return a
	}
	s, ok := p.str(kind, "type")
	if !ok {
		return a
	}
	a.Type = s
	if s == "mcp_tool" {
		p.add(kind.off, "mcp_tool is reserved and does nothing here", "\"tool\" calls a tool of pathrule's own MCP server")
		return a
	}
	known := actionKeys[s]
	if known == nil {
		p.add(kind.off, fmt.Sprintf("unknown type %q", s), oneOf(s, actionTypes))
		return a
	}
	given := false
	p.fields(n, "a "+s+" action", known, func(name string, v *node) {
		switch name {
		case "command":
			given = true
			p.command(v, &a)
		case "work_dir":
			a.WorkDir = p.workDir(v)
		case "tool":
			if a.Tool, ok = p.str(v, "tool"); ok {
				given = true
				if !slices.Contains(Tools, a.Tool) {
					p.add(v.off, fmt.Sprintf("unknown tool %q", a.Tool), oneOf(a.Tool, Tools))
				}
			}
		case "input":
			if v.kind != '{' {
				p.add(v.off, "input must be an object, not "+rawjson.KindName(v.kind), "")
				return
			}
			a.Input = p.text[v.off:v.end]
		case "append_context":
			a.Tell = p.flag(v, "append_context")
		case "entries":
			given = true
			a.Entries = p.strings(v, "entries")
		case "retention":
			if s, ok := p.str(v, "retention"); ok && !slices.Contains(retentions[:2], s) {
				p.add(v.off, fmt.Sprintf("unknown retention %q", s), oneOf(s, retentions[:2]))
			} else {
				a.Optional = s == "optional"
			}
		case "timeout":
			a.Timeout, a.TimeoutSet = p.duration(v, "timeout"), true
		case "on_error":
			a.OnError, a.OnErrorSet = p.onError(v, "on_error"), true
		case "max_output_bytes":
			a.MaxOutput = p.integer(v, "max_output_bytes", 1, maxOutput)
		}
	})
	if !given {
		need := map[string]string{"command": "command", "tool": "tool", "inject": "entries"}[s]
		p.add(n.off, "a "+s+" action without "+need, "")
	}
	return a
}

func (p *parser) command(n *node, a *Action) {
	switch n.kind {
	case '"':
		if strings.TrimSpace(n.text) == "" {
			p.add(n.off, "command is empty", "")
		}
		a.Command, _ = p.str(n, "command")
	case '[':
		a.Argv = p.strings(n, "command")
	default:
		p.add(n.off, "command must be a line for the shell, or a list of a program and its arguments", "")
	}
}

func (p *parser) workDir(n *node) string {
	s, ok := p.str(n, "work_dir")
	if !ok || s == "" {
		return ""
	}
	clean := path.Clean(strings.ReplaceAll(s, `\`, "/"))
	if path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") || strings.Contains(clean, ":") {
		p.add(n.off, fmt.Sprintf("work_dir %q leaves the project", s), "name a folder from the project's root")
		return ""
	}
	return clean
}

// Tools are the tools of our MCP server that a hook may call.
var Tools = []string{"get_context", "search_knowledge", "get_tree", "read_memory", "read_rule", "read_skill",
	"write_memory", "write_rule", "write_skill", "update_memory", "update_rule", "update_skill", "delete_entry", "restore_entry", "ping"}
