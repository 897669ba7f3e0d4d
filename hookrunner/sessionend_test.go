package hookrunner_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pathrule/hookrunner/ledger"
	"pathrule/hookrunner/queue"
)

// E42, E43: the end of a session says nothing and is noted once, in the state
// folder alone.
func TestTheEndOfASessionIsNotedAndSaysNothing(t *testing.T) {
	w := newWorld(t)
	talk := filepath.Join(w.home, "talk.jsonl")
	queued := func() []queue.Entry {
		list, err := queue.Read(w.dirs().State, ledger.Root(w.ws()))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	end := func(pairs ...any) {
		t.Helper()
		if out, errs := w.raw(w.event("SessionEnd", pairs...)); out != "" || errs != "" {
			t.Errorf("%q, %q", out, errs)
		}
	}
	w.start("startup")
	end("reason", "exit")                                    // no conversation named
	end("reason", "exit", "transcript_path", "relative.txt") // not absolute
	if q := queued(); len(q) != 0 {
		t.Fatalf("queued %v", q)
	}
	for range 2 {
		end("reason", "exit", "transcript_path", talk)
	}
	w.host = "codex"
	end("reason", "exit", "transcript_path", talk)
	w.host = "claude-code"
	for i := range 60 {
		end("reason", "exit", "transcript_path", talk, "session_id", fmt.Sprint("x", i))
	}
	q := queued()
	if len(q) != queue.Max || q[len(q)-1].Session != "x59" || q[len(q)-1].Transcript != talk || q[len(q)-1].Host != "claude-code" {
		t.Errorf("%d queued, last %+v", len(q), q[len(q)-1])
	}
	if _, err := os.Stat(talk); err == nil {
		t.Error("the conversation's file was touched")
	}
	// Fails open.
	os.RemoveAll(filepath.Join(w.dirs().State, "queue"))
	os.WriteFile(filepath.Join(w.dirs().State, "queue"), nil, 0o600)
	end("reason", "exit", "transcript_path", talk)
}
