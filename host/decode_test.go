package host

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhoseTurnAPromptIs(t *testing.T) {
	for name, c := range map[string]struct {
		payload string
		prompt  string
		user    bool
	}{
		"a typed prompt":                        {`"prompt":"fix it"`, "fix it", true},
		"source user":                           {`"prompt":"fix it","source":"user"`, "fix it", true},
		"source sdk":                            {`"prompt":"fix it","source":"sdk"`, "fix it", true},
		"source system":                         {`"prompt":"fix it","source":"system"`, "fix it", false},
		"a source nobody documented":            {`"prompt":"fix it","source":"loop_wakeup"`, "fix it", false},
		"a finished background task":            {`"prompt":"<task-notification>\n<task-id>1</task-id>"`, "", false},
		"an empty prompt":                       {`"prompt":""`, "", false},
		"only blanks":                           {`"prompt":" \n"`, "", false},
		"no prompt":                             {`"x":1`, "", false},
		"null":                                  {`"prompt":null`, "", false},
		"content blocks":                        {`"prompt":[{"type":"text","text":"fix"},{"type":"image","source":{}},{"type":"text","text":"it"}]`, "fix\nit", true},
		"a list of strings":                     {`"prompt":["fix","it"]`, "fix\nit", true},
		"a block alone":                         {`"prompt":{"type":"text","text":"fix it"}`, "fix it", true},
		"a command loses its slash":             {`"prompt":"/review src/api now"`, "review src/api now", true},
		"a path is no command":                  {`"prompt":"/src/app.ts fails"`, "/src/app.ts fails", true},
		"a subagent's prompt is its parent's":   {`"prompt":"fix it","agent_id":"a1"`, "fix it", false},
		"a notice quoted inside a prompt stays": {`"prompt":"why <task-notification> here?"`, "why <task-notification> here?", true},
	} {
		t.Run(name, func(t *testing.T) {
			ev, err := claude{}.Decode([]byte(`{"hook_event_name":"UserPromptSubmit",`+c.payload+`}`), env(nil))
			if err != nil {
				t.Fatal(err)
			}
			if ev.Prompt != c.prompt || ev.UserTurn != c.user {
				t.Errorf("prompt %q, user %t; want %q, %t", ev.Prompt, ev.UserTurn, c.prompt, c.user)
			}
		})
	}
}

func TestWhatIsNoEventIsAnError(t *testing.T) {
	for _, h := range All() {
		for _, in := range []string{"", "[]", "1", `"x"`, "null", "{", "{}", `{"hook_event_name":1}`, `{"a":}`} {
			if ev, err := h.Decode([]byte(in), env(nil)); err == nil {
				t.Errorf("%s: %q decodes to %+v", h.ID(), in, ev)
			}
		}
	}
}

func TestUnknownEventsAreKnownToBeNothingToUs(t *testing.T) {
	ev, err := claude{}.Decode([]byte(`{"hook_event_name":"WorktreeCreate","session_id":"s","name":"x"}`), env(nil))
	if err != nil || ev.Name != Other || ev.RawName != "WorktreeCreate" {
		t.Errorf("%+v, %v", ev, err)
	}
}

func TestProjectFoldersInOrder(t *testing.T) {
	ev, err := claude{}.Decode([]byte(`{"hook_event_name":"Stop","cwd":"/a","workspace_roots":["/b","/c"]}`),
		env(map[string]string{"CLAUDE_PROJECT_DIR": "/d", "CLAUDE_CODE_SESSION_ID": "s9"}))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"/b", "/c", "/d"}, ev.Roots); d != "" || ev.Cwd != "/a" {
		t.Errorf("cwd %q, roots -want +got:\n%s", ev.Cwd, d)
	}
	if ev.Session != "s9" {
		t.Errorf("session %q, want the environment's", ev.Session)
	}
}

// Rows: F23.
func TestPathsOfATool(t *testing.T) {
	for name, c := range map[string]struct {
		tool, input string
		want        []Touch
	}{
		"read":                             {"Read", `{"file_path":"/r/a.ts","limit":5}`, []Touch{{"/r/a.ts", Read}}},
		"edit":                             {"Edit", `{"file_path":"/r/a.ts","old_string":"x","new_string":"y"}`, []Touch{{"/r/a.ts", Edit}}},
		"multi-edit":                       {"MultiEdit", `{"file_path":"/r/a.ts","edits":[]}`, []Touch{{"/r/a.ts", Edit}}},
		"a new file":                       {"Write", `{"file_path":"/r/new.ts","content":"x"}`, []Touch{{"/r/new.ts", Create}}},
		"a notebook":                       {"NotebookEdit", `{"notebook_path":"/r/n.ipynb","new_source":""}`, []Touch{{"/r/n.ipynb", Edit}}},
		"a Windows path":                   {"Write", `{"file_path":"C:\\r\\src\\a.ts"}`, []Touch{{`C:\r\src\a.ts`, Create}}},
		"grep in a folder":                 {"Grep", `{"pattern":"x","path":"/r/src"}`, []Touch{{"/r/src", Search}}},
		"grep without a folder":            {"Grep", `{"pattern":"x"}`, nil},
		"glob in a folder":                 {"Glob", `{"pattern":"**/*.ts","path":"/r/src"}`, []Touch{{"/r/src", Search}}},
		"glob with a fixed part":           {"Glob", `{"pattern":"src/api/**/*.ts"}`, []Touch{{"src/api", Search}}},
		"glob with both":                   {"Glob", `{"pattern":"api/*.ts","path":"src/"}`, []Touch{{"src/api", Search}}},
		"an image":                         {"view_image", `{"path":"img/a.png"}`, []Touch{{"img/a.png", Read}}},
		"an MCP tool":                      {"mcp__fs__read", `{"path":"src/a.ts","encoding":"utf8"}`, []Touch{{"src/a.ts", Arg}}},
		"an MCP tool with a list":          {"mcp__fs__many", `{"paths":["a.ts","b.ts"],"opts":{"targetFile":"c.ts"}}`, []Touch{{"a.ts", Arg}, {"b.ts", Arg}, {"c.ts", Arg}}},
		"an MCP tool with objects":         {"mcp__fs__edit", `{"files":[{"path":"a.ts"},{"path":"b.ts"}]}`, []Touch{{"a.ts", Arg}, {"b.ts", Arg}}},
		"an MCP tool with addresses":       {"mcp__web__get", `{"uri":"https://x.test/a","file_uri":"file:///r/a.ts"}`, []Touch{{"/r/a.ts", Arg}}},
		"our own server":                   {"mcp__pathrule__get_context", `{"paths":["a.ts"]}`, nil},
		"our own server in a plugin":       {"mcp__plugin_pathrule_pathrule__get_context", `{"paths":["a.ts"]}`, nil},
		"a subagent call":                  {"Agent", `{"prompt":"read src/a.ts","path":"x"}`, nil},
		"input of another kind":            {"Read", `"x"`, nil},
		"no input":                         {"Read", `null`, nil},
		"a path that is no text":           {"Read", `{"file_path":7}`, nil},
		"patch text":                       {"apply_patch", `{"command":"*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** End Patch\n"}`, []Touch{{"a.ts", Edit}}},
		"patch as an argument list":        {"apply_patch", `{"command":["apply_patch","*** Begin Patch\n*** Add File: a.ts\n+x\n*** End Patch"]}`, []Touch{{"a.ts", Create}}},
		"patch through a shell":            {"apply_patch", `{"command":["bash","-lc","cd sub && apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a.ts\n*** End Patch\nEOF"]}`, []Touch{{"sub/a.ts", Delete}}},
		"patch under input":                {"apply_patch", `{"input":"*** Begin Patch\n*** Add File: a.ts\n*** End Patch"}`, []Touch{{"a.ts", Create}}},
		"patch as bare text":               {"apply_patch", `"*** Begin Patch\n*** Add File: a.ts\n*** End Patch"`, []Touch{{"a.ts", Create}}},
		"a command as an argument list":    {"Bash", `{"command":["cat","src/a b.ts"]}`, []Touch{{"src/a b.ts", Shell}}},
		"a shell in an argument list":      {"Bash", `{"command":["bash","-lc","cat src/a.ts | head -n 3"]}`, []Touch{{"src/a.ts", Shell}}},
		"PowerShell keeps its backslashes": {"PowerShell", `{"command":"Get-Content -Path src\\a.ts; Set-Location sub; gc 'b c.ts'"}`, []Touch{{`src\a.ts`, Shell}, {"sub/b c.ts", Shell}}},
	} {
		t.Run(name, func(t *testing.T) {
			ev, err := claude{}.Decode([]byte(`{"hook_event_name":"PreToolUse","tool_name":"`+c.tool+`","tool_input":`+c.input+`}`), env(nil))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, ev.Touches); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// Rows: F23.
func TestPatchHeaders(t *testing.T) {
	for name, c := range map[string]struct {
		text, dir string
		want      []Touch
	}{
		"every header in order": {
			"*** Begin Patch\n*** Add File: a.go\n+x\n*** Update File: b.go\n*** Move to: sub/c.go\n@@\n-x\n+y\n*** Delete File: d.go\n*** End Patch\n", "",
			[]Touch{{"a.go", Create}, {"b.go", Edit}, {"sub/c.go", Create}, {"d.go", Delete}},
		},
		"CRLF and trailing blanks": {"*** Begin Patch\r\n*** Update File: a b.go \r\n*** End Patch\r\n", "", []Touch{{"a b.go", Edit}}},
		"a patched line is no header": {
			"*** Begin Patch\n*** Update File: a.md\n+*** Add File: evil.go\n-*** Delete File: x.go\n *** Update File: y.go\n*** End Patch", "",
			[]Touch{{"a.md", Edit}},
		},
		"text after the end does not count":   {"*** Begin Patch\n*** Add File: a\n*** End Patch\n*** Add File: b\n", "", []Touch{{"a", Create}}},
		"two patches":                         {"*** Begin Patch\n*** Add File: a\n*** End Patch\n*** Begin Patch\n*** Add File: b\n*** End Patch", "", []Touch{{"a", Create}, {"b", Create}}},
		"cut off before its end":              {"*** Begin Patch\n*** Add File: a\n+x", "", []Touch{{"a", Create}}},
		"without a frame":                     {"*** Update File: a\n@@\n", "", []Touch{{"a", Edit}}},
		"below a folder":                      {"*** Begin Patch\n*** Add File: a\n*** Add File: /abs/b\n*** Add File: C:\\x\\c\n", "sub/", []Touch{{"sub/a", Create}, {"/abs/b", Create}, {`C:\x\c`, Create}}},
		"an empty name":                       {"*** Begin Patch\n*** Add File: \n*** End Patch", "", nil},
		"one file twice keeps its first turn": {"*** Begin Patch\n*** Delete File: a\n*** Add File: a\n*** End Patch", "", []Touch{{"a", Delete}}},
		"no patch at all":                     {"hello", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, patchTouches(c.text, c.dir)); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}
