package importer

import "testing"

// The heads are each client's own; see compile/dialect.go for those that we write.
func TestAFileIsLoadedWhenItsClientSays(t *testing.T) {
	const d = "description: When you write SQL\n"
	for _, c := range []struct {
		path, head string
		want       Moment
	}{
		{"CLAUDE.md", "", Always},
		{".claude/CLAUDE.md", "", Always},
		{"CLAUDE.local.md", "", Always},
		{"src/CLAUDE.md", "", ForPaths},
		{"AGENTS.md", "", Always},
		{"AGENTS.override.md", "", Always},
		{".github/workflows/AGENTS.md", "", ForPaths},
		{"AGENTS.local.md", "", Never},
		{"agents.md", "", Never},
		{"GEMINI.md", "", Always},
		{"web/QWEN.md", "", ForPaths},
		{"CODEBUDDY.md", "", Always},
		{".github/copilot-instructions.md", "", Always},
		{"docs/copilot-instructions.md", "", Never},
		{"web/.github/copilot-instructions.md", "", Never},
		{".cursorrules", "", Always},
		{"web/.cursorrules", "", Never},
		{".windsurfrules", "", Always},
		{".clinerules", "", Always},
		{".rules", "", Always},
		{".goosehints", "", Always},
		{"web/.goosehints", "", ForPaths},
		{"README.md", "", Never},

		{".claude/rules/sql.md", "", Always},
		{".claude/rules/README.md", "", Always},
		{".claude/rules/sql.md", d, Always},
		{".claude/rules/db/sql.md", "paths:\n  - db/**\n", ForPaths},
		{".claude/rules/sql.md", "paths: db/**\nalwaysApply: true\n", ForPaths},
		{".claude/rules/sql.md", "globs: db/**\n", Always},
		{"web/.claude/rules/sql.md", "", ForPaths},
		{".claude/rules/sql.txt", "", Never},

		{".cursor/rules/sql.mdc", "alwaysApply: true\n", Always},
		{".cursor/rules/sql.mdc", d + "globs: db/**\nalwaysApply: true\n", Always},
		{".cursor/rules/sql.mdc", d + "globs: db/**\nalwaysApply: false\n", ForPaths},
		{".cursor/rules/sql.mdc", "globs: *.sql,db/**\n", ForPaths},
		{".cursor/rules/sql.mdc", d + "globs:\nalwaysApply: false\n", Never},
		{".cursor/rules/sql.mdc", d, Never},
		{".cursor/rules/sql.mdc", "", Never},
		{".cursor/rules/sql.mdc", "paths: db/**\n", Never},
		{".cursor/rules/sql/RULE.md", "alwaysApply: true\n", Always},
		{".cursor/rules/sql.md", "alwaysApply: true\n", Never},
		{"web/.cursor/rules/sql.mdc", "alwaysApply: true\n", ForPaths},
		{"rules/sql.mdc", "alwaysApply: true\n", Never},
		{".cursor/commands/sql.md", "", Never},

		{".windsurf/rules/sql.md", "trigger: always_on\n", Always},
		{".windsurf/rules/sql.md", "trigger: glob\nglobs: db/**\n", ForPaths},
		{".windsurf/rules/sql.md", "trigger: glob\n", Never},
		{".windsurf/rules/sql.md", "trigger: model_decision\n" + d + "globs: db/**\n", Never},
		{".windsurf/rules/sql.md", "trigger: manual\nglobs: db/**\n", Never},
		{".windsurf/rules/sql.md", "alwaysApply: true\n", Never},
		{".windsurf/rules/sql.md", "", Never},
		{".devin/rules/sql.md", "trigger: always_on\n", Always},
		{".devin/rules/sql.md", "trigger: agent_decided\n" + d, Never},
		{".agent/rules/sql.md", "trigger: always_on\n", Always},
		{".agents/rules/sql.md", "", Never},

		{".github/instructions/sql.instructions.md", "applyTo: \"db/**\"\n", ForPaths},
		{".github/instructions/sql.instructions.md", "applyTo: \"**\"\n", ForPaths},
		{".github/instructions/sql.instructions.md", "applyTo:\n  - db/**\n", Never},
		{".github/instructions/sql.instructions.md", d, Never},
		{".github/instructions/sql.instructions.md", "", Never},
		{".github/instructions/sql.md", "applyTo: \"**\"\n", Never},
		{".github/instructions/README.md", "applyTo: \"**\"\n", Never},
		{"docs/sql.instructions.md", "applyTo: \"**\"\n", Never},

		{".clinerules/sql.md", "", Always},
		{".clinerules/sql.txt", d, Always},
		{".clinerules/sql.md", "paths:\n  - db/**\n", ForPaths},
		{".clinerules/sql.md", "paths: db/**\n", Always},
		{".clinerules/sql.md", "paths: []\n", Never},
		{".clinerules/workflows/sql.md", "", Never},

		{".kiro/steering/sql.md", "", Always},
		{".kiro/steering/sql.md", "inclusion: always\n", Always},
		{".kiro/steering/sql.md", "inclusion: fileMatch\nfileMatchPattern: \"db/**\"\n", ForPaths},
		{".kiro/steering/sql.md", "inclusion: fileMatch\n", Never},
		{".kiro/steering/sql.md", "inclusion: manual\nfileMatchPattern: \"db/**\"\n", Never},
		{".kiro/steering/sql.md", "inclusion: auto\nname: sql\n" + d, Never},

		{".qwen/rules/sql.md", "", Always},
		{".qwen/rules/sql.md", "paths:\n  - db/**\n", ForPaths},

		{".codebuddy/rules/sql.md", "", Always},
		{".codebuddy/rules/sql.mdc", "", Never},
		{".codebuddy/rules/sql.md", "alwaysApply: true\n", Always},
		{".codebuddy/rules/sql.md", "alwaysApply: false\npaths:\n  - db/**\n", ForPaths},
		{".codebuddy/rules/sql.mdc", "alwaysApply: false\nglobs: \"db/**\"\n", ForPaths},
		{".codebuddy/rules/sql.mdc", d + "alwaysApply: false\n", Never},

		{".continue/rules/sql.md", "", Always},
		{".continue/rules/sql.md", "globs: db/**\n", ForPaths},
		{".continue/rules/sql.md", d + "alwaysApply: false\n", Never},
		{".trae/rules/project_rules.md", "", Always},
		{".trae/rules/sql.md", d + "alwaysApply: false\n", Never},
		{".augment/rules/sql.md", "type: always_apply\n", Always},
		{".augment/rules/sql.md", "type: agent_requested\n" + d, Never},
		{".amazonq/rules/sql.md", "", Always},
		{".roo/rules/sql.md", "", Always},
		{".roo/rules-code/sql.md", "", ForPaths},

		{".rulesync/rules/sql.md", "alwaysApply: true\n", Never},
		{".claude/skills/sql/SKILL.md", "", Never},
		{".claude/agents/sql.md", "", Never},
	} {
		text := "Use bind variables.\n"
		if c.head != "" {
			text = "---\n" + c.head + "---\n" + text
		}
		if got := Loaded(c.path, []byte(text)); got != c.want {
			t.Errorf("%s with the head %q: %d, want %d", c.path, c.head, got, c.want)
		}
		if c.want != Never && !Instructs(c.path) {
			t.Errorf("%s is no place of instructions", c.path)
		}
	}
}
