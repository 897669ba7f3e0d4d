package hookrunner_test

import (
	"bytes"
	"strings"
	"testing"

	"pathrule/guard/match"
	"pathrule/hookrunner"
	"pathrule/host"
)

// P104: every client that can deny is answered in its own way, and by the exit
// code where it knows no other.
func TestEveryClientDeniesInItsOwnWay(t *testing.T) {
	w := newWorld(t, shop, map[string]string{
		".pathrule/rules/no-b.md": "---\ntitle: No b\nblock: [{pattern: '^(b|bb)$', message: Write c instead of b.}]\n---\nText.\n",
		"src/a.txt":               "a\n",
	})
	w.approve("no-b")
	denied := 0
	for _, h := range host.All() {
		for _, r := range h.Registrations() {
			if r.Canonical() != host.PreToolUse || strings.Contains(r.Event, "command") || r.Event == "beforeShellExecution" {
				continue
			}
			payload := h.Sample(r, "s-"+h.ID(), w.root, w.path("src/a.txt"))
			if h.ID() == "windsurf" {
				payload = []byte(`{"agent_action_name":"pre_write_code","trajectory_id":"t","tool_info":{"cwd":"` + w.root + `","file_path":"` + w.path("src/a.txt") + `","edits":[{"old_string":"a","new_string":"b"}]}}`)
			}
			env := w.env()
			env.Cwd = w.root
			var out, errs bytes.Buffer
			env.Stdin, env.Stdout, env.Stderr = bytes.NewReader(payload), &out, &errs
			o := hookrunner.Options{Host: h.ID(), Test: match.Find}
			if r.NameEvent {
				o.Event = r.Event
			}
			code := hookrunner.Main(o, env)
			said := out.String() + errs.String()
			if !strings.Contains(said, "Write c instead of b.") || !strings.Contains(said, "rule:no-b") {
				t.Errorf("%s %s: exit %d, %q", h.ID(), r.Event, code, said)
				continue
			}
			want, can := h.Refuse(host.Event{Host: h.ID(), Name: host.PreToolUse, RawName: r.Event}, "x")
			if can && (code != want.Exit || (out.Len() > 0) != (len(want.Stdout) > 0) || (errs.Len() > 0) != (len(want.Stderr) > 0)) {
				t.Errorf("%s %s: exit %d, stdout %q, stderr %q; its refusal is %+v", h.ID(), r.Event, code, out.String(), errs.String(), want)
			}
			if can {
				denied++
			} else if strings.Contains(out.String(), "deny") || code != 0 {
				t.Errorf("%s denies without a way to: %s", h.ID(), said)
			}
		}
	}
	if denied < 10 {
		t.Errorf("%d registrations deny", denied)
	}
}
