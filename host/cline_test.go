package host

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/internal/sysenv"
)

// One call in both dialects: the extension's map of texts, whose lists are JSON
// inside a text, and the CLI's typed call beside such a map.
func TestClineCallsMeanTheSameInBothDialects(t *testing.T) {
	for name, c := range map[string]struct {
		tool, typed string
		texts       string
		want        []Touch
	}{
		"read":        {"read_files", `{"files":[{"path":"/p/a.go","start_line":1},{"path":"b.go"}]}`, `{"files":"[{\"path\":\"/p/a.go\",\"start_line\":1},{\"path\":\"b.go\"}]"}`, []Touch{{"/p/a.go", Read}, {"b.go", Read}}},
		"older read":  {"read_files", `{"file_paths":["a.go"],"paths":["b.go"]}`, `{"file_paths":"[\"a.go\"]","paths":"[\"b.go\"]"}`, []Touch{{"a.go", Read}, {"b.go", Read}}},
		"edit":        {"editor", `{"path":"a.go","old_text":"x","new_text":"[1]"}`, `{"path":"a.go","old_text":"x","new_text":"[1]"}`, []Touch{{"a.go", Edit}}},
		"insert":      {"editor", `{"path":"a.go","insert_line":3,"new_text":"y"}`, `{"path":"a.go","insert_line":"3","new_text":"y"}`, []Touch{{"a.go", Edit}}},
		"new file":    {"editor", `{"path":"a.go","new_text":"y"}`, `{"path":"a.go","new_text":"y"}`, []Touch{{"a.go", Create}}},
		"patch":       {"apply_patch", `{"input":"*** Begin Patch\n*** Update File: a.go\n*** Add File: b.go\n*** End Patch"}`, `{"input":"*** Begin Patch\n*** Update File: a.go\n*** Add File: b.go\n*** End Patch"}`, []Touch{{"a.go", Edit}, {"b.go", Create}}},
		"commands":    {"run_commands", `{"commands":["cat a.go","cd sub && cat b.go"]}`, `{"commands":"[\"cat a.go\",\"cd sub && cat b.go\"]"}`, []Touch{{"a.go", Shell}, {"sub/b.go", Shell}}},
		"old command": {"execute_command", `{"command":"cat a.go"}`, `{"command":"cat a.go"}`, []Touch{{"a.go", Shell}}},
		"old write":   {"write_to_file", `{"path":"a.go","content":"x"}`, `{"path":"a.go","content":"x"}`, []Touch{{"a.go", Create}}},
		"our server":  {"use_mcp_tool", `{"server_name":"pathrule","arguments":{"path":"a.go"}}`, `{"server_name":"pathrule","arguments":"{\"path\":\"a.go\"}"}`, nil},
		"a server":    {"use_mcp_tool", `{"server_name":"x","arguments":{"path":"a.go"}}`, `{"server_name":"x","arguments":"{\"path\":\"a.go\"}"}`, []Touch{{"a.go", Arg}}},
	} {
		for dialect, payload := range map[string]string{
			"extension": `{"hookName":"PreToolUse","taskId":"t","workspaceRoots":["/p"],"preToolUse":{"toolName":"` + c.tool + `","parameters":` + c.texts + `}}`,
			"CLI":       `{"hookName":"tool_call","taskId":"t","workspaceRoots":["/p"],"agent_id":"a","parent_agent_id":null,"tool_call":{"id":"c1","name":"` + c.tool + `","input":` + c.typed + `},"preToolUse":{"toolName":"` + c.tool + `","parameters":{}}}`,
		} {
			ev, err := cline{}.Decode([]byte(payload), env(nil))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, ev.Touches); d != "" || ev.Name != PreToolUse || ev.Session != "t" || ev.Agent != "" {
				t.Errorf("%s, %s: %+v\n%s", name, dialect, ev, d)
			}
		}
	}
}

// proto3 leaves defaults out: no "success" is a failure.
func TestAClineToolWithoutSuccessFailed(t *testing.T) {
	for payload, want := range map[string]EventName{
		`{"hookName":"PostToolUse","taskId":"t","postToolUse":{"toolName":"editor","success":true}}`:                          PostToolUse,
		`{"hookName":"PostToolUse","taskId":"t","postToolUse":{"toolName":"editor"}}`:                                         PostToolUseFailure,
		`{"hookName":"tool_result","taskId":"t","tool_result":{"name":"editor","error":"no"},"postToolUse":{"success":true}}`: PostToolUseFailure,
		`{"hookName":"tool_result","taskId":"t","tool_result":{"name":"editor","error":null},"postToolUse":{"success":true}}`: PostToolUse,
		`{"hookName":"agent_start","taskId":"t","agent_id":"b","parent_agent_id":"a"}`:                                        SubagentStart,
		`{"hookName":"UserPromptSubmit","taskId":"t","userPromptSubmit":{}}`:                                                  UserPromptSubmit,
		`{"hookName":"a hook of tomorrow","taskId":"t"}`:                                                                      Other,
	} {
		ev, err := cline{}.Decode([]byte(payload), env(nil))
		if err != nil || ev.Name != want {
			t.Errorf("%s: %s, %v, want %s", payload, ev.Name, err, want)
		}
		if ev.Name == UserPromptSubmit && ev.UserTurn {
			t.Error("a prompt event without a prompt is no turn")
		}
	}
	sub, err := cline{}.Decode([]byte(`{"hookName":"tool_call","taskId":"t","agent_id":"b","parent_agent_id":"a","tool_call":{"name":"editor","input":{"path":"x"}}}`), env(nil))
	if err != nil || sub.Agent != "b" {
		t.Errorf("a subagent's call is %+v, %v", sub, err)
	}
}

// "cancel" ends the whole run and the model is not told why; "shouldContinue"
// makes the answer invalid.
func TestClineIsNeverToldToStop(t *testing.T) {
	for _, name := range []EventName{PreToolUse, PostToolUse, PostToolUseFailure, UserPromptSubmit, Stop} {
		if out, ok := (cline{}).Refuse(Event{Name: name}, "no"); ok || out.Stdout != nil || out.Exit != 0 {
			t.Errorf("%s is refused: %v", name, out)
		}
		b := cline{}.Encode(Event{Name: name}, Reply{Context: "x"})
		if b == nil {
			continue
		}
		var got map[string]any
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(map[string]any{"cancel": false, "contextModification": "x", "errorMessage": ""}, got); d != "" {
			t.Error(d)
		}
	}
}

func TestTheClineScriptIsNamedAfterItsEvent(t *testing.T) {
	argv := []string{"/opt/my tools/pathrule-hook", "--host", "cline"}
	path := func(o []OwnFile) string {
		t.Helper()
		if len(o) != 1 {
			t.Fatalf("%d files", len(o))
		}
		return filepath.ToSlash(o[0].Path)
	}
	if got := path(cline{}.OwnFiles(User, "/r", argv, env(nil))); got != "/home/dev/Documents/Cline/Hooks/PreToolUse" {
		t.Error(got)
	}
	root := t.TempDir()
	if got := path(cline{}.OwnFiles(Project, root, argv, env(nil))); got != filepath.ToSlash(root)+"/.clinerules/hooks/PreToolUse" {
		t.Error(got)
	}
	// One file named .clinerules leaves no room for a folder of that name.
	if err := os.WriteFile(filepath.Join(root, ".clinerules"), []byte("rules"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := path(cline{}.OwnFiles(Project, root, argv, env(nil))); got != filepath.ToSlash(root)+"/.cline/hooks/PreToolUse" {
		t.Error(got)
	}
	win := sysenv.Env{UserHome: "/home/dev", GOOS: "windows"}
	o := cline{}.OwnFiles(User, "/r", []string{`C:\it's\pathrule-hook.exe`, "--host", "cline"}, win)
	if got := path(o); got != "/home/dev/Documents/Cline/Hooks/PreToolUse.ps1" || o[0].Exec {
		t.Error(got)
	}
	if text := string(o[0].Data); !strings.Contains(text, `& 'C:\it''s\pathrule-hook.exe' '--host' 'cline'`) || !strings.HasSuffix(text, "exit 0\n") || !strings.HasPrefix(text, `# Written by "pathrule setup"`) {
		t.Error(text)
	}
}

// The script runs as Cline runs it: by its path, the event on stdin. It hands
// the event on, and is silent with code 0 where the program is missing.
func TestTheClineScriptRuns(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs sh")
	}
	dir := t.TempDir()
	prog := filepath.Join(dir, "it's $HOME", "pathrule-hook")
	if err := os.MkdirAll(filepath.Dir(prog), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(prog, []byte("#!/bin/sh\necho \"$@\"\ncat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(argv []string, scope Scope, vars ...string) (string, string) {
		t.Helper()
		o := cline{}.OwnFiles(scope, dir, argv, sysenv.Env{UserHome: dir, GOOS: "linux"})[0]
		if !o.Exec {
			t.Fatal("not executable")
		}
		if err := os.MkdirAll(filepath.Dir(o.Path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(o.Path, o.Data, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(o.Path)
		cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}, vars...)
		cmd.Stdin = strings.NewReader(`{"hookName":"PreToolUse"}`)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil {
			t.Errorf("%v: %s", err, errs.String())
		}
		return out.String(), errs.String()
	}
	want := "--host cline\n" + `{"hookName":"PreToolUse"}`
	if out, errs := run([]string{prog, "--host", "cline"}, User); out != want || errs != "" {
		t.Errorf("%q, stderr %q", out, errs)
	}
	if out, errs := run([]string{filepath.Join(dir, "gone"), "--host", "cline"}, User); out != "" || errs != "" {
		t.Errorf("without the program: %q, stderr %q", out, errs)
	}
	if out, errs := run([]string{"pathrule-hook-nobody-has", "--host", "cline"}, Project); out != "" || errs != "" {
		t.Errorf("without the program: %q, stderr %q", out, errs)
	}
	// An editor with a short PATH finds what setup linked below the home.
	bin := filepath.Join(dir, ".pathrule", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(prog, filepath.Join(bin, "pathrule-hook-linked")); err != nil {
		t.Skip(err)
	}
	if out, errs := run([]string{"pathrule-hook-linked", "--host", "cline"}, Project); out != want || errs != "" {
		t.Errorf("linked: %q, stderr %q", out, errs)
	}
}
