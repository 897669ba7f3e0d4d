package setup

import (
	"fmt"
	"strings"

	"pathrule/host"
	"pathrule/internal/sysenv"
	"pathrule/setup/jsonedit"
	"pathrule/setup/tomledit"
)

func printed(h host.Host, root string, o Options, env sysenv.Env) (string, error) {
	scope, err := scopeOf(o, root)
	if err != nil {
		return "", err
	}
	progs := bare
	if scope != host.Project {
		if progs, err = findPrograms(o, env); err != nil {
			return "", err
		}
	}
	w := h.Wiring()
	var b strings.Builder
	for _, o := range ownFiles(h, scope, root, progs, env) {
		mode := ""
		if o.Exec {
			mode = " (executable)"
		}
		fmt.Fprintf(&b, "# %s: the file %s%s\n%s\n", h.Title(), shown(o.Path, env), mode, strings.TrimRight(string(o.Data), "\n")+"\n")
	}
	for _, t := range targets(h, scope, root, env) {
		h := t.in(h)
		e, err := wantedEntry(h, t, scope, root, progs, env)
		if err != nil {
			return "", fmt.Errorf("%s: %w", h.Title(), err)
		}
		fmt.Fprintf(&b, "# %s: into %s\n", h.Title(), shown(t.cfg.Path, env))
		if t.cfg.Format == "toml" {
			b.WriteString(tomledit.Block([]string{w.MCPTable, server}, tomlKeys(e, w.MCPPass), "\n") + "\n")
			continue
		}
		d, err := jsonedit.Parse(nil)
		if err != nil {
			return "", err
		}
		if t.hooks {
			want, err := wantedHooks(h, scope, o, progs, nil, env)
			if err != nil {
				return "", fmt.Errorf("%s: %w", h.Title(), err)
			}
			if v := h.Shape().Version; v > 0 {
				if err := d.AddMember("version", v); err != nil {
					return "", err
				}
			}
			if _, _, err := mergeHooks(d, h.Shape(), want); err != nil {
				return "", err
			}
		}
		if t.mcp {
			if _, _, err := mergeMCP(d, w.MCPTable, e); err != nil {
				return "", err
			}
		}
		b.Write(d.Bytes())
		b.WriteString("\n")
	}
	for _, line := range []string{w.NoProjectMCP} {
		if line != "" && scope == host.Project {
			b.WriteString("# " + line + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n", nil
}
