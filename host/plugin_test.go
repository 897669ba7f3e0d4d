package host

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pathrule/internal/sysenv"
)

// TestMain lets the test program stand in for ours: the plugin starts it.
func TestMain(m *testing.M) {
	if dir := os.Getenv("PATHRULE_TEST_STANDIN"); dir != "" {
		os.Exit(standIn(dir))
	}
	os.Exit(m.Run())
}

// standIn keeps its stdin as the next file of dir/asked and gives the answer of
// the same number.
func standIn(dir string) int {
	var in bytes.Buffer
	if _, err := in.ReadFrom(os.Stdin); err != nil {
		return 3
	}
	asked, err := os.ReadDir(filepath.Join(dir, "asked"))
	if err != nil {
		return 3
	}
	name := fmt.Sprintf("%03d", len(asked))
	if err := os.WriteFile(filepath.Join(dir, "asked", name), in.Bytes(), 0o600); err != nil {
		return 3
	}
	answer, err := os.ReadFile(filepath.Join(dir, "answers", name))
	if err != nil {
		return 0
	}
	text := string(answer)
	if text == "HANG" {
		time.Sleep(time.Minute)
	}
	if rest, ok := strings.CutPrefix(text, "FAIL"); ok {
		fmt.Print(rest)
		return 1
	}
	fmt.Print(text)
	return 0
}

// plugin is one run of the plugin in Node.
type plugin struct {
	t       *testing.T
	dir     string
	argv    []string
	answers []string
	parents map[string]string
	slow    bool // the client's own look-ups never end
	hurried bool // the plugin's own times count; else this busy machine must not
	asked   []string
	ran     pluginRun
}

type pluginRun struct {
	Results []struct {
		Output json.RawMessage
		Threw  string
	}
	Toasts  []string
	Lookups int
	Exports map[string]string
	Hooks   []string
}

type m = map[string]any

func newPlugin(t *testing.T, answers ...string) *plugin {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &plugin{t: t, dir: t.TempDir(), argv: []string{exe, "--host", "opencode"}, answers: answers, parents: map[string]string{}}
}

// run calls the plugin's functions one after another.
func (p *plugin) run(calls ...m) pluginRun {
	p.t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		p.t.Skip("needs node on PATH, which runs the plugin as OpenCode does")
	}
	own := opencode{}.OwnFiles(Project, p.dir, p.argv, env(nil))
	if len(own) != 1 {
		p.t.Fatalf("%d files", len(own))
	}
	// Bun takes any .js file for a module, Node looks at its name.
	file := filepath.Join(p.dir, "pathrule.mjs")
	write := func(name string, data []byte) {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
	data := string(own[0].Data)
	if !p.hurried {
		const set = "answerTime = 10000"
		if !strings.Contains(data, set) {
			p.t.Fatalf("no %q in the plugin", set)
		}
		data = strings.Replace(data, set, "answerTime = 60000", 1)
	}
	write(file, []byte(data))
	for i, a := range p.answers {
		write(filepath.Join(p.dir, "answers", fmt.Sprintf("%03d", i)), []byte(a))
	}
	os.MkdirAll(filepath.Join(p.dir, "asked"), 0o700)
	address := url.URL{Scheme: "file", Path: filepath.ToSlash(file)}
	if !strings.HasPrefix(address.Path, "/") {
		address.Path = "/" + address.Path
	}
	in, err := json.Marshal(m{"plugin": address.String(), "directory": p.dir, "parents": p.parents, "slowClient": p.slow, "calls": append([]m{}, calls...)})
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, filepath.Join("testdata", "opencode", "driver.mjs"))
	cmd.Env = append(os.Environ(), "PATHRULE_TEST_STANDIN="+p.dir)
	cmd.Stdin = bytes.NewReader(in)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("node: %v\n%s", err, errs.String())
	}
	if errs.Len() > 0 {
		p.t.Errorf("the plugin writes to stderr: %s", errs.String())
	}
	if err := json.Unmarshal(out, &p.ran); err != nil {
		p.t.Fatalf("%v: %s", err, out)
	}
	entries, _ := os.ReadDir(filepath.Join(p.dir, "asked"))
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(p.dir, "asked", e.Name()))
		if err != nil {
			p.t.Fatal(err)
		}
		p.asked = append(p.asked, string(b))
	}
	return p.ran
}

// output is what the i-th call left behind.
func (r pluginRun) output(t *testing.T, i int) m {
	t.Helper()
	var v m
	if err := json.Unmarshal(r.Results[i].Output, &v); err != nil {
		t.Fatal(err)
	}
	if r.Results[i].Threw != "" {
		t.Errorf("call %d threw %q", i, r.Results[i].Threw)
	}
	return v
}

// The objects of OpenCode as they were recorded.
func message(session, text string) m {
	return m{"hook": "chat.message", "input": m{"sessionID": session, "agent": "build"}, "output": m{
		"message": m{"id": "msg_22bf81dc2001", "role": "user", "sessionID": session, "agent": "build"},
		"parts": []any{
			m{"type": "text", "text": text, "messageID": "msg_22bf81dc2001", "sessionID": session, "id": "prt_22bf81dcc001"},
			m{"type": "text", "text": "Called the Read tool", "messageID": "msg_22bf81dc2001", "sessionID": session, "id": "prt_22bf81dcc002", "synthetic": true},
		},
	}}
}

func request(session string, system ...any) m {
	if system == nil {
		system = []any{}
	}
	return m{"hook": "experimental.chat.system.transform", "input": m{"sessionID": session, "model": m{"id": "x"}}, "output": m{"system": system}}
}

func toolAfter(session, tool string, output any) m {
	return m{"hook": "tool.execute.after", "input": m{"sessionID": session, "tool": tool, "callID": "call_1", "args": m{"filePath": "/p/a.go"}}, "output": output}
}

func toolBefore(session, tool string) m {
	return m{"hook": "tool.execute.before", "input": m{"sessionID": session, "tool": tool, "callID": "call_1"}, "output": m{"args": m{"filePath": "/p/a.go"}}}
}

func TestThePluginIsOneFunctionAndListensOnlyToWhatItUses(t *testing.T) {
	r := newPlugin(t).run()
	if d := cmp.Diff(map[string]string{"Pathrule": "function"}, r.Exports); d != "" {
		t.Errorf("exports, of which one that is no function keeps OpenCode from loading any: %s", d)
	}
	want := []string{"chat.message", "event", "experimental.chat.system.transform", "experimental.session.compacting", "tool.execute.after", "tool.execute.before"}
	if d := cmp.Diff(want, r.Hooks); d != "" {
		t.Error(d)
	}
	for _, reg := range (opencode{}).Registrations() {
		if !slices.Contains(r.Hooks, reg.Event) {
			t.Errorf("%s is registered and not listened to", reg.Event)
		}
	}
}

func TestThePluginPutsTheAnswerBehindThePrompt(t *testing.T) {
	p := newPlugin(t, `{"context":"Notes \"x\"\n日本語","notice":"read me"}`)
	r := p.run(message("ses_1", `"Fix the total"`))
	parts := r.output(t, 0)["parts"].([]any)
	want := m{"type": "text", "text": "Notes \"x\"\n日本語", "messageID": "msg_22bf81dc2001", "sessionID": "ses_1", "id": "prt_22bf81dcc002z", "synthetic": true}
	if d := cmp.Diff(want, parts[len(parts)-1]); d != "" || len(parts) != 3 {
		t.Errorf("%d parts, -want +got:\n%s", len(parts), d)
	}
	if parts[2].(m)["id"].(string) <= parts[1].(m)["id"].(string) {
		t.Error("parts are shown in the order of their ids: the notes would stand before the prompt")
	}
	if d := cmp.Diff([]string{"read me"}, r.Toasts); d != "" {
		t.Error(d)
	}
	ev, err := opencode{}.Decode([]byte(p.asked[0]), env(nil))
	if err != nil {
		t.Fatal(err)
	}
	got := Event{Host: "opencode", Name: UserPromptSubmit, RawName: "chat.message", Session: "ses_1", Cwd: p.dir, Prompt: "Fix the total", UserTurn: true, PromptID: "msg_22bf81dc2001", Slot: true}
	if d := cmp.Diff(got, ev); d != "" {
		t.Errorf("what the program was asked, -want +got:\n%s", d)
	}
}

// A desktop program's short PATH does not hold the program; setup links it below
// the home.
func TestThePluginFindsTheProgramBelowTheHome(t *testing.T) {
	p := newPlugin(t, `{"context":"found"}`)
	links := filepath.Join(p.dir, "home", "bin")
	if err := os.MkdirAll(links, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(p.argv[0], filepath.Join(links, "pathrule-hook-linked")); err != nil {
		t.Skip(err)
	}
	t.Setenv("PATHRULE_HOME", filepath.Dir(links))
	p.argv[0] = "pathrule-hook-linked"
	if got := p.run(toolAfter("ses_1", "read", m{"output": "x"})).output(t, 0)["output"]; got != "x\n\nfound" {
		t.Errorf("got %q", got)
	}
}

// E16, F51, F52: one block, the same bytes with every request until the text
// itself changes.
func TestTheSlotStaysAsItIsUntilItIsReplacedOrCleared(t *testing.T) {
	p := newPlugin(t,
		`{"slot":{"action":"replace","id":"aaaa","text":"TEAM ONE"},"context":"c"}`,
		``, // a quiet turn
		`FAIL{"slot":{"action":"clear"}}`,
		`{"slot":{"action":"replace","id":"bbbb","text":"TEAM TWO"}}`,
		`{"slot":{"action":"clear"}}`,
	)
	turn := message("ses_1", "go on")
	ask := request("ses_1", "You are OpenCode.", "Second block.")
	calls := []m{ask, turn, ask, turn, ask, turn}
	for range 20 {
		calls = append(calls, ask)
	}
	calls = append(calls, turn, ask, request("ses_2", "Other."), request("ses_1", "You are a title generator. You output ONLY a thread title."), request("ses_1"), turn, ask)
	r := p.run(calls...)
	first, one, two := m{"system": []any{"You are OpenCode.", "Second block."}}, m{"system": []any{"You are OpenCode.", "Second block.\n\nTEAM ONE"}}, m{"system": []any{"You are OpenCode.", "Second block.\n\nTEAM TWO"}}
	check := func(i int, want m) {
		t.Helper()
		if d := cmp.Diff(want, r.output(t, i)); d != "" {
			t.Errorf("call %d: %s", i, d)
		}
	}
	check(0, first)
	check(2, one)
	check(4, one)
	for i := range 20 {
		check(6+i, one)
	}
	check(27, two)
	check(28, m{"system": []any{"Other."}})
	check(29, m{"system": []any{"You are a title generator. You output ONLY a thread title."}})
	check(30, m{"system": []any{"TEAM TWO"}})
	check(32, first)
	var held []string
	for _, a := range p.asked {
		ev, err := opencode{}.Decode([]byte(a), env(nil))
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, ev.Held)
	}
	if d := cmp.Diff([]string{"", "aaaa", "aaaa", "aaaa", "bbbb"}, held); d != "" {
		t.Errorf("what the program was told of the slot: %s", d)
	}
}

func TestThePluginAppendsToAToolsText(t *testing.T) {
	p := newPlugin(t, `{"context":"Rule here"}`, `{"context":"Another"}`, `{"context":"never asked"}`)
	mcp := m{"content": []any{m{"type": "text", "text": "x"}}, "isError": false}
	r := p.run(
		toolAfter("ses_1", "read", m{"title": "a.go", "output": "1: package a", "metadata": m{}}),
		toolAfter("ses_1", "rig_probe", mcp),
		toolAfter("ses_1", "pathrule_get_context", m{"output": "x"}),
		toolAfter("ses_1", "task", m{"output": "x"}),
		toolAfter("ses_1", "other", m{"title": "no place for a text"}),
	)
	if d := cmp.Diff(m{"title": "a.go", "output": "1: package a\n\nRule here", "metadata": m{}}, r.output(t, 0)); d != "" {
		t.Error(d)
	}
	both := m{"content": []any{m{"type": "text", "text": "x"}, m{"type": "text", "text": "Another"}}, "isError": false}
	for i, want := range []m{both, {"output": "x"}, {"output": "x"}, {"title": "no place for a text"}} {
		if d := cmp.Diff(want, r.output(t, i+1)); d != "" {
			t.Error(d)
		}
	}
	if len(p.asked) != 2 {
		t.Fatalf("the program was asked %d times: a tool whose output has no place for a text is nothing to ask about", len(p.asked))
	}
	ev, _ := opencode{}.Decode([]byte(p.asked[0]), env(nil))
	if d := cmp.Diff(Event{Host: "opencode", Name: PostToolUse, RawName: "tool.execute.after", Session: "ses_1", Cwd: p.dir, Tool: "read", ToolUseID: "call_1", Touches: []Touch{{"/p/a.go", Read}}}, ev); d != "" {
		t.Error(d)
	}
	if strings.Contains(p.asked[0], "package a") {
		t.Error("the tool's output goes to the program, which has no use for it")
	}
}

func TestASubagentsSessionBelongsToItsParents(t *testing.T) {
	created := m{"hook": "event", "input": m{"event": m{"type": "session.created", "properties": m{"sessionID": "ses_child", "info": m{"id": "ses_child", "parentID": "ses_main"}}}}}
	p := newPlugin(t, `{"context":"For the subagent"}`)
	p.parents["ses_grandchild"] = "ses_child"
	child := message("ses_child", "say hi")
	r := p.run(created, child, toolAfter("ses_child", "read", m{"output": "x"}), toolAfter("ses_grandchild", "read", m{"output": "x"}), toolAfter("ses_main", "read", m{"output": "x"}))
	parts := r.output(t, 1)["parts"].([]any)
	if got := parts[len(parts)-1].(m)["text"]; got != "For the subagent" {
		t.Errorf("the subagent gets %q", got)
	}
	type who struct {
		Name           EventName
		Session, Agent string
	}
	var got []who
	for _, a := range p.asked {
		ev, _ := opencode{}.Decode([]byte(a), env(nil))
		got = append(got, who{ev.Name, ev.Session, ev.Agent})
	}
	want := []who{{SubagentStart, "ses_main", "ses_child"}, {PostToolUse, "ses_main", "ses_child"}, {PostToolUse, "ses_main", "ses_grandchild"}, {PostToolUse, "ses_main", ""}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if r.Lookups != 2 {
		t.Errorf("%d look-ups, want one for each session that began unseen", r.Lookups)
	}
}

func TestCompactionHandsTheNamesToTheSummary(t *testing.T) {
	p := newPlugin(t, `{"context":"Told before"}`)
	r := p.run(m{"hook": "experimental.session.compacting", "input": m{"sessionID": "ses_1"}, "output": m{"context": []any{"theirs"}}})
	if d := cmp.Diff(m{"context": []any{"theirs", "Told before"}}, r.output(t, 0)); d != "" {
		t.Error(d)
	}
}

// Only where the program said that approved blocks exist does a tool wait for
// it, and only its refusal is thrown.
func TestARefusalIsThrownOnlyWhereBlocksExist(t *testing.T) {
	p := newPlugin(t, `{"context":"c"}`, `{"guard":true}`, `{"refuse":"Use cents."}`, ``, `rubbish`)
	r := p.run(toolBefore("ses_1", "edit"), message("ses_1", "a"), toolBefore("ses_1", "edit"), message("ses_1", "b"),
		toolBefore("ses_1", "edit"), toolBefore("ses_1", "edit"), toolBefore("ses_1", "edit"), toolBefore("ses_1", "todowrite"))
	var threw []string
	for _, x := range r.Results {
		threw = append(threw, x.Threw)
	}
	if d := cmp.Diff([]string{"", "", "", "", "Use cents.", "", "", ""}, threw); d != "" {
		t.Error(d)
	}
	if len(p.asked) != 5 {
		t.Errorf("asked %d times", len(p.asked))
	}
}

// Both scopes have the plugin, or a folder's configuration was loaded again.
func TestOfTwoPluginsTheLastLoadedAnswersAndTheSlotSurvives(t *testing.T) {
	p := newPlugin(t, `{"slot":{"action":"replace","id":"aaaa","text":"TEAM"}}`, `{"context":"once"}`)
	again := message("ses_1", "b")
	older := m{"hook": "chat.message", "older": 1, "input": again["input"], "output": again["output"]}
	r := p.run(message("ses_1", "a"), m{"load": true}, older, again, request("ses_1", "Block."))
	for i, want := range []int{2, 2, 3} {
		if got := len(r.output(t, i)["parts"].([]any)); got != want {
			t.Errorf("call %d: %d parts, want %d", i, got, want)
		}
	}
	if d := cmp.Diff(m{"system": []any{"Block.\n\nTEAM"}}, r.output(t, 3)); d != "" {
		t.Error(d)
	}
}

func TestTheSlotOfADeletedSessionIsForgotten(t *testing.T) {
	p := newPlugin(t, `{"slot":{"action":"replace","id":"aaaa","text":"TEAM"}}`)
	r := p.run(message("ses_1", "a"),
		m{"hook": "event", "input": m{"event": m{"type": "session.deleted", "properties": m{"info": m{"id": "ses_1"}}}}}, request("ses_1", "Block."))
	if d := cmp.Diff(m{"system": []any{"Block."}}, r.output(t, 2)); d != "" {
		t.Error(d)
	}
}

func TestThePluginSwallowsEveryFault(t *testing.T) {
	calls := func() []m {
		list := []m{message("ses_1", "a"), request("ses_1", "Block."), toolAfter("ses_1", "read", m{"output": "x"}), {"hook": "experimental.session.compacting", "input": m{"sessionID": "ses_1"}, "output": m{"context": []any{}}}}
		return list
	}
	for name, answer := range map[string]string{
		"no JSON": "pathrule: broken", "two values": `{"context":"a"}{"context":"b"}`, "null": "null", "a list": `["context"]`, "a text": `"context"`,
		"a number for a context": `{"context":7,"notice":{},"slot":7,"guard":"yes"}`, "a slot without text": `{"slot":{"action":"replace"}}`,
		"a failed program": `FAIL{"context":"x","slot":{"action":"replace","id":"a","text":"x"}}`,
		"too much":         `{"context":"` + strings.Repeat("x", 2<<20) + `"}`,
		"half an answer":   `{"context":"x`,
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlugin(t, answer, answer, answer)
			r := p.run(calls()...)
			for i, c := range calls() {
				want, _ := json.Marshal(c["output"])
				if d := cmp.Diff(string(want), string(r.Results[i].Output)); d != "" || r.Results[i].Threw != "" {
					t.Errorf("call %d changed the output, or threw %q: %s", i, r.Results[i].Threw, d)
				}
			}
			if len(p.asked) != 3 {
				t.Errorf("asked %d times", len(p.asked))
			}
		})
	}
	t.Run("no program", func(t *testing.T) {
		p := newPlugin(t)
		p.argv = []string{"pathrule-hook-that-nobody-has", "--host", "opencode"}
		r := p.run(calls()...)
		for i, c := range calls() {
			want, _ := json.Marshal(c["output"])
			if d := cmp.Diff(string(want), string(r.Results[i].Output)); d != "" || r.Results[i].Threw != "" {
				t.Errorf("call %d: %q %s", i, r.Results[i].Threw, d)
			}
		}
	})
	t.Run("a program that hangs, and a client that does", func(t *testing.T) {
		p := newPlugin(t, "HANG")
		p.slow, p.hurried = true, true
		r := p.run(calls()[2])
		if d := cmp.Diff(m{"output": "x"}, r.output(t, 0)); d != "" {
			t.Error(d)
		}
	})
	t.Run("objects that nobody promised", func(t *testing.T) {
		var list []m
		for _, hook := range newPlugin(t).run().Hooks {
			for _, in := range []any{nil, m{}, m{"sessionID": 7, "tool": m{}}, m{"sessionID": "ses_1", "tool": nil, "event": nil}, m{"event": m{"type": "session.deleted"}}} {
				for _, out := range []any{nil, m{}, m{"message": m{"id": 3}, "parts": []any{nil, 7}, "system": []any{nil}, "output": "x", "context": "x", "args": 3}} {
					list = append(list, m{"hook": hook, "input": in, "output": out})
				}
			}
		}
		p := newPlugin(t, `{"slot":{"action":"replace","id":"a","text":"x"},"context":"x"}`)
		for i, x := range p.run(list...).Results {
			if x.Threw != "" {
				t.Errorf("%v threw %q", list[i], x.Threw)
			}
		}
	})
}

// Every recorded call of the real client, through the plugin and our decoder:
// what the program is asked says the same as the recording itself.
func TestRecordedCallsReachTheProgramAsTheyAre(t *testing.T) {
	var calls []m
	var direct []Event
	for _, set := range []string{"payloads", "captured"} {
		files, _ := filepath.Glob(filepath.Join("testdata", set, "opencode", "*.json"))
		for _, f := range files {
			raw, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			ev, err := opencode{}.Decode(raw, env(nil))
			if err != nil {
				t.Fatal(err)
			}
			var rec m
			if err := json.Unmarshal(raw, &rec); err != nil {
				t.Fatal(err)
			}
			switch ev.RawName {
			case "chat.message", "tool.execute.after", "experimental.session.compacting", "experimental.chat.system.transform", "event", "tool.execute.before":
			default:
				continue
			}
			calls = append(calls, m{"hook": ev.RawName, "input": rec["input"], "output": rec["output"]})
			out, _ := rec["output"].(m)
			text, _ := out["output"].(string)
			if _, list := out["content"].([]any); list {
				text = "a server's"
			}
			switch {
			case ev.Name == UserPromptSubmit, ev.Name == PreCompact, ev.Name == PostToolUse && text != "" && ev.Tool != "task":
				direct = append(direct, ev)
			}
		}
	}
	p := newPlugin(t)
	r := p.run(calls...)
	for i, x := range r.Results {
		want, _ := json.Marshal(calls[i]["output"])
		var a, b any
		json.Unmarshal(want, &a)
		json.Unmarshal(x.Output, &b)
		if d := cmp.Diff(a, b); d != "" || x.Threw != "" {
			t.Errorf("%v: an empty answer changed the output, or threw %q: %s", calls[i]["hook"], x.Threw, d)
		}
	}
	var asked []Event
	for _, a := range p.asked {
		ev, err := opencode{}.Decode([]byte(a), env(nil))
		if err != nil {
			t.Fatal(err)
		}
		if ev.Cwd != p.dir {
			t.Errorf("folder %q", ev.Cwd)
		}
		ev.Cwd = ""
		asked = append(asked, ev)
	}
	if d := cmp.Diff(direct, asked); d != "" || len(asked) < 9 {
		t.Errorf("%d questions, -recorded +asked:\n%s", len(asked), d)
	}
}

func TestThePluginHoldsTheCommandAndNoPlaceOfThisMachine(t *testing.T) {
	plain := opencode{}.OwnFiles(Project, "/r", []string{"pathrule-hook", "--host", "opencode"}, env(nil))
	if got := filepath.ToSlash(plain[0].Path); got != "/r/.opencode/plugins/pathrule.js" {
		t.Error(got)
	}
	if string(plain[0].Data) != strings.ReplaceAll(opencodePlugin, "\r\n", "\n") {
		t.Error("the bare command does not give the plugin as it is in the source: the line that is replaced was not found")
	}
	if !strings.HasPrefix(string(plain[0].Data), `// Written by "pathrule setup"`) || strings.Contains(string(plain[0].Data), "/r/") {
		t.Error("wants its maker in the first line and no path")
	}
	argv := []string{`C:\Program Files\it's "odd"\pathrule-hook.exe`, "--host", "opencode", "--env", "PATHRULE_HOME=/a b"}
	user := opencode{}.OwnFiles(User, "/r", argv, env(map[string]string{"XDG_CONFIG_HOME": "/cfg"}))
	if got := filepath.ToSlash(user[0].Path); got != "/cfg/opencode/plugins/pathrule.js" {
		t.Error(got)
	}
	if want := `const command = ["C:\\Program Files\\it's \"odd\"\\pathrule-hook.exe", "--host", "opencode", "--env", "PATHRULE_HOME=/a b"]`; !strings.Contains(string(user[0].Data), want+"\n") {
		t.Errorf("want the line %s", want)
	}
	for _, c := range []struct {
		vars map[string]string
		want string
	}{
		{nil, "/home/dev/.config/opencode/plugins/pathrule.js"},
		{map[string]string{"XDG_CONFIG_HOME": "rel"}, "/home/dev/.config/opencode/plugins/pathrule.js"},
		{map[string]string{"XDG_CONFIG_HOME": "/cfg", "OPENCODE_CONFIG_DIR": "/own"}, "/own/plugins/pathrule.js"},
	} {
		if got := filepath.ToSlash(opencode{}.OwnFiles(User, "", argv, env(c.vars))[0].Path); got != c.want {
			t.Errorf("%v: %s", c.vars, got)
		}
	}
	if got := (opencode{}).OwnFiles(User, "/r", argv, sysenv.Env{}); got != nil {
		t.Errorf("without a home: %v", got)
	}
}
