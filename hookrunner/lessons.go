package hookrunner

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"pathrule/hookrunner/ledger"
	"pathrule/host"
	"pathrule/internal/rawjson"
	"pathrule/slice"
)

// A command that fails again is where what the team learnt before saves the next
// round. The session's record keeps how often each failed, by a hash of what it
// runs; from the second time on, the team's notes are asked with the command and
// the end of its output, and at most two are told. What was told is not repeated,
// so that a command that goes on failing is soon left alone.

const (
	failPrefix = "x:fail:"
	// failsFrom is the failure that asks; failsTo the last one that does.
	failsFrom, failsTo = 2, 4
	maxLessons         = 2
	maxFailText        = 2 << 10 // bytes of output that the notes are asked with
)

// failsAgain counts the failure of a command and reports that its repetition is
// worth asking the notes about. It costs the reading of one record, and that only
// after a command whose failure the client tells of.
func (r *runner) failsAgain(p place) bool {
	if r.again != nil {
		return *r.again
	}
	yes := false
	r.again = &yes
	if r.ev.Name != host.PostToolUse && r.ev.Name != host.PostToolUseFailure {
		return false
	}
	key := failKey(host.Command(r.payload))
	if key == "" {
		return false
	}
	outcome := host.OutcomeOf(r.ev, r.payload)
	if outcome != host.Bad && outcome != host.Good {
		return false
	}
	l, _, err := r.store.Open(ledger.Key{Host: r.ev.Host, Workspace: p.key, Session: r.ev.Session, Agent: r.ev.Agent})
	if err != nil {
		return false
	}
	// "TIMES ID": the same call may be heard of twice.
	last, _ := l.Last(key)
	times, id, _ := strings.Cut(last, "-")
	n, _ := strconv.Atoi(times)
	sum := sha256.Sum256([]byte(r.ev.ToolUseID))
	own := hex.EncodeToString(sum[:4])
	switch {
	case outcome == host.Good:
		if n == 0 {
			return false
		}
		n = 0
	case id != own || r.ev.ToolUseID == "":
		n++
	}
	if now := strconv.Itoa(n) + "-" + own; now != last {
		if _, err := l.Record([]ledger.Sent{{Key: key, Hash: now, Form: slice.Name}}); err != nil {
			r.log("note a failure: " + err.Error())
			return false
		}
	}
	yes = n >= failsFrom && n <= failsTo
	return yes
}

// failKey names what a command line runs: its program and first words, without
// folders that are changed to, variables, flags and what is piped on. "" for one
// that may well fail, such as a search.
func failKey(command string) string {
	for _, part := range strings.FieldsFunc(command, func(c rune) bool { return c == '\n' || c == ';' || c == '&' }) {
		part, _, _ = strings.Cut(part, "|")
		var words []string
		for _, w := range strings.Fields(part) {
			if len(words) == 0 && strings.Contains(w, "=") || strings.HasPrefix(w, "-") || strings.ContainsAny(w, "<>") {
				continue
			}
			if words = append(words, w); len(words) == 3 {
				break
			}
		}
		if len(words) == 0 || slices.Contains([]string{"cd", "export", "set", "source", ".", "echo", "true"}, words[0]) {
			continue
		}
		if slices.Contains([]string{"grep", "rg", "find", "test", "[", "ls", "cat", "which", "diff", "cmp", "head", "tail", "sed", "awk"}, words[0]) {
			return ""
		}
		sum := sha256.Sum256([]byte(strings.Join(words, " ")))
		return failPrefix + hex.EncodeToString(sum[:6])
	}
	return ""
}

// failText is the end of what the command said, as far as the event holds it.
func failText(payload []byte) string {
	v, err := rawjson.Parse(payload)
	if err != nil {
		return ""
	}
	var text string
	var take func(v rawjson.Value)
	take = func(v rawjson.Value) {
		switch v.Kind() {
		case '"':
			text += v.Text() + "\n"
		case '{':
			for _, name := range [...]string{"stderr", "stdout", "output", "llmContent", "text", "textResultForLlm", "error"} {
				take(v.Get(name))
			}
		}
	}
	for _, name := range [...]string{"error", "tool_response", "tool_output", "toolResult", "tool_result", "output", "error_message"} {
		take(v.Get(name))
	}
	text = strings.TrimSpace(text)
	if len(text) > maxFailText {
		text = strings.ToValidUTF8(text[len(text)-maxFailText:], "")
		if _, rest, ok := strings.Cut(text, "\n"); ok {
			text = rest
		}
	}
	return text
}

// lessons tells what the notes say of a command that failed again; an empty
// result where they say nothing new.
func (r *runner) lessons(a *asker, l *ledger.Ledger) result {
	if !r.opened(a) {
		return result{}
	}
	defer a.close()
	command := host.Command(r.payload)
	return r.speak(speech{a: a, l: l, quiet: true, say: func(d slice.Delivered) (out said) {
		in := a.in(slice.Prompt, d, a.left(l))
		in.Prompt = "Fix the error: the command `" + strings.TrimSpace(command) + "` fails.\n" + failText(r.payload)
		in.Work = nil
		var best ours
		for _, it := range r.make(in).Items {
			if it.Form >= slice.Card && !it.Again && len(best) < maxLessons {
				best = append(best, ledger.Sent{Key: it.Key, Hash: it.Hash, Form: it.Form})
			}
		}
		if len(best) == 0 {
			return out
		}
		in.Delivered = best
		plan := r.make(in)
		if plan.Text != "" {
			plan.Text = "This command failed before in this session. What the team noted:\n" + plan.Text
		}
		out.add(plan, a.unseen)
		return out
	}})
}
