package ledger

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"time"

	"pathrule/slice"
)

// Delivery says that a session was told one thing: which and in which form and
// version, never its text.
type Delivery struct {
	At      time.Time
	Host    string
	Session string // as SessionName has it
	Agent   string // "" for the session itself
	Key     string // catalog.Record.Key, or "x:…" for what is no entry
	Form    slice.Form
	Hash    string
}

// Deliveries are what the sessions of a workspace were told since then, oldest
// first, as far as their records are kept. What was told again after a
// compaction stands there again.
func (s Store) Deliveries(workspace string, since time.Time) []Delivery {
	var out []Delivery
	for _, f := range s.list(sessionsDir) {
		p := strings.Split(f.name, sep)
		if len(p) < 3 || p[1] != safe(workspace, 32) {
			continue
		}
		file, err := os.Open(f.path)
		if err != nil {
			continue
		}
		b, err := readAll(file)
		file.Close()
		if err != nil {
			continue
		}
		agent := ""
		if len(p) > 3 {
			agent = p[3]
		}
		for ln := range strings.Lines(string(b)) {
			text, whole := strings.CutSuffix(ln, "\n")
			it, ok := parseLine(text)
			if !ok || !whole || it.kind != kindItem || !toldKey(it.a) || it.at < since.Unix() {
				continue
			}
			out = append(out, Delivery{time.Unix(it.at, 0), p[0], p[2], agent, it.a, it.form, it.hash})
		}
	}
	slices.SortStableFunc(out, func(a, b Delivery) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Host, b.Host), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Agent, b.Agent))
	})
	return out
}

// toldKey reports a key of something that was told: an entry, a section, or a
// text of ours, and not what the record keeps for itself.
func toldKey(key string) bool {
	if !strings.HasPrefix(key, "x:") {
		return true
	}
	for _, p := range [...]string{"x:protocol", "x:terms", "x:team", "x:skills", "x:overview", "x:drift", "x:changed", "x:route:", "x:work:", "x:section:"} {
		if strings.HasPrefix(key, p) {
			return true
		}
	}
	return false
}
