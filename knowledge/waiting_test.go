package knowledge

import "testing"

func TestAnAssistantsStrictRuleWaits(t *testing.T) {
	for name, test := range map[string]struct {
		file  string
		kind  Kind
		waits bool
		want  string
	}{
		"strict by an assistant":    {"enforcement: strict\nsource: mcp:claude-code\n", Rule, true, ""},
		"quoted":                    {"enforcement: 'strict'\nsource: \" mcp:x\"\n", Rule, true, ""},
		"advisory by an assistant":  {"source: mcp:claude-code\n", Rule, false, Advisory},
		"strict by a person":        {"enforcement: strict\nsource: person\n", Rule, false, Strict},
		"strict by nobody":          {"enforcement: strict\n", Rule, false, Strict},
		"mcp inside another source": {"enforcement: strict\nsource: notes on mcp:x\n", Rule, false, Strict},
		"a memory":                  {"source: mcp:x\n", Memory, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := ParseLines([]byte("---\ntitle: T\n"+test.file+"---\nDo it.\n"), test.kind, "t", "t.md")
			if err != nil {
				t.Fatal(err)
			}
			if e.Waits() != test.waits || e.Effective() != test.want {
				t.Errorf("waits %v, effective %q; want %v, %q", e.Waits(), e.Effective(), test.waits, test.want)
			}
		})
	}
}
