package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pathrule/host"
	"pathrule/internal/sysenv"
)

// neighbour is a second client that keeps its server in the file of the first.
type neighbour struct{ scripted }

func (neighbour) ID() string    { return "windsurf" }
func (neighbour) Title() string { return "Neighbour" }

func (neighbour) MCPFile(scope host.Scope, root string, env sysenv.Env) (host.ConfigFile, bool) {
	h, _ := host.ByName("claude-code")
	return h.MCPFile(scope, root, env)
}

// Several clients read their servers from one file: one entry, planned once,
// owned by both, and the bytes come back when the last one goes.
func TestTwoClientsInOneFile(t *testing.T) {
	w := newWorld(t)
	one, two := hosts(t, "claude-code")[0], neighbour{scriptedHost(t, "")}
	o := Options{Scope: host.Project}
	text := "{\n  \"mcpServers\": {} // mine\n}\n"
	w.write("shop/.mcp.json", text)
	before := w.state()
	p, err := PlanSetup([]host.Host{one, two}, w.root, o, w.env)
	w.apply(p, err)
	if n := strings.Count(w.read("shop/.mcp.json"), `"pathrule"`); n != 2 { // the key and the program
		t.Errorf("the file holds\n%s", w.read("shop/.mcp.json"))
	}
	var of []string
	for _, e := range p.Edits {
		if filepath.Base(e.Path) == ".mcp.json" {
			of = append(of, e.Host+" "+e.Action)
		}
	}
	if strings.Join(of, ", ") != "claude-code update, windsurf keep" {
		t.Errorf("edits: %q", of)
	}
	rec := loadRecord(filepath.Join(w.home, ".pathrule"), filepath.Join(w.root, ".mcp.json"))
	if rec == nil || strings.Join(rec.Hosts, " ") != "claude-code windsurf" {
		t.Fatalf("record %+v", rec)
	}
	p, err = PlanUnsetup([]host.Host{one, two}, w.root, o, w.env)
	w.apply(p, err)
	if got := w.state(); got["shop/.mcp.json"] != before["shop/.mcp.json"] {
		t.Errorf("came back as %q", got["shop/.mcp.json"])
	}
}

// real are two clients of the table that share a project's file of servers.
func sharing(t *testing.T, w *world) (a, b host.Host) {
	t.Helper()
	for _, h := range host.All() {
		cfg, ok := h.MCPFile(host.Project, w.root, w.env)
		if !ok || !hasHooks(h) {
			continue
		}
		for _, o := range sharers(h, host.Project, w.root, cfg.Path, w.env) {
			if hasHooks(o) {
				return h, o
			}
		}
	}
	t.Skip("no two clients of the table share a file yet")
	return nil, nil
}

func TestUnsetupOfOneClientLeavesWhatAnotherUses(t *testing.T) {
	w := newWorld(t)
	a, b := sharing(t, w)
	o := Options{Scope: host.Project}
	before := w.state()
	w.setup(o, a.ID())
	if list, _ := Inspect(w.root, w.env); len(list) > 0 {
		for _, in := range list {
			if in.Host != a.ID() {
				t.Errorf("%s counts as set up: %+v", in.Host, in)
			}
		}
	}
	w.setup(o, b.ID())
	cfg, _ := a.MCPFile(host.Project, w.root, w.env)
	text := w.read(cfg.Path)
	p := w.unsetup(o, a.ID())
	if w.read(cfg.Path) != text {
		t.Errorf("%s lost its server: %s", b.Title(), w.read(cfg.Path))
	}
	said := false
	for _, e := range p.Edits {
		said = said || strings.Contains(e.Summary, b.Title()+" uses it too")
	}
	if !said {
		t.Errorf("nothing says why the server stays: %+v", p.Edits)
	}
	// A clone on another machine has no record, only the files.
	if err := os.RemoveAll(filepath.Join(w.home, ".pathrule")); err != nil {
		t.Fatal(err)
	}
	w.setup(o, a.ID())
	if p := w.unsetup(o, a.ID()); w.read(cfg.Path) != text {
		t.Errorf("without a record: %+v", p.Edits)
	}
	w.unsetup(o, b.ID())
	if strings.Contains(w.read(cfg.Path), "pathrule") {
		t.Errorf("left over: %s", w.read(cfg.Path))
	}
	_ = before
}

// Whoever comes first writes the word for the type that all of them take.
func TestClientsThatShareAFileAgreeOnItsWords(t *testing.T) {
	w := newWorld(t)
	a, b := sharing(t, w)
	cfg, _ := a.MCPFile(host.Project, w.root, w.env)
	o := Options{Scope: host.Project}
	w.setup(o, a.ID())
	want := w.read(cfg.Path)
	w.unsetup(o, a.ID())
	w.setup(o, b.ID())
	if typ := `"type": "` + a.Wiring().MCPType + `"`; a.Wiring().MCPType != "" && !strings.Contains(w.read(cfg.Path), typ) {
		t.Errorf("%s writes\n%s\nwhere %s writes\n%s", b.Title(), w.read(cfg.Path), a.Title(), want)
	}
	p := w.setup(o, a.ID())
	for _, e := range p.Edits {
		if e.Path == cfg.Path && e.Action != Keep {
			t.Errorf("%s changes what %s wrote:\n%s", a.Title(), b.Title(), differences(p, w.env))
		}
	}
}

func TestOneFileForHooksAndServer(t *testing.T) {
	w := newWorld(t)
	h := together{hosts(t, "claude-code")[0]}
	text := "{\n\t\"model\": \"x\" // mine\n}"
	w.write(".claude/settings.json", text)
	p := w.planOf(h, Options{})
	if len(p.Edits) != 1 || p.Edits[0].Surface != "hooks+mcp" {
		t.Fatalf("edits: %+v", p.Edits)
	}
	w.apply(p, nil)
	got := w.read(".claude/settings.json")
	if !strings.Contains(got, `"mcpServers"`) || !strings.Contains(got, `"SessionStart"`) {
		t.Errorf("wrote %s", got)
	}
	i := inspector{h: h, scope: host.User, root: w.root, env: w.env, progs: programs{w.pathrule, w.hook}, home: filepath.Join(w.home, ".pathrule"), wired: true}
	w.write(".claude/settings.json", strings.Replace(got, `"mcpServers"`, `"mcp"`, 1))
	i.file(targets(h, host.User, w.root, w.env)[0], readFile(filepath.Join(w.home, ".claude", "settings.json")))
	if last := i.out[len(i.out)-1]; last.Surface != MCP || !strings.Contains(last.Problem, "not there any more") {
		t.Errorf("a server that the client dropped is not told: %+v", last)
	}
	w.write(".claude/settings.json", got)
	w.apply(PlanUnsetup([]host.Host{h}, w.root, Options{}, w.env))
	if got := w.read(".claude/settings.json"); got != text {
		t.Errorf("came back as %q", got)
	}
}

type together struct{ host.Host }

func (h together) MCPFile(scope host.Scope, root string, env sysenv.Env) (host.ConfigFile, bool) {
	return h.HookFile(scope, root, env)
}

func TestLinksForDesktopEditors(t *testing.T) {
	w := newWorld(t)
	bin := filepath.Join(w.home, ".pathrule", "bin")
	w.setup(Options{}, "claude-code")
	for name, want := range map[string]string{"pathrule": w.pathrule, "pathrule-hook": w.hook, "pathrule-prompt": ""} {
		if to, _ := os.Readlink(filepath.Join(bin, name)); to != want {
			t.Errorf("%s leads to %q, want %q", name, to, want)
		}
	}
	if text := w.read(".claude/settings.json"); strings.Contains(text, bin) {
		t.Error("an entry of the user scope names the folder of links")
	}
	// The folder on PATH is no reason to link a link to itself.
	w.env = w.env.With("PATH", bin)
	if err := Link(w.env); err != nil {
		t.Fatal(err)
	}
	if to, _ := os.Readlink(filepath.Join(bin, "pathrule")); to != w.pathrule {
		t.Errorf("pathrule leads to %q", to)
	}
	// A link that leads elsewhere is made right; a file of somebody else's stays.
	w.link("/gone/pathrule", filepath.Join(w.home, "x"))
	_ = os.Rename(filepath.Join(w.home, "x"), filepath.Join(bin, "pathrule"))
	_ = os.Remove(filepath.Join(bin, "pathrule-hook"))
	w.write(filepath.Join(bin, "pathrule-hook"), "mine")
	var said []string
	for _, l := range BinLinks(w.env) {
		said = append(said, l.Problem)
	}
	if len(said) != 3 || said[0] != "leads to /gone/pathrule, not to "+w.pathrule || said[1] != "is no link; move it away" || said[2] != "" {
		t.Errorf("problems %q", said)
	}
	if err := Link(w.env); err != nil {
		t.Fatal(err)
	}
	if to, _ := os.Readlink(filepath.Join(bin, "pathrule")); to != w.pathrule || w.read(filepath.Join(bin, "pathrule-hook")) != "mine" {
		t.Errorf("pathrule leads to %q, the other holds %q", to, w.read(filepath.Join(bin, "pathrule-hook")))
	}
	other := filepath.Join(t.TempDir(), "pr")
	w.write(other, "")
	w.env.Executable = other
	if _, err := findPrograms(Options{}, w.env); err == nil || !strings.Contains(err.Error(), "none beside "+other+"; rename that file to pathrule, or install") {
		t.Errorf("a program of another name: %v", err)
	}
	w.env.Executable = "/tmp/go-build123/b001/exe/pathrule"
	if l := BinLinks(w.env); l != nil {
		t.Errorf("a temporary build is linked: %+v", l)
	}
}

func TestWindowsGetsShims(t *testing.T) {
	w := newWorld(t)
	w.env.GOOS = "windows"
	for _, p := range []string{w.pathrule, w.hook} {
		w.write(p+".exe", "")
	}
	w.env.Executable = w.pathrule + ".exe"
	if err := Link(w.env); err != nil {
		t.Fatal(err)
	}
	if got, want := w.read(".pathrule/bin/pathrule-hook.cmd"), "@\""+w.hook+".exe\" %*\r\n"; got != want {
		t.Errorf("shim %q, want %q", got, want)
	}
	for _, l := range BinLinks(w.env) {
		if l.Problem != "" {
			t.Errorf("%s: %s", l.Name, l.Problem)
		}
	}
}

// importer is a client that runs Claude Code's hooks as well.
// Rows: A15.
func TestAClientThatRunsAnothersHooksIsNamedWithTheSwitch(t *testing.T) {
	w := newWorld(t)
	for _, h := range host.All() {
		f := h.Facts()
		for _, id := range f.Runs {
			if _, ok := host.ByName(id); !ok {
				t.Errorf("%s runs hooks of %q, which is no client", h.ID(), id)
			}
			// Copilot knows no switch for these alone.
			if f.Off == "" && h.ID() != "copilot" {
				t.Errorf("%s: no switch is named", h.ID())
			}
			w, theirs := newWorld(t), Options{}
			if f.RunsProject {
				w.setup(Options{}, h.ID(), id)
				if got := Imports(w.root, w.env); len(got) != 0 {
					t.Errorf("%s does not run what %s has at user scope, but %+v", h.ID(), id, got)
				}
				w, theirs = newWorld(t), Options{Scope: host.Project}
			}
			first := w.setup(theirs, id)
			for _, line := range first.Next {
				if strings.Contains(line, "also runs the hooks") {
					t.Errorf("told without %s: %s", h.ID(), line)
				}
			}
			p := w.setup(Options{}, h.ID())
			if next := strings.Join(p.Next, "\n"); !strings.Contains(next, h.Title()+" also runs the hooks of ") || !strings.Contains(next, f.Off) {
				t.Errorf("%s after %s: %q", h.ID(), id, next)
			}
			if got := Imports(w.root, w.env); len(got) != 1 || got[0].Host.ID() != h.ID() || got[0].Off != f.Off {
				t.Errorf("imports %+v", got)
			}
		}
	}
	if got := Imports(w.root, w.env); len(got) != 0 {
		t.Errorf("nothing is set up: %+v", got)
	}
}

// A file of a client that was never set up is nobody's business here.
func TestFilesOfClientsThatAreNotSetUpAreNotJudged(t *testing.T) {
	w := newWorld(t)
	for _, h := range host.All() {
		for _, scope := range []host.Scope{host.User, host.Project} {
			for _, tg := range targets(h, scope, w.root, w.env) {
				w.write(tg.cfg.Path, "{ broken")
			}
		}
	}
	if p := w.problems(); p != nil {
		t.Errorf("problems: %q", p)
	}
	p := w.unsetup(Options{}, all...)
	if len(p.Edits) != 0 {
		t.Errorf("unsetup speaks of %+v", p.Edits)
	}
}

// The local entries of Claude Code stand beside the user's own and win.
func TestAnEntryForOneFolderIsFound(t *testing.T) {
	w := newWorld(t)
	w.write(".claude.json", `{"projects": {"/a": {"mcpServers": {"pathrule": {"command": "/gone/pathrule", "args": ["mcp"]}}}, "/b": {"mcpServers": {"pathrule": {"command": "npx"}}}, "/c": {}}}`)
	w.setup(Options{}, "claude-code")
	list, err := Inspect(w.root, w.env)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, in := range list {
		if in.Folder != "" {
			got[in.Folder] = in.Problem
		}
	}
	if len(got) != 2 || !strings.Contains(got["/a"], "/gone/pathrule is missing") || !strings.Contains(got["/b"], `runs "npx"`) {
		t.Errorf("found %q", got)
	}
}
