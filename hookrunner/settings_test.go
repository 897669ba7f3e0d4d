package hookrunner_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pathrule/workspace"
)

// E5-E8, E22: the read modes, with and without the proof line.
func TestModes(t *testing.T) {
	for mode, c := range map[string]struct {
		start, prompt, again, tool, sub bool
		// proof is the last line of a quiet prompt once proof is on.
		proof string
	}{
		"auto":    {true, true, false, true, true, "pathrule: reused 2, route "},
		"startup": {true, false, false, false, false, "pathrule: skipped, route "},
		"always":  {true, true, true, true, true, "pathrule: loaded 2, route "},
		"manual":  {false, false, false, false, false, "pathrule: skipped, route "},
		"off":     {false, false, false, false, false, ""},
	} {
		t.Run(mode, func(t *testing.T) {
			w := newWorld(t)
			w.live = true
			w.config("mode: \"" + mode + "\"\n")
			check := func(what, got string, want bool) {
				t.Helper()
				if (got != "") != want {
					t.Errorf("%s says %q, want something: %t", what, got, want)
				}
			}
			check("start", w.start("startup"), c.start)
			check("prompt", w.prompt(invoicePrompt), c.prompt)
			again := w.prompt(invoicePrompt)
			check("the prompt again", again, c.again)
			if c.again {
				has(t, again, "rounded half up per line")
			}
			check("tool", w.read("src/api/server.go"), c.tool)
			if got := w.read("src/api/server.go"); got != "" {
				t.Errorf("a tool's answer comes twice: %q", got)
			}
			check("subagent", w.ask("SubagentStart", "agent_id", "a1"), c.sub)
			check("PreCompact", w.ask("PreCompact", "trigger", "auto"), false)
			check("start after it", w.start("compact"), c.start)

			w.config("mode: \"" + mode + "\"\nproof: compact\n")
			w.start("clear")
			w.prompt(invoicePrompt)
			got := w.prompt(invoicePrompt)
			last := got[strings.LastIndexByte(got, '\n')+1:]
			if !strings.HasPrefix(last, c.proof) || (last == "") != (c.proof == "") {
				t.Errorf("with proof on, a quiet prompt says %q", got)
			}
			if n := strings.Count(w.prompt("Write a poem about the moon")+" ", "pathrule: "); n > 1 {
				t.Errorf("%d proof lines", n)
			}
		})
	}
}

// The seed's line of what is loaded, behind a setting (C6).
func TestAcknowledge(t *testing.T) {
	w := newWorld(t)
	w.live = true
	w.config("delta:\n  acknowledge: line\n")
	w.start("startup")
	w.prompt(invoicePrompt)
	if got, want := w.prompt(invoicePrompt), "already loaded: memory:rounding, rule:commits, rule:money"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// One proof line also where the prompt carries the session slice.
func TestOneProofLineOnAFirstPrompt(t *testing.T) {
	w := newWorld(t)
	w.live = true
	w.config("proof: compact\n")
	got := w.prompt(invoicePrompt)
	if strings.Count(got, "pathrule: loaded") != 1 || !strings.Contains(got, "Workspace shop") {
		t.Errorf("%s", got)
	}
}

// Knowledge that came with a repository and that nobody reviewed here.
func TestUnseenKnowledge(t *testing.T) {
	big := map[string]string{"src/a.go": "package a\n", "src/b.go": "package b\n", "src/c.go": "package c\n", "src/d.go": "package d\n"}
	for _, id := range []string{"a", "b", "c", "d"} {
		big[".pathrule/memories/"+id+".md"] = "---\ntitle: Facts about part " + id + "\npaths: [src/" + id + ".go]\n---\n" + strings.Repeat("Part "+id+" holds a fact. ", 36) + "\n"
	}
	w := newWorld(t, shop, big)
	w.live = true
	if err := workspace.Disown(w.ws(), w.dirs()); err != nil {
		t.Fatal(err)
	}
	out, _ := w.raw(w.event("SessionStart", "source", "startup"))
	has(t, out, "systemMessage")
	has(t, out, "pathrule trust")
	has(t, contextOf(t, "SessionStart", out), "not reviewed on this machine")
	total := len(contextOf(t, "SessionStart", out))
	for _, id := range []string{"a", "b", "c", "d"} {
		got := w.read("src/" + id + ".go")
		if got != "" {
			has(t, got, "not reviewed on this machine")
		}
		total += len(got)
	}
	if tokens := (total + 3) / 4; tokens > 600 || tokens < 300 {
		t.Errorf("%d tokens of a session", tokens)
	}
	if got := w.read("src/billing/invoice.go"); len(got)/4+total/4 > 600 {
		t.Errorf("beyond the session's tokens: %q", got)
	}
	// The person is told once, the headline stays.
	w.later()
	out, _ = w.raw(w.event("SessionStart", "source", "startup"))
	hasNot(t, out, "systemMessage")
	has(t, out, "not reviewed on this machine")

	w.later()
	w.config("trust:\n  knowledge: ask\n")
	out, _ = w.raw(w.event("SessionStart", "source", "startup"))
	hasNot(t, out, "Tuesdays")
	hasNot(t, out, "Commits name the ticket")
	hasNot(t, out, "release")
	for _, got := range []string{w.prompt(invoicePrompt), w.read("src/a.go"), w.read("src/api/server.go"), w.ask("SubagentStart", "agent_id", "a9")} {
		for _, secret := range []string{"rounded", "cents", "Part a", "problem", "Tuesdays", "Facts"} {
			hasNot(t, got, secret)
		}
	}
	if err := workspace.Own(w.ws(), w.dirs(), false, w.env()); err != nil {
		t.Fatal(err)
	}
	got := w.read("src/a.go")
	has(t, got, "Part a holds a fact")
	hasNot(t, got, "not reviewed")
}

// A45, A41: the kill switches.
func TestKillSwitches(t *testing.T) {
	w := newWorld(t)
	speak := func() bool { w.later(); return w.start("startup") != "" }
	if !speak() {
		t.Fatal("silent without a switch")
	}
	w.vars["PATHRULE_DISABLE"] = "1"
	if speak() {
		t.Error("PATHRULE_DISABLE=1 does not silence")
	}
	if _, err := os.Stat(filepath.Join(w.dirs().State, "seen")); err != nil {
		t.Fatal(err)
	}
	delete(w.vars, "PATHRULE_DISABLE")
	file := filepath.Join(w.dirs().Home, "kill-hooks")
	os.WriteFile(file, nil, 0o600)
	if speak() {
		t.Error("the file kill-hooks does not silence")
	}
	os.Remove(file)
	if !speak() {
		t.Error("silent for ever")
	}
}
