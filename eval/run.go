package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pathrule/internal/bench/drive"
	"pathrule/knowledge"
)

// outcome is what one prompt brought.
type outcome struct {
	p prompt
	// prompt is the answer to the prompt, touched what came by the time the
	// touched file had been read, session what the session has been told in all,
	// mcp what get_context answered to the same question.
	prompt, touched, session, mcp given
	text, mcpText                 string
	tokens, mcpTokens             int // of the prompt's answer
	touchTokens                   int // of what the touched file brought
	ms                            float64
}

// ask runs a set's prompts through the real programs.
func ask(s *set, prog drive.Programs, mcp bool) ([]outcome, error) {
	w, err := drive.NewWorld(prog)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if err := s.make(w.Root); err != nil {
		return nil, err
	}
	for _, p := range s.prompts {
		if p.Cwd != "" {
			if err := os.MkdirAll(filepath.Join(w.Root, filepath.FromSlash(p.Cwd)), 0o755); err != nil {
				return nil, err
			}
		}
		if p.Touch != "" {
			if err := touch(w.Root, p.Touch); err != nil {
				return nil, err
			}
		}
	}
	// A store with settings of its own is left as it is; init makes it ours.
	if _, err := w.CLI("init", "--yes"); err != nil {
		return nil, err
	}
	if _, err := w.CLI("index"); err != nil {
		return nil, err
	}
	r := newReader(s.entries)
	told := map[string]*given{}
	var out []outcome
	for i, p := range s.prompts {
		session := p.Session
		if session == "" {
			session = fmt.Sprintf("one-%d", i)
		}
		session = "eval-" + s.name + "-" + session
		if told[session] == nil {
			told[session] = &given{}
			if _, err := w.Hook(drive.SessionStart(session, "startup"), p.Cwd); err != nil {
				return nil, fmt.Errorf("%s: %w", p.ID, err)
			}
		}
		o := outcome{p: p}
		a, err := w.Hook(drive.Prompt(session, "p-"+p.ID, p.Prompt), p.Cwd)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.ID, err)
		}
		o.text, o.tokens, o.ms = a.Context, tokens(a.Context), drive.MS(a.Took)
		o.prompt = r.read(a.Context)
		o.touched.join(o.prompt)
		if p.Touch != "" {
			a, err := w.Hook(drive.Tool(session, "t-"+p.ID, "Read", filepath.Join(w.Root, filepath.FromSlash(p.Touch))), p.Cwd)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.ID, err)
			}
			o.touchTokens = tokens(a.Context)
			o.touched.join(r.read(a.Context))
		}
		told[session].join(o.touched)
		o.session.join(*told[session])
		if mcp {
			if o.mcpText, err = getContext(w, p); err != nil {
				return nil, fmt.Errorf("%s: %w", p.ID, err)
			}
			o.mcp, o.mcpTokens = r.read(o.mcpText), tokens(o.mcpText)
		}
		out = append(out, o)
	}
	return out, nil
}

// getContext is one get_context call in a connection of its own.
func getContext(w *drive.World, p prompt) (string, error) {
	s, _, err := w.Server("--workspace", w.Root)
	if err != nil {
		return "", err
	}
	defer s.Close()
	args := map[string]any{"prompt": p.Prompt}
	if p.Touch != "" {
		args["paths"] = []string{p.Touch}
	}
	return s.Text("get_context", args)
}

func tokens(s string) int { return (len(s) + 3) / 4 }

// whole is how many tokens all the knowledge in one file would be.
func (s *set) whole() int {
	n := 0
	for _, e := range s.entries {
		n += tokens(e.Title + "\n" + knowledge.Strip(e.Body))
	}
	return n
}

// size is the tokens of one entry's body.
func (s *set) size(key string) int {
	for i := range s.entries {
		if s.entries[i].Key() == key {
			return tokens(knowledge.Strip(s.entries[i].Body))
		}
	}
	return 0
}

func short(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
