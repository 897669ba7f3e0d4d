package health

import (
	"bytes"
	"path/filepath"
	"slices"

	"pathrule/compile"
	"pathrule/hookrunner"
	"pathrule/host"
	"pathrule/internal/managed"
	"pathrule/internal/regular"
	"pathrule/internal/sysenv"
	"pathrule/slice"
	"pathrule/workspace"
)

// HighCost is from where on the standing cost of a client is a finding, in
// tokens of every session.
const HighCost = 1500

// Cost is what one client is told in every session, whatever it is about.
type Cost struct {
	Host string `json:"host"`
	// Start are the tokens that the session's start brings.
	Start int `json:"start"`
	// Files are the tokens of compiled files that the client loads always.
	Files int `json:"files"`
}

// Total tokens.
func (c Cost) Total() int { return c.Start + c.Files }

// Costs measures the clients named, as they stand in the table of hosts.
func Costs(ws *workspace.Workspace, env sysenv.Env, hosts []string) []Cost {
	files, _ := compile.ManagedFiles(ws)
	var out []Cost
	for _, h := range host.All() {
		if !slices.Contains(hosts, h.ID()) {
			continue
		}
		c := Cost{Host: h.ID()}
		for _, reg := range host.Standing(h.Registrations()) {
			if reg.Canonical() != host.SessionStart || !reg.Speaks {
				continue
			}
			e := env
			e.Cwd = ws.Root
			e.Stdin = bytes.NewReader(h.Sample(reg, "cost", ws.Root, ws.Root))
			exp, err := hookrunner.Explain(hookrunner.Options{Host: h.ID(), Event: reg.Event}, e)
			if err != nil {
				continue
			}
			start := 0
			for _, p := range exp.Plans {
				start += p.Tokens
			}
			c.Start = max(c.Start, start)
		}
		for _, f := range files {
			if len(f.For) > 0 || !slices.Contains(h.Wiring().Loads, f.Target) {
				continue
			}
			b, err := regular.Read(filepath.Join(ws.Root, filepath.FromSlash(f.Path)))
			if err != nil {
				continue
			}
			if r, err := managed.FindRegion(b); f.Region && err == nil && r.Found {
				b = b[r.From:r.To]
			}
			c.Files += slice.Tokens(string(b))
		}
		out = append(out, c)
	}
	return out
}
