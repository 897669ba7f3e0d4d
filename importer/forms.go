package importer

import (
	"path"
	"slices"
	"strings"
)

// role is what a file is for its client.
type role uint8

const (
	guide   role = iota // CLAUDE.md, AGENTS.md: free text about a folder
	rules               // one file of a folder of rules
	skill               // SKILL.md
	command             // a prompt that a person calls by name
	agent               // a persona with its own tools
	other               // no client reads it here
)

// form is what a file's name and place say about it.
type form struct {
	client  string
	role    role
	dialect *dialect
	// dir is the folder that the file governs, "" for the whole project.
	dir string
	// stem is the name that an id is made of.
	stem string
	// personal files are one person's own.
	personal bool
	// imports: the client follows "@path" lines.
	imports bool
	// ask: left out for this reason unless it was named.
	ask string
	// note is told although the file is imported.
	note string
	// unread: its client does not read it where it lies, or by this name.
	unread bool
	// generator is the tool whose source this is; its copies are left out.
	generator string
}

// A folder in which a client looks for rules.
type rulesFolder struct {
	path    string // below the folder that it governs
	client  string
	dialect *dialect
	exts    string // extensions that the client reads, separated by blanks
	tool    string // of a generator that makes other clients' files from it
}

var ruleFolders = [...]rulesFolder{
	{".claude/rules", "Claude Code", &claudeGlobs, ".md", ""},
	{".cursor/rules", "Cursor", &cursorGlobs, ".mdc", ""},
	{".windsurf/rules", "Windsurf", &windsurfGlobs, ".md", ""},
	{".devin/rules", "Devin", &windsurfGlobs, ".md", ""},
	{".github/instructions", "GitHub Copilot", &copilotGlobs, ".instructions.md", ""},
	{".clinerules", "Cline", &clineGlobs, ".md .txt", ""},
	{".cline/rules", "Cline", &clineGlobs, ".md .txt", ""},
	{".kiro/steering", "Kiro", &kiroGlobs, ".md", ""},
	{".qwen/rules", "Qwen Code", &qwenGlobs, ".md", ""},
	{".codebuddy/rules", "CodeBuddy", &codebuddyGlobs, ".md .mdc", ""},
	{".continue/rules", "Continue", &continueGlobs, ".md", ""},
	{".roo/rules", "Roo Code", &kiroGlobs, ".md .txt", ""},
	{".trae/rules", "Trae", &cursorGlobs, ".md", ""},
	{".agents/rules", "several clients", &kiroGlobs, ".md", ""},
	{".agent/rules", "Antigravity", &kiroGlobs, ".md", ""},
	{".augment/rules", "Augment", &kiroGlobs, ".md", ""},
	{".amazonq/rules", "Amazon Q", &kiroGlobs, ".md", ""},
	{".rulesync/rules", "rulesync", &cursorGlobs, ".md", "rulesync"},
	{".ruler", "Ruler", &kiroGlobs, ".md", "Ruler"},
	{".apm/instructions", "APM", &copilotGlobs, ".instructions.md", "APM"},
}

// Folders of prompts that a person calls, and of agents.
var callFolders = [...]struct {
	path, client string
	role         role
}{
	{".claude/commands", "Claude Code", command}, {".claude/agents", "Claude Code", agent},
	{".cursor/commands", "Cursor", command}, {".cursor/agents", "Cursor", agent},
	{".windsurf/workflows", "Windsurf", command}, {".devin/workflows", "Devin", command},
	{".clinerules/workflows", "Cline", command}, {".clinerules/hooks", "Cline", other},
	{".github/prompts", "GitHub Copilot", command}, {".github/agents", "GitHub Copilot", agent}, {".github/chatmodes", "GitHub Copilot", agent},
	{".gemini/commands", "Gemini CLI", command}, {".qwen/commands", "Qwen Code", command}, {".qwen/agents", "Qwen Code", agent},
	{".opencode/command", "OpenCode", command}, {".opencode/commands", "OpenCode", command},
	{".opencode/agent", "OpenCode", agent}, {".opencode/agents", "OpenCode", agent},
	{".codebuddy/commands", "CodeBuddy", command}, {".codebuddy/agents", "CodeBuddy", agent},
	{".codex/prompts", "Codex", command}, {".kiro/agents", "Kiro", agent}, {".kiro/prompts", "Kiro", command},
	{".agents/commands", "several clients", command}, {".agents/agents", "several clients", agent},
	{".agent/workflows", "Antigravity", command}, {".roo/commands", "Roo Code", command},
}

const (
	askCommand = "a prompt that a person calls in its client, which goes on offering it; name the file to import it as a skill"
	askAgent   = "an agent with tools and a model of its own, which no entry can hold; name the file to import its text"
	askReadme  = "a README about the folder; name the file to import it"
	askSample  = "lies below %s, so it is more likely sample text than guidance; name the file to import it"
	askStray   = "no client reads it where it lies; name the file to import it"
)

// formOf says what the file at the slash path rel is. ok is false for files
// that have nothing to do with AI clients.
func formOf(rel string) (f form, ok bool) {
	base := path.Base(rel)
	dir := cleanDir(path.Dir(rel))
	f = form{dir: dir, stem: stemOf(base)}
	switch base {
	case "CLAUDE.md", "CLAUDE.local.md":
		f.client, f.imports, f.dialect = "Claude Code", true, &claudeGlobs
	case "AGENTS.md", "AGENTS.override.md", "AGENTS.local.md", "AGENT.md":
		f.client, f.dialect = "Codex and others", &kiroGlobs
	case "GEMINI.md":
		f.client, f.imports, f.dialect = "Gemini CLI", true, &kiroGlobs
	case "QWEN.md", "QWEN.local.md":
		f.client, f.imports, f.dialect = "Qwen Code", true, &qwenGlobs
	case "CODEBUDDY.md", "CODEBUDDY.local.md":
		f.client, f.imports, f.dialect = "CodeBuddy", true, &codebuddyGlobs
	case "copilot-instructions.md":
		f.client, f.dialect = "GitHub Copilot", &copilotGlobs
		if path.Base(dir) != ".github" && dir != ".copilot" {
			f.ask = askStray
		}
	case ".cursorrules":
		f.client, f.role, f.dialect = "Cursor", rules, &cursorGlobs
	case ".windsurfrules":
		f.client, f.role, f.dialect = "Windsurf", rules, &windsurfGlobs
	case ".clinerules":
		f.client, f.role, f.dialect = "Cline", rules, &clineGlobs
	case ".rules":
		f.client, f.role, f.dialect = "Zed", rules, &kiroGlobs
	case ".goosehints":
		f.client, f.role, f.dialect = "goose", rules, &kiroGlobs
	case ".roorules":
		f.client, f.role, f.dialect = "Roo Code", rules, &kiroGlobs
	case "SKILL.md":
		return skillForm(rel, dir)
	default:
		return folderForm(rel, base, dir)
	}
	f.personal = strings.HasSuffix(base, ".local.md")
	if g, in := folderForm(rel, base, dir); in && (g.role == rules || g.generator != "") {
		// An AGENTS.md in a folder of rules is one of its rules.
		g.imports = g.imports || f.imports
		return g, true
	}
	f.dir = beside(dir)
	if base == "copilot-instructions.md" {
		f.dir = above(dir)
	}
	f.ask = either(f.ask, sample(dir, f.role == guide))
	return f, true
}

// cleanDir is "" for the project's root.
func cleanDir(dir string) string {
	if dir == "." {
		return ""
	}
	return dir
}

// beside is the folder that a guide governs: the one it lies in, but for a
// client's own folder, whose guide speaks of what lies beside it
// (".claude/CLAUDE.md"). ".github/workflows/AGENTS.md" speaks of workflows.
func beside(dir string) string {
	segs := strings.Split(dir, "/")
	for i, s := range segs {
		if ownFolder(s) {
			return strings.Join(segs[:i], "/")
		}
	}
	return dir
}

// ownFolder reports a folder that clients keep for themselves.
func ownFolder(name string) bool {
	switch name {
	case ".github": // the forge's and the project's as much as Copilot's
		return false
	case ".codex", ".gemini", ".copilot", ".junie":
		return true
	}
	if len(name) < 2 || name[0] != '.' {
		return false
	}
	for i := range ruleFolders {
		if first, _, _ := strings.Cut(ruleFolders[i].path, "/"); first == name {
			return true
		}
	}
	for i := range callFolders {
		if first, _, _ := strings.Cut(callFolders[i].path, "/"); first == name {
			return true
		}
	}
	return false
}

// above is the folder that holds the first of the clients' own folders on the
// way: ".claude/CLAUDE.md" speaks of what lies beside ".claude".
func above(dir string) string {
	segs := strings.Split(dir, "/")
	for i, s := range segs {
		if len(s) > 1 && s[0] == '.' {
			return strings.Join(segs[:i], "/")
		}
	}
	return dir
}

// skillForm: the folder of a skill lies in a client's or a plugin's folder
// "skills".
func skillForm(rel, dir string) (form, bool) {
	f := form{client: "skills", role: skill, dialect: &cursorGlobs, stem: path.Base(dir)}
	segs := strings.Split(dir, "/")
	for i, s := range segs {
		hidden := len(s) > 1 && s[0] == '.'
		if hidden || s == "skills" {
			f.dir = strings.Join(segs[:i], "/")
			if hidden {
				f.client = skillClient(s)
			}
			break
		}
	}
	if dir == "" {
		f.stem = "skill"
	}
	f.ask = sample(path.Dir(dir), false)
	return f, true
}

func skillClient(folder string) string {
	for _, r := range ruleFolders {
		if first, _, _ := strings.Cut(r.path, "/"); first == folder {
			return r.client
		}
	}
	switch folder {
	case ".codex":
		return "Codex"
	case ".gemini":
		return "Gemini CLI"
	case ".opencode":
		return "OpenCode"
	}
	return "skills"
}

// folderForm: files in the folders of rules, commands and agents.
func folderForm(rel, base, dir string) (form, bool) {
	for _, c := range callFolders {
		if gov, _, in := inFolder(dir, c.path); in && (isMarkdown(base) || strings.HasSuffix(base, ".toml")) {
			f := form{client: c.client, role: c.role, dialect: &kiroGlobs, dir: gov, stem: stemOf(base)}
			switch c.role {
			case command:
				f.ask = askCommand
			case agent:
				f.ask = askAgent
			default:
				f.ask = "belongs to the client's hooks; name the file to import it"
			}
			return f, true
		}
	}
	for i := range ruleFolders {
		r := &ruleFolders[i]
		gov, sub, in := inFolder(dir, r.path)
		if !in && r.path == ".roo/rules" {
			gov, sub, in = inRooMode(dir)
		}
		if !in {
			continue
		}
		f := form{client: r.client, role: rules, dialect: r.dialect, dir: gov, generator: r.tool, imports: r.path == ".claude/rules"}
		f.stem = path.Join(sub, stemOf(base))
		if mode, ok := strings.CutPrefix(sub, "rules-"); ok && r.client == "Roo Code" {
			f.note = "Roo Code reads it only in its mode " + mode
		}
		switch up := strings.ToUpper(stemOf(base)); {
		case up == "RULE" && sub != "":
			f.stem = sub // .cursor/rules/NAME/RULE.md
			f.unread = !strings.HasSuffix(base, ".md") || strings.HasSuffix(r.exts, ".instructions.md")
			return f, isMarkdown(base)
		}
		f.unread = !slices.ContainsFunc(strings.Fields(r.exts), func(ext string) bool { return strings.HasSuffix(base, ext) })
		if strings.EqualFold(stemOf(base), "README") && isMarkdown(base) {
			f.ask = askReadme
			return f, true
		}
		if !f.unread {
			return f, true
		}
		if !isMarkdown(base) {
			return form{}, false
		}
		if r.path == ".github/instructions" || r.path == ".apm/instructions" {
			f.ask = "Copilot reads only files that end in .instructions.md there; name the file to import it"
			return f, true
		}
		f.note = r.client + " does not read this extension there (" + strings.ReplaceAll(r.exts, " ", ", ") + "), so it is not active today"
		return f, true
	}
	gov, stem := library(dir, base)
	switch {
	case strings.HasSuffix(base, ".instructions.md"):
		return form{client: "GitHub Copilot", role: rules, dialect: &copilotGlobs, dir: gov, stem: stem, unread: true,
			ask: "lies outside .github/instructions, so Copilot does not read it by itself; name the file to import it"}, true
	case strings.HasSuffix(base, ".mdc"):
		return form{client: "Cursor", role: rules, dialect: &cursorGlobs, dir: gov, stem: stem, unread: true,
			ask: "lies outside .cursor/rules, so Cursor does not read it; name the file to import it"}, true
	case strings.HasSuffix(base, ".prompt.md"), strings.HasSuffix(base, ".chatmode.md"), strings.HasSuffix(base, ".agent.md"):
		return form{client: "GitHub Copilot", role: command, dialect: &copilotGlobs, dir: gov, stem: stem, ask: askCommand}, true
	}
	if spelled := misspelled(base); spelled != "" {
		return form{client: "unknown", role: guide, dialect: &kiroGlobs, dir: beside(dir), stem: stemOf(base), unread: true, imports: spelled == "CLAUDE.md",
			ask: "is spelled otherwise than " + spelled + ", so clients on Linux do not read it; name the file to import it"}, true
	}
	return form{}, false
}

// misspelled is the name that a file nearly has.
func misspelled(base string) string {
	for _, n := range [...]string{"CLAUDE.md", "AGENTS.md", "GEMINI.md", "SKILL.md"} {
		if strings.EqualFold(base, n) {
			return n
		}
	}
	return ""
}

// libraryForm is the form of a Markdown file that was named, or that a library
// of rules holds (Options.All): what it is follows from its extension and the
// folders around it.
func libraryForm(rel string) (form, bool) {
	base := path.Base(rel)
	if !isMarkdown(base) && !strings.HasSuffix(base, ".txt") {
		return form{}, false
	}
	dir := cleanDir(path.Dir(rel))
	f := form{client: "none", role: guide, dialect: &kiroGlobs}
	f.dir, f.stem = library(dir, base)
	if above(dir) == dir {
		for s := range strings.SplitSeq(strings.TrimPrefix(dir[len(f.dir):], "/"), "/") {
			if rulesName(s) {
				f.role = rules
			}
		}
	}
	return f, true
}

func rulesName(folder string) bool {
	switch strings.ToLower(folder) {
	case "rules", "rules-mdc", "project-rules", "global-rules", "custom_rules", "instructions", "non-standard":
		return true
	}
	return false
}

// library is what a file of a library governs, and its name there: a folder of
// rules or documents speaks of what its parent holds, not of itself.
func library(dir, base string) (gov, stem string) {
	if up := above(dir); up != dir {
		return up, stemOf(base)
	}
	segs := strings.Split(dir, "/")
	for i, s := range segs {
		switch low := strings.ToLower(s); {
		case rulesName(s), low == "docs", low == "doc", low == "skills", low == "agents", low == "prompts", low == "resources":
		default:
			continue
		}
		return strings.Join(segs[:i], "/"), path.Join(strings.Join(segs[i+1:], "/"), stemOf(base))
	}
	return dir, stemOf(base)
}

// inFolder reports that dir is the folder at the end of the path below any
// governed folder, or lies below it. sub is what follows.
func inFolder(dir, folder string) (gov, sub string, ok bool) {
	all := "/" + dir + "/"
	i := strings.Index(all, "/"+folder+"/")
	if i < 0 {
		return "", "", false
	}
	gov = strings.Trim(all[:i], "/")
	sub = strings.Trim(all[i+len(folder)+1:], "/")
	return gov, sub, true
}

// inRooMode: .roo/rules-<mode>/ holds rules of one mode.
func inRooMode(dir string) (gov, sub string, ok bool) {
	segs := strings.Split(dir, "/")
	for i := 0; i+1 < len(segs); i++ {
		if segs[i] == ".roo" && strings.HasPrefix(segs[i+1], "rules-") {
			return strings.Join(segs[:i], "/"), strings.Join(segs[i+1:], "/"), true
		}
	}
	return "", "", false
}

// sample says that a file lies among tests or examples. A guide right in a
// folder of tests is about these tests.
func sample(dir string, guide bool) string {
	if dir == "" || dir == "." {
		return ""
	}
	segs := strings.Split(dir, "/")
	for i, s := range segs {
		l := strings.ToLower(s)
		hit := false
		switch l {
		case "fixtures", "__fixtures__", "fixture", "testdata", "test-data", "test_data", "test-fixtures", "snapshots", "__snapshots__",
			"examples", "example", "samples", "templates", "template":
			hit = true
		case "test", "tests", "__tests__", "spec":
			hit = !guide || i < len(segs)-1
		}
		if !hit {
			continue
		}
		return strings.Replace(askSample, "%s", strings.Join(segs[:i+1], "/"), 1)
	}
	return ""
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func isMarkdown(base string) bool {
	switch strings.ToLower(path.Ext(base)) {
	case ".md", ".mdc", ".markdown":
		return true
	}
	return false
}

// stemOf is a file's name without its extension and leading dots; "" when
// nothing is left.
func stemOf(base string) string {
	for _, ext := range [...]string{".instructions.md", ".prompt.md", ".chatmode.md", ".agent.md", ".md", ".mdc", ".markdown", ".txt", ".toml"} {
		if s, ok := strings.CutSuffix(base, ext); ok {
			base = s
			break
		}
	}
	return strings.TrimLeft(base, ".")
}
