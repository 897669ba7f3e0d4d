package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pathrule/hookrunner/ledger"
	"pathrule/host"
	"pathrule/setup"
)

// clients tells three things apart that are easily mixed up: our entries stand
// in the client's files (installed), the client is willing to run them
// (trusted), and it has run them (seen firing).
func (c *check) clients(ctx context.Context) {
	found, err := setup.Inspect(c.root, c.env)
	if err != nil {
		c.add(Bad, "the clients' files cannot be looked at: "+err.Error(), "")
		return
	}
	c.found = found
	any, there := false, false
	named := map[string]bool{}
	for _, h := range host.All() {
		how, here := h.Detect(c.env)
		there = there || here
		var mine []setup.Installed
		for _, i := range found {
			if i.Host == h.ID() {
				mine = append(mine, i)
			}
		}
		switch {
		case len(mine) == 0 && here:
			c.add(Note, h.Title()+" is here ("+how+") and not wired", "pathrule setup "+h.ID())
			continue
		case len(mine) == 0:
			continue
		}
		any, named[h.ID()] = true, true
		c.installed(h, mine, here)
		if hooksOf(mine) {
			c.trusted(ctx, h, mine)
			c.seen(h)
			c.releases(h)
		}
		c.ruleFiles(h)
		c.denies(h)
	}
	served := c.served(named)
	if !any {
		if !served {
			c.unwired(there)
		}
		return
	}
	c.costs()
	c.imports()
	c.startedElsewhere(found)
	if !c.o.Quick {
		c.tryCommands(ctx, found)
	}
}

// ruleFiles: where no hook brings what belongs to a path, rule files do.
func (c *check) ruleFiles(h host.Host) {
	w := h.Wiring()
	tool := slices.ContainsFunc(host.Standing(h.Registrations()), func(r host.Registration) bool {
		n := r.Canonical()
		return r.Speaks && (n == host.PreToolUse || n == host.PostToolUse)
	})
	if c.ws == nil || w.Compile == "" || tool {
		return
	}
	if targets, err := ManagedTargets(c.ws); err == nil && !slices.Contains(targets, w.Compile) {
		c.add(Note, h.Title()+" takes no text for a path from hooks; its rule files carry it, and there are none here", "pathrule compile "+w.Compile)
	}
}

// shown is a path for people: below the home with "~".
func (c *check) shown(path string) string {
	if rel, ok := strings.CutPrefix(path, c.env.UserHome+string(filepath.Separator)); ok && c.env.UserHome != "" {
		return "~/" + filepath.ToSlash(rel)
	}
	return path
}

// served names the clients that start our server from a file of the project that
// several of them read, where none of them has our hooks.
func (c *check) served(named map[string]bool) (any bool) {
	for _, s := range setup.ServedIn(c.root, c.env) {
		var titles, ids, here []string
		for _, h := range s.Hosts {
			titles, ids = append(titles, h.Title()), append(ids, h.ID())
			if _, ok := h.Detect(c.env); ok {
				here = append(here, h.ID())
			}
			if named[h.ID()] {
				ids = nil
				break
			}
		}
		if len(ids) == 0 {
			continue
		}
		any = true
		if len(here) > 0 {
			ids = here
		}
		run := "pathrule setup " + strings.Join(ids, " ") + " --scope project"
		if len(here) == 0 {
			run = "pathrule setup " + ids[0] + " --scope project (or " + strings.Join(ids[1:], ", ") + ")"
		}
		c.at(Warn, s.Path, 0, "starts our MCP server in "+strings.Join(titles, ", ")+", whichever opens this project; no hook of ours stands beside it", run)
		c.next("pathrule setup " + ids[0] + " --scope project")
	}
	return any
}

// unwired says what to do when nothing of ours stands anywhere. setup without a
// name finds nobody on a machine without clients.
func (c *check) unwired(there bool) {
	if there {
		c.add(Warn, "no client is wired", "pathrule setup")
		c.next("pathrule setup")
		return
	}
	if said, run := setup.TracesSaid(setup.Traces(c.root)); said != "" {
		c.add(Warn, "no client is wired, and none was found on this machine; "+said, run)
		c.next(run)
		return
	}
	all := host.All()
	var names []string
	for _, h := range all {
		names = append(names, h.Title())
	}
	one := "pathrule setup " + all[0].ID()
	c.add(Warn, "no client is wired, and none was found on this machine (supported: "+strings.Join(names, ", ")+")",
		one+" wires "+all[0].Title()+" anyway; any other client that speaks MCP: let it start \"pathrule mcp\"")
	c.next(one)
}

func hooksOf(list []setup.Installed) bool {
	return slices.ContainsFunc(list, func(i setup.Installed) bool { return i.Surface == setup.Hooks && i.Command != "" })
}

// foreign: another product's server has our name.
func foreign(i setup.Installed) bool { return strings.Contains(i.Problem, "not this program") }

// installed says what stands in one client's files.
func (c *check) installed(h host.Host, mine []setup.Installed, here bool) {
	var what []string
	for _, i := range mine {
		if i.Command == "" || foreign(i) {
			continue
		}
		if w := i.Surface + " in " + c.shown(i.Path); !slices.Contains(what, w) {
			what = append(what, w)
		}
	}
	if len(what) > 0 {
		c.add(OK, h.Title()+" installed: "+strings.Join(what, ", "), "")
	}
	// A file that setup refused holds nothing of ours, so that only what stands
	// in the others tells of it.
	has := func(surface string) bool {
		return slices.ContainsFunc(mine, func(i setup.Installed) bool { return i.Surface == surface })
	}
	if w := h.Wiring(); w.MCPTable != "" && has(setup.Hooks) && !has(setup.MCP) {
		remedy := "pathrule setup " + h.ID()
		if i := mine[slices.IndexFunc(mine, func(i setup.Installed) bool { return i.Surface == setup.Hooks })]; i.Scope == host.Project {
			// A second scope is refused, so where the client has no server file
			// in a project the entry is added by hand.
			if _, ok := h.MCPFile(host.Project, c.root, c.env); ok {
				remedy += " --scope project"
			} else {
				remedy += " --print shows the server to add by hand"
			}
		}
		c.add(Note, h.Title()+" has our hooks but not our MCP server: the assistant cannot ask for more, nor write", remedy)
	}
	if !here {
		c.add(Note, h.Title()+" itself was not found on this machine", "")
	}
	said := map[string]bool{}
	for _, i := range mine {
		if i.Problem != "" && !said[i.Path+i.Problem] {
			said[i.Path+i.Problem] = true
			remedy, next := remedyOf(h, i)
			c.next(next)
			c.at(Bad, i.Path, i.Line, h.Title()+": "+i.Problem, remedy)
		}
		if i.Note != "" && !said[i.Path+i.Note] {
			said[i.Path+i.Note] = true
			remedy := ""
			if i.Twice {
				remedy = "pathrule unsetup " + h.ID() + " --scope " + string(i.Scope)
			}
			c.at(Note, i.Path, i.Line, h.Title()+": "+i.Note, remedy)
		}
		if len(i.Argv) > 0 && filepath.IsAbs(i.Argv[0]) && !runnable(i.Argv[0]) && i.Problem == "" {
			c.at(Bad, i.Path, i.Line, fmt.Sprintf("%s: the %s entry starts %s, which is not there", h.Title(), i.Surface, i.Argv[0]), "pathrule repair")
			c.next("pathrule repair")
		}
	}
}

// remedyOf is what helps against a problem of an entry, and the command to run.
func remedyOf(h host.Host, i setup.Installed) (remedy, next string) {
	again := "pathrule doctor, when " + i.Path + " is mended"
	switch {
	case i.Folder != "":
		return "take it out in " + i.Folder + " by the client's own means; our entry for all folders stays", again
	case strings.Contains(i.Problem, "--force"), foreign(i), strings.HasPrefix(i.Problem, "the file ") && !i.Own, strings.Contains(i.Problem, "move it away"):
		return "", again // what to do in the file stands there too
	case strings.Contains(i.Problem, "switched off"):
		return "set it in the file named, when the hooks are to run", again
	case i.Command == "" && !strings.Contains(i.Problem, "run \"pathrule"):
		return "mend the file, then: pathrule repair", again
	}
	return "pathrule repair", "pathrule repair"
}

// imports names clients that run another's hooks as well.
func (c *check) imports() {
	for _, i := range setup.Imports(c.root, c.env) {
		c.add(Note, i.Host.Title()+" also runs the hooks of "+i.Runs.Title()+": each event starts two processes, of which one answers", i.Off)
	}
}

// seen says when the client last ran a hook of ours, from the receipts.
func (c *check) seen(h host.Host) {
	ws := ""
	if c.ws != nil {
		ws = ledger.Root(c.ws)
	}
	var last ledger.Receipt
	var events []string
	for _, r := range (ledger.Store{Dir: c.dirs.State, Now: c.env.Now}).Seen(ws) {
		if r.Host != h.ID() {
			continue
		}
		events = append(events, r.Event)
		if r.At.After(last.At) {
			last = r
		}
	}
	if last.At.IsZero() {
		c.add(Note, h.Title()+" has not been seen firing a hook here yet", "start "+h.Title()+" in this folder and send a prompt")
		return
	}
	c.add(OK, fmt.Sprintf("%s seen firing: %s %s ago (so far: %s)", h.Title(), last.Event, ago(c.env.Now().Sub(last.At)), strings.Join(events, ", ")), "")
}

// releases names the first release that shows each event's text to the model,
// for the events that older ones drop without a word. No payload tells which
// release runs, so it is for the person to compare.
func (c *check) releases(h host.Host) {
	var from []string
	for _, s := range h.Facts().Since {
		from = append(from, s.Event+" ("+s.Version+")")
	}
	if len(from) > 0 {
		c.add(Note, h.Title()+" shows its model what hooks say from these releases on: "+strings.Join(from, "; "), "update "+h.Title()+" if it is older")
	}
}

func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// startedElsewhere: some clients read project files only from the folder in
// which they are started.
func (c *check) startedElsewhere(found []setup.Installed) {
	if c.root == "" || sameFolder(c.env.Cwd, c.root) {
		return
	}
	for _, h := range host.All() {
		if !h.Wiring().RootOnly {
			continue
		}
		project, user := false, false
		for _, i := range found {
			if i.Host == h.ID() && i.Surface == setup.Hooks && i.Command != "" {
				project = project || i.Scope == host.Project
				user = user || i.Scope == host.User
			}
		}
		if project && !user {
			c.add(Warn, h.Title()+" reads project hooks only when it is started in "+c.root+", and this is a subfolder",
				"start it there, or: pathrule setup "+h.ID()+" --scope user --force")
		}
	}
}

func sameFolder(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}
