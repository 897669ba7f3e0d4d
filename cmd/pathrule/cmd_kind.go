package main

import (
	"github.com/spf13/cobra"

	"pathrule/knowledge"
)

// newKindCommand is "memory", "rule" or "skill" with everything one can do to
// an entry.
func newKindCommand(a *app, kind knowledge.Kind) *cobra.Command {
	k := string(kind)
	long := map[knowledge.Kind]string{
		knowledge.Memory: "A memory is a fact, a decision, a gotcha or a postmortem: something true about this project.",
		knowledge.Rule:   "A rule is a constraint on work in its paths. It comes with a priority.",
		knowledge.Skill:  "A skill is a procedure. Assistants see its name and description, and read the rest when they need it.",
	}[kind]
	return group(k, "add, list, show, edit, remove and restore "+kind.Dir(),
		long+"\n\nEntries are Markdown files in .pathrule/"+kind.Dir()+"/; you may edit them with any editor as well.",
		"  pathrule "+k+" add --help\n  pathrule "+k+" list --path src/billing",
		newAddCommand(a, kind), newListCommand(a, kind), newShowCommand(a, kind), newEditCommand(a, kind),
		newRmCommand(a, kind), newRestoreCommand(a, kind), newHistoryCommand(a, kind))
}
