package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"text/tabwriter"

	"pathrule/internal/bench/drive"
)

// tuningFile holds every tunable of the ranking as a constant.
const tuningFile = "slice/tuning.go"

// ablation switches one signal off by changing constants. The programs are
// built with the changed file laid over the real one, so that no switch of this
// kind exists in what users run.
type ablation struct {
	name   string
	values map[string]string
}

var ablations = []ablation{
	{"all signals", nil},
	{"no place in the tree: file, folder, glob, depth, session's folder", map[string]string{"rankFile": "0.0", "rankFolder": "0.0", "rankDepth": "0.0", "rankGlob": "0.0", "cwdBonus": "0.0", "cwdAside": "0.0", "elsewhere": "0.0"}},
	{"paths in hand lower no bar", map[string]string{"pathEvidence": "99.0"}},
	{"title, tags and body weigh the same", map[string]string{"fieldTitle": "0.8", "fieldTag": "0.8", "fieldLine": "0.8"}},
	{"no words of the scope's path", map[string]string{"fieldPath": "0.0"}},
	{"common words of all projects weigh as much as others", map[string]string{"weightWeak": "1.0"}},
	{"ordinary words weigh as much as others", map[string]string{"commonMore": "0.0001", "commonWeak": "99.0"}},
	{"words that no entry holds do not speak against it", map[string]string{"weightUnknown": "0.001", "weightUnknownGram": "0.0"}},
	{"neighbouring words do not count", map[string]string{"adjacent": "0.0"}},
	{"long texts are not held to chance", map[string]string{"lengthChance": "0.0", "passageChance": "0.0"}},
	{"words of a long text count wherever they stand", map[string]string{"passageWords": "1 << 20"}},
	{"strong evidence needs as much coverage as any", map[string]string{"surelyEvidence": "99.0"}},
	{"what is asked for by a name that nobody holds raises no bar", map[string]string{"absentShare": "99.0"}},
	{"beyond its nine heaviest words a prompt asks nothing", map[string]string{"tailShare": "0.0"}},
	{"a prompt is one question, not one per sentence", map[string]string{"aPart": "99.0"}},
	{"typos and other endings do not count", map[string]string{"weightAlike": "0.0"}},
	{"words have no other names", map[string]string{"weightLike": "0.0", "weightTouches": "0.0", "likeWord": "0.0", "touchesWord": "0.0"}},
	{"the answer to one of two questions must come near the other", map[string]string{"anotherShare": "0.0", "anotherWords": "99"}},
	{"a runner-up needs no words of its own", map[string]string{"runnerUp": "0.0", "coveredShare": "1.0"}},
	{"one telling word of a title is worth nothing", map[string]string{"headingEvidence": "99.0"}},
	{"the index's own score does not count", map[string]string{"rankText": "0.0"}},
	{"a high rule needs as much evidence as any", map[string]string{"bindCoverage": "99.0"}},
	{"one word may carry a body", map[string]string{"strongWords": "1"}},
}

// row is what one ablation shows over all sets.
type row struct {
	Name   string `json:"name"`
	Gold   int    `json:"gold"`
	Body   int    `json:"body"`
	Line   int    `json:"line"`
	Wrong  int    `json:"wrong_bodies"`
	False  int    `json:"no_match_bodies"`
	Tokens int    `json:"tokens"`
}

// ablate runs the sets once per signal that is left out.
func ablate(only string, asJSON bool, w io.Writer) error {
	sets, err := committedSets(only, setsDir)
	if err != nil {
		return err
	}
	src, err := os.ReadFile(tuningFile)
	if err != nil {
		return fmt.Errorf("%w: run this in the module's root", err)
	}
	var rows []row
	for i, a := range ablations {
		fmt.Fprintf(os.Stderr, "%d of %d: %s\n", i+1, len(ablations), a.name)
		r, err := without(a, src, sets)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		rows = append(rows, r)
	}
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(rows)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "without\tgold as body %\ttold %\twrong bodies\tbodies where nothing fits\ttokens")
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%d\n", r.Name, pct(r.Body, r.Gold), pct(r.Line, r.Gold), r.Wrong, r.False, r.Tokens)
	}
	return t.Flush()
}

func without(a ablation, src []byte, sets []*set) (row, error) {
	r := row{Name: a.name}
	dir, err := os.MkdirTemp("", "pathrule-ablate-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	var args []string
	if len(a.values) > 0 {
		if args, err = overlay(dir, src, a.values); err != nil {
			return r, err
		}
	}
	prog, err := drive.Build(dir, args...)
	if err != nil {
		return r, err
	}
	for _, s := range sets {
		out, err := ask(s, prog, false)
		if err != nil {
			return r, err
		}
		f := judge(s, out).All
		r.Gold += f.Gold
		r.Body += f.Body
		r.Line += f.Line
		r.Wrong += f.Wrong
		r.False += f.False
		r.Tokens += f.Tokens
	}
	return r, nil
}

// overlay writes the changed constants and returns the flag that lays them over
// the real file.
func overlay(dir string, src []byte, values map[string]string) ([]string, error) {
	changed, err := setConstants(src, values)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "tuning.go")
	if err := os.WriteFile(file, changed, 0o644); err != nil {
		return nil, err
	}
	real, err := filepath.Abs(tuningFile)
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(map[string]any{"Replace": map[string]string{real: file}})
	if err != nil {
		return nil, err
	}
	list := filepath.Join(dir, "overlay.json")
	return []string{"-overlay", list}, os.WriteFile(list, b, 0o644)
}

// setConstants gives constants of a Go file other values; one that is not there
// is an error, so that a renamed signal does not go on being "left out".
func setConstants(src []byte, values map[string]string) ([]byte, error) {
	for name, v := range values {
		re := regexp.MustCompile(`(?m)^(\s*` + regexp.QuoteMeta(name) + `\s*=\s*)[-0-9.]+`)
		if n := len(re.FindAll(src, -1)); n != 1 {
			return nil, fmt.Errorf("%s stands %d times in %s", name, n, tuningFile)
		}
		src = re.ReplaceAll(src, []byte("${1}"+v))
	}
	return src, nil
}
