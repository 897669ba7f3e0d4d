package person

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pathrule/internal/sysenv"
)

func TestClientIsSeenInTheEnvironment(t *testing.T) {
	tests := map[string]struct {
		environ []string
		want    bool
	}{
		"nothing of a client":                     {[]string{"HOME=/home/u", "PATH=/bin"}, false},
		"Claude Code":                             {[]string{"CLAUDECODE=1"}, true},
		"a generic agent":                         {[]string{"AI_AGENT=x"}, true},
		"Copilot":                                 {[]string{"COPILOT_CLI=1"}, true},
		"a variable of Codex":                     {[]string{"CODEX_SANDBOX=seatbelt"}, true},
		"a variable of Cursor":                    {[]string{"CURSOR_TRACE_ID=a"}, true},
		"a variable of Gemini":                    {[]string{"GEMINI_CLI=1"}, true},
		"a variable of Qwen":                      {[]string{"QWEN_CODE=1"}, true},
		"where Codex keeps its files is no sign":  {[]string{"CODEX_HOME=/x"}, false},
		"an API key in the profile is no sign":    {[]string{"GEMINI_API_KEY=k"}, false},
		"a variable without a value is no sign":   {[]string{"CODEX_SANDBOX="}, false},
		"a variable that only looks alike counts": {[]string{"codex_thread_id=1"}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			env := sysenv.Env{Environ: tt.environ, Vars: func(n string) string {
				for _, kv := range tt.environ {
					if k, v, _ := strings.Cut(kv, "="); k == n {
						return v
					}
				}
				return ""
			}}
			if got := byEnvironment(env) != ""; got != tt.want {
				t.Errorf("client seen = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestClientIsSeenAmongProcesses(t *testing.T) {
	tests := map[string]struct {
		argv []string
		want string
	}{
		"a shell":                         {[]string{"-bash"}, ""},
		"a program":                       {[]string{"/usr/local/bin/codex", "exec"}, "codex"},
		"a program on Windows":            {[]string{`C:\Tools\claude.exe`}, "claude"},
		"a script in Node":                {[]string{"node", "--no-warnings", "/usr/bin/gemini", "-p"}, "gemini"},
		"a package in Node":               {[]string{"/usr/bin/node", "/lib/node_modules/@anthropic-ai/claude-code/cli.js"}, "claude-code"},
		"a Node program of somebody else": {[]string{"node", "server.js", "claude"}, ""},
		"an argument that names a client": {[]string{"vim", "claude"}, ""},
		"no command line":                 {nil, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := clientOf(tt.argv); got != tt.want {
				t.Errorf("clientOf(%q) = %q, want %q", tt.argv, got, tt.want)
			}
		})
	}
}

func TestWithoutATerminalThereIsNobody(t *testing.T) {
	env := sysenv.Env{Stdin: &bytes.Buffer{}, Stderr: &bytes.Buffer{}}
	err := Check(env)
	var client *ClientError
	if !errors.Is(err, ErrNoTerminal) && !errors.As(err, &client) {
		t.Errorf("Check = %v, want a refusal", err)
	}
}
