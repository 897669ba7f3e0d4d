package userhooks

import (
	"slices"

	"pathrule/guard/hookfile"
	"pathrule/host"
)

// Wiring says what an event can do on one client.
type Wiring struct {
	Host string `json:"host"`
	// Wired: something emits the event there. OnDemand: "pathrule setup" registers
	// it only while a hook (or something approved) needs it; AtEnd: only with
	// --session-end.
	Wired    bool `json:"wired"`
	OnDemand bool `json:"on_demand"`
	AtEnd    bool `json:"session_end,omitempty"`
	// Context: what a hook says reaches the model. Deny and Ask: the client has a
	// way to be told so.
	Context bool `json:"context"`
	Deny    bool `json:"deny"`
	Ask     bool `json:"ask"`
	// Why says why it is not wired, a part of a sentence.
	Why string `json:"why,omitempty"`
}

// EventInfo is one event of the catalogue, and what it can do on each client.
type EventInfo struct {
	Name    string   `json:"name"`
	AliasOf string   `json:"alias_of,omitempty"`
	About   string   `json:"about"`
	Own     bool     `json:"own"` // our own programs emit it
	Wired   bool     `json:"wired"`
	Hosts   []Wiring `json:"hosts"`
}

// EventsOn lists the catalogue with what each event can do on these clients.
func EventsOn(hosts []host.Host) []EventInfo {
	items := make([]EventInfo, 0, len(hookfile.Catalogue))
	for _, e := range hookfile.Catalogue {
		it := EventInfo{Name: e.Name, AliasOf: e.Of, About: e.About, Own: e.Ours, Hosts: []Wiring{}}
		for _, h := range hosts {
			w := WiringOf(e, h)
			it.Wired = it.Wired || w.Wired
			it.Hosts = append(it.Hosts, w)
		}
		items = append(items, it)
	}
	return items
}

// WiringOf says what an event of the catalogue can do on a client.
func WiringOf(e hookfile.Event, h host.Host) Wiring {
	w := Wiring{Host: h.ID()}
	if e.Ours {
		// Our own programs emit it, whatever the client.
		w.Wired, w.Deny = true, e.Before
		w.Context = e.Canonical() == "AfterMemorySearch"
		return w
	}
	if e.From == "" {
		w.Why = "nothing here emits it"
		return w
	}
	name := host.EventName(e.From)
	regs := h.Registrations()
	apart := slices.ContainsFunc(regs, func(r host.Registration) bool { return r.Shell && r.Canonical() == name })
	for _, r := range regs {
		if !slices.Contains(r.Hooked(), name) || r.Shell && e.Edits() || apart && e.Shell && !r.Shell {
			continue
		}
		demand := r.Native || len(host.Standing([]host.Registration{r})) == 0
		if !w.Wired {
			w.OnDemand = demand
		}
		w.Wired, w.OnDemand = true, w.OnDemand && demand
		w.AtEnd = name == host.SessionEnd && !r.Hook
		ev := host.Event{Host: h.ID(), Name: name, RawName: r.Event, UserTurn: true}
		w.Context = w.Context || h.Encode(ev, host.Reply{Context: "x"}) != nil
		if e.Before {
			_, deny := h.Refuse(ev, "x")
			_, ask := host.Ask(h, ev, "x")
			w.Deny, w.Ask = w.Deny || deny, w.Ask || ask
		}
	}
	if !w.Wired {
		w.Why = h.Title() + " has no such event"
		for _, l := range h.Facts().Left {
			if l.Event == name {
				w.Why = l.Why
			}
		}
	}
	return w
}
