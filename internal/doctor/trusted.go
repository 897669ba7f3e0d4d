package doctor

import (
	"context"
	"fmt"
	"strings"

	"pathrule/host"
	"pathrule/setup"
)

// trusted asks the one client that tells whether a person has trusted each hook
// by hand.
func (c *check) trusted(ctx context.Context, h host.Host, mine []setup.Installed) {
	if h.ID() != "codex" {
		if note := h.Wiring().TrustNote; note != "" {
			c.add(Note, h.Title()+" trusted: cannot be seen from outside", note)
		}
		if h.Wiring().Trust {
			c.add(Note, h.Title()+" runs a hook only when you have trusted it; whether you have cannot be seen from outside", "open "+h.Title()+" and type /hooks")
		}
		return
	}
	t, err := setup.CodexTrust(ctx, c.env.Cwd, c.env)
	if err != nil {
		c.add(Note, "Codex trusted: could not be found out: "+err.Error(), "open Codex and type /hooks")
		return
	}
	for _, w := range t.Warnings {
		c.add(Warn, "Codex says: "+w, "")
	}
	if len(t.Hooks) == 0 {
		c.add(Warn, "Codex trusted: it does not know our hooks yet ("+t.Source+")", "open Codex in this folder, type /hooks and trust them")
		return
	}
	if t.Trusted() {
		c.add(OK, fmt.Sprintf("Codex trusted: all %d hooks (%s)", len(t.Hooks), t.Source), "")
		return
	}
	by := map[string][]string{}
	var order []string
	for _, k := range t.Hooks {
		if k.Status == "trusted" || k.Status == "managed" || k.Status == "recorded" {
			continue
		}
		if by[k.Status] == nil {
			order = append(order, k.Status)
		}
		by[k.Status] = append(by[k.Status], k.Event)
	}
	for _, s := range order {
		c.add(Warn, fmt.Sprintf("Codex %s: %s (%s); it skips them silently", trustWords(s), strings.Join(by[s], ", "), t.Source),
			"open Codex, type /hooks and trust them")
		c.next("codex, then type /hooks and trust the hooks of pathrule")
	}
	if t.Project == "untrusted" {
		c.add(Warn, "Codex does not trust this folder, so it reads no project files here", "open Codex in this folder and trust it")
	}
}

// trustWords says what a state of Codex's means for the person.
func trustWords(status string) string {
	switch status {
	case "untrusted", "not-recorded":
		return "does not trust these hooks yet"
	case "modified":
		return "wants these changed hooks to be trusted again"
	case "disabled":
		return "has these hooks switched off"
	}
	return "does not run these hooks (" + status + ")"
}
