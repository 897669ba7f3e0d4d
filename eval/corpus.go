package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pathrule/internal/bench/drive"
	"pathrule/internal/corpus"
	"pathrule/internal/managed"
)

// corpusQuery is one labelled prompt over a folder of real instruction files;
// gold, also_ok and aliases are files below the corpus.
type corpusQuery struct {
	ID        int      `json:"id"`
	Prompt    string   `json:"prompt"`
	Workspace string   `json:"workspace"`
	Cwd       string   `json:"cwd"`
	Touched   string   `json:"touched_path"`
	Gold      []string `json:"gold"`
	AlsoOK    []string `json:"also_ok"`
	Aliases   []string `json:"aliases"`
	Kind      string   `json:"kind"`
	Lang      string   `json:"lang"`
}

// runCorpus converts each folder that has prompts to a workspace and asks them
// there; the figures are over all of them.
func runCorpus(dir, queries string, prog drive.Programs, mcp, texts bool) (*report, error) {
	if queries == "" {
		return nil, fmt.Errorf("--corpus needs --queries, the labelled prompts")
	}
	all, err := readLines[corpusQuery](queries)
	if err != nil {
		return nil, err
	}
	byWorkspace := map[string][]corpusQuery{}
	for _, q := range all {
		byWorkspace[q.Workspace] = append(byWorkspace[q.Workspace], q)
	}
	total := newReport("corpus")
	for _, ws := range slices.Sorted(maps.Keys(byWorkspace)) {
		s, remove, err := corpusSet(dir, ws, byWorkspace[ws])
		if err != nil {
			return nil, fmt.Errorf("corpus %s: %w", ws, err)
		}
		out, err := ask(s, prog, mcp)
		remove()
		if err != nil {
			return nil, fmt.Errorf("corpus %s: %w", ws, err)
		}
		show(out, texts)
		total.add(s, out)
	}
	total.finish()
	return total, nil
}

// corpusSet makes a set of one folder; the function returned removes what it
// needs on disk.
func corpusSet(dir, ws string, queries []corpusQuery) (*set, func(), error) {
	tmp, err := os.MkdirTemp("", "pathrule-corpus-")
	if err != nil {
		return nil, nil, err
	}
	remove := func() { os.RemoveAll(tmp) }
	rep, err := corpus.Convert(context.Background(), filepath.Join(dir, ws), tmp, filepath.Join(tmp, "state"))
	if err != nil {
		remove()
		return nil, nil, err
	}
	keys := map[string][]string{}
	for _, f := range rep.Files {
		keys[f.Path] = f.Entries
	}
	key := func(files []string, must bool) (out []string, err error) {
		for _, f := range files {
			rel := strings.TrimPrefix(f, ws+"/")
			if len(keys[rel]) == 0 && must {
				return nil, fmt.Errorf("%s is no entry", f)
			}
			for _, k := range keys[rel] {
				if !slices.Contains(out, k) {
					out = append(out, k)
				}
			}
		}
		return out, nil
	}
	s := &set{name: ws}
	if s.entries, err = readEntries(filepath.Join(tmp, ".pathrule")); err != nil {
		remove()
		return nil, nil, err
	}
	for _, q := range queries {
		p := prompt{ID: fmt.Sprintf("%d", q.ID), Prompt: q.Prompt, Lang: q.Lang, Kind: q.Kind, Touch: q.Touched,
			Cwd: strings.TrimPrefix(strings.TrimPrefix(q.Cwd, ws), "/")}
		if p.Gold, err = key(q.Gold, true); err != nil {
			remove()
			return nil, nil, err
		}
		p.AlsoOK, _ = key(slices.Concat(q.AlsoOK, q.Aliases), false)
		s.prompts = append(s.prompts, p)
	}
	s.make = func(root string) error {
		// The real files stand where they stood: the project map is made of them.
		if err := os.CopyFS(root, os.DirFS(filepath.Join(dir, ws))); err != nil {
			return err
		}
		if err := os.CopyFS(filepath.Join(root, ".pathrule"), os.DirFS(filepath.Join(tmp, ".pathrule"))); err != nil {
			return err
		}
		// A client that loads such a file by itself is told nothing of it a second
		// time. Here all are told: what is measured is the choice.
		if err := os.Remove(filepath.Join(root, ".pathrule", managed.Imported)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return s, remove, nil
}
