package host

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOpenCodeToolsNameTheirPaths(t *testing.T) {
	for in, want := range map[string][]Touch{
		`"tool":"read","args":{"filePath":"/p/a.go","offset":1}`:                                            {{"/p/a.go", Read}},
		`"tool":"edit","args":{"filePath":"src/a.go","oldString":"x","newString":"y"}`:                      {{"src/a.go", Edit}},
		`"tool":"write","args":{"filePath":"src/a.go","content":"x"}`:                                       {{"src/a.go", Create}},
		`"tool":"apply_patch","args":{"patchText":"*** Begin Patch\n*** Delete File: a.go\n*** End Patch"}`: {{"a.go", Delete}},
		`"tool":"bash","args":{"command":"cat a.go /b.go","workdir":"sub"}`:                                 {{"sub/a.go", Shell}, {"/b.go", Shell}},
		`"tool":"grep","args":{"pattern":"x","path":"src"}`:                                                 {{"src", Search}},
		`"tool":"glob","args":{"pattern":"src/api/**/*.ts"}`:                                                {{"src/api", Search}},
		`"tool":"list","args":{"path":"/p/src"}`:                                                            {{"/p/src", Search}},
		`"tool":"pathrule_get_context","args":{"paths":["a.go"]}`:                                           nil,
		`"tool":"task","args":{"prompt":"read a.go","subagent_type":"general"}`:                             nil,
		`"tool":"other_open","args":{"file_path":"a.go"}`:                                                   {{"a.go", Arg}},
	} {
		ev, err := opencode{}.Decode([]byte(`{"hook":"tool.execute.after","directory":"/p","input":{"sessionID":"s","callID":"c",`+in+`}}`), env(nil))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, ev.Touches); d != "" || ev.Cwd != "/p" || ev.Name != PostToolUse {
			t.Errorf("%s: %+v\n%s", in, ev, d)
		}
	}
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// "opencode run" puts quotes around the prompt; those of the user stay.
func TestQuotesAroundAnOpenCodePromptGo(t *testing.T) {
	for text, want := range map[string]string{
		`"Fix it"`: "Fix it", `say "x"`: `say "x"`, `"a" or "b"`: `"a" or "b"`, `"`: `"`, `""`: "", "": "", `"/review src"`: "review src",
	} {
		b := []byte(`{"hook":"chat.message","input":{"sessionID":"s"},"output":{"parts":[{"type":"file","url":"x"},{"type":"text","text":"hidden","synthetic":true},{"type":"text","text":""},{"type":"text","text":` + string(mustJSON(text)) + `}]}}`)
		ev, err := opencode{}.Decode(b, env(nil))
		if err != nil || ev.Prompt != want || ev.UserTurn != (want != "") {
			t.Errorf("%s: %q, turn %t, %v", text, ev.Prompt, ev.UserTurn, err)
		}
	}
}

func TestASlotIsAnsweredOnlyWhereThereIsOne(t *testing.T) {
	r := Reply{Context: "c", Slot: Slot{Action: Replace, ID: "1f", Text: "a \"b\"\n"}, Guard: true}
	with := Event{Name: UserPromptSubmit, Slot: true}
	if got, want := string(opencode{}.Encode(with, r)), `{"slot":{"action":"replace","id":"1f","text":"a \"b\"\n"},"context":"c","guard":true}`+"\n"; got != want {
		t.Errorf("got %s", got)
	}
	if got, want := string(opencode{}.Encode(with, Reply{Slot: Slot{Action: Clear}})), `{"slot":{"action":"clear"}}`+"\n"; got != want {
		t.Errorf("got %s", got)
	}
	for _, name := range []EventName{PostToolUse, SubagentStart, PreCompact} {
		if got := (opencode{}).Encode(Event{Name: name}, Reply{Slot: r.Slot}); got != nil {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// The user's configuration may be JSONC under its own name.
func TestTheOpenCodeMCPFileIsTheOneThatIsThere(t *testing.T) {
	dir := t.TempDir()
	e := env(map[string]string{"OPENCODE_CONFIG_DIR": dir})
	check := func(want string) {
		t.Helper()
		for _, scope := range []Scope{User, Project} {
			f, ok := opencode{}.MCPFile(scope, dir, e)
			if !ok || filepath.Base(f.Path) != want || filepath.Dir(f.Path) != dir || f.Format != "json" {
				t.Errorf("%s: %v, %t, want %s", scope, f, ok, want)
			}
		}
	}
	check("opencode.json")
	os.WriteFile(filepath.Join(dir, "opencode.jsonc"), []byte("{}"), 0o600)
	check("opencode.jsonc")
	os.WriteFile(filepath.Join(dir, "opencode.json"), []byte("{}"), 0o600)
	check("opencode.json")
	w := opencode{}.Wiring()
	if w.MCPTable != "mcp" || w.MCPType != "local" || !w.MCPList || w.MCPEnv != "environment" || len(w.MCPExtra) != 1 || w.MCPExtra[0] != (Member{"enabled", true}) {
		t.Errorf("%+v", w)
	}
	if got := (opencode{}).Tool("get_context"); got != "pathrule_get_context" {
		t.Error(got)
	}
}

// Every sample is an event of its client, with the file where the event names
// one: doctor tries commands with them.
func TestSamplesDecodeAsTheirEvent(t *testing.T) {
	for _, h := range []Host{opencode{}, kiro{}, windsurf{}, cline{}} {
		for _, r := range h.Registrations() {
			ev, err := h.Decode(h.Sample(r, "sess", "/p", "/p/a.go"), env(nil))
			if err != nil || ev.Name != r.Canonical() || ev.Session != "sess" {
				t.Errorf("%s %s: %+v, %v", h.ID(), r.Event, ev, err)
			}
			if r.Canonical() == PreToolUse && (len(ev.Touches) != 1 || ev.Touches[0].Path != "/p/a.go") {
				t.Errorf("%s %s touches %v", h.ID(), r.Event, ev.Touches)
			}
		}
	}
}
