package host

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/internal/sysenv"
)

func TestFilesOfClientsWithFoldersOfTheirOwn(t *testing.T) {
	plain := sysenv.Env{UserHome: "/home/dev", GOOS: "linux"}
	moved := env(map[string]string{"GEMINI_CLI_HOME": "/cfg/g", "QWEN_HOME": "/cfg/qwen", "CODEBUDDY_CONFIG_DIR": "/cfg/cb", "XDG_CONFIG_HOME": "/cfg/xdg"})
	relative := env(map[string]string{"GEMINI_CLI_HOME": "g", "QWEN_HOME": "q", "CODEBUDDY_CONFIG_DIR": "c", "XDG_CONFIG_HOME": "x"})
	for name, c := range map[string]struct {
		host       string
		scope      Scope
		env        sysenv.Env
		hooks, mcp string
	}{
		"Gemini CLI, project":        {"gemini-cli", Project, plain, "/r/.gemini/settings.json", "/r/.gemini/settings.json"},
		"Gemini CLI, user":           {"gemini-cli", User, plain, "/home/dev/.gemini/settings.json", "/home/dev/.gemini/settings.json"},
		"Gemini CLI, another home":   {"gemini-cli", User, moved, "/cfg/g/.gemini/settings.json", "/cfg/g/.gemini/settings.json"},
		"Gemini CLI, a relative one": {"gemini-cli", User, relative, "/home/dev/.gemini/settings.json", "/home/dev/.gemini/settings.json"},
		"Antigravity, project":       {"antigravity", Project, plain, "/r/.agents/hooks.json", "/r/.agents/mcp_config.json"},
		"Antigravity, user":          {"antigravity", User, moved, "/home/dev/.gemini/config/hooks.json", "/home/dev/.gemini/config/mcp_config.json"},
		"Qwen Code, project":         {"qwen-code", Project, plain, "/r/.qwen/settings.json", "/r/.qwen/settings.json"},
		"Qwen Code, user":            {"qwen-code", User, plain, "/home/dev/.qwen/settings.json", "/home/dev/.qwen/settings.json"},
		"Qwen Code, moved":           {"qwen-code", User, moved, "/cfg/qwen/settings.json", "/cfg/qwen/settings.json"},
		"CodeBuddy, project":         {"codebuddy", Project, plain, "/r/.codebuddy/settings.json", "/r/.mcp.json"},
		"CodeBuddy, user":            {"codebuddy", User, plain, "/home/dev/.codebuddy/settings.json", "/home/dev/.codebuddy/.mcp.json"},
		"CodeBuddy, moved":           {"codebuddy", User, moved, "/cfg/cb/settings.json", "/cfg/cb/.mcp.json"},
		"Devin, project":             {"devin-local", Project, plain, "/r/.devin/hooks.v1.json", "/r/.devin/mcp_config.json"},
		"Devin, user":                {"devin-local", User, relative, "/home/dev/.config/devin/config.json", "/home/dev/.config/devin/mcp_config.json"},
		"Devin, moved":               {"devin-local", User, moved, "/cfg/xdg/devin/config.json", "/cfg/xdg/devin/mcp_config.json"},
		"Devin, no home":             {"devin-local", User, sysenv.Env{}, "", ""},
		"Devin, Windows without one": {"devin-local", User, sysenv.Env{UserHome: "/home/dev", GOOS: "windows"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := ByName(c.host)
			f, ok := h.HookFile(c.scope, "/r", c.env)
			if filepath.ToSlash(f.Path) != c.hooks || ok != (c.hooks != "") {
				t.Errorf("hooks %q, %t, want %q", f.Path, ok, c.hooks)
			}
			f, ok = h.MCPFile(c.scope, "/r", c.env)
			if filepath.ToSlash(f.Path) != c.mcp || ok != (c.mcp != "") {
				t.Errorf("mcp %q, %t, want %q", f.Path, ok, c.mcp)
			}
		})
	}
	for alias, id := range map[string]string{"gemini": "gemini-cli", "agy": "antigravity", "antigravity": "antigravity", "qwen": "qwen-code", "codebuddy": "codebuddy", "devin": "devin-local"} {
		if h, ok := ByName(alias); !ok || h.ID() != id {
			t.Errorf("%s is %v", alias, h)
		}
	}
}

func TestPathsOfToolsOfOtherNames(t *testing.T) {
	for name, c := range map[string]struct {
		host, tool, input string
		want              []Touch
	}{
		"Gemini CLI reads a range":            {"gemini-cli", "read_file", `{"file_path":"src/a.ts","start_line":1}`, []Touch{{"src/a.ts", Read}}},
		"an older release's name":             {"gemini-cli", "read_file", `{"absolute_path":"/r/a.ts"}`, []Touch{{"/r/a.ts", Read}}},
		"a new file":                          {"gemini-cli", "write_file", `{"file_path":"/r/a.ts","content":""}`, []Touch{{"/r/a.ts", Create}}},
		"an edit":                             {"gemini-cli", "replace", `{"file_path":"/r/a.ts","old_string":"x"}`, []Touch{{"/r/a.ts", Edit}}},
		"many files, folders and patterns":    {"gemini-cli", "read_many_files", `{"include":["src/a.ts","docs","lib/**/*.go","*.md"],"exclude":["src/b.ts"]}`, []Touch{{"src/a.ts", Read}, {"docs", Read}, {"lib", Search}}},
		"a folder":                            {"gemini-cli", "list_directory", `{"dir_path":"src"}`, []Touch{{"src", Search}}},
		"a search below a folder":             {"gemini-cli", "grep_search", `{"pattern":"x","dir_path":"src","include_pattern":"*.ts"}`, []Touch{{"src", Search}}},
		"a glob below a folder":               {"gemini-cli", "glob", `{"pattern":"api/**/*.ts","dir_path":"src"}`, []Touch{{"src/api", Search}}},
		"a glob with a folder of its own":     {"gemini-cli", "glob", `{"pattern":"/r/api/*.ts","dir_path":"src"}`, []Touch{{"/r/api", Search}}},
		"a command below a folder":            {"gemini-cli", "run_shell_command", `{"command":"cat a.ts && cd x && cat /etc/hosts b.ts","dir_path":"src/"}`, []Touch{{"src/a.ts", Shell}, {"/etc/hosts", Shell}, {"src/x/b.ts", Shell}}},
		"a command in the session's folder":   {"gemini-cli", "run_shell_command", `{"command":"cat a.ts","dir_path":"."}`, []Touch{{"a.ts", Shell}}},
		"our own server":                      {"gemini-cli", "mcp_pathrule_get_context", `{"paths":["a.ts"]}`, nil},
		"another server":                      {"gemini-cli", "mcp_fs_read", `{"path":"a.ts"}`, []Touch{{"a.ts", Arg}}},
		"a subagent":                          {"gemini-cli", "invoke_agent", `{"agent_name":"x","prompt":"y","path":"a.ts"}`, nil},
		"Qwen Code edits":                     {"qwen-code", "edit", `{"file_path":"/r/a.ts"}`, []Touch{{"/r/a.ts", Edit}}},
		"Qwen Code searches":                  {"qwen-code", "grep_search", `{"pattern":"x","path":"/r/src"}`, []Touch{{"/r/src", Search}}},
		"Qwen Code under Claude's names":      {"qwen-code", "Read", `{"file_path":"/r/a.ts"}`, []Touch{{"/r/a.ts", Read}}},
		"Qwen Code asks our server":           {"qwen-code", "mcp__pathrule__get_context", `{"paths":["a.ts"]}`, nil},
		"Qwen Code starts a subagent":         {"qwen-code", "agent", `{"prompt":"x","path":"a.ts"}`, nil},
		"CodeBuddy CLI":                       {"codebuddy", "Edit", `{"file_path":"/r/a.ts"}`, []Touch{{"/r/a.ts", Edit}}},
		"CodeBuddy IDE reads":                 {"codebuddy", "read_file", `{"target_file":"a.ts"}`, []Touch{{"a.ts", Read}}},
		"CodeBuddy IDE writes":                {"codebuddy", "write_to_file", `{"filePath":"a.ts"}`, []Touch{{"a.ts", Create}}},
		"CodeBuddy IDE edits":                 {"codebuddy", "replace_in_file", `{"path":"a.ts"}`, []Touch{{"a.ts", Edit}}},
		"CodeBuddy IDE runs":                  {"codebuddy", "execute_command", `{"command":"cat a.ts","requires_approval":false}`, []Touch{{"a.ts", Shell}}},
		"CodeBuddy IDE lists":                 {"codebuddy", "list_dir", `{"path":"src"}`, []Touch{{"src", Search}}},
		"Devin reads":                         {"devin-local", "read", `{"file_path":"/r/a.ts"}`, []Touch{{"/r/a.ts", Read}}},
		"Devin writes":                        {"devin-local", "write", `{"file_path":"/r/a.ts"}`, []Touch{{"/r/a.ts", Create}}},
		"Devin patches":                       {"devin-local", "apply_patch", `{"patch":"*** Begin Patch\n*** Update File: a.ts\n*** End Patch"}`, []Touch{{"a.ts", Edit}}},
		"Devin runs elsewhere":                {"devin-local", "exec", `{"command":"cat a.ts","workdir":"/r/src"}`, []Touch{{"/r/src/a.ts", Shell}}},
		"Devin globs":                         {"devin-local", "glob", `{"pattern":"*.ts","path":"src"}`, []Touch{{"src", Search}}},
		"Devin reads a notebook":              {"devin-local", "notebook_read", `{"notebook_path":"n.ipynb"}`, []Touch{{"n.ipynb", Read}}},
		"Devin asks a subagent":               {"devin-local", "run_subagent", `{"task":"x","path":"a.ts"}`, nil},
		"a tool that nobody documented":       {"devin-local", "image_view", `{"image_path":"a.png"}`, []Touch{{"a.png", Arg}}},
		"a path that is a number":             {"qwen-code", "read_file", `{"file_path":7}`, nil},
		"a list where an object is due":       {"gemini-cli", "read_many_files", `["a.ts"]`, nil},
		"many files under the older argument": {"gemini-cli", "read_many_files", `{"paths":["a.ts"]}`, []Touch{{"a.ts", Read}}},
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := ByName(c.host)
			event := "PostToolUse"
			if c.host == "gemini-cli" {
				event = "AfterTool"
			}
			ev, err := h.Decode([]byte(`{"hook_event_name":"`+event+`","tool_name":"`+c.tool+`","tool_input":`+c.input+`}`), env(nil))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, ev.Touches); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// A server whose name merely begins like ours is another one.
func TestGeminisToolsOfOurServerAreToldByItsContext(t *testing.T) {
	for server, want := range map[string]int{"pathrule": 0, "other": 1} {
		ev, err := gemini{}.Decode([]byte(`{"hook_event_name":"AfterTool","tool_name":"mcp_x_read","tool_input":{"path":"a.ts"},"mcp_context":{"server_name":"`+server+`"}}`), env(nil))
		if err != nil || len(ev.Touches) != want {
			t.Errorf("%s: %v, %v", server, ev.Touches, err)
		}
	}
}

// The refusal is the client's own word, in its own place; the reason comes whole.
func TestRefusalsAreTheClientsOwn(t *testing.T) {
	const reason = "Use <x> & \"y\"\n日本"
	nested := map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason}}
	top := func(word string) map[string]any { return map[string]any{"decision": word, "reason": reason} }
	for id, want := range map[string]map[EventName]map[string]any{
		"gemini-cli":  {PreToolUse: top("deny"), Stop: top("deny"), UserPromptSubmit: top("deny")},
		"antigravity": {PreToolUse: top("deny"), Stop: top("continue")},
		"qwen-code":   {PreToolUse: nested, Stop: top("block"), UserPromptSubmit: top("block")},
		"codebuddy":   {PreToolUse: nested, Stop: top("block"), UserPromptSubmit: top("block")},
		"devin-local": {PreToolUse: top("block"), Stop: top("block"), UserPromptSubmit: top("block")},
	} {
		h, _ := ByName(id)
		for _, name := range []EventName{SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, Stop, SessionEnd} {
			out, ok := h.Refuse(Event{Host: id, Name: name}, reason)
			if ok != (want[name] != nil) || out.Exit != 0 || len(out.Stderr) > 0 {
				t.Errorf("%s %s: %+v, %t", id, name, out, ok)
			}
			if !ok {
				continue
			}
			var got map[string]any
			if err := json.Unmarshal(out.Stdout, &got); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want[name], got); d != "" {
				t.Errorf("%s %s -want +got:\n%s", id, name, d)
			}
		}
	}
}
