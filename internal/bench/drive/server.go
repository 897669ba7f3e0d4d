package drive

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// Server is one running MCP server.
type Server struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

// Server spawns "pathrule mcp" and returns it with the milliseconds to the answer
// of initialize.
func (w *World) Server(args ...string) (*Server, float64, error) {
	cmd := w.Command(w.Programs.Pathrule, append([]string{"mcp"}, args...)...)
	s := &Server{cmd: cmd}
	var err error
	if s.in, err = cmd.StdinPipe(); err != nil {
		return nil, 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	s.out = bufio.NewReaderSize(out, 1<<20)
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	if _, err := s.Call("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "bench", "version": "1"}}); err != nil {
		return nil, 0, err
	}
	took := MS(time.Since(begin))
	_, err = fmt.Fprintln(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s, took, err
}

// Call sends a request and returns the raw result.
func (s *Server) Call(method string, params any) (json.RawMessage, error) {
	s.id++
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	if _, err := s.in.Write(append(b, '\n')); err != nil {
		return nil, err
	}
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		var m struct {
			ID     *int            `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, fmt.Errorf("%s: stdout is no frame: %w: %s", method, err, line)
		}
		if m.ID == nil || *m.ID != s.id {
			continue // a notification
		}
		if m.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, m.Error)
		}
		return m.Result, nil
	}
}

// Tool calls a tool and returns its structured content.
func (s *Server) Tool(name string, args map[string]any) (map[string]any, error) {
	raw, err := s.Call("tools/call", map[string]any{"name": name, "arguments": args})
	if err != nil {
		return nil, err
	}
	var r struct {
		IsError    bool           `json:"isError"`
		Structured map[string]any `json:"structuredContent"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, err
	}
	if r.IsError || len(r.Structured) == 0 {
		return nil, fmt.Errorf("%s: %s", name, raw)
	}
	return r.Structured, nil
}

// Close ends the server by closing its input and returns its peak memory.
func (s *Server) Close() (float64, error) {
	s.in.Close()
	err := s.cmd.Wait()
	return float64(PeakKiB(s.cmd.ProcessState)) / 1024, err
}

// Text calls a tool and returns its text.
func (s *Server) Text(name string, args map[string]any) (string, error) {
	raw, err := s.Call("tools/call", map[string]any{"name": name, "arguments": args})
	if err != nil {
		return "", err
	}
	var r struct {
		IsError bool `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return "", err
	}
	if r.IsError || len(r.Content) == 0 {
		return "", fmt.Errorf("%s: %s", name, raw)
	}
	return r.Content[0].Text, nil
}
