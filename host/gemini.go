package host

import (
	"os"
	"slices"
	"strings"

	"pathrule/internal/rawjson"
	"pathrule/internal/sysenv"
)

// gemini is Gemini CLI. It follows the payloads of Claude Code, under event and
// tool names of its own. Sources: its repository's hook reference and runner,
// and release 0.61.0 driven against a scripted model.
type gemini struct{ base }

func (gemini) ID() string        { return "gemini-cli" }
func (gemini) Aliases() []string { return []string{"gemini"} }
func (gemini) Title() string     { return "Gemini CLI" }

// geminiEvent is the canonical event of Gemini's name. PreCompress is none of
// ours: it fires before nearly every request, whether or not anything is
// compressed, so it must not make us forget what was told.
func geminiEvent(raw string) EventName {
	switch raw {
	case "SessionStart", "SessionEnd":
		return EventName(raw)
	case "BeforeAgent":
		return UserPromptSubmit
	case "BeforeTool":
		return PreToolUse
	case "AfterTool":
		return PostToolUse
	case "AfterAgent":
		return Stop
	}
	return Other
}

// Decode: a prompt may be empty (a continuation) and may begin with what hooks
// said at the session's start; no payload tells which agent is at work, nor an
// id of prompt or call.
func (g gemini) Decode(payload []byte, env sysenv.Env) (Event, error) {
	in, err := readNested(g.ID(), payload)
	ev := in.ev
	if err != nil {
		return ev, err
	}
	ev.Name = geminiEvent(ev.RawName)
	ev.Source = ""
	switch ev.Name {
	case SessionStart, SessionEnd:
		// A resumed session begins with a copy of the conversation without what
		// hooks said at its start and behind prompts: like a fork, not a resume.
		if ev.Source = in.source.Text(); ev.Source == "resume" {
			ev.Source = "fork"
		}
	case UserPromptSubmit:
		ev.Prompt, ev.UserTurn = userPrompt(dropHookContext(promptText(in.prompt)))
	case PreToolUse, PostToolUse:
		// The answer after a tool that failed is thrown away.
		if e := in.response.Get("error"); ev.Name == PostToolUse && (e.Kind() == '{' || e.Text() != "") {
			ev.Name = PostToolUseFailure
		}
		if in.mcpServer != "pathrule" {
			ev.Touches = geminiTouches(ev.Tool, in.input, shellOf(env))
		}
	}
	ev.Roots = appendSet(ev.Roots, env.Get("GEMINI_PROJECT_DIR"))
	return ev, nil
}

// dropHookContext takes leading "<hook_context>…</hook_context>" blocks off a
// prompt. Angle brackets inside them are escaped, so the first end is the end.
func dropHookContext(s string) string {
	for {
		t := strings.TrimLeft(s, " \t\r\n")
		if !strings.HasPrefix(t, "<hook_context>") {
			return s
		}
		_, rest, ok := strings.Cut(t, "</hook_context>")
		if !ok {
			return s
		}
		s = strings.TrimLeft(rest, " \t\r\n")
	}
}

// Encode: additionalContext counts only inside hookSpecificOutput. What a start
// after /clear is answered with, and what follows a failed tool, is thrown away.
func (gemini) Encode(ev Event, r Reply) []byte {
	switch ev.Name {
	case SessionStart:
		if ev.Source != "clear" {
			return encodeNested(SessionStart, r)
		}
	case UserPromptSubmit:
		return encodeNested("BeforeAgent", r)
	case PostToolUse:
		return encodeNested("AfterTool", r)
	}
	return nil
}

// Refuse: only a decision at the top level counts. The reason of a held
// AfterAgent becomes the next prompt.
func (gemini) Refuse(ev Event, reason string) (Output, bool) {
	return refuseTop(ev.Name, "deny", "deny", reason)
}

func (gemini) Tool(tool string) string { return "mcp_pathrule_" + tool }

// Registrations: time-outs are milliseconds. Matchers are unanchored regular
// expressions, so ours carries the anchors; the lifecycle events' would be
// compared with the source, and we want each. SessionEnd is for a person's own hooks
// alone: what is queued there is a conversation that "observe" reads, and this
// client's is not.
func (gemini) Registrations() []Registration {
	return []Registration{
		{Event: "SessionStart", Program: "pathrule-hook", Timeout: 10_000, Speaks: true},
		{Event: "BeforeAgent", Name: UserPromptSubmit, Program: "pathrule-hook", Timeout: 10_000, Speaks: true},
		{Event: "AfterTool", Name: PostToolUse, Matcher: "^(read_file|read_many_files|write_file|replace|run_shell_command|grep_search|search_file_content|glob|list_directory)$", Program: "pathrule-hook", Timeout: 10_000, Speaks: true, Brings: []EventName{PostToolUse, PostToolUseFailure}},
		{Event: "BeforeTool", Name: PreToolUse, Matcher: "^(write_file|replace|run_shell_command)$", Program: "pathrule-hook", Timeout: 10_000, Guard: true},
		{Event: "AfterAgent", Name: Stop, Program: "pathrule-hook", Timeout: 10_000, Hook: true},
		{Event: "SessionEnd", Program: "pathrule-hook", Timeout: 5_000, Hook: true},
	}
}

// Shape: bash runs the line, PowerShell on Windows; there is one line for both.
func (gemini) Shape() HookShape {
	return HookShape{Key: "hooks", Grouped: true, Type: "command", Timeout: "timeout", Millis: true, WindowsCall: true,
		Extra: []Member{{"name", "pathrule"}}}
}

// Wiring: an exit code of 2 or more is a refusal when anything was printed, also
// the shell's 127 for a program that is not there, so every line ends with 0.
// The committed form does so for sh alone; on Windows PowerShell says 1, a
// warning.
func (gemini) Wiring() Wiring {
	return Wiring{
		ProjectTail: " 2>/dev/null || true",
		UserTail:    "; exit 0",
		RootOnly:    true,
		TrustNote:   "Gemini CLI runs no hook, your own included, in a folder that it does not trust: trust the folder when it asks.",
		Off:         []Switch{{"hooks", []string{"hooksConfig", "enabled"}, false}},
		OffNames:    []NameList{{[]string{"hooksConfig", "disabled"}, "pathrule"}},
		MCPTable:    "mcpServers",
		Loads:       []string{"gemini", "gemini-skills", "skills"},
		LoadsPaths:  []string{"gemini"},
		LoadsEdits:  true,
		Follows:     []string{"gemini"},
		Reload:      "Start a new Gemini CLI session to load the hooks and the MCP server.",
	}
}

func (gemini) HookFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	if scope == Project {
		return jsonFile(root, ".gemini", "settings.json")
	}
	return jsonFile(geminiHome(env), "settings.json")
}

// MCPFile is the same file.
func (g gemini) MCPFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	return g.HookFile(scope, root, env)
}

// Detect: Antigravity keeps its files below the same folder, so that a .gemini
// which holds nothing else is no sign of Gemini CLI.
func (gemini) Detect(env sysenv.Env) (string, bool) {
	how, ok := detect(env, "gemini", geminiHome(env))
	if !ok || onPath(env, "gemini") {
		return how, ok
	}
	names, err := os.ReadDir(geminiHome(env))
	others := slices.ContainsFunc(names, func(e os.DirEntry) bool { return e.Name() != "config" && !strings.HasPrefix(e.Name(), "antigravity") })
	if err == nil && len(names) > 0 && !others {
		return "", false
	}
	return how, ok
}

// geminiHome: GEMINI_CLI_HOME stands for the home folder, not for .gemini.
func geminiHome(env sysenv.Env) string {
	home := env.UserHome
	if dir := absVar(env, "GEMINI_CLI_HOME"); dir != "" {
		home = dir
	}
	return under(home, ".gemini")
}

func (gemini) Sample(r Registration, session, cwd, file string) []byte {
	return sampleNested(r, session, cwd, "replace", file)
}

func (gemini) Facts() Facts {
	return Facts{
		Version: "0.61.0",
		Seen:    true,
		Moments: []Moment{
			{"session", "SessionStart", "before the prompt, in its message, and told again on resume, which keeps neither this nor what prompts brought; not after `/clear`, where the next prompt brings it"},
			{"prompt", "BeforeAgent", "a part of the message behind the prompt"},
			{"tool", "AfterTool", "at the end of the tool's result; not when the tool failed"},
		},
		Deny: "top-level `decision: deny` before a tool and after the agent",
		Left: []Left{
			{PreCompact, "PreCompress comes before nearly every request, whether or not anything is compacted"},
		},
	}
}

// geminiTouches are the paths of a tool of Gemini CLI or of Qwen Code, which
// began as a copy of it, under the argument names of their old and new releases.
// Paths may be relative to the session's folder.
func geminiTouches(tool string, in rawjson.Value, sh shell) []Touch {
	switch tool {
	case "read_file":
		return one(first(in, "file_path", "absolute_path", "path"), Read)
	case "write_file":
		return one(first(in, "file_path", "path"), Create)
	case "replace", "edit":
		return one(first(in, "file_path", "path"), Edit)
	case "notebook_edit":
		return one(first(in, "notebook_path", "file_path"), Edit)
	case "read_many_files":
		return manyTouches(in)
	case "run_shell_command":
		return belowDir(first(in, "dir_path", "directory"), shellTouches(in.Get("command").Text(), sh))
	case "grep_search", "search_file_content", "list_directory":
		return one(first(in, "dir_path", "path"), Search)
	case "glob":
		return one(globbed(first(in, "dir_path", "path"), in.Get("pattern").Text()), Search)
	case "web_fetch", "google_web_search", "web_search", "save_memory", "write_todos", "todo_write", "activate_skill", "skill",
		"invoke_agent", "agent", "task", "ask_user", "ask_user_question", "exit_plan_mode", "enter_plan_mode":
		return nil
	}
	if strings.HasPrefix(tool, "mcp_pathrule_") {
		return nil // what our own server delivers, it delivers itself
	}
	return toolTouches(tool, in, sh)
}

// manyTouches reads read_many_files: files, folders and patterns in one list.
func manyTouches(in rawjson.Value) []Touch {
	var list []Touch
	for _, name := range [...]string{"include", "paths"} {
		for e := range in.Get(name).Elements {
			p := e.Text()
			if dir := globFolder(p); dir != p {
				list = addTouch(list, dir, Search)
			} else {
				list = addTouch(list, p, Read)
			}
		}
	}
	return list
}

// globbed is where a pattern looks: its own fixed part below dir.
func globbed(dir, pattern string) string {
	fixed := globFolder(pattern)
	if fixed == "" {
		return dir
	}
	return joinDir(dir, fixed)
}

// belowDir puts relative paths below the folder that a shell call names.
func belowDir(dir string, list []Touch) []Touch {
	if dir == "" || dir == "." {
		return list
	}
	for i := range list {
		list[i].Path = joinDir(dir, list[i].Path)
	}
	return list
}
