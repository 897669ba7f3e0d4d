package observe

import (
	"bytes"
	"strings"

	"pathrule/internal/rawjson"
)

// turn is what a person or the assistant said.
type turn struct {
	person bool
	text   string
}

// conversation reads the lines of a client's file: of a person everything they
// said, of the assistant what it said last before the next person's turn. Tool
// calls, their output, reasoning, and what the client or a hook put in are not
// conversation. A torn or unknown line is skipped.
//
//	Claude Code, Qwen Code  {"type":"user","message":{"role":"user","content":"…"|[{"type":"text","text":"…"}]}}
//	Codex                   {"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"…"}]}}
//	Copilot                 {"type":"user.message","data":{"content":"…"}}
//	others                  {"role":"user","content":…}
func conversation(raw []byte) []turn {
	var out []turn
	for line := range bytes.Lines(raw) {
		v, err := rawjson.Parse(bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF")))
		if err != nil || v.Kind() != '{' {
			continue
		}
		role, text := said(v)
		if strings.TrimSpace(text) == "" {
			continue
		}
		switch role {
		case "user", "human":
			out = append(out, turn{true, text})
		case "assistant", "model":
			if n := len(out); n > 0 && !out[n-1].person {
				out[n-1].text = text
			} else {
				out = append(out, turn{false, text})
			}
		}
	}
	return out
}

func said(v rawjson.Value) (role, text string) {
	if v.Get("isMeta").True() || v.Get("isSidechain").True() || v.Get("isCompactSummary").True() {
		return "", ""
	}
	kind := v.Get("type").Text()
	m := v
	switch {
	case v.Get("message").Kind() == '{':
		m = v.Get("message")
	case v.Get("payload").Kind() == '{':
		if m = v.Get("payload"); m.Get("type").Text() != "message" {
			return "", ""
		}
	case v.Get("data").Kind() == '{':
		m = v.Get("data")
		if r, ok := strings.CutSuffix(kind, ".message"); ok {
			return r, spoken(m.Get("content"))
		}
	}
	role = m.Get("role").Text()
	text = spoken(m.Get("content"))
	if text == "" {
		text = spoken(m.Get("parts"))
	}
	if role == "user" && wrapped(text) {
		return "", ""
	}
	return role, text
}

// spoken is the text of a message's content: a string, or its blocks of text.
func spoken(v rawjson.Value) string {
	switch v.Kind() {
	case '"':
		return v.Text()
	case '[':
		var parts []string
		for b := range v.Elements {
			switch b.Get("type").Text() {
			case "text", "input_text", "output_text", "":
				if t := b.Get("text").Text(); t != "" && !b.Get("thought").True() {
					parts = append(parts, t)
				}
			}
		}
		return strings.Join(parts, "\n")
	}
	return ""
}

// wrapped reports what a client sends in the person's name.
func wrapped(text string) bool {
	t := strings.TrimSpace(text)
	if strings.HasPrefix(t, "# AGENTS.md instructions") {
		return true
	}
	if !strings.HasPrefix(t, "<") {
		return false
	}
	for _, tag := range [...]string{"environment_context", "user_instructions", "INSTRUCTIONS", "system-reminder", "command-name", "command-message", "local-command", "task-notification", "turn_aborted", "skill"} {
		if strings.HasPrefix(t[1:], tag) {
			return true
		}
	}
	return false
}
