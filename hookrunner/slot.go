package hookrunner

import (
	"crypto/sha256"
	"encoding/hex"

	"pathrule/hookrunner/ledger"
	"pathrule/host"
	"pathrule/slice"
)

// fillSlot plans the session slice for a client that sends one block of its
// system prompt along with every request. Each time it is planned whole, as for
// a fresh session, and compared with what stands there: the block changes only
// when that text does, for every change costs the model server's cache. It
// gives what the block holds, which the prompt's own answer need not repeat.
func (r *runner) fillSlot(a *asker, l *ledger.Ledger, out *said) (inSlot []ledger.Sent) {
	in := a.in(slice.Session, nil, unseenTokens)
	in.Team = a.team()
	in.Settings.Proof = "" // the prompt's own answer ends with it
	var whole said
	whole.add(r.make(in), a.unseen)
	if whole.text == "" {
		if r.ev.Held != "" {
			out.slot = host.Slot{Action: host.Clear}
		}
		return nil
	}
	sum := sha256.Sum256([]byte(whole.text))
	id := hex.EncodeToString(sum[:8])
	fresh := false
	for _, it := range whole.items {
		if l.Has(it.Key, it.Hash) < it.Form {
			out.items = append(out.items, it)
			fresh = true
		}
	}
	if id == r.ev.Held {
		return whole.items
	}
	// What the session was told before, and the client's process forgot, was
	// counted then.
	if fresh {
		out.tokens = whole.tokens
	}
	if r.ev.Held != "" && out.tokens > a.left(l) && a.unseen {
		*out = said{}
		return nil
	}
	out.slot = host.Slot{Action: host.Replace, ID: id, Text: whole.text}
	return whole.items
}

// compacting answers PreCompact: the record begins anew. Where the client hands
// a text to the request that makes the summary, it names what had been told, so
// that the summary need not hold it; names told there are not recorded, since
// nobody knows what becomes of them.
func (r *runner) compacting(a *asker, l *ledger.Ledger, heard bool) result {
	var text string
	if had := entries(keys(l.Told())); heard && len(had) > 0 && r.opened(a) {
		in := a.in(slice.Compact, l, a.left(l))
		in.Parent = had
		text = r.make(in).Text
		a.close()
	}
	if !r.guard.commit() {
		return result{}
	}
	// A second registration resets once more, which changes nothing.
	if err := l.Reset(ledger.PreCompact); err != nil {
		r.log("reset session record: " + err.Error())
	}
	if text == "" {
		return result{}
	}
	return result{out: r.encode(host.Reply{Context: text})}
}
