// Command mcp times the MCP server as a client sees it, on a generated store:
// spawn to the answer of initialize, get_context when warm, and from the return
// of update_memory to the first hook process that delivers the new text.
//
//	go run ./internal/bench/mcp [--json] [--entries 10000] [--files 10000] [--rounds 40]
//
// A wrong or empty answer is an error and no figure.
package main

import (
	"flag"
	"fmt"
	"os"
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
	ContextCPU      float64 `json:"get_context_cpu_ms"` // 0 where it cannot be told
	WriteMS         float64 `json:"update_memory_ms"`   // median, published when it returns
	DeliveredMS     float64 `json:"write_to_hook_ms"`   // median, from the return of update_memory to the end of the hook process
	PeakMiB         float64 `json:"server_peak_mib"`    // after the index exists
	FirstBuildMiB   float64 `json:"server_peak_first_build_mib"`
	SchemaTokens    int     `json:"schema_tokens"`
	BareHookStartMS float64 `json:"hook_process_ms"` // the hook that delivers, for comparison
}

func main() {
	asJSON := flag.Bool("json", false, "print JSON")
	n := flag.Int("entries", 10000, "entries in the store")
	rounds := flag.Int("rounds", 40, "measured calls")
	files := flag.Int("files", -1, "files of the project; -1: as many as entries")
	flag.Parse()
	if *files < 0 {
		*files = *n
	}
	rep, err := run(*n, *files, *rounds)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench mcp: error:", err)
		os.Exit(1)
	}
	if *asJSON {
		drive.PrintJSON(rep)
		return
	}
	fmt.Printf("%d entries, %d rounds\n", rep.Entries, *rounds)
	fmt.Printf("initialize, process start included   %8.1f ms\n", rep.InitializeMS)
	fmt.Printf("get_context, warm: median, p95       %8.1f ms %8.1f ms\n", rep.ContextMS, rep.ContextP95MS)
	fmt.Printf("get_context, processor time a call   %8.1f ms\n", rep.ContextCPU)
	fmt.Printf("update_memory until published        %8.1f ms\n", rep.WriteMS)
	fmt.Printf("from its return to the hook's answer %8.1f ms\n", rep.DeliveredMS)
	fmt.Printf("peak memory: serving, first build    %8.1f MiB %6.1f MiB\n", rep.PeakMiB, rep.FirstBuildMiB)
	fmt.Printf("tool schemas                         %8d tokens\n", rep.SchemaTokens)
}

func run(n, files, rounds int) (*report, error) {
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
	if _, err := gen.Make(w.Root, gen.Options{Entries: n - 1, Files: files, Seed: 1}); err != nil {
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
	s, _, err := w.Server()
	if err != nil {
		return nil, err
	}
	if _, err := s.Tool("get_context", map[string]any{"prompt": "what does the quokka ledger do"}); err != nil {
		return nil, err
	}
	if _, err := w.CLI("index"); err != nil { // waits for the build
		return nil, err
	}
	peak, err := s.Close()
	if err != nil {
		return nil, err
	}
	rep.FirstBuildMiB = peak
	if _, err := w.CLI("memory", "add", "--id", "quokka-ledger", "--title", "Quokka ledger keeps two cursors", "--path", "src/quokka/ledger.go", "Never merge them (version 0)."); err != nil {
		return nil, err
	}
	var inits []float64
	for i := range 12 {
		s, took, err := w.Server()
		if err != nil {
			return nil, err
		}
		if i > 1 {
			inits = append(inits, took)
		}
		if i < 11 {
			if _, err := s.Close(); err != nil {
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

func measure(w *drive.World, s *drive.Server, file string, rounds int, rep *report) error {
	list, err := s.Call("tools/list", map[string]any{})
	if err != nil {
		return err
	}
	rep.SchemaTokens = (len(list) + 3) / 4
	words := gen.NewText(7)
	var ctx, writes, delivered, hooks []float64
	var cpu time.Duration
	for i := range rounds + 3 {
		if i == 3 {
			cpu = s.CPU()
		}
		begin := time.Now()
		if _, err := s.Tool("get_context", map[string]any{"prompt": "quokka ledger cursors " + words.Words(8), "paths": []string{"src/quokka/ledger.go"}, "include_delivered": true}); err != nil {
			return err
		}
		if i >= 3 {
			ctx = append(ctx, drive.MS(time.Since(begin)))
		}
	}
	rep.ContextCPU = drive.MS(s.CPU()-cpu) / float64(rounds)
	for i := range rounds {
		read, err := s.Tool("read_memory", map[string]any{"id": "quokka-ledger"})
		if err != nil {
			return err
		}
		version, _ := read["version"].(string)
		marker := fmt.Sprintf("Never merge them (version %d).", i+1)
		begin := time.Now()
		if _, err := s.Tool("update_memory", map[string]any{"id": "quokka-ledger", "expected_version": version, "content": marker}); err != nil {
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
	rep.PeakMiB, err = s.Close()
	return err
}
