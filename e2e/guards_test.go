package e2e

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pathrule/host"
)

const (
	blockRule = ".pathrule/rules/no-floats.md"
	remedy    = "Keep amounts in cents and read them with BigInt."
	forbidden = "---\ntitle: No floats\npaths: [services/billing]\nenforcement: strict\nblock: [{pattern: 'parseFloat\\(', message: " + remedy + "}]\n---\nAmounts are no floats.\n"

	checkCommand = "sh check.sh"
	checkMessage = "The sum must be right."
	required     = "---\ntitle: Sum is right\npaths: [services/billing]\ncheck: {command: " + checkCommand + ", message: " + checkMessage + "}\n---\nRun the check.\n"
	checkScript  = "grep l.cents " + invoice + "\n"

	// held stands in what a held turn's model is told, last in the third of it.
	held = "Before you end: a check that this team requires has not passed"
	last = "this is the last time that the turn is held"
)

// guarding runs a test for the clients that are driven into refusals and holds.
func guarding(t *testing.T, f func(t *testing.T, c client, exe string)) {
	each(t, func(t *testing.T, c client, exe string) {
		if c.swap == nil {
			t.Skip("this client is not driven into a refusal")
		}
		f(t, c, exe)
	})
}

// approved is a machine on which pathrule is set up first and a person approved
// a rule later, as it mostly is: so sync brings the registrations for it, and
// the person trusts them anew.
func (c client) approved(t *testing.T, exe, id, text string) *machine {
	t.Helper()
	m := newMachine(t)
	c.person(m)
	m.pathrule("init", "--yes")
	m.pathrule("setup", c.id, "--scope", "user", "--yes")
	if c.trust != nil {
		c.trust(m, exe)
	}
	m.write(".pathrule/rules/"+id+".md", text)
	if said := m.atTerminal("y\n", "approve", id); !strings.Contains(said, "approved:") {
		t.Fatalf("not approved:\n%s", said)
	}
	m.pathrule("sync")
	if c.trust != nil {
		c.trust(m, exe)
	}
	return m
}

// invoiceIs checks the file that the model edits.
func (m *machine) invoiceIs(what, want string) {
	m.t.Helper()
	if got := m.read(filepath.Join(m.root, invoice)); got != want {
		m.t.Errorf("%s: the file is\n%s\nwant\n%s", what, got, want)
	}
}

// What an approved block forbids is not written, and the model is told by which
// rule and what to do instead; the same text in what is taken away is no matter,
// nor is a rule that was edited since.
func TestAnApprovedBlockDeniesTheEdit(t *testing.T) {
	guarding(t, func(t *testing.T, c client, exe string) {
		m := c.approved(t, exe, "no-floats", forbidden)
		const one, two = "  return lines.reduce((n, l) => n + parseFloat(l.price), 0);", "  return lines.reduce((n, l) => n + l.cents, 0);"
		const worse = "  return parseFloat(lines.reduce((n, l) => n + parseFloat(l.price), 0));"
		before := "export function total(lines) {\n" + one + "\n}\n"
		m.write(invoice, before)

		bad := c.swap(m, one, worse)
		m.model.play(append(append([]step{c.read(m)}, bad...), step{Text: "given up"})...)
		out, errs := c.run(m, exe, m.root, firstPrompt, false)
		req := m.turn(len(bad)+2, out, errs)
		for i := range bad {
			got := req[i+2].lastResult()
			for _, want := range []string{"no-floats", remedy} {
				if !strings.Contains(got, want) {
					t.Errorf("edit %d: the model is not told %q: %s", i, want, clip(got))
				}
			}
		}
		m.invoiceIs("after the denied edits", before)

		m.model.play(c.read(m), c.swap(m, one, two)[0], step{Text: "fixed"})
		out, errs = c.run(m, exe, m.root, firstPrompt, true)
		if got := m.turn(3, out, errs)[2].lastResult(); strings.Contains(got, remedy) {
			t.Errorf("taking it away is denied: %s", clip(got))
		}
		m.invoiceIs("after it was taken away", "export function total(lines) {\n"+two+"\n}\n")

		m.write(blockRule, forbidden+"\n")
		m.model.play(c.read(m), c.swap(m, two, worse)[0], step{Text: "changed"})
		out, errs = c.run(m, exe, m.root, firstPrompt, true)
		m.turn(3, out, errs)
		m.invoiceIs("under a rule that was edited since", "export function total(lines) {\n"+worse+"\n}\n")
	})
}

var quotedCommand = regexp.MustCompile("`([^`]+)`")

// holds checks that the last request of the turn is one that follows a held end,
// and gives the commands that its text names.
func (m *machine) holds(what string, r request) []string {
	m.t.Helper()
	for _, want := range []string{held, "sum-is-right", checkCommand, checkMessage, invoice} {
		if r.count(want) == 0 {
			m.t.Fatalf("%s: the turn goes on without %q: %s", what, want, clip(jsonOf(r.body)))
		}
	}
	texts := r.texts(held)
	_, text, _ := strings.Cut(texts[len(texts)-1], held)
	var commands []string
	for _, c := range quotedCommand.FindAllStringSubmatch(text, -1) {
		commands = append(commands, c[1])
	}
	return commands
}

// The end of a turn is held once while a required check has not passed, with the
// exact command; once that passed, the next turn ends at once. The plain command
// counts where the client tells how its runs end, and is only named there.
func TestATurnIsHeldUntilItsCheckPassed(t *testing.T) {
	guarding(t, func(t *testing.T, c client, exe string) {
		for name, plain := range map[string]bool{"by check run": false, "by the plain command": true} {
			t.Run(name, func(t *testing.T) {
				m := c.approved(t, exe, "sum-is-right", required)
				m.write("check.sh", checkScript)

				m.model.play(step{Text: "nothing to do"})
				out, errs := c.run(m, exe, m.root, firstPrompt, false)
				m.turn(1, out, errs) // no edit, no hold

				m.model.play(c.read(m), c.edit(m), step{Text: "fixed"}, step{Text: "really"})
				out, errs = c.run(m, exe, m.root, secondPrompt, true)
				named := m.holds("after the edit", m.turn(4, out, errs)[3])
				if got := slices.Contains(named, checkCommand); got != host.TellsOutcome(c.id) || len(named) == 0 {
					t.Fatalf("the hold names %q", named)
				}
				command := named[len(named)-1]
				if plain {
					command = checkCommand
				}

				m.model.play(step{Text: "fixed"}, c.shell(m, command), step{Text: "checked"})
				out, errs = c.run(m, exe, m.root, secondPrompt, true)
				if got := m.turn(3, out, errs)[2].lastResult(); !strings.Contains(got, "l.cents") {
					t.Errorf("%s did not run: %s", command, clip(got))
				}

				m.model.play(step{Text: "fixed"}, step{Text: "really"})
				out, errs = c.run(m, exe, m.root, secondPrompt, true)
				if plain && !host.TellsOutcome(c.id) {
					m.holds("after a run that does not count", m.turn(2, out, errs)[1])
					return
				}
				m.turn(1, out, errs)
			})
		}
	})
}

// A check that never passes holds a session's end three times in all.
func TestATurnIsHeldThreeTimesAtMost(t *testing.T) {
	guarding(t, func(t *testing.T, c client, exe string) {
		m := c.approved(t, exe, "sum-is-right", required)
		m.write("check.sh", "exit 1\n")
		m.model.play(c.read(m), c.edit(m), step{Text: "fixed"}, step{Text: "really"})
		out, errs := c.run(m, exe, m.root, firstPrompt, false)
		named := m.holds("first", m.turn(4, out, errs)[3])

		m.model.play(step{Text: "fixed"}, c.shell(m, named[0]), step{Text: "it fails"})
		out, errs = c.run(m, exe, m.root, secondPrompt, true)
		r := m.turn(3, out, errs)[1]
		m.holds("second", r)
		if texts := r.texts(last); len(texts) > 0 {
			t.Errorf("the second hold is called the last: %q", texts)
		}

		m.model.play(step{Text: "fixed"}, step{Text: "really"})
		out, errs = c.run(m, exe, m.root, secondPrompt, true)
		r = m.turn(2, out, errs)[1]
		m.holds("third", r)
		if r.count(last) == 0 {
			t.Errorf("the third hold is not called the last: %q", r.texts(held))
		}

		m.model.play(c.edit(m), step{Text: "fixed"}, step{Text: "really"})
		out, errs = c.run(m, exe, m.root, secondPrompt, true)
		m.turn(2, out, errs)
	})
}
