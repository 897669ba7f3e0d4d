package setup

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"pathrule/host"
	"pathrule/internal/sysenv"
	"pathrule/setup/jsonedit"
	"pathrule/setup/tomledit"
	"pathrule/workspace"
)

func planUnsetup(hosts []host.Host, root string, o Options, env sysenv.Env) (Plan, error) {
	scope, err := scopeOf(o, root)
	if err != nil {
		return Plan{}, err
	}
	home := workspace.DirsOf(env).Home
	var p Plan
	for _, h := range hosts {
		gone := false
		for _, t := range targets(h, scope, root, env) {
			f := readFile(t.cfg.Path)
			if !f.exists {
				continue
			}
			e := Edit{Host: h.ID(), Scope: scope, Path: t.cfg.Path, Surface: t.surface(), Before: f.data, After: f.data, unsets: true}
			switch err := e.unmerge(h, t, f, home); {
			case err != nil:
				e.refuse(err, h, scope, env)
			case e.After == nil:
				e.Action = Remove
			case bytes.Equal(e.Before, e.After):
				e.Action, e.Summary = Keep, "nothing of ours"
			default:
				e.Action = Update
			}
			gone = gone || e.Action == Update || e.Action == Remove
			p.Edits = append(p.Edits, e)
		}
		if gone && h.Wiring().Reload != "" {
			p.Next = append(p.Next, fmt.Sprintf("Running %s sessions keep the MCP server until they end.", h.Title()))
		}
	}
	return p, nil
}

// unmerge computes e.After for unsetup: the original bytes when nobody touched
// the file since, else the file less our entries.
func (e *Edit) unmerge(h host.Host, t target, f file, home string) error {
	if f.data == nil {
		return errors.New(f.why)
	}
	rec := loadRecord(home, f.real)
	prune := func(string) bool { return true }
	if rec != nil && !rec.MadeUnknown {
		prune = func(path string) bool {
			for _, m := range rec.Made {
				if m == path {
					return true
				}
			}
			return false
		}
	}
	w := h.Wiring()
	n := 0
	var after []byte
	var empty bool
	if t.cfg.Format == "toml" {
		d, err := tomledit.Parse(f.data)
		if err != nil {
			return err
		}
		ok, err := dropTOML(d, w.MCPTable)
		if err != nil {
			return err
		}
		if ok {
			n++
		}
		after, empty = d.Bytes(), len(d.Value()) == 0 && len(d.Comments()) == 0
		if err := verifyTOML(f.data, after, w.MCPTable); err != nil {
			return err
		}
	} else {
		d, err := jsonedit.Parse(f.data)
		if err != nil {
			return err
		}
		if t.hooks {
			gone := ownHooks(d.Root().Value(), h.Shape())
			n += len(gone)
			if err := dropHooks(d, h.Shape(), gone, prune); err != nil {
				return err
			}
		}
		if t.mcp {
			ok, err := dropMCP(d, w.MCPTable, prune)
			if err != nil {
				return err
			}
			if ok {
				n++
			}
		}
		if h.Shape().Version > 0 && n > 0 && rec != nil && prune("version") && len(d.Root().Keys()) == 1 {
			if err := d.Remove("version"); err != nil {
				return err
			}
		}
		after, empty = d.Bytes(), len(d.Root().Keys()) == 0 && len(d.Comments()) == 0
		if err := verifyJSON(f.data, after, h); err != nil {
			return err
		}
	}
	if n == 0 {
		return nil
	}
	if f.why != "" {
		return errors.New(f.why)
	}
	one, many := "hook", "hooks"
	if e.Surface == MCP {
		one, many = "MCP server", "MCP servers"
	}
	e.Summary = summary(one, many, tally{removed: n})
	e.Summary = strings.Replace(e.Summary, " (stale or double)", "", 1)
	if rec != nil && rec.Exact && rec.Result == sum(f.data) {
		orig, err := rec.original(home)
		if err == nil {
			e.After = orig
			return nil
		}
		// Without the copy the entries can still be taken out.
	}
	if rec != nil && rec.Created && empty {
		e.After = nil
		return nil
	}
	e.After = after
	return nil
}
