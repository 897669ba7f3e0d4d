package setup

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"pathrule/host"
	"pathrule/internal/rawjson"
	"pathrule/internal/sysenv"
	"pathrule/setup/jsonedit"
	"pathrule/setup/tomledit"
	"pathrule/workspace"
)

func planSetup(hosts []host.Host, root string, o Options, env sysenv.Env) (Plan, error) {
	scope, err := scopeOf(o, root)
	if err != nil {
		return Plan{}, err
	}
	progs := bare
	if scope != host.Project {
		if progs, err = findPrograms(o, env); err != nil {
			return Plan{}, err
		}
	}
	p := planner{scope: scope, root: root, o: o, progs: progs, env: env, home: workspace.DirsOf(env).Home, files: map[string]file{}}
	var plan Plan
	for _, h := range hosts {
		if why := p.secondScope(h); why != "" {
			plan.Edits = append(plan.Edits, p.refusedAll(h, why)...)
			continue
		}
		edits := p.host(h)
		plan.Edits = append(plan.Edits, edits...)
		plan.Next = append(plan.Next, nextLines(h, scope, root, edits, env)...)
	}
	plan.Next = append(plan.Next, p.imports(hosts, plan.Edits)...)
	if scope == host.Project && plan.Changes() {
		plan.Next = append(plan.Next, teamLines(hosts, plan.Edits)...)
		plan.Next = append(plan.Next, p.shortPath()...)
	}
	return plan, nil
}

// planner plans for one scope. Several clients keep entries in one file: each
// of them finds it as the plan so far leaves it.
type planner struct {
	scope host.Scope
	root  string
	o     Options
	progs programs
	env   sysenv.Env
	home  string
	files map[string]file // by real path
}

func (p *planner) read(path string) file {
	f := readFile(path)
	if planned, ok := p.files[f.real]; ok {
		planned.path = path
		return planned
	}
	return f
}

// plan takes an edit down as done.
func (p *planner) plan(f file, e Edit) {
	if e.Action == Create || e.Action == Update || e.Action == Remove {
		f.data, f.exists = e.After, e.After != nil
		p.files[f.real] = f
	}
}

func scopeOf(o Options, root string) (host.Scope, error) {
	switch o.Scope {
	case "", host.User:
		return host.User, nil
	case host.Project:
		if root == "" {
			return "", errors.New(`project scope needs a project; run "pathrule init" in its root first`)
		}
		return host.Project, nil
	}
	return "", fmt.Errorf("unknown scope %q", o.Scope)
}

// target is one file of a client with the surfaces that stand in it.
type target struct {
	cfg        host.ConfigFile
	hooks, mcp bool
}

// in is the client with the shape that its hooks have in this file.
func (t target) in(h host.Host) host.Host {
	if t.cfg.Key == "" {
		return h
	}
	return inFile{h, t.cfg}
}

type inFile struct {
	host.Host
	cfg host.ConfigFile
}

func (f inFile) Shape() host.HookShape { return f.Host.Shape().In(f.cfg) }

func (t target) surface() string {
	switch {
	case t.hooks && t.mcp:
		return Hooks + "+" + MCP
	case t.hooks:
		return Hooks
	}
	return MCP
}

// targets are the files of a client for a scope; a client may keep hooks and
// servers in one.
func targets(h host.Host, scope host.Scope, root string, env sysenv.Env) []target {
	var out []target
	if len(registrations(h, env)) > 0 {
		if cfg, ok := h.HookFile(scope, root, env); ok {
			out = append(out, target{cfg: cfg, hooks: true})
		}
	}
	if cfg, ok := h.MCPFile(scope, root, env); ok {
		if len(out) > 0 && out[0].cfg.Path == cfg.Path {
			out[0].mcp = true
		} else {
			out = append(out, target{cfg: cfg, mcp: true})
		}
	}
	return out
}

// secondScope says which file of the other scope holds hooks or the server
// already; each event would start two processes.
func (p *planner) secondScope(h host.Host) string {
	if p.o.Force || p.o.Refresh || p.root == "" {
		return ""
	}
	here := map[string]bool{}
	for _, place := range places(h, p.scope, p.root, p.home, p.progs, p.env) {
		here[place.real] = true
		if place.ours {
			return "" // there already: this is a refresh
		}
	}
	for _, place := range places(h, other(p.scope), p.root, p.home, p.progs, p.env) {
		if place.ours && !here[place.real] {
			return fmt.Sprintf(`is set up already in %s scope (%s); take it out there first ("pathrule unsetup %s --scope %s"), or have both with --force`,
				other(p.scope), shown(place.path, p.env), h.ID(), other(p.scope))
		}
	}
	return ""
}

// place is a file that shows whether a client is set up: one with its hooks, or
// with the server for a client that has no hooks of ours.
type place struct {
	path, real string
	ours       bool
}

func places(h host.Host, scope host.Scope, root, home string, progs programs, env sysenv.Env) []place {
	var out []place
	ts := targets(h, scope, root, env)
	own := ownFiles(h, scope, root, progs, env)
	hooked := len(own) > 0
	for _, t := range ts {
		hooked = hooked || t.hooks
	}
	for _, t := range ts {
		if hooked && !t.hooks {
			continue
		}
		f := readFile(t.cfg.Path)
		t.mcp = t.mcp && !hooked
		out = append(out, place{f.path, f.real, count(h, t, f.data) > 0})
	}
	// A file that names us and is not as we write it may be another release's, in
	// a clone; or somebody took it over, and it is his.
	served := func() bool {
		for _, t := range ts {
			if t.mcp && len(sharers(h, scope, root, t.cfg.Path, env)) == 0 && count(h, target{cfg: t.cfg, mcp: true}, readFile(t.cfg.Path).data) > 0 {
				return true
			}
		}
		return false
	}
	for _, o := range own {
		f := readFile(o.Path)
		rec := loadRecord(home, f.real)
		st := ownStateOf(f, o.Data, rec)
		out = append(out, place{f.path, f.real, st == ownCurrent || st == ownOld || st == ownEdited && (rec != nil || served())})
	}
	return out
}

// wired reports whether a client is set up in a scope.
func wired(h host.Host, scope host.Scope, root, home string, progs programs, env sysenv.Env) bool {
	for _, p := range places(h, scope, root, home, progs, env) {
		if p.ours {
			return true
		}
	}
	return false
}

// sharers are the other clients that read their servers from the same file.
func sharers(h host.Host, scope host.Scope, root string, path string, env sysenv.Env) []host.Host {
	var out []host.Host
	for _, o := range host.All() {
		if o.ID() == h.ID() {
			continue
		}
		if cfg, ok := o.MCPFile(scope, root, env); ok && cfg.Path == path {
			out = append(out, o)
		}
	}
	return out
}

// count is how many entries of ours a file holds; 0 for an unreadable one.
func count(h host.Host, t target, data []byte) int {
	h = t.in(h)
	if data == nil {
		return 0
	}
	n := 0
	if t.cfg.Format == "toml" {
		if d, err := tomledit.Parse(data); err == nil {
			if argv, _ := mcpEntry(d.At(h.Wiring().MCPTable, server)); oursMCP(argv) {
				n++
			}
		}
		return n
	}
	d, err := jsonedit.Parse(data)
	if err != nil {
		return 0
	}
	root := d.Root().Value()
	if t.hooks {
		n += len(ownHooks(root, h.Shape()))
	}
	if t.mcp {
		if e, ok := jsonServer(root, h.Wiring().MCPTable); ok {
			if argv, _ := mcpEntry(e); oursMCP(argv) {
				n++
			}
		}
	}
	return n
}

func (p *planner) refusedAll(h host.Host, why string) []Edit {
	var out []Edit
	refuse := func(path, surface string) {
		f := readFile(path)
		out = append(out, Edit{Host: h.ID(), Scope: p.scope, Path: path, Surface: surface, Action: Refuse, Why: h.Title() + " " + why, Before: f.data, After: f.data})
	}
	for _, o := range ownFiles(h, p.scope, p.root, p.progs, p.env) {
		refuse(o.Path, Hooks)
	}
	for _, t := range targets(h, p.scope, p.root, p.env) {
		refuse(t.cfg.Path, t.surface())
	}
	return out
}

// host plans the edits of one client.
func (p *planner) host(h host.Host) []Edit {
	out := p.own(h)
	for _, t := range targets(h, p.scope, p.root, p.env) {
		h := t.in(h)
		f := p.read(t.cfg.Path)
		e := Edit{Host: h.ID(), Scope: p.scope, Path: t.cfg.Path, Surface: t.surface(), Before: f.data, After: f.data, ours: count(h, t, f.data) > 0}
		err := error(nil)
		if f.why != "" {
			err = errors.New(f.why)
		} else {
			err = e.merge(h, t, p.scope, p.root, p.o, p.progs, p.env)
		}
		switch {
		case err != nil:
			e.refuse(err, h, p.scope, p.env)
		case !f.exists:
			e.Action = Create
		case bytes.Equal(e.Before, e.After):
			e.Action = Keep
		default:
			e.Action = Update
		}
		p.plan(f, e)
		out = append(out, e)
	}
	return out
}

// refuse turns an edit into a refusal that names file, line and remedy.
func (e *Edit) refuse(err error, h host.Host, scope host.Scope, env sysenv.Env) {
	e.Action, e.After = Refuse, e.Before
	at := shown(e.Path, env)
	var je *jsonedit.Error
	var te *tomledit.Error
	switch {
	case errors.As(err, &je):
		at, err = fmt.Sprintf("%s:%d", at, je.Line), errors.New(je.Msg)
	case errors.As(err, &te):
		at, err = fmt.Sprintf("%s:%d", at, te.Line), errors.New(te.Msg)
	}
	e.Why = fmt.Sprintf("%s: %v; left as it was. Mend it, or add by hand what \"pathrule setup %s --print%s\" shows", at, err, h.ID(), scopeFlag(scope))
	if e.unsets {
		e.Why = fmt.Sprintf("%s: %v; left as it was. Mend it, or take our entries out by hand", at, err)
	}
}

func scopeFlag(s host.Scope) string {
	if s == host.Project {
		return " --scope project"
	}
	return ""
}

// merge computes e.After for setup.
func (e *Edit) merge(h host.Host, t target, scope host.Scope, root string, o Options, progs programs, env sysenv.Env) error {
	e.After = e.Before
	server, err := wantedEntry(h, t, scope, root, progs, env)
	if err != nil {
		return err
	}
	w := h.Wiring()
	if t.cfg.Format == "toml" {
		d, err := tomledit.Parse(e.Before)
		if err != nil {
			return err
		}
		n, err := mergeTOML(d, w.MCPTable, w.MCPPass, server)
		if err != nil {
			return err
		}
		e.Summary = summary("MCP server", "MCP servers", n)
		if n.added+n.updated+n.removed > 0 {
			e.After = d.Bytes()
		}
		return verifyTOML(e.Before, e.After, w.MCPTable)
	}
	d, err := jsonedit.Parse(e.Before)
	if err != nil {
		return err
	}
	if d.Root().Kind() != '{' {
		return &jsonedit.Error{Line: d.Root().Line(), Msg: "the top value is " + rawjson.KindName(byte(d.Root().Kind())) + ", not an object"}
	}
	var said []string
	var all tally
	if t.hooks {
		if err := checkHooks(d, h); err != nil {
			return err
		}
		want, err := wantedHooks(h, scope, o, progs, ownHooks(d.Root().Value(), h.Shape()), env)
		if err != nil {
			return err
		}
		if v := h.Shape().Version; v > 0 {
			if _, ok := d.Root().Get("version"); !ok {
				e.made = append(e.made, "version")
				if err := d.AddMember("version", v); err != nil {
					return err
				}
			}
		}
		n, made, err := mergeHooks(d, h.Shape(), want)
		if err != nil {
			return err
		}
		all.add(n)
		e.made = append(e.made, made...)
		said = append(said, summary("hook", "hooks", n))
	}
	if t.mcp {
		n, made, err := mergeMCP(d, w.MCPTable, server)
		if err != nil {
			return err
		}
		all.add(n)
		e.made = append(e.made, made...)
		said = append(said, summary("MCP server", "MCP servers", n))
	}
	e.Summary = strings.Join(said, ", ")
	if all.added+all.updated+all.removed > 0 {
		e.After = d.Bytes()
	}
	return verifyJSON(e.Before, e.After, h, t)
}

// wantedHooks are the registrations of a client with their handlers. The hook
// at the end of a session is opt-in; one that is there stays.
func wantedHooks(h host.Host, scope host.Scope, o Options, progs programs, own []hook, env sysenv.Env) ([]wanted, error) {
	native := pathRules(o.root, env)
	var out []wanted
	for _, r := range registrations(h, env) {
		if r.Native && !native {
			continue
		}
		if atEnd(r) && !o.SessionEnd && !has(own, r.Event) {
			continue
		}
		body, err := handler(h, r, scope, progs, env)
		if err != nil {
			return nil, err
		}
		out = append(out, wanted{event: r.Event, matcher: r.Matcher, body: body})
	}
	return out, nil
}

// pathRules reports that the user lets a client load path rules by itself, so
// that we have to hear of it.
func pathRules(root string, env sysenv.Env) bool {
	var ws *workspace.Workspace
	if root != "" {
		ws, _ = workspace.Find(root, env)
	}
	s, _, _ := workspace.LoadSettings(ws, workspace.DirsOf(env), env)
	return s.PathRules == "native" || s.PathRules == "both"
}

// atEnd: the hook at the end of a session, which a person asks for.
func atEnd(r host.Registration) bool { return r.Canonical() == host.SessionEnd && !r.Hook }

func has(own []hook, event string) bool {
	for _, k := range own {
		if k.event == event {
			return true
		}
	}
	return false
}

func summary(one, many string, t tally) string {
	var out []string
	for _, p := range []struct {
		n    int
		what string
	}{{t.added, "added"}, {t.updated, "brought up to date"}, {t.removed, "taken out (stale or double)"}, {t.kept, "already right"}} {
		if p.n == 1 {
			out = append(out, fmt.Sprintf("1 %s %s", one, p.what))
		} else if p.n > 1 {
			out = append(out, fmt.Sprintf("%d %s %s", p.n, many, p.what))
		}
	}
	return strings.Join(out, ", ")
}
