package host

import (
	"path/filepath"
	"strings"

	"pathrule/internal/rawjson"
	"pathrule/internal/sysenv"
)

// codebuddy is Tencent's CodeBuddy, CLI and IDE, which share files and event
// names and differ in the names of tools. Sources: the published hook pages of
// both (2026-08 and 2026-04) and a behaviour sweep of CLI 2.156 by others; it
// was not driven by us.
type codebuddy struct{ base }

func (codebuddy) ID() string    { return "codebuddy" }
func (codebuddy) Title() string { return "CodeBuddy" }

// Decode: the IDE sends its own installation folder as cwd, so a cwd outside the
// project that the environment names does not count.
func (c codebuddy) Decode(payload []byte, env sysenv.Env) (Event, error) {
	in, err := readNested(c.ID(), payload)
	ev := in.ev
	if err != nil {
		return ev, err
	}
	ev.Name = canonical(ev.RawName)
	switch ev.Name {
	case SessionStart, PreCompact, SessionEnd:
		ev.Source = in.source.Text()
	case UserPromptSubmit:
		ev.Prompt, ev.UserTurn = userPrompt(promptText(in.prompt))
		ev.UserTurn = ev.UserTurn && ev.Agent == ""
	case PreToolUse, PostToolUse, PostToolUseFailure:
		ev.Touches = codebuddyTouches(ev.Tool, in.input, shellOf(env))
	}
	if dir := absVar(env, "CODEBUDDY_PROJECT_DIR"); dir != "" {
		if rel, err := filepath.Rel(dir, ev.Cwd); ev.Cwd == "" || err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			ev.Cwd = dir
		}
		ev.Roots = appendSet(ev.Roots, dir)
	} else {
		ev.Roots = appendSet(ev.Roots, env.Cwd)
	}
	return ev, nil
}

// Encode: nothing is documented for context before a tool or for subagents.
func (codebuddy) Encode(ev Event, r Reply) []byte {
	switch ev.Name {
	case SessionStart, UserPromptSubmit, PostToolUse:
		return encodeNested(ev.Name, r)
	}
	return nil
}

// Refuse: how a permission request is denied is not documented.
func (codebuddy) Refuse(ev Event, reason string) (Output, bool) {
	if ev.Name == PermissionRequest {
		return Output{}, false
	}
	return refuseNested(ev.Name, reason)
}

func (codebuddy) Tool(tool string) string { return "mcp__pathrule__" + tool }

// Registrations: the matcher is a case-sensitive regular expression; each
// surface also takes the other's names, and both stand here. The IDE fires no
// start after compaction, so the event before it is what makes us forget.
func (codebuddy) Registrations() []Registration {
	return []Registration{
		{Event: "SessionStart", Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "UserPromptSubmit", Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "PostToolUse", Matcher: "^(Read|Edit|MultiEdit|Write|NotebookEdit|Grep|Glob|Bash|read_file|write_to_file|replace_in_file|execute_command|list_dir|search_content)$", Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "PreCompact", Program: "pathrule-hook", Timeout: 10},
		{Event: "SessionEnd", Program: "pathrule-hook", Timeout: 5},
		{Event: "PreToolUse", Matcher: "^(Edit|MultiEdit|Write|NotebookEdit|Bash|write_to_file|replace_in_file|execute_command)$", Program: "pathrule-hook", Timeout: 10, Guard: true},
		{Event: "Stop", Program: "pathrule-hook", Timeout: 10, Hook: true},
	}
}

// Shape: on Windows the CLI runs the line in Git Bash and in nothing else.
func (codebuddy) Shape() HookShape {
	return HookShape{Key: "hooks", Grouped: true, Type: "command", Timeout: "timeout"}
}

func (codebuddy) Wiring() Wiring {
	return Wiring{
		ProjectTail: " 2>/dev/null; exit 0",
		TrustNote:   "CodeBuddy CLI asks you to approve hooks that were written outside of it: open /hooks there once.",
		MCPTable:    "mcpServers",
		MCPType:     "stdio",
		Loads:       []string{"codebuddy", "codebuddy-skills"},
		LoadsElse:   []string{"agents"},
		Reload:      "Start a new CodeBuddy session to load the hooks and the MCP server.",
	}
}

func (codebuddy) HookFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	if scope == Project {
		return jsonFile(root, ".codebuddy", "settings.json")
	}
	return jsonFile(codebuddyHome(env), "settings.json")
}

func (codebuddy) MCPFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	if scope == Project {
		return jsonFile(root, ".mcp.json")
	}
	return jsonFile(codebuddyHome(env), ".mcp.json")
}

func (codebuddy) Detect(env sysenv.Env) (string, bool) {
	return detect(env, "codebuddy", codebuddyHome(env))
}

func codebuddyHome(env sysenv.Env) string {
	if dir := absVar(env, "CODEBUDDY_CONFIG_DIR"); dir != "" {
		return dir
	}
	return under(env.UserHome, ".codebuddy")
}

func (codebuddy) Facts() Facts {
	return Facts{
		Version: "CLI 2.156, IDE documentation of 2026-04",
		Moments: []Moment{
			{"session", "SessionStart", "added to the conversation at its start; in the CLI again after compaction"},
			{"prompt", "UserPromptSubmit", "added to the prompt"},
			{"tool", "PostToolUse", "after the tool's result"},
		},
		Deny: "`permissionDecision: deny` before a tool, `decision: block` at Stop",
		Left: []Left{
			{PostToolUseFailure, "the IDE reads the same file, documents seven events, and does not say what it does with others"},
			{PostCompact, "the IDE reads the same file, documents seven events, and does not say what it does with others"},
			{SubagentStart, "the IDE reads the same file, documents seven events, and does not say what it does with others"},
			{SubagentStop, "the IDE reads the same file, documents seven events, and does not say what it does with others"},
			{StopFailure, "the IDE reads the same file, documents seven events, and does not say what it does with others"},
			{PermissionRequest, "the IDE reads the same file, documents seven events, and does not say what it does with others"},
			{InstructionsLoaded, "the IDE reads the same file, documents seven events, and does not say what it does with others"},
		},
	}
}

// codebuddyTouches: the CLI has Claude Code's tools; of the IDE's the arguments
// are not documented, so each spelling in use elsewhere is taken.
func codebuddyTouches(tool string, in rawjson.Value, sh shell) []Touch {
	file := func() string { return first(in, "file_path", "filePath", "path", "target_file") }
	switch tool {
	case "read_file":
		return one(file(), Read)
	case "write_to_file":
		return one(file(), Create)
	case "replace_in_file":
		return one(file(), Edit)
	case "execute_command":
		return commandTouches(in, sh, true)
	case "list_dir", "search_content", "search_file":
		return one(first(in, "path", "dir_path", "directory", "target_directory"), Search)
	case "web_fetch", "web_search", "task", "todo_write":
		return nil
	}
	return toolTouches(tool, in, sh)
}
