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
	return importsOf(root, env, func(host.Host) bool { return false })
}

func importsOf(root string, env sysenv.Env, also func(host.Host) bool) []Import {
	home := workspace.DirsOf(env).Home
	user, _ := findPrograms(Options{}, env)
	up := func(h host.Host) bool {
		return also(h) || wired(h, host.User, root, home, user, env) || root != "" && wired(h, host.Project, root, home, bare, env)
	}
	var out []Import
	for _, h := range host.All() {
		f := h.Facts()
		for _, id := range f.Runs {
			r, ok := host.ByName(id)
			if ok && up(h) && up(r) {
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
	for _, i := range importsOf(p.root, p.env, changed) {
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
