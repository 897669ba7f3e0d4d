package demo

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pathrule/internal/sysenv"
)

// TestMain lets copies of the test binary stand in for pathrule: what they do
// wrong follows from their name.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		fake(strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), os.Args[1:])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fake answers as a pathrule does; it remembers what it told in the home that
// the demo gave it.
func fake(name string, args []string) {
	say := func(v any) { b, _ := json.Marshal(v); fmt.Println(string(b)) }
	switch args[0] {
	case "init":
		n := 3
		if name == "empty" {
			n = 0
		}
		say(map[string]any{"data": map[string]any{"entries": n, "files": 7}})
	case "explain":
		say(map[string]any{"data": map[string]any{"items": []any{map[string]any{"kind": "rule", "id": "r", "form": "body", "why": []any{}}}}})
	case "hook":
		in, _ := io.ReadAll(os.Stdin)
		var ev struct {
			HookEventName string `json:"hook_event_name"`
			ToolInput     struct {
				FilePath string `json:"file_path"`
			} `json:"tool_input"`
		}
		_ = json.Unmarshal(in, &ev)
		mark := filepath.Join(os.Getenv("PATHRULE_HOME"), strings.NewReplacer("/", "_", `\`, "_", ":", "_").Replace(ev.HookEventName+ev.ToolInput.FilePath))
		_, err := os.Stat(mark)
		if name == "silent" || name == "hangs" && ev.HookEventName == "UserPromptSubmit" && wait() || err == nil && name != "repeats" {
			return
		}
		_ = os.MkdirAll(filepath.Dir(mark), 0o700)
		_ = os.WriteFile(mark, nil, 0o600)
		say(map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": ev.HookEventName, "additionalContext": "wanted words"}})
	case "mcp":
		for sc := bufio.NewScanner(os.Stdin); sc.Scan(); {
			var m struct {
				ID     *int
				Method string
				Params struct{ Name string }
			}
			_ = json.Unmarshal(sc.Bytes(), &m)
			if m.ID == nil {
				continue
			}
			res := map[string]any{"serverInfo": map[string]any{"name": "fake"}, "tools": []any{map[string]any{"name": "a"}},
				"content": []any{map[string]any{"type": "text", "text": "wanted words"}}, "isError": name == "refuses" && m.Params.Name == "write_memory"}
			say(map[string]any{"jsonrpc": "2.0", "id": *m.ID, "result": res})
		}
	case "compile":
		if name == "stale" && args[len(args)-1] == "--check" {
			os.Exit(3)
		}
		_ = os.WriteFile("rules.md", []byte("wanted"), 0o600)
		say(map[string]any{"data": map[string]any{"files": []any{map[string]any{"path": "a.txt"}, map[string]any{"path": "rules.md"}}}})
	}
}

func wait() bool { time.Sleep(time.Minute); return true }

var script = Script{Prompt: "p", PromptWants: []string{"wanted words"}, Read: "a.txt", ReadWants: []string{"wanted"}, Edit: "b.txt",
	EditWants: []string{"wanted"}, Question: "q", AnswerWants: []string{"wanted"}, NewTitle: "wanted", NewBody: "b", NewPath: "c.txt", Target: "windsurf"}

// play runs the demo with a fake of this name and reports what is left behind.
func play(t *testing.T, ctx context.Context, name string, keep bool) (Result, []string, error) {
	t.Helper()
	tmp := t.TempDir()
	// A program with the race detector in it sleeps for a second at its end.
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	t.Setenv("TMPDIR", tmp)
	t.Setenv("TEMP", tmp)
	t.Setenv("TMP", tmp)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	self := filepath.Join(t.TempDir(), name)
	if strings.HasSuffix(exe, ".exe") {
		self += ".exe"
	}
	if err := os.Link(exe, self); err != nil {
		b, err := os.ReadFile(exe)
		if err == nil {
			err = os.WriteFile(self, b, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	project := fstest.MapFS{".pathrule/memories/a.md": {Data: []byte("a")}, "a.txt": {Data: []byte("a")}, "b.txt": {Data: []byte("b")}}
	res, err := Run(ctx, Options{Project: project, Script: script, Self: self, Keep: keep, Env: sysenv.FromOS()})
	var left []string
	entries, _ := os.ReadDir(tmp)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	return res, left, err
}

func TestDemoPassesAndLeavesNothing(t *testing.T) {
	res, left, err := play(t, t.Context(), "good", false)
	if err != nil {
		t.Fatalf("%v\n%+v", err, res)
	}
	if len(res.Steps) != 9 || len(left) > 0 || res.Folder != "" {
		t.Errorf("%d steps, folder %q, left behind %v", len(res.Steps), res.Folder, left)
	}
}

func TestDemoKeepsItsFolderWhenAsked(t *testing.T) {
	res, left, err := play(t, t.Context(), "good", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(res.Folder, "a.txt")); err != nil || len(left) != 1 {
		t.Errorf("folder %q: %v, left %v", res.Folder, err, left)
	}
}

func TestDemoFailsWhenAStepDoesNotDeliver(t *testing.T) {
	for name, step := range map[string]string{
		"empty":   "index the workspace",
		"silent":  "Claude Code starts a session",
		"repeats": "the same again",
		"refuses": "an assistant talks to the server over MCP",
		"stale":   "rule files for a client without hooks",
	} {
		t.Run(name, func(t *testing.T) {
			res, left, err := play(t, t.Context(), name, false)
			if !errors.Is(err, ErrFailed) || !strings.Contains(err.Error(), step) {
				t.Fatalf("err = %v, want the step %q", err, step)
			}
			if last := res.Steps[len(res.Steps)-1]; last.OK || last.Problem == "" {
				t.Errorf("last step %+v", last)
			}
			if len(left) > 0 {
				t.Errorf("left behind %v", left)
			}
		})
	}
}

func TestInterruptedDemoLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	_, left, err := play(t, ctx, "hangs", false)
	if !errors.Is(err, context.Canceled) || len(left) > 0 {
		t.Errorf("err = %v, left behind %v", err, left)
	}
}

func TestTheFormIsReadFromWhatWasDelivered(t *testing.T) {
	text := "Background notes for the task above (a.ts):\n" +
		"Memory (a.ts): Quoted whole [memory:quoted]\n--- 0123456789abcdef\nSee [rule:quoted-within].\n--- 0123456789abcdef\n" +
		"- Rule, low (web/**): In one line [rule:line]: Its first words\n" +
		"Memory (b.ts): Its title is its id\n--- fedcba9876543210\nText about a plain name.\n--- fedcba9876543210\n" +
		"More: Named [memory:named]; Another [memory:other]\n" +
		"Skills that fit, loaded by writing ::name in a prompt: deploy (Put it on the server)\n"
	for ref, want := range map[string]string{"memory:quoted": "body", "rule:line": "card", "memory:named": "name",
		"memory:other": "name", "memory:its-title-is-its-id": "body", "memory:a-plain-name": "", "skill:deploy": "name", "memory:absent": "", "rule:quoted-within": ""} {
		if got := formIn(text, ref); got != want {
			t.Errorf("%s: %q, want %q", ref, got, want)
		}
	}
}
