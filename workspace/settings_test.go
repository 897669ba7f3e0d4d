package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// problems as "file base:line msg".
func short(ps []Problem) []string {
	var out []string
	for _, p := range ps {
		out = append(out, fmt.Sprintf("%s:%d %s", filepath.Base(p.File), p.Line, p.Msg))
	}
	return out
}

func TestDefaultsStandWhenNothingIsWritten(t *testing.T) {
	w := newWorld(t)
	s, origins, problems := LoadSettings(nil, DirsOf(w.env), w.env)
	if diff := cmp.Diff(defaultSettings(), s); diff != "" || len(problems) != 0 {
		t.Error(diff, problems)
	}
	for _, o := range origins {
		if o.Source != "default" || o.Value != func() string { v, _ := s.Get(o.Key); return v }() {
			t.Errorf("got %+v", o)
		}
	}
	want := Settings{Mode: "auto", Proof: "off", Writes: "direct", Acknowledge: "none", PathRules: "hook", PathBodies: 3,
		TrustKnowledge: "host", Activity: "on", BudgetMinimal: 300, BudgetFocused: 1200, BudgetDeep: 2400, BudgetTool: 300, LoadMaxTokens: 1600,
		GuardQuestion: "off", ContextTokens: 120_000}
	if diff := cmp.Diff(want, defaultSettings()); diff != "" {
		t.Error(diff)
	}
}

func TestTheStrongerSourceWins(t *testing.T) {
	w := newWorld(t)
	w.dir("srv/mono/.pathrule")
	w.dir("srv/mono/a/.pathrule")
	ws := w.find("srv/mono/a")
	dirs := DirsOf(w.env)
	w.file("home/me/.pathrule/config.yaml", "mode: startup\nproof: compact\nbudget:\n  focused: 1000\n  deep: 1000\nglossary:\n  invoice: [bill]\n  user: [member]\n")
	w.file("srv/mono/.pathrule/config.yaml", "budget.focused: 800\nglossary:\n  invoice: [rechnung]\ncompile.targets: windsurf, agents\n")
	w.file("srv/mono/a/.pathrule/config.yaml", "budget.focused: 700\nbudget.deep: 2000\n")
	w.file("home/me/.pathrule/workspaces/"+ws.ID+".yaml", "mode: always\nbudget.deep: 3000\n")
	w.setenv("PATHRULE_MODE", "manual")
	w.setenv("PATHRULE_HOOKS_PATH_BODIES", "5")
	s, origins, problems := LoadSettings(ws, dirs, w.env)
	want := defaultSettings()
	want.Mode, want.Proof, want.BudgetFocused, want.BudgetDeep, want.PathBodies = "manual", "compact", 700, 3000, 5
	want.CompileTargets = []string{"windsurf", "agents"}
	want.Glossary = map[string][]string{"invoice": {"rechnung"}, "user": {"member"}}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{`config.yaml:2 a repository may only lower "budget.deep"; it stays 1000`}, short(problems)); diff != "" {
		t.Error(diff)
	}
	got := map[string]string{}
	for _, o := range origins {
		got[o.Key] = fmt.Sprintf("%s %s %s:%d", o.Value, o.Source, filepath.Base(o.File), o.Line)
	}
	for key, want := range map[string]string{
		"mode":             "manual environment .:0",
		"proof":            "compact user config.yaml:2",
		"budget.focused":   "700 repository config.yaml:1",
		"budget.deep":      "3000 workspace " + ws.ID + ".yaml:2",
		"budget.tool":      "300 default .:0",
		"glossary.invoice": "rechnung repository config.yaml:3",
	} {
		if got[key] != want {
			t.Errorf("%s: %q, want %q", key, got[key], want)
		}
	}
}

func TestARepositoryCannotSetWhatIsTheUsers(t *testing.T) {
	w := newWorld(t)
	w.dir("srv/p/.pathrule")
	text := "mode: off\nproof: compact\nwrites: off\ndelta.reset_on_resume: true\ntrust:\n  knowledge: host\nhooks.path_bodies: 0\nguards.x: y\nbudget.tool: 200\n"
	w.file("srv/p/.pathrule/config.yaml", text)
	s, _, problems := LoadSettings(w.find("srv/p"), DirsOf(w.env), w.env)
	want := defaultSettings()
	want.BudgetTool = 200
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
	if len(problems) != 7 {
		t.Fatalf("%d problems: %q", len(problems), short(problems))
	}
	for _, p := range problems {
		if !strings.Contains(p.Msg, "the user's alone") || p.Line == 0 || p.Remedy == "" {
			t.Errorf("got %+v", p)
		}
	}
	// The same lines are fine in the user's own file and in a private store.
	w.dir("srv/q")
	private, err := MakeStore(w.at("srv/q"), true, DirsOf(w.env), w.env)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(RepositoryConfig(private), []byte("mode: off\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, _, problems := LoadSettings(private, DirsOf(w.env), w.env); s.Mode != "off" || len(problems) != 0 {
		t.Errorf("private: %q, %q", s.Mode, short(problems))
	}
}

func TestABadLineIsReportedAndTheRestCounts(t *testing.T) {
	w := newWorld(t)
	file := w.file("home/me/.pathrule/config.yaml", "mod: auto\nproof: loud\nbudget:\n  focussed: 900\n  tool: lots\n  deep: [1, 2]\nbudgets.minimal: 1\nhooks.path_bodies: 99\nzzz: 1\nmode: manual\n")
	s, _, problems := LoadSettings(nil, DirsOf(w.env), w.env)
	if s.Mode != "manual" {
		t.Errorf("mode %q", s.Mode)
	}
	var got []string
	for _, p := range problems {
		if p.File != file {
			t.Errorf("file %q", p.File)
		}
		got = append(got, fmt.Sprintf("%d %s; %s", p.Line, p.Msg, p.Remedy))
	}
	want := []string{
		`1 unknown setting "mod"; did you mean "mode"?`,
		`2 "loud" is no value of "proof"; it takes off, compact; the line is ignored until it is mended`,
		`4 unknown setting "budget.focussed"; did you mean "budget.focused"?`,
		`5 "lots" is no value of "budget.tool"; it takes a whole number from 50 to 20000; the line is ignored until it is mended`,
		`6 "budget.deep" takes one value, not a list; the line is ignored until it is mended`,
		`7 unknown setting "budgets.minimal"; did you mean "budget.minimal"?`,
		`8 "99" is no value of "hooks.path_bodies"; it takes a whole number from 0 to 20; the line is ignored until it is mended`,
		`9 unknown setting "zzz"; known settings: ` + strings.Join(SettingKeys(), ", ") + `, glossary`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestABadEnvironmentValueIsNamed(t *testing.T) {
	w := newWorld(t)
	w.setenv("PATHRULE_MODE", "sometimes")
	s, _, problems := LoadSettings(nil, DirsOf(w.env), w.env)
	if s.Mode != "auto" || len(problems) != 1 || !strings.HasPrefix(problems[0].Msg, "PATHRULE_MODE: ") {
		t.Errorf("%q %+v", s.Mode, problems)
	}
}

func TestAConfigThatLeavesTheWorkspaceIsNotRead(t *testing.T) {
	w := newWorld(t)
	w.dir("srv/p/.pathrule")
	w.file("elsewhere/config.yaml", "budget.tool: 100\n")
	w.link(w.at("elsewhere/config.yaml"), "srv/p/.pathrule/config.yaml")
	s, _, problems := LoadSettings(w.find("srv/p"), DirsOf(w.env), w.env)
	if s.BudgetTool != 300 || len(problems) != 1 || !strings.Contains(problems[0].Msg, "leaves the workspace") {
		t.Errorf("%d, %q", s.BudgetTool, short(problems))
	}
	// A folder in its place is told as well.
	w.dir("srv/q/.pathrule/config.yaml")
	if _, _, problems := LoadSettings(w.find("srv/q"), DirsOf(w.env), w.env); len(problems) != 1 {
		t.Errorf("%q", short(problems))
	}
}

func TestSettingsOfOneProjectDoNotReachAnother(t *testing.T) {
	w := newWorld(t)
	w.dir("srv/p/.pathrule")
	w.dir("srv/q/.pathrule")
	p, q := w.find("srv/p"), w.find("srv/q")
	dirs := DirsOf(w.env)
	if err := SetSetting(dirs, WorkspaceConfig(dirs, p.ID), "mode", "off"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if s, _, _ := LoadSettings(p, dirs, w.env); s.Mode != "off" {
			t.Errorf("p: %q", s.Mode)
		}
		if s, _, _ := LoadSettings(q, dirs, w.env); s.Mode != "auto" {
			t.Errorf("q: %q", s.Mode)
		}
	}
}

func TestEveryKeyHasADescriptionAndAVariable(t *testing.T) {
	s := defaultSettings()
	for _, key := range SettingKeys() {
		if SettingValues(key) == "" {
			t.Errorf("%s has no description", key)
		}
		v, ok := s.Get(key)
		if !ok {
			t.Errorf("%s cannot be read", key)
		}
		if err := CheckSetting(key, v, false); err != nil {
			t.Errorf("the default of %s is not allowed: %v", key, err)
		}
	}
	if EnvName("delta.reset_on_resume") != "PATHRULE_DELTA_RESET_ON_RESUME" {
		t.Error(EnvName("delta.reset_on_resume"))
	}
	if err := CheckSetting("mode", "off", true); err == nil {
		t.Error("a repository may set the mode")
	}
	if err := CheckSetting("glossary.invoice", "bill, rechnung", true); err != nil {
		t.Error(err)
	}
}
