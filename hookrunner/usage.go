package hookrunner

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"pathrule/hookrunner/ledger"
	"pathrule/hookrunner/queue"
	"pathrule/host"
	"pathrule/internal/rawjson"
)

const maxUsage = 256 << 10 // bytes; one older file of the same size is kept

// endSession writes one line that sums the session up and drops what nobody
// comes back for: its subagents' records, and its own after a clear. A session
// that ended otherwise may be resumed, and then still has what it was told.
func (r *runner) endSession(key ledger.Key) {
	key.Agent = ""
	r.queueSession(key)
	l, _, err := r.store.Open(key)
	if err != nil {
		r.log("read session record: " + err.Error())
		return
	}
	sum, ok, err := l.End()
	if err != nil {
		r.log("end session record: " + err.Error())
	}
	if ok {
		if err := r.appendUsage(navigationLine(r.env.Now().Unix(), key, sum)); err != nil {
			r.log("write navigation summary: " + err.Error())
		}
	}
	r.store.DropAgents(key)
	if r.ev.Source == "clear" {
		_ = r.store.Drop(key)
	}
}

// queueSession notes where the client keeps the conversation that ended, for
// "pathrule observe --queue". The event comes only to those who asked for it
// with "setup --session-end".
func (r *runner) queueSession(key ledger.Key) {
	if !slices.ContainsFunc(host.Standing(r.host.Registrations()), func(reg host.Registration) bool { return reg.Canonical() == host.SessionEnd }) {
		return // the event is there for a person's own hooks alone
	}
	path := host.TranscriptOf(r.ev, r.payload, r.env)
	if path == "" || key.Session == "" {
		return
	}
	e := queue.Entry{Host: key.Host, Session: key.Session, Transcript: path, At: r.env.Now()}
	if err := queue.Add(r.dirs.State, key.Workspace, e); err != nil {
		r.log("queue session: " + err.Error())
	}
}

// navigationLine is one JSON line of <state>/usage/navigation.jsonl.
func navigationLine(at int64, key ledger.Key, s ledger.Summary) []byte {
	b := []byte(`{"at":` + strconv.FormatInt(at, 10) + `,"host":`)
	b = rawjson.AppendQuoted(b, key.Host)
	b = rawjson.AppendQuoted(append(b, `,"workspace":`...), key.Workspace)
	for _, f := range []struct {
		name string
		n    int
	}{
		{"tools", s.Tools}, {"routes", s.Routes}, {"followed", s.Followed}, {"items", s.Items}, {"tokens", s.Tokens}, {"seconds", int(s.Seconds)},
	} {
		b = append(b, `,"`+f.name+`":`+strconv.Itoa(f.n)...)
	}
	return append(b, "}\n"...)
}

func (r *runner) appendUsage(line []byte) error {
	path := filepath.Join(r.dirs.State, "usage", "navigation.jsonl")
	if st, err := os.Stat(path); err == nil && st.Size() > maxUsage {
		_ = os.Rename(path, path+".1")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
