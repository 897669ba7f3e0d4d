package hookrunner_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"pathrule/hookrunner/ledger"
)

// command is a real program with this world around it.
func (w *world) command(exe string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	w.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Dir = w.root
	cmd.Env = []string{"HOME=" + w.home, "USERPROFILE=" + w.home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	for k, v := range w.vars {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	return cmd
}

// run runs a program with one event on stdin; it must exit 0 with an empty
// stderr.
func (w *world) run(stdin, exe string, args ...string) string {
	w.t.Helper()
	cmd := w.command(exe, args...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 {
		w.t.Errorf("%s %v: %v, stderr %q", filepath.Base(exe), args, err, errs.String())
	}
	return out.String()
}

// until repeats an event in new sessions until the machine had the time to
// answer it: a program that runs out of time says nothing, on purpose.
func (w *world) until(f func() string) string {
	w.t.Helper()
	for range 10 {
		if got := f(); got != "" {
			return got
		}
	}
	w.t.Fatalf("silent ten times; log:\n%s", w.log())
	return ""
}

// T1, A35, F56, F57: the programs themselves.
func TestTheProgramsAnswer(t *testing.T) {
	hook, whole, prompt := program(t, "pathrule-hook"), program(t, "pathrule"), program(t, "pathrule-prompt")
	w := newWorld(t)
	for name, c := range map[string]struct {
		exe  string
		args []string
	}{
		"pathrule-prompt": {prompt, []string{"--host", "claude-code"}},
		"pathrule-hook":   {hook, []string{"--host", "claude-code"}},
		"pathrule hook":   {whole, []string{"hook", "--host", "claude"}},
		"no host":         {hook, nil},
		"codex":           {hook, []string{"--host=codex"}},
	} {
		for _, ev := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "SubagentStart"} {
			t.Run(name+"/"+ev, func(t *testing.T) {
				w.t = t
				got := w.until(func() string {
					w.seq++
					return w.run(strings.Replace(w.full(ev), `"s1"`, fmt.Sprintf(`"run-%d"`, w.seq), 1), c.exe, c.args...)
				})
				contextOf(t, ev, got)
			})
		}
		for _, in := range []string{"", "rubbish", "[]", "{", "\xEF\xBB\xBF", w.event("PreCompact"), w.event("SessionEnd"), w.event("Stop"), w.event("NoSuchEvent")} {
			w.t = t
			if got := w.run(in, c.exe, c.args...); got != "" {
				t.Errorf("%s: %q is answered with %q", name, in, got)
			}
		}
	}
	for _, args := range [][]string{{"--host", "nosuch"}, {"--nosuch"}, {"--host"}, {"stray"}} {
		if got := w.run(w.full("SessionStart"), hook, args...); got != "" {
			t.Errorf("%v: %q", args, got)
		}
		if got := w.run(w.full("SessionStart"), whole, append([]string{"hook"}, args...)...); got != "" {
			t.Errorf("hook %v: %q", args, got)
		}
	}
}

// T2: stdin that is never closed, with and without an event on it.
func TestAnOpenStdinDoesNotHang(t *testing.T) {
	w := newWorld(t)
	for _, exe := range [][]string{{program(t, "pathrule-hook")}, {program(t, "pathrule"), "hook"}} {
		for name, in := range map[string]string{"an event": w.full("PreToolUse"), "half an event": w.full("PreToolUse")[:40], "nothing": "", "a mark": "\xEF\xBB\xBF"} {
			t.Run(name, func(t *testing.T) {
				cmd := w.command(exe[0], exe[1:]...)
				stdin, err := cmd.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				defer stdin.Close()
				var out bytes.Buffer
				cmd.Stdout = &out
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				io.WriteString(stdin, in)
				// Ends by itself: the context would kill it after a minute.
				if err := cmd.Wait(); err != nil {
					t.Error(err)
				}
				if name != "an event" && out.Len() > 0 {
					t.Errorf("says %q", out.String())
				}
			})
		}
	}
}

// A41: the host went away before it read the answer.
func TestAClosedStdoutIsNoFault(t *testing.T) {
	w := newWorld(t)
	for _, exe := range [][]string{{program(t, "pathrule-hook")}, {program(t, "pathrule"), "hook"}} {
		cmd := w.command(exe[0], exe[1:]...)
		pr, pw, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		pr.Close()
		cmd.Stdin, cmd.Stdout = strings.NewReader(w.full("SessionStart")), pw
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if err := cmd.Run(); err != nil || errs.Len() > 0 {
			t.Errorf("%v: %v, stderr %q", exe, err, errs.String())
		}
		pw.Close()
		w.later()
	}
}

// Two registrations that both fire are one event.
func TestTwoProcessesAnswerOneEventOnce(t *testing.T) {
	hook, whole := program(t, "pathrule-hook"), program(t, "pathrule")
	w := newWorld(t)
	w.vars["PATHRULE_HANDED_OVER"] = "1" // both answer by themselves
	for _, ev := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse"} {
		w.until(func() string {
			w.seq++
			payload := strings.Replace(w.full(ev), `"s1"`, fmt.Sprintf(`"twin-%d"`, w.seq), 1)
			var wg sync.WaitGroup
			var out [2]string
			for i, args := range [][]string{{hook}, {whole, "hook"}} {
				wg.Go(func() { out[i] = w.run(payload, args[0], args[1:]...) })
			}
			wg.Wait()
			if out[0] != "" && out[1] != "" {
				t.Errorf("%s: both answer", ev)
			}
			return out[0] + out[1]
		})
	}
}

// T6, F74: sixty processes on one session. What is told is told once, what was
// not told for want of time comes with the next event, nobody waits long.
func TestSixtyHooksOnOneSession(t *testing.T) {
	hook := program(t, "pathrule-hook")
	files := map[string]string{}
	var ids []string
	for i := range 20 {
		id := fmt.Sprintf("m%02d", i)
		ids = append(ids, id)
		files["src/"+id+".go"] = "package src\n"
		files[".pathrule/memories/"+id+".md"] = "---\ntitle: Fact " + id + "\npaths: [src/" + id + ".go]\n---\nThe fact of " + id + ".\n"
	}
	w := newWorld(t, files)
	event := func(i int) string {
		return w.event("PreToolUse", "tool_name", "Read", "tool_input", map[string]any{"file_path": w.path("src/" + ids[i%len(ids)] + ".go")})
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	told := map[string]int{}
	worst := time.Duration(0)
	count := func(out string) {
		for _, id := range ids {
			told[id] += strings.Count(out, "[memory:"+id+"]")
		}
	}
	for i := range 60 {
		payload := event(i)
		wg.Go(func() {
			begin := time.Now()
			out := w.run(payload, hook)
			mu.Lock()
			defer mu.Unlock()
			worst = max(worst, time.Since(begin))
			count(out)
		})
	}
	wg.Wait()
	for range 5 {
		for i, id := range ids {
			if told[id] == 0 {
				count(w.run(event(i), hook))
			}
		}
	}
	for _, id := range ids {
		if told[id] != 1 {
			t.Errorf("%s was told %d times", id, told[id])
		}
	}
	l, _, err := (ledger.Store{Dir: w.dirs().State}).Open(ledger.Key{Host: "claude-code", Workspace: ledger.Root(w.ws()), Session: "s1"})
	if err != nil {
		t.Error(err)
	}
	recorded := 0
	for _, it := range l.Told() {
		if strings.Contains(it.Key, "/memory:") {
			recorded++
		}
	}
	if recorded != len(ids) {
		t.Errorf("%d memories recorded, want %d", recorded, len(ids))
	}
	t.Logf("slowest of sixty: %v", worst)
}

// pathrule-hook, given an event that wants an index, becomes the pathrule
// beside it; without one it answers by itself.
func TestHandingOver(t *testing.T) {
	hook := program(t, "pathrule-hook")
	alone := filepath.Join(t.TempDir(), filepath.Base(hook))
	data, err := os.ReadFile(hook)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(alone, data, 0o755); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	// copyOf is pathrule-hook with one other program beside it.
	copyOf := func(names ...string) string {
		dir := t.TempDir()
		for _, n := range append(names, "pathrule-hook") {
			b, err := os.ReadFile(program(t, n))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(program(t, n))), b, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		return filepath.Join(dir, filepath.Base(hook))
	}
	// Only pathrule writes an index; pathrule-prompt reads one.
	for name, c := range map[string]struct {
		exe   string
		built bool
	}{
		"beside both": {hook, true}, "beside pathrule": {copyOf("pathrule"), true},
		"beside pathrule-prompt": {copyOf("pathrule-prompt"), false}, "alone": {alone, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, ev := range []string{"SessionStart", "UserPromptSubmit"} {
				os.RemoveAll(filepath.Join(w.dirs().Home, "cache"))
				for range 10 {
					w.seq++
					payload := strings.Replace(w.full(ev), `"s1"`, fmt.Sprintf(`"over-%d"`, w.seq), 1)
					got := contextOf(t, ev, w.run(payload, c.exe))
					if (got != "") && !c.built {
						t.Errorf("%s: answered without an index: %q", ev, got)
					}
					if got != "" {
						break
					}
				}
				_, err := os.Stat(filepath.Join(w.dirs().Home, "cache"))
				if (err == nil) != c.built {
					t.Errorf("%s: index built: %t", ev, err == nil)
				}
			}
		})
	}
	t.Run("a prompt as long as a pipe and longer", func(t *testing.T) {
		w.t = t
		w.index()
		for _, n := range []int{60 << 10, 200 << 10, 2 << 20} {
			long := invoicePrompt + "\n" + strings.Repeat("log line\n", n/9)
			w.until(func() string {
				w.seq++
				return w.run(w.event("UserPromptSubmit", "prompt", long, "session_id", fmt.Sprintf("long-%d", w.seq)), hook)
			})
		}
	})
	t.Run("a pathrule that is pathrule-hook itself", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("no links")
		}
		w.t = t
		if err := os.Symlink(alone, filepath.Join(filepath.Dir(alone), "pathrule")); err != nil {
			t.Skip(err)
		}
		w.until(func() string {
			w.seq++
			return w.run(strings.Replace(w.full("SessionStart"), `"s1"`, fmt.Sprintf(`"self-%d"`, w.seq), 1), alone)
		})
	})
}
