package doctor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"pathrule/host"
	"pathrule/internal/sysenv"
	"pathrule/setup"
)

// answers runs each registered command with events of its own client in the
// throw-away workspace, and holds what it prints to the envelope that this
// client takes: most of them drop what has another shape without a word.
func (c *check) answers(project, file, said string, run func(stdin []byte, argv ...string) (string, error)) {
	done := map[string]bool{}
	for _, in := range c.found {
		h, ok := host.ByName(in.Host)
		if !ok || in.Surface != setup.Hooks || len(in.Argv) == 0 || in.Problem != "" {
			continue
		}
		argv := bare(in.Argv)
		if key := in.Host + "\x00" + strings.Join(argv, "\x00"); done[key] {
			continue
		} else {
			done[key] = true
		}
		var right []string
		spoke, asked := false, false
		for i, r := range host.Standing(h.Registrations()) {
			// The start of a session brings no memory of a path, only an envelope.
			start := false
			switch r.Canonical() {
			case host.UserPromptSubmit, host.PreToolUse, host.PostToolUse:
			case host.SessionStart:
				start = true
			default:
				continue
			}
			if !r.Speaks {
				continue
			}
			asked = asked || !start
			words := argv
			if r.NameEvent {
				words = append(slices.Clip(argv), "--event", r.Event)
			}
			sample := h.Sample(r, fmt.Sprintf("doctor-%s-%d", h.ID(), i), project, file)
			out, err := run(sample, words...)
			if err == nil && start {
				err = envelope(h, r, sample, out, "")
			} else if err == nil {
				err = envelope(h, r, sample, out, said)
			}
			if err != nil {
				c.at(Bad, in.Path, in.Line, fmt.Sprintf("%s: the answer to %s is not what the client takes: %v", h.Title(), r.Event, err), "install both programs from one release: go install ./cmd/...")
				c.next("go install ./cmd/... in the source of pathrule")
			} else if strings.Contains(out, said) || start && strings.TrimSpace(out) != "" {
				right, spoke = append(right, r.Event), spoke || !start
			}
		}
		switch {
		case asked && !spoke:
			c.at(Bad, in.Path, in.Line, h.Title()+": no event brings it a memory that was just written", "pathrule demo")
			c.next("pathrule demo")
		case len(right) > 0:
			c.add(OK, "answers in the form that "+h.Title()+" takes: "+strings.Join(right, ", "), "")
		}
	}
}

// bare is a command without the variables and the event that it carries: the
// trial has a home of its own.
func bare(argv []string) []string {
	var out []string
	for i := 0; i < len(argv); i++ {
		switch name, _, joined := strings.Cut(argv[i], "="); {
		case name != "--env" && name != "--event":
			out = append(out, argv[i])
		case !joined:
			i++
		}
	}
	return out
}

// envelope reports what is wrong with an answer: it must be, byte for byte in
// meaning, what the client's own contract makes of the text in it. No answer is
// right as well.
func envelope(h host.Host, r host.Registration, sample []byte, out, said string) error {
	got := strings.TrimSpace(out)
	if got == "" {
		return nil
	}
	ev, err := decode(h, r, sample)
	if err != nil {
		return err
	}
	text := got
	var v any
	if json.Unmarshal([]byte(got), &v) == nil {
		if text = holding(v, said); text == "" {
			return fmt.Errorf("it does not carry the text: %s", short([]byte(got)))
		}
	}
	reply := host.Reply{Context: text}
	if m, ok := v.(map[string]any); ok {
		// What stands in the system prompt comes along with a session's first text.
		if slot, ok := m["slot"].(map[string]any); ok {
			word := func(name string) string { s, _ := slot[name].(string); return s }
			reply.Slot = host.Slot{Action: host.SlotAction(word("action")), ID: word("id"), Text: word("text")}
		}
	}
	want := bytes.TrimSpace(h.Encode(ev, reply))
	var w any
	if json.Unmarshal(want, &w) == nil && reflect.DeepEqual(v, w) || string(want) == got {
		return nil
	}
	return fmt.Errorf("%s instead of %s", short([]byte(got)), short(want))
}

// decode reads a sample as the runner would.
func decode(h host.Host, r host.Registration, sample []byte) (host.Event, error) {
	if n, ok := h.(host.Named); ok && r.NameEvent {
		return n.DecodeNamed(r.Event, sample, sysenv.Env{})
	}
	return h.Decode(sample, sysenv.Env{})
}

// holding is the longest string in a JSON value that holds said.
func holding(v any, said string) (longest string) {
	look := func(e any) {
		if s := holding(e, said); len(s) > len(longest) {
			longest = s
		}
	}
	switch v := v.(type) {
	case string:
		if strings.Contains(v, said) {
			return v
		}
	case []any:
		for _, e := range v {
			look(e)
		}
	case map[string]any:
		for _, e := range v {
			look(e)
		}
	}
	return longest
}
