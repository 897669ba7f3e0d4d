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
	// wired: the client is set up in this scope. silent says which setting
	// switches all its hooks off.
	wired  bool
	silent string
	out    []Installed
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
			if s == host.Project {
				i.progs = bare
			}
			i.silent = i.switchedOff()
			i.wired = wired(h, s, root, home, i.progs, env)
			i.own(seen)
			for _, t := range targets(h, s, root, env) {
				f := readFile(t.cfg.Path)
				if seen[f.real] {
					continue
				}
				seen[f.real] = true
				i.h = t.in(h)
				i.file(t, f)
				i.h = h
			}
			if s == host.User && len(i.out) > 0 {
				i.local()
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

// again is the command that mends a client's files.
func (i *inspector) again() string {
	return fmt.Sprintf("run \"pathrule setup %s%s\"", i.h.ID(), scopeFlag(i.scope))
}

// own reports the files that are wholly ours.
func (i *inspector) own(seen map[string]bool) {
	argv := ownArgv(i.h, i.scope, i.progs, i.env)
	for _, o := range ownFiles(i.h, i.scope, i.root, i.progs, i.env) {
		f := readFile(o.Path)
		rec := loadRecord(i.home, f.real)
		st := ownStateOf(f, o.Data, rec)
		if seen[f.real] || !i.wired && rec == nil {
			continue
		}
		seen[f.real] = true
		in := Installed{Host: i.h.ID(), Scope: i.scope, Surface: Hooks, Path: o.Path, Own: true}
		if st != ownAbsent {
			in.Line, in.Argv, in.Command, in.Env = 1, argv, strings.Join(argv, " "), flagValues(argv, "--env")
		}
		switch {
		case st == ownAbsent:
			in.trouble("the file is gone; " + i.again())
		case st == ownForeign:
			in.Argv, in.Command = nil, ""
			in.trouble("the file is not pathrule's any more; move it away, then " + i.again())
		case st == ownEdited:
			in.trouble("the file was edited since setup made it, or made by another release; " + strings.TrimSuffix(i.again(), `"`) + ` --force"`)
		case st == ownOld:
			in.trouble("the file is what an older setup wrote; " + i.again())
		case o.Exec && !isProgram(f.real, i.env):
			in.trouble("the file cannot be run; " + i.again())
		}
		if len(in.Argv) > 0 && in.Argv[0] != "" {
			i.program(&in, in.Argv[0])
		}
		if i.silent != "" {
			in.trouble(i.silent)
		}
		i.out = append(i.out, in)
	}
}

// local reports a server under our name that the client keeps for single
// folders beside the user's own: it wins over both others.
func (i *inspector) local() {
	w := i.h.Wiring()
	cfg, ok := i.h.MCPFile(host.User, "", i.env)
	if w.MCPLocal == "" || !ok || cfg.Format != "json" {
		return
	}
	d, err := jsonedit.Parse(readFile(cfg.Path).data)
	if err != nil {
		return
	}
	folders, _ := d.At(w.MCPLocal)
	for _, folder := range folders.Keys() {
		place := []any{w.MCPLocal, folder, w.MCPTable, server}
		n, ok := d.At(place...)
		if !ok {
			continue
		}
		o, _ := n.Value().(jsonedit.Object)
		argv, _ := mcpEntry(o)
		in := Installed{Host: i.h.ID(), Scope: host.User, Surface: MCP, Path: cfg.Path, Line: n.Line(), Argv: argv, Command: strings.Join(argv, " "), Folder: folder}
		if !oursMCP(argv) {
			in.Argv = nil
			in.Problem = fmt.Sprintf("%s; it wins over our entry in %s", foreignEntry(argv, strings.Join([]string{w.MCPLocal, folder, w.MCPTable}, ".")), folder)
		} else {
			i.program(&in, i.progs.pathrule)
			in.note(fmt.Sprintf("a second entry, for %s alone, wins over the other there", folder))
		}
		i.out = append(i.out, in)
	}
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
			in.Twice = true
			in.note(fmt.Sprintf("also registered in %s: each event starts two processes, of which one answers", shown(u, env)))
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
	if !rec.uses(i.h.ID()) {
		rec = nil
	}
	// A client that was never set up may have whatever it likes in its files, and
	// the servers of a file that others read as well are theirs.
	shared := len(sharers(i.h, i.scope, i.root, t.cfg.Path, i.env)) > 0
	if !i.wired && rec == nil && (shared || count(i.h, t, f.data) == 0 && !(t.mcp && mentions(f.data))) {
		return
	}
	if !f.exists || f.data == nil {
		if f.why != "" {
			blank.Problem = f.why
			i.out = append(i.out, blank)
		} else if rec != nil {
			blank.Problem = "the file is gone; " + i.again()
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
	switch {
	case err != nil:
		i.out = append(i.out, blank)
	case rec != nil && len(i.out) == start:
		blank.Problem = "was set up, but no entry of ours is left; " + i.again()
		i.out = append(i.out, blank)
	case rec != nil && t.hooks && t.mcp:
		// One file for both: the client may have dropped one of them.
		for _, s := range []string{Hooks, MCP} {
			if !slices.ContainsFunc(i.out[start:], func(in Installed) bool { return in.Surface == s }) {
				blank.Surface, blank.Problem = s, "was set up, but is not there any more; "+i.again()
				i.out = append(i.out, blank)
			}
		}
	}
}

// mentions: a file holds our name somewhere.
func mentions(data []byte) bool { return strings.Contains(string(data), `"`+server+`"`) }

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
			env, _ := o.Get(envKey(i.h.Wiring()))
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
	silent := i.silent
	deaf := unloadable(i.h, d)
	type place struct{ event, matcher string }
	first := map[place]int{}
	now := needsOf(i.env)
	regs := now.regs(i.h)
	for _, k := range own {
		node, _ := d.At(k.path(sh)...)
		in := Installed{
			Host: i.h.ID(), Scope: i.scope, Surface: Hooks, Path: t.cfg.Path, Line: node.Line(),
			Event: k.event, Matcher: k.matcher, Argv: k.argv, Shell: k.shell, Command: strings.Join(k.argv, " "),
		}
		if k.shell {
			in.Command, _ = lineOf(k.body, sh)
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
		case !now.needed(regs[event]):
			in.trouble("nothing approved and no hook needs the event any more; " + i.again())
		case regs[event].Native && !pathRules(i.root, i.env):
			in.trouble("the setting hooks.path_rules is hook, so the event is not needed; " + i.again())
		case reg < 0:
			in.trouble(fmt.Sprintf("the matcher is %q, this version uses %q", k.matcher, regs[event].Matcher))
		case sh.Timeout != "" && in.Timeout == 0:
			in.trouble("no time-out is set, so the client's own long one applies")
		case sh.Timeout != "" && in.Timeout != regs[reg].Timeout:
			in.trouble(timeoutTrouble(in.Timeout, regs[reg].Timeout, sh))
		}
		if reg >= 0 && regs[reg].NameEvent {
			if said := flagValues(k.argv, "--event"); len(said) != 1 || said[0] != k.event {
				in.trouble(fmt.Sprintf("the command does not say that this is %s", k.event))
			}
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
	native := pathRules(i.root, i.env)
	for _, r := range regs {
		if now.needed(r) && (!r.Native || native) && !atEnd(r) && !has(own, r.Event) {
			i.out = append(i.out, Installed{
				Host: i.h.ID(), Scope: i.scope, Surface: Hooks, Path: t.cfg.Path, Event: r.Event, Matcher: r.Matcher,
				Problem: "not registered; " + i.again(),
			})
		}
	}
}

// timeoutTrouble names the unit where somebody took it for another one.
func timeoutTrouble(got, want int, sh host.HookShape) string {
	msg := fmt.Sprintf("the time-out is %d, not %d", got, want)
	switch {
	case sh.Millis && got*1000 == want:
		msg += ": this client counts milliseconds"
	case !sh.Millis && got == want*1000:
		msg += ": this client counts seconds"
	}
	return msg
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
