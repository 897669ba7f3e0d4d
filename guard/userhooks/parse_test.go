package userhooks

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pathrule/guard/hookfile"
)

// file wraps hooks into a whole file.
func file(hooks string) string { return `{"version": 1, "hooks": [` + hooks + `]}` }

func action(extra string) string {
	return file(`{"event": "Stop", "actions": [{"type": "command", "command": "x"` + extra + `}]}`)
}

// Rows: T13.
// Rows: M4, M6, M7, M8, M9, M10, M12, M13, M15.
func TestWhatIsWrongIsNamedWithItsPlace(t *testing.T) {
	tests := map[string]struct{ in, want, remedy string }{
		"nothing":                          {"", "1:1 the file ends where a value is missing", ""},
		"a comment":                        {"{\n  // no\n}", "2:3 JSON has no comments", ""},
		"a trailing comma":                 {"{\"version\": 1,\n}", "1:14 no comma may stand before '}'", ""},
		"text behind the end":              {`{"version": 1} x`, "1:16 nothing may follow the closing brace", ""},
		"a name twice":                     {`{"version": 1, "version": 1}`, `1:16 "version" stands here twice`, ""},
		"a raw line break in a string":     {"{\"version\": 1, \"env\": {\"A\": \"b\nc\"}}", "1:31 a control character stands in a string; write \\n for a line break", ""},
		"bytes that are no UTF-8":          {"{\"a\": \"\xff\"}", "1:8 this is not UTF-8", ""},
		"half a surrogate pair":            {`{"a": "\ud800x"}`, "1:8 half of a surrogate pair", ""},
		"columns count characters":         {`{"ä€": 1, "version": 1}`, `1:2 unknown key "ä€" in the file`, ""},
		"no version":                       {`{"hooks": []}`, "1:1 version is missing", `write "version": 1`},
		"version 0":                        {`{"version": 0}`, "1:13 version must be 1", ""},
		"version 2":                        {`{"version": 2}`, "1:13 version must be 1", "newer pathrule"},
		"an unknown key at the top":        {`{"version": 1, "hook": []}`, `1:16 unknown key "hook" in the file`, "did you mean hooks?"},
		"enabled as a word":                {`{"version": 1, "enabled": "yes"}`, "1:27 enabled must be true or false, not a string", ""},
		"a list at the top":                {`[]`, "1:1 the file must be an object, not a list", ""},
		"hooks that are no list":           {`{"version": 1, "hooks": {}}`, "1:25 hooks must be a list, not an object", ""},
		"an unknown key in a hook":         {file(`{"event": "Stop", "match": "x", "actions": [{"type": "inject", "entries": ["a"]}]}`), `1:44 unknown key "match" in a hook`, "did you mean matcher?"},
		"no event":                         {file(`{"actions": [{"type": "inject", "entries": ["a"]}]}`), "1:26 a hook without an event", ""},
		"an unknown event":                 {file(`{"event": "Stopp", "actions": [{"type": "inject", "entries": ["a"]}]}`), `1:36 unknown event "Stopp"`, "did you mean Stop"},
		"an event in another case":         {file(`{"event": "stop", "actions": [{"type": "inject", "entries": ["a"]}]}`), `1:36 unknown event "stop"`, "Stop"},
		"no actions":                       {file(`{"event": "Stop"}`), "1:26 a hook without actions", ""},
		"an empty list of actions":         {file(`{"event": "Stop", "actions": []}`), "1:55 actions must hold 1 to 20 actions", ""},
		"a matcher that is no pattern":     {file(`{"event": "Stop", "matcher": "(", "actions": [{"type": "inject", "entries": ["a"]}]}`), "1:55 matcher \"(\" cannot be used: error parsing regexp: missing closing ): `(?m)(`", ""},
		"conditions of another kind":       {file(`{"event": "Stop", "conditions": {"branch": "x"}, "actions": [{"type": "inject", "entries": ["a"]}]}`), `1:59 unknown key "branch" in conditions`, "known: paths"},
		"a glob that is none":              {file(`{"event": "Stop", "conditions": {"paths": ["a["]}, "actions": [{"type": "inject", "entries": ["a"]}]}`), "1:68 conditions.paths:", ""},
		"the reserved type":                {file(`{"event": "Stop", "actions": [{"type": "mcp_tool"}]}`), "1:65 mcp_tool is reserved and does nothing here", ""},
		"an unknown type":                  {file(`{"event": "Stop", "actions": [{"type": "comand"}]}`), `1:65 unknown type "comand"`, "did you mean command"},
		"a command without its line":       {file(`{"event": "Stop", "actions": [{"type": "command"}]}`), "1:56 a command action without command", ""},
		"an empty command":                 {file(`{"event": "Stop", "actions": [{"type": "command", "command": " "}]}`), "1:87 command is empty", ""},
		"a key of another type of action":  {file(`{"event": "Stop", "actions": [{"type": "tool", "tool": "ping", "work_dir": "x"}]}`), `1:89 unknown key "work_dir" in a tool action`, ""},
		"a tool that is not ours":          {file(`{"event": "Stop", "actions": [{"type": "tool", "tool": "read_memry"}]}`), `1:81 unknown tool "read_memry"`, "did you mean read_memory"},
		"an input that is no object":       {file(`{"event": "Stop", "actions": [{"type": "tool", "tool": "ping", "input": "x"}]}`), "1:98 input must be an object, not a string", ""},
		"a timeout of nothing":             {action(`, "timeout": 0`), "1:103 timeout must be more than 0 and at most 8s", ""},
		"a negative timeout":               {action(`, "timeout": "-1s"`), "1:103 timeout must be more than 0 and at most 8s", ""},
		"a timeout over the event's":       {action(`, "timeout": "9s"`), "1:103 timeout must be more than 0 and at most 8s", ""},
		"a huge number of seconds":         {action(`, "timeout": 1e300`), "1:103 timeout must be more than 0 and at most 8s", ""},
		"a timeout without a unit":         {action(`, "timeout": "5"`), `1:103 timeout "5" is no duration`, "number of seconds"},
		"a timeout that is true":           {action(`, "timeout": true`), "1:103 timeout must be a duration or a number of seconds", ""},
		"an unknown on_error":              {action(`, "on_error": "warn"`), `1:104 unknown on_error "warn"`, "ignore, fail, block"},
		"an output of nothing":             {action(`, "max_output_bytes": 0`), "1:112 max_output_bytes must be a whole number from 1 to", ""},
		"half a byte":                      {action(`, "max_output_bytes": 1.5`), "1:112 max_output_bytes must be a whole number", ""},
		"a folder outside":                 {action(`, "work_dir": "a/../../b"`), `1:104 work_dir "a/../../b" leaves the project`, ""},
		"an absolute folder":               {action(`, "work_dir": "/etc"`), `work_dir "/etc" leaves the project`, ""},
		"a folder on another drive":        {action(`, "work_dir": "C:\\x"`), "leaves the project", ""},
		"a variable of ours":               {`{"version": 1, "env": {"PATHRULE_HOOK_EVENT": "x"}}`, "1:24 PATHRULE_HOOK_EVENT is pathrule's own", ""},
		"a variable of ours in small type": {`{"version": 1, "env": {"pathrule_disable": "x"}}`, "is pathrule's own", ""},
		"a variable that cannot be one":    {`{"version": 1, "env": {"A=B": "x"}}`, "is no name of a variable", ""},
		"a variable that is a number":      {`{"version": 1, "env": {"A": 1}}`, "must be a string, not a number", ""},
		"nested hooks":                     {`{"version": 1, "defaults": {"trigger_nested_hooks": true}}`, "1:53 hooks never trigger hooks here", ""},
		"an unknown default":               {`{"version": 1, "defaults": {"time_out": 1}}`, `unknown key "time_out" in defaults`, "did you mean timeout"},
		"nesting without end":              {strings.Repeat("[", 100), "nested more than 32 deep", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c, problems := Parse([]byte(tt.in))
			if c != nil || len(problems) == 0 {
				t.Fatalf("read as %+v", c)
			}
			p := problems[0]
			got := itoa(p.Line) + ":" + itoa(p.Col) + " " + p.Msg
			if !strings.Contains(got, tt.want) || !strings.Contains(p.Remedy, tt.remedy) {
				t.Errorf("got %q (%s), want %q (%s)", got, p.Remedy, tt.want, tt.remedy)
			}
		})
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

// Rows: M12.
func TestEveryFaultIsNamedInTheOrderOfTheFile(t *testing.T) {
	_, problems := Parse([]byte("{\"version\": 3,\n\"x\": 1,\n\"hooks\": [{\"event\": \"No\",\n\"actions\": [{\"type\": \"command\", \"on_error\": \"maybe\"}]}]}"))
	var got []string
	for _, p := range problems {
		got = append(got, itoa(p.Line)+" "+p.Msg)
	}
	want := []string{"1 version must be 1", `2 unknown key "x" in the file`, `3 unknown event "No"`, "4 a command action without command", `4 unknown on_error "maybe"`}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Rows: T13.
// Rows: M5, M6, M7, M8, M10, M12.
func TestDefaultsAndTheirOverrides(t *testing.T) {
	c, problems := Parse([]byte(`{"version": 1, "defaults": {"timeout": 3, "on_error": "fail", "max_output_bytes": 100, "trigger_nested_hooks": false},
		"env": {"B": "2", "A": "1", "C": "3"},
		"hooks": [{"event": "TurnEnd", "actions": [
			{"type": "command", "command": "x"},
			{"type": "command", "command": ["a", "b c"], "timeout": "250ms", "on_error": "ignore", "max_output_bytes": 7, "work_dir": "web//./x"},
			{"type": "tool", "tool": "read_memory", "input": {"id": "a b", "n": [1, 2]}, "timeout": 0.5},
			{"type": "inject", "entries": ["rule:a"], "on_error": "block"}]}]}`))
	if problems != nil {
		t.Fatal(problems)
	}
	if d := cmp.Diff([]Var{{"A", "1"}, {"B", "2"}, {"C", "3"}}, c.Env); d != "" {
		t.Error(d)
	}
	h := c.Hooks[0]
	if h.Event != "Stop" || h.Written != "TurnEnd" || !h.Enabled || h.Name != "hook 1" || !c.Enabled {
		t.Errorf("%+v", h)
	}
	want := []Action{
		{Type: "command", Command: "x", Timeout: 3 * time.Second, OnError: Fail, MaxOutput: 100},
		{Type: "command", Argv: []string{"a", "b c"}, Timeout: 250 * time.Millisecond, OnError: Ignore, MaxOutput: 7, WorkDir: "web/x"},
		{Type: "tool", Tool: "read_memory", Input: `{"id": "a b", "n": [1, 2]}`, Timeout: 500 * time.Millisecond, OnError: Fail, MaxOutput: 100},
		{Type: "inject", Entries: []string{"rule:a"}, Timeout: 3 * time.Second, OnError: Block, MaxOutput: 100},
	}
	for i := range want {
		got := h.Actions[i]
		if !got.TimeoutSet || !got.OnErrorSet {
			t.Errorf("action %d does not know that its values were given", i)
		}
		got.TimeoutSet, got.OnErrorSet, got.Line = false, false, 0
		if d := cmp.Diff(want[i], got); d != "" {
			t.Errorf("action %d: %s", i, d)
		}
	}
	c, _ = Parse([]byte("\uFEFF" + action("")))
	if a := c.Hooks[0].Actions[0]; a.Timeout != DefaultTimeout || a.OnError != Ignore || a.MaxOutput != DefaultOutput || a.TimeoutSet || a.OnErrorSet {
		t.Errorf("without defaults: %+v", a)
	}
}

// Every name of the catalogue that this one is compatible with can be written.
// Rows: M25.
func TestAllNamesOfTheReferenceCatalogueParse(t *testing.T) {
	names := strings.Fields(`PreToolUse PostToolUse ToolError SessionStart UserMessageReceived BeforePromptBuild AfterPromptBuild BeforeModelCall
		AfterModelCall TurnEnd TurnError BeforeMemorySearch AfterMemorySearch BeforeMemoryWrite AfterMemoryWrite MemoryExtracted WorkspaceStart
		WorkspaceStop BeforeWorkspaceCommand AfterWorkspaceCommand BeforeFileWrite AfterFileWrite BeforeApprovalCreate ApprovalRequested
		ApprovalResolved ApprovalTimeout PreCompact PostCompact SubagentStart SubagentStop InboundMessageNormalized BeforeOutboundMessage
		AfterOutboundMessage ChannelDeliveryFailed`)
	if len(names) != 34 {
		t.Fatalf("%d names", len(names))
	}
	canon := map[string]string{"UserMessageReceived": "UserPromptSubmit", "TurnEnd": "Stop", "TurnError": "StopFailure", "BeforeWorkspaceCommand": "PreToolUse",
		"AfterWorkspaceCommand": "PostToolUse", "ApprovalRequested": "PermissionRequest"}
	for _, n := range names {
		c, problems := Parse([]byte(file(`{"event": "` + n + `", "actions": [{"type": "inject", "entries": ["a"]}]}`)))
		if problems != nil {
			t.Errorf("%s: %v", n, problems)
			continue
		}
		want := canon[n]
		if want == "" {
			want = n
		}
		if got := c.Hooks[0].Event; got != want {
			t.Errorf("%s is %s, want %s", n, got, want)
		}
		if shell := strings.HasSuffix(n, "WorkspaceCommand"); c.Hooks[0].Shell != shell {
			t.Errorf("%s: shell %v", n, c.Hooks[0].Shell)
		}
	}
}

// Rows: M3.
func TestTheStarterIsRightAndSwitchedOff(t *testing.T) {
	c, problems := Parse([]byte(Starter))
	if problems != nil {
		t.Fatal(problems)
	}
	if len(c.Hooks) != 1 || c.Hooks[0].Enabled {
		t.Errorf("%+v", c.Hooks)
	}
	if found := Lint(&Source{File: hookfile.File{Origin: hookfile.Project, Raw: []byte(Starter)}, Config: c}); found != nil {
		t.Errorf("lint: %v", found)
	}
}

// What is read is whole: no hook without a known event, an action and bounds that
// hold; what is refused names a place inside the file.
func FuzzParse(f *testing.F) {
	f.Add(Starter)
	f.Add(file(`{"event": "Stop", "matcher": "^(a|b)$", "conditions": {"paths": ["**/*.ts", "!x"]}, "actions": [{"type": "command", "command": ["a"], "timeout": 1e-9}]}`))
	f.Add(action(`, "timeout": 1e300, "on_error": "x"`))
	f.Add("\uFEFF{\"version\":1,\"env\":{\"A\":\"\\ud83d\\ude00\"}}")
	f.Add(`{"version":1,"hooks":[{"event":"PreToolUse","actions":[{"type":"tool","tool":"ping","input":{"a":[[[]]]}}]}]}`)
	f.Add(strings.Repeat(`{"hooks":[`, 20))
	f.Fuzz(func(t *testing.T, in string) {
		c, problems := Parse([]byte(in))
		lines := strings.Count(in, "\n") + 1
		for _, p := range problems {
			if p.Line < 1 || p.Line > lines || p.Col < 1 || p.Col > len(in)+1 || p.Msg == "" {
				t.Fatalf("%+v in a file of %d lines", p, lines)
			}
		}
		if (c == nil) == (problems == nil) {
			t.Fatalf("config %v beside problems %v", c, problems)
		}
		if c == nil {
			return
		}
		var events []string
		for _, h := range c.Hooks {
			if _, ok := hookfile.Lookup(h.Written); !ok || len(h.Actions) == 0 {
				t.Fatalf("%+v", h)
			}
			if h.Enabled && c.Enabled {
				events = append(events, h.Event)
			}
			for _, a := range h.Actions {
				if a.Timeout <= 0 || a.Timeout > Total || a.MaxOutput < 1 || a.OnError != Ignore && a.OnError != Fail && a.OnError != Block {
					t.Fatalf("%+v", a)
				}
			}
		}
		// What the quick look of the small program sees is never less.
		quick := hookfile.Events([]byte(in))
		for _, e := range events {
			found := false
			for _, q := range quick {
				found = found || q == e
			}
			if !found {
				t.Fatalf("the quick look misses %s", e)
			}
		}
	})
}
