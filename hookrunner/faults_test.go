package hookrunner_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pathrule/hookrunner"
	"pathrule/hookrunner/ledger"
	"pathrule/index/catalog"
	"pathrule/internal/filelock"
	"pathrule/internal/sysenv"
	"pathrule/slice"
	"pathrule/workspace"
)

// P48, A41, F2: whatever is missing or broken, an event ends well. Nothing here
// may be told wrongly either: silence, or what the rest still knows.
func TestBrokenState(t *testing.T) {
	for name, broke := range map[string]func(w *world){
		"no index":               func(w *world) { os.RemoveAll(filepath.Join(w.dirs().Home, "cache")) },
		"an empty generation":    func(w *world) { each(w, "cache", func(p string) { os.Truncate(p, 0) }) },
		"rubbish in every file":  func(w *world) { each(w, "cache", func(p string) { os.WriteFile(p, []byte("rubbish\n\x00"), 0o600) }) },
		"half of every file":     func(w *world) { each(w, "cache", func(p string) { st, _ := os.Stat(p); os.Truncate(p, st.Size()/2) }) },
		"a state that is a file": func(w *world) { os.RemoveAll(w.dirs().State); os.WriteFile(w.dirs().State, nil, 0o600) },
		"records that are rubbish": func(w *world) {
			w.start("startup")
			each(w, "state", func(p string) { os.WriteFile(p, []byte{0, 255, '\n'}, 0o600) })
		},
		"knowledge that is gone": func(w *world) { os.RemoveAll(w.path(".pathrule/memories")); os.RemoveAll(w.path(".pathrule/rules")) },
		"knowledge that is a folder": func(w *world) {
			os.Remove(w.path(".pathrule/rules/money.md"))
			os.Mkdir(w.path(".pathrule/rules/money.md"), 0o755)
		},
		"a config that is rubbish": func(w *world) { w.config("mode: [\n\t{{{\n"); w.write(".pathrule/config.yaml", "\x00\xff: :\n") },
		"a home that is a file": func(w *world) {
			w.vars["PATHRULE_HOME"] = filepath.Join(w.home, "notes.txt")
			os.WriteFile(w.vars["PATHRULE_HOME"], nil, 0o600)
		},
		"no home at all": func(w *world) { w.home = "" },
	} {
		for _, live := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t)
				w.live = live
				t.Chdir(t.TempDir()) // where a relative path would end up
				broke(w)
				for h, names := range events {
					w.host = h
					for _, ev := range names {
						out, errs := w.raw(w.full(ev))
						if errs != "" {
							t.Errorf("%s: stderr %q", ev, errs)
						}
						contextOf(t, ev, out)
					}
				}
				if stray, _ := os.ReadDir("."); len(stray) > 0 {
					t.Errorf("left %v in the working directory", stray)
				}
				if name == "no index" && !live {
					if got := w.start("clear"); got != "" {
						t.Errorf("without an index: %q", got)
					}
				}
			})
		}
	}
}

func each(w *world, dir string, f func(path string)) {
	filepath.WalkDir(filepath.Join(w.dirs().Home, dir), func(p string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			f(p)
		}
		return nil
	})
}

// An index that is missing is built by the first event that may.
func TestTheFirstEventBuildsTheIndex(t *testing.T) {
	for _, ev := range []string{"SessionStart", "UserPromptSubmit"} {
		w := newWorld(t)
		w.live = true
		os.RemoveAll(filepath.Join(w.dirs().Home, "cache"))
		out, _ := w.raw(w.full(ev))
		has(t, contextOf(t, ev, out), "Workspace shop")
	}
}

// A home that cannot be written: read-only, and silent about it.
func TestAHomeThatCannotBeWritten(t *testing.T) {
	w := newWorld(t)
	os.RemoveAll(w.dirs().State)
	os.WriteFile(w.dirs().State, nil, 0o400)
	os.RemoveAll(w.dirs().Logs())
	os.WriteFile(w.dirs().Logs(), nil, 0o400)
	has(t, w.start("startup"), "Workspace shop")
	has(t, w.prompt(invoicePrompt), "rounded half up") // cannot be remembered, is told
	if got := w.read("src/api/server.go"); got != "" {
		t.Errorf("a tool's answer that cannot be remembered would come with every call: %q", got)
	}
}

func TestUnknownHostsAndFlagsAreSilent(t *testing.T) {
	w := newWorld(t)
	for _, h := range []string{"nosuch", "unknown flag --x", "Claude"} {
		w.host = h
		if out, errs := w.raw(w.full("SessionStart")); out != "" || errs != "" {
			t.Errorf("%s: stdout %q, stderr %q", h, out, errs)
		}
		has(t, w.log(), "unknown host: "+h)
	}
	w.host = ""
	has(t, w.start("startup"), "Workspace shop") // the default is claude-code
}

func TestWindsurfIsNeverAnswered(t *testing.T) {
	w := newWorld(t)
	w.host = "windsurf"
	files, _ := filepath.Glob(filepath.Join("..", "host", "testdata", "payloads", "windsurf", "*.json"))
	if len(files) == 0 {
		t.Fatal("no payloads")
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if out, errs := w.raw(strings.ReplaceAll(string(raw), "/home/dev/shop", filepath.ToSlash(w.root))); out != "" || errs != "" {
			t.Errorf("%s: stdout %q, stderr %q", f, out, errs)
		}
	}
}

// The log holds one line per failure, is bounded, and no prompt or tool text.
func TestTheLog(t *testing.T) {
	w := newWorld(t)
	const secret = "hunter2"
	w.raw(`{"hook_event_name":"UserPromptSubmit","prompt":"` + secret + `"`)
	w.raw("rubbish " + secret)
	w.raw(`{"prompt":"` + secret + `"}`)
	w.live = true
	panics(w, secret)
	lines := strings.Split(strings.TrimSpace(w.log()), "\n")
	if len(lines) != 4 {
		t.Errorf("%d lines:\n%s", len(lines), w.log())
	}
	hasNot(t, w.log(), secret)
	has(t, lines[3], "panic in pathrule/hookrunner")
	for range 2000 {
		w.raw("[")
	}
	for range 2 {
		w.raw(strings.Repeat("[", 400))
		os.WriteFile(filepath.Join(w.dirs().Logs(), "hook.log"), []byte(strings.Repeat("x", 300<<10)), 0o600)
		w.raw("[")
	}
	total := int64(0)
	files, _ := os.ReadDir(w.dirs().Logs())
	for _, f := range files {
		st, _ := f.Info()
		total += st.Size()
	}
	if len(files) != 2 || total > 700<<10 {
		t.Errorf("%d files, %d bytes", len(files), total)
	}
}

// panics runs an event whose index panics with a text that holds the prompt.
func panics(w *world, secret string) {
	env := w.env()
	env.Stdin, env.Stdout = strings.NewReader(w.full("UserPromptSubmit")), io.Discard
	hookrunner.Main(hookrunner.Options{Refresh: func(context.Context, *workspace.Workspace, sysenv.Env, time.Duration) (catalog.Source, func() error, error) {
		panic("cannot parse " + secret)
	}}, env)
}

// fake is a source whose answers take a while.
type fake struct {
	catalog.Source
	pause time.Duration
}

func (f fake) Search(q catalog.Query) (catalog.Result, error) {
	time.Sleep(f.pause)
	return f.Source.Search(q)
}

// F1: every dependency that blocks. The watchdog ends the event silently and
// in time, and what was not told is not recorded as told.
func TestTheWatchdog(t *testing.T) {
	w := newWorld(t)
	w.start("startup")
	var begin time.Time
	var ended atomic.Int64 // after how many ns
	var lost time.Duration
	defer hookrunner.Hurried(func() { ended.Store(int64(time.Since(begin))) }, func() time.Duration { return lost })()
	for name, c := range map[string]struct {
		event   string
		refresh time.Duration // how long the refresh takes
		search  time.Duration
		most    time.Duration
		speaks  bool
		lost    time.Duration // what a busy machine kept from us
	}{
		"an index that never comes, on a prompt":   {"UserPromptSubmit", time.Hour, 0, 400 * time.Millisecond, true, 0},
		"an index that never comes, on a start":    {"SessionStart", time.Hour, 0, 500 * time.Millisecond, true, 0},
		"a source that never answers, on a start":  {"SessionStart", 0, time.Hour, 500 * time.Millisecond, false, 0},
		"a source that never answers, on a prompt": {"UserPromptSubmit", 0, time.Hour, 400 * time.Millisecond, false, 0},
		"a source that is slow":                    {"UserPromptSubmit", 50 * time.Millisecond, 50 * time.Millisecond, 300 * time.Millisecond, true, 0},
		"a source that is slow on a busy machine":  {"UserPromptSubmit", 0, 250 * time.Millisecond, 800 * time.Millisecond, true, 300 * time.Millisecond},
		"a source that never answers on such one":  {"UserPromptSubmit", 0, time.Hour, 1200 * time.Millisecond, false, time.Minute},
		"an index that is late on a busy machine":  {"UserPromptSubmit", 500 * time.Millisecond, 0, 700 * time.Millisecond, true, 300 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			w.later()
			lost = c.lost
			synctest.Test(t, func(t *testing.T) {
				env := w.env()
				var out strings.Builder
				env.Stdin, env.Stdout = strings.NewReader(w.full(c.event)), &out
				begin = time.Now()
				ended.Store(0)
				hookrunner.Main(hookrunner.Options{Refresh: func(ctx context.Context, ws *workspace.Workspace, env sysenv.Env, d time.Duration) (catalog.Source, func() error, error) {
					time.Sleep(c.refresh)
					cat, err := catalog.Open(ws, w.dirs())
					if err != nil {
						return nil, nil, err
					}
					return fake{cat, c.search}, cat.Close, nil
				}}, env)
				took := time.Since(begin)
				bitten := ended.Load() != 0
				if bitten {
					took = time.Duration(ended.Load())
				}
				if took > c.most || bitten == c.speaks {
					t.Errorf("took %v, at most %v; ended by the watchdog: %t", took, c.most, bitten)
				}
				if (out.String() != "") != c.speaks {
					t.Errorf("says %.200q", out.String())
				}
				time.Sleep(2 * time.Hour) // what was left behind ends
			})
		})
	}
	has(t, w.log(), "out of time")
	if d := hookrunner.StarvedTime(); d < 0 || d > time.Hour {
		t.Errorf("this machine kept %v from us", d)
	}
	// Nothing of the silent events counts as told.
	w.later()
	has(t, w.prompt(invoicePrompt), "rounded half up")
}

// An event in a process that is not its own takes the time that it needs, and
// nothing ends that process.
func TestAnUnhurriedEventIsNotCutOff(t *testing.T) {
	w := newWorld(t)
	w.start("startup")
	w.later()
	defer hookrunner.Hurried(func() { t.Error("the watchdog ends the process") }, func() time.Duration { return 0 })()
	synctest.Test(t, func(t *testing.T) {
		env := w.env()
		var out strings.Builder
		env.Stdin, env.Stdout = strings.NewReader(w.full("UserPromptSubmit")), &out
		hookrunner.Main(hookrunner.Options{Unhurried: true, Refresh: func(_ context.Context, ws *workspace.Workspace, _ sysenv.Env, _ time.Duration) (catalog.Source, func() error, error) {
			time.Sleep(2 * time.Second)
			cat, err := catalog.Open(ws, w.dirs())
			if err != nil {
				return nil, nil, err
			}
			return fake{cat, time.Minute}, cat.Close, nil
		}}, env)
		has(t, out.String(), "rounded half up")
		time.Sleep(2 * time.Hour)
	})
}

// A lock that another process holds for ever: prompts are answered unrecorded,
// tools stay silent, nobody waits long.
func TestALedgerThatIsLocked(t *testing.T) {
	w := newWorld(t)
	w.start("startup")
	records, err := filepath.Glob(filepath.Join(w.dirs().State, "sessions", "*"))
	if err != nil || len(records) != 1 {
		t.Fatalf("records %v, %v", records, err)
	}
	lock, err := filelock.Acquire(records[0], time.Second)
	if err != nil {
		t.Fatal(err)
	}
	has(t, w.prompt(invoicePrompt), "rounded half up")
	if got := w.read("src/api/server.go"); got != "" {
		t.Errorf("the tool is answered: %q", got)
	}
	lock.Unlock()
	has(t, w.read("src/api/server.go"), "problem+json")
}

// Of many runs of one event at once, one speaks, whatever the event.
func TestOneOfManySpeaks(t *testing.T) {
	for _, ev := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "SubagentStart"} {
		t.Run(ev, func(t *testing.T) {
			w := newWorld(t)
			w.start("startup")
			payload := w.full(ev)
			var wg sync.WaitGroup
			var mu sync.Mutex
			spoke := 0
			for range 20 {
				wg.Go(func() {
					var out strings.Builder
					env := w.env()
					env.Stdin, env.Stdout = strings.NewReader(payload), &out
					hookrunner.Main(hookrunner.Options{}, env)
					mu.Lock()
					defer mu.Unlock()
					if out.Len() > 0 {
						spoke++
					}
				})
			}
			wg.Wait()
			if spoke != 1 {
				t.Errorf("%d of 20 spoke", spoke)
			}
		})
	}
}

// Two processes that plan different halves of one truth: each item is told by
// one of them.
func TestProcessesShareWhatTheyTell(t *testing.T) {
	w := newWorld(t)
	paths := []string{"src/billing/invoice.go", "src/billing/tax.go", "src/api/server.go", "src/billing/invoice.go src/api/server.go", "src/billing/tax.go src/billing/invoice.go"}
	for round := range 20 {
		session := fmt.Sprintf("share-%d", round)
		w.ask("SessionStart", "source", "startup", "session_id", session)
		var wg sync.WaitGroup
		var mu sync.Mutex
		var all strings.Builder
		for i := range 10 {
			payload := w.event("PreToolUse", "session_id", session, "tool_name", "Bash", "tool_input", map[string]any{"command": "cat " + paths[(i+round)%len(paths)]})
			wg.Go(func() {
				var out strings.Builder
				env := w.env()
				env.Stdin, env.Stdout = strings.NewReader(payload), &out
				hookrunner.Main(hookrunner.Options{}, env)
				mu.Lock()
				defer mu.Unlock()
				all.WriteString(out.String())
			})
		}
		wg.Wait()
		for _, id := range []string{"memory:rounding", "memory:tax", "rule:money", "rule:api"} {
			if n := strings.Count(all.String(), "["+id+"]"); n != 1 {
				t.Errorf("%s was told %d times:\n%s", id, n, all.String())
			}
		}
	}
}

// What another process told between our plan and its record is left out of what
// we tell, and the rest is told; the twin of our own event leaves us silent.
func TestAProcessThatStepsInBetween(t *testing.T) {
	w := newWorld(t)
	w.now = time.Now().Add(time.Minute) // nothing was written just now
	w.start("startup")
	other := ""
	hookrunner.Between(func() { other = w.read("src/billing/invoice.go") })
	got := w.bash("cat src/billing/tax.go src/api/server.go")
	has(t, other, "rule:money")
	has(t, got, "rule:api")
	hasNot(t, got, "rule:money")
	hasNot(t, got, "memory:tax")
	if again := w.bash("cat src/billing/tax.go src/api/server.go src/billing/invoice.go"); again != "" {
		t.Errorf("told again: %q", again)
	}

	w.start("clear")
	payload := w.event("PreToolUse", "tool_name", "Read", "tool_input", map[string]any{"file_path": w.path("src/api/server.go")})
	twin := ""
	hookrunner.Between(func() { twin, _ = w.raw(payload) })
	first, _ := w.raw(payload)
	if twin == "" || first != "" {
		t.Errorf("the twin says %q, we say %q", twin, first)
	}

	// A whole answer that somebody else gave meanwhile.
	w.start("fork")
	hookrunner.Between(func() { other = w.read("src/api/server.go") })
	if got := w.bash("cat src/api/server.go"); got != "" || other == "" {
		t.Errorf("the other says %q, we say %q", other, got)
	}
}

// P59, P66, P81: a route that was told is marked once it is opened.
func TestAFollowedRoute(t *testing.T) {
	for name, c := range map[string]struct {
		event, path string
		followed    int
	}{
		"opened before the tool":  {"PreToolUse", "src/api/server.go", 1},
		"seen only after it":      {"PostToolUse", "src/api/server.go", 1},
		"another file was opened": {"PreToolUse", "src/api-old/server.go", 0},
		"the tool failed":         {"PostToolUseFailure", "src/api/server.go", 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.start("startup")
			key := ledger.Key{Host: "claude-code", Workspace: ledger.Root(w.ws()), Session: "s1"}
			store := ledger.Store{Dir: w.dirs().State, Now: func() time.Time { return w.now }}
			l, fresh, err := store.Open(key)
			if fresh || err != nil {
				t.Fatalf("fresh %t, %v", fresh, err)
			}
			if _, err := l.Record([]ledger.Sent{{Key: "x:route:src/api/server.go", Hash: "1", Form: slice.Body}}); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				w.ask(c.event, "tool_name", "Read", "tool_input", map[string]any{"file_path": w.path(c.path)})
			}
			l, _, err = store.Open(key)
			if err != nil {
				t.Fatal(err)
			}
			sum, ok, err := l.End()
			if err != nil || !ok || sum.Routes != 1 || sum.Followed != c.followed {
				t.Errorf("%+v, %t, %v", sum, ok, err)
			}
		})
	}
}

// Receipts tell doctor what a host really fires.
func TestReceipts(t *testing.T) {
	w := newWorld(t)
	w.start("startup")
	w.read("docs/readme.md")
	var seen []string
	for _, r := range (ledger.Store{Dir: w.dirs().State}).Seen(ledger.Root(w.ws())) {
		seen = append(seen, r.Host+" "+r.Event)
	}
	if got := strings.Join(seen, ", "); got != "claude-code PreToolUse, claude-code SessionStart" {
		t.Errorf("%s", got)
	}
}

// gone is a reader whose other end fails.
type gone struct{}

func (gone) Read([]byte) (int, error)  { return 0, errors.New("broken") }
func (gone) Write([]byte) (int, error) { return 0, errors.New("broken") }

func TestStreamsThatFail(t *testing.T) {
	w := newWorld(t)
	env := w.env()
	env.Stdin, env.Stdout = gone{}, io.Discard
	if code := hookrunner.Main(hookrunner.Options{}, env); code != 0 {
		t.Errorf("exit code %d", code)
	}
	env.Stdin, env.Stdout = strings.NewReader(w.full("SessionStart")), gone{}
	if code := hookrunner.Main(hookrunner.Options{}, env); code != 0 {
		t.Errorf("exit code %d", code)
	}
	env.Stdin, env.Stdout, env.Stderr = nil, nil, nil
	if code := hookrunner.Main(hookrunner.Options{}, env); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
