package hookrunner_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pathrule/guard/hookfile"
	"pathrule/hookrunner"
	"pathrule/host"
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
	env.Cwd = w.root // for clients that name no folder
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

// Rows: M1, M9.
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

// Rows: M22, M26, M28.
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
	// A prompt is not sent on.
	w.hooks("UserPromptSubmit")
	if out, _ := w.hookedRun(w.event("UserPromptSubmit", "prompt", "hello"), no); out != `{"decision":"block","reason":"not yet"}`+"\n" {
		t.Errorf("prompt: %s", out)
	}
	// Where nothing can be denied it is said.
	w.hooks("SessionStart")
	if out, _ := w.hookedRun(w.event("SessionStart", "source", "startup"), no); !strings.Contains(out, "would have denied this") || !strings.Contains(out, "not yet") {
		t.Errorf("start: %s", out)
	}
}

// M22: each client is asked to ask the person in its own documented form, and told
// nothing of the kind where it would break or be forgotten.
func TestEveryClientIsAskedInItsOwnWay(t *testing.T) {
	nested := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}` + "\n"
	want := map[string]string{
		"claude-code PreToolUse": nested, "qwen-code PreToolUse": nested, "codebuddy PreToolUse": nested,
		"gemini-cli BeforeTool":       `{"decision":"ask","reason":"sure?"}` + "\n",
		"copilot preToolUse":          `{"permissionDecision":"ask","permissionDecisionReason":"sure?"}` + "\n",
		"cursor beforeShellExecution": `{"permission":"ask","user_message":"sure?"}` + "\n",
		"cursor preToolUse":           "", "kiro PreToolUse": "", "devin-local PreToolUse": "", "opencode tool.execute.before": "",
		"windsurf pre_write_code": "", "windsurf pre_run_command": "",
	}
	seen := 0
	w := newWorld(t, shop, nil)
	w.hooks("PreToolUse")
	for _, h := range host.All() {
		for _, r := range h.Registrations() {
			if r.Canonical() != host.PreToolUse {
				continue
			}
			w.host, w.now = h.ID(), w.now.Add(time.Minute) // none is another's twin
			out, asked := w.hookedRun(string(h.Sample(r, "s-"+h.ID(), w.root, w.path("src/new.js"))), hookfile.Outcome{Decision: hookfile.Ask, Reason: "sure?"})
			if asked == nil {
				t.Errorf("%s %s: no hook was asked", h.ID(), r.Event)
				continue
			}
			if h.ID() == "codex" || h.ID() == "cline" {
				if !strings.Contains(out, "Ask the user before you go on: sure?") {
					t.Errorf("%s %s: %s", h.ID(), r.Event, out)
				}
				continue
			}
			seen++
			if got, ok := want[h.ID()+" "+r.Event]; !ok || out != got {
				t.Errorf("%s %s: %q, want %q", h.ID(), r.Event, out, got)
			}
			if log := w.log(); out == "" && !strings.Contains(log, h.Title()+" takes no text at "+r.Event) {
				t.Errorf("%s %s: nothing says that it was lost: %s", h.ID(), r.Event, log)
			}
		}
	}
	if seen != len(want) {
		t.Errorf("%d of %d", seen, len(want))
	}
}

// M25: what is nothing to us and may be something to a hook.
func TestEventsForHooksAlone(t *testing.T) {
	no := hookfile.Outcome{Decision: hookfile.Deny, Reason: "no"}
	w := newWorld(t, shop, nil)
	// Without a hook they are nothing.
	if out, asked := w.hookedRun(w.event("PermissionRequest", "tool_name", "Bash", "tool_input", input("command", "ls")), no); out != "" || asked != nil {
		t.Errorf("%q", out)
	}
	for name, c := range map[string]struct {
		host, event, payload, deny string
		command, source            string
	}{
		"Claude Code's compaction": {"claude-code", "PostCompact", `{"hook_event_name":"PostCompact","session_id":"s","cwd":"CWD","trigger":"manual","compact_summary":"x"}`, "", "", "manual"},
		"a failed turn":            {"claude-code", "StopFailure", `{"hook_event_name":"StopFailure","session_id":"s","cwd":"CWD","error":"rate_limit"}`, "", "", "rate_limit"},
		"its other name":           {"qwen-code", "TurnError", `{"hook_event_name":"StopFailure","session_id":"s","cwd":"CWD","error":"rate_limit"}`, "", "", "rate_limit"},
		"a subagent's end":         {"codex", "SubagentStop", `{"hook_event_name":"SubagentStop","session_id":"s","turn_id":"t","cwd":"CWD","agent_id":"a","agent_type":"worker"}`, "", "", "worker"},
		"Codex' permission": {"codex", "PermissionRequest", `{"hook_event_name":"PermissionRequest","session_id":"s","turn_id":"t","cwd":"CWD","tool_name":"Bash","tool_input":{"command":"rm -r x"}}`,
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}` + "\n", "rm -r x", ""},
		"Copilot's permission": {"copilot", "ApprovalRequested", `{"hookName":"permissionRequest","sessionId":"s","cwd":"CWD","toolName":"bash","toolInput":{"command":"rm -r x"}}`,
			`{"behavior":"deny","message":"no"}` + "\n", "rm -r x", ""},
		"Devin's permission": {"devin-local", "PermissionRequest", `{"hook_event_name":"PermissionRequest","session_id":"s","tool_name":"exec","tool_input":{"command":"rm -r x"}}`,
			`{"decision":"deny","reason":"no"}` + "\n", "rm -r x", ""},
		"Devin's compaction, which comes after it": {"devin-local", "PostCompact", `{"hook_event_name":"PostCompaction","session_id":"s","summary":"x"}`, "", "", ""},
		"a tool of Gemini that failed":             {"gemini-cli", "ToolError", `{"hook_event_name":"AfterTool","session_id":"s","cwd":"CWD","tool_name":"replace","tool_input":{"file_path":"a"},"tool_response":{"error":{"message":"x"}}}`, "", "", ""},
		"the end of Gemini's turn":                 {"gemini-cli", "Stop", `{"hook_event_name":"AfterAgent","session_id":"s","cwd":"CWD","prompt":"x","stop_hook_active":false}`, `{"decision":"deny","reason":"no"}` + "\n", "", ""},
		"the end of Cursor's turn":                 {"cursor", "TurnEnd", `{"hook_event_name":"stop","session_id":"s","workspace_roots":["CWD"],"status":"completed","loop_count":0}`, `{"followup_message":"no"}` + "\n", "", ""},
		"the end of Copilot's turn":                {"copilot", "Stop", `{"sessionId":"s","cwd":"CWD","stopReason":"end_turn","stop_hook_active":false}`, `{"decision":"block","reason":"no"}` + "\n", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w.host, w.now = c.host, w.now.Add(time.Minute)
			w.hooks(c.event)
			root, _ := json.Marshal(w.root)
			payload := strings.ReplaceAll(c.payload, `"CWD"`, string(root))
			out, asked := w.hookedRun(payload, no)
			if asked == nil {
				t.Fatal("no hook was asked")
			}
			e, _ := hookfile.Lookup(c.event)
			if asked.Events[0] != e.Canonical() || asked.Command != c.command || asked.Source != c.source {
				t.Errorf("%+v", asked)
			}
			if out != c.deny {
				t.Errorf("denied with %q, want %q", out, c.deny)
			}
			// To ask a person who is asked anyway is to say nothing.
			if e.Canonical() == "PermissionRequest" {
				if out, _ := w.hookedRun(payload, hookfile.Outcome{Decision: hookfile.Ask, Reason: "sure?"}); out != "" {
					t.Errorf("asked with %q", out)
				}
			}
		})
	}
}

// A client that waits for less than hooks may take is answered in its time.
func TestHooksHaveNoMoreTimeThanTheClientWaits(t *testing.T) {
	w := newWorld(t, shop, nil)
	for _, c := range []struct {
		host, event string
		want        time.Duration
	}{{"", "SessionEnd", 4 * time.Second}, {"codex", "SessionEnd", 2 * time.Second}, {"", "Stop", 8 * time.Second}, {"qwen-code", "SessionEnd", 4 * time.Second}} {
		w.host, w.now = c.host, w.now.Add(time.Minute)
		w.hooks(c.event)
		if _, asked := w.hookedRun(w.event(c.event), hookfile.Outcome{}); asked == nil || asked.Limit != c.want {
			t.Errorf("%s %s: %+v", c.host, c.event, asked)
		}
	}
}

// M24: where there is no room for all, what is optional goes first, and a section
// is told whole, and once where it is stable.
func TestWhatIsOptionalGoesFirst(t *testing.T) {
	w := newWorld(t, shop, nil)
	w.hooks("UserPromptSubmit")
	say := func(prompt string, parts ...hookfile.Part) string {
		out, _ := w.hookedRun(w.event("UserPromptSubmit", "prompt", prompt), hookfile.Outcome{Decision: hookfile.Append, Parts: parts})
		return out
	}
	big := strings.Repeat("x", 5_000)
	out := say("hello one", hookfile.Part{Hook: "h", ID: "extra", Text: "EXTRA" + big, Whole: true, Optional: true},
		hookfile.Part{Hook: "h", ID: "first", Text: "FIRST" + big, Whole: true}, hookfile.Part{Hook: "h", ID: "last", Text: "LAST", Whole: true, Optional: true})
	has(t, out, `hook \"h\" (first)`)
	has(t, out, "LAST")
	hasNot(t, out, "EXTRA")
	has(t, w.log(), "no room for what 1 user hooks said")
	if strings.Index(out, "FIRST") > strings.Index(out, "LAST") {
		t.Error("out of order")
	}
	stable := hookfile.Part{Hook: "h", ID: "s", Text: "STABLE", Whole: true, Key: "x:hook:h/s", Hash: "1"}
	has(t, say("hello two", stable), "STABLE")
	hasNot(t, say("hello three", stable), "STABLE")
}

// Rows: M24, M27.
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

// Two registrations of one event run its hooks once, and deny both.
func TestHooksOfOneEventRunOnce(t *testing.T) {
	w := newWorld(t, shop, nil)
	w.hooks("SessionStart")
	e := w.event("SessionStart", "source", "startup")
	said := hookfile.Outcome{Decision: hookfile.Append, Parts: []hookfile.Part{{Hook: "a", Text: "once"}}}
	_, one := w.hookedRun(e, said)
	_, two := w.hookedRun(e, said)
	if one == nil || two != nil {
		t.Errorf("asked %v, %v", one != nil, two != nil)
	}
	w.hooks("PreToolUse")
	e = edits(w, "src/x.js")
	no := hookfile.Outcome{Decision: hookfile.Deny, Reason: "no,\nand no"}
	yes := hookfile.Outcome{Decision: hookfile.Allow}
	a, _ := w.hookedRun(e, no)
	if b, ran := w.hookedRun(e, yes); a == "" || a != b || ran != nil {
		t.Errorf("%q, %q, ran again: %v", a, b, ran != nil)
	}
	// What they only say is told by one of them.
	e = edits(w, "src/y.js")
	a, _ = w.hookedRun(e, said)
	if b, ran := w.hookedRun(e, no); !strings.Contains(a, "once") || b != "" || ran != nil {
		t.Errorf("%q, %q, ran again: %v", a, b, ran != nil)
	}
	// The same call later, or one that the client gives no id, is asked about anew.
	w.now = w.now.Add(time.Minute)
	if b, ran := w.hookedRun(e, no); b == "" || ran == nil {
		t.Errorf("a minute later: %q", b)
	}
	e = w.event("PreToolUse", "tool_use_id", "", "tool_name", "Edit", "tool_input", input("file_path", w.path("src/z.js"), "old_string", "a", "new_string", "b"))
	for range 2 {
		if b, ran := w.hookedRun(e, no); b == "" || ran == nil {
			t.Errorf("without an id: %q", b)
		}
	}
	// The id of a turn is not that of its end, which may come twice.
	w.host = "codex"
	w.hooks("Stop")
	for _, active := range []bool{false, true} {
		if _, ran := w.hookedRun(w.event("Stop", "turn_id", "t1", "stop_hook_active", active), yes); ran == nil {
			t.Errorf("the end of a turn that was held (%t) asks nobody", active)
		}
	}
}

// Registrations that fire at once wait for one another: the hooks run once, and
// every answer is the denial.
func TestHooksOfEventsAtOnceRunOnce(t *testing.T) {
	w := newWorld(t, shop, nil)
	w.hooks("PreToolUse")
	e := edits(w, "src/z.js")
	var ran, denied atomic.Int32
	began, on := make(chan bool, 4), make(chan bool)
	var wg sync.WaitGroup
	run := func() {
		var b, errs strings.Builder
		env := w.env()
		env.Cwd, env.Stdin, env.Stdout, env.Stderr = w.root, strings.NewReader(e), &b, &errs
		hookrunner.Main(hookrunner.Options{Host: w.host, Hooks: func(context.Context, []hookfile.File, hookfile.Request) hookfile.Outcome {
			ran.Add(1)
			began <- true
			<-on
			return hookfile.Outcome{Decision: hookfile.Deny, Reason: "not here"}
		}}, env)
		if strings.Contains(b.String(), "not here") {
			denied.Add(1)
		}
	}
	wg.Go(run)
	<-began
	wg.Go(run)
	wg.Go(run)
	close(on)
	wg.Wait()
	if ran.Load() != 1 || denied.Load() != 3 {
		t.Errorf("ran %d times, denied %d", ran.Load(), denied.Load())
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
