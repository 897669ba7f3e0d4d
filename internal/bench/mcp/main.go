// Command mcp times the MCP server as a client sees it, on a generated store:
// spawn to the answer of initialize, get_context when warm, and from the return
// of update_memory to the first hook process that delivers the new text.
//
//	go run ./internal/bench/mcp [--json] [--entries 10000] [--rounds 40]
//
// A wrong or empty answer is an error and no figure.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"pathrule/internal/bench/drive"
	"pathrule/internal/bench/gen"
)

type report struct {
	Entries         int     `json:"entries"`
	InitializeMS    float64 `json:"initialize_ms"`  // median, process start included
	ContextMS       float64 `json:"get_context_ms"` // median, warm
	ContextP95MS    float64 `json:"get_context_p95_ms"`
	WriteMS         float64 `json:"update_memory_ms"` // median, published when it returns
	DeliveredMS     float64 `json:"write_to_hook_ms"` // median, from the return of update_memory to the end of the hook process
	PeakMiB         float64 `json:"server_peak_mib"`  // after the index exists
	FirstBuildMiB   float64 `json:"server_peak_first_build_mib"`
	SchemaTokens    int     `json:"schema_tokens"`
	BareHookStartMS float64 `json:"hook_process_ms"` // the hook that delivers, for comparison
}

func main() {
	asJSON := flag.Bool("json", false, "print JSON")
	n := flag.Int("entries", 10000, "entries in the store")
	rounds := flag.Int("rounds", 40, "measured calls")
	flag.Parse()
	rep, err := run(*n, *rounds)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench mcp: error:", err)
		os.Exit(1)
	}
	if *asJSON {
		enc := json.NewEncoder(os.Stdout)
		enc.SetIndent("", "  ")
		_ = enc.Encode(rep)
		return
	}
	fmt.Printf("%d entries, %d rounds\n", rep.Entries, *rounds)
	fmt.Printf("initialize, process start included   %8.1f ms\n", rep.InitializeMS)
	fmt.Printf("get_context, warm: median, p95       %8.1f ms %8.1f ms\n", rep.ContextMS, rep.ContextP95MS)
	fmt.Printf("update_memory until published        %8.1f ms\n", rep.WriteMS)
	fmt.Printf("from its return to the hook's answer %8.1f ms\n", rep.DeliveredMS)
	fmt.Printf("peak memory: serving, first build    %8.1f MiB %6.1f MiB\n", rep.PeakMiB, rep.FirstBuildMiB)
	fmt.Printf("tool schemas                         %8d tokens\n", rep.SchemaTokens)
}

func run(n, rounds int) (*report, error) {
	prog, remove, err := drive.BuildTemp()
	if err != nil {
		return nil, err
	}
	defer remove()
	w, err := drive.NewWorld(prog)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if _, err := gen.Make(w.Root, gen.Options{Entries: n - 1, Files: n, Seed: 1}); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(w.Root, "src", "quokka"), 0o755); err != nil {
		return nil, err
	}
	file := filepath.Join(w.Root, "src", "quokka", "ledger.go")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		return nil, err
	}
	rep := &report{Entries: n}
	// The first server finds no index and builds it.
	s, _, err := start(w)
	if err != nil {
		return nil, err
	}
	if _, err := s.tool("get_context", map[string]any{"prompt": "what does the quokka ledger do"}); err != nil {
		return nil, err
	}
	if _, err := w.CLI("index"); err != nil { // waits for the build
		return nil, err
	}
	peak, err := s.close()
	if err != nil {
		return nil, err
	}
	rep.FirstBuildMiB = peak
	if _, err := w.CLI("memory", "add", "--id", "quokka-ledger", "--title", "Quokka ledger keeps two cursors", "--path", "src/quokka/ledger.go", "Never merge them (version 0)."); err != nil {
		return nil, err
	}
	var inits []float64
	for i := range 12 {
		s, took, err := start(w)
		if err != nil {
			return nil, err
		}
		if i > 1 {
			inits = append(inits, took)
		}
		if i < 11 {
			if _, err := s.close(); err != nil {
				return nil, err
			}
			continue
		}
		if err := measure(w, s, file, rounds, rep); err != nil {
			return nil, err
		}
	}
	rep.InitializeMS = drive.Quantile(inits, 50)
	return rep, nil
}

func measure(w *drive.World, s *server, file string, rounds int, rep *report) error {
	list, err := s.call("tools/list", map[string]any{})
	if err != nil {
		return err
	}
	rep.SchemaTokens = (len(list) + 3) / 4
	words := gen.NewText(7)
	var ctx, writes, delivered, hooks []float64
	for i := range rounds + 3 {
		begin := time.Now()
		if _, err := s.tool("get_context", map[string]any{"prompt": "quokka ledger cursors " + words.Words(8), "paths": []string{"src/quokka/ledger.go"}, "include_delivered": true}); err != nil {
			return err
		}
		if i >= 3 {
			ctx = append(ctx, drive.MS(time.Since(begin)))
		}
	}
	for i := range rounds {
		read, err := s.tool("read_memory", map[string]any{"id": "quokka-ledger"})
		if err != nil {
			return err
		}
		version, _ := read["version"].(string)
		marker := fmt.Sprintf("Never merge them (version %d).", i+1)
		begin := time.Now()
		if _, err := s.tool("update_memory", map[string]any{"id": "quokka-ledger", "expected_version": version, "content": marker}); err != nil {
			return err
		}
		writes = append(writes, drive.MS(time.Since(begin)))
		begin = time.Now()
		a, err := w.Hook(drive.Tool(fmt.Sprintf("mcp-%d", i), "t", "Edit", file), "")
		if err != nil {
			return err
		}
		if !strings.Contains(a.Context, marker) {
			return fmt.Errorf("the hook after update %d does not know it: %q", i+1, a.Context)
		}
		delivered = append(delivered, drive.MS(time.Since(begin)))
		hooks = append(hooks, drive.MS(a.Took))
	}
	rep.ContextMS, rep.ContextP95MS = drive.Quantile(ctx, 50), drive.Quantile(ctx, 95)
	rep.WriteMS, rep.DeliveredMS, rep.BareHookStartMS = drive.Quantile(writes, 50), drive.Quantile(delivered, 50), drive.Quantile(hooks, 50)
	rep.PeakMiB, err = s.close()
	return err
}

// server is one running MCP server.
type server struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

// start spawns a server and returns it with the time to the answer of
// initialize.
func start(w *drive.World) (*server, float64, error) {
	cmd := w.Command(w.Programs.Pathrule, "mcp")
	s := &server{cmd: cmd}
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
	if _, err := s.call("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "bench", "version": "1"}}); err != nil {
		return nil, 0, err
	}
	took := drive.MS(time.Since(begin))
	_, err = fmt.Fprintln(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s, took, err
}

// call sends a request and returns the raw result.
func (s *server) call(method string, params any) (json.RawMessage, error) {
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

// tool calls a tool and returns its structured content.
func (s *server) tool(name string, args map[string]any) (map[string]any, error) {
	raw, err := s.call("tools/call", map[string]any{"name": name, "arguments": args})
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

// close ends the server by closing its input and returns its peak memory.
func (s *server) close() (float64, error) {
	s.in.Close()
	err := s.cmd.Wait()
	return float64(drive.PeakKiB(s.cmd.ProcessState)) / 1024, err
}
