package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pathrule/host"
	"pathrule/internal/sysenv"
)

// client is how one real client is installed, driven and looked at.
type client struct {
	id string
	// program is a glob below HOSTS/ID/node_modules. A script runs on the Node
	// that is installed beside the clients.
	program string
	script  bool
	// person makes what a person's machine has before pathrule comes: the
	// model's address, a sign-in, trust in the folder. It is not written again.
	person func(m *machine)
	// trust does what a person does in the client after setup, nil for nothing.
	trust func(m *machine, exe string)
	// args are for one headless turn; more continues the newest session.
	args func(m *machine, prompt string, more bool) []string
	env  func(m *machine) []string
	// read and edit are the model's calls on the invoice.
	read, edit func(m *machine) step
	// swap are the ways in which the model puts a line of the invoice in the
	// other's place, the plainest first; shell runs a command. nil where refusals
	// and holds are not driven.
	swap  func(m *machine, from, to string) []step
	shell func(m *machine, command string) step
	// grouped: the wire has the names of our tools in two parts.
	grouped bool
	// subagent are the model's calls that start one with a prompt, nil where
	// nothing reaches it.
	subagent func(prompt string) []step
	// toolsOnly: nothing is heard before the first tool, which brings the
	// session's text too; a prompt brings nothing.
	toolsOnly bool
	// oneTurn: headless, the client does not go on with a session.
	oneTurn bool
	// forgets: going on with a session, the client keeps neither the start's nor
	// the prompts' texts, and the tools' maybe twice; so they may come anew.
	forgets bool
	// where says in which place a text stands in the model's request: a part of
	// the string that holds it, or of the way to it.
	where map[string]string
}

var clients = []client{claudeCode, codexCLI, geminiCLI, qwenCode, openCode, copilotCLI, clineCLI}

// find is the real program of a client; the test is skipped without it. The
// release must be the one that host/ describes.
func (c client) find(t *testing.T) string {
	t.Helper()
	dir := os.Getenv(hostsVar)
	if dir == "" {
		t.Skipf("needs the real clients: run scripts/e2e, or set %s (see the package comment)", hostsVar)
	}
	if only := os.Getenv(onlyVar); only != "" && !slices.Contains(strings.Fields(only), c.id) {
		t.Skip("not asked for")
	}
	dir = filepath.Join(dir, c.id)
	if why, err := os.ReadFile(filepath.Join(dir, "why")); err == nil {
		t.Skipf("%s cannot be installed here:\n%s", c.id, clip(string(why)))
	}
	found, err := filepath.Glob(filepath.Join(dir, "node_modules", filepath.FromSlash(c.program)))
	if err != nil || len(found) == 0 {
		t.Skipf("%s is not in %s: run scripts/e2e %s", c.program, dir, c.id)
	}
	return found[0]
}

// releaseOf reads the release of an installed program out of its package.
func releaseOf(t *testing.T, exe string) string {
	t.Helper()
	for dir := filepath.Dir(exe); filepath.Base(dir) != "node_modules"; dir = filepath.Dir(dir) {
		b, err := os.ReadFile(filepath.Join(dir, "package.json"))
		if err != nil {
			continue
		}
		var p struct{ Version string }
		if err := json.Unmarshal(b, &p); err != nil {
			t.Fatal(err)
		}
		release, _, _ := strings.Cut(p.Version, "-") // a platform may be appended
		return release
	}
	t.Fatalf("%s lies in no package", exe)
	return ""
}

// contract is what host/ says of the client.
func (c client) contract(t *testing.T) host.Host {
	t.Helper()
	h, ok := host.ByName(c.id)
	if !ok {
		t.Fatalf("host/ does not know %s", c.id)
	}
	return h
}

// wired is a machine with the client set up by pathrule's own command.
func (c client) wired(t *testing.T, exe, scope string) *machine {
	t.Helper()
	m := newMachine(t)
	c.person(m)
	m.knowledge()
	m.pathrule("setup", c.id, "--scope", scope, "--yes")
	if c.trust != nil {
		c.trust(m, exe)
	}
	return m
}

// run is one turn of the client in dir; it must end well.
func (c client) run(m *machine, exe, dir, prompt string, more bool, extra ...string) (stdout, stderr string) {
	m.t.Helper()
	argv := append(append([]string{exe}, c.args(m, prompt, more)...), extra...)
	env := c.env(m)
	if c.script {
		node := nodeProgram(m.t)
		argv = append([]string{node}, argv...)
		env = append(env, "PATH="+pathOf(m.env)+":"+filepath.Dir(node))
	}
	code, stdout, stderr := m.exec(dir, env, argv...)
	if code != 0 {
		m.t.Fatalf("%s: exit %d\nstdout: %s\nstderr: %s\nnot for the model: %q", c.id, code, clip(stdout), clip(stderr), m.model.unanswered())
	}
	return stdout, stderr
}

// nodeProgram is the Node for clients that are scripts.
func nodeProgram(t *testing.T) string {
	t.Helper()
	found, _ := filepath.Glob(filepath.Join(os.Getenv(hostsVar), "node", "node_modules", "node-*", "bin", "node"))
	if len(found) == 0 {
		t.Skip("Node for the client is not installed: run scripts/e2e")
	}
	return found[0]
}

func pathOf(env []string) string {
	for _, kv := range slices.Backward(env) {
		if p, ok := strings.CutPrefix(kv, "PATH="); ok {
			return p
		}
	}
	return ""
}

// stands checks that a text came in the client's own place for it.
func (c client) stands(m *machine, r request, canary string) {
	m.t.Helper()
	want := c.where[canary]
	for _, text := range r.texts(canary) {
		if !strings.Contains(text, want) {
			m.t.Errorf("%s does not stand in %q: %s", canary, want, clip(text))
		}
	}
}

// call is the model's call of one of our tools.
func (c client) call(t *testing.T, tool string, args map[string]any) step {
	t.Helper()
	s := step{Tool: c.contract(t).Tool(tool), Args: args}
	if c.grouped {
		s.Group, s.Tool = strings.TrimSuffix(s.Tool, "__"+tool), tool
	}
	return s
}

// each runs a test for every client.
func each(t *testing.T, f func(t *testing.T, c client, exe string)) {
	for _, c := range clients {
		t.Run(c.id, func(t *testing.T) { f(t, c, c.find(t)) })
	}
}

func TestTheClientIsTheReleaseThatTheDocumentationNames(t *testing.T) {
	each(t, func(t *testing.T, c client, exe string) {
		facts := c.contract(t).Facts()
		if got := releaseOf(t, exe); !slices.Contains(strings.Fields(strings.ReplaceAll(facts.Version, ";", " ")), got) || !facts.Seen {
			t.Errorf("release %s is driven; host/ says %q, seen: %v", got, facts.Version, facts.Seen)
		}
	})
}

// The main thing: over one session, each piece comes at its moment, in its
// place, and once.
// Rows: F34, T19.
func TestTheRightSliceAtTheRightMoment(t *testing.T) {
	each(t, func(t *testing.T, c client, exe string) {
		for _, scope := range []string{"user", "project"} {
			t.Run(scope, func(t *testing.T) { c.session(t, exe, scope) })
		}
	})
}

func (c client) session(t *testing.T, exe, scope string) {
	h := c.contract(t)
	m := c.wired(t, exe, scope)
	script := []step{c.read(m), c.edit(m)}
	_, served := h.MCPFile(host.Scope(scope), m.root, sysenv.Env{UserHome: m.home})
	if served {
		script = append(script,
			c.call(t, "get_context", map[string]any{"prompt": "how are sessions kept in the web app", "paths": []any{"apps/web"}}),
			c.call(t, "read_memory", map[string]any{"id": "web-sessions"}))
	}
	m.model.play(append(script, step{Text: "fixed"})...)
	out, errs := c.run(m, exe, m.root, firstPrompt, false)
	req := m.turn(len(script)+1, out, errs)

	m.arrives("first request", req[0], c.early(), c.late(ruleCanary, skillCanary, mcpCanary))
	m.arrives("after the read", req[1], []string{teamCanary, memoryCanary, ruleCanary}, []string{skillCanary})
	for _, canary := range []string{teamCanary, memoryCanary, ruleCanary} {
		c.stands(m, req[1], canary)
	}
	m.arrives("after the edit", req[2], []string{teamCanary, memoryCanary, ruleCanary}, []string{skillCanary})
	if !strings.Contains(m.read(filepath.Join(m.root, invoice)), "l.cents") {
		t.Errorf("the edit did not happen: %s", req[2].lastResult())
	}
	for i, r := range req[3:] {
		if got := r.lastResult(); !strings.Contains(got, mcpCanary) {
			t.Errorf("call %d of the MCP server answered: %s", i, clip(got))
		}
		m.arrives("after a call of the MCP server", r, []string{teamCanary, memoryCanary, ruleCanary}, []string{skillCanary})
	}

	// The second turn brings the skill that it names and nothing again.
	if !c.oneTurn {
		m.model.play(c.read(m), step{Text: "still fixed"})
		out, errs = c.run(m, exe, m.root, skillPrompt, true)
		for i, r := range m.turn(2, out, errs) {
			has := []string{teamCanary, skillCanary, memoryCanary, ruleCanary}
			if c.forgets {
				has = has[:2]
			}
			m.arrives(fmt.Sprintf("second turn, request %d", i), r, has, nil)
			c.stands(m, r, skillCanary)
		}
	}

	m.pathrule("unsetup", c.id, "--scope", scope, "--yes")
	m.model.play(c.read(m), step{Text: "nothing"})
	out, errs = c.run(m, exe, m.root, firstPrompt, false)
	for _, r := range m.turn(2, out, errs) {
		m.arrives("after unsetup", r, nil, []string{teamCanary, memoryCanary, ruleCanary, skillCanary, h.Tool("get_context")})
	}
}

// early are the texts that stand in a session's first request, late those that
// must not yet.
func (c client) early() []string {
	if c.toolsOnly {
		return nil
	}
	return []string{teamCanary, memoryCanary}
}

func (c client) late(canaries ...string) []string {
	if c.toolsOnly {
		canaries = append(canaries, teamCanary, memoryCanary)
	}
	return canaries
}

// A subagent starts with what its parent was given, and the parent is told
// nothing again.
func TestASubagentStartsWithItsParentsKnowledge(t *testing.T) {
	each(t, func(t *testing.T, c client, exe string) {
		if c.subagent == nil {
			t.Skip("nothing of ours reaches a subagent of this client")
		}
		c.startsSubagent(t, exe)
	})
}

func (c client) startsSubagent(t *testing.T, exe string) {
	const task = "Look at the sum only."
	m := c.wired(t, exe, "user")
	m.model.play(append([]step{c.read(m)}, c.subagent(task)...)...)
	out, errs := c.run(m, exe, m.root, firstPrompt, false)
	// Whether the subagent runs beside its parent, and what then comes as if it
	// were a prompt, is the client's own way; so requests are not counted.
	subagents := 0
	for i, r := range m.model.requests() {
		if i < 2 {
			continue
		}
		if r.count(firstPrompt) == 0 && r.count(task) > 0 {
			subagents++
			m.arrives("in the subagent", r, []string{memoryCanary, ruleCanary}, nil)
			continue
		}
		m.arrives("in its parent", r, []string{teamCanary, memoryCanary, ruleCanary}, nil)
	}
	if subagents == 0 {
		last := ""
		for _, r := range m.model.requests() {
			last = r.lastResult()
		}
		t.Errorf("no subagent asked the model: %s\nstdout: %s\nstderr: %s", last, clip(out), clip(errs))
	}
}

// In user scope the hooks fire wherever in the project a session starts; what a
// project's hooks do there is the client's own way, of which setup must know.
func TestStartedInASubfolder(t *testing.T) {
	each(t, func(t *testing.T, c client, exe string) {
		for _, scope := range []string{"user", "project"} {
			t.Run(scope, func(t *testing.T) {
				m := c.wired(t, exe, scope)
				m.model.play(c.read(m), step{Text: "read"})
				out, errs := c.run(m, exe, filepath.Join(m.root, "services", "billing", "src"), firstPrompt, false)
				req := m.turn(2, out, errs)
				if scope == "project" && c.contract(t).Wiring().RootOnly {
					for _, r := range req {
						m.arrives("below the root", r, nil, []string{teamCanary, memoryCanary, ruleCanary})
					}
					return
				}
				m.arrives("first request", req[0], c.early(), c.late(ruleCanary))
				m.arrives("after the read", req[1], []string{teamCanary, memoryCanary, ruleCanary}, nil)
			})
		}
	})
}

// A committed hook stops nothing where pathrule is not installed, and one of
// the user's own stops nothing where it is broken.
func TestTheTurnGoesOnWithoutPathrule(t *testing.T) {
	each(t, func(t *testing.T, c client, exe string) {
		for name, how := range map[string]struct {
			scope string
			lose  func(m *machine)
		}{
			"not installed": {"project", func(m *machine) {
				m.env = append(m.env, "PATH=/usr/local/bin:/usr/bin:/bin")
				if err := os.RemoveAll(filepath.Join(m.home, ".pathrule")); err != nil { // as a teammate's
					t.Fatal(err)
				}
			}},
			"removed": {"user", func(m *machine) {
				if err := os.RemoveAll(m.bin); err != nil {
					t.Fatal(err)
				}
			}},
			"not executable": {"user", func(m *machine) {
				for _, name := range []string{"pathrule", "pathrule-hook", "pathrule-prompt"} {
					if err := os.Remove(filepath.Join(m.bin, name)); err != nil {
						t.Fatal(err)
					}
					m.write(filepath.Join(m.bin, name), "no program\n")
				}
			}},
		} {
			t.Run(name, func(t *testing.T) {
				m := c.wired(t, exe, how.scope)
				how.lose(m)
				m.model.play(c.read(m), c.edit(m), step{Text: "fixed"})
				out, errs := c.run(m, exe, m.root, firstPrompt, false)
				req := m.turn(3, out, errs)
				for _, r := range req {
					m.arrives("without pathrule", r, nil, []string{teamCanary, memoryCanary, ruleCanary})
				}
				if !strings.Contains(m.read(filepath.Join(m.root, invoice)), "l.cents") {
					t.Errorf("the edit did not happen: %s", req[2].lastResult())
				}
			})
		}
	})
}
