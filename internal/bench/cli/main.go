// Command cli times the commands that look at a whole store, as processes on a
// generated one: the build, what is printed about it, and what goes through all
// of it. For each: seconds by the clock, processor seconds, and the most memory
// that the process took.
//
//	go run ./internal/bench/cli [--json] [--entries 100000] [--files 300000]
//
// A command that answers something else than it must is an error and no figure.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"pathrule/internal/bench/drive"
	"pathrule/internal/bench/gen"
)

type figure struct {
	Command string  `json:"command"`
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu_seconds"`
	PeakMiB float64 `json:"peak_mib"`
}

type report struct {
	Go      string   `json:"go"`
	OS      string   `json:"os"`
	CPUs    int      `json:"cpus"`
	Entries int      `json:"entries"`
	Files   int      `json:"files"`
	DiskMiB float64  `json:"index_mib"` // what lies below the pathrule home after the build
	TextMiB float64  `json:"store_mib"` // the entries' own files
	Figures []figure `json:"figures"`
}

func main() {
	asJSON := flag.Bool("json", false, "print JSON")
	n := flag.Int("entries", 100_000, "entries in the store")
	files := flag.Int("files", 300_000, "files of the project")
	into := flag.String("generate", "", "write the store below this `folder` and end; what the command runs by itself")
	flag.Parse()
	if *into != "" {
		if err := generate(*into, *n, *files); err != nil {
			fmt.Fprintln(os.Stderr, "bench cli: error:", err)
			os.Exit(1)
		}
		return
	}
	rep, err := run(*n, *files)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench cli: error:", err)
		os.Exit(1)
	}
	if *asJSON {
		drive.PrintJSON(rep)
		return
	}
	fmt.Printf("%s, %s, %d CPUs, %d entries (%.0f MiB), %d files of the project, index %.0f MiB\n",
		rep.Go, rep.OS, rep.CPUs, rep.Entries, rep.TextMiB, rep.Files, rep.DiskMiB)
	fmt.Printf("%-34s %9s %9s %9s\n", "command", "s", "cpu s", "peak MiB")
	for _, f := range rep.Figures {
		fmt.Printf("%-34s %9.2f %9.2f %9.0f\n", f.Command, f.Seconds, f.CPU, f.PeakMiB)
	}
}

func run(n, files int) (*report, error) {
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
	// In a process of its own: what it takes would be counted as every child's.
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	out, _, err := w.Run(self, nil, "--generate", w.Root, "--entries", strconv.Itoa(n), "--files", strconv.Itoa(files))
	if err != nil {
		return nil, err
	}
	var one gen.Entry
	if err := json.Unmarshal(out, &one); err != nil {
		return nil, err
	}
	rep := &report{Go: runtime.Version(), OS: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU(), Entries: n, Files: files}
	rep.TextMiB = size(filepath.Join(w.Root, ".pathrule"))
	for _, step := range []struct {
		name  string
		args  []string
		holds string
		exit  int
	}{
		{"index (the first build)", []string{"index"}, fmt.Sprintf("%d entries", n), 0},
		{"index (nothing changed)", []string{"index"}, "up to date", 0},
		{"status", []string{"status"}, fmt.Sprintf("%d entries", n), 0},
		{"search", []string{"search", one.Title}, one.ID, 0},
		{"explain", []string{"explain", "--prompt", "why does " + one.Title + " fail"}, "", 0},
		{"memory add", []string{"memory", "add", "--title", "Quokka ledger keeps two cursors", "--path", "src", "Never merge them."}, "quokka", 0},
		{"memory list", []string{"memory", "list"}, "quokka-ledger", 0},
		{"context", []string{"context", "--prompt", "quokka ledger cursors"}, "Never merge them", 0},
		{"doctor (the first reading)", []string{"doctor"}, "next:", 3},
		{"doctor (nothing changed)", []string{"doctor"}, "next:", 3},
		{"review (nothing changed)", []string{"review"}, "finding", 3},
		{"rule add", []string{"rule", "add", "--title", "Quokka ledgers are append only", "--path", "src", "Never rewrite one."}, "quokka", 0},
		{"review (one entry is new)", []string{"review"}, "finding", 3},
	} {
		out, took, err := w.Run(prog.Pathrule, nil, step.args...)
		if err != nil && (step.exit == 0 || w.ExitCode != step.exit) {
			return nil, err
		}
		if !strings.Contains(string(out), step.holds) {
			return nil, fmt.Errorf("%s: the answer lacks %q: %.400s", step.name, step.holds, out)
		}
		rep.Figures = append(rep.Figures, figure{step.name, took.Seconds(), w.CPU.Seconds(), float64(w.PeakKiB) / 1024})
		if rep.DiskMiB == 0 {
			rep.DiskMiB = size(filepath.Join(w.Home, ".pathrule"))
		}
	}
	return rep, nil
}

// generate writes the store and names one of its entries.
func generate(root string, n, files int) error {
	entries, err := gen.Make(root, gen.Options{Entries: n, Files: files, Seed: 1})
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(entries[n/2])
}

// size is what the files below dir hold, in MiB.
func size(dir string) float64 {
	n := int64(0)
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if st, err := d.Info(); err == nil {
				n += st.Size()
			}
		}
		return nil
	})
	return float64(n) / (1 << 20)
}
