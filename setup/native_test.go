package setup

import (
	"path/filepath"
	"strings"
	"testing"

	"pathrule/host"
)

// E24: the client's word about what it loaded is heard only while the user lets
// it load path rules by itself.
func TestTheSettingBringsAndTakesTheEventOfLoadedRules(t *testing.T) {
	w := newWorld(t)
	w.env = w.env.With("PATH", w.bin)
	settings := filepath.Join(w.home, ".claude", "settings.json")
	set := func(v string) { w.write(".pathrule/config.yaml", "hooks:\n  path_rules: "+v+"\n") }
	w.setup(Options{Scope: host.User}, "claude-code")
	before := w.read(settings)
	if strings.Contains(before, "InstructionsLoaded") {
		t.Fatal(before)
	}
	for _, v := range []string{"native", "both"} {
		set(v)
		if p := w.problems(); len(p) != 1 || !strings.Contains(p[0], "InstructionsLoaded: not registered") {
			t.Errorf("%s, before setup: %q", v, p)
		}
		w.setup(Options{Scope: host.User}, "claude-code")
		got := w.read(settings)
		if !strings.Contains(got, "InstructionsLoaded") || !strings.Contains(got, `"path_glob_match|compact"`) {
			t.Errorf("%s: %s", v, got)
		}
		if p := w.problems(); p != nil {
			t.Errorf("%s: %q", v, p)
		}
		set("hook")
		if p := w.problems(); len(p) != 1 || !strings.Contains(p[0], "hooks.path_rules is hook") {
			t.Errorf("%s, back to hook: %q", v, p)
		}
		w.setup(Options{Scope: host.User}, "claude-code")
		if got := w.read(settings); got != before {
			t.Errorf("%s, back to hook: %s", v, got)
		}
	}
}
