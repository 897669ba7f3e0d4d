// Command hook times whole hook processes at several store sizes, beside a
// bare Go program that prints {} and is built in the same run, and reports
// ratios: milliseconds differ between machines, ratios of one run hardly do.
//
//	go run ./internal/bench/hook [--json] [--quick] [--rounds N] [--sizes 1000,10000,100000] [--files 300000]
//
// It fails when something was not measured: a hook that answered nothing where
// it must speak, or spoke where it must be silent, is an error and no figure.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"pathrule/internal/bench/drive"
	"pathrule/internal/bench/gen"
)

type figure struct {
	Event    string  `json:"event"`
	Entries  int     `json:"entries"`
	MedianMS float64 `json:"median_ms"`
	P95MS    float64 `json:"p95_ms"`
	CPUMS    float64 `json:"cpu_median_ms"` // user and system
	Ratio    float64 `json:"ratio_to_bare"` // medians of one run
	PeakMiB  float64 `json:"peak_mib"`
	Rounds   int     `json:"rounds"`
}

type report struct {
	Go      string   `json:"go"`
	OS      string   `json:"os"`
	CPUs    int      `json:"cpus"`
	Figures []figure `json:"figures"`
	Growth  []growth `json:"growth"`
}

// growth compares the largest store with the smallest.
type growth struct {
	Event string  `json:"event"`
	From  int     `json:"from"`
	To    int     `json:"to"`
	Ratio float64 `json:"ratio"`
	CPU   float64 `json:"cpu_ratio"` // which a busy machine hardly moves
}

func main() {
	asJSON := flag.Bool("json", false, "print JSON")
	quick := flag.Bool("quick", false, "fewer rounds, no 100,000 entries: a smoke test, not a measurement")
	rounds := flag.Int("rounds", 60, "measured runs per event and size")
	sizes := flag.String("sizes", "1000,10000,100000", "store sizes in entries")
	files := flag.Int("files", -1, "files of the project in the largest store; -1: as many as entries")
	flag.Parse()
	if *quick {
		*rounds, *sizes = 12, "1000,10000"
	}
	rep, err := run(*sizes, *rounds, *files)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench hook: error:", err)
		os.Exit(1)
	}
	if *asJSON {
		drive.PrintJSON(rep)
		return
	}
	fmt.Printf("%s, %s, %d CPUs, %d rounds\n", rep.Go, rep.OS, rep.CPUs, *rounds)
	fmt.Printf("%-28s %9s %10s %10s %8s %8s %9s\n", "event", "entries", "median ms", "p95 ms", "x bare", "cpu ms", "peak MiB")
	for _, f := range rep.Figures {
		fmt.Printf("%-28s %9d %10.2f %10.2f %8.2f %8.2f %9.1f\n", f.Event, f.Entries, f.MedianMS, f.P95MS, f.Ratio, f.CPUMS, f.PeakMiB)
	}
	for _, g := range rep.Growth {
		fmt.Printf("%s: %d entries cost %.2fx of %d, in processor time %.2fx\n", g.Event, g.To, g.Ratio, g.From, g.CPU)
	}
}

func run(sizes string, rounds, files int) (*report, error) {
	bin, err := os.MkdirTemp("", "bare-program-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(bin)
	prog, remove, err := drive.BuildTemp()
	if err != nil {
		return nil, err
	}
	defer remove()
	bare, err := buildBare(bin)
	if err != nil {
		return nil, err
	}
	rep := &report{Go: runtime.Version(), OS: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU()}
	var all []int
	for _, s := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil {
			return nil, fmt.Errorf("read --sizes: %w", err)
		}
		all = append(all, n)
	}
	for i, n := range all {
		project := n
		if i == len(all)-1 && files >= 0 {
			project = files
		}
		figs, err := measure(prog, bare, n, project, rounds)
		if err != nil {
			return nil, fmt.Errorf("%d entries: %w", n, err)
		}
		rep.Figures = append(rep.Figures, figs...)
	}
	for _, f := range rep.Figures {
		if f.Entries != all[len(all)-1] || len(all) < 2 {
			continue
		}
		for _, g := range rep.Figures {
			if g.Event == f.Event && g.Entries == all[0] && f.Event != "bare program" {
				rep.Growth = append(rep.Growth, growth{f.Event, g.Entries, f.Entries, f.MedianMS / g.MedianMS, f.CPUMS / g.CPUMS})
			}
		}
	}
	return rep, nil
}

// buildBare builds the yardstick: the least a hook could be.
func buildBare(dir string) (string, error) {
	src := filepath.Join(dir, "bare")
	if err := os.MkdirAll(src, 0o755); err != nil {
		return "", err
	}
	main := "package main\n\nimport (\n\t\"io\"\n\t\"os\"\n)\n\nfunc main() {\n\tio.ReadAll(os.Stdin)\n\tos.Stdout.WriteString(\"{}\\n\")\n}\n"
	for name, text := range map[string]string{"main.go": main, "go.mod": "module bare\n\ngo 1.24\n"} {
		if err := os.WriteFile(filepath.Join(src, name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	exe := filepath.Join(dir, "bare-program")
	if runtime.GOOS == "windows" {
		exe += ".exe"
	}
	cmd := exec.Command("go", "build", "-o", exe, ".")
	cmd.Dir = src
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build bare program: %w\n%s", err, out)
	}
	return exe, nil
}

// sample is one series of measured runs.
type sample struct {
	event string
	ms    []float64
	cpu   []float64 // processor milliseconds
	peak  int64
}

func (s *sample) add(d, cpu time.Duration, kib int64) {
	s.ms = append(s.ms, drive.MS(d))
	s.cpu = append(s.cpu, drive.MS(cpu))
	s.peak = max(s.peak, kib)
}

func measure(prog drive.Programs, bare string, n, files, rounds int) ([]figure, error) {
	w, err := drive.NewWorld(prog)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	probe, err := makeProbe(w.Root, n, files)
	if err != nil {
		return nil, fmt.Errorf("generate workspace: %w", err)
	}
	if _, err := w.CLI("init", "--yes"); err != nil {
		return nil, err
	}
	if _, err := w.CLI("index"); err != nil {
		return nil, err
	}
	// A file that changed within two seconds of a look is read again at the next
	// one, whatever its time says. All of them did just now; no user's have.
	time.Sleep(2100 * time.Millisecond)
	file := filepath.Join(w.Root, filepath.FromSlash(probe.path))
	other := filepath.Join(w.Root, "no-such-folder", "x.txt")
	bareS, speak, quiet, prompt, silent := &sample{event: "bare program"}, &sample{event: "tool hook, speaks"},
		&sample{event: "tool hook, nothing new"}, &sample{event: "prompt hook, speaks"}, &sample{event: "prompt hook, no match"}
	for i := -3; i < rounds; i++ { // three runs warm the page cache
		// Interleaved, so that a slow moment of the machine meets all of them.
		_, d, err := w.Run(bare, []byte("{}\n"))
		if err != nil {
			return nil, err
		}
		if i >= 0 {
			bareS.add(d, w.CPU, w.PeakKiB)
		}
		session := fmt.Sprintf("bench-%d", i+3)
		if _, err := w.Hook(drive.SessionStart(session, "startup"), ""); err != nil {
			return nil, err
		}
		steps := []struct {
			s     *sample
			ev    drive.Event
			holds string // what the answer must hold; "" is silence
		}{
			{nil, drive.Tool(session, "warm", "Read", other), "*"},
			{speak, drive.Tool(session, "a", "Read", file), probe.title},
			{quiet, drive.Tool(session, "b", "Edit", file), ""},
			{prompt, drive.Prompt(session, "p", probe.prompt), probe.promptTitle},
			{silent, drive.Prompt(session, "q", "thanks, that is all for now"), ""},
		}
		for _, st := range steps {
			a, err := w.Hook(st.ev, "")
			if err != nil {
				return nil, err
			}
			if st.s == nil {
				continue
			}
			if st.holds == "" && len(a.Stdout) > 0 {
				return nil, fmt.Errorf("%s: spoke where it must be silent: %s", st.s.event, a.Stdout)
			}
			if st.holds != "" && !strings.Contains(a.Context, st.holds) {
				return nil, fmt.Errorf("%s: answer lacks %q: %q", st.s.event, st.holds, a.Context)
			}
			if i >= 0 {
				st.s.add(a.Took, w.CPU, w.PeakKiB)
			}
		}
	}
	base := drive.Quantile(bareS.ms, 50)
	var figs []figure
	for _, s := range []*sample{bareS, speak, quiet, prompt, silent} {
		if len(s.ms) != rounds {
			return nil, fmt.Errorf("%s: %d of %d runs measured", s.event, len(s.ms), rounds)
		}
		m := drive.Quantile(s.ms, 50)
		figs = append(figs, figure{s.event, n, m, drive.Quantile(s.ms, 95), drive.Quantile(s.cpu, 50), m / base, float64(s.peak) / 1024, rounds})
	}
	return figs, nil
}

// probe is what the measured events ask for: one entry attached to a file, and
// another that a prompt means, both among n generated ones.
type probe struct {
	path, title         string
	prompt, promptTitle string
}

func makeProbe(root string, n, files int) (probe, error) {
	if _, err := gen.Make(root, gen.Options{Entries: n - 2, Files: files, Seed: 1}); err != nil {
		return probe{}, err
	}
	p := probe{
		path: "src/quokka/ledger.go", title: "Quokka ledger keeps two cursors",
		promptTitle: "Narwhal exports run after midnight",
		prompt:      "the narwhal export failed again last night, find out why the midnight run stops",
	}
	for name, text := range map[string]string{
		"quokka-ledger": "---\ntitle: " + p.title + "\npaths: " + p.path + "\n---\nThe reader's cursor and the writer's differ by design; never merge them.\n",
		"narwhal":       "---\ntitle: " + p.promptTitle + "\npaths: src/narwhal\n---\nThe narwhal export waits for the midnight snapshot. A run that stops early lacks the snapshot lock.\n",
	} {
		if err := os.WriteFile(filepath.Join(root, ".pathrule", "memories", name+".md"), []byte(text), 0o644); err != nil {
			return probe{}, err
		}
	}
	file := filepath.Join(root, filepath.FromSlash(p.path))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return probe{}, err
	}
	return p, os.WriteFile(file, nil, 0o644)
}
