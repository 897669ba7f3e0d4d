package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

func dirOf(path string) string { return filepath.Dir(path) }

func diffText(want, got string) string {
	return cmp.Diff(strings.Split(strings.ReplaceAll(want, "\r\n", "\n"), "\n"), strings.Split(got, "\n"))
}

// world is a home and a project on disk.
type world struct {
	t    *testing.T
	root string
	vars map[string]string
	env  sysenv.Env
}

// newWorld writes files (slash paths below the project) and makes the project
// the user's own.
func newWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: filepath.Join(dir, "shop"), vars: map[string]string{"PATHRULE_HOME": filepath.Join(dir, "home", ".pathrule")}}
	w.env = sysenv.Env{
		Vars: func(n string) string { return w.vars[n] }, Cwd: w.root, UserHome: filepath.Join(dir, "home"),
		GOOS: "linux", Now: time.Now,
	}
	w.write(".pathrule/.gitignore", "trash/\n")
	for path, text := range files {
		w.write(path, text)
	}
	ws, err := workspace.Find(w.root, w.env)
	if err != nil {
		t.Fatal(err)
	}
	if err := workspace.Own(ws, w.dirs(), false, w.env); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) dirs() workspace.Dirs { return workspace.DirsOf(w.env) }

func (w *world) ws() *workspace.Workspace {
	ws, err := workspace.Find(w.root, w.env)
	if err != nil {
		w.t.Fatal(err)
	}
	return ws
}

func (w *world) write(rel, text string) {
	w.t.Helper()
	path := filepath.Join(w.root, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(rel string) string {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.root, filepath.FromSlash(rel)))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// user writes a file below the pathrule home.
func (w *world) user(rel, text string) {
	w.t.Helper()
	path := filepath.Join(w.dirs().Home, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// client speaks to one server through pipes.
type client struct {
	t      *testing.T
	in     io.WriteCloser
	raw    chan string
	stderr *syncBuffer
	done   chan error
	ended  sync.Once
	err    error
	seq    int
	// asked are requests and notifications from the server.
	mu            sync.Mutex
	asked, frames []string
	roots         []string // answered to roots/list; nil: no answer
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}
func (s *syncBuffer) String() string { s.mu.Lock(); defer s.mu.Unlock(); return s.b.String() }

// start runs a server on w without a handshake.
func (w *world) start(o Options) *client {
	w.t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t: w.t, in: inW, raw: make(chan string, 4096), stderr: &syncBuffer{}, done: make(chan error, 1)}
	env := w.env
	env.Stdin, env.Stdout, env.Stderr = inR, outW, c.stderr
	if o.Version == "" {
		o.Version = "1.2.3"
	}
	go func() {
		c.done <- Serve(context.Background(), o, env)
		outW.Close()
		inR.Close()
	}()
	go func() {
		sc := bufio.NewScanner(outR)
		sc.Buffer(nil, 64<<20)
		for sc.Scan() {
			c.raw <- sc.Text()
		}
		close(c.raw)
	}()
	w.t.Cleanup(func() { c.end() })
	return c
}

// open is start with the handshake of a client called name.
func (w *world) open(o Options, name string) *client {
	w.t.Helper()
	c := w.start(o)
	c.handshake(name, `{}`)
	return c
}

func (c *client) handshake(name, caps string) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":%s,"clientInfo":{"name":%q,"version":"1"}}}`, caps, name))
	c.want(`"init"`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// send writes one line as it is.
func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatalf("send: %v (%v)", err, c.stderr)
	}
}

// next is the next frame that is not a request or notification of the server.
func (c *client) next() (string, map[string]json.RawMessage) {
	c.t.Helper()
	for {
		select {
		case line, ok := <-c.raw:
			if !ok {
				c.t.Fatalf("the server ended; stderr: %s", c.stderr)
			}
			var m map[string]json.RawMessage
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				c.t.Fatalf("not a frame: %q", line)
			}
			if raw, ok := m["method"]; ok {
				c.unasked(line, string(raw), m)
				continue
			}
			return line, m
		case <-time.After(30 * time.Second):
			c.t.Fatalf("no answer; stderr: %s", c.stderr)
		}
	}
}

func (c *client) unasked(line, method string, m map[string]json.RawMessage) {
	c.mu.Lock()
	c.asked = append(c.asked, method)
	c.frames = append(c.frames, line)
	roots := c.roots
	c.mu.Unlock()
	if method == `"roots/list"` && roots != nil {
		var list []map[string]string
		for _, r := range roots {
			list = append(list, map[string]string{"uri": fileURI(r)})
		}
		raw, _ := json.Marshal(map[string]any{"roots": list})
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m["id"], raw))
	}
}

func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return "file://" + path
}

// want returns the frame that answers the id.
func (c *client) want(id string) map[string]json.RawMessage {
	c.t.Helper()
	for {
		line, m := c.next()
		if string(m["id"]) == id {
			return m
		}
		c.t.Fatalf("an answer to nothing: %s", line)
	}
}

// request sends a method and returns the answer's frame.
func (c *client) request(method, params string) map[string]json.RawMessage {
	c.t.Helper()
	c.seq++
	id := fmt.Sprint(c.seq)
	if params == "" {
		params = "{}"
	}
	c.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`)
	return c.want(id)
}

// answer is a tool's result.
type answer struct {
	Text    string
	Data    map[string]any
	IsError bool
}

func (a answer) str(key string) string { s, _ := a.Data[key].(string); return s }

// call runs a tool; arguments is a JSON object.
func (c *client) call(tool, arguments string) answer {
	c.t.Helper()
	return c.callMeta(tool, arguments, "")
}

func (c *client) callMeta(tool, arguments, meta string) answer {
	c.t.Helper()
	params := `{"name":"` + tool + `","arguments":` + arguments
	if meta != "" {
		params += `,"_meta":` + meta
	}
	m := c.request("tools/call", params+`}`)
	return c.result(m)
}

func (c *client) result(m map[string]json.RawMessage) answer {
	c.t.Helper()
	if m["error"] != nil {
		c.t.Fatalf("protocol error: %s", m["error"])
	}
	var r struct {
		Content []struct {
			Type, Text string
		}
		StructuredContent map[string]any
		IsError           bool
	}
	if err := json.Unmarshal(m["result"], &r); err != nil {
		c.t.Fatal(err)
	}
	if len(r.Content) != 1 || r.Content[0].Type != "text" {
		c.t.Fatalf("want one text content, got %s", m["result"])
	}
	return answer{r.Content[0].Text, r.StructuredContent, r.IsError}
}

// end closes stdin and waits for the server to leave.
func (c *client) end() error {
	c.ended.Do(func() {
		c.in.Close()
		for {
			select {
			case c.err = <-c.done:
				return
			case _, ok := <-c.raw: // whatever is still on its way
				if !ok {
					c.raw = nil
				}
			case <-time.After(30 * time.Second):
				c.t.Errorf("the server does not leave at EOF; stderr: %s", c.stderr)
				return
			}
		}
	})
	return c.err
}
