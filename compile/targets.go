package compile

import (
	"fmt"
	"path"
	"strings"

	"pathrule/host"
)

// target is one form of output that some clients read.
type target struct {
	name  string
	about string // what it writes
	// host is the id of the client that the output is meant for: it names our MCP
	// tools, and its hook makes the output a note. "" where many clients read it.
	host string

	// file is a shared file that gets one region; nested: each folder that
	// entries speak about gets one as well.
	file   string
	nested bool

	// dir is a folder of files that are wholly ours, below the client's own
	// dot-folder; their names begin with prefix. single: one file an entry, else
	// one a scope.
	dir    string
	prefix string
	single bool
	heads  []dialect

	// skills: dir holds one folder a skill, as the Agent Skills format has it.
	skills bool

	// floor: the client's hooks do not surely bring what belongs to a path, so the
	// files for paths stay beside them.
	floor bool

	// limit is the room in one file, in the client's own unit.
	limit host.Cap
}

// filePrefix begins the name of every file that is wholly ours, where its folder
// is not ours alone.
const filePrefix = "pathrule-"

// Room in one rule file. Windsurf loads at most 12,000 characters; whether a
// longer file is cut or refused is not documented, so stay well under it. The
// others name no cap, and a file of this size is long enough for all of them.
// UTF-16 units are never fewer than characters, so one bound holds for both
// readings. Codex loads 32,768 bytes of AGENTS.md files together, the person's
// own text included.
var (
	fileRoom   = host.Cap{Max: 11_800, Unit: host.UTF16}
	agentsRoom = host.Cap{Max: 12_000, Unit: host.Bytes}
	// entryRoom is for files that hold one entry, which is never cut: longer ones
	// are listed.
	entryRoom = host.Cap{Max: 40_000, Unit: host.UTF16}
)

// Source of the table: the clients' published pages on rules, and releases that
// were driven against a scripted model.
var targetTable = []target{
	{name: "windsurf", about: "rule files for Windsurf", host: "windsurf", dir: ".windsurf/rules", prefix: filePrefix, heads: []dialect{windsurfHead}, limit: fileRoom},
	{name: "devin-local", about: "rule files for Devin, Windsurf's successor", host: "devin-local", dir: ".devin/rules", prefix: filePrefix, heads: []dialect{windsurfHead}, limit: fileRoom},
	{name: "agents", about: "a region in AGENTS.md, and in one of each folder that notes speak about", file: "AGENTS.md", nested: true, limit: agentsRoom},
	{name: "claude", about: "a region in CLAUDE.md", host: "claude-code", file: "CLAUDE.md", limit: fileRoom},
	{name: "claude-rules", about: "one rule file for each note", host: "claude-code", dir: ".claude/rules/pathrule", single: true, heads: []dialect{claudeHead}, limit: entryRoom},
	{name: "cursor", about: "rule files for Cursor", host: "cursor", dir: ".cursor/rules", prefix: filePrefix, heads: []dialect{cursorHead}, floor: true, limit: fileRoom},
	{name: "copilot", about: "a region in copilot-instructions.md, and instruction files with applyTo", host: "copilot", file: ".github/copilot-instructions.md", dir: ".github/instructions", prefix: filePrefix, heads: []dialect{copilotHead}, limit: fileRoom},
	{name: "gemini", about: "a region in GEMINI.md, and in one of each folder that notes speak about", host: "gemini-cli", file: "GEMINI.md", nested: true, limit: fileRoom},
	{name: "qwen", about: "rule files for Qwen Code", host: "qwen-code", dir: ".qwen/rules", prefix: filePrefix, heads: []dialect{qwenHead}, limit: fileRoom},
	{name: "kiro", about: "steering files for Kiro", host: "kiro", dir: ".kiro/steering", prefix: filePrefix, heads: []dialect{kiroHead}, floor: true, limit: fileRoom},
	{name: "cline", about: "rule files for Cline", host: "cline", dir: ".clinerules", prefix: filePrefix, heads: []dialect{clineHead}, limit: fileRoom},
	{name: "codebuddy", about: "rule files for CodeBuddy, each once for the command line and once for the editor", host: "codebuddy", dir: ".codebuddy/rules", prefix: filePrefix, heads: []dialect{codebuddyHead, codebuddyEditorHead}, limit: fileRoom},
	{name: "zed", about: "a region in .rules", file: ".rules", limit: fileRoom},

	{name: "skills", about: "skill folders that most clients read", dir: ".agents/skills", skills: true},
	{name: "claude-skills", about: "skill folders for Claude Code", host: "claude-code", dir: ".claude/skills", skills: true},
	{name: "cursor-skills", about: "skill folders for Cursor", host: "cursor", dir: ".cursor/skills", skills: true},
	{name: "gemini-skills", about: "skill folders for Gemini CLI", host: "gemini-cli", dir: ".gemini/skills", skills: true},
	{name: "qwen-skills", about: "skill folders for Qwen Code", host: "qwen-code", dir: ".qwen/skills", skills: true},
	{name: "kiro-skills", about: "skill folders for Kiro", host: "kiro", dir: ".kiro/skills", skills: true},
	{name: "cline-skills", about: "skill folders for Cline", host: "cline", dir: ".cline/skills", skills: true},
	{name: "codebuddy-skills", about: "skill folders for CodeBuddy", host: "codebuddy", dir: ".codebuddy/skills", skills: true},
}

func targets() []string {
	out := make([]string, len(targetTable))
	for i, t := range targetTable {
		out[i] = t.name
	}
	return out
}

func targetOf(name string) (*target, error) {
	for i := range targetTable {
		if targetTable[i].name == name {
			return &targetTable[i], nil
		}
	}
	return nil, fmt.Errorf("unknown compile target %q; known targets: %s", name, strings.Join(targets(), ", "))
}

// owns reports that the target may have written the path; a manifest comes with
// the repository and is not believed beyond that.
func (t *target) owns(p string) bool {
	if p == "" || path.Clean(p) != p || strings.HasPrefix(p, "/") || strings.ContainsAny(p, "\\:") {
		return false
	}
	for seg := range strings.SplitSeq(p, "/") {
		if seg == ".." || strings.EqualFold(seg, ".git") {
			return false
		}
	}
	if t.file != "" && (p == t.file || t.nested && path.Base(p) == t.file) {
		return true
	}
	name, ok := strings.CutPrefix(p, t.dir+"/")
	switch {
	case t.dir == "" || !ok:
		return false
	case t.skills:
		return strings.Contains(name, "/")
	case t.single:
		return strings.HasSuffix(name, ".md")
	}
	if !strings.HasPrefix(name, t.prefix) || strings.Contains(name, "/") {
		return false
	}
	for i := range t.heads {
		if strings.HasSuffix(name, t.heads[i].ext) {
			return true
		}
	}
	return false
}

// measure counts text in the target's unit.
func (t *target) measure(s string) int { return t.limit.Unit.Measure(s) }

// region reports whether a path of the target is a region in a shared file.
func (t *target) region(p string) bool {
	return t.file != "" && (p == t.file || t.nested && path.Base(p) == t.file)
}

// protocolFile is the one file in every request.
func (t *target) protocolFile(ext string) string {
	if t.file != "" {
		return t.file
	}
	return t.dir + "/" + t.prefix + "protocol" + ext
}
