package mcpserver

import (
	"fmt"
	"strings"
	"testing"

	"pathrule/hookrunner/activity"
	"pathrule/hookrunner/ledger"
	"pathrule/index/history"
)

// together lets git's history say that the files change with each other.
func (w *world) together(files ...string) {
	w.t.Helper()
	var list []history.Commit
	for i := range 6 {
		list = append(list, history.Commit{Hash: fmt.Sprintf("%040x", i), At: 1_900_000_000, Files: files})
	}
	for i := range 30 {
		list = append(list, history.Commit{Hash: fmt.Sprintf("%040x", 100+i), At: 1_900_000_000, Files: []string{fmt.Sprintf("docs/p%d.md", i)}})
	}
	if err := history.Write(w.dirs().Cache(w.ws().ID), "x", list, func(string) bool { return true }); err != nil {
		w.t.Fatal(err)
	}
}

// P87, P89, P84: an answer names the files that go with it, in order: those that
// were changed when what it tells was written, then those that change together
// with the ones in hand; only what is there, and only where the budget has room.
func TestAnAnswerNamesTheFilesThatGoWithIt(t *testing.T) {
	w := newWorld(t, shopFiles)
	for _, f := range []string{"src/payments/queue.ts", "src/payments/ledger.ts"} {
		w.write(f, "export {}\n")
	}
	c := w.open(Options{}, "test")
	const ask = `{"prompt":"stripe webhooks come out of order, why?","paths":["src/payments/stripe.ts"],"include_delivered":true}`
	if a := c.call("get_context", ask); strings.Contains(a.Text, "Files that go with this") {
		t.Fatalf("nothing says so: %s", a.Text)
	}
	w.together("src/payments/stripe.ts", "src/payments/ledger.ts", "src/payments/gone.ts")
	ws := w.ws()
	at := w.env.Now().Unix()
	touch := func(path string) activity.Record {
		return activity.Record{Kind: activity.Touched, At: at, Host: "h", Session: "s", Op: "edit", What: path}
	}
	err := activity.Of(w.dirs().State, ledger.Root(ws)).Append([]activity.Record{
		touch("src/payments/queue.ts"), touch("src/payments/stripe.ts"),
		{Kind: activity.Wrote, At: at, Host: "h", Session: "s", Op: "create", What: ws.ID + "/memory:webhooks"},
		{Kind: activity.Touched, At: at, Host: "h", Session: "other", Op: "edit", What: "src/auth/token.ts"},
	})
	if err != nil {
		t.Fatal(err)
	}
	a := c.call("get_context", ask)
	const line = "Files that go with this: src/payments/queue.ts, src/payments/ledger.ts."
	if !strings.Contains(a.Text, line) || !strings.Contains(a.str("text"), line) {
		t.Errorf("got %s", a.Text)
	}
	if a := c.call("get_context", `{"prompt":"bake a chocolate cake","paths":["src/payments/stripe.ts"]}`); a.str("text") == "" || strings.Contains(a.Text, line) {
		t.Errorf("an answer that tells nothing: %s", a.Text)
	}
	for _, budget := range []int{60, 90, 100, 110, 120, 130, 150, 300} {
		w.user("config.yaml", fmt.Sprintf("budget:\n  minimal: %d\n  focused: %d\n  deep: %d\n", budget, budget, budget))
		if a := c.call("get_context", ask); a.shown(t) > budget {
			t.Errorf("%d tokens of %d: %s", a.shown(t), budget, a.Text)
		}
	}
	w.user("config.yaml", "activity: off\n")
	if a := c.call("get_context", ask); strings.Contains(a.Text, "queue.ts") {
		t.Errorf("the log is off: %s", a.Text)
	}
}

// P89: at most ten, and what comes last goes first where there is no room.
func TestTheFilesOfAnAnswerAreTrimmedFromTheEnd(t *testing.T) {
	files := []string{"a.go", "b.go", "c.go"}
	full := filesLine(files, 1000)
	for room, want := range map[int]string{1000: full, jsonBytes(full): full, jsonBytes(full) - 1: "\n\nFiles that go with this: a.go, b.go.", 10: ""} {
		if got := filesLine(files, room); got != want {
			t.Errorf("%d: %q, want %q", room, got, want)
		}
	}
}
