package hookrunner_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pathrule/host"
)

// openCode plays OpenCode's plugin: it holds the slot and says so.
type openCode struct {
	*world
	held, text string
	turns      int
}

func newOpenCode(t *testing.T, files ...map[string]string) *openCode {
	w := newWorld(t, files...)
	w.host, w.live = "opencode", true
	return &openCode{world: w}
}

func (o *openCode) send(payload map[string]any) host.Reply {
	o.t.Helper()
	o.now = o.now.Add(time.Minute)
	payload["directory"] = o.root
	b, err := json.Marshal(payload)
	if err != nil {
		o.t.Fatal(err)
	}
	out, errs := o.raw(string(b))
	if errs != "" {
		o.t.Errorf("stderr %q", errs)
	}
	if out == "" {
		return host.Reply{}
	}
	return replyOf(out)
}

// turn is a prompt, after which the slot is what the answer made of it.
func (o *openCode) turn(prompt string) host.Reply {
	o.t.Helper()
	o.turns++
	r := o.send(map[string]any{
		"hook": "chat.message", "input": map[string]any{"sessionID": "ses_1", "messageID": fmt.Sprint("msg_", o.turns)},
		"output": map[string]any{"parts": []any{map[string]any{"type": "text", "text": prompt}}}, "slot": o.held,
	})
	switch r.Slot.Action {
	case host.Replace:
		o.held, o.text = r.Slot.ID, r.Slot.Text
	case host.Clear:
		o.held, o.text = "", ""
	}
	return r
}

func (o *openCode) after(session, tool string, args map[string]any) string {
	o.t.Helper()
	o.turns++
	in := map[string]any{"sessionID": session, "tool": tool, "callID": fmt.Sprint("call_", o.turns), "args": args}
	if session != "ses_1" {
		in["rootID"] = "ses_1"
	}
	return o.send(map[string]any{"hook": "tool.execute.after", "input": in}).Context
}

// E16, F51, F53: the block in the system prompt is told once and then stays,
// byte for byte, while quiet turns cost nothing.
func TestTheSlotIsRenewedOnlyWhenItsTextChanges(t *testing.T) {
	o := newOpenCode(t)
	first := o.turn(invoicePrompt)
	has(t, o.text, "Workspace shop")
	has(t, o.text, "We ship on Tuesdays")
	has(t, o.text, "Commits name the ticket")
	has(t, first.Context, "rounded half up per line")
	hasNot(t, first.Context, "Workspace shop")
	hasNot(t, first.Context, "Commits name the ticket")
	text := o.text
	spent := 0
	for range 50 {
		r := o.turn("go on")
		spent += len(r.Context) + len(r.Slot.Text)
	}
	if spent > 0 || o.text != text {
		t.Errorf("50 quiet turns told %d bytes", spent)
	}

	// What belongs to a path is no part of it.
	o.write(".pathrule/memories/new.md", "---\ntitle: Discounts are capped\npaths: [src/billing]\n---\nNo discount above 30 percent.\n")
	if o.turn("go on"); o.text != text {
		t.Errorf("a note about one folder changes the system prompt:\n%s", o.text)
	}
	o.write(".pathrule/rules/reviews.md", "---\ntitle: Two people review\n---\nTwo reviews for each change.\n")
	if r := o.turn("go on"); r.Slot.Action != host.Replace {
		t.Errorf("a new rule for all of the project: %q", r.Slot.Action)
	}
	has(t, o.text, "Two people review")
	text = o.text
	if o.turn("go on"); o.text != text {
		t.Error("and changes again without a reason")
	}

	// The client's process began anew and holds nothing: the same bytes again.
	o.held, o.text = "", ""
	if r := o.turn("go on"); o.text != text || r.Context != "" {
		t.Errorf("after a restart of the client: %q and\n%s", r.Context, o.text)
	}
	o.config("mode: off\n")
	if r := o.turn("go on"); r.Slot.Action != host.Clear || r.Context != "" {
		t.Errorf("switched off: %+v", r)
	}
	if r := o.turn("go on"); r.Slot.Action != host.Retain {
		t.Errorf("nothing is there to clear: %+v", r)
	}
	o.config("mode: startup\n")
	if r := o.turn(invoicePrompt + " again"); o.text != text || r.Context != "" {
		t.Errorf("mode startup: %q and\n%s", r.Context, o.text)
	}
	if log := o.log(); log != "" {
		t.Error(log)
	}
}

// What was told goes with the compacted history, the block does not: its text
// stays as it is, the summary gets the names, bodies come again.
func TestCompactionLeavesTheSlotAlone(t *testing.T) {
	o := newOpenCode(t)
	o.turn(invoicePrompt)
	text := o.text
	r := o.send(map[string]any{"hook": "experimental.session.compacting", "input": map[string]any{"sessionID": "ses_1"}})
	has(t, r.Context, "memory:rounding")
	hasNot(t, r.Context, "rounded half up per line")
	hasNot(t, r.Context, "Workspace shop")
	r = o.turn(invoicePrompt)
	if o.text != text || r.Slot.Action != host.Retain {
		t.Errorf("the block is renewed: %+v", r.Slot)
	}
	has(t, r.Context, "rounded half up per line")
	hasNot(t, r.Context, "Workspace shop")
	if r = o.turn(invoicePrompt); r.Context != "" {
		t.Errorf("told once more: %s", r.Context)
	}
}

// F32: what a subagent needs lands in the subagent's own session.
func TestASubagentOfOpenCodeStartsWithWhatItsParentHas(t *testing.T) {
	o := newOpenCode(t)
	o.turn(invoicePrompt)
	r := o.send(map[string]any{
		"hook": "chat.message", "input": map[string]any{"sessionID": "ses_2", "rootID": "ses_1", "agent": "general", "messageID": "msg_s"},
		"output": map[string]any{"parts": []any{map[string]any{"type": "text", "text": "look"}}}, "slot": "",
	})
	has(t, r.Context, "Workspace shop")
	has(t, r.Context, "rounded half up per line")
	if r.Slot.Action != host.Retain {
		t.Errorf("a subagent's system prompt is its own: %+v", r.Slot)
	}
	args := map[string]any{"filePath": o.path("src/api/server.go")}
	for _, session := range []string{"ses_1", "ses_2"} {
		has(t, o.after(session, "read", args), "Handlers return problem documents")
		if again := o.after(session, "read", args); again != "" {
			t.Errorf("%s again: %s", session, again)
		}
	}
	has(t, o.after("ses_1", "edit", map[string]any{"filePath": "src/billing/tax.go"}), "Tax rates")
}

// F33, F37: a file that is written, and did not exist before, is told about as
// one that is read.
func TestANewFileIsToldAboutWhenItIsWritten(t *testing.T) {
	o := newOpenCode(t)
	o.turn("go on")
	has(t, o.after("ses_1", "write", map[string]any{"filePath": "src/api/new.go", "content": "package api\n"}), "Handlers return problem documents")
	o.host = "cline"
	b, _ := json.Marshal(map[string]any{"hookName": "PreToolUse", "taskId": "t", "workspaceRoots": []string{o.root},
		"preToolUse": map[string]any{"toolName": "editor", "parameters": map[string]any{"path": "src/api/newer.go", "new_text": "x"}}})
	out, _ := o.raw(string(b))
	has(t, replyOf(out).Context, "Handlers return problem documents")
}

// A repository's unreviewed knowledge: the block counts once, however often the
// client forgets it.
func TestTheSlotOfAnUnreviewedRepositoryCountsOnce(t *testing.T) {
	o := newOpenCode(t)
	if err := os.RemoveAll(filepath.Join(o.dirs().Home, "trust")); err != nil {
		t.Fatal(err)
	}
	first := o.turn("go on")
	text := o.text
	has(t, text, "not reviewed")
	if first.Notice == "" {
		t.Error("the person is not told")
	}
	for range 5 {
		o.held = ""
		if o.turn("go on"); o.text != text {
			t.Fatalf("now the block is\n%s", o.text)
		}
	}
	has(t, o.turn(invoicePrompt).Context, "not reviewed")
}

// The plugin in Node, our programs behind it: what the model would get.
func TestThePluginWithTheRealPrograms(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node on PATH, which runs the plugin as OpenCode does")
	}
	hook := program(t, "pathrule-hook")
	program(t, "pathrule-prompt")
	w := newWorld(t)
	h, _ := host.ByName("opencode")
	own := h.OwnFiles(host.Project, w.root, []string{hook, "--host", "opencode"}, w.env())
	// This machine is busy; how long the plugin waits is tested elsewhere.
	src := strings.NewReplacer("promptTime = 2000", "promptTime = 60000", "toolTime = 1000", "toolTime = 60000").Replace(string(own[0].Data))
	plugin := filepath.Join(w.home, "pathrule.mjs")
	if err := os.WriteFile(plugin, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	address := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(plugin), "/")}
	part := func(text string) map[string]any {
		return map[string]any{"type": "text", "text": text, "id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1"}
	}
	calls := func(session string) []any {
		return []any{
			map[string]any{"hook": "chat.message", "input": map[string]any{"sessionID": session}, "output": map[string]any{"message": map[string]any{"id": "msg_" + session}, "parts": []any{part(invoicePrompt)}}},
			map[string]any{"hook": "experimental.chat.system.transform", "input": map[string]any{"sessionID": session}, "output": map[string]any{"system": []any{"Block."}}},
			map[string]any{"hook": "tool.execute.after", "input": map[string]any{"sessionID": session, "tool": "edit", "callID": "call_" + session, "args": map[string]any{"filePath": "src/api/server.go"}}, "output": map[string]any{"output": "Edited."}},
		}
	}
	type output struct {
		Parts  []struct{ Text string }
		System []string
		Output string
	}
	run := 0
	got := []output{}
	w.until(func() string {
		run++
		in, _ := json.Marshal(map[string]any{"plugin": address.String(), "directory": w.root, "parents": map[string]string{}, "calls": calls(fmt.Sprint("ses_", run))})
		cmd := w.command(node, filepath.Join("..", "host", "testdata", "opencode", "driver.mjs"))
		cmd.Dir, _ = os.Getwd()
		cmd.Stdin = bytes.NewReader(in)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil || errs.Len() > 0 {
			t.Fatalf("%v: %s", err, errs.String())
		}
		var ran struct {
			Results []struct {
				Output output
				Threw  string
			}
		}
		if err := json.Unmarshal(out, &ran); err != nil {
			t.Fatal(err)
		}
		got = nil
		for _, r := range ran.Results {
			if r.Threw != "" {
				t.Errorf("threw %s", r.Threw)
			}
			got = append(got, r.Output)
		}
		if len(got[0].Parts) < 2 || got[2].Output == "Edited." {
			return ""
		}
		return "told"
	})
	has(t, got[0].Parts[1].Text, "Invoice totals")
	has(t, got[1].System[0], "Block.\n\nWorkspace shop")
	has(t, got[2].Output, "Edited.\n\n")
	has(t, got[2].Output, "Handlers return problem documents")
}
