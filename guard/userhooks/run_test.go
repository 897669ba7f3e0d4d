package userhooks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"pathrule/guard/hookfile"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// world is one project with hooks, and a home.
type world struct {
	t    *testing.T
	root string
	dirs workspace.Dirs
	env  sysenv.Env
}

func newWorld(t *testing.T) *world {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the commands of these hooks are for a POSIX shell")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: filepath.Join(base, "p"), dirs: workspace.Dirs{Home: filepath.Join(base, "home")}}
	vars := map[string]string{"PATH": os.Getenv("PATH"), "PATHRULE_HANDED_OVER": "2"}
	w.env = sysenv.Env{Vars: func(n string) string { return vars[n] }, GOOS: runtime.GOOS, Cwd: w.root}
	for k, v := range vars {
		w.env.Environ = append(w.env.Environ, k+"="+v)
	}
	w.write(".pathrule/config.yaml", "")
	return w
}

func (w *world) write(rel, text string) {
	w.t.Helper()
	p := filepath.Join(w.root, rel)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o755); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(rel string) string {
	b, _ := os.ReadFile(filepath.Join(w.root, rel))
	return string(b)
}

func (w *world) ws() *workspace.Workspace {
	return &workspace.Workspace{Root: w.root, Store: filepath.Join(w.root, ".pathrule"), ID: workspace.IDOf(w.root)}
}

// load reads the project's hooks.
func (w *world) load(dirs ...string) Source {
	w.t.Helper()
	for _, s := range Load(hookfile.Find(w.ws(), w.dirs), w.dirs, w.env, dirs...) {
		if s.Origin == hookfile.Project {
			return s
		}
	}
	w.t.Fatal("the project has no file of hooks")
	return Source{}
}

// trust does what the command does once a person said yes.
func (w *world) trust() {
	w.t.Helper()
	s := w.load()
	if s.Config == nil {
		w.t.Fatalf("%s: %v", s.Why, s.Problems)
	}
	if err := hookfile.Trust(w.dirs, w.root, hookfile.Pin{Sum: hookfile.Sum(s.Raw), At: time.Unix(1, 0), Events: hookfile.Events(s.Raw), Files: s.Sealed}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) request(event string) hookfile.Request {
	return hookfile.Request{Events: []string{event}, Host: "claude-code", Session: "s1", Cwd: w.root, Workspace: w.ws(), Tool: "Edit", ToolUseID: "t", Paths: []string{"src/a.ts", "web/b.ts"}}
}

// run writes, trusts and runs a file of hooks.
func (w *world) run(text string, req hookfile.Request) (hookfile.Outcome, []Step) {
	w.t.Helper()
	w.write(".pathrule/hooks.json", text)
	w.trust()
	e := Engine{Env: w.env, Dirs: w.dirs}
	return e.Run(context.Background(), []Source{w.load(req.Cwd)}, req)
}

// sh is one hook with one command, extra being further members of the action.
func sh(name, command, extra string) string {
	return fmt.Sprintf(`{"name": %q, "event": "PreToolUse", "actions": [{"type": "command", "command": %s%s}]}`, name, quote(command), extra)
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func answer(decision, reason, more string) string {
	return fmt.Sprintf(`echo '{"decision":"%s","reason":"%s","append_context":"%s"}'`, decision, reason, more)
}

// Rows: M19, M22.
func TestDecisionsMergeByWeightAndADenialEndsThem(t *testing.T) {
	tests := map[string]struct {
		hooks  []string
		want   hookfile.Decision
		reason string
		parts  []string
		ran    int
	}{
		"nothing said allows":            {[]string{sh("a", "true", "")}, hookfile.Allow, "", nil, 1},
		"text that is no JSON allows":    {[]string{sh("a", "echo deny", "")}, hookfile.Allow, "", nil, 1},
		"a JSON string allows":           {[]string{sh("a", `echo '"deny"'`, "")}, hookfile.Allow, "", nil, 1},
		"text alone is context":          {[]string{sh("a", `echo '{"append_context":"x"}'`, "")}, hookfile.Append, "", []string{"a: x"}, 1},
		"contexts come in order":         {[]string{sh("a", answer("append_context", "", "1"), ""), sh("b", answer("allow", "", "2"), "")}, hookfile.Append, "", []string{"a: 1", "b: 2"}, 2},
		"ask outweighs context":          {[]string{sh("a", answer("ask_approval", "sure?", ""), ""), sh("b", answer("append_context", "", "x"), "")}, hookfile.Ask, `sure? (hook "a")`, []string{"b: x"}, 2},
		"the first of two asks counts":   {[]string{sh("a", answer("ask_approval", "one", ""), ""), sh("b", answer("ask_approval", "two", ""), "")}, hookfile.Ask, `one (hook "a")`, nil, 2},
		"deny outweighs ask, and ends":   {[]string{sh("a", answer("ask_approval", "sure?", ""), ""), sh("b", answer("deny", "no", ""), ""), sh("c", "touch ran", "")}, hookfile.Deny, `no (hook "b")`, nil, 2},
		"a denial without a reason":      {[]string{sh("a", `echo '{"decision":"deny"}'`, "")}, hookfile.Deny, `No reason was given. (hook "a")`, nil, 1},
		"bidirectional text in a reason": {[]string{sh("a", `printf '{"decision":"deny","reason":"a\\u202eb"}'`, "")}, hookfile.Deny, `ab (hook "a")`, nil, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			out, _ := w.run(file(strings.Join(tt.hooks, ",")), w.request("PreToolUse"))
			var parts []string
			for _, p := range out.Parts {
				parts = append(parts, p.Hook+": "+p.Text)
			}
			if out.Decision != tt.want || out.Reason != tt.reason || out.Ran != tt.ran || !slices.Equal(parts, tt.parts) || out.Errors != nil {
				t.Errorf("%+v", out)
			}
			if w.read("ran") != "" || exists(filepath.Join(w.root, "ran")) {
				t.Error("a hook ran after a denial")
			}
		})
	}
}

func exists(p string) bool { _, err := os.Lstat(p); return err == nil }

// Rows: T13.
// Rows: M19, M22.
func TestAWrongAnswerIsAnErrorNeverAPermission(t *testing.T) {
	for name, tt := range map[string]struct{ out, want string }{
		"a misspelt decision":                 {`{"decision":"denny"}`, `unknown decision "denny" (did you mean deny?)`},
		"a decision in another case":          {`{"decision":"Deny"}`, `unknown decision "Deny"`},
		"a word of another product":           {`{"decision":"block"}`, `unknown decision "block"`},
		"a misspelt key":                      {`{"desicion":"deny"}`, `unknown key "desicion" (did you mean decision?)`},
		"a decision that is true":             {`{"decision":true}`, "decision that is no string"},
		"a reason that is a list":             {`{"decision":"deny","reason":[]}`, "reason that is no string"},
		"sections that are no list":           {`{"append_system_sections":{}}`, "no list of at most 16"},
		"too many sections":                   {`{"append_system_sections":[` + strings.Repeat(`{"id":"a","text":"b"},`, 16) + `{"id":"a","text":"b"}]}`, "no list of at most 16"},
		"a section without an id":             {`{"append_system_sections":[{"text":"b"}]}`, "id is not one line"},
		"a section without a text":            {`{"append_system_sections":[{"id":"a","text":" "}]}`, `the section "a" without a text`},
		"a section twice":                     {`{"append_system_sections":[{"id":"a","text":"b"},{"id":"a","text":"c"}]}`, `the section "a" twice`},
		"a misspelt retention":                {`{"append_system_sections":[{"id":"a","text":"b","retention":"prefered"}]}`, `unknown retention "prefered" (did you mean preferred?)`},
		"a misspelt cache":                    {`{"append_system_sections":[{"id":"a","text":"b","cache":"static"}]}`, `unknown cache "static"`},
		"an unknown key in a section":         {`{"append_system_sections":[{"id":"a","text":"b","ttl":"1"}]}`, `unknown key "ttl" in a section`},
		"append_context with neither of both": {`{"decision":"append_context","append_system_sections":[]}`, "append_context without a text"},
		"metadata that is text":               {`{"metadata":"x"}`, "metadata that is no object"},
		"context without a text":              {`{"decision":"append_context"}`, "append_context without a text"},
		"broken JSON":                         {`{"decision":"deny"`, "broken at 1:19"},
		"two objects":                         {`{"decision":"allow"}{"decision":"deny"}`, "broken at 1:21"},
		"a key twice":                         {`{"decision":"deny","decision":"allow"}`, "stands here twice"},
	} {
		t.Run(name, func(t *testing.T) {
			if s, err := readAnswer(tt.out); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%+v, %v, want %q", s, err, tt.want)
			}
			w := newWorld(t)
			w.write("answer.txt", tt.out)
			out, _ := w.run(file(sh("a", "cat answer.txt", `, "on_error": "block"`)), w.request("PreToolUse"))
			if out.Decision != hookfile.Deny || !strings.Contains(out.Reason, `"a" could not say yes`) {
				t.Errorf("with on_error block: %+v", out)
			}
		})
	}
	s, err := readAnswer(`{"decision":null,"reason":null,"metadata":{"a":[1]}}`)
	if err != nil || s.decision != hookfile.Allow || s.metadata != `{"a":[1]}` {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := readAnswer("{braces, but no JSON}"); err != nil || s.decision != hookfile.Allow || s.raw == "" {
		t.Errorf("%+v, %v", s, err)
	}
}

// M24: texts with a class of retention, in the order of hooks and of their ids; the
// class "required" is clamped with a note; at most 16 for one event.
func TestSectionsComeInOrderWithTheirClass(t *testing.T) {
	w := newWorld(t)
	sections := func(ids ...string) string {
		var list []string
		for _, id := range ids {
			list = append(list, fmt.Sprintf(`{"id":%q,"text":"text of %s"}`, id, id))
		}
		return `{"append_system_sections":[` + strings.Join(list, ",") + `]}`
	}
	w.write("a.json", `{"append_context":"first","append_system_sections":[{"id":"z","text":"Z","retention":"optional","cache":"stable"},{"id":"b","text":"B\u202e","retention":"required","cache":"dynamic"}]}`)
	w.write("b.json", sections("n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"))
	w.write("c.json", sections("m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8"))
	out, steps := w.run(file(sh("one", "cat a.json", "")+","+sh("two", "cat b.json", "")+","+sh("three", "cat c.json", "")), w.request("PreToolUse"))
	want := []hookfile.Part{
		{Hook: "one", Text: "first"},
		{Hook: "one", ID: "b", Text: "B", Whole: true},
		{Hook: "one", ID: "z", Text: "Z", Whole: true, Optional: true, Key: "x:hook:one/z", Hash: hookfile.Sum([]byte("Z"))[:16]},
	}
	if out.Decision != hookfile.Append || len(out.Parts) != 1+16 {
		t.Fatalf("%d parts, %+v", len(out.Parts), out)
	}
	if d := cmp.Diff(want, out.Parts[:3]); d != "" {
		t.Error(d)
	}
	if len(out.Errors) != 2 || !strings.Contains(out.Errors[0], `"m7" is one of more than 16`) {
		t.Errorf("errors %q", out.Errors)
	}
	if d := cmp.Diff([]string{"b", "z"}, steps[0].Sections); d != "" || steps[0].Note != "retention required counts as preferred" {
		t.Errorf("%s %+v", d, steps[0])
	}
}

// All hooks of one event share one time, which may be shorter for a client that
// waits for less; what had no time left failed, so that a guard still denies.
func TestHooksShareOneTime(t *testing.T) {
	w := newWorld(t)
	req := w.request("PreToolUse")
	req.Limit = 400 * time.Millisecond
	out, steps := w.run(file(sh("slow", "sleep 30", `, "timeout": 5`)+","+sh("guard", "true", `, "on_error": "block"`)), req)
	if steps[0].Error != "was stopped: all hooks of one event have 400ms together" || out.Decision != hookfile.Deny || !strings.Contains(out.Reason, "could not say yes") {
		t.Errorf("%+v %+v", out, steps)
	}
	// Nor do they outlive the program that runs them.
	w.write(".pathrule/hooks.json", file(sh("slow", "sleep 30", `, "timeout": 5`)))
	w.trust()
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, steps := (Engine{Env: w.env, Dirs: w.dirs}).Run(ctx, []Source{w.load()}, w.request("PreToolUse")); steps[0].Error != "was stopped, since pathrule itself was" {
		t.Errorf("%+v", steps)
	}
}

// Rows: T13.
// Rows: M20, M23.
func TestWhatAnErrorMeans(t *testing.T) {
	for onError, want := range map[string]struct {
		decision hookfile.Decision
		second   bool
	}{"ignore": {hookfile.Append, true}, "fail": {hookfile.Append, false}, "block": {hookfile.Deny, false}} {
		t.Run(onError, func(t *testing.T) {
			w := newWorld(t)
			out, steps := w.run(file(sh("first", answer("append_context", "", "kept"), "")+","+
				sh("bad", "echo secret-out; echo why >&2; exit 3", `, "on_error": "`+onError+`"`)+","+sh("last", "echo ran > ran", "")), w.request("PreToolUse"))
			if out.Decision != want.decision || (w.read("ran") != "") != want.second || len(out.Parts) != 1 {
				t.Errorf("%+v, last ran %q", out, w.read("ran"))
			}
			if len(out.Errors) != 1 || out.Errors[0] != `hook "bad" action 1: exited with 3` {
				t.Errorf("errors for the log: %q", out.Errors)
			}
			if s := steps[1]; s.Error != "exited with 3" || strings.TrimSpace(s.Stderr) != "why" {
				t.Errorf("trace: %+v", s)
			}
			if last := steps[len(steps)-1]; (last.Skipped == "") != want.second {
				t.Errorf("the trace says of the last: %+v", last)
			}
		})
	}
}

// Rows: T13.
// Rows: M11.
func TestHooksRunByPriorityThenInTheOrderOfFilesAndLines(t *testing.T) {
	w := newWorld(t)
	h := func(name string, p int) string {
		return fmt.Sprintf(`{"name": %q, "event": "Stop", "priority": %d, "actions": [{"type": "inject", "entries": ["x"]}]}`, name, p)
	}
	parse := func(o hookfile.Origin, text string) Source {
		c, problems := Parse([]byte(text))
		if problems != nil {
			t.Fatal(problems)
		}
		return Source{File: hookfile.File{Origin: o}, Config: c, State: Active}
	}
	sources := []Source{parse(hookfile.User, file(h("u1", 0)+","+h("u2", 5)+","+h("u3", 0))), parse(hookfile.Project, file(h("p1", 0)+","+h("p2", 5)+","+h("p3", 9)+","+h("p4", -1)))}
	var got []string
	for _, c := range Choose(sources, w.request("Stop"), false) {
		got = append(got, c.Hook.Name)
	}
	if d := cmp.Diff([]string{"p3", "u2", "p2", "u1", "u3", "p1", "p4"}, got); d != "" {
		t.Error(d)
	}
	if got := Choose(sources, w.request("PreToolUse"), false); got != nil {
		t.Errorf("hooks of another event: %+v", got)
	}
	// A client's event and what is derived from it run one after the other.
	two := parse(hookfile.User, file(strings.Replace(h("late", 9), "Stop", "BeforeFileWrite", 1)+","+strings.Replace(h("early", 0), "Stop", "PreToolUse", 1)))
	req := w.request("PreToolUse")
	req.Events = hookfile.Emitted("PreToolUse", true)
	got = nil
	for _, c := range Choose([]Source{two}, req, false) {
		got = append(got, c.Hook.Name)
	}
	if d := cmp.Diff([]string{"early", "late"}, got); d != "" {
		t.Error(d)
	}
}

// Rows: T13.
// Rows: M14.
func TestMatcherSeesTheFirstTextThatIsThere(t *testing.T) {
	full := hookfile.Request{Tool: "Edit", Paths: []string{"src/a.ts"}, Prompt: "do it", Source: "startup"}
	for _, want := range []string{"tool Edit", "path src/a.ts", "prompt do it", "source startup", "event Stop"} {
		what, text := Target(full, "Stop")
		if got := what + " " + text; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		switch what {
		case "tool":
			full.Tool = ""
		case "path":
			full.Paths = nil
		case "prompt":
			full.Prompt = ""
		case "source":
			full.Source = ""
		}
	}
}

// Rows: M5, M12, M13.
func TestWhyAHookIsSkipped(t *testing.T) {
	w := newWorld(t)
	hook := func(more string) string {
		return file(`{"name": "a", "event": "PreToolUse", ` + more + ` "actions": [{"type": "command", "command": "true"}]}`)
	}
	tests := map[string]struct {
		text string
		req  func(*hookfile.Request)
		want string
	}{
		"nothing stands in its way":      {hook(""), nil, ""},
		"any tool":                       {hook(`"matcher": "*",`), nil, ""},
		"a part of the tool's name":      {hook(`"matcher": "Edi",`), nil, ""},
		"another tool":                   {hook(`"matcher": "^(Write|Bash)$",`), nil, `the matcher does not match the tool "Edit"`},
		"no tool, but a path":            {hook(`"matcher": "^src/",`), func(r *hookfile.Request) { r.Tool = "" }, ""},
		"switched off":                   {hook(`"enabled": false,`), nil, "enabled is false"},
		"the whole file is switched off": {`{"version": 1, "enabled": false, "hooks": [{"event": "PreToolUse", "actions": [{"type": "command", "command": "true"}]}]}`, nil, "the file does not count: enabled is false"},
		"a path in scope":                {hook(`"conditions": {"paths": ["web"]},`), nil, ""},
		"a glob in scope":                {hook(`"conditions": {"paths": ["**/*.ts"]},`), nil, ""},
		"an excluded path":               {hook(`"conditions": {"paths": ["**/*.ts", "!src", "!web"]},`), nil, "no touched path lies in conditions.paths"},
		"a sibling folder":               {hook(`"conditions": {"paths": ["sr"]},`), nil, "no touched path lies in conditions.paths"},
		"no path at all":                 {hook(`"conditions": {"paths": ["src"]},`), func(r *hookfile.Request) { r.Paths = nil }, "no touched path lies in conditions.paths"},
		"a command that is none":         {strings.Replace(hook(""), "PreToolUse", "BeforeWorkspaceCommand", 1), nil, "BeforeWorkspaceCommand is for shell commands alone"},
		"a command that is one":          {strings.Replace(hook(""), "PreToolUse", "BeforeWorkspaceCommand", 1), func(r *hookfile.Request) { r.Command = "ls" }, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w.write(".pathrule/hooks.json", tt.text)
			w.trust()
			req := w.request("PreToolUse")
			if tt.req != nil {
				tt.req(&req)
			}
			got := Choose([]Source{w.load()}, req, false)
			if len(got) != 1 || got[0].Skipped != tt.want {
				t.Errorf("%+v, want %q", got, tt.want)
			}
		})
	}
}

// Rows: M10, M16, M17, M18.
func TestWhatACommandIsGiven(t *testing.T) {
	w := newWorld(t)
	w.write("src/deep/x", "")
	req := w.request("PreToolUse")
	req.Cwd = filepath.Join(w.root, "src")
	req.Payload = []byte("{\"tool_input\":{\"text\":\"a\nb\"},\"n\":12345678901234567890}")
	text := `{"version": 1, "env": {"B": "2", "A": "one two"}, "hooks": [{"name": "na me", "event": "PreToolUse", "actions": [
		{"type": "command", "command": "cat > ../stdin; env | grep -E '^(PATHRULE_|A=|B=)' | sort > ../env; pwd > ../cwd"},
		{"type": "command", "command": "pwd > dir", "work_dir": "src/deep"}]}]}`
	out, steps := w.run(text, req)
	if out.Errors != nil {
		t.Fatalf("%v %+v", out.Errors, steps)
	}
	in := w.read("stdin")
	if !strings.HasSuffix(in, "}\n") || strings.Count(in, "\n") != 1 {
		t.Errorf("stdin is not one line: %q", in)
	}
	var got map[string]any
	dec := json.NewDecoder(strings.NewReader(in))
	dec.UseNumber()
	if err := dec.Decode(&got); err != nil {
		t.Fatalf("%v: %s", err, in)
	}
	want := map[string]any{"version": json.Number("1"), "event": "PreToolUse", "hook": "na me", "host": "claude-code", "session": "s1", "project": w.root, "cwd": req.Cwd,
		"tool": map[string]any{"name": "Edit", "use_id": "t"}, "path": "src/a.ts", "paths": []any{"src/a.ts", "web/b.ts"},
		"payload": map[string]any{"tool_input": map[string]any{"text": "a\nb"}, "n": json.Number("12345678901234567890")}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	env := strings.ReplaceAll(w.read("env"), w.root, "ROOT")
	if d := cmp.Diff("A=one two\nB=2\nPATHRULE_HANDED_OVER=\nPATHRULE_HOOK_EVENT=PreToolUse\nPATHRULE_HOOK_NAME=na me\nPATHRULE_HOOK_PATH=src/a.ts\nPATHRULE_HOOK_PROJECT=ROOT\nPATHRULE_HOOK_SESSION=s1\n", env); d != "" {
		t.Error(d)
	}
	if got := strings.TrimSpace(w.read("cwd")); got != req.Cwd {
		t.Errorf("ran in %s", got)
	}
	if got := strings.TrimSpace(w.read("src/deep/dir")); got != filepath.Join(w.root, "src", "deep") {
		t.Errorf("work_dir: ran in %s", got)
	}
	// A folder outside the project is nobody's working folder.
	req.Cwd = w.dirs.Home
	if _, steps := w.run(file(sh("a", "pwd > cwd2", "")), req); strings.TrimSpace(w.read("cwd2")) != w.root {
		t.Errorf("cwd outside: ran in %q, %+v", w.read("cwd2"), steps)
	}
	// Nor is a link that leads out of it.
	if err := os.Symlink(os.TempDir(), filepath.Join(w.root, "out")); err != nil {
		t.Fatal(err)
	}
	if out, _ := w.run(file(sh("a", "pwd", `, "work_dir": "out"`)), w.request("PreToolUse")); len(out.Errors) != 1 || !strings.Contains(out.Errors[0], "leaves the project") {
		t.Errorf("%+v", out)
	}
}

// Rows: T13.
// Rows: M6, M33.
func TestAnActionIsStoppedInTimeWithAllItStarted(t *testing.T) {
	w := newWorld(t)
	begun := time.Now()
	out, steps := w.run(file(sh("slow", "sh -c 'sleep 30; touch late' & echo $! > pid; sleep 30", `, "timeout": "300ms", "on_error": "ignore"`)+","+sh("next", "touch next", "")), w.request("PreToolUse"))
	if d := time.Since(begun); d > 20*time.Second {
		t.Errorf("took %s", d)
	}
	if len(out.Errors) != 1 || steps[0].Error != "was stopped after 300ms" || !exists(filepath.Join(w.root, "next")) {
		t.Errorf("%+v %+v", out, steps)
	}
	gone(t, w.read("pid"))
	// What a command leaves behind does not hold the event up, and does not stay.
	begun = time.Now()
	out, _ = w.run(file(sh("leaves", "sleep 30 & echo $! > pid2; echo '{\"append_context\":\"x\"}'", "")), w.request("PreToolUse"))
	if d := time.Since(begun); d > 20*time.Second || len(out.Parts) != 1 {
		t.Errorf("took %s: %+v", d, out)
	}
	gone(t, w.read("pid2"))
}

// gone waits until a process has ended.
func gone(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(pid))
	if err != nil {
		t.Fatalf("no process was started: %q", pid)
	}
	for range 200 {
		if !alive(n) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d still runs", n)
}

// Rows: T13.
// Rows: M8.
func TestOutputIsCappedBetweenCharacters(t *testing.T) {
	w := newWorld(t)
	w.write("big", strings.Repeat("日本語", 100_000))
	out, steps := w.run(file(sh("a", "cat big; cat big >&2", `, "max_output_bytes": 1000`)), w.request("PreToolUse"))
	if out.Errors != nil {
		t.Fatal(out.Errors)
	}
	got := steps[0].Output
	if len(got) > 1_100 || !utf8.ValidString(got) || strings.ContainsRune(got, utf8.RuneError) || !strings.Contains(got, "bytes left out") {
		t.Errorf("%d bytes: %.60q … %q", len(got), got, got[len(got)-40:])
	}
	if len(steps[0].Stderr) > 1_100 || !utf8.ValidString(steps[0].Stderr) {
		t.Errorf("stderr: %d bytes", len(steps[0].Stderr))
	}
}

// Whatever is written in whatever pieces: at most max bytes of it are kept, from
// both ends, and the rest is counted.
func FuzzBounded(f *testing.F) {
	f.Add("日本語日本語日本語", 7, 2)
	f.Add("abcdefghijklmnopqrstuvwxyz", 8, 30)
	f.Add("aé", 1, 1)
	f.Fuzz(func(t *testing.T, text string, most, step int) {
		if most < 1 || most > 1_000 || step < 1 || step > 1_000 {
			return
		}
		text = strings.ToValidUTF8(text, "")
		b := &bounded{max: most}
		for p := []byte(text); len(p) > 0; {
			k := min(step, len(p))
			n, err := b.Write(bytes.Clone(p[:k]))
			if n != k || err != nil {
				t.Fatal(n, err)
			}
			p = p[k:]
		}
		got := b.String()
		if len(text) <= most {
			if got != text {
				t.Fatalf("%q became %q", text, got)
			}
			return
		}
		head, tail, ok := strings.Cut(got, "\n[")
		if len(text) > most && !ok {
			t.Fatalf("nothing says that something is missing: %q", got)
		}
		left, tail, _ := strings.Cut(tail, " bytes left out]\n")
		n, err := strconv.Atoi(left)
		if strings.Contains(text, "\n[") || strings.Contains(text, "]\n") {
			return
		}
		if err != nil || !utf8.ValidString(got) || !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) || len(head)+n+len(tail) != len(text) || len(head)+len(tail) > most {
			t.Fatalf("%q: head %q, %q, tail %q", text, head, left, tail)
		}
	})
}

// Rows: T14.
// Rows: M31.
func TestDryRunsNothing(t *testing.T) {
	w := newWorld(t)
	w.write(".pathrule/hooks.json", file(sh("a", "touch ran", "")+`,{"name": "b", "event": "Stop", "actions": [{"type": "inject", "entries": ["x"]}]}`))
	w.trust()
	fails := func() { t.Error("something was called in a dry run") }
	e := Engine{Env: w.env, Dirs: w.dirs, Dry: true,
		Tool: func(context.Context, string, string, string, sysenv.Env) (string, error) { fails(); return "", nil },
		Entry: func(*workspace.Workspace, string) (string, string, string, error) {
			fails()
			return "", "", "", nil
		}}
	out, steps := e.Run(context.Background(), []Source{w.load()}, w.request("PreToolUse"))
	if out.Ran != 0 || out.Decision != hookfile.Allow || exists(filepath.Join(w.root, "ran")) {
		t.Errorf("%+v", out)
	}
	var got []string
	for _, s := range steps {
		got = append(got, fmt.Sprint(s.Hook, " ", s.Ran, " ", s.Skipped))
	}
	if !slices.Contains(got, "a false ") || !slices.Contains(got, "b false another event: Stop") {
		t.Errorf("%q", got)
	}
}

// Rows: M15, M21.
func TestToolAndInjectActions(t *testing.T) {
	w := newWorld(t)
	text := file(`{"name": "t", "event": "PreToolUse", "actions": [
		{"type": "tool", "tool": "write_memory", "input": {"title": "x"}},
		{"type": "tool", "tool": "ping"},
		{"type": "tool", "tool": "get_tree"},
		{"type": "tool", "tool": "get_context", "append_context": true},
		{"type": "tool", "tool": "search_knowledge", "append_context": true},
		{"type": "inject", "entries": ["rule:a", "b"]}]}`)
	w.write(".pathrule/hooks.json", text)
	w.trust()
	var calls []string
	e := Engine{Env: w.env, Dirs: w.dirs,
		Tool: func(_ context.Context, dir, name, input string, env sysenv.Env) (string, error) {
			calls = append(calls, name+" "+input+" "+env.Get(hookfile.Running))
			switch name {
			case "ping":
				return `{"decision":"append_context","append_context":"pong"}`, nil
			case "get_tree":
				return "", errors.New("no tree")
			case "get_context":
				return `{"status":"ok","text":"what is known","items":[]}`, nil
			case "search_knowledge":
				return `{"status":"ok","items":[]}`, nil
			}
			return `{"status":"ok","id":"x"}`, nil
		},
		Entry: func(_ *workspace.Workspace, ref string) (string, string, string, error) {
			return "text of " + ref, "k:" + ref, "h", nil
		}}
	out, steps := e.Run(context.Background(), []Source{w.load()}, w.request("PreToolUse"))
	if d := cmp.Diff([]string{`write_memory {"title": "x"} PreToolUse`, "ping {} PreToolUse", "get_tree {} PreToolUse", "get_context {} PreToolUse", "search_knowledge {} PreToolUse"}, calls); d != "" {
		t.Error(d)
	}
	want := []hookfile.Part{{Hook: "t", Text: "pong"}, {Hook: "t", Text: "what is known"}, {Hook: "t", Text: `{"status":"ok","items":[]}`}, {Hook: "t", Text: "text of rule:a", Key: "k:rule:a", Hash: "h", Whole: true}, {Hook: "t", Text: "text of b", Key: "k:b", Hash: "h", Whole: true}}
	if d := cmp.Diff(want, out.Parts); d != "" || out.Decision != hookfile.Append || len(out.Errors) != 1 {
		t.Errorf("%s %+v %+v", d, out, steps)
	}
}

// Rows: M1, M33.
func TestTrustHoldsForTheFileAndWhatItRuns(t *testing.T) {
	w := newWorld(t)
	w.write("scripts/guard.sh", "#!/bin/sh\necho one\n")
	w.write("conf.json", "{}")
	hooks := file(sh("a", "sh scripts/guard.sh --config=conf.json && npm test", ""))
	w.write(".pathrule/hooks.json", hooks)
	if s := w.load(); s.State != Waiting {
		t.Fatalf("%s: %s", s.State, s.Why)
	}
	w.trust()
	s := w.load()
	var sealed []string
	for _, f := range s.Sealed {
		sealed = append(sealed, f.Path)
	}
	if d := cmp.Diff([]string{"conf.json", "scripts/guard.sh"}, sealed); d != "" || s.State != Active {
		t.Fatalf("%s: %s %s", s.State, s.Why, d)
	}
	steps := []struct {
		name, file, text string
		want             State
	}{
		{"one byte of the script", "scripts/guard.sh", "#!/bin/sh\necho two\n", Changed},
		{"the script as it was", "scripts/guard.sh", "#!/bin/sh\necho one\n", Active},
		{"a file of no concern", "scripts/other.sh", "x", Active},
		{"one blank in the hooks", ".pathrule/hooks.json", hooks + " ", Changed},
		{"the hooks as they were", ".pathrule/hooks.json", hooks, Active},
		{"a file with the name of a word", "npm", "#!/bin/sh\necho stolen\n", Changed},
	}
	for _, st := range steps {
		w.write(st.file, st.text)
		if s := w.load(); s.State != st.want {
			t.Errorf("%s: %s (%s), want %s", st.name, s.State, s.Why, st.want)
		}
	}
	if err := os.Remove(filepath.Join(w.root, "npm")); err != nil {
		t.Fatal(err)
	}
	// The folder of the event may bring a file of its own.
	w.write("src/scripts/guard.sh", "#!/bin/sh\necho stolen\n")
	if s := w.load(filepath.Join(w.root, "src")); s.State != Changed || s.Differs[0] != "src/scripts/guard.sh" {
		t.Errorf("from a subfolder: %s (%s)", s.State, s.Why)
	}
	// So may the PATH.
	w.write("bin/npm", "#!/bin/sh\n")
	vars := w.env
	w.env = w.env.With("PATH", filepath.Join(w.root, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if s := w.load(); s.State != Changed || s.Differs[0] != "bin/npm" {
		t.Errorf("along PATH: %s (%s)", s.State, s.Why)
	}
	w.env = vars
	// A script that became a link to the same bytes elsewhere is not what was trusted.
	if err := os.Remove(filepath.Join(w.root, "scripts", "guard.sh")); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{filepath.Join(t.TempDir(), "guard.sh"), filepath.Join(w.root, "copy.sh")} {
		if err := os.WriteFile(target, []byte("#!/bin/sh\necho one\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(w.root, "scripts", "guard.sh")
		_ = os.Remove(link)
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		if s := w.load(); s.State != Changed || !strings.HasSuffix(s.Differs[0], filepath.Base(target)) {
			t.Errorf("a link to %s: %s (%s)", target, s.State, s.Why)
		}
	}
	if n, err := hookfile.Revoke(w.dirs, w.root); n != 1 || err != nil {
		t.Errorf("revoked %d, %v", n, err)
	}
	if s := w.load(); s.State != Waiting {
		t.Errorf("after revoke: %s", s.State)
	}
}

// Somebody else's project must not get to run through a hook of one's own.
func TestTheUsersOwnHooksDoNotRunAProjectsFiles(t *testing.T) {
	w := newWorld(t)
	w.write("check.sh", "#!/bin/sh\ntouch ran\n")
	w.write("deny", "x") // the name of a word is no reason to skip a guard
	for command, runs := range map[string]bool{"./check.sh": false, "sh check.sh": false, "echo deny": true} {
		raw := []byte(file(sh("mine", command, `, "on_error": "ignore"`)))
		s := Load([]hookfile.File{{Origin: hookfile.User, Path: "hooks.json", Raw: raw}}, w.dirs, w.env)
		out, steps := Engine{Env: w.env, Dirs: w.dirs}.Run(context.Background(), s, w.request("PreToolUse"))
		if (len(out.Errors) == 0) != runs || exists(filepath.Join(w.root, "ran")) {
			t.Errorf("%s: %+v %+v", command, out, steps)
		}
	}
}

// What cannot be followed is said, and what a shell does not expand is no reason.
func TestWhichCommandsCannotBeFollowed(t *testing.T) {
	for line, want := range map[string]bool{
		`sh scripts/a.sh`: false, `echo '{"a":"api/*.proto $x"}'`: false, `sh scripts/$X.sh`: true, `cat "$F"`: true, `ls *.go`: true, "a `b`": true,
		`sh -c '$X'`: true, `eval '$X'`: true, `echo 'it' $X`: true, `echo 'open $X`: true, `bash -c 'scripts/*'`: true,
	} {
		if got := Opaque(&Action{Command: line}); got != want {
			t.Errorf("%s: %t", line, got)
		}
	}
	for line, want := range map[string]bool{"sh a.sh": false, "sh -c x": true, "cmd.exe /c x": true, "node a.js *": false} {
		if got := Opaque(&Action{Argv: strings.Fields(line)}); got != want {
			t.Errorf("%q: %t", line, got)
		}
	}
}

// Rows: M32.
func TestLintNamesWhatIsUnwise(t *testing.T) {
	c, problems := Parse([]byte(`{"version": 1, "env": {"API_TOKEN": "x"}, "hooks": [
		{"name": "a", "event": "PreToolUse", "actions": [{"type": "command", "command": "cat $F"}]},
		{"name": "b", "event": "BeforeFileWrite", "matcher": "Edit", "actions": [{"type": "command", "command": "x", "timeout": 1, "on_error": "block"}]},
		{"name": "c", "event": "AfterModelCall", "actions": [{"type": "inject", "entries": ["x"]}]}]}`))
	if problems != nil {
		t.Fatal(problems)
	}
	var got []string
	for _, p := range Lint(&Source{File: hookfile.File{Origin: hookfile.Project}, Config: c}) {
		got = append(got, itoa(p.Line)+" "+p.Msg)
	}
	want := []string{"1 env sets API_TOKEN, which sounds like a secret", `2 "a" may stop every PreToolUse: it has no matcher and no conditions.paths`,
		`2 "a" names no timeout, so 5s counts`, `2 "a" does not say what its failure means, so it means nothing`,
		`2 "a" runs a line with variables, patterns or a shell of its own: which files it runs cannot be followed, so trust does not pin them`,
		`4 nothing emits AfterModelCall: the hook runs in "pathrule hooks test" alone`}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
