// Package person tells whether a person sits at the terminal or an AI client
// runs the command. Whatever widens trust asks here first. It is a hurdle, not
// a wall: an assistant that runs unsandboxed as the user can do what the user
// can.
package person

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"golang.org/x/term"

	"pathrule/internal/sysenv"
)

// ErrNoTerminal: stdin or stderr is no terminal.
var ErrNoTerminal = errors.New("this needs a person at a terminal")

// ClientError names the AI client that seems to run the command.
type ClientError struct {
	// Seen is how it was seen: "CLAUDECODE is set", "a parent process is codex".
	Seen string
}

func (e *ClientError) Error() string { return "this needs a person, and " + e.Seen }

// Check is nil when a person sits at the terminal, as far as one can see.
func Check(env sysenv.Env) error {
	if seen := Client(env); seen != "" {
		return &ClientError{seen}
	}
	for _, s := range []any{env.Stdin, env.Stderr} {
		f, ok := s.(*os.File)
		if !ok || !term.IsTerminal(int(f.Fd())) {
			return ErrNoTerminal
		}
	}
	return nil
}

// Client says how an AI client was seen around this process, "" when none was.
func Client(env sysenv.Env) string {
	if seen := byEnvironment(env); seen != "" {
		return seen
	}
	for _, argv := range ancestors() {
		if name := clientOf(argv); name != "" {
			return fmt.Sprintf("a parent process is %s", name)
		}
	}
	return ""
}

// byEnvironment looks for the variables that clients set for what they start.
func byEnvironment(env sysenv.Env) string {
	// The last is no client's: what a person's own hook runs is not that person.
	for _, name := range []string{"CLAUDECODE", "AI_AGENT", "COPILOT_CLI", "PATHRULE_HOOK_EVENT"} {
		if env.Get(name) != "" {
			return name + " is set"
		}
	}
	for _, kv := range env.Environ {
		name, value, _ := strings.Cut(kv, "=")
		for _, p := range []string{"CODEX_", "CURSOR_", "GEMINI_", "QWEN_"} {
			if value != "" && strings.HasPrefix(strings.ToUpper(name), p) && !settingOf(name) {
				return name + " is set"
			}
		}
	}
	return ""
}

// settingOf names the variables with a client's prefix that people set for
// themselves in their shell's profile.
func settingOf(name string) bool {
	switch strings.ToUpper(name) {
	case "CODEX_HOME", "GEMINI_API_KEY", "GEMINI_MODEL", "QWEN_API_KEY", "CURSOR_API_KEY", "CODEX_API_KEY":
		return true
	}
	return false
}

// clientOf recognises a client by its program, or by the script that an
// interpreter runs.
func clientOf(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	if n := known(argv[0]); n != "" {
		return n
	}
	switch base(argv[0]) {
	case "node", "bun", "deno", "python", "python3":
		for _, arg := range argv[1:] {
			if !strings.HasPrefix(arg, "-") {
				return known(arg)
			}
		}
	}
	return ""
}

func base(p string) string {
	b := strings.ToLower(path.Base(strings.ReplaceAll(p, `\`, "/")))
	for _, ext := range []string{".exe", ".js", ".mjs", ".cjs", ".py"} {
		b = strings.TrimSuffix(b, ext)
	}
	return b
}

func known(p string) string {
	switch b := base(p); b {
	case "claude", "codex", "cursor-agent", "gemini", "qwen", "copilot", "opencode", "kiro-cli", "codebuddy", "devin", "cline", "windsurf":
		return b
	}
	l := strings.ToLower(strings.ReplaceAll(p, `\`, "/"))
	for _, m := range []string{"@anthropic-ai/claude-code/", "@openai/codex/", "@google/gemini-cli/", "@qwen-code/qwen-code/", "@github/copilot/"} {
		if strings.Contains(l, m) {
			return strings.Trim(m[strings.LastIndex(m[:len(m)-1], "/")+1:], "/")
		}
	}
	return ""
}
