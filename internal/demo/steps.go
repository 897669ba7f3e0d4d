package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

const session = "demo-session"

// index makes the copy a workspace of the throw-away home and indexes it.
func (r *run) index() (Step, error) {
	s := Step{Title: "index the workspace", Command: []string{r.o.Self, "init", "--json"}}
	out, took, err := r.exec(nil, s.Command...)
	s.MS = took
	if err != nil {
		return s, err
	}
	var a struct {
		Data struct{ Entries, Files int }
	}
	if err := json.Unmarshal(out, &a); err != nil {
		return s, err
	}
	s.Got = fmt.Sprintf("%d entries and %d files of the project are indexed", a.Data.Entries, a.Data.Files)
	if a.Data.Entries == 0 {
		return s, errors.New("no entry was indexed")
	}
	return s, nil
}

func (r *run) sessionStart() (Step, error) {
	return r.hook("Claude Code starts a session", r.self(), event("SessionStart", r.project, map[string]any{"source": "startup"}),
		"SessionStart in the project's folder", nil)
}

func (r *run) prompt() (Step, error) {
	return r.hook("the user sends a prompt", r.self(), r.promptEvent("1"), "prompt: "+r.o.Script.Prompt, r.o.Script.PromptWants)
}

func (r *run) readTool() (Step, error) {
	return r.hook("the assistant reads a file", r.fast(), r.toolEvent("Read", r.o.Script.Read, "t1"), "Read "+r.o.Script.Read, r.o.Script.ReadWants)
}

func (r *run) editTool() (Step, error) {
	return r.hook("the assistant edits a file", r.fast(), r.toolEvent("Edit", r.o.Script.Edit, "t2"), "Edit "+r.o.Script.Edit, r.o.Script.EditWants)
}

// quiet repeats the prompt and both tools: all of it was told already.
func (r *run) quiet() (Step, error) {
	s := Step{Title: "the same again", Sent: "the same prompt and the same two files", Command: r.self()}
	for _, e := range []struct {
		argv []string
		ev   []byte
	}{
		{r.self(), r.promptEvent("2")},
		{r.fast(), r.toolEvent("Read", r.o.Script.Read, "t3")},
		{r.fast(), r.toolEvent("Edit", r.o.Script.Edit, "t4")},
	} {
		out, took, err := r.exec(e.ev, e.argv...)
		s.MS += took
		if err != nil {
			return s, err
		}
		if len(out) > 0 {
			s.Text = contextOf(out)
			return s, errors.New("something was told twice")
		}
	}
	s.Got = "nothing: the session has it all already (0 bytes, three times)"
	return s, nil
}

// seesWrite looks whether the next hook process delivers what was just written
// over MCP.
func (r *run) seesWrite() (Step, error) {
	return r.hook("the next hook sees what was just written", r.fast(), r.toolEvent("Edit", r.o.Script.NewPath, "t5"),
		"Edit "+r.o.Script.NewPath, []string{r.o.Script.NewTitle})
}

func (r *run) compile() (Step, error) {
	s := Step{Title: "rule files for a client without hooks", Command: []string{r.o.Self, "compile", r.o.Script.Target, "--json"}}
	out, took, err := r.exec(nil, s.Command...)
	s.MS = took
	if err != nil {
		return s, err
	}
	var a struct {
		Data struct {
			Files []struct{ Path, Action string }
		}
	}
	if err := json.Unmarshal(out, &a); err != nil {
		return s, err
	}
	var names []string
	for _, f := range a.Data.Files {
		names = append(names, f.Path)
	}
	s.Got = strings.Join(names, "\n")
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(r.project, filepath.FromSlash(name)))
		if err != nil {
			return s, err
		}
		if strings.Contains(string(b), r.o.Script.NewTitle) {
			s.Text = string(b)
			s.Tokens = (len(b) + 3) / 4
		}
	}
	if s.Text == "" {
		return s, errors.New("no file holds what was just written over MCP")
	}
	check := []string{r.o.Self, "compile", r.o.Script.Target, "--check"}
	if _, _, err := r.exec(nil, check...); err != nil {
		return s, fmt.Errorf("the files are not current right after they were written: %w", err)
	}
	return s, nil
}

// self answers session and prompt events, fast the tool events.
func (r *run) self() []string { return []string{r.o.Self, "hook", "--host", "claude-code"} }

func (r *run) fast() []string {
	if r.o.Hook == "" {
		return r.self()
	}
	return []string{r.o.Hook, "--host", "claude-code"}
}

// hook sends one event and shows what it delivers and why.
func (r *run) hook(title string, argv []string, ev []byte, sent string, wants []string) (Step, error) {
	s := Step{Title: title, Command: argv, Sent: sent}
	// The reasons come first: afterwards the session has the items already.
	plan, _, err := r.exec(ev, r.o.Self, "explain", "--host", "claude-code", "--json")
	if err != nil {
		return s, err
	}
	out, took, err := r.exec(ev, argv...)
	s.MS = took
	if err != nil {
		return s, err
	}
	s.Text = contextOf(out)
	s.Tokens = (len(s.Text) + 3) / 4
	if s.Text == "" {
		return s, errors.New("nothing was delivered")
	}
	var p struct{ Data struct{ Items []Item } }
	if err := json.Unmarshal(plan, &p); err != nil {
		return s, err
	}
	for _, it := range p.Data.Items {
		// The plan is that for a fresh session, which has another budget and was
		// told nothing yet: what came, and how, stands in the text alone.
		if it.Form = formIn(s.Text, it.Kind+":"+it.ID); it.Form != "" {
			s.Items = append(s.Items, it)
		}
	}
	return s, missing(s.Text, wants)
}

// formIn is the form in which a delivered text holds an entry: its body quoted
// between two fences, a line with words of it behind its name, its name alone;
// "" when it is not there. What a fence quotes names nothing.
func formIn(text, ref string) string {
	kind, id, _ := strings.Cut(ref, ":")
	// An id that is its title in small letters is not told beside it.
	bare := "-" + id[strings.LastIndexByte(id, '/')+1:] + "-"
	form, fence := "", ""
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "--- ") && (fence == "" || fence == l) {
			if fence == "" {
				fence = l
			} else {
				fence = ""
			}
			continue
		}
		if fence != "" || !strings.Contains(l, "["+ref+"]") && !strings.Contains(dashed(l), bare) {
			continue
		}
		head := strings.ToLower(l)
		switch {
		case strings.HasPrefix(head, kind) && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "--- "):
			return "body"
		case strings.HasPrefix(head, "- "+kind):
			form = "card"
		case form == "":
			form = "name"
		}
	}
	return form
}

// dashed is a line in small letters with one dash for all that is neither
// letter nor digit, and one around it.
func dashed(l string) string {
	return "-" + strings.Join(strings.FieldsFunc(strings.ToLower(l), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), "-") + "-"
}

// contextOf is the text in the client's envelope.
func contextOf(out []byte) string {
	var e struct {
		HookSpecificOutput struct{ AdditionalContext string }
	}
	if json.Unmarshal(out, &e) != nil {
		return string(out)
	}
	return e.HookSpecificOutput.AdditionalContext
}

func event(name, cwd string, more map[string]any) []byte {
	m := map[string]any{"session_id": session, "transcript_path": "", "cwd": cwd, "hook_event_name": name}
	for k, v := range more {
		m[k] = v
	}
	b, _ := json.Marshal(m)
	return b
}

func (r *run) promptEvent(id string) []byte {
	return event("UserPromptSubmit", r.project, map[string]any{"prompt": r.o.Script.Prompt, "prompt_id": id, "permission_mode": "default"})
}

func (r *run) toolEvent(tool, file, id string) []byte {
	in := map[string]any{"file_path": filepath.Join(r.project, filepath.FromSlash(file))}
	if tool == "Edit" {
		in["old_string"], in["new_string"] = "a", "b"
	}
	return event("PreToolUse", r.project, map[string]any{"tool_name": tool, "tool_use_id": id, "tool_input": in, "permission_mode": "default"})
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
