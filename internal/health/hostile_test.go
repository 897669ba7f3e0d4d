package health

import (
	"slices"
	"testing"

	"pathrule/internal/safegit/traprepo"
	"pathrule/knowledge"
)

// T12: looking through a hostile repository starts nothing that it names.
func TestLookingThroughAHostileRepositoryStartsNothing(t *testing.T) {
	root, fired := traprepo.New(t)
	p := &project{t, root}
	got := p.check(Input{Entries: []knowledge.Entry{memory("m", "See old/b.go.\n", "nowhere")}})
	// What tells the rename cannot be had, so that the file is only gone.
	if !slices.Contains(got, "mention memory:m: names old/b.go, which is gone | pathrule memory edit m") {
		t.Errorf("got %q", got)
	}
	if text := fired(); text != "" {
		t.Fatalf("started %s", text)
	}
}
