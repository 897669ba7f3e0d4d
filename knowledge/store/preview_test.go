package store

import (
	"errors"
	"strings"
	"testing"

	"pathrule/knowledge"
)

// What is only looked at changes nothing, and says what the write would say.
func TestADraftAndAPatchAreCheckedWithoutBeingWritten(t *testing.T) {
	b := newBench(t)
	e, _, err := b.Create(Draft{Kind: knowledge.Memory, Title: "Retries", Body: "Retry Stripe calls twice with a backoff of two seconds.", ID: "retry"}, CreateOptions{By: "cli"})
	if err != nil {
		t.Fatal(err)
	}
	before := b.text("memories/retry.md")
	var invalidField *knowledge.InvalidError
	var twin *knowledge.DuplicateError
	var conflict *knowledge.ConflictError
	for name, c := range map[string]struct {
		d    Draft
		want any
	}{
		"a good one":         {Draft{Kind: knowledge.Rule, Title: "New", Body: "x"}, nil},
		"no text":            {Draft{Kind: knowledge.Rule, Title: "New"}, &invalidField},
		"a bad pattern":      {Draft{Kind: knowledge.Rule, Title: "New", Body: "x", Paths: []string{"a/[b"}}, &invalidField},
		"a title that is":    {Draft{Kind: knowledge.Memory, Title: "retries", Body: "x"}, &twin},
		"an id that is":      {Draft{Kind: knowledge.Memory, Title: "New", Body: "x", ID: "retry"}, &twin},
		"an id out of place": {Draft{Kind: knowledge.Memory, Title: "New", Body: "x", ID: "../x"}, &invalidField},
	} {
		if _, err := b.CheckDraft(c.d, CreateOptions{}); (c.want == nil) != (err == nil) || c.want != nil && !errors.As(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	near, err := b.CheckDraft(Draft{Kind: knowledge.Memory, Title: "Stripe", Body: "Retry Stripe calls twice with a backoff of two seconds."}, CreateOptions{})
	if err != nil || len(near) != 1 || near[0].ID != "retry" {
		t.Errorf("near: %v, %v", near, err)
	}

	old, changed, err := b.Preview(knowledge.Memory, "retry", Patch{Content: &ContentEdit{Op: "str_replace", Old: "twice", Text: "three times"}}, e.Version)
	if err != nil || string(old) != before || !strings.Contains(string(changed), "calls three times with") {
		t.Errorf("%q, %v", changed, err)
	}
	if _, _, err := b.Preview(knowledge.Memory, "retry", Patch{}, "0000000000000000"); !errors.As(err, &conflict) {
		t.Errorf("another version: %v", err)
	}
	body := " "
	if _, _, err := b.Preview(knowledge.Memory, "retry", Patch{Body: &body}, e.Version); !errors.As(err, &invalidField) {
		t.Errorf("no text: %v", err)
	}
	if all, _ := b.List(); len(all) != 1 || b.text("memories/retry.md") != before {
		t.Errorf("something was written: %v", all)
	}
}

// Who wrote what stands is known as long as it stands unchanged.
func TestTheWriterOfWhatStandsIsKnown(t *testing.T) {
	b := newBench(t)
	says := func(id, want string) {
		t.Helper()
		by, action, at, ok := b.LastWrite(knowledge.Memory, id)
		got := ""
		if ok {
			got = action + " by " + by
			if !at.Equal(b.now) {
				t.Errorf("at %v", at)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	e, _, err := b.Create(Draft{Kind: knowledge.Memory, Title: "One", Body: "x"}, CreateOptions{By: "mcp:robot"})
	if err != nil {
		t.Fatal(err)
	}
	says("one", "create by mcp:robot")
	body := "y"
	if _, err := b.Update(knowledge.Memory, "one", Patch{Body: &body}, e.Version, "review, session:codex"); err != nil {
		t.Fatal(err)
	}
	says("one", "edit by review, session:codex")
	if _, err := b.Undo(StepOptions{By: "cli"}); err != nil {
		t.Fatal(err)
	}
	says("one", "create by mcp:robot")
	b.write("memories/one.md", "by hand\n")
	says("one", "")
	b.write("memories/two.md", "by hand\n")
	says("two", "")
	says("none", "")

	if _, err := b.Delete(knowledge.Memory, "two", "", "cli"); err != nil {
		t.Fatal(err)
	}
	if raw, err := b.TrashedFile(knowledge.Memory, "two"); err != nil || string(raw) != "by hand\n" {
		t.Errorf("%q, %v", raw, err)
	}
	if _, err := b.TrashedFile(knowledge.Memory, "one"); !errors.Is(err, knowledge.ErrNotFound) {
		t.Errorf("what is not in the trash: %v", err)
	}
}
