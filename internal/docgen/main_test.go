package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/host"
	"pathrule/internal/sysenv"
)

// T10: the tables on the page are those of the code.
func TestThePageShowsTheTableOfClients(t *testing.T) {
	docs, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil || len(docs) == 0 {
		t.Fatal(docs, err)
	}
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "docs"), 0o755); err != nil {
		t.Fatal(err)
	}
	now := map[string]string{}
	for _, f := range docs {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		now[filepath.Base(f)] = string(b)
		if err := os.WriteFile(filepath.Join(root, "docs", filepath.Base(f)), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(root); err != nil {
		t.Fatal(err)
	}
	for name, text := range now {
		made, err := os.ReadFile(filepath.Join(root, "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(made), text); d != "" {
			t.Errorf("docs/%s is out of date; go generate ./... writes it (-made +page):\n%s", name, d)
		}
	}
}

// The README's short table is written by hand; what a client's hooks tell, and
// that it is there at all, is held to the code.
func TestTheReadmeNamesEveryClientAndWhatItsHooksTell(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]string{"session": "start", "prompt": "with the prompt", "tool": "tool", "subagent": "in subagents"}
	for _, h := range host.All() {
		_, rest, ok := strings.Cut(string(readme), "\n| "+h.Title()+" | ")
		row, _, _ := strings.Cut(rest, "\n")
		if !ok {
			t.Errorf("README.md has no row for %s", h.Title())
			continue
		}
		tells, _, _ := strings.Cut(row, " | ")
		told := map[string]bool{}
		for _, m := range h.Facts().Moments {
			told[m.Channel] = told[m.Channel] || m.Event != ""
		}
		for channel, word := range words {
			if told[channel] != strings.Contains(tells, word) {
				t.Errorf("%s: %s text is told %v, README.md says %q", h.Title(), channel, told[channel], tells)
			}
		}
	}
}

// fixtures are the events that a client's recorded and documented payloads hold.
func fixtures(t *testing.T, h host.Host) map[string]host.EventName {
	t.Helper()
	seen := map[string]host.EventName{}
	for _, set := range []string{"payloads", "captured"} {
		files, _ := filepath.Glob(filepath.Join("..", "..", "host", "testdata", set, h.ID()+"*", "*.json"))
		for _, f := range files {
			raw, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if ev, err := h.Decode(raw, sysenv.Env{GOOS: "linux"}); err == nil {
				seen[strings.ToLower(ev.RawName)] = ev.Name
			}
		}
	}
	return seen
}

// T10, A16, E27, E34: what is registered has a payload on file that decodes to
// the event it stands for, a channel that the client shows its model, a place in
// the facts and a row on the page with the unit of its time-out.
// Rows: A1, E35.
func TestRegistrationsFixturesFactsAndPageAgree(t *testing.T) {
	rows := events()
	for _, h := range host.All() {
		known := fixtures(t, h)
		var channels []string
		for _, m := range h.Facts().Moments {
			channels = append(channels, m.Event)
			if !slices.Contains([]string{"session", "prompt", "tool", "subagent", "compaction"}, m.Channel) || m.Place == "" {
				t.Errorf("%s: moment %+v", h.ID(), m)
			}
		}
		for _, r := range h.Registrations() {
			name, ok := known[strings.ToLower(r.Event)]
			if !ok && !r.NameEvent {
				t.Errorf("%s registers %s and no payload of it is on file", h.ID(), r.Event)
			} else if ok && name != r.Canonical() && !slices.Contains(r.Brings, name) {
				t.Errorf("%s: %s is registered as %s, and its payload decodes to %s", h.ID(), r.Event, r.Canonical(), name)
			}
			if r.Speaks && !r.Check && !r.Hook && r.Canonical() != host.PreCompact && !slices.Contains(channels, r.Event) {
				t.Errorf("%s: the facts name no moment for %s", h.ID(), r.Event)
			}
			row := ""
			for line := range strings.Lines(rows) {
				if strings.HasPrefix(line, "| "+h.Title()+" | "+r.Event+" ") {
					row = line
				}
			}
			unit := fmt.Sprintf("| %d s |", r.Timeout)
			if h.Shape().Millis {
				unit = fmt.Sprintf("| %d ms |", r.Timeout)
			}
			if r.Timeout == 0 {
				unit = "| - |"
			}
			if !strings.Contains(row, unit) {
				t.Errorf("%s %s: no row with %q: %q", h.ID(), r.Event, unit, row)
			}
		}
	}
	for id, want := range map[string]string{"gemini-cli": "10000 ms", "qwen-code": "10000 ms", "claude-code": "10 s", "cursor": "10 s", "codex": "10 s", "codebuddy": "10 s", "devin-local": "10 s", "antigravity": "10 s"} {
		h, _ := host.ByName(id)
		if !strings.Contains(rows, "| "+h.Title()+" | ") || !strings.Contains(rowsOf(rows, h), want) {
			t.Errorf("%s is not shown with %s", id, want)
		}
	}
}

func rowsOf(rows string, h host.Host) string {
	var sb strings.Builder
	for line := range strings.Lines(rows) {
		if strings.HasPrefix(line, "| "+h.Title()+" |") {
			sb.WriteString(line)
		}
	}
	return sb.String()
}
