package setup

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"pathrule/host"
)

// registered are the hooks inspect finds, by client.
func (w *world) registered(event string) map[string]Installed {
	w.t.Helper()
	list, err := Inspect(w.root, w.env)
	if err != nil {
		w.t.Fatal(err)
	}
	out := map[string]Installed{}
	for _, in := range list {
		if in.Event == event {
			out[in.Host] = in
		}
	}
	return out
}

func TestRegisteredCommandsRunAsTheClientWould(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for our program is a shell script")
	}
	for _, scope := range []host.Scope{host.User, host.Project} {
		w := newWorld(t)
		w.write(w.hook, "#!/bin/sh\nread event\necho \"$* got $event in $PWD\"\necho trouble >&2\nexit 0\n")
		w.env = w.env.With("PATH", w.bin+":/usr/bin:/bin").With("PATHRULE_HOME", filepath.Join(w.home, "my home"))
		w.setup(Options{Scope: scope}, "claude-code", "codex")
		for id, in := range w.registered("PreToolUse") {
			o, err := RunRegistered(context.Background(), in, []byte("{}\n"), w.root, 10*time.Second, w.env)
			if err != nil {
				t.Fatal(err)
			}
			want := "--host " + id
			if scope == host.User {
				want += " --env PATHRULE_HOME=" + filepath.Join(w.home, "my home")
			}
			if got := string(o.Stdout); got != want+" got {} in "+w.root+"\n" || o.Exit != 0 || o.TimedOut || o.Took <= 0 {
				t.Errorf("%s %s: %+v %q", id, scope, o, got)
			}
		}
	}
}

// A committed command says nothing where pathrule is missing.
func TestACommittedHookIsSilentWithoutPathrule(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("drives /bin/sh")
	}
	w := newWorld(t)
	w.setup(Options{Scope: host.Project}, "claude-code", "codex")
	for _, event := range []string{"SessionStart", "PreToolUse"} {
		for id, in := range w.registered(event) {
			for _, sh := range []string{"sh", "bash", "dash", "zsh"} {
				exe, err := exec.LookPath(sh)
				if err != nil {
					continue
				}
				cmd := exec.Command(exe, "-c", in.Command)
				cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + w.home}
				cmd.Stdin = strings.NewReader("{}")
				out, err := cmd.Output()
				if err != nil || len(out) > 0 {
					t.Errorf("%s %s in %s: %q, %v", id, event, sh, out, err)
				}
			}
		}
	}
}

func TestACommandThatHangsIsEndedWithItsChildren(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("drives /bin/sh")
	}
	w := newWorld(t)
	mark := filepath.Join(w.home, "late")
	in := Installed{Surface: Hooks, Shell: true, Command: "(sleep 3; touch '" + mark + "') & sleep 60", Argv: []string{"x"}}
	o, err := RunRegistered(context.Background(), in, nil, w.root, 100*time.Millisecond, w.env)
	if err != nil || !o.TimedOut || o.Exit == 0 {
		t.Errorf("%+v, %v", o, err)
	}
	in = Installed{Surface: Hooks, Argv: []string{filepath.Join(w.home, "no such program")}}
	if o, err := RunRegistered(context.Background(), in, nil, w.root, time.Second, w.env); err == nil || o.Exit != -1 {
		t.Errorf("%+v, %v", o, err)
	}
	big := Installed{Surface: Hooks, Shell: true, Command: "yes | head -c 300000", Argv: []string{"x"}}
	if o, err := RunRegistered(context.Background(), big, nil, w.root, 10*time.Second, w.env); err != nil || o.Exit != 0 || len(o.Stdout) != maxOutput {
		t.Errorf("exit %d, %d bytes, %v", o.Exit, len(o.Stdout), err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a child outlived the run")
	}
}
