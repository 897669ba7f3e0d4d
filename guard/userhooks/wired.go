package userhooks

import (
	"pathrule/guard/hookfile"
	"pathrule/host"
)

// Wiring says what an event can do on one client.
type Wiring struct {
	Host string `json:"host"`
	// Wired: something emits the event there. OnDemand: "pathrule setup" registers
	// it only while a hook (or something approved) needs it.
	Wired    bool `json:"wired"`
	OnDemand bool `json:"on_demand"`
	// Context: what a hook says reaches the model. Deny and Ask: the client has a
	// way to be told so.
	Context bool `json:"context"`
	Deny    bool `json:"deny"`
	Ask     bool `json:"ask"`
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
		return w
	}
	for _, r := range h.Registrations() {
		if string(r.Canonical()) != e.From {
			continue
		}
		demand := r.Native || len(host.Standing([]host.Registration{r})) == 0
		if !w.Wired {
			w.OnDemand = demand
		}
		w.Wired, w.OnDemand = true, w.OnDemand && demand
		ev := host.Event{Host: h.ID(), Name: r.Canonical(), RawName: r.Event, UserTurn: true}
		w.Context = w.Context || h.Encode(ev, host.Reply{Context: "x"}) != nil
		if e.Before {
			_, deny := h.Refuse(ev, "x")
			_, ask := host.Ask(h, ev, "x")
			w.Deny, w.Ask = w.Deny || deny, w.Ask || ask
		}
	}
	return w
}
