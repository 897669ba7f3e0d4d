package doctor

import (
	"slices"
	"strings"

	"pathrule/compile"
	"pathrule/host"
	"pathrule/internal/sysenv"
	"pathrule/setup"
	"pathrule/workspace"
)

// ManagedTargets are the compile targets that .pathrule/managed.json holds
// files of, in documentation order. The error says what is wrong with that file.
func ManagedTargets(ws *workspace.Workspace) ([]string, error) {
	files, err := compile.ManagedFiles(ws)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, t := range compile.Targets() {
		if slices.ContainsFunc(files, func(f compile.Managed) bool { return f.Target == t }) {
			out = append(out, t)
		}
	}
	return out, nil
}

// Hooks say which clients really get their knowledge from a hook here.
type Hooks struct {
	// Hosts are the ids of clients with a sound registration that speaks.
	Hosts []string
	// Whole: instruction files stay whole all the same (PATHRULE_SIGNATURE_MODE).
	Whole bool
	// PathRules is the setting hooks.path_rules.
	PathRules string
}

// FindHooks looks at the registrations of all clients, and at what silences them.
func FindHooks(ws *workspace.Workspace, env sysenv.Env) (Hooks, error) {
	var h Hooks
	switch strings.ToLower(strings.TrimSpace(env.Get("PATHRULE_SIGNATURE_MODE"))) {
	case "off", "0", "false", "no":
		h.Whole = true
	}
	dirs := workspace.DirsOf(env)
	settings, _, _ := workspace.LoadSettings(ws, dirs, env)
	h.PathRules = settings.PathRules
	// In these modes, and with the kill switch, no hook brings what a task needs.
	if dirs.Killed(env) || settings.Mode != "auto" && settings.Mode != "always" {
		return h, nil
	}
	found, err := setup.Inspect(ws.Root, env)
	if err != nil {
		return h, err
	}
	for _, in := range found {
		c, ok := host.ByName(in.Host)
		if !ok || in.Command == "" || in.Problem != "" || !strings.Contains(in.Surface, setup.Hooks) || slices.Contains(h.Hosts, in.Host) {
			continue
		}
		if slices.ContainsFunc(c.Registrations(), func(r host.Registration) bool { return r.Event == in.Event && r.Speaks }) {
			h.Hosts = append(h.Hosts, in.Host)
		}
	}
	return h, nil
}

// CompileOptions are the options of a target for a machine with these hooks.
func (h Hooks) CompileOptions(target string) compile.Options {
	o := compile.Options{Target: target}
	for _, t := range compile.Describe() {
		if t.Name == target {
			o.Hooked = !h.Whole && t.Host != "" && slices.Contains(h.Hosts, t.Host)
		}
	}
	o.PathFiles = target == ClaudeRules && h.native()
	return o
}

// ClaudeRules is the target of Claude Code's own path rules.
const ClaudeRules = "claude-rules"

func (h Hooks) native() bool { return h.PathRules == "native" || h.PathRules == "both" }

// Native reports that Claude Code is set up and the user lets it load path rules
// by itself, so that they have to be compiled.
func (h Hooks) Native() bool { return h.native() && slices.Contains(h.Hosts, "claude-code") }
