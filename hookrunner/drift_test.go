package hookrunner_test

import (
	"fmt"
	"os"
	"strings"
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
	const line = "3 notes are about paths that are gone"
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

// A pattern whose folder is gone is about nothing that is there either; one that
// may match anywhere is not judged.
func TestAPatternInAFolderThatIsGoneIsGone(t *testing.T) {
	for pattern, gone := range map[string]bool{
		"src/lost/**/*.go":     true,
		"src/lost/*":           true,
		"src/billing/*.rs":     false, // the folder is there
		"src/billing/lo*/x.go": false,
		"**/*.zig":             false,
		"*.zig":                false,
		"{lost,gone}/**":       false,
		`src/lo\[st\]/a.go`:    false,
		"lost":                 true,
	} {
		w := newWorld(t, shop, map[string]string{".pathrule/memories/x.md": "---\ntitle: X\npaths: ['" + pattern + "']\n---\nText of it.\n"})
		w.ask("SessionStart", "session_id", "a", "source", "startup")
		text := w.ask("SessionStart", "session_id", "b", "source", "startup")
		if strings.Contains(text, "1 note is about a path that is gone") != gone || strings.Contains(text, "gone") != gone {
			t.Errorf("%s: %q", pattern, text)
		}
	}
}
