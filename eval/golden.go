package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

const goldenFile = "eval/golden.json"

// summary is what CI compares: counts only, which are the same on every
// machine.
type summary struct {
	Name     string `json:"name"`
	Gold     int    `json:"gold"`
	Body     int    `json:"body"`
	Opened   int    `json:"touched_body"`
	Line     int    `json:"line"`
	Wrong    int    `json:"wrong_bodies"`
	Extra    int    `json:"touched_wrong_bodies"`
	Hard     int    `json:"hard_negative_bodies"`
	Empty    int    `json:"no_match_prompts"`
	False    int    `json:"no_match_bodies"`
	Spoke    int    `json:"no_match_spoke"`
	MCPBody  int    `json:"mcp_body"`
	MCPFalse int    `json:"mcp_no_match_bodies"`
	Tokens   int    `json:"tokens"`
	Touched  int    `json:"touched_tokens"`
}

func (r *report) summary() summary {
	f := r.All
	return summary{r.Name, f.Gold, f.Body, f.Opened, f.Line, f.Wrong, f.OpenedWrong, f.Hard, f.Empty, f.False, f.Spoke, f.MCPBody, f.MCPFalse, f.Tokens, f.ToolTokens}
}

// golden compares with the committed figures, or rewrites them. A rise is told
// and passes; it is recorded with --update.
func golden(reports []*report, update, whole bool) error {
	var now []summary
	for _, r := range reports {
		now = append(now, r.summary())
	}
	var old []summary
	data, err := os.ReadFile(goldenFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		if err := json.Unmarshal(data, &old); err != nil {
			return fmt.Errorf("read %s: %w", goldenFile, err)
		}
	}
	find := func(list []summary, name string) int {
		return slices.IndexFunc(list, func(s summary) bool { return s.Name == name })
	}
	if update {
		for _, s := range now {
			if i := find(old, s.Name); i >= 0 {
				old[i] = s
			} else {
				old = append(old, s)
			}
		}
		if whole {
			old = slices.DeleteFunc(old, func(s summary) bool { return find(now, s.Name) < 0 })
		}
		b, err := json.MarshalIndent(old, "", "  ")
		if err != nil {
			return err
		}
		return os.WriteFile(goldenFile, append(b, '\n'), 0o644)
	}
	var drops []string
	for _, s := range now {
		i := find(old, s.Name)
		if i < 0 {
			drops = append(drops, s.Name+" has no golden figures; record them with --update")
			continue
		}
		drops = append(drops, s.worse(old[i])...)
	}
	for _, d := range drops {
		fmt.Fprintln(os.Stderr, "eval:", d)
	}
	if len(drops) > 0 {
		return fmt.Errorf("%d figures are worse than %s; mend it, or record them on purpose with --update", len(drops), goldenFile)
	}
	return nil
}

// worse names what got worse against the golden figures. Text may grow by a
// twentieth: a better match is sometimes a longer one.
func (s summary) worse(old summary) (out []string) {
	if s.Gold != old.Gold || s.Empty != old.Empty {
		return []string{s.Name + ": the set itself changed; record it with --update"}
	}
	for _, c := range []struct {
		what     string
		now, was int
		up       bool // more is better
	}{
		{"bodies of gold entries", s.Body, old.Body, true},
		{"bodies of gold entries by the time the touched file was read", s.Opened, old.Opened, true},
		{"gold entries told", s.Line, old.Line, true},
		{"wrong bodies", s.Wrong, old.Wrong, false},
		{"wrong bodies with the touched file", s.Extra, old.Extra, false},
		{"hard-negative bodies", s.Hard, old.Hard, false},
		{"bodies where nothing fits", s.False, old.False, false},
		{"answers where nothing fits", s.Spoke, old.Spoke, false},
		{"bodies of gold entries by get_context", s.MCPBody, old.MCPBody, true},
		{"bodies by get_context where nothing fits", s.MCPFalse, old.MCPFalse, false},
		{"tokens", s.Tokens, old.Tokens + old.Tokens/20, false},
		{"tokens with the touched files", s.Touched, old.Touched + old.Touched/20, false},
	} {
		if c.up && c.now < c.was || !c.up && c.now > c.was {
			out = append(out, fmt.Sprintf("%s: %s %d, was %d", s.Name, c.what, c.now, c.was))
		}
	}
	return out
}
