package health

import (
	"testing"

	"pathrule/internal/safegit/traprepo"
	"pathrule/knowledge"
)

// T12: looking through a hostile repository starts nothing that it names.
func TestLookingThroughAHostileRepositoryStartsNothing(t *testing.T) {
	root, fired := traprepo.New(t)
	p := &project{t, root}
	got := p.check(Input{Entries: []knowledge.Entry{memory("m", "See old/b.go.\n", "nowhere")}})
	if len(got) == 0 {
		t.Error("nothing was looked at")
	}
	if text := fired(); text != "" {
		t.Fatalf("started %s", text)
	}
}
