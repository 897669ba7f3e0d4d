package setup

import (
	"fmt"
	"path/filepath"
	"strings"

	"pathrule/host"
	"pathrule/setup/jsonedit"
	"pathrule/setup/tomledit"
)

// switchedOff says which setting silences all hooks of the client, "" for
// none. A switch in either scope counts for both.
func (i *inspector) switchedOff() string {
	for _, s := range []host.Scope{host.User, host.Project} {
		if s == host.Project && i.root == "" {
			continue
		}
		for _, sw := range i.h.Wiring().Off {
			cfg, ok := i.h.HookFile(s, i.root, i.env)
			if !ok {
				// The switch of a client whose hooks are files of our own is found
				// from those.
				for _, o := range ownFiles(i.h, s, i.root, i.progs, i.env) {
					cfg, ok = host.ConfigFile{Path: o.Path, Format: "json"}, sw.File != Hooks
					break
				}
			}
			if sw.File == MCP {
				cfg, ok = i.h.MCPFile(s, i.root, i.env)
			} else if ok && sw.File != Hooks {
				cfg.Path = filepath.Join(filepath.Dir(cfg.Path), sw.File)
			}
			if !ok {
				continue
			}
			if line, off := offAt(cfg, sw); off {
				return fmt.Sprintf("hooks are switched off: %s is %v in %s:%d", strings.Join(sw.Path, "."), sw.Off, shown(cfg.Path, i.env), line)
			}
		}
		if cfg, ok := i.h.HookFile(s, i.root, i.env); ok {
			for _, l := range i.h.Wiring().OffNames {
				if line, off := listedAt(cfg, l); off {
					return fmt.Sprintf("our hooks are switched off: %s names %q in %s:%d", strings.Join(l.Path, "."), l.Name, shown(cfg.Path, i.env), line)
				}
			}
		}
	}
	return ""
}

func offAt(cfg host.ConfigFile, sw host.Switch) (int, bool) {
	data := readFile(cfg.Path).data
	if data == nil {
		return 0, false
	}
	if cfg.Format == "toml" {
		d, err := tomledit.Parse(data)
		if err != nil {
			return 0, false
		}
		return d.Line(sw.Path...), d.At(sw.Path...) == sw.Off
	}
	d, err := jsonedit.Parse(data)
	if err != nil {
		return 0, false
	}
	path := make([]any, len(sw.Path))
	for i, p := range sw.Path {
		path[i] = p
	}
	n, ok := d.At(path...)
	if !ok {
		return 0, false
	}
	return n.Line(), n.Value() == any(sw.Off)
}

// listedAt reports whether a list of a JSON file holds the name, and where.
func listedAt(cfg host.ConfigFile, l host.NameList) (int, bool) {
	d, err := jsonedit.Parse(readFile(cfg.Path).data)
	if err != nil {
		return 0, false
	}
	path := make([]any, len(l.Path))
	for i, p := range l.Path {
		path[i] = p
	}
	n, ok := d.At(path...)
	if !ok {
		return 0, false
	}
	list, _ := plain(n.Value()).([]any)
	for _, e := range list {
		if e == any(l.Name) {
			return n.Line(), true
		}
	}
	return 0, false
}

// below: dir lies below root, and is not root itself.
func below(dir, root string) bool {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	rel, err := filepath.Rel(root, dir)
	return err == nil && rel != "." && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
