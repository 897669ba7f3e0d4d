package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"pathrule/internal/bench/drive"
)

// depthFiles are the labelled prompts of the depth classifier: those it was
// built with, which have a column of paths, and those written afterwards.
var depthFiles = []struct{ name, file string }{{"built with", "slice/testdata/intents.txt"}, {"written afterwards", "eval/depth.txt"}}

// labelled is one prompt with the intent that its writer had.
type labelled struct{ intent, lang, paths, prompt string }

func readLabelled(file string) ([]labelled, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []labelled
	columns := 0
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if after, ok := strings.CutPrefix(line, "# intent"); ok {
			columns = strings.Count(after, "|") + 1
		}
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.SplitN(line, "|", columns)
		if columns < 3 || len(f) != columns {
			return nil, fmt.Errorf("%s: %q does not have the columns of the first line", file, line)
		}
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		l := labelled{intent: f[0], lang: f[1], prompt: strings.ReplaceAll(f[columns-1], `\n`, "\n")}
		if columns == 4 {
			l.paths = f[2]
		}
		out = append(out, l)
	}
	return out, nil
}

// depthReport is the accuracy over one file and what was taken for what.
type depthReport struct {
	Name    string                    `json:"name"`
	Prompts int                       `json:"prompts"`
	Right   int                       `json:"right"`
	Langs   map[string][2]int         `json:"langs"` // right, all
	Took    map[string]map[string]int `json:"took"`  // intent, taken for, how often
	Misses  []string                  `json:"misses,omitempty"`
}

// depths asks "pathrule explain" what it takes each labelled prompt for.
func depths(asJSON, verbose bool, w io.Writer) error {
	prog, remove, err := drive.BuildTemp()
	if err != nil {
		return err
	}
	defer remove()
	world, err := drive.NewWorld(prog)
	if err != nil {
		return err
	}
	defer world.Close()
	if _, err := world.CLI("init", "--yes"); err != nil {
		return err
	}
	var reports []depthReport
	for _, f := range depthFiles {
		all, err := readLabelled(f.file)
		if err != nil {
			return err
		}
		r := depthReport{Name: f.name, Langs: map[string][2]int{}, Took: map[string]map[string]int{}}
		for _, l := range all {
			args := []string{"explain", "--json", "--prompt", l.prompt}
			if l.paths != "" {
				for _, p := range strings.Split(l.paths, ",") {
					args = append(args, "--path", p)
				}
			}
			out, err := world.CLI(args...)
			if err != nil {
				return err
			}
			var v struct {
				Data struct{ Intent string }
			}
			if err := json.Unmarshal([]byte(out), &v); err != nil {
				return err
			}
			r.count(l, v.Data.Intent)
		}
		reports = append(reports, r)
	}
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(reports)
	}
	for i := range reports {
		reports[i].print(w, verbose)
	}
	return nil
}

func (r *depthReport) count(l labelled, got string) {
	r.Prompts++
	c := r.Langs[l.lang]
	c[1]++
	if got == l.intent {
		r.Right++
		c[0]++
	} else {
		r.Misses = append(r.Misses, fmt.Sprintf("%s: %q is %s, taken for %s", l.lang, l.prompt, l.intent, got))
	}
	r.Langs[l.lang] = c
	if r.Took[l.intent] == nil {
		r.Took[l.intent] = map[string]int{}
	}
	r.Took[l.intent][got]++
}

func (r *depthReport) print(w io.Writer, verbose bool) {
	fmt.Fprintf(w, "\n%s: %d of %d prompts taken for what they are (%s %%)\n", r.Name, r.Right, r.Prompts, pct(r.Right, r.Prompts))
	for i, l := range slices.Sorted(maps.Keys(r.Langs)) {
		if i > 0 {
			fmt.Fprint(w, ", ")
		}
		fmt.Fprintf(w, "%s %d/%d", l, r.Langs[l][0], r.Langs[l][1])
	}
	fmt.Fprintln(w)
	intents := slices.Sorted(maps.Keys(r.Took))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "is \\ taken for\t"+strings.Join(intents, "\t"))
	for _, is := range intents {
		fmt.Fprint(t, is)
		for _, as := range intents {
			fmt.Fprintf(t, "\t%d", r.Took[is][as])
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	if verbose {
		for _, m := range r.Misses {
			fmt.Fprintln(w, "  "+m)
		}
	}
}
