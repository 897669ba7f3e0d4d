package setup

import (
	"errors"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/host"
	"pathrule/internal/sysenv"
	"pathrule/setup/jsonedit"
	"pathrule/setup/tomledit"
)

// For every file that is not refused: what is not ours means the same after a
// setup and after an unsetup, and a second setup changes nothing.
func FuzzSetupJSON(f *testing.F) {
	for _, text := range files {
		f.Add(text)
	}
	f.Add(`{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"pathrule-hook --host claude-code"},{"type":"command","command":"x"}],"note":1}]},"mcpServers":{"pathrule":{"command":"/old/pathrule","args":["mcp","--read-only"],"env":{"PATHRULE_HOME":"/x"}}}}`)
	f.Add(`{"hooks":{"SessionStart":[{"hooks":[{"command":"pathrule hook --host codex; exit 0"}]},{"hooks":[]}],"X":[]},"mcpServers":{}}`)
	h, _ := host.ByName("claude-code")
	fuzzSetup(f, h, filepath.Join(".claude", "settings.json"), func(b []byte) any {
		d, err := jsonedit.Parse(b)
		if err != nil {
			return nil
		}
		return []any{foreignJSON(d.Root().Value(), h, target{hooks: true}), d.Comments(ownNodes(d, h, target{hooks: true})...)}
	})
}

func FuzzSetupTOML(f *testing.F) {
	for _, text := range []string{
		"", "model = 'x' # c\n", "[mcp_servers]\no = { command = 'y' }\n", "[mcp_servers.pathrule]\ncommand = '/old/pathrule'\nargs = ['mcp']\ntool_timeout_sec = 9\n\n[mcp_servers.pathrule.env]\nA = '1'\n# z\n[z]\n",
		"mcp_servers.pathrule = { command = 'pathrule', args = ['mcp'] }\n", "\ufeffa = 1\r\n", "[[mcp_servers]]\n", "[mcp_servers.pathrule]\nurl='x'\n",
	} {
		f.Add(text)
	}
	h, _ := host.ByName("codex")
	fuzzSetup(f, h, filepath.Join(".codex", "config.toml"), func(b []byte) any {
		d, err := tomledit.Parse(b)
		if err != nil {
			return nil
		}
		return []any{foreignTOML(d.Value(), "mcp_servers"), d.Comments("mcp_servers", server)}
	})
}

// fuzzSetup stays in memory: that unsetup gives the original bytes back is a
// matter of the record, which the tables prove on disk.
func fuzzSetup(f *testing.F, h host.Host, file string, foreign func([]byte) any) {
	env := sysenv.Env{GOOS: "linux", UserHome: "/home/dev", Cwd: "/home/dev", Executable: "/opt/my tools/pathrule"}
	progs := programs{"/opt/my tools/pathrule", "/opt/my tools/pathrule-hook"}
	path := filepath.Join(env.UserHome, file)
	var tg target
	for _, t := range targets(h, host.User, "", env) {
		if t.cfg.Path == path {
			tg = t
		}
	}
	refused := func(err error) bool {
		var je *jsonedit.Error
		var te *tomledit.Error
		return errors.As(err, &je) || errors.As(err, &te)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e := Edit{Path: path, Before: []byte(text)}
		if err := e.merge(h, tg, host.User, "", Options{}, progs, env); refused(err) {
			return
		} else if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if a, b := foreign(e.Before), foreign(e.After); a != nil && !sameAny(a, b) {
			t.Fatalf("what is not ours changed: %q became %q", text, e.After)
		}
		if count(h, tg, e.After) == 0 {
			t.Fatalf("nothing of ours in %q", e.After)
		}
		again := Edit{Path: path, Before: e.After}
		if err := again.merge(h, tg, host.User, "", Options{}, progs, env); err != nil || string(again.After) != string(e.After) {
			t.Fatalf("a second setup: %v, %s", err, cmp.Diff(string(e.After), string(again.After)))
		}
		u := Edit{Path: path, Surface: tg.surface(), Before: e.After, After: e.After, unsets: true}
		if err := u.unmerge(h, tg, file0(e.After), ""); refused(err) {
			return
		} else if err != nil {
			t.Fatalf("unsetup of %q: %v", e.After, err)
		}
		if a, b := foreign(e.Before), foreign(u.After); a != nil && !sameAny(a, b) || count(h, tg, u.After) != 0 {
			t.Fatalf("unsetup: %q became %q", e.After, u.After)
		}
	})
}

func file0(data []byte) file { return file{real: "/nowhere", data: data, exists: true} }

// sameAny compares two pairs of (value, comments); nan equals nan.
func sameAny(a, b any) bool {
	x, y := a.([]any), b
	if y == nil {
		return false
	}
	z := y.([]any)
	return (reflect.DeepEqual(x[0], z[0]) || sameTOML(x[0], z[0])) && reflect.DeepEqual(x[1], z[1])
}
