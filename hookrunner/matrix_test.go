package hookrunner_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"pathrule/host"
)

var events = map[string][]string{
	"claude-code": {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SubagentStart", "PreCompact", "SubagentStop", "Stop", "SessionEnd"},
	"codex":       {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart", "PreCompact", "SubagentStop", "Stop", "SessionEnd"},
}

// full is an event that has something to say wherever it can.
func (w *world) full(name string) string {
	pairs := []any{"turn_id", "turn1"}
	switch name {
	case "SessionStart":
		pairs = append(pairs, "source", "clear")
	case "UserPromptSubmit":
		pairs = append(pairs, "prompt", invoicePrompt)
	case "PreToolUse", "PostToolUse", "PostToolUseFailure":
		pairs = append(pairs, "tool_name", "Bash", "tool_input", map[string]any{"command": "cat src/billing/invoice.go"})
	case "SubagentStart", "SubagentStop":
		pairs = append(pairs, "agent_id", "a1", "agent_type", "default")
	case "PreCompact":
		pairs = append(pairs, "trigger", "auto")
	case "SessionEnd":
		pairs = append(pairs, "reason", "other")
	}
	return w.event(name, pairs...)
}

// T1, A35, A41, P48: every event of every host with every kind of input.
// Rows: A44, F29, F96, P67.
func TestContractMatrix(t *testing.T) {
	speaks := map[string]bool{"SessionStart": true, "UserPromptSubmit": true, "PreToolUse": true, "PostToolUse": true, "PostToolUseFailure": true, "SubagentStart": true}
	kinds := map[string]struct {
		mangle func(string) string
		whole  bool // still the event
	}{
		"valid":           {func(s string) string { return s }, true},
		"a newline after": {func(s string) string { return s + "\n" }, true},
		"empty":           {func(s string) string { return "" }, false},
		"blanks":          {func(s string) string { return " \r\n" }, false},
		"garbage":         {func(s string) string { return "\x00\x01 not { json" }, false},
		"an array":        {func(s string) string { return "[" + s + "]" }, false},
		"null":            {func(s string) string { return "null" }, false},
		"huge": {func(s string) string {
			return s[:len(s)-1] + `,"tool_response":"` + strings.Repeat(`x\n`, 3<<19) + `"}`
		}, true},
		"too huge": {func(s string) string {
			return s[:len(s)-1] + `,"tool_response":"` + strings.Repeat("x", 9<<20) + `"}`
		}, false},
		"one mark":    {func(s string) string { return "\xEF\xBB\xBF" + s }, true},
		"two marks":   {func(s string) string { return "\xEF\xBB\xBF\xEF\xBB\xBF" + s }, true},
		"only a mark": {func(s string) string { return "\xEF\xBB\xBF" }, false},
		"UTF-16": {func(s string) string {
			b := []byte{0xFF, 0xFE}
			for _, u := range utf16.Encode([]rune(s)) {
				b = append(b, byte(u), byte(u>>8))
			}
			return string(b)
		}, true},
		"CRLF": {func(s string) string {
			var b bytes.Buffer
			json.Indent(&b, []byte(s), "", "  ")
			return strings.ReplaceAll(b.String(), "\n", "\r\n") + "\r\n"
		}, true},
		"a prompt of blocks": {func(s string) string {
			return strings.Replace(s, `"prompt":"`+invoicePrompt+`"`, `"prompt":[{"type":"text","text":"`+invoicePrompt+`"}]`, 1)
		}, true},
		"raw control characters": {func(s string) string {
			return strings.Replace(s, `"turn_id":"turn1"`, "\"turn_id\":\"turn1\",\"note\":\"a\nb\x01\x1b[0m\tc\"", 1)
		}, true},
		"truncated":        {func(s string) string { return s[:len(s)*2/3] }, false},
		"truncated by one": {func(s string) string { return s[:len(s)-1] }, false},
		"a second object":  {func(s string) string { return s + `{"hook_event_name":"Stop"}` }, true},
		"deep nesting": {func(s string) string {
			return s[:len(s)-1] + `,"x":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "}"
		}, true},
		"too deep nesting": {func(s string) string {
			return s[:len(s)-1] + `,"x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "}"
		}, false},
		"no event name":       {func(s string) string { return strings.Replace(s, "hook_event_name", "hook_event", 1) }, false},
		"an unknown event":    {func(s string) string { return `{"hook_event_name":"Interrupt","session_id":"s1"}` }, false},
		"members of odd kind": {func(s string) string { return `{"hook_event_name":["x"],"session_id":{},"cwd":[],"prompt":1}` }, false},
	}
	w := newWorld(t)
	for h, names := range events {
		for _, name := range names {
			for kind, k := range kinds {
				t.Run(h+"/"+name+"/"+kind, func(t *testing.T) {
					w.t, w.host = t, h
					// A fresh session each time, so that speaking is telling.
					w.seq++
					payload := strings.Replace(w.full(name), `"s1"`, `"`+h+string(rune('a'+w.seq%26))+kind+name+`"`, 1)
					out, errs := w.raw(k.mangle(payload))
					if errs != "" {
						t.Errorf("stderr %q", errs)
					}
					got := contextOf(t, name, out)
					if want := k.whole && speaks[name]; (got != "") != want {
						t.Errorf("says %.200q, want something: %t", got, want)
					}
				})
			}
		}
	}
}

// Every payload that was recorded from the real programs, played into a shop of
// ours: exit 0, nothing or exactly what that event of that host may answer.
func TestRecordedPayloads(t *testing.T) {
	// What lies where the recorded sessions touched.
	recorded := map[string]string{
		".pathrule/rules/billing.md":      "---\ntitle: Billing is audited\npaths: [services/billing]\n---\nEvery change of a total needs a test.\n",
		".pathrule/rules/checkout.md":     "---\ntitle: Checkout never rounds twice\npaths: [src/checkout]\n---\nRound once, at the end.\n",
		".pathrule/memories/orders.md":    "---\ntitle: Orders are idempotent\npaths: [internal/orders]\n---\nThe key is the order id.\n",
		".pathrule/team.md":               "We ship on Tuesdays.\n",
		"services/billing/src/invoice.js": "x", "services/billing/src/tax.js": "x", "src/checkout/total.ts": "x", "src/checkout/tax.ts": "x",
		"internal/orders/handler.go": "x", "docs/tax.md": "x",
	}
	w := newWorld(t, recorded)
	for h := range events {
		var files []string
		for _, set := range []string{"payloads", "captured"} {
			list, _ := filepath.Glob(filepath.Join("..", "host", "testdata", set, h, "*.json"))
			files = append(files, list...)
		}
		sort.Strings(files)
		if len(files) < 20 {
			t.Fatalf("%d payloads of %s", len(files), h)
		}
		spoke := map[string]bool{}
		for _, f := range files {
			t.Run(h+"/"+filepath.Base(filepath.Dir(filepath.Dir(f)))+"/"+filepath.Base(f), func(t *testing.T) {
				w.t, w.host = t, h
				w.later()
				raw, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				root, _ := json.Marshal(w.root)
				text := strings.ReplaceAll(string(raw), "/home/dev/shop", strings.Trim(string(root), `"`))
				var p struct {
					Event string `json:"hook_event_name"`
				}
				if err := json.Unmarshal([]byte(text), &p); err != nil {
					t.Fatal(err)
				}
				out, errs := w.raw(text)
				if errs != "" {
					t.Errorf("stderr %q", errs)
				}
				if contextOf(t, p.Event, out) != "" {
					spoke[p.Event] = true
				}
				if log := w.log(); log != "" {
					t.Errorf("logged %s", log)
				}
				again, _ := w.raw(text)
				if again != "" {
					t.Errorf("the same event again is answered with %.200q", again)
				}
			})
		}
		want := map[string]bool{"SessionStart": true, "UserPromptSubmit": true, "PreToolUse": true, "PostToolUse": true, "SubagentStart": true}
		if h == "claude-code" {
			want["PostToolUseFailure"] = true
		}
		if d := cmp.Diff(want, spoke); d != "" {
			t.Errorf("%s: events that said something, -want +got:\n%s", h, d)
		}
	}
}

// F15, A37, P52: however much there is to say, an answer stays within the
// host's cap, whole and valid; nothing unexpanded leaves us.
func TestAnswersStayWithinTheCap(t *testing.T) {
	files := map[string]string{}
	texts := []string{"plain words about invoices and rounding. ", "請求書の端数処理は行ごとに四捨五入する。", "😀🎉 emoji rounding invoice ", "e\u0301a\u0308 combining invoice rounding "}
	for i := range 40 {
		id := string(rune('a'+i%26)) + string(rune('a'+i/26))
		body := strings.Repeat(texts[i%len(texts)], 40+i*9)
		files[".pathrule/memories/"+id+".md"] = "---\ntitle: Invoice rounding " + id + "\npaths: [src/billing/invoice.go]\n---\n" + body + "\n"
		files[".pathrule/rules/"+id+".md"] = "---\ntitle: Wide rule " + id + " ${HOME}\npriority: high\nenforcement: strict\n---\n" + body + "\n"
		files[".pathrule/skills/s"+id+"/SKILL.md"] = "---\nname: s" + id + "\ndescription: " + strings.Repeat("about rounding ", 30) + "\n---\n" + body + "\n"
	}
	files["src/billing/invoice.go"] = "package billing\n"
	w := newWorld(t, files)
	w.live = true
	w.config("budget:\n  focused: 100000\n  deep: 100000\n  minimal: 100000\n  tool: 100000\nhooks:\n  path_bodies: 100\n")
	for h := range events {
		hh, _ := host.ByName(h)
		for _, name := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "SubagentStart"} {
			w.host = h
			w.later()
			out, _ := w.raw(w.full(name))
			got := contextOf(t, name, out)
			limit := hh.Cap(host.EventName(name))
			if n := limit.Unit.Measure(got); got == "" || n > limit.Max {
				t.Errorf("%s %s: %d of %d %s; log: %s", h, name, n, limit.Max, limit.Unit, w.log())
			}
			if len([]rune(got)) > 10_000 {
				t.Errorf("%s %s: %d characters", h, name, len([]rune(got)))
			}
			if strings.ToValidUTF8(got, "") != got {
				t.Errorf("%s %s: not UTF-8", h, name)
			}
		}
	}
}

// F50, F93, F54: what is said depends on no clock, says first that it is
// background, and names only tools that are there.
func TestTheWordingOfAnAnswer(t *testing.T) {
	w := newWorld(t)
	w.live = true
	at := func() string {
		w.later()
		return w.start("startup") + "\n" + w.prompt(invoicePrompt) + "\n" + w.read("src/billing/tax.go")
	}
	first := at()
	if second := at(); first != second {
		t.Errorf("a week later it reads otherwise: %s", cmp.Diff(first, second))
	}
	hasNot(t, first, w.home)
	hasNot(t, first, "mcp__")
	w.later()
	w.start("startup")
	line, _, _ := strings.Cut(w.prompt(invoicePrompt), "\n")
	if !strings.Contains(line, "notes for the task above") {
		t.Errorf("the first line is %q", line)
	}
	// With the server registered a hint may name its tool.
	os.WriteFile(filepath.Join(w.home, ".claude.json"), []byte(`{"mcpServers":{"pathrule":{"command":"pathrule","args":["mcp"]}}}`), 0o600)
	has(t, w.start("clear"), "mcp__pathrule__get_context")
	w.host = "codex"
	hasNot(t, w.start("clear"), "mcp__")
	os.MkdirAll(filepath.Join(w.home, ".codex"), 0o700)
	os.WriteFile(filepath.Join(w.home, ".codex", "config.toml"), []byte("[mcp_servers.pathrule]\ncommand = \"pathrule\"\n"), 0o600)
	w.later()
	has(t, w.start("clear"), "mcp__pathrule__get_context")
}

// F70, F71, C7: no event writes into the project.
func TestTheProjectStaysAsItIs(t *testing.T) {
	w := newWorld(t)
	w.live = true
	tree := func() string {
		var b strings.Builder
		filepath.WalkDir(w.root, func(p string, d os.DirEntry, _ error) error {
			st, err := d.Info()
			if err != nil {
				t.Fatal(err)
			}
			data, _ := os.ReadFile(p)
			b.WriteString(p + " " + st.Mode().String() + " " + st.ModTime().String() + "\n" + string(data) + "\n")
			return nil
		})
		return b.String()
	}
	before := tree()
	for h, names := range events {
		w.host = h
		for _, name := range names {
			w.raw(w.full(name))
		}
	}
	if d := cmp.Diff(before, tree()); d != "" {
		t.Errorf("-before +after:\n%s", d)
	}
}
