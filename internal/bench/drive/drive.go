// Package drive runs the real programs the way a host does: it builds them
// once, gives them a home and a project of their
// own, and feeds them event JSON on stdin. Benchmarks and evaluations stand on
// it, so that what they measure is what a user runs.
package drive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Programs are the built binaries.
type Programs struct {
	Pathrule string
	Hook     string
}

// Build builds the programs into dir, with further arguments for the compiler.
// It must be called from inside the module.
func Build(dir string, args ...string) (Programs, error) {
	ext := ""
	if runtime.GOOS == "windows" {
		ext = ".exe"
	}
	p := Programs{filepath.Join(dir, "pathrule"+ext), filepath.Join(dir, "pathrule-hook"+ext)}
	// Into one folder, as an installation has them: they look for each other.
	if b, err := exec.Command("go", append(append([]string{"build", "-o", dir + string(filepath.Separator)}, args...), "pathrule/cmd/...")...).CombinedOutput(); err != nil {
		return p, fmt.Errorf("build programs: %w\n%s", err, b)
	}
	return p, nil
}

// World is one user with one project: a home, a pathrule home and a root, all
// below one temporary folder.
type World struct {
	Programs Programs
	Dir      string // holds everything
	Root     string // the project
	Home     string // the user's home
	env      []string

	// PeakKiB is the peak memory of the last run, 0 where it cannot be told.
	PeakKiB int64
	// CPU is the processor time of the last run, and ExitCode how it ended.
	CPU      time.Duration
	ExitCode int
}

// NewWorld makes an empty world below a new temporary folder; Close removes it.
func NewWorld(p Programs) (*World, error) {
	dir, err := os.MkdirTemp("", "pathrule-world-")
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	w := &World{Programs: p, Dir: dir, Root: filepath.Join(dir, "project"), Home: filepath.Join(dir, "home")}
	for _, d := range []string{w.Root, w.Home} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	// Nothing of the caller's own configuration may leak in: a bench that reads
	// the developer's ledger measures something else.
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		switch {
		case strings.HasPrefix(name, "PATHRULE_"), strings.HasPrefix(name, "CLAUDE"), strings.HasPrefix(name, "CODEX_"),
			strings.HasPrefix(name, "XDG_"), strings.HasPrefix(name, "CURSOR_"), strings.HasPrefix(name, "GEMINI_"),
			name == "HOME", name == "USERPROFILE", name == "AI_AGENT":
		default:
			w.env = append(w.env, kv)
		}
	}
	w.env = append(w.env, "HOME="+w.Home, "USERPROFILE="+w.Home, "NO_COLOR=1")
	return w, nil
}

// Close removes the world.
func (w *World) Close() error { return os.RemoveAll(w.Dir) }

// Setenv sets a variable for all later runs.
func (w *World) Setenv(name, value string) { w.env = append(w.env, name+"="+value) }

// Run runs one program in the project root.
func (w *World) Run(program string, stdin []byte, args ...string) (stdout []byte, took time.Duration, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = w.Root
	cmd.Env = w.env
	cmd.Stdin = bytes.NewReader(stdin)
	var out, errb bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errb
	start := time.Now()
	err = cmd.Run()
	took = time.Since(start)
	if cmd.ProcessState != nil {
		w.PeakKiB = maxRSS(cmd.ProcessState)
		w.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		w.ExitCode = cmd.ProcessState.ExitCode()
	}
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(program), strings.Join(args, " "), err, out.Bytes(), errb.Bytes())
	}
	return out.Bytes(), took, err
}

// Command is a program of this world, not yet started, for a caller that talks
// with it.
func (w *World) Command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = w.Root
	cmd.Env = w.env
	return cmd
}

// PeakKiB is the peak memory of a finished process, 0 where it cannot be told.
func PeakKiB(s *os.ProcessState) int64 {
	if s == nil {
		return 0
	}
	return maxRSS(s)
}

// CLI runs pathrule and returns what it printed.
func (w *World) CLI(args ...string) (string, error) {
	out, _, err := w.Run(w.Programs.Pathrule, nil, args...)
	return string(out), err
}

// Event is a Claude Code event: the fields that matter to us.
type Event map[string]any

// SessionStart is the event that opens (startup), continues (resume) or
// compacts (compact) a session.
func SessionStart(session, source string) Event {
	return Event{"session_id": session, "hook_event_name": "SessionStart", "source": source}
}

// Prompt is a user's prompt.
func Prompt(session, id, text string) Event {
	return Event{"session_id": session, "prompt_id": id, "hook_event_name": "UserPromptSubmit", "permission_mode": "default", "prompt": text}
}

// Tool is a before-tool event on one file.
func Tool(session, id, tool, file string) Event {
	return Event{"session_id": session, "hook_event_name": "PreToolUse", "permission_mode": "default", "tool_name": tool,
		"tool_input": map[string]any{"file_path": file}, "tool_use_id": id}
}

// PreCompact is the event before compaction.
func PreCompact(session string) Event {
	return Event{"session_id": session, "hook_event_name": "PreCompact", "trigger": "manual", "custom_instructions": nil}
}

// Answer is what a hook said.
type Answer struct {
	Stdout  []byte
	Context string // additionalContext, "" when there is none
	Took    time.Duration
}

// Hook feeds one event to the program that setup registers. cwd is a folder below
// the root ("" for the root). Any stdout that is not empty or one well-formed
// envelope is an error.
func (w *World) Hook(ev Event, cwd string) (Answer, error) {
	ev["cwd"] = filepath.Join(w.Root, filepath.FromSlash(cwd))
	ev["transcript_path"] = filepath.Join(w.Home, "transcript.jsonl")
	payload, err := json.Marshal(ev)
	if err != nil {
		return Answer{}, err
	}
	out, took, err := w.Run(w.Programs.Hook, append(payload, '\n'), "--host", "claude-code")
	a := Answer{Stdout: out, Took: took}
	if err != nil || len(bytes.TrimSpace(out)) == 0 {
		return a, err
	}
	var env struct {
		Specific struct {
			Event   string `json:"hookEventName"`
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&env); err != nil {
		return a, fmt.Errorf("stdout is not the host's envelope: %w\n%s", err, out)
	}
	if env.Specific.Event != ev["hook_event_name"] {
		return a, fmt.Errorf("answer names event %q", env.Specific.Event)
	}
	a.Context = env.Specific.Context
	if a.Context == "" {
		return a, errors.New("answer without context: it should have been empty")
	}
	return a, nil
}

// PrintJSON prints a report for programs.
func PrintJSON(report any) {
	enc := json.NewEncoder(os.Stdout)
	enc.SetIndent("", "  ")
	_ = enc.Encode(report)
}
