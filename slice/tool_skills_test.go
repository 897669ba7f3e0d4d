package slice

import (
	"strings"
	"testing"

	"pathrule/knowledge"
)

// A skill for the whole project that a prompt found too little for is not called
// fitting by the file that is opened next; one of the folder in hand is.
func TestAToolNamesTheSkillsOfItsPlaceOnly(t *testing.T) {
	f := (&fake{}).
		add(entry{kind: knowledge.Skill, id: "release", title: "release", desc: "Use when a release of the API or the web app is cut, to bump versions, write the changelog and tag.", body: "1. Tag it.\n"}).
		add(entry{kind: knowledge.Skill, id: "add-route", title: "add-route", desc: "Use when a route is added, to write its schema first.", paths: []string{"apps/api/src/routes"}, body: "1. Schema.\n"}).
		add(entry{kind: knowledge.Memory, id: "errors", title: "Errors of the API", paths: []string{"apps/api"}, body: "Errors of the API are problem+json.\n"})
	const file = "apps/api/src/routes/bookings.ts"
	prompt := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "add a route to cancel a booking until the ferry leaves, with a reason for the clerk, in apps/api/src/routes/bookings.ts"})
	if kept := shortHash("0123456789abcdef/skill:release")[:taskID]; !strings.Contains(prompt.Task, kept) || strings.Contains(prompt.Text, "::release") {
		t.Fatalf("task %q, text %q", prompt.Task, prompt.Text)
	}
	p := mustMake(t, In{Channel: Tool, Source: f, Paths: []string{file}, Task: prompt.Task})
	if !strings.Contains(p.Text, "::add-route") || strings.Contains(p.Text, "::release") {
		t.Errorf("%s", p.Text)
	}
}
