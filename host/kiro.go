package host

import (
	"strings"

	"pathrule/internal/rawjson"
	"pathrule/internal/sysenv"
)

// kiro is Kiro: the IDE 1.x and CLI V3, which share one form of hook file, and
// CLI V2, whose hooks stand inside an agent's file. Both take plain text on
// stdout and give it to the model at a session's start and with a prompt only;
// a tool's knowledge comes by steering files. Sources: CLI 2.22.1 read, the
// published pages on hooks, and payloads captured by others.
type kiro struct{ base }

func (kiro) ID() string        { return "kiro" }
func (kiro) Aliases() []string { return []string{"kiro-cli"} }
func (kiro) Title() string     { return "Kiro" }

// Decode: V2 spells its events agentSpawn, userPromptSubmit, ..., V3 and the IDE
// as Claude Code does. An empty prompt, which older releases send for every
// prompt, is no turn.
func (k kiro) Decode(payload []byte, env sysenv.Env) (Event, error) {
	ev, err := decodeNested(k.ID(), payload, env)
	if err != nil {
		return ev, err
	}
	v, _ := rawjson.Parse(payload)
	ev.Touches = nil
	switch ev.RawName {
	case "agentSpawn":
		ev.Name = SessionStart
	case "userPromptSubmit":
		ev.Name = UserPromptSubmit
		ev.Prompt, ev.UserTurn = userPrompt(promptText(v.Get("prompt")))
	case "preToolUse":
		ev.Name = PreToolUse
	case "postToolUse":
		ev.Name = PostToolUse
	case "stop":
		ev.Name = Stop
	}
	if ev.Name == PreToolUse || ev.Name == PostToolUse {
		ev.Touches = kiroTouches(ev.Tool, v.Get("tool_input"), shellOf(env))
	}
	return ev, nil
}

func kiroTouches(tool string, in rawjson.Value, sh shell) []Touch {
	switch tool {
	case "fs_read", "read", "read_file", "read_files":
		list := one(in.Get("path").Text(), Read)
		for op := range in.Get("operations").Elements {
			kind := Read
			if mode := op.Get("mode").Text(); mode == "Directory" || mode == "Search" {
				kind = Search
			}
			list = addTouch(list, op.Get("path").Text(), kind)
		}
		return list
	case "fs_write", "write":
		op := Edit
		if c := in.Get("command").Text(); c == "create" || c == "" && in.Get("text").Kind() != 0 {
			op = Create
		}
		return one(in.Get("path").Text(), op)
	case "fs_append", "str_replace":
		return one(in.Get("path").Text(), Edit)
	case "delete_file":
		return one(first(in, "targetFile", "path"), Delete)
	case "execute_bash", "shell":
		return kiroShell(in, sh)
	case "execute_pwsh":
		return kiroShell(in, powershell)
	case "subagent":
		return nil
	}
	if strings.HasPrefix(tool, "@pathrule/") {
		return nil // what our own server delivers, it delivers itself
	}
	return argTouches(in)
}

// kiroShell: the call's own folder stands beside its command.
func kiroShell(in rawjson.Value, sh shell) []Touch {
	var list []Touch
	for _, t := range commandTouches(in, sh, sh != powershell) {
		list = addTouch(list, joinDir(in.Get("cwd").Text(), t.Path), t.Op)
	}
	return list
}

// Encode is the text alone: whatever stands on stdout goes to the model.
// There is no way to tell the person something.
func (kiro) Encode(ev Event, r Reply) []byte {
	if ev.Name != SessionStart && ev.Name != UserPromptSubmit || r.Context == "" {
		return nil
	}
	return []byte(r.Context)
}

// Refuse: exit 2 blocks a tool, and stderr goes to the model; JSON is not
// honoured there. V3 and the IDE take a decision at Stop; V2 takes none. A
// refused prompt is sent all the same on the IDE.
func (kiro) Refuse(ev Event, reason string) (Output, bool) {
	switch {
	case ev.Name == PreToolUse:
		return Output{Stderr: []byte(reason + "\n"), Exit: 2}, true
	case ev.Name == Stop && ev.RawName == "Stop":
		return refuseNested(Stop, reason)
	}
	return Output{}, false
}

// Cap: V2 cuts stdout at max_output_size, 10,240 bytes where nothing else is
// set; no cap is published for the others.
func (kiro) Cap(EventName) Cap { return Cap{Max: 10_240, Unit: Bytes} }

func (kiro) Tool(tool string) string { return "@pathrule/" + tool }

// Registrations are those of the file that setup writes, for V3 and the IDE.
func (kiro) Registrations() []Registration {
	return []Registration{
		{Event: "SessionStart", Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "UserPromptSubmit", Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "PreToolUse", Program: "pathrule-hook", Timeout: 10, Guard: true},
		{Event: "PostToolUse", Program: "pathrule-hook", Timeout: 10, Hook: true},
		{Event: "Stop", Program: "pathrule-hook", Timeout: 10, Hook: true},
	}
}

// OwnFiles is one hook file: every *.json in the folder runs, and one unknown
// member loses the whole file, so that its maker stands in the hooks' names.
func (k kiro) OwnFiles(scope Scope, root string, argv []string, env sysenv.Env) []OwnFile {
	return k.OwnFilesFor(Standing(k.Registrations()), scope, root, argv, env)
}

// OwnFilesFor: the event before a tool stands in the file while something
// approved needs it.
func (kiro) OwnFilesFor(regs []Registration, scope Scope, root string, argv []string, env sysenv.Env) []OwnFile {
	dir := env.UserHome
	if scope == Project {
		dir = root
	}
	if dir == "" || len(argv) == 0 {
		return nil
	}
	line := commandLine(argv, env.GOOS)
	b := []byte("{\n  \"version\": \"v1\",\n  \"hooks\": [")
	for i, r := range regs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, "\n    {\n      \"name\": "...)
		b = rawjson.AppendQuoted(b, "pathrule setup: "+r.Event)
		b = append(b, ",\n      \"trigger\": "...)
		b = rawjson.AppendQuoted(b, r.Event)
		b = append(b, ",\n      \"action\": {\n        \"type\": \"command\",\n        \"command\": "...)
		b = rawjson.AppendQuoted(b, line+kiroTail(r, scope))
		b = append(b, "\n      },\n      \"timeout\": 10,\n      \"enabled\": true\n    }"...)
	}
	b = append(b, "\n  ]\n}\n"...)
	return []OwnFile{{Path: under(dir, ".kiro", "hooks", "pathrule.json"), Data: b}}
}

// kiroTail keeps a project's hook quiet where the program is missing, in sh and
// PowerShell. The event before a tool refuses by its exit code, so nothing may
// stand behind that one: without the program Kiro shows a warning there.
func kiroTail(r Registration, scope Scope) string {
	if scope != Project || r.Guard {
		return ""
	}
	return "; exit 0"
}

func (kiro) MCPFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	if scope == Project {
		return jsonFile(root, ".kiro", "settings", "mcp.json")
	}
	return jsonFile(env.UserHome, ".kiro", "settings", "mcp.json")
}

func (kiro) Detect(env sysenv.Env) (string, bool) {
	dir := under(env.UserHome, ".kiro")
	if how, ok := detect(env, "kiro-cli", dir); ok {
		return how, true
	}
	return detect(env, "kiro", dir)
}

func (kiro) Wiring() Wiring {
	return Wiring{
		MCPTable:   "mcpServers",
		Reload:     "Start a new Kiro session to load the hooks and the MCP server.",
		Compile:    "kiro",
		Loads:      []string{"kiro", "agents", "kiro-skills"},
		LoadsPaths: []string{"kiro", "agents"},
	}
}

func (kiro) Facts() Facts {
	return Facts{
		Version: "IDE 1.1 and CLI 2.22.1, from documentation and captured payloads",
		Moments: []Moment{
			{"session", "SessionStart", "the start of the conversation; not in a new chat of an open window (IDE 1.1.14), where the first prompt brings it"},
			{"prompt", "UserPromptSubmit", "an instruction block beside the prompt; dropped by IDE 1.0.138"},
			{"tool", "", "no hook: steering files (`pathrule compile kiro`)"},
		},
		Deny: "exit 2 before a tool, the reason on stderr; `decision: block` at Stop (IDE and CLI V3)",
		Note: "Setup writes `.kiro/hooks/pathrule.json`, or the same below the home, which the IDE and CLI V3 read. " +
			"CLI V2 reads hooks only from the agent in use; add them to your agent's file (`.kiro/agents/NAME.json`) by hand: " +
			"`\"hooks\": {\"agentSpawn\": [{\"command\": \"pathrule-hook --host kiro\", \"timeout_ms\": 10000}], \"userPromptSubmit\": [{\"command\": \"pathrule-hook --host kiro\", \"timeout_ms\": 10000}]}`, " +
			"and beside them, for approved blocks, `\"preToolUse\": [{\"command\": \"pathrule-hook --host kiro\", \"timeout_ms\": 10000}]`.",
	}
}
