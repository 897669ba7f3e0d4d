package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
)

// prompt is one line of a set's prompts.jsonl.
type prompt struct {
	ID     string `json:"id"`
	Prompt string `json:"prompt"`
	// Lang is a language tag, "mixed" for several scripts in one prompt.
	Lang string `json:"lang"`
	// Kind groups prompts in the report: direct, paraphrase, typo, path, trace,
	// diff, long, hard, multi, followup, cross; chore, nomatch and nomatch_hard
	// have nothing to find.
	Kind string `json:"kind"`
	// Cwd is the session's folder below the root, "" for the root.
	Cwd string `json:"cwd,omitempty"`
	// Touch is a file that the assistant reads after the prompt, "" for none.
	Touch string `json:"touched_path,omitempty"`
	// Gold are the entries ("kind:id") that should come: memories and rules as
	// bodies, skills by name.
	Gold []string `json:"gold"`
	// AlsoOK are neither right nor wrong; Hard are look-alikes that must not come
	// as a body.
	AlsoOK []string `json:"also_ok,omitempty"`
	Hard   []string `json:"hard,omitempty"`
	// Session: prompts with the same one are asked in order in one session. What
	// the session was told before counts as delivered.
	Session string `json:"session,omitempty"`
	// Link is "dictionary" where only somebody who knows both languages could
	// link prompt and entry; such prompts are counted apart.
	Link string `json:"link,omitempty"`
}

func (p prompt) silent() bool { return len(p.Gold) == 0 }

// set is a workspace with its prompts.
type set struct {
	name    string
	prompts []prompt
	entries []knowledge.Entry
	// make fills an empty project root with the knowledge and the files.
	make func(root string) error
}

// committed reads eval/sets/NAME: knowledge/ (what .pathrule holds), files.txt
// (paths that exist, one a line) and prompts.jsonl.
func committed(dir string) (*set, error) {
	s := &set{name: filepath.Base(dir)}
	var err error
	if s.prompts, err = readLines[prompt](filepath.Join(dir, "prompts.jsonl")); err != nil {
		return nil, err
	}
	if s.entries, err = readEntries(filepath.Join(dir, "knowledge")); err != nil {
		return nil, err
	}
	files, err := os.ReadFile(filepath.Join(dir, "files.txt"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s.make = func(root string) error {
		if err := os.CopyFS(filepath.Join(root, ".pathrule"), os.DirFS(filepath.Join(dir, "knowledge"))); err != nil {
			return err
		}
		for _, f := range strings.Fields(string(files)) {
			if err := touch(root, f); err != nil {
				return err
			}
		}
		return nil
	}
	return s, s.check()
}

// check finds labels that name nothing: a set with a typo measures the typo.
func (s *set) check() error {
	ids := map[string]bool{}
	for _, e := range s.entries {
		ids[e.Key()] = true
	}
	seen := map[string]bool{}
	var errs []error
	for _, p := range s.prompts {
		if seen[p.ID] {
			errs = append(errs, fmt.Errorf("%s: prompt id %s twice", s.name, p.ID))
		}
		seen[p.ID] = true
		for _, k := range slices.Concat(p.Gold, p.AlsoOK, p.Hard) {
			if !ids[k] {
				errs = append(errs, fmt.Errorf("%s: prompt %s names %s, which is no entry", s.name, p.ID, k))
			}
		}
	}
	return errors.Join(errs...)
}

func readEntries(store string) ([]knowledge.Entry, error) {
	var out []knowledge.Entry
	for _, k := range []struct {
		kind knowledge.Kind
		dir  string
	}{{knowledge.Memory, "memories"}, {knowledge.Rule, "rules"}, {knowledge.Skill, "skills"}} {
		base := filepath.Join(store, k.dir)
		err := filepath.WalkDir(base, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				if p == base && errors.Is(err, fs.ErrNotExist) {
					return nil
				}
				return err
			}
			rel, _ := filepath.Rel(base, p)
			id := strings.TrimSuffix(filepath.ToSlash(rel), ".md")
			if k.kind == knowledge.Skill {
				id = filepath.ToSlash(filepath.Dir(rel))
			}
			if d.IsDir() || filepath.Ext(p) != ".md" || k.kind == knowledge.Skill && d.Name() != "SKILL.md" {
				return nil
			}
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			e, _, err := frontmatter.Parse(data, k.kind, id, filepath.ToSlash(p))
			if err != nil {
				return err
			}
			out = append(out, e)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", base, err)
		}
	}
	return out, nil
}

func readLines[T any](file string) ([]T, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []T
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(nil, 4<<20)
	for n := 1; sc.Scan(); n++ {
		line := bytes.TrimSpace(sc.Bytes())
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		out = append(out, v)
	}
	return out, sc.Err()
}

// touch makes an empty file, or a folder for a path that ends with a slash.
func touch(root, p string) error {
	file := filepath.Join(root, filepath.FromSlash(p))
	if strings.HasSuffix(p, "/") {
		return os.MkdirAll(file, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}
