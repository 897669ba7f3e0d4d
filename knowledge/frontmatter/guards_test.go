package frontmatter

import (
	"strings"
	"testing"

	"pathrule/knowledge"
)

// P100, P106: what a rule may forbid and want, and what is said of the rest: by
// line, with what to do. A part that is wrong never takes effect in part.
func TestBlocksAndChecksAreReadStrictly(t *testing.T) {
	long := strings.Repeat("x", 201)
	for name, c := range map[string]struct {
		head string
		// want is the message and remedy of the first problem, "" for none.
		msg, remedy   string
		blocks, check bool
	}{
		"a block":                        {head: "block: [{pattern: 'eval\\(', message: Parse it instead.}]", blocks: true},
		"with paths, and for commands":   {head: "block:\n  - pattern: '^rm -rf'\n    on: shell\n    paths: [src, '!src/gen']\n    message: Use the trash instead.", blocks: true},
		"one that stands alone":          {head: "block: {pattern: 'eval\\(', message: Parse it instead.}", blocks: true},
		"flags in front":                 {head: "block: [{pattern: '(?is)begin.*end', message: Leave it out here.}]", blocks: true},
		"a pattern of three characters":  {head: "block: [{pattern: 'abc', message: Leave it out here.}]", blocks: true},
		"a pattern of two":               {head: "block: [{pattern: 'ab', message: Leave it out here.}]", msg: "pattern has 2 characters", remedy: "3 to 200"},
		"a pattern of 201":               {head: "block: [{pattern: '" + long + "', message: Leave it out here.}]", msg: "pattern has 201 characters", remedy: "3 to 200"},
		"no pattern":                     {head: "block: [{message: Leave it out here.}]", msg: "block has no pattern", remedy: "add pattern:"},
		"a pattern for everything":       {head: "block: [{pattern: '(abc)*', message: Leave it out here.}]", msg: "matches the empty string", remedy: "certain"},
		"look-ahead":                     {head: "block: [{pattern: 'a(?=bc)', message: Leave it out here.}]", msg: "does not compile", remedy: "no look-ahead and no look-behind"},
		"look-behind":                    {head: "block: [{pattern: '(?<!a)bc', message: Leave it out here.}]", msg: "does not compile", remedy: "no look-ahead and no look-behind"},
		"a backreference":                {head: "block: [{pattern: '(a)b\\1', message: Leave it out here.}]", msg: "does not compile", remedy: "no backreferences"},
		"a possessive quantifier":        {head: "block: [{pattern: 'ab*+c', message: Leave it out here.}]", msg: "does not compile", remedy: "possessive"},
		"an unclosed group":              {head: "block: [{pattern: 'a(bc', message: Leave it out here.}]", msg: "does not compile", remedy: "RE2"},
		"another word for on":            {head: "block: [{pattern: abc, on: bash, message: Leave it out here.}]", msg: `unknown value "bash" for "on"`, remedy: "edit, shell or both"},
		"a message that says nothing":    {head: "block: [{pattern: abc, message: No.}]", msg: "no message that says what to do instead", remedy: "at least ten characters", blocks: true},
		"JavaScript's flags":             {head: "block: [{pattern: abc, flags: i, message: Leave it out here.}]", msg: `unknown key "flags" in block`, blocks: true},
		"paths that leave the workspace": {head: "block: [{pattern: abc, paths: [../x], message: Leave it out here.}]", msg: "paths: ", remedy: "mend"},
		"a text for a block":             {head: "block: abc", msg: "must be made of key: value pairs", remedy: "write: block:"},

		"a check":                        {head: "check: {command: npm test, message: The tests must pass.}", check: true},
		"a check with paths":             {head: "check: {command: npm test, paths: [web], message: The tests must pass.}", check: true},
		"a command of two characters":    {head: "check: {command: ls, message: The tests must pass.}", msg: "3 to 300 characters"},
		"a command of 301":               {head: "check: {command: " + long + strings.Repeat("y", 100) + ", message: The tests must pass.}", msg: "3 to 300 characters"},
		"no command":                     {head: "check: {message: The tests must pass.}", msg: "3 to 300 characters", remedy: "add command:"},
		"a command of two lines":         {head: "check: {command: \"npm\\ntest\", message: The tests must pass.}", msg: "is one line", remedy: "script"},
		"a check that says no why":       {head: "check: {command: npm test}", msg: "no message that says why", remedy: "at least ten characters", check: true},
		"a check that leaves the folder": {head: "check: {command: npm test, paths: [../web], message: The tests must pass.}", msg: "paths: ", remedy: "mend"},
		"a list of commands":             {head: "check: {command: [npm, test], message: The tests must pass.}", msg: `"command" must be text`, remedy: "one line"},
	} {
		t.Run(name, func(t *testing.T) {
			raw := "---\ntitle: T\n" + c.head + "\n---\nText.\n"
			e, problems, err := Parse([]byte(raw), knowledge.Rule, "t", "rules/t.md")
			if err != nil {
				t.Fatal(err)
			}
			if len(e.Block) > 0 != c.blocks || (e.Check != nil) != c.check {
				t.Errorf("blocks %+v, check %+v", e.Block, e.Check)
			}
			if c.msg == "" {
				if len(problems) > 0 {
					t.Errorf("%+v", problems)
				}
				return
			}
			if len(problems) == 0 || !strings.Contains(problems[0].Msg, c.msg) || !strings.Contains(problems[0].Remedy, c.remedy) || problems[0].Line < 3 || problems[0].Line > 7 {
				t.Errorf("%+v, want %q, %q", problems, c.msg, c.remedy)
			}
			// What still counts is only warned about.
			if len(problems) > 0 && problems[0].Warning != (c.blocks || c.check) {
				t.Errorf("%+v", problems[0])
			}
		})
	}
	// Of a memory they are nothing.
	e, _, _ := Parse([]byte("---\ntitle: T\nblock: [{pattern: abc, message: Leave it out here.}]\n---\n"), knowledge.Memory, "t", "memories/t.md")
	if e.Block != nil {
		t.Errorf("a memory blocks: %+v", e.Block)
	}
}
