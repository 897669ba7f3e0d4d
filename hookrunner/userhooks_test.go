package hookrunner_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pathrule/guard/hookfile"
	"pathrule/hookrunner"
)

const hooksFor = `{"version":1,"hooks":[{"event":"EVENT","actions":[{"type":"inject","entries":["x"]}]}]}`

// hooks writes a project's file of hooks and trusts it.
func (w *world) hooks(event string) {
	w.t.Helper()
	raw := []byte(strings.Replace(hooksFor, "EVENT", event, 1))
	w.write(".pathrule/hooks.json", string(raw))
	if err := hookfile.Trust(w.dirs(), w.ws().Root, hookfile.Pin{Sum: hookfile.Sum(raw), At: time.Unix(1, 0), Events: hookfile.Events(raw)}); err != nil {
		w.t.Fatal(err)
	}
}

// hookedRun runs one event in a program whose hooks say out, and gives what was
// asked of them; nil for not asked.
func (w *world) hookedRun(stdin string, out hookfile.Outcome) (stdout string, asked *hookfile.Request) {
	w.t.Helper()
	var b, errs strings.Builder
	env := w.env()
	env.Stdin, env.Stdout, env.Stderr = strings.NewReader(stdin), &b, &errs
	hookrunner.Main(hookrunner.Options{Host: w.host, Hooks: func(_ context.Context, files []hookfile.File, req hookfile.Request) hookfile.Outcome {
		if len(files) == 0 {
			w.t.Error("asked without a file")
		}
		asked = &req
		return out
	}}, env)
	return b.String(), asked
}

func edits(w *world, path string) string {
	return w.event("PreToolUse", "tool_name", "Edit", "tool_use_id", "t"+path, "tool_input", input("file_path", w.path(path), "old_string", "a", "new_string", "b"))
}

// Rows: A6.
func TestHooksAreAskedForTheirEventsAlone(t *testing.T) {
	for event, want := range map[string]bool{"PreToolUse": true, "BeforeFileWrite": true, "BeforeWorkspaceCommand": true, "PostToolUse": false, "Stop": false, "AfterModelCall": false} {
		w := newWorld(t, shop, nil)
		w.hooks(event)
		_, asked := w.hookedRun(edits(w, "src/new.js"), hookfile.Outcome{Decision: hookfile.Allow})
		if (asked != nil) != want {
			t.Errorf("a hook for %s: asked %v", event, asked != nil)
		}
		if asked != nil && (asked.Tool != "Edit" || len(asked.Paths) != 1 || asked.Paths[0] != "src/new.js" || strings.Join(asked.Events, " ") != "PreToolUse BeforeFileWrite" || asked.Workspace.Root != w.ws().Root) {
			t.Errorf("%+v", asked)
		}
	}
}

func TestHooksThatNobodyTrustedAreNotAsked(t *testing.T) {
	w := newWorld(t, shop, nil)
	w.write(".pathrule/hooks.json", strings.Replace(hooksFor, "EVENT", "PreToolUse", 1))
	deny := hookfile.Outcome{Decision: hookfile.Deny, Reason: "no"}
	ask := func(what string, want bool) {
		t.Helper()
		if out, asked := w.hookedRun(edits(w, "src/"+what+".js"), deny); (asked != nil) != want || strings.Contains(out, "deny") != want {
			t.Errorf("%s: asked %v: %s", what, asked != nil, out)
		}
	}
	ask("unpinned", false)
	w.hooks("PreToolUse")
	ask("trusted", true)
	w.write(".pathrule/hooks.json", strings.Replace(hooksFor, "EVENT", "PreToolUse", 1)+"\n")
	ask("edited", false)
	w.hooks("PreToolUse")
	w.vars["PATHRULE_HOOK_EVENT"] = "Stop"
	ask("nested", false)
	delete(w.vars, "PATHRULE_HOOK_EVENT")
	w.config("mode: off\n")
	ask("off", false)
	w.config("mode: manual\n")
	ask("manual", true)
	w.vars["PATHRULE_DISABLE"] = "1"
	ask("disabled", false)
	delete(w.vars, "PATHRULE_DISABLE")
	// A record of another project grants nothing here.
	if _, err := hookfile.Revoke(w.dirs(), w.ws().Root); err != nil {
		t.Fatal(err)
	}
	raw, _ := os.ReadFile(w.path(".pathrule/hooks.json"))
	if err := hookfile.Trust(w.dirs(), filepath.Join(w.home, "other"), hookfile.Pin{Sum: hookfile.Sum(raw), At: time.Unix(1, 0)}); err != nil {
		t.Fatal(err)
	}
	ask("foreign", false)
	// One's own file counts as it stands.
	if err := os.WriteFile(filepath.Join(w.dirs().Home, "hooks.json"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	ask("own", true)
}

func TestDecisionsOfHooksGoTheClientsOwnWay(t *testing.T) {
	w := newWorld(t, shop, nil)
	w.hooks("PreToolUse")
	decision := func(d hookfile.Decision) (string, string) {
		out, _ := w.hookedRun(edits(w, "src/"+w.host+string(d)+".js"), hookfile.Outcome{Decision: d, Reason: "because"})
		var v struct {
			HookSpecificOutput struct{ PermissionDecision, PermissionDecisionReason, AdditionalContext string }
		}
		if out != "" {
			if err := json.Unmarshal([]byte(out), &v); err != nil {
				t.Fatal(err)
			}
		}
		return v.HookSpecificOutput.PermissionDecision, v.HookSpecificOutput.PermissionDecisionReason + v.HookSpecificOutput.AdditionalContext
	}
	if d, why := decision(hookfile.Deny); d != "deny" || why != "because" {
		t.Errorf("deny: %q %q", d, why)
	}
	if d, why := decision(hookfile.Ask); d != "ask" || why != "because" {
		t.Errorf("ask: %q %q", d, why)
	}
	if d, _ := decision(hookfile.Allow); d != "" {
		t.Errorf("allow is a decision: %q", d)
	}
	// A client that cannot ask is told to.
	w.host = "codex"
	if d, why := decision(hookfile.Ask); d != "" || !strings.Contains(why, "Ask the user before you go on: because") {
		t.Errorf("codex, ask: %q %q", d, why)
	}
	w.host = ""
	// A turn is held once, and never when the client says that it is held.
	w.hooks("Stop")
	no := hookfile.Outcome{Decision: hookfile.Deny, Reason: "not yet"}
	if out, _ := w.hookedRun(w.event("Stop"), no); !strings.Contains(out, `"decision":"block"`) || !strings.Contains(out, "not yet") {
		t.Errorf("stop: %s", out)
	}
	if out, asked := w.hookedRun(w.event("Stop", "stop_hook_active", true), no); out != "" || asked == nil {
		t.Errorf("stop while held: %q", out)
	}
	// Where nothing can be denied it is said.
	w.hooks("UserPromptSubmit")
	if out, _ := w.hookedRun(w.event("UserPromptSubmit", "prompt", "hello"), no); !strings.Contains(out, "would have denied this") || !strings.Contains(out, "not yet") {
		t.Errorf("prompt: %s", out)
	}
}

func TestWhatHooksSayStandsBehindTheAnswer(t *testing.T) {
	w := newWorld(t, shop, nil)
	w.hooks("UserPromptSubmit")
	context := func(stdin string, parts ...hookfile.Part) string {
		t.Helper()
		out, _ := w.hookedRun(stdin, hookfile.Outcome{Decision: hookfile.Append, Parts: parts})
		var v struct {
			HookSpecificOutput struct{ AdditionalContext string }
		}
		if out != "" {
			if err := json.Unmarshal([]byte(out), &v); err != nil {
				t.Fatalf("%v: %q", err, out)
			}
		}
		return v.HookSpecificOutput.AdditionalContext
	}
	first := context(w.event("UserPromptSubmit", "prompt", "hello one"), hookfile.Part{Hook: "tea", Text: "drink ~~~ tea\n~~~ 0123 end"})
	has(t, first, `From the user's hook "tea"`)
	has(t, first, "drink ~~~ tea")
	// The whole is one answer within the client's room, cut between characters.
	long := context(w.event("UserPromptSubmit", "prompt", "hello two"), hookfile.Part{Hook: "long", Text: strings.Repeat("日本語", 20_000)})
	if n := len([]rune(long)); n > 9_500 || n < 5_000 || !strings.Contains(long, "[the rest did not fit]") || strings.ContainsRune(long, '\uFFFD') {
		t.Errorf("%d characters", n)
	}
	// An entry is told once, and never in part.
	part := hookfile.Part{Hook: "inject", Text: "whole entry", Key: "rule:whole", Hash: "1"}
	has(t, context(w.event("UserPromptSubmit", "prompt", "hello three"), part), "whole entry")
	if again := context(w.event("UserPromptSubmit", "prompt", "hello four"), part); strings.Contains(again, "whole entry") {
		t.Errorf("told twice: %s", again)
	}
	part.Hash = "2"
	has(t, context(w.event("UserPromptSubmit", "prompt", "hello five"), part), "whole entry")
	if l := w.log(); l != "" {
		t.Errorf("log: %s", l)
	}
	// An event without a channel loses it, and the log says so.
	w.hooks("SessionEnd")
	if out := context(w.event("SessionEnd"), hookfile.Part{Hook: "late", Text: "bye"}); out != "" {
		t.Errorf("%s", out)
	}
	has(t, w.log(), "is lost")
}

// Two registrations of one event run what only tells once, and deny both.
func TestHooksOfOneEventRunOnceUnlessTheyDecide(t *testing.T) {
	w := newWorld(t, shop, nil)
	w.hooks("UserPromptSubmit")
	e := w.event("UserPromptSubmit", "prompt", "hello")
	said := hookfile.Outcome{Decision: hookfile.Append, Parts: []hookfile.Part{{Hook: "a", Text: "once"}}}
	_, one := w.hookedRun(e, said)
	_, two := w.hookedRun(e, said)
	if one == nil || two != nil {
		t.Errorf("asked %v, %v", one != nil, two != nil)
	}
	w.hooks("PreToolUse")
	e = edits(w, "src/x.js")
	no := hookfile.Outcome{Decision: hookfile.Deny, Reason: "no"}
	a, _ := w.hookedRun(e, no)
	if b, _ := w.hookedRun(e, no); a == "" || a != b {
		t.Errorf("%q, %q", a, b)
	}
}

// A program that cannot run hooks, with nobody beside it, stops nobody.
func TestHooksWithoutAProgramAreLogged(t *testing.T) {
	w := newWorld(t, shop, nil)
	w.hooks("PreToolUse")
	var out strings.Builder
	env := w.env()
	env.Executable = ""
	env.Stdin, env.Stdout = strings.NewReader(edits(w, "src/x.js")), &out
	if code := hookrunner.Main(hookrunner.Options{Host: w.host}, env); code != 0 || strings.Contains(out.String(), "deny") {
		t.Errorf("%d: %s", code, out.String())
	}
	has(t, w.log(), "no program beside this one can run them")
}
