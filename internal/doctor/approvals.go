package doctor

import (
	"pathrule/guard/approval"
	"pathrule/guard/match"
	"pathrule/host"
	"pathrule/knowledge"
	"pathrule/knowledge/store"
)

// approvals says of every rule with a block or a check whether it takes effect:
// a block that does not hold is the kind of thing that nobody notices.
func (c *check) approvals(s *store.Store, at approval.Place, entries []knowledge.Entry) {
	pins, err := approval.Read(c.dirs, at)
	if err != nil {
		c.add(Warn, "approvals of "+at.Root+": "+err.Error()+"; none of them counts", "pathrule approve")
	}
	there := map[string]bool{}
	standing := 0
	for _, e := range entries {
		if e.Kind != knowledge.Rule {
			continue
		}
		there[e.ID] = true
		state := approval.State("")
		for i := range pins {
			if pins[i].ID == e.ID && state != approval.Approved {
				state = pins[i].StateIn(s.Dir())
			}
		}
		if state == approval.Approved {
			standing++
		}
		file := s.Path(e)
		for _, b := range e.Block {
			if _, err := match.Compile(b.Pattern); err != nil {
				c.at(Bad, file, 0, "block pattern \""+b.Pattern+"\" cannot be used: "+err.Error(), "mend the pattern (RE2 syntax)")
			}
		}
		switch {
		case state == approval.Changed:
			c.at(Warn, file, 0, "edited since it was approved: its block or check decides nothing", "pathrule approve "+e.ID)
			c.next("pathrule approve " + e.ID)
		case state == "" && (len(e.Block) > 0 || e.Check != nil):
			c.at(Note, file, 0, "has a block or check that nobody approved on this machine; it decides nothing", "pathrule approve "+e.ID)
		}
	}
	gone := map[string]bool{}
	for _, p := range pins {
		if !there[p.ID] && !gone[p.ID] {
			gone[p.ID] = true
			c.add(Note, "rule "+p.ID+" was approved and is not there now", "pathrule approve revoke "+p.ID)
		}
	}
	if standing > 0 {
		c.add(OK, count(standing, "rule", "rules")+" approved to block or to want a check", "")
	}
}

// denies says when an approved block cannot hold in a client that has no way to
// deny a tool, or none that we may use.
func (c *check) denies(h host.Host) {
	blocks, checks := approval.Needs(c.dirs)
	can := func(name host.EventName) bool {
		for _, r := range h.Registrations() {
			if r.Canonical() == name && !r.Hook {
				_, ok := h.Refuse(host.Event{Host: h.ID(), Name: name, RawName: r.Event}, "x")
				return ok
			}
		}
		return false
	}
	if blocks && !can(host.PreToolUse) {
		c.add(Note, h.Title()+" has no way to deny an edit: there approved blocks are told to the assistant and hold nothing", "")
	}
	if checks && !can(host.Stop) {
		c.add(Note, h.Title()+" has no way to hold a turn that we use: there required checks are told to the assistant and hold nothing", "")
	}
}
