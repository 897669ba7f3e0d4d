package setup

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/host"
	"pathrule/setup/jsonedit"
)

// Ownership is by words, never by substring (E1, A21).
func TestOwnershipIsByWords(t *testing.T) {
	type o = jsonedit.Object
	cmd := func(line string) o { return o{{Key: "command", Val: line}} }
	for name, tc := range map[string]struct {
		body o
		ours bool
	}{
		"a bare name":                      {cmd("pathrule-hook --host codex"), true},
		"an absolute path":                 {cmd("/usr/local/bin/pathrule-hook --host=codex"), true},
		"a quoted path with a blank":       {cmd(`"/my tools/pathrule-hook" --host codex`), true},
		"single quotes":                    {cmd(`'/my tools/pathrule' hook --host codex`), true},
		"an escaped blank":                 {cmd(`/my\ tools/pathrule-hook --host codex`), true},
		"a quiet tail":                     {cmd("pathrule-hook --host codex 2>/dev/null; exit 0"), true},
		"a tail of cmd":                    {cmd("pathrule-hook --host codex 2>nul & exit /b 0"), true},
		"an or at the end":                 {cmd("pathrule hook --host gemini-cli 2> /dev/null || true"), true},
		"Windows backslashes":              {cmd(`C:\Users\me\go\bin\pathrule-hook.exe --host codex`), true},
		"a quoted Windows path":            {cmd(`"C:\Users\A B\pathrule-hook.EXE" --host codex`), true},
		"PowerShell's call operator":       {cmd(`& "C:/a b/pathrule-hook.exe" --host cursor`), true},
		"a variable in the path":           {cmd(`"$HOME/go/bin/pathrule-hook" --host codex`), true},
		"an assignment in front":           {cmd(`PATHRULE_HOME=/x pathrule hook --host codex`), true},
		"exec form":                        {o{{Key: "command", Val: "/x/pathrule"}, {Key: "args", Val: []any{"hook", "--host", "claude-code"}}}, true},
		"the hook without any flag":        {cmd("pathrule-hook"), true},
		"a script with our name inside":    {cmd("/opt/my-pathrule-hook.sh --host codex"), false},
		"a script that starts with it":     {cmd("pathrule-hook.sh --host codex"), false},
		"another program in our folder":    {cmd("/opt/pathrule/bin/other hook --host codex"), false},
		"another subcommand":               {cmd("pathrule search hook"), false},
		"hooks is not hook":                {cmd("pathrule hooks test"), false},
		"pathrule alone":                   {cmd("pathrule"), false},
		"our name as an argument":          {cmd("echo pathrule-hook --host codex"), false},
		"through another shell":            {cmd("sh -c 'pathrule-hook --host codex'"), false},
		"piped on":                         {cmd("pathrule-hook --host codex | tee /tmp/log"), false},
		"followed by something":            {cmd("pathrule-hook --host codex; say done"), false},
		"after something":                  {cmd("cd /x && pathrule-hook --host codex"), false},
		"in a substitution":                {cmd("echo $(pathrule-hook --host codex)"), false},
		"an open quote":                    {cmd(`"pathrule-hook --host codex`), false},
		"exec form of a look-alike":        {o{{Key: "command", Val: "/x/pathrule"}, {Key: "args", Val: []any{"serve", "--host"}}}, false},
		"exec form with the words in one":  {o{{Key: "command", Val: "pathrule-hook --host codex"}, {Key: "args", Val: []any{}}}, false},
		"arguments that are no strings":    {o{{Key: "command", Val: "pathrule-hook"}, {Key: "args", Val: []any{jsonedit.Number("1")}}}, false},
		"no command":                       {o{{Key: "url", Val: "pathrule-hook"}}, false},
		"the hook with foreign flags only": {cmd("pathrule-hook --help"), false},
	} {
		t.Run(name, func(t *testing.T) {
			argv, _, ok := words(tc.body, host.HookShape{})
			if got := ok && oursHook(argv); got != tc.ours {
				t.Errorf("%v reads as %q, ours: %v", tc.body, argv, got)
			}
		})
	}
}

func TestShellLinesReadBack(t *testing.T) {
	for _, argv := range [][]string{
		{"/my tools/pathrule-hook", "--host", "codex"},
		{"/it's/pathrule", "hook", "--host", "codex", "--env", "PATHRULE_HOME=/a (b) & c;d|e*?[x]<y>~z#!"},
		{"/ü/雪/pathrule-hook", "--host", "codex"},
	} {
		line, err := shellLine(argv, "linux")
		if err != nil {
			t.Fatal(err)
		}
		got, ok := splitLine(line)
		if diff := cmp.Diff(argv, got); !ok || diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
	for _, bad := range []string{"/a$b", "/a`b", `/a"b`, `/a\b`, "/a\nb", "/a\x00b", "/a\xffb"} {
		if line, err := shellLine([]string{strings.ToValidUTF8(bad, "\ufffd"), "x"}, "linux"); err == nil {
			t.Errorf("%q was written as %s", bad, line)
		}
	}
	if _, err := shellLine([]string{"C:/%PATH%/pathrule"}, "windows"); err == nil {
		t.Error("a percent sign passes for cmd")
	}
}

func FuzzSplitLine(f *testing.F) {
	for _, s := range []string{"pathrule-hook --host codex 2>/dev/null; exit 0", `"a b" 'c' d\ e`, "& x | y", "a=b c", "\\", "$(", "2>", `"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		argv, ok := splitLine(line)
		if !ok || len(argv) == 0 {
			return
		}
		// What we read as our command and write again reads the same.
		again, err := shellLine(argv, "linux")
		if err != nil {
			return
		}
		got, ok := splitLine(again)
		if len(argv) > 0 && strings.Contains(argv[0], "=") {
			return // would read as an assignment
		}
		for _, w := range argv {
			if w == "" || w == "&" {
				return
			}
		}
		if diff := cmp.Diff(argv, got); !ok || diff != "" {
			t.Errorf("%q -> %q -> %q: %s", line, argv, again, diff)
		}
	})
}
