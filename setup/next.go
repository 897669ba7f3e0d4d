package setup

import (
	"fmt"
	"slices"
	"strings"

	"pathrule/host"
	"pathrule/internal/sysenv"
	"pathrule/setup/jsonedit"
)

// nextLines are what the person must know or do after a client's edits.
func nextLines(h host.Host, scope host.Scope, root string, edits []Edit, env sysenv.Env) []string {
	w := h.Wiring()
	var out []string
	changed := false
	for _, e := range edits {
		changed = changed || e.Action == Create || e.Action == Update
		if e.Surface != MCP && e.Action != Refuse && !e.own {
			for _, t := range targets(h, scope, root, env) {
				if t.cfg.Path == e.Path {
					out = append(out, unread(t.in(h), e, env)...)
				}
			}
			if w.Trust && e.Action != Keep {
				n := trustCount(h, e)
				out = append(out, fmt.Sprintf(`%s runs no hook before you have trusted it: start it, type /hooks, and trust the %s in %s ("pathrule doctor" tells when that is done).`,
					h.Title(), countOf(n, "new or changed pathrule hook"), shown(e.Path, env)))
				if scope == host.Project {
					out = append(out, fmt.Sprintf("%s reads a project's files only when the project is trusted: answer its question at the first start there. Every teammate does both once.", h.Title()))
				}
			}
		}
	}
	if w.NoProjectMCP != "" && scope == host.Project {
		out = append(out, w.NoProjectMCP)
	}
	if w.RootOnly && scope == host.Project {
		out = append(out, fmt.Sprintf("%s loads a project's hooks only when it is started in the project's root; the user scope also works from subfolders.", h.Title()))
	}
	if changed && w.TrustNote != "" {
		out = append(out, w.TrustNote)
	}
	if w.Compile != "" && !hasHooks(h) {
		out = append(out, fmt.Sprintf("%s takes no text from hooks: run \"pathrule compile %s\" in the project, its rule files carry the knowledge.", h.Title(), w.Compile))
	} else if w.Compile != "" && !speaksAtTools(h) {
		out = append(out, fmt.Sprintf("%s takes no text for a path from hooks: run \"pathrule compile %s\" in the project, its rule files carry that.", h.Title(), w.Compile))
	}
	if changed && w.Reload != "" {
		out = append(out, w.Reload)
	}
	return out
}

// speaksAtTools: what belongs to a path reaches the model when a tool touches it.
func speaksAtTools(h host.Host) bool {
	return slices.ContainsFunc(host.Standing(h.Registrations()), func(r host.Registration) bool {
		n := r.Canonical()
		return r.Speaks && (n == host.PreToolUse || n == host.PostToolUse)
	})
}

// unread warns of a file that the client does not load as it stands.
func unread(h host.Host, e Edit, env sysenv.Env) []string {
	d, err := jsonedit.Parse(e.After)
	if err != nil {
		return nil
	}
	if why := unloadable(h, d); why != "" {
		return []string{fmt.Sprintf("%s %s", shown(e.Path, env), why)}
	}
	return nil
}

// unloadable says why a client does not load a hook file that we can read.
func unloadable(h host.Host, d *jsonedit.Doc) string {
	w := h.Wiring()
	if line := d.NotPlain(); w.Plain && line > 0 {
		return fmt.Sprintf("has a comment or a trailing comma (line %d): %s does not load such a file at all; take it out", line, h.Title())
	}
	if w.Events != nil {
		for _, ev := range eventsOf(d.Root().Value(), h.Shape()) {
			if !slices.Contains(w.Events, ev.Key) {
				n, _ := d.At(at(h.Shape(), ev.Key)...)
				return fmt.Sprintf("has the event %q (line %d), which %s does not know: it does not load such a file at all; take it out", ev.Key, n.Line(), h.Title())
			}
		}
	}
	if v := h.Shape().Version; v > 0 {
		if n, ok := d.At("version"); ok && n.Value() != any(jsonedit.Number(fmt.Sprint(v))) {
			return fmt.Sprintf("has a version other than %d (line %d): %s does not load such a file at all; mend it", v, n.Line(), h.Title())
		}
	}
	if w.NoBOM && d.HasBOM() {
		return fmt.Sprintf("starts with a byte order mark: %s does not load such a file at all; save it without", h.Title())
	}
	return ""
}

// trustCount is how many of our hooks are new or changed, and so need trust.
func trustCount(h host.Host, e Edit) int {
	list := func(b []byte) []hook {
		d, err := jsonedit.Parse(b)
		if b == nil || err != nil {
			return nil
		}
		return ownHooks(d.Root().Value(), h.Shape())
	}
	n := 0
	old := list(e.Before)
	for _, k := range list(e.After) {
		same := false
		for _, o := range old {
			same = same || o.event == k.event && o.group == k.group && o.handler == k.handler && o.matcher == k.matcher && sameJSON(o.body, k.body)
		}
		if !same {
			n++
		}
	}
	return n
}

func countOf(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// teamLines are what a team must know of the files of a project, all clients
// taken together.
func teamLines(hosts []host.Host, edits []Edit) []string {
	var served, asks []string
	for _, h := range hosts {
		in := slices.ContainsFunc(edits, func(e Edit) bool {
			return e.Host == h.ID() && e.Surface != Hooks && e.Action != Refuse
		})
		if in {
			served = append(served, h.Title())
		}
		if in && h.Wiring().AsksMCP {
			asks = append(asks, h.Title())
		}
	}
	out := []string{"These files are for the team: commit them. Where a teammate has no pathrule, the hooks stay silent."}
	if len(served) > 0 {
		out[0] = fmt.Sprintf("These files are for the team: commit them. Where a teammate has no pathrule, the hooks stay silent, and %s that the MCP server did not start.", listed(served, "reports", "report"))
	}
	if len(asks) > 0 {
		out = append(out, listed(asks, "asks", "ask")+" each person once whether to start the project's MCP server.")
	}
	return out
}

// listed is "A says", "A and B say", "A, B and C say".
func listed(names []string, one, many string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0] + " " + one
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1] + " " + many
	}
}
