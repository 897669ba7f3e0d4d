package userhooks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"pathrule/guard/hookfile"
	"pathrule/internal/plaintext"
	"pathrule/internal/rawjson"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// Engine runs hooks.
type Engine struct {
	Env  sysenv.Env
	Dirs workspace.Dirs
	// Tool calls a tool of our MCP server in a folder and gives its structured
	// answer, or its text.
	Tool func(ctx context.Context, dir, name, input string, env sysenv.Env) (string, error)
	// Entry gives an entry's text by its reference, with its key and hash in the
	// session's record.
	Entry func(ws *workspace.Workspace, ref string) (text, key, hash string, err error)
	// Dry runs nothing and only says what would run.
	Dry bool
}

// Step is one line of the trace.
type Step struct {
	Hook     string `json:"hook"`
	Origin   string `json:"origin"` // user, project
	File     string `json:"file"`
	Line     int    `json:"line"`
	Event    string `json:"event,omitempty"`
	Priority int    `json:"priority"`
	// Skipped says why none of its actions ran.
	Skipped string `json:"skipped,omitempty"`
	// Action is 1-based, 0 for a step about the hook itself.
	Action    int               `json:"action,omitempty"`
	Type      string            `json:"type,omitempty"`
	What      string            `json:"what,omitempty"` // command, tool or entries
	WorkDir   string            `json:"work_dir,omitempty"`
	TimeoutMS int64             `json:"timeout_ms,omitempty"`
	OnError   OnError           `json:"on_error,omitempty"`
	Ran       bool              `json:"ran"`
	Decision  hookfile.Decision `json:"decision,omitempty"`
	Reason    string            `json:"reason,omitempty"`
	Context   string            `json:"context,omitempty"`
	Sections  []string          `json:"sections,omitempty"` // their ids
	Note      string            `json:"note,omitempty"`
	Metadata  string            `json:"metadata,omitempty"` // JSON
	Output    string            `json:"output,omitempty"`   // stdout that is no JSON
	Stderr    string            `json:"stderr,omitempty"`   // its end
	Error     string            `json:"error,omitempty"`
	TookMS    int64             `json:"took_ms,omitempty"`
}

// stderrTail is how much of a command's stderr stands in the trace, in bytes.
const stderrTail = 4 << 10

// maxReason is the most bytes of one reason.
const maxReason = 2_000

// Run runs the hooks that a request is for, within Total or less, and gives the
// trace beside the outcome.
func (e Engine) Run(ctx context.Context, sources []Source, req hookfile.Request) (hookfile.Outcome, []Step) {
	limit := Total
	if req.Limit > 0 {
		limit = min(limit, req.Limit)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("was stopped: all hooks of one event have %s together", limit))
	defer cancel()
	out := hookfile.Outcome{Decision: hookfile.Allow}
	var trace []Step
	stopped, sections := "", 0
	for _, c := range Choose(sources, req, e.Dry) {
		base := Step{Hook: c.Hook.Name, Origin: string(c.Source.Origin), File: c.Source.Path, Line: c.Hook.Line, Event: c.Event, Priority: c.Hook.Priority}
		if why := c.Skipped; why != "" || stopped != "" {
			if base.Skipped = why; why == "" {
				base.Skipped = stopped
			}
			trace = append(trace, base)
			continue
		}
		for i := range c.Hook.Actions {
			a := &c.Hook.Actions[i]
			s := base
			s.Action, s.Type, s.What, s.OnError, s.TimeoutMS = i+1, a.Type, a.what(), a.OnError, a.Timeout.Milliseconds()
			if stopped != "" {
				s.Skipped = stopped
				trace = append(trace, s)
				continue
			}
			if a.Type == "command" {
				s.WorkDir = workDir(a, c, req)
			}
			if e.Dry {
				trace = append(trace, s)
				continue
			}
			begun := time.Now()
			answer, entries, err := e.action(ctx, a, c, req, &s)
			s.Ran, s.TookMS = true, time.Since(begun).Milliseconds()
			out.Ran++
			if err != nil {
				s.Error = err.Error()
				out.Errors = append(out.Errors, fmt.Sprintf("hook %q action %d: %s", c.Hook.Name, i+1, s.Error))
				switch a.OnError {
				case Fail:
					stopped = fmt.Sprintf("action %d of %q failed and its on_error is fail", i+1, c.Hook.Name)
				case Block:
					answer = said{decision: hookfile.Deny, reason: fmt.Sprintf("The hook %q could not say yes: %s.", c.Hook.Name, s.Error)}
				default:
					trace = append(trace, s)
					continue
				}
			}
			s.Decision, s.Reason, s.Context = answer.decision, answer.reason, answer.context
			s.Metadata, s.Output, s.Note = answer.metadata, answer.raw, strings.Join(answer.notes, "; ")
			for _, sec := range answer.sections {
				s.Sections = append(s.Sections, sec.id)
			}
			trace = append(trace, s)
			// Each entry stands for itself, so that one which was told is left out.
			if t := strings.TrimSpace(plaintext.Clean(answer.context)); t != "" && entries == nil {
				out.Parts = append(out.Parts, hookfile.Part{Hook: c.Hook.Name, Text: t})
			}
			for _, part := range entries {
				part.Hook, part.Text = c.Hook.Name, strings.TrimSpace(plaintext.Clean(part.Text))
				out.Parts = append(out.Parts, part)
			}
			for _, sec := range answer.sections {
				if sections++; sections > maxSections {
					out.Errors = append(out.Errors, fmt.Sprintf("hook %q: the section %q is one of more than %d for one event and is left out", c.Hook.Name, sec.id, maxSections))
					continue
				}
				out.Parts = append(out.Parts, sec.part(c.Hook.Name))
			}
			if answer.decision.Weight() > out.Decision.Weight() {
				out.Decision = answer.decision
				out.Reason = reasonOf(answer, c.Hook.Name)
			}
			if answer.decision == hookfile.Deny {
				stopped = fmt.Sprintf("%q denied", c.Hook.Name)
			}
		}
	}
	return out, trace
}

// part is a section as it is told: whole, and where it is stable once a session.
func (s section) part(hook string) hookfile.Part {
	p := hookfile.Part{Hook: hook, ID: s.id, Text: strings.TrimSpace(plaintext.Clean(s.text)), Whole: true, Optional: s.optional}
	if s.stable {
		p.Key, p.Hash = "x:hook:"+hook+"/"+s.id, hookfile.Sum([]byte(p.Text))[:16]
	}
	return p
}

func reasonOf(s said, hook string) string {
	if s.decision.Weight() < hookfile.Ask.Weight() {
		return ""
	}
	r := strings.TrimSpace(plaintext.Clean(s.reason))
	if r == "" {
		r = "No reason was given."
	}
	return short(fmt.Sprintf("%s (hook %q)", r, hook), maxReason)
}

func (a *Action) what() string {
	switch a.Type {
	case "tool":
		return strings.TrimSpace(a.Tool + " " + a.Input)
	case "inject":
		return strings.Join(a.Entries, ", ")
	}
	if a.Argv != nil {
		return fmt.Sprintf("%q", a.Argv)
	}
	return a.Command
}

func (e Engine) action(ctx context.Context, a *Action, c Candidate, req hookfile.Request, s *Step) (said, []hookfile.Part, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, a.Timeout, fmt.Errorf("was stopped after %s", a.Timeout))
	defer cancel()
	switch a.Type {
	case "inject":
		return e.inject(a, req)
	case "tool":
		if e.Tool == nil {
			return said{}, nil, errors.New("this program cannot call tools")
		}
		input := a.Input
		if input == "" {
			input = "{}"
		}
		text, err := e.Tool(ctx, project(c.Source, req), a.Tool, input, e.Env.With(hookfile.Running, c.Event))
		if ctx.Err() != nil {
			err = stopped(ctx)
		}
		if err != nil {
			return said{}, nil, err
		}
		// A tool answers in its own form; only one that has our members decides.
		answer, err := readAnswer(text)
		if err != nil {
			answer = said{decision: hookfile.Allow, raw: text}
		}
		if a.Tell && answer.decision == hookfile.Allow && answer.raw != "" {
			answer = said{decision: hookfile.Append, context: short(toolText(answer.raw), a.MaxOutput)}
		}
		answer.raw = short(answer.raw, a.MaxOutput)
		return answer, nil, nil
	}
	out, errs, err := e.command(ctx, a, c, req)
	if n := len(errs); n > stderrTail {
		errs = trimStart(errs[n-stderrTail:])
	}
	s.Stderr = errs
	if err != nil {
		return said{}, nil, err
	}
	answer, err := readAnswer(out)
	return answer, nil, err
}

// toolText is what a tool's answer says: its text, where it has one.
func toolText(answer string) string {
	if v, err := rawjson.Parse([]byte(answer)); err == nil {
		if s := v.Get("text").Text(); s != "" {
			return s
		}
	}
	return answer
}

func (e Engine) inject(a *Action, req hookfile.Request) (said, []hookfile.Part, error) {
	if e.Entry == nil {
		return said{}, nil, errors.New("this program cannot read entries")
	}
	var texts []string
	var parts []hookfile.Part
	for _, ref := range a.Entries {
		text, key, hash, err := e.Entry(req.Workspace, ref)
		if err != nil {
			return said{}, nil, err
		}
		texts = append(texts, text)
		parts = append(parts, hookfile.Part{Text: text, Key: key, Hash: hash, Whole: true, Optional: a.Optional})
	}
	return said{decision: hookfile.Append, context: strings.Join(texts, "\n\n")}, parts, nil
}

// stopped says why an action was stopped: its own time, that of all together, or
// the client that ended us.
func stopped(ctx context.Context) error {
	if err := context.Cause(ctx); err != context.Canceled {
		return err
	}
	return errors.New("was stopped, since pathrule itself was")
}

// workDir is where a command runs: the action's own folder, else the event's
// when it lies in the project, else the project's root.
func workDir(a *Action, c Candidate, req hookfile.Request) string {
	root := project(c.Source, req)
	if a.WorkDir != "" {
		return filepath.Join(root, filepath.FromSlash(a.WorkDir))
	}
	if _, ok := workspace.Rel(root, root, req.Cwd); ok && filepath.IsAbs(req.Cwd) {
		if st, err := os.Stat(req.Cwd); err == nil && st.IsDir() {
			return req.Cwd
		}
	}
	return root
}

// command runs a command with the request on its stdin. Its whole process group
// is killed when its time is over, and what it left running when it ends.
func (e Engine) command(ctx context.Context, a *Action, c Candidate, req hookfile.Request) (stdout, stderr string, err error) {
	root, dir := project(c.Source, req), workDir(a, c, req)
	if _, ok := workspace.Rel(root, root, dir); !ok {
		return "", "", fmt.Errorf("work_dir %q leaves the project", a.WorkDir)
	}
	if c.Source.Origin == hookfile.User {
		if file := foreign(a, c.Source.Config, root, dir, e.Env); file != "" {
			return "", "", fmt.Errorf("would run %s, which came with the project; put the hook into the project's own %s and trust it there", file, hookfile.Name)
		}
	}
	env := e.environ(c, req, root)
	argv := a.Argv
	if argv == nil {
		argv = shell(a.Command)
	}
	prog, err := program(argv[0], dir, env)
	if err != nil {
		return "", "", err
	}
	cmd := exec.CommandContext(ctx, prog, argv[1:]...)
	cmd.Dir, cmd.Env = dir, env.Environ
	if a.Argv == nil {
		asLine(cmd, a.Command)
	}
	cmd.Stdin = strings.NewReader(string(stdin(c, req)))
	out, errs := &bounded{max: a.MaxOutput}, &bounded{max: a.MaxOutput}
	cmd.Stdout, cmd.Stderr = out, errs
	cmd.WaitDelay = 200 * time.Millisecond
	err = runGroup(cmd)
	stdout, stderr = out.String(), errs.String()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return stdout, stderr, stopped(ctx)
	case errors.As(err, &exit):
		if code := exit.ExitCode(); code >= 0 {
			return stdout, stderr, fmt.Errorf("exited with %d", code)
		}
		return stdout, stderr, errors.New("was ended by a signal")
	case errors.Is(err, exec.ErrWaitDelay):
		return stdout, stderr, nil // it ended; something it started still held its output
	case err != nil:
		return stdout, stderr, fmt.Errorf("could not be started: %w", err)
	}
	return stdout, stderr, nil
}

// program finds the program of an argument list: with a separator from the
// working folder, else along the PATH that the command itself is given.
func program(name, dir string, env sysenv.Env) (string, error) {
	if strings.ContainsAny(name, `/\`) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, filepath.FromSlash(name))
		}
		return name, nil
	}
	for _, d := range filepath.SplitList(env.Get("PATH")) {
		if !filepath.IsAbs(d) {
			continue
		}
		for _, n := range programNames(name, env) {
			p := filepath.Join(d, n)
			if st, err := os.Stat(p); err == nil && st.Mode().IsRegular() && (runtime.GOOS == "windows" || st.Mode()&0o111 != 0) {
				return p, nil
			}
		}
	}
	return "", fmt.Errorf("no program %q on PATH", name)
}

// environ is what a command sees: our own variables last, so that nothing in the
// file or around us stands in for them.
func (e Engine) environ(c Candidate, req hookfile.Request, root string) sysenv.Env {
	env := e.Env.With("PATHRULE_HANDED_OVER", "") // a mark between our own programs
	for _, v := range c.Source.Config.Env {
		env = env.With(v.Name, v.Value)
	}
	path := ""
	if p := pathsBelow(c.Source, req); len(p) > 0 {
		path = p[0]
	}
	for _, v := range []Var{
		{hookfile.Running, c.Event}, {"PATHRULE_HOOK_NAME", c.Hook.Name}, {"PATHRULE_HOOK_PROJECT", root},
		{"PATHRULE_HOOK_SESSION", req.Session}, {"PATHRULE_HOOK_PATH", path},
	} {
		env = env.With(v.Name, clip(v.Value))
	}
	return env
}

// clip keeps a value usable as an environment variable.
func clip(s string) string { return short(strings.ReplaceAll(s, "\x00", ""), 32<<10) }
