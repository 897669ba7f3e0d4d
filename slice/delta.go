package slice

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"pathrule/internal/plaintext"
)

// maxAcknowledged is how many ids the line of what is loaded names.
const maxAcknowledged = 12

// Proof is the line that shows what a turn did: loaded (something new came),
// reused (all that fits was told before) or skipped (nothing fits), and a
// signature of what was routed, the same for the same route. "" unless it was
// asked for by Settings.Proof, see Plan.Text.
func Proof(p Plan) string {
	var keys []string
	for _, it := range p.Items {
		keys = append(keys, it.Key)
	}
	loaded := len(keys)
	for _, l := range p.LeftOut {
		if l.Why == LeftDelivered {
			keys = append(keys, l.Key)
		}
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	h := sha256.Sum256([]byte(strings.Join(keys, "\n")))
	sig := hex.EncodeToString(h[:4])
	switch {
	case loaded > 0:
		return "pathrule: loaded " + itoa(loaded) + ", route " + sig
	case len(keys) > 0:
		return "pathrule: reused " + itoa(len(keys)) + ", route " + sig
	}
	return "pathrule: skipped, route " + sig
}

// Acknowledge is the line of what a session has loaded: sorted ids without
// their owner, the first of them and a count of the rest. "" for none.
func Acknowledge(keys []string) string {
	var ids []string
	for _, k := range keys {
		if kind, id, ok := splitKey(k); ok {
			ids = append(ids, string(kind)+":"+plaintext.Line(id, 80))
		}
	}
	if len(ids) == 0 {
		return ""
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	s := "already loaded: "
	if n := len(ids) - maxAcknowledged; n > 0 {
		return s + strings.Join(ids[:maxAcknowledged], ", ") + " +" + itoa(n) + " more"
	}
	return s + strings.Join(ids, ", ")
}
