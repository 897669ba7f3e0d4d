package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/host"
	"pathrule/internal/sysenv"
	"pathrule/setup/jsonedit"
)

// scripted is a client whose hooks are files of ours: a script and a plugin.
type scripted struct {
	host.Host
	text string
}

func scriptedHost(t *testing.T, text string) scripted { return scripted{hosts(t, "windsurf")[0], text} }

func (scripted) MCPFile(host.Scope, string, sysenv.Env) (host.ConfigFile, bool) {
	return host.ConfigFile{}, false
}

func (s scripted) OwnFiles(scope host.Scope, root string, argv []string, env sysenv.Env) []host.OwnFile {
	dir := env.UserHome
	if scope == host.Project {
		dir = root
	}
	return []host.OwnFile{
		{Path: filepath.Join(dir, ".tool", "hooks", "Start"), Data: []byte("#!/bin/sh\n# made by pathrule" + s.text + "\nexec " + strings.Join(argv, " ") + "\n"), Exec: true},
		{Path: filepath.Join(dir, ".tool", "plugin", "p.js"), Data: []byte("// made by pathrule" + s.text + "\n")},
	}
}

func (w *world) planOf(h host.Host, o Options) Plan {
	w.t.Helper()
	p, err := PlanSetup([]host.Host{h}, w.root, o, w.env)
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

func (w *world) apply(p Plan, err error) {
	w.t.Helper()
	if err == nil {
		err = Apply(p, w.env)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func TestFilesOfOurOwn(t *testing.T) {
	for _, scope := range []host.Scope{host.User, host.Project} {
		w := newWorld(t)
		h, o := scriptedHost(t, ""), Options{Scope: scope}
		before := w.state()
		w.apply(w.planOf(h, o), nil)
		script := filepath.Join(w.home, ".tool", "hooks", "Start")
		if scope == host.Project {
			script = filepath.Join(w.root, ".tool", "hooks", "Start")
		}
		if st, err := os.Stat(script); err != nil || st.Mode()&0o100 == 0 {
			t.Errorf("the script cannot be run: %v, %v", st, err)
		}
		if p := w.planOf(h, o); p.Changes() {
			t.Error("a second setup changes something")
		}
		// A checkout may have lost the bit.
		if err := os.Chmod(script, 0o644); err != nil {
			t.Fatal(err)
		}
		w.apply(w.planOf(h, o), nil)
		if st, _ := os.Stat(script); st.Mode()&0o100 == 0 {
			t.Error("the bit was not given back")
		}
		// A newer release brings its own files up to date.
		newer := scriptedHost(t, " 2")
		p := w.planOf(newer, o)
		if len(p.Edits) != 2 || p.Edits[0].Action != Update || p.Edits[1].Action != Update {
			t.Errorf("edits: %+v", p.Edits)
		}
		w.apply(p, nil)
		if !strings.Contains(w.read(script), "pathrule 2") {
			t.Error("the script is not new")
		}
		w.apply(PlanUnsetup([]host.Host{newer}, w.root, o, w.env))
		if diff := cmp.Diff(before, w.state()); diff != "" {
			t.Errorf("%s: unsetup leaves something behind (-before +after):\n%s", scope, diff)
		}
	}
}

func TestFilesThatAreNotOursAsTheyStandAreLeft(t *testing.T) {
	for name, tc := range map[string]struct {
		edit  func(text string) string
		setup string // what the refusals say
		unset string
	}{
		"somebody else's":       {func(string) string { return "#!/bin/sh\nsay done\n" }, "is not pathrule's", ""},
		"edited since":          {func(s string) string { return s + "# mine\n" }, "edited by hand", "was edited since pathrule made it"},
		"emptied":               {func(string) string { return "" }, "is not pathrule's", ""},
		"of an unknown release": {func(s string) string { return strings.Replace(s, "pathrule", "pathrule 0.1", 1) }, "made by another release", "made by another release"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			h := scriptedHost(t, "")
			w.apply(w.planOf(h, Options{}), nil)
			script := filepath.Join(w.home, ".tool", "hooks", "Start")
			text := tc.edit(w.read(script))
			w.write(script, text)
			r := w.planOf(h, Options{}).Refused()
			if len(r) != 1 || r[0].Path != script || !strings.Contains(r[0].Why, tc.setup) {
				t.Errorf("setup refuses %+v", r)
			}
			p, err := PlanUnsetup([]host.Host{h}, w.root, Options{}, w.env)
			why := ""
			for _, e := range p.Refused() {
				why += e.Why
			}
			if err != nil || tc.unset == "" && why != "" || !strings.Contains(why, tc.unset) {
				t.Errorf("unsetup refuses %q, %v", why, err)
			}
			w.apply(p, err)
			if got := w.read(script); got != text {
				t.Errorf("the file was touched: %q", got)
			}
		})
	}
}

func TestForceReplacesAnEditedFileAndUnsetupGivesItBack(t *testing.T) {
	w := newWorld(t)
	h := scriptedHost(t, "")
	script := filepath.Join(w.home, ".tool", "hooks", "Start")
	mine := "#!/bin/sh\n# made by pathrule, and by me\n"
	w.write(script, mine)
	w.apply(w.planOf(h, Options{Force: true}), nil)
	if got := w.read(script); got == mine {
		t.Error("the file was not replaced")
	}
	w.apply(PlanUnsetup([]host.Host{h}, w.root, Options{}, w.env))
	if got := w.read(script); got != mine {
		t.Errorf("came back as %q", got)
	}
	// A file that does not name us is not replaced at all.
	w.write(script, "echo\n")
	if r := w.planOf(h, Options{Force: true}).Refused(); len(r) != 1 {
		t.Errorf("refused: %+v", r)
	}
}

// moved is the same client in a release that names its file otherwise.
type moved struct{ scripted }

func (m moved) OwnFiles(scope host.Scope, root string, argv []string, env sysenv.Env) []host.OwnFile {
	list := m.scripted.OwnFiles(scope, root, argv, env)
	list[0].Path += "2"
	return list
}

func TestAFileThatIsNotUsedAnyMoreGoes(t *testing.T) {
	w := newWorld(t)
	before := w.state()
	w.apply(w.planOf(scriptedHost(t, ""), Options{}), nil)
	next := moved{scriptedHost(t, "")}
	w.apply(w.planOf(next, Options{}), nil)
	if w.read(".tool/hooks/Start") != "(none)" || w.read(".tool/hooks/Start2") == "(none)" {
		t.Errorf("state: %v", w.state())
	}
	w.apply(PlanUnsetup([]host.Host{next}, w.root, Options{}, w.env))
	if diff := cmp.Diff(before, w.state()); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

// odd is a client with another shape of hook file and of server entry.
type odd struct {
	host.Host
	shape  host.HookShape
	wiring host.Wiring
	regs   []host.Registration
}

func (o odd) Shape() host.HookShape              { return o.shape }
func (o odd) Wiring() host.Wiring                { return o.wiring }
func (o odd) Registrations() []host.Registration { return o.regs }

// Whatever shape a client has, setup writes it, finds it again and takes it out.
func TestShapesOfHookFiles(t *testing.T) {
	regs := []host.Registration{{Event: "start", Name: host.SessionStart, Program: "pathrule-hook", Timeout: 10}, {Event: "tool", Name: host.PreToolUse, Matcher: "edit", NameEvent: true, Program: "pathrule-hook", Timeout: 10}}
	for name, tc := range map[string]struct {
		shape  host.HookShape
		wiring host.Wiring
		goos   string
		scope  host.Scope
		want   []string // of the hook file
		server string
	}{
		"a bare map of events": {shape: host.HookShape{Grouped: true, Type: "command", Timeout: "timeout"}, wiring: host.Wiring{MCPTable: "mcpServers"},
			want: []string{`{"start":[{"hooks":[{"type":"command","command":"\"BIN/pathrule-hook\" --host codex","timeout":10}]}],"tool":[{"matcher":"edit",`, `--host codex --event tool"`}},
		"a named bundle, flat": {shape: host.HookShape{Key: "pathrule", Timeout: "timeout", Version: 1}, wiring: host.Wiring{MCPTable: "mcpServers"},
			want: []string{`{"version":1,"pathrule":{"start":[{"command":"\"BIN/pathrule-hook\" --host codex","timeout":10}],"tool":[{"matcher":"edit",`}},
		"two shells": {shape: host.HookShape{Key: "hooks", Command: "bash", Windows: "powershell", WindowsCall: true, Timeout: "timeoutSec", Extra: []host.Member{{Key: "env", Val: []host.Member{{Key: "A", Val: true}}}}},
			wiring: host.Wiring{MCPTable: "mcp", MCPList: true, MCPEnv: "environment", MCPType: "local", MCPExtra: []host.Member{{Key: "enabled", Val: true}}, ProjectTail: "; exit 0", ProjectTailWindows: "; exit 0"}, scope: host.Project,
			want:   []string{`{"bash":"pathrule-hook --host codex; exit 0","powershell":"pathrule-hook --host codex; exit 0","timeoutSec":10,"env":{"A":true}}`},
			server: `{"type":"local","command":["pathrule","mcp"],"enabled":true}`},
		"PowerShell alone": {shape: host.HookShape{Key: "hooks", WindowsCall: true}, goos: "windows", wiring: host.Wiring{MCPTable: "mcp", MCPList: true},
			want:   []string{`"command":"& \"BIN/pathrule-hook\" --host codex"`},
			server: `{"command":["BIN/pathrule","mcp"]}`},
		"a line for each shell, on Windows": {shape: host.HookShape{Key: "hooks", Windows: "powershell", WindowsCall: true}, goos: "windows", wiring: host.Wiring{MCPTable: "mcp"},
			want: []string{`"command":"\"BIN/pathrule-hook\" --host codex","powershell":"& \"BIN\\pathrule-hook\" --host codex"`}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if tc.goos != "" {
				w.env.GOOS = tc.goos
			}
			h := odd{Host: flatFiles{hosts(t, "codex")[0]}, shape: tc.shape, wiring: tc.wiring, regs: regs}
			o := Options{Scope: tc.scope, Pathrule: w.pathrule, Hook: w.hook}
			w.write("shop/.odd/hooks.json", "{}")
			first := w.planOf(h, o)
			for _, e := range first.Refused() {
				t.Fatal(e.Why)
			}
			w.apply(first, nil)
			compact := func(file string) string {
				d, err := jsonedit.Parse([]byte(w.read(file)))
				if err != nil {
					t.Fatal(err)
				}
				c, _ := jsonedit.Parse([]byte(`{"v":0}`))
				if err := c.Set(d.Root().Value(), "v"); err != nil {
					t.Fatal(err)
				}
				text := strings.ReplaceAll(string(c.Bytes()), w.bin, "BIN")
				return strings.ReplaceAll(text, strings.ReplaceAll(w.bin, "/", `\\`), "BIN")
			}
			got := compact("shop/.odd/hooks.json")
			for _, want := range tc.want {
				if !strings.Contains(got, want) {
					t.Errorf("the hook file does not hold %s:\n%s", want, got)
				}
			}
			if got := compact("shop/.odd/mcp.json"); tc.server != "" && !strings.Contains(got, `"pathrule":`+tc.server) {
				t.Errorf("the servers are %s", got)
			}
			if p := w.planOf(h, o); p.Changes() {
				t.Errorf("a second setup changes:\n%s", differences(p, w.env))
			}
			// Every hook is found again, also when its program moved.
			w.write("shop/.odd/hooks.json", strings.ReplaceAll(w.read("shop/.odd/hooks.json"), "pathrule-hook --host codex", "/old/pathrule-hook --host codex"))
			w.apply(w.planOf(h, o), nil)
			if n := strings.Count(w.read("shop/.odd/hooks.json"), "--host codex"); n != 2 && tc.shape.Windows == "" || n != 4 && tc.shape.Windows != "" {
				t.Errorf("%d commands stand there:\n%s", n, w.read("shop/.odd/hooks.json"))
			}
			w.apply(PlanUnsetup([]host.Host{h}, w.root, o, w.env))
			after := w.state()
			if strings.Contains(after["shop/.odd/hooks.json"], "pathrule") {
				t.Errorf("left over: %v", after)
			}
		})
	}
}

// flatFiles puts a client's files where the test looks for them.
type flatFiles struct{ host.Host }

func (flatFiles) HookFile(_ host.Scope, root string, _ sysenv.Env) (host.ConfigFile, bool) {
	return host.ConfigFile{Path: filepath.Join(root, ".odd", "hooks.json"), Format: "json"}, true
}

func (flatFiles) MCPFile(_ host.Scope, root string, _ sysenv.Env) (host.ConfigFile, bool) {
	return host.ConfigFile{Path: filepath.Join(root, ".odd", "mcp.json"), Format: "json"}, true
}
