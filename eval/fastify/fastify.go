// Package fastify runs the protocol of a published context-delivery benchmark
// ("fastify-hard": 168 invented entries on a real repository's paths, 10
// prompts, 165 path queries) against the real programs: hook processes fed
// with host events, and an MCP conversation. No floor or weight of pathrule is
// set on this data; it is the final check only.
package fastify

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pathrule/internal/bench/drive"
)

//go:embed data
var data embed.FS

type item struct {
	ID, Kind, Title, Body, Priority, Relevance string
	Description                                string
	Paths                                      []string
	SeedPath                                   string `json:"seed_path"`
	norm                                       string // body as it would appear, white space folded
}

type query struct {
	ID, Type, Prompt, Cwd string
	Order                 int
	Gold, Distractors     []string
	Facts                 []string `json:"knowledge_only_facts"`
}

type pathQuery struct {
	Path           string
	Own, Inherited []string
}

func load[T any](name string) ([]T, error) {
	b, err := data.ReadFile("data/" + name)
	if err != nil {
		return nil, err
	}
	var all []T
	sc := bufio.NewScanner(bytes.NewReader(b))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		all = append(all, v)
	}
	return all, sc.Err()
}

// bench is the loaded data and the built programs.
type bench struct {
	items   []item
	byID    map[string]*item
	queries []query
	paths   []pathQuery
	prog    drive.Programs
	verbose bool
}

// Modes are all of them: prompts in new sessions (A) or one (B, with their
// repeat, C), paths in new sessions (D) or one (E), get_context (F), compaction
// (G), an edited entry (H), and the same bytes in parallel runs (R).
const Modes = "A,B,C,D,E,F,G,H,R"

// Run runs the modes with the built programs. Report.Missed names the targets
// of the project that were not met.
func Run(prog drive.Programs, modes []string, verbose bool) (*Report, error) {
	b := &bench{byID: map[string]*item{}, verbose: verbose, prog: prog}
	var err error
	if b.items, err = load[item]("knowledge.jsonl"); err != nil {
		return nil, err
	}
	if b.queries, err = load[query]("queries.jsonl"); err != nil {
		return nil, err
	}
	if b.paths, err = load[pathQuery]("path-queries.jsonl"); err != nil {
		return nil, err
	}
	for i := range b.items {
		it := &b.items[i]
		it.norm = fold(it.Body)
		b.byID[it.ID] = it
	}
	slices.SortFunc(b.queries, func(x, y query) int { return x.Order - y.Order })
	rep := &Report{}
	for _, m := range modes {
		var err error
		switch strings.TrimSpace(m) {
		case "A":
			rep.A, err = b.prompts(true)
		case "B", "C":
			if rep.B == nil {
				rep.B, err = b.prompts(false)
			}
		case "D":
			rep.D, err = b.pathExact()
		case "E":
			rep.E, err = b.pathWalk()
		case "F":
			rep.F, err = b.contexts()
		case "G":
			rep.G, err = b.compact()
		case "H":
			rep.H, err = b.edit()
		case "R":
			rep.R, err = b.deterministic()
		default:
			err = fmt.Errorf("unknown mode")
		}
		if err != nil {
			return nil, fmt.Errorf("mode %s: %w", m, err)
		}
	}
	rep.judge()
	return rep, nil
}

// seed writes the knowledge into a new world and builds the index. order
// shuffles nothing but the order in which files are written.
func (b *bench) seed(reverse bool) (*drive.World, error) {
	w, err := drive.NewWorld(b.prog)
	if err != nil {
		return nil, err
	}
	items := slices.Clone(b.items)
	if reverse {
		slices.Reverse(items)
	}
	for _, it := range items {
		for _, p := range it.Paths {
			if err := touch(w.Root, p); err != nil {
				return nil, err
			}
		}
	}
	for _, q := range b.paths {
		if err := touch(w.Root, q.Path); err != nil {
			return nil, err
		}
	}
	if _, err := w.CLI("init", "--yes"); err != nil {
		return nil, err
	}
	for _, it := range items {
		if err := writeItem(w.Root, it); err != nil {
			return nil, err
		}
	}
	_, err = w.CLI("index")
	return w, err
}

func touch(root, p string) error {
	path := filepath.Join(root, filepath.FromSlash(p))
	if filepath.Ext(p) == "" {
		return os.MkdirAll(path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, nil, 0o644)
}

// writeItem writes one entry under a name made from its title, so that the
// published ids (which tell gold from negatives) reach no index.
func writeItem(root string, it item) error {
	slug := strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 32
		}
		return '-'
	}, it.Title), "-")
	var sb strings.Builder
	sb.WriteString("---\n")
	name := "title"
	if it.Kind == "skill" {
		name = "name"
	}
	fmt.Fprintf(&sb, "%s: %q\n", name, it.Title)
	if it.Description != "" {
		fmt.Fprintf(&sb, "description: %q\n", it.Description)
	}
	sb.WriteString("paths:\n")
	for _, p := range it.Paths {
		fmt.Fprintf(&sb, "  - %q\n", p)
	}
	if it.Priority != "" && it.Kind == "rule" {
		fmt.Fprintf(&sb, "priority: %s\n", it.Priority)
	}
	sb.WriteString("---\n" + it.Body + "\n")
	file := filepath.Join(root, ".pathrule", map[string]string{"memory": "memories", "rule": "rules", "skill": "skills"}[it.Kind], slug+".md")
	if it.Kind == "skill" {
		file = filepath.Join(root, ".pathrule", "skills", slug, "SKILL.md")
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(sb.String()), 0o644)
}

// fold makes text comparable whatever the renderer does to white space and
// typographic marks.
func fold(s string) string { return strings.Join(strings.Fields(s), " ") }

// delivered finds which items a text tells, and how.
func (b *bench) delivered(text string) map[string]string {
	t := fold(text)
	got := map[string]string{}
	for i := range b.items {
		it := &b.items[i]
		switch {
		case strings.Contains(t, it.norm):
			got[it.ID] = "body"
		case strings.Contains(t, fold(it.Title)) && !partOfLonger(b.items, it, t):
			got[it.ID] = "name"
		}
	}
	return got
}

// partOfLonger: "x decision record 1" stands inside "x decision record 12".
func partOfLonger(items []item, it *item, text string) bool {
	rest := text
	for i := range items {
		o := &items[i]
		if o != it && len(o.Title) > len(it.Title) && strings.Contains(o.Title, it.Title) {
			rest = strings.ReplaceAll(rest, fold(o.Title), "")
		}
	}
	return !strings.Contains(rest, fold(it.Title))
}
