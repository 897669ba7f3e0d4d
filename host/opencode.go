package host

import (
	_ "embed"
	"errors"
	"os"
	"strings"

	"pathrule/internal/rawjson"
	"pathrule/internal/sysenv"
)

// opencode is OpenCode, which runs plugins in its own process and no command
// hooks. Setup writes a plugin (opencode_plugin.js) that starts our program, so
// both directions are ours:
//
//	{"hook":NAME, "directory":DIR,
//	 "input":{"sessionID":S, "rootID":R, "tool":T, "callID":C, "args":{}, "agent":A, "messageID":M},
//	 "output":{"parts":[{"type":"text","text":P}], "args":{}}, "slot":ID}
//
//	{"context":TEXT, "notice":LINE, "guard":true, "slot":{"action":"replace","id":ID,"text":TEXT}, "refuse":REASON}
//
// input and output are the members of OpenCode's own that matter; rootID is the
// session that a subagent's session belongs to. Sources: the plugin's type
// declarations 1.18.33, and that release driven against a scripted model.
type opencode struct{ base }

func (opencode) ID() string        { return "opencode" }
func (opencode) Aliases() []string { return []string{"open-code"} }
func (opencode) Title() string     { return "OpenCode" }

// Decode: the first message of a subagent's session is its start, and no turn
// of the user.
func (h opencode) Decode(payload []byte, env sysenv.Env) (Event, error) {
	ev := Event{Host: h.ID()}
	v, err := rawjson.Parse(payload)
	if err != nil || v.Kind() != '{' {
		return ev, ErrPayload
	}
	in, out := v.Get("input"), v.Get("output")
	ev.RawName = v.Get("hook").Text()
	if ev.RawName == "" {
		ev.RawName = opencodeHook(in, out)
	}
	if ev.RawName == "" {
		return ev, errors.New("payload names no plugin hook")
	}
	ev.Cwd = v.Get("directory").Text()
	ev.Session = in.Get("sessionID").Text()
	if root := in.Get("rootID").Text(); root != "" {
		ev.Session, ev.Agent = root, ev.Session
	}
	switch ev.RawName {
	case "chat.message":
		ev.PromptID = first(in, "messageID")
		if ev.PromptID == "" {
			ev.PromptID = out.Get("message").Get("id").Text()
		}
		if ev.Agent != "" {
			ev.Name, ev.AgentType = SubagentStart, in.Get("agent").Text()
			break
		}
		ev.Name = UserPromptSubmit
		ev.Prompt, ev.UserTurn = userPrompt(unquoted(partsText(out.Get("parts"))))
		ev.Slot, ev.Held = true, v.Get("slot").Text()
	case "tool.execute.before", "tool.execute.after":
		ev.Name = PostToolUse
		args := in.Get("args")
		if ev.RawName == "tool.execute.before" {
			ev.Name, args = PreToolUse, out.Get("args")
		}
		ev.Tool, ev.ToolUseID = in.Get("tool").Text(), in.Get("callID").Text()
		ev.Touches = opencodeTouches(ev.Tool, args, shellOf(env))
	case "experimental.session.compacting":
		ev.Name = PreCompact
	case "event":
		if e := in.Get("event"); e.Kind() == '{' {
			in = e
		}
		ev.Session = in.Get("properties").Get("sessionID").Text()
	}
	return ev, nil
}

// opencodeHook tells a plugin hook by the shape of its objects, for recordings
// without its name.
func opencodeHook(in, out rawjson.Value) string {
	has := func(v rawjson.Value, name string) bool { return v.Get(name).Kind() != 0 }
	switch {
	case has(in, "event"):
		return "event"
	case has(out, "parts"):
		return "chat.message"
	case has(out, "system"):
		return "experimental.chat.system.transform"
	case has(out, "context"):
		return "experimental.session.compacting"
	case has(in, "tool") && has(in, "args"):
		return "tool.execute.after"
	case has(in, "tool"):
		return "tool.execute.before"
	}
	return ""
}

// partsText is what the user typed; synthetic parts are the client's or a
// plugin's.
func partsText(parts rawjson.Value) string {
	var list []string
	for p := range parts.Elements {
		if p.Get("type").Text() != "text" || p.Get("synthetic").True() || p.Get("ignored").True() {
			continue
		}
		if t := p.Get("text").Text(); t != "" {
			list = append(list, t)
		}
	}
	return strings.Join(list, "\n")
}

// unquoted takes off the quotes that "opencode run" puts around a prompt.
func unquoted(s string) string {
	if inner, ok := strings.CutPrefix(s, `"`); ok {
		if inner, ok = strings.CutSuffix(inner, `"`); ok && !strings.Contains(inner, `"`) {
			return inner
		}
	}
	return s
}

func opencodeTouches(tool string, args rawjson.Value, sh shell) []Touch {
	switch tool {
	case "read":
		return one(args.Get("filePath").Text(), Read)
	case "write":
		return one(args.Get("filePath").Text(), Create)
	case "edit", "multiedit":
		return one(args.Get("filePath").Text(), Edit)
	case "apply_patch", "patch":
		return patchTouches(first(args, "patchText", "input", "patch"), "")
	case "bash":
		var list []Touch
		for _, t := range commandTouches(args, sh, true) {
			list = addTouch(list, joinDir(args.Get("workdir").Text(), t.Path), t.Op)
		}
		return list
	case "grep", "list":
		return one(args.Get("path").Text(), Search)
	case "glob":
		return toolTouches("Glob", args, posix)
	case "task", "skill", "todowrite", "todoread", "webfetch", "websearch", "question", "invalid":
		return nil
	}
	if strings.HasPrefix(tool, "pathrule_") {
		return nil // what our own server delivers, it delivers itself
	}
	return argTouches(args)
}

// Encode writes the plugin's answer. After a tool that failed no event comes.
func (opencode) Encode(ev Event, r Reply) []byte {
	switch ev.Name {
	case UserPromptSubmit, SubagentStart, PostToolUse, PreCompact:
	default:
		return nil
	}
	if !ev.Slot {
		r.Slot = Slot{}
	}
	if r.Context == "" && r.Notice == "" && r.Slot.Action == Retain && !r.Guard {
		return nil
	}
	b := make([]byte, 0, len(r.Context)+len(r.Slot.Text)+(len(r.Context)+len(r.Slot.Text))/16+len(r.Notice)+160)
	b = append(b, '{')
	member := func(name string) {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(b, name...)
		b = append(b, `":`...)
	}
	if r.Slot.Action != Retain {
		member("slot")
		b = append(b, `{"action":`...)
		b = rawjson.AppendQuoted(b, string(r.Slot.Action))
		if r.Slot.Action == Replace {
			b = append(b, `,"id":`...)
			b = rawjson.AppendQuoted(b, r.Slot.ID)
			b = append(b, `,"text":`...)
			b = rawjson.AppendQuoted(b, r.Slot.Text)
		}
		b = append(b, '}')
	}
	if r.Context != "" {
		member("context")
		b = rawjson.AppendQuoted(b, r.Context)
	}
	if r.Notice != "" {
		member("notice")
		b = rawjson.AppendQuoted(b, r.Notice)
	}
	if r.Guard {
		member("guard")
		b = append(b, "true"...)
	}
	return append(b, "}\n"...)
}

// Refuse: the plugin throws the reason before the tool runs, and the client
// makes it the tool's result. A stop cannot be held.
func (opencode) Refuse(ev Event, reason string) (Output, bool) {
	if ev.Name != PreToolUse {
		return Output{}, false
	}
	b := rawjson.AppendQuoted([]byte(`{"refuse":`), reason)
	return Output{Stdout: append(b, "}\n"...)}, true
}

// Cap: 50,000 characters passed whole in each place; what a plugin appends is
// not cut again.
func (opencode) Cap(EventName) Cap { return Cap{} }

func (opencode) Tool(tool string) string { return "pathrule_" + tool }

// Registrations are what the plugin listens to. The session's text goes with
// every request in a block of the system prompt, which chat.message renews.
func (opencode) Registrations() []Registration {
	return []Registration{
		{Event: "chat.message", Name: UserPromptSubmit, Program: "pathrule-hook", Timeout: 10, Speaks: true, Brings: []EventName{UserPromptSubmit, SubagentStart}},
		{Event: "tool.execute.after", Name: PostToolUse, Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "experimental.session.compacting", Name: PreCompact, Program: "pathrule-hook", Timeout: 10, Speaks: true},
		{Event: "tool.execute.before", Name: PreToolUse, Program: "pathrule-hook", Timeout: 10, Guard: true},
	}
}

func (opencode) Sample(r Registration, session, cwd, file string) []byte {
	b := rawjson.AppendQuoted([]byte(`{"hook":`), r.Event)
	b = rawjson.AppendQuoted(append(b, `,"directory":`...), cwd)
	b = rawjson.AppendQuoted(append(b, `,"input":{"sessionID":`...), session)
	args := func() {
		b = rawjson.AppendQuoted(append(b, `"args":{"filePath":`...), file)
		b = append(b, `,"oldString":"a","newString":"b"}}`...)
	}
	switch r.Canonical() {
	case UserPromptSubmit:
		b = rawjson.AppendQuoted(append(b, `,"messageID":`...), session)
		b = rawjson.AppendQuoted(append(b, `},"output":{"parts":[{"type":"text","text":`...), "change the greeting in "+file)
		b = append(b, `}]},"slot":""`...)
	case PostToolUse:
		b = rawjson.AppendQuoted(append(b, `,"tool":"edit","callID":`...), session)
		b = append(b, ',')
		args()
	case PreToolUse:
		b = rawjson.AppendQuoted(append(b, `,"tool":"edit","callID":`...), session)
		b = append(b, `},"output":{`...)
		args()
	default:
		b = append(b, '}')
	}
	return append(b, '}')
}

// opencodeConfig is the user's configuration folder.
func opencodeConfig(env sysenv.Env) string {
	if dir := absVar(env, "OPENCODE_CONFIG_DIR"); dir != "" {
		return dir
	}
	if dir := absVar(env, "XDG_CONFIG_HOME"); dir != "" {
		return under(dir, "opencode")
	}
	return under(env.UserHome, ".config", "opencode")
}

// MCPFile: opencode.json, or opencode.jsonc where only that is there.
func (opencode) MCPFile(scope Scope, root string, env sysenv.Env) (ConfigFile, bool) {
	dir := opencodeConfig(env)
	if scope == Project {
		dir = root
	}
	cf, ok := jsonFile(dir, "opencode.json")
	if c, _ := jsonFile(dir, "opencode.jsonc"); ok && !isFile(cf.Path) && isFile(c.Path) {
		return c, true
	}
	return cf, ok
}

func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

//go:embed opencode_plugin.js
var opencodePlugin string

// opencodeCommand is the line of the plugin that OwnFiles makes anew.
const opencodeCommand = `const command = ["pathrule-hook", "--host", "opencode"]` + "\n"

// OwnFiles is the plugin. It holds the command and nothing else of the machine.
func (opencode) OwnFiles(scope Scope, root string, argv []string, env sysenv.Env) []OwnFile {
	dir := opencodeConfig(env)
	if scope == Project {
		dir = under(root, ".opencode")
	}
	if dir == "" || len(argv) == 0 {
		return nil
	}
	line := []byte("const command = [")
	for i, word := range argv {
		if i > 0 {
			line = append(line, ", "...)
		}
		line = rawjson.AppendQuoted(line, word)
	}
	line = append(line, "]\n"...)
	// A checkout on Windows may have turned the ends of the embedded lines.
	src := strings.ReplaceAll(opencodePlugin, "\r\n", "\n")
	return []OwnFile{{Path: under(dir, "plugins", "pathrule.js"), Data: []byte(strings.Replace(src, opencodeCommand, string(line), 1))}}
}

func (opencode) Detect(env sysenv.Env) (string, bool) {
	if how, ok := detect(env, "opencode", opencodeConfig(env)); ok {
		return how, true
	}
	return detect(env, "opencode", under(env.UserHome, ".opencode"))
}

func (opencode) Wiring() Wiring {
	return Wiring{
		MCPTable:   "mcp",
		MCPType:    "local",
		MCPList:    true,
		MCPEnv:     "environment",
		MCPExtra:   []Member{{"enabled", true}},
		Reload:     "Restart OpenCode to load the plugin and the MCP server.",
		Loads:      []string{"agents", "skills", "claude-skills"},
		LoadsElse:  []string{"claude"},
		LoadsPaths: []string{"agents"},
	}
}

func (opencode) Facts() Facts {
	return Facts{
		Version: "1.18.33",
		Seen:    true,
		Moments: []Moment{
			{"session", "chat.message", "the end of the system prompt's last block, with every request; its bytes change only when that text does"},
			{"prompt", "chat.message", "a text part behind the prompt"},
			{"tool", "tool.execute.after", "the end of the tool's output; not after a tool that failed"},
			{"subagent", "chat.message", "a text part behind the subagent's own prompt"},
			{"compaction", "experimental.session.compacting", "the request that makes the summary: the names of what had been told"},
		},
		Deny: "the plugin throws before the tool runs (`tool.execute.before`); the reason becomes the tool's result",
		Left: []Left{
			{Stop, "the plugin hears that the session is idle when the turn is over, and cannot hold it"},
			{PermissionRequest, "the plugin does not listen to it"},
			{SessionStart, "there is no event that waits; the first prompt stands for it"},
			{PostToolUseFailure, "nothing comes after a tool that failed"},
		},
		Note: "A plugin file takes the place of hooks: `.opencode/plugins/pathrule.js`, or the same in the user's configuration folder. With any plugin, release 1.18.33 asks the package registry for one package at each start; without network that takes it a minute or more (`npm_config_offline=true` shortens it).",
	}
}
