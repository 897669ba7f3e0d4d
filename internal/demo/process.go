package demo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const limit = 30 * time.Second

// exec runs one program in the copy and gives its stdout and milliseconds.
func (r *run) exec(stdin []byte, argv ...string) ([]byte, float64, error) {
	ctx, cancel := context.WithTimeout(r.ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = r.project, r.env, bytes.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err := cmd.Run()
	took := millis(time.Since(start))
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", filepath.Base(argv[0]), strings.Join(argv[1:], " "), err, strings.TrimSpace(stderr.String()+" "+firstLine(stdout.String())))
	}
	return stdout.Bytes(), took, err
}

func firstLine(s string) string {
	l, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return l
}

// mcp talks to a server as a client does: hello, list of tools, a question, a
// write.
func (r *run) mcp() (s Step, err error) {
	s = Step{Title: "an assistant talks to the server over MCP", Command: []string{r.o.Self, "mcp"}}
	ctx, cancel := context.WithTimeout(r.ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.o.Self, "mcp")
	cmd.Dir, cmd.Env = r.project, r.env
	in, err := cmd.StdinPipe()
	if err != nil {
		return s, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return s, err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return s, err
	}
	c := &client{w: in, r: bufio.NewReaderSize(out, 1<<20)}
	defer func() {
		in.Close()
		if e := cmd.Wait(); e != nil && err == nil {
			err = fmt.Errorf("the server did not end well: %w: %s", e, firstLine(stderr.String()))
		}
	}()

	var hello struct {
		ServerInfo struct{ Name string } `json:"serverInfo"`
	}
	if err := c.call("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "pathrule-demo", "version": "1"}}, &hello); err != nil {
		return s, err
	}
	s.MS = millis(time.Since(start))
	s.Sent = "initialize, tools/list, get_context, write_memory"
	say := func(format string, args ...any) { s.Got += fmt.Sprintf(format, args...) + "\n" }
	say("initialize: answered by %s in %.0f ms from its start", hello.ServerInfo.Name, s.MS)
	if err := c.notify("notifications/initialized"); err != nil {
		return s, err
	}
	var tools struct{ Tools []struct{ Name string } }
	if err := c.call("tools/list", map[string]any{}, &tools); err != nil {
		return s, err
	}
	say("tools/list: %d tools", len(tools.Tools))

	began := time.Now()
	text, err := c.tool("get_context", map[string]any{"prompt": r.o.Script.Question})
	if err != nil {
		return s, err
	}
	say("get_context %q: %d tokens in %.0f ms", r.o.Script.Question, (len(text)+3)/4, millis(time.Since(began)))
	s.Text, s.Tokens = text, (len(text)+3)/4
	if err := missing(text, r.o.Script.AnswerWants); err != nil {
		return s, err
	}

	began = time.Now()
	if _, err := c.tool("write_memory", map[string]any{"title": r.o.Script.NewTitle, "content": r.o.Script.NewBody, "paths": []string{r.o.Script.NewPath}}); err != nil {
		return s, err
	}
	say("write_memory %q: written and indexed in %.0f ms", r.o.Script.NewTitle, millis(time.Since(began)))
	return s, nil
}

// client speaks JSON-RPC in lines.
type client struct {
	w  io.Writer
	r  *bufio.Reader
	id int
}

func (c *client) send(m map[string]any) error {
	m["jsonrpc"] = "2.0"
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = c.w.Write(append(b, '\n'))
	return err
}

func (c *client) notify(method string) error { return c.send(map[string]any{"method": method}) }

func (c *client) call(method string, params, result any) error {
	c.id++
	if err := c.send(map[string]any{"id": c.id, "method": method, "params": params}); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	for {
		line, err := c.r.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("%s: no answer: %w", method, err)
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return fmt.Errorf("%s: the server printed something that is no frame: %s", method, firstLine(string(line)))
		}
		switch {
		case m.Method != "" && len(m.ID) > 0: // a question of the server's
			if err := c.send(map[string]any{"id": m.ID, "error": map[string]any{"code": -32601, "message": "not supported"}}); err != nil {
				return err
			}
		case m.Method != "":
		case string(m.ID) != fmt.Sprint(c.id):
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		default:
			return json.Unmarshal(m.Result, result)
		}
	}
}

// tool calls one tool and gives its text; a result that reports an error is an
// error.
func (c *client) tool(name string, args map[string]any) (string, error) {
	var res struct {
		IsError bool
		Content []struct{ Type, Text string }
	}
	if err := c.call("tools/call", map[string]any{"name": name, "arguments": args}, &res); err != nil {
		return "", err
	}
	var b strings.Builder
	for _, p := range res.Content {
		b.WriteString(p.Text)
	}
	if res.IsError {
		return "", errors.New(name + ": " + b.String())
	}
	return b.String(), nil
}
