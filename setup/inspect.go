package setup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"pathrule/host"
	"pathrule/internal/sysenv"
	"pathrule/setup/jsonedit"
	"pathrule/setup/tomledit"
	"pathrule/workspace"
)

// inspector looks at one client's files in one scope.
type inspector struct {
	h     host.Host
	scope host.Scope
	root  string
	env   sysenv.Env
	progs programs // zero when ours cannot be located
	home  string
	out   []Installed
}

func inspect(root string, env sysenv.Env) ([]Installed, error) {
	home := workspace.DirsOf(env).Home
	progs, err := findPrograms(Options{}, env)
	if err != nil {
		progs = programs{}
	}
	var all []Installed
	for _, h := range host.All() {
		scopes := []host.Scope{host.User}
		if root != "" {
			scopes = append(scopes, host.Project)
		}
		var found [][]Installed
		seen := map[string]bool{}
		for _, s := range scopes {
			i := inspector{h: h, scope: s, root: root, env: env, progs: progs, home: home}
			for _, t := range targets(h, s, root, env) {
				f := readFile(t.cfg.Path)
				if seen[f.real] {
					continue
				}
				seen[f.real] = true
				i.file(t, f)
			}
			found = append(found, i.out)
		}
		if len(found) == 2 {
			both(found[0], found[1], env)
		}
		for _, list := range found {
			all = append(all, list...)
		}
	}
	return all, nil
}

// both marks hooks that are registered in two scopes: each event starts two
// processes, of which the second stays silent.
func both(user, project []Installed, env sysenv.Env) {
	hooked := func(list []Installed) string {
		for _, in := range list {
			if in.Surface == Hooks && in.Command != "" {
				return in.Path
			}
		}
		return ""
	}
	u, p := hooked(user), hooked(project)
	if u == "" || p == "" {
		return
	}
	for i := range project {
		if in := &project[i]; in.Surface == Hooks && in.Command != "" {
			in.note(fmt.Sprintf("also registered in %s: each event starts two processes", shown(u, env)))
		}
	}
}

func (in *Installed) trouble(msg string) {
	if in.Problem != "" {
		msg = in.Problem + "; " + msg
	}
	in.Problem = msg
}

func (in *Installed) note(msg string) {
	if in.Note != "" {
		msg = in.Note + "; " + msg
	}
	in.Note = msg
}

func (i *inspector) file(t target, f file) {
	blank := Installed{Host: i.h.ID(), Scope: i.scope, Surface: t.surface(), Path: t.cfg.Path}
	rec := loadRecord(i.home, f.real)
	if !f.exists || f.data == nil {
		if f.why != "" {
			blank.Problem = f.why
			i.out = append(i.out, blank)
		} else if rec != nil {
			blank.Problem = fmt.Sprintf("the file is gone; run \"pathrule setup %s%s\"", i.h.ID(), scopeFlag(i.scope))
			i.out = append(i.out, blank)
		}
		return
	}
	start := len(i.out)
	var err error
	if t.cfg.Format == "toml" {
		err = i.toml(t, f)
	} else {
		err = i.json(t, f)
	}
	var je *jsonedit.Error
	var te *tomledit.Error
	switch {
	case errors.As(err, &je):
		blank.Line, blank.Problem = je.Line, je.Msg
	case errors.As(err, &te):
		blank.Line, blank.Problem = te.Line, te.Msg
	case err != nil:
		blank.Problem = err.Error()
	}
	if err != nil {
		i.out = append(i.out, blank)
	} else if rec != nil && len(i.out) == start {
		blank.Problem = fmt.Sprintf("was set up, but no entry of ours is left; run \"pathrule setup %s%s\"", i.h.ID(), scopeFlag(i.scope))
		i.out = append(i.out, blank)
	}
}

func (i *inspector) json(t target, f file) error {
	d, err := jsonedit.Parse(f.data)
	if err != nil {
		return err
	}
	if t.hooks {
		if err := checkHooks(d, i.h); err != nil {
			return err
		}
		i.hooks(d, t)
	}
	if t.mcp {
		if e, ok := jsonServer(d.Root().Value(), i.h.Wiring().MCPTable); ok {
			argv, _ := mcpEntry(e)
			node, _ := d.At(i.h.Wiring().MCPTable, server)
			o, _ := e.(jsonedit.Object)
			env, _ := o.Get("env")
			vars, _ := env.(jsonedit.Object)
			var set []string
			for _, m := range vars {
				if s, ok := m.Val.(string); ok {
					set = append(set, m.Key+"="+s)
				}
			}
			i.server(t, node.Line(), argv, set)
		}
	}
	return nil
}

func (i *inspector) toml(t target, f file) error {
	d, err := tomledit.Parse(f.data)
	if err != nil {
		return err
	}
	path := []string{i.h.Wiring().MCPTable, server}
	e := d.At(path...)
	if e == nil {
		return nil
	}
	argv, _ := mcpEntry(e)
	m, _ := e.(map[string]any)
	env, _ := m["env"].(map[string]any)
	var set []string
	for k, v := range env {
		if s, ok := v.(string); ok {
			set = append(set, k+"="+s)
		}
	}
	sort.Strings(set)
	i.server(t, d.Line(path...), argv, set)
	if m["enabled"] == false {
		i.out[len(i.out)-1].trouble("enabled = false")
	}
	return nil
}

// server reports the entry under our name; one of another product is named as
// what blocks ours.
func (i *inspector) server(t target, line int, argv, set []string) {
	in := Installed{Host: i.h.ID(), Scope: i.scope, Surface: MCP, Path: t.cfg.Path, Line: line, Argv: argv, Command: strings.Join(argv, " "), Env: set}
	if !oursMCP(argv) {
		in.Argv = nil
		in.Problem = foreignEntry(argv, i.h.Wiring().MCPTable)
	} else {
		i.program(&in, i.progs.pathrule)
		i.carried(&in, set)
	}
	i.out = append(i.out, in)
}

func (i *inspector) hooks(d *jsonedit.Doc, t target) {
	own := ownHooks(d.Root().Value(), i.h.Shape())
	if len(own) == 0 {
		return
	}
	sh := i.h.Shape()
	silent := i.switchedOff()
	deaf := unloadable(i.h, d)
	type place struct{ event, matcher string }
	first := map[place]int{}
	regs := i.h.Registrations()
	for _, k := range own {
		node, _ := d.At(k.path()...)
		in := Installed{
			Host: i.h.ID(), Scope: i.scope, Surface: Hooks, Path: t.cfg.Path, Line: node.Line(),
			Event: k.event, Matcher: k.matcher, Argv: k.argv, Shell: k.shell, Command: strings.Join(k.argv, " "),
		}
		if k.shell {
			cmd, _ := k.body.Get("command")
			in.Command, _ = cmd.(string)
		}
		if sh.Timeout != "" {
			to, _ := k.body.Get(sh.Timeout)
			n, _ := to.(jsonedit.Number)
			fmt.Sscan(string(n), &in.Timeout)
		}
		reg := slices.IndexFunc(regs, func(r host.Registration) bool { return r.Event == k.event && r.Matcher == k.matcher })
		event := slices.IndexFunc(regs, func(r host.Registration) bool { return r.Event == k.event })
		if at, ok := first[place{k.event, k.matcher}]; ok {
			in.trouble(fmt.Sprintf("a second copy of the one in line %d", at))
		} else {
			first[place{k.event, k.matcher}] = in.Line
		}
		switch {
		case event < 0:
			in.trouble("this version of pathrule does not use the event")
		case reg < 0:
			in.trouble(fmt.Sprintf("the matcher is %q, this version uses %q", k.matcher, regs[event].Matcher))
		case sh.Timeout != "" && in.Timeout == 0:
			in.trouble("no time-out is set, so the client's own long one applies")
		case sh.Timeout != "" && in.Timeout != regs[reg].Timeout:
			in.trouble(fmt.Sprintf("the time-out is %d, not %d", in.Timeout, regs[reg].Timeout))
		}
		for _, name := range flagValues(k.argv, "--host") {
			if h, ok := host.ByName(name); !ok {
				in.trouble(fmt.Sprintf("unknown client %q after --host", name))
			} else if h.ID() != i.h.ID() {
				in.trouble(fmt.Sprintf("answers as %s in a file of %s", h.Title(), i.h.Title()))
			}
		}
		want := i.progs.pathrule
		if baseName(k.argv[0]) == "pathrule-hook" {
			want = i.progs.hook
		}
		i.program(&in, want)
		set := flagValues(k.argv, "--env")
		i.carried(&in, set)
		if silent != "" {
			in.trouble(silent)
		}
		if deaf != "" {
			in.trouble("the file " + deaf)
		}
		if i.scope == host.Project && i.h.Wiring().RootOnly && below(i.env.Cwd, i.root) {
			in.note(fmt.Sprintf("%s started in this subfolder does not load it; start it in %s, or set up the user scope", i.h.Title(), shown(i.root, i.env)))
		}
		i.out = append(i.out, in)
	}
	for _, r := range regs {
		if r.Canonical() != host.SessionEnd && !has(own, r.Event) {
			i.out = append(i.out, Installed{
				Host: i.h.ID(), Scope: i.scope, Surface: Hooks, Path: t.cfg.Path, Event: r.Event, Matcher: r.Matcher,
				Problem: fmt.Sprintf("not registered; run \"pathrule setup %s%s\"", i.h.ID(), scopeFlag(i.scope)),
			})
		}
	}
}

// program looks whether the entry's program is there and is the one that setup
// would name now.
func (i *inspector) program(in *Installed, now string) {
	exe := in.Argv[0]
	if !strings.ContainsAny(exe, `/\`) {
		if onPath(exe, i.env) == "" {
			in.trouble(fmt.Sprintf("%s is not on PATH", exe))
		}
		return
	}
	exe = strings.ReplaceAll(exe, "$HOME", i.env.UserHome)
	if strings.ContainsAny(exe, "$%") || strings.HasPrefix(exe, "~") {
		return // the shell's business
	}
	if !isProgram(filepath.FromSlash(exe), i.env) {
		in.trouble(fmt.Sprintf("the program %s is missing or cannot be run", exe))
		return
	}
	if now == "" || exe == now {
		return
	}
	a, errA := os.Stat(exe)
	b, errB := os.Stat(now)
	if errA == nil && errB == nil && !os.SameFile(a, b) {
		in.trouble(fmt.Sprintf("runs %s, while this is %s; \"pathrule setup %s%s\" brings it up to date", exe, now, i.h.ID(), scopeFlag(i.scope)))
	}
}

// carried compares the variables of an entry with those of this process: all
// must find the same folders.
func (i *inspector) carried(in *Installed, set []string) {
	in.Env = set
	want := vars(i.scope, i.env)
	for _, name := range carried {
		got := ""
		for _, kv := range set {
			if k, v, _ := strings.Cut(kv, "="); k == name {
				got = v
			}
		}
		if i.scope == host.Project && got == "" || samePath(got, want[name]) {
			continue
		}
		switch {
		case got == "":
			in.trouble(fmt.Sprintf("does not carry %s=%s", name, want[name]))
		case want[name] == "":
			in.trouble(fmt.Sprintf("carries %s=%s, which is not set here", name, got))
		default:
			in.trouble(fmt.Sprintf("carries %s=%s, here it is %s", name, got, want[name]))
		}
	}
}
