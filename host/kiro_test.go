package host

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/internal/sysenv"
)

// kirodotdev/Kiro#10346, #10308: older releases send an empty prompt with every
// prompt event. It is no turn, or each would be answered.
func TestAnEmptyKiroPromptIsNoTurn(t *testing.T) {
	for payload, turn := range map[string]bool{
		`{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":""}`:    false,
		`{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":" \n"}`: false,
		`{"hook_event_name":"userPromptSubmit","prompt":""}`:                     false,
		`{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"a b"}`: true,
		`{"hook_event_name":"userPromptSubmit","prompt":"a b"}`:                  true,
	} {
		ev, err := kiro{}.Decode([]byte(payload), env(nil))
		if err != nil || ev.Name != UserPromptSubmit || ev.UserTurn != turn {
			t.Errorf("%s: %v, %s, turn %t", payload, err, ev.Name, ev.UserTurn)
		}
	}
}

func TestKiroTakesPlainTextWithinItsCapAndNothingElse(t *testing.T) {
	text := strings.Repeat("日", 10_240/3) + "x"
	if Bytes.Measure(text) != 10_240 {
		t.Fatal(Bytes.Measure(text))
	}
	for _, name := range []EventName{SessionStart, UserPromptSubmit} {
		// Whatever stands on stdout is cut at the cap, a line end too.
		if got := string(kiro{}.Encode(Event{Name: name}, Reply{Context: text, Notice: "n"})); got != text {
			t.Errorf("%s: %d bytes, want the text alone", name, len(got))
		}
		if c := (kiro{}).Cap(name); c.Max != len(text) || c.Unit != Bytes {
			t.Errorf("%s: cap %v", name, c)
		}
		if got := (kiro{}).Encode(Event{Name: name}, Reply{Notice: "n"}); got != nil {
			t.Errorf("%s: a notice would go to the model: %q", name, got)
		}
	}
}

func TestKiroToolsNameTheirPaths(t *testing.T) {
	for payload, want := range map[string][]Touch{
		`{"hook_event_name":"preToolUse","tool_name":"fs_read","tool_input":{"operations":[{"mode":"Line","path":"a.go"},{"mode":"Directory","path":"src"},{"mode":"Search","path":"lib","pattern":"x"}]}}`: {{"a.go", Read}, {"src", Search}, {"lib", Search}},
		`{"hook_event_name":"preToolUse","tool_name":"fs_write","tool_input":{"command":"create","path":"b.go","file_text":"x"}}`:                                                                           {{"b.go", Create}},
		`{"hook_event_name":"preToolUse","tool_name":"fs_write","tool_input":{"command":"append","path":"b.go","new_str":"x"}}`:                                                                             {{"b.go", Edit}},
		`{"hook_event_name":"PreToolUse","tool_name":"fs_append","tool_input":{"path":"b.go","text":"x"}}`:                                                                                                  {{"b.go", Edit}},
		`{"hook_event_name":"PreToolUse","tool_name":"delete_file","tool_input":{"targetFile":"c.go"}}`:                                                                                                     {{"c.go", Delete}},
		`{"hook_event_name":"PreToolUse","tool_name":"execute_bash","tool_input":{"command":"cat x.go /y.go","cwd":"/w"}}`:                                                                                  {{"/w/x.go", Shell}, {"/y.go", Shell}},
		`{"hook_event_name":"PreToolUse","tool_name":"execute_pwsh","tool_input":{"command":"Get-Content src\\x.go"}}`:                                                                                      {{`src\x.go`, Shell}},
		`{"hook_event_name":"PreToolUse","tool_name":"@pathrule/get_context","tool_input":{"paths":["a.go"]}}`:                                                                                              nil,
		`{"hook_event_name":"PreToolUse","tool_name":"@other/open","tool_input":{"filePath":"a.go"}}`:                                                                                                       {{"a.go", Arg}},
	} {
		ev, err := kiro{}.Decode([]byte(payload), env(nil))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, ev.Touches); d != "" {
			t.Errorf("%s: %s", payload, d)
		}
	}
}

// V3 skips a whole file for one member that it does not know, and counts
// time-outs in seconds; V2 counts them in milliseconds.
func TestTheKiroHookFileHoldsItsSchemaAndNothingElse(t *testing.T) {
	argv := []string{"/home/my user/it's/pathrule-hook", "--host", "kiro"}
	own := kiro{}.OwnFiles(User, "/r", argv, env(nil))
	if len(own) != 1 || filepath.ToSlash(own[0].Path) != "/home/dev/.kiro/hooks/pathrule.json" || own[0].Exec {
		t.Fatalf("%v", own)
	}
	dec := json.NewDecoder(strings.NewReader(string(own[0].Data)))
	dec.DisallowUnknownFields()
	type action struct {
		Type    string `json:"type"`
		Command string `json:"command"`
	}
	type hook struct {
		Name    string `json:"name"`
		Trigger string `json:"trigger"`
		Action  action `json:"action"`
		Timeout int    `json:"timeout"`
		Enabled bool   `json:"enabled"`
	}
	var got struct {
		Version string `json:"version"`
		Hooks   []hook `json:"hooks"`
	}
	if err := dec.Decode(&got); err != nil {
		t.Fatal(err)
	}
	a := action{"command", `'/home/my user/it'\''s/pathrule-hook' --host kiro`}
	want := []hook{{"pathrule setup: SessionStart", "SessionStart", a, 10, true}, {"pathrule setup: UserPromptSubmit", "UserPromptSubmit", a, 10, true}}
	if d := cmp.Diff(want, got.Hooks); d != "" || got.Version != "v1" {
		t.Errorf("version %s: %s", got.Version, d)
	}
	project := string(kiro{}.OwnFiles(Project, "/r", []string{"pathrule-hook", "--host", "kiro"}, env(nil))[0].Data)
	if !strings.Contains(project, `"command": "pathrule-hook --host kiro; exit 0"`) || strings.Contains(project, "/home") {
		t.Errorf("the committed file has to be silent without pathrule, and to hold no path:\n%s", project)
	}
	windows := string(kiro{}.OwnFiles(User, "", []string{"C:/My Tools/pathrule-hook.exe", "--host", "kiro"}, sysenv.Env{UserHome: "/u", GOOS: "windows"})[0].Data)
	if !strings.Contains(windows, `"command": "\"C:\\My Tools\\pathrule-hook.exe\" --host kiro"`) {
		t.Error(windows)
	}
}

// A23: whatever stands in a path, the shell hands it on as it is.
func TestWordsForAShellArriveWhole(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs sh")
	}
	words := []string{"plain", "two words", "it's", `a"b`, "$HOME", "`id`", `back\slash`, "", "*", "~", "new\nline", "日本語", "-x", "a;b&c|d>e", "!x", "#y"}
	out, err := exec.Command(sh, "-c", commandLine(append([]string{"printf", "%s\\0"}, words...), "linux")).Output()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Join(words, "\x00")+"\x00", string(out)); d != "" {
		t.Error(d)
	}
}
