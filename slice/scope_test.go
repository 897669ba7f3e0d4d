package slice

import (
	"strings"
	"testing"

	"pathrule/knowledge"
)

// A rule that is always on and says where it matters most binds everywhere, and
// is told first where work touches what it names.
func TestRuleForEverythingThatNamesAPlace(t *testing.T) {
	f := (&fake{}).add(
		entry{kind: knowledge.Rule, id: "inputs", title: "Input rules", paths: []string{"/", "src/inputs/**/*.ts"}, body: "Return the standard interface.\n"},
		entry{kind: knowledge.Rule, id: "local", title: "Local rules", paths: []string{"src/inputs/**/*.ts"}, body: "Keep it small.\n"},
	)
	start := mustMake(t, In{Channel: Session, Source: f})
	if !strings.Contains(start.Text, "Input rules") || strings.Contains(start.Text, "Local rules") {
		t.Errorf("at the start of a session:\n%s", start.Text)
	}
	inside := mustMake(t, In{Channel: Tool, Source: f, Paths: []string{"src/inputs/openapi/parse.ts"}})
	if !strings.Contains(inside.Text, "(everywhere, mainly src/inputs/**/*.ts)") || !strings.Contains(inside.Text, "standard interface") {
		t.Errorf("where it matters most:\n%s", inside.Text)
	}
	elsewhere := mustMake(t, In{Channel: Tool, Source: f, Paths: []string{"docs/intro.md"}})
	if strings.Contains(elsewhere.Text, "standard interface") || !strings.Contains(elsewhere.Text, "Input rules") {
		t.Errorf("elsewhere:\n%s", elsewhere.Text)
	}
}
