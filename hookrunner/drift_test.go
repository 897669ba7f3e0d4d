package hookrunner_test

import (
	"fmt"
	"os"
	"testing"
)

// A29, A30: a session is told in one line, once, that entries name paths that
// are gone; what is mended and breaks again is news.
func TestASessionIsToldOnceThatPathsAreGone(t *testing.T) {
	w := newWorld(t)
	n := 0
	start := func() string {
		n++
		return w.ask("SessionStart", "session_id", fmt.Sprintf("s%d", n), "source", "startup")
	}
	const line = "2 notes are about paths that are gone"
	hasNot(t, start(), "are gone") // all is there
	if err := os.RemoveAll(w.path("src/billing")); err != nil {
		t.Fatal(err)
	}
	hasNot(t, start(), "are gone") // found after this answer
	has(t, start(), line)
	hasNot(t, start(), "are gone") // told
	w.write("src/billing/invoice.go", "package billing\n")
	w.write("src/billing/tax.go", "package billing\n")
	start()
	if err := os.RemoveAll(w.path("src/billing")); err != nil {
		t.Fatal(err)
	}
	start()
	has(t, start(), line)
	hasNot(t, start(), "are gone")
}
