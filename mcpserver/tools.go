package mcpserver

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"

	"pathrule/knowledge"
)

// tool is one tool: what clients are told about it, and what it does.
type tool struct {
	name, title, desc string
	reads             bool // changes nothing, offered with --read-only too
	destroys          bool // replaces or removes text (which the history keeps)
	repeats           bool // the same call twice changes nothing more
	in, out           []field
	run               func(*core, context.Context, call) (*result, error)
}

// call is one tool call after its arguments were checked.
type call struct {
	args
	meta *mcp.Meta
}

var kindNames = []string{"memory", "rule", "skill"}

// Fields that several tools share.
var (
	cwdField   = field{name: "cwd", typ: "string"}
	idField    = field{name: "id", typ: "string", need: true}
	kindField  = field{name: "kind", typ: "string", choice: kindNames}
	statusOut  = field{name: "status", typ: "string", need: true}
	textOut    = field{name: "text", typ: "string"}
	idOut      = field{name: "id", typ: "string"}
	versionOut = field{name: "version", typ: "string"}
	expected   = field{name: "expected_version", typ: "string", need: true}
	tagsField  = field{name: "tags", typ: "strings"}
	pathsScope = field{name: "paths", typ: "strings", desc: "files, folders, globs; none: all"}
	content    = field{name: "content", typ: "string"}
	whereField = field{name: "scope", typ: "string", enum: []string{"workspace", "personal"}}
	editField  = field{name: "content_edit", typ: "object", desc: "change a part; old occurs once, section is a heading", of: []field{
		{name: "op", typ: "string", need: true, enum: []string{"append", "prepend", "str_replace", "replace_section"}},
		{name: "text", typ: "string", need: true, also: []string{"new", "new_str", "content"}},
		{name: "old", typ: "string", also: []string{"old_str"}},
		{name: "section", typ: "string", also: []string{"heading"}},
	}}
	ruleFields = []field{
		{name: "priority", typ: "string", enum: []string{"high", "medium", "low"}},
		{name: "enforcement", typ: "string", enum: []string{"advisory", "strict"}},
		{name: "block", typ: "objects", brief: true, desc: "[{pattern, message, paths?, on?: edit|shell|both}], RE2", of: []field{
			{name: "pattern", typ: "string", need: true},
			{name: "message", typ: "string", need: true},
			{name: "paths", typ: "strings"},
			{name: "on", typ: "string", enum: []string{"edit", "shell", "both"}},
		}},
		{name: "check", typ: "object", brief: true, desc: "{command, message?, paths?}: must pass after edits", of: []field{
			{name: "command", typ: "string", need: true},
			{name: "message", typ: "string"},
			{name: "paths", typ: "strings"},
		}},
	}
	writeOut = []field{statusOut, idOut, versionOut}
)

// allTools are the tools in the order of the documentation.
func allTools() []*tool {
	list := []*tool{
		{
			name: "get_context", title: "Get context", reads: true, repeats: true,
			desc: "Team rules, memories and skills for a task, within a token budget. Call before searching or editing in a place you do not know. Leaves out what this session already has.",
			in: []field{
				{name: "prompt", typ: "string", desc: "the task, in the user's words"},
				{name: "query", typ: "string", desc: "same as prompt"},
				{name: "paths", typ: "strings", desc: "files or folders in hand", also: []string{"path"}},
				{name: "depth", typ: "string", enum: []string{"auto", "minimal", "focused", "deep"}},
				{name: "include_delivered", typ: "boolean", desc: "repeat what was given before"},
				{name: "cwd", typ: "string", desc: "folder to work from; none: the project"},
			},
			out: []field{statusOut, textOut, {name: "items", typ: "objects"}},
			run: (*core).getContext,
		},
		{
			name: "search_knowledge", title: "Search knowledge", reads: true, repeats: true,
			desc: "Find entries by topic; answers ids, titles and one line each, no bodies.",
			in: []field{
				{name: "query", typ: "string", need: true, also: []string{"prompt"}},
				{name: "kind", typ: "string", enum: kindNames},
				{name: "paths", typ: "strings", also: []string{"path"}},
				{name: "limit", typ: "integer", desc: "1-50, default 8"},
				cwdField,
			},
			out: []field{statusOut, {name: "items", typ: "objects"}},
			run: (*core).searchKnowledge,
		},
		{
			name: "get_tree", title: "Get tree", reads: true, repeats: true,
			desc: "Where knowledge lies: folders with counts, and the entries that govern a path.",
			in: []field{
				{name: "path", typ: "string", desc: "folder or file; none: the whole project"},
				{name: "depth", typ: "integer", desc: "folder levels, default 2"},
				cwdField,
			},
			out: []field{statusOut, textOut, {name: "items", typ: "objects"}},
			run: (*core).getTree,
		},
		{
			name: "ping", title: "Ping", reads: true, repeats: true,
			desc: "Server version, workspace and index state.",
			out:  []field{statusOut, versionOut, {name: "workspace", typ: "string"}, {name: "index", typ: "string"}},
			run:  (*core).ping,
		},
	}
	for _, k := range knowledge.Kinds {
		list = append(list, readOf(k), writeOf(k), updateOf(k))
	}
	return append(list,
		&tool{
			name: "delete_entry", title: "Delete entry", destroys: true, repeats: true,
			desc: "Move an entry to the trash (30 days).",
			in:   []field{idField, kindField, expected, cwdField},
			out:  writeOut, run: (*core).deleteEntry,
		},
		&tool{
			name: "restore_entry", title: "Restore entry", repeats: true,
			desc: "Bring the newest deleted entry of this id back.",
			in:   []field{idField, kindField, cwdField},
			out:  writeOut, run: (*core).restoreEntry,
		},
	)
}

func readOf(k knowledge.Kind) *tool {
	out := []field{statusOut, idOut, {name: "title", typ: "string"}, versionOut}
	desc := "Whole body and version of one " + string(k) + ", or one section of it by its heading."
	switch k {
	case knowledge.Rule:
		out = append(out, field{name: "priority", typ: "string"})
	case knowledge.Skill:
		desc = "Whole procedure, version and further files of one skill, or one section of it by its heading."
		out = append(out, field{name: "files", typ: "strings"})
	}
	out = append(out, field{name: "body", typ: "string"})
	id := idField
	id.also = []string{"name"} // what a skill's id is called in its file
	return &tool{
		name: readTool(k), title: "Read " + string(k), reads: true, repeats: true, desc: desc,
		in: []field{id, {name: "section", typ: "string", also: []string{"heading"}}, cwdField}, out: out,
		run: func(c *core, ctx context.Context, a call) (*result, error) { return c.readEntry(ctx, k, a) },
	}
}

func writeOf(k knowledge.Kind) *tool {
	text := content
	text.need = true
	t := &tool{
		name: "write_" + string(k), title: "Write " + string(k),
		out: writeOut,
		run: func(c *core, ctx context.Context, a call) (*result, error) { return c.writeEntry(ctx, k, a) },
	}
	// An entry is found by its words; who asks may not know them yet.
	tags := tagsField
	tags.desc = "other words people would ask with"
	rest := []field{tags, {name: "related", typ: "strings"}}
	switch k {
	case knowledge.Memory:
		t.desc = "Save a lasting fact, decision or gotcha. First check with search_knowledge that it is new."
	case knowledge.Rule:
		t.desc = "Save a constraint. strict, block and check wait for a person."
		rest = append(rest, ruleFields...)
	case knowledge.Skill:
		t.desc = "Save a procedure."
		rest = rest[:1]
	}
	title := field{name: "title", typ: "string", need: true, also: []string{"name"}}
	t.in = []field{title}
	if k == knowledge.Skill {
		t.in = append(t.in, field{name: "description", typ: "string", need: true, desc: "when to use it"})
	}
	t.in = append(t.in, text, pathsScope)
	t.in = append(t.in, rest...)
	t.in = append(t.in, whereField, field{name: "id", typ: "string"},
		field{name: "allow_duplicate", typ: "boolean", unseen: true}, cwdField)
	return t
}

func updateOf(k knowledge.Kind) *tool {
	t := &tool{
		name: updateTool(k), title: "Update " + string(k), destroys: true, repeats: true,
		desc: "Change a " + string(k) + "; only the fields you give.",
		out:  writeOut,
		run:  func(c *core, ctx context.Context, a call) (*result, error) { return c.updateEntry(ctx, k, a) },
	}
	t.in = []field{idField, expected, {name: "title", typ: "string", also: []string{"name"}}}
	if k == knowledge.Skill {
		t.in = append(t.in, field{name: "description", typ: "string"})
	}
	paths := pathsScope
	paths.desc = ""
	t.in = append(t.in, content, editField, paths, tagsField)
	if k != knowledge.Skill {
		t.in = append(t.in, field{name: "related", typ: "strings"})
	}
	if k == knowledge.Rule {
		for _, f := range ruleFields {
			if f.brief {
				f.desc = "as in write_rule"
			}
			t.in = append(t.in, f)
		}
	}
	t.in = append(t.in, cwdField)
	return t
}

// forSDK is the tool as the protocol shows it.
func (t *tool) forSDK() mcp.Tool {
	yes, no := true, false
	pick := func(b bool) *bool {
		if b {
			return &yes
		}
		return &no
	}
	return mcp.Tool{
		Name:            t.name,
		Description:     t.desc,
		RawInputSchema:  schemaOf(t.in),
		RawOutputSchema: schemaOf(t.out),
		Annotations: mcp.ToolAnnotation{
			Title: t.title, ReadOnlyHint: pick(t.reads), DestructiveHint: pick(t.destroys),
			IdempotentHint: pick(t.repeats), OpenWorldHint: &no,
		},
	}
}
