// Command index measures the index: how fast a workspace is built, how long
// one changed entry takes to be published, what opening and asking cost at
// three sizes, and how much memory that takes. Run it with --json for a
// machine; nothing fails on a slow figure.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"pathrule/index"
	"pathrule/index/catalog"
	"pathrule/internal/bench/gen"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// timing is one figure in milliseconds: the median by the clock, and the mean
// processor time.
type timing struct {
	Wall float64 `json:"wall_ms"`
	CPU  float64 `json:"cpu_ms"`
}

// row are the figures of one size.
type row struct {
	Entries       int     `json:"entries"`
	Files         int     `json:"files"`
	BuildPerSec   float64 `json:"build_entries_per_s"`
	Build         timing  `json:"build"`
	BuildPeakMiB  float64 `json:"build_peak_mib"`
	Refresh       timing  `json:"refresh_one"`
	RefreshFiles  timing  `json:"refresh_files_one"`
	Nothing       timing  `json:"refresh_nothing"`
	Window        timing  `json:"refresh_window"`
	Open          timing  `json:"open"`
	Query         timing  `json:"query"`
	LongQuery     timing  `json:"long_query"`
	Path          timing  `json:"catalogue_path"`
	PathBytesMax  int64   `json:"catalogue_path_bytes_max"`
	QueryAllocKiB float64 `json:"open_query_alloc_kib"`
	DiskMiB       float64 `json:"disk_mib"`
}

func main() {
	sizes := flag.String("entries", "1000,10000,100000", "sizes to measure")
	files := flag.Int("files", -1, "project files; -1: as many as entries")
	asJSON := flag.Bool("json", false, "print JSON")
	runs := flag.Int("runs", 40, "measurements per figure")
	flag.Parse()
	var rows []row
	for s := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench: error: --entries wants numbers")
			os.Exit(2)
		}
		r, err := measure(n, *files, *runs)
		if err != nil {
			fmt.Fprintf(os.Stderr, "bench: error: %v\n", err)
			os.Exit(1)
		}
		rows = append(rows, r)
		if !*asJSON {
			fmt.Printf("%+v\n", r)
		}
	}
	if *asJSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		_ = out.Encode(map[string]any{
			"go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH, "cpus": runtime.NumCPU(), "rows": rows,
		})
	}
}

func measure(n, files, runs int) (row, error) {
	dir, err := os.MkdirTemp("", "pathrule-bench")
	if err != nil {
		return row{}, err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return row{}, err
	}
	root := filepath.Join(dir, "work", "project")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return row{}, err
	}
	if files < 0 {
		files = n
	}
	r := row{Entries: n, Files: files}
	entries, err := gen.Make(root, gen.Options{Entries: n, Files: r.Files})
	if err != nil {
		return r, err
	}
	vars := map[string]string{"HOME": dir, "PATHRULE_HOME": filepath.Join(dir, ".pathrule")}
	env := sysenv.Env{Vars: func(k string) string { return vars[k] }, Cwd: root, UserHome: dir, Now: time.Now}
	ws, err := workspace.Find(root, env)
	if err != nil {
		return r, err
	}
	dirs := workspace.DirsOf(env)
	ctx := context.Background()

	stop := peak(&r.BuildPeakMiB)
	start, from := time.Now(), cpu()
	rep, err := index.Build(ctx, ws, env)
	took, used := time.Since(start), cpu()-from
	stop()
	if err != nil {
		return r, err
	}
	if rep.Entries != n {
		return r, fmt.Errorf("built %d of %d entries: %v", rep.Entries, n, rep.Problems)
	}
	r.Build, r.BuildPerSec = timing{ms(took), ms(used)}, float64(n)/took.Seconds()
	r.DiskMiB = float64(size(dirs.Cache(ws.ID))) / (1 << 20)

	// The racy moment of the fresh files would make every look at them a read.
	time.Sleep(2100 * time.Millisecond)
	if _, err := index.Refresh(ctx, ws, env, index.Limits{}); err != nil {
		return r, err
	}
	text := gen.NewText(99)
	file := filepath.Join(ws.Store, "memories", "bench.md")
	if r.Refresh, err = median(min(runs, 15), func(i int) error {
		body := fmt.Sprintf("---\ntitle: Bench %d\npaths: [src]\n---\n%s\n", i, text.Words(60))
		if err := os.WriteFile(file, []byte(body), 0o644); err != nil {
			return err
		}
		return nil
	}, func(int) error {
		_, err := index.Refresh(ctx, ws, env, index.Limits{})
		return err
	}); err != nil {
		return r, err
	}
	if r.RefreshFiles, err = median(min(runs, 15), func(i int) error {
		body := fmt.Sprintf("---\ntitle: Bench again %d\npaths: [src]\n---\n%s\n", i, text.Words(60))
		return os.WriteFile(file, []byte(body), 0o644)
	}, func(int) error {
		_, err := index.RefreshFiles(ctx, ws, env, file)
		return err
	}); err != nil {
		return r, err
	}
	time.Sleep(2100 * time.Millisecond)
	hook := index.Limits{Files: 300, Time: 80 * time.Millisecond, Window: 1000}
	for _, f := range []struct {
		to *timing
		l  index.Limits
	}{{&r.Nothing, index.Limits{}}, {&r.Window, hook}} {
		if *f.to, err = median(min(runs, 20), nil, func(int) error {
			_, err := index.Refresh(ctx, ws, env, f.l)
			return err
		}); err != nil {
			return r, err
		}
	}
	if r.Open, err = median(runs, nil, func(int) error {
		x, err := index.Open(ws, env)
		if err != nil {
			return err
		}
		return x.Close()
	}); err != nil {
		return r, err
	}
	for _, q := range []struct {
		to    *timing
		words int
	}{{&r.Query, 10}, {&r.LongQuery, 300}} {
		if *q.to, err = median(runs, nil, func(i int) error {
			x, err := index.Open(ws, env)
			if err != nil {
				return err
			}
			defer x.Close()
			_, err = x.Search(catalog.Query{Text: text.Words(q.words), Paths: []string{paths(entries, i)}})
			return err
		}); err != nil {
			return r, err
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	x, err := index.Open(ws, env)
	if err != nil {
		return r, err
	}
	if _, err := x.Search(catalog.Query{Text: text.Words(10), Paths: []string{paths(entries, 1)}}); err != nil {
		return r, err
	}
	x.Close()
	runtime.ReadMemStats(&after)
	r.QueryAllocKiB = float64(after.TotalAlloc-before.TotalAlloc) / 1024
	r.Path, err = median(runs, nil, func(i int) error {
		c, err := catalog.Open(ws, dirs)
		if err != nil {
			return err
		}
		defer c.Close()
		_, err = c.Search(catalog.Query{Paths: []string{paths(entries, i)}})
		r.PathBytesMax = max(r.PathBytesMax, c.BytesRead())
		return err
	})
	return r, err
}

func paths(entries []gen.Entry, i int) string {
	for ; ; i++ {
		if p := entries[(i*37)%len(entries)].FilePath(); p != "" {
			return p
		}
	}
}

func median(n int, before, f func(i int) error) (timing, error) {
	var used time.Duration
	all := make([]float64, 0, n)
	for i := range n {
		if before != nil {
			if err := before(i); err != nil {
				return timing{}, err
			}
		}
		start, from := time.Now(), cpu()
		if err := f(i); err != nil {
			return timing{}, err
		}
		all = append(all, ms(time.Since(start)))
		used += cpu() - from
	}
	slices.Sort(all)
	return timing{all[len(all)/2], ms(used) / float64(n)}, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func size(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil {
			if st, e := d.Info(); e == nil && st.Mode().IsRegular() {
				n += st.Size()
			}
		}
		return nil
	})
	return n
}

// peak samples the heap until the returned function is called.
func peak(to *float64) func() {
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		var m runtime.MemStats
		for {
			runtime.ReadMemStats(&m)
			*to = max(*to, float64(m.HeapInuse)/(1<<20))
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() { close(done); <-gone }
}
