package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pathrule/eval/fastify"
	"pathrule/internal/bench/drive"
)

func main() {
	asJSON := flag.Bool("json", false, "print the figures as JSON")
	only := flag.String("set", "", "run only these committed sets, comma separated")
	corpus := flag.String("corpus", "", "a `folder` of real instruction files, one workspace in each of its folders")
	queries := flag.String("queries", "", "the labelled prompts for --corpus, a JSONL `file`")
	verbose := flag.Bool("v", false, "name every miss")
	texts := flag.Bool("vv", false, "print every delivered text too")
	mcp := flag.Bool("mcp", true, "ask get_context as well")
	check := flag.Bool("check", false, "compare with eval/golden.json; a drop fails")
	update := flag.Bool("update", false, "rewrite eval/golden.json")
	signals := flag.Bool("ablate", false, "leave out one signal of the ranking after the other and say what each adds")
	depth := flag.Bool("depth", false, "what the depth classifier takes labelled prompts for")
	modes := flag.String("modes", fastify.Modes, "which modes of the published benchmark to run with --set fastify")
	flag.Parse()
	if *only == "fastify" {
		if err := published(strings.Split(*modes, ","), *asJSON, *texts); err != nil {
			fmt.Fprintln(os.Stderr, "eval: error:", err)
			os.Exit(1)
		}
		return
	}
	if *depth {
		if err := depths(*asJSON, *verbose, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "eval: error:", err)
			os.Exit(1)
		}
		return
	}
	if *signals {
		if err := ablate(*only, *asJSON, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "eval: error:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(*only, *corpus, *queries, *asJSON, *verbose || *texts, *texts, *mcp, *check, *update); err != nil {
		fmt.Fprintln(os.Stderr, "eval: error:", err)
		os.Exit(1)
	}
}

func run(only, corpus, queries string, asJSON, verbose, texts, mcp, check, update bool) error {
	prog, remove, err := drive.BuildTemp()
	if err != nil {
		return err
	}
	defer remove()
	var reports []*report
	if corpus != "" {
		reps, err := runCorpus(corpus, queries, prog, mcp, texts)
		if err != nil {
			return err
		}
		reports = append(reports, reps)
	} else {
		sets, err := committedSets(only, setsDir)
		if err != nil {
			return err
		}
		for _, s := range sets {
			out, err := ask(s, prog, mcp)
			if err != nil {
				return fmt.Errorf("set %s: %w", s.name, err)
			}
			show(out, texts)
			reports = append(reports, judge(s, out))
		}
	}
	if asJSON {
		enc := json.NewEncoder(os.Stdout)
		enc.SetIndent("", "  ")
		if err := enc.Encode(reports); err != nil {
			return err
		}
	} else {
		for _, r := range reports {
			r.print(os.Stdout, verbose, mcp)
		}
	}
	if corpus == "" && (check || update) {
		return golden(reports, update, only == "")
	}
	return nil
}

// published runs the protocol of the published benchmark, which has modes and
// targets of its own.
func published(modes []string, asJSON, verbose bool) error {
	prog, remove, err := drive.BuildTemp()
	if err != nil {
		return err
	}
	defer remove()
	rep, err := fastify.Run(prog, modes, verbose)
	if err != nil {
		return err
	}
	if asJSON {
		enc := json.NewEncoder(os.Stdout)
		enc.SetIndent("", "  ")
		if err := enc.Encode(rep); err != nil {
			return err
		}
	} else {
		rep.Print(os.Stdout)
	}
	if len(rep.Missed) > 0 {
		return fmt.Errorf("%d targets missed", len(rep.Missed))
	}
	return nil
}

func show(out []outcome, texts bool) {
	if !texts {
		return
	}
	for _, o := range out {
		fmt.Fprintf(os.Stderr, "--- %s %s: %s\n%s\n", o.p.ID, o.p.Kind, short(o.p.Prompt, 200), o.text)
	}
}

const setsDir = "eval/sets"

// committedSets reads the sets below dir, all or those named.
func committedSets(only, dir string) ([]*set, error) {
	dirs, err := filepath.Glob(dir + "/*")
	if err != nil {
		return nil, err
	}
	if len(dirs) == 0 {
		return nil, fmt.Errorf("no sets below %s: run this in the module's root", dir)
	}
	var out []*set
	for _, d := range dirs {
		if only != "" && !slices.Contains(strings.Split(only, ","), filepath.Base(d)) {
			continue
		}
		s, err := committed(d)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no set named %s below %s", only, dir)
	}
	return out, nil
}
