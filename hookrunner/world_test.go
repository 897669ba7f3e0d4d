package hookrunner_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pathrule/hookrunner"
	"pathrule/hookrunner/live"
	"pathrule/index"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// world is one machine with one project: a home, a clock, a workspace.
type world struct {
	t    testing.TB
	home string // the user's
	root string
	vars map[string]string
	now  time.Time
	host string
	seq  int
	slot string // of the last answer, see beyond
	// live runs session and prompt events with an index behind them, as pathrule
	// does; else everything comes from the catalogue, as in pathrule-hook alone.
	live bool
}

// files of a small shop: what most tests need.
var shop = map[string]string{
	"src/billing/invoice.go": "package billing\n",
	"src/billing/tax.go":     "package billing\n",
	"src/api/server.go":      "package api\n",
	"src/api-old/server.go":  "package api\n",
	"web/cart.ts":            "export {}\n",
	"docs/readme.md":         "# Shop\n",

	".pathrule/memories/rounding.md":    "---\ntitle: Invoice totals round half up\npaths: [src/billing/invoice.go]\n---\nInvoice totals are rounded half up per line, never on the sum. The auditor compares lines.\n",
	".pathrule/memories/tax.md":         "---\ntitle: Tax rates come from the ledger service\npaths: [src/billing]\n---\nThe tax rate table is cached for one hour; the ledger service owns it.\n",
	".pathrule/rules/money.md":          "---\ntitle: Money is integer cents\npaths: [src/billing/**]\npriority: high\n---\nNever use floats for money. Amounts are integer cents.\n",
	".pathrule/rules/api.md":            "---\ntitle: Handlers return problem documents\npaths: [src/api]\n---\nEvery handler answers errors as problem+json.\n",
	".pathrule/rules/commits.md":        "---\ntitle: Commits name the ticket\n---\nEvery commit message names its ticket.\n",
	".pathrule/skills/release/SKILL.md": "---\nname: release\ndescription: Cut a release of the shop\n---\n1. Tag. 2. Build. 3. Announce.\n",
	".pathrule/team.md":                 "We ship on Tuesdays.\n",
}

func newWorld(t testing.TB, files ...map[string]string) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		t: t, home: filepath.Join(dir, "user"), root: filepath.Join(dir, "user", "shop"),
		vars: map[string]string{}, now: time.Now(), host: "claude-code",
	}
	if len(files) == 0 {
		files = []map[string]string{shop}
	}
	for _, m := range files {
		for name, text := range m {
			w.write(name, text)
		}
	}
	w.own()
	w.index()
	return w
}

func (w *world) env() sysenv.Env {
	return sysenv.Env{
		Vars: func(n string) string { return w.vars[n] }, UserHome: w.home, Cwd: w.home, GOOS: "linux",
		Now: func() time.Time { return w.now },
	}
}

func (w *world) dirs() workspace.Dirs { return workspace.DirsOf(w.env()) }

func (w *world) ws() *workspace.Workspace {
	w.t.Helper()
	ws, err := workspace.Find(w.root, w.env())
	if err != nil {
		w.t.Fatal(err)
	}
	return ws
}

func (w *world) path(rel string) string { return filepath.Join(w.root, filepath.FromSlash(rel)) }

func (w *world) write(rel, text string) {
	w.t.Helper()
	p := w.path(rel)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) own() {
	w.t.Helper()
	if err := workspace.Own(w.ws(), w.dirs(), false, w.env()); err != nil {
		w.t.Fatal(err)
	}
}

// index brings the published index up to date, as a write by the CLI does.
func (w *world) index() {
	w.t.Helper()
	if _, err := index.Refresh(context.Background(), w.ws(), w.env(), index.Limits{}); err != nil {
		w.t.Fatal(err)
	}
}

// later lets so much time pass that every session is a new one.
func (w *world) later() { w.now = w.now.Add(8 * 24 * time.Hour) }

// config writes the user's own settings.
func (w *world) config(yaml string) {
	w.t.Helper()
	if err := os.MkdirAll(w.dirs().Home, 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dirs().Home, "config.yaml"), []byte(yaml), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// raw runs one event of any bytes and gives stdout and stderr.
func (w *world) raw(stdin string) (string, string) {
	w.t.Helper()
	return w.rawEnv(w.env(), stdin)
}

func (w *world) rawEnv(env sysenv.Env, stdin string) (string, string) {
	w.t.Helper()
	var out, errs bytes.Buffer
	env.Stdin, env.Stdout, env.Stderr = strings.NewReader(stdin), &out, &errs
	o := hookrunner.Options{Host: w.host}
	if w.live {
		o.Refresh = live.Refresh
	}
	if code := hookrunner.Main(o, env); code != 0 {
		w.t.Errorf("exit code %d", code)
	}
	return out.String(), errs.String()
}

// event builds a payload: name, then pairs of key and value. Session, cwd and
// ids that differ from event to event are filled in.
func (w *world) event(name string, pairs ...any) string {
	w.seq++
	m := map[string]any{"hook_event_name": name, "session_id": "s1", "cwd": w.root}
	switch name {
	case "UserPromptSubmit":
		m["prompt_id"] = fmt.Sprintf("p%d", w.seq)
	case "PreToolUse", "PostToolUse", "PostToolUseFailure":
		m["tool_use_id"] = fmt.Sprintf("t%d", w.seq)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// ask runs an event and gives the context that reaches the model.
func (w *world) ask(name string, pairs ...any) string {
	w.t.Helper()
	out, errs := w.raw(w.event(name, pairs...))
	if errs != "" {
		w.t.Errorf("stderr %q", errs)
	}
	return contextOf(w.t, name, out)
}

func (w *world) start(source string) string {
	w.t.Helper()
	return w.ask("SessionStart", "source", source)
}

func (w *world) prompt(text string) string {
	w.t.Helper()
	return w.ask("UserPromptSubmit", "prompt", text)
}

func (w *world) read(rel string) string {
	w.t.Helper()
	return w.ask("PreToolUse", "tool_name", "Read", "tool_input", map[string]any{"file_path": w.path(rel)})
}

func (w *world) bash(command string) string {
	w.t.Helper()
	return w.ask("PreToolUse", "tool_name", "Bash", "tool_input", map[string]any{"command": command})
}

// contextOf takes an answer apart: empty, or one object with nothing but the
// event's context and a notice.
func contextOf(t testing.TB, event, out string) string {
	t.Helper()
	if out == "" {
		return ""
	}
	dec := json.NewDecoder(strings.NewReader(out))
	dec.DisallowUnknownFields()
	var v struct {
		SystemMessage      string `json:"systemMessage"`
		HookSpecificOutput struct {
			HookEventName     string `json:"hookEventName"`
			AdditionalContext string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err := dec.Decode(&v); err != nil {
		t.Errorf("answer to %s: %v: %.200q", event, err, out)
		return ""
	}
	if dec.More() {
		t.Errorf("answer to %s has more than one value: %.200q", event, out)
	}
	if v.HookSpecificOutput.HookEventName != event {
		t.Errorf("answer to %s names %q", event, v.HookSpecificOutput.HookEventName)
	}
	noDecision(t, out)
	return v.HookSpecificOutput.AdditionalContext
}

// noDecision walks an answer: nothing in it may decide about a tool, a prompt
// or a turn.
func noDecision(t testing.TB, out string) {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Errorf("%v: %.200q", err, out)
		return
	}
	contexts := 0
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				if k == "cancel" && e == false {
					continue // part of the shape that one client asks for
				}
				switch k {
				case "decision", "permissionDecision", "permission", "continue", "stopReason", "updatedInput", "updatedPermissions", "behavior", "cancel", "reason", "suppressOutput":
					t.Errorf("answer decides: %s in %.200q", k, out)
				case "additionalContext", "additional_context", "contextModification", "injectSteps":
					contexts++
				}
				walk(e)
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(v)
	if contexts > 1 {
		t.Errorf("%d context channels in %.200q", contexts, out)
	}
}

// log is what the runner logged so far.
func (w *world) log() string {
	b, _ := os.ReadFile(filepath.Join(w.dirs().Logs(), "hook.log"))
	return string(b)
}

func has(t *testing.T, text, want string) {
	t.Helper()
	if !strings.Contains(text, want) {
		t.Errorf("want %q in:\n%s", want, text)
	}
}

func hasNot(t *testing.T, text, bad string) {
	t.Helper()
	if strings.Contains(text, bad) {
		t.Errorf("want no %q in:\n%s", bad, text)
	}
}
