package hookrunner_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A29: the next session is told once, in one line, which entries are new or
// changed since the last one began; what is the same, and what went, is no news.
func TestASessionIsToldWhatChangedSinceTheLastOne(t *testing.T) {
	w := newWorld(t)
	n := 0
	start := func() string {
		n++
		return w.ask("SessionStart", "session_id", fmt.Sprintf("s%d", n), "source", "startup")
	}
	const line = "New or changed since the last session here"
	hasNot(t, start(), line) // nothing to compare with
	hasNot(t, start(), line) // nothing changed
	w.write(".pathrule/memories/refunds.md", "---\ntitle: Refunds\npaths: [src/billing]\n---\nRefunds round half to even.\n")
	w.write(".pathrule/memories/tax.md", "---\ntitle: Tax rates\npaths: [src/billing]\n---\nAnother text.\n")
	w.index()
	has(t, start(), line+": memory:refunds, memory:tax.")
	hasNot(t, start(), line)
	if err := os.Remove(w.path(".pathrule/memories/refunds.md")); err != nil {
		t.Fatal(err)
	}
	w.index()
	hasNot(t, start(), line)
	w.write(".pathrule/memories/refunds.md", "---\ntitle: Refunds\npaths: [src/billing]\n---\nRefunds round half to even.\n")
	w.index()
	hasNot(t, w.ask("SessionStart", "session_id", "s1", "source", "resume"), line)
	has(t, start(), line+": memory:refunds.") // it went, and came again
}

// A session in a nested workspace has other entries, and they are no news to it
// because the last session began above.
func TestNestedWorkspacesRememberTheirOwnEntries(t *testing.T) {
	w := newWorld(t)
	w.write("apps/shop/.pathrule/memories/carts.md", "---\ntitle: Carts\n---\nCarts are cents.\n")
	w.write("apps/shop/cart.ts", "x\n")
	n := 0
	start := func(dir string) string {
		n++
		return w.ask("SessionStart", "session_id", fmt.Sprintf("s%d", n), "source", "startup", "cwd", w.path(dir))
	}
	outer := w.root
	w.root = w.path("apps/shop")
	w.own()
	w.index()
	w.root = outer
	for range 2 {
		hasNot(t, start("."), "New or changed")
		hasNot(t, start("apps/shop"), "New or changed")
	}
}

// A30: every look at a session's start is bounded: of a store beyond the bound
// nothing is said, the files that are read are small, and the project is not
// walked: a path beyond the number that is looked up is not told.
func TestTheLooksAtASessionsStartAreBounded(t *testing.T) {
	files := map[string]string{"src/a.go": "package a\n"}
	for i := range 600 {
		files[fmt.Sprintf(".pathrule/memories/m%03d.md", i)] = fmt.Sprintf("---\ntitle: Note %d\npaths: [gone/f%d.go]\n---\nText %d.\n", i, i, i)
	}
	w := newWorld(t, files)
	n := 0
	start := func() string {
		n++
		return w.ask("SessionStart", "session_id", fmt.Sprintf("s%d", n), "source", "startup")
	}
	start()
	has(t, start(), "256 notes are about paths that are gone")
	w.write(".pathrule/memories/m000.md", "---\ntitle: Note\n---\nChanged.\n")
	w.index()
	hasNot(t, start(), "New or changed")
	list, err := os.ReadDir(w.dirs().State + "/drift")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if st, err := f.Info(); err != nil || st.Size() > 256 || strings.HasSuffix(f.Name(), "~notes") {
			t.Errorf("%s has %d bytes, %v", f.Name(), st.Size(), err)
		}
	}
	// Silence where anything is unreadable.
	for _, f := range list {
		if err := os.WriteFile(w.dirs().State+"/drift/"+f.Name(), []byte(strings.Repeat("9 x y\n", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hasNot(t, start(), "are gone")
}
