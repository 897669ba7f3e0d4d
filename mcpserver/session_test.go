package mcpserver

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pathrule/hookrunner"
	"pathrule/hookrunner/activity"
	"pathrule/hookrunner/ledger"
	"pathrule/workspace"
)

var shopFiles = map[string]string{
	".pathrule/memories/webhooks.md": "---\ntitle: Stripe webhooks come out of order\npaths: [src/payments/stripe.ts]\n---\nThe webhook for a charge may come before the answer of the API call.\n",
	".pathrule/memories/tokens.md":   "---\ntitle: Auth tokens live 15 minutes\npaths: [src/auth/token.ts]\n---\nRefresh tokens live 30 days.\n",
	"src/payments/stripe.ts":         "export {}\n",
	"src/auth/token.ts":              "export {}\n",
}

// hook runs one event as a host would and returns what reaches the model.
func (w *world) hook(host, payload string) string {
	w.t.Helper()
	var out, errs bytes.Buffer
	env := w.env
	env.Stdin, env.Stdout, env.Stderr = strings.NewReader(strings.ReplaceAll(payload, "ROOT", w.root)), &out, &errs
	if code := hookrunner.Main(hookrunner.Options{Host: host, Unhurried: true}, env); code != 0 {
		w.t.Fatalf("exit %d: %s", code, errs.String())
	}
	return out.String()
}

const (
	codexStart = `{"session_id":"s-1","cwd":"ROOT","hook_event_name":"SessionStart","source":"startup","model":"m","permission_mode":"default","transcript_path":null}`
	codexRead  = `{"session_id":"s-1","turn_id":"t%","cwd":"ROOT","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"u%","tool_input":{"command":"cat %FILE"},"model":"m","permission_mode":"default","transcript_path":null}`
	claudeRead = `{"session_id":"s-1","transcript_path":"/t","cwd":"ROOT","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Read","tool_use_id":"u%","tool_input":{"file_path":"ROOT/%FILE"}}`
)

func read(payload, file, n string) string {
	return strings.NewReplacer("%FILE", file, "%", n).Replace(payload)
}

const codexMeta = `{"x-codex-turn-metadata":{"session_id":"s-1","turn_id":"t"}}`

// Section 8 of the seeds' inventory, the shared delivered set: what the hooks of
// a Codex session delivered, its MCP calls do not repeat, and the other way round.
func TestCodexSharesItsSessionWithTheHooks(t *testing.T) {
	w := newWorld(t, shopFiles)
	c := w.open(Options{}, "codex-mcp-client")
	c.call("search_knowledge", `{"query":"x"}`) // builds the index
	if out := w.hook("codex", read(codexRead, "src/payments/stripe.ts", "1")); !strings.Contains(out, "may come before") {
		t.Fatalf("the hook answers %q", out)
	}
	const ask = `{"prompt":"stripe webhooks come out of order, why?","paths":["src/payments/stripe.ts"]}`
	a := c.callMeta("get_context", ask, codexMeta)
	if strings.Contains(a.Text, "may come before") || !strings.Contains(a.Text, "memory:webhooks") {
		t.Errorf("delivered twice: %s", a.Text)
	}
	if a := c.callMeta("get_context", ask, `{"x-codex-turn-metadata":{"session_id":"s-2"}}`); !strings.Contains(a.Text, "may come before") {
		t.Errorf("another session was given nothing: %s", a.Text)
	}
	a = c.callMeta("get_context", `{"prompt":"how long do auth tokens live?","paths":["src/auth/token.ts"]}`, codexMeta)
	if !strings.Contains(a.Text, "30 days") {
		t.Fatalf("got %s", a.Text)
	}
	if out := w.hook("codex", read(codexRead, "src/auth/token.ts", "2")); strings.Contains(out, "30 days") {
		t.Errorf("the hook repeats what MCP delivered: %s", out)
	}
}

// Issue 4, 8 (P23): what MCP told stands in the hooks' log of work, and the
// paths it was asked about where the session is known.
func TestTheLogOfWorkHoldsWhatMCPToldAndWasAskedAbout(t *testing.T) {
	w := newWorld(t, shopFiles)
	c := w.open(Options{}, "codex-mcp-client")
	const ask = `{"prompt":"stripe webhooks come out of order, why?","paths":["src/payments/stripe.ts","src/none.ts"]}`
	c.callMeta("get_context", ask, codexMeta)
	c.call("read_memory", `{"id":"webhooks"}`)
	// P87: what is written belongs to the work.
	c.callMeta("write_memory", `{"title":"Refunds round half to even","content":"They do."}`, codexMeta)
	c.call("write_memory", `{"title":"Carts are cents","content":"They are."}`)
	ws, err := workspace.Find(w.root, w.env)
	if err != nil {
		t.Fatal(err)
	}
	recs, err := activity.Of(workspace.DirsOf(w.env).State, ledger.Root(ws)).Read()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range recs {
		if r.Kind != activity.Since {
			_, what, _ := strings.Cut(r.What, "/memory:")
			if r.Kind == activity.Touched {
				what = r.What
			}
			got = append(got, strings.Join([]string{string(rune(r.Kind)), r.Host, r.Session, r.Op, what}, " "))
		}
	}
	for _, want := range []string{"t codex s-1 arg src/payments/stripe.ts", "d codex s-1 body webhooks", "d mcp  body webhooks",
		"w codex s-1 create refunds-round-half-to-even", "w mcp  create carts-are-cents"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	for _, g := range got {
		if strings.Contains(g, "none.ts") {
			t.Errorf("a path that is not there: %q", g)
		}
	}
}

// Claude Code names the session when it starts the server; that counts while no
// newer session has written.
func TestClaudeSharesItsSessionWhileItIsTheNewest(t *testing.T) {
	w := newWorld(t, shopFiles)
	w.vars["CLAUDE_CODE_SESSION_ID"] = "s-1"
	c := w.open(Options{}, "claude-code")
	const ask = `{"prompt":"stripe webhooks come out of order, why?","paths":["src/payments/stripe.ts"]}`
	c.call("search_knowledge", `{"query":"x"}`)
	if out := w.hook("claude-code", read(claudeRead, "src/payments/stripe.ts", "1")); !strings.Contains(out, "may come before") {
		t.Fatalf("the hook answers %q", out)
	}
	if a := c.call("get_context", ask); strings.Contains(a.Text, "may come before") {
		t.Errorf("delivered twice: %s", a.Text)
	}
	if a := c.call("read_memory", `{"id":"tokens"}`); a.IsError {
		t.Fatal(a)
	}
	if out := w.hook("claude-code", read(claudeRead, "src/auth/token.ts", "2")); strings.Contains(out, "30 days") {
		t.Errorf("the hook repeats what MCP delivered: %s", out)
	}
	// /clear: the host goes on under another id, the server under the old one.
	w.hook("claude-code", strings.ReplaceAll(read(claudeRead, "src/payments/stripe.ts", "3"), "s-1", "s-9"))
	if a := c.call("get_context", ask); !strings.Contains(a.Text, "may come before") {
		t.Errorf("an old session's record still counts: %s", a.Text)
	}
	// A client started from a shell of Claude Code's inherits the variable.
	other := w.open(Options{}, "codex-mcp-client")
	if a := other.call("get_context", ask); !strings.Contains(a.Text, "may come before") {
		t.Errorf("another client is held to Claude's session: %s", a.Text)
	}
}

// P46: the very next hook process delivers what an MCP call wrote.
func TestTheNextHookDeliversWhatWasWritten(t *testing.T) {
	w := newWorld(t, shopFiles)
	c := w.open(Options{}, "claude-code")
	a := c.call("write_memory", `{"title":"Cart rounding","content":"Round half to even.","paths":["src/cart.ts"]}`)
	if a.IsError {
		t.Fatal(a)
	}
	w.write("src/cart.ts", "export {}\n")
	out := w.hook("claude-code", read(claudeRead, "src/cart.ts", "1"))
	if !strings.Contains(out, "Round half to even.") {
		t.Errorf("the hook answers %q", out)
	}
	a = c.call("update_memory", `{"id":"cart-rounding","expected_version":"`+a.str("version")+`","content":"Round half up."}`)
	if a.IsError {
		t.Fatal(a)
	}
	if out := w.hook("claude-code", read(claudeRead, "src/cart.ts", "2")); !strings.Contains(out, "Round half up.") {
		t.Errorf("after the update the hook answers %q", out)
	}
}

// P90: the budget holds for the final text, at every depth.
func TestContextKeepsItsBudget(t *testing.T) {
	files := map[string]string{"src/a.ts": "x\n"}
	for i := range 40 {
		word := string(rune('a'+i%26)) + string(rune('a'+i/26)) + "quark"
		files[".pathrule/memories/"+word+".md"] = "---\ntitle: On " + word + "\npaths: [src/a.ts]\n---\n" +
			strings.Repeat("The "+word+" of a file needs care. ", 5+i*6) + "\n"
	}
	w := newWorld(t, files)
	c := w.open(Options{}, "test")
	for depth, budget := range map[string]int{"minimal": 300, "focused": 1200, "deep": 2400} {
		a := c.call("get_context", `{"prompt":"refactor the payment retry","paths":["src/a.ts"],"depth":"`+depth+`","include_delivered":true}`)
		if n := a.shown(t); a.IsError || n < budget/2 || n > budget {
			t.Errorf("%s: %d tokens", depth, n)
		}
	}
	// A session comes to an end of what there is: no call repeats an earlier one.
	seen := map[string]bool{}
	for range 30 {
		a := c.call("get_context", `{"prompt":"refactor the payment retry","paths":["src/a.ts"],"depth":"deep"}`)
		for _, i := range a.Data["items"].([]any) {
			m := i.(map[string]any)
			key := m["id"].(string) + "/" + m["form"].(string)
			if seen[key] {
				t.Fatalf("%s came twice", key)
			}
			seen[key] = true
		}
	}
}
