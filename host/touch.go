package host

import (
	"strings"

	"pathrule/internal/rawjson"
	"pathrule/internal/sysenv"
)

// maxTouches bounds what one event may ask about.
const maxTouches = 32

// shell is a command language.
type shell int

const (
	posix shell = iota
	powershell
)

// shellOf is the language of a host's plain shell tool.
func shellOf(env sysenv.Env) shell {
	if env.GOOS == "windows" {
		return powershell
	}
	return posix
}

// toolTouches are the paths that a tool call of the Claude family names, most
// important first.
func toolTouches(tool string, in rawjson.Value, sh shell) []Touch {
	switch tool {
	case "Read", "view_image":
		return one(first(in, "file_path", "path"), Read)
	case "Edit", "MultiEdit":
		return one(in.Get("file_path").Text(), Edit)
	case "Write":
		return one(in.Get("file_path").Text(), Create)
	case "NotebookEdit", "NotebookRead":
		op := Edit
		if tool == "NotebookRead" {
			op = Read
		}
		return one(first(in, "notebook_path", "file_path"), op)
	case "Grep", "LS":
		return one(in.Get("path").Text(), Search)
	case "Glob":
		// Without a folder the pattern's own fixed part is where it looks.
		dir, fixed := in.Get("path").Text(), globFolder(in.Get("pattern").Text())
		if dir != "" && fixed != "" && !strings.HasPrefix(fixed, "/") {
			fixed = strings.TrimRight(dir, `/\`) + "/" + fixed
		}
		if fixed == "" {
			fixed = dir
		}
		return one(fixed, Search)
	case "Bash":
		return commandTouches(in, sh, true)
	case "PowerShell":
		return commandTouches(in, powershell, true)
	case "apply_patch":
		return patchInput(in, sh)
	case "Agent", "Task", "Skill", "WebFetch", "WebSearch", "TodoWrite", "ToolSearch":
		return nil
	}
	if strings.HasPrefix(tool, "mcp__pathrule__") || strings.HasPrefix(tool, "mcp__plugin_pathrule_") {
		return nil // what our own server delivers, it delivers itself
	}
	return argTouches(in)
}

// commandTouches reads a shell tool's input: its command as one line, or as the
// list of arguments that some releases send. Claude's Bash on Windows is a
// POSIX shell, Codex's is not; a line is read in the language that its
// backslashes speak for.
func commandTouches(in rawjson.Value, sh shell, guess bool) []Touch {
	c := in.Get("command")
	if c.Kind() == '[' {
		return argvTouches(texts(c), sh)
	}
	line := c.Text()
	if guess {
		sh = spoken(line, sh)
	}
	return shellTouches(line, sh)
}

// spoken is the language of a line for a shell that may be PowerShell.
func spoken(line string, sh shell) shell {
	if sh != powershell || !strings.Contains(line, "/") || strings.Contains(line, `\`) {
		return sh
	}
	for _, sign := range [...]string{"@'\n", "@\"\n", "@'\r", "@\"\r", "$env:", "-Content", "Out-File", "New-Item", "-Object", "-LiteralPath"} {
		if strings.Contains(line, sign) {
			return sh
		}
	}
	return posix
}

// patchInput reads apply_patch in each form seen: a patch text under command
// or input, an argument list, or the bare text.
func patchInput(in rawjson.Value, sh shell) []Touch {
	if in.Kind() == '"' {
		return patchTouches(in.Text(), "")
	}
	for _, name := range [...]string{"command", "input", "patch"} {
		switch v := in.Get(name); v.Kind() {
		case '"':
			if t := patchTouches(v.Text(), ""); t != nil {
				return t
			}
		case '[':
			if t := argvTouches(texts(v), sh); t != nil {
				return t
			}
		}
	}
	return nil
}

func texts(v rawjson.Value) []string {
	var list []string
	for e := range v.Elements {
		list = append(list, e.Text())
	}
	return list
}

func one(path string, op Op) []Touch {
	if path == "" {
		return nil
	}
	return []Touch{{path, op}}
}

func first(in rawjson.Value, names ...string) string {
	for _, n := range names {
		if s := in.Get(n).Text(); s != "" {
			return s
		}
	}
	return ""
}

// addTouch appends a path once; the first operation on it stays. No file has a
// line end or a NUL in its name that anybody could mean, wherever it came from:
// the operand, the folder of a cd, a patch's header.
func addTouch(list []Touch, path string, op Op) []Touch {
	if path == "" || len(path) > 4096 || len(list) >= maxTouches || strings.ContainsAny(path, "\n\x00") {
		return list
	}
	for _, t := range list {
		if t.Path == path {
			return list
		}
	}
	return append(list, Touch{path, op})
}

// globFolder is the fixed folder in front of a pattern's first wildcard, "" for
// none.
func globFolder(pattern string) string {
	i := strings.IndexAny(pattern, "*?[{")
	if i < 0 {
		return pattern
	}
	i = strings.LastIndexAny(pattern[:i], `/\`)
	if i < 0 {
		return ""
	}
	return pattern[:i]
}
