package hookrunner_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"pathrule/hookrunner"
	"pathrule/hookrunner/live"
	"pathrule/host"
	"pathrule/internal/sysenv"
)

// These tests run over the table of clients: a new one is in them by being in
// the table, with the payloads that its Sample makes.

// registered are the clients that setup gives hooks.
func registered(t *testing.T) []host.Host {
	var list []host.Host
	for _, h := range host.All() {
		if len(host.Standing(h.Registrations())) > 0 {
			list = append(list, h)
		}
	}
	if len(list) < 4 {
		t.Fatalf("%d clients with hooks", len(list))
	}
	return list
}

// registration is how a client spells a canonical event, false when setup does
// not register it.
func registration(h host.Host, name host.EventName) (host.Registration, bool) {
	for _, r := range host.Standing(h.Registrations()) {
		if r.Canonical() == name {
			return r, true
		}
	}
	return host.Registration{}, false
}

// toolEvent is the registration that brings what governs a touched file.
func toolEvent(h host.Host) (host.Registration, bool) {
	for _, name := range []host.EventName{host.PreToolUse, host.PostToolUse} {
		if r, ok := registration(h, name); ok && r.Speaks {
			return r, true
		}
	}
	return host.Registration{}, false
}

// tell runs a payload through a client's registered command and takes the answer
// apart: the client's exact envelope around one text, or nothing.
func (w *world) tell(h host.Host, r host.Registration, payload string) string {
	w.t.Helper()
	return w.tellEnv(w.envOf(payload), h, r, payload)
}

// envOf is the world of a hook process: a client whose payload names no folder
// starts it in the project.
func (w *world) envOf(payload string) sysenv.Env {
	env := w.env()
	root, _ := json.Marshal(w.root)
	if !strings.Contains(payload, string(root)) {
		env.Cwd = w.root
	}
	return env
}

func (w *world) tellEnv(env sysenv.Env, h host.Host, r host.Registration, payload string) string {
	w.t.Helper()
	var out, errs bytes.Buffer
	env.Stdin, env.Stdout, env.Stderr = strings.NewReader(payload), &out, &errs
	o := hookrunner.Options{Host: h.ID()}
	if r.NameEvent {
		o.Event = r.Event
	}
	if w.live {
		o.Refresh = live.Refresh
	}
	if code := hookrunner.Main(o, env); code != 0 || errs.Len() > 0 {
		w.t.Errorf("%s %s: exit code %d, stderr %q", h.ID(), r.Event, code, errs.String())
	}
	return w.envelope(env, h, o.Event, payload, out.String())
}

// envelope checks an answer against the client's own Encode, byte for byte, and
// gives the text inside.
func (w *world) envelope(env sysenv.Env, h host.Host, event, payload, out string) string {
	w.t.Helper()
	if out == "" {
		return ""
	}
	h = host.Sender(h, []byte(payload), env)
	ev, err := h.Decode([]byte(payload), env)
	if n, ok := h.(host.Named); ok {
		ev, err = n.DecodeNamed(event, []byte(payload), env)
	}
	if err != nil {
		w.t.Errorf("%s: an answer to what is no event (%v): %.200q", h.ID(), err, out)
		return ""
	}
	reply := replyOf(out)
	if got := string(h.Encode(ev, reply)); got != out {
		w.t.Errorf("%s %s: %.300q is not its envelope, which is %.300q", h.ID(), ev.RawName, out, got)
	}
	if out[0] == '{' {
		noDecision(w.t, out)
	}
	w.slot = reply.Slot.Text
	return strings.TrimPrefix(reply.Slot.Text+"\n"+reply.Context, "\n")
}

// beyond is what the last answer says beside the block of the system prompt,
// which is sent as often as the client does not say that it has it.
func (w *world) beyond(text string) string {
	return strings.Trim(strings.TrimPrefix(text, w.slot), "\n")
}

// replyOf is what stands inside an answer of any client; a plain answer is text
// for the model.
func replyOf(out string) (r host.Reply) {
	var v map[string]any
	if json.Unmarshal([]byte(out), &v) != nil {
		r.Context = strings.TrimSuffix(out, "\n")
		return r
	}
	var walk func(v map[string]any)
	walk = func(v map[string]any) {
		for k, e := range v {
			s, _ := e.(string)
			switch inner, _ := e.(map[string]any); k {
			case "additionalContext", "additional_context", "contextModification", "ephemeralMessage", "context":
				r.Context = s
			case "systemMessage", "notice":
				r.Notice = s
			case "guard":
				r.Guard = true
			case "slot":
				action, _ := inner["action"].(string)
				r.Slot.Action = host.SlotAction(action)
				r.Slot.ID, _ = inner["id"].(string)
				r.Slot.Text, _ = inner["text"].(string)
			case "injectSteps":
				for _, step := range e.([]any) {
					walk(step.(map[string]any))
				}
			default:
				if inner != nil {
					walk(inner)
				}
			}
		}
	}
	walk(v)
	return r
}

func sample(h host.Host, r host.Registration, w *world, session, file string) string {
	return string(h.Sample(r, session, w.root, w.path(file)))
}

// One session with every client: each text comes once, at the moment at which
// this client shows it to its model, and comes again where it was lost.
func TestASessionWithEveryClient(t *testing.T) {
	for _, h := range registered(t) {
		t.Run(h.ID(), func(t *testing.T) {
			w := newWorld(t)
			w.live = true
			ask := func(name host.EventName, file string, edits ...string) (string, bool) {
				w.t.Helper()
				r, ok := registration(h, name)
				if !ok {
					return "", false
				}
				w.now = w.now.Add(time.Minute)
				payload := strings.NewReplacer(edits...).Replace(sample(h, r, w, "session-1", file))
				text := w.tell(h, r, payload)
				if !r.Speaks && text != "" {
					t.Errorf("%s is book-keeping and says %q", r.Event, text)
				}
				return text, r.Speaks
			}
			const invoice, other = "src/billing/invoice.go", "src/api/server.go"

			start, startSpeaks := ask(host.SessionStart, "")
			if startSpeaks {
				has(t, start, "Workspace shop")
			}
			prompt, ok := ask(host.UserPromptSubmit, invoice)
			if ok {
				has(t, prompt, "rounded half up per line")
				if strings.Contains(prompt, "Workspace shop") == startSpeaks {
					t.Errorf("the protocol belongs to the prompt only when no start brought it:\n%s", prompt)
				}
				if again, _ := ask(host.UserPromptSubmit, invoice); w.beyond(again) != "" {
					t.Errorf("the same prompt again says %q", again)
				}
			}
			r, toolSpeaks := toolEvent(h)
			if toolSpeaks {
				w.now = w.now.Add(time.Minute)
				has(t, w.tell(h, r, sample(h, r, w, "session-1", other)), "Handlers return problem documents")
				w.now = w.now.Add(time.Minute)
				if again := w.tell(h, r, sample(h, r, w, "session-1", other)); again != "" {
					t.Errorf("the same file again says %q", again)
				}
				if !ok {
					w.now = w.now.Add(time.Minute)
					has(t, w.tell(h, r, sample(h, r, w, "session-1", invoice)), "Invoice totals")
				}
			}
			if _, found := registration(h, host.SessionStart); found && startSpeaks && ok {
				// Another process of the same session, as on a resume.
				if again, _ := ask(host.SessionStart, ""); again != "" && !startLost(h, w) {
					t.Errorf("a second start says %q", again)
				}
				if again, _ := ask(host.UserPromptSubmit, invoice); w.beyond(again) != "" {
					t.Errorf("a prompt after it says %q", again)
				}
			}
			if _, found := registration(h, host.PreCompact); found && ok {
				ask(host.PreCompact, "")
				has(t, first(ask(host.UserPromptSubmit, invoice)), "rounded half up per line")
			}
			if sub, speaks := ask(host.SubagentStart, ""); speaks {
				has(t, sub, "Workspace shop")
			}
			if log := w.log(); log != "" {
				t.Errorf("logged %s", log)
			}
		})
	}
}

func first(text string, _ bool) string { return text }

// startLost: the client says that it forgets a start's text.
func startLost(h host.Host, w *world) bool {
	r, _ := registration(h, host.SessionStart)
	ev, _ := h.Decode([]byte(sample(h, r, w, "s", "")), w.env())
	return ev.StartLost
}

// T1, A35, A41: every registered event of every client with every kind of input.
// Rows: A44, F29.
func TestEveryClientWithEveryKindOfInput(t *testing.T) {
	kinds := map[string]struct {
		mangle func(string) string
		whole  bool // still the event
	}{
		"valid":           {func(s string) string { return s }, true},
		"a newline after": {func(s string) string { return s + "\n" }, true},
		"empty":           {func(s string) string { return "" }, false},
		"only a mark":     {func(s string) string { return "\xEF\xBB\xBF" }, false},
		"garbage":         {func(s string) string { return "\x00\x01 not { json" }, false},
		"an array":        {func(s string) string { return "[" + s + "]" }, false},
		"null":            {func(s string) string { return "null" }, false},
		"one mark":        {func(s string) string { return "\xEF\xBB\xBF" + s }, true},
		"UTF-16": {func(s string) string {
			b := []byte{0xFF, 0xFE}
			for _, u := range utf16.Encode([]rune(s)) {
				b = append(b, byte(u), byte(u>>8))
			}
			return string(b)
		}, true},
		"CRLF": {func(s string) string {
			var b bytes.Buffer
			json.Indent(&b, []byte(s), "", "  ")
			return strings.ReplaceAll(b.String(), "\n", "\r\n") + "\r\n"
		}, true},
		"raw control characters": {func(s string) string { return s[:len(s)-1] + ",\"note\":\"a\nb\x01\x1b[0m\tc\"}" }, true},
		"much more":              {func(s string) string { return s[:len(s)-1] + `,"note":"` + strings.Repeat(`x\n`, 3<<17) + `"}` }, true},
		"truncated":              {func(s string) string { return s[:len(s)*2/3] }, false},
		"truncated by one":       {func(s string) string { return s[:len(s)-1] }, false},
		"a second object":        {func(s string) string { return s + s }, true},
	}
	w := newWorld(t)
	for _, h := range registered(t) {
		for _, r := range h.Registrations() {
			for kind, k := range kinds {
				t.Run(h.ID()+"/"+r.Event+"/"+kind, func(t *testing.T) {
					w.t = t
					w.seq++
					session := h.ID() + r.Event + strings.ReplaceAll(kind, " ", "") // a fresh one
					whole := sample(h, r, w, session, "src/billing/invoice.go")
					var text string
					if k.whole {
						text = w.tellRaw(h, r, whole, k.mangle(whole))
					} else if text = w.tellRaw(h, r, `{}`, k.mangle(whole)); text != "" {
						t.Errorf("says %.200q", text)
					}
					if want := k.whole && r.Speaks; (text != "") != want && r.Canonical() != host.PreCompact { // nothing was told yet
						t.Errorf("says %.200q, want something: %t", text, want)
					}
				})
			}
		}
	}
}

// tellRaw is tell for bytes that differ from the event that they stand for.
func (w *world) tellRaw(h host.Host, r host.Registration, event, stdin string) string {
	w.t.Helper()
	env := w.envOf(event)
	var out, errs bytes.Buffer
	env.Stdin, env.Stdout, env.Stderr = strings.NewReader(stdin), &out, &errs
	o := hookrunner.Options{Host: h.ID()}
	if r.NameEvent {
		o.Event = r.Event
	}
	if code := hookrunner.Main(o, env); code != 0 || errs.Len() > 0 {
		w.t.Errorf("exit code %d, stderr %q", code, errs.String())
	}
	return w.envelope(w.env(), h, o.Event, event, out.String())
}

// Every payload that was recorded from, or documented for, a client, played into
// a shop of ours: nothing, or exactly its envelope, and the second time nothing.
func TestPayloadsOfEveryClient(t *testing.T) {
	w := newWorld(t, map[string]string{
		".pathrule/rules/billing.md":   "---\ntitle: Billing is audited\npaths: [services/billing]\n---\nEvery change of a total needs a test.\n",
		".pathrule/rules/checkout.md":  "---\ntitle: Checkout never rounds twice\npaths: [src/checkout]\n---\nRound once, at the end.\n",
		".pathrule/memories/orders.md": "---\ntitle: Orders are idempotent\npaths: [internal/orders]\n---\nThe key of the orders API is the order id.\n",
		"services/billing/src/x.js":    "x", "src/checkout/total.ts": "x", "internal/orders/handler.go": "x",
	})
	want := map[string]map[host.EventName]bool{
		"cursor":  {host.SessionStart: true, host.UserPromptSubmit: true, host.PostToolUse: true},
		"copilot": {host.SessionStart: true, host.UserPromptSubmit: true, host.PreToolUse: true, host.PostToolUse: true, host.PostToolUseFailure: true, host.SubagentStart: true},
	}
	for _, h := range registered(t) {
		files, _ := filepath.Glob(filepath.Join("..", "host", "testdata", "payloads", h.ID(), "*.json"))
		captured, _ := filepath.Glob(filepath.Join("..", "host", "testdata", "captured", h.ID()+"*", "*.json"))
		if files = append(files, captured...); len(files) < 5 {
			t.Fatalf("%d payloads of %s", len(files), h.ID())
		}
		spoke := map[host.EventName]bool{}
		root, _ := json.Marshal(w.root)
		for _, f := range files {
			t.Run(h.ID()+"/"+filepath.Base(f), func(t *testing.T) {
				w.t = t
				w.later()
				raw, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				text := strings.ReplaceAll(string(raw), "/home/dev/shop", strings.Trim(string(root), `"`))
				env := w.env()
				env.Cwd = w.root
				if w.tellEnv(env, h, host.Registration{}, text) != "" {
					ev, _ := h.Decode([]byte(text), env)
					spoke[ev.Name] = true
				}
				w.now = w.now.Add(20 * time.Second)
				ev, _ := h.Decode([]byte(text), env)
				if again := w.tellEnv(env, h, host.Registration{}, text); w.beyond(again) != "" && ev.Name != host.SessionStart {
					t.Errorf("the same event again is answered with %.200q", again)
				}
			})
		}
		if d := cmp.Diff(want[h.ID()], spoke); d != "" && want[h.ID()] != nil {
			t.Errorf("%s: events that said something, -want +got:\n%s", h.ID(), d)
		}
		for name := range spoke {
			if h.Encode(host.Event{Host: h.ID(), Name: name, RawName: string(name), Dialect: "PascalCase"}, host.Reply{Context: "x"}) == nil {
				t.Errorf("%s: %s speaks, and nobody hears it", h.ID(), name)
			}
		}
	}
}

// F15, A37: however much there is to say, every client's answer stays within its
// cap, whole.
func TestNoClientIsToldMoreThanItTakes(t *testing.T) {
	files := map[string]string{"src/billing/invoice.go": "package billing\n"}
	texts := []string{"plain words about invoices and the greeting. ", "請求書の端数処理は行ごとに四捨五入する。", "😀🎉 emoji greeting invoice "}
	for i := range 40 {
		id := string(rune('a'+i%26)) + string(rune('a'+i/26))
		body := strings.Repeat(texts[i%len(texts)], 40+i*9)
		files[".pathrule/memories/"+id+".md"] = "---\ntitle: Invoice greeting " + id + "\npaths: [src/billing/invoice.go]\n---\n" + body + "\n"
		files[".pathrule/rules/"+id+".md"] = "---\ntitle: Wide rule " + id + "\npriority: high\nenforcement: strict\n---\n" + body + "\n"
	}
	w := newWorld(t, files)
	w.live = true
	w.config("budget:\n  focused: 100000\n  deep: 100000\n  minimal: 100000\n  tool: 100000\nhooks:\n  path_bodies: 100\n")
	for _, h := range registered(t) {
		for _, r := range h.Registrations() {
			if !r.Speaks || r.Canonical() == host.PreCompact {
				continue // it names what was told, which is nothing here
			}
			w.later()
			got := w.tell(h, r, sample(h, r, w, "s", "src/billing/invoice.go"))
			limit := h.Cap(r.Canonical())
			if got == "" || limit.Max > 0 && limit.Unit.Measure(got) > limit.Max {
				t.Errorf("%s %s: %d of %d %s; log: %s", h.ID(), r.Event, limit.Unit.Measure(got), limit.Max, limit.Unit, w.log())
			}
			if len([]rune(got)) > 10_000 || strings.ToValidUTF8(got, "") != got {
				t.Errorf("%s %s: %d characters", h.ID(), r.Event, len([]rune(got)))
			}
		}
	}
}
