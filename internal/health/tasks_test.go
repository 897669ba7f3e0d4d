package health

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pathrule/knowledge"
)

// desk is a project with one entry that covers nothing, and its tasks.
type desk struct {
	*project
	at      time.Time
	entries []knowledge.Entry
	tasks   Tasks
}

func newDesk(t *testing.T) *desk {
	d := &desk{project: &project{t, t.TempDir()}, at: time.Unix(now, 0)}
	d.tasks = TasksOf(t.TempDir(), "ws", func() time.Time { return d.at })
	d.entry("one", "gone")
	return d
}

// entry writes an entry's file, so that it has a version.
func (d *desk) entry(id string, paths ...string) {
	e := memory(id, "x", paths...)
	e.File = id + ".md"
	text := strings.Join(paths, " ")
	d.write(e.File, text)
	e.Version = knowledge.Version([]byte(text))
	for i := range d.entries {
		if d.entries[i].ID == id {
			d.entries[i] = e
			return
		}
	}
	d.entries = append(d.entries, e)
}

func (d *desk) file(e knowledge.Entry) string { return filepath.Join(d.root, e.File) }

// found are the findings as they stand now.
func (d *desk) found() []Finding {
	d.t.Helper()
	in := Input{Entries: d.entries, Known: map[string]bool{}, File: d.file, Now: d.at.Unix(), Project: ProjectFiles(d.t.Context(), d.root)}
	out, err := d.tasks.Apply(Check(d.t.Context(), in), d.entries, d.file)
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}

// states is "kind status by" of each.
func (d *desk) states() string {
	var out []string
	for _, f := range d.found() {
		out = append(out, strings.TrimSpace(string(f.Kind)+" "+string(f.Status)+" "+f.By))
	}
	return strings.Join(out, ", ")
}

func (d *desk) want(state string) {
	d.t.Helper()
	if got := d.states(); got != state {
		d.t.Errorf("got %q, want %q", got, state)
	}
}

// P25: pending, in progress by one assistant, rejected, and applied or superseded
// by what became of the entry.
func TestAFindingIsClaimedReleasedAndDismissed(t *testing.T) {
	d := newDesk(t)
	d.want("scope pending")
	id := d.found()[0].ID
	set := func(to Status, by string) error {
		_, err := d.tasks.Set(d.found(), id[:4], to, by)
		return err
	}
	if err := set(Claimed, "codex"); err != nil {
		t.Fatal(err)
	}
	d.want("scope claimed codex")
	var taken *ClaimedError
	if err := set(Claimed, "claude"); !errors.As(err, &taken) || taken.By != "codex" {
		t.Errorf("a second claim: %v", err)
	}
	if err := set(Claimed, "codex"); err != nil {
		t.Errorf("one's own claim: %v", err)
	}
	d.at = d.at.Add(claimFor + time.Minute)
	d.want("scope pending") // a claim ends
	if err := set(Claimed, "claude"); err != nil {
		t.Error(err)
	}
	if err := set(Pending, ""); err != nil {
		t.Error(err)
	}
	d.want("scope pending")
	if err := set(Dismissed, "a person"); err != nil {
		t.Error(err)
	}
	d.want("scope dismissed a person")
	d.entry("one", "gone", "other") // changed: what was fine may not be any more
	d.want("scope pending, scope pending")
	d.entry("one", "gone")
	d.want("scope dismissed a person") // the very text that was looked at
	d.at = d.at.Add(dismissFor + time.Hour)
	d.want("scope pending")
	d.write("gone", "")
	d.want("") // applied
	if _, err := d.tasks.Set(d.found(), id, Claimed, "x"); !errors.Is(err, ErrNoFinding) {
		t.Errorf("what is mended cannot be claimed: %v", err)
	}
}

// P25: whoever doubts an entry flags it; a change of the entry is the answer.
func TestAnEntryIsFlagged(t *testing.T) {
	d := newDesk(t)
	d.entry("two")
	id, err := d.tasks.Flag(d.entries[1], "contradicts-code", "the client  retries\nfive times", "codex")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := d.tasks.Flag(d.entries[1], "contradicts-code", "five times, really", "codex"); err != nil || again != id {
		t.Errorf("the same flag is another: %s, %v", again, err)
	}
	f := d.found()[0]
	if f.ID != id || f.Kind != Flagged || f.Entry != "memory:two" || f.File != d.file(d.entries[1]) || f.Why != "was flagged by codex as contradicts code: five times, really" || f.Remedy != "pathrule memory edit two" {
		t.Errorf("got %+v", f)
	}
	if _, err := d.tasks.Set(d.found(), id, Claimed, "claude"); err != nil {
		t.Fatal(err)
	}
	d.want("flagged claimed claude, scope pending")
	d.entry("two", "src") // answered; src is not there, so that it is found for that
	d.want("scope pending, scope pending")
	d.entry("two")
	if _, err := d.tasks.Set(d.found(), id, Dismissed, "a person"); err != nil {
		t.Fatal(err)
	}
	d.want("scope pending")
	if _, err := d.tasks.Flag(d.entries[1], "ugly", "", "codex"); err == nil {
		t.Error("any reason will do")
	}
	if _, err := d.tasks.Flag(d.entries[0], "drift", strings.Repeat("é", maxReason), "codex"); err != nil {
		t.Error(err)
	}
	d.entries = d.entries[1:]
	d.want("") // superseded: the entry is gone
}

func TestABrokenFileOfTasksIsAnErrorAndHidesNothing(t *testing.T) {
	d := newDesk(t)
	if err := os.MkdirAll(filepath.Dir(d.tasks.path), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"{", `{"format":9}`} {
		if err := os.WriteFile(d.tasks.path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		in := []Finding{{Kind: Gap}}
		if out, err := d.tasks.Apply(in, nil, nil); err == nil || len(out) != 1 {
			t.Errorf("%s: %v, %v", text, out, err)
		}
	}
}
