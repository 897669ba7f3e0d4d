package setup

import (
	"fmt"
	"slices"

	"pathrule/host"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// Import is a client that runs another's hook files as well, both being set up:
// each event starts two processes, of which one answers.
type Import struct {
	Host, Runs host.Host
	Off        string // the setting that stops it, "" for none
}

// Imports are the double runs for a project root ("": user scope alone).
func Imports(root string, env sysenv.Env) []Import {
	return importsOf(root, env, func(host.Host, host.Scope) bool { return false })
}

// importsOf takes what also says for set up, beside what is.
func importsOf(root string, env sysenv.Env, also func(host.Host, host.Scope) bool) []Import {
	home := workspace.DirsOf(env).Home
	user, _ := findPrograms(Options{}, env)
	up := func(h host.Host, in ...host.Scope) bool {
		return slices.ContainsFunc(in, func(s host.Scope) bool {
			if s == host.Project {
				return also(h, s) || root != "" && wired(h, s, root, home, bare, env)
			}
			return also(h, s) || wired(h, s, root, home, user, env)
		})
	}
	var out []Import
	for _, h := range host.All() {
		f := h.Facts()
		theirs := []host.Scope{host.User, host.Project}
		if f.RunsProject {
			theirs = theirs[1:]
		}
		for _, id := range f.Runs {
			r, ok := host.ByName(id)
			if ok && up(h, host.User, host.Project) && up(r, theirs...) {
				out = append(out, Import{h, r, f.Off})
			}
		}
	}
	return out
}

// imports are lines about double runs that a plan brings about.
func (p *planner) imports(hosts []host.Host, edits []Edit) []string {
	changed := func(h host.Host) bool {
		return slices.ContainsFunc(edits, func(e Edit) bool {
			return e.Host == h.ID() && e.Surface != MCP && (e.Action == Create || e.Action == Update)
		})
	}
	var out []string
	for _, i := range importsOf(p.root, p.env, func(h host.Host, s host.Scope) bool { return s == p.scope && changed(h) }) {
		if !changed(i.Host) && !changed(i.Runs) {
			continue
		}
		line := fmt.Sprintf("%s also runs the hooks of %s. Both start at each event, and one of them answers.", i.Host.Title(), i.Runs.Title())
		if i.Off != "" {
			line += fmt.Sprintf(" The switch: %s.", i.Off)
		}
		out = append(out, line)
	}
	return out
}
