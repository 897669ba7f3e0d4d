package host

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/internal/sysenv"
)

var update = flag.Bool("update", false, "rewrite golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update makes it)", err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s -want +got:\n%s", name, d)
	}
}

func env(vars map[string]string) sysenv.Env {
	return sysenv.Env{Vars: func(n string) string { return vars[n] }, GOOS: "linux", UserHome: "/home/dev"}
}

// describe shows an event as one line: what the golden files hold.
func describe(ev Event) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "%s(%s) session=%s cwd=%s", ev.Name, ev.RawName, tail(ev.Session), ev.Cwd)
	for _, f := range []struct{ name, v string }{
		{"agent", tail(ev.Agent)}, {"agentType", ev.AgentType}, {"source", ev.Source}, {"tool", ev.Tool},
		{"toolUse", tail(ev.ToolUseID)}, {"promptID", tail(ev.PromptID)}, {"turn", tail(ev.TurnID)},
	} {
		if f.v != "" {
			fmt.Fprintf(b, " %s=%s", f.name, f.v)
		}
	}
	if ev.Name == UserPromptSubmit {
		fmt.Fprintf(b, " userTurn=%t prompt=%.60q", ev.UserTurn, ev.Prompt)
	}
	if ev.StopActive {
		b.WriteString(" stopActive")
	}
	for _, t := range ev.Touches {
		fmt.Fprintf(b, " %s:%s", t.Op, t.Path)
	}
	return b.String()
}

func tail(s string) string {
	if len(s) > 8 {
		return "…" + s[len(s)-6:]
	}
	return s
}

// Rows: A9, A10, A44.
func TestEveryRecordedPayloadDecodes(t *testing.T) {
	for _, h := range All() {
		t.Run(h.ID(), func(t *testing.T) {
			files, _ := filepath.Glob("testdata/payloads/" + h.ID() + "/*.json")
			captured, _ := filepath.Glob("testdata/captured/" + h.ID() + "*/*.json") // copilot has a folder for each spelling
			files = append(files, captured...)
			if len(files) == 0 {
				t.Fatal("no payloads")
			}
			var b strings.Builder
			for _, f := range files {
				raw, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				ev, err := h.Decode(raw, env(nil))
				if err != nil {
					t.Fatalf("%s: %v", f, err)
				}
				if ev.Host != h.ID() || ev.RawName == "" {
					t.Errorf("%s: host %q, raw name %q", f, ev.Host, ev.RawName)
				}
				name := strings.TrimPrefix(filepath.ToSlash(f), "testdata/")
				fmt.Fprintf(&b, "%s\n\t%s\n", name, describe(ev))
			}
			golden(t, h.ID()+".decoded", b.String())
		})
	}
}

// What an event may carry, by the hosts' own schemas. Anything else makes Codex
// drop the whole answer.
func TestAnAnswerOfTheClaudeFamilyHoldsOneContextAndNothingElse(t *testing.T) {
	const text = "Rule <a> & \"b\"\nline\ttwo 日本語 😀 \x01 \u2028"
	for _, h := range []Host{claude{}, codex{}} {
		for _, name := range []EventName{SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, PostToolUseFailure,
			SubagentStart, PreCompact, SubagentStop, Stop, SessionEnd, Other} {
			speaks := false
			switch {
			case name == SessionStart, name == UserPromptSubmit, name == PreToolUse, name == PostToolUse, name == SubagentStart:
				speaks = true
			case name == PostToolUseFailure:
				speaks = h.ID() == "claude-code"
			}
			ev := Event{Host: h.ID(), Name: name, RawName: string(name)}
			if got := h.Encode(ev, Reply{}); got != nil {
				t.Errorf("%s %s: an empty reply gives %q", h.ID(), name, got)
			}
			got := h.Encode(ev, Reply{Context: text})
			if !speaks {
				if got != nil {
					t.Errorf("%s %s: does not reach the model, gives %q", h.ID(), name, got)
				}
				continue
			}
			var v any
			if err := json.Unmarshal(got, &v); err != nil {
				t.Fatalf("%s %s: %v", h.ID(), name, err)
			}
			var n any
			notice := h.Encode(ev, Reply{Context: text, Notice: "read me"})
			if err := json.Unmarshal(notice, &n); err != nil {
				t.Fatalf("%s %s: %v", h.ID(), name, err)
			}
			withNotice := map[string]any{"systemMessage": "read me", "hookSpecificOutput": map[string]any{"hookEventName": string(name), "additionalContext": text}}
			if d := cmp.Diff(withNotice, n); d != "" {
				t.Errorf("%s %s with a notice -want +got:\n%s", h.ID(), name, d)
			}
			if got := string(h.Encode(ev, Reply{Notice: "read me"})); got != `{"systemMessage":"read me"}`+"\n" {
				t.Errorf("%s %s: a notice alone gives %s", h.ID(), name, got)
			}
			want := map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": string(name), "additionalContext": text}}
			if d := cmp.Diff(want, v); d != "" {
				t.Errorf("%s %s -want +got:\n%s", h.ID(), name, d)
			}
		}
	}
}

// One golden file per client: what each event's answer is, byte for byte, and
// that it says nothing where nothing reaches the model.
// Rows: A9, A10.
func TestEnvelopeBytes(t *testing.T) {
	for _, h := range All() {
		t.Run(h.ID(), func(t *testing.T) {
			var b strings.Builder
			for _, name := range []EventName{SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, PostToolUseFailure,
				SubagentStart, PreCompact, SubagentStop, Stop, SessionEnd, PostCompact, StopFailure, PermissionRequest, Other} {
				ev := Event{Host: h.ID(), Name: name, RawName: string(name)}
				if got := h.Encode(ev, Reply{}); got != nil {
					t.Errorf("%s: an empty reply gives %q", name, got)
				}
				fmt.Fprintf(&b, "%s\n", name)
				if out := h.Encode(ev, Reply{Context: "Notes \"x\" <y>\nend"}); out != nil {
					fmt.Fprintf(&b, "\tcontext %q\n", out)
				}
				if out := h.Encode(ev, Reply{Context: "Notes", Notice: "read me"}); out != nil {
					fmt.Fprintf(&b, "\tcontext and notice %q\n", out)
				}
				if out, ok := h.Refuse(ev, "Use <x> \"y\""); ok {
					fmt.Fprintf(&b, "\trefusal exit %d stdout %q stderr %q\n", out.Exit, out.Stdout, out.Stderr)
				}
				if out, ok := Ask(h, ev, "Use <x> \"y\"?"); ok {
					fmt.Fprintf(&b, "\task exit %d stdout %q stderr %q\n", out.Exit, out.Stdout, out.Stderr)
				}
			}
			for _, ev := range further(h) {
				fmt.Fprintf(&b, "%s as %s\n", ev.Name, ev.RawName+ev.Dialect)
				if out, ok := h.Refuse(ev, "Use <x> \"y\""); ok {
					fmt.Fprintf(&b, "\trefusal exit %d stdout %q stderr %q\n", out.Exit, out.Stdout, out.Stderr)
				}
				if out, ok := Ask(h, ev, "Use <x> \"y\"?"); ok {
					fmt.Fprintf(&b, "\task exit %d stdout %q stderr %q\n", out.Exit, out.Stdout, out.Stderr)
				}
			}
			golden(t, h.ID()+".envelopes", b.String())
		})
	}
}

// further are the events of a client that take another answer than their
// canonical name says.
func further(h Host) []Event {
	ev := func(name EventName, raw, dialect string) Event {
		return Event{Host: h.ID(), Name: name, RawName: raw, Dialect: dialect}
	}
	switch h.ID() {
	case "cursor":
		return []Event{ev(PreToolUse, "beforeShellExecution", ""), ev(PreToolUse, "beforeMCPExecution", ""), ev(PreToolUse, "beforeReadFile", "")}
	case "copilot":
		return []Event{ev(PreToolUse, "", copilotVSCode), ev(UserPromptSubmit, "", copilotVSCode), ev(PermissionRequest, "", copilotVSCode), ev(Stop, "", copilotVSCode)}
	}
	return nil
}

// A registration whose output goes nowhere costs a process per event for
// nothing; one for a book-keeping event must stay silent.
func TestWhatIsRegisteredReachesTheModel(t *testing.T) {
	for _, h := range All() {
		channels := map[string]bool{}
		for _, m := range h.Facts().Moments {
			channels[m.Event] = true
		}
		for _, r := range h.Registrations() {
			if r.Speaks && !r.Check && !r.Hook && !channels[r.Event] {
				t.Errorf("%s registers %s, and its facts name no moment for it", h.ID(), r.Event)
			}
		}
	}
}

// F17, F94: what needs a newer release is named by an event that we register.
func TestReleasesAreNamedForEventsThatSpeak(t *testing.T) {
	for _, h := range All() {
		for _, s := range h.Facts().Since {
			ok := false
			for _, r := range h.Registrations() {
				ok = ok || r.Event == s.Event && r.Speaks
			}
			if !ok || s.Version == "" {
				t.Errorf("%s: %+v", h.ID(), s)
			}
		}
	}
}
