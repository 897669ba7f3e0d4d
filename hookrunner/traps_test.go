package hookrunner_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pathrule/hookrunner"
	"pathrule/host"
)

// traps are the surprises that driving the real clients showed, by number, and
// the tests that hold each: a client would otherwise lose our text, or a turn,
// without a word.
var traps = []struct {
	n     int
	what  string
	tests []string
}{
	{1, "Codex runs no hook that the person did not trust", []string{"setup.TestCodexIsAskedAboutTrust", "setup.TestWithoutCodexTheFileIsRead"}},
	{2, "started in a subfolder, clients name the subfolder or the root", []string{"hookrunner.TestTrap02AStartInASubfolder", "hookrunner.TestTheProjectFolder"}},
	{3, "Copilot runs Claude Code's hooks and takes context at the top level", []string{"hookrunner.TestCopilotRunsAHookOfClaudeCode", "hookrunner.TestAClientWithTwoOfOurHooksIsToldOnce", "host.TestCopilotsDialects"}},
	{4, "a failing hook before a tool stops Copilot's tool", []string{"hookrunner.TestTrap04NothingFailsBeforeATool", "host.TestWhatCopilotRegisters"}},
	{5, "one unknown key makes Codex drop the answer", []string{"host.TestAnAnswerOfTheClaudeFamilyHoldsOneContextAndNothingElse"}},
	{6, "Codex strips a server's environment", []string{"hookrunner.TestParseArgsReadsHostAndAssignments"}},
	{7, "a hook that speaks at a stop never lets the turn end", []string{"hookrunner.TestTrap07NobodySpeaksAtAStop", "hookrunner.TestBookKeepingEventsSayNothing"}},
	{8, "a prompt event is not always a person's", []string{"hookrunner.TestTrap08PromptsThatNobodyTyped", "hookrunner.TestMachineMadePromptsGetNothing", "host.TestWhoseTurnAPromptIs"}},
	{9, "context before a tool arrives after it, or never", []string{"hookrunner.TestTrap09ToolsAreToldWhereTheModelSeesIt", "host.TestWhatIsRegisteredReachesTheModel"}},
	{11, "Claude Code shows its model the command line of a hook that blocks by exit code, or answers where it may not", []string{"hookrunner.TestTrap11NoRefusalByExitCodeAndNoAnswerToACompaction"}},
	{12, "some clients escape angle brackets", []string{"slice.TestTextSurvivesEscapedAngleBrackets", "hookrunner.TestTrap12TextArrivesAsItIs"}},
	{13, "context stays in the history, and a start fires again on resume and after compaction", []string{"hookrunner.TestNothingIsToldTwice", "hookrunner.TestSourcesOfAStart", "hookrunner.TestASessionWithEveryClient"}},
	{14, "newer Codex models call tools from inside one", []string{"hookrunner.TestTrap14NestedCallsOfCodex"}},
	{15, "tools hide behind a search, server instructions do not", []string{"mcpserver.TestInstructionsAreShort"}},
}

func TestEveryTrapHasItsTests(t *testing.T) {
	have := map[string]map[string]bool{}
	seen := map[int]bool{}
	for _, trap := range traps {
		if seen[trap.n] || len(trap.tests) == 0 {
			t.Errorf("trap %d: listed twice or without a test", trap.n)
		}
		seen[trap.n] = true
		for _, name := range trap.tests {
			pkg, fn, _ := strings.Cut(name, ".")
			if have[pkg] == nil {
				have[pkg] = testsOf(t, filepath.Join("..", pkg))
			}
			if !have[pkg][fn] {
				t.Errorf("trap %d (%s): there is no %s", trap.n, trap.what, name)
			}
		}
	}
}

func testsOf(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	names := map[string]bool{}
	for _, f := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "Test") {
				names[fn.Name.Name] = true
			}
		}
	}
	return names
}

// Claude Code's variable is then the subfolder, Copilot runs the hook in the root
// and names the subfolder in the payload, Cursor names its roots. F97.
func TestTrap02AStartInASubfolder(t *testing.T) {
	w := newWorld(t)
	sub := w.path("src/billing")
	for name, c := range map[string]struct {
		host, event string
		vars        map[string]string
		cwd         string
		members     string
		found       bool
	}{
		"Claude Code": {"claude-code", "", map[string]string{"CLAUDE_PROJECT_DIR": sub}, sub,
			`"hook_event_name":"SessionStart","session_id":"a1","source":"startup","cwd":"SUB"`, true},
		"Codex": {"codex", "", nil, sub, `"hook_event_name":"SessionStart","session_id":"a2","source":"startup","cwd":"SUB"`, true},
		"Copilot": {"copilot", "sessionStart", map[string]string{"COPILOT_PROJECT_DIR": w.root}, w.root,
			`"sessionId":"a3","source":"new","cwd":"SUB"`, true},
		"Copilot outside, by its variable": {"copilot", "sessionStart", map[string]string{"COPILOT_PROJECT_DIR": w.root}, w.home,
			`"sessionId":"a4","source":"new","cwd":""`, true},
		"Cursor": {"cursor", "", nil, w.home, `"hook_event_name":"sessionStart","session_id":"a5","workspace_roots":["SUB"]`, true},
		"Cursor, by its variable": {"cursor", "", map[string]string{"CURSOR_PROJECT_DIR": sub}, w.home,
			`"hook_event_name":"sessionStart","session_id":"a6","workspace_roots":[],"cwd":""`, true},
		"Cursor's agents window, a project's hook": {"cursor", "", map[string]string{"CURSOR_PROJECT_DIR": ""}, w.root,
			`"hook_event_name":"sessionStart","session_id":"a7","workspace_roots":[]`, true},
		"Cursor's agents window, the user's hook": {"cursor", "", map[string]string{"CURSOR_PROJECT_DIR": ""}, w.home,
			`"hook_event_name":"sessionStart","session_id":"a8","workspace_roots":[]`, false},
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			env := w.env()
			env.Cwd = c.cwd
			for k, v := range c.vars {
				env = env.With(k, v)
			}
			quoted, _ := json.Marshal(sub)
			payload := "{" + strings.ReplaceAll(c.members, `"SUB"`, string(quoted)) + "}"
			h, _ := host.ByName(c.host)
			got := w.tellEnv(env, h, host.Registration{Event: c.event, NameEvent: c.event != ""}, payload)
			if (got != "") != c.found {
				t.Errorf("says %q", got)
			}
			if c.found {
				has(t, got, "Workspace shop")
			}
		})
	}
}

// Any exit code but 0 would deny the tool, and so would a crash.
func TestTrap04NothingFailsBeforeATool(t *testing.T) {
	w := newWorld(t)
	for _, h := range []string{"copilot", "cursor", "claude-code"} {
		for _, payload := range []string{
			"", "{", "[]", `{"sessionId":1}`, `{"sessionId":"s","toolName":{},"toolArgs":[]}`,
			`{"sessionId":"s","toolName":"edit","toolArgs":"{"}`,
			`{"hook_event_name":"preToolUse","session_id":"s","tool_name":"Write","tool_input":"{"}`,
			`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Write","tool_input":null,"cwd":"` + filepath.ToSlash(w.root) + `"}`,
		} {
			w.host = h
			out, errs := w.raw(payload) // checks the exit code
			if out != "" || errs != "" {
				t.Errorf("%s, %s: stdout %q, stderr %q", h, payload, out, errs)
			}
		}
		// Also without a place for anything, and for a host that nobody has.
		env := w.env()
		env.UserHome = ""
		if out, errs := w.rawEnv(env, `{"sessionId":"s","toolName":"edit"}`); out != "" || errs != "" {
			t.Errorf("%s without a home: %q, %q", h, out, errs)
		}
	}
}

// F55: five stops in a row, of every client.
func TestTrap07NobodySpeaksAtAStop(t *testing.T) {
	w := newWorld(t)
	for _, h := range host.All() {
		for _, name := range []host.EventName{host.Stop, host.SubagentStop, host.SessionEnd} {
			if h.Encode(host.Event{Host: h.ID(), Name: name}, host.Reply{Context: "x", Notice: "y"}) != nil {
				t.Errorf("%s answers %s", h.ID(), name)
			}
		}
	}
	for id, payload := range map[string]string{
		"claude-code": `{"hook_event_name":"Stop","session_id":"s","cwd":"CWD","stop_hook_active":true}`,
		"codex":       `{"hook_event_name":"Stop","session_id":"s","cwd":"CWD","stop_hook_active":true,"last_assistant_message":null}`,
		"cursor":      `{"hook_event_name":"stop","session_id":"s","workspace_roots":["CWD"],"loop_count":3,"cursor_version":"3.18.25"}`,
		"copilot":     `{"sessionId":"s","cwd":"CWD","stopReason":"end_turn","stop_hook_active":true}`,
	} {
		w.host = id
		for range 5 {
			if out, errs := w.raw(strings.ReplaceAll(payload, "CWD", filepath.ToSlash(w.root))); out != "" || errs != "" {
				t.Errorf("%s: stdout %q, stderr %q", id, out, errs)
			}
		}
	}
}

// Copilot fires the prompt event in each subagent, with what its parent asks; the
// context that the subagent got at its start stands in that text.
func TestTrap08PromptsThatNobodyTyped(t *testing.T) {
	w := newWorld(t)
	w.live = true
	hook := hookOf{"copilot", copilotVars}
	has(t, w.fire(hook, "sessionId", "c1", "cwd", w.root, "source", "new", "initialPrompt", ""), "Workspace shop")
	has(t, w.fire(hook, "sessionId", "c1", "cwd", w.root, "prompt", invoicePrompt), "rounded half up")
	sub := []any{"cwd", w.root, "agentId", "sub", "agentType", "explore", "parentAgentId", "c1"}
	has(t, w.fire(hook, append(sub, "sessionId", "c1", "agentName", "explore")...), "rounded half up") // what its parent works with
	w.now = w.now.Add(time.Minute)
	if got := w.fire(hook, append(sub, "sessionId", "sub", "prompt", invoicePrompt)...); got != "" {
		t.Errorf("the subagent's prompt is answered with %q", got)
	}
	// Its tools are its own, and told once.
	read := append(sub, "sessionId", "sub", "toolName", "view", "toolArgs", map[string]any{"path": w.path("src/api/server.go")}, "toolResult", map[string]any{})
	has(t, w.fire(hook, read...), "Handlers return problem documents")
	if got := w.fire(hook, read...); got != "" {
		t.Errorf("told twice: %q", got)
	}
	has(t, w.fire(hook, "sessionId", "c1", "cwd", w.root, "toolName", "view", "toolArgs", map[string]any{"path": w.path("src/api/server.go")}, "toolResult", map[string]any{}), "Handlers return problem documents")
}

// Each client is told about a tool's paths by the event whose text its model
// gets, and by no other: a process for each would be wasted.
func TestTrap09ToolsAreToldWhereTheModelSeesIt(t *testing.T) {
	want := map[string]host.EventName{
		"claude-code": host.PreToolUse, "codex": host.PreToolUse, "cursor": host.PostToolUse, "copilot": host.PostToolUse,
		"gemini-cli": host.PostToolUse, "qwen-code": host.PostToolUse, "codebuddy": host.PostToolUse, "devin-local": host.PostToolUse,
		"opencode": host.PostToolUse, "cline": host.PreToolUse,
	}
	for _, h := range host.All() {
		var got []host.EventName
		for _, r := range host.Standing(h.Registrations()) {
			if c := r.Canonical(); r.Speaks && (c == host.PreToolUse || c == host.PostToolUse) {
				got = append(got, c)
			}
		}
		switch moment, known := want[h.ID()]; {
		case known && (len(got) != 1 || got[0] != moment):
			t.Errorf("%s is told at %v, want %s", h.ID(), got, moment)
		case !known && len(got) > 0 && (h.ID() == "kiro" || h.ID() == "windsurf"):
			t.Errorf("%s is told at %v and shows none of it", h.ID(), got)
		}
	}
}

func TestTrap11NoRefusalByExitCodeAndNoAnswerToACompaction(t *testing.T) {
	for _, id := range []string{"claude-code", "codex"} {
		h, _ := host.ByName(id)
		for _, name := range []host.EventName{host.PreToolUse, host.Stop} {
			out, ok := h.Refuse(host.Event{Host: id, Name: name, RawName: string(name)}, "no floats for money")
			if !ok || out.Exit != 0 || len(out.Stderr) > 0 || strings.Contains(string(out.Stdout), "pathrule") {
				t.Errorf("%s %s: exit %d, stderr %q, stdout %s", id, name, out.Exit, out.Stderr, out.Stdout)
			}
		}
		for _, name := range []host.EventName{host.PreCompact, host.PostToolUse} {
			if _, ok := h.Refuse(host.Event{Host: id, Name: name, RawName: string(name)}, "x"); ok {
				t.Errorf("%s refuses at %s", id, name)
			}
		}
		if h.Encode(host.Event{Host: id, Name: host.PreCompact, RawName: "PreCompact"}, host.Reply{Context: "x"}) != nil {
			t.Errorf("%s answers a compaction", id)
		}
	}
}

// What is in a note arrives byte for byte in clients that do not escape, and
// can open no block of the client's own.
func TestTrap12TextArrivesAsItIs(t *testing.T) {
	w := newWorld(t, map[string]string{
		"src/a.go":                 "package a\n",
		".pathrule/memories/ts.md": "---\ntitle: Generics are spelled out\npaths: [src/a.go]\n---\nWrite `Map<string, Array<int>>` & \"quotes\", 日本語, 😀.\n",
	})
	w.live = true
	const body = "Write `Map<string, Array<int>>` & \"quotes\", 日本語, 😀."
	for _, hook := range []hookOf{{"claude-code", nil}, {"codex", nil}} {
		has(t, w.fire(hook, "hook_event_name", "UserPromptSubmit", "session_id", hook.host, "cwd", w.root, "prompt", "Fix src/a.go"), body)
	}
	has(t, w.fire(hookOf{"cursor", cursorVars}, "hook_event_name", "beforeSubmitPrompt", "session_id", "c", "cwd", w.root, "prompt", "Fix src/a.go", "cursor_version", "3.18.25"), body)
	has(t, w.fire(hookOf{"copilot", copilotVars}, "sessionId", "c2", "cwd", w.root, "prompt", "Fix src/a.go"), body)
}

// Calls from inside Codex's one "exec" tool come with the names of the tools
// and an id of their own kind; the outer tool fires no event.
func TestTrap14NestedCallsOfCodex(t *testing.T) {
	w := newWorld(t)
	hook := hookOf{"codex", nil}
	call := func(id, command string) string {
		return w.fire(hook, "hook_event_name", "PreToolUse", "session_id", "c1", "turn_id", "t1", "cwd", w.root, "tool_name", "Bash", "tool_use_id", id,
			"tool_input", map[string]any{"command": command})
	}
	has(t, call("exec-00000000-0000-4000-8000-000000000001", "sed -n 1,40p src/api/server.go"), "Handlers return problem documents")
	has(t, call("exec-00000000-0000-4000-8000-000000000002", "cat src/billing/tax.go"), "Tax rates")
	if got := call("exec-00000000-0000-4000-8000-000000000003", "cat src/api/server.go"); got != "" {
		t.Errorf("told twice: %q", got)
	}
}

// F16, F19, F46: whatever a client is told, it is told in one channel.
func TestOneTextInOneChannel(t *testing.T) {
	for _, h := range host.All() {
		for _, dialect := range []string{"", "camelCase", "PascalCase", "vscode", "editor", "cli"} {
			for _, name := range []host.EventName{host.SessionStart, host.UserPromptSubmit, host.PreToolUse, host.PostToolUse, host.PostToolUseFailure, host.SubagentStart} {
				out := string(h.Encode(host.Event{Host: h.ID(), Name: name, RawName: string(name), Dialect: dialect}, host.Reply{Context: "Notes of the team"}))
				if n := strings.Count(out, "Notes of the team"); n > 1 {
					t.Errorf("%s %s %s holds the text %d times: %s", h.ID(), dialect, name, n, out)
				}
				if out != "" && out[0] == '{' {
					noDecision(t, out)
				}
			}
		}
	}
}

// F53: the same notes with every turn would cost on every turn and break the
// model server's cache.
// Rows: F43.
func TestFiftyTurnsOnOneTaskCostOnce(t *testing.T) {
	w := newWorld(t)
	w.live = true
	total, once := 0, 0
	count := func(s string) { total += (len(s) + 3) / 4 }
	count(w.start("startup"))
	for i := range 50 {
		w.now = w.now.Add(time.Minute)
		count(w.prompt(invoicePrompt))
		count(w.read("src/billing/invoice.go"))
		count(w.read("src/billing/tax.go"))
		if i == 0 {
			once = total
		}
	}
	if total != once || once == 0 || once > 600 {
		t.Errorf("%d tokens in fifty turns, %d in the first", total, once)
	}
}

// F21 with Copilot, some of whose releases start a session with every message,
// and some never.
func TestCopilotsStartsThatRepeatOrAreMissing(t *testing.T) {
	hook := hookOf{"copilot", copilotVars}
	w := newWorld(t)
	w.live = true
	for i := range 3 {
		got := w.fire(hook, "sessionId", "c1", "cwd", w.root, "source", "new", "initialPrompt", "x")
		if (got != "") != (i == 0) {
			t.Errorf("start %d says %q", i, got)
		}
		w.now = w.now.Add(time.Minute)
	}
	got := w.fire(hook, "sessionId", "c2", "cwd", w.root, "prompt", invoicePrompt)
	has(t, got, "Workspace shop")
	has(t, got, "rounded half up")
}

// The programs agree on the event that a command names, also when one hands it
// to the next.
func TestTheNameInTheCommandDecides(t *testing.T) {
	w := newWorld(t)
	var out strings.Builder
	env := w.env()
	env.Stdin, env.Stdout, env.Stderr = strings.NewReader(`{"sessionId":"s","cwd":"`+filepath.ToSlash(w.root)+`"}`), &out, os.Stderr
	hookrunner.Main(hookrunner.Options{Host: "copilot", Event: "sessionStart"}, env)
	has(t, out.String(), `{"additionalContext":"Workspace shop`)
}
