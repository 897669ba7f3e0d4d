package mcpserver

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A folder is set in below the nearest one that is shown, and an entry that
// only has a pattern is found too: it belongs to no folder of the tree.
func TestTreeShowsNestingAndPatterns(t *testing.T) {
	w := newWorld(t, map[string]string{
		".pathrule/memories/a.md": "---\ntitle: A\npaths: [services]\n---\nText.\n",
		".pathrule/memories/b.md": "---\ntitle: B\npaths: [services/billing]\n---\nText.\n",
		".pathrule/memories/c.md": "---\ntitle: C\npaths: [services-old]\n---\nText.\n",
		".pathrule/memories/d.md": "---\ntitle: D\npaths: [web/src/checkout]\n---\nText.\n",
		".pathrule/rules/sql.md":  "---\ntitle: SQL\npaths: [\"**/*.sql\"]\n---\nText.\n",
		".pathrule/rules/all.md":  "---\ntitle: All\n---\nText.\n",
	})
	c := w.open(Options{}, "claude-code")
	want := `Knowledge in this workspace: 4 memories, 2 rules.
services — 1 memory
  services/billing — 1 memory
services-old — 1 memory
web/src — 1 memory
For the whole project, or by pattern anywhere in it:
- rule:all — All
- rule:sql — SQL [**/*.sql]
`
	if d := cmp.Diff(want, c.call("get_tree", `{}`).str("text")); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestSkillIsReadByItsNameToo(t *testing.T) {
	w := newWorld(t, map[string]string{".pathrule/skills/release/SKILL.md": "---\nname: release\ndescription: Cut a release.\n---\n1. Tag it.\n"})
	c := w.open(Options{}, "claude-code")
	if got := c.call("read_skill", `{"name":"release"}`); got.IsError || got.str("body") != "1. Tag it." {
		t.Errorf("got %v", got)
	}
}
