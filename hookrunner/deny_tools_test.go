package hookrunner_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pathrule/guard/match"
	"pathrule/hookrunner"
	"pathrule/host"
)

// editCall is one way in which a client writes: its tool, the payload (ROOT and
// BAD stand for the project and for text that the block forbids), and how its
// matcher sees the tool.
type editCall struct {
	host, tool, payload string
	event               string // of the registration, "" for the canonical name
}

const (
	claudeCall  = `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"ROOT","tool_use_id":"t","tool_name":"TOOL","tool_input":INPUT}`
	copilotCall = `{"sessionId":"s","timestamp":0,"cwd":"ROOT","toolName":"TOOL","toolArgs":INPUT}`
	vscodeCall  = `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"ROOT","tool_use_id":"t","tool_name":"TOOL","tool_input":INPUT}`
	geminiCall  = `{"hook_event_name":"BeforeTool","session_id":"s","cwd":"ROOT","tool_name":"TOOL","tool_input":INPUT}`
	openCall    = `{"hook":"tool.execute.before","directory":"ROOT","input":{"sessionID":"s","tool":"TOOL","callID":"c"},"output":{"args":INPUT}}`
	cursorCall  = `{"hook_event_name":"preToolUse","conversation_id":"s","generation_id":"g","cursor_version":"3.18.25","workspace_roots":["ROOT"],"tool_use_id":"t","tool_name":"TOOL","tool_input":INPUT}`
	kiroV2Call  = `{"hook_event_name":"preToolUse","session_id":"s","cwd":"ROOT","tool_name":"TOOL","tool_input":INPUT}`
	devinCall   = `{"hook_event_name":"PreToolUse","session_id":"s","prompt_id":"p","tool_use_id":"t","tool_name":"TOOL","tool_input":INPUT}`
	clineCall   = `{"clineVersion":"4.1.13","hookName":"PreToolUse","taskId":"s","workspaceRoots":["ROOT"],"preToolUse":{"toolName":"TOOL","parameters":INPUT}}`
	clineCLI    = `{"clineVersion":"","hookName":"tool_call","taskId":"s","workspaceRoots":["ROOT"],"tool_call":{"id":"c","name":"TOOL","input":INPUT}}`
	patchHead   = `*** Begin Patch\n*** Update File: src/old.js\n@@\n keep()\n`
)

func editCalls() []editCall {
	var list []editCall
	add := func(id, shape string, inputs ...string) {
		for i := 0; i < len(inputs); i += 2 {
			list = append(list, editCall{host: id, tool: inputs[i], payload: strings.NewReplacer("TOOL", inputs[i], "INPUT", inputs[i+1]).Replace(shape)})
		}
	}
	edit := `{"file_path":"ROOT/src/old.js","old_string":"keep()","new_string":"BAD"}`
	write := `{"file_path":"ROOT/src/new.js","content":"BAD\n"}`
	patch := patchHead + `+BAD\n*** End Patch`
	claude := []string{
		"Edit", edit,
		"Edit", `{"file_path":"ROOT/src/old.js","old_string":"keep()","new_string":"BAD","replace_all":true}`,
		"Write", write,
		"MultiEdit", `{"file_path":"ROOT/src/old.js","edits":[{"old_string":"keep()","new_string":"one()"},{"old_string":"one()","new_string":"BAD"}]}`,
		"NotebookEdit", `{"notebook_path":"ROOT/src/n.ipynb","cell_id":"c1","new_source":"BAD"}`,
		"NotebookEdit", `{"notebook_path":"ROOT/src/n.ipynb","cell_id":"c1","cell_type":"code","edit_mode":"insert","new_source":"BAD"}`,
	}
	add("claude-code", claudeCall, claude...)
	add("claude-code", claudeCall, "Bash", `{"command":"apply_patch <<'EOF'\n`+patch+`\nEOF"}`)
	add("codebuddy", claudeCall, claude...)
	add("codebuddy", claudeCall,
		"write_to_file", `{"filePath":"ROOT/src/new.js","content":"BAD\n"}`,
		"write_to_file", `{"path":"src/new.js","content":"BAD\n"}`,
		"replace_in_file", `{"filePath":"ROOT/src/old.js","old_str":"keep()","new_str":"BAD"}`,
		"replace_in_file", `{"path":"src/old.js","diff":"<<<<<<< SEARCH\nkeep()\n=======\nBAD\n>>>>>>> REPLACE\n"}`)
	add("codex", claudeCall,
		"apply_patch", `{"command":"`+patch+`"}`,
		"apply_patch", `{"command":"*** Begin Patch\n*** Add File: src/new.js\n+BAD\n*** End Patch"}`,
		"apply_patch", `{"command":"*** Begin Patch\n*** Update File: web/cart.ts\n*** Move to: src/cart.ts\n@@\n export {}\n+BAD\n*** End Patch"}`,
		"Bash", `{"command":"apply_patch <<'EOF'\n`+patch+`\nEOF\n"}`,
		"Bash", `{"command":"cd src && apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: new.js\n+BAD\n*** End Patch\nEOF\n"}`,
		"Bash", `{"command":["bash","-lc","apply_patch <<'EOF'\n`+patch+`\nEOF"]}`)
	add("cursor", cursorCall,
		"Write", `{"file_path":"ROOT/src/new.js","content":"BAD\n"}`,
		"Write", `{"path":"ROOT/src/new.js","contents":"BAD\n"}`,
		"Write", `{"file_path":"ROOT/src/old.js","old_string":"keep()","new_string":"BAD"}`)
	add("copilot", copilotCall,
		"edit", `{"path":"ROOT/src/old.js","old_str":"keep()","new_str":"BAD"}`,
		"create", `{"path":"ROOT/src/new.js","file_text":"BAD\n"}`,
		"apply_patch", `{"input":"`+patch+`"}`,
		"apply_patch", `"`+patch+`"`)
	list = append(list, editCall{host: "copilot", tool: "edit",
		payload: `{"sessionId":"s","cwd":"ROOT","toolName":"edit","toolArgs":"{\"path\":\"ROOT/src/old.js\",\"old_str\":\"keep()\",\"new_str\":\"BAD\"}"}`})
	for _, c := range [][2]string{
		{"replace_string_in_file", `{"filePath":"ROOT/src/old.js","oldString":"keep()","newString":"BAD"}`},
		{"multi_replace_string_in_file", `{"explanation":"x","replacements":[{"filePath":"ROOT/web/cart.ts","oldString":"export {}","newString":"ok"},{"filePath":"ROOT/src/old.js","oldString":"keep()","newString":"BAD"}]}`},
		{"create_file", `{"filePath":"ROOT/src/new.js","content":"BAD\n"}`},
		{"insert_edit_into_file", `{"filePath":"ROOT/src/old.js","explanation":"x","code":"// ...existing code...\nBAD\n"}`},
		{"edit_notebook_file", `{"filePath":"ROOT/src/n.ipynb","cellId":"c1","editType":"edit","newCode":"BAD"}`},
		{"edit_notebook_file", `{"filePath":"ROOT/src/n.ipynb","cellId":"BOTTOM","editType":"insert","newCode":["ok()","BAD"]}`},
		{"apply_patch", `{"explanation":"x","input":"` + patch + `"}`},
	} {
		// VS Code takes no notice of matchers.
		list = append(list, editCall{host: "copilot", tool: "", payload: strings.NewReplacer("TOOL", c[0], "INPUT", c[1]).Replace(vscodeCall)})
	}
	add("gemini-cli", geminiCall,
		"replace", `{"file_path":"ROOT/src/old.js","instruction":"x","old_string":"keep()","new_string":"BAD"}`,
		"write_file", write)
	add("qwen-code", claudeCall,
		"edit", edit,
		"write_file", write,
		"notebook_edit", `{"notebook_path":"ROOT/src/n.ipynb","cell_id":"c1","new_source":"BAD"}`)
	add("opencode", openCall,
		"edit", `{"filePath":"ROOT/src/old.js","oldString":"keep()","newString":"BAD"}`,
		"edit", `{"filePath":"src/old.js","oldString":"keep()","newString":"BAD"}`,
		"write", `{"filePath":"ROOT/src/new.js","content":"BAD\n"}`,
		"multiedit", `{"filePath":"ROOT/src/old.js","edits":[{"oldString":"keep()","newString":"BAD"}]}`,
		"apply_patch", `{"patchText":"`+patch+`"}`,
		"bash", `{"command":"apply_patch <<'EOF'\n`+patch+`\nEOF","description":"x"}`)
	for _, shape := range []string{claudeCall, kiroV2Call} {
		add("kiro", shape,
			"fs_write", `{"command":"create","path":"src/new.js","file_text":"BAD\n"}`,
			"fs_write", `{"command":"create","path":"src/new.js","content":"BAD\n"}`,
			"fs_write", `{"command":"str_replace","path":"src/old.js","old_str":"keep()","new_str":"BAD"}`,
			"fs_write", `{"command":"insert","path":"src/old.js","insert_line":1,"new_str":"BAD"}`,
			"fs_write", `{"command":"append","path":"src/old.js","new_str":"BAD"}`,
			"write", `{"command":"create","path":"src/new.js","file_text":"BAD\n"}`,
			"fs_write", `{"path":"src/new.js","text":"BAD\n"}`,
			"fs_append", `{"path":"src/old.js","text":"BAD\n"}`,
			"str_replace", `{"path":"src/old.js","oldStr":"keep()","newStr":"BAD"}`)
	}
	add("devin-local", devinCall,
		"edit", edit,
		"write", write,
		"notebook_edit", `{"notebook_path":"ROOT/src/n.ipynb","cell_id":"c1","new_source":"BAD"}`,
		"apply_patch", `"`+patch+`"`,
		"apply_patch", `{"patch":"`+patch+`"}`,
		"apply_patch", `{"input":"`+patch+`"}`,
		"exec", `{"command":"apply_patch <<'EOF'\n`+patch+`\nEOF"}`)
	for _, shape := range []string{clineCall, clineCLI} {
		add("cline", shape,
			"editor", `{"path":"ROOT/src/old.js","old_text":"keep()","new_text":"BAD"}`,
			"editor", `{"path":"ROOT/src/old.js","insert_line":"1","new_text":"BAD"}`,
			"editor", `{"path":"ROOT/src/new.js","new_text":"BAD"}`,
			"write_to_file", `{"path":"src/new.js","content":"BAD\n"}`,
			"replace_in_file", `{"path":"src/old.js","diff":"------- SEARCH\nkeep()\n=======\nBAD\n+++++++ REPLACE\n"}`,
			"apply_patch", `{"input":"`+patch+`"}`)
	}
	add("cline", clineCall, "run_commands", `{"commands":"[\"ls\",\"apply_patch <<'EOF'\\n`+strings.ReplaceAll(patch, `\n`, `\\n`)+`\\nEOF\"]"}`)
	list = append(list, editCall{host: "windsurf", event: "pre_write_code", tool: "",
		payload: `{"agent_action_name":"pre_write_code","trajectory_id":"s","tool_info":{"cwd":"ROOT","file_path":"ROOT/src/old.js","edits":[{"old_string":"keep()","new_string":"ok()"},{"old_string":"a","new_string":"BAD"}]}}`})
	return list
}

// P103, P104: every edit tool of every client is asked about before it runs, and
// what an approved block forbids is denied in the client's own way (or told,
// where it has none); other text, the same text in another folder, and the same
// text taken out pass.
func TestEveryEditToolOfEveryClientIsHeldToABlock(t *testing.T) {
	w := newWorld(t, shop, map[string]string{
		".pathrule/rules/no-eval.md": noEval,
		"src/old.js":                 "a = eval(b)\nkeep()\n",
		"src/n.ipynb":                `{"cells":[{"id":"c1","source":["old()"]}]}`,
	})
	w.approve("no-eval")
	seen := map[string]bool{}
	for _, c := range editCalls() {
		h, ok := host.ByName(c.host)
		if !ok {
			t.Fatalf("no client %s", c.host)
		}
		reg := asksBefore(t, h, c)
		if reg.Event == "" {
			t.Errorf("%s: nothing is registered before %s", c.host, c.tool)
			continue
		}
		seen[c.host] = true
		run := func(payload string) (said string, refused bool) {
			payload = strings.ReplaceAll(payload, "ROOT", strings.Trim(string(must(json.Marshal(w.root))), `"`))
			if !json.Valid([]byte(payload)) {
				t.Fatalf("%s %s: no JSON: %s", c.host, c.tool, payload)
			}
			env := w.env()
			env.Cwd = w.root
			var out, errs bytes.Buffer
			env.Stdin, env.Stdout, env.Stderr = strings.NewReader(payload), &out, &errs
			o := hookrunner.Options{Host: h.ID(), Test: match.Find}
			if reg.NameEvent {
				o.Event = reg.Event
			}
			if strings.Contains(payload, "__vscode") || c.host == "copilot" && c.tool == "" {
				o.Event = "" // it says which event it is
			}
			code := hookrunner.Main(o, env)
			said = out.String() + errs.String()
			return said, code == 2 || strings.Contains(said, `"deny"`) || strings.Contains(said, `"block"`) || strings.Contains(said, `"refuse"`)
		}
		_, can := h.Refuse(host.Event{Host: h.ID(), Name: host.PreToolUse, RawName: reg.Event}, "x")
		said, refused := run(strings.ReplaceAll(c.payload, "BAD", "x = eval(y)"))
		if refused != can || !strings.Contains(said, "Parse the value with the schema instead of eval.") || !strings.Contains(said, "x = eval(y)") {
			t.Errorf("%s %s: refused %v, want %v: %q\n%s", c.host, c.tool, refused, can, said, c.payload)
		}
		// What runs all the same is not called denied.
		if strings.Contains(said, "Denied by rule:no-eval") != can || strings.Contains(said, "This client cannot refuse it") == can {
			t.Errorf("%s %s: can deny %v, and says %q", c.host, c.tool, can, said)
		}
		for what, payload := range map[string]string{
			"harmless text":   strings.ReplaceAll(c.payload, "BAD", "other()"),
			"what is old":     strings.ReplaceAll(c.payload, "BAD", "keep()"),
			"another folder":  strings.NewReplacer("BAD", "x = eval(y)", "src/", "web/", "cd src", "cd web").Replace(c.payload),
			"what is removed": strings.NewReplacer("BAD", "keep()", `"keep()"`, `"a = eval(b)"`, `\nkeep()\n=`, `\na = eval(b)\n=`, `@@\n keep()`, `@@\n-a = eval(b)`).Replace(c.payload),
		} {
			if said, refused := run(payload); refused || strings.Contains(said, "instead of eval") {
				t.Errorf("%s %s: %s is refused: %q\n%s", c.host, c.tool, what, said, payload)
			}
		}
	}
	for _, h := range host.All() {
		if !seen[h.ID()] && h.ID() != "antigravity" { // no event before a tool loads there
			t.Errorf("%s has no edit tool in the table", h.ID())
		}
	}
	if l := w.log(); l != "" {
		t.Errorf("log: %s", l)
	}
}

// asksBefore is the registration that runs before the tool: one whose matcher
// the client would find in the tool's name.
func asksBefore(t *testing.T, h host.Host, c editCall) host.Registration {
	t.Helper()
	for _, r := range h.Registrations() {
		if r.Canonical() != host.PreToolUse || c.event != "" && r.Event != c.event {
			continue
		}
		if c.tool == "" || r.Matcher == "" {
			return r
		}
		// Whole names everywhere: a matcher of parts would be luck.
		if regexp.MustCompile(`^(?:` + r.Matcher + `)$`).MatchString(c.tool) {
			return r
		}
	}
	return host.Registration{}
}

// P104: a refusal by an exit code reaches the client: nothing behind the
// registered command takes its place.
func TestARefusalByExitCodeIsNotLostBehindTheCommand(t *testing.T) {
	env := newWorld(t).env()
	for _, h := range host.All() {
		out, can := h.Refuse(host.Event{Host: h.ID(), Name: host.PreToolUse}, "x")
		if !can || out.Exit == 0 {
			continue
		}
		wiring := h.Wiring()
		for what, tail := range map[string]string{"project": wiring.ProjectTail, "project on Windows": wiring.ProjectTailWindows, "user": wiring.UserTail} {
			if tail != "" {
				t.Errorf("%s: the %s command ends with %q", h.ID(), what, tail)
			}
		}
		own, ok := h.(host.Registering)
		if !ok {
			continue
		}
		for _, scope := range []host.Scope{host.Project, host.User} {
			for _, f := range own.OwnFilesFor(h.Registrations(), scope, "/r", []string{"pathrule-hook", "--host", h.ID()}, env) {
				var v struct {
					Hooks []struct {
						Trigger string
						Action  struct{ Command string }
					}
				}
				if err := json.Unmarshal(f.Data, &v); err != nil || len(v.Hooks) != len(h.Registrations()) {
					t.Fatalf("%s: %v: %s", filepath.Base(f.Path), err, f.Data)
				}
				for _, k := range v.Hooks {
					if swallows := strings.Contains(k.Action.Command, "exit 0"); swallows && k.Trigger == "PreToolUse" {
						t.Errorf("%s %s: %q", h.ID(), k.Trigger, k.Action.Command)
					}
				}
			}
		}
	}
}
