package setup

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pathrule/host"
	"pathrule/internal/sysenv"
)

// Some clients take no entry in a shared file but a file of its own: a plugin,
// a script named after its event. Setup makes such a file, brings it up to date
// as long as it is what some setup wrote, and never touches another.

// ownFiles are the files that are wholly ours for a client.
func ownFiles(h host.Host, scope host.Scope, root string, p programs, env sysenv.Env) []host.OwnFile {
	if r, ok := h.(host.Registering); ok {
		return r.OwnFilesFor(registrations(h, env), scope, root, ownArgv(h, scope, p, env), env)
	}
	return h.OwnFiles(scope, root, ownArgv(h, scope, p, env), env)
}

// ownArgv are the words of the hook command for such a file.
func ownArgv(h host.Host, scope host.Scope, p programs, env sysenv.Env) []string {
	return hookArgv(h.ID(), host.Registration{Program: "pathrule-hook"}, p, vars(scope, env))
}

// ownState is what stands in the place of a file of ours.
type ownState int

const (
	ownAbsent  ownState = iota
	ownCurrent          // what setup would write now
	ownOld              // what an earlier setup wrote, untouched
	ownEdited           // names us as its maker, but no setup known here wrote it so
	ownForeign          // somebody else's
)

func ownStateOf(f file, data []byte, rec *record) ownState {
	switch {
	case !f.exists:
		return ownAbsent
	case bytes.Equal(f.data, data) && len(data) > 0:
		return ownCurrent
	case rec != nil && rec.Own && rec.Result == sum(f.data):
		return ownOld
	case namesUs(f.data):
		return ownEdited
	}
	return ownForeign
}

// namesUs reports our provenance line, which stands at the top of every file
// that is wholly ours.
func namesUs(data []byte) bool {
	return bytes.Contains(bytes.ToLower(data[:min(len(data), 512)]), []byte("pathrule"))
}

// own plans the files of a client that are wholly ours.
func (p *planner) own(h host.Host) []Edit {
	var out []Edit
	files := ownFiles(h, p.scope, p.root, p.progs, p.env)
	for _, o := range files {
		f := p.read(o.Path)
		rec := loadRecord(p.home, f.real)
		e := Edit{Host: h.ID(), Scope: p.scope, Path: o.Path, Surface: Hooks, Before: f.data, After: f.data, own: true, exec: o.Exec}
		err := error(nil)
		for _, word := range ownArgv(h, p.scope, p.progs, p.env) {
			err = errors.Join(err, printable(word))
		}
		switch st := ownStateOf(f, o.Data, rec); {
		case err != nil:
			e.refuse(err, h, p.scope, p.env)
		case f.why != "":
			e.refuse(errors.New(f.why), h, p.scope, p.env)
		case st == ownAbsent:
			e.Action, e.After, e.Summary = Create, o.Data, "a file of pathrule's own"
		case st == ownCurrent && o.Exec && !isProgram(f.real, p.env):
			e.Action, e.Summary, e.ours = Update, "made executable", true
		case st == ownCurrent:
			e.Action, e.Summary, e.ours = Keep, "already right", true
		case st == ownOld:
			e.Action, e.After, e.Summary, e.ours = Update, o.Data, "brought up to date", true
		case st == ownEdited && p.o.Force:
			e.Action, e.After, e.Summary = Update, o.Data, "replaced; unsetup gives back what stood there"
		case st == ownEdited:
			e.Action = Refuse
			e.Why = fmt.Sprintf("%s: says that pathrule made it, but no setup on this machine wrote it as it stands: edited by hand, or made by another release; left as it was. Remove it, or replace it with \"pathrule setup %s%s --force\"",
				shown(o.Path, p.env), h.ID(), scopeFlag(p.scope))
		default:
			e.Action = Refuse
			e.Why = fmt.Sprintf("%s: is not pathrule's, and %s takes our hook only under this name; left as it was. Move it away, or add by hand what \"pathrule setup %s --print%s\" shows",
				shown(o.Path, p.env), h.Title(), h.ID(), scopeFlag(p.scope))
		}
		p.plan(f, e)
		out = append(out, e)
	}
	// What an older release wrote under a name that is not used any more goes.
	for _, rec := range ownRecords(p.home, h.ID(), p.scope, p.root) {
		if slices.ContainsFunc(files, func(o host.OwnFile) bool { return p.read(o.Path).real == rec.Path }) {
			continue
		}
		if e, ok := p.dropOwn(h, p.read(rec.Path), &rec); ok {
			out = append(out, e)
		}
	}
	return out
}

// unown plans to take a client's own files away.
func (p *planner) unown(h host.Host) []Edit {
	var out []Edit
	seen := map[string]bool{}
	for _, o := range ownFiles(h, p.scope, p.root, p.progs, p.env) {
		f := p.read(o.Path)
		seen[f.real] = true
		rec := loadRecord(p.home, f.real)
		switch ownStateOf(f, o.Data, rec) {
		case ownCurrent, ownOld:
			if e, ok := p.dropOwn(h, f, rec); ok {
				out = append(out, e)
			}
		case ownEdited:
			out = append(out, Edit{Host: h.ID(), Scope: p.scope, Path: o.Path, Surface: Hooks, Action: Refuse, Before: f.data, After: f.data, own: true, unsets: true,
				Why: shown(o.Path, p.env) + ": was edited since pathrule made it, or made by another release; left as it was. Remove it by hand when you do not need it"})
		}
	}
	for _, rec := range ownRecords(p.home, h.ID(), p.scope, p.root) {
		if f := p.read(rec.Path); !seen[f.real] {
			if e, ok := p.dropOwn(h, f, &rec); ok {
				out = append(out, e)
			}
		}
	}
	return out
}

// dropOwn plans to remove a file that we wrote, or to give back what it
// replaced. ok is false when it is gone or not as we wrote it.
func (p *planner) dropOwn(h host.Host, f file, rec *record) (Edit, bool) {
	if !f.exists || rec != nil && rec.Result != sum(f.data) {
		return Edit{}, false
	}
	e := Edit{Host: h.ID(), Scope: p.scope, Path: f.path, Surface: Hooks, Action: Remove, Before: f.data, own: true, unsets: true, Summary: "our file"}
	if f.why != "" {
		e.refuse(errors.New(f.why), h, p.scope, p.env)
	} else if rec != nil && !rec.Created {
		if orig, err := rec.original(p.home); err == nil {
			e.Action, e.After, e.Summary = Update, orig, "as it was before"
		}
	}
	p.plan(f, e)
	return e, true
}

// ownRecords are the records of a client's own files in a scope, for a project
// those below its root.
func ownRecords(home, id string, scope host.Scope, root string) []record {
	if real, err := filepath.EvalSymlinks(root); err == nil && root != "" {
		root = real
	}
	var out []record
	for _, r := range records(home) {
		if !r.Own || r.Scope != scope || !slices.Contains(r.Hosts, id) {
			continue
		}
		if scope == host.Project && (root == "" || !strings.HasPrefix(r.Path, root+string(filepath.Separator))) {
			continue
		}
		out = append(out, r)
	}
	return out
}
