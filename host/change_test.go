package host

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/internal/sysenv"
)

// Every recorded payload of an edit gives what it puts into the file, whatever
// the client calls things.
func TestChangesOfEveryClientsEdits(t *testing.T) {
	const orders = "/home/dev/shop/internal/orders/"
	handler := Change{Path: orders + "handler.go", Old: "return nil", New: "return refund(o)"}
	refund := Change{Path: orders + "refund.go", New: "package orders\n", Whole: true}
	rel := func(c Change) Change { c.Path = strings.TrimPrefix(c.Path, "/home/dev/shop/"); return c }
	tests := map[string]Change{
		`{"tool_name":"Edit","tool_input":{"file_path":"` + orders + `handler.go","old_string":"return nil","new_string":"return refund(o)"}}`:                                handler,
		`{"toolName":"edit","toolArgs":{"path":"` + orders + `handler.go","old_str":"return nil","new_str":"return refund(o)"}}`:                                              handler,
		`{"toolName":"edit","toolArgs":"{\"path\":\"` + orders + `handler.go\",\"old_str\":\"return nil\",\"new_str\":\"return refund(o)\"}"}`:                                handler,
		`{"toolName":"create","toolArgs":{"path":"` + orders + `refund.go","file_text":"package orders\n"}}`:                                                                  refund,
		`{"tool_name":"replace","tool_input":{"file_path":"` + orders + `handler.go","instruction":"x","old_string":"return nil","new_string":"return refund(o)"}}`:           handler,
		`{"tool_name":"write_file","tool_input":{"file_path":"` + orders + `refund.go","content":"package orders\n"}}`:                                                        refund,
		`{"tool_name":"fs_write","tool_input":{"command":"str_replace","path":"internal/orders/handler.go","old_str":"return nil","new_str":"return refund(o)"}}`:             rel(handler),
		`{"tool_name":"fs_write","tool_input":{"path":"internal/orders/refund.go","text":"package orders\n"}}`:                                                                rel(refund),
		`{"tool_name":"fs_write","tool_input":{"command":"append","path":"a","new_str":"x"}}`:                                                                                 {Path: "a", New: "x", Added: true},
		`{"tool_name":"str_replace","tool_input":{"path":"internal/orders/handler.go","oldStr":"return nil","newStr":"return refund(o)"}}`:                                    rel(handler),
		`{"input":{"tool":"edit"},"output":{"args":{"filePath":"` + orders + `handler.go","oldString":"return nil","newString":"return refund(o)"}}}`:                         handler,
		`{"input":{"tool":"write"},"output":{"args":{"filePath":"` + orders + `refund.go","content":"package orders\n"}}}`:                                                    refund,
		`{"agent_action_name":"pre_write_code","tool_info":{"file_path":"` + orders + `handler.go","edits":[{"old_string":"return nil","new_string":"return refund(o)"}]}}`:   handler,
		`{"hook_event_name":"afterFileEdit","file_path":"` + orders + `handler.go","edits":[{"old_string":"return nil","new_string":"return refund(o)"}]}`:                    handler,
		`{"hookName":"PreToolUse","preToolUse":{"toolName":"editor","parameters":{"path":"` + orders + `handler.go","old_text":"return nil","new_text":"return refund(o)"}}}`: handler,
		`{"hookName":"tool_call","tool_call":{"name":"editor","input":{"path":"` + orders + `handler.go","old_text":"return nil","new_text":"return refund(o)"}}}`:            handler,
		`{"tool_name":"editor","tool_input":{"path":"a","insert_line":3,"new_text":"x"}}`:                                                                                     {Path: "a", New: "x", Added: true},
		`{"tool_name":"replace_in_file","tool_input":{"path":"a","diff":"------- SEARCH\nold\n=======\nnew\n+++++++ REPLACE\n"}}`:                                             {Path: "a", Old: "old\n", New: "new\n"},
		`{"tool_name":"replace_string_in_file","tool_input":{"filePath":"a","oldString":"o","newString":"n"}}`:                                                                {Path: "a", Old: "o", New: "n"},
		`{"tool_name":"multi_replace_string_in_file","tool_input":{"replacements":[{"filePath":"a","oldString":"o","newString":"n"}]}}`:                                       {Path: "a", Old: "o", New: "n"},
		`{"tool_name":"insert_edit_into_file","tool_input":{"filePath":"a","code":"// ...existing code...\nx\n"}}`:                                                            {Path: "a", New: "// ...existing code...\nx\n", Whole: true},
		`{"tool_name":"write_to_file","tool_input":{"TargetFile":"a","CodeContent":"x"}}`:                                                                                     {Path: "a", New: "x", Whole: true},
		`{"tool_name":"MultiEdit","tool_input":{"file_path":"a","edits":[{"old_string":"o","new_string":"n"}]}}`:                                                              {Path: "a", Old: "o", New: "n"},
		`{"tool_name":"NotebookEdit","tool_input":{"notebook_path":"a","cell_id":"c","new_source":"x","edit_mode":"replace"}}`:                                                {Path: "a", New: "x", Cell: "c"},
		`{"tool_name":"NotebookEdit","tool_input":{"notebook_path":"a","cell_id":"c","new_source":"x","edit_mode":"insert"}}`:                                                 {Path: "a", New: "x", Added: true},
		`{"tool_name":"edit_notebook_file","tool_input":{"filePath":"a","cellId":"#1","editType":"edit","newCode":"x"}}`:                                                      {Path: "a", New: "x", Cell: "#1"},
		`{"tool_name":"edit_notebook_file","tool_input":{"filePath":"a","cellId":"TOP","editType":"insert","newCode":["x","y"]}}`:                                             {Path: "a", New: "x\ny", Added: true},
		`{"tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: a\n@@\n-o\n+n\n*** End Patch"}}`:                                               {Path: "a", New: "n", Added: true},
		`{"tool_name":"apply_patch","tool_input":{"input":"*** Begin Patch\n*** Add File: a\n+n\n*** End Patch"}}`:                                                            {Path: "a", New: "n", Added: true},
		`{"tool":"apply_patch","args":{"patchText":"*** Begin Patch\n*** Add File: a\n+n\n*** End Patch"}}`:                                                                   {Path: "a", New: "n", Added: true},
		`{"tool_name":"apply_patch","tool_input":"*** Begin Patch\n*** Add File: a\n+n\n*** End Patch"}`:                                                                      {Path: "a", New: "n", Added: true},
		`{"tool_name":"Bash","tool_input":{"command":["bash","-lc","cd d && apply_patch <<'E'\n*** Begin Patch\n*** Add File: a\n+n\n*** End Patch\nE"]}}`:                    {Path: "d/a", New: "n", Added: true},
	}
	for payload, want := range tests {
		if diff := cmp.Diff([]Change{want}, Changes([]byte(payload), sysenv.Env{GOOS: "linux"})); diff != "" {
			t.Errorf("%s\n%s", payload, diff)
		}
	}
	for _, payload := range []string{
		`{"tool_name":"Read","tool_input":{"file_path":"a"}}`,
		`{"tool_name":"Bash","tool_input":{"command":"ls"}}`,
		`{"tool_name":"NotebookEdit","tool_input":{"notebook_path":"a","cell_id":"c","new_source":"","edit_mode":"delete"}}`,
		`{"tool_name":"edit_notebook_file","tool_input":{"filePath":"a","cellId":"#1","editType":"delete","newCode":"x"}}`,
		`{"tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Delete File: a\n*** End Patch"}}`,
		`{`, `[]`, ``,
	} {
		if got := Changes([]byte(payload), sysenv.Env{GOOS: "linux"}); got != nil {
			t.Errorf("%s: %+v", payload, got)
		}
	}
}

// A payload that was recorded with an edit in it is never without its change.
func TestRecordedEditsHaveChanges(t *testing.T) {
	for _, h := range All() {
		files, _ := filepath.Glob("testdata/*/" + h.ID() + "/*.json")
		n := 0
		for _, f := range files {
			payload, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			ev, err := h.Decode(payload, env(nil))
			if err != nil || ev.Name != PreToolUse {
				continue
			}
			edit := false
			for _, touch := range ev.Touches {
				edit = edit || touch.Op == Edit || touch.Op == Create
			}
			if !edit || Command(payload) != "" {
				continue
			}
			n++
			changes := Changes(payload, env(nil))
			if len(changes) == 0 && !strings.Contains(string(payload), "Delete File") {
				t.Errorf("%s: an edit without a change: %s", f, payload)
			}
			for _, c := range changes {
				if c.New == "" || c.Path == "" {
					t.Errorf("%s: %+v", f, c)
				}
			}
		}
		t.Logf("%s: %d edits", h.ID(), n)
	}
}

func TestPatchKeepsItsRunsApart(t *testing.T) {
	patch := strings.Join([]string{
		"*** Begin Patch",
		"*** Update File: a.go", "@@ func x", "+one", "-gone", "+two", " kept", "+three", "",
		"@@", " moved", "-again", "+again", "+new",
		"*** Update File: b.go", "*** Move to: c.go", "+four",
		"*** Delete File: d.go",
		"*** Add File: e.go", "+*** Update File: fake.go", "+five",
		"*** End Patch",
		"+behind the end",
	}, "\n")
	want := []Change{
		{Path: "w/a.go", New: "one\ntwo", Added: true},
		{Path: "w/a.go", New: "three", Added: true},
		{Path: "w/a.go", New: "new", Added: true},
		{Path: "w/c.go", New: "four", Added: true},
		{Path: "w/e.go", New: "*** Update File: fake.go\nfive", Added: true},
	}
	if diff := cmp.Diff(want, patchChanges(patch, "w")); diff != "" {
		t.Error(diff)
	}
}

func TestCommandOfEveryClientsShell(t *testing.T) {
	for payload, want := range map[string]string{
		`{"tool_input":{"command":"go test ./..."}}`:                                   "go test ./...",
		`{"tool_input":{"command":["bash","-lc","go test ./..."]}}`:                    "go test ./...",
		`{"tool_input":{"command":["go","test"]}}`:                                     "go test",
		`{"tool_info":{"command_line":"go test","cwd":"/x"}}`:                          "go test",
		`{"command":"go test","cwd":""}`:                                               "go test",
		`{"preToolUse":{"parameters":{"commands":"[\"go test\",\"ls\"]"}}}`:            "go test\nls",
		`{"tool_input":{"command":"create","path":"a","file_text":"x"}}`:               "",
		`{"tool_input":{"command":"*** Begin Patch\n*** Add File: a\n*** End Patch"}}`: "",
		`{"tool_input":{"file_path":"a"}}`:                                             "",
		`{`:                                                                            "",
	} {
		if got := Command([]byte(payload)); got != want {
			t.Errorf("%s: %q, want %q", payload, got, want)
		}
	}
}

// Added lines stand in the patch behind a "+", in its order, under a path that a
// header names; and no payload breaks the reader.
func FuzzPatchChanges(f *testing.F) {
	for _, s := range []string{
		"*** Begin Patch\n*** Update File: a\n@@\n-o\n+n\n c\n+m\n*** End Patch",
		"*** Begin Patch\n*** Add File: a\r\n+x\r\n*** Move to: b\n+y",
		"*** Update File: a\n+x\n*** Update File: \n+y",
		"+\n*** Begin Patch\n+",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rest := text
		for _, c := range patchChanges(text, "") {
			if c.Path == "" || !c.Added || !strings.Contains(text, c.Path) {
				t.Fatalf("%+v", c)
			}
			for line := range strings.SplitSeq(c.New, "\n") {
				i := strings.Index(rest, "+"+line)
				if i < 0 {
					t.Fatalf("%q is added nowhere", line)
				}
				rest = rest[i+1:]
			}
		}
		b, err := json.Marshal(map[string]any{"tool_input": map[string]any{"command": "apply_patch <<'E'\n" + text + "\nE"}})
		if err == nil {
			Changes(b, sysenv.Env{GOOS: "linux"})
			Command(b)
		}
		Changes([]byte(text), sysenv.Env{GOOS: "windows"})
		Command([]byte(text))
	})
}
