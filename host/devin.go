package host

import (
	"path/filepath"
	"strings"

	"pathrule/internal/rawjson"
	"pathrule/internal/sysenv"
)

// devin is Devin Local, the agent of Devin Desktop and of the Devin CLI.
// Sources: the published hook pages (2026-09) and payloads that others recorded
// from 3000.6 to 3000.11; it was not driven by us.
type devin struct{ base }

func (devin) ID() string        { return "devin-local" }
func (devin) Aliases() []string { return []string{"devin"} }
func (devin) Title() string     { return "Devin Local" }

// Decode: payloads name no folder, so the project is the environment's, else
// our own working directory. Tool events of a child agent carry the parent's
// session and prompt, so both share one record.
func (d devin) Decode(payload []byte, env sysenv.Env) (Event, error) {
	in, err := readNested(d.ID(), payload)
	ev := in.ev
	if err != nil {
		return ev, err
	}
	ev.Name = canonical(ev.RawName)
	if ev.RawName == "PostCompaction" {
		ev.Name, ev.AsHook = PreCompact, PostCompact // what was told is gone
	}
	switch ev.Name {
	case SessionStart, SessionEnd:
		ev.Source = in.source.Text()
	case UserPromptSubmit:
		ev.Prompt, ev.UserTurn = userPrompt(promptText(in.prompt))
	case PreToolUse, PostToolUse, PermissionRequest:
		ev.Touches = devinTouches(ev.Tool, in.input, shellOf(env))
	}
	if ev.Cwd == "" {
		ev.Cwd = absVar(env, "DEVIN_PROJECT_DIR")
	}
	return ev, nil
}

// Encode: no other member than the one documented; context before a tool was
// never verified.
func (devin) Encode(ev Event, r Reply) []byte {
	switch ev.Name {
	case SessionStart, UserPromptSubmit, PostToolUse:
		return encodeNested(ev.Name, Reply{Context: r.Context})
	}
	return nil
}

// Refuse: a permission is approved or denied, and nothing else.
func (devin) Refuse(ev Event, reason string) (Output, bool) {
	if ev.Name == PermissionRequest {
		return refuseTop(PreToolUse, "deny", "", reason)
	}
	return refuseTop(ev.Name, "block", "block", reason)
}

func (devin) Tool(tool string) string { return "mcp__pathrule__" + tool }

// Registrations: one event name that a release does not know disables the whole
// file, so nothing newer or rarer than these stands here. Matchers are unanchored regular
// expressions, and without one every tool counts.
func (devin) Registrations() []Registration {
	return []Registration{
		{Event: "SessionStart", Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "UserPromptSubmit", Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "PostToolUse", Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "PostCompaction", Name: PreCompact, Program: "pathrule-hook", Timeout: 10, Brings: []EventName{PostCompact}},
		{Event: "PreToolUse", Program: "pathrule-hook", Timeout: 10, Guard: true},
		{Event: "Stop", Program: "pathrule-hook", Timeout: 10, Hook: true},
		{Event: "PermissionRequest", Program: "pathrule-hook", Timeout: 10, Hook: true},
	}
}

// Shape: a project's file is the map of events itself.
func (devin) Shape() HookShape {
	return HookShape{Grouped: true, Type: "command", Timeout: "timeout"}
}

// Wiring: the pages disagree whether any exit code but 0 stops a tool, so both
// lines end with 0.
func (devin) Wiring() Wiring {
	return Wiring{
		ProjectTail: " 2>/dev/null; exit 0",
		UserTail:    "; exit 0",
		Events:      []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PermissionRequest", "Stop", "PostCompaction", "SessionEnd"},
		TrustNote:   "Devin runs no hook in Restricted Mode: trust the workspace.",
		MCPTable:    "mcpServers",
		Loads:       []string{"devin-local", "windsurf", "cursor", "agents", "claude", "skills"},
		LoadsPaths:  []string{"devin-local", "windsurf", "cursor"},
		Reload:      "Start a new Devin session to load the hooks and the MCP server.",
	}
}

// HookFile: the user's hooks are a member of the config file.
func (devin) HookFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	if scope == Project {
		return jsonFile(root, ".devin", "hooks.v1.json")
	}
	f, ok := jsonFile(devinHome(env), "config.json")
	f.Key = "hooks"
	return f, ok
}

func (devin) MCPFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	if scope == Project {
		return jsonFile(root, ".devin", "mcp_config.json")
	}
	return jsonFile(devinHome(env), "mcp_config.json")
}

func (devin) Detect(env sysenv.Env) (string, bool) { return detect(env, "devin", devinHome(env)) }

func devinHome(env sysenv.Env) string {
	if env.GOOS == "windows" {
		return under(absVar(env, "APPDATA"), "devin")
	}
	if dir := absVar(env, "XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "devin")
	}
	return under(env.UserHome, ".config", "devin")
}

// Sample: there is no cwd in Devin's payloads.
func (devin) Sample(r Registration, session, cwd, file string) []byte {
	b := string(sampleNested(r, session, "", "edit", file))
	return []byte(strings.Replace(b, `,"cwd":""`, "", 1))
}

func (devin) Facts() Facts {
	return Facts{
		Version: "3000.11",
		Moments: []Moment{
			{"session", "SessionStart", "added to the conversation at its start"},
			{"prompt", "UserPromptSubmit", "added to the prompt"},
			{"tool", "PostToolUse", "after the tool's result"},
		},
		Deny: "top-level `decision: block` before a tool and at Stop",
		Left: []Left{
			{SessionEnd, "releases before 2026-08-21 do not know it, and one event name that a release does not know loses the whole file"},
			{PostToolUseFailure, "a tool that failed comes as PostToolUse"},
		},
		Runs: []string{"claude-code"},
		Off:  "`read_config_from.claude: false` in `.devin/config.json` or `~/.config/devin/config.json`",
	}
}

// devinTouches are the paths of Devin's tools, which are Claude Code's in lower
// case with a few of their own.
func devinTouches(tool string, in rawjson.Value, sh shell) []Touch {
	switch tool {
	case "read":
		return one(first(in, "file_path", "path"), Read)
	case "write":
		return one(first(in, "file_path", "path"), Create)
	case "edit":
		return one(first(in, "file_path", "path"), Edit)
	case "notebook_read":
		return one(in.Get("notebook_path").Text(), Read)
	case "notebook_edit":
		return one(in.Get("notebook_path").Text(), Edit)
	case "exec":
		return belowDir(in.Get("workdir").Text(), commandTouches(in, sh, true))
	case "grep":
		return one(in.Get("path").Text(), Search)
	case "glob":
		return one(globbed(in.Get("path").Text(), in.Get("pattern").Text()), Search)
	case "run_subagent", "read_subagent", "webfetch", "todo_write", "skill":
		return nil
	}
	return toolTouches(tool, in, sh)
}
