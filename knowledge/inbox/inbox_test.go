package inbox

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pathrule/knowledge"
	"pathrule/knowledge/store"
	"pathrule/workspace"
)

func TestAProposalComesBackAsItWasPut(t *testing.T) {
	dirs := workspace.Dirs{Home: t.TempDir()}
	title := "New title"
	for name, p := range map[string]Proposal{
		"create": {Action: Create, Kind: knowledge.Rule, Entry: "a/b", Draft: &store.Draft{
			Kind: knowledge.Rule, Title: "T", Body: "Körper\n", Paths: []string{"src/**"}, Enforcement: "strict",
			Block: []knowledge.Block{{Pattern: `\bfloat\b`, Message: "m", On: "edit"}}, Check: &knowledge.Check{Command: "go test"},
		}},
		"update":  {Action: Update, Kind: knowledge.Memory, Entry: "x", Expected: "0123456789abcdef", Patch: &store.Patch{Title: &title, Content: &store.ContentEdit{Op: "append", Text: "y"}}},
		"delete":  {Action: Delete, Kind: knowledge.Skill, Entry: "x", Expected: "0123456789abcdef", Personal: true},
		"restore": {Action: Restore, Kind: knowledge.Skill, Entry: "x"},
	} {
		t.Run(name, func(t *testing.T) {
			p.By, p.At = "mcp:test", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
			put, err := Put(dirs, "ws", p)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Get(dirs, "ws", put.ID)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(put, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			p.At = p.At.Add(time.Hour)
			if again, _ := Put(dirs, "ws", p); again.ID != put.ID {
				t.Errorf("the same write proposed again is %s, not %s", again.ID, put.ID)
			}
			p.Entry += "2"
			if other, _ := Put(dirs, "ws", p); other.ID == put.ID {
				t.Error("another write has the same id")
			}
			if st, err := os.Stat(filepath.Join(Dir(dirs, "ws"), put.ID+".json")); err != nil {
				t.Error(err)
			} else if runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
				t.Errorf("mode %v", st.Mode())
			}
		})
	}
}

func TestListIsOldestFirstAndNamesWhatItCannotRead(t *testing.T) {
	dirs := workspace.Dirs{Home: t.TempDir()}
	if all, problems := List(dirs, "ws"); all != nil || problems != nil {
		t.Errorf("an empty inbox lists %v, %v", all, problems)
	}
	var want []string
	for i := range 3 {
		p, err := Put(dirs, "ws", Proposal{Action: Delete, Kind: knowledge.Memory, Entry: string(rune('c' - i)), At: time.Unix(int64(i), 0)})
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, p.Entry)
	}
	for name, text := range map[string]string{"000000000000.json": "{", "000000000001.json": `{"format":99}`, "notes.txt": "x"} {
		if err := os.WriteFile(filepath.Join(Dir(dirs, "ws"), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, problems := List(dirs, "ws")
	var got []string
	for _, p := range all {
		got = append(got, p.Entry)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if len(problems) != 2 {
		t.Errorf("problems: %v", problems)
	}
}

func TestRemoveAndUnknownIDs(t *testing.T) {
	dirs := workspace.Dirs{Home: t.TempDir()}
	p, err := Put(dirs, "ws", Proposal{Action: Delete, Kind: knowledge.Memory, Entry: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if err := Remove(dirs, "ws", p.ID); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{p.ID, "", "../../etc/passwd", "zzzzzzzzzzzz"} {
		if _, err := Get(dirs, "ws", id); !errors.Is(err, ErrNotFound) {
			t.Errorf("get %q: %v", id, err)
		}
		if err := Remove(dirs, "ws", id); !errors.Is(err, ErrNotFound) {
			t.Errorf("remove %q: %v", id, err)
		}
	}
}

func TestOldProposalsLeave(t *testing.T) {
	dirs := workspace.Dirs{Home: t.TempDir()}
	now := time.Now()
	var ids []string
	for _, age := range []time.Duration{Keep + time.Hour, time.Hour} {
		p, err := Put(dirs, "ws", Proposal{Action: Delete, Kind: knowledge.Memory, Entry: age.String()})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, p.ID)
		at := now.Add(-age)
		if err := os.Chtimes(filepath.Join(Dir(dirs, "ws"), p.ID+".json"), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"ws"}, Workspaces(dirs)); diff != "" {
		t.Error(diff)
	}
	for _, dry := range []bool{true, false} {
		if n := Prune(dirs, "ws", now, dry); n != 1 {
			t.Errorf("dry %t: %d", dry, n)
		}
		if _, err := Get(dirs, "ws", ids[0]); dry != (err == nil) {
			t.Errorf("dry %t: %v", dry, err)
		}
	}
	if _, err := Get(dirs, "ws", ids[1]); err != nil {
		t.Errorf("a young one: %v", err)
	}
}

// A model in a loop fills no disk; one that waits already may be said again.
func TestAnInboxHasABound(t *testing.T) {
	dirs := workspace.Dirs{Home: t.TempDir()}
	for i := range Max {
		if _, err := Put(dirs, "ws", Proposal{Action: Delete, Kind: knowledge.Memory, Entry: "x" + strconv.Itoa(i)}); err != nil {
			t.Fatal(i, err)
		}
	}
	if _, err := Put(dirs, "ws", Proposal{Action: Delete, Kind: knowledge.Memory, Entry: "more"}); !errors.Is(err, ErrFull) {
		t.Errorf("one more: %v", err)
	}
	if _, err := Put(dirs, "ws", Proposal{Action: Delete, Kind: knowledge.Memory, Entry: "x7"}); err != nil {
		t.Errorf("said again: %v", err)
	}
	if _, err := Put(dirs, "other", Proposal{Action: Delete, Kind: knowledge.Memory, Entry: "more"}); err != nil {
		t.Errorf("another inbox: %v", err)
	}
}
