package e2e

import (
	"strings"
	"testing"

	"pathrule/host"
)

// notesItsEnd are the clients whose end of a session is seen headless; Qwen Code
// does not tell of it there, nor can Cursor and CodeBuddy be driven.
var notesItsEnd = map[string]bool{"claude-code": true, "codex": true, "copilot": true}

// E41-E46 on the real client: its session is noted when it ends, what was said in
// it becomes a proposal without tool output and without what our hooks put in, and
// a person's yes makes it an entry. Without --session-end nothing is noted.
func TestASessionThatEndedBecomesAnEntryByAPersonsYes(t *testing.T) {
	each(t, func(t *testing.T, c client, exe string) {
		if !notesItsEnd[c.id] {
			for _, r := range c.contract(t).Registrations() {
				if r.Canonical() == host.SessionEnd {
					t.Skip("it does not tell of its end headless")
				}
			}
			t.Skip("its end is not noted")
		}
		m := c.wired(t, exe, "user")
		const question, answer = "Why do the invoices of the customers differ by a cent?", "Each line is rounded, and the sum once more."
		m.model.play(c.read(m), step{Text: answer})
		out, errs := c.run(m, exe, m.root, question, false)
		m.turn(2, out, errs)
		if said := m.pathrule("observe", "--queue"); !strings.Contains(said, "no ended session waits") {
			t.Fatalf("noted without being asked to:\n%s", said)
		}

		m.pathrule("setup", c.id, "--scope", "user", "--session-end", "--yes")
		if c.trust != nil {
			c.trust(m, exe)
		}
		m.model.play(c.read(m), step{Text: answer})
		out, errs = c.run(m, exe, m.root, question, false)
		m.turn(2, out, errs)
		if said := m.pathrule("observe", "--queue"); strings.Count(said, "\n") != 1 || !strings.Contains(said, c.id+" session of ") || !strings.Contains(said, ": proposed, ") || !strings.Contains(said, "of 2 turns") {
			t.Fatalf("observed:\n%s", said)
		}
		waits := m.pathrule("inbox")
		if !strings.Contains(waits, "Session of ") || strings.Count(waits, "session:"+c.id) != 1 {
			t.Fatalf("waiting:\n%s", waits)
		}
		_, row, _ := strings.Cut(waits, "\n")
		if said := m.atTerminal("", "review", "--accept", strings.Fields(row)[0]); !strings.Contains(said, "accepted: create of memory") {
			t.Fatalf("accepted:\n%s", said)
		}
		entry := m.pathrule("memory", "show", firstWord(m.pathrule("memory", "list"), "session-of-"), "--raw")
		for _, want := range []string{"> " + question, answer, "source: session:" + c.id} {
			if !strings.Contains(entry, want) {
				t.Errorf("the entry lacks %q:\n%s", want, entry)
			}
		}
		for _, not := range []string{memoryCanary, ruleCanary, teamCanary, "lines.reduce", m.root} {
			if strings.Contains(entry, not) {
				t.Errorf("the entry holds %q:\n%s", not, entry)
			}
		}
	})
}

// firstWord is the first word of the line that begins with prefix.
func firstWord(text, prefix string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, prefix) {
			return strings.Fields(line)[0]
		}
	}
	return ""
}
