// Package demo runs pathrule's whole loop in a throw-away copy of an example
// project, with every step a process of its own, as clients would start them:
// index, hooks, a quiet repeat, an MCP conversation, a compile. Each step
// checks that it delivered what it must, so a demo that passes has shown
// something.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pathrule/internal/sysenv"
)

// Options of a run.
type Options struct {
	// Project is the example: a project with a .pathrule folder.
	Project fs.FS
	// Script is what to play.
	Script Script
	// Self is pathrule, Hook is pathrule-hook or "" when it is not there.
	Self, Hook string
	// Keep leaves the copy where it is.
	Keep bool
	// Each is called after every step; nil is fine.
	Each func(Step)
	Env  sysenv.Env
}

// Script names the parts of the example that the steps use.
type Script struct {
	Prompt      string   // a user's prompt
	PromptWants []string // words that its context must hold
	Read        string   // a file that a tool reads
	ReadWants   []string
	Edit        string // a file that a tool edits
	EditWants   []string
	Question    string // what an assistant asks over MCP
	AnswerWants []string
	NewTitle    string // a memory that the assistant writes over MCP
	NewBody     string
	NewPath     string // the file it speaks about
	Target      string // a compile target
}

// Item is one entry that was delivered, and why.
type Item struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Form string `json:"form"`
	Why  []struct {
		Signal string  `json:"signal"`
		Value  float64 `json:"value"`
	} `json:"why"`
}

// Step is one thing that was shown.
type Step struct {
	Title   string   `json:"title"`
	Command []string `json:"command"`
	// Sent is what the client sent, in words; Got what came back, in words.
	Sent string `json:"sent,omitempty"`
	Got  string `json:"got,omitempty"`
	// Text is what reached the model, Items what it holds and why.
	Text   string  `json:"text,omitempty"`
	Items  []Item  `json:"items,omitempty"`
	Tokens int     `json:"tokens"`
	MS     float64 `json:"ms"`
	OK     bool    `json:"ok"`
	// Problem says what was missing when OK is false.
	Problem string `json:"problem,omitempty"`
}

// Result is the whole run.
type Result struct {
	Steps []Step `json:"steps"`
	// Folder is where the copy lies, "" when it was removed.
	Folder string `json:"folder,omitempty"`
}

// ErrFailed: a step did not deliver what it must.
var ErrFailed = errors.New("the demo did not show what it must")

// run is one play.
type run struct {
	o       Options
	ctx     context.Context
	project string
	env     []string
	res     Result
}

// Run plays the script. The error is ErrFailed when a step did not deliver
// what it must, or says why it could not be played. The copy is removed in
// any case, unless Keep is set.
func Run(ctx context.Context, o Options) (res Result, err error) {
	dir, err := os.MkdirTemp("", "pathrule-demo-")
	if err != nil {
		return res, fmt.Errorf("make temp folder: %w", err)
	}
	if real, e := filepath.EvalSymlinks(dir); e == nil {
		dir = real
	}
	r := &run{o: o, ctx: ctx, project: filepath.Join(dir, "shop")}
	defer func() {
		res = r.res
		if o.Keep {
			res.Folder = r.project
		} else if e := removeAll(dir); e != nil && err == nil {
			err = fmt.Errorf("remove the demo's folder: %w", e)
		}
	}()
	if err := copyFS(r.project, o.Project); err != nil {
		return res, fmt.Errorf("copy the example: %w", err)
	}
	r.env = o.Env.Apart(dir)
	for _, step := range []func() (Step, error){
		r.index, r.sessionStart, r.prompt, r.readTool, r.editTool, r.quiet, r.mcp, r.seesWrite, r.compile,
	} {
		s, err := step()
		if ctx.Err() != nil {
			return res, ctx.Err()
		}
		if err != nil {
			s.Problem = err.Error()
		}
		s.OK = s.Problem == ""
		r.res.Steps = append(r.res.Steps, s)
		if o.Each != nil {
			o.Each(s)
		}
		if err != nil {
			// Later steps build on this one.
			return res, fmt.Errorf("%w: %s", ErrFailed, s.Title)
		}
	}
	for _, s := range r.res.Steps {
		if !s.OK {
			return res, fmt.Errorf("%w: %s", ErrFailed, s.Title)
		}
	}
	return res, nil
}

// removeAll tries again for a moment: Windows keeps a file for as long as a
// process that just ended is being cleared away.
func removeAll(dir string) (err error) {
	for range 20 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}

func copyFS(to string, from fs.FS) error {
	return fs.WalkDir(from, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, filepath.FromSlash(p))
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		b, err := fs.ReadFile(from, p)
		if err != nil {
			return err
		}
		return os.WriteFile(target, b, 0o644)
	})
}

// missing names the words that text lacks, as an error.
func missing(text string, wants []string) error {
	var out []string
	for _, w := range wants {
		if !strings.Contains(text, w) {
			out = append(out, "\""+w+"\"")
		}
	}
	if len(out) == 0 {
		return nil
	}
	return errors.New("it does not say " + strings.Join(out, ", "))
}
