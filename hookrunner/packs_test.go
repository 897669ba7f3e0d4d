package hookrunner_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func (w *world) put(rel, text string) string {
	w.t.Helper()
	return w.ask("PreToolUse", "tool_name", "Write", "tool_input", map[string]any{"file_path": w.path(rel), "content": text})
}

const guardsOn = "guards:\n  dependencies: true\n  eval: true\n  outside: true\n"

// A24, A32, A38: off by default; on, only what is found is told, once.
func TestGuardsAreOffUntilTheyAreTurnedOn(t *testing.T) {
	w := newWorld(t)
	w.start("startup")
	if out := w.put("package.json", `{"x": "eval(1)"}`); strings.Contains(out, "Guard") {
		t.Errorf("off, and yet %q", out)
	}
	w.config(guardsOn)
	if out := w.put("web/cart2.ts", "export {}"); strings.Contains(out, "Guard") {
		t.Errorf("nothing to find, and yet %q", out)
	}
	out := w.put("package.json", "{}")
	if !strings.Contains(out, "package.json is a dependency manifest") || !strings.Contains(out, "guard:dependencies") {
		t.Errorf("%q", out)
	}
	if out := w.put("package.json", "{ }"); out != "" {
		t.Errorf("told again: %q", out)
	}
	if out := w.put("go.sum", ""); !strings.Contains(out, "go.sum is a lock file") {
		t.Errorf("%q", out)
	}
	// After a compaction the model has lost it.
	w.start("compact")
	if out := w.put("package.json", "{}"); !strings.Contains(out, "dependency manifest") {
		t.Errorf("after compaction: %q", out)
	}
}

// A39, A11: advice travels as context beside knowledge and is no decision.
func TestAGuardSpeaksBesideKnowledgeAndDecidesNothing(t *testing.T) {
	w := newWorld(t)
	w.config(guardsOn)
	w.start("startup")
	raw, _ := w.raw(w.event("PreToolUse", "tool_name", "Edit", "tool_input", map[string]any{
		"file_path": w.path("src/billing/report.js"), "old_string": "export {}", "new_string": "export {}\nvar x = eval(y)"}))
	out := contextOf(t, "PreToolUse", raw)
	if !strings.Contains(out, "eval runs or rebuilds code") || !strings.Contains(out, "src/billing/report.js this would be new: var x = eval(y)") || !strings.Contains(out, "Money is integer cents") {
		t.Errorf("%q", out)
	}
	for _, word := range []string{"permissionDecision", `"decision"`, "deny"} {
		if strings.Contains(raw, word) {
			t.Errorf("%s in %s", word, raw)
		}
	}
	if out := w.ask("PreToolUse", "tool_name", "Bash", "tool_input", map[string]any{"command": `eval "$(cat x)"`}); !strings.Contains(out, "In the command: eval") {
		t.Errorf("command: %q", out)
	}
	outside := filepath.Join(w.home, "notes.go")
	if out := w.ask("PreToolUse", "tool_name", "Write", "tool_input", map[string]any{"file_path": outside, "content": "x"}); !strings.Contains(out, "lies outside this project") || !strings.Contains(out, "notes.go") {
		t.Errorf("outside: %q", out)
	}
}

func TestGuardsOfARepositoryAndOtherModesStaySilent(t *testing.T) {
	w := newWorld(t)
	w.write(".pathrule/config.yaml", guardsOn)
	w.start("startup")
	if out := w.put("package.json", "{}"); strings.Contains(out, "Guard") {
		t.Errorf("a repository turned them on: %q", out)
	}
	for _, mode := range []string{"manual", "off", "startup"} {
		w.later()
		w.config("mode: " + mode + "\n" + guardsOn)
		if out := w.put("package.json", "{}"); out != "" {
			t.Errorf("mode %s: %q", mode, out)
		}
	}
}

// A39: advice by default where it is on, a denial only in the strict mode.
func TestAQuestionWithoutARecommendedOption(t *testing.T) {
	w := newWorld(t)
	w.start("startup")
	ask := func(first string) string {
		t.Helper()
		out, errs := w.raw(w.event("PreToolUse", "tool_name", "AskUserQuestion", "tool_input", map[string]any{"questions": []any{
			map[string]any{"question": "Which store?", "header": "Store", "options": []any{map[string]any{"label": first}, map[string]any{"label": "Postgres"}}}}}))
		if errs != "" {
			t.Error(errs)
		}
		return out
	}
	if out := ask("SQLite"); out != "" {
		t.Errorf("off: %q", out)
	}
	w.config("guards.question: advise\n")
	if out := ask("SQLite (Recommended)"); out != "" {
		t.Errorf("nothing to find: %q", out)
	}
	if out := ask("SQLite"); !strings.Contains(out, `"additionalContext"`) || !strings.Contains(out, "(Recommended)") || strings.Contains(out, "permissionDecision") {
		t.Errorf("advise: %q", out)
	}
	w.config("guards.question: strict\n")
	for range 2 {
		if out := ask("SQLite"); !strings.Contains(out, `"permissionDecision":"deny"`) || !strings.Contains(out, "guard:question") {
			t.Errorf("strict: %q", out)
		}
	}
	if out := ask("SQLite (Recommended)"); out != "" {
		t.Errorf("strict, nothing to find: %q", out)
	}
}

// transcript writes a conversation of Claude Code whose last usage is n tokens.
func (w *world) transcript(n int, more ...string) string {
	w.t.Helper()
	path := filepath.Join(w.home, "talk.jsonl")
	text := fmt.Sprintf(`{"type":"assistant","message":{"usage":{"input_tokens":3,"cache_creation_input_tokens":7,"cache_read_input_tokens":%d,"output_tokens":5}}}`, n-10) + "\n"
	if err := os.WriteFile(path, []byte(text+strings.Join(more, "\n")), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func (w *world) lookup(pairs ...any) string {
	w.t.Helper()
	return w.ask("PreToolUse", append([]any{"tool_name", "Bash", "tool_input", map[string]any{"command": "true"}}, pairs...)...)
}

// A42: at most twice per stretch; a sharp drop begins a new one.
func TestAdviceOnTheSizeComesTwicePerCompaction(t *testing.T) {
	w := newWorld(t)
	w.start("startup")
	at := func(n int) string { t.Helper(); return w.lookup("transcript_path", w.transcript(n)) }
	if out := at(500_000); out != "" {
		t.Errorf("off: %q", out)
	}
	w.config("guards.context: true\n")
	for i, step := range []struct {
		size   int
		advice bool
	}{
		{119_000, false}, {121_000, true}, {130_000, false}, {152_000, true}, {190_000, false}, {400_000, false},
		{30_000, false}, // compacted
		{119_000, false}, {125_000, true}, {157_000, true}, {300_000, false},
	} {
		out := at(step.size)
		if (out != "") != step.advice {
			t.Errorf("step %d, %d tokens: %q", i, step.size, out)
		}
		if step.advice && (!strings.Contains(out, fmt.Sprintf("about %dk tokens", (step.size+500)/1000)) || !strings.Contains(out, "guard:context")) {
			t.Errorf("step %d: %q", i, out)
		}
	}
	// What the client tells of a compaction begins one too.
	w.start("compact")
	if out := at(200_000); out == "" {
		t.Error("silent after a compaction that the client told")
	}
	// Another limit; a subagent's conversation is its own.
	w.config("guards:\n  context: true\n  context_tokens: 10000\n")
	if out := w.ask("PreToolUse", "session_id", "s9", "agent_id", "a1", "tool_name", "Bash", "tool_input", map[string]any{"command": "true"}, "transcript_path", w.transcript(900_000)); strings.Contains(out, "Guard") {
		t.Errorf("a subagent: %q", out)
	}
	if out := w.lookup("session_id", "s9", "transcript_path", w.transcript(10_000)); !strings.Contains(out, "about 10k tokens") {
		t.Errorf("own limit: %q", out)
	}
}

func TestWithoutARecordOfTheConversationCallsAreCounted(t *testing.T) {
	w := newWorld(t)
	w.config("guards.context: true\n")
	w.start("startup")
	var told []int
	for i := 1; i <= 60; i++ {
		if out := w.lookup(); out != "" {
			told = append(told, i)
			if !strings.Contains(out, fmt.Sprintf("has made %d tool calls", i)) {
				t.Errorf("%q", out)
			}
		}
	}
	if fmt.Sprint(told) != "[18 36]" {
		t.Errorf("told at %v", told)
	}
	// The bytes of outputs, where the client tells them.
	big := strings.Repeat("x", 12_000)
	for i, want := range []bool{false, true, false, true, false} {
		out := w.ask("PostToolUse", "session_id", "s2", "tool_name", "Bash", "tool_input", map[string]any{"command": "true"}, "tool_response", big)
		if (out != "") != want {
			t.Errorf("output %d: %q", i, out)
		}
	}
}

func TestTheNewestUsageIsFoundFromTheEnd(t *testing.T) {
	w := newWorld(t)
	w.config("guards:\n  context: true\n  context_tokens: 10000\n")
	usage := func(n int) string { return fmt.Sprintf(`{"message":{"usage":{"input_tokens":%d}}}`, n) }
	filler := `{"type":"user","message":{"content":` + string(must(json.Marshal(strings.Repeat("y", 50_000)))) + `}}`
	for name, c := range map[string]struct {
		more []string
		want string
	}{
		"the last line torn":              {[]string{usage(20_000), `{"message":{"usage":{"input_tok`}, "about 20k"},
		"a line that is still written":    {[]string{usage(21_000)}, "about 21k"},
		"long lines behind it":            {[]string{usage(22_000), filler, filler, filler}, "about 22k"},
		"too far from the end":            {[]string{usage(23_000), filler, filler, filler, filler, filler, filler, ""}, ""},
		"a subagent's is not it":          {[]string{usage(24_000), `{"isSidechain":true,"message":{"usage":{"input_tokens":90000}}}`, ""}, "about 24k"},
		"Codex":                           {[]string{`{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":999999},"last_token_usage":{"input_tokens":25000,"cached_input_tokens":24000}}}}`, ""}, "about 25k"},
		"words of a person are no record": {[]string{usage(26_000), `{"type":"user","message":{"content":"\"usage\": {\"input_tokens\": 900000}"}}`, ""}, "about 26k"},
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			out := w.lookup("session_id", name, "transcript_path", w.transcript(11, c.more...))
			if !strings.Contains(out, c.want) || (c.want == "") != (out == "") {
				t.Errorf("%q, want %q", out, c.want)
			}
		})
	}
	w.t = t
	// A folder, a link, a relative path are no record.
	for i, path := range []string{w.home, "talk.jsonl", filepath.Join(w.home, "none")} {
		if out := w.lookup("session_id", fmt.Sprint("p", i), "transcript_path", path); out != "" {
			t.Errorf("%s: %q", path, out)
		}
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}
