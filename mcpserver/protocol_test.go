package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pathrule/workspace"
)

// T17: the ids of requests come back as they were spelt.
func TestIDsComeBackAsSpelt(t *testing.T) {
	c := newWorld(t, nil).open(Options{}, "test")
	for _, id := range []string{
		`1`, `0`, `-7`, `9007199254740993`, `18446744073709551616`, `1234567890123456789012345678901234567890`,
		`1.0`, `2.50`, `1e3`, `"abc"`, `""`, `"9007199254740993"`, `"a\u0041<&>"`, `"日本語"`, `null`,
	} {
		c.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
		line, _ := c.next()
		if want := `{"jsonrpc":"2.0","id":` + id + `,"result":`; !strings.HasPrefix(line, want) {
			t.Errorf("id %s: got %s", id, line)
		}
		c.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"ping","arguments":{}}}`)
		line, _ = c.next()
		if want := `{"jsonrpc":"2.0","id":` + id + `,"result":`; !strings.HasPrefix(line, want) {
			t.Errorf("id %s: got %s", id, line)
		}
	}
}

// T17, F79: CRLF frames, byte order marks, blank and broken lines.
func TestBrokenLinesCostNothing(t *testing.T) {
	c := newWorld(t, nil).start(Options{})
	c.send("\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\r")
	c.want(`1`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\r")
	for _, bad := range []string{"hello", `{"jsonrpc":"2.0","id":2,`, "\x00\x01", `"text"`, "null"} {
		c.send(bad + "\r")
		line, m := c.next()
		if string(m["id"]) != "null" || !strings.Contains(line, `"code":-32700`) {
			t.Errorf("%q: got %s", bad, line)
		}
	}
	c.send("\r\n\r\n  \t\r")
	c.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}` + "\r")
	c.want(`3`)
}

func TestALineOverTheLimitIsRefusedAndTheNextIsTaken(t *testing.T) {
	c := newWorld(t, nil).open(Options{}, "test")
	go io.WriteString(c.in, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"`+strings.Repeat("x", maxFrame)+"\"}}\n"+`{"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n")
	line, m := c.next()
	if string(m["id"]) != "null" || !strings.Contains(line, "16 MiB") {
		t.Errorf("got %s", line)
	}
	c.want("2")
}

// T17, F12, F82: the handshake does not wait for an index.
func TestInitializeAndPingNeedNoIndex(t *testing.T) {
	w := newWorld(t, map[string]string{".pathrule/memories/a.md": "# A\n\nText.\n"})
	c := w.start(Options{})
	c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	m := c.want("1")
	var r struct {
		ProtocolVersion string
		Capabilities    map[string]json.RawMessage
		ServerInfo      struct{ Name, Version string }
		Instructions    string
	}
	if err := json.Unmarshal(m["result"], &r); err != nil {
		t.Fatal(err)
	}
	if r.ProtocolVersion != "2025-11-25" || r.ServerInfo.Name != "pathrule" || r.ServerInfo.Version != "1.2.3" || r.Instructions == "" {
		t.Errorf("got %+v", r)
	}
	for _, k := range []string{"tools", "resources", "prompts"} {
		if r.Capabilities[k] == nil {
			t.Errorf("no capability %s", k)
		}
	}
	c.request("ping", "")
	c.request("tools/list", "")
	if _, err := os.Stat(w.dirs().Cache(w.ws().ID)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the index was touched before the handshake was over: %v", err)
	}
	a := c.call("ping", `{}`)
	if a.str("version") != "1.2.3" || a.str("workspace") != "shop" || a.str("index") != "missing" {
		t.Errorf("ping answers %v", a.Data)
	}
}

// The probe that Claude Code and Copilot send first.
func TestServerDiscoverThenEitherProtocol(t *testing.T) {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"claude-code","version":"2.1.332"},"io.modelcontextprotocol/clientCapabilities":{"roots":{}}}`
	c := newWorld(t, nil).start(Options{})
	c.send(`{"jsonrpc":"2.0","id":"server-discover-probe-1","method":"server/discover","params":{` + meta + `}}`)
	m := c.want(`"server-discover-probe-1"`)
	var r struct {
		SupportedVersions []string
		Instructions      string
		ResultType        string
	}
	if err := json.Unmarshal(m["result"], &r); err != nil {
		t.Fatalf("%v in %s", err, m)
	}
	if !slices.Contains(r.SupportedVersions, "2026-07-28") || !slices.Contains(r.SupportedVersions, "2025-11-25") || r.Instructions == "" {
		t.Errorf("got %+v", r)
	}
	// The stateless protocol: no handshake, everything in _meta.
	m = c.request("tools/call", `{"name":"ping","arguments":{},`+meta+`}`)
	if a := c.result(m); a.str("status") != "ok" {
		t.Errorf("got %v", a)
	}
	// The handshake still works.
	c.handshake("claude-code", `{}`)
	if a := c.call("ping", `{}`); a.str("status") != "ok" {
		t.Errorf("got %v", a)
	}
	// A discover without that protocol is an unknown method.
	if m := c.request("server/discover", ""); !strings.Contains(string(m["error"]), "-32601") {
		t.Errorf("got %s", m["error"])
	}
}

func TestUnknownThingsAreProtocolErrors(t *testing.T) {
	c := newWorld(t, nil).open(Options{ReadOnly: true}, "test")
	for method, params := range map[string]string{
		"nope/nope":      `{}`,
		"tools/call":     `{"name":"write_memory","arguments":{"title":"x","content":"y"}}`,
		"resources/read": `{"uri":"pathrule://memory/nope"}`,
		"prompts/get":    `{"name":"nope"}`,
	} {
		m := c.request(method, params)
		if m["error"] == nil {
			t.Errorf("%s: got %s", method, m["result"])
		}
		if strings.Contains(string(m["error"]), "-32603") {
			t.Errorf("%s is no fault of ours: %s", method, m["error"])
		}
	}
}

// T17, F8: EOF ends the server, and what was asked before is answered.
func TestEOFEndsTheServerAfterItsAnswers(t *testing.T) {
	w := newWorld(t, nil)
	var out, errs bytes.Buffer
	env := w.env
	env.Stdin = strings.NewReader(strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ping","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search_knowledge","arguments":{"query":"x"}}}`,
	}, "\n"))
	env.Stdout, env.Stderr = &out, &errs
	if err := Serve(context.Background(), Options{Version: "1"}, env); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{`"id":1,`, `"id":2,`, `"id":3,`} {
		if i >= len(lines) || !strings.Contains(lines[i], want) {
			t.Errorf("frame %d: want %s in\n%s", i, want, out.String())
		}
	}
	if errs.Len() > 0 {
		t.Errorf("stderr: %s", errs.String())
	}
}

// F78: whatever prints to stdout while the server runs does not reach it.
func TestStdoutCarriesFramesOnly(t *testing.T) {
	real := os.Stdout
	t.Cleanup(func() { os.Stdout = real })
	r, pw, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	t.Cleanup(func() { os.Stderr = stderr })
	devnull, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer devnull.Close()
	os.Stdout, os.Stderr = pw, devnull
	w := newWorld(t, nil)
	env := w.env
	env.Stdin = funcReader(func() string {
		fmt.Println("a stray line")
		return `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"
	})
	env.Stdout, env.Stderr = pw, io.Discard
	if err := Serve(context.Background(), Options{}, env); err != nil {
		t.Fatal(err)
	}
	if os.Stdout != pw {
		t.Error("stdout was not given back")
	}
	os.Stdout = real
	pw.Close()
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(bytes.TrimSpace(out)) || !bytes.Contains(out, []byte(`"id":1`)) {
		t.Errorf("stdout: %q", out)
	}
}

// funcReader reads what f returns once.
func funcReader(f func() string) io.Reader {
	var r *strings.Reader
	return readFunc(func(p []byte) (int, error) {
		if r == nil {
			r = strings.NewReader(f())
		}
		return r.Read(p)
	})
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// A client that stops reading is gone: no error, no goroutine left behind.
func TestAClosedStdoutEndsTheServer(t *testing.T) {
	w := newWorld(t, nil)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	env := w.env
	env.Stdin, env.Stdout, env.Stderr = inR, outW, io.Discard
	done := make(chan error, 1)
	go func() { done <- Serve(context.Background(), Options{}, env) }()
	outR.Close()
	io.WriteString(inW, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
	if err := <-done; err != nil {
		t.Errorf("got %v", err)
	}
	inW.Close()
}

// A read that fails for another reason than the end is told.
func TestAFailingStdinIsAnError(t *testing.T) {
	env := newWorld(t, nil).env
	env.Stdin = readFunc(func([]byte) (int, error) { return 0, errors.New("the disk is on fire") })
	env.Stdout, env.Stderr = io.Discard, io.Discard
	err := Serve(context.Background(), Options{}, env)
	if err == nil || !strings.Contains(err.Error(), "the disk is on fire") {
		t.Errorf("got %v", err)
	}
}

// F9: a server whose parent died leaves although the pipe stays open.
func TestAnotherParentEndsTheServer(t *testing.T) {
	ids := make(chan int, 3)
	ids <- 100
	ids <- 100
	ids <- 1
	gone := make(chan struct{})
	stop := pollParent(context.Background(), time.Millisecond, func() int { return <-ids }, func() { close(gone) })
	defer stop()
	<-gone
}

func TestACancelledCallIsNotAnswered(t *testing.T) {
	c := newWorld(t, nil).open(Options{}, "test")
	// Nothing runs with this id any more; some clients cancel what is answered.
	c.send(`{"jsonrpc":"2.0","id":"x","method":"ping"}`)
	c.want(`"x"`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}`)
	c.send(`{"jsonrpc":"2.0","id":"x","method":"ping"}`)
	c.want(`"x"`)
	// A stream of the stateless protocol lives until it is cancelled.
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	c.send(`{"jsonrpc":"2.0","id":9007199254740993,"method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true},` + meta + `}}`)
	deadline := time.Now().Add(10 * time.Second)
	for acked := false; !acked && time.Now().Before(deadline); {
		line := <-c.raw
		acked = strings.Contains(line, "subscriptions/acknowledged")
		if acked && !strings.Contains(line, `"io.modelcontextprotocol/subscriptionId":9007199254740993`) {
			t.Errorf("the stream is not tagged: %s", line)
		}
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9007199254740993}}`)
	c.request("ping", "")
}

func TestPanicsCostOneRequest(t *testing.T) {
	w := newWorld(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var errs syncBuffer
	env := w.env
	c := newCore(ctx, Options{}, env, newLog(&errs))
	c.tools[0].run = nil
	conn := newConn(c.sdk, c.sess, io.Discard, c.log)
	f, _ := parseFrame([]byte(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"get_context","arguments":{}}}`))
	out := conn.handle(job{c.sdk.WithContext(ctx, c.sess), f, "x"})
	if !strings.Contains(string(out), `"id":5`) || !strings.Contains(string(out), "-32603") {
		t.Errorf("got %s", out)
	}
	if !strings.Contains(errs.String(), "panic") {
		t.Errorf("stderr: %q", errs.String())
	}
}

func TestRootsAreAskedForAndFence(t *testing.T) {
	w := newWorld(t, map[string]string{"src/a.go": "x"})
	other := newWorld(t, nil)
	c := w.start(Options{})
	c.roots = []string{w.root}
	c.handshake("test", `{"roots":{"listChanged":true}}`)
	for _, args := range []string{
		`{"query":"x","cwd":` + quoted(other.root) + `}`,
		`{"query":"x","cwd":".."}`,
		`{"query":"x","paths":["../elsewhere.go"]}`,
		`{"query":"x","paths":[` + quoted(other.root+"/x.go") + `]}`,
		`{"query":"x","paths":["/etc/passwd"]}`,
	} {
		if a := c.call("search_knowledge", args); !a.IsError || a.str("code") != "refused" {
			t.Errorf("%s: got %v", args, a)
		}
	}
	if a := c.call("search_knowledge", `{"query":"x","cwd":"src","paths":["a.go","src/a.go",`+quoted(w.root+"/src/a.go")+`]}`); a.IsError {
		t.Errorf("got %v", a)
	}
	c.mu.Lock()
	c.roots = []string{other.root}
	c.mu.Unlock()
	c.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	if a := c.call("search_knowledge", `{"query":"x","cwd":`+quoted(w.root)+`}`); a.str("code") != "refused" {
		t.Errorf("after the roots changed: got %v", a)
	}
	if a := c.call("search_knowledge", `{"query":"x","cwd":`+quoted(other.root)+`}`); a.IsError {
		t.Errorf("after the roots changed: got %v", a)
	}
}

// A symlink inside the project does not lead out of it.
func TestALinkDoesNotLeaveTheRoots(t *testing.T) {
	w := newWorld(t, nil)
	other := newWorld(t, nil)
	if err := os.Symlink(other.root, w.root+"/out"); err != nil {
		t.Skip(err)
	}
	c := w.start(Options{})
	c.roots = []string{w.root}
	c.handshake("test", `{"roots":{}}`)
	if a := c.call("search_knowledge", `{"query":"x","cwd":"out"}`); a.str("code") != "refused" {
		t.Errorf("got %v", a)
	}
}

func TestTheNamedWorkspaceWinsOverRootsAndFences(t *testing.T) {
	w, other := newWorld(t, nil), newWorld(t, nil)
	c := w.start(Options{Workspace: w.root})
	c.roots = []string{other.root}
	c.handshake("test", `{"roots":{}}`)
	if a := c.call("search_knowledge", `{"query":"x"}`); a.IsError {
		t.Errorf("got %v", a)
	}
	if a := c.call("search_knowledge", `{"query":"x","cwd":`+quoted(other.root)+`}`); a.str("code") != "refused" {
		t.Errorf("got %v", a)
	}
}

func TestWithoutRootsTheCwdDecides(t *testing.T) {
	w, other := newWorld(t, nil), newWorld(t, nil)
	c := w.open(Options{}, "test")
	if a := c.call("ping", `{}`); a.str("workspace") != "shop" {
		t.Errorf("got %v", a)
	}
	if a := c.call("search_knowledge", `{"query":"x","cwd":`+quoted(other.root)+`}`); a.IsError {
		t.Errorf("the client named no roots, so nothing fences: %v", a)
	}
}

func TestWithoutAWorkspaceEachToolSaysWhatToDo(t *testing.T) {
	w := newWorld(t, nil)
	w.env.Cwd = t.TempDir()
	c := w.open(Options{}, "test")
	if a := c.call("ping", `{}`); a.IsError || a.str("workspace") != "none" {
		t.Errorf("got %v", a)
	}
	for tool, args := range map[string]string{
		"get_context": `{"prompt":"x"}`, "search_knowledge": `{"query":"x"}`, "get_tree": `{}`, "read_rule": `{"id":"x"}`,
		"write_memory": `{"title":"x","content":"y"}`,
	} {
		a := c.call(tool, args)
		if !a.IsError || a.str("code") != "no_workspace" || !strings.Contains(a.Text, "pathrule init") {
			t.Errorf("%s: got %v", tool, a)
		}
	}
}

func TestRootURIs(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///home/dev/shop":          "/home/dev/shop",
		"file:///home/dev/my%20shop":     "/home/dev/my shop",
		"file://localhost/home/dev/shop": "/home/dev/shop",
		"file:///home/dev/%E6%97%A5":     "/home/dev/日",
		"/home/dev/shop":                 "/home/dev/shop",
		"https://example.com/x":          "",
		"file:relative":                  "",
		":":                              "",
	} {
		got, ok := filePath(uri)
		if os.PathSeparator == '/' && (got != want && ok || ok != (want != "")) {
			t.Errorf("%s: got %q, %v", uri, got, ok)
		}
	}
}

func TestModeOffAndWritesOff(t *testing.T) {
	w := newWorld(t, map[string]string{".pathrule/memories/a.md": "---\ntitle: A\n---\nText.\n"})
	w.user("config.yaml", "mode: off\nwrites: off\n")
	if s, _, _ := workspace.LoadSettings(w.ws(), w.dirs(), w.env); s.Mode != "off" {
		t.Fatalf("mode is %q", s.Mode)
	}
	c := w.open(Options{}, "test")
	for tool, args := range map[string]string{
		"get_context": `{"prompt":"x"}`, "search_knowledge": `{"query":"x"}`, "get_tree": `{}`, "read_memory": `{"id":"a"}`,
	} {
		if a := c.call(tool, args); a.str("code") != "disabled" {
			t.Errorf("%s: got %v", tool, a)
		}
	}
	if a := c.call("write_memory", `{"title":"x","content":"y"}`); a.str("code") != "refused" {
		t.Errorf("got %v", a)
	}
	if m := c.request("resources/list", ""); string(m["result"]) != `{"resources":[]}` {
		t.Errorf("got %s", m["result"])
	}
	if m := c.request("prompts/list", ""); string(m["result"]) != `{"prompts":[]}` {
		t.Errorf("got %s", m["result"])
	}
	if a := c.call("ping", `{}`); a.IsError {
		t.Errorf("got %v", a)
	}
}

func quoted(s string) string { b, _ := json.Marshal(s); return string(b) }
