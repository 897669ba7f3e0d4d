package userhooks

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/guard/hookfile"
	"pathrule/host"
)

var update = flag.Bool("update", false, "rewrite golden files")

// M25, M26: every event of the catalogue with what each client does of it, and why
// it does not.
func TestWhatEachClientEmits(t *testing.T) {
	var b strings.Builder
	for _, e := range hookfile.Catalogue {
		if e.Of != "" || e.From == "" && !e.Ours {
			continue
		}
		fmt.Fprintln(&b, e.Name)
		for _, h := range host.All() {
			w := WiringOf(e, h)
			if w.Wired == (w.Why != "") {
				t.Errorf("%s on %s: wired %t, because %q", e.Name, h.ID(), w.Wired, w.Why)
			}
			if !w.Wired && (w.Context || w.Deny || w.Ask) {
				t.Errorf("%s on %s can something and is not emitted: %+v", e.Name, h.ID(), w)
			}
			fmt.Fprintf(&b, "\t%-12s %s\n", h.ID(), wiredLine(w))
		}
	}
	const name = "testdata/wired.golden"
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), b.String()); d != "" {
		t.Error(d)
	}
}

func wiredLine(w Wiring) string {
	if !w.Wired {
		return "no: " + w.Why
	}
	out := "yes"
	switch {
	case w.AtEnd:
		out = "with --session-end"
	case w.OnDemand:
		out = "on demand"
	}
	for _, c := range []struct {
		is   bool
		word string
	}{{w.Context, "tell"}, {w.Deny, "deny"}, {w.Ask, "ask"}} {
		if c.is {
			out += ", " + c.word
		}
	}
	return out
}

// A name that stands for another is wired as that one is, and what nothing emits
// says so.
func TestAliasesAreWiredAsWhatTheyMean(t *testing.T) {
	for _, e := range hookfile.Catalogue {
		for _, h := range host.All() {
			w := WiringOf(e, h)
			if e.Of != "" && !e.Shell {
				own, _ := hookfile.Lookup(e.Of)
				if d := cmp.Diff(WiringOf(own, h), w); d != "" {
					t.Errorf("%s on %s: %s", e.Name, h.ID(), d)
				}
			}
			if cursor := h.ID() == "cursor"; cursor && w.Ask != (e.Name == "PreToolUse" || e.Name == "BeforeWorkspaceCommand") {
				t.Errorf("%s: Cursor asks %t", e.Name, w.Ask) // for shell commands alone
			}
			if e.From == "" && !e.Ours && w.Wired {
				t.Errorf("%s on %s is wired", e.Name, h.ID())
			}
		}
	}
}
