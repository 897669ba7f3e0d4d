package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pathrule/internal/sysenv"
)

func vars(m map[string]string) func(string) string { return func(n string) string { return m[n] } }

func TestStateFollowsTheOrderOfItsSources(t *testing.T) {
	home := t.TempDir()
	abs := func(p string) string { return filepath.Join(home, p) }
	def := filepath.Join(home, Marker)
	all := map[string]string{"PATHRULE_STATE_DIR": abs("a"), "CLAUDE_PLUGIN_DATA": abs("plugin"), "XDG_STATE_HOME": abs("xdg")}
	step := func(name string, m map[string]string, want Dirs) {
		t.Helper()
		got := DirsOf(sysenv.Env{UserHome: home, Vars: vars(m)})
		if got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	step("nothing set", nil, Dirs{def, filepath.Join(def, "state")})
	step("the variable", all, Dirs{def, abs("a")})
	delete(all, "PATHRULE_STATE_DIR")
	step("the plugin's folder", all, Dirs{def, filepath.Join(abs("plugin"), "state")})
	delete(all, "CLAUDE_PLUGIN_DATA")
	step("the XDG folder", all, Dirs{def, filepath.Join(abs("xdg"), "pathrule")})
	step("another home", map[string]string{"PATHRULE_HOME": abs("h")}, Dirs{abs("h"), filepath.Join(abs("h"), "state")})
	step("relative values are refused", map[string]string{"PATHRULE_HOME": "h", "PATHRULE_STATE_DIR": "s", "XDG_STATE_HOME": "./x", "CLAUDE_PLUGIN_DATA": "p"}, Dirs{def, filepath.Join(def, "state")})

	// The record comes before the plugin's folder: a process with a stripped
	// environment and one inside a plugin must agree.
	if err := RecordState(Dirs{def, abs("recorded")}); err != nil {
		t.Fatal(err)
	}
	all = map[string]string{"CLAUDE_PLUGIN_DATA": abs("plugin"), "XDG_STATE_HOME": abs("xdg")}
	step("the record", all, Dirs{def, abs("recorded")})
	step("the record, nothing set", nil, Dirs{def, abs("recorded")})
	if err := os.WriteFile(filepath.Join(def, stateRecord), []byte("relative\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	step("a relative record is refused", nil, Dirs{def, filepath.Join(def, "state")})
}

func TestRecordStateWritesOnlyWhatIsNews(t *testing.T) {
	home := filepath.Join(t.TempDir(), "h")
	d := Dirs{home, filepath.Join(home, "state")}
	if err := RecordState(d); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(home); err == nil {
		t.Error("the default was recorded")
	}
	moved := Dirs{home, filepath.Join(t.TempDir(), "s")}
	if err := RecordState(moved); err != nil {
		t.Fatal(err)
	}
	if got := DirsOf(sysenv.Env{Vars: vars(map[string]string{"PATHRULE_HOME": home})}); got != moved {
		t.Errorf("got %+v", got)
	}
	// Back to the default: the old record must not win.
	if err := RecordState(d); err != nil {
		t.Fatal(err)
	}
	if got := DirsOf(sysenv.Env{Vars: vars(map[string]string{"PATHRULE_HOME": home})}); got != d {
		t.Errorf("got %+v", got)
	}
}

func TestWithoutAHomeNothingIsReadOrWrittenAnywhere(t *testing.T) {
	env := sysenv.Env{Cwd: t.TempDir()}
	t.Chdir(env.Cwd)
	d := DirsOf(env)
	if d.Home != "" {
		t.Errorf("home %q", d.Home)
	}
	for _, p := range []string{d.State, d.Cache("x"), d.History("x"), d.Logs(), d.Personal(), UserConfig(d), WorkspaceConfig(d, "x"), LockPath(d, "x")} {
		if !filepath.IsAbs(p) {
			t.Errorf("%q lies below the working directory", p)
		}
		if err := os.MkdirAll(p, 0o700); err == nil {
			t.Errorf("%q can be made", p)
		}
	}
	if d.Killed(env) {
		t.Error("killed")
	}
	if s, _, problems := LoadSettings(nil, d, env); s.Mode != "auto" || len(problems) != 0 {
		t.Errorf("%q, %+v", s.Mode, problems)
	}
	if err := SetSetting(d, UserConfig(d), "mode", "off"); err == nil || !strings.Contains(err.Error(), "PATHRULE_HOME") {
		t.Errorf("set: %v", err)
	}
	if _, err := Find(env.Cwd, env); !errors.Is(err, ErrNone) {
		t.Errorf("find: %v", err)
	}
	if files, _ := os.ReadDir(env.Cwd); len(files) != 0 {
		t.Errorf("written: %v", files)
	}
}

func TestKilled(t *testing.T) {
	home := t.TempDir()
	d := Dirs{Home: home}
	if d.Killed(sysenv.Env{}) {
		t.Error("killed without a reason")
	}
	for v, want := range map[string]bool{"1": true, "true": true, "0": false, "": false, "no": false} {
		if got := d.Killed(sysenv.Env{Vars: vars(map[string]string{"PATHRULE_DISABLE": v})}); got != want {
			t.Errorf("PATHRULE_DISABLE=%s: %v", v, got)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "kill-hooks"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if !d.Killed(sysenv.Env{}) {
		t.Error("kill-hooks is not seen")
	}
}

func TestCheckDirsNamesLooseFoldersAndTightenMendsThem(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no mode bits on Windows")
	}
	home := filepath.Join(t.TempDir(), "h")
	d := Dirs{home, filepath.Join(home, "state")}
	if p := CheckDirs(d); len(p) != 0 {
		t.Errorf("folders that are not there yet: %+v", p)
	}
	if err := os.MkdirAll(d.State, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	problems := CheckDirs(d)
	if len(problems) != 2 || !strings.Contains(problems[0].Msg, "0755") || problems[0].Remedy != "pathrule repair" {
		t.Errorf("got %+v", problems)
	}
	for _, dir := range OpenDirs(d) {
		if err := TightenDir(dir); err != nil {
			t.Fatal(err)
		}
	}
	if p := CheckDirs(d); len(p) != 0 {
		t.Errorf("after tightening: %+v", p)
	}
	file := Dirs{filepath.Join(home, "config.yaml"), d.State}
	if p := CheckDirs(file); len(p) != 1 || !strings.Contains(p[0].Msg, "not a folder") {
		t.Errorf("a file in its place: %+v", p)
	}
}
