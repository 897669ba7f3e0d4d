package setup

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pathrule/host"
)

// fakeCodex puts a script named codex on PATH.
func (w *world) fakeCodex(script string) {
	w.t.Helper()
	if runtime.GOOS == "windows" {
		w.t.Skip("the stand-in for codex is a shell script")
	}
	file := filepath.Join(w.home, "bin", "codex")
	w.write(file, "#!/bin/sh\n"+script)
	if err := os.Chmod(file, 0o755); err != nil {
		w.t.Fatal(err)
	}
	w.env = w.env.With("PATH", filepath.Join(w.home, "bin")+":/usr/bin:/bin")
}

func statuses(tr Trust) map[string]string {
	out := map[string]string{}
	for _, h := range tr.Hooks {
		out[h.Event] = h.Status
	}
	return out
}

// Rows: F26.
func TestCodexIsAskedAboutTrust(t *testing.T) {
	w := newWorld(t)
	w.setup(Options{}, "codex")
	file := filepath.Join(w.home, ".codex", "hooks.json")
	w.fakeCodex(`[ "$1" = app-server ] || exit 1
read init; read initialized; read list
case $init in *'"initialize"'*) ;; *) exit 1 ;; esac
case $list in *'"hooks/list"'*'"cwds":["` + w.root + `"]'*) ;; *) exit 1 ;; esac
echo '{"id":1,"result":{}}'
echo 'no JSON at all'
echo '{"method":"configWarning","params":{}}'
echo '{"id":2,"result":{"data":[{"cwd":"x","warnings":["w1"],"hooks":[
 {"key":"` + file + `:session_start:0:0","trustStatus":"trusted","enabled":true},
 {"key":"` + file + `:user_prompt_submit:0:0","trustStatus":"modified","enabled":true},
 {"key":"` + file + `:pre_tool_use:0:0","trustStatus":"untrusted","enabled":true},
 {"key":"` + file + `:subagent_start:0:0","trustStatus":"trusted","enabled":false},
 {"key":"/elsewhere:stop:0:0","trustStatus":"trusted"}]}]}}' | tr -d '\n'; echo
sleep 60 & wait
`)
	start := time.Now()
	tr, err := CodexTrust(context.Background(), w.root, w.env)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"SessionStart": "trusted", "UserPromptSubmit": "modified", "PreToolUse": "untrusted", "SubagentStart": "disabled", "PreCompact": "untrusted"}
	if diff := cmp.Diff(want, statuses(tr)); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	if tr.Source != "codex app-server" || tr.Trusted() || len(tr.Warnings) != 1 {
		t.Errorf("%+v", tr)
	}
	if time.Since(start) > 30*time.Second {
		t.Error("its child was waited for")
	}
}

// Rows: F26.
func TestWithoutCodexTheFileIsRead(t *testing.T) {
	w := newWorld(t)
	w.setup(Options{}, "codex")
	w.setup(Options{Scope: host.Project, Force: true}, "codex")
	key := func(ev string) string { return filepath.Join(w.home, ".codex", "hooks.json") + ":" + ev + ":0:0" }
	w.write(".codex/config.toml", w.read(".codex/config.toml")+`
[hooks.state."`+key("session_start")+`"]
trusted_hash = "sha256:abc"
[hooks.state."`+key("user_prompt_submit")+`"]
trusted_hash = "sha256:abc"
enabled = false
[projects."`+w.root+`"]
trust_level = "trusted"
`)
	tr, err := CodexTrust(context.Background(), w.root, w.env)
	if err != nil {
		t.Fatal(err)
	}
	got := statuses(tr) // the project's, which come last, hide the user's
	if tr.Source != "config.toml" || tr.Project != "trusted" || got["SessionStart"] != "not-recorded" || len(tr.Hooks) != 10 {
		t.Errorf("%+v", tr)
	}
	user := Trust{Hooks: tr.Hooks[:5]}
	want := map[string]string{"SessionStart": "recorded", "UserPromptSubmit": "disabled", "PreToolUse": "not-recorded", "SubagentStart": "not-recorded", "PreCompact": "not-recorded"}
	if diff := cmp.Diff(want, statuses(user)); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
}

func TestACodexThatFailsLeavesTheFilesWord(t *testing.T) {
	for name, tc := range map[string]struct{ script, want string }{
		"it ends at once":        {"exit 3\n", "ended without an answer"},
		"it does not know hooks": {`echo '{"id":2,"error":{"code":-32601,"message":"unknown method"}}'` + "\n", "does not list hooks: unknown method"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.setup(Options{}, "codex")
			w.fakeCodex(tc.script)
			tr, err := CodexTrust(context.Background(), w.root, w.env)
			if err == nil || !strings.Contains(err.Error(), tc.want) && !strings.Contains(err.Error(), "broken pipe") {
				t.Errorf("error is %v", err)
			}
			if tr.Source != "config.toml" || len(tr.Hooks) != 5 || tr.Hooks[0].Status != "not-recorded" {
				t.Errorf("%+v", tr)
			}
		})
	}
}

func TestCodexIsNotWaitedForLongerThanTheCaller(t *testing.T) {
	w := newWorld(t)
	w.setup(Options{}, "codex")
	w.fakeCodex("sleep 60 & wait\n")
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	if _, err := CodexTrust(ctx, w.root, w.env); err == nil || !strings.Contains(err.Error(), "did not answer") {
		t.Errorf("error is %v", err)
	}
}

func TestWithoutOurHooksCodexIsNotStarted(t *testing.T) {
	w := newWorld(t)
	w.fakeCodex("touch " + filepath.Join(w.home, "started") + "\n")
	tr, err := CodexTrust(context.Background(), w.root, w.env)
	if err != nil || len(tr.Hooks) != 0 || tr.Trusted() {
		t.Errorf("%+v, %v", tr, err)
	}
	if w.read("started") != "(none)" {
		t.Error("codex was started for nothing")
	}
}
